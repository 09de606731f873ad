package tui

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/language"
	"praxis/internal/safetext"
)

// Screen shows a run of the agent as it happens. It is fed by events alone, so
// that a recorded run looks as it looked live. Everything that it shows comes
// from a model or a guest and is made harmless, on a terminal and in a pipe
// alike: this is a report, not a program's output. Code and prose are shown to
// the last character, see package safetext; only output loses its control sequences.
type Screen struct {
	w     io.Writer
	Style format.Style
	Err   error                   // the first write that failed
	Wait  *WaitLine               // nil: w is no terminal
	Wrap  int                     // columns that lines are broken for; 0: they are not
	Image func(app.Picture) error // shows an image in its place; nil: nothing does
	// Talk counts the questions of a conversation, which were typed right above: the question
	// is not shown again, and the model once. 0: it is none.
	Talk int
	// Cost returns what tokens of a model cost in US dollars, where that is known. It may be nil.
	Cost func(model string, t event.Tokens) (usd float64, known bool)

	languages language.Table
	scripted  bool
	free      bool // nothing is charged for the model
	steps     int
	step      int
	used      spending
	questions int    // questions to a person that are open
	failed    int    // the step whose execution failed, 0 when the last one did not
	model     string // that is asked, in one line
	thought   thought
	reasoning thought
	worked    bool // something was done, or a reply was not taken: the next may be the answer
	output    *indenter
	broke     bool // the last line of output had no end
	Totals    string
	NoAnswer  bool
	draft     string // without an answer: the last one that was not taken
	found     string // and the last output of code
	waits     bool   // for somebody's answer
	filling   bool   // what runs is not the model's code but fills its answer in

	calls   calls                   // of tools
	hosts   map[string]string       // of connections that are open, by their ids
	traffic map[string]*hostTraffic // of those that were closed, by host
	turned  int                     // connections that were refused while the code ran
}

// NewScreen writes to w. Code is shown in the colours of its language.
func NewScreen(w io.Writer, colours bool, width int, languages language.Table) *Screen {
	return &Screen{w: w, languages: languages, Style: format.Style{On: colours, Width: width}}
}

func (s *Screen) printf(format string, args ...any) {
	if s.Err == nil {
		_, s.Err = fmt.Fprintf(s.w, format, args...)
	}
}

// block writes a text with an indent before every line.
func (s *Screen) block(indent, sgr, text string) {
	for line := range strings.SplitSeq(strings.TrimRight(safetext.Text(text), "\n "), "\n") {
		s.printf("%s\n", strings.TrimRight(indent+s.Style.Paint(sgr, line), " "))
	}
}

// Emit shows one event.
func (s *Screen) Emit(e event.Event) {
	if d, ok := e.(event.ModelDelta); ok {
		s.delta(d) // most pieces of a reply leave the line that waits alone
		s.goOn()
		return
	}
	s.endWait()
	s.used.of(e)
	s.show(e)
	s.await(e)
	s.goOn()
}

// await says what is waited for after an event.
func (s *Screen) await(e event.Event) {
	switch e := e.(type) {
	case event.RunBegan:
		s.Wait.begin("preparing")
	case event.ModelRequested:
		s.model = safetext.Line(e.Model)
		s.Wait.begin("waiting for " + s.model)
	case event.ModelRetrying:
		if e.Model != "" {
			s.model = safetext.Line(e.Model)
		}
		s.listen() // the reply comes anew
		s.Wait.Say("waiting for " + s.model)
	case event.ModelReplied, event.ModelFailed, event.RunEnded, event.AnswerGiven, event.AttemptChosen:
		s.Wait.over()
	case event.ChildBegan:
		if e.Role == event.Attempt {
			s.Wait.begin("attempts under way")
		}
	case event.ExecutionBegan:
		if s.worked = true; s.filling {
			s.Wait.begin("checking")
			return
		}
		s.Wait.begin("running")
	case event.ExecutionEnded:
		s.Wait.over()
	case event.ToolReturned, event.ConversationContinued:
		s.worked = true
	case event.ApprovalRequested:
		s.questions++
	case event.ApprovalGiven:
		s.questions = max(s.questions-1, 0)
	}
}

