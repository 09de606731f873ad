package replay

import (
	"fmt"
	"io"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/safetext"
)

// Report says what came of a replay.
type Report struct {
	Run        string          `json:"run"`
	Kind       event.Kind      `json:"kind"`
	Question   string          `json:"question"`
	Identical  bool            `json:"identical"`
	Seeded     bool            `json:"seeded"`               // the run and its replay had the same seed
	First      *int            `json:"first,omitempty"`      // the first step that differs
	Unfinished bool            `json:"unfinished,omitempty"` // the recording has no end: what there is was compared
	Cut        string          `json:"cut,omitempty"`        // why the recorded run was ended from outside
	Image      string          `json:"image,omitempty"`      // what is different about the image
	Packages   []PackageChange `json:"packages,omitempty"`
	Inputs     []InputChange   `json:"inputs,omitempty"`
	Tools      []ToolChange    `json:"tools,omitempty"`  // defined otherwise than they were
	Policy     string          `json:"policy,omitempty"` // the file of another policy
	Limits     bool            `json:"limits,omitempty"` // the session's limits differ
	Steps      []StepReport    `json:"steps"`
	Ending     []Difference    `json:"ending,omitempty"` // in the answer, and in how the run ended
	Children   []ChildReport   `json:"children,omitempty"`
	Notes      []string        `json:"notes,omitempty"` // full sentences
	Took       event.Duration  `json:"took_ms"`
	Executed   event.Duration  `json:"executed_ms"` // what the executions took when they were recorded
}

