package cli

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/bench"
	"praxis/internal/config"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/image"
	"praxis/internal/llm"
	"praxis/internal/run"
	"praxis/internal/sandbox"
	"praxis/internal/session"
)

// fakeEngine is an engine without sandboxes. Its guest runs a language of one
// directive a line, so that a test says in its own text what the guest does:
//
//	print TEXT      to standard output        err TEXT      to standard error
//	bytes HEX       raw, to standard output   value TEXT    the value of the last expression
//	raise NAME TEXT an exception              status NAME STATE MESSAGE   ends so
//	write NAME TEXT a file in /work           link NAME     a symbolic link
//	writeunreadable NAME  one that is refused when it is read
//	picture         displays a PNG            set X / get X a variable, kept in a named session
//	cat NAME        prints a file in /work
//	later TEXT      a thread prints, when it is waited for
//	rich MIME TEXT  displays a value that has no text of its own
//	cut             prints more than is shown
//	hang            a thread that never ends
//	wait            until it is interrupted
type fakeEngine struct {
	home   string
	getenv func(string) string
	limits event.Limits
	kept   *app.Records
}

func openFake(getenv func(string) string) func(context.Context, config.Config) (engine, error) {
	return func(_ context.Context, c config.Config) (engine, error) {
		if getenv("FAKE_BROKEN") != "" {
			return nil, errors.New("cannot open engine: it is broken")
		}
		r, err := app.OpenRecords(c, []string{"FAKE_API_KEY=" + getenv("FAKE_API_KEY")}, "test")
		if err != nil {
			return nil, err
		}
		return &fakeEngine{c.Home, getenv, c.Limits, r}, os.MkdirAll(c.Home, 0o700)
	}
}

// stateNote finds what sessions say of the variables.
var stateNote = regexp.MustCompile(`(the kernel was restarted|the variables are|the session was started anew|the session went back).*$`)

// fakeState is what a session holds.
type fakeState struct {
	Files map[string]fakeFile
	Vars  map[string]bool
}

type fakeFile struct {
	Data    []byte
	Changed time.Time
	Link    bool
	Refused bool
}

func (s fakeState) clone() fakeState {
	return fakeState{maps.Clone(s.Files), maps.Clone(s.Vars)}
}

// fakeStore is the named sessions, in one file.
type fakeStore struct {
	Infos  map[string]session.NamedInfo
	States map[string]fakeState // by snapshot
}

func (e *fakeEngine) file() string { return filepath.Join(e.home, "fake.json") }

func (e *fakeEngine) load() (fakeStore, error) {
	s := fakeStore{map[string]session.NamedInfo{}, map[string]fakeState{}}
	data, err := os.ReadFile(e.file())
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

func (e *fakeEngine) store(s fakeStore) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(e.file(), data, 0o600)
}

func (e *fakeEngine) named() namedSessions  { return e }
func (e *fakeEngine) images() images        { return fakeImages{} }
func (e *fakeEngine) Close() error          { return e.kept.Close() }
func (e *fakeEngine) records() *app.Records { return e.kept }

func (e *fakeEngine) CollectSnapshots(context.Context, session.Collect) (session.Collected, error) {
	return session.Collected{Snapshots: []session.Removed{}, Templates: []session.Removed{}}, nil
}

func (e *fakeEngine) model(name string) (llm.Model, error) { return app.NewModel(name, e.getenv) }

func (e *fakeEngine) host(context.Context) (sandbox.Host, error) {
	h := sandbox.Host{
		Backend: "fake", Boundary: "none: this is a test", Platform: "go",
		Limits: []sandbox.Enforcement{{Limit: "memory", By: "nobody"}},
	}
	if e.getenv("FAKE_FATAL") != "" {
		h.Findings = []sandbox.Finding{{Fatal: true, What: "there is no boundary", Remedy: "Use another backend."}}
	}
	return h, nil
}

