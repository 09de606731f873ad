package journal

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/store"
)

// disk is a store in memory that fails when a test says so.
type disk struct {
	mu     sync.Mutex
	logs   map[string]*bytes.Buffer
	locked map[string]bool
	blobs  map[string][]byte
	times  map[string]time.Time
	left   int // operations that still succeed; -1: all
	syncs  int
	synced map[string]int // bytes of a log that are on disk
}

func newDisk() *disk {
	return &disk{logs: map[string]*bytes.Buffer{}, locked: map[string]bool{}, blobs: map[string][]byte{},
		times: map[string]time.Time{}, left: -1, synced: map[string]int{}}
}

// allow has n more operations succeed; -1: all.
func (d *disk) allow(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = n
}

// spend fails when the disk is full. The caller has the lock.
func (d *disk) spend() error {
	if d.left == 0 {
		return fault.New(fault.Exhausted, "Free space on the disk.", "cannot write: %w", syscall.ENOSPC)
	}
	if d.left > 0 {
		d.left--
	}
	return nil
}

type memLogs struct{ *disk }

func (m memLogs) Create(_ context.Context, name string) (store.Log, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.logs[name] != nil {
		return nil, fault.New(fault.Conflict, "", "it exists")
	}
	if err := m.spend(); err != nil {
		return nil, err
	}
	m.logs[name], m.locked[name] = &bytes.Buffer{}, true
	return &memLog{d: m.disk, name: name}, nil
}

func (m memLogs) Reopen(_ context.Context, name string) (store.Log, int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.logs[name]
	switch {
	case b == nil:
		return nil, 0, fault.New(fault.NotFound, "", "there is none")
	case m.locked[name]:
		return nil, 0, fault.New(fault.Conflict, "", "it is open")
	}
	cut := b.Len() - bytes.LastIndexByte(b.Bytes(), '\n') - 1
	b.Truncate(b.Len() - cut)
	m.locked[name] = true
	return &memLog{d: m.disk, name: name}, int64(cut), nil
}

func (m memLogs) Read(_ context.Context, name string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.logs[name]
	if b == nil {
		return nil, fault.New(fault.NotFound, "", "there is none")
	}
	return io.NopCloser(bytes.NewReader(bytes.Clone(b.Bytes()))), nil
}

func (m memLogs) Names(context.Context) iter.Seq2[string, error] {
	m.mu.Lock()
	names := slices.Sorted(maps.Keys(m.logs))
	m.mu.Unlock()
	return func(yield func(string, error) bool) {
		for _, n := range names {
			if !yield(n, nil) {
				return
			}
		}
	}
}

func (m memLogs) Remove(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.logs[name] == nil:
		return fault.New(fault.NotFound, "", "there is none")
	case m.locked[name]:
		return fault.New(fault.Conflict, "", "it is open")
	}
	delete(m.logs, name)
	return nil
}

func (m memLogs) Writing(_ context.Context, name string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.logs[name] == nil {
		return false, fault.New(fault.NotFound, "", "there is none")
	}
	return m.locked[name], nil
}

type memLog struct {
	d    *disk
	name string
}

func (l *memLog) Append(lines ...[]byte) error {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	if err := l.d.spend(); err != nil {
		return err
	}
	for _, b := range lines {
		if bytes.IndexByte(b, '\n') != len(b)-1 {
			return fmt.Errorf("not a line: %q", b)
		}
		l.d.logs[l.name].Write(b)
	}
	return nil
}

func (l *memLog) Sync() error {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	if err := l.d.spend(); err != nil {
		return err
	}
	l.d.syncs++
	l.d.synced[l.name] = l.d.logs[l.name].Len()
	return nil
}

func (l *memLog) Close() error {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	l.d.locked[l.name] = false
	return nil
}

type memBlobs struct{ *disk }

