package toy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"praxis/event"
	"praxis/internal/guest/wire"
)

// contextVar begins the variables that stand for contexts.
const contextVar = "context:"

// proc is a process of a toy, which goes on in what is made of a snapshot.
type proc struct {
	wire.Process
	PID  int
	Seq  uint64
	Exit *wire.Exit
}

// forget forgets the requests that follow something, as a hello does.
func (g *guest) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.followers, g.watchers, g.forwards = map[string]uint32{}, map[uint32]string{}, map[uint32]*bytes.Buffer{}
}

// live serves the ops on processes, watches, ports and single files. It says whether the op is
// one of them.
func (g *guest) live(op string, f wire.Frame, die func()) bool {
	switch op {
	case wire.OpStart:
		g.start(f, die)
	case wire.OpConnect, wire.OpSignal, wire.OpResize:
		g.process(op, f)
	case wire.OpProcesses:
		g.processes(f)
	case wire.OpStat, wire.OpRemove, wire.OpMove:
		g.file(op, f)
	case wire.OpArchive:
		g.send(wire.Data, f.ID, []byte("an archive"))
		g.send(wire.End, f.ID)
		g.sendJSON(wire.Response, f.ID, struct{}{})
	case wire.OpWatch:
		var w wire.Watch
		_ = json.Unmarshal(f.Body, &w)
		g.mu.Lock()
		g.watchers[f.ID] = absolute(w.Path)
		g.mu.Unlock()
		g.sendJSON(wire.Event, f.ID, wire.Change{Type: wire.Rescan, Path: w.Path})
	case wire.OpForward:
		var d wire.Dial
		_ = json.Unmarshal(f.Body, &d)
		if d.Port != 80 {
			g.fail(f.ID, "unavailable", "nobody takes connections at port %d", d.Port)
			return true
		}
		g.mu.Lock()
		g.forwards[f.ID] = &bytes.Buffer{}
		g.mu.Unlock()
	case wire.OpDrop:
		var c wire.Context
		_ = json.Unmarshal(f.Body, &c)
		g.mu.Lock()
		there := g.state.Vars[contextVar+c.Context]
		delete(g.state.Vars, contextVar+c.Context)
		g.mu.Unlock()
		if !there {
			g.fail(f.ID, "not_found", "cannot use context %s: it does not exist", c.Context)
			return true
		}
		g.sendJSON(wire.Response, f.ID, struct{}{})
	default:
		return false
	}
	return true
}

// file serves an op on one file.
func (g *guest) file(op string, f wire.Frame) {
	var args struct {
		wire.Path
		wire.Move
	}
	_ = json.Unmarshal(f.Body, &args)
	name := absolute(args.Path.Path)
	if op == wire.OpMove {
		name = absolute(args.From)
	}
	g.mu.Lock()
	old, there := g.state.Files[name]
	folder := name == "/work" || name == "/tmp" || name == "/home/user"
	if op != wire.OpStat {
		delete(g.state.Files, name)
	}
	g.mu.Unlock()
	switch {
	case folder && op == wire.OpStat:
		g.sendJSON(wire.Response, f.ID, wire.FileInfo{Path: name, Kind: wire.KindFolder, Mode: 0o755})
		return
	case !there:
		g.fail(f.ID, "not_found", "cannot use %s: %v", name, fs.ErrNotExist)
		return
	case op == wire.OpStat:
		g.sendJSON(wire.Response, f.ID, g.info(name))
		return
	case op == wire.OpMove:
		g.put(absolute(args.To), old)
	}
	g.changed(name, true, false)
	g.sendJSON(wire.Response, f.ID, struct{}{})
}

// changed reports a change to the watches.
func (g *guest) changed(name string, was, is bool) {
	kind := wire.Created
	switch {
	case !is:
		kind = wire.Removed
	case was:
		kind = wire.Modified
	}
	g.mu.Lock()
	var watching []uint32
	for id, dir := range g.watchers {
		if path.Dir(name) == dir || name == dir {
			watching = append(watching, id)
		}
	}
	g.mu.Unlock()
	for _, id := range watching {
		g.sendJSON(wire.Event, id, wire.Change{Type: kind, Path: name})
	}
}

// find returns a process. g.mu is held.
func (g *guest) find(name string) *proc {
	if i := slices.IndexFunc(g.state.Procs, func(p proc) bool { return p.Proc == name }); i >= 0 {
		return &g.state.Procs[i]
	}
	return nil
}

