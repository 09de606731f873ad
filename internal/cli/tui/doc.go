// Package tui is what a person sees and types while something goes on: the
// report of a run as it happens, the line that shows a preparation, code that
// is typed with history and completion.
package tui
