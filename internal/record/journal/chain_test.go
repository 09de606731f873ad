package journal

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
)

// chain checks the chain of runs and the runs that have a log.
func (b *bench) chain(t testing.TB, anchor *Anchor) ChainReport {
	t.Helper()
	checked := map[string]Report{}
	for id := range b.disk.logs {
		checked[id] = b.verified(t, id)
	}
	rep, err := b.VerifyChain(t.Context(), checked, anchor)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// lines returns the lines of the chain.
func (b *bench) chainLines(t testing.TB) [][]byte {
	t.Helper()
	data, err := os.ReadFile(b.chainPath())
	if err != nil {
		t.Fatal(err)
	}
	return bytes.SplitAfter(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

func (b *bench) setChain(t testing.TB, lines ...[]byte) {
	t.Helper()
	if err := os.WriteFile(b.chainPath(), append(bytes.TrimSuffix(bytes.Join(lines, nil), []byte("\n")), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}

// tearChain leaves the beginning of a line, as a crash may.
func (b *bench) tearChain(t testing.TB) {
	t.Helper()
	f, err := os.OpenFile(b.chainPath(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(`{"prev":"00`)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestChain(t *testing.T) {
	b := newBench(t)
	var ids []string
	for range 4 {
		ids = append(ids, b.write(t))
		b.clock.pass(time.Second)
	}
	if rep := b.chain(t, nil); len(rep.Problems) > 0 || rep.Entries != 8 || rep.Older != 0 {
		t.Fatalf("%+v", rep)
	}
	if _, err := b.Remove(t.Context(), ids[0]); err != nil {
		t.Fatal(err)
	}
	good := b.chainLines(t)
	if rep := b.chain(t, nil); len(rep.Problems) > 0 || rep.Entries != 9 {
		t.Fatalf("after a run was removed on purpose: %+v", rep)
	}
	file := filepath.Join(t.TempDir(), "anchor.json")
	if err := b.WriteAnchor(file, b.chain(t, nil)); err != nil {
		t.Fatal(err)
	}
	anchor, err := ReadAnchor(file)
	if err != nil {
		t.Fatal(err)
	}
	log := b.bytes(ids[1])
	for name, c := range map[string]struct {
		do   func()
		want string // "": nothing is found
	}{
		"nothing":          {func() {}, ""},
		"a log is removed": {func() { delete(b.disk.logs, ids[1]) }, "run " + ids[1] + " is missing"},
		"and the index rebuilt": {func() {
			delete(b.disk.logs, ids[1])
			if _, err := b.Rebuild(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, "run " + ids[1] + " is missing"},
		"a log is cut":        {func() { b.replace(ids[1], log[:bytes.IndexByte(log, '\n')+1]) }, "run " + ids[1] + " is another one"},
		"an entry is removed": {func() { b.setChain(t, slices.Concat(good[:3], good[4:])...) }, "entry 4 does not follow"},
		"an entry is changed": {func() {
			b.setChain(t, slices.Concat(good[:3], [][]byte{bytes.Replace(good[3], []byte(`"ended"`), []byte(`"removed"`), 1)}, good[4:])...)
		}, "the signature of entry 4 is wrong"},
		"one is no entry":      {func() { b.setChain(t, slices.Concat(good[:3], [][]byte{[]byte("{}\n")}, good[3:])...) }, "entry 4 was changed"},
		"the end is cut":       {func() { b.setChain(t, good[:4]...) }, "is not in the chain"},
		"only the end is cut":  {func() { b.setChain(t, good[:8]...) }, "run " + ids[0] + " is missing"},
		"it is begun anew":     {func() { os.Remove(b.chainPath()); b.write(t) }, "it was cut off or begun anew"},
		"a line is broken off": {func() { b.tearChain(t); b.write(t) }, ""},
	} {
		before := map[string]*bytes.Buffer{}
		for id, l := range b.disk.logs {
			before[id] = bytes.NewBuffer(bytes.Clone(l.Bytes()))
		}
		c.do()
		index := b.cfg.Index
		b.cfg.Index = newMemIndex() // what the index knows is another matter
		rep := b.chain(t, anchor)
		b.cfg.Index = index
		if text := strings.Join(rep.Problems, "\n"); c.want == "" && text != "" || !strings.Contains(text, c.want) {
			t.Errorf("%s: %+v", name, rep)
		}
		b.disk.logs = before
		b.setChain(t, good...)
	}
}

// TestTakeNote takes note of a run whose log is gone: the chain says who did, and the run
// is missed no more. That is no removal on purpose.
func TestTakeNote(t *testing.T) {
	b := newBench(t, func(c *Config) { c.User, c.Host = "ann", "example" })
	ids := []string{b.write(t), b.write(t), b.write(t)}
	if lost, err := b.Remove(t.Context(), ids[0]); err != nil || lost {
		t.Fatal(lost, err)
	}
	delete(b.disk.logs, ids[1])
	delete(b.disk.logs, ids[2])
	if _, err := b.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rep := b.chain(t, nil); len(rep.Problems) != 2 {
		t.Fatalf("%+v", rep)
	}
	for _, id := range ids[1:] {
		if lost, err := b.Remove(t.Context(), id); err != nil || !lost {
			t.Errorf("%v, %v", lost, err)
		}
		if _, err := b.Remove(t.Context(), id); fault.KindOf(err) != fault.NotFound {
			t.Errorf("once more: %v", err)
		}
	}
	rep := b.chain(t, nil)
	if len(rep.Problems) > 0 || rep.Removed != 1 || len(rep.Lost) != 2 || rep.Lost[1].Run != ids[2] || rep.Lost[1].Time.IsZero() || rep.Lost[1].Who != "ann on example" {
		t.Errorf("%+v", rep)
	}
	if _, err := b.Remove(t.Context(), "20261121-031455-0000"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a run that never was: %v", err)
	}
}

// TestChainBegins has a chain begin in a folder that has runs already.
func TestChainBegins(t *testing.T) {
	b := newBench(t)
	b.write(t)
	if err := os.Remove(b.chainPath()); err != nil {
		t.Fatal(err)
	}
	if rep := b.chain(t, nil); rep.Older != 1 || len(rep.Problems) > 0 || rep.Entries != 0 {
		t.Errorf("%+v", rep)
	}
	if err := b.WriteAnchor(filepath.Join(t.TempDir(), "anchor"), b.chain(t, nil)); err == nil {
		t.Error("a chain that is not there was anchored")
	}
	b.clock.pass(2 * time.Second)
	b.write(t)
	if rep := b.chain(t, nil); rep.Older != 1 || len(rep.Problems) > 0 || rep.Entries != 2 {
		t.Errorf("%+v", rep)
	}
}

// TestChainOfMany appends from many goroutines, each with a file of its own as
// processes have, rotates the key, and takes a run in.
func TestChainOfMany(t *testing.T) {
	b := newBench(t)
	key, err := b.keys.signer()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			finish, err := b.link(context.Background(), key, linkRemoved, "20261121-031455-0000", "")
			if err == nil {
				err = finish(false)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	id := b.write(t)
	if _, err := b.Rotate(); err != nil {
		t.Fatal(err)
	}
	b.write(t)
	var bundle bytes.Buffer
	if err := b.Export(t.Context(), id, &bundle); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Remove(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Import(t.Context(), bytes.NewReader(bundle.Bytes()), int64(bundle.Len())); err != nil {
		t.Fatal(err)
	}
	if rep := b.chain(t, nil); rep.Entries != 56 || len(rep.Problems) > 0 {
		t.Errorf("%+v", rep)
	}
	_, r := b.begin(t) // and its process ends: the next run gives it its end
	if err := r.log.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(b.chainPath()) // and before the chain named it
	if err == nil {
		data = data[:bytes.LastIndexByte(data[:len(data)-1], '\n')+1]
		err = os.WriteFile(b.chainPath(), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if rep := b.chain(t, nil); rep.Entries != 56 || len(rep.Problems) > 0 {
		t.Errorf("%+v", rep)
	}
	b.write(t)
	if rep := b.chain(t, nil); rep.Entries != 60 || len(rep.Problems) > 0 {
		t.Errorf("%+v", rep)
	}
}

func FuzzLink(f *testing.F) {
	key, _, err := generate()
	if err != nil {
		f.Fatal(err)
	}
	good, err := link{Time: time.Unix(1e9, 0).UTC().Format(timeLayout), Kind: linkBegan, Run: "20261121-031455-0000"}.sign(key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"prev":""}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := parseLink(data)
		if err != nil {
			return
		}
		again, err := event.Encode(l)
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("%q is read as %q (%v)", data, again, err)
		}
		if l.signedBy(key.Public) != bytes.Equal(data, good) {
			t.Errorf("%q: %v", data, l)
		}
	})
}

func FuzzAnchor(f *testing.F) {
	b := newBench(f)
	b.write(f)
	file := filepath.Join(f.TempDir(), "anchor.json")
	if err := b.WriteAnchor(file, b.chain(f, nil)); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := parseAnchor(good); err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(bytes.Replace(good, []byte(`"entries":2`), []byte(`"entries":3`), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := parseAnchor(data)
		if err != nil {
			return
		}
		again, err := event.Encode(a)
		if err != nil || !bytes.Equal(again, bytes.TrimSuffix(data, []byte("\n"))) || a.Entries < 1 {
			t.Errorf("%q is read as %q (%v)", data, again, err)
		}
	})
}

// TestKilledWhileBeginning stops a run at each step of its beginning, as a kill does.
// None of them is damage, and a log without a record does not stay.
func TestKilledWhileBeginning(t *testing.T) {
	b := newBench(t)
	whole := b.write(t, sample()...)
	empty := newID(b.now().Add(time.Minute))
	if err := b.mark(empty); err != nil {
		t.Fatal(err)
	}
	log, err := b.cfg.Logs.Create(t.Context(), empty)
	if err != nil || log.Close() != nil {
		t.Fatal(err)
	}
	// Recorded, and not yet in the chain.
	lines := b.chainLines(t)
	_, r := b.begin(t)
	b.disk.mu.Lock()
	recorded := bytes.Clone(b.disk.logs[r.ID()].Bytes())
	b.disk.mu.Unlock()
	r.Close()
	b.replace(r.ID(), recorded)
	b.setChain(t, lines...)
	runs, err := b.Runs(t.Context(), Query{})
	if err != nil || len(runs) != 2 {
		t.Fatalf("%+v, %v", runs, err)
	}
	if b.there(t.Context(), empty) {
		t.Error("the log without a record is still there")
	}
	if rep := b.chain(t, nil); len(rep.Problems) > 0 {
		t.Errorf("%+v", rep)
	}
	// A log that had records and is cut to nothing is not taken for such a one.
	b.replace(whole, nil)
	if err := b.mark(whole); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Runs(t.Context(), Query{}); err != nil || !b.there(t.Context(), whole) {
		t.Errorf("the log that was cut: %v", err)
	}
	if rep := b.verified(t, whole); rep.Damage == nil {
		t.Error("nobody misses the records of a log that was cut to nothing")
	}
}
