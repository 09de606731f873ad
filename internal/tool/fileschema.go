package tool

import _ "embed"

//go:embed tools.schema.json
var fileSchema []byte

// FileSchema returns the JSON Schema (draft 2020-12) of the files that Load
// reads, for editors that complete and check them.
func FileSchema() []byte { return append([]byte(nil), fileSchema...) }
