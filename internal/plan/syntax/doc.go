// Package syntax reads Python source into a tree.
//
// The tree mirrors Python 3.14's ast module node for node, with the same
// positions: [Dump] writes the text that CPython's ast.dump writes. Where Go
// needs another name it is said at the type: ExprStmt is Expr, TryStmt is Try
// and TryStar, and the async statements are a flag of the plain ones.
//
// [Parse] reports what is no Python at all, [Check] what CPython refuses only
// when it compiles. The first error is worded and placed as CPython's; the cases
// in which it is not are in testdata/broken.txt, marked `#!`.
//
// A statement is read twice when it is wrong. The first reading is plain and
// fast. The second, in the files diag*.go, looks for the mistakes that have a
// name, in the order CPython's grammar looks for them; like a parser with
// backtracking it lets an expression end before an operator whose operand is
// missing, because what follows decides what the message says. Work in the
// second reading has a budget: when it is used up the message is plainly
// "invalid syntax".
//
// Nothing here panics, and all work is bounded: brackets nest 200 deep,
// blocks 100 deep, as in CPython, and the height of the tree has a limit, so
// that whoever walks it may recurse.
package syntax
