//go:build !amd64

package runsc

// seccompFile is empty: gVisor compiles its filters at each start.
var seccompFile = []byte{}
