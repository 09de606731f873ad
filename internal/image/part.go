package image

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"praxis/internal/atomicfile"
	"praxis/internal/bounded"
)

// The kinds of part; each is a folder of the store.
const (
	kindPython = "python"
	kindPip    = "pip"
	kindRoot   = "root"
	kindLayer  = "layer"
)

const (
	sealFile     = "seal.json"
	manifestFile = "manifest"
	treeDir      = "tree"
	// maxSmallFile bounds the store's own records when they are read back.
	maxSmallFile = 8 << 20
)

// seal is what makes a part valid. It is the last file written into it.
type seal struct {
	Kind     string    `json:"kind"`
	Key      string    `json:"key"`
	Manifest string    `json:"manifest"` // SHA-256 of the manifest
	Content  string    `json:"content"`  // SHA-256 of the manifest's lines but those of bytecode
	Bytes    int64     `json:"bytes"`
	Files    int       `json:"files"`
	Created  time.Time `json:"created"`
}

// part is a built folder of the store.
type part struct {
	dir  string
	seal seal
}

func (p part) tree() string { return filepath.Join(p.dir, treeDir) }

// findPart returns the part if it was built and sealed.
func (s *Store) findPart(kind, key string) (part, bool) {
	p := part{dir: filepath.Join(s.dir, kind, key)}
	data, err := bounded.ReadFile(filepath.Join(p.dir, sealFile), maxSmallFile)
	if err != nil || json.Unmarshal(data, &p.seal) != nil {
		return part{}, false
	}
	if p.seal.Kind != kind || p.seal.Key != key || len(p.seal.Manifest) != 64 || len(p.seal.Content) != 64 {
		return part{}, false
	}
	if st, err := os.Stat(p.tree()); err != nil || !st.IsDir() {
		return part{}, false
	}
	return p, true
}

// makePart returns the part and builds it when it is missing. fill gets a new
// folder and puts the folder "tree" into it, and other files as it likes.
func (s *Store) makePart(ctx context.Context, kind, key string, say progress, fill func(ctx context.Context, dir string) error) (part, error) {
	if p, ok := s.findPart(kind, key); ok {
		return p, nil
	}
	if ctx.Err() != nil {
		return part{}, context.Cause(ctx)
	}
	name := kind + "-" + key
	lock, err := s.lock(ctx, name, say)
	if err != nil {
		return part{}, err
	}
	defer lock.release()
	if p, ok := s.findPart(kind, key); ok {
		return p, nil // another process built it while we waited
	}
	stage, err := s.stage(name)
	if err != nil {
		return part{}, err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	if err := fill(ctx, stage); err != nil {
		return part{}, err
	}
	sl, err := writeManifest(ctx, stage)
	if err != nil {
		return part{}, fmt.Errorf("cannot list the files of %s: %w", kind, err)
	}
	sl.Kind, sl.Key, sl.Created = kind, key, time.Now().UTC().Truncate(time.Second)
	return s.publish(stage, sl)
}

// stage makes the folder in which a part is filled and removes those of
// builders that died. The caller holds the lock of that name, so no one else fills one.
func (s *Store) stage(name string) (string, error) {
	old, err := os.ReadDir(s.tmp())
	if err != nil {
		return "", fmt.Errorf("cannot list unfinished images: %w", err)
	}
	for _, e := range old {
		if !strings.HasPrefix(e.Name(), name+".") {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.tmp(), e.Name())); err != nil {
			return "", fmt.Errorf("cannot remove an unfinished image: %w", err)
		}
	}
	dir, err := os.MkdirTemp(s.tmp(), name+".")
	if err != nil {
		return "", fmt.Errorf("cannot make a folder for the image: %w", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", fmt.Errorf("cannot make a folder for the image: %w", err)
	}
	return dir, nil
}

// publish seals the staged folder and renames it to its place.
func (s *Store) publish(stage string, sl seal) (part, error) {
	data, err := json.MarshalIndent(sl, "", "  ")
	if err != nil {
		return part{}, fmt.Errorf("cannot seal the image: %w", err)
	}
	if err := os.WriteFile(filepath.Join(stage, sealFile), append(data, '\n'), 0o644); err != nil {
		return part{}, fmt.Errorf("cannot seal the image: %w", err)
	}
	if err := os.Chmod(filepath.Join(stage, sealFile), 0o644); err != nil {
		return part{}, fmt.Errorf("cannot seal the image: %w", err)
	}
	// One call for the whole file system: thousands of fsync calls would take minutes on a slow disk.
	if err := syncFilesystem(stage); err != nil {
		return part{}, fmt.Errorf("cannot write the image to the disk: %w", err)
	}
	final := filepath.Join(s.dir, sl.Kind, sl.Key)
	// A folder without a valid seal can stand here only when someone damaged it.
	if _, err := os.Lstat(final); err == nil {
		if err := os.Rename(final, stage+".damaged"); err != nil {
			return part{}, fmt.Errorf("cannot move a damaged image away: %w", err)
		}
		defer func() { _ = os.RemoveAll(stage + ".damaged") }()
	}
	if err := os.Rename(stage, final); err != nil {
		return part{}, fmt.Errorf("cannot put the image in its place: %w", err)
	}
	if err := atomicfile.Sync(filepath.Dir(final)); err != nil {
		return part{}, fmt.Errorf("cannot put the image in its place: %w", err)
	}
	return part{dir: final, seal: sl}, nil
}

// writeManifest lists everything below dir, one line an entry, in the order of the names:
//
//	d MODE "PATH"
//	f MODE SIZE SHA256 "PATH"
//	l "TARGET" "PATH"
func writeManifest(ctx context.Context, dir string) (seal, error) {
	var sl seal
	whole, content := sha256.New(), sha256.New()
	var lines bytes.Buffer
	err := walkManifest(ctx, dir, func(rel, line string, size int64) {
		lines.WriteString(line)
		sl.Bytes += size
		sl.Files++
		if !strings.HasSuffix(rel, ".pyc") {
			_, _ = io.WriteString(content, line)
		}
	})
	if err != nil {
		return seal{}, err
	}
	_, _ = whole.Write(lines.Bytes())
	sl.Manifest = hex.EncodeToString(whole.Sum(nil))
	sl.Content = hex.EncodeToString(content.Sum(nil))
	path := filepath.Join(dir, manifestFile)
	if err := os.WriteFile(path, lines.Bytes(), 0o644); err != nil {
		return seal{}, err
	}
	return sl, os.Chmod(path, 0o644)
}

// walkManifest calls emit with the manifest line of each entry below dir.
// Folders named __pycache__ have no line of their own, so that compiling does
// not change the content.
func walkManifest(ctx context.Context, dir string, emit func(rel, line string, size int64)) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch rel {
		case ".", manifestFile, sealFile:
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := info.Mode()
		bits := mode.Perm()
		if mode&fs.ModeSticky != 0 {
			bits |= 0o1000
		}
		switch mode.Type() {
		case fs.ModeDir:
			if d.Name() != "__pycache__" {
				emit(rel, fmt.Sprintf("d %04o %q\n", bits, rel), 0)
			}
			return nil
		case fs.ModeSymlink:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			emit(rel, fmt.Sprintf("l %q %q\n", target, rel), 0)
			return nil
		case 0:
			sum, size, err := hashFile(path)
			if err != nil {
				return err
			}
			emit(rel, fmt.Sprintf("f %04o %d %s %q\n", bits, size, sum, rel), size)
			return nil
		}
		return fmt.Errorf("%s is neither a file nor a folder nor a link", rel)
	})
}

