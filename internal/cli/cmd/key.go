package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"praxis/internal/app"
	"praxis/internal/cli/format"
)

const keyLong = `Every run's journal is signed with an Ed25519 key. It is made on first use and
lies in the data folder (keys/journal.pem), or is the file that journal.key in
the configuration names. A run that somebody else signed verifies only when you
trust his key.`

func (p *program) keyCommand() *cobra.Command {
	c := group("key", "Keys that sign the record of runs", p.keyList(), p.keyShow(), p.keyRotate(), p.keyTrust(), p.keyDistrust())
	c.Long = keyLong
	return c
}

func (p *program) keyList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "ls", Short: "List the keys that are trusted here", Args: takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			return p.withApp(func(a *app.App) error {
				keys, err := a.Keys()
				if err != nil {
					return err
				}
				return p.listKeys(keys, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func (p *program) listKeys(keys []app.Key, asJSON bool) error {
	t := format.Headed("ID", "PUBLIC KEY", "")
	for _, k := range keys {
		if asJSON {
			if err := p.printJSON(k); err != nil {
				return err
			}
			continue
		}
		note := ""
		if k.Current {
			note = "signs now"
		}
		t.Add(k.ID, k.Public, note)
	}
	switch {
	case asJSON:
		return nil
	case len(keys) == 0:
		return p.emit("There is no key yet. The first run makes one.\n")
	}
	return p.emit(format.Fitted(t, p.columns()))
}

func (p *program) keyShow() *cobra.Command {
	var asJSON bool
	return oneObject(&cobra.Command{
		Use: "show [ID]", Short: "Print a public key in PEM, to be trusted elsewhere", Args: takes(0, 1, ""),
		Long: "Prints the public key that signs now, or the one with this ID, in PEM. Give it\n" +
			"to who is to check your runs: praxis verify FILE --key KEY, or praxis key trust.",
		RunE: func(_ *cobra.Command, args []string) error {
			return p.withApp(func(a *app.App) error {
				ref := ""
				if len(args) > 0 {
					ref = args[0]
				}
				text, err := a.PublicKey(ref)
				if err != nil {
					return err
				}
				return p.document(asJSON, text)
			})
		},
	}, &asJSON)
}

func (p *program) keyRotate() *cobra.Command {
	var asJSON bool
	return oneObject(&cobra.Command{
		Use: "rotate", Short: "Make a new key, which the old one vouches for", Args: takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			return p.withApp(func(a *app.App) error {
				k, err := a.RotateKey()
				if err != nil {
					return err
				}
				return p.done(asJSON, k, fmt.Sprintf("%s signs from now on; runs that the old key signed stay good\n", k.ID))
			})
		},
	}, &asJSON)
}

func (p *program) keyTrust() *cobra.Command {
	var asJSON bool
	return oneObject(&cobra.Command{
		Use: "trust FILE", Short: "Trust a public key that signed somebody else's runs", Args: takes(1, 1, "a file"),
		Long: "Trusts the public key in FILE (PEM, as praxis key show prints it). Trust it only\nwhen you know whose it is: compare its id over another way.",
		RunE: func(_ *cobra.Command, args []string) error {
			return p.withApp(func(a *app.App) error {
				k, err := a.TrustKey(args[0])
				if err != nil {
					return err
				}
				return p.done(asJSON, k, "trusts "+k.ID+"\n")
			})
		},
	}, &asJSON)
}

func (p *program) keyDistrust() *cobra.Command {
	var asJSON bool
	return oneObject(&cobra.Command{
		Use: "distrust ID", Short: "No longer trust a key", Args: takes(1, 1, "an id"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.withApp(func(a *app.App) error {
				if err := a.DistrustKey(args[0]); err != nil {
					return err
				}
				return p.done(asJSON, removed{args[0]}, "trusts "+args[0]+" no longer\n")
			})
		},
	}, &asJSON)
}
