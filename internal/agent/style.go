package agent

import (
	"context"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent/action"
	"praxis/internal/language"
	"praxis/internal/lazyregexp"
	"praxis/internal/llm"
)

// Style is a way to work at a question: what the prompt says, and what the loop asks of the model
// beyond that. It is data: the loop asks the value, and knows no style by its name.
type Style struct {
	Name string
	What string // what it is, in a line, for a person
	// Prompt is a section of the prompt.
	Prompt string
	// Outline says that a short plan in words stands before the first code, is shown to the
	// model with every observation, and can be written anew.
	Outline bool
	// Whole says that each code is a program of its own: it begins with the state that the
	// run began with, whatever programs before it left behind.
	Whole bool
	// Failed and Ran are what the model reads behind code that failed, or that ran and gave
	// no answer; "": nothing.
	Failed, Ran string
}

// The names of the styles.
const (
	StyleReact     = "react"
	StyleProgram   = "program"
	StylePlanFirst = "plan-first"
)

// Styles returns all styles, the usual one first.
func Styles() []Style {
	return []Style{
		{Name: StyleReact, What: "step by step: a piece of code, a look at what it gave, the next"},
		{
			Name: StyleProgram, What: "one whole program, which is rewritten until it gives the answer", Whole: true,
			Prompt: `

One program
- Write one whole program that does all of the task: it reads the data, checks what it assumes, computes, and gives the answer at its end{{answer}}. Do not look around in small steps.
- Every program begins with the state that the run began with: nothing is left of the program before. If one fails, or gives something wrong, write the whole program again with the cause mended.
{{compare}}- To know data before you rely on them, let the program itself check them with assert and say in the message what it found instead.`,
			Failed: "The program failed. Find the cause, and write the whole program again: it begins with the state that the run began with.",
			Ran:    "The program ran. If that is the answer, give it, with placeholders for what the program computed; if not, write the whole program again.",
		},
		{
			Name: StylePlanFirst, What: "a short plan in words before the first code, which is revised when it breaks", Outline: true,
			Prompt: `

The plan
- Before the first code, write a short plan: three to seven lines, each of them a step and how you will see that it worked. Write it as a block of its own:
` + "```plan\n1. Read sales.csv; every row has a region and an amount.\n2. Sum the amounts by region; the sums add up to the total.\n```" + `
- The first code may stand in the same turn, behind the plan.
- Keep to the plan. When something that you see breaks it, say what, and write the revised plan in the same way beside your next code.
{{compare}}`,
		},
	}
}

// StyleNamed returns the style of a name; "" is the usual one.
func StyleNamed(name string) (Style, bool) {
	all := Styles()
	if name == "" {
		return all[0], true
	}
	i := slices.IndexFunc(all, func(s Style) bool { return s.Name == name })
	if i < 0 {
		return Style{}, false
	}
	return all[i], true
}

// compareLine says what a kernel has for trying several versions of a function.
const compareLine = "- To try several versions of a function, run compare({\"a\": f, \"b\": g}, cases): a table of what each gives for each case, errors too. A case is an input, or a pair (input, expected). Then go on with the best.\n"

// prompt is the section of the prompt, in words of the language.
func (s Style) prompt(l language.Language) string {
	call, compare := " as what it prints", ""
	if l.Model.Answer != "" {
		call, compare = " with "+l.Model.Answer, compareLine
	}
	return strings.TrimSuffix(strings.NewReplacer("{{answer}}", call, "{{compare}}", compare).Replace(s.Prompt), "\n")
}

// maxOutline bounds a plan in words, in bytes.
const maxOutline = 2000

// outlineRE finds a plan in a reply: a block with the tag plan, or an element of that name.
var outlineRE = lazyregexp.New("(?ms)^[ \t]*(?:```|~~~)[ \t]*plan[ \t]*\n(.*?)\n[ \t]*(?:```|~~~)[ \t]*$|^[ \t]*<plan>(.*?)</plan>")

// outlined takes the plan out of a reply of a run that has one; "": there is none in it.
func (s Style) outlined(reply llm.Reply) (rest llm.Reply, outline string) {
	if !s.Outline || reply.Cut {
		return reply, ""
	}
	at := outlineRE.FindStringSubmatchIndex(reply.Text)
	if at == nil {
		return reply, ""
	}
	for i := 2; i < len(at); i += 2 {
		if at[i] >= 0 {
			outline = strings.TrimSpace(reply.Text[at[i]:at[i+1]])
		}
	}
	reply.Text = strings.TrimSpace(reply.Text[:at[0]] + "\n" + reply.Text[at[1]:])
	return reply, shorten(outline, maxOutline, "")
}

// state takes a plan as that of the run.
func (r *run) state(outline string) {
	if outline == "" {
		return
	}
	r.cfg.Sink.Emit(event.OutlineWritten{Step: r.step, Text: outline, Revised: r.outline != ""})
	r.outline = outline
}

// remember takes the plan from a conversation that is gone on with.
func (r *run) remember(messages []llm.Message) {
	if !r.style.Outline {
		return
	}
	for _, m := range messages {
		if m.Role != llm.Assistant {
			continue
		}
		reply := llm.Reply{Text: m.Text, Calls: m.Calls}
		if _, outline := r.style.outlined(reply); outline != "" {
			r.outline = outline
		} else if r.outline == "" && len(m.Calls) == 0 {
			r.outline = r.plain(reply)
		}
	}
}

// plain is a plan that a model wrote without its block, as the whole of its reply.
func (r *run) plain(reply llm.Reply) string {
	parsed, err := action.Parse(reply, r.cfg.Languages, r.allowed()...)
	if err == nil || parsed.Unfinished || parsed.Foreign {
		return ""
	}
	return shorten(strings.TrimSpace(parsed.Plain), maxOutline, "")
}

// unplanned says that a turn acts before there is a plan.
func (r *run) unplanned(t turn) error {
	kind := t.parsed.Action.Kind
	if !r.style.Outline || r.outline != "" || t.rejection != nil || kind != action.Run && kind != action.Use {
		return nil
	}
	return fault.New(fault.Invalid, "Write the plan first, as a block ```plan; the code may stand behind it in the same turn.", "cannot run the code: there is no plan yet")
}

// outlineTaken is what the model reads of a turn that holds its plan and nothing to be done.
const outlineTaken = "The plan is noted. Go on with its first step."

// styled is what the model reads behind an observation because of the style.
func (r *run) styled(t turn, o actionResult) []string {
	if t.rejection != nil || t.parsed.Action.Kind != action.Run || o.answer != nil || o.end != nil {
		return nil
	}
	var out []string
	text := r.style.Ran
	if o.failed {
		text = r.style.Failed
	}
	if text != "" {
		out = append(out, text)
	}
	if r.outline != "" {
		out = append(out, "Your plan:\n"+r.outline+"\nIf what you see breaks it, write the revised plan as a block ```plan beside your next code.")
	}
	return out
}

// Restarter is a session that can go back to the state that the run began with.
type Restarter interface {
	Restart(ctx context.Context) error
}

// restart gives a program the state that the run began with. A session that cannot go back
// runs it in the state that there is.
func (r *run) restart(ctx context.Context) error {
	s, can := r.cfg.Session.(Restarter)
	if r.programs++; !r.style.Whole || !can || r.programs == 1 {
		return nil
	}
	return s.Restart(ctx)
}
