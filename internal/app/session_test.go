package app

import (
	"context"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/image"
	"praxis/internal/session"
)

// shelf is the images that were built, by name.
type shelf map[string]string

// Lookup finds an image.
func (s shelf) Lookup(_ context.Context, r image.Request) (image.Image, error) {
	name, err := r.Name()
	if err != nil {
		return image.Image{}, err
	}
	id, ok := s[name]
	if !ok {
		return image.Image{}, fault.New(fault.NotFound, "", "cannot find image %s", name)
	}
	return image.Image{ID: id, Name: name}, nil
}

// TestHasOwn checks that a program whose packages a session lacks is refused by their
// names, and not by that of an image that nobody asked for.
func TestHasOwn(t *testing.T) {
	info := session.NamedInfo{Name: "a", Image: image.Image{ID: "1", Name: "python+numpy+pandas", Packages: []image.Package{{Name: "numpy"}, {Name: "pandas"}}}}
	if err := hasOwn(info, []string{"NumPy"}); err != nil {
		t.Errorf("it has numpy: %v", err)
	}
	err := hasOwn(info, []string{"pandas", "polars", "numpy>=9"})
	if want := "cannot run the code in session a: its block of metadata asks for polars, numpy>=9, and"; fault.KindOf(err) != fault.Conflict || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	if err := hasOwn(info, []string{"/etc/passwd"}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("took a path: %v", err)
	}
}

// TestFits checks that what a named session cannot take on is refused before
// anything is built for it, as a mistake of the command line.
func TestFits(t *testing.T) {
	seed, other := int64(7), int64(8)
	more := event.Limits{Memory: 2 * event.DefaultLimits().Memory}
	info := session.NamedInfo{Name: "a", Image: image.Image{ID: "1", Name: "python+numpy"}, Limits: event.Limits{}.WithDefaults(), Seed: &seed}
	for _, c := range []struct {
		name  string
		o     SessionSpec
		built shelf
		want  string // "": it fits
	}{
		{"nothing said", SessionSpec{}, nil, ""},
		{"the same image", SessionSpec{With: []string{"NumPy"}}, shelf{"python+numpy": "1"}, ""},
		{"the same image under another name", SessionSpec{With: []string{"numpy>=2"}}, shelf{"python+numpy>=2": "1"}, ""},
		{"the same image, to be built again", SessionSpec{With: []string{"numpy"}}, nil, ""},
		{"another build", SessionSpec{With: []string{"numpy"}}, shelf{"python+numpy": "2"}, "another build of image python+numpy"},
		{"another image", SessionSpec{With: []string{"pandas"}}, shelf{"python+pandas": "2"}, "it runs image python+numpy, not python+pandas"},
		{"another image that was not built", SessionSpec{With: []string{"pandas"}}, nil, "it runs image python+numpy, not python+pandas"},
		{"no package at all", SessionSpec{With: []string{"/etc/passwd"}}, nil, "cannot read requirement"},
		{"other limits", SessionSpec{Limits: more}, nil, "its limits were set"},
		{"the same seed", SessionSpec{Seed: &seed}, nil, ""},
		{"another seed", SessionSpec{Seed: &other}, nil, "its seed was set"},
		{"another date", SessionSpec{Date: time.Unix(1, 0)}, nil, "its date was set"},
	} {
		err := c.o.fits(t.Context(), info, c.built.Lookup)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: error = %v", c.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || fault.CodeOf(err) != fault.SessionDiffers && fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: error = %v, want %q as the caller's own choice", c.name, err, c.want)
		}
		if fault.RemedyOf(err) == "" {
			t.Errorf("%s: no remedy", c.name)
		}
	}
}

// TestSeedOfOld refuses to repeat a run whose seed fixed less than one does now.
func TestSeedOfOld(t *testing.T) {
	seed := int64(7)
	_, err := (&App{}).openAgain(t.Context(), event.SessionBegan{Seed: &seed}, ImageSpec{}, event.Discard)
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "a seed left clocks") {
		t.Errorf("%v", err)
	}
}
