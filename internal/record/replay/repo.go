package replay

import (
	"context"

	"praxis/internal/run"
)

// project is the project that a run worked on, or nil: as its inputs hold it, and with sessions
// for its tests like the run's own.
func (c Config) project(rec Recording, inputs []run.Input) (*run.Project, error) {
	if rec.Began.Repo == nil {
		return nil, nil
	}
	p, err := run.LoadProject(inputs)
	if err != nil {
		return nil, err
	}
	p.Fresh = func(ctx context.Context) (run.Session, func() error, error) {
		want := *rec.Session
		want.Name, want.Snapshot = "", ""
		s, err := c.Open(ctx, want)
		return s, s.Close, err
	}
	return p, nil
}

// projectAgain is project of a run that goes on from a state, which has the inputs already.
func (c Config) projectAgain(ctx context.Context, rec Recording) (*run.Project, error) {
	if rec.Began.Repo == nil {
		return nil, nil
	}
	inputs, err := c.inputs(ctx, rec)
	if err != nil {
		return nil, err
	}
	return c.project(rec, inputs)
}
