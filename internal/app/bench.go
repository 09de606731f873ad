package app

import (
	"context"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/bench"
	"praxis/internal/image"
	"praxis/internal/planner"
	"praxis/internal/record/replay"
	"praxis/internal/session"
	"praxis/internal/tool/registry"
)

// Types that describe benchmarks.
type (
	BenchReport = bench.Report
	BenchFigure = bench.Figure
)

// BenchSuites are the benchmarks that there are.
func BenchSuites() []string { return bench.Suites() }

// BenchNames are the figures of benchmarks, in the order of a report.
func BenchNames() []string { return bench.Names() }

// PlanBenchNames are the figures of the benchmark of plans.
func PlanBenchNames() []string { return bench.PlanNames() }

// Bench measures how fast sandboxes, sessions and tools are on this machine, on
// an image with packages; without a package index, on the bare interpreter, which
// a notice says. No suites means all of them.
func (a *App) Bench(ctx context.Context, packages, suites []string, sink event.Sink) (BenchReport, error) {
	m, err := a.machinery(ctx)
	if err != nil {
		return BenchReport{}, err
	}
	img, err := m.images.Resolve(ctx, image.Request{With: packages}, sink)
	if fault.KindOf(err) == fault.Unavailable && len(packages) > 0 {
		sink.Emit(event.Notice{Text: "measuring without " + strings.Join(packages, ",") + ": " + err.Error()})
		img, err = m.images.Resolve(ctx, image.Request{}, sink)
	}
	if err != nil {
		return BenchReport{}, err
	}
	return bench.Run(ctx, bench.Config{
		Sessions: m.sessions, Image: img, Sink: sink, Dir: a.opt.Config.Home,
		OpenRecords: func(dir string) (bench.Records, error) {
			c := a.opt.Config
			c.Home = dir
			r, err := openRecords(c, nil, "bench", nil)
			if err != nil {
				return bench.Records{}, err
			}
			return bench.Records{Journal: r.Journal, Index: r.DB.Index(), Close: r.Close}, nil
		},
		Languages: a.opt.Languages,
		OpenSession: func(ctx context.Context) (replay.Opened, error) {
			s, err := m.sessions.Create(ctx, session.Options{Image: img}, sink)
			if err != nil {
				return replay.Opened{}, err
			}
			return (&Session{s: s, image: img}).opened(), nil
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
