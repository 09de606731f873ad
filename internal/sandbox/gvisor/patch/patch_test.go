package patch

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"
)

// module is the folder of the pinned module.
func module(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", Module).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestFits applies every change to the pinned release.
func TestFits(t *testing.T) {
	out := t.TempDir()
	path, err := Overlay(module(t), out)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || !strings.Contains(string(b), "sys_random.go") {
		t.Errorf("%s, %v", b, err)
	}
}

// TestAnotherRelease wants a text that is not what was expected, or stands there more
// often, to be an error.
func TestAnotherRelease(t *testing.T) {
	whole := fstest.MapFS{}
	for _, e := range edits() {
		b, err := os.ReadFile(module(t) + "/" + e.file)
		if err != nil {
			t.Fatal(err)
		}
		whole[e.file] = &fstest.MapFile{Data: b}
	}
	vdso, err := os.ReadFile(module(t) + "/" + vdsoFile)
	if err != nil {
		t.Fatal(err)
	}
	whole[vdsoFile] = &fstest.MapFile{Data: vdso}
	if _, err := apply(whole); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"nothing": nil, "no code": vdso[:64], "changed": bytes.ReplaceAll(vdso, askProcessor[4:9], make([]byte, 5)), "full": append(bytes.Clone(vdso), make([]byte, 1100)...)} {
		if _, err := answerProcessor(data); err == nil {
			t.Errorf("a vDSO with %s is changed", name)
		}
	}
	for name, change := range map[string]func(string) string{
		"missing": func(string) string { return "package linux\n" },
		"twice":   func(s string) string { return s + s },
	} {
		const file = "pkg/sentry/syscalls/linux/sys_random.go"
		other := fstest.MapFS{}
		for k, v := range whole {
			other[k] = v
		}
		other[file] = &fstest.MapFile{Data: []byte(change(string(whole[file].Data)))}
		if _, err := apply(other); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
	whole["pkg/rand/praxis.go"] = &fstest.MapFile{}
	if _, err := apply(whole); err == nil || !strings.Contains(err.Error(), "there already") {
		t.Errorf("a file of that name: %v", err)
	}
}