func (e *fakeEngine) bench(_ context.Context, img image.Image, suites []string, _ event.Sink) (bench.Report, error) {
	return bench.Report{Image: img.Name, Machine: bench.Machine{CPU: "fake", Cores: 1}, Figures: map[string]bench.Figure{
		"restore_ms": {P50: 98.7, P95: 120, P99: 130.4, Runs: len(suites)},
	}}, nil
}

func (e *fakeEngine) open(_ context.Context, o sessionOptions, sink event.Sink) (workspace, error) {
	if slices.Contains(o.with, "missing") {
		return nil, fault.New(fault.NotFound, "Check the name.", "cannot build image: there is no package %q", "missing")
	}
	w := &fakeWorkspace{e: e, name: o.name, limits: o.limits(e.limits), stop: make(chan struct{}, 1),
		state: fakeState{map[string]fakeFile{}, map[string]bool{}}}
	if o.name == "" {
		return w, nil
	}
	s, err := e.load()
	if err != nil {
		return nil, err
	}
	if info, ok := s.Infos[o.name]; ok {
		w.state = s.States[info.Head].clone()
	}
	sink.Emit(event.Progress{Room: "session", Text: "opened " + o.name})
	return w, nil
}

// fakeWorkspace is one session.
type fakeWorkspace struct {
	e      *fakeEngine
	name   string
	limits event.Limits
	state  fakeState
	stop   chan struct{}
	later  []string // what threads print at the end
	hang   bool
}

func (w *fakeWorkspace) describe() event.SessionBegan {
	return event.SessionBegan{Session: "s-fake", Name: w.name, Image: event.Image{ID: "0123456789abcdef0123", Name: "python"}}
}

func (w *fakeWorkspace) snapshot(context.Context) (run.Saved, error) {
	return run.Saved{Snapshot: "00112233445566778899aabbccddeeff", Bytes: 1}, nil
}

func (w *fakeWorkspace) disk() int64  { return w.limits.Disk }
func (w *fakeWorkspace) Close() error { return nil }

func (w *fakeWorkspace) interrupt(context.Context) error {
	w.stop <- struct{}{}
	return nil
}

func (w *fakeWorkspace) restart(context.Context) error {
	w.state.Vars = map[string]bool{}
	return nil
}

func (w *fakeWorkspace) complete(_ context.Context, code string, cursor int) (completion, error) {
	return completion{0, cursor, []string{code + "_completed", "hidden\x1b[2K"}}, nil
}

func (w *fakeWorkspace) offer(context.Context, wire.Offer, guest.Host) error { return nil }

func (w *fakeWorkspace) put(_ context.Context, path string, r io.Reader) error {
	data, err := io.ReadAll(r)
	w.state.Files[path] = fakeFile{Data: data, Changed: time.Unix(1, 0)}
	return err
}

func (w *fakeWorkspace) get(_ context.Context, path string, to io.Writer) error {
	f, ok := w.state.Files[path]
	if !ok {
		return fault.New(fault.NotFound, "", "cannot read %s: there is no such file", path)
	}
	if f.Refused {
		return fault.New(fault.Invalid, "", "cannot read %s: it is refused", path)
	}
	_, err := to.Write(f.Data)
	return err
}

func (w *fakeWorkspace) list(context.Context, string) ([]guestFile, error) {
	var out []guestFile
	for path, f := range w.state.Files {
		out = append(out, guestFile{path, !f.Link, int64(len(f.Data)), f.Changed})
	}
	return out, nil
}

func (w *fakeWorkspace) save(_ context.Context, label string) (string, error) {
	s, err := w.e.load()
	if err != nil {
		return "", err
	}
	info := s.Infos[w.name]
	id := fmt.Sprintf("%02d%s", len(info.Snapshots)+1, hex.EncodeToString([]byte(w.name)))
	s.States[id] = w.state
	info.Name, info.Used = w.name, time.Unix(int64(len(s.States)), 0)
	info.Snapshots = append(info.Snapshots, session.SnapshotInfo{ID: id, Parent: info.Head, Label: label, Bytes: 2048, Created: info.Used})
	info.Head = id
	s.Infos[w.name] = info
	return id, w.e.store(s)
}

