// Package schema is JSON Schema: it compiles schemas ([Parse], [Compiler]), judges
// values by them ([Schema.Validate]), says in words where a value differs
// ([Mismatch]), shows what a schema allows as a [Type] for checkers and for
// signatures, narrows types, compares versions ([Comparison]) and hides what a
// schema marks as secret ([Schema.Redact]).
//
// Judging a value takes a number of steps that grows with the value, whatever
// the schema.
package schema
