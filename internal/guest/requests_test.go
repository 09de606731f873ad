package guest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
)

const first = wire.GuestBit | 1

// lieRequest makes a client that exposes everything to a guest, which is f from then on.
func lieRequest(t *testing.T, h guest.Host, f func(l *liar)) *guest.Client {
	c := lie(t, func(l *liar) {
		id, _ := l.receive()
		l.say(wire.Response, id, "{}")
		f(l)
		l.drain()
	})
	if err := c.Expose(testCtx(t), wire.Exposure{Tools: true, Net: true}, h); err != nil {
		t.Fatal(err)
	}
	return c
}

func tools(name, rest string) string { return `{"op":"tools","name":"` + name + `"` + rest + `}` }

const callNow = `,"body":{"do":"call","tool":"now","arguments":{}}`
const callWait = `,"body":{"do":"call","tool":"wait","arguments":{}}`

// TestLiesInRequests breaks the protocol of guest requests in every way. Each must end the stream.
func TestLiesInRequests(t *testing.T) {
	t.Parallel()
	say := func(frames ...any) func(*liar) {
		return func(l *liar) {
			for i := 0; i < len(frames); i += 3 {
				if !l.say(frames[i].(wire.Kind), uint32(frames[i+1].(int)), frames[i+2]) {
					return
				}
			}
		}
	}
	lies := map[string]func(*liar){
		"no JSON":                        say(wire.GuestRequestKind, first, "{"),
		"a list":                         say(wire.GuestRequestKind, first, "[]"),
		"empty":                          say(wire.GuestRequestKind, first, ""),
		"no op":                          say(wire.GuestRequestKind, first, `{"name":"a"}`),
		"unknown op":                     say(wire.GuestRequestKind, first, `{"op":"execute","name":"a"}`),
		"no name":                        say(wire.GuestRequestKind, first, `{"op":"tools","body":1}`),
		"a bad name":                     say(wire.GuestRequestKind, first, tools(`a\n`, callNow)),
		"a long name":                    say(wire.GuestRequestKind, first, tools(strings.Repeat("a", 65), callNow)),
		"no body":                        say(wire.GuestRequestKind, first, tools("a", "")),
		"two bodies":                     say(wire.GuestRequestKind, first, tools("a", `,"long":true`+callNow)),
		"a negative place":               say(wire.GuestRequestKind, first, tools("a", `,"again":true,"sent":-1`+callNow)),
		"a far place":                    say(wire.GuestRequestKind, first, tools("a", `,"again":true,"after":99999999`+callNow)),
		"a place of a new ask":           say(wire.GuestRequestKind, first, tools("a", `,"after":3`+callNow)),
		"a connection with a body":       say(wire.GuestRequestKind, first, `{"op":"connect","name":"a","body":1}`),
		"a connection again":             say(wire.GuestRequestKind, first, `{"op":"connect","name":"a","again":true}`),
		"an id of the host's":            say(wire.GuestRequestKind, 1, tools("a", callNow)),
		"id 0":                           say(wire.GuestRequestKind, 0, tools("a", callNow)),
		"an id twice":                    say(wire.GuestRequestKind, first, tools("a", callWait), wire.GuestRequestKind, first, tools("b", callNow)),
		"an id that goes back":           say(wire.GuestRequestKind, first+5, tools("a", callWait), wire.GuestRequestKind, first, tools("b", callNow)),
		"a name twice":                   say(wire.GuestRequestKind, first, tools("a", callWait), wire.GuestRequestKind, first+1, tools("a", callNow)),
		"a name twice, again":            say(wire.GuestRequestKind, first, tools("a", callWait), wire.GuestRequestKind, first+1, tools("a", `,"again":true`+callNow)),
		"data without a guest request":   say(wire.Data, first, "x"),
		"cancel without a guest request": say(wire.Cancel, first, ""),
		"credit without a guest request": say(wire.Credit, first, []byte{0, 0, 0, 1}),
		"credit that was not used":       say(wire.GuestRequestKind, first, tools("a", callWait), wire.Credit, first, []byte{0, 0, 0, 1}),
		"credit that is none":            say(wire.GuestRequestKind, first, tools("a", callWait), wire.Credit, first, "x"),
		"data of a short ask":            say(wire.GuestRequestKind, first, tools("a", callWait), wire.Data, first, "x"),
		"an end of a short ask":          say(wire.GuestRequestKind, first, tools("a", callWait), wire.End, first, ""),
		"data after the end":             say(wire.GuestRequestKind, first, `{"op":"connect","name":"a"}`, wire.End, first, "", wire.Data, first, "x"),
		"two ends":                       say(wire.GuestRequestKind, first, `{"op":"connect","name":"a"}`, wire.End, first, "", wire.End, first, ""),
		"an end with a body":             say(wire.GuestRequestKind, first, `{"op":"connect","name":"a"}`, wire.End, first, "x"),
		"a response to itself":           say(wire.GuestRequestKind, first, tools("a", callWait), wire.Response, first, "{}"),
		"a failure to itself":            say(wire.GuestRequestKind, first, tools("a", callWait), wire.Failure, first, "{}"),
		"an event of a guest request":    say(wire.GuestRequestKind, first, tools("a", callWait), wire.Event, first, "{}"),
		"a part of a guest request":      say(wire.GuestRequestKind, first, tools("a", callWait), wire.Part, first, "{}"),
		"a request of the guest's":       say(wire.Request, first, `{"op":"ping"}`),
		"more data than the window":      func(l *liar) { flood(l, `{"op":"connect","name":"a"}`) },
		"sends and reads no refusals":    manyRequests,
		"sends and reads no answers":     func(l *liar) { manyShort(l, func(i int) string { return tools(fmt.Sprint("a", i), callNow) }) },
		"connects and hears no end": func(l *liar) {
			manyShort(l, func(i int) string { return fmt.Sprintf(`{"op":"connect","name":"c%d"}`, i) })
		},
	}
	for name, f := range lies {
		t.Run(name, func(t *testing.T) {
			c := lieRequest(t, deaf{newToolHost()}, f)
			select {
			case <-c.Done():
			case <-testCtx(t).Done():
				t.Fatal("the stream goes on")
			}
			if err := c.Err(); !strings.Contains(err.Error(), "broke the protocol") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// deaf is a host whose connections read nothing.
type deaf struct{ *toolHost }

func (deaf) Connect(ctx context.Context, _ io.ReadWriteCloser) { <-ctx.Done() }

func flood(l *liar, request string) {
	l.say(wire.GuestRequestKind, first, request)
	for range 4 {
		if !l.say(wire.Data, first, make([]byte, wire.MaxBody)) {
			return
		}
	}
}

// manyRequests opens one request after the other and reads no answer.
func manyRequests(l *liar) {
	for i := range 10_000 {
		if !l.say(wire.GuestRequestKind, uint32(first+i), tools(fmt.Sprint("a", i), callWait)) {
			return
		}
	}
}

// manyShort opens guest requests that are over at once and reads nothing. A pause now and
// then lets the host come to the end of those before.
func manyShort(l *liar, request func(i int) string) {
	for i := range 100_000 {
		id := uint32(first + i)
		if !l.say(wire.GuestRequestKind, id, request(i)) || !l.say(wire.Cancel, id, "") {
			return
		}
		if i%32 == 31 {
			time.Sleep(time.Millisecond)
		}
	}
}

// answers reads what the host answers to n requests.
func (l *liar) answers(n int) map[uint32]string {
	out := map[uint32]string{}
	for len(out) < n {
		f, err := l.r.Next()
		if err != nil {
			return out
		}
		if f.Kind == wire.Response || f.Kind == wire.Failure {
			out[f.ID] += f.Kind.String() + " " + string(f.Body)
		}
	}
	return out
}

func kindOf(t *testing.T, answer string) string {
	t.Helper()
	var f wire.Fault
	if text, ok := strings.CutPrefix(answer, "failure "); !ok || json.Unmarshal([]byte(text), &f) != nil {
		t.Errorf("not a failure: %q", answer)
	}
	return f.Kind
}

func TestAnswersToRequests(t *testing.T) {
	t.Parallel()
	got, forgotten := make(chan map[uint32]string, 1), make(chan struct{})
	d := newToolHost()
	c := lieRequest(t, d, func(l *liar) {
		l.say(wire.GuestRequestKind, first, tools("a", callNow))
		l.say(wire.GuestRequestKind, first+1, tools("b", `,"again":true`+callNow)) // of a session that was restored
		l.say(wire.GuestRequestKind, first+2, tools("c", `,"long":true`))
		l.say(wire.Data, first+2, `{"do":`)
		l.say(wire.End, first+2, "")
		l.say(wire.GuestRequestKind, first+3, tools("d", callWait))
		<-d.entered
		l.say(wire.Cancel, first+3, "")
		l.say(wire.Cancel, first+3, "") // it crossed the answer
		l.say(wire.GuestRequestKind, first+4, tools("e", `,"body":{"do":"dance"}`))
		l.say(wire.GuestRequestKind, first+5, tools("f", `,"body":[1]`))
		got <- l.answers(6)
		<-forgotten
		l.say(wire.Data, first, "late") // ignored: the request was closed meanwhile
		l.say(wire.GuestRequestKind, first+6, tools("g", callNow))
		got <- l.answers(1)
	})
	all := <-got
	if all[first] != `response {"result":"noon"}` {
		t.Errorf("got %q", all[first])
	}
	for id, want := range map[uint32]string{first + 1: "unavailable", first + 2: "invalid", first + 3: "canceled", first + 4: "invalid", first + 5: "internal"} {
		if kind := kindOf(t, all[id]); kind != want {
			t.Errorf("ask %d: got %q, want %s", id-first, all[id], want)
		}
	}
	if !strings.Contains(all[first+1], "whether it was done is not known") || strings.Contains(all[first+5], "cannot unmarshal") {
		t.Errorf("got %q, %q", all[first+1], all[first+5])
	}
	for c.Requested(first) { // it is forgotten right after its answer was written
		time.Sleep(time.Millisecond)
	}
	close(forgotten)
	if all := <-got; all[first+6] != `response {"result":"noon"}` || c.Err() != nil {
		t.Errorf("got %v, %v", all, c.Err())
	}
}

func TestLimitsOfRequests(t *testing.T) {
	t.Parallel()
	got := make(chan map[uint32]string, 2)
	d := newToolHost()
	c := lieRequest(t, deaf{d}, func(l *liar) {
		for i := range wire.MaxTools {
			l.say(wire.GuestRequestKind, uint32(first+i), tools(fmt.Sprint("a", i), callWait))
			<-d.entered
		}
		for i := range wire.MaxConnect {
			l.say(wire.GuestRequestKind, uint32(first+100+i), fmt.Sprintf(`{"op":"connect","name":"c%d"}`, i))
		}
		l.say(wire.GuestRequestKind, first+1000, tools("more", callNow))
		l.say(wire.GuestRequestKind, first+1001, `{"op":"connect","name":"more"}`)
		got <- l.answers(2)
		close(d.leave)
		got <- l.answers(wire.MaxTools)
	})
	all := <-got
	if kindOf(t, all[first+1000]) != "exhausted" || kindOf(t, all[first+1001]) != "exhausted" {
		t.Errorf("got %v", all)
	}
	if n := len(<-got); n != wire.MaxTools || c.Err() != nil {
		t.Errorf("%d answers, %v", n, c.Err())
	}
}

func TestRequestsWithoutExposure(t *testing.T) {
	t.Parallel()
	got := make(chan map[uint32]string, 1)
	lie(t, func(l *liar) {
		l.say(wire.GuestRequestKind, first, tools("a", callNow))
		l.say(wire.GuestRequestKind, first+1, `{"op":"connect","name":"b"}`)
		l.say(wire.GuestRequestKind, first+2, tools("c", `,"again":true`+callNow))
		got <- l.answers(3)
		l.drain()
	})
	for id, answer := range <-got {
		if kindOf(t, answer) != "unavailable" {
			t.Errorf("ask %d: got %q", id-first, answer)
		}
	}
}

// The end of the stream ends what is served, and Close waits for it.
func TestRequestsEndWithTheStream(t *testing.T) {
	t.Parallel()
	d := newToolHost()
	c := lieRequest(t, d, func(l *liar) {
		l.say(wire.GuestRequestKind, first, tools("a", callWait))
		l.say(wire.GuestRequestKind, first+1, `{"op":"connect","name":"b"}`)
	})
	<-d.entered
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-d.left:
		if err != context.Canceled {
			t.Errorf("got %v", err)
		}
	default:
		t.Error("Close did not wait for the call")
	}
}

// huge answers with more than may be sent.
type huge struct{ deaf }

func (huge) Tools(_ context.Context, body json.RawMessage) (json.RawMessage, error) {
	if len(body) > 100 {
		return nil, fmt.Errorf("%w", fault.New(fault.Denied, "", "no"))
	}
	return make([]byte, wire.MaxMessage+1), nil
}

func TestHugeAnswers(t *testing.T) {
	t.Parallel()
	got := make(chan map[uint32]string, 1)
	lieRequest(t, huge{}, func(l *liar) {
		l.say(wire.GuestRequestKind, first, tools("a", `,"body":1`))
		l.say(wire.GuestRequestKind, first+1, tools("b", `,"body":"`+strings.Repeat("x", 200)+`"`))
		got <- l.answers(2)
	})
	all := <-got
	if kindOf(t, all[first]) != "exhausted" || kindOf(t, all[first+1]) != "denied" {
		t.Errorf("got %v", all)
	}
}
