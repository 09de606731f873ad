package replay

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/lazyregexp"
	"praxis/internal/record/report"
	"praxis/internal/tool/jsondoc"
)

// aspect is one thing that is compared, as text.
type aspect struct {
	what, text string
	execution  int // of the step, from 1; 0: not of an execution
}

// compare compares what was executed with the recording. ended says that the
// run wanted more replies than were recorded.
func compare(was, is Recording, ended bool) Report {
	r := Report{
		Run: was.ID, Kind: was.Began.Kind, Question: was.Began.Question, Seeded: seeded(was),
		Unfinished: !was.Finished(),
	}
	r.givenAnew(was.Session, is.Session)
	r.Inputs = inputChanges(was.Inputs, is.Inputs)
	if len(was.Before) > 0 {
		before := Step{Executions: is.Before}
		r.step(Step{Executions: was.Before}, &before, r.Unfinished && len(was.Steps) == 0)
		if n := len(r.Steps) - 1; r.Steps[n].Identical {
			r.Steps = r.Steps[:n]
		}
	}
	for i, s := range was.Steps {
		r.step(s, is.find(s.N), r.Unfinished && i == len(was.Steps)-1)
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		open := r.Unfinished && len(was.Steps) > 0 && s.N == was.Steps[len(was.Steps)-1].N
		more := differences(childAspects(was, s.N), childAspects(is, s.N), open)
		s.Differences, s.Identical = append(s.Differences, more...), s.Identical && len(more) == 0
	}
	for _, s := range is.Steps {
		beyond := ended && s.N == is.Steps[len(is.Steps)-1].N
		if was.find(s.N) == nil && !beyond {
			r.Steps = append(r.Steps, StepReport{N: s.N, Extra: true})
		}
	}
	r.ending(was, is, ended)
	r.Identical = len(r.Ending) == 0 && !slices.ContainsFunc(r.Steps, func(s StepReport) bool { return !s.Identical })
	for _, s := range r.Steps {
		if !s.Identical {
			n := s.N
			r.First = &n
			break
		}
	}
	for _, s := range was.Steps {
		for _, x := range s.Executions {
			if x.Ended != nil {
				r.Executed += event.Duration(x.Ended.Usage.WallMS * float64(time.Millisecond))
			}
		}
	}
	return r
}

// step compares a step with what became of it. open says that the recording
// ends in it: what happened beyond is not known.
func (r *Report) step(was Step, is *Step, open bool) {
	out := StepReport{N: was.N}
	if is == nil {
		// A step in which nothing was recorded cannot be missed.
		out.Missing = was.Exchange != nil || len(was.Executions) > 0 || len(was.Calls) > 0
		out.Identical = !out.Missing
		r.Steps = append(r.Steps, out)
		return
	}
	open = open || was.Exchange == nil && len(was.Executions) == 0
	through, own := gated(was.Calls)
	now, ownNow := gated(is.Calls)
	w, i := callAspects(through, now, open)
	out.Differences = differences(append(aspects(was, own), w...), append(aspects(*is, ownNow), i...), open)
	out.Identical = len(out.Differences) == 0
	if out.Identical {
		out.Partial = open && !was.whole()
	} else {
		out.Causes = r.causes(was, *is)
	}
	r.Steps = append(r.Steps, out)
}

// whole says whether the step did something and every end of it was recorded.
func (s Step) whole() bool {
	return len(s.Executions) > 0 && !slices.ContainsFunc(s.Executions, func(x Execution) bool { return x.Ended == nil })
}

// causes guesses why a step differs.
func (r *Report) causes(was, is Step) []string {
	var out []string
	for _, s := range r.Steps {
		if !s.Identical {
			out = append(out, fmt.Sprintf("it may follow from step %d", s.N))
			break
		}
	}
	out = append(out, unfetched(was)...)
	for _, x := range was.Executions {
		out = append(out, Causes(x.Code, r.Seeded)...)
		out = append(out, statusCauses(x)...)
	}
	if addressed(was) && addressed(is) {
		out = append(out, "it shows addresses in memory (0x…)")
	}
	return unique(out)
}

// ending compares how the runs ended.
func (r *Report) ending(was, is Recording, ended bool) {
	r.Ending = differences(append(chosenAspects(was.Chosen), answerAspects(was.Answer)...), append(chosenAspects(is.Chosen), answerAspects(is.Answer)...), !was.Finished() && was.Answer == nil)
	if !was.Finished() || is.Ended == nil {
		return
	}
	same := len(r.Ending) == 0 && !slices.ContainsFunc(r.Steps, func(s StepReport) bool { return !s.Identical })
	if ended && was.Answer == nil && same {
		r.Cut = was.Ended.Reason // it was ended from outside: a replay cannot know when
		return
	}
	w, i := []aspect{{what: "status", text: string(was.Ended.Status)}}, []aspect{{what: "status", text: string(is.Ended.Status)}}
	failed := func(s Step) bool { return s.Exchange != nil && s.Exchange.Failed != "" }
	if n := len(was.Steps); n == 0 || !failed(was.Steps[n-1]) {
		w = append(w, aspect{what: "reason", text: stable(was.Ended.Reason)})
		i = append(i, aspect{what: "reason", text: stable(is.Ended.Reason)})
	}
	patch := func(rec Recording) aspect {
		if rec.Patch == nil {
			return aspect{what: "patch"}
		}
		return aspect{what: "patch", text: rec.Patch.SHA256}
	}
	r.Ending = append(r.Ending, differences(append(w, patch(was)), append(i, patch(is)), false)...)
}

