package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/evaluate"
	"praxis/internal/llm"
	replies "praxis/internal/llm/recorded"
	"praxis/internal/safetext"
)

// Types that describe evaluations.
type (
	Evaluation       = evaluate.Report
	EvaluationResult = evaluate.Result
	EvaluationScore  = evaluate.Score
)

// The verdicts of an evaluation's results.
const (
	EvaluationPassed = evaluate.Passed
	EvaluationFailed = evaluate.Failed
)

// EvaluateReplies names the model that says what stands in each case (replies, or code).
const EvaluateReplies = "replies"

// maxEvaluationJobs is how many questions may be asked at a time.
const maxEvaluationJobs = 64

// EvaluateRequest asks the questions of a file, whose answers are known.
type EvaluateRequest struct {
	File   string   // JSON Lines, see package evaluate
	Models []string // "provider:name", or EvaluateReplies; none: what environment and configuration say
	Jobs   int      // questions at a time; 0: 2
	First  int      // only so many cases; 0: all
	// Results is the file that keeps the results and is gone on with; "": they are not kept.
	Results string
	// OneSession lets the cases that one job asks share a session. That is faster, but each
	// sees the variables and files of those before.
	OneSession bool
	Ask        AskRequest // what all questions have in common; Question, Model and Thread are not used
	// Each is called for every result, one after the other. again says that it was there before.
	Each func(r EvaluationResult, done, of int, again bool)
}

// Evaluate asks the questions of a file and grades the answers. A wrong answer is no
// error. When it is interrupted, the report holds the results that are there.
func (a *App) Evaluate(ctx context.Context, q EvaluateRequest, sink event.Sink) (out Evaluation, err error) {
	if q.Jobs == 0 {
		q.Jobs = 2
	}
	if q.Jobs < 1 || q.Jobs > maxEvaluationJobs {
		return out, fault.New(fault.Invalid, "Choose fewer.", "cannot ask %d questions at a time: it may be 1 to %d", q.Jobs, maxEvaluationJobs)
	}
	if err := errors.Join(checkStyle(q.Ask.Style), q.Ask.checkBranches()); err != nil {
		return out, err
	}
	e := &evaluation{app: a, request: q, sink: sink, dir: filepath.Dir(q.File), pool: make(chan *Session, q.Jobs)}
	if e.cases, err = readCases(q.File); err != nil {
		return out, err
	}
	if q.First > 0 {
		e.cases = e.cases[:min(q.First, len(e.cases))]
	}
	if err := e.chooseModels(); err != nil {
		return out, err
	}
	if q.Ask.Branches > 0 && slices.Contains(e.models, EvaluateReplies) {
		return out, fault.New(fault.Invalid, "Make one attempt, or ask a model.", "cannot make several attempts at a question: the replies that stand in a case are of one attempt")
	}
	if e.prices, err = LoadPrices(a.opt.Getenv); err != nil {
		return out, err
	}
	cfg := evaluate.Config{Cases: e.cases, Models: e.models, Jobs: q.Jobs, Ask: e.ask, Assert: e.assert, Each: e.each}
	if q.Results != "" {
		if cfg.Store, err = evaluate.OpenStore(q.Results); err != nil {
			return out, err
		}
		defer func() { err = errors.Join(err, cfg.Store.Close()) }()
	}
	results, err := evaluate.Run(ctx, cfg)
	err = errors.Join(err, e.close())
	return Evaluation{Name: filepath.Base(q.File), Models: e.models, Scores: evaluate.Scores(e.models, results), Results: results}, err
}

func readCases(path string) ([]evaluate.Case, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.New(fault.Invalid, "", "cannot open cases: %w", err)
	}
	defer func() { _ = f.Close() }() // only read: nothing to lose
	return evaluate.Read(filepath.Base(path), f)
}

// evaluation is an evaluation that is under way.
type evaluation struct {
	app     *App
	request EvaluateRequest
	cases   []evaluate.Case
	models  []string
	dir     string // of the file of cases
	prices  PriceTable
	sink    event.Sink
	done    int
	pool    chan *Session // sessions that nobody uses at the moment, with OneSession

	mu      sync.Mutex
	grading *Session // of assertions; nil: none was evaluated
}

func (e *evaluation) chooseModels() error {
	for _, named := range e.request.Models {
		if !slices.Contains(e.models, named) {
			e.models = append(e.models, named)
		}
	}
	if len(e.models) == 0 {
		name, err := e.app.chooseModel("")
		if err != nil {
			return err
		}
		e.models = []string{name}
	}
	for _, m := range e.models {
		if m != EvaluateReplies {
			if _, err := e.app.model(modelChoice{name: m, fallbacks: e.request.Ask.Fallbacks, effort: e.request.Ask.Effort, sees: e.request.Ask.Sees}); err != nil {
				return err // before the first question costs anything
			}
			continue
		}
		for _, c := range e.cases {
			if len(c.Replies) == 0 {
				return fault.New(fault.Invalid, "Write replies or code into each case, or name a model.",
					"cannot evaluate the replies of %s: case %s has none", filepath.Base(e.request.File), c.ID)
			}
		}
	}
	return nil
}

