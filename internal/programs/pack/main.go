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
	digest, err := sources.Digest(context.Background(), ".", arch, programs.Commands())
	if err != nil {
		return err
	}
	for _, command := range programs.Commands() {
		if err := pack(arch, out, command); err != nil {
			return fmt.Errorf("cannot make %s: %w", path.Base(command), err)
		}
	}
	return change(filepath.Join(out, "sources.sha256"), []byte(digest+"\n"))
}

// change writes a file unless it is the same already.
func change(name string, data []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return atomicfile.WriteFile(name, data)
}

func pack(arch, out, command string) error {
	name := path.Base(command)
	// The go command does not link again what it finds up to date. The name of the folder
	// keeps it from being embedded.
	built, err := filepath.Abs(filepath.Join(out, ".built", name))
	if err != nil {
		return err
	}
	// Without what differs from checkout to checkout the same sources make the same bytes.
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", built, command)
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
	return change(listed, digest)
}
