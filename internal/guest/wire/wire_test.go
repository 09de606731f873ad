package wire_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

func TestRoundTrip(t *testing.T) {
	frames := []wire.Frame{
		{Kind: wire.Request, ID: 1, Body: []byte(`{"op":"ping"}`)},
		{Kind: wire.End, ID: 1 << 31},
		{Kind: wire.Data, ID: 7, Body: bytes.Repeat([]byte("x"), wire.MaxBody)},
		{Kind: wire.HelloKind, Body: []byte("{}")},
		{Kind: wire.Data, ID: 8, Body: bytes.Repeat([]byte("y"), wire.MaxBody-1)},
		{Kind: wire.Kind(200), ID: 9, Body: []byte{0}},
	}
	var text []byte
	var err error
	for _, f := range frames {
		if text, err = wire.Append(text, f.Kind, f.ID, f.Body); err != nil {
			t.Fatal(err)
		}
	}
	for name, in := range map[string]io.Reader{
		"whole": bytes.NewReader(text), "halves": iotest.HalfReader(bytes.NewReader(text)),
		"bytes": iotest.OneByteReader(bytes.NewReader(text)), "eof with data": iotest.DataErrReader(bytes.NewReader(text)),
	} {
		r := wire.NewReader(in)
		for i, want := range frames {
			got, err := r.Next()
			if err != nil || got.Kind != want.Kind || got.ID != want.ID || !bytes.Equal(got.Body, want.Body) {
				t.Fatalf("%s: frame %d: got %s %d of %d bytes, %v", name, i, got.Kind, got.ID, len(got.Body), err)
			}
		}
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("%s: at the end: %v", name, err)
		}
	}
	if _, err := wire.Append(nil, wire.Data, 1, make([]byte, wire.MaxBody), []byte{1}); err == nil {
		t.Error("a body that is too long was written")
	}
}

func TestBrokenFrames(t *testing.T) {
	length := func(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
	for name, c := range map[string]struct {
		text []byte
		want error
	}{
		"length 0":     {append(length(0), make([]byte, 20)...), wire.ErrFrame},
		"length 4":     {append(length(4), make([]byte, 20)...), wire.ErrFrame},
		"too long":     {append(length(wire.MaxBody+6), make([]byte, 20)...), wire.ErrFrame},
		"huge":         {append(length(1<<32-1), make([]byte, 20)...), wire.ErrFrame},
		"cut header":   {length(5)[:3], io.ErrUnexpectedEOF},
		"cut body":     {append(length(105), make([]byte, 50)...), io.ErrUnexpectedEOF},
		"lying length": {append(length(wire.MaxBody+5), 4, 0, 0, 0, 1), io.ErrUnexpectedEOF},
		"empty":        {nil, io.EOF},
	} {
		r := wire.NewReader(bytes.NewReader(c.text))
		if _, err := r.Next(); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		if _, err := r.Next(); !errors.Is(err, c.want) {
			t.Errorf("%s, again: got %v, want %v", name, err, c.want)
		}
	}
	r := wire.NewReader(idle{})
	if _, err := r.Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a stream that brings nothing: %v", err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// TestLyingLengthCostsNothing announces the largest frame and sends nothing:
// the reader must not set the memory aside.
func TestLyingLengthCostsNothing(t *testing.T) {
	text := append(binary.BigEndian.AppendUint32(nil, wire.MaxBody+5), 4, 0, 0, 0, 1)
	got := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			wire.NewReader(bytes.NewReader(text)).Next()
		}
	}).AllocedBytesPerOp()
	if got > 80<<10 {
		t.Errorf("reading it takes %d bytes", got)
	}
}

func FuzzReader(f *testing.F) {
	good, _ := wire.Append(nil, wire.Output, 3, wire.AppendOutput(nil, 9, 1), []byte("text"))
	good, _ = wire.Append(good, wire.Credit, 3, wire.AppendCredit(nil, 4096))
	f.Add(good)
	f.Add([]byte{0, 0, 0, 4, 1, 2, 3, 4})
	f.Add([]byte{0, 16, 0, 5, 1, 2, 3, 4, 5, 6})
	f.Fuzz(func(t *testing.T, text []byte) {
		r := wire.NewReader(iotest.HalfReader(bytes.NewReader(text)))
		var again []byte
		for {
			frame, err := r.Next()
			if err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, wire.ErrFrame) {
					t.Fatalf("unexpected error %v", err)
				}
				break
			}
			if again, err = wire.Append(again, frame.Kind, frame.ID, frame.Body); err != nil {
				t.Fatal(err)
			}
			if seq, stream, data, err := wire.ParseOutput(frame.Body); err == nil {
				if back := append(wire.AppendOutput(nil, seq, stream), data...); !bytes.Equal(back, frame.Body) {
					t.Fatalf("output %q came back as %q", frame.Body, back)
				}
			}
			if n, err := wire.ParseCredit(frame.Body); err == nil && !bytes.Equal(wire.AppendCredit(nil, uint32(n)), frame.Body) {
				t.Fatalf("credit %q is %d", frame.Body, n)
			}
			var b wire.Bundle
			if json.Unmarshal(frame.Body, &b) == nil {
				b.Clean()
				if err := b.Check(); err != nil {
					t.Fatalf("a clean bundle: %v", err)
				}
			}
		}
		if !bytes.HasPrefix(text, again) {
			t.Fatalf("frames came back different")
		}
	})
}

