package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/plan/policy"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/gate"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// ToolCallRequest asks for one call of a tool that a person makes.
type ToolCallRequest struct {
	Tool string // NAME[@VERSION]
	// Arguments are NAME=VALUE: the tool's schema says how a value is read, a text
	// as it stands, anything else as JSON.
	Arguments []string
	Object    string // all arguments, as one JSON object; those in Arguments are added
	Tools     ToolSpec
}

// MaxArguments bounds the JSON of a call's arguments in bytes.
const MaxArguments = gate.MaxArguments

// ToolCallResult is what a call came to.
type ToolCallResult struct {
	Run      string           `json:"run"`
	Status   string           `json:"status"` // ok, error, refused, failed
	Tool     string           `json:"tool"`
	Version  string           `json:"version"`
	Decision string           `json:"decision,omitempty"`
	Rule     string           `json:"rule,omitempty"`
	Reason   string           `json:"reason,omitempty"`
	Result   any              `json:"result"`          // without what its definition calls secret
	Label    *event.DataLabel `json:"label,omitempty"` // of the result
	// Failed says why there is no result although nothing of ours failed: the tool
	// did, or the call was not allowed.
	Failed error `json:"-"`
	// Unattended says that the call was denied because nobody could be asked.
	Unattended bool `json:"-"`
	// Refused says that somebody who was asked denied it.
	Refused bool `json:"-"`
}

// CallTool calls a tool once, through the gate that every call goes through, and
// records the call as a run of its own. To the policy the arguments are the
// user's, who is trusted.
func (a *App) CallTool(ctx context.Context, q ToolCallRequest, sink event.Sink) (out ToolCallResult, err error) {
	t, err := a.openTools(ctx, q.Tools, NetSpec{}, sink)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	d, err := findTool(t.registry.Set(), q.Tool)
	if err != nil {
		return out, err
	}
	given, err := callArguments(d, q.Arguments, q.Object)
	if err != nil {
		return out, err
	}
	if err := d.CheckArguments(given); err != nil {
		return out, err
	}
	return a.callTool(ctx, t, d, given)
}

func (a *App) callTool(ctx context.Context, t *toolset, d *tool.Definition, given *jsondoc.Object) (ToolCallResult, error) {
	at := time.Now()
	out := ToolCallResult{Tool: d.Name, Version: string(d.Version)}
	began := event.RunBegan{Kind: event.ToolCall, Question: d.ID(), Program: a.opt.Version, Tools: []event.ToolPin{toolPin(d)}}
	ctx, r, err := a.begin(ctx, began, t, event.Discard, gate.Person)
	if err != nil {
		return out, err
	}
	out.Run = r.ID()
	got, err := r.gate.Call(ctx, gate.Request{Origin: gate.Person, Name: d.Name, Version: string(d.Version), Arguments: given})
	end := event.RunEnded{Status: callStatus(got, err), Took: event.Duration(time.Since(at))}
	switch {
	case err != nil:
		end.Reason = err.Error()
	case got.Denied != nil:
		end.Reason = got.Denied.Reason
	case got.Failed != nil:
		end.Reason = got.Failed.Error()
	}
	r.Emit(end)
	out.Status, out.Rule, out.Reason = string(end.Status), got.Decision.Rule, got.Decision.Reason
	if got.Decision.Verdict != 0 {
		out.Decision = got.Decision.Verdict.String()
	}
	if out.Failed = got.Fault(); err == nil && out.Failed == nil {
		l := gate.DataLabel(got.Label)
		out.Result, out.Label = d.RedactResult(got.Value), &l
	}
	if got.Denied != nil && got.Decision.Verdict == policy.Ask {
		out.Unattended, out.Refused = t.unattended, !t.unattended
	}
	return out, errors.Join(err, r.end())
}

// callStatus is how a call ended, in a word.
func callStatus(out gate.Result, err error) event.RunStatus {
	switch {
	case err != nil:
		return event.Failed
	case out.Denied != nil:
		return event.Refused
	case out.Fault() != nil:
		return event.RunStatus(event.Error.String())
	}
	return event.RunStatus(event.OK.String())
}

// callArguments reads the arguments of a call.
func callArguments(d *tool.Definition, texts []string, object string) (*jsondoc.Object, error) {
	out := jsondoc.NewObject()
	if object != "" {
		v, err := jsondoc.Decode([]byte(object))
		if err != nil {
			return nil, fault.New(fault.Invalid, `Write {"name": "value"}.`, "cannot use the arguments: %w", err)
		}
		o, ok := v.(*jsondoc.Object)
		if !ok {
			return nil, fault.New(fault.Invalid, `Write {"name": "value"}.`, "cannot use the arguments: they are no object")
		}
		out = o
	}
	types := map[string]*schema.Type{}
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
func argumentValue(name, raw string, t *schema.Type) (any, error) {
	kinds := schema.AnyKind
	if t != nil {
		kinds = kindsOf(t, 4)
	}
	if kinds.Has(schema.StringKind) && kinds != schema.AnyKind {
		return raw, nil
	}
	v, err := jsondoc.Decode([]byte(raw))
	switch {
	case err == nil:
		return v, nil
	case kinds.Has(schema.StringKind):
		return raw, nil
	}
	sample := "3"
	switch {
	case kinds.Has(schema.ArrayKind):
		sample = `'["a", "b"]'`
	case kinds.Has(schema.ObjectKind):
		sample = `'{"a": 1}'`
	case kinds.Has(schema.BooleanKind):
		sample = "true"
	}
	return nil, fault.New(fault.Invalid, fmt.Sprintf("Write it as JSON, such as %s=%s.", safetext.Line(name), sample), "cannot use the argument %s: expected %s, got %q", safetext.Line(name), kinds, safetext.Clip(safetext.Line(raw), 60))
}

// kindsOf are the kinds of values that a type allows, its alternatives considered.
func kindsOf(t *schema.Type, depth int) schema.Kinds {
	if len(t.Variants) == 0 || depth == 0 {
		return t.Kinds
	}
	var some schema.Kinds
	for _, v := range t.Variants {
		some |= kindsOf(v, depth-1)
	}
	return t.Kinds & some
}