func (g *guest) start(f wire.Frame, die func()) {
	var p proc
	_ = json.Unmarshal(f.Body, &p.Process)
	if p.Argv[0] == "die" {
		die()
		return
	}
	if !slices.Contains([]string{"echo", "cat", "sleep", "exit", "/bin/sh"}, p.Argv[0]) {
		g.fail(f.ID, "not_found", "cannot start program: there is no %s", p.Argv[0])
		return
	}
	g.mu.Lock()
	p.PID = 100 + len(g.state.Procs)
	g.state.Procs = append(g.state.Procs, p)
	g.followers[p.Proc] = f.ID
	g.mu.Unlock()
	g.sendJSON(wire.Event, f.ID, wire.Started{PID: p.PID})
	switch p.Argv[0] {
	case "echo":
		g.print(p.Proc, strings.Join(p.Argv[1:], " ")+"\n")
		g.ended(p.Proc, wire.Exit{})
	case "exit":
		code, _ := strconv.Atoi(p.Argv[1])
		g.ended(p.Proc, wire.Exit{Code: code})
	case "cat":
		if p.Env["GREET"] != "" {
			g.print(p.Proc, "hello\n")
		}
		if !p.Stdin && p.Terminal == nil {
			g.ended(p.Proc, wire.Exit{})
		}
	}
}

// print writes to whoever follows a process.
func (g *guest) print(name, text string) {
	g.mu.Lock()
	p := g.find(name)
	p.Seq++
	seq, id := p.Seq, g.followers[name]
	g.mu.Unlock()
	if id != 0 {
		g.send(wire.Output, id, wire.AppendOutput(nil, seq, uint8(event.Stdout)), []byte(text))
	}
}

// ended ends a process.
func (g *guest) ended(name string, exit wire.Exit) {
	g.mu.Lock()
	id := g.followers[name]
	delete(g.followers, name)
	if p := g.find(name); p.Exit == nil {
		p.Exit = &exit
	}
	g.mu.Unlock()
	if id != 0 {
		g.sendJSON(wire.Response, id, exit)
	}
}

// process serves an op on a process.
func (g *guest) process(op string, f wire.Frame) {
	var args struct {
		Proc   string
		After  uint64
		Signal int
		wire.Size
	}
	_ = json.Unmarshal(f.Body, &args)
	g.mu.Lock()
	p := g.find(args.Proc)
	if p == nil || p.Exit != nil {
		g.mu.Unlock()
		g.fail(f.ID, "not_found", "no process is called %s", args.Proc)
		return
	}
	pid := p.PID
	if op == wire.OpConnect {
		p.Seq = args.After
		g.followers[args.Proc] = f.ID
	}
	g.mu.Unlock()
	switch op {
	case wire.OpConnect:
		g.sendJSON(wire.Event, f.ID, wire.Started{PID: pid})
		return
	case wire.OpResize:
		g.print(args.Proc, fmt.Sprintf("%d rows, %d columns\r\n", args.Rows, args.Cols))
	case wire.OpSignal:
		g.ended(args.Proc, wire.Exit{Code: -1, Signal: args.Signal})
	}
	g.sendJSON(wire.Response, f.ID, struct{}{})
}

func (g *guest) processes(f wire.Frame) {
	out := wire.Processes{Processes: []wire.ProcessInfo{}}
	g.mu.Lock()
	for _, p := range g.state.Procs {
		if p.Exit == nil {
			out.Processes = append(out.Processes, wire.ProcessInfo{Proc: p.Proc, PID: p.PID, Argv: p.Argv, Cwd: "/work", Stdin: p.Stdin || p.Terminal != nil, Terminal: p.Terminal != nil})
		}
	}
	g.mu.Unlock()
	g.sendJSON(wire.Response, f.ID, out)
}

// input takes what is written to a process or a port.
func (g *guest) input(f wire.Frame, end bool) {
	g.mu.Lock()
	name := ""
	for proc, id := range g.followers {
		if id == f.ID {
			name = proc
		}
	}
	terminal := name != "" && g.find(name).Terminal != nil
	sent := g.forwards[f.ID]
	answer := false
	if sent != nil {
		sent.Write(f.Body)
		answer = end || bytes.Contains(sent.Bytes(), []byte("\r\n\r\n"))
	}
	if answer {
		delete(g.forwards, f.ID)
	}
	g.mu.Unlock()
	switch {
	case name != "" && !end:
		g.print(name, string(f.Body))
	case name != "" && !terminal:
		g.ended(name, wire.Exit{})
	case answer:
		body := sent.String()
		g.send(wire.Data, f.ID, fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nSet-Cookie: a=b; Domain=example.com\r\nAlt-Svc: h2=\"other:1\"\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\n\r\n%s", len(body), body))
		g.send(wire.End, f.ID)
		g.sendJSON(wire.Response, f.ID, struct{}{})
	}
}

// canceled closes a request that the host gave up.
func (g *guest) canceled(f wire.Frame) {
	g.mu.Lock()
	_, watching := g.watchers[f.ID]
	_, forwarding := g.forwards[f.ID]
	delete(g.watchers, f.ID)
	delete(g.forwards, f.ID)
	g.mu.Unlock()
	if watching || forwarding {
		g.fail(f.ID, "canceled", "the request was canceled")
	}
}
