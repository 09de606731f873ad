// Package measure times what a server costs its clients, on the machine at hand: a server over
// a data folder of its own, and a client that asks it over the loopback. What is compared, with
// the engine without a server and with a Jupyter server, is taken in turns.
package measure

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/bench"
	"praxis/internal/server"
)

// Config is what the measurements need. All but Rounds must be set.
type Config struct {
	Dir string // for the data folder that is measured, and removed
	// Open opens a data folder, with so many sandboxes that are ready and that may live.
	Open func(home string, warm, most int) (*app.App, error)
	Sink event.Sink // receives what is being measured
	// Jupyter starts a Jupyter server.
	Jupyter func(ctx context.Context) (*Jupyter, error)
	Rounds  int // runs of a figure; 0: 30
}

// Sizes of what is measured.
const (
	warm      = 2  // sandboxes that are ready
	burst     = 50 // sessions that are made at once
	busy      = 50 // sessions in which code is run at once
	busyFor   = 5 * time.Second
	alive     = 200                    // sessions that live at once
	followers = 4000                   // clients that follow an execution which says nothing
	churn     = 200                    // sessions that are made, used and deleted
	pace      = 500 * time.Millisecond // between sessions of the steady rate
	aRound    = 20                     // round trips before it is the other's turn
)

// Names are the figures, in the order in which they are printed.
func Names() []string {
	return []string{
		"server_create_ms", "server_create_misses", "server_steady_ms", "server_steady_misses", "server_burst_50_ms", "server_burst_50_misses",
		"server_trip_us", "engine_trip_us", "server_trip_ratio", "server_executions_per_second", "server_wake_ms",
		"server_alive", "server_session_mb", "server_follower_kb", "server_churn_kb",
		"jupyter_server_create_ms", "jupyter_server_trip_us", "server_create_vs_jupyter", "server_trip_vs_jupyter",
	}
}

// world is a server and its client.
type world struct {
	Config
	*client
	home string
	app  *app.App // of the default tenant; the server's own
	out  map[string]bench.Figure
	left map[string]string // why a figure could not be measured
}

