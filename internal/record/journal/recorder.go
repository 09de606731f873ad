package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/store"
)

const (
	// checkpointEvery is how many records lie between two checkpoints.
	checkpointEvery = 64
	// syncAfter is how long a record that need not be on disk at once may wait.
	syncAfter = 50 * time.Millisecond
	// maxRecord bounds a record with all of its texts.
	maxRecord = 256 << 20
)

// Recorder records one run. Its methods may be called from several goroutines.
type Recorder struct {
	j    *Journal
	id   string
	log  store.Log
	key  signer
	next event.Sink

	dirty  chan struct{} // holds one when something was written that is not synced
	stop   chan struct{}
	syncer sync.WaitGroup
	row    sync.WaitGroup // of the index: it is being written, at the latest until something must be on disk
	cancel context.CancelCauseFunc

	storing sync.Mutex // of blobs and secrets
	stored  map[string]bool
	red     *redactor
	hide    hidden

	failure atomic.Pointer[failure] // why nothing more is recorded

	mu      sync.Mutex // of the order of records, and what follows
	seq     int64      // of the next record
	head    string     // hash of the last line
	size    int64
	sum     *summarizer
	ended   bool
	closed  bool
	stopped bool
	marked  bool // whoever lists finds the run
	chained bool // the chain of runs names it
}

func newRecorder(j *Journal, id string, log store.Log, key signer, red *redactor, next event.Sink) *Recorder {
	return &Recorder{
		j: j, id: id, log: log, key: key, next: next, red: red, hide: hidden{},
		dirty: make(chan struct{}, 1), stop: make(chan struct{}), stored: map[string]bool{},
		sum: newSummarizer(id),
	}
}

// ID returns the name of the run.
func (r *Recorder) ID() string { return r.id }

// Err returns why nothing more is recorded, or nil.
func (r *Recorder) Err() error {
	if f := r.failure.Load(); f != nil {
		return f.err
	}
	return nil
}

type failure struct{ err error }

// begin writes the first two records and a mark that the row of the index is missing, which
// is written while the run goes on. They are of the time that the run's name says. The run is in the chain of
// runs before it has more records.
func (r *Recorder) begin(ctx context.Context, now time.Time, began event.RunBegan) error {
	if err := r.beginLog(ctx, now, began); err != nil {
		return err
	}
	chained, err := r.j.link(ctx, r.key, linkBegan, r.id, "")
	if err != nil {
		return err
	}
	r.chained = true
	synced := make(chan error, 1)
	go func() { synced <- chained(true) }() // ends by itself: it waits for the disk alone
	err = r.log.Sync()
	if err = errors.Join(err, <-synced); err != nil {
		return err
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	row, text := r.sum.summary(r.seq, r.size, r.head), r.sum.text()
	if r.marked { // whoever lists finds the run, also while its row is written
		ctx := context.WithoutCancel(ctx)
		r.row.Go(func() { _ = r.j.enlist(ctx, row, text) })
		return nil
	}
	return r.j.enlist(ctx, row, text) // without a row it would be in no list
}

// beginLog writes the first two records.
func (r *Recorder) beginLog(ctx context.Context, now time.Time, began event.RunBegan) error {
	first, err := event.Encode(header{Format: formatVersion, Events: event.Version, Run: r.id, Key: r.key.Public, Succession: r.j.keys.succession(r.key.Key)})
	if err != nil {
		return err
	}
	packed, err := r.pack(ctx, began)
	if err != nil {
		return err
	}
	r.marked = r.j.mark(r.id) == nil
	lines := [][]byte{r.chain(now, headerKind, first), r.chain(now, packed.kind, packed.data)}
	if err := r.log.Append(lines...); err != nil {
		return err
	}
	r.sum.add(event.Record{Seq: 1, Time: now, Event: packed.event})
	return nil
}

// start starts the goroutine that syncs.
func (r *Recorder) start(cancel context.CancelCauseFunc) {
	r.cancel = cancel
	r.syncer.Go(r.sync)
}

// sync puts on disk what was written, shortly after it was.
func (r *Recorder) sync() {
	for {
		select {
		case <-r.stop:
			return
		case <-r.dirty:
		}
		timer := time.NewTimer(syncAfter)
		select {
		case <-r.stop:
			timer.Stop()
			return // Close syncs
		case <-timer.C:
		}
		select { // what came meanwhile is synced as well
		case <-r.dirty:
		default:
		}
		if err := r.log.Sync(); err != nil {
			r.fail(err)
		}
	}
}

// Emit records e and passes it on, in one step: others see events in the order
// of the journal. What may only happen once it is recorded is on disk when Emit
// returns.
func (r *Recorder) Emit(e event.Event) {
	if event.Transient(e) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.next.Emit(e)
		return
	}
	packed, err := r.pack(context.Background(), e)
	if err != nil {
		r.fail(err)
	}
	if r.record(e, packed, err == nil) && mustSync(e) {
		if err := r.log.Sync(); err != nil {
			r.fail(err)
		}
		r.row.Wait() // the mark in its place may not outlast a loss of power
	}
	if end, ok := e.(event.RunEnded); ok {
		r.finish(end)
	}
}

