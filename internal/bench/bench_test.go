package bench

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/image"
)

// TestStarts takes a native import, a restore and a fork in turns.
func TestStarts(t *testing.T) {
	b := measured(t)
	out := map[string]Figure{}
	if err := b.starts(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"native_import_ms", "restore_ms", "fork_ms", "restore_ratio", "fork_ratio"} {
		if f := out[name]; f.Runs != 5 || f.P50 <= 0 {
			t.Errorf("%s: measured %+v", name, f)
		}
	}
}

// TestNoIndex measures round trips where Jupyter cannot be had, and says why.
func TestNoIndex(t *testing.T) {
	b := measured(t)
	b.skipped = map[string]string{}
	b.Jupyter = func(context.Context) (image.Image, error) { return image.Image{}, errors.New("no index is here") }
	out := map[string]Figure{}
	if err := b.roundTrips(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	if f := out["exec_roundtrip_us"]; f.Runs != tripsARound || f.P50 <= 0 || len(out) != 1 {
		t.Errorf("measured %+v", out)
	}
	r := Report{Figures: out, Skipped: b.skipped}
	if got := r.Compare(); len(got) != 1 || got[0].Figure != "roundtrip_ratio" || got[0].Skipped != "no index is here" || got[0].Measured != nil {
		t.Errorf("compared %+v", got)
	}
}

// TestJupyter drives a kernel of Jupyter that is none: what is asked, and in which turns.
func TestJupyter(t *testing.T) {
	b := measured(t)
	b.Dir = t.TempDir()
	layer := t.TempDir()
	write(t, filepath.Join(layer, "jupyter_client", "__init__.py"), "")
	write(t, filepath.Join(layer, "jupyter_client", "kernelspec.py"), "class KernelSpec:\n    def __init__(self, argv, display_name, language): self.argv = argv\n")
	write(t, filepath.Join(layer, "jupyter_client", "manager.py"), `
class Client:
    def start_channels(self): pass
    def stop_channels(self): pass
    def wait_for_ready(self, timeout): pass
    def execute_interactive(self, code, timeout, output_hook):
        if code == "x+1":
            output_hook({"msg_type": "execute_result", "content": {"data": {"text/plain": "2"}}})
        return {"content": {"status": "ok"}}

class KernelManager:
    def start_kernel(self): assert self._kernel_spec.argv[-2:] == ["-f", "{connection_file}"]
    def client(self): return Client()
    def shutdown_kernel(self, now): pass
`)
	img := b.Image
	img.Packages = []image.Package{{Name: "jupyter-client"}}
	img.Mounts = append(img.Mounts[:len(img.Mounts):len(img.Mounts)], img.Mounts[0])
	img.Mounts[len(img.Mounts)-1].Source, img.Mounts[len(img.Mounts)-1].Target = layer, "/opt/packages"
	b.Jupyter = func(context.Context) (image.Image, error) { return img, nil }
	out := map[string]Figure{}
	if err := b.roundTrips(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	for name, runs := range map[string]int{"exec_roundtrip_us": tripsARound, "jupyter_roundtrip_us": tripsARound, "roundtrip_ratio": 1, "jupyter_start_ms": 2, "jupyter_import_ms": 2} {
		if f := out[name]; f.Runs != runs || f.P50 < 0 {
			t.Errorf("%s: measured %+v", name, f)
		}
	}
	if left, err := os.ReadDir(b.Dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestProcesses measures a program that writes down how it was started.
func TestProcesses(t *testing.T) {
	b := &bench{Config: Config{Rounds: 1, Dir: t.TempDir()}, skipped: map[string]string{}}
	out := map[string]Figure{}
	if err := b.processes(t.Context(), out); err != nil || len(b.skipped) != 3 {
		t.Fatalf("without a program: %v, skipped %v", err, b.skipped)
	}
	log := filepath.Join(t.TempDir(), "log")
	script := func(args ...string) []string {
		return []string{"-c", `echo "$HOME_OF $*" >> ` + log, "sh", strings.Join(args, " ")}
	}
	b.Commands = Commands{
		Program: "/bin/sh", Home: "HOME_OF", Once: script("once"),
		Step:   func(name string) []string { return script("step", name) },
		Remove: func(name string) []string { return script("remove", name) },
	}
	if err := b.processes(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 10 || !strings.HasSuffix(lines[0], " once") || !strings.Contains(lines[9], " remove bench-") || strings.HasPrefix(lines[8], b.Dir+" ") {
		t.Errorf("started:\n%s", text)
	}
	if left, err := os.ReadDir(b.Dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if out["run_ms"].Runs != 3 || out["step_ms"].Runs != 3 || out["first_run_ms"].Runs != 1 {
		t.Errorf("measured %+v", out)
	}
}

func TestCompare(t *testing.T) {
	r := Report{Figures: map[string]Figure{"restore_ratio": {P50: .3}, "restores_per_second": {P50: 14.9}, "snapshot_ms": {P50: 51}}, Skipped: map[string]string{"step_ms": "so"}}
	met := map[string]bool{}
	for _, c := range r.Compare() {
		met[c.Figure] = c.Met
	}
	if len(met) != 4 || !met["restore_ratio"] || met["restores_per_second"] || met["snapshot_ms"] || met["step_ms"] {
		t.Errorf("met: %v", met)
	}
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text), `"goal":"≥ 15","measured":14.9,"met":false`) {
		t.Errorf("written as %s, %v", text, err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
