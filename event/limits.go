package event

import (
	"reflect"
	"strings"
)

// Limits bound a whole session, from the flag of a command to the guest. Zero
// means the default of [DefaultLimits]; there is no "unlimited".
type Limits struct {
	Memory    int64   `json:"memory_bytes"` // of everything in the sandbox
	CPUs      float64 `json:"cpus"`         // cores, may be a fraction
	Processes int     `json:"processes"`    // processes and threads
	Disk      int64   `json:"disk_bytes"`   // in the writable layer
	OpenFiles int     `json:"open_files"`   // of one process
	// UserNamespaces is 1 when code may make user namespaces: it then has every
	// capability within the sandbox, and more of the sandbox's kernel to attack.
	UserNamespaces int `json:"user_namespaces,omitempty"`
}

// LimitSpec is what the configuration, flags, reports and comparisons know of one limit.
type LimitSpec struct {
	Name              string // in words, such as "open files"
	What              string // for help: "processes and threads of the session"
	Min, Default, Max float64
	Bytes             bool // the value counts bytes
	Whole             bool // the value has no fraction
	Saved             bool // a part of a snapshot: a restore cannot change it
	field             func(*Limits) reflect.Value
}

// LimitTable returns all limits in the order in which they are shown: a line for
// each field of [Limits]. Min and Max are what a person may ask for; a backend may
// refuse more.
func LimitTable() []LimitSpec {
	return []LimitSpec{
		{"memory", "memory of the session", 64 << 20, 1 << 30, 1 << 40, true, true, false, fieldOf(func(l *Limits) *int64 { return &l.Memory })},
		{"cpus", "processors of the session, may be a fraction", 0.1, 1, 256, false, false, false, fieldOf(func(l *Limits) *float64 { return &l.CPUs })},
		{"processes", "processes and threads of the session", 8, 256, 32768, false, true, false, fieldOf(func(l *Limits) *int { return &l.Processes })},
		{"disk", "what the session may write", 1 << 20, 1 << 30, 1 << 40, true, true, true, fieldOf(func(l *Limits) *int64 { return &l.Disk })},
		{"open files", "files that a process of the session may have open", 64, 1024, 1 << 20, false, true, true, fieldOf(func(l *Limits) *int { return &l.OpenFiles })},
		{"user namespaces", "1 to let code make user namespaces, with every capability in them", 0, 0, 1, false, true, true, fieldOf(func(l *Limits) *int { return &l.UserNamespaces })},
	}
}

func fieldOf[T any](field func(*Limits) *T) func(*Limits) reflect.Value {
	return func(l *Limits) reflect.Value { return reflect.ValueOf(field(l)).Elem() }
}

// Key is the limit's name in the configuration, such as "open_files".
func (s LimitSpec) Key() string { return strings.ReplaceAll(s.Name, " ", "_") }

// Flag is the limit's name on a command line, such as "open-files".
func (s LimitSpec) Flag() string { return strings.ReplaceAll(s.Name, " ", "-") }

// Of returns the limit's value in l.
func (s LimitSpec) Of(l Limits) float64 {
	v := s.field(&l)
	if v.CanFloat() {
		return v.Float()
	}
	return float64(v.Int())
}

// Set changes the limit in l.
func (s LimitSpec) Set(l *Limits, value float64) {
	if v := s.field(l); v.CanFloat() {
		v.SetFloat(value)
	} else {
		v.SetInt(int64(value))
	}
}

// DefaultLimits are what a session gets when its maker says nothing.
func DefaultLimits() Limits {
	var l Limits
	for _, s := range LimitTable() {
		s.Set(&l, s.Default)
	}
	return l
}

// WithDefaults returns l with every zero replaced by its default.
func (l Limits) WithDefaults() Limits { return l.Over(DefaultLimits()) }

// Over returns l with every zero replaced by what base says.
func (l Limits) Over(base Limits) Limits { return over(l, base) }

// Excess is a limit that is more than it may be.
type Excess struct {
	Limit    LimitSpec
	Is, Most float64
}

// Exceeds returns the first limit of l that is more than most allows. A zero of
// l counts as its default, and a zero of most allows nothing beyond the default.
func (l Limits) Exceeds(most Limits) (Excess, bool) {
	l, most = l.WithDefaults(), most.WithDefaults()
	for _, s := range LimitTable() {
		if s.Of(l) > s.Of(most) {
			return Excess{s, s.Of(l), s.Of(most)}, true
		}
	}
	return Excess{}, false
}

// Bounds are those of one execution. A zero CPU means no bound of its own.
type Bounds struct {
	Timeout     Duration `json:"timeout_ms"`       // wall time
	CPU         Duration `json:"cpu_ms,omitempty"` // processor time
	OutputBytes int64    `json:"output_bytes"`     // of both streams together, kept in the result
	// Whole says that all output goes to the sink, and none of it ends the code:
	// OutputBytes bounds the result alone. The code waits for a slow sink.
	Whole bool `json:"whole,omitempty"`
	// Columns is the width that values and tables are printed for, from MinColumns to
	// MaxColumns; 0: the language's own. It is recorded, so that a replay prints the same.
	Columns int `json:"columns,omitempty"`
	// ReadOnly says that code in a language that knows the difference, such as SQL, may
	// read what is there and change nothing.
	ReadOnly bool `json:"read_only,omitempty"`
}

// The range of Bounds.Columns.
const (
	MinColumns = 20
	MaxColumns = 1000
)

// Over returns b with every zero replaced by what base says.
func (b Bounds) Over(base Bounds) Bounds { return over(b, base) }

// over replaces the zero fields of a struct by those of another. It walks over
// the fields, so that one that is added cannot be forgotten.
func over[T any](v, base T) T {
	to, from := reflect.ValueOf(&v).Elem(), reflect.ValueOf(base)
	for i := range to.NumField() {
		if to.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return v
}
