package cli

import (
	"praxis/internal/app"
	"praxis/internal/config"
)

// openRecords opens what is kept of runs.
func (p *program) openRecords(c config.Config) (*app.Records, error) {
	return app.OpenRecords(c, p.environ, p.version)
}

// withRecords opens the records for f and closes them. No sandbox is needed,
// and nothing is written unless f does.
func (p *program) withRecords(f func(*app.Records) error) (err error) {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	r, err := p.openRecords(cfg)
	if err != nil {
		return err
	}
	defer p.closing(r, &err)
	return f(r)
}
