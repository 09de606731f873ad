// Package bench measures what Praxis promises to be fast at, on the machine at
// hand. Figures are medians and tails of many runs, taken in one go, so that
// ratios compare like with like. No test asserts a time; this package is the
// only place where times are measured.
package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"praxis/event"
	"praxis/internal/image"
	"praxis/internal/language"
	"praxis/internal/llm"
	"praxis/internal/record/replay"
	"praxis/internal/session"
	"praxis/internal/tool/registry"
)

// Config is what the measurements need.
type Config struct {
	Sessions *session.Manager
	Image    image.Image // numpy and pandas in it, for figures that can be compared
	Rounds   int         // runs a figure; 0: 30
	Sink     event.Sink  // receives what is being measured

	Dir         string // folder for journals that are measured, on the data folder's disk
	OpenRecords func(dir string) (Records, error)
	// OpenSession opens a session for a run.
	Languages   language.Table
	OpenSession func(ctx context.Context) (replay.Opened, error)
	// OpenFork opens one that begins with a snapshot of such a session.
	OpenFork func(ctx context.Context, snapshot string) (replay.Opened, error)
	// Jupyter returns an image with ipykernel, jupyter_client and the packages of Image;
	// nil: there is none.
	Jupyter func(ctx context.Context) (image.Image, error)
	// ImageOf resolves other images, for figures about languages; nil: there are none.
	ImageOf  func(ctx context.Context, r image.Request) (image.Image, error)
	Commands Commands // zero: none are measured
	// OpenTools opens the tools of files, as a run does.
	OpenTools func(ctx context.Context, files []registry.File) (*registry.Registry, error)
	// Ask asks a question whose code may query the model, with the text of a file as a
	// variable, "" is none, and returns the answer. It is recorded in the folder dir. nil: no
	// questions can be asked.
	Ask func(ctx context.Context, dir string, m llm.Model, question, text string) (string, error)
}

// Figure is one measured quantity over Runs runs.
type Figure struct {
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Runs int     `json:"runs"`
}

// Machine names where the figures were measured.
type Machine struct {
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"`
	Kernel   string `json:"kernel"`
	MemoryMB int64  `json:"memory_mb"`
}

// Report is the result: the JSON of "praxis bench".
type Report struct {
	Machine Machine
	Image   string
	Figures map[string]Figure
	Skipped map[string]string // why a figure could not be taken
}

// measurement is one entry of the table below: figures that are taken together, in turns.
type measurement struct {
	names []string
	suite string
	run   func(*bench, context.Context, map[string]Figure) error
}

// alone is a figure that is taken by itself.
func alone(name, suite string, run func(*bench, context.Context) (Figure, error)) measurement {
	return measurement{[]string{name}, suite, func(b *bench, ctx context.Context, out map[string]Figure) error {
		f, err := run(b, ctx)
		out[name] = f
		return err
	}}
}

