package praxis

import (
	"context"
	"io"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/client"
)

// Server says which server does the work of a [Client].
type Server struct {
	URL string // such as "https://praxis.example:7411"
	Key string // of the server: its scopes say what the client may do
	// CA is the path of a file with certificates, PEM, of those who may vouch for the
	// server; "": those that the machine trusts.
	CA string
}

// Connect returns a client whose work a server does, which "praxis serve" runs: sessions,
// code, questions, plans and replays are made there, and recorded there. Nothing is asked
// yet.
//
// Files that a request names are sent along, together at most 20 MiB, and what code makes is
// fetched into OutDir; larger files go into a session by [Session.WriteFile]. A connection
// that is lost while something goes on is taken up again, and misses no event; when the
// context ends, the server interrupts the work. A session without a name ends when it is
// closed, or after a day; one with a name stays at the server as it is.
//
// Tools, policy and hosts are those that the server's operator named: a request that names
// others is refused.
func Connect(s Server) (*Client, error) {
	c, err := client.New(client.Config{URL: s.URL, Key: s.Key, CA: s.CA})
	if err != nil {
		return nil, err
	}
	return &Client{does: c, close: c.Close}, nil
}

// does returns what does the work of a client, if it can.
func does[T any](c *Client) (T, error) {
	w, ok := c.does.(T)
	if !ok {
		return w, fault.New(fault.Invalid, "Open the data folder where the work is to be done.", "cannot ask a server for this: it is for the machine that it runs on")
	}
	return w, nil
}

// What the application on this machine and the client of a server both do.
type (
	coder interface {
		RunCode(ctx context.Context, q app.CodeRequest, sink event.Sink) (app.CodeResult, error)
	}
	asker interface {
		Ask(ctx context.Context, q app.AskRequest, sink event.Sink) (app.AskResult, error)
		Fix(ctx context.Context, q app.FixRequest, sink event.Sink) (app.AskResult, error)
		ResumeAsk(ctx context.Context, q app.AskResume, sink event.Sink) (app.AskResult, error)
	}
	planner interface {
		RunPlan(ctx context.Context, q app.PlanRequest, sink event.Sink) (app.PlanResult, error)
		ResumePlan(ctx context.Context, q app.ResumeRequest, sink event.Sink) (app.PlanResult, error)
	}
	skiller interface {
		Skills(ctx context.Context, where string) ([]app.Skill, error)
		AddSkills(ctx context.Context, q app.SkillAdd, sink event.Sink) ([]app.SkillChange, error)
		RemoveSkill(ctx context.Context, name string, project bool) error
		ExportSkills(ctx context.Context, q app.SkillsExport) (string, error)
		ImportSkills(ctx context.Context, path string, project bool) ([]app.SkillChange, error)
	}
	repeater interface {
		Repeat(ctx context.Context, ref string, sink event.Sink) (app.Repeated, error)
	}
	executor interface {
		LanguageName(word string) (string, error)
		Execute(ctx context.Context, language, code string, b event.Bounds, sink event.Sink) (event.Execution, error)
		Interrupt(ctx context.Context, language string) error
		AddPackages(ctx context.Context, packages []string, sink event.Sink) (app.AddedPackages, error)
	}
	filer interface {
		WriteFile(ctx context.Context, name string, from io.Reader) error
		ReadFile(ctx context.Context, name string, to io.Writer) error
		WorkFiles(ctx context.Context) ([]app.File, error)
	}
	saver interface {
		Save(ctx context.Context, label string) (string, error)
		Rollback(ctx context.Context, snapshot string) error
		Close() error
	}
)

var (
	_, _ coder    = (*app.App)(nil), (*client.Client)(nil)
	_, _ asker    = (*app.App)(nil), (*client.Client)(nil)
	_, _ planner  = (*app.App)(nil), (*client.Client)(nil)
	_, _ repeater = (*app.App)(nil), (*client.Client)(nil)
)

// here is a session of this machine, there one of a server.
func here(s *app.Session) *Session {
	return &Session{run: s, files: s, state: s,
		snapshot: func(ctx context.Context) (string, error) {
			snapshot, err := s.Snapshot(ctx)
			return snapshot.ID, err
		},
		fork: func(ctx context.Context) (*Session, error) {
			other, err := s.Fork(ctx)
			if err != nil {
				return nil, err
			}
			return here(other), nil
		},
	}
}

func there(s *client.Session) *Session {
	return &Session{run: s, files: s, state: s,
		snapshot: func(ctx context.Context) (string, error) { return s.Save(ctx, "") },
		fork: func(ctx context.Context) (*Session, error) {
			other, err := s.Fork(ctx)
			if err != nil {
				return nil, err
			}
			return there(other), nil
		},
	}
}
