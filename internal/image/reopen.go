package image

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"praxis/internal/bounded"
)

// Reopen returns an image that was built before, by its ID, the beginning of
// it, or its name: the very same, where a request might give other versions
// today. Of several builds with the name, such as those before and after an
// update of Praxis, it is the newest that can be used. The image is not removed
// while the store is open. Faults: NotFound, and Conflict when this program would
// make another image of its parts.
func (s *Store) Reopen(ctx context.Context, idOrName string) (Image, error) {
	img, err := s.reopen(ctx, idOrName)
	if err != nil {
		return Image{}, explainFS("find image", err)
	}
	return img, s.lease(img.ID)
}

func (s *Store) reopen(ctx context.Context, idOrName string) (Image, error) {
	locked, err := s.lockStore(ctx, false, func(string) {})
	if err != nil {
		return Image{}, err
	}
	defer locked.release()
	builds, err := s.meant(ctx, idOrName)
	if err != nil {
		return Image{}, err
	}
	if len(builds) > 1 && !slices.ContainsFunc(builds, func(r record) bool { return slices.Contains(r.Names, idOrName) }) {
		return Image{}, ambiguous(idOrName, builds)
	}
	s.newestFirst(builds)
	img, err := s.assembleAgain(ctx, builds[0])
	for _, r := range builds[1:] {
		if err == nil {
			break
		}
		if older, olderErr := s.assembleAgain(ctx, r); olderErr == nil {
			img, err = older, nil
		}
	}
	return img, err
}

// newestFirst sorts builds by when they were made, and used last.
func (s *Store) newestFirst(builds []record) {
	used := map[string]time.Time{}
	for _, r := range builds {
		if st, err := os.Stat(s.leasePath(r.ID)); err == nil {
			used[r.ID] = st.ModTime()
		}
	}
	slices.SortFunc(builds, func(a, b record) int {
		return cmp.Or(b.Created.Compare(a.Created), used[b.ID].Compare(used[a.ID]), strings.Compare(a.ID, b.ID))
	})
}

// findLayerOf returns the layer with a key.
func (s *Store) findLayerOf(ctx context.Context, key string) (*layerPart, bool) {
	p, ok := s.describePart(kindLayer, key)
	if !ok {
		return nil, false
	}
	var l lock
	data, err := bounded.ReadFile(filepath.Join(p.dir, lockFile), maxSmallFile)
	if err != nil || json.Unmarshal(data, &l) != nil || l.key() != key {
		return nil, false
	}
	return s.findLayer(ctx, l)
}
