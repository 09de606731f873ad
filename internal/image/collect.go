package image

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Collect says which images may be removed.
type Collect struct {
	OlderThan time.Duration // images that were used within stay
	Keep      []string      // IDs of images that are needed, however old
	// Needed says whether something beside images needs the part in a folder: an image
	// stays while all of its parts are. nil: nothing does.
	Needed func(folder string) bool
	DryRun bool // only say what would be removed
}

// Collected says what was removed, or would be.
type Collected struct {
	Images []RemovedImage `json:"images"`
	// Parts are layers, interpreters and root file systems that no image has: what images
	// of other versions had, and packages that sessions were given.
	Parts  []Removed `json:"parts"`
	Wheels []Removed `json:"wheels"` // that no image is made of, and layers of container images
	Cache  int64     `json:"pip_cache_bytes"`
	Bytes  int64     `json:"bytes"`  // of all
	InUse  int       `json:"in_use"` // images that would have been removed but for a sandbox that runs
}

// RemovedImage is an image that is not needed.
type RemovedImage struct {
	Info
	Freed int64  `json:"freed_bytes"` // what no other image has
	Why   string `json:"why"`
	parts map[string]string
}

// Removed is a part or a wheel that is not needed.
type Removed struct {
	ID    string    `json:"id"`
	Kind  string    `json:"kind"`
	Bytes int64     `json:"bytes"`
	Used  time.Time `json:"used"` // made, or changed, last
	Why   string    `json:"why"`  // one clause
}

// Unused begins the Why of an image that was not used for long enough; how long that
// was follows.
const Unused = "it was not used for "

// Collect removes images that nobody used, and then the parts and wheels that no image
// has, and what versions before left of pip's cache. Locks are kept: the same request
// gives the same packages again.
func (s *Store) Collect(ctx context.Context, c Collect) (Collected, error) {
	out := Collected{Images: []RemovedImage{}, Parts: []Removed{}, Wheels: []Removed{}}
	locked, err := s.lockStore(ctx, !c.DryRun, func(string) {})
	if err != nil {
		return out, explainFS("remove images", err)
	}
	defer locked.release()
	if err := s.collect(ctx, c, &out); err != nil {
		return out, explainFS("remove images", err)
	}
	return out, nil
}

