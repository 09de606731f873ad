// Package vm runs plans: it compiles a checked program of the plan
// language (a subset of Python 3.14, see docs/plan-language.md) to bytecode
// and runs it with values that have labels ([praxis/internal/plan/value]).
//
// # State that can be stored
//
// The machine's whole state is data: frames, stacks, objects, iterators. No
// object holds a Go function or a channel; natives are known by name. That is
// why a VM can be dumped at a host call and go on elsewhere.
//
// # What fails, and how
//
// An exception of the program is a *[value.Raise]. A limit is a *fault.Error of kind
// Exhausted, which no handler of the program sees. Anything else is ours.
package vm