// execute runs the directives. Output limits are the guest's affair and are not imitated.
func (w *fakeWorkspace) execute(ctx context.Context, code string, x session.Exec, sink event.Sink) (event.Execution, error) {
	out := event.Execution{Status: event.OK, State: event.Kept, Session: "s-fake", Usage: event.Usage{WallMS: 5, PeakMemoryBytes: 1 << 20}}
	emit := func(s event.Stream, data string) {
		sink.Emit(event.Output{Stream: s, Data: []byte(data)})
		if s == event.Stderr {
			out.Stderr += data
		} else {
			out.Stdout += data
		}
	}
	if code == run.RestCode {
		if len(w.later) == 0 {
			out.Usage = event.Usage{}
		}
		for _, text := range w.later {
			emit(event.Stdout, text+"\n")
		}
		if w.hang {
			out.Status, out.Limit = event.Timeout, event.WallTime
			out.Message, out.StateNote = "the limit was reached; the code was interrupted; the variables are kept", "the variables are kept"
			out.Result = event.Bundle{"text": "1"}
		}
		return out, nil
	}
	for line := range strings.SplitSeq(code, "\n") {
		verb, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
		first, rest, _ := strings.Cut(arg, " ")
		switch verb {
		case "print":
			emit(event.Stdout, arg+"\n")
		case "err":
			emit(event.Stderr, arg+"\n")
		case "bytes":
			raw, err := hex.DecodeString(arg)
			if err != nil {
				return out, err
			}
			emit(event.Stdout, string(raw))
		case "value":
			out.Result = event.Bundle{"text": arg}
		case "write":
			w.state.Files["/work/"+first] = fakeFile{Data: []byte(rest + "\n"), Changed: time.Unix(2, 0)}
		case "writeunreadable":
			w.state.Files["/work/"+first] = fakeFile{Refused: true, Changed: time.Unix(2, 0)}
		case "link":
			w.state.Files["/work/"+first] = fakeFile{Link: true, Changed: time.Unix(2, 0)}
		case "picture":
			b := event.Bundle{"text": "<Figure>", "image/png": base64.StdEncoding.EncodeToString([]byte("PNG"))}
			sink.Emit(event.Display{Bundle: b})
			out.Displays = append(out.Displays, b)
		case "limits":
			emit(event.Stdout, fmt.Sprintf("%d %g %d %v\n", w.limits.Memory, w.limits.CPUs, w.limits.Processes, x.Timeout))
		case "set":
			w.state.Vars[arg] = true
		case "get":
			emit(event.Stdout, fmt.Sprintf("%s is %v\n", arg, w.state.Vars[arg]))
		case "wait":
			select {
			case <-w.stop:
			case <-ctx.Done():
			}
			out.Status, out.Message = event.Interrupted, ""
			return out, nil
		case "raise":
			out.Status = event.Error
			out.Error = &event.Raised{Name: first, Value: rest, Traceback: "Traceback (most recent call last):\n  <cell 1>\n" + first + ": " + rest + "\n"}
			return out, nil
		case "rich":
			b := event.Bundle{"text": "<pkg.Thing object at 0x7ece8>", first: rest}
			sink.Emit(event.Display{Bundle: b})
			out.Displays = append(out.Displays, b)
		case "cut":
			out.OutputFile = "/tmp/whole.out"
			w.state.Files[out.OutputFile] = fakeFile{Data: []byte("all of it\n")}
			emit(event.Stdout, "all")
			emit(event.Stdout, "\n… [3 bytes left out; the whole is in /tmp/whole.out] …\n")
			emit(event.Stdout, "it\n")
		case "later":
			w.later = append(w.later, arg)
		case "hang":
			w.hang = true
		case "cat":
			emit(event.Stdout, fmt.Sprintf("%s holds %q\n", arg, w.state.Files["/work/"+arg].Data))
		case "status":
			state, message, _ := strings.Cut(rest, " ")
			if event.State(state) == event.Fresh {
				w.state = fakeState{map[string]fakeFile{}, map[string]bool{}}
			}
			out.State, out.Message = event.State(state), message
			out.StateNote = stateNote.FindString(message)
			return out, out.Status.UnmarshalText([]byte(first))
		}
	}
	return out, nil
}