// collect is Collect with the store's lock held: exclusively when something is removed,
// so that nobody is about to name a part.
func (s *Store) collect(ctx context.Context, c Collect, out *Collected) error {
	gone := map[string]bool{}
	// With another key nothing is ours, and nothing may go for that.
	records, err := s.readRecords(ctx, s.peekRecord)
	if err != nil {
		return err
	}
	if c.OlderThan >= 0 {
		if err := s.collectImages(ctx, c, gone, out); err != nil {
			return err
		}
	}
	left := needs{s, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, r := range records {
		if !gone[r.ID] {
			left.add(r)
		}
	}
	freed := links{}
	for i, r := range out.Images { // what went with them, the first first
		for kind, key := range r.parts {
			part := filepath.Join(kind, key)
			if left.parts[part] {
				continue
			}
			left.parts[part] = true // it counts once
			size, err := freed.remove(filepath.Join(s.dir, part))
			if err == nil && !c.DryRun {
				err = s.discard(part)
			}
			if err != nil {
				return err
			}
			out.Images[i].Freed += size
		}
		out.Bytes += out.Images[i].Freed
	}
	if err := s.collectParts(left, freed, c.DryRun, out); err != nil {
		return err
	}
	for _, k := range []struct {
		dir, kind string
		needed    map[string]bool
	}{{wheelDir, "wheel", left.wheels}, {blobDir, "container layer", left.blobs}} {
		if err := s.collectFiles(k.dir, k.kind, k.needed, c.DryRun, out); err != nil {
			return err
		}
	}
	if err := s.collectSteps(c.DryRun); err != nil {
		return err
	}
	cache := filepath.Join(s.dir, cacheDir)
	out.Cache, err = freed.remove(cache)
	if err == nil && !c.DryRun {
		err = os.RemoveAll(cache)
	}
	out.Bytes += out.Cache
	if err != nil || c.DryRun || len(out.Images)+len(out.Parts) == 0 {
		return err
	}
	return s.sealAnew(ctx)
}

// collectImages removes the records of images that are not needed, the longest unused first.
func (s *Store) collectImages(ctx context.Context, c Collect, gone map[string]bool, out *Collected) error {
	records, err := s.records(ctx)
	if err != nil {
		return err
	}
	for _, r := range records {
		one := RemovedImage{Info: s.info(r)}
		one.parts = r.parts()
		unused := time.Since(one.Used)
		if unused < c.OlderThan || slices.Contains(c.Keep, r.ID) || c.Needed != nil && s.allNeeded(r, c.Needed) {
			continue
		}
		free, err := s.drop(r, c.DryRun)
		if err != nil {
			return err
		}
		if !free {
			out.InUse++
			continue
		}
		gone[r.ID], one.Why = true, Unused+unused.Round(time.Minute).String()
		out.Images = append(out.Images, one)
	}
	slices.SortFunc(out.Images, func(a, b RemovedImage) int { return cmp.Or(a.Used.Compare(b.Used), cmp.Compare(a.ID, b.ID)) })
	return nil
}

// allNeeded says whether something beside images needs each part of one.
func (s *Store) allNeeded(r record, needed func(folder string) bool) bool {
	for kind, key := range r.parts() {
		if !needed(filepath.Join(s.dir, kind, key)) {
			return false
		}
	}
	return true
}

// needs are the parts and the wheels that images have.
type needs struct {
	s                    *Store
	parts, wheels, blobs map[string]bool
}

func (n needs) add(r record) {
	n.s.neededWheels(r.Layer, n.wheels)
	n.s.neededTarballs(r, n.wheels)
	if r.Base != "" {
		n.s.neededBlobs(r.Base, n.blobs)
	}
	for kind, key := range r.parts() {
		n.parts[filepath.Join(kind, key)] = true
		if kind == kindLayer {
			n.parts[filepath.Join(kindPip, pipKey())] = true
		}
	}
}

// collectParts removes the parts that no image has.
func (s *Store) collectParts(left needs, freed links, dryRun bool, out *Collected) error {
	for _, kind := range []string{kindLayer, kindModules, kindNode, kindBase, kindRoot, kindPip, kindPython} {
		entries, err := os.ReadDir(filepath.Join(s.dir, kind))
		if err != nil {
			return err
		}
		for _, e := range entries {
			part := filepath.Join(kind, e.Name())
			if left.parts[part] {
				continue
			}
			one := Removed{ID: e.Name(), Kind: kind, Why: "no image has it"}
			if st, err := e.Info(); err == nil {
				one.Used = st.ModTime().UTC()
			}
			if one.Bytes, err = freed.remove(filepath.Join(s.dir, part)); err != nil {
				return err
			}
			if !dryRun {
				if err := s.discard(part); err != nil {
					return err
				}
			}
			out.Parts, out.Bytes = append(out.Parts, one), out.Bytes+one.Bytes
		}
	}
	return nil
}

// discard removes a part. It is renamed away first: nobody finds one that is half removed.
func (s *Store) discard(part string) error {
	trash := filepath.Join(s.tmp(), fmt.Sprintf("%s-%s.removed", filepath.Dir(part), filepath.Base(part)))
	err := os.Rename(filepath.Join(s.dir, part), trash)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, os.RemoveAll(trash))
}

// collectFiles removes the wheels, or the layers of container images, that no image is made of.
func (s *Store) collectFiles(dir, kind string, needed map[string]bool, dryRun bool, out *Collected) error {
	entries, err := os.ReadDir(filepath.Join(s.dir, dir))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if needed[e.Name()] {
			continue
		}
		st, err := e.Info()
		if err != nil {
			return err
		}
		if !dryRun {
			if err := os.Remove(filepath.Join(s.dir, dir, e.Name())); err != nil {
				return err
			}
		}
		out.Wheels = append(out.Wheels, Removed{ID: e.Name(), Kind: kind, Bytes: st.Size(), Used: st.ModTime().UTC(), Why: "no image is made of it"})
		out.Bytes += st.Size()
	}
	return nil
}

// links counts the names of files that go: one is free when all of its names are gone.
type links map[uint64]uint64

// remove counts in what lies below a folder that goes, and returns the bytes that are
// free then. What vanishes meanwhile, or was never there, does not count.
func (l links) remove(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		var st unix.Stat_t
		if err == nil && d.Type().IsRegular() {
			if err = unix.Lstat(path, &st); err == nil {
				if l[st.Ino]++; l[st.Ino] >= uint64(st.Nlink) {
					bytes += st.Size
				}
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return bytes, err
}
