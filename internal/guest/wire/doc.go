// Package wire is the protocol between the host and the agent inside a
// sandbox, over the sandbox's standard input and output. This comment is the
// specification; both sides import the package.
//
// # Frames
//
//	u32 length | u8 kind | u32 id | body        (big endian; length counts kind, id and body)
//
// length is at least 5 and at most 5 + MaxBody (1 MiB). Anything else ends the
// stream: the reader cannot find the next frame. Kinds:
//
//	1 request   host → guest   body: JSON {"op": …, …}; id is chosen by the host, never 0, unique while open
//	2 response  guest → host   body: JSON of the op's reply; closes the request
//	3 failure   guest → host   body: JSON {"kind": fault kind, "message": …, "remedy": …}; closes the request
//	4 data      both ways      body: raw bytes of the request's stream (file contents, process stdin and output)
//	5 end       both ways      body empty: no more data from this side for the request
//	6 event     guest → host   body: JSON event of the request (an execution's, a process's, a watch's)
//	7 output    guest → host   body: u64 sequence | u8 stream (1 stdout, 2 stderr) | raw bytes
//	8 hello     both ways      id 0; opens a stream, see below
//	9 part      both ways      body: a piece of the JSON of the request's next event or response
//	10 credit   both ways      body: u32; so many more units may be sent for the request, see below
//	11 cancel   both ways      body empty: who opened the request gives it up; the other side still closes it
//	12 guest request   guest → host   body: JSON {"op": …, "name": …, …}; see Guest requests
//
// Unknown kinds and ids that are not open are protocol errors: the host drops
// the guest; the guest ignores them.
//
// A JSON text that does not fit in a frame (a large picture) is sent as parts
// followed by the event or response that ends it; together they are at most
// MaxMessage.
//
// # Flow
//
// Neither side stops reading the stream, so that a health check or a kill is
// answered whatever else goes on. Therefore each request has a window a
// direction: a side sends data, event, output and part frames of a request
// only while the units that it sent and that were not credited back are fewer
// than Window. A frame counts Cost(body) units. The receiver sends credit once
// it has used the frames up. More than Window + Cost of the largest frame is a
// protocol error. Requests, responses, failures, ends and cancels are free.
//
// # Opening a stream
//
// The host opens every fresh stream (boot, after a checkpoint, after a restore)
// by hello {"version": 1, "epoch": E, "reseed": hex or "", "now_unix_ns": N}.
// The guest answers hello {"version": 1, "epoch": E} and from then on sends
// frames of this epoch only. Requests of an older epoch are forgotten by both
// sides; executions and processes are not: they are resources of the guest and
// can be attached to again. A non-empty reseed makes every kernel reseed its
// random generators before the next execution (a restore or a fork of a session
// that is not deterministic).
//
// # Quiescing before a checkpoint
//
// {"op":"quiesce"} is answered when nothing is half-written; after the
// response the guest writes no byte until the next hello. Executions go on
// and their events are kept in their logs.
//
// # Executions
//
// An execution is a resource in the guest with a numbered event log (sequence
// from 1, bounded; output over the bound is cut head + tail and the whole is in
// a file in the session). {"op":"execute"} makes one under the name that the
// host chose and follows it: events and output frames carry the request's id
// and consecutive sequence numbers; the response is its end. {"op":"attach",
// "exec": name, "after": seq} follows again from a sequence number. A later
// follower takes the place of an earlier one. The ops and their fields are the
// Go types of this package, one file. Of an execution with "whole": true
// nothing is cut: while its follower gives no credit its output is not read, and
// the code waits. Only the events that may be on their way are kept to be
// followed again.
//
// {"op":"execute", …, "stamps": true} makes the end tell when the execution passed
// each place inside (Stamps), for those who look for where the time goes.
//
// {"op":"rehearse"} has a context's kernel go the way of an execution, for its own sake:
// the memory of a restored guest is read when it is touched, and whoever keeps a guest
// ready has it touched before. It leaves nothing that programs or the host could see, and
// is a failure "conflict" once code was executed, or in a session with a seed.
//
// # Changed files
//
// {"op":"execute", …, "changes": true} makes the end of the execution tell
// which regular files below the working folder it created, changed or removed:
// the agent compares what it finds after the code with what it found when it
// last looked. It looks before the code as well only when something other than
// executions with changes may have written since: an op of the host, a process,
// an execution without changes. So what threads and programs that the code left
// running write between two executions counts for the later one, and what runs
// beside an execution, in another context or as a process, counts for it too.
//
//   - A file is recognised by size, times and inode. When these differ and the
//     hash of its content does not, it is not a change. When the hash before is
//     not known, it is one.
//   - Symbolic links are not followed. Links, pipes, sockets and folders are not
//     listed, nor are the interpreter's caches: *.pyc and what is in __pycache__.
//   - A file that is written only through memory that maps it is seen when the
//     kernel inside moves its times, and gVisor's does so never: when something
//     else is done to the file, too.
//   - After two executions in a row that changed nothing the agent does not look
//     any more, but has the kernel inside tell it that something happens (inotify).
//     gVisor tells so by name: while a file has several, and ever after, the agent
//     looks. It cannot know of a file that got one more name and lost its first
//     within one execution: what is written later to a descriptor that was opened
//     by the first counts for the next execution that changes anything.
//   - At most MaxChanges files are looked at and changes listed, with at most
//     MaxChangeBytes of paths; names that cannot be shown are left out. At most
//     256 MiB are hashed after an execution and 64 MiB before one, and at most
//     12 names a file are opened on the way, taken over all MaxChanges; what is
//     over has no hash. No bound is one of time. "unlisted" says when a bound was
//     met, how many files could not be read or shown, and why nothing is listed
//     when nothing is known.
//
// The hash of a removed file is empty and its size 0. The listing is part of
// the agent's memory, so that a restored session goes on comparing.
//
// # Processes
//
// {"op":"start"} starts a process under the name that the host chose and
// follows it: the first event is {"pid": …} once the program runs, output
// frames carry what it writes (consecutive sequence numbers), the response is
// its end. Data and end frames of the request are its standard input. A start
// that is canceled ends the process: nobody knows of it. What is not yet
// credited stays in the process's pipes, so that a slow reader slows the process
// and loses nothing. {"op":"connect","proc": name, "after": seq} follows it again
// on a later stream. A process with "terminal": {"rows":R,"cols":C} has one of its own in
// the place of the pipes; {"op":"resize"} changes its size. {"op":"processes"} lists what
// whoever goes on from a saved state may follow: what runs, and what ended unseen.
//
// # Ports
//
// {"op":"forward","port":N} connects to a port of the sandbox's own address. Data of both
// sides are the bytes of the connection, an end says that a side has no more, the response
// or a failure closes the request once both have ended, or the host cancels it.
//
// # Guest requests
//
// A guest request is one that the guest opens, because code inside calls a tool or
// connects to the network. Its id has the top bit set and is greater than that of
// every guest request of the epoch before it. The host closes it by a response, whose JSON may come in
// parts, or by a failure; the guest may cancel it. Frames of the guest's for a
// request that was closed crossed the closing frame, and are ignored. Windows and
// credit are those of requests. Before anything is exposed, and for what is
// not, the answer is a failure "unavailable"; over MaxTools and MaxConnect of
// an op it is a failure "exhausted".
//
// {"op":"expose"}, a request of the host's, makes the guest listen: on a socket
// for the module "tools", and at a port of 127.0.0.1 when there is a way to the
// network. Nothing listens before the first one.
//
// {"op":"tools","name":N,"body":…} takes a JSON text of at most MaxArguments
// bytes to the host and one back. {"op":"tools","name":N,"long":true} is
// followed by the text as data and an end.
//
// {"op":"connect","name":N} is a connection that was accepted inside: bytes both
// ways as data, an end of each side that has no more. The response says that the
// host has done with it.
//
// After a hello the guest sends again, under the same names and new ids, the
// requests "tools" that it has no answer to: "again" is true, "sent" says how much of a
// long text it has sent (the rest and an end follow, an end that was sent before
// too) and "after" how much of the response has come in parts (it goes on from
// there). The host goes on serving such requests through a checkpoint and answers
// the new id; a host that does not know the name, as after a restore, answers
// with a failure "unavailable", since nobody knows whether the call was done.
// Requests that are given up meanwhile are sent again and canceled. Connections are
// closed by a hello.
package wire
