package check

import (
	"encoding/json"
	"strings"
	"testing"

	"praxis/internal/plan/policy"
	"praxis/internal/plan/syntax"
	"praxis/internal/tool"
	"praxis/internal/tool/toolfile"
)

const mailTools = `version: 1
tools:
  - name: mail.read
    version: 1.0.0
    description: Reads.
    effects: read
    labels: {readers: everyone}
    input: {type: object, properties: {}, additionalProperties: false}
    output: {type: string}
  - name: mail.send
    version: 1.0.0
    description: Sends.
    effects: external
    input: {type: object, required: [to, body], properties: {to: {type: string}, body: {type: string}}, additionalProperties: false}
    output: {type: string}
`

const mailRules = `version: 1
rules:
  - {name: chosen, tools: [mail.send], when: "!args.to.trusted()", decision: deny, reason: somebody else chose it, remedy: Name it in the plan.}
  - {name: send, tools: [mail.send], decision: allow, reason: wanted}
`

func checked(t testing.TB, name, src string) *Result {
	t.Helper()
	file, err := toolfile.Load("tools.yaml", []byte(mailTools))
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.NewSet(file)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.Load("policy.yaml", []byte(mailRules), set)
	if err != nil {
		t.Fatal(err)
	}
	m, bad := syntax.Parse([]byte(src), syntax.Options{})
	if len(bad) > 0 {
		return Broken(name, []byte(src), bad)
	}
	r, err := Check(t.Context(), Input{Name: name, Source: []byte(src), Module: m, Tools: set, Policy: rules})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const steered = "text = mail.read()\n# é\nmail.send(to=text.strip(), body='ä'); mail.send(to='a@b.c', body=text)\n"

func TestSARIF(t *testing.T) {
	out, err := checked(t, "dir with space/plan.py", steered).SARIF()
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID, Level string
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn, EndLine, EndColumn int }
					}
				}
				CodeFlows []struct {
					ThreadFlows []struct{ Locations []json.RawMessage }
				}
			}
		}
	}
	if err := json.Unmarshal(out, &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) != 1 {
		t.Fatalf("got %s", out)
	}
	r := log.Runs[0].Results[0]
	at := r.Locations[0].PhysicalLocation
	if r.RuleID != "violation" || r.Level != "error" || at.ArtifactLocation.URI != "dir%20with%20space/plan.py" ||
		at.Region.StartLine != 3 || at.Region.StartColumn != 1 || at.Region.EndColumn != 37 {
		t.Errorf("got %+v", r)
	}
	if len(r.CodeFlows) == 0 || len(r.CodeFlows[0].ThreadFlows[0].Locations) < 2 {
		t.Errorf("no path: %s", out)
	}
}

func TestGraphs(t *testing.T) {
	r := checked(t, "plan.py", steered)
	mermaid, dot := r.Mermaid(), r.DOT()
	for _, want := range []string{
		"flowchart LR\n", `["mail.read, line 1"]`, `-->|"to"|`, "stroke:#c00",
	} {
		if !strings.Contains(mermaid, want) {
			t.Errorf("no %q in\n%s", want, mermaid)
		}
	}
	for _, want := range []string{"digraph plan {", `[label="to", color=red, penwidth=2]`, `[label="body"]`} {
		if !strings.Contains(dot, want) {
			t.Errorf("no %q in\n%s", want, dot)
		}
	}
}

// Names come from files that others wrote: they must not become part of a graph.
func TestGraphsQuote(t *testing.T) {
	r := &Result{Flows: []Flow{{Tool: "a\"];\nclick x \"javascript:1\"", Line: 1, Args: []Arg{{Name: "x\"| n0\\", AnyFrom: true}}}}}
	if m := r.Mermaid(); strings.Count(m, `"`) != 6 || strings.Contains(m, "javascript:") {
		t.Errorf("got\n%s", m)
	}
	if d := r.DOT(); strings.Count(d, "\n") != 8-1 || strings.Contains(d, "\"x\"|") {
		t.Errorf("got\n%s", d)
	}
}

// FuzzCheck checks that no program makes the check panic or give a place outside of it.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{steered, "def f(x): return f(mail.read())\nmail.send(*f(1), **{})", "class A:\n  def __eq__(s, o): return mail.read()\nA() == A()", "for x in mail.read(): mail.send(x, x)", "x ="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 4000 {
			t.Skip("long programs are tried elsewhere")
		}
		r := checked(t, "p.py", src)
		lines := strings.Count(strings.ReplaceAll(src, "\r", "\n"), "\n") + 1
		for _, finding := range r.Findings {
			if finding.Line < 1 || finding.Line > lines+1 {
				t.Errorf("a finding in line %d of %d", finding.Line, lines)
			}
		}
		if _, err := r.SARIF(); err != nil {
			t.Error(err)
		}
		r.Text()
		r.Mermaid()
		r.DOT()
	})
}
