package cmd

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/cli/format"
	"praxis/internal/safetext"
	"praxis/internal/server"
	"praxis/internal/server/audit"
)

const serveAuditLong = `Shows who asked the server for more than to read, and who was refused, the newest
first: each operation before it was done ("begun") and after it. --verify checks that
no line was changed or taken out since.`

// auditChecked is what --verify prints as JSON.
type auditChecked struct {
	Entries int64  `json:"entries"`
	Broken  string `json:"broken,omitempty"`
}

func (p *program) serveAudit() *cobra.Command {
	var asJSON, verify bool
	q := audit.Query{Limit: 50}
	cmd := &cobra.Command{
		Use: "audit", Short: "Show who did what on the server, and who was refused", Long: serveAuditLong, Args: takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := p.config()
			if err != nil {
				return err
			}
			if verify {
				return p.checkAudit(server.Audit(cfg.Home), asJSON)
			}
			if q.Limit < 1 {
				return usage("praxis serve audit", "--limit must be at least 1")
			}
			list, err := audit.List(server.Audit(cfg.Home), q)
			if err != nil {
				return err
			}
			t := format.Headed("TIME", "TENANT", "KEY", "OPERATION", "OBJECT", "STATUS")
			for _, e := range list {
				if asJSON {
					if err := p.printJSON(e); err != nil {
						return err
					}
					continue
				}
				status := string(e.Status)
				if e.Fault != "" && e.Fault != status {
					status += " (" + e.Fault + ")"
				}
				t.Add(e.Time.Local().Format(time.DateTime), e.Tenant, e.Key, e.Operation, safetext.Line(e.Object), status)
			}
			switch {
			case asJSON:
				return nil
			case len(list) == 0:
				return p.emit("Nothing is recorded yet.\n")
			}
			return p.emit(format.Fitted(t, p.columns()))
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.Tenant, "tenant", "", "that of one `TENANT` alone")
	fs.IntVar(&q.Limit, "limit", q.Limit, "how many entries")
	fs.BoolVar(&verify, "verify", false, "check the chain of all entries")
	return objectLines(cmd, &asJSON)
}

func (p *program) checkAudit(dir string, asJSON bool) error {
	n, broken, err := audit.Check(dir)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s entries, none changed or taken out.\n", safetext.Number(int(n)))
	if broken != "" {
		text = ""
	}
	if asJSON || broken == "" {
		if err := p.done(asJSON, auditChecked{n, broken}, text); err != nil {
			return err
		}
	}
	if broken != "" {
		return fault.New(fault.Conflict, "Compare the files in "+dir+" with a copy.", "the audit log is not whole: %s", broken)
	}
	return nil
}
