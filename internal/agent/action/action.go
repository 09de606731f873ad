// Package action reads from a model's reply what is to be done. It is liberal
// in the format, as models slip in it often and a slip costs a whole turn, and
// exact in the error, which goes back to the model.
//
// # What is accepted
//
// Code to run, in the order of precedence:
//   - a native call of the language's tool, such as execute_python; the code may
//     stand under "code", "source" or another usual name, be wrapped in a fence,
//     or be encoded twice; what is not quite JSON is mended where its meaning is
//     plain;
//   - <execute_python>…</execute_python>, and <execute>, <code> or <python> at the
//     beginning of a line;
//   - a fenced block (backticks or tildes, indented or not) with a tag of the
//     language, such as python or py;
//   - a tool call written out as JSON or in the template of the model, which small
//     models do;
//   - when the reply holds nothing better, a block without a tag or with one that
//     says nothing, and lines of code that stand in no block, if they look like it.
//
// A final answer:
//   - a native call of the tool final_answer;
//   - <final_answer>…</final_answer>; code blocks inside belong to the answer;
//   - a line that begins with "FINAL ANSWER:"; the answer goes on to the end of
//     the reply.
//
// A use of the agent's memory, where the run has one ([Parse]):
//   - a native call of save_note, search_notes or read_history, or one written
//     out as JSON;
//   - a fenced block tagged note, recall or history, or by the name of the tool,
//     or an element of that name. A note's tags stand in a line "tags: a, b" or
//     behind the fence's tag; a history block holds a pointer and a part.
//
// A reply that holds none of these is given back as it is (Parsed.Plain): the agent
// decides whether it is the answer. Text between <think> and </think> is thought,
// whatever it holds.
//
// # What was cut
//
// A block that lacks its end is taken as it is when the model stopped there, and
// never when the reply was cut at the bound of its length: half a program does
// something else than the whole. Such a reply is marked (Parsed.Unfinished), so
// that the model can be asked to go on.
//
// # One action a reply
//
// Several pieces of code are one action: they are run in their order, as one, up
// to the first error. A final answer beside code was written before its output was
// seen. It is given back for the agent to judge (Parsed.After). Something that is
// looked up beside code is not taken, as the code may say better what to look for.
// Notes are saved beside an answer, beside other notes, and after code.
package action

import (
	"fmt"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/language"
	"praxis/internal/llm"
)

// The names of the native tools, besides the one that runs code, which is the
// language's ([language.Language.Tool]).
const (
	ToolAnswer = "final_answer"

	ToolSave    = "save_note"
	ToolSearch  = "search_notes"
	ToolHistory = "read_history"
)

// MaxCode bounds the code of one step, in bytes.
const MaxCode = 256 << 10

// maxReply bounds the text that is looked into, in bytes.
const maxReply = 1 << 20

// Accepted names what a model can do, for prompts and rejections.
func Accepted(langs language.Table) string {
	var calls, blocks []string
	for _, l := range langs {
		calls, blocks = append(calls, l.Tool()), append(blocks, "```"+l.Fence())
	}
	return "Act in one of these ways: call the tool " + strings.Join(calls, " or ") + " with the argument code, or write one " + strings.Join(blocks, " or ") + " block; " +
		"to finish, call the tool " + ToolAnswer + " with the argument text, or write a line that begins with FINAL ANSWER: and the answer after it."
}

// Kind says what an action does.
type Kind uint8

// The kinds.
const (
	Run     Kind = iota + 1 // Text is code
	Answer                  // Text is the final answer, its placeholders not yet filled
	Save                    // Text is a note, its placeholders not yet filled
	Search                  // Text is what notes are searched for
	History                 // Text is a pointer to a condensed conversation, or empty: the newest one
	Use                     // Uses are native calls of the run's tools
)

// maxBeside bounds the notes that are saved beside an action.
const maxBeside = 8

// Action is what a reply asks for.
type Action struct {
	Kind Kind
	Text string
	// Language is that of code, by its name.
	Language string
	Tags     []string // of a note
	Part     int      // of a condensed conversation, counted from 1
	Call     int      // index of the native call that it came from; -1: the text
	Joined   []int    // indices of the other native calls whose code is a part of Text
	Notes    []string // what the model must read with the observation, in full sentences
	Uses     []int    // indices of the native calls that call tools, or of Written
	// Written are calls of tools in a reply without native calls, which small
	// models write out as JSON.
	Written []llm.Call
}

