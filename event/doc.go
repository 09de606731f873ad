// Package event is the vocabulary of what happens in Praxis: a closed set of
// records with a version. The journal, the screen, the JSON stream and replay
// are fed by the same events, so that nothing is described twice.
//
// # The vocabulary, version 1
//
// An event has a name and a JSON object ([Name], [Marshal], [Unmarshal]). What
// is begun is completed by an event of its own, so that a crash leaves "begun,
// not finished" behind and never silence:
//
//	begun                completed                 what
//	run_began            run_ended                 one task: a question asked, or code run
//	session_began        session_ended             the sandbox that the code of a run lives in
//	step_began           the next step, run_ended  one turn of Reason → Act → Observe
//	model_requested      model_replied, _failed    one call of a model, whole
//	execution_began      execution_ended           one piece of code: output, result, error, limit, changed files
//	tool_called          tool_returned             one call of a tool
//	child_began          child_ended               a part of the run: a run of its own, or one request to a model
//	approval_requested   approval_given            what a person or a rule must allow first
//	plan_written         plan_checked, plan_ended  a program whose flows are checked before it runs
//	plan_waits           plan_resumed              its state, stored while a call waits
//	connection_opened    connection_closed         one connection of the code to a host, through the proxy
//
// These events are complete in themselves: file_given (an input of the run),
// skills_given, skill_saved, snapshot_taken, session_forked, session_rolled_back, decision_made (what the
// policy says of a call), label_lowered, connection_refused,
// conversation_continued, notes_found, reply_rejected, reply_trimmed,
// outline_written (a plan in words), run_concluding, attempt_chosen (which of several is), model_retrying, history_condensed, tests_ran and patch_made (of a
// project that is worked on), file_saved and answer_given.
//
// The events progress, notice, model_delta, output and display are only shown
// while they happen ([Transient]): a later event repeats what they say as a
// whole, so the journal leaves them out.
//
// The journal adds two records that are no events, its header and its
// checkpoints; see package journal.
//
// # Versions
//
// [Version] is raised when an event changes so that an older reader would
// misread it. A journal says the version that it was written with, and a reader
// refuses a newer one. Within a version fields are only added.
//
// # Encoding
//
// The JSON of an event is the one of encoding/json for the struct, without
// indentation and without escaping of HTML characters: fields in the order of
// the declaration, keys of maps sorted, times of day in RFC 3339 with
// nanoseconds, durations in milliseconds. Unmarshal refuses fields that it does
// not know.
package event
