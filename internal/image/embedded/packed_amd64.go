//go:build packed

package embedded

import _ "embed"

//go:embed python_amd64.tar.zst
var pythonArchive string
