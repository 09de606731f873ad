// Package syntax reads Python source into a tree.
//
// The tree mirrors Python 3.14's ast module node for node, with the same
// positions. Where Go needs another name it is said at the type: ExprStmt is
// Expr, TryStmt is Try, and the async statements are a flag of the plain ones.
// `type X = …` is read as an assignment. Type parameters, except*, template strings and
// \N{…} are refused, unless [Options] are lenient.
//
// [Parse] reports the first thing that is no Python; what the grammar allows and the
// names and blocks of the program do not, such as a return outside of functions, the
// compiler finds. A message says what is wrong, where, and what to write instead where
// the tokens around it show that. The programs of testdata/broken.txt whose error
// CPython finds on another line are marked `#!`.
//
// Nothing here panics, and all work is bounded: brackets nest 200 deep,
// blocks 100 deep, as in CPython, and the height of the tree has a limit, so
// that whoever walks it may recurse.
package syntax
