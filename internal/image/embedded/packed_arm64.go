//go:build packed

package embedded

import _ "embed"

//go:embed python_arm64.tar.zst
var pythonArchive string
