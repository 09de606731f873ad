package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/safetext"
)

// Bundle is a run that was exported into a file.
type Bundle struct {
	Source
	Run string // its id
	// Open opens its sessions, as that of a Config does; nil: the Config's.
	Open func(ctx context.Context, want event.SessionBegan) (Opened, error)
	// Within returns the beginning of its run with no more than it may have here;
	// nil: as it was recorded.
	Within func(event.RunBegan) event.RunBegan
	Close  func() error
}

// Suite is what Test needs. The Source of its Config is each bundle's own.
type Suite struct {
	Config
	// Bundle opens a file, and refuses one that does not verify.
	Bundle func(ctx context.Context, path string) (Bundle, error)
	// Done is called for each run when it is over. It may be nil.
	Done func(Result)
}

// Result is the replay of one run of a folder.
type Result struct {
	File   string         `json:"file"` // relative to the folder
	Run    string         `json:"run,omitempty"`
	Status string         `json:"status"` // "ok", "fail", or "error": it could not be replayed
	Error  string         `json:"error,omitempty"`
	Remedy string         `json:"remedy,omitempty"`
	Code   fault.Code     `json:"code,omitempty"` // of Error; whoever shows Remedy may have words of its own for it
	Data   fault.Data     `json:"data,omitempty"`
	Report *Report        `json:"report,omitempty"`
	Plan   *PlanReport    `json:"plan,omitempty"` // of a run of plans, which has no Report
	Took   event.Duration `json:"took_ms"`
}

// The statuses of a Result.
const (
	Passed = "ok"
	Failed = "fail"
	Broken = "error"
)

// Totals sums up the results of a folder.
type Totals struct {
	Runs   int            `json:"runs"`
	OK     int            `json:"ok"`
	Failed int            `json:"failed"`
	Errors int            `json:"errors"`
	Took   event.Duration `json:"took_ms"`
}

// extension is that of files that hold a run.
const extension = ".praxis"

// Test replays every run of a folder and of the folders in it, those whose
// files end in .praxis, in the order of their paths. An error says that the
// folder cannot be tested; what is wrong with a run is in its result.
func Test(ctx context.Context, dir string, s Suite) ([]Result, Totals, error) {
	files, err := bundles(dir)
	if err != nil {
		return nil, Totals{}, err
	}
	began := time.Now()
	var out []Result
	var t Totals
	for _, file := range files {
		r := s.one(ctx, dir, file)
		if err := ctx.Err(); err != nil {
			return out, t, fault.New(fault.Canceled, "", "cannot test %s: %w", dir, err)
		}
		out = append(out, r)
		t.Runs++
		switch r.Status {
		case Passed:
			t.OK++
		case Failed:
			t.Failed++
		default:
			t.Errors++
		}
		t.Took = event.Duration(time.Since(began))
		if s.Done != nil {
			s.Done(r)
		}
	}
	return out, t, nil
}

// bundles returns the runs of a folder, sorted by path. A folder without any is
// refused: a test that tests nothing must not pass.
func bundles(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Type().IsRegular() && strings.HasSuffix(d.Name(), extension) {
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			out = append(out, rel)
		}
		return nil
	})
	if errors.Is(err, os.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "", "cannot test %s: there is no such folder", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot test %s: %w", dir, err)
	}
	if len(out) == 0 {
		return nil, fault.Coded(fault.SuiteEmpty, fault.Data{"folder": dir}, "cannot test %s: it holds no run (*%s)", dir, extension)
	}
	return out, nil
}

// one replays one file.
func (s Suite) one(ctx context.Context, dir, file string) Result {
	began := time.Now()
	out := Result{File: file}
	identical, err := s.replay(ctx, filepath.Join(dir, file), &out)
	out.Took = event.Duration(time.Since(began))
	switch {
	case err != nil:
		f := fault.Of(err)
		out.Status, out.Error, out.Remedy, out.Code, out.Data = Broken, f.Message, f.Remedy, f.Code, f.Data
	case identical:
		out.Status = Passed
	default:
		out.Status = Failed
	}
	return out
}

func (s Suite) replay(ctx context.Context, path string, out *Result) (identical bool, err error) {
	b, err := s.Bundle(ctx, path)
	if err != nil {
		return false, err
	}
	if b.Close != nil {
		defer func() { err = errors.Join(err, b.Close()) }()
	}
	out.Run = b.Run
	if began, err := Began(ctx, b, b.Run); err == nil && IsPlan(began) {
		rec, err := LoadPlan(ctx, b, b.Run)
		if err != nil {
			return false, err
		}
		report, err := ReplayPlan(ctx, rec, PlanConfig{Redact: s.Redact})
		if err == nil {
			out.Plan = &report
		}
		return report.Identical, err
	}
	rec, err := Load(ctx, b, b.Run)
	if err != nil {
		return false, err
	}
	if b.Within != nil {
		rec.Began = b.Within(rec.Began)
	}
	cfg := s.Config
	cfg.Source, cfg.Within = b, b.Within
	if b.Open != nil {
		cfg.Open = b.Open
	}
	report, err := Replay(ctx, cfg, rec)
	if err == nil {
		out.Report = &report
	}
	return report.Identical, err
}

// Text writes a result for a person: one line, and under it why it is not ok.
func (r Result) Text(w io.Writer) error {
	var b strings.Builder
	word := strings.ToUpper(r.Status)
	if r.Status == Passed {
		word = "ok"
	}
	fmt.Fprintf(&b, "%-5s %s (%s)", word, safetext.Line(r.File), seconds(r.Took))
	if r.Run != "" {
		b.WriteString(" run " + safetext.Line(r.Run))
	}
	b.WriteByte('\n')
	if r.Error != "" {
		indent(&b, r.Error)
		if r.Remedy != "" {
			indent(&b, "→ "+r.Remedy)
		}
	}
	if r.Report != nil && !r.Report.Identical {
		r.Report.brief(&b)
	}
	if r.Plan != nil && !r.Plan.Identical {
		r.Plan.brief(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// brief writes the first difference and what may have caused it.
func (r Report) brief(b *strings.Builder) {
	if changes := r.Changes(); changes != "" {
		indent(b, "replayed with: "+changes)
	}
	for _, s := range r.Steps {
		if s.Identical {
			continue
		}
		if len(s.Differences) > 1 {
			var others []string
			for _, d := range s.Differences[1:] {
				others = append(others, d.What)
			}
			indent(b, "also: "+strings.Join(unique(others), ", "))
			s.Differences = s.Differences[:1]
		}
		var text strings.Builder
		s.text(&text, r.Kind)
		indentLines(b, text.String())
		break
	}
	if r.First == nil && len(r.Ending) > 0 {
		indent(b, "end: differs: "+list(r.Ending))
		diffs(b, r.Ending[:1])
	}
	for _, n := range r.Notes {
		indent(b, n)
	}
}

// indentLines writes text that is safe to print.
func indentLines(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		b.WriteString("    " + line)
	}
}

// Text writes the totals in one line.
func (t Totals) Text(w io.Writer) error {
	word := "ok"
	if t.Failed+t.Errors > 0 {
		word = "FAIL"
	}
	runs := "runs"
	if t.Runs == 1 {
		runs = "run"
	}
	_, err := fmt.Fprintf(w, "%s: %d %s: %d identical, %d different, %d could not be replayed (%s)\n",
		word, t.Runs, runs, t.OK, t.Failed, t.Errors, seconds(t.Took))
	return err
}
