//go:build !amd64 && !arm64

package programs

import "embed"

// contents is empty: there are no programs for this architecture.
var contents = embed.FS{}
