package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/language"
	"praxis/internal/safetext"
)

// Options say how a transcript is written.
type Options struct {
	Step   int  // only this step, with all that is recorded of it; 0: all steps
	Colour bool // for a terminal
	// How the reader comes to what is not shown, such as "a page shows it"; "": it
	// is not said.
	LeftOut string // texts that were left out
	Picture string // a picture
	Page    string // an interactive page, which shows nothing where Picture says
	GoOn    string // how a question goes on that broke off
}

// What a transcript shows of one text when it shows all steps.
const (
	outputLines = 60
	outputBytes = 8 << 10
	thoughtMax  = 16 << 10
	bodyLines   = 20
)

// transcript writes a run for a terminal.
type transcript struct {
	*timeline
	printer
	opt  Options
	full bool // nothing is left out
}

var classColours = map[language.Class]string{
	language.Comment: sgrDim, language.Text: sgrGreen, language.Number: sgrCyan, language.Keyword: sgrMagenta,
	language.Builtin: sgrCyan, language.Definition: sgrBold, language.Decorator: sgrBold,
}

// Transcript writes a run as text that a person reads on a terminal or in a
// pipe. With a step it writes that step alone, and all of it.
func Transcript(w io.Writer, run Run, opt Options) error {
	t := &transcript{printer: newPrinter(w, opt), opt: opt, full: opt.Step != 0}
	if t.timeline = newTimeline(run); !t.full {
		t.timeline = newBundledTimeline(run)
	}
	if opt.Step != 0 {
		found := false
		for _, p := range t.steps() {
			if p.step == opt.Step {
				t.part(p)
				found = true
			}
		}
		if !found {
			return fault.Coded(fault.StepMissing, fault.Data{"run": run.ID, "step": strconv.Itoa(opt.Step)},
				"cannot show step %d of run %s: it has %s", opt.Step, safetext.Line(run.ID), safetext.Count(len(t.steps()), "step"))
		}
		t.damage()
		return t.flush()
	}
	t.head()
	t.tree()
	for _, p := range t.parts {
		if p.step == 0 && p == t.parts[len(t.parts)-1] {
			break
		}
		t.part(p)
	}
	t.tail()
	return t.flush()
}

// block writes a text with an indent before every line.
func (t *transcript) block(indent, sgr, text string) {
	for line := range strings.SplitSeq(strings.TrimRight(safetext.Text(text), "\n "), "\n") {
		t.printf("%s\n", strings.TrimRight(indent+t.paint(sgr, line), " "))
	}
}

// bounded writes a text's head and tail, or all of it when a step is shown in full.
func (t *transcript) bounded(indent, sgr, text string, lines, bytes int) {
	if strings.Trim(text, "\n ") == "" {
		return
	}
	if t.full {
		t.block(indent, sgr, text)
		return
	}
	x := bound(strings.TrimRight(text, "\n "), lines, bytes)
	t.block(indent, sgr, x.Head)
	if x.Left != "" {
		t.printf("%s%s\n", indent, t.paint(sgrDim, "[… "+x.Left+" left out"+hint(": ", t.opt.LeftOut)+" …]"))
		t.block(indent, sgr, x.Tail)
	}
}

// hint is what the reader can do, after a mark; "" stays empty.
func hint(mark, text string) string {
	if text == "" {
		return ""
	}
	return mark + safetext.Line(text)
}

func (t *transcript) rule(title string) {
	t.printf("\n%s\n", t.paint(sgrBold, "── "+title+" "+strings.Repeat("─", max(3, 74-len([]rune(title))))))
}

// label writes one line of the head; what follows its first line is indented.
func (t *transcript) label(name, sgr, text string) {
	text = strings.ReplaceAll(text, "\n", "\n          ")
	t.printf("%s%s%s\n", t.paint(sgrBold, name), strings.Repeat(" ", max(1, 10-len(name))), t.paint(sgr, text))
}

