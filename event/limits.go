package event

import "reflect"

// Limits bound a whole session, from the flag of a command to the guest. Zero
// means the default of [DefaultLimits]; there is no "unlimited".
type Limits struct {
	Memory    int64   `json:"memory_bytes"` // of everything in the sandbox
	CPUs      float64 `json:"cpus"`         // cores, may be a fraction
	Processes int     `json:"processes"`    // processes and threads
	Disk      int64   `json:"disk_bytes"`   // in the writable layer
	OpenFiles int     `json:"open_files"`   // of one process
}

// DefaultLimits are what a session gets when its maker says nothing.
func DefaultLimits() Limits {
	return Limits{Memory: 1 << 30, CPUs: 1, Processes: 256, Disk: 1 << 30, OpenFiles: 1024}
}

// WithDefaults returns l with every zero replaced by its default.
func (l Limits) WithDefaults() Limits { return l.Over(DefaultLimits()) }

// Over returns l with every zero replaced by what base says.
func (l Limits) Over(base Limits) Limits { return over(l, base) }

// Excess is a limit that is more than it may be.
type Excess struct {
	Limit    string // as the configuration names it, in words: "memory", "open files"
	Is, Most float64
	InBytes  bool // Is and Most are bytes
}

// Exceeds returns the first limit of l that is more than most allows. A zero of
// l counts as its default, and a zero of most allows nothing beyond the default.
func (l Limits) Exceeds(most Limits) (Excess, bool) {
	l, most = l.WithDefaults(), most.WithDefaults()
	for _, x := range []Excess{
		{"memory", float64(l.Memory), float64(most.Memory), true},
		{"disk", float64(l.Disk), float64(most.Disk), true},
		{"cpus", l.CPUs, most.CPUs, false},
		{"processes", float64(l.Processes), float64(most.Processes), false},
		{"open files", float64(l.OpenFiles), float64(most.OpenFiles), false},
	} {
		if x.Is > x.Most {
			return x, true
		}
	}
	return Excess{}, false
}

// Bounds are those of one execution. A zero CPU means no bound of its own.
type Bounds struct {
	Timeout     Duration `json:"timeout_ms"`       // wall time
	CPU         Duration `json:"cpu_ms,omitempty"` // processor time
	OutputBytes int64    `json:"output_bytes"`     // of both streams together, shown
}

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
