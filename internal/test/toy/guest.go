// Package toy makes sessions without a sandbox, for tests of what is done with
// sessions: guests that speak the protocol and run a language of one directive
// a line, so that a test says in its own text what the guest does, and images
// that nobody has to build. It is no boundary at all.
//
//	print TEXT      to standard output        err TEXT      to standard error
//	bytes HEX       raw, to standard output   value TEXT    the value of the last expression
//	raise NAME TEXT an exception              status NAME STATE MESSAGE   ends so
//	write NAME TEXT a file in /work           link NAME     a symbolic link
//	make NAME TEXT  the same, and the result lists it
//	writeunreadable NAME  one that is refused when it is read
//	picture         displays a PNG            set X / get X a variable
//	cat NAME        prints a file in /work    limits        prints those of the session and the code
//	later TEXT      a thread prints, when it is waited for
//	width           prints the columns that it was asked to print for, 0 for none
//	rich MIME TEXT  displays a value that has no text of its own
//	call TOOL JSON  calls a tool, and prints what it gives
//	beside TEXT     prints it again and again while calls wait
//	fetch URL       gets a page by HTTP through the way out, and prints it
//	cut             prints more than is shown
//	args            prints the arguments of the code, as literals
//	stdin           prints what the code is given to read
//	hang            a thread that never ends
//	wait            until it is interrupted
//	die             the guest ends
//
// Its processes are programs of one word: "echo" prints its arguments and ends, "cat" prints
// what it is given (and greets, if the variable GREET is set), "sleep" waits for a signal, "exit" ends with the code that it is given,
// "die" ends the guest.
// At port 80 it answers what is sent to it once that has ended, or once a line is empty.
package toy

import (
	"archive/tar"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/internal/guest/wire"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/sandbox"
	"praxis/internal/sandbox/fake"
)

// Backend returns a backend whose guests are toys.
func Backend() sandbox.Backend {
	lang := python.Language() // it assembles the kernel, which takes longer than what a toy does
	waiting, refresh := lang.Model.Rest, lang.Refresh("/home/user/.packages")
	return fake.New(fake.Config{Program: func(s sandbox.Spec) fake.Program {
		return &guest{waiting: waiting, refresh: refresh, limits: s.Limits, state: state{Files: map[string]file{}, Vars: map[string]bool{}}, stop: make(chan struct{}, 1)}
	}})
}

// state is what a snapshot of a toy holds.
type state struct {
	Files map[string]file // by absolute path
	Vars  map[string]bool
	Later []string // what threads print at the end
	Hang  bool
	Ran   int // executions, so that no two states are the same
	Procs []proc
}

type file struct {
	Data    []byte
	Changed time.Time
	Link    bool
	Refused bool
}

// guest is one toy.
type guest struct {
	waiting string // the code that waits for threads
	refresh string // the code that has new packages be found
	limits  event.Limits
	stop    chan struct{} // interrupts the code that waits

	mu    sync.Mutex
	state state
	args  string // of the code, as literals
	out   io.Writer
	write map[uint32]*upload // files that are being written, by request

	requests map[uint32]*request // at the host, by id
	sent     uint32              // requests that there were

	followers map[string]uint32 // the requests that follow processes, by their names
	watchers  map[uint32]string // the folders that are watched, by request
	forwards  map[uint32]*bytes.Buffer

	tasks sync.WaitGroup
}

// upload is a file whose content comes as data, or a folder whose archive does.
type upload struct {
	path   string
	data   []byte
	folder bool
}

// Save implements fake.Program.
func (g *guest) Save() ([]byte, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return json.Marshal(g.state)
}

// Load implements fake.Program.
func (g *guest) Load(b []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return json.Unmarshal(b, &g.state)
}

// Run implements fake.Program.
func (g *guest) Run(in io.Reader, out io.Writer) int {
	g.out, g.write, g.requests = out, map[uint32]*upload{}, map[uint32]*request{}
	g.forget()
	died := make(chan struct{})
	frames := make(chan wire.Frame)
	go func() { // ends when the input does, at the latest when the sandbox is closed
		defer close(frames)
		for r := wire.NewReader(in); ; {
			f, err := r.Next()
			if err != nil {
				return
			}
			f.Body = slices.Clone(f.Body)
			select {
			case frames <- f:
			case <-died:
				return
			}
		}
	}()
	defer g.tasks.Wait()
	defer g.interrupt()
	var once sync.Once
	for {
		select {
		case f, ok := <-frames:
			if !ok {
				return 0
			}
			g.take(f, func() { once.Do(func() { close(died) }) })
		case <-died:
			return 3
		}
	}
}

func (g *guest) interrupt() {
	select {
	case g.stop <- struct{}{}:
	default: // it is interrupted already
	}
}

