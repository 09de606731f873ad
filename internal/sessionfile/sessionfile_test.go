package sessionfile

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"praxis/fault"
)

type body struct{ Name string }

func source(name, text string) Source {
	return Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

func written(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, body{"analysis"}, []Source{source("a/b", "first"), source("empty", ""), source("c", strings.Repeat("long ", 10000))}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read reads a whole file, as an import does.
func read(data []byte) (body, map[string]string, error) {
	var d body
	r, err := Open(bytes.NewReader(data), &d)
	if err != nil {
		return d, nil, err
	}
	defer r.Close()
	out := map[string]string{}
	for {
		e, content, err := r.Next()
		if errors.Is(err, io.EOF) {
			return d, out, nil
		}
		if err != nil {
			return d, nil, err
		}
		text, err := io.ReadAll(content)
		if err != nil {
			return d, nil, err
		}
		out[e.Name] = string(text)
	}
}

func TestWriteAndRead(t *testing.T) {
	d, got, err := read(written(t))
	if err != nil || d.Name != "analysis" {
		t.Fatalf("%+v, %v", d, err)
	}
	if len(got) != 3 || got["a/b"] != "first" || got["empty"] != "" || len(got["c"]) != 50000 {
		t.Errorf("got %d entries: %.100v", len(got), got)
	}
}

// TestDamaged cuts a file at every place and changes every byte: nothing of it is taken
// for whole, and every refusal is a fault.
func TestDamaged(t *testing.T) {
	whole := written(t)
	for n := range whole {
		if _, got, err := read(whole[:n]); fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.Conflict {
			t.Fatalf("cut at %d of %d: %v, %v", n, len(whole), len(got), err)
		}
		changed := bytes.Clone(whole)
		changed[n] ^= 0x10
		if d, got, err := read(changed); err == nil && (d.Name != "analysis" || got["a/b"] != "first" || len(got["c"]) != 50000) {
			t.Fatalf("byte %d changed: %+v, %d entries", n, d, len(got))
		}
	}
}

// TestNotReadWhole leaves an entry before its digest was compared.
func TestNotReadWhole(t *testing.T) {
	var d body
	r, err := Open(bytes.NewReader(written(t)), &d)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Next(); fault.KindOf(err) != fault.Conflict {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written(f))
	f.Add([]byte("no session file"))
	f.Fuzz(func(t *testing.T, data []byte) { _, _, _ = read(data) })
}
