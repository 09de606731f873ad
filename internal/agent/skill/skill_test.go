package skill

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"praxis/fault"
)

func outliers() Skill {
	return Skill{
		Name: "find_outliers", Description: "Finds values far from the others: \"odd\" ones, — and: why", Signature: "(values, k=1.5)", Version: 2,
		Origin: Origin{"0123456789abcdef", 3}, Python: "3.14.0", Packages: map[string]string{"pandas": "2.3.1", "numpy": "2.3"},
		Code: "def find_outliers(values, k=1.5):\n    return []\n", Tests: "assert find_outliers([]) == []\n",
	}
}

func module() Skill {
	return Skill{Name: "add", Description: "Adds two numbers", Signature: "(a, b)", Version: 1, Tests: "assert add(a=1, b=2) == 3\n", Tool: "tools: []\n", Module: "\x00asm\x01\x00\x00\x00"}
}

// What is written is read again, and is what its hash names.
func TestRoundTrip(t *testing.T) {
	uses := outliers()
	uses.Uses = map[string]string{"to_rows": module().Hash(), "clean": outliers().Hash()}
	if uses.Hash() == outliers().Hash() {
		t.Error("what a skill uses does not count in its hash")
	}
	for _, s := range []Skill{outliers(), uses, module()} {
		got, err := Read(Folder(s.Name), s.Files())
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(s) || got.Hash() != s.Hash() {
			t.Errorf("got %+v\nwant %+v", got, s)
		}
	}
}

const golden = `---
name: find-outliers
description: "Finds values far from the others: \"odd\" ones, — and: why"
metadata:
  praxis-version: "2"
  praxis-signature: "(values, k=1.5)"
  praxis-run: "0123456789abcdef"
  praxis-step: "3"
  praxis-python: "3.14.0"
  praxis-packages: "numpy==2.3 pandas==2.3.1"
  praxis-hash: "HASH"
---

# find_outliers

Finds values far from the others: "odd" ones, — and: why

` + "```python" + `
from skills import find_outliers

find_outliers(values, k=1.5)
` + "```" + `

It is a function in Python, in ` + "`skill.py`" + `. Its tests are in ` + "`test_skill.py`" + `.
`

func TestDocument(t *testing.T) {
	s := outliers()
	if got := strings.ReplaceAll(s.Files()[Document], s.Hash(), "HASH"); got != golden {
		t.Errorf("got %s", got)
	}
}

// A file that is another one, or a document that says something else, is refused.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(files map[string]string)
		want   string
	}{
		"code":        {func(f map[string]string) { f[CodeFile] += "import os\n" }, "not those that were tested"},
		"tests":       {func(f map[string]string) { f[TestFile] = "assert True" }, "not those that were tested"},
		"description": {func(f map[string]string) { f[Document] = strings.Replace(f[Document], "far from", "near", 1) }, "not those that were tested"},
		"signature":   {func(f map[string]string) { f[Document] = strings.Replace(f[Document], "k=1.5", "k=2", 1) }, "not those that were tested"},
		"other name": {func(f map[string]string) {
			f[Document] = strings.Replace(f[Document], "name: find-outliers", "name: other", 1)
		}, "names"},
		"no tests":    {func(f map[string]string) { delete(f, TestFile) }, "it has no tests"},
		"no code":     {func(f map[string]string) { delete(f, CodeFile) }, "neither a function"},
		"both":        {func(f map[string]string) { f[Module], f[ToolFile] = "x", "y" }, "neither a function"},
		"no document": {func(f map[string]string) { delete(f, Document) }, "does not begin with front matter"},
		"foreign": {func(f map[string]string) {
			f[Document] = "---\nname: find-outliers\ndescription: A skill of another agent\n---\nDo this."
		}, "none of Praxis's"},
		"a list":   {func(f map[string]string) { f[Document] = "---\n- a\n---\n" }, "no YAML of names and values"},
		"bad YAML": {func(f map[string]string) { f[Document] = "---\nname: [\n---\n" }, "no YAML of names and values"},
		"version": {func(f map[string]string) {
			f[Document] = strings.Replace(f[Document], `praxis-version: "2"`, `praxis-version: "-2"`, 1)
		}, "no number"},
		"escape": {func(f map[string]string) { f[Document] = strings.Replace(f[Document], "far from", `\u001b[31m`, 1) }, "not shown"},
		"hidden": {func(f map[string]string) { f[Document] = strings.Replace(f[Document], "far from", `\u202e`, 1) }, "not shown"},
		"packages": {func(f map[string]string) {
			f[Document] = strings.Replace(f[Document], "numpy==2.3", "numpy=="+strings.Repeat("9", 300), 1)
		}, "cannot be read"},
		"uses": {func(f map[string]string) {
			f[Document] = strings.Replace(f[Document], "  praxis-hash", "  praxis-uses: \"clean==1\"\n  praxis-hash", 1)
		}, "cannot be read"},
		"long":    {func(f map[string]string) { f[CodeFile] = strings.Repeat("#", MaxText+1) }, "longer than"},
		"no text": {func(f map[string]string) { f[CodeFile] = "\xff" }, "no text"},
	} {
		files := outliers().Files()
		c.change(files)
		_, err := Read("find-outliers", files)
		if err == nil || !strings.Contains(err.Error(), c.want) || fault.RemedyOf(err) == "" {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
	for _, folder := range []string{"", ".", "..", "find_outliers", "Find", "a--b", "-a", "a/b", "import", "keep-skill", "a\x1b[31m", strings.Repeat("a", 65)} {
		if _, err := Read(folder, outliers().Files()); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: got %v", folder, err)
		}
	}
}

