package image

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// npmRequirement is a package of npm's registry with the versions that will do.
type npmRequirement struct {
	name  string
	specs string // a range of versions or a tag, such as "^7" or "next"; "": the latest
}

func (r npmRequirement) String() string {
	if r.specs == "" {
		return r.name
	}
	return r.name + "@" + r.specs
}

const (
	maxNPMNames  = 200
	maxTarballs  = 20_000
	npmRemedy    = "Write NAME or NAME@VERSION, such as lodash or d3@7; only packages of a registry can be used."
	npmPartOf    = `(?:@[a-z0-9~][a-z0-9._~-]*/)?[A-Za-z0-9~][A-Za-z0-9._~-]*`
	maxNPMName   = 214
	maxNPMPath   = 1024
	maxNPMLock   = 64 << 20
	npmLockFile  = "lock.json"
	npmFolderEnd = "node_modules/"
)

var (
	npmNameRE    = lazyregexp.New(`^` + npmPartOf + `$`)
	npmPathRE    = lazyregexp.New(`^node_modules/` + npmPartOf + `(?:/node_modules/` + npmPartOf + `)*$`)
	npmSpecRE    = lazyregexp.New(`^[A-Za-z0-9^~<>=*][A-Za-z0-9.^~<>=*|+ -]{0,63}$`)
	npmVersionRE = lazyregexp.New(`^[0-9][A-Za-z0-9.+-]{0,127}$`)
	sha512RE     = lazyregexp.New(`sha512-([A-Za-z0-9+/]{86}==)`)
)

// parseNPM reads the packages of npm that a request asks for, sorted, each once.
func parseNPM(list []string) ([]npmRequirement, error) {
	var out []npmRequirement
	for _, entry := range list {
		for item := range strings.SplitSeq(entry, ",") {
			if item = strings.TrimSpace(item); item == "" {
				continue
			}
			name, specs := item, ""
			if at := strings.LastIndexByte(item, '@'); at > 0 {
				name, specs = item[:at], strings.TrimSpace(item[at+1:])
			}
			if len(name) > maxNPMName || !npmNameRE.MatchString(name) || name == "node_modules" || strings.HasSuffix(item, "@") || specs != "" && !npmSpecRE.MatchString(specs) {
				return nil, fault.New(fault.Invalid, npmRemedy, "cannot read %q: it names no package of npm", safetext.Clip(redact(item), 80))
			}
			out = append(out, npmRequirement{name, specs})
		}
	}
	if len(out) > maxNPMNames {
		return nil, fault.New(fault.Invalid, "Ask for fewer packages.", "cannot use %d packages of npm: at most %d are allowed", len(out), maxNPMNames)
	}
	slices.SortFunc(out, func(a, b npmRequirement) int { return strings.Compare(a.String(), b.String()) })
	out = slices.Compact(out)
	for i := range out[min(1, len(out)):] {
		if out[i].name == out[i+1].name {
			return nil, fault.New(fault.Invalid, "Name each package once.", "cannot use both %q and %q: they name the same package", out[i], out[i+1])
		}
	}
	return out, nil
}

// Tarball is one package of npm in a lock: where it lies, and what it is.
type Tarball struct {
	Path      string `json:"path"` // below the root, such as "node_modules/a/node_modules/b"
	Name      string `json:"name"`
	Version   string `json:"version"`
	Integrity string `json:"integrity"` // as npm writes it, "sha512-" and base64
	SHA256    string `json:"sha256"`
}

// npmLock is what a request for packages of npm was resolved to.
type npmLock struct {
	Node     string    `json:"node"`     // key of the Node whose npm resolved it
	Tarballs []Tarball `json:"tarballs"` // sorted by path
}

