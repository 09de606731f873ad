package memory_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/record/memory"
	"praxis/internal/store"
	"praxis/internal/store/files"
	"praxis/internal/store/sqlite"
)

const secret = "sk-0123456789"

// open returns a memory in a folder, with a clock that goes on by an hour
// whenever it is read.
func open(t *testing.T, dir string) (*memory.Memory, memory.Config) {
	t.Helper()
	fs, err := files.Open(dir, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(filepath.Join(dir, "praxis.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	var mu sync.Mutex
	now := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	cfg := memory.Config{
		KV: db.KV(), Blobs: fs.Blobs(), Index: db.Index(),
		Redact: func(s string) string { return strings.ReplaceAll(s, secret, "[secret KEY 1a2b3c4d]") },
		Now: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			now = now.Add(time.Hour)
			return now
		},
	}
	m, err := memory.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m, cfg
}

func conversation(n int) []event.Message {
	out := []event.Message{{Role: event.User, Text: "How many <b> & ünits?"}}
	for i := range n {
		out = append(out,
			event.Message{Role: event.Assistant, Text: "I look.", Calls: []event.Call{{ID: fmt.Sprint(i), Name: "execute_python", Input: map[string]any{"code": "x", "n": 1.5, "list": []any{"a", true, nil}}}, {ID: "r", Name: "x", Raw: "{"}}},
			event.Message{Role: event.User, Results: []event.Result{{CallID: fmt.Sprint(i), Text: "status: ok", IsError: true}, {CallID: "r", Text: "no"}}})
	}
	return out
}

func turn(run, question string, messages []event.Message) memory.Turn {
	return memory.Turn{Run: run, Question: question, Messages: messages, Snapshot: "snap-" + run, Image: "default"}
}

func save(t *testing.T, m *memory.Memory, name, run string, n int) memory.Thread {
	t.Helper()
	th, _, err := m.OpenThread(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	th, err = m.SaveThread(t.Context(), th, turn(run, "How\n many?", conversation(n)))
	if err != nil {
		t.Fatal(err)
	}
	return th
}

// wantFault checks a fault: its kind, what it says, and that it says what to do.
func wantFault(t *testing.T, err error, kind fault.Kind, text string) {
	t.Helper()
	if fault.KindOf(err) != kind || !strings.Contains(err.Error(), text) || fault.RemedyOf(err) == "" {
		t.Errorf("error = %s %v (remedy %q), want %s with %q and a remedy", fault.KindOf(err), err, fault.RemedyOf(err), kind, text)
	}
}

func TestThreadGoesOn(t *testing.T) {
	dir := t.TempDir()
	m, _ := open(t, dir)
	th, messages, err := m.OpenThread(t.Context(), "sales")
	if err != nil || messages != nil || !reflect.DeepEqual(th, memory.Thread{Name: "sales"}) {
		t.Fatalf("a new thread is %+v with %v, %v", th, messages, err)
	}
	if all, err := m.Threads(t.Context()); len(all) != 0 || err != nil {
		t.Errorf("opening made %v, %v", all, err)
	}
	first := save(t, m, "sales", "run1", 1)
	second := save(t, m, "sales", "run2", 3)

	again, _ := open(t, dir) // another process
	th, messages, err = again.OpenThread(t.Context(), "sales")
	if err != nil || !reflect.DeepEqual(messages, conversation(3)) {
		t.Errorf("conversation = %+v, %v", messages, err)
	}
	if !reflect.DeepEqual(th, second) {
		t.Errorf("thread = %+v, want %+v", th, second)
	}
	want := memory.Thread{Name: "sales", Created: first.Created, Used: second.Used, Runs: []string{"run1", "run2"}, Question: "How many?", Turns: 2,
		Messages: 7, Bytes: second.Bytes, Conversation: second.Conversation, Snapshot: "snap-run2", Image: "default", Revision: second.Revision,
		Past: []memory.Past{{Run: "run1", Messages: 3, Bytes: first.Bytes, Conversation: first.Conversation, Snapshot: "snap-run1"}}}
	if !reflect.DeepEqual(th, want) || !th.Used.After(th.Created) || th.Revision <= first.Revision || th.Bytes < 100 {
		t.Errorf("thread = %+v, want %+v", th, want)
	}
}

// TestThreadAt goes back to where a thread stood, and on from there.
func TestThreadAt(t *testing.T) {
	m, _ := open(t, t.TempDir())
	first := save(t, m, "sales", "run1", 1)
	save(t, m, "sales", "run2", 2)
	third := save(t, m, "sales", "run3", 3)
	if now, err := third.At("run3"); err != nil || !reflect.DeepEqual(now, third) {
		t.Errorf("got %+v, %v", now, err)
	}
	_, err := third.At("run4")
	wantFault(t, err, fault.NotFound, "that state is not kept")
	back, err := third.At("run1")
	if err != nil || back.Conversation != first.Conversation || back.Snapshot != "snap-run1" || back.Turns != 1 || len(back.Runs) != 1 || len(back.Past) != 0 {
		t.Fatalf("got %+v, %v", back, err)
	}
	if _, err := m.AddFork(t.Context(), back, "other"); err != nil {
		t.Fatal(err)
	}
	save(t, m, "other", "run9", 2)
	th, messages, err := m.OpenThread(t.Context(), "other")
	if err != nil || th.Forked != "sales" || len(messages) != 5 || !reflect.DeepEqual(th.Runs, []string{"run1", "run9"}) || len(th.Past) != 1 {
		t.Errorf("got %+v, %v", th, err)
	}
}

// TestStaleThread checks that of two who go on from the same point the second
// to save gets an error, and that nothing of the first is lost.
func TestStaleThread(t *testing.T) {
	m, _ := open(t, t.TempDir())
	fresh := memory.Thread{Name: "sales"}
	stale := save(t, m, "sales", "run1", 1)
	won := save(t, m, "sales", "run2", 2)
	_, err := m.SaveThread(t.Context(), stale, turn("run3", "?", conversation(9)))
	wantFault(t, err, fault.Conflict, "was changed, renamed or removed in the meantime")
	_, err = m.SaveThread(t.Context(), fresh, turn("run3", "?", conversation(9)))
	wantFault(t, err, fault.Conflict, "it exists")
	if th, messages, err := m.OpenThread(t.Context(), "sales"); err != nil || !reflect.DeepEqual(th, won) || len(messages) != 5 {
		t.Errorf("thread = %+v with %d messages, %v", th, len(messages), err)
	}
	if err := m.RemoveThread(t.Context(), "sales"); err != nil {
		t.Fatal(err)
	}
	_, err = m.SaveThread(t.Context(), won, turn("run3", "?", nil))
	wantFault(t, err, fault.Conflict, "removed in the meantime")
}

// TestManyAtOnce checks that of many who save at once exactly those succeed
// whose turns stand in the thread.
func TestManyAtOnce(t *testing.T) {
	m, _ := open(t, t.TempDir())
	var mu sync.Mutex
	var won []string
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			run := fmt.Sprint("run", i)
			th, _, err := m.OpenThread(t.Context(), "sales")
			if err == nil {
				_, err = m.SaveThread(t.Context(), th, turn(run, "?", conversation(i)))
			}
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, run)
			} else if fault.KindOf(err) != fault.Conflict {
				t.Errorf("save: %v", err)
			}
		})
	}
	wg.Wait()
	th, err := m.Thread(t.Context(), "sales")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(won)
	slices.Sort(th.Runs)
	if !slices.Equal(won, th.Runs) || th.Turns != len(won) {
		t.Errorf("the thread names %v, %v were saved", th.Runs, won)
	}
}

