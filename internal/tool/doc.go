// Package tool says what a tool is: its name, version, schemas, effects and
// labels, and the files that declare tools. It only defines; nothing here
// calls a tool, reads a file or fetches anything.
//
// # Files
//
//	version: 1
//	me: ann@example.com                 # the user's name as a principal
//	principals: ["*@example.com"]       # who is known; left out: everybody
//	inputs:                             # names that plans are given from outside
//	  customer: {schema: {type: string}, description: The customer's number}
//	tools:
//	  - name: email.write
//	    version: 1.0.0
//	    description: Sends an e-mail.
//	    effects: external               # pure, read, write or external
//	    input:                          # JSON Schema; the properties, in this order, are the arguments
//	      type: object
//	      required: [to, body]
//	      properties:
//	        to: {type: string, format: email}
//	        body: {type: string}
//	        token: {type: string, x-secret: true}
//	    output: {type: object, properties: {id: {type: string}}}
//	    labels:
//	      trusted: false                # may results steer calls?
//	      readers: [me, {from: arguments, path: /to}]
//	      arguments:
//	        to: {trusted: true}         # short forms of rules
//	        body: {readable_by: to}
//	    limits: {timeout: 10s, bytes: 64KiB, calls_per_run: 20, rate: 10/minute}
//	    secrets: [/token]               # beside writeOnly, format: password, x-secret: true
//	    idempotent: false
//	    approval: true
//	    examples:
//	      - {name: short, input: {to: bob@example.com, body: Hello}, output: {id: m1}}
//
// [Load] reads one file, YAML or JSON, and reports everything that is wrong
// with it, with file, line and column ([Problems]). [NewSet] joins files.
// [FileSchema] is the JSON Schema of the file itself, for editors. Keys that
// begin with x- are free for others. Results without readers are the user's
// (of pure tools and models: everyone's, since they are made of their
// arguments, whose readers remain).
//
// # Values
//
// JSON values are Go's nil, bool, string, []any, *[Object] (whose members keep
// their order) or map[string]any, and for numbers json.Number, *big.Int, int,
// int64, uint64 or float64. Numbers are compared exactly and 2.0 is the integer
// 2, as JSON Schema has it. [DecodeJSON] gives *Object and json.Number, so
// nothing is lost. Nothing is ever coerced.
//
// # What others use
//
//   - [Load], [NewSet], [Set.Lookup], [Set.Resolve], [Set.Pin], [Set.Namespace], [Set.Suggest], [Set.Input], [Set.Principals]
//   - [Definition]: its fields; [Definition.Arguments], [Definition.Bind], [BindArgs], [Definition.FillDefaults],
//     [Definition.CheckArguments], [Definition.CheckResult], [Definition.Hash], [Definition.Signature],
//     [Definition.Rehearse], [Definition.RedactArguments]
//   - [Labels], [Labels.Demand], [Readers.Static] (before a run), [Readers.Resolve] (of one call)
//   - [Schema]: [ParseSchema], [Schema.Validate], [Schema.Type], [Schema.Narrow]; [Type] for checkers, [Type.Narrow]
//   - [Compatible] for changes of a definition
//
// Bounds: [MaxFile], [MaxTools], [MaxDepth]; judging a value takes a number of
// steps that grows with the value, whatever the schema.
package tool
