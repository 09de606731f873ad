package runsc

import "errors"

// errNotPatched says that this program was built by the go command alone.
var errNotPatched = errors.New("the program around sandboxes was built without what a seed needs")
