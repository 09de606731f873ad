package guest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/internal/guest/wire"
)

// caller is a guest that keeps to the protocol of guest requests: it sends them again after a
// hello, and checks that each answer is that of its own ask.
type caller struct {
	t    *testing.T
	conn net.Conn
	mu   sync.Mutex // held to write, too
	rnd  *rand.Rand
	// What follows is guarded by mu.
	silent bool
	last   uint32
	names  int
	open   map[uint32]*errand
	tools  map[*errand]struct{} // without an answer
	over   chan struct{}
}

type errand struct {
	name     string
	connect  bool
	long     []byte // what is to be sent
	sent     int
	ended    bool
	canceled bool
	id       uint32 // in this epoch; 0: not asked
	answer   []byte // parts of it
}

func (g *caller) say(kind wire.Kind, id uint32, body []byte) {
	frame, err := wire.Append(nil, kind, id, body)
	if err != nil {
		g.t.Error(err)
	}
	_, _ = g.conn.Write(frame) // a stream that is over is seen by the reader
}

// ask opens an errand in this epoch.
func (g *caller) request(e *errand, again bool) {
	g.last++
	e.id = g.last | wire.GuestBit
	g.open[e.id] = e
	op, rest := wire.RequestTools, fmt.Sprintf(`,"body":%q`, e.name)
	if e.long != nil {
		rest = `,"long":true`
	}
	if e.connect {
		op, rest = wire.RequestConnect, ""
	}
	if again {
		rest += fmt.Sprintf(`,"again":true,"sent":%d,"after":%d`, e.sent, len(e.answer))
	}
	g.say(wire.GuestRequestKind, e.id, fmt.Appendf(nil, `{"op":%q,"name":%q%s}`, op, e.name, rest))
	if again && e.ended {
		g.say(wire.End, e.id, nil)
	}
	if again && e.canceled {
		g.say(wire.Cancel, e.id, nil)
	}
}

// step does something by chance.
func (g *caller) step() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.silent {
		return
	}
	var some *errand
	for _, e := range g.open {
		some = e
		break
	}
	switch n := g.rnd.IntN(10); {
	case n < 4 && len(g.open) < 40:
		g.names++
		e := &errand{name: fmt.Sprint("a", g.names), connect: g.rnd.IntN(4) == 0}
		if !e.connect && g.rnd.IntN(3) == 0 {
			e.long = []byte(`"` + e.name + strings.Repeat(" ", g.rnd.IntN(100_000)) + `"`)
		}
		if !e.connect {
			g.tools[e] = struct{}{}
		}
		g.request(e, false)
	case some == nil:
	case n < 6 && !some.canceled:
		some.canceled = true
		g.say(wire.Cancel, some.id, nil)
	case some.canceled || some.ended:
	case some.connect:
		g.say(wire.Data, some.id, []byte("hello"))
	case some.sent < len(some.long):
		piece := some.long[some.sent:min(some.sent+30_000, len(some.long))]
		some.sent += len(piece)
		g.say(wire.Data, some.id, piece)
	case some.long != nil:
		some.ended = true
		g.say(wire.End, some.id, nil)
	}
}

// listen takes what the host says until the stream ends.
func (g *caller) listen() {
	defer close(g.over)
	r := wire.NewReader(g.conn)
	for {
		f, err := r.Next()
		if err != nil {
			return
		}
		g.mu.Lock()
		g.take(f)
		g.mu.Unlock()
	}
}

func (g *caller) take(f wire.Frame) {
	e := g.open[f.ID]
	switch f.Kind {
	case wire.HelloKind:
		g.hello(f.Body)
	case wire.Request:
		g.say(wire.Response, f.ID, []byte("{}"))
		g.silent = bytes.Contains(f.Body, []byte(`"`+wire.OpQuiesce+`"`))
	case wire.Part:
		if e == nil {
			g.t.Errorf("a part of the ask %d, which is not open", f.ID)
			return
		}
		e.answer = append(e.answer, f.Body...)
		g.say(wire.Credit, f.ID, wire.AppendCredit(nil, uint32(wire.Cost(len(f.Body)))))
	case wire.Data:
		if e == nil || !e.connect {
			g.t.Errorf("data of the ask %d, which is no connection", f.ID)
		}
	case wire.Response, wire.Failure:
		if e == nil {
			g.t.Errorf("a %s of the ask %d, which is not open", f.Kind, f.ID)
			return
		}
		delete(g.open, f.ID)
		delete(g.tools, e)
		if text := append(e.answer, f.Body...); f.Kind == wire.Response && !e.connect && !bytes.HasPrefix(text, []byte(`"`+e.name+" ")) {
			g.t.Errorf("%s was answered with %.20s", e.name, text)
		}
	}
}

// hello begins an epoch. Now and then a guest request is not sent again.
func (g *caller) hello(body []byte) {
	var h wire.Hello
	if err := json.Unmarshal(body, &h); err != nil {
		g.t.Error(err)
	}
	answer, _ := json.Marshal(wire.Hello{Version: wire.Version, Epoch: h.Epoch})
	g.open, g.last, g.silent = map[uint32]*errand{}, 0, false
	g.say(wire.HelloKind, 0, answer)
	for e := range g.tools {
		if g.rnd.IntN(10) == 0 {
			delete(g.tools, e)
			continue
		}
		g.request(e, true)
	}
}

