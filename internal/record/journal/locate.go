package journal

import (
	"bytes"
	"errors"
	"io"
)

// locate finds out which record is not as it was written, when the line l (b)
// does not follow the line before it, which stands at before.
func (c *checker) locate(l line, b []byte, before place) error {
	at, seq := c.at, c.at.seq
	linked := string(l.prev) == c.head
	switch {
	case linked: // and its number is wrong
		return c.damaged(at, "the record was changed: it has the number %d and not %d", l.seq, seq)
	case l.seq < seq:
		return c.damaged(place{l.seq, at.offset}, "record %d stands twice, here for the second time", l.seq)
	case l.seq > seq:
		return c.missing(l, at)
	case seq == 0:
		return c.damaged(at, "the record was changed: the first one follows none, and it names one before it")
	}
	// It has its number, but names another record before it than the one that
	// stands there. If the next one vouches for it, then it is that one which
	// was changed.
	hash := hashLine(b)
	stored := bytes.Clone(b)
	l, _ = c.p.parse(stored)
	next, vouched, err := c.after()
	if err != nil {
		return err
	}
	switch {
	case next && vouched(hash):
		return c.changed(before, seq)
	case next:
		return c.damaged(at, "the record was changed: neither the record before it nor the one after it fits to it")
	case l.kind == checkpointKind:
		if s, problem := c.signed(l, stored); problem == "" && s.valid() {
			return c.changed(before, seq)
		}
		return c.damaged(at, "the record was changed: its signature is wrong, and what it says of the record before it")
	}
	return c.damaged(before, "this record, or what the last record after it says of it, was changed; no signature stands after them")
}

func (c *checker) changed(at place, by int64) error {
	return c.damaged(at, "the record was changed: its hash is not the one that record %d says", by)
}

// after reads the next line. vouched says whether it names a hash as the one
// before it.
func (c *checker) after() (next bool, vouched func(hash string) bool, err error) {
	b, _, whole, err := c.src.next()
	if errors.Is(err, io.EOF) {
		return false, nil, nil
	}
	if err != nil || !whole {
		return false, nil, err
	}
	l, err := c.p.parse(b)
	return true, func(hash string) bool { return err == nil && string(l.prev) == hash }, nil
}

// missing says what became of the record that should stand where l does, a
// later one: it stands further down, or nowhere.
func (c *checker) missing(l line, at place) error {
	seq, found := l.seq, false
	for {
		b, _, whole, err := c.src.next()
		if errors.Is(err, io.EOF) || err == nil && !whole {
			break
		}
		if err != nil {
			return err
		}
		if other, err := c.p.parse(b); err == nil && other.seq == at.seq {
			found = true
			break
		}
	}
	switch {
	case found:
		return c.damaged(at, "records %d and %d are not in their order: the later one stands first", at.seq, seq)
	case seq == at.seq+1:
		return c.damaged(at, "record %d is missing: %d follows here", at.seq, seq)
	}
	return c.damaged(at, "records %d to %d are missing: %d follows here", at.seq, seq-1, seq)
}
