package runsc

import _ "embed" // for the filters

//go:embed seccomp_amd64.json
var seccompFile []byte
