// Package programs is what runs inside of sandboxes and around them: small programs of
// their own, which link only what they need, so that they start fast and use little
// memory. The binary carries them; "make build" builds and packs them first (command
// pack), and a binary that was built without says so. A program is named by the SHA-256
// of its contents, which are the same wherever one version of it was built.
//
// A [Store] is where they lie unpacked. What it gives is what it was sealed as.
package programs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"runtime"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Program is one program that can be installed.
type Program struct {
	Name   string // of its file
	SHA256 string // of its contents
	// Open opens its contents.
	Open func() (io.ReadCloser, error)
}

// Key is what a program is called in a store.
func (p Program) Key() string { return p.SHA256[:16] }

// ErrMissing says that the binary was built without its programs, or for an
// architecture that there are none for.
var ErrMissing = errors.New("the binary was built without it")

// Guest is the first process inside of a sandbox.
func Guest() (Program, error) { return embedded("praxis-guest") }

// Sandbox is the helper of a sandbox, and what that executes.
func Sandbox() (Program, error) { return embedded("praxis-sandbox") }

// Commands are the packages of all of them.
func Commands() []string { return []string{"praxis/cmd/praxis-guest", "praxis/cmd/praxis-sandbox"} }

// Parts are the packages that their bytes depend on.
func Parts() []string { return append(Commands(), "praxis/internal/sandbox/gvisor/patch") }

// Sources is the digest of what the programs were built from (package sources).
func Sources() (string, error) {
	text, err := fs.ReadFile(contents, file("sources.sha256"))
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrMissing
	}
	return strings.TrimSpace(string(text)), err
}

// embedded returns one that the binary carries.
func embedded(name string) (Program, error) {
	sum, err := fs.ReadFile(contents, file(name+".sha256"))
	if errors.Is(err, fs.ErrNotExist) {
		return Program{}, fmt.Errorf("cannot find the program %s: %w", name, ErrMissing)
	}
	if err != nil {
		return Program{}, fmt.Errorf("cannot find the program %s: %w", name, err)
	}
	p := Program{Name: name, SHA256: strings.TrimSpace(string(sum))}
	if len(p.SHA256) != hex.EncodedLen(sha256.Size) {
		return Program{}, fmt.Errorf("cannot find the program %s: its digest is damaged", name)
	}
	p.Open = func() (io.ReadCloser, error) {
		f, err := contents.Open(file(name + ".zst"))
		if err != nil {
			return nil, err
		}
		z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return p, nil
}

func file(name string) string { return path.Join("archives", runtime.GOARCH, name) }
