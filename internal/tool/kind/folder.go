package kind

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"praxis/fault"
)

// maxFolder bounds what is copied of a server's folder, in bytes and files.
const (
	maxFolder      = 512 << 20
	maxFolderFiles = 100_000
)

// tarFolder writes the regular files below a folder as an archive. Nothing
// outside of it is read, also where links lead out.
func tarFolder(dir string, w io.Writer) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("cannot read the server's folder: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	tw := tar.NewWriter(w)
	left, files := int64(maxFolder), 0
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		left -= info.Size()
		if files++; left < 0 || files > maxFolderFiles {
			return fault.New(fault.Exhausted, "Give the server a folder of its own.", "cannot copy the server's folder: it holds more than %d files or %d bytes", maxFolderFiles, maxFolder)
		}
		return tarFile(root, name, info, tw)
	})
	return errors.Join(err, tw.Close())
}

func tarFile(root *os.Root, name string, info fs.FileInfo, tw *tar.Writer) (err error) {
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := tw.WriteHeader(&tar.Header{Name: name, Mode: int64(info.Mode().Perm()), Size: info.Size(), Typeflag: tar.TypeReg, ModTime: info.ModTime()}); err != nil {
		return err
	}
	_, err = io.CopyN(tw, f, info.Size())
	return err
}
