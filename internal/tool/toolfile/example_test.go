package toolfile

import (
	"os"
	"path/filepath"
	"testing"

	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// TestCalendarMail loads the tools of the example and rehearses its plan's calls.
func TestCalendarMail(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "calendar-mail", "tools.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Load("tools.yaml", data)
	if err != nil {
		t.Fatal(asProblems(err))
	}
	set, err := tool.NewSet(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Tools {
		if len(d.Examples) == 0 {
			t.Errorf("%s cannot be rehearsed: it has no example", d.Name)
		}
	}
	for _, call := range []struct{ name, signature string }{
		{"calendar.read", "calendar.read(day)"},
		{"QuarantineLLM.format", "QuarantineLLM.format(text)"},
		{"email.write", `email.write(to, body, subject="")`},
	} {
		d, ok := set.Lookup(call.name)
		if !ok || d.Signature() != call.signature {
			t.Fatalf("%s: got %v, want %s", call.name, d, call.signature)
		}
	}
	read, _ := set.Lookup("calendar.read")
	args := jsondoc.NewObject(jsondoc.Member{Name: "day", Value: "2027-01-31"})
	if err := read.CheckArguments(args); err != nil {
		t.Fatal(err)
	}
	x, ok := read.Rehearse(args)
	if !ok || read.CheckResult(x) != nil {
		t.Fatalf("rehearsal of calendar.read: %v, %v", x, ok)
	}
	format, _ := set.Lookup("QuarantineLLM.format")
	args = jsondoc.NewObject(jsondoc.Member{Name: "text", Value: x})
	if err := format.CheckArguments(args); err != nil {
		t.Fatal(err)
	}
	y, ok := format.Rehearse(args)
	if _, text := y.(string); !ok || !text {
		t.Fatalf("rehearsal of QuarantineLLM.format: %v", y)
	}
	mail, _ := set.Lookup("email.write")
	if err := mail.CheckArguments(jsondoc.NewObject(jsondoc.Member{Name: "to", Value: "john@acme.com"}, jsondoc.Member{Name: "body", Value: y})); err != nil {
		t.Fatal(err)
	}
	if !mail.Labels.Demand("to").Trusted || !mail.Effects.Acts() || read.Labels.Trusted || !format.Model {
		t.Errorf("the labels are not those of the example: %+v %+v", mail.Labels, read.Labels)
	}
	if _, everyone, ok := read.Labels.Readers.Static(set.Principals()); !everyone || !ok {
		t.Error("everyone may read the calendar, by its definition")
	}
}
