package session

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"praxis/internal/atomicfile"
	"praxis/internal/bounded"
	"praxis/internal/seal"
)

// installProgram copies the executable at path into dir by its build id and
// returns the copy and its key. Guests map the copy for as long as a snapshot
// of them lives, so that it must not change when the original is rebuilt. A copy that
// is not sealed is made again.
func (o *owner) installProgram(dir, path string, seals *seal.Key) (copied, key string, err error) {
	key, err = buildKey(path)
	if err != nil {
		return "", "", fmt.Errorf("cannot identify program: %w", err)
	}
	folder := programFolder(dir, key)
	copied = filepath.Join(folder.Path, programName)
	err = checkProgram(folder, seals)
	if err == nil {
		return copied, key, nil
	}
	if errors.Is(err, seal.ErrBroken) {
		err = o.discard(folder.Path) // ours is at hand
	}
	if err == nil || errors.Is(err, os.ErrNotExist) {
		err = o.copyProgram(folder, path, seals)
	}
	if err != nil {
		return "", "", fmt.Errorf("cannot install program: %w", err)
	}
	return copied, key, nil
}

// copyProgram installs the executable at path as folder says.
func (o *owner) copyProgram(folder seal.Folder, path string, seals *seal.Key) error {
	tmp, err := os.MkdirTemp(filepath.Dir(folder.Path), o.prefix())
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	copied := filepath.Join(tmp, programName)
	if err := copyFile(copied, path, 0o755); err != nil {
		return err
	}
	hash, _, err := hashFile(copied)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(filepath.Join(tmp, folder.Description), []byte(hex.EncodeToString(hash)+"\n")); err != nil {
		return err
	}
	staged := folder
	staged.Path = tmp
	if err := seals.Seal(staged); err != nil {
		return err
	}
	return publish(tmp, folder.Path)
}

// programName is the name of an executable in its folder.
const programName = "praxis"

// programFolder is the folder of a program as seals know it. Its description is the
// SHA-256 of the executable.
func programFolder(dir, key string) seal.Folder {
	return seal.Folder{Path: filepath.Join(dir, key), Kind: "program", Name: key, Description: "sha256"}
}

// checkProgram compares a program with its seal.
func checkProgram(folder seal.Folder, seals *seal.Key) error {
	return seals.Check(folder, func() error {
		hash, _, err := hashFile(filepath.Join(folder.Path, programName))
		if err != nil {
			return err
		}
		want, err := seals.Read(folder)
		if err == nil && string(want) != hex.EncodeToString(hash)+"\n" {
			err = errors.New("the program was changed")
		}
		return err
	})
}

// buildKey names the contents of an executable: by the build id that the Go
// linker derives from them (reading 110 MB at every start would cost more than
// a restore), else by a hash of the file.
func buildKey(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if e, err := elf.NewFile(f); err == nil {
		if s := e.Section(".note.go.buildid"); s != nil {
			if id, err := s.Data(); err == nil && len(id) > 32 {
				h.Write(id)
				st, err := f.Stat()
				if err != nil {
					return "", err
				}
				fmt.Fprintf(h, "%d", st.Size())
				return hex.EncodeToString(h.Sum(nil))[:16], nil
			}
		}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

func copyFile(to, from string, mode os.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	if err := out.Sync(); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// publish renames the finished folder tmp to path and syncs the parent. When
// another process was first, its folder stands and tmp is dropped by the caller.
func publish(tmp, path string) error {
	if err := atomicfile.Sync(tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		if _, e := os.Stat(path); e == nil {
			return nil
		}
		return err
	}
	return atomicfile.Sync(filepath.Dir(path))
}

// keepPrograms is how many builds may lie in the data folder before those that
// nothing refers to are removed: each is as large as the binary.
const keepPrograms = 3

// programAge is how long a build that nothing refers to is left: a process of it
// may be about to make its first template.
const programAge = 24 * time.Hour

// prunePrograms removes templates of other builds and the builds that no
// template and no snapshot needs any more, when there are many.
func (m *Manager) prunePrograms(dir string) error {
	builds, err := os.ReadDir(dir)
	if err != nil || len(builds) <= keepPrograms {
		return err
	}
	old := time.Now().Add(-programAge)
	used := map[string]bool{m.programKey: true}
	for _, s := range []Snapshots{m.templates, m.snapshots} {
		all, err := os.ReadDir(s.dir)
		if err != nil {
			return err
		}
		for _, e := range all {
			// Whether a seal fits does not matter: the key may come back.
			snap, ok := s.peek(e.Name())
			if !ok {
				continue // a lock, or damaged: it cannot be restored
			}
			key := snap.program()
			if snap.Template && key != m.programKey && snap.Created.Before(old) {
				if err := m.owner.discard(snap.dir); err != nil {
					return err
				}
				continue
			}
			used[key] = true
		}
	}
	for _, b := range builds {
		info, err := b.Info()
		if err != nil || used[b.Name()] || !info.ModTime().Before(old) {
			continue
		}
		if err := m.owner.discard(filepath.Join(dir, b.Name())); err != nil {
			return err
		}
	}
	return nil
}

// peek reads a snapshot's description without looking at its seal: it may be anybody's.
func (s Snapshots) peek(name string) (snap Snapshot, ok bool) {
	if !validID(name) {
		return Snapshot{}, false
	}
	dir := filepath.Join(s.dir, name)
	data, err := bounded.ReadFile(filepath.Join(dir, metaFile), maxDescription)
	if err != nil || json.Unmarshal(data, &snap) != nil || snap.Version != metaVersion {
		return Snapshot{}, false
	}
	snap.dir = dir
	return snap, true
}

// program returns the key of the build that the snapshot's guest runs, or "".
func (s Snapshot) program() string {
	for _, mount := range s.Spec.Mounts {
		if mount.Target == filepath.Dir(programPath) {
			return filepath.Base(mount.Source)
		}
	}
	return ""
}