// PackageChange is a package of another version. Was or Is is empty when only
// one of the images has it.
type PackageChange struct {
	Name string `json:"name"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// ToolChange is a tool whose definition is another. Was or Is is empty when it is
// defined on one side alone.
type ToolChange struct {
	Name string `json:"name"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// InputChange is an input whose content is not the one that was recorded, by SHA-256.
type InputChange struct {
	Name string `json:"name"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// StepReport compares one step. The step of a run of code has the number 0.
type StepReport struct {
	N           int          `json:"step"`
	Identical   bool         `json:"identical"`
	Missing     bool         `json:"missing,omitempty"` // the replay did not come to it
	Extra       bool         `json:"extra,omitempty"`   // the recording does not have it
	Partial     bool         `json:"partial,omitempty"` // the recording ends in it: identical as far as that goes
	Differences []Difference `json:"differences,omitempty"`
	Causes      []string     `json:"causes,omitempty"` // guesses
}

// Difference is one thing that differs.
type Difference struct {
	What      string `json:"what"`                // such as "stdout"
	Execution int    `json:"execution,omitempty"` // of those of the step, from 1
	Short     bool   `json:"short,omitempty"`     // both texts are short: Was and Is are set
	Was       string `json:"was,omitempty"`
	Is        string `json:"is,omitempty"`
	Diff      string `json:"diff"` // unified and bounded; safe to print
}

// note adds what a person should know besides.
func (r *Report) note(cfg Config, rec Recording) {
	add := func(format string, args ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, args...)) }
	r.toolNotes(rec)
	switch {
	case rec.sessionless(): // there is no code that could vary
	case r.Seeded && !r.Identical:
		add("This run had a seed, so it should repeat. What a seed does not fix, such as a clock that the code reads, may still differ.")
	case !r.Seeded && seeded(rec):
		add("This run had a seed and its replay has another one or none: what is random differs.")
	case !r.Seeded && r.Identical:
		add("This run had no seed: another time, what is random, the order of sets or addresses in memory may differ.")
	case !r.Seeded:
		add("This run had no seed: time, randomness, the order of sets and addresses in memory may differ.")
	}
	if r.Unfinished {
		add("The recording has no end: the run was not finished. What there is of it was executed again.")
	}
	if r.Cut != "" {
		add("The recorded run was ended from outside, which a replay does not repeat.")
	}
	if r.Limits {
		add("The replay had other limits than the run.")
	}
	if cfg.Program != "" && rec.Began.Program != "" && cfg.Program != rec.Began.Program {
		add("The run was recorded with praxis %s and replayed with %s.", rec.Began.Program, cfg.Program)
	}
	if secretResults(rec) {
		add("Secrets were taken out of what calls gave: the replay goes on without them.")
	}
	if redacted(rec) {
		add("Secrets were taken out of the recording: code that held one runs without it.")
	}
}

// redacted says whether a secret was taken out of the code of a run.
func redacted(rec Recording) bool {
	for _, s := range rec.Steps {
		for _, x := range s.Executions {
			if strings.Contains(x.Code, "[secret ") {
				return true
			}
		}
	}
	return false
}

// Changes says in one line what the replay was given that is not as it was
// recorded, or "".
func (r Report) Changes() string {
	var parts []string
	if r.Image != "" {
		parts = append(parts, r.Image)
	}
	for _, p := range r.Packages {
		parts = append(parts, p.String())
	}
	for _, t := range r.Tools {
		parts = append(parts, t.String())
	}
	if r.Policy != "" {
		parts = append(parts, "the policy in "+r.Policy)
	}
	for _, i := range r.Inputs {
		parts = append(parts, "input "+i.Name+" has another content")
	}
	return strings.Join(parts, ", ")
}

// String writes "numpy 2.3.1 → 2.4.0".
func (p PackageChange) String() string {
	switch {
	case p.Was == "":
		return p.Name + " " + p.Is + " added"
	case p.Is == "":
		return p.Name + " " + p.Was + " removed"
	}
	return p.Name + " " + p.Was + " → " + p.Is
}

// String says what changed, such as "tool crm.find 1.0.0 defined otherwise" or
// "tool crm.find 1.0.0 → 2.0.0".
func (t ToolChange) String() string {
	switch {
	case t.Was == "":
		return "tool " + t.Name + " " + t.Is + " added"
	case t.Is == "":
		return "tool " + t.Name + " " + t.Was + " removed"
	case t.Was == t.Is:
		return "tool " + t.Name + " " + t.Is + " defined otherwise"
	}
	return "tool " + t.Name + " " + t.Was + " → " + t.Is
}

// Headline says the result in a few words, such as "differs, first in step 2".
func (r Report) Headline() string {
	switch {
	case r.Identical && r.Unfinished:
		return "identical, as far as it is recorded"
	case r.Identical:
		return "identical"
	case r.First == nil && len(r.Ending) == 0 && len(r.Children) > 0:
		return "differs, in a child"
	case r.First == nil:
		return "differs, in how it ended"
	case r.Kind == event.Code:
		return "differs"
	}
	return fmt.Sprintf("differs, first in step %d", *r.First)
}

// Text writes the report for a person. What comes from the run is made visible
// where it would act on a terminal.
func (r Report) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "run %s: %s\n", r.Run, r.Headline())
	if changes := r.Changes(); changes != "" {
		fmt.Fprintf(&b, "replayed with: %s\n", safetext.Line(changes))
	}
	for _, s := range r.Steps {
		s.text(&b, r.Kind)
	}
	if len(r.Ending) > 0 {
		b.WriteString("end: differs: " + list(r.Ending) + "\n")
		diffs(&b, r.Ending)
	}
	for _, c := range r.Children {
		c.text(&b, "")
	}
	for _, n := range r.Notes {
		b.WriteString(safetext.Line(n) + "\n")
	}
	what := "replayed"
	if r.Kind != event.Code {
		what = safetext.Count(len(r.Steps), "step") + " replayed"
	}
	fmt.Fprintf(&b, "%s in %s\n", what, seconds(r.Took))
	_, err := io.WriteString(w, b.String())
	return err
}

func seconds(d event.Duration) string { return fmt.Sprintf("%.2f s", time.Duration(d).Seconds()) }

func (s StepReport) text(b *strings.Builder, kind event.Kind) {
	name := fmt.Sprintf("step %d", s.N)
	if kind == event.Code {
		name = "code"
	}
	switch {
	case s.Partial:
		fmt.Fprintf(b, "%s: identical, as far as it is recorded\n", name)
		return
	case s.Identical:
		fmt.Fprintf(b, "%s: identical\n", name)
		return
	case s.Missing:
		fmt.Fprintf(b, "%s: the replay did not come to it\n", name)
		return
	case s.Extra:
		fmt.Fprintf(b, "%s: the recording does not have it\n", name)
		return
	}
	fmt.Fprintf(b, "%s: differs: %s\n", name, list(s.Differences))
	for _, c := range s.Causes {
		fmt.Fprintf(b, "  perhaps: %s\n", c)
	}
	diffs(b, s.Differences)
}

// text writes what came of a child: in a line where nothing differs.
func (c ChildReport) text(b *strings.Builder, indent string) {
	fmt.Fprintf(b, "%s%s %d, run %s: ", indent, safetext.Line(string(c.Role)), c.N, safetext.Line(c.Run))
	if c.Report == nil {
		b.WriteString("not replayed: " + safetext.Line(c.Reason) + "\n")
		return
	}
	fmt.Fprintf(b, "%s, %s\n", c.Report.Headline(), safetext.Count(len(c.Report.Steps), "step"))
	if !c.Report.Identical {
		for _, s := range c.Report.Steps {
			if !s.Identical {
				s.text(b, c.Report.Kind)
			}
		}
		if len(c.Report.Ending) > 0 {
			b.WriteString("end: differs: " + list(c.Report.Ending) + "\n")
			diffs(b, c.Report.Ending)
		}
	}
	for _, below := range c.Report.Children {
		below.text(b, indent+"  ")
	}
}

// list names differences, the short ones with both sides.
func list(all []Difference) string {
	var parts []string
	for _, d := range all {
		part := safetext.Line(d.What)
		if d.Short {
			part += fmt.Sprintf(" (%s → %s)", orNone(d.Was), orNone(d.Is))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// diffs writes the differences that the list does not show whole.
func diffs(b *strings.Builder, all []Difference) {
	for _, d := range all {
		if d.Short {
			continue
		}
		for line := range strings.Lines(d.Diff) {
			b.WriteString("    " + line)
		}
	}
}
