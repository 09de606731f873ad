package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/server/observe"
)

func opened(t *testing.T, dir string) *Log {
	t.Helper()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l, err := Open(dir, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func checked(t *testing.T, dir string, entries int64, broken bool) {
	t.Helper()
	n, where, err := Check(dir)
	if err != nil || n != entries || (where != "") != broken {
		t.Fatalf("%d entries, broken %q, %v; want %d", n, where, err, entries)
	}
}

// What is more than reading and what is refused is written, the chain goes on over starts,
// and whatever is changed shows.
func TestLog(t *testing.T) {
	dir := t.TempDir()
	l := opened(t, dir)
	write := &observe.Request{ID: "1", Tenant: "a", Key: "k", Operation: "sessions.create", Object: "id=s", Writes: true}
	read := &observe.Request{ID: "2", Tenant: "a", Key: "k", Operation: "sessions.list"}
	refused := &observe.Request{ID: "3", Tenant: "b", Key: "k2", Operation: "keys.list", Kind: fault.Denied}
	for _, err := range []error{l.Begin(write), l.End(write), l.End(read), l.End(refused), l.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, fileName)
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"seq":4,"bef`); err != nil { // killed within a line
		t.Fatal(err)
	}
	f.Close()
	l = opened(t, dir)
	if err := l.End(write); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	checked(t, dir, 4, false)
	list, err := List(dir, Query{Tenant: "a", Limit: 2})
	if err != nil || len(list) != 2 || list[0].Seq != 4 || list[1].Status != Done || list[1].Object != "id=s" {
		t.Fatalf("got %+v, %v", list, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, changed := range map[string][]byte{
		"changed":  bytes.Replace(data, []byte("denied"), []byte("done  "), 1),
		"left out": append(bytes.SplitAfter(data, []byte("\n"))[0], bytes.Join(bytes.SplitAfter(data, []byte("\n"))[2:], nil)...),
		"no JSON":  bytes.Replace(data, []byte("{"), []byte("["), 2),
	} {
		other := t.TempDir()
		if err := os.WriteFile(filepath.Join(other, fileName), changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, where, err := Check(other); where == "" || err != nil {
			t.Errorf("%s: it is not noticed (%v)", name, err)
		}
	}
}

// The files are bounded, their chain is one, and it goes on.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	l := opened(t, dir)
	l.most = 2000
	r := &observe.Request{ID: "1", Tenant: "a", Key: "k", Operation: strings.Repeat("x", 300), Writes: true}
	for range 100 {
		if err := l.End(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != maxFiles {
		t.Fatalf("%d files, %v", len(files), err)
	}
	if n, where, err := Check(dir); n < 10 || where != "" || err != nil {
		t.Fatalf("%d entries, broken %q, %v", n, where, err)
	}
	if list, err := List(dir, Query{Limit: 12}); err != nil || len(list) != 12 || list[0].Seq != 100 || list[11].Seq != 89 {
		t.Fatalf("got %+v, %v", list, err)
	}
	// A file that was just begun goes on with the one before.
	if err := os.Rename(path(dir, 0), path(dir, 1)); err != nil {
		t.Fatal(err)
	}
	if l = opened(t, dir); l.seq != 100 {
		t.Errorf("it goes on after %d", l.seq)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	// So does one that ends with lines that are damaged, which count.
	if err := os.WriteFile(path(dir, 0), []byte(`{"seq":7,"status":"done"}`+"\n?\n?\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l = opened(t, dir); l.seq != 9 || l.before != hashOf([]byte("?")) {
		t.Errorf("it goes on after %d, %s", l.seq, l.before)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// Neither who is not known can fill the log, nor who sends more than a key may.
func TestFloods(t *testing.T) {
	for name, r := range map[string]*observe.Request{
		"unknown":  {ID: "1", Kind: fault.Denied},
		"too many": {ID: "1", Tenant: "a", Key: "k", Writes: true, Kind: fault.Exhausted, Code: fault.RequestsUsedUp},
	} {
		dir := t.TempDir()
		l := opened(t, dir)
		second := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		l.now = func() time.Time { return second }
		for range 1000 {
			if err := l.End(r); err != nil {
				t.Fatal(err)
			}
		}
		second = second.Add(time.Second)
		if err := l.End(r); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		list, err := List(dir, Query{Limit: 100})
		if err != nil || len(list) != floodMax+1 || list[0].LeftOut != 1000-floodMax {
			t.Errorf("%s: %d entries, %+v, %v", name, len(list), list[0], err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"seq":1,"before":"","time":"2026-01-01T00:00:00Z","request":"x","status":"done"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if e, err := decode(line); err == nil && e.Seq < 1 {
			t.Fatalf("accepted %+v", e)
		}
	})
}

// A file is read from its end as it is from its beginning, wherever its blocks end; what was not
// written whole is left out.
func TestNewest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	var text strings.Builder
	for n := 1; text.Len() < 3*newestBlock; n = n*7%maxLine + 1 {
		text.WriteString(strings.Repeat("x", n) + "\n")
	}
	for _, tail := range []string{"", "torn"} {
		if err := os.WriteFile(file, []byte(text.String()+tail), 0o600); err != nil {
			t.Fatal(err)
		}
		var want, got []string
		if err := each(file, func(line []byte) { want = append(want, string(line)) }); err != nil {
			t.Fatal(err)
		}
		if err := newest(file, func(line []byte) bool { got = append(got, string(line)); return true }); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(got)
		if len(want) < 10 || !slices.Equal(got, want) {
			t.Errorf("with %q at its end: %d lines, want %d", tail, len(got), len(want))
		}
		n := 0
		if err := newest(file, func([]byte) bool { n++; return n < 3 }); err != nil || n != 3 {
			t.Errorf("%d lines of 3 were read (%v)", n, err)
		}
	}
}
