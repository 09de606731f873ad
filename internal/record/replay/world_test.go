package replay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/llm"
	"praxis/internal/llm/scripted"
	"praxis/internal/run"
	"praxis/internal/tool/bridge"
)

// languages are those of the code of these runs.
var languages = language.Table{python.Language()}

// world makes sessions, keeps their snapshots, and is the source of recordings.
type world struct {
	t         *testing.T
	image     event.Image
	seed      *int64
	snapshots map[string]state
	blobs     map[string][]byte
	records   map[string][]event.Record
	opened    int
	closed    int
	// bend changes what code gives, by a part of the code: a planted difference.
	bend map[string]func(*event.Execution)
	ran  []string
	// bridges are those that the sessions reach.
	bridges map[*fakeSession]*bridge.Bridge
	exposed []string
	mu      sync.Mutex
}

func newWorld(t *testing.T) *world {
	return &world{
		t: t, snapshots: map[string]state{}, blobs: map[string][]byte{}, records: map[string][]event.Record{},
		bend: map[string]func(*event.Execution){},
		image: event.Image{ID: "img-1", Name: "data", Languages: []event.Language{{Name: "python", Version: "3.14"}}, Packages: []event.Package{
			{Name: "numpy", Version: "2.3.1"}, {Name: "pandas", Version: "2.3.0"},
		}},
	}
}

// state is what a session holds.
type state struct{ vars, files, funcs map[string]string }

func (s state) clone() state {
	return state{maps.Clone(s.vars), maps.Clone(s.files), maps.Clone(s.funcs)}
}

// fakeSession is a session that runs a language of its own, one command a line:
//
//	set NAME WORDS   show NAME   err WORDS   value NAME   display MIME DATA
//	write PATH WORDS   read PATH   raise NAME WORDS   check NAME WORDS   die
//	ask TOOL JSON    calls a tool
//	def NAME():      the indented lines below are its body
//	NAME(); None     runs it
type fakeSession struct {
	w *world
	state
	snapshot string
}

var (
	defRE  = regexp.MustCompile(`^def (\w+)\(\):$`)
	callRE = regexp.MustCompile(`^(\w+)\(\); None$`)
	fillRE = regexp.MustCompile(`(?m)^    "(\w+)",$`)
)

func (w *world) open(_ context.Context, want event.SessionBegan) (Opened, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := &fakeSession{w: w, state: state{map[string]string{}, map[string]string{}, map[string]string{}}}
	if want.Snapshot != "" {
		s, ok := w.snapshots[want.Snapshot]
		if !ok {
			return Opened{}, fault.New(fault.NotFound, "", "cannot restore %s: it is gone", want.Snapshot)
		}
		b.state, b.snapshot = s.clone(), want.Snapshot
	}
	w.opened++
	return Opened{Session: b, Expose: b.Expose, Close: b.Close}, nil
}

func (w *world) fromSnapshot(ctx context.Context, id string) (Opened, error) {
	return w.open(ctx, event.SessionBegan{Snapshot: id})
}

func (w *world) config() Config {
	return Config{Languages: languages, Source: w, Open: w.open, FromSnapshot: w.fromSnapshot, Program: "1.0"}
}

func (b *fakeSession) Close() error { b.w.closed++; return nil }

func (b *fakeSession) Describe() event.SessionBegan {
	return event.SessionBegan{Session: fmt.Sprintf("s-%012d", b.w.opened), Image: b.w.image, Seed: b.w.seed, Snapshot: b.snapshot}
}

func (b *fakeSession) WriteFile(_ context.Context, path string, r io.Reader) error {
	data, err := io.ReadAll(r)
	b.files[path] = string(data)
	return err
}

func (b *fakeSession) Snapshot(context.Context) (run.Snapshot, error) {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	id := fmt.Sprintf("snap-%d", len(b.w.snapshots)+1)
	b.w.snapshots[id] = b.clone()
	return run.Snapshot{ID: id, Bytes: 1}, nil
}

// Rollback implements run.Restorer.
func (b *fakeSession) Rollback(_ context.Context, id string) error {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	s, ok := b.w.snapshots[id]
	if !ok {
		return fault.New(fault.NotFound, "", "cannot go back to %s: it is gone", id)
	}
	b.state = s.clone()
	return nil
}

