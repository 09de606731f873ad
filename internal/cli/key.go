package cli

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/record/journal"
	"praxis/internal/safetext"
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
			return p.withRecords(func(r *app.Records) error {
				keys, err := r.Journal.Keys()
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

func (p *program) listKeys(keys []journal.Key, asJSON bool) error {
	t := headed("ID", "PUBLIC KEY", "")
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
		t.add(k.ID, k.Public, note)
	}
	switch {
	case asJSON:
		return nil
	case len(keys) == 0:
		return p.emit("There is no key yet. The first run makes one.\n")
	}
	return p.emit(t.String())
}

func (p *program) keyShow() *cobra.Command {
	return &cobra.Command{
		Use: "show [ID]", Short: "Print a public key in PEM, to be trusted elsewhere", Args: takes(0, 1, ""),
		Long: "Prints the public key that signs now, or the one with this ID, in PEM. Give it\n" +
			"to who is to check your runs: praxis verify FILE --key KEY, or praxis key trust.",
		RunE: func(_ *cobra.Command, args []string) error {
			return p.withRecords(func(r *app.Records) error {
				keys, err := r.Journal.Keys()
				if err != nil {
					return err
				}
				k, err := pickKey(keys, args)
				if err != nil {
					return err
				}
				text, err := publicPEM(k)
				if err != nil {
					return err
				}
				return p.emit(text)
			})
		},
	}
}

func (p *program) keyRotate() *cobra.Command {
	return &cobra.Command{
		Use: "rotate", Short: "Make a new key, which the old one vouches for", Args: takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			return p.withRecords(func(r *app.Records) error {
				k, err := r.Journal.Rotate()
				if err != nil {
					return err
				}
				return p.emit(fmt.Sprintf("%s signs from now on; runs that the old key signed stay good\n", k.ID))
			})
		},
	}
}

func (p *program) keyTrust() *cobra.Command {
	return &cobra.Command{
		Use: "trust FILE", Short: "Trust a public key that signed somebody else's runs", Args: takes(1, 1, "a file"),
		Long: "Trusts the public key in FILE (PEM, as praxis key show prints it). Trust it only\nwhen you know whose it is: compare its id over another way.",
		RunE: func(_ *cobra.Command, args []string) error {
			return p.withRecords(func(r *app.Records) error {
				k, err := r.Journal.Trust(args[0])
				if err != nil {
					return err
				}
				return p.emit("trusts " + k.ID + "\n")
			})
		},
	}
}

func (p *program) keyDistrust() *cobra.Command {
	return &cobra.Command{
		Use: "distrust ID", Short: "No longer trust a key", Args: takes(1, 1, "an id"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.withRecords(func(r *app.Records) error {
				if err := r.Journal.Distrust(args[0]); err != nil {
					return err
				}
				return p.emit("trusts " + args[0] + " no longer\n")
			})
		},
	}
}

// pickKey returns the key that an id begins, or the one that signs.
func pickKey(keys []journal.Key, args []string) (journal.Key, error) {
	var found []journal.Key
	for _, k := range keys {
		if len(args) == 0 && k.Current || len(args) > 0 && args[0] != "" && strings.HasPrefix(k.ID, args[0]) {
			found = append(found, k)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(args) == 0:
		return journal.Key{}, fault.New(fault.NotFound, "Record a run first, such as: praxis run -c 'print(6 * 7)'", "cannot show the key: there is none yet")
	case len(found) > 1:
		return journal.Key{}, fault.New(fault.Invalid, "Write more of its id.", "cannot show key %s: several begin so", safetext.Line(args[0]))
	}
	return journal.Key{}, fault.New(fault.NotFound, "List them with praxis key ls.", "cannot show key %s: there is none", safetext.Line(args[0]))
}

// publicPEM writes a public key as other programs read it.
func publicPEM(k journal.Key) (string, error) {
	raw, err := publicBytes(k.Public)
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalPKIXPublicKey(ed25519.PublicKey(raw))
	if err != nil {
		return "", fmt.Errorf("cannot write key %s: %w", k.ID, err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), nil
}

// publicBytes reads a public key as the journal names it.
func publicBytes(text string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, keyPrefix))
	if err != nil || len(raw) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("cannot read key %q: it is none", text)
	}
	return raw, nil
}

// readKeyFile reads the public key that a file holds: PEM, or the text that
// begins with "ed25519:".
func readKeyFile(path string) (journal.Key, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return journal.Key{}, inputFault(path, err)
	}
	bad := fault.New(fault.Invalid, "Name a file with what praxis key show prints.", "cannot read key %s: it holds no public Ed25519 key", safetext.Line(path))
	var raw []byte
	if text := strings.TrimSpace(string(data)); strings.HasPrefix(text, keyPrefix) {
		if raw, err = publicBytes(text); err != nil {
			return journal.Key{}, bad
		}
	} else {
		block, _ := pem.Decode(data)
		if block == nil || block.Type != "PUBLIC KEY" {
			return journal.Key{}, bad
		}
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		key, ok := parsed.(ed25519.PublicKey)
		if err != nil || !ok {
			return journal.Key{}, bad
		}
		raw = key
	}
	sum := sha256.Sum256(raw)
	return journal.Key{ID: hex.EncodeToString(sum[:8]), Public: keyPrefix + base64.StdEncoding.EncodeToString(raw)}, nil
}

// keyPrefix begins a public key as the journal names it.
const keyPrefix = "ed25519:"
