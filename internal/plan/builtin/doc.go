// Package builtin has the built-in functions of the plan language, and the
// methods of its built-in classes, as natives: the operations on values are mostly those
// of [praxis/internal/plan/value]; this package has their parameters and calls.
// What is written in the plan language itself is in the library's builtins.py.
package builtin
