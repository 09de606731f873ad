package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/index"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
	"praxis/internal/worktree/ignore"
)

// maxIndex bounds git's index in bytes.
const maxIndex = 64 << 20

// repo is the repository of git that a folder lies in. Without one, top is empty.
type repo struct {
	top     string          // its folder
	git     string          // where its own files are
	below   string          // the folder that is read, below top
	files   map[string]bool // that are tracked
	folders map[string]bool // that hold some
}

// repository looks for the repository of a folder, in it and above it.
func repository(dir string) *repo {
	for top := dir; ; top = filepath.Dir(top) {
		own := filepath.Join(top, ".git")
		if info, err := os.Stat(own); err == nil {
			below, err := filepath.Rel(top, dir)
			if err != nil {
				return &repo{}
			}
			if !info.IsDir() { // a work tree beside its repository, which the file names
				if own = gitDir(top, own); own == "" {
					return &repo{}
				}
			}
			return &repo{top: top, git: own, below: strings.TrimPrefix(filepath.ToSlash(below), ".")}
		}
		if filepath.Dir(top) == top {
			return &repo{}
		}
	}
}

// gitDir reads where git's files are, from a file in their place.
func gitDir(top, file string) string {
	text, err := bounded.ReadFile(file, 4096)
	to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if err != nil || !ok {
		return ""
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(top, to)
	}
	return to
}

// load reads what is tracked, and the rules from outside of the folder.
func (g *repo) load(r *reader) error {
	if g.top == "" {
		return nil
	}
	if text, err := bounded.ReadFile(filepath.Join(g.git, "info", "exclude"), maxRules); err == nil {
		r.rules.Add("", text)
	}
	for at, rest := "", g.below; rest != ""; {
		if text, err := bounded.ReadFile(filepath.Join(g.top, filepath.FromSlash(at), ignore.Name), maxRules); err == nil {
			r.rules.Add(at, text)
		}
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		at = path.Join(at, part)
	}
	data, err := bounded.ReadFile(filepath.Join(g.git, "index"), maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing is tracked yet
	}
	if err == nil {
		g.files, err = tracked(data)
	}
	if err != nil {
		return fault.New(fault.Invalid, "Have git write it anew.", "cannot read git's index of %s: %w", safetext.Line(g.top), err)
	}
	g.folders = map[string]bool{}
	for p := range g.files {
		for d := path.Dir(p); d != "." && !g.folders[d]; d = path.Dir(d) {
			g.folders[d] = true
		}
	}
	return nil
}

// tracked returns the paths in an index of git.
func tracked(data []byte) (files map[string]bool, err error) {
	defer func() {
		if p := recover(); p != nil { // the library trusts what it reads
			files, err = nil, fmt.Errorf("it is damaged: %v", p)
		}
	}()
	var i index.Index
	if err := index.NewDecoder(bytes.NewReader(data)).Decode(&i); err != nil {
		return nil, err
	}
	files = map[string]bool{}
	for _, e := range i.Entries {
		files[e.Name] = true
	}
	return files, nil
}

// tracked says whether git tracks a file.
func (g *repo) tracked(p string) bool { return g.files[p] }

// holds says whether git tracks a file in a folder.
func (g *repo) holds(p string) bool { return g.folders[p] }
