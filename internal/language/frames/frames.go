// Package frames is the side of the agent's contract with kernels (package comment of
// guest/agent) that kernels have in common which are written in Python and stand between
// the agent and another program: frames over descriptor 3, descriptors that that program
// does not see, and the wait until what was written is read. It is a part of those
// kernels' source, which a language puts before its own.
package frames

import _ "embed"

//go:embed frames.py
var source string

// Source returns the part: a Python program that defines the class Control, the function
// keep, and the functions drained, done and completions.
func Source() string { return source }
