package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

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
	Rivals []Rival     // measured beside, in the same turns
	Sink   event.Sink
}

// Program is measured on every machine. It defines f() and computes with zero,
// an input: in the machine of plans everything that follows from it is labelled.
type Program struct {
	Name   string
	Python string
}

// Rival is another machine that runs the programs. Seconds is the time of one
// call of f, as [Best] takes it.
type Rival struct {
	Name    string // its figures are NAME_PROGRAM_ratio
	Seconds func(Program) (float64, error)
}

// Programs are what plans are compared by.
func Programs() []Program {
	return []Program{
		{"fib30", `
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
def f():
    return fib(30 + zero)
`},
		{"loop", `
def f():
    total = zero
    i = zero
    while i < 1000000:
        total += i * 3 % 7
        i += 1
    return total
`},
		{"dicts", `
def f():
    counts = {}
    for i in range(zero, 300000):
        key = i % 5000
        counts[key] = counts.get(key, 0) + 1
    return len(counts)
`},
		{"strings", `
def f():
    size = 0
    for i in range(zero, 150000):
        size += len(f"{i}: {i * 2:>8} {'ab'!r}")
    return size
`},
	}
}

// PlanNames returns the figures of [Plans] in the order in which they are printed.
func PlanNames(rivals ...Rival) []string {
	out := []string{"start_us", "parse_mb_per_s"}
	for _, p := range Programs() {
		out = append(out, p.Name+"_ratio")
	}
	for _, r := range rivals {
		for _, p := range Programs() {
			out = append(out, r.figure(p))
		}
	}
	return append(out, "label_overhead", "dump_kb", "resume_us")
}

// figure is the name of a rival's figure.
func (r Rival) figure(p Program) string { return r.Name + "_" + p.Name + "_ratio" }

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
	r := Report{Machine: Here(), Image: cfg.Image.Name, Figures: map[string]Figure{}}
	overhead := make([]float64, 0, cfg.Rounds*len(Programs()))
	for _, p := range Programs() {
		cfg.Sink.Emit(event.Progress{Stage: "bench", Text: p.Name})
		if err := b.compare(ctx, p, cfg.Rivals, r.Figures, &overhead); err != nil {
			return r, fmt.Errorf("cannot measure %s: %w", p.Name, err)
		}
	}
	r.Figures["label_overhead"] = FigureOf(overhead)
	for _, m := range []struct {
		name string
		take func(context.Context) (Figure, error)
	}{{"start_us", b.planStart}, {"parse_mb_per_s", b.parseSpeed}} {
		cfg.Sink.Emit(event.Progress{Stage: "bench", Text: m.name})
		f, err := m.take(ctx)
		if err != nil {
			return r, fmt.Errorf("cannot measure %s: %w", m.name, err)
		}
		r.Figures[m.name] = f
	}
	return r, b.planState(ctx, r.Figures)
}

// compare runs a program on all machines in turns.
func (b *bench) compare(ctx context.Context, p Program, rivals []Rival, figures map[string]Figure, overhead *[]float64) error {
	var ratio []float64
	rival := make([][]float64, len(rivals))
	for range b.Rounds {
		python, err := b.onCPython(ctx, p)
		if err != nil {
			return err
		}
		labelled, err := onVM(p, false)
		if err != nil {
			return err
		}
		plain, err := onVM(p, true)
		if err != nil {
			return err
		}
		ratio = append(ratio, labelled/python)
		*overhead = append(*overhead, labelled/plain)
		for i, r := range rivals {
			took, err := r.Seconds(p)
			if err != nil {
				return fmt.Errorf("cannot run %s: %w", r.Name, err)
			}
			rival[i] = append(rival[i], took/python)
		}
	}
	figures[p.Name+"_ratio"] = FigureOf(ratio)
	for i, r := range rivals {
		figures[r.figure(p)] = FigureOf(rival[i])
	}
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

func (b *bench) onCPython(ctx context.Context, p Program) (float64, error) {
	out, err := b.outside(ctx, "zero = 0\n"+p.Python+timed)
	if err != nil {
		return 0, fmt.Errorf("cannot run CPython: %w", err)
	}
	return strconv.ParseFloat(out, 64)
}

// Best returns the shortest of three times, in seconds.
func Best(f func() error) (float64, error) {
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
func onVM(prog Program, plain bool) (float64, error) {
	src := prog.Python + "f()\n"
	m, bad := syntax.Parse([]byte(src), syntax.Options{})
	if len(bad) > 0 {
		return 0, bad[0]
	}
	p, err := vm.Compile(m, src, vm.Env{Inputs: []string{"zero"}}, vm.Options{})
	if err != nil {
		return 0, err
	}
	return Best(func() error {
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
func (b *bench) planStart(ctx context.Context) (Figure, error) {
	o, err := twentyOptions()
	if err != nil {
		return Figure{}, err
	}
	return sample(50*b.Rounds, func() (float64, error) {
		began := time.Now()
		r, err := startTwenty(ctx, o)
		if err == nil {
			_, err = r.Next()
		}
		return ms(began) * 1000, err
	})
}

func startTwenty(ctx context.Context, o plan.Options) (*plan.Run, error) {
	p, err := plan.Prepare(ctx, plan.Source{Name: "plan.py", Text: []byte(twenty)}, o)
	if err != nil {
		return nil, err
	}
	return p.Start(plan.Start{Now: time.Unix(1_790_000_000, 0).UTC()})
}

func (b *bench) parseSpeed(context.Context) (Figure, error) {
	src := []byte(strings.Repeat(twenty, syntax.DefaultMaxBytes/len(twenty)))
	return sample(b.Rounds, func() (float64, error) {
		began := time.Now()
		if _, bad := syntax.Parse(src, syntax.Options{}); len(bad) > 0 {
			return 0, bad[0]
		}
		return float64(len(src)) / 1e6 / time.Since(began).Seconds(), nil
	})
}

// planState measures the stored state of a plan that waits at its second call.
func (b *bench) planState(ctx context.Context, figures map[string]Figure) error {
	o, err := twentyOptions()
	if err != nil {
		return err
	}
	r, err := startTwenty(ctx, o)
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
	figures["dump_kb"] = FigureOf([]float64{float64(len(state)) / 1000})
	f, err := sample(20*b.Rounds, func() (float64, error) {
		began := time.Now()
		_, err := plan.Resume(ctx, state, o.Tools, o.Policy)
		return ms(began) * 1000, err
	})
	figures["resume_us"] = f
	return err
}