func TestParse(t *testing.T) {
	for _, body := range [][]byte{nil, make([]byte, 8), append(make([]byte, 8), 0), append(make([]byte, 8), 3)} {
		if _, _, _, err := wire.ParseOutput(body); !errors.Is(err, wire.ErrFrame) {
			t.Errorf("output %v: %v", body, err)
		}
	}
	for _, body := range [][]byte{nil, {1}, {0, 0, 0, 0}, {255, 255, 255, 255}, {0, 0, 0, 1, 0}} {
		if _, err := wire.ParseCredit(body); !errors.Is(err, wire.ErrFrame) {
			t.Errorf("credit %v: %v", body, err)
		}
	}
}

func TestBundle(t *testing.T) {
	png := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("png"), 5000))
	good := wire.Bundle{"text": "x", "text/html": "<b>", "image/png": png, "application/vnd.x+json": "{}"}
	if err := good.Check(); err != nil {
		t.Errorf("good: %v", err)
	}
	if left := good.Clean(); left != nil || len(good) != 4 {
		t.Errorf("a good bundle lost %v", left)
	}
	many := wire.Bundle{}
	for i := range 40 {
		many["text/x"+strings.Repeat("y", i)] = "v"
	}
	for name, b := range map[string]wire.Bundle{
		"key":     {"html": "x"},
		"control": {"text/\x1b[31m": "x"},
		"base64":  {"image/png": "???"},
		"padding": {"image/png": strings.Repeat("A", 4094) + "==" + png},
		"newline": {"image/jpeg": "AA\nAA"},
		"large":   {"text/html": strings.Repeat("x", wire.MaxBundle+1)},
		"text":    {"text": strings.Repeat("x", wire.MaxBundle+1)},
		"many":    many,
	} {
		if b.Check() == nil {
			t.Errorf("%s: not refused", name)
		}
		b["text"] += "kept"
		b.Clean()
		if err := b.Check(); err != nil {
			t.Errorf("%s: after cleaning: %v", name, err)
		}
		if b["text"] == "" {
			t.Errorf("%s: the text was lost", name)
		}
	}
	var b wire.Bundle
	for i := range 40 {
		many["text/x"+strings.Repeat("y", i)] = "v"
	}
	text, _ := json.Marshal(many)
	if err := json.Unmarshal(text, &b); err == nil {
		t.Error("40 keys were read")
	}
	if err := json.Unmarshal([]byte(`{"text":{"a":1}}`), &b); err == nil {
		t.Error("an object was read as a text")
	}
	if err := json.Unmarshal([]byte(`["text"]`), &b); err == nil {
		t.Error("a list was read as a bundle")
	}
	if err := json.Unmarshal([]byte(`null`), &b); err != nil || b != nil {
		t.Errorf("null: %v, %v", b, err)
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 10, "short"}, {"exactly ten", 11, "exactly ten"}, {"too long", 6, "too…"}, {"ééé", 5, "é…"}, {"\xff", 5, "\uFFFD"},
	} {
		got := safetext.Clip(c.in, c.n)
		if got != c.want || !utf8.ValidString(got) || len(got) > c.n {
			t.Errorf("safetext.Clip(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestValidName(t *testing.T) {
	for name, want := range map[string]bool{
		"main": true, "a.b:c@d-e_f": true, strings.Repeat("x", 64): true,
		"": false, "-x": false, "a/b": false, "a b": false, "é": false, strings.Repeat("x", 65): false, "a\n": false,
	} {
		if wire.ValidName(name) != want {
			t.Errorf("ValidName(%q) = %v", name, !want)
		}
	}
}

func TestChangesAreBoundedWhileTheyAreRead(t *testing.T) {
	list := func(n int) []byte { return []byte("[" + strings.Repeat("{},", n-1) + "{}]") }
	var c wire.Changes
	if err := json.Unmarshal(list(wire.MaxChanges), &c); err != nil || len(c) != wire.MaxChanges {
		t.Errorf("got %d, %v", len(c), err)
	}
	for name, text := range map[string]string{"too many": string(list(wire.MaxChanges + 1)), "an object": "{}", "a text": `"x"`, "a number in it": "[1]"} {
		var c wire.Changes
		if err := json.Unmarshal([]byte(text), &c); err == nil {
			t.Errorf("%s: got %d", name, len(c))
		}
	}
	if err := json.Unmarshal([]byte("null"), &c); err != nil || c != nil {
		t.Errorf("null: got %v, %v", c, err)
	}
}
