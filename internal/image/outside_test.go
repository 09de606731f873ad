package image

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunOutside runs the image's interpreter on the host: with the C library of its own
// root file system, its packages, and no longer than it may.
func TestRunOutside(t *testing.T) {
	_, img := sharedStore(t)
	const code = `
import os, sys
with open("/proc/self/maps") as maps:
    print(*{line.split()[-1] for line in maps if "/libc.so" in line})
print(sys.prefix, os.environ["MORE"], sys.argv[1], sys.stdin.read())`
	var out tail
	err := img.RunOutside(t.Context(), Outside{Args: []string{"-c", code, "a b"}, Env: []string{"MORE=1"}, In: strings.NewReader("in"), Out: &out, Err: &out})
	want := filepath.Join(filepath.Dir(img.OutsideCommand()[0]), "libc.so.6") + "\n" + img.outside(guestPython) + " 1 a b in"
	if err != nil || out.String() != want {
		t.Errorf("printed %q, %v; want %q", out.String(), err, want)
	}
	over := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(over)
	if err := img.RunOutside(ctx, Outside{Args: []string{"-c", "while True: pass"}}); !errors.Is(err, over) {
		t.Errorf("ended with %v", err)
	}
}
