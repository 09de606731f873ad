package cmd

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/server"
	"praxis/internal/server/vault"
)

const serveSecretLong = `Keeps secrets of tenants, such as keys of providers of models, encrypted under a key
of the server (server/secrets.key below the data folder; keep it apart from copies).
The runs of a tenant read its secrets as variables of the environment, before those
of the server: ANTHROPIC_API_KEY, or what --credential names. No client can read one.
A server knows them when it next starts.`

// before returns a reader of variables that looks among environ, NAME=text, first.
func before(environ []string, getenv func(string) string) func(string) string {
	own := map[string]string{}
	for _, v := range environ {
		name, text, _ := strings.Cut(v, "=")
		own[name] = text
	}
	return func(name string) string {
		if text, there := own[name]; there {
			return text
		}
		return getenv(name)
	}
}

// secretNamed is a secret as JSON: its text is not in it.
type secretNamed struct {
	Tenant string `json:"tenant"`
	Name   string `json:"name"`
}

// serveVault opens the secrets of the server over the person's data folder.
func (p *program) serveVault() (*vault.Vault, error) {
	cfg, err := p.config()
	if err != nil {
		return nil, err
	}
	return vault.Open(filepath.Join(cfg.Home, server.Folder))
}

func (p *program) serveSecret() *cobra.Command {
	c := group("secret", "Secrets of tenants, encrypted", p.serveSecretSet(), p.serveSecretList(), p.serveSecretRemove(), p.serveSecretRotate())
	c.Long = serveSecretLong
	return c
}

func (p *program) serveSecretSet() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "set TENANT NAME", Short: "Store a secret, which is read from standard input", Long: serveSecretLong, Args: takes(2, 2, "a tenant and a name"),
		Example: "  praxis serve secret set team-a ANTHROPIC_API_KEY <key.txt",
		RunE: func(_ *cobra.Command, args []string) error {
			data, err := io.ReadAll(io.LimitReader(p.stdin, 1<<20))
			if err != nil {
				return err
			}
			text := strings.TrimRight(string(data), "\r\n")
			if text == "" {
				return fault.New(fault.Invalid, "Give it on standard input.", "cannot store the secret: it is empty")
			}
			v, err := p.serveVault()
			if err != nil {
				return err
			}
			if err := v.Set(args[0], args[1], text); err != nil || !asJSON {
				return err
			}
			return p.printJSON(secretNamed{args[0], args[1]})
		},
	}
	return oneObject(cmd, &asJSON)
}

func (p *program) serveSecretList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "ls TENANT", Short: "List the names of a tenant's secrets", Args: takes(1, 1, "a tenant"),
		RunE: func(_ *cobra.Command, args []string) error {
			v, err := p.serveVault()
			if err != nil {
				return err
			}
			names, err := v.Names(args[0])
			if err != nil {
				return err
			}
			for _, name := range names {
				if asJSON {
					err = p.printJSON(secretNamed{args[0], name})
				} else {
					err = p.emit(name + "\n")
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	return objectLines(cmd, &asJSON)
}

func (p *program) serveSecretRemove() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "rm TENANT NAME", Short: "Remove a secret", Args: takes(2, 2, "a tenant and a name"),
		RunE: func(_ *cobra.Command, args []string) error {
			v, err := p.serveVault()
			if err != nil {
				return err
			}
			if err := v.Set(args[0], args[1], ""); err != nil || !asJSON {
				return err
			}
			return p.printJSON(secretNamed{args[0], args[1]})
		},
	}
	return oneObject(cmd, &asJSON)
}

func (p *program) serveSecretRotate() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "rotate", Short: "Encrypt all secrets anew, under a new key", Args: takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			v, err := p.serveVault()
			if err != nil {
				return err
			}
			if err := v.Rotate(); err != nil || !asJSON {
				return err
			}
			return p.printJSON(secretsRotated{true})
		},
	}
	return oneObject(cmd, &asJSON)
}

// secretsRotated says that all secrets are encrypted under a new key.
type secretsRotated struct {
	Rotated bool `json:"rotated"`
}
