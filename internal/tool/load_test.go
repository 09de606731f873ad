package tool

import (
	"testing"
)

func TestDocumentedFile(t *testing.T) {
	f, err := Load("tools.yaml", []byte(documented))
	if err != nil {
		t.Fatalf("%v\n%v", err, asProblems(err))
	}
	d := f.Tools[0]
	if got, want := d.Signature(), "email.write(to, body, token=…)"; got != want {
		t.Errorf("signature is %q, want %q", got, want)
	}
	if err := d.CheckArguments(map[string]any{"to": "bob@example.com", "body": 3}); err == nil {
		t.Error("a number was taken for a string")
	} else {
		t.Log(err)
	}
}