// Parsed is a reply that was read.
type Parsed struct {
	Thought string // the prose around the action
	Action  Action
	Beside  []Action // notes to be saved: before an answer is given, after code was run
	// After is a final answer that stands beside code; nil: there is none.
	After *Action
	// Plain is the text of a reply that holds no action, as a person would read it.
	// Foreign says that it holds code that does not run here.
	Plain   string
	Foreign bool
	// Unfinished says that the reply was cut before its action was whole.
	Unfinished bool
	// Trimmed says for a person what of the reply was left out, in one line; "": nothing.
	Trimmed string
	// Unused holds, for each native call, why it was not acted on. It is empty
	// for the calls that Action and Beside came from. Providers want every call answered.
	Unused []string
}

// grammar says what a reply can mean: which kinds of actions, and the languages that
// code can be in. What is not tagged is in the first.
type grammar struct {
	kinds [History + 1]bool
	langs language.Table
}

// main is the language of code that does not say which it is in.
func (g grammar) main() language.Language { return g.langs.Named("") }

// fenced finds the language whose blocks have a tag.
func (g grammar) fenced(tag string) (language.Language, bool) {
	for _, l := range g.langs {
		if l.HasFence(tag) {
			return l, true
		}
	}
	return language.Language{}, false
}

// byTool finds the language whose code a tool of that name runs.
func (g grammar) byTool(name string) (language.Language, bool) {
	for _, l := range g.langs {
		if l.Tool() == name {
			return l, true
		}
	}
	return language.Language{}, false
}

// Parse reads a reply whose code is in one of the languages, the first if it does not say
// which. Of code in several languages that of the first is taken before others. Final answers are always
// understood, too, the other kinds when they are given. When the reply holds no action that can be used,
// the error is a fault.Invalid that says why, and its remedy names what is
// accepted; the thought and Unused are filled in all the same.
func Parse(r llm.Reply, langs language.Table, kinds ...Kind) (Parsed, error) {
	g := grammar{langs: langs}
	for _, k := range append([]Kind{Run, Answer}, kinds...) {
		g.kinds[k] = true
	}
	if len(r.Text) > maxReply {
		r.Text, r.Cut = strings.ToValidUTF8(r.Text[:maxReply], ""), true
	}
	prose, thinking := splitThinking(strings.ReplaceAll(r.Text, "\r\n", "\n"))
	var p Parsed
	var err error
	if len(r.Calls) > 0 {
		p, err = fromCalls(r, g)
		p.Thought = strings.TrimSpace(prose)
	} else {
		p, err = fromText(prose, r.Cut, g)
	}
	if p.Thought == "" {
		p.Thought = thinking
	}
	if err == nil && p.Action.Kind == Run && len(p.Action.Text) > MaxCode {
		err = reject("the code is %d bytes long, and the bound is %d", len(p.Action.Text), MaxCode)
	}
	if err != nil {
		err = fault.New(fault.Invalid, Accepted(langs), "%s", err)
		p.Action, p.Beside, p.Trimmed = Action{}, nil, ""
		for i := range p.Unused {
			p.Unused[i] = err.Error()
		}
	}
	return p, err
}

// displays names the languages, and says that they are.
func (g grammar) displays() string {
	names := make([]string, len(g.langs))
	for i, l := range g.langs {
		names[i] = l.Display
	}
	if len(names) == 1 {
		return names[0] + " is"
	}
	return strings.Join(names, " and ") + " are"
}

// reject says why a reply, or a part of it, cannot be used. Parse adds the remedy.
func reject(format string, args ...any) error {
	return fault.New(fault.Invalid, "", "cannot act on the reply: %s", fmt.Sprintf(format, args...))
}

// looks says whether a text may be code in the main language, and whether it surely is.
func (g grammar) looks(text string) (likely, surely bool) {
	if looks := g.main().Model.Looks; looks != nil {
		return looks(text)
	}
	return true, false
}

// errCut is the rejection of a reply whose action is not whole.
func errCut() error { return reject("it was cut at the bound of its length") }

