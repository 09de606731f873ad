package image

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
)

// minPrefix is how many digits of an ID name an image.
const minPrefix = 4

// List returns the images of the store, the last used first.
func (s *Store) List(ctx context.Context) ([]Info, error) {
	records, err := s.records(ctx)
	if err != nil {
		return nil, explainFS("list images", err)
	}
	out := make([]Info, 0, len(records))
	for _, r := range records {
		out = append(out, s.info(r))
	}
	slices.SortFunc(out, func(a, b Info) int {
		if c := b.Used.Compare(a.Used); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out, nil
}

// Find returns the image that is named by its ID, the beginning of it, or its name.
func (s *Store) Find(ctx context.Context, idOrName string) (Info, error) {
	r, err := s.pickNamed(ctx, idOrName)
	if err != nil {
		return Info{}, explainFS("find image", err)
	}
	return s.info(r), nil
}

// Remove removes an image, which is named by its ID, the beginning of it, or
// its name, and the parts and locks that no other image needs.
func (s *Store) Remove(ctx context.Context, idOrName string) error {
	locked, err := s.lockStore(ctx, true, func(string) {})
	if err != nil {
		return explainFS("remove image", err)
	}
	defer locked.release()
	r, err := s.pickNamed(ctx, idOrName)
	if err != nil {
		return explainFS("remove image", err)
	}
	gone, err := s.drop(r, false)
	if err != nil {
		return explainFS("remove image", err)
	}
	if !gone {
		return fault.Coded(fault.ImageInUse, fault.Data{"image": r.Names[0]}, "cannot remove image %s: it is in use", r.Names[0])
	}
	if err := errors.Join(s.forget(r), s.collect(ctx, Collect{OlderThan: -1}, &Collected{})); err != nil {
		return explainFS("remove image", err)
	}
	return nil
}

// Verify reads an image's files again and compares them with what was built.
// A difference is a Conflict that names the first files.
func (s *Store) Verify(ctx context.Context, idOrName string) error {
	locked, err := s.lockStore(ctx, false, func(string) {})
	if err != nil {
		return explainFS("verify image", err)
	}
	defer locked.release()
	r, err := s.pickNamed(ctx, idOrName)
	if err != nil {
		return explainFS("verify image", err)
	}
	for kind, key := range r.parts() {
		p, ok := s.describePart(kind, key)
		if !ok {
			return untrusted(r, "its part %s is missing", kind)
		}
		wrong, err := verifyPart(ctx, p)
		if err != nil {
			return explainFS("verify image", err)
		}
		if len(wrong) > 0 {
			return untrusted(r, "in %s: %s", kind, strings.Join(wrong, "; "))
		}
	}
	return nil
}

// Check compares the parts of an image that was made before with their seals, as
// Resolve and Reopen do with what they return. An image that was changed is a Conflict.
func (s *Store) Check(ctx context.Context, img Image) error {
	paths := []string{img.Root}
	for _, m := range img.Mounts {
		paths = append(paths, m.Source)
	}
	for _, path := range paths {
		rel, err := filepath.Rel(s.dir, path)
		elements := strings.Split(rel, string(filepath.Separator))
		if err != nil || len(elements) != 3 || elements[0] == ".." {
			continue // the host's own
		}
		if _, ok := s.findPart(ctx, elements[0], elements[1]); !ok {
			return fault.Coded(fault.ImageDamaged, fault.Data{"image": img.Name}, "cannot trust image %s: its part %s is not as it was sealed", img.Name, elements[0])
		}
	}
	return nil
}

// untrusted says why an image is not what was built.
func untrusted(r record, format string, args ...any) error {
	return fault.Coded(fault.ImageDamaged, fault.Data{"image": r.Names[0]}, "cannot trust image %s: %s", r.Names[0], fmt.Sprintf(format, args...))
}

// parts returns the keys of an image's parts by kind.
func (r record) parts() map[string]string {
	m := map[string]string{kindPython: r.Python, kindRoot: r.Root, kindLayer: r.Layer, kindBase: r.Base, kindNode: r.Node, kindModules: r.Modules}
	maps.DeleteFunc(m, func(_, key string) bool { return key == "" })
	return m
}

// records reads all records. One that is damaged is left out: it is of no use
// to anybody, and its image is built again when it is asked for.
func (s *Store) records(ctx context.Context) ([]record, error) {
	return s.readRecords(ctx, s.readRecord)
}

func (s *Store) readRecords(ctx context.Context, read func(id string) (record, error)) ([]record, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, imageDir))
	if err != nil {
		return nil, err
	}
	var out []record
	for _, e := range entries {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		if r, err := read(id); err == nil {
			out = append(out, r)
		}
	}
	return out, nil
}