// send writes one frame.
func (g *guest) send(kind wire.Kind, id uint32, body ...[]byte) {
	frame, err := wire.Append(nil, kind, id, body...)
	if err != nil {
		panic(err) // a test that makes the toy say more than a frame holds
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	_, _ = g.out.Write(frame) // a host that is gone needs no answer
}

func (g *guest) sendJSON(kind wire.Kind, id uint32, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // what the toy says is plain data
	}
	g.send(kind, id, body)
}

func (g *guest) fail(id uint32, kind, format string, args ...any) {
	g.sendJSON(wire.Failure, id, wire.Fault{Kind: kind, Message: fmt.Sprintf(format, args...)})
}

// take answers one frame. die ends the guest.
func (g *guest) take(f wire.Frame, die func()) {
	if f.ID&wire.GuestBit != 0 && g.answer(f) {
		return
	}
	switch f.Kind {
	case wire.HelloKind:
		var h wire.Hello
		if json.Unmarshal(f.Body, &h) != nil {
			die()
			return
		}
		g.forget()
		g.sendJSON(wire.HelloKind, 0, wire.Hello{Version: wire.Version, Epoch: h.Epoch})
	case wire.Data:
		g.input(f, false)
		if u := g.write[f.ID]; u != nil {
			u.data = append(u.data, f.Body...)
			n := uint32(wire.Cost(len(f.Body)))
			g.send(wire.Credit, f.ID, []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
		}
	case wire.Cancel:
		g.canceled(f)
	case wire.End:
		g.input(f, true)
		if u := g.write[f.ID]; u != nil {
			delete(g.write, f.ID)
			if u.folder {
				g.unpack(u)
				g.sendJSON(wire.Response, f.ID, struct{}{})
				return
			}
			g.put(u.path, file{Data: u.data, Changed: time.Unix(1, 0)})
			g.sendJSON(wire.Response, f.ID, g.info(u.path))
		}
	case wire.Request:
		g.request(f, die)
	}
}

func (g *guest) request(f wire.Frame, die func()) {
	var op wire.Op
	if json.Unmarshal(f.Body, &op) != nil {
		die()
		return
	}
	switch op.Op {
	case wire.OpSetup:
		var s wire.Setup
		_ = json.Unmarshal(f.Body, &s) // what is not said is zero
		g.sendJSON(wire.Response, f.ID, wire.SetupReply{Version: "toy"})
	case wire.OpContexts:
		g.mu.Lock()
		all := []wire.ContextInfo{{Name: wire.Main, Language: "python", State: "idle"}}
		for _, name := range slices.Sorted(maps.Keys(g.state.Vars)) {
			if name, ok := strings.CutPrefix(name, contextVar); ok {
				all = append(all, wire.ContextInfo{Name: name, Language: "python", State: "idle"})
			}
		}
		g.mu.Unlock()
		g.sendJSON(wire.Response, f.ID, wire.Contexts{Contexts: all})
	case wire.OpInterrupt:
		g.interrupt()
		g.sendJSON(wire.Response, f.ID, struct{}{})
	case wire.OpRestart:
		g.mu.Lock()
		maps.DeleteFunc(g.state.Vars, func(name string, _ bool) bool { return !strings.HasPrefix(name, contextVar) })
		g.mu.Unlock()
		g.sendJSON(wire.Response, f.ID, struct{}{})
	case wire.OpComplete:
		var c wire.Complete
		_ = json.Unmarshal(f.Body, &c)
		g.sendJSON(wire.Response, f.ID, wire.Completion{End: c.Cursor, Matches: []string{c.Code + "_completed", "hidden\x1b[2K"}})
	case wire.OpRehearse:
		g.sendJSON(wire.Response, f.ID, wire.Executed{Status: event.OK.String(), State: string(event.Intact)})
	case wire.OpExecute:
		var x wire.Execute
		_ = json.Unmarshal(f.Body, &x)
		if x.Context != "" && x.Context != wire.Main {
			g.mu.Lock()
			g.state.Vars[contextVar+x.Context] = true
			g.mu.Unlock()
		}
		select {
		case <-g.stop: // an interrupt that came too late for the code before
		default:
		}
		g.tasks.Go(func() {
			e := &execution{guest: g, id: f.ID, die: die, done: wire.Executed{Status: event.OK.String(), State: string(event.Intact), WallMS: 5, PeakMemoryBytes: 1 << 20}}
			if e.run(x) {
				g.sendJSON(wire.Response, f.ID, e.done)
			}
		})
	case wire.OpWrite:
		var w wire.Write
		_ = json.Unmarshal(f.Body, &w)
		g.write[f.ID] = &upload{path: absolute(w.Path)}
	case wire.OpExtract:
		var x wire.Extract
		_ = json.Unmarshal(f.Body, &x)
		g.write[f.ID] = &upload{path: absolute(x.Dir), folder: true}
	case wire.OpRead:
		g.read(f)
	case wire.OpList:
		g.list(f)
	default:
		if !g.live(op.Op, f, die) {
			g.sendJSON(wire.Response, f.ID, struct{}{})
		}
	}
}

func absolute(name string) string {
	if !path.IsAbs(name) {
		name = path.Join(wire.DefaultWorkdir, name)
	}
	return path.Clean(name)
}

func (g *guest) put(name string, f file) {
	g.mu.Lock()
	_, there := g.state.Files[name]
	g.state.Files[name] = f
	g.mu.Unlock()
	g.changed(name, there, true)
}

// unpack makes the files of an archive.
func (g *guest) unpack(u *upload) {
	r := tar.NewReader(bytes.NewReader(u.data))
	for {
		h, err := r.Next()
		if err != nil {
			return
		}
		data, _ := io.ReadAll(r) // what is there of a damaged archive
		g.put(path.Join(u.path, h.Name), file{Data: data, Changed: time.Unix(1, 0)})
	}
}

func (g *guest) info(name string) wire.FileInfo {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.state.Files[name]
	i := wire.FileInfo{Path: name, Kind: wire.KindFile, Size: int64(len(f.Data)), Mode: 0o644, ModTime: f.Changed.UnixNano()}
	if f.Link {
		i.Kind = wire.KindSymlink
	}
	return i
}

func (g *guest) read(r wire.Frame) {
	var p wire.Path
	_ = json.Unmarshal(r.Body, &p)
	name := absolute(p.Path)
	g.mu.Lock()
	f, ok := g.state.Files[name]
	g.mu.Unlock()
	switch {
	case !ok:
		g.fail(r.ID, "not_found", "cannot read %s: there is no such file", name)
	case f.Refused:
		g.fail(r.ID, "invalid", "cannot read %s: it is refused", name)
	default:
		if len(f.Data) > 0 {
			g.send(wire.Data, r.ID, f.Data)
		}
		g.send(wire.End, r.ID)
		g.sendJSON(wire.Response, r.ID, g.info(name))
	}
}

func (g *guest) list(r wire.Frame) {
	var l wire.List
	_ = json.Unmarshal(r.Body, &l)
	g.mu.Lock()
	names := slices.Sorted(maps.Keys(g.state.Files))
	g.mu.Unlock()
	var found wire.Files
	for _, name := range names {
		if strings.HasPrefix(name, strings.TrimSuffix(absolute(l.Path), "/")+"/") {
			found.Files = append(found.Files, g.info(name))
		}
	}
	if len(found.Files) > 0 {
		g.sendJSON(wire.Event, r.ID, found)
	}
	g.sendJSON(wire.Response, r.ID, wire.Listed{})
}

// execution is one piece of code that a toy runs.
type execution struct {
	*guest
	id   uint32
	seq  uint64
	die  func()
	done wire.Executed

	beside string // is printed while calls wait
}

// stateNote finds what sessions say of the variables.
var stateNote = regexp.MustCompile(`(the kernel was restarted|the variables are).*$`)

func (e *execution) emit(s event.Stream, data string) {
	e.seq++
	e.send(wire.Output, e.id, wire.AppendOutput(nil, e.seq, uint8(s)), []byte(data))
}

func (e *execution) display(b wire.Bundle) {
	e.seq++
	e.sendJSON(wire.Event, e.id, wire.ExecEvent{Seq: e.seq, Type: wire.EventDisplay, Bundle: b})
}

// run runs the directives. It returns false when the guest died of them.
func (e *execution) run(x wire.Execute) (alive bool) {
	if x.Code == e.waiting {
		e.rest()
		return true
	}
	if x.Code == e.refresh {
		return true
	}
	if strings.HasPrefix(x.Code, "def __invoke__") {
		e.invoked(x.Code)
		return true
	}
	e.mu.Lock()
	e.state.Ran++
	e.mu.Unlock()
	for line := range strings.SplitSeq(x.Code, "\n") {
		verb, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "die":
			e.die()
			return false
		case "width":
			e.emit(event.Stdout, fmt.Sprintln(x.Columns))
		case "limits":
			e.emit(event.Stdout, fmt.Sprintf("%d %g %d %v\n", e.limits.Memory, e.limits.CPUs, e.limits.Processes, time.Duration(x.WallMS)*time.Millisecond))
		default:
			if e.directive(verb, arg) {
				return true
			}
		}
	}
	return true
}

