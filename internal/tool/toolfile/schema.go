package toolfile

import _ "embed"

//go:embed tools.schema.json
var fileSchema []byte

// Schema returns the JSON Schema (draft 2020-12) of the files that Load
// reads, for editors that complete and check them.
func Schema() []byte { return append([]byte(nil), fileSchema...) }
