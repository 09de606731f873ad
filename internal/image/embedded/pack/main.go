// Command pack makes the archives that the binary carries: CPython and pip of the Go
// module that brings them, and the root file system of packages of Debian. "make build"
// runs it:
//
//	go run ./internal/image/embedded/pack -arch amd64 -o internal/image/embedded/archives/amd64
//
// The module's files are those of go.sum; the command needs the go command, to know
// where they are. The packages are those of root.json in the folder that is written to,
// by their SHA-256; they are kept below the user's cache folder. With -renew they are
// chosen anew from what Debian has today, and root.json is written.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"

	"praxis/internal/atomicfile"
	"praxis/internal/image/embedded/archive"
)

// module brings CPython and pip.
const module = "github.com/kluctl/go-embed-python"

func main() {
	arch := flag.String("arch", runtime.GOARCH, "the `ARCHITECTURE` to pack for")
	out := flag.String("o", ".", "the `FOLDER` to write the archives to")
	renew := flag.Bool("renew", false, "write root.json anew instead")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	do := pack
	if *renew {
		do = renewList
	}
	err := do(ctx, *arch, *out)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "pack: %v\n", err)
		os.Exit(1)
	}
}

func pack(ctx context.Context, arch, out string) error {
	dir, err := moduleFolder(ctx)
	if err != nil {
		return err
	}
	for _, a := range []struct {
		name    string
		entries func() ([]archive.Entry, error)
	}{
		{"python", func() ([]archive.Entry, error) {
			return moduleEntries(os.DirFS(filepath.Join(dir, "python", "internal", "data", "linux-"+arch)), pythonDrop())
		}},
		{"pip", func() ([]archive.Entry, error) {
			return moduleEntries(os.DirFS(filepath.Join(dir, "pip", "internal", "data")), pipDrop())
		}},
		{"root", func() ([]archive.Entry, error) { return rootEntries(ctx, filepath.Join(out, listFile)) }},
	} {
		if err := write(filepath.Join(out, a.name+".tar.zst"), a.entries); err != nil {
			return fmt.Errorf("cannot make %s: %w", a.name, err)
		}
	}
	return nil
}

// moduleFolder returns where the module lies, in the version that go.mod names. On a
// machine that does not have it yet, it is downloaded and compared with go.sum.
func moduleFolder(ctx context.Context) (string, error) {
	text, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", module).Output()
	var got struct{ Dir, Error string }
	if parsed := json.Unmarshal(text, &got); parsed != nil {
		return "", fmt.Errorf("cannot download the module %s: %w", module, cmp.Or(err, parsed))
	}
	if got.Error != "" {
		return "", fmt.Errorf("cannot download the module %s: %s", module, got.Error)
	}
	return got.Dir, nil
}

// write writes one archive whole.
func write(name string, entries func() ([]archive.Entry, error)) error {
	list, err := entries()
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".pack-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // it is gone when all went well
	if err := archive.Pack(f, list); err != nil {
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

// keep writes a small file whole, for everybody to read.
func keep(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return atomicfile.WriteFile(name, data)
}
