// Package javascript is the languages JavaScript and TypeScript: what the program says
// about them ([Language], [TypeScript]), how their source is read by people, and their
// kernel, a program for Node that is made of the .js files here. What every kernel
// promises the guest's agent is the package comment of guest/agent; this one says what is
// JavaScript's.
//
// The kernel is started as
//
//	node --expose-internals --no-warnings … kernel.js
//
// so that it finds node's own parser (acorn) and its doors; see below.
//
// # Cells
//
// Every cell runs in the interpreter's own context, as a script. What it declares at its
// top level becomes a property of the global object (rewrite.js), so that the next cell
// finds it and may declare it again. A cell that waits or imports at its top level becomes
// the body of an async function. An assignment to a constant is found in the tree, and is
// the error that it is. A value that is a promise is waited for.
//
// The parser is the one that node carries. What it changes keeps every line, and edits.js
// knows which column each column was; an error therefore names the places that the user
// wrote. TypeScript is stripped of its types by node itself (module.stripTypeScriptTypes),
// which puts blanks in their place; where types make code, as enums do, it is transformed,
// and a source map says where things stood.
//
// # Output
//
// Node has no way to ask whether a pipe is empty. So what code prints, through console or
// process.stdout, goes to the agent in frames: the order between the streams and displays
// is then that of the code. Other programs write to the pipes; what a program that is
// waited for writes to the kernel's own streams is gathered and sent when it has ended.
//
// # Interrupts
//
// SIGINT reaches code that computes by way of V8, which can stop whatever it runs; it then unwinds everything up to where C++ called it. So each way from node into
// JavaScript (the cell, timers, microtasks, what the system calls back) leads through a
// script of node:vm with breakOnSigint (doors.js), behind which the kernel and node's own
// loops go on. A cell that waits is ended by the frame "interrupt". Timers and immediates
// that were left are given up then, and after process.exit; so is what the cell asked the
// system for: no callback is called and no promise of node:fs is settled by its answer.
//
// A cell that waits for a promise which nothing can settle any more fails at once: node
// says so with the event beforeExit, for which the kernel's socket does not count while a
// cell waits. In the same way the kernel knows when a program is over that left timers
// behind ([language.Model], Rest).
//
// # Seeds
//
// Math.random is a generator of the kernel's, which a seed begins anew and fresh entropy
// changes; what node:crypto and Web Crypto give is read from the sandbox's randomness.
// OpenSSL's own generator, which makes keys, cannot be reached from JavaScript.
//
// # Values that languages share
//
// The global praxis (share.js) keeps to the layout of docs/sharing.md, as the module of
// that name does in Python. Tables that Python wrote as Arrow streams are read by arrow.js,
// which trusts no number of a stream.
package javascript
