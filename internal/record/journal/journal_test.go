package journal

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
)

// sample is a run with most kinds of events, hostile texts among them.
func sample() []event.Event {
	seed := int64(7)
	long := strings.Repeat("ä long line\n", 1000)
	return []event.Event{
		event.SessionBegan{Session: "s1", Image: event.Image{ID: "img", Name: "python", Packages: []event.Package{{Name: "numpy", Version: "2"}}}, Seed: &seed},
		event.StepBegan{N: 1},
		event.ModelRequested{Step: 1, Model: "m", System: long, MaxTokens: 9, Messages: []event.Message{{Role: event.User, Text: "how many?"}},
			Tools: []event.Tool{{Name: "run", Schema: map[string]any{"type": "object", "$ref": "#/x", "$blob": "no", "$$": true, "$": map[string]any{"$blob": strings.Repeat("0", 64), "bytes": 3.0}}}}},
		event.ModelReplied{Step: 1, Text: "</script> \u2028 \x1b[31m \" \\ \n \x00", Calls: []event.Call{{ID: "1", Name: "run", Input: map[string]any{"code": long, "n": 1.5, "nil": nil, "list": []any{}, "deep": []any{map[string]any{}}}}},
			Tokens: event.Tokens{Input: 10, Output: 5}, Took: event.Duration(1500 * time.Microsecond)},
		event.ExecutionBegan{Step: 1, Code: "print(1)\n"},
		event.ExecutionEnded{Step: 1, Execution: event.Execution{Status: event.Error, Stdout: long, Stderr: "", State: event.Intact,
			Displays: []event.Bundle{{"image/png": base64.StdEncoding.EncodeToString(make([]byte, 5000))}, {"$blob": "guest"}},
			Error:    &event.Raised{Name: "E", Value: "v", Traceback: "t"}, Changes: []event.Change{{Path: "/work/a", Kind: "created", Bytes: 1}}}},
		event.AnswerGiven{Text: "42", Figures: []event.Figure{{Text: "42", Source: "computed"}}},
		event.SessionEnded{Session: "s1"},
	}
}

func TestRoundTrip(t *testing.T) {
	b := newBench(t)
	var passed []event.Event
	_, r, err := b.Begin(t.Context(), question(), event.SinkFunc(func(e event.Event) { passed = append(passed, e) }))
	if err != nil {
		t.Fatal(err)
	}
	want := []event.Event{question()}
	began := want[0].(event.RunBegan)
	began.Program = "test"
	want[0] = began
	for _, e := range sample() {
		r.Emit(e)
		r.Emit(event.Progress{Stage: "image", Text: "live only"})
		want = append(want, e)
	}
	end := event.RunEnded{Status: event.Answered, Steps: 1, Took: event.Duration(2 * time.Millisecond)}
	r.Emit(end)
	want = append(want, end)
	if err := errors.Join(r.Err(), r.Close()); err != nil {
		t.Fatal(err)
	}
	got, err := b.records(t, r.ID())
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i].Event, want[i]) {
			t.Errorf("event %d:\ngot  %#v\nwant %#v", i, got[i].Event, want[i])
		}
		if got[i].Seq != int64(i+1) {
			t.Errorf("event %d has the number %d", i, got[i].Seq)
		}
	}
	if len(passed) != len(want)+len(sample()) {
		t.Errorf("%d events were passed on, want %d", len(passed), len(want)+len(sample()))
	}
	rep := b.verified(t, r.ID())
	if !rep.OK() || !rep.Indexed || rep.Records != int64(len(want)+2) || rep.Blobs != 2 || rep.Checkpoints != 1 || rep.Signed != rep.Records {
		t.Errorf("report %+v", rep)
	}
}

// What is no UTF-8 becomes U+FFFD, a byte at a time, as encoding/json has it.
func TestInvalidText(t *testing.T) {
	b := newBench(t)
	hostile := []string{"\xff\xfe", "a\xc3", "\xed\xa0\x80", strings.Repeat("\xff", 3000), "\x80$blob", strings.Repeat("é", 1024), strings.Repeat("é", 1025)}
	var events []event.Event
	for _, s := range hostile {
		events = append(events, event.ExecutionBegan{Code: s})
	}
	got, err := b.records(t, b.write(t, events...))
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range hostile {
		var want string
		data, _ := json.Marshal(s)
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		if got := got[i+1].Event.(event.ExecutionBegan).Code; got != want {
			t.Errorf("%.20q: got %.40q, want %.40q", s, got, want)
		}
	}
}

