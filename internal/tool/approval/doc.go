// Package approval asks a person on a terminal, or a program behind a web address
// or on this machine, whether a call may be made. What is not granted is denied:
// an approver that fails, answers late or answers something else has said no, and
// the answer says why.
//
// # Question
//
// Programs get a question as JSON, with the keys
//
//	version    of this format: 1
//	run, id    of the run and of the call in it
//	tool       name; tool_version; tool_hash: SHA-256 of its definition
//	title, description, effects
//	           of the tool
//	origin     who calls: "model", "code", "plan" or "person"; line: in the code, 0 unknown
//	arguments  without secrets
//	labels     of each argument, where it came from: sources, trusted, readers, anyone
//	found      of an argument, where its value was read in this run: text (which one), quote
//	new        texts of an argument that its last approved values do not have; of
//	           calls that change nothing, none are named
//	odd        characters of an argument that are not what they seem, in words
//	rule, reason
//	           of the policy that requires the approval
//	bound      what the answer is bound to
//
// # Answer
//
// They answer with JSON:
//
//	{"granted": true, "scope": "once", "bound": "…", "who": "ann@example.com", "reason": "as agreed"}
//
// granted and bound have to be there, and bound has to be that of the question, so
// that an answer to one call is none to another. scope is "once" (also when left
// out), "exact" (this tool with these arguments and labels, in this run) or "run"
// (this tool in this run). Other keys are ignored.
//
// # Webhook
//
// A question is sent with POST to one address, over https, or over http to this
// machine. Redirects are not followed and no proxy is used. The answer has status
// 200. With a secret, the header
//
//	Praxis-Signature: t=1767225600,v1=6c1f…
//
// has the time in seconds and the HMAC-SHA256, hexadecimal, of the time, a full
// stop and the body; [Verify] checks it.
//
// # Command
//
// A program is started without a shell. It reads the question from its standard
// input and writes the answer to its standard output. Exit codes but 0 deny.
//
// # Queue
//
// The questions of a server's runs wait in a [Queue] until somebody answers one by its id.
// Each question has an id of its own, so that an answer is never taken for one to the
// question that came after it.
package approval