func TestForkRenameRemove(t *testing.T) {
	m, _ := open(t, t.TempDir())
	ctx := t.Context()
	base := save(t, m, "sales", "run1", 1)
	fork, err := m.ForkThread(ctx, "sales", "what-if")
	if err != nil || fork.Forked != "sales" || fork.Conversation != base.Conversation || fork.Snapshot != base.Snapshot || !fork.Created.After(base.Created) {
		t.Errorf("fork = %+v, %v", fork, err)
	}
	save(t, m, "what-if", "run2", 2)
	if _, messages, err := m.OpenThread(ctx, "sales"); err != nil || len(messages) != 3 {
		t.Errorf("the fork changed where it comes from: %d messages, %v", len(messages), err)
	}
	_, err = m.ForkThread(ctx, "sales", "what-if")
	wantFault(t, err, fault.Conflict, "cannot make thread what-if: it exists")
	_, err = m.RenameThread(ctx, "sales", "what-if")
	wantFault(t, err, fault.Conflict, "cannot make thread what-if: it exists")

	moved, err := m.RenameThread(ctx, "sales", "sales-2026")
	if err != nil || moved.Name != "sales-2026" || moved.Conversation != base.Conversation || !moved.Created.Equal(base.Created) {
		t.Errorf("renamed = %+v, %v", moved, err)
	}
	if same, err := m.RenameThread(ctx, "sales-2026", "sales-2026"); err != nil || same.Revision != moved.Revision {
		t.Errorf("renamed to its own name: %+v, %v", same, err)
	}
	_, err = m.Thread(ctx, "sales")
	wantFault(t, err, fault.NotFound, "cannot find thread sales")
	for _, do := range []func() error{
		func() error { _, err := m.ForkThread(ctx, "sales", "x"); return err },
		func() error { _, err := m.RenameThread(ctx, "sales", "x"); return err },
		func() error { return m.RemoveThread(ctx, "sales") },
	} {
		wantFault(t, do(), fault.NotFound, "cannot find thread sales")
	}

	all, err := m.Threads(ctx)
	if err != nil || len(all) != 2 || all[0].Name != "what-if" || all[1].Name != "sales-2026" {
		t.Errorf("threads = %+v, %v", all, err)
	}
	if err := m.RemoveThread(ctx, "sales-2026"); err != nil {
		t.Error(err)
	}
	if _, messages, err := m.OpenThread(ctx, "what-if"); err != nil || len(messages) != 5 {
		t.Errorf("what goes on from a removed thread: %d messages, %v", len(messages), err)
	}
	again := save(t, m, "sales-2026", "run3", 1)
	if again.Revision <= moved.Revision {
		t.Errorf("a thread that was removed begins at revision %d, it was at %d", again.Revision, moved.Revision)
	}
}

