// Command pack makes the archives that a small binary carries, of the Go module
// that brings CPython and pip. "make build" runs it:
//
//	go run ./internal/image/embedded/pack -arch amd64 -o internal/image/embedded
//
// The module's files are those of go.sum. The command needs the go command, to
// know where they are.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"praxis/internal/image/embedded/archive"
)

// module brings CPython and pip.
const module = "github.com/kluctl/go-embed-python"

func main() {
	arch := flag.String("arch", runtime.GOARCH, "the `ARCHITECTURE` to pack for")
	out := flag.String("o", ".", "the `FOLDER` to write the archives to")
	flag.Parse()
	if err := run(*arch, *out); err != nil {
		fmt.Fprintf(os.Stderr, "pack: %v\n", err)
		os.Exit(1)
	}
}

func run(arch, out string) error {
	text, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return fmt.Errorf("cannot find the module %s: %w", module, err)
	}
	dir := strings.TrimSpace(string(text))
	if dir == "" {
		return fmt.Errorf("cannot find the module %s: it is not downloaded", module)
	}
	for _, a := range []struct {
		name, from string
		drop       archive.Drop
	}{
		{"python_" + arch, filepath.Join(dir, "python", "internal", "data", "linux-"+arch), archive.PythonDrop()},
		{"pip", filepath.Join(dir, "pip", "internal", "data"), archive.PipDrop()},
	} {
		if err := write(filepath.Join(out, a.name+".tar.zst"), a.from, a.drop); err != nil {
			return fmt.Errorf("cannot make %s: %w", a.name, err)
		}
	}
	return nil
}

// write writes one archive whole.
func write(name, from string, drop archive.Drop) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".pack-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // it is gone when all went well
	if err := archive.Pack(f, os.DirFS(from), drop); err != nil {
		_ = f.Close() // the archive is given up
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
