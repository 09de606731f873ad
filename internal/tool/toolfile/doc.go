// Package toolfile reads and writes the files that declare tools. It does no
// input or output: it is given their text.
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
// with it, with file, line and column ([jsondoc.Problems]); [tool.NewSet] joins
// files. [Schema] is the JSON Schema of the file itself, for editors. Keys that
// begin with x- are free for others. Results without readers are the user's
// (of pure tools and models: everyone's, since they are made of their
// arguments, whose readers remain).
//
// [DecodeSpec] reads what a file says of an implementation, for the kinds.
package toolfile
