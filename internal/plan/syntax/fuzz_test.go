package syntax_test

import (
	"bytes"
	"testing"

	"praxis/internal/plan/syntax"
)

// FuzzParse checks that no input makes the parser or what reads its trees panic or hang;
// all places lie within the source; the same source gives the same tree.
func FuzzParse(f *testing.F) {
	for _, src := range read(f, "valid.txt") {
		f.Add([]byte(src))
	}
	for _, c := range broken(f) {
		f.Add([]byte(c.src))
	}
	f.Add([]byte("x = '\x80'"))
	f.Fuzz(func(t *testing.T, src []byte) {
		var opts syntax.Options
		m, errs := syntax.Parse(src, opts)
		lines := int32(bytes.Count(src, []byte("\n")) + bytes.Count(src, []byte("\r")) + 1)
		inside := func(p syntax.Pos) bool {
			return p.Line >= 1 && p.Line <= lines+1 && p.Col >= 0 && int(p.Col) <= 3*len(src)+1
		}
		for _, e := range errs {
			if e.Message == "" || e.Kind == "" || !inside(e.Pos) {
				t.Fatalf("%q: bad error %+v", src, e)
			}
		}
		syntax.Walk(m, func(n syntax.Node) bool {
			s := n.Range()
			if _, ok := n.(*syntax.Module); !ok && (!inside(s.Start) || !inside(s.End) || s.End.Before(s.Start)) {
				t.Fatalf("%q: %T at %+v", src, n, s)
			}
			return true
		})
		dump := syntax.Dump(m, true)
		if again, _ := syntax.Parse(src, opts); syntax.Dump(again, true) != dump {
			t.Fatalf("%q: two trees", src)
		}
	})
}
