// Package workflow measures what tools in code save: tasks that handle much
// data are done twice, once by calls of the tools that the model makes itself
// and once by code that calls them, and the tokens of both conversations are
// counted.
//
// # What is done
//
// Both ways are executed for real, by the agent, the gate and the tools that
// a run has; only the model is played by a script, so that what it reads and
// writes is what a provider would be sent. The script of the direct way is Go
// code that knows nothing but the results that it was shown: what later
// arguments need is computed from them, and where a result is shown in part and
// the task needs all of it, the script reads on (read_result) until it has seen
// all. The script of the code is Python that runs in a session.
//
// Where there is a choice, the direct way has the better of it: as many calls
// stand in one turn as the agent takes, also where a model would have to guess
// where the next part of a result begins, its thoughts are a few words, it never
// errs, and it sees the tools of its task alone. The code prints what it
// needs to go on, and looks at data first where its signature does not tell the
// form.
//
// Both answers, and what both did to the stores behind the tools, are compared
// with what Go computes from the same data. A figure of an answer that no
// result contains is sent back once by the agent, as always; the script then gives
// it again.
//
// # How tokens are counted
//
// By o200k_base. A transcript is the system prompt, the definitions of all tools
// that the model sees, as a JSON list, and every message once, from the question to
// what the answer came to: texts, the names and arguments of calls, and results.
// What a provider adds around messages, and the ids of calls, are not counted.
// The saving is that of transcripts: 1 - code ÷ direct.
//
// Billed input, which is reported beside it, is what a provider without a cache
// charges for: the transcript so far, once more with every turn. By it the code
// saves more, so the savings above are the careful ones.
package workflow
