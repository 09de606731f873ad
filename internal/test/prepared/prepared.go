// Package prepared gives tests the default image without the seconds that it takes
// to unpack and to compile the interpreter: that is done once, into the cache of
// tests, and copied from there. A test owns its copy: neither another test nor an
// update of the host changes what it works on.
package prepared

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"praxis/event"
	"praxis/internal/image"
	"praxis/internal/programs"
	"praxis/internal/programs/sources"
	"praxis/internal/seal"
	"praxis/internal/test/cache"
)

// parts are the folders of an image store that take long to make.
func parts() []string { return []string{"python", "root"} }

// images is the folder of the image store in a data folder.
const images = "images"

// Images opens the image store of a data folder with the parts in it: to
// resolve the default image takes milliseconds then. The key is that of the folder.
func Images(home string) (*image.Store, *seal.Key, error) {
	if err := Fill(home); err != nil {
		return nil, nil, err
	}
	key, err := seal.OfHome(home)
	if err != nil {
		return nil, nil, err
	}
	s, err := image.Open(filepath.Join(home, images), key)
	return s, key, err
}

// Fill puts the parts of the default image into the image store of a data folder, which need not be
// there, and beside it the key that sealed it.
func Fill(home string) error {
	made, err := store()
	for _, part := range parts() {
		if err == nil {
			err = copyTree(filepath.Join(made, images, part), filepath.Join(home, images, part))
		}
	}
	if err == nil {
		err = copyTree(filepath.Join(made, "keys"), filepath.Join(home, "keys"))
	}
	if err == nil {
		err = os.Chmod(home, 0o700)
	}
	if err != nil {
		return fmt.Errorf("cannot prepare the image: %w", err)
	}
	return nil
}

// DuckDB is what the tests of SQL need of packages, in the versions that they are known to
// pass with.
func DuckDB() []string { return []string{"duckdb==2.0.0", "pandas==3.1.1", "numpy==2.4.6"} }

// Packages returns the folder of an image's packages, which is in the cache of tests: they
// are fetched once. Where they are not there yet, and the package index cannot be reached,
// the error is a fault of the kind Unavailable.
func Packages(ctx context.Context, with ...string) (string, error) {
	s, err := open()
	if err != nil {
		return "", err
	}
	img, err := s.Resolve(ctx, image.Request{With: with}, event.Discard)
	if err = errors.Join(err, s.Close()); err != nil {
		return "", err
	}
	for _, m := range img.Mounts {
		if m.Target == "/opt/packages" {
			return m.Source, nil
		}
	}
	return "", errors.New("the image has no packages")
}

// WithPackages makes an image with packages in a store, of the files that the cache of
// tests has. Errors are those of Packages.
func WithPackages(ctx context.Context, into *image.Store, with ...string) (img image.Image, err error) {
	s, err := open()
	if err != nil {
		return img, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if img, err = s.Resolve(ctx, image.Request{With: with}, event.Discard); err != nil {
		return img, err
	}
	recipe, err := s.Recipe(ctx, img, event.Discard)
	if err != nil {
		return img, err
	}
	for _, sum := range recipe.Files() {
		f, err := s.OpenWheel(sum)
		if err != nil {
			return img, err
		}
		if err := errors.Join(into.AddWheel(sum, f), f.Close()); err != nil {
			return img, err
		}
	}
	return into.Make(ctx, recipe, event.Discard)
}

// open opens the image store of the cache, which has the default image.
func open() (*image.Store, error) {
	made, err := store()
	if err != nil {
		return nil, err
	}
	key, err := seal.OfHome(made)
	if err != nil {
		return nil, err
	}
	return image.Open(filepath.Join(made, images), key)
}

// JavaScript opens the image store of a data folder as Images does, with Node in it, too:
// to resolve an image with JavaScript takes milliseconds then.
func JavaScript(home string) (*image.Store, *seal.Key, error) {
	s, key, err := Images(home)
	if err != nil {
		return nil, nil, err
	}
	if err := Node(home); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("cannot prepare Node: %w", err), s.Close())
	}
	return s, key, nil
}