// TestExternal checks a journal as the specification has it, with nothing of
// this package.
func TestExternal(t *testing.T) {
	b := newBench(t)
	id := b.write(t, append(sample(), manySteps(140)...)...)
	data := b.bytes(id)
	var public ed25519.PublicKey
	checkpoints := 0
	prev := ""
	for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		var l struct {
			Seq  int             `json:"seq"`
			Time time.Time       `json:"time"`
			Prev string          `json:"prev"`
			Type string          `json:"type"`
			Data json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Seq != i || l.Prev != prev {
			t.Fatalf("line %d: seq %d, prev %s, want %s", i, l.Seq, l.Prev, prev)
		}
		var d struct{ Key, Signature, Run string }
		if err := json.Unmarshal(l.Data, &d); i == 0 && err == nil {
			raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(d.Key, "ed25519:"))
			if err != nil || d.Run != id {
				t.Fatal(err, d.Run)
			}
			public = raw
		}
		if l.Type == "checkpoint" {
			checkpoints++
			sig, _ := base64.StdEncoding.DecodeString(d.Signature)
			text := "praxis journal checkpoint 1\n" + id + "\n" + line[:strings.Index(line, `,"signature"`)]
			if !ed25519.Verify(public, []byte(text), sig) {
				t.Errorf("line %d: the signature is wrong", i)
			}
		} else if i%64 == 0 && i > 0 {
			t.Errorf("line %d is no checkpoint", i)
		}
		prev = hashLine([]byte(line))
	}
	if checkpoints != 3 {
		t.Errorf("%d checkpoints", checkpoints)
	}
	s, err := b.Summary(t.Context(), id)
	if err != nil || s.Head != prev || s.Bytes != int64(len(data)) {
		t.Errorf("summary %+v, %v; want head %s", s, err, prev)
	}
}

func manySteps(n int) []event.Event {
	var out []event.Event
	for i := range n {
		out = append(out, event.StepBegan{N: i})
	}
	return out
}

// TestCheckpoints has runs end at every place around a checkpoint.
func TestCheckpoints(t *testing.T) {
	for n := 58; n < 68; n++ {
		b := newBench(t)
		id := b.write(t, manySteps(n)...)
		rep := b.verified(t, id)
		if !rep.OK() || rep.Signed != rep.Records {
			t.Errorf("%d steps: %+v", n, rep)
		}
	}
}

func TestVocabularyWalk(t *testing.T) {
	for _, e := range append(sample(), question(), event.RunEnded{}) {
		data, err := event.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if end, err := walk(data, 0, func(int, int, bool) error { return nil }); err != nil || end != len(data) {
			t.Errorf("%s: %d of %d, %v", event.Name(e), end, len(data), err)
		}
	}
}

// FuzzWalk compares the scanner with encoding/json.
func FuzzWalk(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,-0.5e+3,true,null,{"b":""}],"$$":"\u00e4\n"}`, `{"a":}`, `{"a":01}`, `{"a" :1}`, `{"a":[}`, `{"a":1,}`, `[`, `{"a":"` + "\x01" + `"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		end, err := walk(data, 0, func(start, end int, key bool) error {
			var s string
			if json.Unmarshal(data[start:end], &s) != nil {
				t.Fatalf("%q is no string", data[start:end])
			}
			return nil
		})
		ours := err == nil && end == len(data)
		var compact bytes.Buffer
		theirs := len(data) > 0 && data[0] == '{' && json.Valid(data)
		if theirs {
			if err := json.Compact(&compact, data); err != nil {
				t.Fatal(err)
			}
			theirs = compact.Len() == len(data)
		}
		if ours != theirs && !(theirs && err != nil && strings.Contains(err.Error(), "lie in each other")) {
			t.Fatalf("%q: ours %v (%v), theirs %v", data, ours, err, theirs)
		}
	})
}

