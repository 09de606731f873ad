package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pault.ag/go/debian/deb"

	"praxis/internal/bounded"
	"praxis/internal/image/embedded/archive"
)

// listFile is the list of the packages, beside the archives.
const listFile = "root.json"

const maxPackage = 64 << 20 // bytes of one package

// list is what listFile holds.
type list struct {
	Release  string   `json:"release"` // of Debian, such as "12.15"
	Mirrors  []string `json:"mirrors"` // tried in this order
	Packages []pinned `json:"packages"`
}

// pinned is one package.
type pinned struct {
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	Source   string   `json:"source"`   // of what it is built, with its version
	Licences []string `json:"licences"` // as its copyright file names them
	Path     string   `json:"path"`     // below a mirror
	Size     int64    `json:"size"`
	SHA256   string   `json:"sha256"`
}

// rootEntries reads the files of the packages in a list, in the order of their names.
func rootEntries(ctx context.Context, listName string) ([]archive.Entry, error) {
	data, err := os.ReadFile(listName)
	if err != nil {
		return nil, err
	}
	var l list
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", listName, err)
	}
	all := map[string]archive.Entry{}
	for _, p := range l.Packages {
		data, err := fetch(ctx, l.Mirrors, p)
		if err != nil {
			return nil, err
		}
		if err := readPackage(data, all); err != nil {
			return nil, fmt.Errorf("cannot read the package %s: %w", p.Name, err)
		}
	}
	d := rootDrop()
	maps.DeleteFunc(all, func(name string, _ archive.Entry) bool { return d.match(name) })
	addMade(all)
	return slices.SortedFunc(withFolders(all), func(a, b archive.Entry) int { return strings.Compare(a.Name, b.Name) }), nil
}

// readPackage adds the files of a package, below usr wherever the package has them.
func readPackage(data []byte, all map[string]archive.Entry) error {
	d, err := deb.Load(bytes.NewReader(data), "")
	if err != nil {
		return err
	}
	for {
		h, err := d.Data.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		e := archive.Entry{Name: belowUsr(path.Clean(h.Name)), Mode: h.FileInfo().Mode() &^ (fs.ModeSetuid | fs.ModeSetgid)}
		switch {
		case e.Mode.IsDir():
			continue // folders follow from what is in them
		case h.Linkname != "" && e.Mode.Type() == fs.ModeSymlink:
			e.Link = h.Linkname
		case h.Linkname != "": // another name of a file: the first one's content
			e.Data = all[belowUsr(path.Clean(h.Linkname))].Data
		default:
			if e.Data, err = bounded.Read(d.Data, maxFile); err != nil {
				return fmt.Errorf("%s: %w", h.Name, err)
			}
		}
		all[e.Name] = e
	}
}

// belowUsr is the name in a root whose /bin, /sbin and /lib* are links.
func belowUsr(name string) string {
	top, _, _ := strings.Cut(name, "/")
	switch top {
	case "bin", "sbin", "lib", "lib64":
		return "usr/" + name
	}
	return name
}

// addMade adds what the packages' scripts would make.
func addMade(all map[string]archive.Entry) {
	for name, target := range links() {
		all[name] = archive.Entry{Name: name, Mode: fs.ModeSymlink | 0o777, Link: target}
	}
	var bundle bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(name, "usr/share/ca-certificates/mozilla/") && strings.HasSuffix(name, ".crt") {
			bundle.Write(all[name].Data)
			delete(all, name)
		}
	}
	all[certificates] = archive.Entry{Name: certificates, Mode: 0o644, Data: bundle.Bytes()}
}

// withFolders returns the entries and the folders that they lie in.
func withFolders(all map[string]archive.Entry) func(yield func(archive.Entry) bool) {
	folders := map[string]archive.Entry{}
	for name := range all {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			folders[dir] = archive.Entry{Name: dir, Mode: fs.ModeDir | 0o755}
		}
	}
	maps.Copy(folders, all)
	return maps.Values(folders)
}

// fetch returns a package from the cache, or from the first mirror that has it.
func fetch(ctx context.Context, mirrors []string, p pinned) ([]byte, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("cannot find the cache folder: %w", err)
	}
	cached := filepath.Join(cache, "praxis-build", p.SHA256+".deb")
	if data, err := bounded.ReadFile(cached, maxPackage); err == nil && digest(data) == p.SHA256 {
		return data, nil
	}
	var errs []error
	for _, mirror := range mirrors {
		data, err := get(ctx, mirror+"/"+p.Path)
		if err == nil && digest(data) != p.SHA256 {
			err = fmt.Errorf("%s/%s: its SHA-256 is %s, not %s", mirror, p.Path, digest(data), p.SHA256)
		}
		if err == nil {
			return data, keep(cached, data)
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("cannot fetch the package %s %s: %w", p.Name, p.Version, errors.Join(errs...))
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func get(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return bounded.Read(resp.Body, maxPackage)
}
