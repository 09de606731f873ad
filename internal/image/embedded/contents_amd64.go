package embedded

import "embed"

// contents is what the binary carries.
//
//go:embed archives/amd64
var contents embed.FS
