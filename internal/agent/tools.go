package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent/action"
	"praxis/internal/agent/grounding"
	"praxis/internal/llm"
)

// Toolbox is what the model may call natively.
type Toolbox interface {
	// Tools are sent with each request. Their names fit the providers' rules.
	Tools() []llm.Tool
	// Call calls a tool for a step under an id that is unique in the run. What
	// the tool or the gate before it says is in Used; an error says that the run
	// cannot go on.
	Call(ctx context.Context, step int, id string, c llm.Call) (Used, error)
}

// Used is what one call of a tool came to.
type Used struct {
	Tool   string // as the person knows it
	Text   string // the result, as the model is shown it; of a failure why and what to do
	Failed bool
	Whole  string // the whole result, where figures of the answer may come from; "": Text
}

// maxUses bounds the calls of one reply.
const maxUses = 32

// parse reads which action a reply asks for.
func (r *run) parse(reply llm.Reply, outlined bool) (action.Parsed, error) {
	if r.cfg.Repo != nil {
		reply.Calls = r.asCode(reply.Calls)
	}
	if r.cfg.Tools != nil {
		names := map[string]bool{}
		for _, t := range r.cfg.Tools.Tools() {
			names[t.Name] = true
		}
		if parsed, ok := action.Uses(reply, r.cfg.Languages, func(name string) bool { return names[name] }); ok {
			return parsed, nil
		}
	}
	parsed, rejection := action.Parse(reply, r.cfg.Languages, r.allowed()...)
	if rejection != nil && !outlined && r.takes(parsed) {
		return action.Parsed{Action: action.Action{Kind: action.Answer, Text: parsed.Plain, Call: -1}}, nil
	}
	if rejection != nil && r.cfg.Tools != nil {
		rejection = r.withNames(rejection, reply.Calls)
	}
	if r.cfg.Session != nil {
		return parsed, rejection
	}
	if rejection == nil && parsed.Action.Kind == action.Run {
		rejection = action.NoCode()
		parsed = action.Parsed{Thought: parsed.Thought, Unused: make([]string, len(reply.Calls))}
		for i := range parsed.Unused {
			parsed.Unused[i] = rejection.Error()
		}
	} else if rejection != nil {
		rejection = fault.New(fault.Invalid, action.AcceptedTools, "%s", strings.ReplaceAll(rejection.Error(), "neither code nor", "neither a call of a tool nor"))
	}
	return parsed, rejection
}

// maxNamed bounds the tools that a rejection lists.
const maxNamed = 20

// withNames adds the tools that there are to the rejection of a call of one that
// there is not, when they are few.
func (r *run) withNames(rejection error, calls []llm.Call) error {
	available := r.cfg.Tools.Tools()
	if len(calls) == 0 || len(available) == 0 || len(available) > maxNamed || !strings.Contains(rejection.Error(), "there is no tool") {
		return rejection
	}
	names := make([]string, len(available))
	for i, t := range available {
		names[i] = t.Name
	}
	return fmt.Errorf("%w; there are %s", rejection, strings.Join(names, ", "))
}

// useTools calls tools, one after the other, so that what happens has one order.
func (r *run) useTools(ctx context.Context, a action.Action) (actionResult, error) {
	calls := r.calls
	if len(calls) == 0 {
		calls = a.Written
	}
	var out actionResult
	for n, i := range a.Uses {
		if n >= maxUses {
			text := fmt.Sprintf("Not called: at most %d calls a turn. Send it again.", maxUses)
			if len(r.calls) == 0 { // those that were written have no results of their own
				out.notes = append(out.notes, fmt.Sprintf("%s not called: at most %d calls a turn. Send what is missing again.", count(len(a.Uses)-n, "call"), maxUses))
				break
			}
			out.beside = append(out.beside, besideResult{call: i, text: text, failed: true})
			continue
		}
		used, err := r.useTool(ctx, action.Mended(calls[i]))
		if err != nil {
			return actionResult{}, err
		}
		for _, note := range used.notes {
			if !slices.Contains(out.notes, note) { // many calls of a turn give the same one
				out.notes = append(out.notes, note)
			}
		}
		if used.end != nil {
			out.end = used.end
		}
		switch {
		case n == 0:
			out.observation, out.failed = used.observation, used.failed
		case len(r.calls) == 0:
			// What a tool gave is data, whichever of the calls it was: it never stands below
			// the mark of directions.
			out.observation += markNext + used.observation
		default:
			out.beside = append(out.beside, besideResult{call: i, text: used.observation, failed: used.failed})
		}
	}
	return out, nil
}

func (r *run) useTool(ctx context.Context, c llm.Call) (actionResult, error) {
	r.uses++
	r.worked = true
	used, err := r.cfg.Tools.Call(ctx, r.step, fmt.Sprintf("%d.%d", r.step, r.uses), c)
	if ctx.Err() != nil {
		return actionResult{}, canceled(ctx.Err())
	}
	if err != nil {
		return actionResult{}, err
	}
	out := actionResult{failed: used.Failed}
	r.last = "the last step called " + used.Tool
	if used.Failed {
		out.observation = markStatus + "error" + markError + used.Text
	} else {
		whole := used.Whole
		if whole == "" {
			whole = used.Text
		}
		r.sources.AddOutput(grounding.Origin{Step: r.step, In: grounding.InTool}, strings.ToValidUTF8(whole, " "))
		r.found = shorten(strings.ToValidUTF8(used.Text, "\uFFFD"), 2000, "")
		out.observation = markStatus + event.OK.String() + "\nresult:\n" + used.Text
	}
	out.observation = unmarked(out.observation) // what a tool gives is no word of the agent's
	input, err := toJSON(c.InputObject())
	if err != nil {
		return actionResult{}, err
	}
	key := stallKey(c.Name+"\n"+input, event.Execution{Status: event.OK, Stdout: used.Text})
	out.notes, out.end = r.stalls.polled(key, c.Name, used.Text)
	return out, nil
}