func (e *fakeEngine) ListNamed(context.Context) ([]session.NamedInfo, error) {
	s, err := e.load()
	all := slices.Collect(maps.Values(s.Infos))
	slices.SortFunc(all, func(a, b session.NamedInfo) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}

func (e *fakeEngine) lookup(name string) (fakeStore, session.NamedInfo, error) {
	s, err := e.load()
	info, ok := s.Infos[name]
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "List them with praxis session ls.", "cannot open session %s: there is none", name)
	}
	return s, info, err
}

func (e *fakeEngine) LogNamed(_ context.Context, name string) ([]session.SnapshotInfo, error) {
	_, info, err := e.lookup(name)
	for i := range info.Snapshots {
		info.Snapshots[i].Head = info.Snapshots[i].ID == info.Head
	}
	return info.Snapshots, err
}

func (e *fakeEngine) ForkNamed(_ context.Context, from, to string) error {
	s, info, err := e.lookup(from)
	if err != nil {
		return err
	}
	if _, ok := s.Infos[to]; ok {
		return fault.New(fault.Conflict, "Choose another name.", "cannot fork session %s: %s exists already", from, to)
	}
	info.Name, info.Forked = to, from
	s.Infos[to] = info
	return e.store(s)
}

func (e *fakeEngine) RenameNamed(_ context.Context, from, to string) error {
	s, info, err := e.lookup(from)
	if err != nil {
		return err
	}
	info.Name = to
	s.Infos[to] = info
	delete(s.Infos, from)
	return e.store(s)
}

func (e *fakeEngine) RollbackNamed(_ context.Context, name, id string) (string, error) {
	s, info, err := e.lookup(name)
	if err != nil {
		return "", err
	}
	for _, snap := range info.Snapshots {
		if id == "" && snap.ID == info.Head {
			id = snap.Parent
			break
		}
	}
	if _, ok := s.States[id]; !ok {
		return "", fault.New(fault.NotFound, "", "cannot roll back session %s: there is no snapshot %s", name, id)
	}
	info.Head = id
	s.Infos[name] = info
	return id, e.store(s)
}

func (e *fakeEngine) RemoveNamed(_ context.Context, name string) error {
	s, _, err := e.lookup(name)
	if err != nil {
		return err
	}
	delete(s.Infos, name)
	return e.store(s)
}

// fakeImages is one image.
type fakeImages struct{}

func (fakeImages) Resolve(_ context.Context, r image.Request, sink event.Sink) (image.Image, error) {
	sink.Emit(event.Progress{Room: "image", Text: "building\x1b[2J"})
	if slices.Contains(r.With, "numpy,pandas") {
		return image.Image{}, fault.New(fault.Unavailable, "", "cannot build image: no package index can be reached")
	}
	img := image.Image{ID: "0123456789abcdef0123", Name: "python"}
	for _, name := range r.With {
		img.Name += "+" + name
		img.Packages = append(img.Packages, image.Package{Name: name, Version: "1.0"})
	}
	return img, nil
}

func (fakeImages) List(context.Context) ([]image.Info, error) {
	return []image.Info{{ID: "0123456789abcdef0123", Name: "python", Bytes: 150 << 20, Used: time.Unix(0, 0)}}, nil
}

func (fakeImages) Remove(_ context.Context, name string) error {
	if name != "python" {
		return fault.New(fault.NotFound, "List them with praxis image ls.", "cannot remove image %s: there is none", name)
	}
	return nil
}

func (fakeImages) Prune(_ context.Context, olderThan time.Duration) ([]image.Info, error) {
	if olderThan > 0 {
		return nil, nil
	}
	return []image.Info{{Name: "python", Bytes: 1 << 20}}, nil
}