func (t *transcript) head() {
	kind := ""
	if t.began.Kind != "" {
		kind = ", " + string(t.began.Kind)
	}
	t.label("run", "", safetext.Line(t.run.ID+kind))
	if t.began.Question != "" {
		name := "question"
		if !answersQuestion(t.began.Kind) {
			name = string(t.began.Kind)
		}
		t.label(name, "", strings.TrimRight(safetext.Text(t.began.Question), "\n "))
	}
	for _, f := range t.facts() {
		t.label(f.Name, "", safetext.Line(f.Value))
		if f.Name == "model" && t.began.Scripted {
			t.label("", sgrYellow, "The model's replies were scripted: no model was called. "+t.ran())
		}
	}
	sgr := sgrGreen
	if !t.well() {
		sgr = sgrRed
	}
	t.label("status", sgr, safetext.Line(t.status()))
	if t.ended != nil && t.ended.Reason != "" {
		t.label("", "", safetext.Text(t.ended.Reason))
	}
	t.label("used", "", safetext.Line(strings.Join(t.total(), ", ")))
	for i, f := range t.inputs {
		name := "inputs"
		if i > 0 {
			name = ""
		}
		t.label(name, "", safetext.Line(f.Name)+" as "+safetext.Line(f.Path)+", "+safetext.Size(f.Bytes)+content(f))
	}
	t.damage()
}

// content says what the content of an input is, and why it is not there.
func content(f event.FileGiven) string {
	text := ""
	if f.SHA256 != "" {
		text += "\nsha256 " + safetext.Line(f.SHA256)
	}
	if f.Withheld != "" {
		text += "\nnot stored: " + safetext.Line(f.Withheld)
	}
	return text
}

func (t *transcript) damage() {
	if t.run.Damage != "" {
		t.printf("%s %s\n", t.paint(sgrRed, "warning: the record is not whole:"), safetext.Line(t.run.Damage))
	}
}

// part writes a step, or what stands before the first.
func (t *transcript) part(p *part) {
	if title := t.title(p); title != "" {
		if t.began.MaxSteps > 0 && answersQuestion(t.began.Kind) {
			title += " of " + safetext.Number(t.began.MaxSteps)
		}
		t.rule(title)
	}
	if p.before != nil {
		t.dim("state before it: snapshot " + safetext.Line(p.before.Snapshot) + sized(*p.before))
	}
	for _, it := range p.items {
		t.item(it)
	}
}

func (t *transcript) dim(text string) { t.printf("  %s\n", t.paint(sgrDim, "["+text+"]")) }

func (t *transcript) item(it *item) {
	switch e := it.Event.(type) {
	case event.ModelRequested:
		if t.full {
			t.request(e)
		}
	case event.ModelReplied:
		t.reply(it, e)
		return
	case event.PlanWritten:
		t.code(planLanguage, e.Code)
		return
	case event.PlanEnded:
		t.planEnded(e)
		return
	case event.ExecutionBegan:
		if e.Own() || t.full {
			t.code(e.Language, e.Code)
		}
	case event.ExecutionEnded:
		if r, ok := t.annotate(it); ok {
			t.putAnnotation(r)
			return
		}
		t.executed(it, e.Execution)
		return
	}
	if r, ok := t.annotate(it); ok {
		t.putAnnotation(r)
	}
}

func (t *transcript) putAnnotation(r annotation) {
	sgr := ""
	if r.Warn {
		sgr = sgrYellow
	}
	t.printf("  %s %s\n", t.paint(sgr, r.Label+":"), safetext.Line(r.Text))
	t.bounded("    ", "", r.Body, bodyLines, outputBytes)
}

// request writes what the model was sent, with the messages that are new in it.
func (t *transcript) request(e event.ModelRequested) {
	t.dim(fmt.Sprintf("asked %s: %s kept of the request before, %d new, a reply of at most %s tokens",
		safetext.Line(e.Model), safetext.Count(e.Repeated, "message"), len(e.Messages), safetext.Number(e.MaxTokens)))
	section := func(name, text string) {
		if strings.TrimSpace(text) != "" {
			t.printf("  %s\n", t.paint(sgrBold, name))
			t.block("    ", sgrDim, text)
		}
	}
	section("system", e.System)
	for _, tool := range e.Tools {
		section("tool "+safetext.Line(tool.Name), tool.Description)
	}
	for _, m := range e.Messages {
		section(m.Role.String(), m.Text)
		for _, c := range m.Calls {
			section("call "+safetext.Line(c.Name), callText(c))
		}
		for _, r := range m.Results {
			section("result", r.Text)
		}
	}
}

