package tool

import "errors"

// documented is the file of the package comment.
const documented = `version: 1
me: ann@example.com
principals: ["*@example.com"]
inputs:
  customer: {schema: {type: string}, description: The customer's number}
tools:
  - name: email.write
    version: 1.0.0
    description: Sends an e-mail.
    effects: external
    input:
      type: object
      required: [to, body]
      properties:
        to: {type: string, format: email}
        body: {type: string}
        token: {type: string, x-secret: true}
    output: {type: object, properties: {id: {type: string}}}
    labels:
      trusted: false
      readers: [me, {from: arguments, path: /to}]
      arguments:
        to: {trusted: true}
        body: {readable_by: to}
    limits: {timeout: 10s, bytes: 64KiB, calls_per_run: 20, rate: 10/minute}
    secrets: [/token]
    approval: true
    examples:
      - {name: short, input: {to: bob@example.com, body: Hello}, output: {id: m1}}
`

func asProblems(err error) Problems {
	var ps Problems
	errors.As(err, &ps)
	return ps
}
