// Package syntax reads Python source into a tree.
//
// The tree mirrors Python 3.14's ast module node for node, with the same
// positions: [Dump] writes the text that CPython's ast.dump writes. Where Go
// needs another name it is said at the type: ExprStmt is Expr, TryStmt is Try
// and TryStar, and the async statements are a flag of the plain ones.
//
// [Parse] never panics and its work is bounded: brackets nest 200 deep,
// blocks 100 deep, as in CPython, and the height of the tree has a limit, so
// that whoever walks it may recurse.
package syntax