// invoked notes the arguments that code of Python is given.
func (e *execution) invoked(code string) {
	_, call, _ := strings.Cut(code, "\n__invoke__([")
	args, _, _ := strings.Cut(call, "], ")
	e.mu.Lock()
	e.args = args
	e.mu.Unlock()
}

// rest prints what threads say that were left.
func (e *execution) rest() {
	e.mu.Lock()
	later, hang := e.state.Later, e.state.Hang
	e.mu.Unlock()
	if len(later) == 0 {
		e.done.WallMS, e.done.PeakMemoryBytes = 0, 0
	}
	for _, text := range later {
		e.emit(event.Stdout, text+"\n")
	}
	if hang {
		e.done.Status, e.done.Limit = event.Timeout.String(), wire.LimitWall
		e.done.Message, e.done.StateNote = "the limit was reached; the code was interrupted; the variables are kept", "the variables are kept"
		e.done.Result = wire.Bundle{"text": "1"}
	}
}

// directive runs one directive. It returns true when the code ends with it.
func (e *execution) directive(verb, arg string) (over bool) {
	first, rest, _ := strings.Cut(arg, " ")
	name := path.Join(wire.DefaultWorkdir, first)
	switch verb {
	case "print":
		e.emit(event.Stdout, arg+"\n")
	case "err":
		e.emit(event.Stderr, arg+"\n")
	case "bytes":
		if raw, err := hex.DecodeString(arg); err == nil {
			e.emit(event.Stdout, string(raw))
		}
	case "value":
		e.done.Result = wire.Bundle{"text": arg}
	case "write":
		e.put(name, file{Data: []byte(rest + "\n"), Changed: time.Unix(2, 0)})
	case "make":
		e.put(name, file{Data: []byte(rest + "\n"), Changed: time.Unix(2, 0)})
		e.done.Changes = append(e.done.Changes, wire.FileChange{Path: name, Kind: wire.Created, Bytes: int64(len(rest) + 1)})
	case "writeunreadable":
		e.put(name, file{Refused: true, Changed: time.Unix(2, 0)})
	case "link":
		e.put(name, file{Link: true, Changed: time.Unix(2, 0)})
	case "cat":
		e.mu.Lock()
		data := e.state.Files[name].Data
		e.mu.Unlock()
		e.emit(event.Stdout, fmt.Sprintf("%s holds %q\n", arg, data))
	case "beside":
		e.beside = arg
	case "call":
		e.call(first, rest)
	case "fetch":
		e.fetch(first)
	case "picture":
		e.display(wire.Bundle{"text": "<Figure>", "image/png": base64.StdEncoding.EncodeToString([]byte("PNG"))})
	case "rich":
		e.display(wire.Bundle{"text": "<pkg.Thing object at 0x7ece8>", first: rest})
	case "cut":
		e.done.OutputFile = "/tmp/whole.out"
		e.put(e.done.OutputFile, file{Data: []byte("all of it\n")})
		e.emit(event.Stdout, "all")
		e.seq++
		e.sendJSON(wire.Event, e.id, wire.ExecEvent{Seq: e.seq, Type: wire.EventCut, Stdout: 3, File: e.done.OutputFile})
		e.emit(event.Stdout, "it\n")
	default:
		return e.stateful(verb, arg)
	}
	return false
}

