package journal

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
)

// random is a run of n events that are small, so that every byte can be tried.
func random(rng *rand.Rand, n int) []event.Event {
	letters := []string{"a", "$", "é", "\"", "\\", "\n", "0"}
	text := func() string {
		var s strings.Builder
		for range rng.IntN(8) {
			s.WriteString(letters[rng.IntN(len(letters))])
		}
		return s.String()
	}
	var out []event.Event
	for range n {
		switch rng.IntN(5) {
		case 0:
			out = append(out, event.StepBegan{N: rng.IntN(100)})
		case 1:
			out = append(out, event.ExecutionBegan{Code: text()})
		case 2:
			out = append(out, event.ToolCalled{ID: text(), Tool: "t", Arguments: map[string]any{text(): text()}})
		case 3:
			out = append(out, event.ReplyRejected{Reason: text()})
		case 4:
			out = append(out, event.SessionEnded{Session: text()})
		}
	}
	return out
}

// spans returns where the lines of a journal begin, and its end.
func spans(data []byte) []int {
	out := []int{0}
	for i, c := range data {
		if c == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

// checkBytes checks a journal alone.
func checkBytes(t testing.TB, data []byte) Report {
	t.Helper()
	c := newChecker("")
	if err := c.checkFast(t.Context(), bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	return c.report
}

// everyByte is for logs that are long: a commit changes and cuts them at every fifth
// byte, and where a record begins.
var everyByte = flag.Bool("all", false, "change and cut long logs at every byte")

// TestEveryByte changes every byte of a journal and looks whether the record in
// which it stands is named.
func TestEveryByte(t *testing.T) {
	masks := []byte{0x01, 0x20}
	if !*everyByte {
		masks = masks[:1]
	}
	rng := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{0, 4, 66} {
		b := newBench(t)
		data := b.bytes(b.write(t, random(rng, n)...))
		if rep := checkBytes(t, data); rep.Damage != nil || !rep.Finished {
			t.Fatalf("untouched: %+v", rep)
		}
		lines := spans(data)
		record := 0
		for i := range data {
			if i >= lines[record+1] {
				record++
			}
			if !*everyByte && n > 10 && i%5 > 0 && i != lines[record] {
				continue
			}
			for _, m := range masks {
				changed := bytes.Clone(data)
				changed[i] ^= m
				d := checkBytes(t, changed).Damage
				if d == nil {
					t.Fatalf("byte %d (%q → %q) of record %d: not found", i, data[i], changed[i], record)
				}
				if d.Seq != int64(record) || d.Offset != int64(lines[record]) {
					t.Fatalf("byte %d (%q → %q) of record %d at %d: found at record %d, byte %d: %s", i, data[i], changed[i], record, lines[record], d.Seq, d.Offset, d.Problem)
				}
			}
		}
	}
}

// TestEveryRecord removes, doubles and swaps every record.
func TestEveryRecord(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	b := newBench(t)
	data := b.bytes(b.write(t, random(rng, 130)...))
	at := spans(data)
	n := len(at) - 1
	line := func(i int) []byte { return data[at[i]:at[i+1]] }
	join := func(order []int) []byte {
		var out []byte
		for _, i := range order {
			out = append(out, line(i)...)
		}
		return out
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	expect := func(what string, order []int, seq int, offset int, problem string) {
		t.Helper()
		d := checkBytes(t, join(order)).Damage
		if d == nil || d.Seq != int64(seq) || d.Offset != int64(offset) || !strings.Contains(d.Problem, problem) {
			t.Errorf("%s: want record %d, byte %d, %q; got %+v", what, seq, offset, problem, d)
		}
	}
	for i := range n {
		if i < n-1 { // the last one: see TestCut
			expect(fmt.Sprintf("without %d", i), slices.Delete(slices.Clone(all), i, i+1), i, at[i], fmt.Sprintf("record %d is missing", i))
		}
		expect(fmt.Sprintf("%d twice", i), slices.Insert(slices.Clone(all), i, i), i, at[i+1], fmt.Sprintf("record %d stands twice", i))
		for range 3 {
			k := rng.IntN(n)
			lo, hi := min(i, k), max(i, k)
			if lo == hi {
				continue
			}
			order := slices.Clone(all)
			order[lo], order[hi] = hi, lo
			expect(fmt.Sprintf("%d and %d swapped", lo, hi), order, lo, at[lo], "not in their order")
			if hi < n-1 {
				expect(fmt.Sprintf("without %d to %d", lo, hi), slices.Delete(slices.Clone(all), lo, hi+1), lo, at[lo], fmt.Sprintf("records %d to %d are missing", lo, hi))
			}
			expect(fmt.Sprintf("%d again at %d", lo, hi), slices.Insert(slices.Clone(all), hi+1, lo), lo, at[hi+1], fmt.Sprintf("record %d stands twice", lo))
		}
	}
}

// TestCut cuts a journal everywhere: the index knows how long it was.
func TestCut(t *testing.T) {
	b := newBench(t)
	id := b.write(t, random(rand.New(rand.NewPCG(2, 2)), 70)...)
	data := b.bytes(id)
	at := spans(data)
	record := 0
	for i := range data {
		if i >= at[record+1] {
			record++
		}
		if !*everyByte && i%5 > 0 && i != at[record] && i != at[record]+1 {
			continue
		}
		b.replace(id, data[:i])
		rep := b.compared(t, id)
		problem := fmt.Sprintf("torn: %d bytes", i-at[record])
		switch {
		case i == 0:
			problem = "empty"
		case i == at[record]:
			problem = "the end was cut off"
		}
		d := rep.Damage
		if d == nil || d.Seq != int64(record) || d.Offset != int64(at[record]) || !strings.Contains(d.Problem, problem) {
			t.Fatalf("cut at %d: want record %d, byte %d, %q; got %+v", i, record, at[record], problem, d)
		}
		alone := checkBytes(t, data[:i])
		if alone.Finished || i > 0 && i == at[record] && alone.Damage != nil || alone.Records != int64(record) {
			t.Fatalf("cut at %d, without the index: %+v", i, alone)
		}
		if i%9 > 0 && i != at[record] {
			continue
		}
		got, err := b.records(t, id)
		if want := events(record); len(got) != want || (err == nil) != (i > 0 && i == at[record]) {
			t.Fatalf("cut at %d: %d of %d events are readable, %v", i, len(got), want, err)
		}
	}
}

// compared is verified without a look at the keys.
func (b *bench) compared(t testing.TB, id string) Report {
	t.Helper()
	c, err := b.checked(t.Context(), id)
	if err == nil {
		err = b.compare(t.Context(), id, c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c.report
}

// events is how many of the first n records of a short run are events.
func events(n int) int {
	n-- // the header
	if n >= 64 {
		n--
	}
	return max(n, 0)
}

// TestRecordsBeforeDamage reads what stands before a changed record, and no more.
func TestRecordsBeforeDamage(t *testing.T) {
	b := newBench(t)
	id := b.write(t, manySteps(20)...)
	data := b.bytes(id)
	at := spans(data)
	for i := range len(at) - 1 {
		changed := bytes.Clone(data)
		p := at[i] + bytes.Index(data[at[i]:], []byte(`"time":"2026`)) + 11
		changed[p] = '7'
		b.replace(id, changed)
		got, err := b.records(t, id)
		if d := damageOf(err); d == nil && i < len(at)-2 || len(got) != min(events(i), 22) {
			t.Errorf("record %d changed: %d events, %v", i, len(got), err)
		}
	}
}

// TestAppended adds to a journal that has its end.
func TestAppended(t *testing.T) {
	b := newBench(t)
	id := b.write(t)
	data := b.bytes(id)
	last := bytes.TrimSuffix(data[spans(data)[3]:], []byte("\n"))
	key, err := b.keys.signer()
	if err != nil {
		t.Fatal(err)
	}
	now := b.now()
	for problem, more := range map[string][]byte{
		"a record stands after the end":    makeLine(4, now, hashLine(last), "step_began", []byte(`{"step":1}`)),
		"a second beginning":               makeLine(4, now, hashLine(last), headerKind, []byte(`{}`)),
		"a record stands after the end ":   signedLine(key, id, 4, now, hashLine(last)),
		"stands twice":                     last,
		"its type is \"spell\"":            makeLine(4, now, hashLine(last), "spell", []byte(`{}`)),
		"stands where a key should":        makeLine(4, now, hashLine(last), "step_began", []byte(`{ }`)),
		"it is not UTF-8":                  makeLine(4, now, hashLine(last), "step_began", []byte("{\"a\":\"\xff\"}")),
		"a key begins with one $":          makeLine(4, now, hashLine(last), "step_began", []byte(`{"$blob":"x"}`)),
		"there is no object":               makeLine(4, now, hashLine(last), "step_began", []byte(`[]`)),
		"{\"seq\": is not where it should": []byte("hello"),
	} {
		d := checkBytes(t, append(bytes.Clone(data), append(more, '\n')...)).Damage
		if d == nil || !strings.Contains(d.Problem, strings.TrimSpace(problem)) {
			t.Errorf("%s: %+v", problem, d)
		}
	}
}

// forge makes a journal of lines that are chained, with the last one signed.
func forge(t testing.TB, key signer, run string, kindsAndData ...string) []byte {
	t.Helper()
	var out []byte
	head := ""
	b := newBench(t)
	n := int64(0)
	for i := 0; i < len(kindsAndData); i += 2 {
		l := makeLine(n, b.now(), head, kindsAndData[i], []byte(kindsAndData[i+1]))
		head = hashLine(l)
		out = append(append(out, l...), '\n')
		n++
	}
	return append(append(out, signedLine(key, run, n, b.now(), head)...), '\n')
}

// TestForged checks journals that are chained and signed, and lie.
func TestForged(t *testing.T) {
	b := newBench(t)
	own, err := b.keys.signer()
	if err != nil {
		t.Fatal(err)
	}
	id := "20261121-031455-aaaa"
	stranger, _, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	head := func(format, events int, run, key, more string) string {
		return fmt.Sprintf(`{"format":%d,"events":%d,"run":"%s","key":"%s"%s}`, format, events, run, key, more)
	}
	good := head(1, 1, id, own.Public, "")
	ended := []string{"run_ended", `{"status":"answered","steps":0,"tokens":{"input":0,"output":0},"took_ms":0}`}
	statement := Succession{From: own.Public, To: stranger.Public, Time: "2026-11-21T03:14:55.000000000Z"}
	bad := statement
	bad.Signature = stranger.signature(bad.text())
	badJSON, _ := event.Encode([]Succession{bad})
	for _, c := range []struct {
		name    string
		key     signer
		lines   []string
		seq     int64
		problem string
	}{
		{"whole", own, append([]string{headerKind, good}, ended...), -1, ""},
		{"format", own, append([]string{headerKind, head(2, 1, id, own.Public, "")}, ended...), 0, "it has the format 2"},
		{"format with new fields", own, append([]string{headerKind, `{"format":3,"anything":{}}`}, ended...), 0, "it has the format 3"},
		{"events", own, append([]string{headerKind, head(1, 9, id, own.Public, "")}, ended...), 0, "it has version 9 of the events"},
		{"run", own, append([]string{headerKind, head(1, 1, "20261121-031455-bbbb", own.Public, "")}, ended...), 0, "it is the journal of run 20261121-031455-bbbb"},
		{"no run", own, append([]string{headerKind, head(1, 1, "../x", own.Public, "")}, ended...), 0, "no beginning"},
		{"more fields", own, append([]string{headerKind, head(1, 1, id, own.Public, `,"x":1`)}, ended...), 0, "no beginning"},
		{"no key", own, append([]string{headerKind, head(1, 1, id, "ed25519:AAAA", "")}, ended...), 0, "is no public key"},
		{"other key signs", stranger, append([]string{headerKind, good}, ended...), 2, "it is signed with the key " + `"` + stranger.ID},
		{"statement", own, append([]string{headerKind, head(1, 1, id, own.Public, `,"succession":`+string(badJSON))}, ended...), 0, "was not signed by it"},
		{"no header", own, ended, 0, "the first record is run_ended"},
		{"after the end", own, append(append([]string{headerKind, good}, ended...), "step_began", `{"step":1}`), 2, "stands after run_ended"},
		{"blob", own, append([]string{headerKind, good, "execution_began", `{"code":{"$blob":"` + strings.Repeat("a", 64) + `","bytes":9}}`}, ended...), 1, "is missing"},
		{"input", own, append([]string{headerKind, good, "file_given", `{"sha256":"` + strings.Repeat("a", 64) + `","bytes":9}`}, ended...), 1, "is missing"},
		{"history", own, append([]string{headerKind, good, "history_condensed", `{"whole":"` + strings.Repeat("a", 64) + `"}`}, ended...), 1, "is missing"},
	} {
		b.replace(id, forge(t, c.key, id, c.lines...))
		rep := b.verified(t, id)
		if d := rep.Damage; c.seq < 0 && d != nil || c.seq >= 0 && (d == nil || d.Seq != c.seq || !strings.Contains(d.Problem, c.problem)) {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
	// A signature over something else, by the right key.
	data := forge(t, own, id, append([]string{headerKind, good}, ended...)...)
	last := spans(data)[2]
	other := append(bytes.Clone(data[:last]), signedLine(own, "20261121-031455-bbbb", 2, b.now(), hashLine(data[spans(data)[1]:last-1]))...)
	b.replace(id, append(other, '\n'))
	if d := b.verified(t, id).Damage; d == nil || d.Seq != 2 || !strings.Contains(d.Problem, "its signature is wrong") {
		t.Errorf("signature for another run: %+v", d)
	}
	// A stranger's journal is whole, and not known.
	b.replace(id, forge(t, stranger, id, append([]string{headerKind, head(1, 1, id, stranger.Public, "")}, ended...)...))
	if rep := b.verified(t, id); rep.Damage != nil || rep.OK() || rep.Keys[0].Known || rep.Keys[0].ID != stranger.ID {
		t.Errorf("a stranger's: %+v", rep)
	}
}

// TestContents damages what is kept apart.
func TestContents(t *testing.T) {
	b := newBench(t)
	_, r := b.begin(t)
	sum, n, withheld, err := r.Keep(t.Context(), "in.csv", strings.NewReader("a,b\n1,2\n"))
	if err != nil || withheld != "" || n != 8 {
		t.Fatal(sum, n, withheld, err)
	}
	whole, err := r.Store(t.Context(), []byte(`[]`))
	if err != nil {
		t.Fatal(err)
	}
	r.Emit(event.FileGiven{Name: "in.csv", Path: "/work/in.csv", Bytes: n, SHA256: sum})
	r.Emit(event.HistoryCondensed{Whole: whole})
	r.Emit(event.ExecutionBegan{Code: strings.Repeat("x", 3000)})
	r.Emit(event.ExecutionBegan{Code: strings.Repeat("x", 3000)})
	r.Emit(event.RunEnded{Status: event.Answered})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if rep := b.verified(t, r.ID()); !rep.OK() || rep.Blobs != 3 {
		t.Fatalf("%+v", rep)
	}
	seqs := map[string]int64{sum: 2, whole: 3, hashLine([]byte(strings.Repeat("x", 3000))): 4}
	for name, seq := range seqs {
		data := b.disk.blobs[name]
		delete(b.disk.blobs, name)
		if d := b.verified(t, r.ID()).Damage; d == nil || d.Seq != seq || !strings.Contains(d.Problem, "content "+name+", to which it refers, is missing") {
			t.Errorf("missing: %+v, want record %d", d, seq)
		}
		for i := range data {
			changed := bytes.Clone(data)
			changed[i] ^= 0x10
			b.disk.blobs[name] = changed
			if d := b.verified(t, r.ID()).Damage; d == nil || d.Seq != seq || !strings.Contains(d.Problem, "was changed") {
				t.Fatalf("changed: %+v, want record %d", d, seq)
			}
			if i > 50 {
				break
			}
		}
		b.disk.blobs[name] = data
	}
	long := hashLine([]byte(strings.Repeat("x", 3000)))
	delete(b.disk.blobs, long)
	got, err := b.records(t, r.ID())
	if d := damageOf(err); len(got) != 6 || d == nil || d.Seq != 4 {
		t.Fatalf("%d events, then %v", len(got), err)
	}
	for i, e := range got[3:5] { // what stands after it is readable
		if x, ok := e.Event.(event.ExecutionBegan); !ok || x.Code != Missing {
			t.Errorf("event %d: %+v", i+4, e.Event)
		}
	}
}

// TestIndexWitness has the index know another journal than the one that stands there.
func TestIndexWitness(t *testing.T) {
	b := newBench(t)
	first, second := b.write(t, manySteps(3)...), b.write(t, manySteps(3)...)
	key, err := b.keys.signer()
	if err != nil {
		t.Fatal(err)
	}
	head := func(id string) string {
		return fmt.Sprintf(`{"format":1,"events":1,"run":"%s","key":"%s"}`, id, key.Public)
	}
	step := []string{"step_began", `{"step":1}`}
	ended := []string{"run_ended", `{"status":"answered"}`}
	lines := append([]string{headerKind, head(first), "run_began", `{}`}, step...)
	lines = append(append(lines, step...), step...)
	b.replace(first, forge(t, key, first, append(lines, ended...)...))
	if d := b.verified(t, first).Damage; d == nil || !strings.Contains(d.Problem, "the index knows another record as the last one") {
		t.Errorf("another of the same length: %+v", d)
	}
	b.replace(first, forge(t, key, first, append(append(lines, step...), ended...)...))
	if d := b.verified(t, first).Damage; d == nil || !strings.Contains(d.Problem, "1 were added") {
		t.Errorf("a longer one: %+v", d)
	}
	b.replace(first, b.bytes(second))
	if d := b.verified(t, first).Damage; d == nil || d.Seq != 0 || !strings.Contains(d.Problem, "it is the journal of run "+second) {
		t.Errorf("that of another run: %+v", d)
	}
}

func TestVerifyFile(t *testing.T) {
	b := newBench(t)
	id := b.write(t, sample()...)
	dir := t.TempDir()
	bare := filepath.Join(dir, "run.jsonl")
	if err := os.WriteFile(bare, b.bytes(id), 0o600); err != nil {
		t.Fatal(err)
	}
	rep, err := b.VerifyFile(t.Context(), bare)
	if err != nil || !rep.OK() || rep.Run != id || rep.Unchecked != 2 {
		t.Errorf("bare: %+v, %v", rep, err)
	}
	packed := filepath.Join(dir, "run.praxis")
	var out bytes.Buffer
	if err := b.Export(t.Context(), id, &out); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(packed, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if rep, err = b.VerifyFile(t.Context(), packed); err != nil || !rep.OK() || rep.Run != id || rep.Blobs != 2 || rep.Unchecked != 0 {
		t.Errorf("bundle: %+v, %v", rep, err)
	}
	for name, data := range map[string][]byte{"empty": {}, "zip": []byte("PK nothing"), "record": []byte(`{"seQ":1,"seq":`), "torn": out.Bytes()[:out.Len()/2]} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if rep, err := b.VerifyFile(t.Context(), path); err != nil || rep.Damage == nil {
			t.Errorf("%s: %+v, %v", name, rep, err)
		}
	}
	text := filepath.Join(dir, "README.md")
	if err := os.WriteFile(text, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, text, filepath.Join(dir, "no such"), "/dev/null"} {
		if _, err := b.VerifyFile(t.Context(), path); fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, id := range []string{"", "x", "20261121-031455-zzzz", "../../etc/passwd", "20261121-031455-0000"} {
		if _, err := b.Verify(t.Context(), id); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// TestBundleBytes changes every byte of a bundle's contents: what is unpacked is
// either the same, or something is said to be wrong.
func TestBundleBytes(t *testing.T) {
	b := newBench(t)
	id := b.write(t, event.ExecutionBegan{Code: strings.Repeat("y", 2100)})
	var out bytes.Buffer
	if err := b.Export(t.Context(), id, &out); err != nil {
		t.Fatal(err)
	}
	want := unzipped(t, out.Bytes())
	for i := range out.Bytes() {
		changed := bytes.Clone(out.Bytes())
		changed[i] ^= 0x04
		z, err := openBundle(bytes.NewReader(changed), int64(len(changed)))
		if err == nil {
			var c *checker
			if c, err = z.check(t.Context()); err == nil && c.report.Damage != nil {
				err = c.report.Damage
			}
		}
		if err == nil && unzipped(t, changed) != want {
			t.Fatalf("byte %d: not found", i)
		}
	}
}

// unzipped returns names and contents of a zip.
func unzipped(t *testing.T, data []byte) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, f := range z.File {
		content, err := readEntry(f)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s %q\n", f.Name, content)
	}
	return out.String()
}

// TestSeal returns the hash that a check returns, and the signature of the last line;
// of a run without an end the hash alone.
func TestSeal(t *testing.T) {
	b := newBench(t, func(c *Config) { c.User, c.Host = "ada (1000)", "engine" })
	id := b.write(t)
	hash, key, signature, err := b.Seal(t.Context(), id)
	lines := strings.Split(strings.TrimSpace(string(b.bytes(id))), "\n")
	last := lines[len(lines)-1]
	if rep := b.verified(t, id); err != nil || hash != rep.Head || hash != hashLine([]byte(last)) || key != rep.Keys[0].ID || signature == "" || !strings.Contains(last, signature) {
		t.Errorf("%s %s %s %v, want %s", hash, key, signature, err, rep.Head)
	}
	if !strings.Contains(lines[1], `"user":"ada (1000)","host":"engine"`) {
		t.Errorf("the record does not say who and where: %s", lines[1])
	}
	_, r := b.begin(t)
	if hash, key, _, err := b.Seal(t.Context(), r.ID()); err != nil || len(hash) != sumLength || key != "" {
		t.Errorf("%s %s %v", hash, key, err)
	}
}