// measurements in the order in which they are taken and printed.
func measurements() []measurement {
	return []measurement{
		{[]string{"native_import_ms", "restore_ms", "fork_ms", "restore_ratio", "fork_ratio"}, "sandbox", (*bench).starts},
		alone("restores_per_second", "sandbox", (*bench).restoresPerSecond),
		alone("session_pss_mb", "sandbox", (*bench).pss),
		alone("cpu_ratio", "sandbox", (*bench).cpuRatio),
		{[]string{"exec_roundtrip_us", "jupyter_roundtrip_us", "roundtrip_ratio", "jupyter_start_ms", "jupyter_import_ms"}, "session", (*bench).roundTrips},
		alone("snapshot_ms", "session", (*bench).snapshot),
		alone("claim_warm_ms", "session", (*bench).claimWarm),
		{[]string{"python_start_ms", "js_start_ms", "js_start_ratio"}, "languages", (*bench).languageStarts},
		{[]string{"python_trip_us", "js_trip_us", "sql_trip_us", "bash_trip_us", "js_trip_ratio"}, "languages", (*bench).languageTrips},
		{[]string{"sql_inside_ms", "sql_outside_ms", "sql_ratio"}, "languages", (*bench).sqlRatio},
		{[]string{"run_ms", "step_ms", "first_run_ms"}, "command", (*bench).processes},
		alone("append_us", "journal", (*bench).appendDurable),
		alone("append_nosync_us", "journal", (*bench).appendGrouped),
		alone("overhead_ratio", "journal", (*bench).overhead),
		alone("verify_mb_per_s", "journal", (*bench).verify),
		alone("replay_ratio", "journal", (*bench).replay),
		alone("list_100k_ms", "journal", (*bench).list),
		alone("call_us", "tools", (*bench).call),
		alone("call_recorded_us", "tools", (*bench).callRecorded),
		alone("calls_per_second", "tools", (*bench).callsPerSecond),
		alone("start_ms", "tools", (*bench).start),
		alone("agent_step_ms", "agent", (*bench).agentStep),
		alone("agent_step_saved_ms", "agent", (*bench).agentStepSaved),
		alone("agent_idle_mb", "agent", (*bench).agentIdle),
		alone("agent_runs_200_s", "agent", (*bench).agentRuns),
		alone("agent_runs_200_code_s", "agent", (*bench).agentRunsCode),
		alone("agent_branches_ratio", "agent", (*bench).agentBranches),
		alone("sub_queries_50_s", "agent", (*bench).agentSubQueries),
		{[]string{"context_find_ms", "context_grep_ms", "context_lines_ms"}, "agent", (*bench).contextSearches},
		{[]string{"programs_per_second", "subprocess_per_second", "programs_ratio"}, "agent", (*bench).programsPerSecond},
	}
}

// Suites returns the names that Run accepts.
func Suites() []string {
	return []string{"sandbox", "session", "languages", "command", "journal", "tools", "agent"}
}

// Names returns the figures in the order in which they are measured.
func Names() []string {
	var out []string
	for _, m := range measurements() {
		out = append(out, m.names...)
	}
	return out
}

type bench struct {
	Config
	opt     session.Options
	skipped map[string]string
}

// Run measures the suites (all when none is named).
func Run(ctx context.Context, cfg Config, suites ...string) (Report, error) {
	if cfg.Rounds == 0 {
		cfg.Rounds = 30
	}
	b := &bench{Config: cfg, opt: session.Options{Image: cfg.Image}, skipped: map[string]string{}}
	r := Report{Machine: Here(), Image: cfg.Image.Name, Figures: map[string]Figure{}, Skipped: b.skipped}
	// The template is built before the first clock runs.
	s, err := cfg.Sessions.Create(ctx, b.opt, cfg.Sink)
	if err != nil {
		return r, err
	}
	if err := s.Close(); err != nil {
		return r, err
	}
	for _, m := range measurements() {
		if len(suites) > 0 && !slices.Contains(suites, m.suite) {
			continue
		}
		cfg.Sink.Emit(event.Progress{Stage: "bench", Text: strings.Join(m.names, ", ")})
		if err := m.run(b, ctx, r.Figures); err != nil {
			return r, fmt.Errorf("cannot measure %s: %w", strings.Join(m.names, ", "), err)
		}
	}
	return r, nil
}

// FigureOf sorts the samples into percentiles.
func FigureOf(samples []float64) Figure {
	slices.Sort(samples)
	at := func(p float64) float64 {
		i := int(p*float64(len(samples)-1) + 0.5)
		return float64(int(samples[i]*1000+0.5)) / 1000
	}
	return Figure{P50: at(.5), P95: at(.95), P99: at(.99), Runs: len(samples)}
}

// sample takes n samples of f.
func sample(n int, f func() (float64, error)) (Figure, error) {
	out := make([]float64, 0, n)
	for range n {
		v, err := f()
		if err != nil {
			return Figure{}, err
		}
		out = append(out, v)
	}
	return FigureOf(out), nil
}

func ms(since time.Time) float64 { return float64(time.Since(since).Nanoseconds()) / 1e6 }

// with runs f with a fresh session.
func (b *bench) with(ctx context.Context, f func(*session.Session) (Figure, error)) (Figure, error) {
	s, err := b.Sessions.Create(ctx, b.opt, b.Sink)
	if err != nil {
		return Figure{}, err
	}
	defer s.Close()
	return f(s)
}

