package observe

import (
	"strings"
	"testing"
)

func TestParseSpan(t *testing.T) {
	const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	s := ParseSpan(good)
	if s.IsZero() || s.Trace[0] != 0x0a || s.ID[7] != 0x31 || s.Decision != Recorded {
		t.Fatalf("got %x", s)
	}
	child := s.Child()
	if child.Trace != s.Trace || child.ID == s.ID || child.Decision != Recorded {
		t.Errorf("the child of %x is %x", s, child)
	}
	if later := ParseSpan("01" + good[2:] + "-x"); later != s {
		t.Errorf("a later version is read as %x", later)
	}
	if s := ParseSpan(good[:len(good)-1] + "0"); s.Decision != Unrecorded {
		t.Errorf("got %x, which is to be recorded", s)
	}
	for _, bad := range []string{"", "00", good + "-x", good[:len(good)-1], strings.ToUpper(good), "ff" + good[2:], "00-00000000000000000000000000000000-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01"} {
		if s := ParseSpan(bad); !s.IsZero() {
			t.Errorf("%q is read as %x", bad, s)
		}
	}
}

func FuzzParseSpan(f *testing.F) {
	f.Add("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	f.Fuzz(func(t *testing.T, header string) {
		if s := ParseSpan(header); !s.IsZero() && (s.Trace == [16]byte{} || s.ID == [8]byte{}) {
			t.Fatalf("%q is half a span", header)
		}
	})
}
