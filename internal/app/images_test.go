package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/session"
)

// fakeStore has two images and writes down what is asked of it.
type fakeStore struct {
	imageStore
	removed, kept []string
}

func (s *fakeStore) Find(_ context.Context, name string) (image.Info, error) {
	switch name {
	case "python", "aaaa":
		return image.Info{ID: "aaaa1111", Name: "python"}, nil
	case "python+numpy":
		return image.Info{ID: "bbbb2222", Name: name}, nil
	}
	return image.Info{}, fault.New(fault.NotFound, "", "cannot find image %q", name)
}

func (s *fakeStore) Remove(_ context.Context, id string) error {
	s.removed = append(s.removed, id)
	return nil
}

func (s *fakeStore) Prune(_ context.Context, _ time.Duration, keep ...string) ([]image.Info, error) {
	s.kept = keep
	return nil, nil
}

type fakeSessions struct {
	all []session.NamedInfo
	err error
}

func (s fakeSessions) ListNamed(context.Context) ([]session.NamedInfo, error) { return s.all, s.err }

func TestKeptImages(t *testing.T) {
	used := image.Image{ID: "aaaa1111"}
	store := &fakeStore{}
	k := &KeptImages{store, fakeSessions{all: []session.NamedInfo{{Name: "work", Image: used}, {Name: "play", Image: used}}}}
	for _, name := range []string{"python", "aaaa"} {
		err := k.Remove(t.Context(), name)
		if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "work, play") || fault.CodeOf(err) != fault.ImageNeeded || fault.DataOf(err)["sessions"] != "work play" {
			t.Errorf("%s: error = %v (%s)", name, err, fault.RemedyOf(err))
		}
	}
	if err := k.Remove(t.Context(), "none"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("none: error = %v", err)
	}
	if err := k.Remove(t.Context(), "python+numpy"); err != nil || !slices.Equal(store.removed, []string{"bbbb2222"}) {
		t.Errorf("removed %q, %v", store.removed, err)
	}
	if _, err := k.Prune(t.Context(), 0); err != nil || !slices.Equal(store.kept, []string{"aaaa1111"}) {
		t.Errorf("kept %q, %v", store.kept, err)
	}
}

// TestKeptImagesUnknown checks that nothing is removed when a session cannot be read.
func TestKeptImagesUnknown(t *testing.T) {
	damaged := errors.New("damaged")
	store := &fakeStore{}
	k := &KeptImages{store, fakeSessions{err: damaged}}
	_, err := k.Prune(t.Context(), 0)
	if removeErr := k.Remove(t.Context(), "python"); !errors.Is(err, damaged) || !errors.Is(removeErr, damaged) || store.removed != nil {
		t.Errorf("errors %v, %v, removed %q", err, removeErr, store.removed)
	}
}
