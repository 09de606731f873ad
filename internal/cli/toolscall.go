package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/plan/policy"
	"praxis/internal/record/journal"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
)

const toolsCallLong = `Calls a tool once, through the gate that every call goes through: its arguments
are validated, the policy decides, somebody is asked where that is due, and the
call is recorded as a run of its own (praxis show last).

Arguments are written NAME=VALUE. What the tool's schema says decides how a value
is read: a text is taken as it stands, a number, a boolean, a list or an object
is read as JSON. --json-args gives all of them as one object, which is read from
standard input where it is "-".

The arguments are yours: to the policy their source is the user, who is trusted.
Without a rule of --policy, a tool that only computes or reads is called; one that
changes something or reaches others is not, unless its definition asks for leave.

The result goes to standard output, a text as it is, anything else as JSON. The
exit code is 1 when the tool failed or was not called, 2 when the tool or its
arguments are wrong.`

// toolCalling is one praxis tools call.
type toolCalling struct {
	p     *program
	rules ruleFlags
	tools toolFlags
	args  string
	json  bool

	tooling *tooling
	def     *tool.Definition
	given   *tool.Object
	rec     *journal.Recorder
	began   time.Time
}

func (p *program) toolsCallCommand() *cobra.Command {
	c := &toolCalling{p: p}
	cmd := &cobra.Command{
		Use: "call NAME[@VERSION] [ARG=VALUE…]", Short: "Call a tool once, through the gate", Long: toolsCallLong,
		Example: "  praxis tools call sql.query sql='select count(*) as n from sales'\n" +
			"  praxis tools call crm.find --tools crm.yaml --json-args '{\"customer\": \"4711\", \"limit\": 3}'",
		Args: takes(1, 1000, "the name of a tool"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	c.rules.registerFiles(cmd)
	c.tools.register(cmd)
	cmd.Flags().StringVar(&c.args, "json-args", "", "the arguments, as one `JSON` object; - reads it from standard input")
	cmd.Flags().BoolVar(&c.json, "json", false, "print one JSON object instead")
	return cmd
}

func (c *toolCalling) run(ctx context.Context, args []string) (err error) {
	if c.rules.tools, err = toolFiles(c.rules.tools); err != nil {
		return err
	}
	cfg, err := c.p.config()
	if err != nil {
		return err
	}
	return c.p.withRecords(func(records *app.Records) (err error) {
		if c.tooling, err = c.p.openTooling(ctx, cfg, records, nil, &c.tools, &c.rules); err != nil {
			return err
		}
		defer c.p.closing(c.tooling, &err)
		if c.def, err = findTool(c.tooling.registry.Set(), args[0]); err != nil {
			return err
		}
		if c.args == "-" {
			data, err := c.p.readInput(gate.MaxArguments, "Give fewer arguments.")
			if err != nil {
				return err
			}
			c.args = string(data)
		}
		if c.given, err = callArguments(c.def, args[1:], c.args); err != nil {
			return err
		}
		if err := c.def.CheckArguments(c.given); err != nil {
			return err
		}
		return c.call(ctx, records)
	})
}

// call makes the call and records it.
func (c *toolCalling) call(ctx context.Context, records *app.Records) error {
	c.began = time.Now()
	ctx, rec, err := records.Journal.Begin(ctx, event.RunBegan{
		Kind: event.ToolCall, Question: c.def.ID(), Program: c.p.version, Tools: []event.ToolPin{toolPin(c.def)},
	}, event.Discard)
	if err != nil {
		return err
	}
	c.rec = rec
	var out gate.Outcome
	if err = keepRules(ctx, rec, c.tooling.rules); err == nil {
		err = c.tooling.begin(ctx, rec.ID(), rec, records.Journal.Redact, nil, gate.Person)
	}
	if err == nil {
		out, err = c.tooling.gate.Call(ctx, gate.Request{Origin: gate.Person, Name: c.def.Name, Version: string(c.def.Version), Arguments: c.given})
	}
	c.end(out, err)
	return c.tell(out, errors.Join(err, rec.Close()))
}

// statusOf is how a call ended, in a word.
func statusOf(out gate.Outcome, err error) event.Outcome {
	switch {
	case err != nil:
		return event.Failed
	case out.Denied != nil:
		return event.Refused
	case out.Fault() != nil:
		return event.Outcome(event.Error.String())
	}
	return event.Outcome(event.OK.String())
}

func (c *toolCalling) end(out gate.Outcome, err error) {
	e := event.RunEnded{Outcome: statusOf(out, err), Took: event.Duration(time.Since(c.began))}
	switch {
	case err != nil:
		e.Reason = err.Error()
	case out.Denied != nil:
		e.Reason = out.Denied.Reason
	case out.Failed != nil:
		e.Reason = out.Failed.Error()
	}
	c.rec.Emit(e)
}

// toolCallResult is the object of tools call --json.
type toolCallResult struct {
	Run      string           `json:"run"`
	Status   string           `json:"status"` // ok, error, refused, failed
	Tool     string           `json:"tool"`
	Version  string           `json:"version"`
	Decision string           `json:"decision,omitempty"`
	Rule     string           `json:"rule,omitempty"`
	Reason   string           `json:"reason,omitempty"`
	Result   any              `json:"result"`
	Label    *event.DataLabel `json:"label,omitempty"` // of the result
	Failure  *fault.Error     `json:"failure"`
}

// tell prints what came of the call and returns its exit code.
func (c *toolCalling) tell(out gate.Outcome, err error) error {
	failed := err
	if failed == nil {
		failed = out.Fault()
	}
	if c.json {
		r := toolCallResult{
			Run: c.rec.ID(), Status: string(statusOf(out, err)), Tool: c.def.Name, Version: string(c.def.Version),
			Rule: out.Decision.Rule, Reason: out.Decision.Reason, Failure: failureOf(failed),
		}
		if out.Decision.Verdict != 0 {
			r.Decision = out.Decision.Verdict.String()
		}
		if failed == nil {
			l := gate.DataLabel(out.Label)
			r.Result, r.Label = c.def.RedactResult(out.Result), &l
		}
		if printErr := c.p.printJSON(r); printErr != nil {
			return printErr
		}
	} else if failed == nil {
		return c.print(c.def.RedactResult(out.Result))
	}
	if err != nil || failed == nil {
		return err
	}
	if !c.json {
		tell(c.p.stderr, failed.Error(), c.remedy(out, failed))
	}
	return fate{exitRaised}
}

// remedy is what the person can do, who is told to ask the person otherwise.
func (c *toolCalling) remedy(out gate.Outcome, failed error) string {
	switch {
	case out.Denied == nil || out.Decision.Verdict != policy.Ask:
		return remedyOf(failed)
	case c.tooling.nobody:
		return "Call it on a terminal, or say who is asked with --approve."
	}
	return ""
}

// print writes a result: a text as it is, anything else as JSON.
func (c *toolCalling) print(v any) error {
	if text, ok := v.(string); ok {
		w := guestWriter(c.p.stdout)
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		_, err := io.WriteString(w, text)
		if cl, ok := w.(*cleaner); ok && err == nil {
			err = cl.flush()
		}
		return err
	}
	var b bytes.Buffer
	enc := newEncoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := c.p.stdout.Write(readable(b.Bytes()))
	return err
}

// readable writes &, < and > in JSON as they are: the escapes are for web pages.
func readable(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out = append(out, text[i])
			continue
		}
		rest := text[i:]
		switch {
		case bytes.HasPrefix(rest, []byte(`\u0026`)):
			out, i = append(out, '&'), i+5
		case bytes.HasPrefix(rest, []byte(`\u003c`)):
			out, i = append(out, '<'), i+5
		case bytes.HasPrefix(rest, []byte(`\u003e`)):
			out, i = append(out, '>'), i+5
		default: // an escape has at least one more byte, which may be a backslash
			out, i = append(out, rest[:min(2, len(rest))]...), i+1
		}
	}
	return out
}

