package cmd

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"praxis/fault"
	"praxis/internal/cli/format"
)

// TestRemedyTable requires that what the command line says of a fault can be
// followed: each command and each flag that a remedy names exists, each name of
// data is one that the code has, and the words say more than those that
// every reader gets.
func TestRemedyTable(t *testing.T) {
	root := (&program{getenv: func(string) string { return "" }}).root()
	var known func(c *cobra.Command, flag string) bool
	known = func(c *cobra.Command, flag string) bool {
		return c.Flags().Lookup(flag) != nil || c.PersistentFlags().Lookup(flag) != nil ||
			slices.ContainsFunc(c.Commands(), func(child *cobra.Command) bool { return known(child, flag) })
	}
	flag := regexp.MustCompile(`--([a-z][a-z-]*)`)
	command := regexp.MustCompile(`praxis ([a-z]+)(?: ([a-z]+))?`)
	for code, sentences := range format.Remedies {
		names := code.Names()
		data := fault.Data{}
		for _, n := range names {
			data[n] = "x"
		}
		if !slices.Contains(fault.Codes(), code) {
			t.Errorf("%q is no code", code)
		}
		if got := sentences[len(sentences)-1:].With(data); got == "" || got == code.Remedy(data) {
			t.Errorf("%s: got %q, and every reader gets %q", code, got, code.Remedy(data))
		}
		for _, n := range sentences.Names() {
			if !slices.Contains(names, n) {
				t.Errorf("%s: %q is not among its data, %q", code, n, names)
			}
		}
		text := strings.Join(sentences, "\n")
		for _, m := range flag.FindAllStringSubmatch(text, -1) {
			if !known(root, m[1]) {
				t.Errorf("%s: there is no flag %s", code, m[0])
			}
		}
		for _, m := range command.FindAllStringSubmatch(text, -1) {
			c := child(root, m[1])
			if c == nil {
				t.Errorf("%s: there is no command %q", code, m[0])
			} else if c.HasSubCommands() && child(c, m[2]) == nil && (m[2] != "" || !c.Runnable()) {
				t.Errorf("%s: there is no command %q", code, m[0])
			}
		}
	}
}

func child(c *cobra.Command, name string) *cobra.Command {
	for _, child := range c.Commands() {
		if child.Name() == name {
			return child
		}
	}
	return nil
}

// TestRemedyOf requires the command line's words for a code that it has words
// for, whatever stands around the fault, and those of every reader for others.
func TestRemedyOf(t *testing.T) {
	for _, c := range []struct {
		err          error
		text, object string
	}{
		{
			errors.Join(fault.Coded(fault.SessionExists, fault.Data{"name": "work"}, "cannot make session work: it exists")),
			"praxis: cannot make session work: it exists\n  → Choose another name, or remove it first with praxis session rm work.\n",
			`{"kind":"conflict","code":"session_exists","message":"cannot make session work: it exists","remedy":"Choose another name, or remove it first with praxis session rm work.","data":{"name":"work"}}`,
		},
		{
			fault.Coded(fault.ModelCredit, fault.Data{"model": "m"}, "cannot use model m: the account is empty"),
			"praxis: cannot use model m: the account is empty\n  → Add credit to the provider's account, or use another model.\n",
			`{"kind":"exhausted","code":"model_credit","message":"cannot use model m: the account is empty","remedy":"Add credit to the provider's account, or use another model.","data":{"model":"m"}}`,
		},
		{fault.New(fault.Invalid, "", "no"), "praxis: no\n", `{"kind":"invalid","message":"no","remedy":""}`},
	} {
		var text, object bytes.Buffer
		report(&text, c.err)
		if err := (&program{stdout: &object}).printJSON(failureOf(c.err)); err != nil {
			t.Fatal(err)
		}
		if text.String() != c.text {
			t.Errorf("the terminal shows\n%swant\n%s", text.String(), c.text)
		}
		if got := strings.TrimSpace(object.String()); got != c.object {
			t.Errorf("the object is\n%s\nwant\n%s", got, c.object)
		}
	}
}