// fromText finds the action in a reply without native calls.
func fromText(text string, cut bool, g grammar) (Parsed, error) {
	if strings.TrimSpace(text) == "" {
		return Parsed{Unfinished: cut}, reject("it is empty")
	}
	found := sortOut(scan(text, g), cut, g)
	p := Parsed{Thought: found.thought, Action: Action{Call: -1}}
	lookup := slices.IndexFunc(found.memory, func(a Action) bool { return a.Kind != Save })
	switch {
	case len(found.code) > 0:
		return p, found.run(&p, g)
	case found.unfinished:
		p.Unfinished = true
		return p, errCut()
	case lookup >= 0:
		p.Action = found.memory[lookup]
		p.Trimmed = left(0, "", len(found.answers), len(found.memory)-1)
		if p.Trimmed != "" {
			p.Action.Notes = append(p.Action.Notes, "Your reply held more than what was looked up. Nothing else of it was taken: send it again when you have seen this.")
		}
		return p, nil
	case len(found.answers) > 0:
		last := found.answers[len(found.answers)-1]
		text := strings.TrimSpace(last.text)
		if text == "" {
			return p, reject("its final answer is empty")
		}
		p.Action.Kind, p.Action.Text = Answer, text
		if n := len(found.answers); n > 1 {
			p.Trimmed = fmt.Sprintf("%d final answers: only the last was taken", n)
		}
		p.beside(found.memory)
		return p, nil
	case len(found.memory) > 0:
		p.Action = found.memory[0]
		p.beside(found.memory[1:])
		return p, nil
	case found.problem != nil:
		return p, found.problem
	case cut:
		p.Unfinished = true
		return p, errCut()
	}
	p.Plain, p.Foreign = strings.TrimSpace(text), len(found.foreign) > 0
	if p.Foreign {
		return p, reject("it holds a block of %q, and only %s run", found.foreign[0], g.displays())
	}
	return p, reject("it holds neither code nor a final answer")
}