// mustSync says whether e announces what must not be done, or said, before it
// is on disk.
func mustSync(e event.Event) bool {
	switch e := e.(type) {
	case event.ToolCalled: // what changes nothing may be forgotten with the power
		return e.Effects != "pure" && e.Effects != "read"
	case event.ModelRequested, event.ApprovalRequested, event.ApprovalGiven, event.AnswerGiven, event.RunEnded:
		return true
	}
	return false
}

// record appends e and passes it on. It says whether it was appended.
func (r *Recorder) record(e event.Event, p packed, ok bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.next.Emit(e)
	end, last := e.(event.RunEnded)
	if !ok || r.ended || r.closed || r.Err() != nil && !last {
		return false
	}
	if last {
		r.ended = true
		if p, ok = r.afterFailure(end, p); !ok {
			return false
		}
	}
	if err := r.append(p, last); err != nil {
		r.fail(err)
		return false
	}
	return true
}

// afterFailure has the last record say what could not be recorded before it. A
// journal that cannot be written at all stays without one.
func (r *Recorder) afterFailure(end event.RunEnded, p packed) (packed, bool) {
	if r.Err() == nil || end.Reason != "" {
		return p, true
	}
	end.Reason = "the rest of the run could not be recorded: " + r.Err().Error()
	again, err := r.pack(context.Background(), end)
	return again, err == nil
}

// append writes one record, and a checkpoint when one is due, in one write.
func (r *Recorder) append(p packed, last bool) error {
	seq, head, size := r.seq, r.head, r.size
	now := r.j.now()
	lines := [][]byte{r.chain(now, p.kind, p.data)}
	if r.seq%checkpointEvery == 0 || last {
		lines = append(lines, r.checkpoint(now))
	}
	if err := r.log.Append(lines...); err != nil {
		r.seq, r.head, r.size = seq, head, size
		return err
	}
	r.sum.add(event.Record{Seq: seq, Time: now, Event: p.event})
	select {
	case r.dirty <- struct{}{}:
	default:
	}
	return nil
}

// chain makes the next line, with its newline.
func (r *Recorder) chain(now time.Time, kind string, data []byte) []byte {
	b := makeLine(r.seq, now, r.head, kind, data)
	r.seq++
	r.head = hashLine(b)
	r.size += int64(len(b)) + 1
	return append(b, '\n')
}

// checkpoint makes the line that signs all lines before it, and itself.
func (r *Recorder) checkpoint(now time.Time) []byte {
	b := signedLine(r.key, r.id, r.seq, now, r.head)
	r.seq++
	r.head = hashLine(b)
	r.size += int64(len(b)) + 1
	return append(b, '\n')
}

// signedLine makes a checkpoint. What is signed is the line up to the signature.
func signedLine(key signer, run string, seq int64, now time.Time, head string) []byte {
	b := appendHead(nil, seq, now, head, checkpointKind)
	b = append(b, `{"key":"`+key.ID+`"`...)
	return append(b, `,"signature":"`+key.signature(checkpointText+run+"\n"+string(b))+`"}}`...)
}

// packed is an event as it stands in the journal.
type packed struct {
	kind  string
	data  []byte
	event event.Event // without secrets where a summary looks
}

// pack makes an event ready to be recorded: without secrets, its long texts
// kept apart.
func (r *Recorder) pack(ctx context.Context, e event.Event) (packed, error) {
	r.storing.Lock()
	defer r.storing.Unlock()
	e = r.hideMarked(e)
	data, err := event.Marshal(e)
	if err != nil {
		return packed{}, err
	}
	if len(data) > maxRecord {
		return packed{}, fault.New(fault.Exhausted, "Let the code print and show less.", "a record of %d bytes is too long", len(data))
	}
	m := mask{text: r.red.inData(data), keys: true}
	if m.text != nil {
		if e, m, err = clean(e, data, m); err != nil {
			return packed{}, err
		}
	}
	out, err := pack(data, m, func(s string) (string, error) { return r.put(ctx, s) })
	if err != nil {
		return packed{}, err
	}
	if len(out) > maxLine-1024 {
		return packed{}, fault.New(fault.Exhausted, "Let the code print and show less.", "a record of %d bytes is too long", len(out))
	}
	return packed{event.Name(e), out, e}, nil
}

// clean returns e without secrets, and the mask that leaves it readable: a
// secret may happen to be the name of a field.
func clean(e event.Event, data []byte, m mask) (event.Event, mask, error) {
	var failed error
	for _, keys := range []bool{true, false} {
		m.keys = keys
		texts := map[string]string{}
		out, err := pack(data, m, func(s string) (string, error) {
			sum := hashLine([]byte(s))
			texts[sum] = s
			return sum, nil
		})
		if err == nil {
			out, err = unpack(out, func(ref blobRef) (string, error) { return texts[ref.sum], nil })
		}
		if err != nil {
			return nil, m, err
		}
		cleaned, err := event.Unmarshal(event.Name(e), out)
		if err == nil {
			return cleaned, m, nil
		}
		failed = err
	}
	return nil, m, fault.New(fault.Invalid, "Take a longer secret: one that is a common word cannot be kept out.",
		"a secret is a word of the journal itself: %w", failed)
}