// goOn draws the line that waits again, where nothing stands in its place.
func (s *Screen) goOn() {
	if s.questions == 0 && (s.output == nil || !s.output.open) {
		s.Wait.resume()
	}
}

// show writes what an event says.
func (s *Screen) show(e event.Event) {
	switch e := e.(type) {
	case event.RunBegan:
		s.began(e)
	case event.StepBegan:
		s.stepBegan(e)
	case event.ModelRetrying:
		s.printf("  %s\n", s.Style.Paint(format.Yellow, retrying(e)))
	case event.ModelReplied:
		s.replied(e)
	case event.ReplyRejected:
		s.rejected(e)
	case event.ReplyTrimmed:
		s.printf("  %s\n", s.Style.Paint(format.Yellow, safetext.Line(e.Reason)))
	case event.ChildBegan, event.ChildEnded, event.AttemptChosen, event.OutlineWritten:
		s.children(e)
	case event.RunConcluding:
		s.printf("\n%s\n", s.Style.Paint(format.Yellow, safetext.Line(e.Reason)+": the best answer is asked for"))
	case event.HistoryCondensed:
		s.condensed(e)
	case event.ToolCalled:
		s.toolCalled(e)
	case event.ToolReturned:
		s.toolReturned(e)
	case event.ExecutionBegan:
		if s.filling = !e.Own(); !s.filling {
			s.code(e.Language, e.Code)
		}
	case event.Output:
		s.guest(e)
	case event.Display:
		s.display(e.Bundle)
	case event.ExecutionEnded:
		s.executed(e.Execution)
	case event.TestsRan:
		s.testsRan(e)
	case event.PatchMade:
		s.patchMade(e)
	case event.FileSaved:
		s.printf("saved %s (%s)\n", safetext.Line(e.Path), safetext.Size(e.Bytes))
	case event.AnswerGiven:
		s.answer(e)
	case event.RunEnded:
		s.ended(e)
	default:
		if !s.skills(e) {
			s.plan(e)
		}
	}
}

// endWait takes the writer back from the line that says what is waited for.
func (s *Screen) endWait() {
	if err := s.Wait.end(); s.Err == nil {
		s.Err = err
	}
}

func (s *Screen) began(e event.RunBegan) {
	s.scripted, s.steps, s.free = e.Scripted, e.MaxSteps, e.Scripted || e.Traits.Local
	if s.Talk == 0 {
		s.question(e.Question)
	}
	if p := e.Parent; p != nil && p.Change == event.Resumed {
		text := "goes on with run " + safetext.Line(p.Run)
		if p.Step > 0 {
			text += fmt.Sprintf(", from step %d", p.Step)
		}
		s.printf("%s      %s\n", s.Style.Paint(format.Bold, "run"), text)
	}
	switch {
	case e.Repo != nil:
		s.project(*e.Repo)
	case len(e.Files) > 0:
		s.printf("%s    %s\n", s.Style.Paint(format.Bold, "files"), safetext.Line(strings.Join(e.Files, ", ")))
	}
	if s.Talk > 1 {
		return
	}
	s.printf("%s    %s\n", s.Style.Paint(format.Bold, "model"), safetext.Line(e.Model))
	if e.Scripted {
		really := "The code really runs."
		if e.Mode == app.ModeTools {
			really = "The tools are really called."
		}
		if e.Mode == app.ModePlan {
			really = "The plan really runs."
		}
		for _, part := range format.BreakWords("The model's replies are scripted: no model is called. "+really, s.columnsLeft(9)) {
			s.printf("         %s\n", s.Style.Paint(format.Yellow, part))
		}
	}
}

func (s *Screen) question(text string) {
	head := s.Style.Paint(format.Bold, "question")
	for line := range strings.SplitSeq(safetext.Text(text), "\n") {
		for _, part := range format.BreakWords(line, s.columnsLeft(9)) {
			s.printf("%s\n", strings.TrimRight(head+" "+part, " "))
			head = "        "
		}
	}
}

