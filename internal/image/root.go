package image

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"praxis/fault"
	"praxis/internal/image/embedded"
)

// rootRecipe is raised whenever what the root file system is made of changes, and
// neither its list of packages nor what stands below here does.
const rootRecipe = "1"

// skeletonDirs are the folders that belong to nobody else,
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
	{"root", 0o755}, {"opt", 0o755}, {"opt/python", 0o755}, {"opt/packages", 0o755}, {"opt/node", 0o755}, {"node_modules", 0o755},
	{"var", 0o755}, {"var/tmp", 0o777 | os.ModeSticky}, {".praxis", 0o755},
}

// etcFiles are the files of /etc that the packages' scripts would make.
var etcFiles = []struct{ name, text string }{
	{"passwd", "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"},
	{"group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n"},
	{"hosts", "127.0.0.1 localhost praxis\n::1 localhost praxis\n"},
	{"nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n"},
	{"os-release", "NAME=\"Praxis session\"\nPRETTY_NAME=\"Praxis session, of packages of Debian 12\"\nID=praxis\nID_LIKE=debian\nVERSION_ID=\"12\"\n"},
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
var etcLinks = []struct{ name, target string }{
	{"localtime", "/usr/share/zoneinfo/Etc/UTC"},
	{"mtab", "/proc/mounts"},
}

// rootKey is the digest of everything that the root file system is made of.
func rootKey() (string, error) {
	list, err := embedded.RootList()
	if err != nil {
		return "", cannotUnpack(err)
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "root 2 %s\n%s", rootRecipe, list)
	for _, d := range skeletonDirs {
		_, _ = fmt.Fprintf(h, "d %q %o\n", d.path, d.mode)
	}
	for _, f := range etcFiles {
		_, _ = fmt.Fprintf(h, "f %q %q\n", f.name, f.text)
	}
	for _, l := range etcLinks {
		_, _ = fmt.Fprintf(h, "l %q %q\n", l.name, l.target)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// makeRoot returns the root file system.
func (s *Store) makeRoot(ctx context.Context, say progress) (part, error) {
	key, err := rootKey()
	if err != nil {
		return part{}, err
	}
	return s.makePart(ctx, kindRoot, key, say, func(_ context.Context, dir string) error {
		if err := s.needSpace(embedded.RootSpace); err != nil {
			return err
		}
		say("unpacking the root file system (once)")
		tree := filepath.Join(dir, treeDir)
		if err := embedded.Root(tree); err != nil {
			return cannotUnpack(err)
		}
		if err := addSkeleton(tree); err != nil {
			return fmt.Errorf("cannot make the root file system: %w", err)
		}
		return nil
	})
}

// cannotUnpack makes a fault of what the binary was built without.
func cannotUnpack(err error) error {
	if errors.Is(err, embedded.ErrMissing) || errors.Is(err, os.ErrNotExist) {
		return fault.New(fault.Unavailable, "Build Praxis with \"make build\", for amd64 or arm64.", "cannot make an image: %w", err)
	}
	return fmt.Errorf("cannot unpack what the binary carries: %w", err)
}

// addSkeleton adds what is ours to the unpacked packages. Modes are set last and
// explicitly: the umask of whoever builds must not show in the image.
func addSkeleton(tree string) error {
	for _, d := range skeletonDirs {
		if err := os.MkdirAll(filepath.Join(tree, d.path), 0o755); err != nil {
			return err
		}
	}
	for _, l := range etcLinks {
		if err := os.Symlink(l.target, filepath.Join(tree, "etc", l.name)); err != nil {
			return err
		}
	}
	for _, f := range etcFiles {
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
	for _, d := range skeletonDirs {
		if err := os.Chmod(filepath.Join(tree, d.path), d.mode); err != nil {
			return err
		}
	}
	return nil
}
