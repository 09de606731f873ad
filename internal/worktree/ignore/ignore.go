// Package ignore says which files of a project git leaves out: by the .gitignore files that
// lie in it. What the person's own configuration of git adds is not looked at.
package ignore

import (
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// Bounds of a file of rules; what is beyond is not read.
const (
	maxRules = 10_000
	maxRule  = 4096 // bytes
)

// Name is what a file of rules is called.
const Name = ".gitignore"

// Rules are those of the files of rules that were added. The zero value ignores nothing.
type Rules struct {
	patterns []gitignore.Pattern
}

// Add adds the rules of a file that lies in a folder of the project; "" or "." is the project
// itself. Folders come before what lies in them.
func (r *Rules) Add(folder string, text []byte) {
	domain := parts(folder)
	for line := range strings.SplitSeq(string(text), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if len(r.patterns) >= maxRules || len(line) > maxRule || strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
			line = line[:len(line)-1]
		}
		r.patterns = append(r.patterns, gitignore.ParsePattern(line, domain))
	}
}

// Match says whether a path is ignored, by itself or with a folder above it.
func (r *Rules) Match(p string, folder bool) bool {
	return len(r.patterns) > 0 && gitignore.NewMatcher(r.patterns).Match(parts(p), folder)
}

func parts(p string) []string {
	p = strings.Trim(path.Clean(p), "/")
	if p == "." || p == "" {
		return nil
	}
	return strings.Split(p, "/")
}

// Made says whether a path is one of those that interpreters, test runners and compilers
// leave behind, whatever a project ignores.
func Made(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		switch part {
		case "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", "node_modules", ".nyc_output", ".coverage", ".DS_Store":
			return true
		}
	}
	switch path.Ext(p) {
	case ".pyc", ".pyo", ".o", ".obj", ".a", ".so", ".gcda", ".gcno", ".test", ".prof", ".swp":
		return true
	}
	return path.Base(p) == "a.out" || strings.HasSuffix(p, ".egg-info")
}
