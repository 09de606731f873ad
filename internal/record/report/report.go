// Package report writes down what happened in a run, for a person to read: a
// transcript for the terminal, Markdown, a page of HTML, a Jupyter notebook,
// and the differences of two runs. It is fed by the records of a journal alone
// and is pure: no clock, no files, no network, and the same records give the
// same bytes.
//
// # What it does not trust
//
// Every text of a run comes from a model or from code that a model wrote, and
// an imported run from anybody. So nothing of it is ever active:
//
//   - Text on a terminal, in Markdown and in HTML has control characters, marks
//     of direction and bytes that are not UTF-8 written as escapes.
//   - HTML is made by html/template, which escapes by context. The page forbids
//     scripts and the network by its Content-Security-Policy. Pictures are data
//     URIs in img elements, an SVG too, where its scripts do not run. A table is
//     read and written anew, cell by cell; any other HTML that the code showed
//     stands in an iframe without any permission.
//   - In Markdown, code and output stand in fences that are longer than any run
//     of backticks in them. Prose stands in quotes, so that it cannot pass for a
//     part of the report, and what could open an HTML tag, a link or a picture
//     is escaped.
//   - In the notebook the code is what ran, to the byte. Its markdown and its
//     HTML are made as above.
//
// # Begun, not finished
//
// What a record opens and no record closes is shown as begun and not finished.
// [Run.Damage] says why the record is not whole.
package report

import (
	"strconv"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/language"
	"praxis/internal/safetext"
)

// Run is what is reported on.
type Run struct {
	ID      string
	Records []event.Record
	// Languages are those that code is shown in. Code in another is shown plainly.
	Languages language.Table
	Damage    string // why the rest of the records is missing; empty: nothing is
	// Cost writes what tokens of a model cost, such as "$0.02", or "" when that
	// is not known. Without it no costs are shown.
	Cost func(model string, tokens event.Tokens) string
	// Saved says where the caller keeps pictures, by their names (see
	// Pictures): a path on this machine, or one relative to the Markdown file.
	Saved map[string]string
	// Children are the runs that it began, by their ids, each with its own. One that is not
	// there is drawn by what the run itself says of it.
	Children map[string]Run
	// Seal is how the record of the run ends; a page carries it. Zero: it is not known.
	Seal Seal
}

// Seal is the end of a record: the hash of its last line, and the last signature.
type Seal struct{ Hash, Key, Signature string }

// Pictures returns what the code of a run displayed that is a file rather than
// text, in order.
func Pictures(run Run) []Picture { return newTimeline(run).pictures }

// timeline is a run's records in the order in which they are shown.
type timeline struct {
	run      Run
	began    event.RunBegan
	at       time.Time // the first record's
	last     time.Time // the last record's
	session  *event.SessionBegan
	inputs   []event.FileGiven
	files    []event.FileGiven  // definitions, policy and state of a plan
	first    *event.PlanWritten // the first plan
	parts    []*part
	answer   *event.AnswerGiven
	ended    *event.RunEnded
	chosen   *event.AttemptChosen
	tokens   event.Tokens // of all replies, and of the children
	pictures []Picture
	names    map[string]int // how many pictures have a stem
}

// part is a step, or what stands before the first or behind the last.
type part struct {
	step      int // 0: no step
	items     []*item
	before    *event.SnapshotTaken // the state that the step began with
	model     string
	tokens    event.Tokens
	requested bool           // a model was
	took      event.Duration // by the model
	at        time.Time
	failed    bool // not all in it went well
}

// item is one record that is shown. What opens something is shown where it
// happened, and again with what closes it.
type item struct {
	event.Record
	opened event.Event       // by what the record closes; nil when that is not recorded
	lost   bool              // the record opens what no record closes
	shown  []view            // of ExecutionEnded: what was displayed, the result last
	call   *event.ToolCalled // that it belongs to, of the model or its code
	sum    *bundled          // it stands for many calls
	result bool              // the last of shown is the value of the last expression
}

// timelineBuilder builds a timeline record by record.
type timelineBuilder struct {
	*timeline
	open   map[string]*item
	closed bool // the answer is given or the session over: what comes is no part of a step
}

// newTimeline reads a run's records.
func newTimeline(run Run) *timeline {
	t := timelineBuilder{timeline: &timeline{run: run, names: map[string]int{}}, open: map[string]*item{}}
	t.parts = []*part{{}}
	snapshots := map[int]event.SnapshotTaken{}
	for _, r := range run.Records {
		if t.at.IsZero() {
			t.at = r.Time
		}
		t.last = r.Time
		if s, ok := r.Event.(event.SnapshotTaken); ok {
			snapshots[s.Step] = s
		}
		if !t.head(r) {
			t.record(r)
		}
	}
	for _, it := range t.open {
		it.lost = true
	}
	t.place(snapshots)
	return t.timeline
}

