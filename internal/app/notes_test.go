package app

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/config"
	"praxis/internal/diagnostics"
)

// TestNotesOfLibraries checks that libraries show neither a secret of the environment
// nor the value of a credential, as it is or encoded.
func TestNotesOfLibraries(t *testing.T) {
	const token, value = "a-token-of-the-environment", "a-value-by-another-name"
	env := map[string]string{"PRAXIS_HOME": t.TempDir(), "PLAIN": value}
	getenv := func(name string) string { return env[name] }
	c, err := config.Default(getenv)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	notes := diagnostics.New(&out)
	a, err := Open(Options{Config: c, Getenv: getenv, Environ: []string{"SOME_TOKEN=" + token}, Notes: notes})
	if err != nil {
		t.Fatal(err)
	}
	set, err := a.openTools(t.Context(), ToolSpec{}, NetSpec{Hosts: []string{"x.example.com"}, Credentials: []string{"x.example.com=X-Key:PLAIN"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(notes, "%s %s %x %s", token, value, token, strings.ToUpper(hex.EncodeToString([]byte(value))))
	if err := set.close(); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	got := out.String()
	if strings.Count(got, "[secret SOME_TOKEN") != 2 || strings.Count(got, "[secret PLAIN") != 2 || strings.Contains(got, token) || strings.Contains(got, value) {
		t.Errorf("got %s", got)
	}
}

func TestParseCredential(t *testing.T) {
	for text, want := range map[string]string{
		"a.example.com=X-Key:VAR":                 "a.example.com 0  X-Key VAR false",
		"a.example.com:8443/v1=Authorization:VAR": "a.example.com 8443 /v1 Authorization VAR false",
		"a.example.com=X-Key:VAR:id,items.name":   "a.example.com 0  X-Key VAR true",
		"a.example.com/v1/x=X-Key:VAR:-":          "a.example.com 0 /v1/x X-Key VAR true",
		"a.example.com=X-Key:VAR:":                "",
		"a.example.com=X-Key::id":                 "",
		"a.example.com=X-Key:VAR:a..b":            "",
		"a.example.com=X-Key":                     "",
		"a.example.com:port=X-Key:VAR":            "",
	} {
		c, variable, err := parseCredential(text)
		got := ""
		if err == nil {
			got = fmt.Sprint(c.Host, " ", c.Port, " ", c.PathPrefix, " ", c.Header, " ", variable, " ", c.Fields != nil)
		}
		if got != want || err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
}
