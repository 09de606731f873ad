package app

import (
	"context"
	"errors"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/bench"
	"praxis/internal/image"
	"praxis/internal/llm"
	"praxis/internal/planner"
	"praxis/internal/record/replay"
	"praxis/internal/session"
	"praxis/internal/tool/registry"
)

// Types that describe benchmarks.
type (
	BenchReport = bench.Report
	BenchFigure = bench.Figure
	BenchTrace  = bench.Trace
	// BenchHop is a piece of the way of an execution, BenchMachine where it was measured.
	BenchHop     = bench.Hop
	BenchMachine = bench.Machine
	// BenchCommands are how the command is started to be measured itself.
	BenchCommands = bench.Commands
)

// PoolStats say what the sandboxes are worth that are kept ready.
type PoolStats = session.PoolStats

// Pools returns how many sandboxes are ready, and for how many sessions there was one.
func (a *App) Pools() PoolStats {
	a.mu.Lock()
	m := a.machine
	a.mu.Unlock()
	if m == nil {
		return PoolStats{}
	}
	return m.sessions.Pools()
}

// BenchSuites are the benchmarks that there are.
func BenchSuites() []string { return bench.Suites() }

// BenchNames are the figures of benchmarks, in the order of a report.
func BenchNames() []string { return bench.Names() }

// BenchGoals are what is wanted of figures.
func BenchGoals() []bench.Goal { return bench.Goals() }

// PlanBenchNames are the figures of the benchmark of plans.
func PlanBenchNames() []string { return bench.PlanNames() }

// Bench measures how fast sandboxes, sessions and tools are on this machine, on
// an image with packages; without a package index, on the bare interpreter, which
// a notice says. No suites means all of them. Zero commands are not measured.
func (a *App) Bench(ctx context.Context, packages, suites []string, commands BenchCommands, sink event.Sink) (BenchReport, error) {
	m, img, err := a.measured(ctx, packages, sink)
	if err != nil {
		return BenchReport{}, err
	}
	return bench.Run(ctx, bench.Config{
		Sessions: m.sessions, Image: img, Sink: sink, Dir: a.opt.Config.Home,
		OpenRecords: func(dir string) (bench.Records, error) {
			c := a.opt.Config
			c.Home = dir
			r, err := openRecords(Options{Config: c, Version: "bench"})
			if err != nil {
				return bench.Records{}, err
			}
			return bench.Records{Journal: r.Journal, Index: r.DB.Index(), Close: r.Close}, nil
		},
		Jupyter: func(ctx context.Context) (image.Image, error) {
			return m.images.Resolve(ctx, image.Request{With: slices.Concat([]string{"ipykernel", "jupyter_client"}, packages)}, sink)
		},
		ImageOf: func(ctx context.Context, r image.Request) (image.Image, error) {
			return m.images.Resolve(ctx, r, sink)
		},
		Commands: commands,
		Ask: func(ctx context.Context, dir string, model llm.Model, question, text string) (string, error) {
			return a.askBenched(ctx, m, dir, AskRequest{Question: question, Subcalls: true, model: model, light: true}, text)
		},
		Languages: a.opt.Languages,
		OpenSession: func(ctx context.Context) (replay.Opened, error) {
			s, err := m.sessions.Create(ctx, session.Options{Image: img}, sink)
			if err != nil {
				return replay.Opened{}, err
			}
			return (&Session{s: s, image: img}).opened(), nil
		},
		OpenFork: func(ctx context.Context, snapshot string) (replay.Opened, error) {
			s, err := m.sessions.FromSnapshot(ctx, snapshot, session.Options{Image: img}, sink)
			if err != nil {
				return replay.Opened{}, err
			}
			return (&Session{s: s, image: img, from: snapshot}).opened(), nil
		},
		OpenTools: func(ctx context.Context, files []registry.File) (*registry.Registry, error) {
			var texts []planner.Text
			for _, f := range files {
				texts = append(texts, planner.Text{Name: f.Name, Text: string(f.Text)})
			}
			return a.openRegistry(ctx, registryOptions{texts: texts}, sink)
		},
	}, suites...)
}

// askBenched asks a question that is recorded in a folder of its own.
func (a *App) askBenched(ctx context.Context, m *machine, dir string, q AskRequest, text string) (_ string, err error) {
	o := a.opt
	o.Config.Home = dir
	r, err := openRecords(Options{Config: o.Config, Version: "bench"})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if text != "" {
		in, err := ContextFile(text)
		if err != nil {
			return "", err
		}
		q.Files = append(q.Files, in)
	}
	x := &App{opt: o, records: r, release: func() {}, machine: m}
	out, err := x.Ask(ctx, q, event.Discard)
	return out.Text, err
}

// measured returns what is measured, and its image: with packages if the index can be reached.
func (a *App) measured(ctx context.Context, packages []string, sink event.Sink) (*machine, image.Image, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return nil, image.Image{}, err
	}
	img, err := m.images.Resolve(ctx, image.Request{With: packages}, sink)
	if fault.KindOf(err) == fault.Unavailable && len(packages) > 0 {
		sink.Emit(event.Notice{Text: "measuring without " + strings.Join(packages, ",") + ": " + err.Error()})
		img, err = m.images.Resolve(ctx, image.Request{}, sink)
	}
	return m, img, err
}

// BenchImage resolves the image with packages that something else is measured on.
func (a *App) BenchImage(ctx context.Context, packages []string, sink event.Sink) (image.Image, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return image.Image{}, err
	}
	return m.images.Resolve(ctx, image.Request{With: packages}, sink)
}

// BenchTrace says where the time of a round trip goes, by so many executions.
func (a *App) BenchTrace(ctx context.Context, packages []string, runs int, sink event.Sink) (BenchTrace, error) {
	m, img, err := a.measured(ctx, packages, sink)
	if err != nil {
		return BenchTrace{}, err
	}
	return bench.TraceExecution(ctx, bench.Config{Sessions: m.sessions, Image: img, Sink: sink}, runs)
}

// BenchPlans measures how fast plans are on this machine. Each figure is taken so
// many rounds.
func (a *App) BenchPlans(ctx context.Context, rounds int, sink event.Sink) (BenchReport, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return BenchReport{}, err
	}
	img, err := m.images.Resolve(ctx, image.Request{}, sink)
	if err != nil {
		return BenchReport{}, err
	}
	return bench.Plans(ctx, bench.PlanConfig{Image: img, Rounds: rounds, Sink: sink})
}
