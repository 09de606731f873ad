package journal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPythonChecker runs the checker of docs/journal.md, which knows nothing of
// this program, over journals that are whole and over damaged ones.
func TestPythonChecker(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("there is no python3 to run the checker with: %v", err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "journal.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := strings.Cut(string(page), "```python\n")
	code, _, closed := strings.Cut(code, "```\n")
	if !found || !closed {
		t.Fatal("docs/journal.md has no checker")
	}
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	script := write("check.py", []byte(code))
	signatures := exec.CommandContext(t.Context(), python, "-c", "import cryptography").Run() == nil
	if !signatures {
		t.Log("python has no package cryptography: signatures are not checked")
	}
	b := newBench(t)
	id := b.write(t, append(sample(), manySteps(140)...)...)
	data, bundle := b.bytes(id), b.exported(t, id)
	_, r := b.begin(t)
	r.Close()
	b.write(t) // gives it an end
	args := []string{script, write("whole.jsonl", data), write("whole.praxis", bundle), write("swept.jsonl", b.bytes(r.ID()))}
	good := len(args) - 1
	at := spans(data)
	last := at[len(at)-2]
	rng := rand.New(rand.NewPCG(8, 8))
	flip := func(i int) {
		changed := bytes.Clone(data)
		changed[i] ^= 1 << rng.IntN(8)
		args = append(args, write(fmt.Sprintf("flipped %d", i), changed))
	}
	for range 60 {
		flip(rng.IntN(last))
	}
	if signatures {
		for i := last; i < len(data); i += 3 {
			flip(i)
		}
	}
	for i := range 20 {
		k := rng.IntN(len(at) - 2)
		args = append(args,
			write(fmt.Sprintf("cut %d", i), data[:rng.IntN(len(data))]),
			write(fmt.Sprintf("without %d", k), append(bytes.Clone(data[:at[k]]), data[at[k+1]:]...)),
			write(fmt.Sprintf("twice %d", k), append(bytes.Clone(data[:at[k+1]]), data[at[k]:]...)))
	}
	all := parts(t, bundle)
	all[2].data = append(all[2].data, 'x')
	args = append(args, write("content.praxis", packParts(t, all)))
	out, err := exec.CommandContext(t.Context(), python, args...).CombinedOutput()
	if err == nil {
		t.Error("the checker found nothing wrong")
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(args)-1 {
		t.Fatalf("%d lines for %d files:\n%s", len(lines), len(args)-1, out)
	}
	for i, line := range lines {
		if ok := strings.HasPrefix(line, "ok "); ok != (i < good) {
			t.Errorf("%s: %s", filepath.Base(args[i+1]), line)
		}
	}
}
