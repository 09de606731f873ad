// Package library holds the modules of the plan language that are written in
// the plan language itself. Labels and limits work in them as in a plan.
// It is text only: the machine ([praxis/internal/plan/vm]) compiles it when a
// module is imported. What modules do in Go is below it, in native.
//
// Modules may use what plans may not: names that begin with an underscore of
// natives, and metaclasses. A module whose natives are written in Go has them
// in its name space before its source runs.
package library

import (
	"embed"
	"strings"
)

//go:embed *.py
var files embed.FS

// Source returns the source of a module; ok is false when there is none of that name.
func Source(name string) (source string, ok bool) {
	if strings.ContainsAny(name, "/\\") {
		return "", false
	}
	b, err := files.ReadFile(name + ".py")
	return string(b), err == nil
}
