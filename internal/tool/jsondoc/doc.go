// Package jsondoc has JSON values exactly as they were written, and documents of
// them, in JSON or YAML, with the place of every part.
//
// Values are Go's nil, bool, string, []any, *[Object] (whose members keep
// their order) or map[string]any, and for numbers json.Number, *big.Int, int,
// int64, uint64 or float64. Numbers are compared exactly and 2.0 is the integer
// 2, as JSON Schema has it. [Decode] gives *Object and json.Number, so nothing
// is lost. Nothing is ever coerced.
//
// A document is a tree of [Node]; a [Report] gathers what is wrong with it as
// [Problems], each with file, line and column, what was expected, and the nearest
// that would be right.
//
// Bounds: [MaxFile], [MaxDepth].
package jsondoc
