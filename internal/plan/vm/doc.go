// Package vm runs plans: it compiles a checked program of the plan
// language (a subset of Python 3.14, see docs/plan-language.md) to bytecode
// and carries it out with values that carry labels.
//
// # Values and labels
//
// A [Value] is 32 bytes: what it is, the scalar or the object, and the label
// ([label.ID]) of all that it depends on. The label belongs to the value and
// not to the object: two names of one list may have been chosen by different
// data. A container has beside its elements' labels a shape: what its length,
// order and membership depend on.
//
//	reading  l[i]      the element's ⊔ the list value's ⊔ the shape ⊔ i's
//	length   len(l)    the list value's ⊔ the shape
//	writing  l[i] = v  the element gets v's; i's joins the shape
//
// A native function sees its arguments through [Thread.see]: whatever it
// touched is joined into its result, unless it says that it is precise and
// labels its result by itself. So a native that forgets labels is too wide,
// never too narrow.
//
// In strict mode the thread has a label of control ([Thread.pc]): whatever is
// stored, called, printed or changed while it is not zero gets it.
//
// # State that can be stored
//
// The machine's whole state is data: frames, stacks, objects, iterators. No
// object holds a Go function or a channel; natives are known by name. That is
// why a VM can be dumped at a host call and go on elsewhere.
//
// # What fails, and how
//
// An exception of the program is a *[Raise]. A limit is a *fault.Error of kind
// Exhausted, which no handler of the program sees. Anything else is ours.
package vm