// weather is a host that takes its time, or does not.
type weather struct{}

func (weather) Tools(ctx context.Context, body json.RawMessage) (json.RawMessage, error) {
	var name string
	if err := json.Unmarshal(body, &name); err != nil {
		return nil, err
	}
	name = strings.TrimSpace(name)
	switch rand.IntN(8) {
	case 0:
		<-ctx.Done()
		return nil, ctx.Err()
	case 1:
		return nil, errors.New("no")
	case 2:
		return json.RawMessage(`"` + name + " " + strings.Repeat("x", 3*wire.MaxBody) + `"`), nil
	case 3:
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
	}
	return json.RawMessage(`"` + name + ` "`), nil
}

func (weather) Connect(ctx context.Context, conn io.ReadWriteCloser) {
	if rand.IntN(2) == 0 {
		<-ctx.Done()
		return
	}
	buf := make([]byte, 100)
	for range rand.IntN(3) {
		n, err := conn.Read(buf)
		if err != nil {
			return
		}
		if _, err := conn.Write(buf[:n]); err != nil {
			return
		}
	}
}

// settledRequests waits until nothing of guest requests is left.
func settledRequests(t *testing.T, c *Client) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		c.mu.Lock()
		s := &c.requests
		left := fmt.Sprintf("tools %d, conns %d, refused %d, ending %d, bodies %d, answers %d, open %d, named %d",
			s.tools, s.conns, s.refused, s.ending, s.bodies, s.answers, len(s.open), len(s.named))
		c.mu.Unlock()
		if left == "tools 0, conns 0, refused 0, ending 0, bodies 0, answers 0, open 0, named 0" {
			return
		}
		if time.Now().After(end) {
			t.Fatal("what was asked for is not settled: " + left)
		}
	}
}

// TestRequestsAreSettled sends, gives up and reopens the stream in every order: each
// request gets one end, its own, and nothing of it stays counted.
func TestRequestsAreSettled(t *testing.T) {
	t.Parallel()
	for seed := range uint64(9) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			host, conn := net.Pipe()
			g := &caller{t: t, conn: conn, rnd: rand.New(rand.NewPCG(seed, 1)), silent: true, open: map[uint32]*errand{}, tools: map[*errand]struct{}{}, over: make(chan struct{})}
			go g.listen()
			c := New(host, Patience{})
			defer func() {
				c.Close()
				<-g.over
			}()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err, c.Err())
				}
			}
			must(c.Hello(ctx, wire.Hello{}))
			must(c.Expose(ctx, wire.Exposure{Tools: true, Net: true}, weather{}))
			for i := range 1000 {
				g.step()
				if i%50 == 0 {
					if g.rndN(3) > 0 {
						must(c.Quiesce(ctx))
					}
					must(c.Hello(ctx, wire.Hello{}))
				}
			}
			if seed%3 == 0 { // in the middle of it
				c.Close()
				settledRequests(t, c)
				return
			}
			g.giveUp()
			for range 2 { // what is not asked again is forgotten after a whole epoch
				must(c.Quiesce(ctx))
				must(c.Hello(ctx, wire.Hello{}))
			}
			settledRequests(t, c)
			for end := time.Now().Add(time.Minute); g.waiting() > 0; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%d requests were never answered", g.waiting())
				}
			}
			must(c.Err())
		})
	}
}

func (g *caller) rndN(n int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rnd.IntN(n)
}

// giveUp cancels what is open.
func (g *caller) giveUp() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range g.open {
		if !e.canceled {
			e.canceled = true
			g.say(wire.Cancel, e.id, nil)
		}
	}
}

func (g *caller) waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.open) + len(g.tools)
}

// A guest request that was given up may be asked again at the moment at which the host
// stops waiting for that: it gets an end all the same.
func TestARequestThatIsSentAgainTooLateIsAnswered(t *testing.T) {
	t.Parallel()
	host, conn := net.Pipe()
	g := &caller{t: t, conn: conn, rnd: rand.New(rand.NewPCG(1, 1)), open: map[uint32]*errand{}, tools: map[*errand]struct{}{}, over: make(chan struct{})}
	go g.listen()
	c := New(host, Patience{})
	defer func() {
		c.Close()
		<-g.over
	}()
	if err := c.Hello(t.Context(), wire.Hello{}); err != nil {
		t.Fatal(err)
	}
	e := &errand{name: "a1", id: wire.GuestBit | 1}
	g.mu.Lock()
	g.open[e.id], g.tools[e] = e, struct{}{}
	g.mu.Unlock()
	c.mu.Lock()
	a := &guestRequest{c: c, name: "a1", fresh: make(chan struct{}, 1)}
	k := newCall(c, e.id)
	a.k, c.requests.open[e.id], c.requests.named["a1"], c.requests.last = k, a, a, e.id
	a.forget(nil) // as the goroutine of the ask ends that gave up waiting
	c.mu.Unlock()
	settledRequests(t, c)
	for end := time.Now().Add(time.Minute); g.waiting() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the ask was never answered")
		}
	}
}

// Requested reports whether the host still knows a request of the guest.
func (c *Client) Requested(id uint32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests.open[id] != nil
}
