package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/guest/wire"
	"praxis/internal/image"
	"praxis/internal/language"
	"praxis/internal/programs"
	"praxis/internal/sandbox"
	"praxis/internal/sandbox/fake"
	"praxis/internal/seal"
)

// toy is a guest that speaks the protocol and knows "x = text", "x", "die", "hang", "late",
// "lose", "swell", "ask", "touch path" and "reseeds": enough to see what a session does with its sandboxes.
type toy struct {
	mu      sync.Mutex
	state   toyState
	exposed string // the last one since the toy was started or restored
	lost    string // why the variables were lost, until an execution said it

	calling bool // it calls a tool after its next word
}

type toyState struct {
	Vars    map[string]string
	Reseeds int
	Setups  int
	Seed    string
}

func newToy(sandbox.Spec) fake.Program { return &toy{state: toyState{Vars: map[string]string{}}} }

func (g *toy) Save() ([]byte, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return json.Marshal(g.state)
}

func (g *toy) Load(b []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return json.Unmarshal(b, &g.state)
}

func (g *toy) Run(in io.Reader, out io.Writer) int {
	r := wire.NewReader(in)
	for {
		f, err := r.Next()
		if err != nil {
			return 0
		}
		kind, id, body, ok := g.answer(f)
		if !ok {
			return 3
		}
		if kind == 0 {
			continue
		}
		b, err := json.Marshal(body)
		if err != nil {
			return 1
		}
		frame, err := wire.Append(nil, kind, id, b)
		if err != nil {
			return 1
		}
		if g.calling {
			g.calling = false
			if frame, err = wire.Append(frame, wire.GuestRequestKind, wire.GuestBit|1, []byte(`{"op":"tools","name":"a1","body":1}`)); err != nil {
				return 1
			}
		}
		if _, err := out.Write(frame); err != nil {
			return 0
		}
	}
}

// answer returns the frame that answers f; ok is false when the guest dies of it.
func (g *toy) answer(f wire.Frame) (kind wire.Kind, id uint32, body any, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch f.Kind {
	case wire.HelloKind:
		var h wire.Hello
		if json.Unmarshal(f.Body, &h) != nil {
			return 0, 0, nil, false
		}
		if h.Reseed != "" {
			g.state.Reseeds++
		}
		return wire.HelloKind, 0, wire.Hello{Version: wire.Version, Epoch: h.Epoch}, true
	case wire.Request:
		var r struct {
			wire.Op
			wire.Execute
			Seed *int64 `json:"seed"`
		}
		if json.Unmarshal(f.Body, &r) != nil {
			return 0, 0, nil, false
		}
		switch r.Op.Op {
		case wire.OpSetup:
			g.state.Setups++
			if r.Seed != nil {
				g.state.Seed = fmt.Sprint(*r.Seed)
			}
			return wire.Response, f.ID, wire.SetupReply{Version: "3.14.0"}, true
		case wire.OpContexts:
			main := wire.ContextInfo{Name: wire.Main, Language: "toy", State: "idle", Lost: g.lost}
			return wire.Response, f.ID, wire.Contexts{Contexts: []wire.ContextInfo{main}}, true
		case wire.OpExtract:
			if g.state.Vars["disk"] == "full" {
				return wire.Failure, f.ID, wire.Fault{Kind: "exhausted", Message: "the disk is full"}, true
			}
		case wire.OpRemove:
			var p wire.Path
			_ = json.Unmarshal(f.Body, &p) // what is not said is empty
			g.state.Vars["removed"] += p.Path + " "
		case wire.OpExpose:
			g.exposed = string(f.Body)
		case wire.OpRehearse:
			return wire.Response, f.ID, wire.Executed{Status: event.OK.String(), State: string(event.Intact)}, true
		case wire.OpExecute:
			if r.Code == "exposed" {
				return wire.Response, f.ID, wire.Executed{Status: event.OK.String(), State: string(event.Intact), Result: wire.Bundle{"text": g.exposed}}, true
			}
			if r.Code == "die" {
				return 0, 0, nil, false
			}
			g.calling = r.Code == "ask"
			if r.Code == "hang" || g.state.Vars["mute"] != "" && strings.HasPrefix(r.Code, "found = ") {
				return 0, 0, nil, true
			}
			done := g.execute(r.Code)
			if path, ok := strings.CutPrefix(r.Code, "touch "); ok && r.Execute.Changes {
				done.Changes = wire.Changes{{Path: path, Kind: wire.Created, Bytes: 3}}
			}
			return wire.Response, f.ID, done, true
		}
		return wire.Response, f.ID, struct{}{}, true
	}
	return 0, 0, nil, true
}

func (g *toy) execute(code string) wire.Executed {
	done := wire.Executed{Status: event.OK.String(), State: string(event.Intact)}
	if code == "swell" {
		done.Status, done.State = event.Memory.String(), string(event.Lost)
		return done
	}
	if g.lost != "" {
		done.State, done.Message, g.lost = string(event.Lost), g.lost, ""
	}
	if code == "lose" {
		g.state.Vars, g.lost = map[string]string{}, "the toy dropped them, and the variables were lost"
		return done
	}
	name, value, assigns := strings.Cut(code, " = ")
	switch {
	case assigns:
		g.state.Vars[name] = value
	case code == "late":
		time.Sleep(time.Minute)
		done.WallMS = 5
	case code == "reseeds":
		done.Result = wire.Bundle{"text": fmt.Sprint(g.state.Reseeds)}
	case code == "setups":
		done.Result = wire.Bundle{"text": fmt.Sprint(g.state.Setups)}
	case code == "seed":
		done.Result = wire.Bundle{"text": g.state.Seed}
	default:
		done.Result = wire.Bundle{"text": g.state.Vars[code]}
	}
	return done
}

// toyManager makes sessions of toys.
func toyManager(t *testing.T, dir string) *Manager {
	t.Helper()
	return backendManager(t, Config{Dir: dir, Backend: fake.New(fake.Config{Program: newToy}), MaxSessions: 8})
}

// testKey returns the key of a data folder.
func testKey(t testing.TB, dir string) *seal.Key {
	t.Helper()
	key, err := seal.Make(filepath.Join(dir, "keys", "seal.key"))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// testProgram is a program that nobody executes.
func testProgram(text string) programs.Program {
	sum := sha256.Sum256([]byte(text))
	return programs.Program{Name: "praxis-guest", SHA256: hex.EncodeToString(sum[:]), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
}

// backendManager makes a manager that the test closes, and its backend.
func backendManager(t *testing.T, cfg Config) *Manager {
	t.Helper()
	backend := cfg.Backend
	cfg.Program, cfg.Languages = testProgram("a program"), language.Table{{
		Name: "toy", Display: "Toy", Refresh: func(folder string) string { return "found = " + folder },
	}}
	cfg.Seals = testKey(t, cfg.Dir)
	var err error
	if cfg.Programs, err = programs.OpenStore(filepath.Join(cfg.Dir, "programs"), cfg.Seals); err != nil {
		t.Fatal(err)
	}
	m, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Errorf("closing manager: %v", err)
		}
		if err := backend.Close(); err != nil {
			t.Errorf("closing backend: %v", err)
		}
	})
	return m
}

func toyOptions(t *testing.T) Options {
	return Options{Image: image.Image{ID: "toy", Name: "toy", Root: "/", Runtimes: []language.Runtime{{Language: "toy", Version: "1", Program: "/bin/toy"}}}}
}