// head takes what the head of a report shows.
func (t *timelineBuilder) head(r event.Record) bool {
	switch e := r.Event.(type) {
	case event.RunBegan:
		if t.began.Kind != "" {
			return false
		}
		t.began = e
	case event.SessionBegan:
		if t.session != nil {
			return false
		}
		t.session = &e
	case event.FileGiven:
		if !t.planFile(e) {
			t.inputs = append(t.inputs, e)
		}
	case event.AnswerGiven:
		if t.answer != nil {
			return false
		}
		t.answer, t.closed = &e, true
		t.parts = append(t.parts, &part{at: r.Time})
	case event.RunEnded:
		t.ended = &e
	default:
		return event.Transient(r.Event)
	}
	return true
}

func (t *timelineBuilder) part() *part { return t.parts[len(t.parts)-1] }

// record adds what happened in a step, or around it.
func (t *timelineBuilder) record(r event.Record) {
	it := &item{Record: r}
	t.tools(it)
	switch e := r.Event.(type) {
	case event.StepBegan:
		t.closed = false
		t.parts = append(t.parts, &part{step: e.N, at: r.Time})
		return
	case event.ModelRequested:
		t.part().model, t.part().requested = e.Model, true
		t.open["model "+e.Call] = it
	case event.ModelReplied:
		it.opened = t.take("model " + e.Call)
		t.part().tokens = t.part().tokens.Add(e.Tokens)
		t.tokens = t.tokens.Add(e.Tokens)
		t.part().took += e.Took
	case event.ModelFailed:
		it.opened = t.take("model " + e.Call)
		t.part().failed = true
	case event.ReplyRejected:
		t.part().failed = true
	case event.ExecutionBegan:
		if t.part().step == 0 && !t.closed && t.began.Kind != event.Ask {
			t.parts = append(t.parts, &part{step: 1, at: r.Time})
		}
		t.open["code"] = it
	case event.ExecutionEnded:
		it.opened = t.take("code")
		t.display(it, e.Execution)
		t.part().failed = t.part().failed || e.Execution.Status != event.OK
	case event.ToolCalled:
		t.open["tool "+e.ID] = it
	case event.ToolReturned:
		it.opened = t.take("tool " + e.ID)
	case event.ApprovalRequested:
		t.open["approval "+e.ID] = it
	case event.ApprovalGiven:
		it.opened = t.take("approval " + e.ID)
	case event.ChildBegan:
		t.open["child "+strconv.Itoa(e.N)] = it
	case event.ChildEnded:
		it.opened = t.take("child " + strconv.Itoa(e.N))
		t.tokens = t.tokens.Add(e.Tokens)
	case event.AttemptChosen:
		t.chosen = &e
	case event.SessionEnded, event.FileSaved, event.SkillSaved:
		if !t.closed {
			t.closed = true
			t.parts = append(t.parts, &part{at: r.Time})
		}
	default:
		t.plan(it)
	}
	if _, ends := r.Event.(event.SessionEnded); ends {
		return // there is nothing to say about it
	}
	t.part().items = append(t.part().items, it)
}

// take returns the event that is open under a key, and closes it.
func (t *timelineBuilder) take(key string) event.Event {
	it := t.open[key]
	if it == nil {
		return nil
	}
	delete(t.open, key)
	return it.Event
}

// display takes what an execution showed.
func (t *timelineBuilder) display(it *item, x event.Execution) {
	step := t.part().step
	if began, ok := it.opened.(event.ExecutionBegan); ok && began.Purpose != "" {
		return // it is shown in a line
	}
	for _, b := range x.Displays {
		if b.ForHost() {
			continue // it is shown as the answer
		}
		it.shown = append(it.shown, t.view(b, step))
	}
	if began, ok := it.opened.(event.ExecutionBegan); ok && len(began.Fills) > 0 {
		return // its result is the figures of the answer
	}
	if len(x.Result) > 0 {
		it.shown, it.result = append(it.shown, t.view(x.Result, step)), true
	}
}

// place puts each snapshot to the step that it was taken before. One that was
// taken behind the last step stays where it was taken.
func (s *timeline) place(snapshots map[int]event.SnapshotTaken) {
	steps := map[int]bool{}
	for _, p := range s.parts {
		if taken, ok := snapshots[p.step]; ok && p.step > 0 {
			p.before = &taken
			steps[p.step] = true
		}
	}
	for _, p := range s.parts {
		remaining := p.items[:0]
		for _, it := range p.items {
			taken, ok := it.Event.(event.SnapshotTaken)
			if ok && steps[taken.Step] && taken == snapshots[taken.Step] {
				continue
			}
			remaining = append(remaining, it)
		}
		p.items = remaining
	}
}

// steps returns the parts that are steps.
func (s *timeline) steps() []*part {
	var out []*part
	for _, p := range s.parts {
		if p.step > 0 {
			out = append(out, p)
		}
	}
	return out
}

// title names a part, such as "step 2 of 20"; it is empty for what is no step.
func (s *timeline) title(p *part) string {
	switch {
	case p.step == 0:
		return ""
	case !answersQuestion(s.began.Kind):
		return string(s.began.Kind)
	}
	return "step " + safetext.Number(p.step)
}

