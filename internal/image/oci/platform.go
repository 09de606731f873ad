package oci

import "runtime"

// Here is what programs of this machine's sandboxes are built for.
func Here() Platform { return Platform{"linux", runtime.GOARCH} }
