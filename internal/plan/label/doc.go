// Package label describes the values of a plan: where they came from and who may
// read them.
//
// A label is a set of sources (the user's inputs, tool calls, replies of
// models; the program's own literals need none), a set of readers, and the
// marks that a declassification left behind. Joining two labels unites their
// sources and marks and intersects their readers, so a label only ever gets
// stricter. Join is associative, commutative, idempotent and monotone; the
// test of this package checks exactly that.
//
// # Interning
//
// A [Table] gives each distinct label a number, its [ID]. Equal labels have
// equal IDs, so a label costs a value of the interpreter four bytes, and the usual
// join is a comparison. ID 0 is [Program]. IDs are handed out in the order of
// first use: the same run gives the same IDs, and a table that was marshalled
// and read back goes on with them.
//
// # Bounds
//
// A loop may call a tool ten thousand times and add up what it returned. Sets
// would grow with it, so they are widened, never cut:
//
//   - More than 256 calls of one site (kind, name, line, column) become one
//     source with Call 0, "several calls", that stands for all of them.
//   - A set of more than 4,096 sources becomes wide: its sources lose their
//     place in the program and keep kind, name and trust.
//   - A table that is full answers [Everything]: all sources that the run has
//     seen, readable by nobody.
//
// The first two are closure operations on sets, which is why join stays
// associative. The third is a safety net, and the strictest label there is.
package label
