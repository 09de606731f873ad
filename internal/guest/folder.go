package guest

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"io/fs"

	"praxis/internal/guest/wire"
)

// CopyFolder copies the regular files of a tree into a folder of the session, as
// one archive. Files of the same names are replaced. When it fails, what was copied
// so far stays.
func (c *Client) CopyFolder(ctx context.Context, dir string, files fs.FS) error {
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = w.CloseWithError(pack(files, w)) // never fails; whoever reads gets pack's error
	}()
	err := c.Extract(ctx, wire.Tar, dir, r)
	_ = r.Close() // never fails
	<-done
	return err
}

// pack writes the regular files of a tree as an archive.
func pack(files fs.FS, w io.Writer) error {
	tw := tar.NewWriter(w)
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		return packFile(files, name, tw)
	})
	return errors.Join(err, tw.Close())
}

func packFile(files fs.FS, name string, tw *tar.Writer) (err error) {
	f, err := files.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := tw.WriteHeader(&tar.Header{Name: name, Mode: int64(info.Mode().Perm()), Size: info.Size(), Typeflag: tar.TypeReg, ModTime: info.ModTime()}); err != nil {
		return err
	}
	_, err = io.CopyN(tw, f, info.Size())
	return err
}
