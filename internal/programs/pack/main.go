// Command pack builds the programs that the binary carries and packs them. "make build"
// runs it:
//
//	go run ./internal/programs/pack -arch amd64 -o internal/programs/archives/amd64
//
// A program that is there already, and is the same, is left as it is.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"

	"github.com/klauspost/compress/zstd"

	"praxis/internal/atomicfile"
	"praxis/internal/programs"
	"praxis/internal/programs/sources"
	"praxis/internal/sandbox/gvisor/patch"
)

func main() {
	arch := flag.String("arch", runtime.GOARCH, "the `ARCHITECTURE` to build for")
	out := flag.String("o", ".", "the `FOLDER` to write the programs to")
	flag.Parse()
	if err := run(*arch, *out); err != nil {
		fmt.Fprintf(os.Stderr, "pack: %v\n", err)
		os.Exit(1)
	}
}

func run(arch, out string) error {
	digest, err := sources.Digest(context.Background(), ".", arch, programs.Parts())
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "praxis-pack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	changed, err := change(filepath.Join(out, ".built"), tmp)
	if err != nil {
		return err
	}
	for _, command := range programs.Commands() {
		if err := pack(arch, out, command, changed); err != nil {
			return fmt.Errorf("cannot make %s: %w", path.Base(command), err)
		}
	}
	return write(filepath.Join(out, "sources.sha256"), []byte(digest+"\n"))
}

// change returns the flags that build with the changed lines of gVisor (package patch). It
// makes what they name in the folder tmp.
//
// The go command replaces no file of its cache of modules, so it is given a module that
// lies elsewhere, in a link to where it does lie. The link's name is relative to this
// module and becomes a part of the program, which is therefore the same in any folder.
func change(folder, tmp string) (flags []string, err error) {
	// Downloaded first where it is not: "go list" would not say where it is to be.
	text, err := exec.Command("go", "mod", "download", "-json", patch.Module).Output()
	var module struct{ Dir string }
	if err == nil {
		err = json.Unmarshal(text, &module)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot find %s: %w", patch.Module, err)
	}
	link := filepath.Join(folder, "gvisor")
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.RemoveAll(link)); err != nil {
		return nil, err
	}
	if err := os.Symlink(module.Dir, link); err != nil {
		return nil, err
	}
	there, err := filepath.Abs(link)
	if err != nil {
		return nil, err
	}
	overlay, err := patch.Overlay(there, tmp)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if name == "go.mod" {
			data = fmt.Appendf(data, "\nreplace %s => ./%s\n", patch.Module, filepath.ToSlash(filepath.Clean(link)))
		}
		if err := os.WriteFile(filepath.Join(tmp, name), data, 0o600); err != nil {
			return nil, err
		}
	}
	return []string{"-modfile", filepath.Join(tmp, "go.mod"), "-overlay", overlay, "-tags", patch.Tag}, nil
}

// write writes a file unless it is the same already.
func write(name string, data []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return atomicfile.WriteFile(name, data)
}

func pack(arch, out, command string, changed []string) error {
	name := path.Base(command)
	// The go command does not link again what it finds up to date. The name of the folder
	// keeps it from being embedded.
	built, err := filepath.Abs(filepath.Join(out, ".built", name))
	if err != nil {
		return err
	}
	// Without what differs from checkout to checkout the same sources make the same bytes.
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", built}
	cmd := exec.Command("go", append(append(args, changed...), command)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, "GOFLAGS=")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	data, err := os.ReadFile(built)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	digest := []byte(hex.EncodeToString(sum[:]) + "\n")
	packed, listed := filepath.Join(out, name+".zst"), filepath.Join(out, name+".sha256")
	if old, err := os.ReadFile(listed); err == nil && bytes.Equal(old, digest) {
		if _, err := os.Stat(packed); err == nil {
			return nil
		}
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(packed, z.EncodeAll(data, nil)); err != nil {
		return err
	}
	return write(listed, digest)
}
