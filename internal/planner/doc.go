// Package planner executes plans with the host's tools, people and models, and
// lets a model write them.
//
// [Execute] executes one plan: it asks the policy before each call, requests
// an approval where the policy says so, calls tools and the quarantined model, and emits
// every event in order. [Ask] lets a model write the plan first: what the check
// refuses goes back to it with its remedies, until a plan is accepted or the
// bound is met.
//
// # Who sees what
//
// The planner's model sees the question, the tools' definitions and its own
// plans. It never sees what a tool returned: of a failure it learns the kind of
// the exception, the line, and which calls were made; the text only when
// everything that it depends on is trusted and everyone may read it.
//
// The planner of a nested plan (run_plan) sees the text of its task, too, and nothing
// that its plans read. Everything that these do depends on that text; the planner
// outside does not see which calls they made.
//
// The quarantined model sees the data of one question. It has no tools, no
// history, and its reply has the type that the plan asked for or there is none.
package planner