// put keeps a text apart. What this run has kept already is there.
func (r *Recorder) put(ctx context.Context, s string) (string, error) {
	sum := hashLine([]byte(s))
	if r.stored[sum] {
		return sum, nil
	}
	blob, err := r.j.cfg.Blobs.Put(ctx, strings.NewReader(s))
	if err != nil {
		return "", err
	}
	r.stored[blob.SHA256] = true
	return blob.SHA256, nil
}

// Store keeps a content, without the secrets in it, and returns its SHA-256.
func (r *Recorder) Store(ctx context.Context, content []byte) (string, error) {
	r.storing.Lock()
	defer r.storing.Unlock()
	return r.put(ctx, r.red.text(string(content)))
}

// Keep reads an input to its end and keeps its content. withheld says why it
// does not: because it is too long, or holds a secret, and then there is no sum
// either, since a short content could be guessed from it.
func (r *Recorder) Keep(ctx context.Context, name string, src io.Reader) (sum string, n int64, withheld string, err error) {
	r.storing.Lock()
	in := &input{src: src, hash: sha256.New(), watch: watch{r: r.red}, limit: r.j.cfg.MaxInput}
	r.storing.Unlock()
	blob, err := r.j.cfg.Blobs.Put(ctx, in)
	switch {
	case err == nil:
		sum = blob.SHA256
	case in.withheld() == "":
		return "", 0, "", fmt.Errorf("cannot keep input %s: %w", name, err)
	default:
		// The rest is read for its length, its sum, and secrets.
		in.drain = true
		if _, err := io.Copy(io.Discard, until(ctx, in)); err != nil {
			return "", 0, "", fmt.Errorf("cannot read input %s: %w", name, err)
		}
		sum = hex.EncodeToString(in.hash.Sum(nil))
	}
	if in.watch.name != "" {
		sum = ""
	}
	return sum, in.n, in.withheld(), nil
}

// reading makes a function an io.Reader.
type reading func(p []byte) (int, error)

func (f reading) Read(p []byte) (int, error) { return f(p) }

// until reads r until the caller gives up.
func until(ctx context.Context, r io.Reader) io.Reader {
	return reading(func(p []byte) (int, error) {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		return r.Read(p)
	})
}

var errWithheld = errors.New("the input is not stored")

// input is a content on its way into the store.
type input struct {
	src  io.Reader
	hash interface {
		io.Writer
		Sum([]byte) []byte
	}
	watch watch
	n     int64
	limit int64
	drain bool // it is not kept: read on
}

func (in *input) withheld() string {
	switch {
	case in.watch.name != "":
		return "it holds the secret " + in.watch.name
	case in.n > in.limit:
		return fmt.Sprintf("it is longer than %d bytes", in.limit)
	}
	return ""
}

// Read passes the content on until it is known that it is not to be kept.
func (in *input) Read(p []byte) (int, error) {
	if !in.drain && in.withheld() != "" {
		return 0, errWithheld
	}
	n, err := in.src.Read(p)
	in.n += int64(n)
	in.hash.Write(p[:n])
	in.watch.write(p[:n])
	if !in.drain && in.withheld() != "" {
		return 0, errWithheld
	}
	return n, err
}

// fail ends the recording: the run's context is over, with the cause.
func (r *Recorder) fail(err error) {
	err = fmt.Errorf("cannot record run %s: %w", r.id, err)
	if r.failure.CompareAndSwap(nil, &failure{err}) && r.cancel != nil {
		r.cancel(err)
	}
}

// finish writes into the index how the run ended. That this fails loses nothing: the
// run has a mark, or a row that says that it goes on, which the next run corrects.
func (r *Recorder) finish(end event.RunEnded) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped || r.closed {
		return
	}
	r.stopped = true
	r.row.Wait() // the older one comes first
	s := r.sum.summary(r.seq, r.size, r.head)
	if s.Status == Running {
		// The last record is missing: the row says at least why.
		s.Reason = r.red.text(r.reason(end))
	} else if chained, err := r.j.link(context.Background(), r.key, linkEnded, r.id, r.head); err == nil {
		// Without this entry the run is still missed when it is removed. It comes
		// to the disk with the next run's.
		_ = chained(false)
	}
	_ = r.j.enlist(context.Background(), s, r.sum.text())
}

func (r *Recorder) reason(end event.RunEnded) string {
	if err := r.Err(); err != nil {
		return err.Error()
	}
	return end.Reason
}

// Close ends the recording. A run whose last event was not recorded stays
// "begun, not finished". The error is of what went wrong after the last record:
// the journal itself is whole.
func (r *Recorder) Close() error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	failed := r.Err()
	r.mu.Unlock()
	close(r.stop)
	r.syncer.Wait()
	r.row.Wait()
	var err error
	if failed == nil {
		err = r.log.Sync()
	}
	err = errors.Join(err, r.log.Close())
	r.cancel(nil)
	return err
}
