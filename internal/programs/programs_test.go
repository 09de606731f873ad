package programs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/internal/seal"
)

func key(t *testing.T) *seal.Key {
	t.Helper()
	k, err := seal.Make(filepath.Join(t.TempDir(), "seal.key"))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func program(text string) Program {
	sum := sha256.Sum256([]byte(text))
	return Program{Name: "tool", SHA256: hex.EncodeToString(sum[:]), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
}

func store(t *testing.T, k *seal.Key) *Store {
	t.Helper()
	s, err := OpenStore(filepath.Join(t.TempDir(), "programs"), k)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEmbedded installs what the binary carries.
func TestEmbedded(t *testing.T) {
	s := store(t, key(t))
	for name, get := range map[string]func() (Program, error){"praxis-guest": Guest, "praxis-sandbox": Sandbox} {
		p, err := get()
		if err != nil {
			t.Fatalf("%v: run make build first", err)
		}
		path, err := s.Install(p)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || filepath.Base(path) != name || info.Mode().Perm() != 0o755 {
			t.Errorf("%s is %v, %v", path, info, err)
		}
	}
}

// TestInstalledOnce lets many install one program at once: each finds it whole.
func TestInstalledOnce(t *testing.T) {
	k := key(t)
	s, p := store(t, k), program("a program")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			other, err := OpenStore(s.dir, k)
			if err != nil {
				t.Error(err)
				return
			}
			path, err := other.Install(p)
			data, readErr := os.ReadFile(path)
			if err = errors.Join(err, readErr); err != nil || string(data) != "a program" {
				t.Errorf("%q, %v", data, err)
			}
		})
	}
	all.Wait()
	first, err := os.Stat(filepath.Join(s.dir, p.Key(), p.Name))
	if err != nil {
		t.Fatal(err)
	}
	path, err := s.Install(p)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := os.Stat(path); err != nil || !os.SameFile(first, again) {
		t.Errorf("it was unpacked again: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(s.dir, staged+"*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestChanged changes an installed program, and what is to be installed.
func TestChanged(t *testing.T) {
	s, p := store(t, key(t)), program("a program")
	path, err := s.Install(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("another program"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(p.Key()); !errors.Is(err, seal.ErrBroken) {
		t.Errorf("a changed program: %v", err)
	}
	if path, err = s.Install(p); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "a program" {
		t.Errorf("it is still %q, %v", data, err)
	}
	// One with a description of its own, under another key.
	if err := key(t).Seal(s.folder(p.Key())); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(p.Key()); !errors.Is(err, seal.ErrBroken) {
		t.Errorf("a program that another key sealed: %v", err)
	}
	damaged := program("whole")
	damaged.Open = program("damaged").Open
	if _, err := s.Install(damaged); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("a damaged program: %v", err)
	}
	if err := s.Check(damaged.Key()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a damaged program was installed: %v", err)
	}
}

func TestPrune(t *testing.T) {
	s := store(t, key(t))
	if err := s.Prune(func() (map[string]bool, error) { return nil, errors.New("asked for nothing") }); err != nil {
		t.Errorf("with few programs: %v", err)
	}
	long := time.Now().Add(-2 * age)
	var all []Program
	for i := range keep + 3 {
		p := program(strings.Repeat("x", i))
		path, err := s.Install(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Dir(path), long, long); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if _, err := s.Install(all[1]); err != nil { // somebody uses it
		t.Fatal(err)
	}
	if err := s.Prune(func() (map[string]bool, error) { return map[string]bool{all[0].Key(): true}, nil }); err != nil {
		t.Fatal(err)
	}
	for i, p := range all {
		_, err := os.Stat(filepath.Join(s.dir, p.Key(), p.Name))
		if (err == nil) != (i < 2) {
			t.Errorf("program %d: %v", i, err)
		}
	}
}