func TestThreadNames(t *testing.T) {
	m, _ := open(t, t.TempDir())
	for _, name := range []string{"", "../x", "-x", ".x", "a b", "ü", "a/b", strings.Repeat("x", 65), "a\n"} {
		_, _, err := m.OpenThread(t.Context(), name)
		wantFault(t, err, fault.Invalid, "as the name of a thread")
		_, err = m.SaveThread(t.Context(), memory.Thread{Name: name}, turn("r", "?", nil))
		wantFault(t, err, fault.Invalid, "as the name of a thread")
		wantFault(t, m.RemoveThread(t.Context(), name), fault.Invalid, "as the name of a thread")
	}
	save(t, m, "a", "run1", 1)
	_, err := m.ForkThread(t.Context(), "a", "../x")
	wantFault(t, err, fault.Invalid, "as the name of a thread")
	_, err = m.RenameThread(t.Context(), "a", "../x")
	wantFault(t, err, fault.Invalid, "as the name of a thread")
}

// TestDamagedThreads checks that each damage is named, and that the rest stays
// readable and removable.
func TestDamagedThreads(t *testing.T) {
	m, cfg := open(t, t.TempDir())
	ctx := t.Context()
	good := save(t, m, "good", "run1", 1)
	for name, data := range map[string]string{
		"cut":    `{"version":1,"na`,
		"empty":  ``,
		"newer":  `{"version":2,"name":"newer","shape":"another"}`,
		"other":  `{"version":1,"name":"good"}`,
		"no":     `{"name":"no"}`,
		"wrong":  `{"version":1,"name":"wrong","turns":"many"}`,
		"absent": `{"version":1,"name":"absent","conversation":"` + strings.Repeat("a", 64) + `"}`,
		"bad":    `{"version":1,"name":"bad","conversation":"../../x"}`,
	} {
		if _, err := cfg.KV.Set(ctx, "threads", name, []byte(data), 0); err != nil {
			t.Fatal(err)
		}
		_, _, err := m.OpenThread(ctx, name)
		want := "its record is damaged"
		switch name {
		case "newer":
			want = "a newer version of Praxis wrote it"
		case "absent", "bad":
			want = "its conversation"
		}
		wantFault(t, err, fault.Conflict, want)
	}
	all, err := m.Threads(ctx)
	if len(all) != 3 || fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "thread cut") || !strings.Contains(err.Error(), "thread wrong") {
		t.Errorf("%d threads, %v", len(all), err)
	}
	if err := m.RemoveThread(ctx, "cut"); err != nil {
		t.Errorf("remove a damaged thread: %v", err)
	}

	blob, err := cfg.Blobs.Put(ctx, strings.NewReader(`{"no": "list"}`))
	if err != nil {
		t.Fatal(err)
	}
	good.Conversation = blob.SHA256
	_, err = m.Conversation(ctx, good)
	wantFault(t, err, fault.Conflict, "its conversation "+blob.SHA256[:9])
}

