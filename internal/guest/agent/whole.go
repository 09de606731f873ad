package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// wholeFiles is where the whole output of an execution goes when it was cut:
// files of the session's user in a folder of his.
type wholeFiles struct {
	temp       string // the session's folder for temporary files
	privileged bool
}

const wholeFolder = ".praxis-output"

// wholeFile is the whole output of an execution, bounded by maxWhole.
type wholeFile struct {
	path string
	f    *os.File
	left int
}

// create makes the file of execution n and removes the file of one long ago.
// The folder is the user's, who may have put anything there: nothing is
// followed and nothing that exists is opened.
func (w wholeFiles) create(n int) (*wholeFile, error) {
	var out *wholeFile
	err := asUser(w.privileged, func() error {
		root, err := os.OpenRoot(w.temp)
		if err != nil {
			return err
		}
		defer root.Close()
		if err := root.Mkdir(wholeFolder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if old := n - maxOutputFiles; old > 0 {
			_ = root.Remove(wholeName(old)) // gone already is as good
		}
		name := wholeName(n)
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		out = &wholeFile{path: filepath.Join(w.temp, name), f: f, left: maxWhole}
		return nil
	})
	return out, err
}

func wholeName(n int) string { return filepath.Join(wholeFolder, fmt.Sprintf("%d.out", n)) }

func (w *wholeFile) write(b []byte) error {
	n := min(len(b), w.left)
	w.left -= n
	_, err := w.f.Write(b[:n])
	return err
}

func (w *wholeFile) close() error { return w.f.Close() }
