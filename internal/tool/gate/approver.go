package gate

import (
	"context"

	"praxis/event"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// Scope says which calls an answer covers.
type Scope string

// The scopes.
const (
	Once  Scope = event.ScopeOnce  // this call alone
	Exact Scope = event.ScopeExact // this tool with these arguments and labels, in this run
	Whole Scope = event.ScopeRun   // this tool in this run, whatever the arguments
)

// By says who decided.
const (
	ByPerson  = "person"
	ByProgram = "program" // a webhook or a command
	ByPolicy  = "policy"
	ByTimeout = "timeout"
	ByNobody  = "nobody" // the approver failed, or gave no answer that can be used
)

// Question is an approval request: a call that somebody has to agree to.
type Question struct {
	Run       string
	ID        string // of the call, unique in its run
	Tool      *tool.Definition
	Origin    Origin
	Line      int                        // in the plan or in the code; 0: unknown
	Arguments *jsondoc.Object            // without secrets
	Labels    map[string]event.DataLabel // where each argument came from
	// Found quotes, for arguments, the texts of this run in which their values stand:
	// results of calls, the code, the plan.
	Found map[string][]Found
	// New has the texts in arguments that were not among those of calls of this tool
	// that were approved lately. The approver fills it in.
	New    map[string][]string
	Rule   string // of the policy that requires the approval
	Reason string
	// Rehearsed says that nothing implements the tool: a call that is granted is
	// answered from examples or replies, and does nothing.
	Rehearsed bool
	// Bound is the SHA-256, hexadecimal, of all that an answer is bound to: the
	// tool's definition, the arguments and their labels.
	Bound string
	// Granted says whether an answer that was given meanwhile, to another
	// question, covers this one, too. It may be nil.
	Granted func() (Answer, bool)
}

// Found is a place where a value stands.
type Found struct {
	Text  string `json:"text"` // which one: "what mail.read returned (call tool-1)"
	Quote string `json:"quote"`
}

// Answer is the decision about a question.
type Answer struct {
	Granted bool
	Scope   Scope
	By      string // ByPerson and so on
	Who     string // the person or the program, "" when it is not known
	Reason  string
}

// Approver answers questions, for example by showing them to a person. It is safe
// for concurrent use. An error says that there is no answer, which denies the call;
// [ErrLater] says that the answer comes later.
type Approver interface {
	Approve(ctx context.Context, q Question) (Answer, error)
}
