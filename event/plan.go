package event

import "encoding/json"

// Plan is the kind of a run that executes a plan.
const Plan Kind = "plan"

// PlanWritten contains a plan as it was given or as the model wrote it, and the
// tools and the policy that it is checked against. It is followed by plan_checked.
type PlanWritten struct {
	Step   int                        `json:"step"`           // 0: a person gave it
	Call   string                     `json:"call,omitempty"` // of a nested plan: the call that runs it
	Code   string                     `json:"code"`
	Name   string                     `json:"name,omitempty"`   // of its file
	Mode   string                     `json:"mode"`             // "normal", or "strict": implicit flows count, too
	Tools  []ToolPin                  `json:"tools,omitempty"`  // that the plan may call, sorted by name
	Policy string                     `json:"policy,omitempty"` // SHA-256 of what the policy says, hexadecimal; its text is the file_given of that role
	Inputs map[string]json.RawMessage `json:"inputs,omitempty"` // the names that it was given from outside
	Now    string                     `json:"now"`              // what the plan's clock shows, RFC 3339
	Made   []CallMade                 `json:"made,omitempty"`   // calls of the plans before it in the run
}

// CallMade is a call of an earlier plan of the run.
type CallMade struct {
	Tool string `json:"tool"`
	Sum  string `json:"sum,omitempty"` // SHA-256 of its arguments, hexadecimal, when it changed something
}

// ToolPin is one version of a tool, by the hash of its definition.
type ToolPin struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Hash    string `json:"hash"` // SHA-256, hexadecimal
}

// PlanChecked says what the check of the plan found before anything ran.
type PlanChecked struct {
	Step     int       `json:"step"`
	Call     string    `json:"call,omitempty"` // of a nested plan: the call that runs it
	Accepted bool      `json:"accepted"`
	Findings []Finding `json:"findings,omitempty"`
}

// Finding is one thing that the check of a plan found.
type Finding struct {
	Rule     string  `json:"rule"`    // of the checker, such as "flow" or "unknown-name"
	Verdict  string  `json:"verdict"` // "violation", "possible", "proved safe", "error" or "warning"
	Message  string  `json:"message"`
	Remedy   string  `json:"remedy,omitempty"`
	Tool     string  `json:"tool,omitempty"`
	Argument string  `json:"argument,omitempty"`
	Place    Place   `json:"place"`
	Path     []Place `json:"path,omitempty"` // from the source to the argument
}

// Place is a place in a plan. Line counts from 1, Col from 0.
type Place struct {
	Line int    `json:"line"`
	Col  int    `json:"col"`
	Text string `json:"text,omitempty"` // what happens there
}

// DataLabel is what a value depends on and who may read it.
type DataLabel struct {
	Sources []string `json:"sources,omitempty"` // none: the program's own literals
	Trusted bool     `json:"trusted"`
	Readers []string `json:"readers,omitempty"` // sorted; nobody listed and not Everyone: nobody
	Anyone  bool     `json:"anyone"`            // everyone may read it
}

// DecisionMade says what the policy says of a call, before the call is made.
type DecisionMade struct {
	Step    int    `json:"step"`
	ID      string `json:"id"` // of the call
	Tool    string `json:"tool"`
	Verdict string `json:"verdict"` // "allow", "ask" or "deny"
	Rule    string `json:"rule"`    // that made the decision
	Reason  string `json:"reason,omitempty"`
	Remedy  string `json:"remedy,omitempty"`
	Code    string `json:"code,omitempty"` // as package fault names it, of a condition that could not be evaluated
	// Members are the values of trusted results that arguments equal, where a rule
	// asked: "args.to: contacts.all#2 /0/email".
	Members []string `json:"members,omitempty"`
}

// LabelLowered says that data lost a source: a person endorsed it, or a rule of
// the policy says that data of its type contains no instructions.
type LabelLowered struct {
	Step int       `json:"step"`
	ID   string    `json:"id"`            // of the call whose result it is
	By   string    `json:"by"`            // "person" or the rule's name
	Who  string    `json:"who,omitempty"` // the person
	Why  string    `json:"why,omitempty"` // as the person said
	From DataLabel `json:"from"`          // before
	To   DataLabel `json:"to"`            // after
}

// PlanWaits says that the plan waits at the call ID and that its whole state was stored.
type PlanWaits struct {
	Step  int    `json:"step"`
	ID    string `json:"id"`
	State string `json:"state"` // SHA-256 of the stored state, hexadecimal
	Bytes int64  `json:"bytes"`
	// Output is what the plan printed until then.
	Output string `json:"output,omitempty"`
}

// PlanResumed says that a stored plan goes on.
type PlanResumed struct {
	State string `json:"state"`
	Run   string `json:"run,omitempty"` // the run that waited
	// Rehearsed are the tools whose calls were only rehearsed before it waited.
	Rehearsed []string `json:"rehearsed,omitempty"`
	// Example is one of them that was answered from an example of its definition.
	Example string `json:"example,omitempty"`
}

// PlanEnded says what the plan came to.
type PlanEnded struct {
	Step   int       `json:"step"`
	Call   string    `json:"call,omitempty"` // of a nested plan: the call that runs it
	Status string    `json:"status"`         // "ok", "error" (an exception), "limit" or "stopped"
	Output string    `json:"output,omitempty"`
	Label  DataLabel `json:"label"`           // of the output
	Error  string    `json:"error,omitempty"` // the traceback, or which limit
	Line   int       `json:"line,omitempty"`  // of the error
	Used   PlanUsage `json:"used"`
}

// PlanUsage is what a plan used of its limits.
type PlanUsage struct {
	Steps int64 `json:"steps"`
	Calls int   `json:"calls"`
}
