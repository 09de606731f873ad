package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"praxis/event"
	"praxis/fault"
)

// errEnough says that the reader of the records needs no more.
var errEnough = errors.New("enough was read")

// Records returns the events of a run, in order and with their texts. The chain
// and the signatures are checked on the way; whether a key is known, and what
// the index knows, is for Verify. On damage it returns the events before it, and
// then the error: a *[Damage].
func (j *Journal) Records(ctx context.Context, id string) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		_, err := j.read(ctx, id, func(r event.Record) bool { return yield(r, nil) })
		if err != nil && !errors.Is(err, errEnough) {
			yield(event.Record{}, fmt.Errorf("cannot read run %.40q: %w", id, err))
		}
	}
}

// read calls give with the events of a run until it says no. The checker knows
// what stood there.
func (j *Journal) read(ctx context.Context, id string, give func(event.Record) bool) (*checker, error) {
	c := newChecker(id)
	if !validID(id) {
		return c, noSuch(id)
	}
	var err error
	if c.torn, err = j.writing(ctx, id); err != nil {
		return c, absent(id, err)
	}
	src, err := j.cfg.Logs.Read(ctx, id)
	if err != nil {
		return c, absent(id, err)
	}
	defer src.Close()
	return c, c.events(ctx, src, j.Blob, give)
}

// absent says which run there is none of.
func absent(id string, err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return noSuch(id)
	}
	return err
}

// opener opens a content.
type opener func(ctx context.Context, sum string) (io.ReadCloser, error)

// events calls give with the events that src holds. A record is given when the
// next one vouches for it. A text that is stored apart and cannot be read does not
// end them: [Missing] replaces it, and the error at the end reports the
// first.
func (c *checker) events(ctx context.Context, src io.Reader, open opener, give func(event.Record) bool) error {
	var pending *event.Record
	var where place
	var lost *Damage
	pass := func() error {
		if pending != nil && !give(*pending) {
			return errEnough
		}
		pending = nil
		return nil
	}
	c.good = func(l line) error {
		if err := pass(); err != nil {
			return err
		}
		switch l.kind {
		case headerKind, resumedKind, checkpointKind:
			return nil
		}
		read := texts(ctx, open)
		data, err := unpack(l.data, func(ref blobRef) (string, error) {
			text, err := read(ref)
			if d := c.lacks(err); d != nil {
				if lost == nil {
					lost = d
				}
				return Missing, nil
			}
			return text, err
		})
		if err != nil {
			return c.unreadable(err)
		}
		if c.spent += int64(len(data)); c.most > 0 && c.spent > c.most {
			return refused("its records come to more than %d bytes", c.most)
		}
		e, err := event.Unmarshal(l.kind, data)
		if err != nil {
			return c.damaged(c.at, "%v", err)
		}
		pending, where = &event.Record{Seq: l.seq, Time: l.time, Event: e}, c.at
		return nil
	}
	if err := c.check(ctx, src); err != nil {
		return err
	}
	// The last record has none after it. It is as good as it looks, unless it
	// is the one that is damaged.
	if d := c.report.Damage; d == nil || d.Offset > where.offset {
		if err := pass(); err != nil {
			return err
		}
	}
	switch {
	case lost != nil: // it stands before whatever ended the records
		return lost
	case c.report.Damage != nil:
		return c.report.Damage
	}
	return nil
}

// Missing replaces a text that is stored apart and cannot be read.
const Missing = "[this text is missing: its content is gone, or is another]"

// lacks says which damage it is that a content cannot be had; nil: err is
// something else.
func (c *checker) lacks(err error) *Damage {
	if kind := fault.KindOf(err); err == nil || kind != fault.NotFound && kind != fault.Conflict {
		return nil
	}
	return &Damage{Run: c.report.Run, Seq: c.at.seq, Offset: c.at.offset, Problem: "a content that it refers to cannot be had: " + err.Error()}
}

// unreadable makes of what is wrong with a content a damage of the record that
// refers to it, unless it is something else.
func (c *checker) unreadable(err error) error {
	switch fault.KindOf(err) {
	case fault.Invalid:
		return c.damaged(c.at, "a content that it refers to cannot be had: %v", err)
	}
	return err
}

// texts returns what reads the texts of one record that are kept apart.
func texts(ctx context.Context, open opener) func(blobRef) (string, error) {
	total := int64(0)
	return func(ref blobRef) (string, error) {
		if total += ref.bytes; total > maxRecord || ref.bytes > maxRecord {
			return "", fault.New(fault.Invalid, "", "its texts are longer than %d bytes, which no record's are", maxRecord)
		}
		r, err := open(ctx, ref.sum)
		if err != nil {
			return "", err
		}
		defer r.Close()
		var text strings.Builder
		n, err := io.Copy(&text, io.LimitReader(r, ref.bytes+1))
		if err != nil {
			return "", err
		}
		if n != ref.bytes {
			return "", fault.New(fault.Conflict, "", "content %s does not have the %d bytes that are said", ref.sum, ref.bytes)
		}
		return text.String(), nil
	}
}

// summarize reads a run for the index. On damage it returns what stands before
// it and the error.
func (j *Journal) summarize(ctx context.Context, id string) (Summary, string, error) {
	z := newSummarizer(id)
	c, err := j.read(ctx, id, func(r event.Record) bool { z.add(r); return true })
	s := z.summary(c.report.Records, c.report.Bytes, c.head)
	if s.Status == Running && !c.torn {
		s.Status = Unfinished
	}
	s.Imported = !c.torn && !c.report.signedBy(j.keys.own())
	return s, z.text(), err
}

// Seal returns how the record of a run ends: the hash of its last line and, when that
// is a checkpoint, the key and the signature in it.
func (j *Journal) Seal(ctx context.Context, id string) (hash, key, signature string, err error) {
	src, err := j.cfg.Logs.Read(ctx, id)
	if err != nil {
		return "", "", "", fmt.Errorf("cannot read run %.40q: %w", id, err)
	}
	defer src.Close()
	var last []byte
	for in := newLines(until(ctx, src)); ; {
		b, _, whole, err := in.next()
		if errors.Is(err, io.EOF) || err == nil && !whole {
			break
		}
		if err != nil {
			return "", "", "", fmt.Errorf("cannot read run %.40q: %w", id, err)
		}
		last = append(last[:0], b...)
	}
	if len(last) == 0 {
		return "", "", "", nil
	}
	var p checkpoint
	if l, err := newParser().parse(last); err == nil && l.kind == checkpointKind && strict(l.data, &p) == nil {
		key, signature = p.Key, p.Signature
	}
	return hashLine(last), key, signature, nil
}