// verifyPart reads every file of the part again and returns what differs from
// its manifest, at most a handful of lines.
func verifyPart(ctx context.Context, p part) ([]string, error) {
	const maxComplaints = 8
	data, err := bounded.ReadFile(filepath.Join(p.dir, manifestFile), maxSmallFile)
	if err != nil {
		return []string{fmt.Sprintf("the manifest cannot be read: %v", err)}, nil
	}
	sum := sha256.Sum256(data)
	if hex.EncodeToString(sum[:]) != p.seal.Manifest {
		return []string{"the manifest is not the one that was sealed"}, nil
	}
	want := map[string]bool{}
	for sc := bufio.NewScanner(bytes.NewReader(data)); sc.Scan(); {
		want[sc.Text()+"\n"] = true
	}
	var wrong []string
	err = walkManifest(ctx, p.dir, func(rel, line string, _ int64) {
		if want[line] {
			delete(want, line)
		} else if len(wrong) < maxComplaints {
			wrong = append(wrong, fmt.Sprintf("%s was changed or added", rel))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the image: %w", err)
	}
	if len(wrong) == 0 {
		for line := range want {
			if wrong = append(wrong, "missing: "+strings.TrimSpace(line)); len(wrong) == maxComplaints {
				break
			}
		}
	}
	return wrong, nil
}

func hashFile(path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	size, err = io.Copy(h, f)
	if err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// openUp gives everybody the right to read what is below dir, whatever the
// umask was: the sandbox may read it as another user.
func openUp(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		switch {
		case d.IsDir():
			mode = 0o755
		case !d.Type().IsRegular():
			return nil
		default:
			info, err := d.Info()
			if err != nil {
				return err
			}
			if info.Mode()&0o111 != 0 {
				mode = 0o755
			}
		}
		return os.Chmod(path, mode)
	})
}

// writeFile writes a small file whole: temporary name, fsync, rename.
func (s *Store) writeFile(path string, data []byte) error {
	f, err := os.CreateTemp(s.tmp(), "write.")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return atomicfile.Sync(filepath.Dir(path))
}
