package chunks

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

func open(t testing.TB) *Store {
	t.Helper()
	s, err := Open(t.TempDir(), ".tmp-x-", 2)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// memory returns the content of so many pages, each of which tells itself from others.
func memory(seed uint64, pages int) []byte {
	b := make([]byte, pages*PageSize)
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range pages {
		for n := range 64 {
			b[i*PageSize+n] = byte(rng.Uint32())
		}
	}
	return b
}

func folder(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func pack(t testing.TB, s *Store, files map[string][]byte, relatives ...Recipe) Recipe {
	t.Helper()
	r, err := s.Pack(t.Context(), folder(t, files), relatives...)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseRecipe(r.Encode())
	if err != nil || !reflect.DeepEqual(r, again) {
		t.Fatalf("the recipe %+v is read as %+v (%v)", r, again, err)
	}
	return again
}

// unpacked compares what is made of a recipe with what was packed.
func unpacked(t testing.TB, s *Store, r Recipe, want map[string][]byte) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	if err := s.Unpack(t.Context(), r, dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(want) {
		t.Errorf("%d files, want %d (%v)", len(entries), len(want), err)
	}
	for name, b := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(got, b) {
			t.Errorf("%s is not what was packed (%v)", name, err)
		}
	}
}

func number(t testing.TB, s *Store) int {
	t.Helper()
	sizes, err := s.Sizes()
	if err != nil {
		t.Fatal(err)
	}
	return len(sizes)
}

func TestWhatIsPackedComesBack(t *testing.T) {
	zeros := make([]byte, 300*PageSize)
	for name, files := range map[string]map[string][]byte{
		"nothing":       {},
		"empty":         {"a": {}},
		"short":         {"a": []byte("x"), "b": []byte("x")},
		"zeros":         {"a": zeros, "b": zeros[:1]},
		"a page":        {"a": memory(1, 1)},
		"an odd end":    {"a": memory(1, 130)[:129*PageSize+17]},
		"zeros between": {"a": slices.Concat(memory(1, 70), zeros, memory(2, 3)), "b": memory(2, 3)},
		"over a window": {"a": memory(1, window+1)},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			unpacked(t, s, pack(t, s, files), files)
		})
	}
	s := open(t)
	pack(t, s, map[string][]byte{"a": zeros})
	if n := number(t, s); n != 0 {
		t.Errorf("zeros are in %d chunks", n)
	}
}

func TestRelativesShareChunks(t *testing.T) {
	s := open(t)
	all := memory(1, 640)
	first := pack(t, s, map[string][]byte{"pages": all})
	if n := number(t, s); n != 10 {
		t.Fatalf("640 pages are in %d chunks", n)
	}
	// The same pages elsewhere, and three others.
	moved := slices.Concat(memory(9, 1), all[100*PageSize:], all[:100*PageSize], memory(10, 2))
	second := pack(t, s, map[string][]byte{"pages": moved}, first)
	if n := number(t, s); n != 11 {
		t.Errorf("%d chunks after three new pages, want 11", n)
	}
	unpacked(t, s, first, map[string][]byte{"pages": all})
	unpacked(t, s, second, map[string][]byte{"pages": moved})
	// Again it costs nothing, and without relatives it is stored anew.
	if again := pack(t, s, map[string][]byte{"pages": moved}, second); !reflect.DeepEqual(again, second) || number(t, s) != 11 {
		t.Error("what was packed is packed otherwise now")
	}
	pack(t, s, map[string][]byte{"pages": moved})
	if n := number(t, s); n <= 11 {
		t.Error("chunks are shared with whom nobody named")
	}
}

// TestWhatIsLeftOfAChunk packs states that need ever less of the first one's chunks.
func TestWhatIsLeftOfAChunk(t *testing.T) {
	s := open(t)
	pages := memory(0, 64)
	r := pack(t, s, map[string][]byte{"pages": pages})
	for i := range uint64(63) {
		copy(pages[i*PageSize:], memory(i+1, 1))
		r = pack(t, s, map[string][]byte{"pages": pages}, r)
		unpacked(t, s, r, map[string][]byte{"pages": pages})
		if len(r.Chunks) > 64/(chunkPages/needed)+maxSmall+1 {
			t.Fatalf("after %d steps it is made of %d chunks", i+1, len(r.Chunks))
		}
	}
	used := map[Sum]bool{}
	for _, c := range r.Chunks {
		used[c] = true
	}
	before := number(t, s)
	if err := s.Sweep(t.Context(), func(c Sum) bool { return used[c] }); err != nil {
		t.Fatal(err)
	}
	if after := number(t, s); after != len(used) || after >= before {
		t.Errorf("%d of %d chunks are left, %d are used", after, before, len(used))
	}
	unpacked(t, s, r, map[string][]byte{"pages": pages})
}