// run takes the code that is in one language: in the main one, if there is some.
func (f findings) run(p *Parsed, g grammar) error {
	lang := f.code[max(0, slices.IndexFunc(f.code, func(p piece) bool { return p.lang == g.main().Name }))].lang
	var texts []string
	others := 0
	for _, c := range f.code {
		switch text := tidy(c.text); {
		case c.lang != lang:
			others++
		case strings.TrimSpace(text) != "":
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return reject("its code block is empty")
	}
	p.Action.Kind, p.Action.Text, p.Action.Language = Run, strings.Join(texts, "\n\n"), lang
	note := func(format string, args ...any) {
		p.Action.Notes = append(p.Action.Notes, fmt.Sprintf(format, args...))
	}
	saves := slices.DeleteFunc(slices.Clone(f.memory), func(a Action) bool { return a.Kind != Save })
	lookups := len(f.memory) - len(saves)
	p.Trimmed = left(1+others, "blocks of code", 0, lookups)
	if others > 0 {
		l := g.langs.Named(lang)
		note("Your reply held code in several languages. Only that in %s was run; send the rest when you have seen this output.", l.Display)
	}
	if f.unfinished {
		note("Your reply was cut at the bound of its length. What was cut was not taken; send it again, shorter.")
	}
	if lookups > 0 {
		note("Your reply held code and a use of your notes or of the history. The code was run; send the other again when you have seen this output.")
	}
	if n := len(f.answers); n > 0 {
		if text := strings.TrimSpace(f.answers[n-1].text); text != "" {
			p.After = &Action{Kind: Answer, Text: text, Call: -1}
		}
	}
	p.beside(saves)
	return nil
}

// beside adds notes that are saved with the action.
func (p *Parsed) beside(notes []Action) {
	if left := len(notes) - maxBeside; left > 0 {
		p.Trimmed = fmt.Sprintf("too many notes in one reply: %d were not taken", left)
		p.Action.Notes = append(p.Action.Notes, fmt.Sprintf("Your reply held too many notes. The last %d were not saved; send them again.", left))
		notes = notes[:maxBeside]
	}
	p.Beside = notes
}

// left says which pieces of a reply were not used when its first code was run
// or, without code, something was looked up.
func left(codes int, what string, answers, memory int) string {
	var parts []string
	if codes > 1 {
		parts = append(parts, fmt.Sprintf("%d %s", codes, what))
	} else if codes == 1 {
		parts = append(parts, "code")
	} else {
		parts = append(parts, "what is looked up")
	}
	if answers > 0 {
		parts = append(parts, "a final answer")
	}
	if memory > 0 {
		parts = append(parts, "a use of memory")
	}
	switch {
	case codes <= 1 && len(parts) == 1:
		return ""
	case codes == 0:
		return strings.Join(parts, " and ") + ": only the first was looked up"
	case codes > 1 && len(parts) > 1:
		return strings.Join(parts, " and ") + ": only code of one language was run"
	case codes > 1:
		return parts[0] + ": only those of one language were run"
	}
	return strings.Join(parts, " and ") + ": only the code was run"
}

// findings are the pieces of a reply's text, sorted by what they are for.
type findings struct {
	thought string
	code    []piece
	answers []piece
	memory  []Action // notes, and what is looked up
	foreign []string // tags of the blocks of other languages
	problem error    // a tool call in the text that cannot be used
	// unfinished says that code, an answer or a call was cut and is none of those.
	unfinished bool
}

// sortOut decides what each piece is. A block without a tag is code only when
// the reply holds nothing that says what it is: such blocks are often output or
// a table.
func sortOut(pieces []piece, cut bool, g grammar) findings {
	var f findings
	var thought []string
	var untagged []piece
	for _, p := range pieces {
		if cut && p.open && p.kind != prose {
			f.unfinished = true
			continue
		}
		switch p.kind {
		case prose:
			if c, ok := writtenCall(p.text, g); ok {
				f.take(c, p, g)
				continue
			}
			thought = append(thought, strings.TrimSpace(p.text))
		case code:
			f.code = append(f.code, p)
		case answer:
			f.answers = append(f.answers, p)
		case memory:
			f.takeMemory(fromBlock(p))
		case jsonBlock:
			if c, ok := writtenCall(p.text, g); ok {
				f.take(c, p, g)
			} else if _, surely := g.looks(p.text); surely && p.tag != "json" {
				p.lang = g.main().Name
				untagged = append(untagged, p)
			} else if p.tag != "json" {
				f.problem = reject("it holds a call that cannot be read, or one of no tool that there is")
			}
		case foreign:
			f.foreign = append(f.foreign, p.tag)
		case bare:
			if c, ok := writtenCall(p.text, g); ok {
				f.take(c, p, g)
			} else if text, ok := answerLine(p.text); ok {
				f.answers = append(f.answers, piece{kind: answer, text: text, open: p.open})
			} else if likely, surely := g.looks(p.text); surely || likely && p.tag == "" {
				p.lang = g.main().Name
				untagged = append(untagged, p)
			} else if p.tag != "" {
				f.foreign = append(f.foreign, p.tag)
			}
		}
	}
	if len(f.code) == 0 && len(f.answers) == 0 && len(f.memory) == 0 && !f.unfinished {
		f.code = untagged
		if len(untagged) == 0 && f.problem == nil && !cut {
			f.code, thought = bareCode(thought, g)
		}
	}
	f.thought = strings.TrimSpace(strings.Join(thought, "\n"))
	return f
}

// bareCode finds the code that stands in no block: the paragraphs from the first to the
// last one that surely are code, if everything between them is.
func bareCode(prose []string, g grammar) (code []piece, rest []string) {
	for i, text := range prose {
		paragraphs := strings.SplitAfter(text, "\n\n")
		from, to := -1, -1
		for j, paragraph := range paragraphs {
			likely, surely := g.looks(paragraph)
			switch {
			case surely && from < 0:
				from, to = j, j+1
			case to == j && (likely || strings.HasPrefix(paragraph, " ") || strings.HasPrefix(paragraph, "\t")):
				to = j + 1
			}
		}
		if from < 0 {
			continue
		}
		for from > 0 {
			if likely, _ := g.looks(paragraphs[from-1]); !likely {
				break
			}
			from--
		}
		source := strings.Join(paragraphs[from:to], "")
		if _, surely := g.looks(source); !surely {
			continue
		}
		before, after := strings.Join(paragraphs[:from], ""), strings.Join(paragraphs[to:], "")
		rest = slices.Concat(prose[:i], []string{strings.TrimSpace(before), strings.TrimSpace(after)}, prose[i+1:])
		return []piece{{text: source, lang: g.main().Name}}, rest
	}
	return nil, prose
}

// take sorts in a tool call that was written out as text.
func (f *findings) take(c llm.Call, p piece, g grammar) {
	a, err := fromCall(c, g)
	switch {
	case err != nil:
		f.problem = err
	case a.Kind == Run:
		f.code = append(f.code, piece{kind: code, text: a.Text, lang: a.Language, open: p.open})
	case a.Kind == Answer:
		f.answers = append(f.answers, piece{kind: answer, text: a.Text, open: p.open})
	default:
		f.takeMemory(a, nil)
	}
}

func (f *findings) takeMemory(a Action, err error) {
	if err != nil {
		f.problem = err
		return
	}
	f.memory = append(f.memory, a)
}
