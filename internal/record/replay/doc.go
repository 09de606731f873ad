// Package replay executes recorded runs again: as they were, to see whether
// the same comes of them ([Replay], [Test]), from a step on with something
// changed ([Branch]), or up to their end, to assert what must be true there
// ([Assert]).
//
// # What a replay does
//
// A replay is a run like any other: package run executes it, in a session of
// its own, from the image, limits, seed and inputs that were recorded. Only the
// model is another: it gives the replies that were recorded. Every piece of
// code is executed again, and so are the placeholders of the answer. When
// something differs the replay goes on, so that all that differs is known.
//
// # What is compared
//
// Of each step: the code, the status and its limit, stdout, stderr, the value
// of the last expression, what was displayed, the exception (name, value,
// traceback), what became of the variables, the files that were created,
// changed or removed (by hash), why a reply or an answer was sent back, tool
// calls and their results. Of the run: the answer with its figures and where
// each came from, and how the run ended.
//
// Not compared are identifiers of sessions and snapshots, times of day,
// durations (also where a message names one), resources used, and what the
// model received: a changed output shows where it was made.
//
// Texts are compared byte for byte, after the encoding of the journal: bytes
// that are no UTF-8 are written there as U+FFFD, so they are taken as such here
// too.
//
// # Tools and the network
//
// No tool is called and no host is reached. The gate decides each call anew, by
// the definitions and the policy that were recorded, and what it lets through is
// answered from the record: a native call by its id, a call of code by tool and
// arguments, in their order. So are approvals. A call that the record does not
// have is refused, and reported in its step. What a recorded definition says of how
// it is executed is never used, so that a record from elsewhere can make this
// host do nothing. The order of calls counts, unless some of the step's were
// under way at the same time when they were recorded.
//
// A branch goes on in the same way: a call that only reads is answered where the
// record has the same one, and all others are refused.
//
// # What it cannot repeat
//
// What came over the network, a call that was refused because it came too soon
// (rates do not count here), a person who interrupts, a limit of time that ended the code at another
// place, and without a seed everything random. [Report] says for each step what
// its code may read that differs from run to run; that is a guess from the
// text of the code, and it is worded so.
package replay
