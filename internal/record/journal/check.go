package journal

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"praxis/event"
)

// place is where a record stands.
type place struct {
	seq, offset int64
}

// checker goes through the lines of one journal.
type checker struct {
	want       string           // the run that it must be of; "": any
	torn       bool             // a torn tail is no damage: somebody is writing
	good       func(line) error // is given every record that goes on where the one before stopped; may be nil
	most       int64            // how many bytes the records may come to with their texts; 0: any number
	signatures chan<- signature // takes signatures that are checked meanwhile; nil: they are checked at once
	keys       map[string]ed25519.PublicKey

	p      *parser
	src    *lines
	report Report
	head   string // hash of the line before
	key    string // id of the key that signs now
	ended  bool   // run_ended stands there
	named  []KeyReport
	chains []Succession
	refs   map[string]place // contents that are referred to, by their first record
	sizes  map[string]int64
	at     place
	spent  int64 // bytes of the records with their texts
}

func newChecker(want string) *checker {
	c := &checker{want: want, p: newParser(), keys: map[string]ed25519.PublicKey{}, refs: map[string]place{}, sizes: map[string]int64{}}
	c.p.found = func(ref blobRef) { c.refer(ref.sum, ref.bytes) }
	return c
}

// refer notes that the record which is being checked refers to a content. One
// whose length is not said has the length -1.
func (c *checker) refer(sum string, size int64) {
	if _, ok := c.refs[sum]; !ok {
		c.refs[sum] = c.at
	}
	if n, ok := c.sizes[sum]; !ok || n < 0 {
		c.sizes[sum] = size
	}
}

// errStop ends a check after a damage was found.
var errStop = errors.New("the journal is damaged")

// damaged notes the first damage.
func (c *checker) damaged(at place, format string, args ...any) error {
	if c.report.Damage == nil {
		run := c.report.Run
		if run == "" {
			run = c.want
		}
		c.report.Damage = &Damage{Run: run, Seq: at.seq, Offset: at.offset, Problem: fmt.Sprintf(format, args...)}
	}
	return errStop
}

