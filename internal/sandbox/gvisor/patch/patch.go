// Package patch changes the lines of gVisor for which it has neither an option nor a
// hook. The program around sandboxes is built with the changed files in the
// place of the module's ("go build -overlay"); the module itself stays as it is.
//
// A change names the text that it replaces and how often that stands in the file.
// Another release of gVisor in which the text is another one ends the build.
//
// # What is changed
//
// The memory of a restored guest is read when it is touched (memory.go). Which processor a
// thread runs on is no system call (vdso.go). What nobody uses is not made when a sandbox
// starts (start.go).
//
// A seeded sandbox gives its programs random bytes that follow from the seed (random.go), and
// clocks that follow from what they do (clock.go).
// Whatever is added for that asks first whether the sandbox is seeded, which its owner said before
// it was booted; in all others everything goes the ways that it went before. What a
// checkpoint holds is not changed.
//
// The rules of a seeded sandbox stand in added/kernel.go.txt and added/clock.go.txt.
package patch

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Module is what is changed.
const Module = "gvisor.dev/gvisor"

// Tag is the build tag under which the program around sandboxes uses what is added.
const Tag = "praxis_patched"

//go:embed added/*.txt
var added embed.FS

// files are those that are added: where in the module, and what is embedded.
var files = map[string]string{
	"pkg/rand/praxis.go":                 "added/rand.go.txt",
	"pkg/sentry/fsimpl/gofer/praxis.go":  "added/gofer.go.txt",
	"pkg/sentry/kernel/praxis.go":        "added/kernel.go.txt",
	"pkg/sentry/kernel/praxis_clock.go":  "added/clock.go.txt",
	"pkg/sentry/kernel/praxis_vdso.go":   "added/vdso.go.txt",
	"pkg/sentry/ktime/praxis.go":         "added/ktime.go.txt",
	"pkg/sentry/mm/praxis.go":            "added/mm.go.txt",
	"pkg/sentry/pgalloc/praxis.go":       "added/pgalloc.go.txt",
	"pkg/sentry/state/stateio/praxis.go": "added/stateio.go.txt",
}

// edit replaces a text that stands in a file so many times.
type edit struct {
	file     string
	old, new string
	times    int
}

// edits are all changes.
func edits() []edit {
	return slices.Concat(memory(), random(), identity(), clocks(), processor(), starting())
}

// Overlay writes the changed files of the module in dir to the folder out and returns the
// file that "go build -overlay" reads.
func Overlay(dir, out string) (string, error) {
	texts, err := apply(os.DirFS(dir))
	if err != nil {
		return "", fmt.Errorf("cannot change %s: %w", Module, err)
	}
	replace := map[string]string{}
	for name, text := range texts {
		path := filepath.Join(out, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(dir, filepath.FromSlash(name))] = path
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(out, "overlay.json")
	return path, os.WriteFile(path, b, 0o600)
}

// apply returns the changed files of a module, and those that are added, by name.
func apply(module fs.FS) (map[string]string, error) {
	out := map[string]string{}
	for _, e := range edits() {
		text, ok := out[e.file]
		if !ok {
			b, err := fs.ReadFile(module, e.file)
			if err != nil {
				return nil, err
			}
			text = string(b)
		}
		if n := strings.Count(text, e.old); n != e.times {
			return nil, fmt.Errorf("%s has this text %d times, not %d: %q", e.file, n, e.times, e.old)
		}
		out[e.file] = strings.ReplaceAll(text, e.old, e.new)
	}
	for name, from := range files {
		if _, err := fs.Stat(module, name); !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is there already", name)
		}
		b, err := added.ReadFile(from)
		if err != nil {
			return nil, err
		}
		out[name] = string(b)
	}
	vdso, err := fs.ReadFile(module, vdsoFile)
	if err != nil {
		return nil, err
	}
	if vdso, err = answerProcessor(vdso); err != nil {
		return nil, err
	}
	out[vdsoFile] = string(vdso)
	return out, nil
}
