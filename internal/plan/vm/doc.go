// Package vm runs plans: it compiles a checked program of the plan
// language (a subset of Python 3.14, see docs/plan-language.md) to bytecode
// and runs it with values that have labels ([praxis/internal/plan/value]).
//
// # The same again
//
// What a program does follows from its source, its inputs, its seed and what its
// calls were answered. So a plan that waits is stored as these, and goes on
// elsewhere by being executed again up to the call that it waited at.
//
// # What fails, and how
//
// An exception of the program is a *[value.Raise]. A limit is a *fault.Error of kind
// Exhausted, which no handler of the program sees. Anything else is ours.
package vm
