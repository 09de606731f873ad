// Package wasm executes tools of kind wasm: WASI modules that run in this
// process and can do what their manifest grants, and nothing else.
//
// # Settings
//
//	run:
//	  wasm:
//	    module: tidy.wasm          # a WASI preview 1 command, beside the file of tools
//	    sha256: "9f86d0…"          # of the file; another file is refused
//	    grant:                     # the manifest; {} grants nothing, none is refused
//	      files: {/data: {path: data, write: false}}
//	      env: {LANGUAGE: en, TOKEN: {secret: CRM_TOKEN}}
//	      hosts: ["api.example.com:443"]
//	      memory: 64MiB            # of the module; up to 1GiB
//	      time: 10s                # of one call; up to 10m
//	      output: 1MiB             # of its answer; up to 16MiB
//	      disk: 64MiB              # that one call may write to files; up to 1GiB
//	      clock: false             # may it know what time it is?
//	      random: false            # may it have true random numbers?
//
// # Calls
//
// Each call is a new instance of the module, which is compiled once: nothing of
// one call is there in the next. It reads {"tool": NAME, "arguments": {…}} from
// standard input, writes one JSON value to standard output, and exits with 0.
// Another exit code, a trap, or an answer that is not JSON is a failure, whose
// message quotes the end of what was written to standard error.
//
// # What a module can do
//
// Its arguments are the tool's name, its environment what the manifest says. It
// sees the granted folders and nothing beside them: neither ".." nor a symbolic
// link leads out, and there are only regular files and folders. Where writing is
// not granted nothing changes; where it is, no links can be made. Without clock
// time begins at the same instant in every call, goes on with each look at it,
// passes at once when the module sleeps, and files have no times. Without random
// the random numbers are the same in every call. There are no sockets.
//
// # The network
//
// There is one function beside WASI's, for requests to granted hosts:
//
//	(import "praxis" "http_request"
//	  (func (param $request i32) (param $request_length i32)
//	        (param $buffer i32) (param $buffer_length i32) (result i32)))
//
// The request is UTF-8 JSON in the module's memory, at most 4 MiB:
//
//	{"method": "POST", "url": "https://api.example.com/v1/x",
//	 "headers": {"Content-Type": "application/json"},
//	 "body": "…"}                  or "body_base64": "…"
//
// The response is JSON too, written to the buffer; the result is its length. Is
// the buffer too small, then nothing is written, the result is the length that is
// needed, negative, and the response is stored: a call with a request of length 0
// takes it. 0 says that there is no such memory, or no stored response.
//
//	{"status": 200, "headers": {"content-type": ["application/json"]}, "body": "…"}
//	{"status": 200, "headers": {}, "body_base64": "…"}      when it is not UTF-8
//	{"error": {"kind": "denied", "message": "…"}}
//
// Kinds are invalid (the request cannot be understood), denied, exhausted (a
// bound) and unavailable (nobody answered). Hosts are compared by name and port with
// those of the manifest. Names that lead to private, loopback or link-local
// addresses are refused; such an address can only be granted as an address.
// Redirects are not followed: the module sees them and may ask again. A call may
// make 100 requests, each with an answer of at most 8 MiB.
//
// # What a module requires
//
// A custom section named "praxis" may contain JSON that says what the module requires:
//
//	{"files": {"/data": {"write": true}}, "env": ["TOKEN"],
//	 "hosts": ["api.example.com:443"], "memory": "32MiB",
//	 "clock": true, "random": true}
//
// What it requires beyond the manifest is reported when the tool is made, not in
// the middle of a call.
//
// # Bounds
//
// What is compiled is not the file but a copy made while reading it (see
// readModule): without custom sections, with bounded tables, locals and counts,
// since each of these could otherwise take memory out of proportion to its bytes.
package wasm