// Run measures.
func Run(ctx context.Context, cfg Config) (_ bench.Report, err error) {
	if cfg.Rounds == 0 {
		cfg.Rounds = 30
	}
	home, err := os.MkdirTemp(cfg.Dir, "bench-")
	if err != nil {
		return bench.Report{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	w := &world{Config: cfg, home: home, out: map[string]bench.Figure{}, left: map[string]string{}}
	if err := w.serve(ctx, w.all); err != nil {
		return bench.Report{}, err
	}
	return bench.Report{Machine: bench.Here(), Image: "the default one", Figures: w.out, Skipped: w.left}, nil
}

// serve runs f beside a server.
func (w *world) serve(ctx context.Context, f func(context.Context) error) (err error) {
	s, err := server.New(server.Config{Home: w.home, Version: "bench", Sessions: alive + burst, Requests: 1e6, Burst: 1e6, Idle: time.Hour,
		Open: func(t server.Tenant) (*app.App, error) {
			var err error
			w.app, err = w.Open(t.Home, warm, 2*(alive+burst))
			return w.app, err
		}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(context.WithoutCancel(ctx))) }()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	key, _, _, err := s.FirstKey()
	if err != nil {
		return errors.Join(err, l.Close())
	}
	w.client = newClient("http://"+l.Addr().String(), "Bearer "+key)
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(serving, l, nil) }()
	defer func() {
		w.idle()
		stop()
		err = errors.Join(err, <-ended)
	}()
	return f(ctx)
}

func (w *world) all(ctx context.Context) error {
	// The image is unpacked and the template built before the first clock runs.
	if err := w.once(ctx, nil); err != nil {
		return err
	}
	for _, m := range []struct {
		what string
		f    func(context.Context) error
	}{
		{"sessions one by one, at a steady rate and at once", w.creations},
		{"round trips", w.trips},
		{"executions in many sessions", w.throughput},
		{"calls of paused sessions", w.wake},
		{"sessions that are made and deleted", w.churn},
		{"clients that follow", w.follow},
		{"many sessions", w.many},
		{"a Jupyter server", w.beside},
	} {
		w.Sink.Emit(event.Progress{Stage: "bench", Text: m.what})
		if err := m.f(ctx); err != nil {
			return fmt.Errorf("cannot measure %s: %w", m.what, err)
		}
	}
	return nil
}

// once makes a session, takes the time until its first result, and deletes it.
func (w *world) once(ctx context.Context, took *float64) error {
	began := time.Now()
	id, err := w.create(ctx)
	if err != nil {
		return err
	}
	err = w.execute(ctx, id, "1+1")
	if took != nil {
		*took = ms(began)
	}
	return errors.Join(err, w.remove(ctx, id))
}

// missed runs f and says how many of the sessions that it made found no sandbox ready.
func (w *world) missed(name string, f func() error) error {
	before := w.app.Pools().Misses
	if err := f(); err != nil {
		return err
	}
	w.out[name] = bench.FigureOf([]float64{float64(w.app.Pools().Misses - before)})
	return nil
}

// creations makes sessions one by one, at a steady rate and in a burst.
func (w *world) creations(ctx context.Context) error {
	err := w.missed("server_create_misses", func() error {
		times := make([]float64, w.Rounds)
		for i := range times {
			if err := w.once(ctx, &times[i]); err != nil {
				return err
			}
		}
		w.out["server_create_ms"] = bench.FigureOf(times)
		return nil
	})
	if err != nil {
		return err
	}
	err = w.missed("server_steady_misses", func() error {
		times := make([]float64, w.Rounds)
		var g errgroup.Group
		tick := time.NewTicker(pace)
		defer tick.Stop()
		for i := range times {
			<-tick.C
			g.Go(func() error { return w.once(ctx, &times[i]) })
		}
		err := g.Wait()
		w.out["server_steady_ms"] = bench.FigureOf(times)
		return err
	})
	if err != nil {
		return err
	}
	return w.missed("server_burst_50_misses", func() error {
		times := make([]float64, burst)
		var g errgroup.Group
		for i := range times {
			g.Go(func() error { return w.once(ctx, &times[i]) })
		}
		err := g.Wait()
		w.out["server_burst_50_ms"] = bench.FigureOf(times)
		return err
	})
}

// trips takes round trips over HTTP and of the engine alone in turns.
func (w *world) trips(ctx context.Context) (err error) {
	id, err := w.create(ctx)
	if err != nil {
		return err
	}
	s, err := w.app.OpenSession(ctx, app.SessionSpec{}, event.Discard)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	engine := func() error {
		x, err := s.Execute(ctx, "python", "1+1", event.Bounds{}, event.Discard)
		if err == nil && x.Status != event.OK {
			err = fmt.Errorf("1+1 ended as %s", x.Status)
		}
		return err
	}
	over := func() error { return w.execute(ctx, id, "1+1") }
	var ours, theirs, ratios []float64
	for range w.Rounds {
		a, err := repeated(aRound, over)
		if err != nil {
			return err
		}
		z, err := repeated(aRound, engine)
		if err != nil {
			return err
		}
		ours, theirs = append(ours, a...), append(theirs, z...)
		ratios = append(ratios, bench.FigureOf(a).P50/bench.FigureOf(z).P50)
	}
	w.out["server_trip_us"], w.out["engine_trip_us"], w.out["server_trip_ratio"] = bench.FigureOf(ours), bench.FigureOf(theirs), bench.FigureOf(ratios)
	return w.remove(ctx, id)
}

// repeated does f n times and returns how long each took, in microseconds.
func repeated(n int, f func() error) ([]float64, error) {
	var out []float64
	for range n {
		began := time.Now()
		if err := f(); err != nil {
			return nil, err
		}
		out = append(out, ms(began)*1000)
	}
	return out, nil
}

// opened makes n sessions, eight at a time, whose first code has run.
func (w *world) opened(ctx context.Context, n int) ([]string, error) {
	ids := make([]string, n)
	var g errgroup.Group
	g.SetLimit(8)
	for i := range ids {
		g.Go(func() (err error) {
			if ids[i], err = w.create(ctx); err == nil {
				err = w.execute(ctx, ids[i], "x = 1")
			}
			return err
		})
	}
	return ids, g.Wait()
}

func (w *world) removeAll(ctx context.Context, ids []string) error {
	var g errgroup.Group
	g.SetLimit(8)
	for _, id := range ids {
		g.Go(func() error { return w.remove(ctx, id) })
	}
	return g.Wait()
}

// throughput runs small executions in many sessions at once.
func (w *world) throughput(ctx context.Context) error {
	ids, err := w.opened(ctx, busy)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	done := 0
	var g errgroup.Group
	began := time.Now()
	for _, id := range ids {
		g.Go(func() error {
			n := 0
			for ; time.Since(began) < busyFor; n++ {
				if err := w.execute(ctx, id, "x+1"); err != nil {
					return err
				}
			}
			mu.Lock()
			defer mu.Unlock()
			done += n
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	w.out["server_executions_per_second"] = bench.FigureOf([]float64{float64(done) / time.Since(began).Seconds()})
	return w.removeAll(ctx, ids)
}

// wake calls sessions that are paused.
func (w *world) wake(ctx context.Context) error {
	id, err := w.create(ctx)
	if err != nil {
		return err
	}
	var times []float64
	for range max(5, w.Rounds/3) {
		if err := w.execute(ctx, id, "x = 41"); err != nil {
			return err
		}
		if err := w.do(ctx, "POST", "/v1/sessions/"+id+"/pause", map[string]any{}, nil); err != nil {
			return err
		}
		began := time.Now()
		if err := w.execute(ctx, id, "assert x == 41"); err != nil {
			return err
		}
		times = append(times, ms(began))
	}
	w.out["server_wake_ms"] = bench.FigureOf(times)
	return w.remove(ctx, id)
}

// heap is the memory in use, in KB, when nothing is left to collect.
func heap() float64 {
	runtime.GC()
	runtime.GC() // what finalizers gave up
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapInuse+m.StackInuse) / 1024
}

// churn makes and deletes sessions, and looks at what stays in the server's memory of each.
func (w *world) churn(ctx context.Context) error {
	cycle := func(n int) error {
		for range n {
			if err := w.once(ctx, nil); err != nil {
				return err
			}
		}
		return nil
	}
	if err := cycle(churn / 10); err != nil {
		return err
	}
	before := heap()
	if err := cycle(churn); err != nil {
		return err
	}
	w.out["server_churn_kb"] = bench.FigureOf([]float64{max(0, heap()-before) / churn})
	return nil
}

// follow has many clients follow an execution that says nothing. What a client takes in this
// process is counted on both sides.
func (w *world) follow(ctx context.Context) (err error) {
	id, err := w.create(ctx)
	if err != nil {
		return err
	}
	var x struct {
		ID string `json:"id"`
	}
	if err := w.do(ctx, "POST", "/v1/sessions/"+id+"/executions", map[string]any{"code": "import time; time.sleep(3600)", "detach": true, "timeout_s": 3600}, &x); err != nil {
		return err
	}
	before := heap()
	following, stop := context.WithCancel(ctx)
	var g errgroup.Group
	g.SetLimit(32)
	streams := make([]func(), followers)
	for i := range streams {
		g.Go(func() (err error) {
			streams[i], err = w.stream(following, "/v1/sessions/"+id+"/executions/"+x.ID+"/events")
			return err
		})
	}
	err = g.Wait()
	w.out["server_follower_kb"] = bench.FigureOf([]float64{max(0, heap()-before) / followers})
	stop()
	for _, closeStream := range streams {
		if closeStream != nil {
			closeStream()
		}
	}
	return errors.Join(err, w.remove(ctx, id))
}

// many has as many sessions alive as a machine of 24 GB is to have.
func (w *world) many(ctx context.Context) error {
	ids, err := w.opened(ctx, alive)
	if err != nil {
		return err
	}
	bytes, err := bench.DescendantsPSS(os.Getpid())
	if err != nil {
		return err
	}
	var live struct {
		Sessions []struct {
			State string `json:"state"`
		} `json:"sessions"`
	}
	if err := w.do(ctx, "GET", "/v1/sessions", nil, &live); err != nil {
		return err
	}
	n := 0
	for _, s := range live.Sessions {
		if s.State == "live" {
			n++
		}
	}
	w.out["server_alive"] = bench.FigureOf([]float64{float64(n)})
	w.out["server_session_mb"] = bench.FigureOf([]float64{float64(bytes) / (1 << 20) / alive})
	return w.removeAll(ctx, ids)
}

// beside compares with a Jupyter server: a kernel until its first result, and a round trip.
func (w *world) beside(ctx context.Context) (err error) {
	j, err := w.Jupyter(ctx)
	if err != nil {
		for _, name := range Names()[len(Names())-4:] {
			w.left[name] = err.Error()
		}
		return nil
	}
	defer func() { err = errors.Join(err, j.close()) }()
	id, err := w.create(ctx)
	if err != nil {
		return err
	}
	k, err := j.kernel(ctx)
	if err != nil {
		return err
	}
	var starts, trips, startRatios, tripRatios []float64
	for range max(3, w.Rounds/6) {
		var ours float64
		if err := w.once(ctx, &ours); err != nil {
			return err
		}
		began := time.Now()
		other, err := j.kernel(ctx)
		if err != nil {
			return err
		}
		err = other.execute(ctx, "1+1")
		took := ms(began)
		if err := errors.Join(err, other.close(ctx)); err != nil {
			return err
		}
		a, err := repeated(aRound, func() error { return w.execute(ctx, id, "1+1") })
		if err != nil {
			return err
		}
		z, err := repeated(aRound, func() error { return k.execute(ctx, "1+1") })
		if err != nil {
			return err
		}
		starts, trips = append(starts, took), append(trips, z...)
		startRatios, tripRatios = append(startRatios, ours/took), append(tripRatios, bench.FigureOf(a).P50/bench.FigureOf(z).P50)
	}
	w.out["jupyter_server_create_ms"], w.out["jupyter_server_trip_us"] = bench.FigureOf(starts), bench.FigureOf(trips)
	w.out["server_create_vs_jupyter"], w.out["server_trip_vs_jupyter"] = bench.FigureOf(startRatios), bench.FigureOf(tripRatios)
	return errors.Join(k.close(ctx), w.remove(ctx, id))
}

func ms(since time.Time) float64 { return float64(time.Since(since).Nanoseconds()) / 1e6 }
