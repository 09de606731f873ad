package tool

import (
	"strconv"

	"praxis/fault"
)

// DepthVariable is the environment variable by which programs that implement
// tools know how many runs they are nested in. It ends the recursion of a program
// that starts praxis, which calls the same program again.
const DepthVariable = "PRAXIS_DEPTH"

// maxDepth is how many runs may be in one another.
const maxDepth = 2

// depth reads how many runs a process is in. What is no number is deep.
func depth(getenv func(string) string) int {
	text := getenv(DepthVariable)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxDepth {
		return maxDepth
	}
	return n
}

// Deeper is the value of [DepthVariable] for a program that implements a tool
// of this process.
func Deeper(getenv func(string) string) string { return strconv.Itoa(depth(getenv) + 1) }

// CheckDepth refuses tools to a process that is in too many runs.
func CheckDepth(getenv func(string) string) error {
	if depth(getenv) < maxDepth {
		return nil
	}
	return fault.New(fault.Exhausted, "Let the tool do its work without praxis.", "cannot begin a run: a tool of a run began this one, and a tool of that began this one's (%s)", DepthVariable)
}
