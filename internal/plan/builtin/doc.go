// Package builtin has the built-in functions of the plan language, and the
// methods of its built-in classes, as natives: what they compute is mostly what
// [praxis/internal/plan/value] can do with values; here stands how they are called.
// What is written in the plan language itself is in the library's builtins.py.
package builtin
