package cli

import (
	"context"
	"strings"
	"testing"

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

// TestFits checks that what a named session cannot take on is refused before
// anything is built for it, as a mistake of the command line.
func TestFits(t *testing.T) {
	seed, other := int64(7), int64(8)
	keep := func(l event.Limits) event.Limits { return l }
	more := func(l event.Limits) event.Limits {
		l.Memory *= 2
		return l
	}
	info := session.NamedInfo{Name: "a", Image: image.Image{ID: "1", Name: "python+numpy"}, Limits: event.Limits{}.WithDefaults(), Seed: &seed}
	for _, c := range []struct {
		name  string
		o     sessionOptions
		built shelf
		want  string // "": it fits
	}{
		{"nothing said", sessionOptions{limits: keep}, nil, ""},
		{"the same image", sessionOptions{limits: keep, with: []string{"NumPy"}}, shelf{"python+numpy": "1"}, ""},
		{"the same image under another name", sessionOptions{limits: keep, with: []string{"numpy>=2"}}, shelf{"python+numpy>=2": "1"}, ""},
		{"the same image, to be built again", sessionOptions{limits: keep, with: []string{"numpy"}}, nil, ""},
		{"another build", sessionOptions{limits: keep, with: []string{"numpy"}}, shelf{"python+numpy": "2"}, "another build of image python+numpy"},
		{"another image", sessionOptions{limits: keep, with: []string{"pandas"}}, shelf{"python+pandas": "2"}, "it runs image python+numpy, not python+pandas"},
		{"another image that was not built", sessionOptions{limits: keep, with: []string{"pandas"}}, nil, "it runs image python+numpy, not python+pandas"},
		{"no package at all", sessionOptions{limits: keep, with: []string{"/etc/passwd"}}, nil, "cannot read requirement"},
		{"other limits", sessionOptions{limits: more}, nil, "its limits were set"},
		{"the same seed", sessionOptions{limits: keep, seed: &seed}, nil, ""},
		{"another seed", sessionOptions{limits: keep, seed: &other}, nil, "its seed was set"},
	} {
		err := c.o.fits(t.Context(), info, c.built)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: error = %v", c.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || errorCode(err) != exitUsage {
			t.Errorf("%s: error = %v (exit code %d), want %q and %d", c.name, err, errorCode(err), c.want, exitUsage)
		}
		if fault.RemedyOf(err) == "" {
			t.Errorf("%s: no remedy", c.name)
		}
	}
}
