package image

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/sandbox"
)

// hostSurvey is what an image takes from the host.
type hostSurvey struct {
	mounts []sandbox.Mount
	links  []hostLink // made again in the skeleton
	cache  []byte     // /etc/ld.so.cache, nil when the host has none
	stamp  string     // changes when the C library or the release does
}

type hostLink struct{ path, target string }

const (
	maxLinks   = 4096    // of one folder of links
	maxLdCache = 4 << 20 // bytes; a desktop's is some 100 KB
)

// loaders are the program interpreters that the embedded CPython names.
var loaders = map[string]string{
	"amd64": "/lib64/ld-linux-x86-64.so.2",
	"arm64": "/lib/ld-linux-aarch64.so.1",
}

// hostTop are the folders that a merged /usr turns into links, and hostUsr and
// hostShare those below /usr that the guest sees. The package comment says why
// these and no others. Each mount costs every start of a sandbox about a
// millisecond, so there are as few as can be.
var (
	hostTop   = []string{"bin", "sbin", "lib", "lib64"}
	hostUsr   = []string{"bin", "sbin", "lib", "lib64"}
	hostShare = []string{"fonts", "misc", "terminfo", "zoneinfo"}
)

// libcParts are the files of the C library that CPython is linked to.
var libcParts = []string{"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1"}

// surveyHost looks at the host below root, which is "/" but in tests.
func surveyHost(root string) (*hostSurvey, error) {
	sv := &hostSurvey{}
	var dirs []string
	for _, d := range hostTop {
		dirs = append(dirs, "/"+d)
	}
	for _, d := range hostUsr {
		dirs = append(dirs, "/usr/"+d)
	}
	for _, d := range hostShare {
		dirs = append(dirs, "/usr/share/"+d)
	}
	for _, d := range dirs {
		if err := sv.take(root, d); err != nil {
			return nil, fmt.Errorf("cannot look at the host's %s: %w", d, err)
		}
	}
	if err := sv.takeAlternatives(root); err != nil {
		return nil, fmt.Errorf("cannot look at the host's /etc/alternatives: %w", err)
	}
	var err error
	if sv.cache, err = bounded.ReadFile(filepath.Join(root, "etc/ld.so.cache"), maxLdCache); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read the host's /etc/ld.so.cache: %w", err)
	}
	if err := sv.checkLibc(root); err != nil {
		return nil, err
	}
	return sv, nil
}

