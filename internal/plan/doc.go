// Package plan executes plans: programs whose data flows are checked before they
// run and whose values have labels while they run.
//
// A plan goes through these packages:
//
//	syntax   text → tree
//	subset   what the language leaves out of Python
//	check    what is certain before it runs: names, types, flows, the policy
//	compile  tree → bytecode
//	vm       bytecode → labelled values, with value, builtin and library/native
//	policy   each call of a tool, decided by rules over the labels
//
// The package is pure. It never calls a tool: [Run.Next] goes on until the plan
// needs something and returns it; the caller acts, and answers with
// [Run.Reply], [Run.Refuse] or [Run.Fail]. Between the two a plan can be
// stored with [Run.Dump] and go on elsewhere with [Resume].
//
//	p, err := plan.Prepare(ctx, source, plan.Options{Tools: tools, Policy: rules})
//	// p.Check has the findings; a plan that was refused cannot be started
//	r, err := p.Start(plan.Start{Now: now})
//	for {
//		step, err := r.Next()
//		if step.End != nil { break }
//		switch step.Call.Decision.Verdict { … }   // allowed: call the tool, r.Reply(result)
//	}
//
// # Labels of results
//
// The label of a call's result has the call as a source, trusted or not as the
// tool's definition says, and all sources of its arguments; who may read
// it follows from the definition and from the readers of the arguments. A rule
// of the policy may then lower the label of a result of a narrow type.
package plan
