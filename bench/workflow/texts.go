package workflow

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/llm"
	"praxis/internal/tool"
)

func copyTranscript() *world {
	r := dice(7)
	var b strings.Builder
	for i := range 420 {
		fmt.Fprintf(&b, "[%02d:%02d] Speaker %d: %s\n", i/7, i%7*8, 1+r.IntN(5), prose(r, 60+r.IntN(160)))
	}
	transcript := b.String()
	type read struct {
		Meeting string `json:"meeting" jsonschema:"The meeting's number"`
	}
	type note struct {
		Account string `json:"account"`
		Title   string `json:"title"`
		Text    string `json:"text"`
	}
	type added struct {
		Note string `json:"note"`
	}
	var notes []note
	w := &world{want: "The transcript is note n-90001."}
	define(w, "meetings.transcript", "Returns the transcript of a meeting as text.", tool.Read, func(in read) (string, error) {
		if in.Meeting != "m-4711" {
			return "", fault.New(fault.NotFound, "", "there is no meeting %q", in.Meeting)
		}
		return transcript, nil
	})
	define(w, "crm.add_note", "Adds a note to an account and returns its number.", tool.Write, func(in note) (added, error) {
		notes = append(notes, in)
		return added{fmt.Sprintf("n-%d", 90_000+len(notes))}, nil
	})
	w.state = func() error {
		if len(notes) != 1 || notes[0] != (note{"acct-208", "Transcript of m-4711", transcript}) {
			return errors.New("the note is not the transcript")
		}
		return nil
	}
	w.direct = func(t *turn) string {
		text := t.one("I read the transcript.", call("meetings.transcript", "meeting", "m-4711"))
		return noteAnswer(t, t.one("I write it into a note.", call("crm.add_note", "account", "acct-208", "title", "Transcript of m-4711", "text", text.text)))
	}
	w.code = []step{code("I copy it in code, so that no word changes.", `
from tools import crm, meetings

text = meetings.transcript(meeting="m-4711")
note = crm.add_note(account="acct-208", title="Transcript of m-4711", text=text)["note"]
print(len(text), note)
`)}
	w.answer = "The transcript is note {{ note }}."
	return w
}

func noteAnswer(t *turn, h answered) string {
	return "The transcript is note " + read[struct {
		Note string `json:"note"`
	}](t, h).Note + "."
}

type file struct {
	Path       string `json:"path"`
	Characters int    `json:"characters"`
	Changed    string `json:"changed"`
}

type content struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// store is a folder and an archive.
type store struct {
	before, files, archive map[string]string
}

func makeStore() *store {
	r := dice(8)
	s := &store{map[string]string{}, map[string]string{}, map[string]string{}}
	for i := range 40 {
		path := fmt.Sprintf("reports/2024/week-%02d.txt", i+1)
		s.files[path] = fmt.Sprintf("Report of week %d\n\n", i+1) + prose(r, 1500+r.IntN(3000))
		s.before[path] = s.files[path]
	}
	s.files["reports/2025/week-01.txt"] = prose(r, 900)
	return s
}

func (s *store) total() (n int) {
	for _, text := range s.before {
		n += len(text)
	}
	return n
}

// moved says what is wrong after the files were moved.
func (s *store) moved() error {
	if len(s.files) != 1 || len(s.archive) != len(s.before) {
		return fmt.Errorf("%d files are left and %d are in the archive", len(s.files), len(s.archive))
	}
	for path, text := range s.before {
		if s.archive[path] != text {
			return fmt.Errorf("%s is not in the archive as it was", path)
		}
	}
	return nil
}

func (s *store) define(w *world) {
	type folder struct {
		Folder string `json:"folder"`
	}
	type path struct {
		Path string `json:"path"`
	}
	define(w, "files.list", "Lists the files of a folder.", tool.Read, func(in folder) ([]file, error) {
		var out []file
		for p, text := range s.files {
			if strings.HasPrefix(p, strings.TrimSuffix(in.Folder, "/")+"/") {
				out = append(out, file{p, len(text), "2024-12-30"})
			}
		}
		slices.SortFunc(out, func(a, b file) int { return strings.Compare(a.Path, b.Path) })
		return out, nil
	})
	define(w, "files.read", "Returns a file's content as text.", tool.Read, func(in path) (string, error) {
		text, ok := s.files[in.Path]
		if !ok {
			return "", fault.New(fault.NotFound, "", "there is no file %q", in.Path)
		}
		return text, nil
	})
	define(w, "files.remove", "Removes a file.", tool.Write, func(in path) (bool, error) {
		_, ok := s.files[in.Path]
		delete(s.files, in.Path)
		return ok, nil
	})
	define(w, "archive.write", "Writes a file into the archive.", tool.Write, func(in content) (bool, error) {
		s.archive[in.Path] = in.Text
		return true, nil
	})
}

