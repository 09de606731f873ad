package oci

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"praxis/internal/bounded"
)

// Find returns where a path leads, as a program in the image would find it. A file that
// is not there is fs.ErrNotExist.
func (u *Unpacker) Find(name string) (string, fs.FileInfo, error) {
	for range maxHops {
		dir, err := u.folder(path.Dir(name), false)
		if err != nil {
			return "", nil, err
		}
		name = path.Join(dir, path.Base(name))
		st, err := u.root.Lstat(name)
		if err != nil || st.Mode().Type() != fs.ModeSymlink {
			return name, st, err
		}
		target, err := u.root.Readlink(name)
		if err != nil {
			return "", nil, err
		}
		if strings.HasPrefix(target, "/") {
			name = strings.TrimLeft(target, "/")
		} else {
			name = dir + "/" + target // the folder of ".." is looked up, and not its name
		}
		if name == "" {
			name = "."
		}
	}
	return "", nil, damaged("a path leads through more than %d symbolic links", maxHops)
}

// Read reads the beginning of a regular file, at most so many bytes. The path is one that
// Find returned.
func (u *Unpacker) Read(name string, most int64) ([]byte, error) {
	f, err := u.root.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := bounded.ReadClose(f, most)
	var long *bounded.TooLong
	if errors.As(err, &long) {
		return nil, damaged("%s is larger than it should be", name)
	}
	return data, err
}

// List returns the names in a folder that Find returned.
func (u *Unpacker) List(dir string) ([]string, error) {
	f, err := u.root.Open(dir)
	if err != nil {
		return nil, err
	}
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, errors.Join(err, f.Close())
}

// Put writes a file of ours in the place of what is there. The folder above is looked up
// as in the image, and made.
func (u *Unpacker) Put(name string, data []byte) error {
	dir, err := u.folder(path.Dir(name), true)
	if err != nil {
		return err
	}
	name = path.Join(dir, path.Base(name))
	clear(u.found)
	delete(u.sums, name)
	if err := u.root.RemoveAll(name); err != nil {
		return err
	}
	return errors.Join(u.root.WriteFile(name, data, 0o644), u.root.Chmod(name, 0o644))
}

// Folder makes a path a real folder with a mode. A symbolic link on the way changes
// places with the folder that it leads to, unless that is one of those that keep theirs:
// then it goes.
func (u *Unpacker) Folder(name string, mode fs.FileMode, keep []string) error {
	at := "."
	for c := range strings.SplitSeq(name, "/") {
		at = path.Join(at, c)
		st, err := u.root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = u.make(at)
		case err != nil:
		case st.IsDir():
		case st.Mode().Type() == fs.ModeSymlink:
			err = u.swap(at, keep)
		default:
			if err = u.root.Remove(at); err == nil {
				err = u.make(at)
			}
		}
		if err != nil {
			return err
		}
	}
	return u.root.Chmod(at, mode)
}

func (u *Unpacker) make(dir string) error {
	return errors.Join(u.root.Mkdir(dir, 0o755), u.root.Chmod(dir, 0o755))
}

// swap puts the folder that a symbolic link leads to in its place, and a link to there in
// the place of the folder.
func (u *Unpacker) swap(link string, keep []string) error {
	target, st, err := u.Find(link)
	clear(u.found)
	if err := u.root.Remove(link); err != nil {
		return err
	}
	ours := func(k string) bool { return k == target || strings.HasPrefix(k, target+"/") }
	if err != nil || !st.IsDir() || target == "." || strings.HasPrefix(link, target+"/") || slices.ContainsFunc(keep, ours) {
		return u.make(link)
	}
	clear(u.sums) // paths are others now
	return errors.Join(u.root.Rename(target, link), u.root.Symlink("/"+link, target))
}

// Head reads the first bytes of a regular file, at most n.
func (u *Unpacker) Head(name string, n int) ([]byte, error) { return u.Piece(name, 0, n) }

// Piece reads bytes of a regular file from an offset on, at most n.
func (u *Unpacker) Piece(name string, offset int64, n int) ([]byte, error) {
	f, err := u.root.Open(name)
	if err != nil {
		return nil, err
	}
	piece := make([]byte, n)
	read, err := f.ReadAt(piece, offset)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return piece[:read], errors.Join(err, f.Close())
}
