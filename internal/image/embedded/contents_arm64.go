package embedded

import "embed"

// contents is what the binary carries.
//
//go:embed archives/arm64
var contents embed.FS