// pick finds the one image that is meant.
func (s *Store) pick(ctx context.Context, idOrName string) (record, error) {
	found, err := s.meant(ctx, idOrName)
	if err != nil {
		return record{}, err
	}
	if len(found) > 1 {
		return record{}, ambiguous(idOrName, found)
	}
	return found[0], nil
}

// meant finds the images that an ID, the beginning of one or a name may mean: at
// least one.
func (s *Store) meant(ctx context.Context, idOrName string) ([]record, error) {
	records, err := s.records(ctx)
	if err != nil {
		return nil, err
	}
	var found []record
	for _, r := range records {
		if r.ID == idOrName {
			return []record{r}, nil
		}
		if slices.Contains(r.Names, idOrName) || len(idOrName) >= minPrefix && strings.HasPrefix(r.ID, idOrName) {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		return nil, fault.Coded(fault.ImageMissing, fault.Data{"image": safetext.Clip(redact(idOrName), 80)}, "cannot find image %q", safetext.Clip(redact(idOrName), 80))
	}
	return found, nil
}

func ambiguous(idOrName string, found []record) error {
	ids := make([]string, 0, len(found))
	for _, r := range found {
		ids = append(ids, r.ID)
	}
	return fault.New(fault.Conflict, "Name it by its ID.", "cannot tell which image %q is meant: %s", safetext.Clip(redact(idOrName), 80), strings.Join(ids, ", "))
}

// info measures an image.
func (s *Store) info(r record) Info {
	out := Info{ID: r.ID, Name: r.Names[0], Digest: r.Digest, Packages: r.Packages, Created: r.Created, Used: r.Created}
	if out.Packages == nil {
		out.Packages = []Package{}
	}
	for kind, key := range r.parts() {
		p, ok := s.describePart(kind, key)
		switch {
		case !ok:
		case kind == kindPython, kind == kindNode, kind == kindRoot && r.Base != "":
			out.Shared += p.info.Bytes
		default:
			out.Bytes += p.info.Bytes
		}
	}
	f, err := os.OpenFile(s.leasePath(r.ID), os.O_RDWR, 0)
	if err != nil {
		return out
	}
	if st, err := f.Stat(); err == nil {
		out.Used = st.ModTime().UTC()
	}
	out.InUse = errors.Is(tryLock(f, true), errLocked)
	_ = f.Close()
	return out
}

// drop removes the record and the lease of an image unless it is in use, and says
// whether they are gone, or would be. The record goes first: from then on nobody finds
// the image.
func (s *Store) drop(r record, dryRun bool) (bool, error) {
	f, err := os.OpenFile(s.leasePath(r.ID), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	switch err := tryLock(f, true); {
	case errors.Is(err, errLocked):
		return false, nil
	case err != nil:
		return false, err
	}
	if dryRun {
		return true, nil
	}
	if err := os.Remove(s.recordPath(r.ID)); err != nil {
		return false, err
	}
	return true, os.Remove(s.leasePath(r.ID))
}

// forget removes the locks that led to a removed image's layer.
func (s *Store) forget(r record) error {
	if r.Layer == "" {
		return nil
	}
	dir := filepath.Join(s.dir, requestDir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		key, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		if l, ok := s.findLock(key, r.Python); ok && l.key() == r.Layer {
			errs = append(errs, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}
