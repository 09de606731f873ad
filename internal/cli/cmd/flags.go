package cmd

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/safetext"
)

// flagValue is a flag that is parsed strictly. It stays nil when it is not given.
type flagValue[T any] struct {
	parse func(string) (T, error)
	kind  string
	value *T
}

// String returns "": the defaults are the configuration's, which the help shows.
func (f *flagValue[T]) String() string { return "" }

// Set parses and checks a value.
func (f *flagValue[T]) Set(s string) error {
	v, err := f.parse(s)
	if err == nil {
		f.value = &v
	}
	return err
}

// Type returns what help calls the value.
func (f *flagValue[T]) Type() string { return f.kind }

// limitFlag is the flag of one limit, parsed strictly.
type limitFlag struct {
	spec event.LimitSpec
	to   *event.Limits
	kind string
}

// String returns "": the defaults are the configuration's, which the help shows.
func (f *limitFlag) String() string { return "" }

// Set parses and checks a value.
func (f *limitFlag) Set(s string) error {
	v, err := app.ParseLimit(f.spec, s)
	if err == nil {
		f.spec.Set(f.to, v)
	}
	return err
}

// Type returns what help calls the value.
func (f *limitFlag) Type() string { return f.kind }

// budgetFlag is the flag of one part of the budget of a question, parsed strictly.
type budgetFlag struct {
	spec event.BudgetSpec
	to   *event.Budget
}

// String returns "": the defaults are the configuration's, which the help shows.
func (f *budgetFlag) String() string { return "" }

// Set parses and checks a value.
func (f *budgetFlag) Set(s string) error {
	v, err := app.ParseBudget(f.spec, s)
	if err == nil {
		f.spec.Set(f.to, v)
	}
	return err
}

// Type returns what help calls the value.
func (f *budgetFlag) Type() string {
	return map[event.Unit]string{event.Counted: "number", event.Dollars: "USD", event.Seconds: "time"}[f.spec.Unit]
}

// sessionFlags are the flags of every command that makes a session.
type sessionFlags struct {
	with         []string
	requirements string
	npm          []string
	image        string
	seed         flagValue[int64]
	date         flagValue[time.Time]
	limits       event.Limits // those that were given; zero: the configuration's
	timeout, cpu flagValue[time.Duration]
	output       flagValue[int64]
	pictures     string
	readOnly     bool
}

func (f *sessionFlags) register(cmd *cobra.Command) {
	f.output = flagValue[int64]{parse: app.ParseOutput, kind: "size"}
	f.timeout = flagValue[time.Duration]{parse: app.ParseTimeout, kind: "time"}
	f.cpu = flagValue[time.Duration]{parse: app.ParseCPUTime, kind: "time"}
	f.seed = flagValue[int64]{parse: parseSeed, kind: "number"}
	f.date = flagValue[time.Time]{parse: parseDate, kind: "date"}
	fs := cmd.Flags()
	fs.StringArrayVar(&f.with, "with", nil, "`PACKAGES` to have, such as numpy,pandas==2.*")
	fs.StringVar(&f.requirements, "requirements", "", "requirements `FILE` with packages to have")
	fs.StringArrayVar(&f.npm, "npm", nil, "`PACKAGES` of npm to have, such as lodash,d3@7")
	fs.StringVar(&f.image, "image", "", "`IMAGE` that it runs: a name, an id, or a container image such as alpine:3.22")
	fs.Var(&f.timeout, "timeout", "wall time of one execution (default 30s)")
	fs.Var(&f.cpu, "cpu-time", "processor time of one execution")
	fs.Var(&f.output, "output-limit", "output that is shown and kept of one execution (default 1MiB)")
	fs.StringVar(&f.pictures, "pictures", "", "how the terminal shows images, a `WAY`: auto, kitty, iterm, sixel or none (default auto)")
	for _, spec := range event.LimitTable() {
		kind, standard := "number", strconv.FormatFloat(spec.Default, 'f', -1, 64)
		if spec.Bytes {
			kind, standard = "size", safetext.Size(int64(spec.Default))
		}
		fs.Var(&limitFlag{spec, &f.limits, kind}, spec.Flag(), spec.What+" (default "+standard+")")
	}
	fs.Var(&f.seed, "seed", "make the session deterministic: the same code prints the same bytes")
	fs.Var(&f.date, "date", "when a session with a seed begins by its clocks (default 2026-01-01)")
}

// registerReadOnly adds the flag of commands that run a person's own code.
func (f *sessionFlags) registerReadOnly(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "let code in SQL change neither tables nor files")
}

func parseSeed(s string) (int64, error) {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, usage("praxis run", "--seed %q is not a whole number of 64 bits", safetext.Line(s))
	}
	return v, nil
}

// parseDate reads a day, or a moment of one.
func parseDate(s string) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil && t.Unix() > 0 && t.Year() < 2200 {
			return t.UTC(), nil
		}
	}
	return time.Time{}, usage("praxis run", "--date %q is not a date from 1970 to 2199, such as 2026-03-01 or 2026-03-01T12:00:00Z", safetext.Line(s))
}

// session returns what session to make, or to open when it has a name.
func (f *sessionFlags) session(name string) app.SessionSpec {
	spec := app.SessionSpec{Name: name, With: f.with, Requirements: f.requirements, NPM: f.npm, Image: f.image, Limits: f.limits, Seed: f.seed.value}
	if d := f.date.value; d != nil {
		spec.Date = *d
	}
	return spec
}

// beyond says which limits are more than a machine has, or "": such limits
// limit nothing, and the code gets no more than there is.
func (f *sessionFlags) beyond(processors int, memory int64) string {
	var given, has []string
	if v := f.limits.CPUs; v > float64(processors) {
		given = append(given, "--cpus "+strconv.FormatFloat(v, 'g', -1, 64))
		has = append(has, safetext.Count(processors, "processor"))
	}
	if v := f.limits.Memory; memory > 0 && v > memory {
		given = append(given, "--memory "+safetext.Size(v))
		has = append(has, safetext.Size(memory)+" of memory")
	}
	if len(given) == 0 {
		return ""
	}
	return strings.Join(given, " and ") + ": more than this machine has, which is " + strings.Join(has, " and ")
}

// warn refuses flags that cannot be, and says that limits are beyond this machine.
func (f *sessionFlags) warn(p *program) error {
	if err := f.checkPictures(); err != nil || p.server != nil {
		return err
	}
	text := f.beyond(runtime.NumCPU(), hostMemory())
	if text == "" {
		return nil
	}
	_, err := fmt.Fprintf(p.stderr, "praxis: %s\n", text)
	return err
}

// bounds are those of an execution that were given.
func (f *sessionFlags) bounds() event.Bounds {
	b := event.Bounds{ReadOnly: f.readOnly}
	if f.timeout.value != nil {
		b.Timeout = event.Duration(*f.timeout.value)
	}
	if f.cpu.value != nil {
		b.CPU = event.Duration(*f.cpu.value)
	}
	if f.output.value != nil {
		b.OutputBytes = *f.output.value
	}
	return b
}