// take adds one folder of the host: as a link when it is one, as links when
// it holds nothing else (a mount costs every start of a sandbox), as a mount otherwise.
func (sv *hostSurvey) take(root, dir string) error {
	info, err := os.Lstat(filepath.Join(root, dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() == fs.ModeSymlink:
		target, err := os.Readlink(filepath.Join(root, dir))
		if err != nil {
			return err
		}
		sv.links = append(sv.links, hostLink{dir, target})
		return nil
	case !info.IsDir():
		return nil
	}
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if err != nil {
		return err
	}
	var links []hostLink
	for _, e := range entries {
		if e.Type() != fs.ModeSymlink || len(links) == maxLinks {
			source, err := filepath.EvalSymlinks(filepath.Join(root, dir))
			if err != nil {
				return err
			}
			sv.mounts = append(sv.mounts, sandbox.Mount{Source: source, Target: dir})
			return nil
		}
		target, err := os.Readlink(filepath.Join(root, dir, e.Name()))
		if err != nil {
			return err
		}
		links = append(links, hostLink{path.Join(dir, e.Name()), target})
	}
	sv.links = append(sv.links, links...)
	return nil
}

// takeAlternatives adds the links of /etc/alternatives that point into mounted
// folders: on Debian many programs (awk, which, cc) are reached through them.
func (sv *hostSurvey) takeAlternatives(root string) error {
	const dir = "/etc/alternatives"
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(entries) > maxLinks {
		entries = entries[:maxLinks]
	}
	for _, e := range entries {
		if e.Type() != fs.ModeSymlink {
			continue
		}
		target, err := os.Readlink(filepath.Join(root, dir, e.Name()))
		if err != nil {
			return err
		}
		if path.IsAbs(target) && sv.visible(path.Clean(target)) {
			sv.links = append(sv.links, hostLink{path.Join(dir, e.Name()), path.Clean(target)})
		}
	}
	return nil
}

// visible says whether the guest sees the host's path name through a mount,
// directly or through one of the links to a mounted folder.
func (sv *hostSurvey) visible(name string) bool {
	for _, m := range sv.mounts {
		if strings.HasPrefix(name, m.Target+"/") {
			return true
		}
	}
	for _, l := range sv.links {
		rest, ok := strings.CutPrefix(name, l.path+"/")
		if !ok {
			continue
		}
		target := l.target
		if !path.IsAbs(target) {
			target = path.Join(path.Dir(l.path), target)
		}
		for _, m := range sv.mounts {
			if strings.HasPrefix(path.Join(target, rest), m.Target+"/") {
				return true
			}
		}
	}
	return false
}

// checkLibc makes sure that CPython finds its loader and C library in the
// guest, and stamps the survey with them.
func (sv *hostSurvey) checkLibc(root string) error {
	const remedy = "Run Praxis on a Linux distribution with glibc in its usual place, such as Debian, Ubuntu, Fedora or Arch; Alpine (musl) and NixOS have none there."
	loader, ok := loaders[runtime.GOARCH]
	if !ok {
		return fault.New(fault.Unavailable, "Run Praxis on amd64 or arm64.", "cannot use this host: no CPython is embedded for %s", runtime.GOARCH)
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return fmt.Errorf("cannot look at the host: %w", err)
	}
	real, err := resolveIn(realRoot, loader)
	if err != nil {
		return fault.New(fault.Unavailable, remedy, "cannot use this host: it has no %s, the loader of glibc", loader)
	}
	seen := false
	for _, m := range sv.mounts {
		seen = seen || strings.HasPrefix(filepath.Join(realRoot, real), m.Source+"/")
	}
	if !seen {
		return fault.New(fault.Unavailable, remedy, "cannot use this host: the loader of glibc is at %s, which a sandbox does not see", real)
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "loader %s\n", real)
	for _, name := range append([]string{path.Base(real)}, libcParts...) {
		info, err := os.Stat(filepath.Join(realRoot, path.Dir(real), name))
		if err != nil {
			return fault.New(fault.Unavailable, remedy, "cannot use this host: %s is missing beside the loader of glibc", name)
		}
		_, _ = fmt.Fprintf(h, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
	}
	if release, err := bounded.ReadFile(filepath.Join(realRoot, "usr/lib/os-release"), 64<<10); err == nil {
		_, _ = h.Write(release)
	}
	sv.stamp = hex.EncodeToString(h.Sum(nil))
	return nil
}

// resolveIn follows the links of name as a process whose root folder is root
// would, and returns where it ends, as seen from there.
func resolveIn(root, name string) (string, error) {
	const maxHops = 40
	done, rest := "/", strings.TrimPrefix(path.Clean(name), "/")
	for hops := 0; rest != ""; {
		head, tail, _ := strings.Cut(rest, "/")
		next := path.Join(done, head)
		info, err := os.Lstat(filepath.Join(root, next))
		if err != nil {
			return "", err
		}
		rest = tail
		if info.Mode().Type() != fs.ModeSymlink {
			done = next
			continue
		}
		if hops++; hops > maxHops {
			return "", fmt.Errorf("too many links in %s", name)
		}
		target, err := os.Readlink(filepath.Join(root, next))
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) {
			done = "/"
		}
		rest = strings.TrimPrefix(path.Join(target, tail), "/")
		for rest == ".." || strings.HasPrefix(rest, "../") {
			done, rest = path.Dir(done), strings.TrimPrefix(strings.TrimPrefix(rest, ".."), "/")
		}
	}
	return done, nil
}