// callArguments reads the arguments of a command line.
func callArguments(d *tool.Definition, texts []string, object string) (*tool.Object, error) {
	out := tool.NewObject()
	if object != "" {
		v, err := tool.DecodeJSON([]byte(object))
		if err != nil {
			return nil, fault.New(fault.Invalid, `Write --json-args '{"name": "value"}'.`, "cannot use --json-args: %w", err)
		}
		o, ok := v.(*tool.Object)
		if !ok {
			return nil, fault.New(fault.Invalid, `Write --json-args '{"name": "value"}'.`, "cannot use --json-args: it is no object")
		}
		out = o
	}
	types := map[string]*tool.Type{}
	for _, a := range d.Arguments() {
		types[a.Name] = a.Type
	}
	for _, text := range texts {
		name, raw, found := strings.Cut(text, "=")
		if !found || name == "" {
			return nil, fault.New(fault.Invalid, "Write NAME=VALUE, such as "+example(d)+".", "cannot use the argument %q: it names no value", safetext.Line(text))
		}
		if _, twice := out.Get(name); twice {
			return nil, fault.New(fault.Invalid, "Give it once.", "cannot use the argument %s: it is given twice", safetext.Line(name))
		}
		v, err := argumentValue(name, raw, types[name])
		if err != nil {
			return nil, err
		}
		out.Set(name, v)
	}
	return out, nil
}

// example is how an argument of a tool is written.
func example(d *tool.Definition) string {
	for _, a := range d.Arguments() {
		return a.Name + "=…"
	}
	return "name=…"
}

// argumentValue reads a value as its type says. A text that may be anything is
// JSON when it can be.
func argumentValue(name, raw string, t *tool.Type) (any, error) {
	kinds := tool.AnyKind
	if t != nil {
		kinds = kindsOf(t, 4)
	}
	if kinds.Has(tool.StringKind) && kinds != tool.AnyKind {
		return raw, nil
	}
	v, err := tool.DecodeJSON([]byte(raw))
	switch {
	case err == nil:
		return v, nil
	case kinds.Has(tool.StringKind):
		return raw, nil
	}
	sample := "3"
	switch {
	case kinds.Has(tool.ArrayKind):
		sample = `'["a", "b"]'`
	case kinds.Has(tool.ObjectKind):
		sample = `'{"a": 1}'`
	case kinds.Has(tool.BooleanKind):
		sample = "true"
	}
	return nil, fault.New(fault.Invalid, fmt.Sprintf("Write it as JSON, such as %s=%s.", safetext.Line(name), sample), "cannot use the argument %s: expected %s, got %q", safetext.Line(name), kinds, shortened(safetext.Line(raw), 60))
}

// kindsOf are the kinds of values that a type allows, its alternatives considered.
func kindsOf(t *tool.Type, depth int) tool.Kinds {
	if len(t.Variants) == 0 || depth == 0 {
		return t.Kinds
	}
	var some tool.Kinds
	for _, v := range t.Variants {
		some |= kindsOf(v, depth-1)
	}
	return t.Kinds & some
}