func moveFiles() *world {
	s := makeStore()
	w := &world{want: fmt.Sprintf("%d files with %d characters were moved.", len(s.before), s.total()), state: s.moved}
	s.define(w)
	w.direct = func(t *turn) string {
		list := read[[]file](t, t.one("I list the folder.", call("files.list", "folder", "reports/2024")))
		var reads, writes, removes []llm.Call
		for _, f := range list {
			reads = append(reads, call("files.read", "path", f.Path))
			removes = append(removes, call("files.remove", "path", f.Path))
		}
		total := 0
		for i, h := range t.use("I read the files.", reads...) {
			t.must(h)
			total += len(h.text)
			writes = append(writes, call("archive.write", "path", list[i].Path, "text", h.text))
		}
		t.must(t.use("I write them into the archive.", writes...)...)
		t.must(t.use("I remove the originals.", removes...)...)
		return fmt.Sprintf("%d files with %d characters were moved.", len(list), total)
	}
	w.code = []step{code("I move them in code, each removed after it was written.", `
from tools import archive, files

moved = total = 0
for f in files.list(folder="reports/2024"):
    text = files.read(path=f["path"])
    archive.write(path=f["path"], text=text)
    files.remove(path=f["path"])
    moved += 1
    total += len(text)
print(moved, total, files.list(folder="reports/2024"))
`)}
	w.answer = "{{ moved }} files with {{ total }} characters were moved."
	return w
}

type contract struct {
	Number string `json:"number"`
	Title  string `json:"title"`
}

// renewing answers read_contracts from the texts by number.
func renewing(texts map[string]string) string {
	var out []string
	for number, text := range texts {
		var on string
		var days int
		_, rest, _ := strings.Cut(text, "Renewal. ")
		if _, err := fmt.Sscanf(rest, "This agreement renews on %10s for a year unless one party gives notice %d days before.", &on, &days); err != nil {
			continue
		}
		if on < "2026-04-01" && days > 60 {
			out = append(out, number)
		}
	}
	slices.Sort(out)
	return "They are " + strings.Join(out, ", ") + "."
}

func readContracts() *world {
	r := dice(9)
	list, texts := []contract{}, map[string]string{}
	for i := range 60 {
		c := contract{id("K", i+1), "Agreement on " + pick(r, "maintenance", "supply", "hosting", "consulting", "leasing")}
		list = append(list, c)
		texts[c.Number] = fmt.Sprintf("%s, number %s\n\n1. Subject. %s\n\n2. Duties. %s\n\n3. Renewal. This agreement renews on %s for a year unless one party gives notice %d days before.\n\n4. Liability. %s\n",
			c.Title, c.Number, prose(r, 700+r.IntN(900)), prose(r, 900+r.IntN(1200)), day(365+r.IntN(240)), pick(r, 30, 60, 90, 120), prose(r, 600+r.IntN(900)))
	}
	type in struct {
		Number string `json:"number"`
	}
	w := &world{want: renewing(texts)}
	define(w, "contracts.list", "Lists all contracts.", tool.Read, func(none) ([]contract, error) { return list, nil })
	define(w, "contracts.read", "Returns a contract's text.", tool.Read, func(in in) (string, error) {
		text, ok := texts[in.Number]
		if !ok {
			return "", fault.New(fault.NotFound, "", "there is no contract %q", in.Number)
		}
		return text, nil
	})
	w.direct = func(t *turn) string {
		list := read[[]contract](t, t.one("I list the contracts.", call("contracts.list")))
		var calls []llm.Call
		for _, c := range list {
			calls = append(calls, call("contracts.read", "number", c.Number))
		}
		got := map[string]string{}
		for i, h := range t.use("I read them.", calls...) {
			t.must(h)
			got[list[i].Number] = h.text
		}
		return renewing(got)
	}
	w.code = []step{
		code("I read the contracts and look at what one says about renewal.", `
import re
import tools
from tools import contracts

numbers = [c["number"] for c in contracts.list()]
texts = dict(zip(numbers, tools.map(contracts.read, numbers)))
first = texts[numbers[0]]
print(len(texts), [line[:60] for line in first.splitlines()])
print(re.findall(r"[^.\n]*(?:renew|notice)[^.\n]*", first, re.I))
`),
		code("I take the day and the notice period out of each, and see that no text is without.", `
found = {n: re.search(r"renews on (\d{4}-\d\d-\d\d) .* notice (\d+) days", t) for n, t in texts.items()}
print("not found:", [n for n, m in found.items() if not m])
due = sorted(n for n, m in found.items() if m and m[1] < "2026-04-01" and int(m[2]) > 60)
print(due)
`),
	}
	w.answer = "They are {{ ', '.join(due) }}."
	return w
}
