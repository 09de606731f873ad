package image

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// skeletonDirs are the folders of the skeleton that belong to nobody else,
// with the mode each must have whatever the umask is. A guest may run as any
// user, so the folders in which it works are open to all of them: there is
// nobody else in a sandbox.
var skeletonDirs = []struct {
	path string
	mode os.FileMode
}{
	{"proc", 0o755}, {"dev", 0o755}, {"sys", 0o755}, {"sys/fs", 0o755}, {"sys/fs/cgroup", 0o755},
	// gVisor lays a tmpfs without a bound over an empty /tmp; this one counts as disk.
	{"tmp", 0o777 | os.ModeSticky}, {"tmp/.disk", 0o755}, {"run", 0o755}, {"work", 0o777}, {"home", 0o755}, {"home/user", 0o777},
	{"root", 0o755}, {"etc", 0o755}, {"opt", 0o755}, {"opt/python", 0o755}, {"opt/packages", 0o755},
	{"var", 0o755}, {"var/tmp", 0o777 | os.ModeSticky}, {".praxis", 0o755}, {"usr", 0o755}, {"usr/share", 0o755},
}

// etcFiles are the files of /etc, ours and the same on every host.
var etcFiles = []struct{ name, text string }{
	{"passwd", "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"},
	{"group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n"},
	{"hosts", "127.0.0.1 localhost praxis\n::1 localhost praxis\n"},
	{"nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n"},
	{"resolv.conf", ""},
	{"timezone", "Etc/UTC\n"},
	{"fonts/fonts.conf", `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <cachedir>/tmp/fontconfig</cachedir>
</fontconfig>
`},
}

// etcLinks are the links of /etc.
var etcLinks = []hostLink{
	{"/etc/localtime", "/usr/share/zoneinfo/Etc/UTC"},
	{"/etc/mtab", "/proc/mounts"},
	{"/etc/os-release", "/usr/lib/os-release"},
}

// rootKey is the digest of everything that the skeleton is made of.
func rootKey(sv *hostSurvey) string {
	h := sha256.New()
	_, _ = io.WriteString(h, "praxis root 1\n")
	for _, d := range skeletonDirs {
		_, _ = fmt.Fprintf(h, "d %q %o\n", d.path, d.mode)
	}
	for _, f := range etcFiles {
		_, _ = fmt.Fprintf(h, "f %q %q\n", f.name, f.text)
	}
	for _, list := range [][]hostLink{etcLinks, sv.links} {
		for _, l := range list {
			_, _ = fmt.Fprintf(h, "l %q %q\n", l.path, l.target)
		}
	}
	for _, m := range sv.mounts {
		_, _ = fmt.Fprintf(h, "m %q\n", m.Target)
	}
	_, _ = h.Write(sv.cache)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// makeRoot returns the skeleton for this host.
func (s *Store) makeRoot(ctx context.Context, sv *hostSurvey, say progress) (part, error) {
	return s.makePart(ctx, kindRoot, rootKey(sv), say, func(_ context.Context, dir string) error {
		if err := fillRoot(filepath.Join(dir, treeDir), sv); err != nil {
			return fmt.Errorf("cannot make the root folder: %w", err)
		}
		return nil
	})
}

// fillRoot makes the skeleton. Modes are set last and explicitly: the umask of
// whoever builds must not show in the image.
func fillRoot(tree string, sv *hostSurvey) error {
	modes := map[string]os.FileMode{}
	for _, d := range skeletonDirs {
		if err := os.MkdirAll(filepath.Join(tree, d.path), 0o755); err != nil {
			return err
		}
		modes[filepath.Join(tree, d.path)] = d.mode
	}
	for _, m := range sv.mounts {
		if err := os.MkdirAll(filepath.Join(tree, m.Target), 0o755); err != nil {
			return err
		}
	}
	for _, list := range [][]hostLink{etcLinks, sv.links} {
		for _, l := range list {
			name := filepath.Join(tree, l.path)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return err
			}
			if err := os.Symlink(l.target, name); err != nil {
				return err
			}
		}
	}
	files := etcFiles
	if sv.cache != nil {
		files = append(files[:len(files):len(files)], struct{ name, text string }{"ld.so.cache", string(sv.cache)})
	}
	for _, f := range files {
		name := filepath.Join(tree, "etc", f.name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(f.text), 0o644); err != nil {
			return err
		}
	}
	if err := openUp(tree); err != nil {
		return err
	}
	for name, mode := range modes {
		if err := os.Chmod(name, mode); err != nil {
			return err
		}
	}
	return nil
}
