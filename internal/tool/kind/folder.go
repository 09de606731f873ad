package kind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"praxis/fault"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
)

// maxFolder bounds what is copied of a server's folder, in bytes and files.
const (
	maxFolder      = 512 << 20
	maxFolderFiles = 100_000
)

// copyFolder puts a folder of the host into the working folder of a session.
// Nothing outside of it is read, also where links lead out.
func copyFolder(ctx context.Context, c *guest.Client, dir string) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("cannot read the server's folder: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := checkFolder(root.FS()); err != nil {
		return err
	}
	return c.CopyFolder(ctx, path.Clean(wire.DefaultWorkdir), root.FS())
}

// checkFolder refuses a folder that is too large to be copied.
func checkFolder(files fs.FS) error {
	left, n := int64(maxFolder), 0
	return fs.WalkDir(files, ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		left -= info.Size()
		if n++; left < 0 || n > maxFolderFiles {
			return fault.New(fault.Exhausted, "Give the server a folder of its own.", "cannot copy the server's folder: it holds more than %d files or %d bytes", maxFolderFiles, maxFolder)
		}
		return nil
	})
}
