package cmd

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
	"praxis/internal/server"
	"praxis/internal/server/access"
)

const serveQuotaLong = `Says how much of the server a tenant may use. A running server knows it at once.

  sessions=8            sessions that have a sandbox; idle ones are paused for others
  memory=16GiB          memory that those may have together
  disk=100GiB           of the tenant's data folder; known when the server starts
  requests=50           requests a second
  cpu-day=36000         seconds of processors that code uses in a day (UTC)
  egress-day=10GiB      bytes to and from other hosts
  tokens-day=5000000    tokens of models
  usd-day=20            US dollars for models whose price is known

cpu, egress, tokens and usd are there for -month, too. A tenant keeps to the least of
what "praxis serve --quota" gives to all and its own, a key to its own beside that
("praxis serve key add --quota"). GET /v1/usage says what was used.`

// quotaOf reads a quota.
func quotaOf(texts []string) (q access.Quota, err error) {
	for _, text := range texts {
		if err := q.Set(text, app.ParseQuota); err != nil {
			return q, err
		}
	}
	return q, nil
}

// tenantQuota is a line of the list of quotas as JSON.
type tenantQuota struct {
	Tenant string       `json:"tenant"`
	Quota  access.Quota `json:"quota"`
}

// serveTenants opens the quotas of the server over the person's data folder.
func (p *program) serveTenants() (*access.Tenants, error) {
	cfg, err := p.config()
	if err != nil {
		return nil, err
	}
	return access.OpenTenants(filepath.Join(cfg.Home, server.Folder))
}

func (p *program) serveQuota() *cobra.Command {
	c := group("quota", "How much of the server tenants may use", p.serveQuotaSet(), p.serveQuotaList(), p.serveQuotaRemove())
	c.Long = serveQuotaLong
	return c
}

func (p *program) serveQuotaSet() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "set TENANT NAME=NUMBER...", Short: "Set what a tenant may use; what is not named is not bounded", Long: serveQuotaLong, Args: takes(2, -1, "a tenant and a quota"),
		Example: "  praxis serve quota set team-a sessions=8 tokens-day=5000000 usd-month=200",
		RunE: func(_ *cobra.Command, args []string) error {
			q, err := quotaOf(args[1:])
			if err != nil {
				return err
			}
			t, err := p.serveTenants()
			if err != nil {
				return err
			}
			if err := t.Put(args[0], q); err != nil || !asJSON {
				return err
			}
			return p.printJSON(tenantQuota{args[0], q})
		},
	}
	return oneObject(cmd, &asJSON)
}

func (p *program) serveQuotaList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "ls", Short: "List the tenants that have a quota of their own", Args: takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			t, err := p.serveTenants()
			if err != nil {
				return err
			}
			all, err := t.All()
			if err != nil {
				return err
			}
			table := format.Headed("TENANT", "QUOTA")
			for _, name := range slices.Sorted(maps.Keys(all)) {
				if asJSON {
					if err := p.printJSON(tenantQuota{name, all[name]}); err != nil {
						return err
					}
					continue
				}
				table.Add(name, all[name].String())
			}
			switch {
			case asJSON:
				return nil
			case len(all) == 0:
				return p.emit("No tenant has a quota of its own.\n")
			}
			return p.emit(format.Fitted(table, p.columns()))
		},
	}
	return objectLines(cmd, &asJSON)
}

func (p *program) serveQuotaRemove() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "rm TENANT", Short: "Take the quota of a tenant away", Args: takes(1, 1, "a tenant"),
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := p.serveTenants()
			if err != nil {
				return err
			}
			if err := t.Put(args[0], access.Quota{}); err != nil || !asJSON {
				return err
			}
			return p.printJSON(removed{args[0]})
		},
	}
	return oneObject(cmd, &asJSON)
}