func TestConversationBound(t *testing.T) {
	m, _ := open(t, t.TempDir())
	long := []event.Message{{Role: event.User, Text: strings.Repeat("x", memory.MaxConversation)}}
	_, err := m.SaveThread(t.Context(), memory.Thread{Name: "long"}, turn("r", "?", long))
	wantFault(t, err, fault.Exhausted, "and the bound is")
	th := memory.Thread{Name: "many"}
	for i := range memory.MaxRuns + 5 {
		th.Runs = append(th.Runs, fmt.Sprint(i))
	}
	th, err = m.SaveThread(t.Context(), th, turn("last", "?", nil))
	if err != nil || len(th.Runs) != memory.MaxRuns || th.Runs[memory.MaxRuns-1] != "last" {
		t.Errorf("%d runs, %v", len(th.Runs), err)
	}
}

// TestNoSecrets looks for a secret in everything that was written.
func TestNoSecrets(t *testing.T) {
	dir := t.TempDir()
	m, _ := open(t, dir)
	messages := []event.Message{
		{Role: event.User, Text: "Use " + secret},
		{Role: event.Assistant, Calls: []event.Call{
			{ID: "a", Name: "x", Input: map[string]any{"code": secret, secret: 1.0, "deep": []any{map[string]any{"k": secret}}}},
			{ID: "b", Name: "x", Raw: "{" + secret}},
			Reasoning: event.Reasoning{Text: "With " + secret, Signature: "s"}},
		{Role: event.User, Results: []event.Result{{CallID: "a", Text: secret}, {CallID: "b", Text: "ok"}}},
	}
	before := fmt.Sprint(messages)
	th, err := m.SaveThread(t.Context(), memory.Thread{Name: "s"}, turn("r", "Use "+secret, messages))
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(messages) != before {
		t.Error("the messages of the caller were changed")
	}
	got, err := m.Conversation(t.Context(), th)
	if err != nil || strings.Contains(fmt.Sprint(got), secret) || !strings.Contains(got[0].Text, "[secret KEY") {
		t.Errorf("conversation = %+v, %v", got, err)
	}
	n, _, err := m.SaveNote(t.Context(), "The key is "+secret, []string{secret}, memory.From{})
	if err != nil || !strings.Contains(n.Text, "[secret KEY") {
		t.Errorf("note = %+v, %v", n, err)
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			t.Errorf("the secret stands in %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

type brokenBlobs struct {
	store.Blobs
	err error
}

func (b brokenBlobs) Put(context.Context, io.Reader) (store.Blob, error) { return store.Blob{}, b.err }

type brokenKV struct {
	store.KV
	err error
}

func (b brokenKV) Set(context.Context, string, string, []byte, int64) (int64, error) { return 0, b.err }

type brokenIndex struct {
	store.Index
	err error
}

func (b brokenIndex) Find(context.Context, store.Query) ([]store.Doc, error) { return nil, b.err }

// TestFullDisk checks that what cannot be kept is said with its cause, and that
// what stands there stays.
func TestFullDisk(t *testing.T) {
	m, cfg := open(t, t.TempDir())
	th := save(t, m, "sales", "run1", 1)
	full := fault.New(fault.Exhausted, "Free space.", "the disk is full")
	for name, change := range map[string]func(*memory.Config){
		"blobs":  func(c *memory.Config) { c.Blobs = brokenBlobs{c.Blobs, full} },
		"record": func(c *memory.Config) { c.KV = brokenKV{c.KV, full} },
	} {
		t.Run(name, func(t *testing.T) {
			bad := cfg
			change(&bad)
			b, err := memory.New(bad)
			if err != nil {
				t.Fatal(err)
			}
			_, err = b.SaveThread(t.Context(), th, turn("run2", "?", conversation(2)))
			if !errors.Is(err, full) || !strings.Contains(err.Error(), "thread sales") {
				t.Errorf("error = %v", err)
			}
			if now, messages, err := m.OpenThread(t.Context(), "sales"); err != nil || len(messages) != 3 || !reflect.DeepEqual(now, th) {
				t.Errorf("the thread is %+v now, %v", now, err)
			}
		})
	}
	bad := cfg
	bad.Index = brokenIndex{cfg.Index, full}
	b, err := memory.New(bad)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.SaveNote(t.Context(), "a", nil, memory.From{}); !errors.Is(err, full) {
		t.Errorf("save: %v", err)
	}
	if _, err := b.SearchNotes(t.Context(), "some words", 0); !errors.Is(err, full) {
		t.Errorf("search: %v", err)
	}
	if _, err := memory.New(memory.Config{}); err == nil {
		t.Error("a memory without stores was opened")
	}
}