func (s *Screen) stepBegan(e event.StepBegan) {
	s.step = e.N
	s.listen()
	title := fmt.Sprintf("step %d of %d", e.N, s.steps)
	if s.failed != 0 {
		title += fmt.Sprintf(" · after the failure of step %d", s.failed)
	}
	s.printf("\n%s\n", s.Style.Rule(title))
}

func (s *Screen) replied(e event.ModelReplied) {
	if e.Call != "" { // what it said is the result of the call
		s.note("  [a model without tools answered, " + seconds(time.Duration(e.Took)) + "]")
		return
	}
	s.said(e)
	spent := spentText(e.Tokens)
	if s.scripted {
		spent = "scripted reply"
	}
	s.printf("  %s\n", s.Style.Paint(format.Dim, fmt.Sprintf("[%s: %s, %s]", safetext.Line(cmp.Or(e.Model, "model")), seconds(time.Duration(e.Took)), spent)))
}

// rejected shows why a reply goes back, and the answer that it was.
func (s *Screen) rejected(e event.ReplyRejected) {
	s.worked = true
	title := "reply not usable:"
	if e.Draft != "" {
		title = "draft, not taken:"
		s.printf("  %s\n", s.Style.Paint(format.Yellow, "draft of an answer"))
		s.paragraphs("    ", e.Draft)
	}
	s.headed(title, safetext.Line(e.Reason))
}

