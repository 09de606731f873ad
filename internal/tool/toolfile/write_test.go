package toolfile

import (
	"testing"

	"praxis/internal/tool"
)

// TestWriteFiles checks that what is written of files is what they declare.
func TestWriteFiles(t *testing.T) {
	for _, text := range []string{
		documented(t),
		"tools: [{name: a.b, version: 1.0.0, effects: write, approval: true, limits: {rate: 10/30s, timeout: 90s, bytes: 1KiB, calls_per_run: 3}}]",
		"tools: [{name: a, version: 1.0.0-rc.1, effects: pure, labels: {readers: []}}, {name: a, version: 2.0.0, effects: pure}]",
		"tools: [{name: q, version: 1.0.0, effects: read, model: true, output: {type: string}, examples: [{input: {}, output: x}]}]",
	} {
		f, err := Load("a.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		before, err := tool.NewSet(f)
		if err != nil {
			t.Fatal(err)
		}
		data, err := Write(f)
		if err != nil {
			t.Fatal(err)
		}
		g, err := Load("a.json", data)
		if err != nil {
			t.Fatalf("%s\n%v", data, asProblems(err))
		}
		after, err := tool.NewSet(g)
		if err != nil {
			t.Fatal(err)
		}
		if before.Hash() != after.Hash() {
			t.Errorf("%s\nis written as\n%s", text, data)
		}
		for d := range before.All() {
			again, err := Define("again", d.Document())
			if err != nil || again.Hash() != d.Hash() {
				t.Errorf("%s is not the same: %v", d.ID(), err)
			}
		}
		if len(f.Inputs) != len(g.Inputs) || f.Me != g.Me {
			t.Errorf("inputs %d and %d, me %q and %q", len(f.Inputs), len(g.Inputs), f.Me, g.Me)
		}
	}
}