func TestMatch(t *testing.T) {
	all := []Skill{outliers(), module(), {Name: "parse_invoice", Description: "Reads amount and IBAN of an invoice", Signature: "(text)"}}
	for i := range 20 {
		all = append(all, Skill{Name: fmt.Sprintf("sales_%d", i), Description: "Sums sales"})
	}
	names := func(list []Skill) (out []string) {
		for _, s := range list {
			out = append(out, s.Name)
		}
		return out
	}
	if got := names(Match(all, "Which values are outliers?", nil, 5)); !slices.Equal(got, []string{"find_outliers"}) {
		t.Errorf("got %v", got)
	}
	if got := names(Match(all, "What is in it?", []string{"date", "iban"}, 5)); !slices.Equal(got, []string{"parse_invoice"}) {
		t.Errorf("got %v", got)
	}
	first := names(Match(all, "sum the sales", []string{"sales"}, 5))
	if again := names(Match(all, "sum the sales", []string{"sales"}, 5)); len(first) != 5 || !slices.Equal(first, again) {
		t.Errorf("got %v and %v", first, again)
	}
	if got := Match(all, "zzz", nil, 5); len(got) != 0 {
		t.Errorf("got %v", names(got))
	}
}

func TestPack(t *testing.T) {
	pack := func() []byte {
		var b bytes.Buffer
		if err := Pack(&b, []Skill{outliers(), module()}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	data := pack()
	if !bytes.Equal(data, pack()) {
		t.Error("the same skills are other bytes")
	}
	got, err := Unpack(data)
	if err != nil || len(got) != 2 || got[0].Name != "add" || got[1].Hash() != outliers().Hash() {
		t.Fatalf("got %+v, %v", got, err)
	}
}

// entries writes an archive of entries as they are.
func entries(t *testing.T, list ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range list {
		h := &zip.FileHeader{Name: e[0], Method: zip.Deflate}
		if target, link := strings.CutPrefix(e[1], "link "); link {
			h.SetMode(fs.ModeSymlink | 0o777)
			e[1] = target
		}
		f, err := z.CreateHeader(h)
		if err == nil {
			_, err = f.Write([]byte(e[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func whole(extra ...[2]string) (out [][2]string) {
	files := outliers().Files()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		out = append(out, [2]string{"find-outliers/" + name, files[name]})
	}
	return append(out, extra...)
}

func TestUnpackRefuses(t *testing.T) {
	var many [][2]string
	for i := range maxEntries + 1 {
		many = append(many, [2]string{fmt.Sprintf("a%d/skill.py", i), ""})
	}
	tampered := whole()
	tampered[0][1] += "x" // behind the front matter, where nothing is run
	tampered[1][1] += "import os\n"
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"no zip":    {[]byte("hello"), "no zip archive"},
		"empty":     {entries(t), "0 skills"},
		"traversal": {entries(t, whole([2]string{"../evil", "x"})...), "no file of a skill"},
		"deeper":    {entries(t, whole([2]string{"find-outliers/../../skill.py", "x"})...), "no file of a skill"},
		"absolute":  {entries(t, whole([2]string{"/etc/passwd", "x"})...), "no file of a skill"},
		"another":   {entries(t, whole([2]string{"find-outliers/more.py", "x"})...), "no file of a skill"},
		"top":       {entries(t, whole([2]string{"skill.py", "x"})...), "no file of a skill"},
		"dots":      {entries(t, whole([2]string{"../skill.py", "x"})...), "is no name of one"},
		"link":      {entries(t, [2]string{"find-outliers/skill.py", "link /etc/passwd"}), "no file of a skill"},
		"twice":     {entries(t, whole([2]string{"find-outliers/skill.py", "x"})...), "there twice"},
		"bomb":      {entries(t, [2]string{"find-outliers/skill.py", strings.Repeat("a", 50<<20)}), "longer than"},
		"many":      {entries(t, many...), "more than"},
		"tampered":  {entries(t, tampered...), "not those that were tested"},
		"half":      {entries(t, whole()[:1]...), "cannot take the skill"},
		"corrupt":   {bytes.Replace(entries(t, whole()...), []byte("PK\x01\x02"), []byte("PK\x01\x03"), 1), "no zip archive"},
	} {
		got, err := Unpack(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) || got != nil {
			t.Errorf("%s: got %v, %v, want %s", name, got, err, c.want)
		}
	}
}

// FuzzRead reads documents that are anything beside files that are right: they are read as
// what was written, or refused with what to do.
func FuzzRead(f *testing.F) {
	files := outliers().Files()
	f.Add(files[Document], files[CodeFile])
	f.Add("---\nname: find-outliers\nmetadata: &a\n  praxis-hash: *a\n---\n", "x")
	f.Add("---\nname: find-outliers\nmetadata: {praxis-hash: 1, praxis-version: 1e9}\n---\n", "x")
	f.Fuzz(func(t *testing.T, document, code string) {
		s, err := Read("find-outliers", map[string]string{Document: document, CodeFile: code, TestFile: files[TestFile]})
		if err != nil {
			if fault.RemedyOf(err) == "" {
				t.Errorf("no remedy: %v", err)
			}
			return
		}
		again, err := Read("find-outliers", s.Files())
		if err != nil || again.Hash() != s.Hash() || fmt.Sprint(again) != fmt.Sprint(s) {
			t.Errorf("got %+v, %v, want %+v", again, err, s)
		}
	})
}

// FuzzUnpack reads archives that are anything.
func FuzzUnpack(f *testing.F) {
	var b bytes.Buffer
	if err := Pack(&b, []Skill{module(), outliers()}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, data []byte) {
		skills, err := Unpack(data)
		if err != nil && fault.RemedyOf(err) == "" {
			t.Errorf("no remedy: %v", err)
		}
		for _, s := range skills {
			if err := s.Validate(); err != nil {
				t.Error(err)
			}
		}
	})
}

// What a session says of a function is the guest's: it is taken when it can be a skill's.
func TestDecode(t *testing.T) {
	s, err := Decode(`{"name":"twice","description":" Doubles\n a number ","code":"def twice(x): return 2 * x\n","tests":"assert twice(1) == 2\n"}`)
	if err != nil || s.Description != "Doubles a number" {
		t.Fatalf("got %+v, %v", s, err)
	}
	for _, text := range []string{``, `{`, `[]`, `{"name":"../x","description":"d","code":"c","tests":"t"}`, `{"name":"x","description":"\u202e","code":"c","tests":"t"}`, `{"name":"x"}`, strings.Repeat(" ", maxFound+1)} {
		if _, err := Decode(text); err == nil {
			t.Errorf("%.60s was taken", text)
		}
	}
	got, err := s.Tested(`{"signature":"(x: int)","doc":"D","python":"3.14.0","packages":{"numpy":"2.3"}}`)
	if err != nil || got.Signature != "(x: int)" || got.Packages["numpy"] != "2.3" || got.Description != "Doubles a number" {
		t.Errorf("got %+v, %v", got, err)
	}
	got, err = s.Tested(`{"signature":"(x)\u001b[31m","python":"3 14","packages":{"a b":"="}}`)
	if err != nil || got.Signature != "(...)" || got.Python != "" || got.Packages != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	if names, err := UsesFound(`{"uses":["clean","to_rows"]}`); err != nil || !slices.Equal(names, []string{"clean", "to_rows"}) {
		t.Errorf("got %q, %v", names, err)
	}
	for _, text := range []string{`[]`, `{"uses":["*"]}`, `{"uses":["../x"]}`, `{"uses":[` + strings.Repeat(`"a",`, MaxUses) + `"a"]}`} {
		if names, err := UsesFound(text); err == nil {
			t.Errorf("%s: got %q", text, names)
		}
	}
	s.Description = ""
	if got, err = s.Tested(`{"signature":"(x)","doc":"Doubles.\n\u001bmore"}`); err != nil || !strings.HasPrefix(got.Description, "Doubles.") {
		t.Errorf("got %+v, %v", got, err)
	}
}

// FuzzDecode reads messages of a session that are anything.
func FuzzDecode(f *testing.F) {
	f.Add(`{"name":"twice","description":"d","code":"def twice(x): return 2 * x\n","tests":"assert twice(1) == 2\n"}`, `{"signature":"(x)","packages":{"a":"1"}}`)
	f.Fuzz(func(t *testing.T, function, tested string) {
		if names, err := UsesFound(tested); err == nil && slices.ContainsFunc(names, func(n string) bool { return CheckName(n) != nil }) {
			t.Errorf("took %q", names)
		}
		s, err := Decode(function)
		if err != nil {
			return
		}
		if s, err = s.Tested(tested); err != nil {
			return
		}
		s.Version = 1
		if again, err := Read(Folder(s.Name), s.Files()); err != nil || again.Hash() != s.Hash() {
			t.Errorf("%+v: got %+v, %v", s, again, err)
		}
	})
}