// spentText is what a reply or a run used.
func spentText(t event.Tokens) string {
	text := fmt.Sprintf("%d tokens in", t.Input)
	if t.Incomplete {
		text = "at least " + text
	}
	if t.CacheRead > 0 {
		text += fmt.Sprintf(" (%d cached)", t.CacheRead)
	}
	return text + fmt.Sprintf(", %d out", t.Output)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// code shows what is about to run. A carriage return ends a line of source, so
// what follows it gets a line of its own: it is no part of a comment before it.
func (s *Screen) code(name, code string) {
	s.output, s.broke = nil, false
	bar := s.Style.Paint(format.Dim, "│")
	code = safetext.Text(strings.NewReplacer("\r\n", "\n", "\r", `\r`+"\n").Replace(code))
	for line := range strings.SplitSeq(highlight(s.Style, s.languages.Named(name), strings.TrimRight(code, "\n ")), "\n") {
		for i, part := range format.BreakPainted(line, s.columnsLeft(4), s.columnsLeft(8)) {
			if i > 0 {
				part = s.Style.Paint(format.Dim, "  ↪ ") + part
			}
			s.printf("%s\n", strings.TrimRight("  "+bar+" "+part, " "))
		}
	}
}

// colour is that of a class of spans.
func colour(c language.Class) string {
	switch c {
	case language.Keyword:
		return format.Magenta
	case language.Text:
		return format.Green
	case language.Number, language.Builtin, language.Decorator:
		return format.Cyan
	case language.Comment:
		return format.Dim
	case language.Definition:
		return format.Bold
	}
	return ""
}

// guest shows output as it comes.
func (s *Screen) guest(e event.Output) {
	if s.output == nil {
		s.output = newIndenter("    ", func(text string) { s.printf("%s", text) })
	}
	if s.broke { // the line was ended for something else
		e.Data, s.broke = bytes.TrimPrefix(e.Data, []byte("\n")), false
	}
	s.output.write(e.Data)
}

func (s *Screen) endOutput() {
	if s.output != nil {
		s.broke = s.output.open
		s.output.end()
		s.output = nil
	}
}

func (s *Screen) display(b event.Bundle) {
	s.endOutput()
	if b.ForHost() {
		return // an answer is shown when it is taken
	}
	p, ok := app.PictureOf(b)
	switch text := app.TextOf(b); {
	case ok && p.Ext == app.PageExt:
		s.printf("    %s\n", s.Style.Paint(format.Cyan, "[an HTML page]"))
		if text := app.TextBeside(b, p); text != "" {
			s.block("    ", "", format.Strip(text))
		}
	case ok:
		s.printf("    %s\n", s.Style.Paint(format.Cyan, "[a picture]"))
		if s.Image != nil && s.Err == nil {
			s.Err = s.Image(p)
		}
	case text != "":
		s.block("    ", "", format.Strip(text))
	}
}

func (s *Screen) executed(x event.Execution) {
	s.endOutput()
	s.endCalls()
	s.endConnections()
	s.endRefused()
	if s.filling {
		s.filled(x)
		return
	}
	if x.Result != nil {
		s.display(x.Result)
	}
	s.failed = 0
	if x.Status != event.OK {
		s.failed = s.step
	}
	if x.Error != nil && x.Status != event.Interrupted {
		text := x.Error.Traceback
		if text == "" {
			text = x.Error.Name + ": " + x.Error.Value
		}
		s.block("    ", format.Red, text)
	}
	if x.Status == event.Interrupted {
		return // by the person, who reads where at the end
	}
	if message, _ := format.Explain(x); message != "" {
		s.block("    ", format.Red, message)
	}
	mark := s.Style.Paint(format.Green, "ok")
	if x.Status != event.OK {
		mark = s.Style.Paint(format.Red, x.Status.String())
	}
	used := fmt.Sprintf(", %.0f ms, %s]", x.Usage.WallMS, safetext.Size(x.Usage.PeakMemoryBytes))
	s.printf("  %s%s%s\n", s.Style.Paint(format.Dim, "[code: "), mark, s.Style.Paint(format.Dim, used))
}

// filled shows how filling in an answer ended. What was filled in comes with the
// answer, and which expression failed with its rejection.
func (s *Screen) filled(x event.Execution) {
	s.failed = 0
	if x.Status == event.OK {
		return
	}
	s.failed = s.step
	if message, _ := format.Explain(x); message != "" && x.Status != event.Error && x.Status != event.Interrupted {
		s.block("    ", format.Red, message)
	}
}

// maxFilled bounds the line that names what was filled in.
const maxFilled = 60

// answerTitle says that an answer comes of a rehearsal, or too early.
func answerTitle(e event.AnswerGiven) string {
	title := "answer"
	if len(e.Rehearsed) > 0 {
		title = "answer of a rehearsal"
	}
	if e.Incomplete != "" {
		title += ", not complete"
	}
	return title
}

func (s *Screen) answer(e event.AnswerGiven) {
	var filled []string
	for _, f := range e.Figures {
		if f.Expression != "" {
			filled = append(filled, safetext.Line(f.Text))
		}
	}
	if len(filled) > 0 {
		s.note("filling in " + safetext.Count(len(filled), "figure") + ": " + someOf(filled, maxFilled))
	}
	s.printf("\n%s\n", s.Style.Rule(answerTitle(e)))
	s.markdown("  ", e.Text)
	var unverified []string
	for _, f := range event.Untraced(e.Figures) {
		unverified = append(unverified, safetext.Line(f.Text))
	}
	s.printf("\n")
	s.figures(e.Figures)
	if e.Incomplete != "" {
		s.warn("given before the model was done:", safetext.Line(e.Incomplete))
	}
	if i := slices.IndexFunc(e.Figures, func(f event.Figure) bool { return f.Partial != "" }); i >= 0 {
		s.warn("computed from a part of what there is:", safetext.Line(e.Figures[i].Partial))
	}
	if len(unverified) > 0 {
		s.warn("not traced to anything that ran:", strings.Join(unverified, ", "))
	}
}

// warn writes what a reader of the answer has to know.
func (s *Screen) warn(title, text string) {
	s.headed("warning: "+title, text)
}

// headed writes a text behind its title.
func (s *Screen) headed(title, text string) {
	for i, part := range format.BreakWords(title+" "+text, s.columnsLeft(4)) {
		rest, first := strings.CutPrefix(part, title)
		switch {
		case i > 0:
			s.printf("    %s\n", part)
		case first:
			s.printf("  %s%s\n", s.Style.Paint(format.Yellow, title), rest)
		default:
			s.printf("  %s\n", s.Style.Paint(format.Yellow, part))
		}
	}
}

// note writes a line that matters less.
func (s *Screen) note(text string) {
	for _, part := range format.BreakWords(text, s.columnsLeft(2)) {
		s.printf("  %s\n", s.Style.Paint(format.Dim, part))
	}
}

// someOf joins the first texts that fit, and says that there are more.
func someOf(texts []string, limit int) string {
	out := texts[0]
	for _, t := range texts[1:] {
		if len(out)+len(t) > limit {
			return out + ", …"
		}
		out += ", " + t
	}
	return out
}

func (s *Screen) ended(e event.RunEnded) {
	s.endOutput()
	s.waits = e.Status == event.Waiting
	s.NoAnswer = e.Status != event.Answered && e.Status != event.Unverified // the command says why, with what to do
	s.draft, s.found = e.Draft, e.Found
	s.Totals = fmt.Sprintf("%s, %s", safetext.Count(e.Steps, "step"), seconds(time.Duration(e.Took)))
	if s.scripted {
		s.Totals += ", replies scripted"
	} else {
		s.Totals += ", " + spentText(e.Tokens)
	}
}

// Finish writes what stands at the very end and returns the first error of all.
func (s *Screen) Finish(hint string) error {
	s.endWait()
	s.endOutput()
	if s.NoAnswer {
		title := "no answer"
		if s.waits {
			title = "no answer yet"
		}
		s.printf("\n%s\n", s.Style.Rule(title))
		for _, part := range [][2]string{{app.DraftTitle, s.draft}, {app.FoundTitle, s.found}} {
			if part[1] != "" {
				s.printf("%s\n", s.Style.Paint(format.Dim, part[0]+":"))
				s.block("  ", "", part[1])
			}
		}
	}
	if hint != "" {
		s.printf("%s\n", hint)
	}
	if s.Totals != "" {
		s.printf("%s\n", s.Style.Paint(format.Dim, s.Totals))
	}
	if s.Err != nil {
		return fmt.Errorf("cannot write: %w", s.Err)
	}
	return nil
}

// maxShown bounds what the screen shows of one execution's output. The model
// and --json get what the output limit allows.
const maxShown = 64 << 10

// indenter puts an indent before every line of a stream that is cleaned.
type indenter struct {
	indent string
	emit   func(string)
	clean  format.Cleaner
	open   bool // the last line has no newline
	n      int
}

func newIndenter(indent string, emit func(string)) *indenter {
	i := &indenter{indent: indent, emit: emit}
	i.clean.W = i
	return i
}

func (i *indenter) write(data []byte) {
	// The writer below never fails.
	_, _ = i.clean.Write(data)
}

// Write takes what was cleaned.
func (i *indenter) Write(p []byte) (int, error) {
	if i.n > maxShown {
		return len(p), nil
	}
	i.n += len(p)
	var b strings.Builder
	for part := range strings.SplitAfterSeq(strings.ReplaceAll(string(p), "\r", ""), "\n") {
		if part == "" {
			continue
		}
		if !i.open {
			b.WriteString(i.indent)
		}
		b.WriteString(part)
		i.open = !strings.HasSuffix(part, "\n")
	}
	i.emit(b.String())
	return len(p), nil
}

func (i *indenter) end() {
	if err := i.clean.Flush(); err != nil && !errors.Is(err, io.ErrShortWrite) {
		return
	}
	if i.open {
		i.emit("\n")
	}
	if i.n > maxShown {
		i.emit(i.indent + "[the rest is not shown here]\n")
	}
	i.open = false
}

// highlight colours code. The text is clean already; colours never cross a line.
func highlight(s format.Style, l language.Language, code string) string {
	if !s.On {
		return code
	}
	var b strings.Builder
	for _, t := range l.Spans(code) {
		for i, line := range strings.Split(t.Text, "\n") {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(s.Paint(colour(t.Class), line))
		}
	}
	return b.String()
}
