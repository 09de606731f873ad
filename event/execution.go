package event

import (
	"fmt"
	"strings"
)

// Status says how an execution of guest code ended. It is data, never a Go
// error. The zero value is invalid.
type Status uint8

// The statuses, closed.
const (
	OK          Status = iota + 1 // ran to its end
	Error                         // the code raised
	Timeout                       // a time limit (wall or CPU) ended it
	Memory                        // a memory limit ended it
	OutputLimit                   // an output limit ended it
	Killed                        // a process limit, or a signal, ended it
	Interrupted                   // the caller interrupted it
	Crashed                       // the interpreter or the sandbox ended by itself
)

var statusNames = [...]string{"", "ok", "error", "timeout", "memory", "output", "killed", "interrupted", "crashed"}

// String returns the status's name on the wire, such as "timeout".
func (s Status) String() string {
	if int(s) < len(statusNames) && s != 0 {
		return statusNames[s]
	}
	return fmt.Sprintf("status(%d)", uint8(s))
}

// MarshalText writes the name; of the zero value, nothing.
func (s Status) MarshalText() ([]byte, error) {
	if s == 0 {
		return nil, nil
	}
	return []byte(s.String()), nil
}

// UnmarshalText reads a name, or nothing, and refuses any other text.
func (s *Status) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*s = 0
		return nil
	}
	for i, n := range statusNames {
		if i > 0 && n == string(b) {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("cannot read status %q: not one of ok, error, timeout, memory, output, killed, interrupted, crashed", b)
}

// Limit names what an execution ran into. The zero value is none.
type Limit string

// The limits, closed.
const (
	WallTime     Limit = "wall_time"
	CPUTime      Limit = "cpu_time"
	MemoryUse    Limit = "memory"
	OutputSize   Limit = "output"
	ProcessCount Limit = "processes"
	DiskSpace    Limit = "disk"
	OpenFiles    Limit = "open_files"
)

// Valid reports whether l is one of the limits.
func (l Limit) Valid() bool {
	switch l {
	case WallTime, CPUTime, MemoryUse, OutputSize, ProcessCount, DiskSpace, OpenFiles:
		return true
	}
	return false
}

// Execution is what one piece of code did: how it ended, what it wrote and showed,
// and what it used.
type Execution struct {
	Status  Status `json:"status"`
	Message string `json:"message,omitempty"` // names the limit and its value, or what became of the state
	Limit   Limit  `json:"limit,omitempty"`   // the one that Message names
	Stdout  string `json:"stdout"`            // head + tail when it was longer than the bound
	Stderr  string `json:"stderr"`
	// How much the code wrote, in bytes, and whether Stdout and Stderr lack some of it.
	StdoutBytes     int64    `json:"stdout_bytes,omitempty"`
	StderrBytes     int64    `json:"stderr_bytes,omitempty"`
	StdoutTruncated bool     `json:"stdout_truncated,omitempty"`
	StderrTruncated bool     `json:"stderr_truncated,omitempty"`
	Result          Bundle   `json:"result,omitempty"`   // the value of the last expression; "text" is its repr
	Displays        []Bundle `json:"displays,omitempty"` // display() calls and captured figures, in order
	Error           *Raised  `json:"error,omitempty"`
	State           State    `json:"state"`
	// StateNote is the part of Message that says what became of the variables.
	StateNote string `json:"state_note,omitempty"`
	Usage     Usage  `json:"usage"`
	Session   string `json:"session,omitempty"`
	Snapshot  string `json:"snapshot,omitempty"` // of a named session, taken after the execution
	// OutputFile is the path inside the session where the whole output can be read when it was cut.
	OutputFile string `json:"output_file,omitempty"`
	// Variables are those that the code made, changed or deleted, when that was asked for, as
	// the interpreter lists them.
	Variables []Variable `json:"variables,omitempty"`
	// Changes are the files of the session's working folder that the code
	// created, changed or removed, sorted by path.
	Changes []Change `json:"changes,omitempty"`
	// Unlisted says why Changes is not, or not wholly, known.
	Unlisted string `json:"unlisted,omitempty"`
}

// Cause is the message without what became of the variables: why the code ended
// as it did.
func (x Execution) Cause() string {
	if x.StateNote == "" {
		return x.Message
	}
	head, tail, _ := strings.Cut(x.Message, x.StateNote)
	return strings.TrimSuffix(head, "; ") + tail
}

// Variable is what an execution did to one variable. The last of a long list says how many
// more there are.
type Variable struct {
	Change string `json:"change,omitempty"` // "new", "changed", "deleted"
	Name   string `json:"name,omitempty"`
	Type   string `json:"type,omitempty"`  // with its size, such as "list of 3" or "DataFrame 3×2"
	Value  string `json:"value,omitempty"` // in brief
	More   int    `json:"more,omitempty"`
}

// Change is what an execution did to one file.
type Change struct {
	Path   string `json:"path"` // in the session, absolute
	Kind   string `json:"kind"` // "created", "changed", "removed"
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256,omitempty"` // hexadecimal; empty for what was removed or is too large to be read
}

// Raised is an exception of the guest's code.
type Raised struct {
	Name      string `json:"name"`      // class, such as "ZeroDivisionError"
	Value     string `json:"value"`     // str() of it
	Traceback string `json:"traceback"` // the user's lines only
	// Hint says what is there in the place of what was missed, such as files, columns or
	// attributes, the nearest first. The interpreter made it, as all of this.
	Hint string `json:"hint,omitempty"`
}

// State says what became of the session's variables.
type State string

// The states.
const (
	Intact   State = "intact"   // variables are as the code left them
	Lost     State = "lost"     // the kernel was restarted: variables are gone, files are kept
	Restored State = "restored" // the session went back to its last snapshot
	Fresh    State = "fresh"    // the session was started anew: variables and files are gone
	Gone     State = "gone"     // the session is over
)

// Usage is what an execution used.
type Usage struct {
	WallMS          float64 `json:"wall_ms"`             // as the host measures it, or as the guest does where that is more
	WaitedMS        float64 `json:"waited_ms,omitempty"` // of the wall time, while queries and runs that the code began were under way
	CPUMS           float64 `json:"cpu_ms"`              // in steps of 10: the sandbox's kernel counts ticks, so that a short execution may have 0
	PeakMemoryBytes int64   `json:"peak_memory_bytes"`   // of the kernel's process, high-water mark
}