func (e *evaluation) each(r EvaluationResult, again bool) {
	e.done++
	if e.request.Each != nil {
		e.request.Each(r, e.done, len(e.cases)*len(e.models), again)
	}
}

// ask asks the question of a case.
func (e *evaluation) ask(ctx context.Context, c evaluate.Case, model string) (out evaluate.Answered, err error) {
	q := e.request.Ask
	q.Question, q.Model, q.Thread, q.light = c.Question, model, "", true
	if model == EvaluateReplies {
		q.Model, q.model = "", repliesModel(c)
	}
	var paths []string
	for _, f := range c.Files {
		if !filepath.IsLocal(f) {
			return out, fault.New(fault.Invalid, "Put the files beside the file of cases.", "cannot use file %s of case %s: it is outside of the folder of the cases", safetext.Quote(f), c.ID)
		}
		paths = append(paths, filepath.Join(e.dir, f))
	}
	files, err := LocalFiles(paths)
	if err != nil {
		return out, err
	}
	q.Files = append(slices.Clone(q.Files), files...)
	if c.Repo != nil {
		done, err := e.repo(c, &q)
		if err != nil {
			return out, err
		}
		defer done()
	}
	q.Session.With = append(slices.Clone(q.Session.With), c.With...)
	if e.request.OneSession && len(c.With) == 0 && c.Repo == nil {
		s, err := e.take(ctx, q)
		if err != nil {
			return out, err
		}
		defer func() { e.pool <- s }()
		q.opened = s
	}
	began := time.Now()
	res, err := e.app.Ask(ctx, q, event.SinkFunc(func(x event.Event) {
		if p, ok := x.(event.Progress); ok {
			e.sink.Emit(p)
		}
		if p, ok := x.(event.Notice); ok {
			e.sink.Emit(p)
		}
	}))
	out = evaluate.Answered{
		Run: res.Run, Text: res.Text, Value: res.Value, Steps: res.Steps, Tokens: res.Tokens.Input + res.Tokens.Output, Seconds: time.Since(began).Seconds(),
	}
	err = errors.Join(err, res.Unsaved)
	if res.Run == "" {
		return out, err
	}
	// What the record says decides: which models replied, and whether anybody is paid for it.
	s, found := e.app.records.Journal.Summary(context.WithoutCancel(ctx), res.Run)
	if found != nil {
		return out, errors.Join(err, found)
	}
	out.Status = string(s.Status)
	out.Tests = testsOf(res)
	if cost, known := runCost(e.prices, s); known && !s.Scripted {
		out.Cost = &cost
	}
	return out, err
}

// repliesModel is the model that says what stands in a case.
func repliesModel(c evaluate.Case) llm.Model {
	var all []replies.Exchange
	for _, text := range c.Replies {
		all = append(all, replies.Exchange{Reply: event.ModelReplied{Text: text}})
	}
	return replies.New("scripted:"+EvaluateReplies, llm.Traits{Local: true}, all)
}

// take returns a session that one question at a time may use.
func (e *evaluation) take(ctx context.Context, q AskRequest) (*Session, error) {
	select {
	case s := <-e.pool:
		return s, nil
	default:
	}
	spec, err := e.app.withLanguage(ctx, q.Session, q.Language)
	if err != nil {
		return nil, err
	}
	return e.app.OpenSession(ctx, spec, e.sink)
}

// assert evaluates an assertion in a session of its own kind, which no model uses.
func (e *evaluation) assert(ctx context.Context, expression, answer string, figures []float64) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.grading == nil {
		s, err := e.app.OpenSession(ctx, SessionSpec{}, e.sink)
		if err != nil {
			return "", err
		}
		e.grading = s
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return "", err
	}
	numbers, err := json.Marshal(figures)
	if err != nil {
		return "", err
	}
	// A string of JSON is a Python literal, too.
	data, err := json.Marshal(fmt.Sprintf("[%s, %s]", text, numbers))
	if err != nil {
		return "", err
	}
	code := fmt.Sprintf("import json\nanswer, figures = json.loads(%s)\nassert (\n%s\n)", data, expression)
	x, err := e.grading.Execute(ctx, "python", code, event.Bounds{}, event.Discard)
	switch {
	case err != nil:
		return "", err
	case x.Status == event.OK:
		return "", nil
	case x.Error != nil && x.Error.Name == "AssertionError":
		return "the assertion does not hold", nil
	case x.Error != nil:
		return safetext.OneLine("the assertion ended with "+x.Error.Name+": "+x.Error.Value, 300), nil
	}
	return safetext.OneLine("the assertion ended with "+cmp.Or(x.Message, x.Status.String()), 300), nil
}

// close ends the sessions.
func (e *evaluation) close() (err error) {
	close(e.pool)
	for s := range e.pool {
		err = errors.Join(err, s.Close())
	}
	if e.grading != nil {
		err = errors.Join(err, e.grading.Close())
	}
	return err
}

// FormatShare writes a share as a person reads it, such as "93.3 %".
func FormatShare(share float64) string { return evaluate.Percent(share) }

// WriteEvaluation writes a report of an evaluation as a whole file.
func WriteEvaluation(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("cannot write report %s: %w", path, err)
	}
	return atomicfile.Replace(path, b.Bytes(), 0o644)
}
