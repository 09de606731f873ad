//go:build !amd64 && !arm64

package embedded

import "embed"

// contents is empty: there are no archives for this architecture.
var contents = embed.FS{}