// eval executes code and requires that it ran to its end.
func eval(ctx context.Context, s *session.Session, code string) error {
	out, err := s.Execute(ctx, code, session.Exec{}, event.Discard)
	if err == nil && out.Status != event.OK {
		err = fmt.Errorf("%q ended as %s: %s", code, out.Status, out.Message)
	}
	return err
}

// firstUse is what every start is timed to: the packages of the template must answer.
func (b *bench) firstUse() string {
	if len(b.Image.Runtimes[0].Preload) == 0 {
		return "1+1"
	}
	return "import " + strings.Join(b.Image.Runtimes[0].Preload, ", ") + "\n1+1"
}

// clocked runs f and returns how long it took, in milliseconds.
func clocked(f func() error) (float64, error) {
	began := time.Now()
	err := f()
	return ms(began), err
}

// inTurns takes n samples of each of several times, one after the other in each round,
// so that all of them see the same noise.
func inTurns(n int, names []string, out map[string]Figure, all ...func() error) error {
	samples := make([][]float64, len(all))
	for range n {
		for i, f := range all {
			took, err := clocked(f)
			if err != nil {
				return err
			}
			samples[i] = append(samples[i], took)
		}
	}
	for i, name := range names {
		out[name] = FigureOf(samples[i])
	}
	return nil
}

// ratio is the figure of what a is of b, round by round.
func ratio(a, b []float64) Figure {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return FigureOf(out)
}

// starts takes a native import, a restore and a fork in turns.
func (b *bench) starts(ctx context.Context, out map[string]Figure) error {
	parent, err := b.Sessions.Create(ctx, b.opt, b.Sink)
	if err != nil {
		return err
	}
	defer parent.Close()
	if err := eval(ctx, parent, "x = 41"); err != nil {
		return err
	}
	native := func() error { _, err := b.outside(ctx, b.firstUse()); return err }
	var opened []*session.Session // closed when no clock runs
	tidy := func() (err error) {
		for _, s := range opened {
			err = errors.Join(err, s.Close())
		}
		opened = nil
		return err
	}
	restore := func() error {
		s, err := b.Sessions.Create(ctx, b.opt, b.Sink)
		if err != nil {
			return err
		}
		opened = append(opened, s)
		return eval(ctx, s, b.firstUse())
	}
	fork := func() error {
		s, err := parent.Fork(ctx)
		if err != nil {
			return err
		}
		opened = append(opened, s)
		return eval(ctx, s, "assert x == 41")
	}
	var samples [3][]float64
	for range max(5, b.Rounds/2) {
		for i, f := range []func() error{native, restore, fork} {
			took, err := clocked(f)
			if err := errors.Join(err, tidy()); err != nil {
				return err
			}
			samples[i] = append(samples[i], took)
		}
	}
	out["restore_ratio"], out["fork_ratio"] = ratio(samples[1], samples[0]), ratio(samples[2], samples[0])
	out["native_import_ms"], out["restore_ms"], out["fork_ms"] = FigureOf(samples[0]), FigureOf(samples[1]), FigureOf(samples[2])
	return nil
}

// restoresPerSecond restores eight sessions at once, again and again.
func (b *bench) restoresPerSecond(ctx context.Context) (Figure, error) {
	const atOnce = 8
	return sample(max(3, b.Rounds/6), func() (float64, error) {
		began := time.Now()
		var g errgroup.Group
		sessions := make([]*session.Session, atOnce)
		for i := range atOnce {
			g.Go(func() (err error) {
				if sessions[i], err = b.Sessions.Create(ctx, b.opt, b.Sink); err != nil {
					return err
				}
				return eval(ctx, sessions[i], b.firstUse())
			})
		}
		err := g.Wait()
		took := time.Since(began).Seconds()
		for _, s := range sessions {
			if s != nil {
				s.Close()
			}
		}
		return atOnce / took, err
	})
}