// FuzzPack turns any JSON object into data and back.
func FuzzPack(f *testing.F) {
	f.Add([]byte(`{"$blob":"x","$":{"$$a":[]}}`), "secret00", uint16(2))
	f.Add([]byte(`{"a":"long long long"}`), "long lon", uint16(4))
	f.Fuzz(func(t *testing.T, data []byte, secret string, _ uint16) {
		var v map[string]any
		if json.Unmarshal(data, &v) != nil || v == nil {
			t.Skip()
		}
		data, err := event.Encode(v)
		if err != nil {
			t.Skip()
		}
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		stored := map[string]string{}
		put := func(s string) (string, error) { stored[hashLine([]byte(s))] = s; return hashLine([]byte(s)), nil }
		out, err := pack(data, mask{}, put)
		if err != nil {
			t.Skip() // too deep
		}
		if end, err := checkData(out, 0, nil); err != nil || end != len(out) {
			t.Fatalf("%q is packed as %q: %v", data, out, err)
		}
		back, err := unpack(out, func(ref blobRef) (string, error) { return stored[ref.sum], nil })
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(back, &got); err != nil || !reflect.DeepEqual(got, v) {
			t.Fatalf("%q came back as %q: %v", data, back, err)
		}
		r := newRedactor(map[string]string{"N": secret}, keyed([]byte("k")))
		out, err = pack(data, mask{r.text, true}, put)
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := find(&r.texts, out); ok && !strings.Contains("[secret N "+keyed([]byte("k"))(secret)+`]"$blob":"bytes":0123456789`, n.form) {
			// A form may come about anew where a mark stands beside other text; the value itself must not.
			if n.form == secret && !bytes.Contains(out, []byte("[secret")) {
				t.Fatalf("%q is left in %q", n.form, out)
			}
		}
	})
}

// FuzzParse has the decoder of records read anything. What it takes is written
// again the same.
func FuzzParse(f *testing.F) {
	b := newBench(f)
	for line := range bytes.Lines(b.bytes(b.write(f, sample()...))) {
		f.Add(bytes.TrimSuffix(line, []byte("\n")))
	}
	f.Add([]byte(`{"seq":0,"time":"2026-02-30T00:00:00.000000000Z","prev":"","type":"step_began","data":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > maxLine {
			t.Skip()
		}
		l, err := newParser().parse(data)
		if err != nil {
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q is no JSON", data)
		}
		if again := makeLine(l.seq, l.time, string(l.prev), l.kind, l.data); !bytes.Equal(again, data) {
			t.Fatalf("%q is written again as %q", data, again)
		}
	})
}

// FuzzCheck has the whole check read anything.
func FuzzCheck(f *testing.F) {
	b := newBench(f)
	whole := b.bytes(b.write(f, sample()...))
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		c := newChecker("")
		if err := c.events(t.Context(), bytes.NewReader(data), b.Blob, func(event.Record) bool { return true }); err != nil && fault.KindOf(err) != fault.Conflict {
			t.Fatal(err)
		}
	})
}

func TestLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var data []byte
		for range rng.IntN(20) {
			data = append(data, bytes.Repeat([]byte{'x'}, rng.IntN(1<<rng.IntN(20)))...)
			data = append(data, '\n')
		}
		if rng.IntN(2) == 0 {
			data = append(data, "tail"...)
		}
		var again []byte
		in := newLines(reading(slow(rng, data)))
		for {
			b, off, whole, err := in.next()
			if err != nil {
				break
			}
			if off != int64(len(again)) {
				t.Fatalf("offset %d, want %d", off, len(again))
			}
			if again = append(again, b...); whole {
				again = append(again, '\n')
			}
		}
		if !bytes.Equal(again, data) {
			t.Fatal("the lines are not what was there")
		}
	}
}

// slow reads data in pieces of any length.
func slow(rng *rand.Rand, data []byte) func([]byte) (int, error) {
	r := bytes.NewReader(data)
	return func(p []byte) (int, error) { return r.Read(p[:min(len(p), 1+rng.IntN(100_000))]) }
}

func TestGiveUp(t *testing.T) {
	b := newBench(t)
	id := b.write(t, manySteps(200)...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Verify(ctx, id); !errors.Is(err, context.Canceled) {
		t.Errorf("verify: %v", err)
	}
	n := 0
	for range b.Records(t.Context(), id) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d records", n)
	}
}
