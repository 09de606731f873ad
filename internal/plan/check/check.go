package check

import (
	"context"

	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/plan/syntax"
	"praxis/internal/tool"
)

// Input is what is checked, and what it is checked against.
type Input struct {
	Name    string // of the file, as messages name it
	Source  []byte
	Module  *syntax.Module
	Tools   *tool.Set        // nil: no tools
	Policy  *policy.Policy   // nil: flows are reported, nothing is judged
	Strict  bool             // the control flow counts, too
	Refused []syntax.Refusal // what the program uses that the language leaves out
	Steps   int64            // of the analysis; 0 means a few million
	Task    *policy.Task     // of a plan that a model wrote; nil: a person did
	Base    label.Label      // what all of the plan depends on

	// Forgive makes names and arguments that are wrong warnings in a program that
	// calls no tool: it would only end there by an exception, if it gets there.
	Forgive bool
}

// defaultSteps bounds the analysis to about a second.
const defaultSteps = 4_000_000

// Check checks a program. Of one that uses what the language leaves out, the
// flows are not followed. The error says why ctx ended.
func Check(ctx context.Context, in Input) (*Result, error) {
	r := &Result{Name: in.Name, Strict: in.Strict, source: in.Source}
	a := &analysis{tools: in.Tools, policy: in.Policy, task: in.Task, base: in.Base, strict: in.Strict, left: in.Steps, ended: ctx.Err, maxObjects: 200_000}
	a.module = in.Module
	if a.left <= 0 {
		a.left = defaultSteps
	}
	a.sources = append(a.sources, source{})
	a.objectIDs = make(map[objectKey]int32, 32)
	a.addInputs()
	a.scopes = newScopes(in.Module)
	a.scopes.catches = a.scopes.catches || a.strict && (a.scopes.tries || a.scopes.always)
	for _, x := range in.Refused {
		r.add(Finding{Kind: Refused, Level: Error, Message: x.Feature + " is not part of the plan language", Remedy: x.Remedy}.at(syntax.Span{Start: x.Pos, End: x.End}))
	}
	a.names(r)
	a.builtinCalls(r)
	if len(in.Refused) == 0 {
		a.run(in.Module)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		a.report(r)
		r.Counted = a.counted(func(d *tool.Definition) bool { return d.Limits.CallsPerRun > 0 || a.policy.Counts() })
		r.Changing = a.counted(func(d *tool.Definition) bool { return d.Effects.Acts() && !d.Idempotent })
		if in.Forgive {
			r.forgive()
		}
	}
	r.finish()
	return r, nil
}

// forgive makes warnings of what cannot leave anything half done.
func (r *Result) forgive() {
	if len(r.Flows) > 0 {
		return
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Level == Error && f.Tool == "" && (f.Kind == Name || f.Kind == Arguments || f.Kind == Value) {
			f.Level = Warning
		}
	}
}

// addInputs makes the sources of the names that are given from outside.
func (a *analysis) addInputs() {
	a.inputs = map[string]int32{}
	add := func(in tool.Input) {
		a.inputs[in.Name] = a.sourceOf(sourceKey{kind: label.User, name: in.Name}, func() source {
			s := source{placed: true, src: label.Source{Kind: label.User, Name: in.Name, Trusted: in.Trusted}}
			if !in.Readers.Everyone {
				who, everyone, _ := in.Readers.Static(a.tools.Principals())
				if !everyone {
					s.lo = label.Only(who...)
					s.hi = s.lo
				}
			}
			return s
		})
	}
	add(tool.Input{Name: "today", Trusted: true, Readers: tool.Readers{Everyone: true}})
	if a.tools == nil {
		return
	}
	for _, in := range a.tools.Inputs() {
		add(in)
	}
}
