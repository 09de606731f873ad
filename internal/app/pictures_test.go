package app

import (
	"testing"

	"praxis/event"
)

// TestPicturesSaved checks that a picture is one file: what the code saved is not
// saved again, and what it only claims to have saved is.
func TestPicturesSaved(t *testing.T) {
	picture := func(path string) event.Bundle {
		b := event.Bundle{"text": "<Figure>", "image/png": "iVBORw0KGgo="}
		if path != "" {
			b[event.FileMIME] = path
		}
		return b
	}
	x := event.Execution{
		Displays: []event.Bundle{picture("/work/a.png"), picture("/work/gone.png"), picture("/tmp/b.png"), picture("")},
		Result:   picture("/work/a.png"),
		Changes:  []event.Change{{Path: "/work/a.png", Kind: "created"}, {Path: "/work/gone.png", Kind: "removed"}},
	}
	if got := len(Pictures(x)); got != 3 {
		t.Errorf("%d pictures are to be saved, want 3", got)
	}
}
