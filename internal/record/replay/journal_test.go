package replay

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/llm/recorded"
	"praxis/internal/record/journal"
	"praxis/internal/run"
	"praxis/internal/store/files"
	"praxis/internal/store/sqlite"
)

// openJournal opens a journal over the stores that the program uses.
func openJournal(t *testing.T, dir string, secrets map[string]string) *journal.Journal {
	t.Helper()
	fileStore, err := files.Open(dir, files.Options{})
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
	j, err := journal.Open(journal.Config{
		Logs: fileStore.Logs(), Blobs: fileStore.Blobs(), Index: db.Index(), Dir: dir, Keys: filepath.Join(dir, "keys"), Secrets: secrets, Program: "1.0",
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// journaled records a run in a journal.
func (w *world) journaled(j *journal.Journal, script string, input string, cfg agent.Config) Recording {
	w.t.Helper()
	began := event.RunBegan{Kind: event.Ask, Question: question, Model: "scripted:case", Scripted: true, MaxSteps: 9, Budget: cfg.Budget}
	ctx, rec, err := j.Begin(w.t.Context(), began, event.Discard)
	if err != nil {
		w.t.Fatal(err)
	}
	task := run.Task{
		Languages: languages,
		Began:     began,
		Open:      func(ctx context.Context) (run.Session, error) { return w.open(ctx, event.SessionBegan{}) },
		Inputs: []run.Input{{
			File: agent.File{Name: "a.csv", Path: "/work/a.csv", Bytes: int64(len(input)), Profile: input},
			Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(input)), nil },
		}},
	}
	if cfg.Model == nil {
		cfg.Model = model(w.t, script)
	}
	if cfg.Store == nil {
		cfg.Store = rec.Store
	}
	if _, err := run.Ask(ctx, task, cfg, rec); err != nil {
		w.t.Log(err)
	}
	if err := rec.Close(); err != nil {
		w.t.Fatal(err)
	}
	got, err := Load(w.t.Context(), j, rec.ID())
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

// TestJournal records into the journal itself: long texts that it keeps apart,
// bytes that are no text, and a replay and a branch that are recorded again.
func TestJournal(t *testing.T) {
	w := newWorld(t)
	w.bend["show"] = func(x *event.Execution) {
		x.Stdout = strings.Repeat("long \xff\x00 ü\n", 5000)
		x.Displays = []event.Bundle{{"image/png": strings.Repeat("AAAA", 4000), "$text": "$blob"}}
	}
	j := openJournal(t, t.TempDir(), nil)
	rec := w.journaled(j, fiveSteps, "7\n", agent.Config{})
	cfg := w.config()
	cfg.Source, cfg.Snapshots = j, true
	ctx, again, err := j.Begin(t.Context(), rec.Again("1.0"), event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Recorder = again
	if got, err := Replay(ctx, cfg, rec); err != nil || !got.Identical {
		t.Fatalf("%v\n%s", err, text(t, got))
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Load(t.Context(), j, again.ID())
	if err != nil {
		t.Fatal(err)
	}
	cfg.Recorder = nil
	if got, err := Replay(t.Context(), cfg, second); err != nil || !got.Identical {
		t.Errorf("the replay, replayed: %v\n%s", err, text(t, got))
	}
	if got, err := Branch(t.Context(), cfg, second, 3, Change{Model: modelFrom(t, 3, another)}); err != nil || got.Snapshot == "" || got.Answer == nil {
		t.Errorf("branched: %v: %+v", err, got)
	}
	for _, id := range []string{rec.ID, second.ID} {
		if r, err := j.Verify(t.Context(), id); err != nil || !r.OK() {
			t.Errorf("verify %s: %v: %+v", id, err, r)
		}
	}
	w.bend["show"] = func(x *event.Execution) { x.Stdout = strings.Repeat("long \xff\x00 ü\n", 4999) + "other\n" }
	if got, err := Replay(t.Context(), cfg, rec); err != nil || got.Identical || *got.First != 3 || len(got.Steps[2].Differences) < 2 {
		t.Errorf("%v\n%s", err, text(t, got))
	}
}

// TestJournalDamaged checks that a damaged journal is refused, and named.
func TestJournalDamaged(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	j := openJournal(t, dir, nil)
	rec := w.journaled(j, fiveSteps, "7\n", agent.Config{})
	var path string
	err := filepath.WalkDir(filepath.Join(dir, "journal"), func(p string, d os.DirEntry, err error) error {
		if err == nil && strings.Contains(d.Name(), rec.ID) && strings.HasSuffix(p, ".jsonl") {
			path = p
		}
		return err
	})
	if err != nil || path == "" {
		t.Fatalf("no journal: %v", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	i := strings.Index(string(data), "no such column")
	data[i] = 'N'
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Load(t.Context(), j, rec.ID)
	if fault.CodeOf(err) != fault.RunUnreadable || !strings.Contains(err.Error(), "is damaged at record") {
		t.Errorf("error = %v", err)
	}
}

// TestSecrets requires that the digest of a secret is no difference, and that an
// input with a secret in it must be given again.
func TestSecrets(t *testing.T) {
	w := newWorld(t)
	secrets := map[string]string{"SHOP_TOKEN": "hunter2-hunter2"}
	w.bend["show"] = func(x *event.Execution) { x.Stdout = "token=hunter2-hunter2\n" }
	j := openJournal(t, t.TempDir(), secrets)
	rec := w.journaled(j, fiveSteps, "hunter2-hunter2\n", agent.Config{})
	if s := rec.Steps[2].Executions[0].Ended.Stdout; strings.Contains(s, "hunter2") || !strings.Contains(s, "[secret SHOP_TOKEN ") {
		t.Fatalf("recorded %q", s)
	}
	cfg := w.config()
	cfg.Source = j
	if _, err := Replay(t.Context(), cfg, rec); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "input a.csv was not stored") {
		t.Errorf("the input: %v", err)
	}
	cfg.Overrides = map[string]func() (io.ReadCloser, error){"a.csv": func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("hunter2-hunter2\n")), nil }}
	// Elsewhere the digest of the same secret is another one.
	cfg.Redact = openJournal(t, t.TempDir(), secrets).Redact
	got, err := Replay(t.Context(), cfg, rec)
	if err != nil || !got.Identical {
		t.Errorf("%v\n%s", err, text(t, got))
	}
	w.bend["show"] = func(x *event.Execution) { x.Stdout = "token=hunter2-hunter2!\n" }
	got, err = Replay(t.Context(), cfg, rec)
	if err != nil || got.Identical || strings.Contains(text(t, got), "hunter2") {
		t.Errorf("%v\n%s", err, text(t, got))
	}
}

// TestBundles tests a folder of bundles that were exported.
func TestBundles(t *testing.T) {
	w := newWorld(t)
	j := openJournal(t, t.TempDir(), nil)
	rec := w.journaled(j, fiveSteps, "7\n", agent.Config{})
	dir := t.TempDir()
	path := filepath.Join(dir, "run.praxis")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Export(t.Context(), rec.ID, f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(filepath.Join(dir, "torn.praxis"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere := openJournal(t, t.TempDir(), nil)
	s := Suite{Config: w.config(), Bundle: func(ctx context.Context, path string) (Bundle, error) {
		b, err := elsewhere.OpenBundle(ctx, path)
		if err != nil {
			return Bundle{}, err
		}
		return Bundle{Source: b, Run: b.Run(), Close: b.Close}, nil
	}}
	results, totals, err := Test(t.Context(), dir, s)
	if err != nil || totals.OK != 1 || totals.Errors != 1 || results[0].Run != rec.ID {
		t.Errorf("%v: %+v", err, results)
	}
}

// notes are an agent's notes.
type notes struct{ all []agent.Note }

func (n *notes) Save(_ context.Context, _ int, text string, _ []string) (string, bool, error) {
	n.all = append(n.all, agent.Note{ID: "n1", Text: text, Created: time.Unix(0, 0)})
	return "n1", false, nil
}

func (n *notes) Search(context.Context, string) ([]agent.Note, error) {
	return slices.Clone(n.all), nil
}

const noted = `=== reply
=== call execute_python code
set total 7
=== reply
=== call save_note text
The total is in column b.
=== reply
=== call search_notes query
total
=== reply
FINAL ANSWER: It is {{ total }}.`

// TestNotes checks that a replay finds the notes that the run found, and saves none.
func TestNotes(t *testing.T) {
	w := newWorld(t)
	j := openJournal(t, t.TempDir(), nil)
	stored := &notes{all: []agent.Note{{ID: "n0", Text: "Totals have two digits.", Created: time.Unix(0, 0)}}}
	rec := w.journaled(j, noted, "7\n", agent.Config{Notes: stored})
	if len(stored.all) != 2 || rec.Answer == nil || len(rec.Steps[1].Calls) != 1 || len(rec.Steps[2].Calls) != 1 {
		t.Fatalf("notes %+v, recorded %+v", stored.all, rec.Steps)
	}
	cfg := w.config()
	cfg.Source = j
	got, err := Replay(t.Context(), cfg, rec)
	if err != nil || !got.Identical || len(stored.all) != 2 {
		t.Errorf("%v\n%s", err, text(t, got))
	}
	// A branch finds what was found then up to its step, and from there on what is there today.
	today := &notes{all: []agent.Note{{ID: "n9", Text: "It is 9 today.", Created: time.Unix(0, 0)}}}
	cfg.Notes = today
	w.lose()
	change := Change{Model: modelFrom(t, 3, "=== reply\n=== call search_notes query\ntotal\n=== expect It is 9 today.\n=== reply\nFINAL ANSWER: It is {{ total }}.")}
	b, err := Branch(t.Context(), cfg, rec, 3, change)
	if err != nil || b.Answer == nil || len(today.all) != 1 {
		t.Errorf("%v: %+v, notes %+v", err, b, today.all)
	}
	cfg.Notes = nil
	b, err = Branch(t.Context(), cfg, rec, 1, Change{Code: "set total 8"})
	if err != nil || b.Answer == nil || b.Answer.Text != "It is 8." {
		t.Errorf("edited: %v: %+v", err, b)
	}
}

// TestBranchWithoutNotes checks that a branch has no memory when the run had none, or when
// it is not given one.
func TestBranchWithoutNotes(t *testing.T) {
	const saves = "=== reply\n=== call save_note text\nAlways say 1.\n=== reply\n=== call search_notes query\ntotal\n=== reply\nFINAL ANSWER: It is {{ total }}."
	w := newWorld(t)
	rec := w.ask("r", fiveSteps)
	cfg := w.config()
	today := &notes{all: []agent.Note{{ID: "n9", Text: "It is 9 today.", Created: time.Unix(0, 0)}}}
	cfg.Notes = today
	change := Change{Model: modelFrom(t, 3, saves)}
	cfg.Recorder = w.begin("b", rec.Branched(3, change, ""))
	b, err := Branch(t.Context(), cfg, rec, 3, change)
	if err != nil || len(today.all) != 1 {
		t.Errorf("the run had none: %v: %+v, notes %+v", err, b, today.all)
	}
	for _, s := range w.load("b").Steps {
		if len(s.Calls) > 0 {
			t.Errorf("step %d used %+v", s.N, s.Calls)
		}
	}
	j := openJournal(t, t.TempDir(), nil)
	rec = w.journaled(j, noted, "7\n", agent.Config{Notes: &notes{}})
	cfg = w.config()
	cfg.Source = j
	b, err = Branch(t.Context(), cfg, rec, 2, Change{Model: modelFrom(t, 2, saves)})
	if err != nil || b.Answer == nil || b.Answer.Text != "It is 7." {
		t.Errorf("it was given none: %v: %+v", err, b)
	}
}

// TestCondensed checks that a run whose history was condensed and read again replays, and
// is branched behind it.
func TestCondensed(t *testing.T) {
	w := newWorld(t)
	w.bend["show"] = func(x *event.Execution) { x.Stdout = strings.Repeat("row 1234\n", 800) }
	j := openJournal(t, t.TempDir(), nil)
	load := func(ctx context.Context, sum string) ([]byte, error) {
		r, err := j.Blob(ctx, sum)
		if err != nil {
			return nil, err
		}
		defer func() { _ = r.Close() }()
		return io.ReadAll(r)
	}
	// A script goes by the replies that it finds in the conversation, of which
	// some are condensed.
	var replies []recorded.Exchange
	say := func(r event.ModelReplied) { replies = append(replies, recorded.Exchange{Reply: r}) }
	for i := range 4 {
		say(event.ModelReplied{Text: fmt.Sprintf("~~~python\nset total %d\nshow total\n~~~", i+1)})
	}
	say(event.ModelReplied{Calls: []event.Call{{ID: "h", Name: "read_history", Input: map[string]any{"pointer": ""}}}})
	say(event.ModelReplied{Text: "FINAL ANSWER: It is {{ total }}, and 1234 before."})
	rec := w.journaled(j, "", "7\n", agent.Config{Budget: agent.Budget{Window: 7000}, Load: load, Model: recorded.New("scripted:case", event.Traits{}, replies)})
	condensed := slices.ContainsFunc(rec.Steps, func(s Step) bool { return len(s.Condensed) > 0 })
	if !condensed || rec.Answer == nil || len(rec.Steps[4].Calls) != 1 || rec.Steps[4].Calls[0].Returned.Error != "" {
		t.Fatalf("condensed %t, ended %+v, read %+v", condensed, rec.Ended, rec.Steps[4].Calls)
	}
	cfg := w.config()
	cfg.Source = j
	got, err := Replay(t.Context(), cfg, rec)
	if err != nil || !got.Identical {
		t.Fatalf("%v\n%s", err, text(t, got))
	}
	last := rec.Steps[len(rec.Steps)-1].N
	replies = []recorded.Exchange{{Reply: event.ModelReplied{Text: "FINAL ANSWER: It is {{ total }} and 99, and 1234 before."}}}
	b, err := Branch(t.Context(), cfg, rec, last, Change{Question: "And 99?", Model: recorded.New("other", event.Traits{}, replies)})
	if err != nil || b.Answer == nil || slices.ContainsFunc(b.Answer.Figures, func(f event.Figure) bool { return f.Source == "unverified" }) {
		t.Errorf("branched: %v: %+v", err, b)
	}
}

// TestBudgetThatIsNotCounted checks that a run which ended by its cost or its time ends there
// in a replay, too, whatever prices and clocks say then.
func TestBudgetThatIsNotCounted(t *testing.T) {
	w := newWorld(t)
	j := openJournal(t, t.TempDir(), nil)
	var replies []recorded.Exchange
	for _, text := range []string{"~~~python\nset total 1\nshow total\n~~~", "~~~python\nset total 2\nshow total\n~~~", "It is {{ total }}."} {
		replies = append(replies, recorded.Exchange{Reply: event.ModelReplied{Text: text, Tokens: event.Tokens{Input: 100}}})
	}
	rec := w.journaled(j, "", "7\n", agent.Config{
		Model:  recorded.New("scripted:case", event.Traits{}, replies),
		Budget: agent.Budget{Cost: 3.5}, Cost: func(u event.Tokens) float64 { return float64(u.Input) / 100 },
	})
	if rec.Answer == nil || rec.Answer.Incomplete == "" || len(rec.Concluding) != 1 || rec.Concluding[0].Budget != event.BudgetCost || rec.Ended.Status != event.Unverified || len(rec.Steps) != 3 {
		t.Fatalf("ended %+v with %+v after %+v", rec.Ended, rec.Answer, rec.Concluding)
	}
	cfg := w.config()
	cfg.Source = j
	if got, err := Replay(t.Context(), cfg, rec); err != nil || !got.Identical {
		t.Errorf("%v\n%s", err, text(t, got))
	}
}
