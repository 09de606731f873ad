// Package sandbox is the contract of what keeps guest code apart from the host.
//
// A [Backend] makes sandboxes; a [Sandbox] is one running guest whose first
// process speaks frames (package praxis/internal/guest/wire) over its standard
// input and output. The guest is hostile, and so is every byte that it sends.
// The exam that every backend must pass is package sandboxtest.
package sandbox

import (
	"cmp"
	"context"
	"io"
	"strings"
	"time"

	"praxis/event"
)

// Backend makes sandboxes. Its methods are safe for concurrent use.
type Backend interface {
	// Start boots a guest from its image.
	Start(ctx context.Context, spec Spec) (Sandbox, error)
	// Restore makes a guest from a checkpoint that Checkpoint wrote, in the folder that
	// from returns: it is asked once, while the sandbox is being made, and may take its
	// time. spec must have the same contents and the same targets of mounts as the
	// checkpoint's; a checkpoint that is damaged ([Damaged] is in the chain) or does not
	// fit is a fault.Conflict and leaves nothing behind.
	Restore(ctx context.Context, spec Spec, from From) (Sandbox, error)
	// Host says what boundary and limits this host gives.
	Host(ctx context.Context) (Host, error)
	// Sweep removes what owners that no longer live left behind and returns how many sandboxes that were.
	Sweep(ctx context.Context) (int, error)
	// Close ends every sandbox that the backend still runs and waits for them.
	Close() error
}

// From returns the folder of a checkpoint.
type From func(ctx context.Context) (dir string, err error)

// Folder returns a From of a checkpoint that is there.
func Folder(dir string) From {
	return func(context.Context) (string, error) { return dir, nil }
}

// Damaged says of an error of Restore that the checkpoint is not what was written.
type Damaged struct{ Err error }

// Error returns the text of Err.
func (d Damaged) Error() string { return d.Err.Error() }

// Unwrap returns Err.
func (d Damaged) Unwrap() error { return d.Err }

// Sandbox is one running guest.
type Sandbox interface {
	// Stream returns the guest's standard input (Write) and output (Read).
	// It is one stream for the sandbox's life. Closing it ends the guest's input.
	Stream() io.ReadWriteCloser
	// Checkpoint writes the guest's whole state into the new folder dir and
	// lets the original go on. dir appears whole or not at all; whoever wants it
	// to outlive a power cut syncs its files. It returns how long the original
	// stood still.
	Checkpoint(ctx context.Context, dir string) (time.Duration, error)
	// Usage measures the whole sandbox from outside.
	Usage(ctx context.Context) (Usage, error)
	// Wait blocks until the guest is over and returns why. Every caller gets the same answer.
	Wait() Exit
	// Close kills what runs and removes processes, mounts, folders and cgroups. It may be called twice.
	Close() error
}

// Spec describes a guest.
type Spec struct {
	ID     string  // unique on this host: letters, digits, '-', '_', at most 64
	Root   string  // the image's root file system, a folder; never written to
	Mounts []Mount // read-only host folders and files laid over Root, in order
	// Contents names what Root and Mounts hold: a checkpoint can be restored with any
	// folders of the same contents. "": their paths stand for them.
	Contents string
	Args     []string
	Env      []string
	Hostname string
	Limits   event.Limits
	// Seeded makes a guest whose programs get what follows from a seed in the place of
	// the system's randomness. The seed comes from the guest's first process.
	Seeded bool `json:",omitempty"`
}

// Files names the files that the guest sees, for a comparison: Contents, or the paths,
// and where the mounts are.
func (s Spec) Files() string {
	var b strings.Builder
	b.WriteString(cmp.Or(s.Contents, s.Root))
	for _, m := range s.Mounts {
		b.WriteString(" " + m.Target)
		if s.Contents == "" {
			b.WriteString("=" + m.Source)
		}
	}
	return b.String()
}

// Mount is a read-only view of a host folder or file.
type Mount struct {
	Source string // on the host, absolute, no symbolic link
	Target string // in the guest, absolute
}

// Usage is a measurement of a whole sandbox.
type Usage struct {
	Memory     int64         // bytes now, guest memory and the sandbox's own
	PeakMemory int64         // bytes, high-water mark
	CPU        time.Duration // user and system, all processes
	Processes  int
	// Overrun says that the host ended a process of it because memory was used up: the
	// whole sandbox is over, or about to be.
	Overrun bool
}

// Exit is why a guest is over.
type Exit struct {
	Status  event.Status // OK: it ended by itself with 0; Memory, Killed, Crashed otherwise
	Code    int          // exit code of the first process, -1 when unknown
	Message string       // one line that names the limit and its value where one was hit
}

// Host is what a host gives: the answer of "praxis doctor".
type Host struct {
	Backend  string        `json:"backend"`  // "gvisor"
	Boundary string        `json:"boundary"` // what stands between guest and host, in one honest sentence
	Platform string        `json:"platform"` // "systrap"
	Root     bool          `json:"root"`     // whether we run as root
	Limits   []Enforcement `json:"limits"`
	Findings []Finding     `json:"findings"` // shortcomings, the gravest first
}

// Enforcement says what keeps one limit on this host.
type Enforcement struct {
	Limit string `json:"limit"` // "memory", "cpus", "processes", "disk", "open_files", "wall", "output"
	By    string `json:"by"`    // "cgroup v2", "cgroup v1", "watcher", "sentry", "affinity", "guest agent"
	Note  string `json:"note,omitempty"`
}

// Finding is one shortcoming of the host and what to do about it.
type Finding struct {
	Fatal  bool   `json:"fatal"` // sandboxes cannot run
	What   string `json:"what"`
	Remedy string `json:"remedy"`
}
