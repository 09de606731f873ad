package egress

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// scrubber replaces texts in a stream, wherever its pieces begin and end. It
// holds back only what may become one of the texts.
type scrubber struct {
	src   io.Reader
	pairs []pair // the longest first
	first [256]bool

	in, out []byte
	buf     []byte
	err     error // of src
}

func newScrubber(src io.Reader, pairs []pair) *scrubber {
	s := &scrubber{src: src, pairs: pairs, buf: make([]byte, 32<<10)}
	for _, p := range pairs {
		s.first[p.secret[0]] = true
	}
	return s
}

func (s *scrubber) Read(p []byte) (int, error) {
	for len(s.out) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		n, err := s.src.Read(s.buf)
		s.in, s.err = append(s.in, s.buf[:n]...), err
		s.step()
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	return n, nil
}

// step moves what is decided from in to out, which is empty.
func (s *scrubber) step() {
	s.out = s.out[:0]
	i := 0
	for i < len(s.in) {
		if !s.first[s.in[i]] {
			s.out = append(s.out, s.in[i])
			i++
			continue
		}
		shown, size, wait := s.at(s.in[i:])
		if wait {
			break
		}
		s.out = append(s.out, shown...)
		i += size
	}
	s.in = append(s.in[:0], s.in[i:]...)
}

// at looks at the beginning of b: what to write for how many of its bytes, or
// wait, because it depends on what comes.
func (s *scrubber) at(b []byte) (shown string, size int, wait bool) {
	for _, p := range s.pairs {
		if len(b) < len(p.secret) {
			if s.err == nil && strings.HasPrefix(p.secret, string(b)) {
				return "", 0, true
			}
			continue
		}
		if string(b[:len(p.secret)]) == p.secret {
			return p.shown, len(p.secret), false
		}
	}
	return string(b[:1]), 1, false
}

// scrubbed is a body with a scrubber before it.
type scrubbed struct {
	io.Closer
	*scrubber
}

// scrubHead replaces texts in the head of a response. Trailers, which come after
// all that can be looked at, are left out.
func scrubHead(resp *http.Response, pairs []pair) {
	clean := func(text string) string {
		for _, p := range pairs {
			text = strings.ReplaceAll(text, p.secret, p.shown)
		}
		return text
	}
	resp.Status = clean(resp.Status)
	for name, values := range resp.Header {
		if cleaned := clean(name); cleaned != name {
			delete(resp.Header, name)
			continue
		}
		for i, v := range values {
			values[i] = clean(v)
		}
	}
	resp.Trailer = nil
}

// searcher finds placeholders in a stream that comes in pieces.
type searcher struct {
	texts [][]byte
	keep  int
	tail  []byte
}

// searcher returns one for the placeholders of the vault; nil: there are none.
func (v *vault) searcher() *searcher {
	if len(v.list) == 0 {
		return nil
	}
	s := &searcher{}
	for _, b := range v.list {
		s.texts = append(s.texts, []byte(b.Placeholder))
		s.keep = max(s.keep, len(b.Placeholder)-1)
	}
	return s
}

// found looks at the next piece.
func (s *searcher) found(b []byte) bool {
	s.tail = append(s.tail, b...)
	for _, text := range s.texts {
		if bytes.Contains(s.tail, text) {
			return true
		}
	}
	s.tail = append(s.tail[:0], s.tail[max(0, len(s.tail)-s.keep):]...)
	return false
}