func (b *fakeSession) Execute(_ context.Context, _, code string, _ event.Bounds, sink event.Sink) (event.Execution, error) {
	x := event.Execution{Status: event.OK, State: event.Intact, Usage: event.Usage{WallMS: 1.5}, Session: fmt.Sprint(b.w.opened)}
	if code == languages[0].Model.Rest {
		return x, nil
	}
	if strings.Contains(code, "__figures__(") {
		b.fill(code, &x)
	} else {
		b.w.ran = append(b.w.ran, code)
		b.run(strings.Split(code, "\n"), &x)
	}
	// Of the snippet that fills an answer in, only the placeholders count.
	_, placeholders, isFill := strings.Cut(code, "\n__figures__(")
	for part, change := range b.w.bend {
		if isFill && strings.Contains(placeholders, part) || !isFill && strings.Contains(code, part) {
			change(&x)
		}
	}
	if x.Stdout != "" {
		sink.Emit(event.Output{Stream: event.Stdout, Data: []byte(x.Stdout)})
	}
	return x, nil
}

// fill answers the snippet of placeholders.
func (b *fakeSession) fill(code string, x *event.Execution) {
	var pairs [][2]any
	for _, m := range fillRE.FindAllStringSubmatch(code, -1) {
		v, ok := b.vars[m[1]]
		if !ok {
			x.Status, x.Error = event.Error, &event.Raised{Name: "NameError", Value: m[1]}
			return
		}
		pairs = append(pairs, [2]any{v, true})
	}
	data, err := json.Marshal(pairs)
	if err != nil {
		b.w.t.Error(err)
	}
	x.Result = event.Bundle{"text": "'" + string(data) + "'"}
}

func (b *fakeSession) run(lines []string, x *event.Execution) {
	for i := 0; i < len(lines) && x.Status == event.OK; i++ {
		if m := defRE.FindStringSubmatch(lines[i]); m != nil {
			var body []string
			for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "  ") {
				i++
				body = append(body, strings.TrimSpace(lines[i]))
			}
			b.funcs[m[1]] = strings.Join(body, "\n")
			continue
		}
		if m := callRE.FindStringSubmatch(lines[i]); m != nil {
			b.run(strings.Split(b.funcs[m[1]], "\n"), x)
			continue
		}
		b.command(lines[i], x)
	}
}

func (b *fakeSession) command(line string, x *event.Execution) {
	word, rest, _ := strings.Cut(line, " ")
	name, words, _ := strings.Cut(rest, " ")
	raise := func(name, value string) {
		x.Status, x.Error = event.Error, &event.Raised{Name: name, Value: value, Traceback: "line: " + line + "\n" + name + ": " + value}
	}
	switch word {
	case "set":
		b.vars[name] = words
	case "show":
		x.Stdout += b.vars[name] + "\n"
	case "err":
		x.Stderr += rest + "\n"
	case "value":
		x.Result = event.Bundle{"text": b.vars[name]}
	case "display":
		x.Displays = append(x.Displays, event.Bundle{name: words})
	case "write":
		kind := "created"
		if _, ok := b.files[name]; ok {
			kind = "changed"
		}
		b.files[name] = words
		sum := sha256.Sum256([]byte(words))
		x.Changes = append(x.Changes, event.Change{Path: name, Kind: kind, Bytes: int64(len(words)), SHA256: hex.EncodeToString(sum[:])})
	case "read":
		x.Stdout += b.files[name]
	case "raise":
		raise(name, words)
	case "ask":
		b.call(rest, x)
	case "check":
		if b.vars[name] != words {
			raise("AssertionError", b.vars[name]+" is not "+words)
		}
	case "die":
		x.Status, x.State, x.Message = event.Crashed, event.Lost, "killed after 1.5s; the kernel was restarted: the variables are lost, files are kept"
		x.StateNote = "the kernel was restarted: the variables are lost, files are kept"
		b.vars, b.funcs = map[string]string{}, map[string]string{}
	case "", "#":
	default:
		raise("SyntaxError", line)
	}
}

