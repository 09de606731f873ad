package image

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"praxis/internal/bounded"
)

// Layers that were made of the same wheel have its files in common, and so have bases with
// the same layer of a container image: those of the later one are links to those of the
// earlier. Nothing ever writes to them: sandboxes have them read-only, and a guest that could
// write to a file of its own image would be found by the seal of each layer that has it.
//
// A new link changes the inode, and so the identity that seals of the other layers name.
// Their contents are then compared, and they are sealed anew, here and not when somebody
// waits for a session.

// share replaces the files of a part that is being made in dir by links to the same
// files of others. What cannot be linked stays as it is.
func (s *Store) share(ctx context.Context, kind, dir string, others []part, summed sums) error {
	if len(others) == 0 {
		return nil
	}
	known := map[string]string{} // where the file of a line of a manifest lies
	for _, p := range others {
		lines, err := manifestOf(p)
		if err != nil {
			continue // it is damaged, and found to be when it is used
		}
		for line := range strings.Lines(lines) {
			if name, ok := fileOf(line); ok {
				known[line] = filepath.Join(p.dir, name)
			}
		}
	}
	same := map[string]string{} // path → what it is linked to
	err := walkManifest(ctx, filepath.Join(dir, treeDir), "", summed, func(rel, line string, size int64) {
		if size > 0 {
			line = strings.TrimSuffix(line, fmt.Sprintf("%q\n", rel)) + fmt.Sprintf("%q\n", treeDir+"/"+rel)
			if from, ok := known[line]; ok {
				same[rel] = from
			}
		}
	})
	if err != nil {
		return fmt.Errorf("cannot compare files with those of others: %w", err)
	}
	for rel, from := range same {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := linkOver(from, filepath.Join(dir, treeDir, rel)); err != nil {
			return fmt.Errorf("cannot share files with others: %w", err)
		}
	}
	for _, p := range others {
		s.findPart(ctx, kind, p.info.Key) // sealed anew; one that is damaged is built again when it is asked for
	}
	return nil
}

// relatives returns the layers that have a wheel in common with a lock.
func (s *Store) relatives(l lock) (out []part) {
	entries, err := os.ReadDir(filepath.Join(s.dir, kindLayer))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		theirs := map[string]bool{}
		s.neededWheels(e.Name(), theirs)
		if !slices.ContainsFunc(l.Wheels, func(w Wheel) bool { return theirs[w.SHA256] }) {
			continue
		}
		if p, ok := s.describePart(kindLayer, e.Name()); ok && e.Name() != l.key() {
			out = append(out, p)
		}
	}
	return out
}

// manifestOf reads a part's manifest, as it was sealed.
func manifestOf(p part) (string, error) {
	data, err := bounded.ReadFile(filepath.Join(p.dir, manifestFile), maxManifest)
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != p.info.Manifest {
		return "", errors.New("the manifest is not the one that was sealed")
	}
	return string(data), nil
}

// fileOf returns the path that a manifest's line of a regular file names, when it is one
// that needs no quoting.
func fileOf(line string) (name string, ok bool) {
	fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 5)
	if len(fields) != 5 || fields[0] != "f" {
		return "", false
	}
	name = strings.Trim(fields[4], `"`)
	return name, fmt.Sprintf("%q", name) == fields[4] && fs.ValidPath(name) && strings.HasPrefix(name, treeDir+"/")
}

// linkOver puts a link to the file from in the place of path, if they hold the same.
func linkOver(from, path string) error {
	linked := filepath.Join(filepath.Dir(path), ".link-"+rand.Text())
	if os.Link(from, linked) != nil {
		return nil // as many names as a file may have, or a file system without
	}
	same, err := sameFile(linked, path)
	if err == nil && same {
		return os.Rename(linked, path)
	}
	// Theirs was changed since it was listed.
	return errors.Join(err, os.Remove(linked))
}

// sameFile says whether two files hold the same, and are the same kind of file: a symbolic
// link to one that does may lead to something else later.
func sameFile(a, b string) (bool, error) {
	x, errA := os.Lstat(a)
	y, errB := os.Lstat(b)
	if err := errors.Join(errA, errB); err != nil || !x.Mode().IsRegular() || x.Mode() != y.Mode() {
		return false, err
	}
	theirs, _, errA := hashFile(a)
	ours, _, errB := hashFile(b)
	return theirs == ours, errors.Join(errA, errB)
}

// sealAnew compares the layers and bases whose files lost a name when others were removed.
func (s *Store) sealAnew(ctx context.Context) error {
	for _, kind := range []string{kindLayer, kindBase} {
		entries, err := os.ReadDir(filepath.Join(s.dir, kind))
		if err != nil {
			return err
		}
		for _, e := range entries {
			s.findPart(ctx, kind, e.Name())
		}
	}
	return ctx.Err()
}
