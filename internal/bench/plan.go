package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.starlark.net/starlark"
	starsyntax "go.starlark.net/syntax"

	"praxis/event"
	"praxis/internal/image"
	"praxis/internal/plan"
	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
	"praxis/internal/plan/vm"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// PlanConfig is what the figures of plans need.
type PlanConfig struct {
	Image  image.Image // whose CPython is the measure
	Rounds int         // runs a figure; 0: 9
	Sink   event.Sink
}

// work is a program that is measured on every machine. It defines f() and
// computes with zero, an input: in the machine of plans everything that follows
// from it is labelled.
type work struct {
	name     string
	python   string
	starlark string // "": as python
}

func works() []work {
	return []work{
		{name: "fib30", python: `
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
def f():
    return fib(30 + zero)
`},
		{name: "loop", python: `
def f():
    total = zero
    i = zero
    while i < 1000000:
        total += i * 3 % 7
        i += 1
    return total
`},
		{name: "dicts", python: `
def f():
    counts = {}
    for i in range(zero, 300000):
        key = i % 5000
        counts[key] = counts.get(key, 0) + 1
    return len(counts)
`},
		{name: "strings", python: `
def f():
    size = 0
    for i in range(zero, 150000):
        size += len(f"{i}: {i * 2:>8} {'ab'!r}")
    return size
`, starlark: `
def f():
    size = 0
    for i in range(zero, 150000):
        size += len("%d: %s %r" % (i, str(i * 2), "ab"))
    return size
`},
	}
}

// planFigures are the names of the figures of plans, in their order.
func planFigures() []string {
	out := []string{"start_us", "parse_mb_per_s"}
	for _, w := range works() {
		out = append(out, w.name+"_ratio")
	}
	for _, w := range works() {
		out = append(out, "starlark_"+w.name+"_ratio")
	}
	return append(out, "label_overhead", "dump_kb", "resume_us")
}

// PlanNames returns the figures of [Plans] in the order in which they are printed.
func PlanNames() []string { return planFigures() }

// Plans measures the plan language. Ratios are to the image's CPython, in the
// same run, taken in turns.
func Plans(ctx context.Context, cfg PlanConfig) (Report, error) {
	if cfg.Rounds == 0 {
		cfg.Rounds = 9
	}
	if cfg.Sink == nil {
		cfg.Sink = event.Discard
	}
	b := &bench{Config: Config{Image: cfg.Image, Rounds: cfg.Rounds, Sink: cfg.Sink}}
	r := Report{Machine: machine(), Image: cfg.Image.Name, Figures: map[string]Figure{}}
	overhead := make([]float64, 0, cfg.Rounds*len(works()))
	for _, w := range works() {
		cfg.Sink.Emit(event.Progress{Room: "bench", Text: w.name})
		if err := b.compare(ctx, w, r.Figures, &overhead); err != nil {
			return r, fmt.Errorf("cannot measure %s: %w", w.name, err)
		}
	}
	r.Figures["label_overhead"] = figure(overhead)
	for _, m := range []struct {
		name string
		take func() (Figure, error)
	}{{"start_us", b.planStart}, {"parse_mb_per_s", b.parseSpeed}} {
		cfg.Sink.Emit(event.Progress{Room: "bench", Text: m.name})
		f, err := m.take()
		if err != nil {
			return r, fmt.Errorf("cannot measure %s: %w", m.name, err)
		}
		r.Figures[m.name] = f
	}
	return r, b.planState(r.Figures)
}

// compare runs a program on all machines in turns.
func (b *bench) compare(ctx context.Context, w work, figures map[string]Figure, overhead *[]float64) error {
	var ratio, rival []float64
	for range b.Rounds {
		python, err := b.onCPython(ctx, w)
		if err != nil {
			return err
		}
		labelled, err := onVM(w, false)
		if err != nil {
			return err
		}
		plain, err := onVM(w, true)
		if err != nil {
			return err
		}
		star, err := onStarlark(w)
		if err != nil {
			return err
		}
		ratio, rival = append(ratio, labelled/python), append(rival, star/python)
		*overhead = append(*overhead, labelled/plain)
	}
	figures[w.name+"_ratio"], figures["starlark_"+w.name+"_ratio"] = figure(ratio), figure(rival)
	return nil
}

// timed is run by CPython: it prints the best of three, in seconds.
const timed = `
import time
best = 1e9
f()
for _ in range(3):
    began = time.perf_counter()
    f()
    best = min(best, time.perf_counter() - began)
print(best)
`