// aspects takes a step apart into what is compared. calls are those of the
// agent's own tools.
func aspects(s Step, calls []Call) []aspect {
	var out []aspect
	for i, x := range s.Executions {
		for _, a := range executionAspects(x) {
			a.execution = i + 1
			out = append(out, a)
		}
	}
	for i, reason := range s.Rejected {
		out = append(out, aspect{what: numbered("rejection", i, len(s.Rejected)), text: stable(reason)})
	}
	for i, c := range calls {
		what := numbered("call of "+c.Called.Tool, i, len(calls))
		args, err := event.Marshal(event.ToolCalled{Tool: c.Called.Tool, Version: c.Called.Version, Arguments: c.Called.Arguments})
		if err != nil {
			args = []byte(err.Error())
		}
		out = append(out, aspect{what: what, text: string(args)})
		if c.Returned != nil {
			out = append(out, aspect{what: "result of " + what, text: c.Returned.Result}, aspect{what: "error of " + what, text: stable(c.Returned.Error)})
		}
	}
	return out
}

func numbered(what string, i, n int) string {
	if n == 1 {
		return what
	}
	return fmt.Sprintf("%s %d", what, i+1)
}

// executionAspects takes an execution apart. The code that fills an answer in
// belongs to the program, so that its expressions are compared.
func executionAspects(x Execution) []aspect {
	out := []aspect{{what: "code", text: x.Code}}
	if x.Fills != nil {
		out = []aspect{{what: "placeholders", text: strings.Join(x.Fills, "\n")}}
	}
	if x.Purpose != "" {
		out = []aspect{{what: string(x.Purpose), text: x.Check}}
	}
	if x.Ended == nil {
		return out
	}
	e := *x.Ended
	raised := event.Raised{}
	if e.Error != nil {
		raised = *e.Error
	}
	out = append(out,
		aspect{what: "status", text: e.Status.String()},
		aspect{what: "limit", text: string(e.Limit)},
		aspect{what: "error", text: raisedText(e.Error)},
		aspect{what: "stdout", text: e.Stdout},
		aspect{what: "stderr", text: e.Stderr},
		aspect{what: "bytes of cut output", text: cutBytes(e)},
		aspect{what: "traceback", text: raised.Traceback},
	)
	out = append(out, bundleAspects("result", e.Result)...)
	for i, d := range e.Displays {
		out = append(out, bundleAspects(fmt.Sprintf("display %d", i+1), d)...)
	}
	return append(out,
		aspect{what: "files", text: changesText(e.Changes)},
		aspect{what: "files not listed", text: stable(e.Unlisted)},
		aspect{what: "state", text: string(e.State)},
		aspect{what: "message", text: stable(e.Cause())},
	)
}

// cutBytes tells how much the code wrote to the streams that are not kept whole.
func cutBytes(e event.Execution) string {
	var out []string
	if e.StdoutTruncated {
		out = append(out, fmt.Sprintf("stdout %d", e.StdoutBytes))
	}
	if e.StderrTruncated {
		out = append(out, fmt.Sprintf("stderr %d", e.StderrBytes))
	}
	return strings.Join(out, ", ")
}

// raisedText distinguishes an exception with an empty text from none.
func raisedText(e *event.Raised) string {
	if e == nil {
		return ""
	}
	return e.Name + ": " + e.Value
}

// bundleAspects names each representation of a value; pictures by their hash.
func bundleAspects(what string, b event.Bundle) []aspect {
	var out []aspect
	for _, mime := range slices.Sorted(maps.Keys(b)) {
		name, text := what, b[mime]
		if mime != "text" {
			name += " as " + mime
		}
		if binary(mime) {
			sum := sha256.Sum256([]byte(text))
			text = fmt.Sprintf("%d bytes in base64, SHA-256 %s", len(text), hex.EncodeToString(sum[:]))
		}
		out = append(out, aspect{what: name, text: text})
	}
	return out
}

func binary(mime string) bool {
	return strings.HasPrefix(mime, "image/") && mime != "image/svg+xml" || mime == "application/pdf"
}