func TestDamagedChunks(t *testing.T) {
	files := map[string][]byte{"pages": memory(1, 200)}
	for name, damage := range map[string]func(path, other string) error{
		"missing": func(path, _ string) error { return os.Remove(path) },
		"a byte": func(path, _ string) error {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b[len(b)/2] ^= 1
			return os.WriteFile(path, b, 0o600)
		},
		"cut": func(path, _ string) error { return os.Truncate(path, 100) },
		"swapped": func(path, other string) error {
			b, err := os.ReadFile(other)
			return errors.Join(err, os.WriteFile(path, b, 0o600))
		},
		"long":     func(path, _ string) error { return os.Truncate(path, 1<<30) },
		"a folder": func(path, _ string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			r := pack(t, s, files)
			path := func(i int) string { return filepath.Join(s.dir, r.Chunks[i].String()) }
			if err := damage(path(1), path(0)); err != nil {
				t.Fatal(err)
			}
			err := s.Unpack(t.Context(), r, filepath.Join(t.TempDir(), "out"))
			if bad := (*Damaged)(nil); !errors.As(err, &bad) || bad.Chunk != r.Chunks[1] {
				t.Fatalf("got %v", err)
			}
			if name == "a folder" {
				return
			}
			// Who has the files stores them whole again.
			unpacked(t, s, pack(t, s, files, r), files)
			unpacked(t, s, r, files)
		})
	}
}

func TestPackEnds(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Pack(ctx, folder(t, map[string][]byte{"a": memory(1, 500)})); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := s.Unpack(ctx, pack(t, s, map[string][]byte{"a": memory(1, 500)}), filepath.Join(t.TempDir(), "out")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { _, ok := parseSum(e.Name()); return !ok }) {
		t.Errorf("left %v (%v)", entries, err)
	}
}

// FuzzRecipe reads recipes that anybody wrote: what is read is written in one way, and
// unpacking it writes no more than it says.
func FuzzRecipe(f *testing.F) {
	s := open(f)
	f.Add(pack(f, s, map[string][]byte{"a": memory(1, 70), "b": nil}).Encode())
	f.Add([]byte(recipeMagic + "\x00\x01\x01a\x05\x01\x00"))
	f.Add([]byte(recipeMagic + "\x00\x01\x02..\x05\x01\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ParseRecipe(b)
		if err != nil {
			return
		}
		again, err := ParseRecipe(r.Encode())
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Fatalf("%+v is read as %+v (%v)", r, again, err)
		}
		for _, file := range r.Files {
			pages := int64(0)
			for _, run := range file.Runs {
				pages += run.Pages
			}
			if pages != pagesOf(file.Size) || filepath.Base(file.Name) != file.Name {
				t.Fatalf("accepted %+v", file)
			}
		}
		if r.Bytes() > 1<<20 {
			return
		}
		parent := t.TempDir()
		dir := filepath.Join(parent, "out")
		if err := s.Unpack(t.Context(), r, dir); err != nil {
			return
		}
		if entries, err := os.ReadDir(parent); err != nil || len(entries) != 1 {
			t.Fatalf("wrote %v (%v)", entries, err)
		}
	})
}

// FuzzChunk reads chunks that anybody wrote: their pages are as many as they say.
func FuzzChunk(f *testing.F) {
	s := open(f)
	f.Add(s.encodeChunk(make([][32]byte, 2), memory(1, 2)))
	f.Add([]byte(chunkMagic + "\x40"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := parseChunk(b)
		if err != nil {
			return
		}
		if len(c.pages) == 0 || len(c.pages) > chunkPages {
			t.Fatalf("%d pages", len(c.pages))
		}
		if out, err := s.content(c, nil); err == nil && len(out) != len(c.pages)*PageSize {
			t.Fatalf("%d bytes of %d pages", len(out), len(c.pages))
		}
	})
}