// Records implements Source.
func (w *world) Records(_ context.Context, id string) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		records, ok := w.records[id]
		if !ok {
			yield(event.Record{}, fault.New(fault.NotFound, "", "cannot read run %s: there is none", id))
			return
		}
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Blob implements Source.
func (w *world) Blob(_ context.Context, sum string) (io.ReadCloser, error) {
	data, ok := w.blobs[sum]
	if !ok {
		return nil, fault.New(fault.NotFound, "", "cannot open content %s: it is gone", sum)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// recorder records a run into the world.
type recorder struct {
	w  *world
	id string
	mu sync.Mutex
}

func (r *recorder) Emit(e event.Event) {
	if event.Transient(e) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	data, err := event.Marshal(e)
	if err == nil {
		e, err = event.Unmarshal(event.Name(e), data)
	}
	if err != nil {
		r.w.t.Error(err)
	}
	n := int64(len(r.w.records[r.id]) + 1)
	r.w.records[r.id] = append(r.w.records[r.id], event.Record{Seq: n, Time: time.Unix(n, 0).UTC(), Event: e})
}

func (r *recorder) Keep(_ context.Context, _ string, in io.Reader) (string, int64, string, error) {
	data, err := io.ReadAll(in)
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:])
	r.w.blobs[name] = data
	return name, int64(len(data)), "", err
}

func (r *recorder) Err() error { return nil }

// begin begins a recording.
func (w *world) begin(id string, began event.RunBegan) *recorder {
	r := &recorder{w: w, id: id}
	delete(w.records, id)
	r.Emit(began)
	return r
}

func model(t *testing.T, script string) llm.Model {
	t.Helper()
	m, err := scripted.Parse("case", strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// modelFrom is a model whose script begins at a step: what it said before counts as said.
func modelFrom(t *testing.T, step int, script string) llm.Model {
	t.Helper()
	return model(t, strings.Repeat("=== reply\nNothing.\n", step-1)+script)
}

const question = "What does the file come to?"

// ask records a run that answers the question.
func (w *world) ask(id, script string) Recording {
	w.t.Helper()
	began := event.RunBegan{Kind: event.Ask, Question: question, Model: "scripted:case", Scripted: true, MaxSteps: 9, Program: "1.0"}
	rec := w.begin(id, began)
	task := run.Task{
		Languages: languages,
		Began:     began, Snapshots: true,
		Open: func(ctx context.Context) (run.Session, error) { return w.open(ctx, event.SessionBegan{}) },
		Inputs: []run.Input{{
			File: agent.File{Name: "a.csv", Path: "/work/a.csv", Bytes: 2, Profile: "7\n"},
			Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("7\n")), nil },
		}},
	}
	if _, err := run.Ask(w.t.Context(), task, agent.Config{Model: model(w.t, script)}, rec); err != nil {
		w.t.Logf("the run has no answer: %v", err)
	}
	return w.load(id)
}

// code records a run of code.
func (w *world) code(id string, pieces ...string) Recording {
	w.t.Helper()
	began := event.RunBegan{Kind: event.Code, Question: pieces[0]}
	rec := w.begin(id, began)
	task := run.Task{
		Languages: languages,
		Began:     began, Snapshots: true,
		Open: func(ctx context.Context) (run.Session, error) { return w.open(ctx, event.SessionBegan{}) },
	}
	var all []run.Piece
	for _, code := range pieces {
		all = append(all, run.Piece{Code: code})
	}
	if _, err := run.Code(w.t.Context(), task, all, true, rec); err != nil {
		w.t.Fatal(err)
	}
	return w.load(id)
}

func (w *world) load(id string) Recording {
	w.t.Helper()
	r, err := Load(w.t.Context(), w, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// edit changes the records of a run.
func (w *world) edit(id string, change func(event.Event) event.Event) {
	w.t.Helper()
	records := slices.Clone(w.records[id])
	w.records[id] = records[:0]
	for _, r := range records {
		if r.Event = change(r.Event); r.Event != nil {
			w.records[id] = append(w.records[id], r)
		}
	}
}

// cut ends the records of a run behind the n-th event called name.
func (w *world) cut(id, name string, n int) {
	w.t.Helper()
	for i, r := range w.records[id] {
		if event.Name(r.Event) == name {
			if n--; n == 0 {
				w.records[id] = w.records[id][:i+1]
				return
			}
		}
	}
	w.t.Fatalf("run %s has no such %s", id, name)
}