func (m memBlobs) Put(_ context.Context, r io.Reader) (store.Blob, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return store.Blob{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.spend(); err != nil {
		return store.Blob{}, err
	}
	h := sha256.Sum256(data)
	sum := hex.EncodeToString(h[:])
	m.blobs[sum], m.times[sum] = data, time.Now()
	return store.Blob{SHA256: sum, Bytes: int64(len(data))}, nil
}

func (m memBlobs) Open(_ context.Context, sum string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.blobs[sum]
	if !ok {
		return nil, fault.New(fault.NotFound, "", "there is none")
	}
	h := sha256.Sum256(data)
	if hex.EncodeToString(h[:]) != sum {
		return io.NopCloser(io.MultiReader(bytes.NewReader(data), reading(func([]byte) (int, error) {
			return 0, fault.New(fault.Conflict, "", "content %s is damaged", sum)
		}))), nil
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (m memBlobs) All(context.Context) iter.Seq2[store.Blob, error] {
	return func(yield func(store.Blob, error) bool) {
		m.mu.Lock()
		var all []store.Blob
		for _, sum := range slices.Sorted(maps.Keys(m.blobs)) {
			all = append(all, store.Blob{SHA256: sum, Bytes: int64(len(m.blobs[sum])), Stored: m.times[sum]})
		}
		m.mu.Unlock()
		for _, b := range all {
			if !yield(b, nil) {
				return
			}
		}
	}
}

func (m memBlobs) Remove(_ context.Context, sum string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.blobs, sum)
	return nil
}

// RemoveUnused removes a blob: those in memory know no time.
func (m memBlobs) RemoveUnused(ctx context.Context, sum string, _ time.Time) (bool, error) {
	return true, m.Remove(ctx, sum)
}

// memIndex is an index in memory.
type memIndex struct {
	mu     sync.Mutex
	docs   map[string]store.Doc
	broken error  // what every Put returns
	before func() // called once, before the next Put
}

func newMemIndex() *memIndex { return &memIndex{docs: map[string]store.Doc{}} }

func (m *memIndex) Put(_ context.Context, docs ...store.Doc) error {
	m.mu.Lock()
	before := m.before
	m.before = nil
	m.mu.Unlock()
	if before != nil {
		before()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken != nil {
		return m.broken
	}
	for _, d := range docs {
		if d.Gone {
			delete(m.docs, d.Kind+"/"+d.ID)
		} else if m.docs[d.Kind+"/"+d.ID].Version <= d.Version {
			m.docs[d.Kind+"/"+d.ID] = d
		}
	}
	return nil
}

func (m *memIndex) Get(_ context.Context, kind, id string) (store.Doc, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, ok := m.docs[kind+"/"+id]
	if !ok {
		return d, fault.New(fault.NotFound, "", "there is none")
	}
	return d, nil
}

func (m *memIndex) Find(_ context.Context, q store.Query) ([]store.Doc, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	down := func(a, b store.Doc) int {
		return cmp.Or(cmp.Compare(b.Order, a.Order), strings.Compare(b.ID, a.ID))
	}
	var out []store.Doc
	for _, d := range m.docs {
		if d.Kind == q.Kind && (q.Before == nil || down(*q.Before, d) < 0) && fits(d, q) {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, down)
	if q.Limit == 0 {
		q.Limit = 100
	}
	return out[:min(len(out), q.Limit)], nil
}

func fits(d store.Doc, q store.Query) bool {
	for _, w := range strings.Fields(strings.ToLower(q.Words)) {
		if !strings.Contains(strings.ToLower(d.Text), w) {
			return false
		}
	}
	for _, c := range q.Where {
		v, ok := d.Fields[c.Field]
		switch c.Op {
		case store.Equal:
			ok = ok && v == c.Value
		case store.AtLeast:
			ok = ok && v.(int64) >= c.Value.(int64)
		case store.Contains:
			ok = ok && strings.Contains(strings.ToLower(v.(string)), strings.ToLower(c.Value.(string)))
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return true
}

func (m *memIndex) Delete(_ context.Context, kind, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.docs, kind+"/"+id)
	return nil
}

// clock ticks by a millisecond.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(time.Millisecond)
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// bench is a journal in memory with what it is made of.
type bench struct {
	*Journal
	disk  *disk
	index *memIndex
	clock *clock
}

func newBench(t testing.TB, change ...func(*Config)) *bench {
	t.Helper()
	b := &bench{disk: newDisk(), index: newMemIndex(), clock: &clock{t: time.Date(2026, 11, 21, 3, 14, 55, 0, time.UTC)}}
	dir := t.TempDir()
	cfg := Config{
		Logs: memLogs{b.disk}, Blobs: memBlobs{b.disk}, Index: b.index, Dir: dir, Keys: dir + "/keys",
		Program: "test", Now: b.clock.now,
	}
	for _, f := range change {
		f(&cfg)
	}
	j, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.Journal = j
	return b
}

// bytes returns the journal of a run as it stands.
func (b *bench) bytes(id string) []byte {
	b.disk.mu.Lock()
	defer b.disk.mu.Unlock()
	return bytes.Clone(b.disk.logs[id].Bytes())
}

// replace replaces the bytes of a run's journal by others.
func (b *bench) replace(id string, data []byte) {
	b.disk.mu.Lock()
	defer b.disk.mu.Unlock()
	b.disk.logs[id] = bytes.NewBuffer(bytes.Clone(data))
}

// question is the beginning of most runs here.
func question() event.RunBegan {
	return event.RunBegan{Kind: event.Ask, Question: "how many?", Model: "scripted:demo", MaxSteps: 20,
		Bounds: event.Bounds{Timeout: event.Duration(time.Minute), OutputBytes: 1 << 20}}
}

// begin begins a run that is closed with the test.
func (b *bench) begin(t testing.TB) (context.Context, *Recorder) {
	t.Helper()
	ctx, r, err := b.Begin(t.Context(), question(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return ctx, r
}

// write writes a whole run with events between its first and last one.
func (b *bench) write(t testing.TB, events ...event.Event) string {
	t.Helper()
	_, r := b.begin(t)
	for _, e := range events {
		r.Emit(e)
	}
	r.Emit(event.RunEnded{Status: event.Answered, Steps: 2, Tokens: event.Tokens{Input: 10, Output: 5}, Took: event.Duration(time.Second)})
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return r.ID()
}

// verified checks a run that can be read.
func (b *bench) verified(t testing.TB, id string) Report {
	t.Helper()
	r, err := b.Verify(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// records reads a run to its end or to an error.
func (b *bench) records(t testing.TB, id string) ([]event.Record, error) {
	t.Helper()
	var out []event.Record
	for r, err := range b.Records(t.Context(), id) {
		if err != nil {
			return out, err
		}
		out = append(out, r)
	}
	return out, nil
}