func callText(c event.Call) string {
	if c.Input == nil {
		return c.Raw
	}
	return arguments(c.Input)
}

func (t *transcript) reply(it *item, e event.ModelReplied) {
	t.bounded("  ", sgrDim, e.Thought, outputLines, thoughtMax)
	if t.full && e.Reasoning.Text != "" {
		t.printf("  %s\n", t.paint(sgrBold, "reasoning"))
		t.block("    ", sgrDim, e.Reasoning.Text)
	}
	if t.full && strings.TrimSpace(e.Text) != strings.TrimSpace(e.Thought) {
		t.printf("  %s\n", t.paint(sgrBold, "reply"))
		t.block("    ", sgrDim, e.Text)
	}
	if t.full {
		for _, c := range e.Calls {
			t.printf("  %s\n", t.paint(sgrBold, "call "+safetext.Line(c.Name)))
			t.block("    ", sgrDim, callText(c))
		}
	}
	model := t.began.Model
	if requested, ok := it.opened.(event.ModelRequested); ok {
		model = requested.Model
	}
	model = cmp.Or(e.Model, model)
	spent := "scripted reply"
	if !t.began.Scripted {
		spent = t.spent(model, e.Tokens)
	}
	if e.Cut {
		spent += ", cut: the reply was longer than it may be"
	}
	who := safetext.Line(cmp.Or(e.Model, "model")) + ": "
	if e.Call != "" {
		who = "model without tools, for " + safetext.Line(e.Call) + ": "
	}
	t.dim(who + seconds(e.Took) + ", " + spent)
}

// code writes code in the language of that name.
func (t *transcript) code(name, code string) {
	var b strings.Builder
	for _, s := range spans(t.named(name), shownCode(code)) {
		for i, line := range strings.Split(s.Text, "\n") {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(t.paint(classColours[s.Class], line))
		}
	}
	for line := range strings.SplitSeq(b.String(), "\n") {
		t.printf("%s\n", strings.TrimRight("  "+t.paint(sgrDim, "│")+" "+line, " "))
	}
}

// executed writes what came of code.
func (t *transcript) executed(it *item, x event.Execution) {
	t.bounded("    ", "", x.Stdout, outputLines, outputBytes)
	t.bounded("    ", sgrYellow, x.Stderr, outputLines, outputBytes)
	if x.OutputFile != "" {
		t.dim("the whole output was in " + safetext.Line(x.OutputFile) + " of the session")
	}
	for _, v := range it.shown {
		t.view(v)
	}
	if text := raised(x); text != "" {
		t.bounded("    ", sgrRed, text, outputLines, outputBytes)
	}
	if text := stopped(x); text != "" {
		t.block("    ", sgrRed, text)
	}
	for _, c := range x.Changes {
		t.changed(c)
	}
	if x.Unlisted != "" {
		t.dim("changed files: " + safetext.Line(x.Unlisted))
	}
	mark := t.paint(sgrGreen, "ok")
	if x.Status != event.OK {
		mark = t.paint(sgrRed, x.Status.String())
	}
	if x.Limit != "" {
		mark += t.paint(sgrRed, ", limit "+safetext.Line(string(x.Limit)))
	}
	t.printf("  %s%s%s\n", t.paint(sgrDim, "[code: "), mark, t.paint(sgrDim, ", "+used(x)+"]"))
	if t.full {
		t.dim(fmt.Sprintf("processor time %.0f ms", x.Usage.CPUMS))
	}
}

func (t *transcript) changed(c event.Change) {
	text := safetext.Line(c.Kind) + " " + safetext.Line(c.Path)
	if c.Kind != "removed" {
		text += ", " + safetext.Size(c.Bytes)
	}
	if hash := safetext.Line(c.SHA256); hash != "" {
		if !t.full {
			hash = short(hash)
		}
		text += ", sha256 " + hash
	}
	t.printf("    %s %s\n", t.paint(sgrDim, "file"), text)
}

