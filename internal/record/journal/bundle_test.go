package journal

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/store"
)

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func openQuery() store.Query { return store.Query{Kind: openDoc} }

func bytesIndex(data []byte, s string) int { return bytes.Index(data, []byte(s)) }

// exported returns the bundle of a run.
func (b *bench) exported(t testing.TB, id string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := b.Export(t.Context(), id, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func (b *bench) imported(t testing.TB, data []byte) (Summary, error) {
	t.Helper()
	return b.Import(t.Context(), bytes.NewReader(data), int64(len(data)))
}

// state is all that a journal keeps, as one text.
func (b *bench) state() string {
	return fmt.Sprint(b.disk.logs, b.disk.blobs, b.index.docs)
}

func TestExportImport(t *testing.T) {
	here, there := newBench(t), newBench(t)
	_, r := here.begin(t)
	sum, n, _, err := r.Keep(t.Context(), "in.csv", strings.NewReader(strings.Repeat("1,2\n", 1000)))
	if err != nil {
		t.Fatal(err)
	}
	r.Emit(event.FileGiven{Name: "in.csv", SHA256: sum, Bytes: n})
	r.Emit(event.FileGiven{Name: "big.csv", SHA256: strings.Repeat("1", 64), Bytes: n, Withheld: "too long"})
	for _, e := range sample() {
		r.Emit(e)
	}
	r.Emit(event.RunEnded{Status: event.Answered})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	id := r.ID()
	data := here.exported(t, id)
	if !bytes.Equal(data, here.exported(t, id)) {
		t.Error("two exports are not the same bytes")
	}
	got, err := there.imported(t, data)
	want, _ := here.Summary(t.Context(), id)
	want.Imported = true
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got %+v, want %+v, %v", got, want, err)
	}
	if !bytes.Equal(there.bytes(id), here.bytes(id)) || !bytes.Equal(there.exported(t, id), data) {
		t.Error("it is not the same there")
	}
	rep := there.verified(t, id)
	if rep.Damage != nil || !rep.Finished || !rep.Indexed || rep.Keys[0].Known || rep.Blobs != 3 {
		t.Errorf("%+v", rep)
	}
	a, err := here.records(t, id)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := there.records(t, id); err != nil || !reflect.DeepEqual(c, a) {
		t.Errorf("the records are not the same: %v", err)
	}
	before := there.state()
	if again, err := there.imported(t, data); err != nil || again.ID != id || there.state() != before {
		t.Errorf("again: %+v, %v", again, err)
	}
	if s, err := here.imported(t, data); err != nil || s.Imported {
		t.Errorf("where it came from: %+v, %v", s, err)
	}
	// An import that broke off goes on.
	for _, n := range []int{0, 100, 2000} {
		there.replace(id, here.bytes(id)[:n])
		there.index.docs = newMemIndex().docs
		if _, err := there.imported(t, data); err != nil || !bytes.Equal(there.bytes(id), here.bytes(id)) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
	// Another run of that name stays as it is.
	for _, other := range []string{"hello\n", string(here.bytes(id)) + "more", string(here.bytes(id)[:500]) + "\n"} {
		there.replace(id, []byte(other))
		before = there.state()
		if _, err := there.imported(t, data); fault.KindOf(err) != fault.Conflict || there.state() != before {
			t.Errorf("over another run: %v", err)
		}
	}
	there.replace(id, here.bytes(id)[:2000])
	if _, err := there.imported(t, data); fault.KindOf(err) != fault.Conflict {
		t.Errorf("over a run that was cut: %v", err)
	}
}

// TestOpenBundle reads a run where it stands.
func TestOpenBundle(t *testing.T) {
	here := newBench(t)
	id := here.write(t, sample()...)
	data := here.exported(t, id)
	path := filepath.Join(t.TempDir(), "run.praxis")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	there := newBench(t)
	b, err := there.OpenBundle(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var got []event.Record
	for r, err := range b.Records(t.Context(), id) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	want, err := here.records(t, id)
	if err != nil || b.Run() != id || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %d records, %v", b.Run(), len(got), err)
	}
	for _, err := range b.Records(t.Context(), "20261121-031455-0000") {
		if fault.KindOf(err) != fault.NotFound {
			t.Errorf("another run: %v", err)
		}
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := there.OpenBundle(t.Context(), path); err == nil {
		t.Error("a damaged one was opened")
	}
}

// TestImportUnfinished takes in a run without an end, which stays so.
func TestImportUnfinished(t *testing.T) {
	here, there := newBench(t), newBench(t)
	_, r := here.begin(t)
	r.Emit(event.StepBegan{N: 1})
	r.Close()
	s, err := there.imported(t, here.exported(t, r.ID()))
	if err != nil || s.Status != Unfinished {
		t.Fatalf("%+v, %v", s, err)
	}
	there.write(t)
	if _, err := there.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	there.write(t)
	if !bytes.Equal(there.bytes(r.ID()), here.bytes(r.ID())) {
		t.Error("something was written into it")
	}
	if runs, err := there.Runs(t.Context(), Query{Status: Unfinished}); err != nil || len(runs) != 1 || !runs[0].Imported {
		t.Errorf("%+v, %v", runs, err)
	}
}

// TestImportFullDisk has the disk be full at every operation of an import.
func TestImportFullDisk(t *testing.T) {
	here := newBench(t)
	id := here.write(t, sample()...)
	data := here.exported(t, id)
	for n := 0; ; n++ {
		there := newBench(t)
		there.disk.left = n
		_, err := there.imported(t, data)
		if err == nil {
			if n < 4 {
				t.Errorf("only %d operations", n)
			}
			return
		}
		if fault.KindOf(err) != fault.Exhausted || len(there.disk.logs) > 0 || len(there.index.docs) > 0 {
			t.Errorf("%d: %v, %d logs, %d rows", n, err, len(there.disk.logs), len(there.index.docs))
		}
		there.disk.left = -1
		if _, err := there.imported(t, data); err != nil {
			t.Errorf("%d: with space again: %v", n, err)
		}
	}
}

// part is an entry of a bundle that is put together by hand.
type part struct {
	name string
	data []byte
	mode fs.FileMode
}

// parts returns the entries of a bundle.
func parts(t testing.TB, data []byte) (out []part) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		content, err := readEntry(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, part{name: f.Name, data: content})
	}
	return out
}

func packParts(t testing.TB, all []part) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, p := range all {
		h := &zip.FileHeader{Name: p.name, Method: zip.Deflate}
		if p.mode != 0 {
			h.SetMode(p.mode)
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write(p.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestImportLies has bundles that are not what they say. Nothing is written.
func TestImportLies(t *testing.T) {
	here := newBench(t)
	id := here.write(t, sample()...)
	good := parts(t, here.exported(t, id))
	with := func(name string, change func(p *part)) []part {
		out := append([]part(nil), good...)
		for i := range out {
			if strings.HasPrefix(out[i].name, name) {
				out[i].data = bytes.Clone(out[i].data)
				change(&out[i])
				return out
			}
		}
		t.Fatalf("no %s", name)
		return nil
	}
	without := func(name string) []part {
		var out []part
		for _, p := range good {
			if !strings.HasPrefix(p.name, name) {
				out = append(out, p)
			}
		}
		return out
	}
	more := func(p part) []part { return append(append([]part(nil), good...), p) }
	manifest := func(old, new string) []part {
		return with(manifestName, func(p *part) { p.data = bytes.ReplaceAll(p.data, []byte(old), []byte(new)) })
	}
	lines := spans(good[1].data)
	for name, c := range map[string]struct {
		parts []part
		want  string
	}{
		"no manifest":       {without(manifestName), "is missing"},
		"no journal":        {without(logName), "is missing"},
		"no contents":       {without(blobFolder), "it has 0 contents"},
		"a path":            {more(part{name: "../../evil"}), "does not belong"},
		"an absolute path":  {more(part{name: "/etc/passwd"}), "does not belong"},
		"a backslash":       {more(part{name: `blobs\x`}), "does not belong"},
		"a path in blobs":   {more(part{name: "blobs/../" + strings.Repeat("a", 64)}), "does not belong"},
		"a folder":          {more(part{name: "blobs/"}), "is no plain file"},
		"a link":            {more(part{name: "blobs/" + strings.Repeat("a", 64), mode: fs.ModeSymlink | 0o777, data: []byte("/etc/passwd")}), "is no plain file"},
		"twice":             {more(good[1]), "is in it twice"},
		"unknown content":   {more(part{name: "blobs/" + strings.Repeat("a", 64)}), "it has 3 contents, not the 2"},
		"content changed":   {with(blobFolder, func(p *part) { p.data[0] ^= 1 }), "was changed"},
		"content longer":    {with(blobFolder, func(p *part) { p.data = append(p.data, 'x') }), "is not what the manifest says"},
		"content of no use": {append(manifest(`"blobs":[`, `"blobs":[{"sha256":"`+strings.Repeat("0", 63)+`1","bytes":0},`), part{name: "blobs/" + strings.Repeat("0", 63) + "1"}), "contents that no record refers to"},
		"manifest text":     {with(manifestName, func(p *part) { p.data = []byte("hello") }), "its manifest is none"},
		"manifest fields":   {manifest(`"version":1`, `"version":1,"more":1`), "its manifest is none"},
		"manifest version":  {manifest(`"version":1`, `"version":3`), "bundle of version 3"},
		"no children":       {manifest(`"version":1`, `"version":2`), "its children are not those"},
		"a child":           {more(part{name: childFolder + id + bundleExt, data: []byte("PK")}), "its children are not those"},
		"a packed child": {append(with(manifestName, func(p *part) {
			p.data = bytes.Replace(p.data, []byte(`"version":1`), []byte(`"version":2`), 1)
			p.data = append(p.data[:len(p.data)-1], []byte(`,"children":["`+id+`"]}`)...)
		}), part{name: childFolder + id + bundleExt, data: []byte("PK")}), "is not stored as it must be"},
		"a path as a child":  {more(part{name: childFolder + "../" + id + bundleExt}), "does not belong"},
		"manifest sort":      {manifest(`"praxis":"run"`, `"praxis":"session"`), "cannot be"},
		"manifest run":       {manifest(id, "../../../../../../et"), "cannot be"},
		"another run":        {manifest(id, "20261121-031455-ffff"), "it is the journal of run " + id},
		"manifest records":   {manifest(`"records":1`, `"records":9`), "the manifest knows"},
		"manifest bytes":     {manifest(`"bytes":3`, `"bytes":4`), "the manifest says"},
		"manifest head":      {manifest(`"head":"`, `"head":"00`), "cannot be"},
		"journal cut":        {with(logName, func(p *part) { p.data = p.data[:lines[5]] }), "the manifest says"},
		"journal cut, fitly": {manifestOf(t, with(logName, func(p *part) { p.data = p.data[:lines[5]] })), "the manifest knows"},
		"journal changed":    {with(logName, func(p *part) { p.data[lines[4]+50] ^= 1 }), "damaged at record 4"},
		"journal empty":      {manifestOf(t, with(logName, func(p *part) { p.data = nil })), "empty"},
	} {
		there := newBench(t)
		before := there.state()
		_, err := there.imported(t, packParts(t, c.parts))
		if err == nil || !strings.Contains(err.Error(), c.want) || there.state() != before {
			t.Errorf("%s: %v", name, err)
		}
		if kind := fault.KindOf(err); kind != fault.Invalid && kind != fault.Conflict || fault.RemedyOf(err) == "" {
			t.Errorf("%s: %v has the kind %v, remedy %q", name, err, kind, fault.RemedyOf(err))
		}
	}
}

// manifestOf has the manifest say how long the journal is.
func manifestOf(t testing.TB, all []part) []part {
	t.Helper()
	var m manifest
	if err := strict(all[0].data, &m); err != nil {
		t.Fatal(err)
	}
	m.Bytes = int64(len(all[1].data))
	all[0].data, _ = event.Encode(m)
	return all
}

// TestImportForged takes in nothing that is signed and cannot be read.
func TestImportForged(t *testing.T) {
	key, _, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	id := "20261121-031455-aaaa"
	head := fmt.Sprintf(`{"format":1,"events":1,"run":"%s","key":"%s"}`, id, key.Public)
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"no such field": {[]string{"run_began", `{"evil":1}`}, "cannot read event run_began"},
		"no run":        {[]string{"step_began", `{"step":1}`}, "does not begin as its name says"},
		"much":          {[]string{"run_began", `{"question":"x"}`, "execution_began", `{"code":` + bomb() + `}`}, "longer than"},
	} {
		log := forge(t, key, id, append([]string{headerKind, head}, c.lines...)...)
		blob := strings.Repeat("x", 100<<20)
		if name != "much" {
			blob = ""
		}
		m := manifest{Praxis: "run", Version: 1, Run: id, Records: int64(len(spans(log)) - 1), Bytes: int64(len(log)), Head: hashLine(log[spans(log)[len(spans(log))-2] : len(log)-1])}
		all := []part{{}, {name: logName, data: log}}
		if blob != "" {
			m.Blobs = []manifestBlob{{hashLine([]byte(blob)), int64(len(blob))}}
			all = append(all, part{name: blobFolder + m.Blobs[0].SHA256, data: []byte(blob)})
		}
		data, err := event.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		all[0] = part{name: manifestName, data: data}
		there := newBench(t)
		before := there.state()
		if _, err := there.imported(t, packParts(t, all)); err == nil || !strings.Contains(err.Error(), c.want) || there.state() != before {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// bomb refers to the same long content many times in one record.
func bomb() string {
	sum := hashLine([]byte(strings.Repeat("x", 100<<20)))
	ref := fmt.Sprintf(`{"$blob":"%s","bytes":%d}`, sum, 100<<20)
	return "[" + strings.Repeat(ref+",", 99) + ref + "]"
}

// FuzzImport has Import read anything. What it refuses leaves nothing behind;
// what it takes can be verified and exported again.
func FuzzImport(f *testing.F) {
	here := newBench(f)
	id := here.write(f, event.ExecutionBegan{Code: strings.Repeat("x", 2100)})
	whole := here.exported(f, id)
	f.Add(whole)
	f.Add(whole[:len(whole)-30])
	for i := range 3 {
		all := parts(f, whole)
		f.Add(packParts(f, append(all[:i], all[i+1:]...)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		there := newBench(t)
		before := there.state()
		s, err := there.imported(t, data)
		if err != nil {
			if there.state() != before {
				t.Fatalf("something was written: %v", err)
			}
			return
		}
		if rep := there.verified(t, s.ID); rep.Damage != nil {
			t.Fatal(rep.Damage)
		}
		there.exported(t, s.ID)
	})
}

func TestCollect(t *testing.T) {
	b := newBench(t)
	code := func(c string) event.Event { return event.ExecutionBegan{Code: strings.Repeat(c, 2100)} }
	old := b.write(t, code("a"), code("b"))
	b.clock.pass(48 * time.Hour)
	young := b.write(t, code("b"), code("c"))
	put := func(s string, age time.Duration) string {
		blob, err := b.cfg.Blobs.Put(t.Context(), strings.NewReader(s))
		if err != nil {
			t.Fatal(err)
		}
		b.disk.times[blob.SHA256] = time.Now().Add(-age)
		return blob.SHA256
	}
	for sum := range b.disk.times {
		b.disk.times[sum] = time.Now().Add(-48 * time.Hour)
	}
	lost, fresh, other := put("lost", 2*time.Hour), put("fresh", time.Minute), put("other", 2*time.Hour)
	others := func(yield func(string)) error { yield(other); return nil }
	what := Collect{DryRun: true, Others: func(_ context.Context, yield func(string)) error { return others(yield) }}
	before := b.state()
	got, err := b.Collect(t.Context(), what)
	if err != nil || got.Blobs != 1 || got.Bytes != 4 || got.Remaining != 5 || len(got.Runs) != 0 || b.state() != before {
		t.Errorf("dry: %+v, %v", got, err)
	}
	what.DryRun = false
	if again, err := b.Collect(t.Context(), what); err != nil || again.Blobs != 1 || b.disk.blobs[lost] != nil || b.disk.blobs[fresh] == nil || b.disk.blobs[other] == nil || len(b.disk.blobs) != 5 {
		t.Errorf("%+v, %v, %d blobs", again, err, len(b.disk.blobs))
	}
	what.OlderThan = 24 * time.Hour
	what.Keep = func(s Summary) bool { return s.ID == old }
	if got, err := b.Collect(t.Context(), what); err != nil || len(got.Runs) != 0 {
		t.Errorf("kept: %+v, %v", got, err)
	}
	what.Keep, what.DryRun = nil, true
	dry, err := b.Collect(t.Context(), what)
	if err != nil || len(dry.Runs) != 1 || dry.Runs[0] != old || dry.Blobs != 1 {
		t.Errorf("dry: %+v, %v", dry, err)
	}
	what.DryRun = false
	got, err = b.Collect(t.Context(), what)
	dry.DryRun = false
	if err != nil || fmt.Sprint(got) != fmt.Sprint(dry) {
		t.Errorf("%+v, %v; the dry run said %+v", got, err, dry)
	}
	if rep := b.verified(t, young); !rep.OK() {
		t.Errorf("%+v", rep)
	}
	if _, err := b.Verify(t.Context(), old); fault.KindOf(err) != fault.NotFound {
		t.Errorf("%v", err)
	}
	// Also a journal that is damaged keeps what it refers to.
	data := b.bytes(young)
	data[5] ^= 1
	b.replace(young, data)
	for sum := range b.disk.times {
		b.disk.times[sum] = time.Now().Add(-48 * time.Hour)
	}
	if got, err := b.Collect(t.Context(), Collect{}); err != nil || got.Remaining != 2 || got.Blobs != 2 {
		t.Errorf("damaged: %+v, %v", got, err)
	}
}

// TestPrefixedBundle refuses a bundle with something before its first entry, which
// programs that read zips skip, or with a comment.
func TestPrefixedBundle(t *testing.T) {
	b := newBench(t)
	id := b.write(t)
	var bundle bytes.Buffer
	if err := b.Export(t.Context(), id, &bundle); err != nil {
		t.Fatal(err)
	}
	good := bundle.Bytes()
	comment := bytes.Clone(good)
	comment = append(comment, "more"...)
	comment[len(good)-2] = 4
	for name, data := range map[string][]byte{
		"whole":        good,
		"letters":      append([]byte("PK to begin with"), good...),
		"a script":     append([]byte("#!/bin/sh\nexit\n"), good...),
		"a header":     append(bytes.Clone(good[:30]), good...),
		"zeros":        append(make([]byte, 64), good...),
		"with comment": comment,
	} {
		file := filepath.Join(t.TempDir(), "run.praxis")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		rep, err := b.VerifyFile(t.Context(), file)
		if err != nil || rep.OK() != (name == "whole") {
			t.Errorf("%s: verify: %+v, %v", name, rep, err)
		}
		opened, err := b.OpenBundle(t.Context(), file)
		if (err == nil) != (name == "whole") {
			t.Errorf("%s: open: %v", name, err)
		}
		if err == nil {
			opened.Close()
		}
	}
}

// stuck are logs that cannot be removed, although nobody writes them.
type stuck struct{ memLogs }

func (stuck) Remove(context.Context, string) error {
	return fault.New(fault.Conflict, "Look at it.", "it is a folder")
}

// TestCollectSaysWhy says why a run cannot be removed that nobody writes.
func TestCollectSaysWhy(t *testing.T) {
	b := newBench(t)
	b.write(t)
	b.clock.pass(time.Hour)
	b.cfg.Logs = stuck{memLogs{b.disk}}
	if _, err := b.Collect(t.Context(), Collect{OlderThan: time.Minute}); err == nil || !strings.Contains(err.Error(), "it is a folder") {
		t.Errorf("got %v", err)
	}
}
