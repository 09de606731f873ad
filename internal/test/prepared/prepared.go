// Package prepared gives tests the default image without the seconds that it takes
// to unpack and to compile the interpreter: that is done once, into the cache of
// tests, and copied from there. A test owns its copy: neither another test nor an
// update of the host changes what it works on.
package prepared

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"praxis/event"
	"praxis/internal/image"
	"praxis/internal/seal"
	"praxis/internal/test/cache"
)

// Static returns why the test binary cannot be the processes of a sandbox, which it
// is executed as again where there is no dynamic loader: nil when it can.
func Static() (err error) {
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("cannot look at the test binary: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return errors.New("the sandbox needs a static binary: run the tests with CGO_ENABLED=0")
		}
	}
	return nil
}

// interpreter is the folder of an image store that takes long to make.
const interpreter = "python"

// images is the folder of the image store in a data folder.
const images = "images"

// Images opens the image store of a data folder with the interpreter in it: to
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

// Fill puts the interpreter into the image store of a data folder, which need not be
// there, and beside it the key that sealed it.
func Fill(home string) error {
	made, err := store()
	if err == nil {
		err = copyTree(filepath.Join(made, images, interpreter), filepath.Join(home, images, interpreter))
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

// store returns a data folder in the cache and sees to it that the default image is
// in it. Several processes may do so at once: one builds.
func store() (string, error) {
	digest, err := sources()
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

// sources is a digest of what the interpreter in an image follows from: the
// packages that make it, and the versions of the modules.
func sources() (string, error) {
	root, err := module()
	if err != nil {
		return "", err
	}
	names := []string{filepath.Join(root, "go.mod"), filepath.Join(root, "internal", "seal", "seal.go")}
	err = filepath.WalkDir(filepath.Join(root, "internal", "image"), func(name string, d fs.DirEntry, err error) error {
		switch filepath.Ext(name) {
		case ".go", ".py":
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
			return errors.Join(os.MkdirAll(target, 0o755), os.Chmod(target, info.Mode().Perm()))
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