// stateful runs a directive on variables, threads or the end of the code.
func (e *execution) stateful(verb, arg string) (over bool) {
	first, rest, _ := strings.Cut(arg, " ")
	switch verb {
	case "set", "later", "hang":
		e.mu.Lock()
		defer e.mu.Unlock()
		switch verb {
		case "set":
			e.state.Vars[arg] = true
		case "later":
			e.state.Later = append(e.state.Later, arg)
		case "hang":
			e.state.Hang = true
		}
	case "get":
		e.mu.Lock()
		v := e.state.Vars[arg]
		e.mu.Unlock()
		e.emit(event.Stdout, fmt.Sprintf("%s is %v\n", arg, v))
	case "wait":
		<-e.stop
		e.done.Status = event.Interrupted.String()
		return true
	case "args":
		e.mu.Lock()
		args := e.args
		e.mu.Unlock()
		e.emit(event.Stdout, args+"\n")
	case "stdin":
		e.mu.Lock()
		data := e.state.Files[language.StdinPath].Data
		e.mu.Unlock()
		e.emit(event.Stdout, string(data))
	case "raise":
		e.done.Status = event.Error.String()
		e.done.Error = &wire.Raised{Name: first, Value: rest, Traceback: "Traceback (most recent call last):\n  <cell 1>\n" + first + ": " + rest + "\n"}
		return true
	case "status":
		state, message, _ := strings.Cut(rest, " ")
		e.done.Status, e.done.State, e.done.Message = first, state, message
		e.done.StateNote = stateNote.FindString(message)
		return true
	}
	return false
}