// answersQuestion says whether a run of this kind answers a question, in steps.
func answersQuestion(k event.Kind) bool {
	return k != event.Code && k != event.Plan && k != event.ToolCall
}

// status says in a word how the run ended.
func (s *timeline) status() string {
	if s.ended == nil {
		return "begun, not finished"
	}
	return string(s.ended.Status)
}

// well says whether the run ended as it was meant to.
func (s *timeline) well() bool {
	return s.ended != nil && (s.ended.Status == event.Answered || string(s.ended.Status) == event.OK.String())
}

// cost is what tokens cost, or "".
func (s *timeline) cost(model string, tokens event.Tokens) string {
	if s.run.Cost == nil || s.began.Scripted || s.began.Traits.Local || model == "" {
		return ""
	}
	if c := s.run.Cost(model, tokens); c != "" {
		return c
	}
	return "cost unknown"
}

// spent writes what a run or a step used, such as "120 tokens in, 30 out, $0.01".
func (s *timeline) spent(model string, tokens event.Tokens) string {
	if s.began.Scripted {
		return "replies scripted"
	}
	text := safetext.Number(tokens.Input) + " tokens in"
	if tokens.Incomplete {
		text = "at least " + text
	}
	if tokens.CacheRead > 0 {
		text += " (" + safetext.Number(tokens.CacheRead) + " cached)"
	}
	text += ", " + safetext.Number(tokens.Output) + " out"
	if c := s.cost(model, tokens); c != "" {
		text += ", " + c
	}
	return text
}

// total is what the whole run used, in words.
func (s *timeline) total() []string {
	tokens, steps := s.tokens, len(s.steps())
	var out []string
	if s.ended != nil {
		steps = s.ended.Steps
		if s.ended.Tokens.Total() >= tokens.Total() {
			tokens = s.ended.Tokens
		}
	}
	if answersQuestion(s.began.Kind) {
		out = append(out, safetext.Count(steps, "step"))
	}
	if s.ended != nil {
		out = append(out, seconds(s.ended.Took))
	}
	if s.began.Model != "" {
		out = append(out, s.spent(s.began.Model, tokens))
	}
	return out
}

// fact is one line of a report's head.
type fact struct{ Name, Value string }

// facts are what the head says besides the question and how it ended.
func (s *timeline) facts() []fact {
	var out []fact
	put := func(name, value string) {
		if value != "" {
			out = append(out, fact{name, value})
		}
	}
	put("model", s.began.Model)
	if s.session != nil {
		put("image", s.session.Image.Name+" "+short(s.session.Image.ID))
		put("packages", packages(s.session.Image.Packages))
		put("added packages", packages(s.session.Added))
		if s.session.Limits != (event.Limits{}) {
			put("limits", limits(s.session.Limits))
		}
		put("session", s.session.Name)
		put("state", s.session.Snapshot)
	}
	seed := s.began.Seed
	if seed == nil && s.session != nil {
		seed = s.session.Seed
	}
	if seed != nil {
		put("seed", decimal(*seed))
	}
	if s.session != nil && !s.session.Date.IsZero() {
		put("date", s.session.Date.Format(time.RFC3339))
	}
	put("style", s.began.Style)
	if n := s.began.Branches; n > 0 {
		put("attempts", safetext.Number(n))
	}
	if c := s.began.Caller; c != nil {
		put("part of", c.Run+", "+string(c.Role)+" "+decimal(int64(c.Child)))
	}
	put("thread", s.began.Thread)
	s.toolFacts(put)
	s.planFacts(put)
	if p := s.began.Parent; p != nil {
		from := p.Run
		if p.Step > 0 {
			from += ", from step " + safetext.Number(p.Step)
		}
		put("parent", strings.TrimSuffix(from+": "+p.Change, ": "))
	}
	if !s.at.IsZero() {
		put("began", utcTime(s.at))
	}
	put("file", s.began.File)
	put("user", s.began.User)
	put("host", s.began.Host)
	if c := s.began.Client; c.Key != "" {
		put("client", "tenant "+c.Tenant+", key "+c.Key)
	}
	put("praxis", s.began.Program)
	return out
}

func limits(l event.Limits) string {
	var out []string
	for _, s := range event.LimitTable() {
		if s.Of(l) == 0 && s.Default == 0 {
			continue // what nobody asked for
		}
		text := strconv.FormatFloat(s.Of(l), 'g', -1, 64)
		if s.Bytes {
			text = safetext.Size(int64(s.Of(l)))
		} else if s.Whole {
			text = safetext.Number(int(s.Of(l)))
		}
		out = append(out, s.Name+" "+text)
	}
	return strings.Join(out, ", ")
}

// maxPackages bounds the packages that a head names.
const maxPackages = 12

func packages(all []event.Package) string {
	var names []string
	for i, p := range all {
		if i == maxPackages && len(all) > maxPackages+1 {
			names = append(names, safetext.Count(len(all)-i, "other"))
			break
		}
		names = append(names, p.Name+" "+p.Version)
	}
	return strings.Join(names, ", ")
}
