package policy

import (
	"errors"
	"os"
	"strings"
	"testing"

	"praxis/internal/tool"
	"praxis/internal/tool/toolfile"
)

// TestDraft: what init writes loads, its own cases pass, and it never allows by itself
// what somebody else chose.
func TestDraft(t *testing.T) {
	sets := map[string]*tool.Set{"test": tools(t), "members": memberSet(t)}
	for _, name := range []string{"assistant/tools.yaml", "tools.yaml"} {
		text, err := os.ReadFile("../../test/battery/plans/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := toolfile.Load(name, text)
		if err != nil {
			t.Fatal(err)
		}
		if sets[name], err = tool.NewSet(file); err != nil {
			t.Fatal(err)
		}
	}
	none, err := tool.NewSet(&tool.File{})
	if err != nil {
		t.Fatal(err)
	}
	sets["none"] = none
	for name, set := range sets {
		text := Draft(set)
		p, err := Load("draft.yaml", []byte(text), set)
		if err != nil {
			t.Fatalf("%s: %v\n%v\n%s", name, err, errors.Unwrap(err), text)
		}
		report := p.Test()
		for _, c := range report.Cases {
			if !c.Pass || strings.HasSuffix(c.Name, "out of data") && c.Expect == Allow {
				t.Errorf("%s: %s: %s", name, c, c.Expect)
			}
		}
		if len(report.Uncovered) > 0 && name != "test" { // there a definition's demand decides before
			t.Errorf("%s: no case covers %v", name, report.Uncovered)
		}
		if name == "assistant/tools.yaml" {
			for _, want := range []string{
				`# or: args.to.among("contacts.all/*/email")`, `# or: args.iban.among("contacts.all/*/iban")`,
				`"args.iban.trusted() && args.amount.trusted()"`, `tools: [calendar.cancel, calendar.move, files.delete, mail.delete, mail.reply]`,
				`# mail.search is not trusted. Does its server set`, `{tools: ["effects:external"], decision: ask`,
			} {
				if !strings.Contains(text, want) {
					t.Errorf("the draft lacks %s\n%s", want, text)
				}
			}
		}
	}
}

// TestDraftOfCamelCase demands of names that servers write in one word what it demands of
// others: a document that somebody else chose is shared with nobody.
func TestDraftOfCamelCase(t *testing.T) {
	file, err := toolfile.Load("tools.yaml", []byte(`version: 1
tools:
  - {name: drive.share, version: 1.0.0, effects: external, input: {type: object, required: [fileId, shareWith, note], properties: {fileId: {type: string}, shareWith: {type: string}, note: {type: string}}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.NewSet(file)
	if err != nil {
		t.Fatal(err)
	}
	if text := Draft(set); !strings.Contains(text, `when: "args.fileId.trusted() && args.shareWith.trusted()"`) {
		t.Errorf("the draft is\n%s", text)
	}
}