func (b *bench) onCPython(ctx context.Context, w work) (float64, error) {
	out, err := b.pythonOutside(ctx, "zero = 0\n"+w.python+timed).Output()
	if err != nil {
		return 0, fmt.Errorf("cannot run CPython: %w", err)
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}

// best returns the shortest of three times, in seconds.
func best(f func() error) (float64, error) {
	shortest := math.Inf(1)
	for range 3 {
		began := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		shortest = min(shortest, time.Since(began).Seconds())
	}
	return shortest, nil
}

// onVM runs a program with or without labels.
func onVM(w work, plain bool) (float64, error) {
	src := w.python + "f()\n"
	m, bad := syntax.Parse([]byte(src), syntax.Options{})
	if len(bad) > 0 {
		return 0, bad[0]
	}
	p, err := vm.Compile(m, src, vm.Env{Inputs: []string{"zero"}}, vm.Options{})
	if err != nil {
		return 0, err
	}
	return best(func() error {
		table := label.NewTable()
		zero := value.Data{Value: int64(0)}
		if !plain {
			zero.Label = table.Of(label.Source{Kind: label.User, Name: "zero"}, label.Everyone())
		}
		machine, err := vm.New(p, vm.Config{
			Plain: plain, Limits: value.Limits{Steps: math.MaxInt64 / 4}, Labels: table,
			Inputs: []value.Field{{Name: "zero", Data: zero}},
		})
		if err != nil {
			return err
		}
		out, err := machine.Run()
		if _, ok := out.(vm.Done); err == nil && !ok {
			err = fmt.Errorf("the program failed: %v", out)
		}
		return err
	})
}

func onStarlark(w work) (float64, error) {
	src := w.starlark
	if src == "" {
		src = w.python
	}
	src = "zero = 0\n" + src
	opts := &starsyntax.FileOptions{While: true, Recursion: true, TopLevelControl: true, GlobalReassign: true}
	globals, err := starlark.ExecFileOptions(opts, &starlark.Thread{}, w.name, src, nil)
	if err != nil {
		return 0, fmt.Errorf("cannot run starlark: %w", err)
	}
	return best(func() error {
		_, err := starlark.Call(&starlark.Thread{}, globals["f"], nil, nil)
		return err
	})
}

// twenty is a plan of 20 lines, as models write them.
const twenty = `people = ["ann@acme.com", "bob@acme.com"]
limit = 5
found = []
for person in people:
    mails = mail.search(sender=person, days=7)
    for one in mails:
        if len(one["subject"]) > limit:
            found.append({"from": person, "subject": one["subject"]})

def line(entry):
    return f"{entry['from']}: {entry['subject']}"

text = "\n".join(line(e) for e in found)
count = len(found)
try:
    average = count / len(people)
except ZeroDivisionError:
    average = 0
print(f"{count} mails, {average:.1f} a person")
mail.send(to="me@acme.com", body=text)
`

const twentyTools = `version: 1
me: me@acme.com
tools:
  - name: mail.search
    version: 1.0.0
    description: Finds mails.
    effects: read
    labels: {readers: everyone}
    input: {type: object, required: [sender], properties: {sender: {type: string}, days: {type: integer}}, additionalProperties: false}
    output: {type: array, items: {type: object, properties: {subject: {type: string}}}}
  - name: mail.send
    version: 1.0.0
    description: Sends a mail.
    effects: external
    input: {type: object, required: [to, body], properties: {to: {type: string}, body: {type: string}}, additionalProperties: false}
    output: {type: string}
`

const twentyPolicy = `version: 1
rules:
  - {name: chosen, tools: [mail.send], when: "!args.to.trusted()", decision: deny, reason: the recipient comes from elsewhere, remedy: Name the recipient in the plan.}
  - {name: send, tools: [mail.send], decision: allow, reason: the user wants it}
`

func twentyOptions() (o plan.Options, err error) {
	file, err := toolfile.Load("tools.yaml", []byte(twentyTools))
	if err != nil {
		return o, err
	}
	if o.Tools, err = plan.Tools(file); err != nil {
		return o, err
	}
	o.Policy, err = policy.Load("policy.yaml", []byte(twentyPolicy), o.Tools)
	return o, err
}

// planStart is the time from the text to the first call: parse, check, compile, run.
func (b *bench) planStart() (Figure, error) {
	o, err := twentyOptions()
	if err != nil {
		return Figure{}, err
	}
	return sample(50*b.Rounds, func() (float64, error) {
		began := time.Now()
		r, err := startTwenty(o)
		if err == nil {
			_, err = r.Next()
		}
		return ms(began) * 1000, err
	})
}

func startTwenty(o plan.Options) (*plan.Run, error) {
	p, err := plan.Prepare(plan.Source{Name: "plan.py", Text: []byte(twenty)}, o)
	if err != nil {
		return nil, err
	}
	return p.Start(plan.Start{Now: time.Unix(1_790_000_000, 0).UTC()})
}

func (b *bench) parseSpeed() (Figure, error) {
	src := []byte(strings.Repeat(twenty, 2000))
	return sample(b.Rounds, func() (float64, error) {
		began := time.Now()
		if _, bad := syntax.Parse(src, syntax.Options{}); len(bad) > 0 {
			return 0, bad[0]
		}
		return float64(len(src)) / 1e6 / time.Since(began).Seconds(), nil
	})
}

// planState measures the stored state of a plan that waits at its second call.
func (b *bench) planState(figures map[string]Figure) error {
	o, err := twentyOptions()
	if err != nil {
		return err
	}
	r, err := startTwenty(o)
	if err != nil {
		return err
	}
	if _, err := r.Next(); err != nil {
		return err
	}
	mails := slices.Repeat([]any{jsondoc.NewObject(jsondoc.Member{Name: "subject", Value: "The figures of last week"})}, 50)
	if _, err := r.Reply(mails); err != nil {
		return err
	}
	if _, err := r.Next(); err != nil {
		return err
	}
	state, err := r.Dump()
	if err != nil {
		return err
	}
	figures["dump_kb"] = figure([]float64{float64(len(state)) / 1000})
	f, err := sample(20*b.Rounds, func() (float64, error) {
		began := time.Now()
		_, err := plan.Resume(state, o.Tools, o.Policy)
		return ms(began) * 1000, err
	})
	figures["resume_us"] = f
	return err
}
