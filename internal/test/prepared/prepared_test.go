package prepared_test

import (
	"testing"

	"praxis/event"
	"praxis/internal/image"
	"praxis/internal/test/prepared"
)

// TestImages compares a copy with what was built: it is whole, and resolving the
// image builds nothing that takes long.
func TestImages(t *testing.T) {
	s, _, err := prepared.Images(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var lines []string
	img, err := s.Resolve(t.Context(), image.Request{}, event.SinkFunc(func(e event.Event) {
		if p, ok := e.(event.Progress); ok {
			lines = append(lines, p.Text)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) > 0 {
		t.Errorf("resolving the image does work: %q", lines)
	}
	if err := s.Verify(t.Context(), img.ID); err != nil {
		t.Error(err)
	}
}