// changesText writes a list of changed files, one a line.
func changesText(changes []event.Change) string {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s %q", c.Kind, c.Path)
		if c.Kind != "removed" {
			fmt.Fprintf(&b, " %d bytes %s", c.Bytes, c.SHA256)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// canonical is a JSON value with its members in one order: that of a replay may be another.
func canonical(value []byte) string {
	if len(value) == 0 {
		return ""
	}
	v, err := jsondoc.Decode(value)
	if err != nil {
		return string(value)
	}
	text, err := jsondoc.AppendCanonical(nil, v, 0)
	if err != nil {
		return string(value)
	}
	return string(text)
}

func answerAspects(a *event.AnswerGiven) []aspect {
	if a == nil {
		return nil
	}
	var b strings.Builder
	for _, f := range a.Figures {
		fmt.Fprintf(&b, "%q %s %s\n", f.Text, f.Source, f.Expression)
	}
	return []aspect{
		{what: "answer", text: a.Text}, {what: "figures", text: b.String()},
		{what: "value of the answer", text: canonical(a.Value)}, {what: "files of the answer", text: strings.Join(a.Files, "\n")}, {what: "why it is incomplete", text: stable(a.Incomplete)},
	}
}

// differences compares two lists. What one of them lacks counts as empty. With
// open, what only is has does not count.
func differences(was, is []aspect, open bool) []Difference {
	type key struct {
		what      string
		execution int
	}
	index := func(list []aspect) map[key]string {
		out := map[key]string{}
		for _, a := range list {
			out[key{a.what, a.execution}] = secretRE.ReplaceAllString(a.text, "[secret $1]")
		}
		return out
	}
	w, i := index(was), index(is)
	var out []Difference
	seen := map[key]bool{}
	for _, a := range slices.Concat(was, is) {
		k := key{a.what, a.execution}
		_, known := w[k]
		if seen[k] || !known && open || w[k] == i[k] {
			continue
		}
		seen[k] = true
		out = append(out, newDifference(a.what, a.execution, w[k], i[k]))
	}
	// Executions in their order, then what they led to.
	slices.SortStableFunc(out, func(a, b Difference) int { return cmp.Compare(uint(a.Execution-1), uint(b.Execution-1)) })
	return out
}

// shortRE is what can be shown in the line that names a difference.
var shortRE = lazyregexp.New(`^[ -~]{0,60}$`)

func newDifference(what string, execution int, was, is string) Difference {
	d := Difference{What: what, Execution: execution}
	if shortRE.MatchString(was) && shortRE.MatchString(is) {
		d.Was, d.Is, d.Short = was, is, true
	}
	d.Diff = report.Lines(was, is, "recorded "+what, "replayed "+what)
	return d
}

var (
	// durationRE finds lengths of time and times of day in messages.
	durationRE = lazyregexp.New(`\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|min|m|h|seconds?|minutes?)\b|\b\d+m\d+(?:\.\d+)?s\b|\b\d{1,2}:\d{2}:\d{2}\b`)
	// secretRE finds the digest that replaces a secret. Its digest is made
	// with a key of the place where the run was recorded.
	secretRE  = lazyregexp.New(`\[secret ([^\s\]]+) [0-9a-f]{8}\]`)
	sessionRE = lazyregexp.New(`\bs-[0-9a-f]{12}\b`)
)

// stable leaves out of a message of ours what changes from run to run.
func stable(message string) string {
	return sessionRE.ReplaceAllString(durationRE.ReplaceAllString(message, "<time>"), "<session>")
}

// imageChange says how the image differs from the recorded one; "" when they are the same.
func imageChange(was, is event.Image) string {
	if was.ID == is.ID {
		return ""
	}
	if was.Name != is.Name {
		return fmt.Sprintf("image %s in place of %s", is.Name, was.Name)
	}
	return fmt.Sprintf("another build of image %s", is.Name)
}

// packageChanges returns the packages whose versions differ, by name.
func packageChanges(was, is []event.Package) []PackageChange {
	changes := map[string]PackageChange{}
	add := func(versions, v string) string { return strings.TrimPrefix(versions+" and "+v, " and ") } // npm has several of one name
	for _, p := range was {
		changes[p.Name] = PackageChange{Name: p.Name, Was: add(changes[p.Name].Was, p.Version)}
	}
	for _, p := range is {
		c := changes[p.Name]
		c.Name, c.Is = p.Name, add(c.Is, p.Version)
		changes[p.Name] = c
	}
	var out []PackageChange
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if c := changes[name]; c.Was != c.Is {
			out = append(out, c)
		}
	}
	return out
}

// inputChanges returns the inputs whose content is another one.
func inputChanges(was, is []event.FileGiven) []InputChange {
	var out []InputChange
	for _, w := range was {
		for _, i := range is {
			if i.Name == w.Name && i.Path == w.Path && i.SHA256 != w.SHA256 && i.SHA256 != "" && w.SHA256 != "" {
				out = append(out, InputChange{Name: w.Name, Was: w.SHA256, Is: i.SHA256})
			}
		}
	}
	return out
}

func unique(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
