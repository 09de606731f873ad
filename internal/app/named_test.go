package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/test/toy"
)

// shelved writes down what is asked of an image store.
type shelved struct {
	toy.Images
	removed, remaining []string
}

// Remove notes what is removed.
func (s *shelved) Remove(_ context.Context, id string) error {
	s.removed = append(s.removed, id)
	return nil
}

// Collect notes what is kept.
func (s *shelved) Collect(_ context.Context, c image.Collect) (image.Collected, error) {
	s.remaining = c.Keep
	return image.Collected{}, nil
}

// TestImagesOfSessions checks that an image stays as long as a named session
// needs it.
func TestImagesOfSessions(t *testing.T) {
	a := toyApp(t, nil)
	images := &shelved{}
	a.opt.Parts.ImageFiles = images
	for _, name := range []string{"work", "play"} {
		s, err := a.OpenSession(t.Context(), SessionSpec{Name: name}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Save(t.Context(), "test")
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	err := a.RemoveImage(t.Context(), "python")
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "play") || !strings.Contains(err.Error(), "work") || fault.RemedyOf(err) == "" {
		t.Errorf("an image that is used: %v (%s)", err, fault.RemedyOf(err))
	}
	if err := a.RemoveImage(t.Context(), "none"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an image that there is not: %v", err)
	}
	used, err := images.Find(t.Context(), "python")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.PruneImages(t.Context(), 0); err != nil || !slices.Equal(images.remaining, []string{used.ID}) {
		t.Errorf("kept %q, %v, want %q", images.remaining, err, used.ID)
	}
	for _, name := range []string{"work", "play"} {
		if err := a.RemoveSession(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.RemoveImage(t.Context(), "python"); err != nil || !slices.Equal(images.removed, []string{used.ID}) {
		t.Errorf("removed %q, %v, want %q", images.removed, err, used.ID)
	}
}
