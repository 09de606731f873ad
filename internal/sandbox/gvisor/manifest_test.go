package gvisor

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/sandbox"
)

// TestManifestLies reads what may lie in a checkpoint's folder, mutated at
// random, with a right and a wrong sum: it is refused, or it names our three
// files. It is no fuzz target because gVisor does not link with the fuzzer's
// instrumentation (its nosplit functions grow over their stack).
func TestManifestLies(t *testing.T) {
	seeds := []string{
		`{"format":2,"files":[{"name":"checkpoint.img","size":0},{"name":"pages_meta.img"},{"name":"pages.img"}],"disk":1}`,
		`{"format":2,"files":[{"name":"../../x"},{"name":"","size":-1},{}]}`,
		`{"format":2,"files":null,"mounts":[{"source":"/","target":"/"}]}`,
		`{}`, ``, `[]`, `null`,
	}
	dir := t.TempDir()
	for _, name := range stateFiles {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 4000 {
		text := []byte(seeds[rng.IntN(len(seeds))])
		for range rng.IntN(4) {
			if len(text) == 0 {
				break
			}
			i := rng.IntN(len(text))
			switch rng.IntN(3) {
			case 0:
				text[i] = byte(rng.IntN(256))
			case 1:
				text = append(text[:i], text[i+1:]...)
			case 2:
				text = append(text[:i:i], append([]byte(seeds[rng.IntN(len(seeds))]), text[i:]...)...)
			}
		}
		if rng.IntN(4) > 0 {
			text = fmt.Appendf(text, "\n%08x\n", crc32.Checksum(text, castagnoli()))
		}
		if err := os.WriteFile(filepath.Join(dir, manifestFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := readManifest(dir)
		if err != nil {
			if fault.KindOf(err) != fault.Conflict {
				t.Fatalf("round %d: %q: %v", round, text, err)
			}
			continue
		}
		for i, s := range m.Files {
			if s.Name != stateFiles[i] || s.Size != 0 {
				t.Fatalf("round %d: accepted %q: %+v", round, text, s)
			}
		}
	}
}

// TestManifestOfASeed restores a seeded guest as one only, and no other as one: checkpoints
// of a time when a seed was none of the sandbox's business do not say that they are seeded.
func TestManifestOfASeed(t *testing.T) {
	spec := sandbox.Spec{Root: "/image", Args: []string{"guest"}}
	m := manifest{GVisor: gvisorVersion, Arch: runtime.GOARCH, Guest: spec.Files(), Args: spec.Args}
	for _, seeded := range []bool{false, true} {
		m.Seeded, spec.Seeded = seeded, seeded
		if err := m.fits(spec); err != nil {
			t.Errorf("seeded %t: %v", seeded, err)
		}
		spec.Seeded = !seeded
		if err := m.fits(spec); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "a seed meant something else") {
			t.Errorf("seeded %t, restored the other way: %v", seeded, err)
		}
	}
}