func (t *transcript) view(v view) {
	switch {
	case v.picture != nil:
		where := ""
		if t.run.Saved[v.picture.Name] == "" {
			where = hint("; ", t.opt.Picture)
			if text, _ := v.leftOut(); text != "" {
				where = hint("; ", t.opt.Page)
			}
		}
		t.printf("    %s\n", t.paint(sgrCyan, "["+safetext.Line(t.caption(v.picture))+where+"]"))
		t.bounded("    ", "", v.beside(), outputLines, outputBytes)
	case v.broken != "":
		t.dim(v.broken)
		fallthrough
	default:
		t.bounded("    ", "", v.text, outputLines, outputBytes)
	}
}

// tail writes the answer and what came after it.
func (t *transcript) tail() {
	if a := t.answer; a != nil {
		title := "answer"
		if len(a.Rehearsed) > 0 {
			title = "answer of a rehearsal"
		}
		if a.Incomplete != "" {
			title += ", not complete"
		}
		t.rule(title)
		t.block("  ", "", a.Text)
		t.figures(a)
	} else if t.ended == nil || t.began.Kind == event.Ask {
		if t.ended != nil && t.ended.Status == event.Waiting {
			t.rule("no answer yet")
		} else {
			t.rule("no answer")
		}
		if t.ended == nil {
			t.printf("  %s\n", t.paint(sgrRed, "The run was begun and is not finished: the record ends here."))
		} else {
			t.block("  ", "", strings.TrimPrefix(t.ended.Reason+"\n", "\n"))
		}
		draft, found := t.reached()
		for _, part := range [][2]string{{DraftTitle, draft}, {FoundTitle, found}} {
			if part[1] != "" {
				t.printf("\n  %s\n", t.paint(sgrDim, part[0]+":"))
				t.block("    ", "", part[1])
			}
		}
		if t.opt.GoOn != "" && t.began.Mode != "plan" && t.began.Kind == event.Ask {
			t.printf("\n  %s\n", t.paint(sgrDim, "["+t.opt.GoOn+"]"))
		}
	}
	if last := t.parts[len(t.parts)-1]; last.step == 0 {
		for i, it := range last.items {
			if i == 0 {
				t.printf("\n")
			}
			t.item(it)
		}
	}
	t.printf("\n%s\n", t.paint(sgrDim, safetext.Line(strings.Join(append([]string{t.status()}, t.total()...), ", "))))
}

// Figures writes the table of an answer's figures: where each comes from, and what it
// was found as.
func Figures(w io.Writer, run Run, opt Options) error {
	t := &transcript{printer: newPrinter(w, opt), timeline: newTimeline(run), opt: opt}
	switch {
	case t.answer == nil:
		return fault.New(fault.NotFound, "Name a run that has an answer.", "cannot show the figures of run %s: it has no answer", safetext.Line(run.ID))
	case len(t.answer.Figures) == 0:
		t.printf("  the answer has no figures\n")
	default:
		t.figures(t.answer)
	}
	t.damage()
	return t.flush()
}

// maxFigure bounds a figure and its expression in the list below an answer.
const maxFigure = 60

// figures lists where the figures of the answer come from.
func (t *transcript) figures(a *event.AnswerGiven) {
	if len(a.Figures) == 0 {
		return
	}
	t.printf("\n  %s\n", t.paint(sgrBold, "figures"))
	width := 0
	for _, f := range a.Figures {
		width = max(width, len([]rune(safetext.Clip(safetext.Line(f.Text), maxFigure))))
	}
	for _, f := range a.Figures {
		text, sgr := safetext.Clip(safetext.Line(f.Text), maxFigure), ""
		if f.Untraced() {
			sgr = sgrYellow
		}
		from := safetext.Line(origin(f))
		if f.Expression != "" {
			from += ": " + safetext.Clip(safetext.Line(f.Expression), maxFigure)
		} else if as := foundAs(f); as != "" {
			from += ": " + as
		}
		t.printf("    %s%s  %s\n", text, strings.Repeat(" ", width-len([]rune(text))), t.paint(sgr, from))
	}
	if d := doubtful(a); len(d) > 0 {
		t.printf("  %s\n", t.paint(sgrYellow, "warning: "+safetext.Count(len(d), "figure")+" not traced to anything that ran"))
	}
}
