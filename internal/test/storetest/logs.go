package storetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"praxis/fault"
	"praxis/internal/store"
)

// Logs is the exam of [store.Logs]. make returns empty logs.
func Logs(t *testing.T, make func(t *testing.T) store.Logs) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, l store.Logs)
	}{
		{"append and read", logsAppend},
		{"one writer", logsOneWriter},
		{"names", logsNames},
		{"bad names", logsBadNames},
		{"listing is sorted", logsSorted},
		{"bad lines", logsBadLines},
		{"several lines at once", logsSeveral},
		{"long lines", logsLong},
		{"closed", logsClosed},
		{"removed", logsRemoved},
		{"readers beside a writer", logsReaders},
		{"many goroutines", logsConcurrent},
		{"makers race", logsRace},
		{"cancelled", logsCancelled},
		{"writing can be seen", logsWriting},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, make(t)) })
	}
}

// create makes a log that the test closes.
func create(t *testing.T, l store.Logs, name string) store.Log {
	t.Helper()
	log, err := l.Create(context.Background(), name)
	must(t, err, "create "+name)
	t.Cleanup(func() { log.Close() })
	return log
}

// content reads a whole log.
func content(t *testing.T, l store.Logs, name string) string {
	t.Helper()
	r, err := l.Read(context.Background(), name)
	must(t, err, "read "+name)
	defer r.Close()
	data, err := io.ReadAll(r)
	must(t, err, "read "+name)
	return string(data)
}

func add(t *testing.T, log store.Log, lines ...string) {
	t.Helper()
	var data [][]byte
	for _, l := range lines {
		data = append(data, []byte(l+"\n"))
	}
	must(t, log.Append(data...), "append")
}

func logsAppend(t *testing.T, l store.Logs) {
	log := create(t, l, "run")
	if got := content(t, l, "run"); got != "" {
		t.Errorf("a new log holds %q", got)
	}
	add(t, log, "one")
	if got := content(t, l, "run"); got != "one\n" {
		t.Errorf("before a sync: %q", got)
	}
	must(t, log.Sync(), "sync")
	must(t, log.Sync(), "sync of nothing")
	must(t, log.Append(), "append nothing")
	add(t, log, "")
	must(t, log.Close(), "close")

	again, cut, err := l.Reopen(context.Background(), "run")
	must(t, err, "reopen")
	defer again.Close()
	if cut != 0 {
		t.Errorf("%d bytes of a whole log were cut", cut)
	}
	add(t, again, "two", "日本語 \x00\xff\r")
	must(t, again.Sync(), "sync")
	if got, want := content(t, l, "run"), "one\n\ntwo\n日本語 \x00\xff\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func logsOneWriter(t *testing.T, l store.Logs) {
	ctx := context.Background()
	log := create(t, l, "a")
	_, err := l.Create(ctx, "a")
	want(t, err, fault.Conflict, "create what exists")
	if fault.RemedyOf(err) == "" {
		t.Error("no remedy for a log that exists")
	}
	_, _, err = l.Reopen(ctx, "a")
	want(t, err, fault.Conflict, "reopen what is open")
	want(t, l.Remove(ctx, "a"), fault.Conflict, "remove what is open")
	add(t, log, "still mine")
	must(t, log.Close(), "close")

	again, _, err := l.Reopen(ctx, "a")
	must(t, err, "reopen after close")
	_, _, err = l.Reopen(ctx, "a")
	want(t, err, fault.Conflict, "reopen what was reopened")
	must(t, again.Close(), "close")
	_, err = l.Create(ctx, "a")
	want(t, err, fault.Conflict, "create what exists and is closed")
	if got := content(t, l, "a"); got != "still mine\n" {
		t.Errorf("got %q", got)
	}
}