// check goes through src to its end or to the first damage. The error is one of
// reading, or of good.
func (c *checker) check(ctx context.Context, src io.Reader) error {
	c.src = newLines(src)
	err := c.records(ctx)
	c.report.Blobs = len(c.refs)
	c.report.Keys = c.named
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// records is check without its end.
func (c *checker) records(ctx context.Context) error {
	var before place
	for seq := int64(0); ; seq++ {
		if seq%1024 == 0 {
			if err := context.Cause(ctx); err != nil {
				return err
			}
		}
		b, off, whole, err := c.src.next()
		if errors.Is(err, io.EOF) {
			return c.end(seq, off)
		}
		if err != nil {
			return err
		}
		c.at = place{seq, off}
		if !whole {
			return c.tail(seq, off, b)
		}
		c.p.head = c.head
		l, err := c.p.parse(b)
		if err != nil {
			return c.damaged(c.at, "%v", err)
		}
		if l.seq != seq || string(l.prev) != c.head {
			return c.locate(l, b, before)
		}
		if err := c.record(l, b); err != nil {
			return err
		}
		if c.good != nil {
			if err := c.good(l); err != nil {
				return err
			}
		}
		c.head = hashLine(b)
		c.report.Records = seq + 1
		c.report.Bytes = off + int64(len(b)) + 1
		before = c.at
	}
}

// end is reached when nothing follows.
func (c *checker) end(seq, off int64) error {
	if seq == 0 && !c.torn {
		return c.damaged(place{0, off}, "it is empty: zero bytes")
	}
	return nil
}

// tail looks at what follows the last newline.
func (c *checker) tail(seq, off int64, b []byte) error {
	if c.torn {
		return nil
	}
	if len(b) > maxLine {
		return c.damaged(place{seq, off}, "the record is longer than %d bytes, which none is", maxLine)
	}
	return c.damaged(place{seq, off}, "it is torn: %d bytes of a record without its end stand after the last whole one", len(b))
}

// record checks what a record says that follows the one before it.
func (c *checker) record(l line, b []byte) error {
	first := l.seq == 0
	switch {
	case first != (l.kind == headerKind):
		if first {
			return c.damaged(c.at, "the first record is %s, not %s", l.kind, headerKind)
		}
		return c.damaged(c.at, "a second beginning stands here")
	case c.report.Finished:
		return c.damaged(c.at, "a record stands after the end of the run")
	case c.ended && l.kind != checkpointKind:
		return c.damaged(c.at, "%s stands after run_ended, where only a checkpoint can", l.kind)
	}
	switch l.kind {
	case headerKind:
		return c.header(l)
	case resumedKind:
		return c.resumed(l)
	case checkpointKind:
		return c.checkpoint(l, b)
	case "file_given", "history_condensed", "patch_made":
		return c.contents(l)
	case "run_ended":
		var e struct {
			Status event.RunStatus `json:"status"`
		}
		if err := json.Unmarshal(l.data, &e); err != nil {
			return c.damaged(c.at, "its data is not that of run_ended: %v", err)
		}
		c.ended, c.report.Status = true, e.Status
	}
	return nil
}

// contents notes the contents that an event names outside of its texts.
func (c *checker) contents(l line) error {
	var e struct {
		SHA256   string `json:"sha256"`
		Bytes    int64  `json:"bytes"`
		Withheld any    `json:"withheld"`
		Whole    string `json:"whole"`
	}
	if err := json.Unmarshal(l.data, &e); err != nil {
		return c.damaged(c.at, "its data is not that of %s: %v", l.kind, err)
	}
	switch {
	case l.kind == "history_condensed" && validSum(e.Whole):
		c.refer(e.Whole, -1)
	case (l.kind == "file_given" || l.kind == "patch_made") && e.Withheld == nil && validSum(e.SHA256):
		c.refer(e.SHA256, e.Bytes)
	}
	return nil
}

// strict reads data that a journal of this format can hold in one way only.
func strict(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	again, err := event.Encode(v)
	if err == nil && !bytes.Equal(again, data) {
		err = errors.New("it is not written as a journal writes it")
	}
	return err
}

func (c *checker) header(l line) error {
	var version struct{ Format int }
	if err := json.Unmarshal(l.data, &version); err == nil && version.Format > formatVersion {
		return c.damaged(c.at, "it has the format %d, and this program knows none above %d: a newer version of Praxis can read it", version.Format, formatVersion)
	}
	var h header
	if err := strict(l.data, &h); err != nil || h.Format != formatVersion || h.Events < 1 || !validID(h.Run) {
		return c.damaged(c.at, "it is no beginning of a journal: %s", orElse(err, "a value in it cannot be"))
	}
	c.report.Run = h.Run
	if c.want != "" && h.Run != c.want {
		return c.damaged(c.at, "it is the journal of run %s", h.Run)
	}
	return c.use(h.Key, h.Events, h.Succession)
}

func orElse(err error, text string) string {
	if err != nil {
		return err.Error()
	}
	return text
}

func (c *checker) resumed(l line) error {
	var r resumed
	if err := strict(l.data, &r); err != nil || r.Events < 1 || r.Cut < 0 {
		return c.damaged(c.at, "it is no record of that kind: %s", orElse(err, "a value in it cannot be"))
	}
	return c.use(r.Key, r.Events, r.Succession)
}

// use takes the key that signs from here on.
func (c *checker) use(public string, events int, chain []Succession) error {
	raw, err := parsePublic(public)
	if err != nil {
		return c.damaged(c.at, "%v", err)
	}
	if events > event.Version {
		return c.damaged(c.at, "it has version %d of the events, and this program knows none above %d: a newer version of Praxis can read it", events, event.Version)
	}
	if len(chain) > maxSuccession {
		return c.damaged(c.at, "it names %d keys before its own, more than %d", len(chain), maxSuccession)
	}
	for _, s := range chain {
		if !s.valid() {
			return c.damaged(c.at, "the statement that one key takes another's place was not signed by it")
		}
	}
	c.chains = append(c.chains, chain...)
	k := publicKey(raw)
	if _, ok := c.keys[k.ID]; !ok {
		c.named = append(c.named, KeyReport{ID: k.ID, Public: k.Public})
	}
	c.keys[k.ID], c.key = raw, k.ID
	return nil
}

// checkpoint checks a signature, or has it checked.
func (c *checker) checkpoint(l line, b []byte) error {
	s, problem := c.signed(l, b)
	if problem == "" && c.signatures == nil && !s.valid() {
		problem = wrongSignature
	}
	if problem != "" {
		return c.damaged(c.at, "%s", problem)
	}
	if c.signatures != nil {
		s.text = bytes.Clone(s.text)
		c.signatures <- s
	}
	c.report.Checkpoints++
	c.report.Signed = l.seq + 1
	c.report.Finished = c.ended
	return nil
}

const wrongSignature = "its signature is wrong: it, or what it signs, was changed"

// signature is one that is to be checked.
type signature struct {
	at   place
	run  string
	key  ed25519.PublicKey
	text []byte // the line up to the signature
	sig  []byte
}

func (s signature) valid() bool {
	return ed25519.Verify(s.key, append([]byte(checkpointText+s.run+"\n"), s.text...), s.sig)
}

// signed returns the signature of a checkpoint, or what is wrong with it.
func (c *checker) signed(l line, b []byte) (signature, string) {
	var p checkpoint
	if err := strict(l.data, &p); err != nil {
		return signature{}, "it is no checkpoint: " + err.Error()
	}
	sig, ok := parseSignature(p.Signature)
	if !ok {
		return signature{}, "its signature is none"
	}
	if p.Key != c.key {
		return signature{}, fmt.Sprintf("it is signed with the key %.40q, and the journal names %s", p.Key, c.key)
	}
	return signature{c.at, c.report.Run, c.keys[c.key], b[:len(b)-len(`,"signature":""}}`)-len(p.Signature)], sig}, ""
}

// checkFast is check with a second goroutine for the signatures, which take as
// long as all the rest when records are short.
func (c *checker) checkFast(ctx context.Context, src io.Reader) error {
	signatures := make(chan signature, 16)
	var worker sync.WaitGroup
	var wrong *place
	signedBefore := int64(0)
	worker.Go(func() {
		for s := range signatures {
			switch {
			case wrong != nil:
			case s.valid():
				signedBefore = s.at.seq + 1
			default:
				wrong = &s.at
			}
		}
	})
	c.signatures = signatures
	err := c.check(ctx, src)
	close(signatures)
	worker.Wait()
	c.signatures = nil
	if d := c.report.Damage; err == nil && wrong != nil && (d == nil || d.Offset >= wrong.offset) {
		c.report.Damage, c.report.Finished = nil, false
		c.report.Records, c.report.Bytes, c.report.Signed = wrong.seq, wrong.offset, signedBefore
		return stopped(c.damaged(*wrong, wrongSignature))
	}
	return err
}