// key is the digest by which the layer is kept: of its contents alone.
func (l npmLock) key() string {
	h := sha256.New()
	_, _ = fmt.Fprintln(h, "npm layer 1")
	for _, t := range l.Tarballs {
		_, _ = fmt.Fprintf(h, "%s %s@%s %s\n", t.Path, t.Name, t.Version, t.SHA256)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// check says what of a lock cannot be used.
func (l npmLock) check() error {
	if len(l.Tarballs) == 0 || len(l.Tarballs) > maxTarballs {
		return fmt.Errorf("it has %d packages", len(l.Tarballs))
	}
	last := ""
	for _, t := range l.Tarballs {
		switch {
		case t.Path <= last:
			return errors.New("its packages are not in order")
		case len(t.Path) > maxNPMPath || !npmPathRE.MatchString(t.Path) || !npmNameRE.MatchString(t.Name) || !npmVersionRE.MatchString(t.Version):
			return fmt.Errorf("it has a package %q", safetext.Clip(t.Path, 80))
		case !sha512RE.MatchString(t.Integrity) || !hashRE.MatchString("sha256:"+t.SHA256):
			return fmt.Errorf("package %s has no digest that can be used", safetext.Clip(t.Path, 80))
		}
		last = t.Path
	}
	return nil
}

// packages are those that the person's code finds: they lie at the top.
func (l npmLock) packages() []Package {
	var out []Package
	for _, t := range l.Tarballs {
		out = append(out, Package{Name: t.Name, Version: t.Version, Hash: "sha256:" + t.SHA256})
	}
	slices.SortFunc(out, func(a, b Package) int { return strings.Compare(a.Name+"@"+a.Version, b.Name+"@"+b.Version) })
	return slices.Compact(out)
}

// installed is what npm writes about the packages that it installed.
type installed struct {
	Packages map[string]struct {
		Name      string `json:"name"`
		Version   string `json:"version"`
		Resolved  string `json:"resolved"` // where it came from
		Integrity string `json:"integrity"`
		Link      bool   `json:"link"`
		InBundle  bool   `json:"inBundle"`
	} `json:"packages"`
}

// parseInstalled reads the lock that npm leaves in node_modules. The digests of the
// tarballs as files are not in it.
func parseInstalled(data []byte) (npmLock, error) {
	var in installed
	if err := json.Unmarshal(data, &in); err != nil {
		return npmLock{}, fmt.Errorf("cannot read what npm installed: %w", err)
	}
	if len(in.Packages) > maxTarballs {
		return npmLock{}, fault.New(fault.Exhausted, "Ask for fewer packages.", "cannot use packages of npm: they need %d others, at most %d are allowed", len(in.Packages), maxTarballs)
	}
	var l npmLock
	for path, p := range in.Packages {
		if path == "" || p.InBundle { // a package that another one brings along
			continue
		}
		name := p.Name
		if i := strings.LastIndex(path, npmFolderEnd); name == "" && i >= 0 { // folders that links lead to lie elsewhere
			name = path[i+len(npmFolderEnd):]
		}
		m := sha512RE.FindStringSubmatch(p.Integrity)
		// A package can name a file of this machine as another that it needs.
		remote := strings.HasPrefix(p.Resolved, "https://") || strings.HasPrefix(p.Resolved, "http://")
		if p.Link || !remote || m == nil || len(path) > maxNPMPath || !npmPathRE.MatchString(path) || !npmNameRE.MatchString(name) || !npmVersionRE.MatchString(p.Version) {
			return npmLock{}, fault.New(fault.Invalid, "Ask for another version.", "cannot use package %s of npm: it does not come from a registry with a digest of its contents", safetext.Quote(safetext.Clip(redact(path), 80)))
		}
		l.Tarballs = append(l.Tarballs, Tarball{Path: path, Name: name, Version: p.Version, Integrity: "sha512-" + m[1]})
	}
	slices.SortFunc(l.Tarballs, func(a, b Tarball) int { return strings.Compare(a.Path, b.Path) })
	return l, nil
}

// cachePath is where npm's cache has the file of a digest.
func cachePath(integrity string) (string, error) {
	m := sha512RE.FindStringSubmatch(integrity)
	if m == nil {
		return "", errors.New("there is no digest")
	}
	sum, err := base64.StdEncoding.DecodeString(m[1])
	if err != nil {
		return "", err
	}
	x := hex.EncodeToString(sum)
	return "_cacache/content-v2/sha512/" + x[:2] + "/" + x[2:4] + "/" + x[4:], nil
}
