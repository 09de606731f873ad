// Package compile makes bytecode of a program's tree.
//
// It finds out which variable every name means (scope.go), then walks the tree
// once and writes instructions for it; in the end common neighbours become one
// instruction (assemble.go). In strict mode it adds instructions that follow what
// the control flow depends on, and leaves out those that would change nothing
// (effects.go): what a statement may change, raise or run is found out beforehand.
package compile