func logsNames(t *testing.T, l store.Logs) {
	names := []string{
		"20261121-031455-7f3a", "a", "A", "0", "a.b", "a..b", "a-b", "a_b", "a.jsonl", "a.", "a-",
		strings.Repeat("x", 64), strings.Repeat("x", 63),
	}
	for i, name := range names {
		add(t, create(t, l, name), fmt.Sprint(i))
	}
	for i, name := range names {
		if got, want := content(t, l, name), fmt.Sprintf("%d\n", i); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
}

func logsBadNames(t *testing.T, l store.Logs) {
	ctx := context.Background()
	bad := slices.DeleteFunc(hostile(), func(s string) bool { return s == "x" || s == "null" })
	bad = append(bad, "", ".", "..", "-a", "_a", ".a", "a/b", "a\\b", "a b", "a\x00", "a\n", "é", strings.Repeat("x", 65))
	for _, name := range bad {
		_, err := l.Create(ctx, name)
		want(t, err, fault.Invalid, fmt.Sprintf("create %q", name))
		_, _, err = l.Reopen(ctx, name)
		want(t, err, fault.Invalid, fmt.Sprintf("reopen %q", name))
		_, err = l.Read(ctx, name)
		want(t, err, fault.Invalid, fmt.Sprintf("read %q", name))
		want(t, l.Remove(ctx, name), fault.Invalid, fmt.Sprintf("remove %q", name))
	}
	if got := names(t, l); len(got) != 0 {
		t.Errorf("bad names left %q", got)
	}
	_, _, err := l.Reopen(ctx, "absent")
	want(t, err, fault.NotFound, "reopen what is absent")
	_, err = l.Read(ctx, "absent")
	want(t, err, fault.NotFound, "read what is absent")
	want(t, l.Remove(ctx, "absent"), fault.NotFound, "remove what is absent")
}

func names(t *testing.T, l store.Logs) []string {
	t.Helper()
	var got []string
	for name, err := range l.Names(context.Background()) {
		must(t, err, "names")
		got = append(got, name)
	}
	return got
}

func logsSorted(t *testing.T, l store.Logs) {
	if got := names(t, l); len(got) != 0 {
		t.Errorf("empty logs have %q", got)
	}
	made := []string{
		"a", "a-", "a.", "a.a", "a0", "aa", "ab", "b", "20261121-1", "20261121-10", "20261121-1-1", "20261121",
		"20261121.x", "20261120-9", "2026112", "202611210", "Z", "z", "20270101-000000-ffff", "20270101-000000-0000",
	}
	rand.Shuffle(len(made), func(i, j int) { made[i], made[j] = made[j], made[i] })
	for _, name := range made {
		must(t, create(t, l, name).Close(), "close")
	}
	got := names(t, l)
	if !slices.IsSorted(got) || len(got) != len(made) {
		t.Errorf("got %q, want %d sorted names", got, len(made))
	}
	count := 0
	for range l.Names(context.Background()) {
		if count++; count == 3 {
			break
		}
	}
	if count != 3 {
		t.Errorf("a listing that was broken off gave %d names", count)
	}
}

func logsBadLines(t *testing.T, l store.Logs) {
	log := create(t, l, "a")
	for _, lines := range [][]string{{""}, {"no newline"}, {"a\nb\n"}, {"\n\n"}, {"good\n", "bad"}, {"good\n", ""}, {"bad\nbad", "good\n"}} {
		var data [][]byte
		for _, line := range lines {
			data = append(data, []byte(line))
		}
		want(t, log.Append(data...), fault.Invalid, fmt.Sprintf("append %q", lines))
	}
	add(t, log, "fine")
	if got := content(t, l, "a"); got != "fine\n" {
		t.Errorf("bad lines left %q", got)
	}
}

func logsSeveral(t *testing.T, l store.Logs) {
	log := create(t, l, "a")
	var lines [][]byte
	var all bytes.Buffer
	for i := range 1000 {
		line := fmt.Appendf(nil, "line %d\n", i)
		lines = append(lines, line)
		all.Write(line)
	}
	must(t, log.Append(lines...), "append")
	if got := content(t, l, "a"); got != all.String() {
		t.Errorf("got %d bytes, want %d", len(got), all.Len())
	}
}

func logsLong(t *testing.T, l store.Logs) {
	log := create(t, l, "a")
	long := strings.Repeat("0123456789abcdef", 8<<20/16)
	add(t, log, long, "short", long)
	must(t, log.Close(), "close")
	again, cut, err := l.Reopen(context.Background(), "a")
	must(t, err, "reopen")
	defer again.Close()
	add(t, again, "end")
	if got, want := content(t, l, "a"), long+"\nshort\n"+long+"\nend\n"; got != want || cut != 0 {
		t.Errorf("got %d bytes, %d cut, want %d", len(got), cut, len(want))
	}
}

func logsClosed(t *testing.T, l store.Logs) {
	log := create(t, l, "a")
	add(t, log, "one")
	must(t, log.Close(), "close")
	must(t, log.Close(), "close twice")
	if log.Append([]byte("two\n")) == nil {
		t.Error("append after close succeeded")
	}
	if log.Sync() == nil {
		t.Error("sync after close succeeded")
	}
	if got := content(t, l, "a"); got != "one\n" {
		t.Errorf("got %q", got)
	}
}

func logsRemoved(t *testing.T, l store.Logs) {
	ctx := context.Background()
	log := create(t, l, "a")
	add(t, log, "old")
	must(t, log.Close(), "close")
	create(t, l, "b").Close()
	must(t, l.Remove(ctx, "a"), "remove")
	want(t, l.Remove(ctx, "a"), fault.NotFound, "remove twice")
	_, err := l.Read(ctx, "a")
	want(t, err, fault.NotFound, "read what was removed")
	if got := names(t, l); !slices.Equal(got, []string{"b"}) {
		t.Errorf("got %q", got)
	}
	add(t, create(t, l, "a"), "new")
	if got := content(t, l, "a"); got != "new\n" {
		t.Errorf("got %q", got)
	}
}

// logsReaders checks that a reader sees whole lines in order while one writes:
// at most the last may be torn.
func logsReaders(t *testing.T, l store.Logs) {
	const lines = 400
	log := create(t, l, "a")
	var all strings.Builder
	for i := range lines {
		fmt.Fprintf(&all, "%d %s\n", i, strings.Repeat("x", i%97))
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for n := 0; n < all.Len(); {
				r, err := l.Read(context.Background(), "a")
				if err != nil {
					t.Error(err)
					return
				}
				got, err := io.ReadAll(r)
				r.Close()
				if err != nil || !strings.HasPrefix(all.String(), string(got)) || len(got) < n {
					t.Errorf("a reader got %d bytes that are not the beginning, after %d (%v)", len(got), n, err)
					return
				}
				n = len(got)
			}
		})
	}
	for line := range strings.Lines(all.String()) {
		must(t, log.Append([]byte(line)), "append")
	}
	wg.Wait()
}