func (b *bench) claimWarm(ctx context.Context) (f Figure, err error) {
	// Nothing is kept warm beside what is measured next.
	defer func() { err = errors.Join(err, b.Sessions.Warm(ctx, b.opt, 0, b.Sink)) }()
	return sample(b.Rounds, func() (float64, error) {
		// Filled again before the clock runs, so that no refill runs beside it.
		if err := b.Sessions.Warm(ctx, b.opt, 1, b.Sink); err != nil {
			return 0, err
		}
		began := time.Now()
		s, err := b.Sessions.Create(ctx, b.opt, b.Sink)
		if err != nil {
			return 0, err
		}
		defer s.Close()
		if origin, _ := s.Origin(); origin != session.FromPool {
			return 0, fmt.Errorf("the pool was empty: the session was %s", origin)
		}
		err = eval(ctx, s, "1+1")
		return ms(began), err
	})
}

// snapshot is how long the original stands still, as the backend measures it.
func (b *bench) snapshot(ctx context.Context) (Figure, error) {
	return b.with(ctx, func(s *session.Session) (Figure, error) {
		return sample(max(5, b.Rounds/3), func() (float64, error) {
			snap, err := s.Snapshot(ctx)
			if err != nil {
				return 0, err
			}
			return float64(snap.StoodStill), b.Sessions.RemoveSnapshot(ctx, snap.ID)
		})
	})
}

// outside runs code with the image's own interpreter and packages on the host, and
// returns what it prints.
func (b *bench) outside(ctx context.Context, code string) (string, error) {
	var printed, failed tail
	err := b.Image.RunOutside(ctx, image.Outside{Args: []string{"-c", code}, Out: &printed, Err: &failed})
	if err != nil {
		err = fmt.Errorf("%w: %s", err, &failed)
	}
	return printed.String(), err
}

// spin is the pure Python loop of cpu_ratio. It prints its own time, so that no start-up is in it.
const spin = `
import time
def spin(n):
    t = 0
    for i in range(n):
        t = (t * 31 + i) % 1000003
    return t
spin(100000)
began = time.perf_counter()
spin(3000000)
print(time.perf_counter() - began)
`

// cpuRatio alternates inside and outside, so that both see the same noise.
func (b *bench) cpuRatio(ctx context.Context) (Figure, error) {
	return b.with(ctx, func(s *session.Session) (Figure, error) {
		return sample(max(5, b.Rounds/3), func() (float64, error) {
			in, err := s.Execute(ctx, spin, session.Exec{}, event.Discard)
			if err != nil {
				return 0, err
			}
			out, err := b.outside(ctx, spin)
			if err != nil {
				return 0, err
			}
			var inside, outside float64
			if _, err := fmt.Sscan(in.Stdout, &inside); err != nil {
				return 0, fmt.Errorf("cannot read %q: %w", in.Stdout, err)
			}
			if _, err := fmt.Sscan(out, &outside); err != nil {
				return 0, fmt.Errorf("cannot read %q: %w", out, err)
			}
			return inside / outside, nil
		})
	})
}

// pss is the memory of a session beside others: what they share is counted once.
func (b *bench) pss(ctx context.Context) (Figure, error) {
	const together = 4
	return sample(max(3, b.Rounds/10), func() (float64, error) {
		before, err := DescendantsPSS(os.Getpid())
		if err != nil {
			return 0, err
		}
		for range together {
			s, err := b.Sessions.Create(ctx, b.opt, b.Sink)
			if err != nil {
				return 0, err
			}
			defer s.Close()
			if err := eval(ctx, s, b.firstUse()); err != nil {
				return 0, err
			}
		}
		after, err := DescendantsPSS(os.Getpid())
		return float64(after-before) / together / (1 << 20), err
	})
}

// Here describes this machine.
func Here() Machine {
	m := Machine{Cores: runtime.NumCPU(), CPU: runtime.GOARCH}
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == "model name" {
				m.CPU = strings.TrimSpace(v)
				break
			}
		}
	}
	if b, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel = strings.TrimSpace(string(b))
	}
	if b, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kb int64
		if _, err := fmt.Sscanf(string(b), "MemTotal: %d kB", &kb); err == nil {
			m.MemoryMB = kb >> 10
		}
	}
	return m
}

// MarshalJSON writes the figures beside machine and image, each under its name.
func (r Report) MarshalJSON() ([]byte, error) {
	out := map[string]any{"machine": r.Machine, "image": r.Image, "goals": r.Compare(), "skipped": r.Skipped}
	for name, f := range r.Figures {
		out[name] = f
	}
	return json.Marshal(out)
}
