// Package value has the values of the plan language, whose labels say what they
// depend on, and the operations on them: attributes, operators, comparison,
// iteration, hashing, formatting, sorting.
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
// A native function sees its arguments through [Thread.See]: whatever it
// touched is joined into its result, unless it says that it is precise and
// labels its result by itself. So a native that forgets labels is too wide,
// never too narrow.
//
// In strict mode the thread has a label of control ([Thread.PC]): whatever is
// stored, called, printed or changed while it is not zero gets it.
//
// # The machine
//
// An operation may have to run code of the program: a method __eq__, the body of
// a generator. It calls the [Machine] of its [Thread] for that, and knows nothing
// else of who runs programs.
//
// # State that can be stored
//
// No object holds a Go function or a channel, and natives are known by name, so
// that the state of a run can be stored and go on elsewhere.
package value
