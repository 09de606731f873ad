// Package debian puts packages of Debian into the container images of tests: exact ones,
// by their SHA-256, which are fetched once a machine and kept below the user's cache
// folder.
package debian

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pault.ag/go/debian/deb"

	"praxis/internal/atomicfile"
	"praxis/internal/bounded"
	"praxis/internal/test/cache"
	"praxis/internal/test/container"
)

const (
	maxPackage = 64 << 20 // bytes of one package
	maxFile    = 64 << 20 // bytes of one file in it
)

// List is what a file with the packages of an image says.
type List struct {
	Architecture string    `json:"architecture"`
	Mirrors      []string  `json:"mirrors"` // tried in this order
	Packages     []Package `json:"packages"`
}

// Package is one package.
type Package struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Path    string `json:"path"` // below a mirror
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
}

// Entries returns the files of the packages in a list, but for those that drop names. The
// test is skipped where no mirror can be reached, or the packages are for other machines.
func Entries(t testing.TB, listName string, drop func(name string) bool) []container.Entry {
	t.Helper()
	data, err := os.ReadFile(listName)
	if err != nil {
		t.Fatal(err)
	}
	var l List
	if err := json.Unmarshal(data, &l); err != nil {
		t.Fatalf("cannot read %s: %v", listName, err)
	}
	if l.Architecture != runtime.GOARCH {
		t.Skipf("the packages of %s are for %s", listName, l.Architecture)
	}
	dir, err := cache.Dir("debian", digest(data)[:16])
	if err != nil {
		t.Fatal(err)
	}
	var out []container.Entry
	for _, p := range l.Packages {
		data, err := fetch(t.Context(), dir, l.Mirrors, p)
		var unreachable *unreachable
		if errors.As(err, &unreachable) {
			t.Skipf("no mirror of Debian can be reached: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		entries, err := read(data, drop)
		if err != nil {
			t.Fatalf("cannot read the package %s: %v", p.Name, err)
		}
		out = append(out, entries...)
	}
	return out
}

// read returns the files and the links of a package. Folders follow from what is in them.
func read(data []byte, drop func(name string) bool) ([]container.Entry, error) {
	d, err := deb.Load(bytes.NewReader(data), "")
	if err != nil {
		return nil, err
	}
	var out []container.Entry
	for {
		h, err := d.Data.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		name := path.Clean(h.Name)
		if h.Typeflag == tar.TypeDir || drop(name) {
			continue
		}
		e := container.Entry{Name: name, Kind: h.Typeflag, Link: h.Linkname, Mode: h.Mode & 0o777}
		if h.Typeflag == tar.TypeReg {
			text, err := bounded.Read(d.Data, maxFile)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", h.Name, err)
			}
			e.Text = string(text)
		}
		out = append(out, e)
	}
}

// unreachable is that a mirror did not answer.
type unreachable struct{ error }

// fetch returns a package from the cache, or from the first mirror that has it.
func fetch(ctx context.Context, dir string, mirrors []string, p Package) ([]byte, error) {
	cached := filepath.Join(dir, p.SHA256+".deb")
	if data, err := bounded.ReadFile(cached, maxPackage); err == nil && digest(data) == p.SHA256 {
		return data, nil
	}
	var errs []error
	for _, mirror := range mirrors {
		data, err := get(ctx, mirror+"/"+p.Path)
		if err == nil && digest(data) != p.SHA256 {
			return nil, fmt.Errorf("%s/%s: its SHA-256 is %s, not %s", mirror, p.Path, digest(data), p.SHA256)
		}
		if err == nil {
			return data, atomicfile.WriteFile(cached, data)
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("cannot fetch the package %s %s: %w", p.Name, p.Version, errors.Join(errs...))
}

func get(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute) // a wait for a network
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, &unreachable{err}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, &unreachable{fmt.Errorf("%s: %s", url, resp.Status)}
	}
	data, err := bounded.Read(resp.Body, maxPackage)
	if err != nil {
		return nil, &unreachable{err}
	}
	return data, nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// NotNeeded says whether programs run without a file of a package: manuals, translations
// and what configures a machine.
func NotNeeded(name string) bool {
	for _, dir := range []string{"usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/lintian", "usr/share/info", "usr/share/bug", "usr/share/icons", "usr/include", "var", "lib/systemd", "etc/init.d", "usr/share/icu"} {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}