// Node copies Node from the cache into a data folder, and sees to it that it is there.
func Node(home string) error {
	made, err := store()
	if err != nil {
		return err
	}
	s, err := open()
	if err != nil {
		return err
	}
	_, err = s.Resolve(context.Background(), image.Request{Languages: []string{"javascript"}}, event.Discard)
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	return copyInto(filepath.Join(made, images, "node"), filepath.Join(home, images, "node"))
}

// copyInto copies what lies in a folder into another.
func copyInto(from, to string) error {
	entries, err := os.ReadDir(from)
	for _, e := range entries {
		if err == nil {
			err = copyTree(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
		}
	}
	return err
}

// Programs installs the programs of sandboxes in a data folder. Those that the test
// binary carries must be of the sources as they are.
func Programs(home string, key *seal.Key) (programs.Installed, error) {
	if err := Fresh(); err != nil {
		return programs.Installed{}, err
	}
	return programs.InstallEmbedded(filepath.Join(home, "programs"), key)
}

// Fresh says whether the programs that the test binary carries are of the sources as they
// are.
func Fresh() error {
	const remedy = "run make build first"
	built, err := programs.Sources()
	if err != nil {
		return fmt.Errorf("cannot use the programs of sandboxes: %w: %s", err, remedy)
	}
	root, err := module()
	if err != nil {
		return err
	}
	now, err := sources.Digest(context.Background(), root, runtime.GOARCH, programs.Parts())
	if err != nil {
		return err
	}
	if now != built {
		return errors.New("the programs of sandboxes are older than their sources: " + remedy)
	}
	return nil
}

// store returns a data folder in the cache and sees to it that the default image is
// in it. Several processes may do so at once: one builds.
func store() (string, error) {
	digest, err := imageSources()
	if err != nil {
		return "", err
	}
	dir, err := cache.Dir("home", digest)
	if err != nil {
		return "", err
	}
	key, err := seal.OfHome(dir)
	if err != nil {
		return "", err
	}
	s, err := image.Open(filepath.Join(dir, images), key)
	if err != nil {
		return "", err
	}
	_, err = s.Resolve(context.Background(), image.Request{}, event.Discard)
	return dir, errors.Join(err, s.Close())
}

// imageSources is a digest of what the parts of an image follow from: the
// packages that make it, and the versions of the modules.
func imageSources() (string, error) {
	root, err := module()
	if err != nil {
		return "", err
	}
	names := []string{filepath.Join(root, "go.mod"), filepath.Join(root, "internal", "seal", "seal.go")}
	err = filepath.WalkDir(filepath.Join(root, "internal", "image"), func(name string, d fs.DirEntry, err error) error {
		switch filepath.Ext(name) {
		case ".go", ".py", ".json":
			if !strings.HasSuffix(name, "_test.go") {
				names = append(names, name)
			}
		}
		return err
	})
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		_, _ = fmt.Fprintf(h, "%s %d\n", filepath.Base(name), len(data))
		_, _ = h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// module returns the root of the module praxis: tests run in the folders of
// their packages, those of the module below it too.
func module() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && strings.HasPrefix(string(text), "module praxis\n") {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("there is no go.mod of the product above the working folder")
		}
		dir = up
	}
}

// copyTree copies a folder with its modes and its symbolic links.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return errors.Join(os.MkdirAll(target, 0o755), os.Chmod(target, info.Mode()&(fs.ModePerm|fs.ModeSticky)))
		case d.Type() == fs.ModeSymlink:
			text, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(text, target)
		}
		return copyFile(path, target, info.Mode().Perm())
	})
}

func copyFile(from, to string, mode fs.FileMode) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(mode), out.Close())
}

// AtOnce lets n tests of a package run at the same time, where the command line
// does not say otherwise: each has a sandbox, which waits more than it computes,
// and needs memory. It is called before the tests run.
func AtOnce(n int) error { return flag.Set("test.parallel", strconv.Itoa(n)) }
