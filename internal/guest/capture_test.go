package guest

import (
	"strings"
	"testing"

	"praxis/event"
)

// TestCaptureOfWholeOutput: of output that goes elsewhere, a result keeps the
// beginning and the end within its bound, and how much there was.
func TestCaptureOfWholeOutput(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 700, 999, 1000, 1001, 64 << 10, 1 << 20} {
		for _, piece := range []int{1, 7, 4096, 1 << 20} {
			var k capture
			k.bound(1000)
			text := strings.Repeat("0123456789abcdef", size/16+1)[:size]
			for rest := text; rest != ""; {
				n := min(piece, len(rest))
				k.add(event.Stdout, []byte(rest[:n]))
				rest = rest[n:]
			}
			k.add(event.Stderr, []byte("e"))
			if n := cap(k.ends[event.Stdout]); n > 1000 {
				t.Errorf("%d bytes in pieces of %d: %d bytes of memory", size, piece, n)
			}
			var x event.Execution
			k.into(&x)
			if x.StdoutBytes != int64(size) || x.StderrBytes != 1 || x.Stderr != "e" || x.StderrTruncated {
				t.Fatalf("%d bytes in pieces of %d: got %+v", size, piece, x)
			}
			head, tail, cut := strings.Cut(x.Stdout, "\n… [")
			_, tail, _ = strings.Cut(tail, "] …\n")
			switch {
			case cut != x.StdoutTruncated || size <= 500 && cut || size > 1000 && !cut:
				t.Errorf("%d bytes in pieces of %d: cut is %t, and %t is said", size, piece, cut, x.StdoutTruncated)
			case !cut && x.Stdout != text:
				t.Errorf("%d bytes in pieces of %d: the text is not the same", size, piece)
			case cut && (len(head)+len(tail) > 1000 || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) || len(tail) < 100):
				t.Errorf("%d bytes in pieces of %d: %d and %d are kept", size, piece, len(head), len(tail))
			}
		}
	}
}
