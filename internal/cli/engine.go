package cli

import (
	"context"
	"io"
	"time"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/bench"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/image"
	"praxis/internal/llm"
	"praxis/internal/run"
	"praxis/internal/sandbox"
	"praxis/internal/session"
)

// engine is what the commands need of the machinery. engine_app.go has the real
// one; tests bring their own.
type engine interface {
	// open makes a fresh session, or opens the one that o names.
	open(ctx context.Context, o sessionOptions, sink event.Sink) (workspace, error)
	// model makes the model called "provider:name".
	model(name string) (llm.Model, error)
	host(ctx context.Context) (sandbox.Host, error)
	bench(ctx context.Context, img image.Image, suites []string, sink event.Sink) (bench.Report, error)
	named() namedSessions
	images() images
	records() *app.Records
	Close() error
}

// sessionOptions say what session a command wants.
type sessionOptions struct {
	name         string // "" is a fresh session that ends with the command
	with         []string
	requirements string
	limits       func(event.Limits) event.Limits // lays the command's own over others
	seed         *int64
	// again asks for a fresh session like one that was recorded, on another
	// image when image, with or requirements name one.
	again *event.SessionBegan
	image string
}

// workspace is one open session.
type workspace interface {
	describe() event.SessionBegan
	disk() int64 // bytes that the session may write
	execute(ctx context.Context, code string, x session.Exec, sink event.Sink) (event.Execution, error)
	interrupt(ctx context.Context) error
	restart(ctx context.Context) error
	complete(ctx context.Context, code string, cursor int) (completion, error)
	put(ctx context.Context, path string, r io.Reader) error
	// offer lets the session's code ask for tools and connections.
	offer(ctx context.Context, o wire.Offer, h guest.Host) error
	get(ctx context.Context, path string, w io.Writer) error
	list(ctx context.Context, dir string) ([]guestFile, error)
	// snapshot keeps the state beside the line of a named session.
	snapshot(ctx context.Context) (run.Saved, error)
	// save keeps a named session's state and returns the snapshot's id.
	save(ctx context.Context, label string) (string, error)
	Close() error
}

// guestFile is a file as the guest tells it. Nothing of it can be trusted.
type guestFile struct {
	path    string // absolute
	regular bool
	size    int64
	changed time.Time
}

// completion is what may stand in place of code[start:end], in characters.
type completion struct {
	start, end int
	matches    []string
}

// namedSessions is what session.Manager does for the session commands and gc.
type namedSessions interface {
	ListNamed(ctx context.Context) ([]session.NamedInfo, error)
	LogNamed(ctx context.Context, name string) ([]session.SnapshotInfo, error)
	ForkNamed(ctx context.Context, from, to string) error
	RenameNamed(ctx context.Context, from, to string) error
	RollbackNamed(ctx context.Context, name, snapshot string) (string, error)
	RemoveNamed(ctx context.Context, name string) error
	CollectSnapshots(ctx context.Context, c session.Collect) (session.Collected, error)
}

// images is what image.Store does for the image commands.
type images interface {
	Resolve(ctx context.Context, r image.Request, sink event.Sink) (image.Image, error)
	List(ctx context.Context) ([]image.Info, error)
	Remove(ctx context.Context, idOrName string) error
	Prune(ctx context.Context, olderThan time.Duration) ([]image.Info, error)
}