// logsConcurrent checks that appends of several goroutines are never mixed.
func logsConcurrent(t *testing.T, l store.Logs) {
	const writers, each = 8, 50
	log := create(t, l, "a")
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				first := fmt.Appendf(nil, "%d %d first %s\n", w, i, strings.Repeat("y", w*50))
				if err := log.Append(first, fmt.Appendf(nil, "%d %d second\n", w, i)); err != nil {
					t.Error(err)
				}
				if i%10 == 0 {
					if err := log.Sync(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	next := map[string]int{}
	lines := strings.Split(strings.TrimSuffix(content(t, l, "a"), "\n"), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		a, b := strings.Fields(lines[i]), strings.Fields(lines[i+1])
		if len(a) < 3 || len(b) != 3 || a[0] != b[0] || a[1] != b[1] || a[2] != "first" || b[2] != "second" || a[1] != fmt.Sprint(next[a[0]]) {
			t.Fatalf("lines %d: %.60q and %.60q", i, lines[i], lines[i+1])
		}
		next[a[0]]++
	}
	if len(lines) != 2*writers*each {
		t.Errorf("%d lines, want %d", len(lines), 2*writers*each)
	}
}

// logsRace checks that exactly one of many makers gets a name.
func logsRace(t *testing.T, l store.Logs) {
	for i := range 10 {
		name := fmt.Sprintf("race-%d", i)
		logs := make(chan store.Log, 8)
		var wg sync.WaitGroup
		for range cap(logs) {
			wg.Go(func() {
				log, err := l.Create(context.Background(), name)
				if err == nil {
					logs <- log
				} else if fault.KindOf(err) != fault.Conflict {
					t.Errorf("create %s: %v", name, err)
				}
			})
		}
		wg.Wait()
		close(logs)
		if len(logs) != 1 {
			t.Errorf("%d makers got %s", len(logs), name)
		}
		for log := range logs {
			log.Close()
		}
	}
}

func logsCancelled(t *testing.T, l store.Logs) {
	create(t, l, "a").Close()
	ctx := gone()
	_, err := l.Create(ctx, "b")
	refused(t, err, "create")
	_, _, err = l.Reopen(ctx, "a")
	refused(t, err, "reopen")
	_, err = l.Read(ctx, "a")
	refused(t, err, "read")
	refused(t, l.Remove(ctx, "a"), "remove")
	err = nil
	for _, e := range l.Names(ctx) {
		err = e
	}
	refused(t, err, "names")
	if got := names(t, l); !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %q", got)
	}
}

func logsWriting(t *testing.T, l store.Logs) {
	w, ok := l.(store.Watcher)
	if !ok {
		t.Skip("these logs cannot say whether they are written")
	}
	ctx := context.Background()
	_, err := w.Writing(ctx, "a")
	want(t, err, fault.NotFound, "watch what is absent")
	log := create(t, l, "a")
	for _, open := range []bool{true, false, true} {
		if got, err := w.Writing(ctx, "a"); err != nil || got != open {
			t.Errorf("got %v %v, want %v", got, err, open)
		}
		if open {
			must(t, log.Close(), "close")
		} else if log, _, err = l.Reopen(ctx, "a"); err != nil {
			t.Fatal(err)
		}
	}
}
