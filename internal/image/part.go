package image

import (
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
	"praxis/internal/seal"
)

// The kinds of part; each is a folder of the store.
const (
	kindPython = "python"
	kindPip    = "pip"
	kindRoot   = "root"
	kindLayer  = "layer"
	kindBase   = "base"
	kindNode   = "node"
	// kindModules are packages of npm.
	kindModules = "modules"
)

const (
	partFile     = "part.json"
	manifestFile = "manifest"
	treeDir      = "tree"
	// maxSmallFile bounds the store's own records when they are read back, and
	// maxManifest the lists of files: an image may have a million.
	maxSmallFile = 8 << 20
	maxManifest  = 512 << 20
)

// partInfo describes a part. A seal vouches for it and for the part's files.
type partInfo struct {
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
	info partInfo
}

func (p part) tree() string { return filepath.Join(p.dir, treeDir) }

// folder is a part as seals know it.
func (s *Store) folder(kind, key string) seal.Folder {
	return seal.Folder{Path: filepath.Join(s.dir, kind, key), Kind: kind, Name: key, Description: partFile}
}

// describePart returns the part if it was built, and its description is what was
// sealed. Its files are not looked at.
func (s *Store) describePart(kind, key string) (part, bool) {
	f := s.folder(kind, key)
	p := part{dir: f.Path}
	data, err := s.seals.Read(f)
	if err != nil || json.Unmarshal(data, &p.info) != nil {
		return part{}, false
	}
	if p.info.Kind != kind || p.info.Key != key || len(p.info.Manifest) != 64 || len(p.info.Content) != 64 {
		return part{}, false
	}
	if st, err := os.Stat(p.tree()); err != nil || !st.IsDir() {
		return part{}, false
	}
	return p, true
}

// findPart returns the part if it was built, and is as it was sealed.
func (s *Store) findPart(ctx context.Context, kind, key string) (part, bool) {
	p, ok := s.describePart(kind, key)
	if !ok {
		return part{}, false
	}
	err := s.seals.Check(s.folder(kind, key), func() error {
		wrong, err := verifyPart(ctx, p)
		if err == nil && len(wrong) > 0 {
			err = errors.New(strings.Join(wrong, "; "))
		}
		return err
	})
	return p, err == nil
}

// makePart returns the part and builds it when it is missing. fill gets a new
// folder and puts the folder "tree" into it, and other files as it likes.
func (s *Store) makePart(ctx context.Context, kind, key string, say progress, fill func(ctx context.Context, dir string) error) (part, error) {
	return s.makePartOf(ctx, kind, key, say, func(ctx context.Context, dir string) (sums, error) { return nil, fill(ctx, dir) })
}

// sums are the SHA-256 of files that were summed up while they were written, by their
// paths below the tree: they are not read again for the manifest.
type sums map[string]string

// makePartOf is makePart for what knows sums of its files.
func (s *Store) makePartOf(ctx context.Context, kind, key string, say progress, fill func(ctx context.Context, dir string) (sums, error)) (part, error) {
	if p, ok := s.findPart(ctx, kind, key); ok {
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
	if p, ok := s.findPart(ctx, kind, key); ok {
		return p, nil // another process built it while we waited
	}
	if _, err := os.Lstat(filepath.Join(s.dir, kind, key)); err == nil {
		say(kind + " is not as it was sealed, and is built again")
	}
	stage, err := s.stage(name)
	if err != nil {
		return part{}, err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	known, err := fill(ctx, stage)
	if err != nil {
		return part{}, err
	}
	info, err := writeManifest(ctx, stage, known)
	if err != nil {
		return part{}, fmt.Errorf("cannot list the files of %s: %w", kind, err)
	}
	info.Kind, info.Key, info.Created = kind, key, time.Now().UTC().Truncate(time.Second)
	return s.publish(stage, info)
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
func (s *Store) publish(stage string, info partInfo) (part, error) {
	data, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return part{}, fmt.Errorf("cannot seal the image: %w", err)
	}
	if err := atomicfile.WriteFile(filepath.Join(stage, partFile), append(data, '\n')); err != nil {
		return part{}, fmt.Errorf("cannot seal the image: %w", err)
	}
	staged := s.folder(info.Kind, info.Key)
	staged.Path = stage
	if err := s.seals.Seal(staged); err != nil {
		return part{}, fmt.Errorf("cannot seal the image: %w", err)
	}
	// One call for the whole file system: thousands of fsync calls would take minutes on a slow disk.
	if err := syncFilesystem(stage); err != nil {
		return part{}, fmt.Errorf("cannot write the image to the disk: %w", err)
	}
	final := filepath.Join(s.dir, info.Kind, info.Key)
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
	return part{dir: final, info: info}, nil
}

// writeManifest lists everything below dir, one line an entry, in the order of the names:
//
//	d MODE "PATH"
//	f MODE SIZE SHA256 "PATH"
//	l "TARGET" "PATH"
func writeManifest(ctx context.Context, dir string, known sums) (partInfo, error) {
	var out partInfo
	whole, content := sha256.New(), sha256.New()
	var lines bytes.Buffer
	err := walkManifest(ctx, dir, treeDir+"/", known, func(rel, line string, size int64) {
		lines.WriteString(line)
		out.Bytes += size
		out.Files++
		if !strings.HasSuffix(rel, ".pyc") {
			_, _ = io.WriteString(content, line)
		}
	})
	if err != nil {
		return partInfo{}, err
	}
	_, _ = whole.Write(lines.Bytes())
	out.Manifest = hex.EncodeToString(whole.Sum(nil))
	out.Content = hex.EncodeToString(content.Sum(nil))
	path := filepath.Join(dir, manifestFile)
	if err := os.WriteFile(path, lines.Bytes(), 0o644); err != nil {
		return partInfo{}, err
	}
	return out, os.Chmod(path, 0o644)
}

// walkManifest calls emit with the manifest line of each entry below dir.
// Folders named __pycache__ have no line of their own, so that compiling does
// not change the content. Sums that are known are those of files below the folder prefix.
func walkManifest(ctx context.Context, dir, prefix string, known sums, emit func(rel, line string, size int64)) error {
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
		case ".", manifestFile, partFile, seal.FileName:
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
			sum, size := known[strings.TrimPrefix(rel, prefix)], info.Size()
			if sum == "" || !strings.HasPrefix(rel, prefix) {
				if sum, size, err = hashFile(path); err != nil {
					return err
				}
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
	data, err := manifestOf(p)
	if err != nil {
		return []string{fmt.Sprintf("the manifest cannot be read: %v", err)}, nil
	}
	want := map[string]bool{}
	for line := range strings.Lines(data) {
		want[line] = true
	}
	var wrong []string
	err = walkManifest(ctx, p.dir, "", nil, func(rel, line string, _ int64) {
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
