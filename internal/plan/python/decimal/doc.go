// Package decimal computes with decimal numbers as Python's decimal module
// does: the General Decimal Arithmetic Specification with the limits, the
// rounding and the conditions of CPython 3.14.
//
// A [Decimal] is a value that is not changed. Operations are methods of a
// [Context]: they round to its precision and note in Context.Status what
// happened, [Inexact] and its like; what of that is an error is the caller's to
// say. The package imports nothing of ours, does no I/O, and gives the same
// digits everywhere.
//
// The cost of an operation grows with the precision and the digits of its
// operands, and with the distance of their exponents where one is moved to the
// other: the caller bounds those.
package decimal
