package bench

import (
	"context"
	"fmt"
	"time"

	"praxis/event"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/session"
)

// Hop is one piece of the way of an execution, in microseconds.
type Hop struct {
	Name string `json:"name"`
	What string `json:"what"`
	Figure
}

// Trace is where the time of a round trip goes: the JSON of "praxis bench trace".
type Trace struct {
	Machine Machine `json:"machine"`
	Image   string  `json:"image"`
	Code    string  `json:"code"`
	Hops    []Hop   `json:"hops"` // in their order; between the machines as the clocks were compared
	Both    Hop     `json:"both"` // the two ways between host and agent together: differences on one side only
	Whole   Hop     `json:"whole"`
}

// traced is the code that is traced, and warmingUp how often it is run before.
const (
	traced    = "x+1"
	warmingUp = 20
)

// hop names a piece of the way, and computes it. ahead is how far the guest's clock is ahead
// of the host's.
type hop struct {
	name, what string
	took       func(t guest.Traced, ahead int64) int64
}

func hops() []hop {
	within := func(from, to func(wire.Stamps) int64) func(guest.Traced, int64) int64 {
		return func(t guest.Traced, _ int64) int64 { return to(t.Guest) - from(t.Guest) }
	}
	taken := func(s wire.Stamps) int64 { return s.Taken }
	handed := func(s wire.Stamps) int64 { return s.Handed }
	read := func(s wire.Stamps) int64 { return s.Read }
	begun := func(s wire.Stamps) int64 { return s.Begun }
	done := func(s wire.Stamps) int64 { return s.Done }
	noticed := func(s wire.Stamps) int64 { return s.Noticed }
	answered := func(s wire.Stamps) int64 { return s.Answered }
	return []hop{
		{"host", "the request is made", func(t guest.Traced, _ int64) int64 { return int64(t.Wrote.Sub(t.Began)) }},
		{"host to agent", "written, the agent wakes up and has read it", func(t guest.Traced, ahead int64) int64 { return toAgent(t) - ahead }},
		{"agent", "the request is understood", within(taken, handed)},
		{"agent to kernel", "written, the kernel wakes up and has read it", within(handed, read)},
		{"kernel", "the message is understood", within(read, begun)},
		{"code", "the code runs, its result is made", within(begun, done)},
		{"kernel to agent", "written, the agent wakes up", within(done, noticed)},
		{"agent again", "the result is read, the answer made", within(noticed, answered)},
		{"agent to host", "written, the host wakes up and has read it", func(t guest.Traced, ahead int64) int64 { return toHost(t) + ahead }},
		{"host again", "who asked wakes up and has the result", func(t guest.Traced, _ int64) int64 { return int64(t.Ended.Sub(t.Read)) }},
	}
}

// toAgent and toHost are the ways between the two machines, each by two clocks.
func toAgent(t guest.Traced) int64 { return t.Guest.Taken - t.Wrote.UnixNano() }
func toHost(t guest.Traced) int64  { return t.Read.UnixNano() - t.Guest.Answered }

// clockAhead is how far the guest's clock is ahead of the host's, if the fastest way there
// took as long as the fastest way back.
func clockAhead(all []guest.Traced) int64 {
	there, back := toAgent(all[0]), toHost(all[0])
	for _, t := range all {
		there, back = min(there, toAgent(t)), min(back, toHost(t))
	}
	return (there - back) / 2
}

// TraceExecution traces n executions of one session, one after the other.
func TraceExecution(ctx context.Context, cfg Config, n int) (Trace, error) {
	out := Trace{Machine: Here(), Image: cfg.Image.Name, Code: traced}
	s, err := cfg.Sessions.Create(ctx, session.Options{Image: cfg.Image}, cfg.Sink)
	if err != nil {
		return out, err
	}
	defer s.Close()
	if err := eval(ctx, s, "x = 1"); err != nil {
		return out, err
	}
	cfg.Sink.Emit(event.Progress{Stage: "bench", Text: "trace"})
	var all []guest.Traced
	err = s.Use(ctx, func(c *guest.Client) error {
		for i := range warmingUp + n {
			t, x, err := c.Trace(ctx, wire.Execute{Code: traced, WallMS: time.Minute.Milliseconds()})
			if err != nil {
				return err
			}
			if x.Status != event.OK {
				return fmt.Errorf("cannot trace %s: it ended as %s: %s", traced, x.Status, x.Message)
			}
			if i >= warmingUp {
				all = append(all, t)
			}
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	ahead := clockAhead(all)
	of := func(name, what string, took func(guest.Traced) int64) Hop {
		var samples []float64
		for _, t := range all {
			samples = append(samples, float64(took(t))/1e3)
		}
		return Hop{Name: name, What: what, Figure: FigureOf(samples)}
	}
	for _, h := range hops() {
		out.Hops = append(out.Hops, of(h.name, h.what, func(t guest.Traced) int64 { return h.took(t, ahead) }))
	}
	out.Both = of("host to agent and back", "both ways together, by one clock", func(t guest.Traced) int64 { return toAgent(t) + toHost(t) })
	out.Whole = of("whole", "from the question to the result", func(t guest.Traced) int64 { return int64(t.Ended.Sub(t.Began)) })
	return out, nil
}
