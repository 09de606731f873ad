package action_test

import (
	"reflect"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/agent/action"
	"praxis/internal/llm"
)

var everything = []action.Kind{action.Save, action.Search, action.History}

const pointer = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

func TestMemoryInText(t *testing.T) {
	save := func(text string, tags ...string) action.Action {
		return action.Action{Kind: action.Save, Text: text, Tags: tags, Call: -1}
	}
	search := func(text string) action.Action {
		return action.Action{Kind: action.Search, Text: text, Call: -1}
	}
	history := func(pointer string, part int) action.Action {
		return action.Action{Kind: action.History, Text: pointer, Part: part, Call: -1}
	}
	for name, tt := range map[string]struct {
		text string
		want action.Action
	}{
		"note":                     {"I keep it.\n'''note\nAmounts are in euro.\n'''", save("Amounts are in euro.")},
		"tags below":               {"'''note\nAmounts are in euro.\ntags: money, sales 2024\n'''", save("Amounts are in euro.", "money", "sales 2024")},
		"tags above":               {"'''save_note\nTags: #money #sales\nAmounts are in euro.\n'''", save("Amounts are in euro.", "money", "sales")},
		"tags behind the fence":    {"'''note tags: money\nAmounts are in euro.\n'''", save("Amounts are in euro.", "money")},
		"tags as a list":           {"'''note\ntext: Amounts are in euro.\ntags: [\"money\", \"sales\"]\n'''", save("Amounts are in euro.", "money", "sales")},
		"attributes":               {"'''{.Note}\nAmounts are in euro.\n'''", save("Amounts are in euro.")},
		"several lines":            {"~~~remember\nAmounts are in euro.\n\nDates: day first.\n~~~", save("Amounts are in euro.\n\nDates: day first.")},
		"note as an object":        {"'''note\n{\"text\": \"Amounts are in euro.\", \"tags\": [\"money\", 3, \" \"]}\n'''", save("Amounts are in euro.", "money")},
		"element":                  {"<save_note>\nAmounts are in euro.\ntags: money\n</save_note>", save("Amounts are in euro.", "money")},
		"written call":             {`{"name": "save_note", "arguments": {"note": "Amounts are in euro.", "tags": "money; sales"}}`, save("Amounts are in euro.", "money", "sales")},
		"unclosed":                 {"'''note\nAmounts are in euro.", save("Amounts are in euro.")},
		"bare block beside":        {"'''\nx | y\n'''\n'''note\nAmounts are in euro.\n'''", save("Amounts are in euro.")},
		"recall":                   {"'''recall\ncurrency of the amounts\n'''", search("currency of the amounts")},
		"recall in one line":       {"'''recall currency\n'''", search("currency")},
		"recall with a label":      {"'''search_notes\nquery: currency\n'''", search("currency")},
		"recall element":           {"<search_notes>currency</search_notes>", search("currency")},
		"written search":           {`{"tool": "search_notes", "query": "currency"}`, search("currency")},
		"history":                  {"'''history\n" + pointer + " part 3\n'''", history(pointer, 3)},
		"history by lines":         {"'''history\npointer: " + strings.ToUpper(pointer) + "\npart: 12\n'''", history(pointer, 12)},
		"history with a number":    {"'''read_history\n" + pointer + " 2\n'''", history(pointer, 2)},
		"history from the start":   {"'''history\n" + pointer[:12] + "\n'''", history(pointer[:12], 1)},
		"history of what there is": {"'''history\n'''", history("", 1)},
		"history as an object":     {"'''history\n{\"pointer\": \"" + pointer + "\", \"part\": 2}\n'''", history(pointer, 2)},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := action.Parse(llm.Reply{Text: fences(tt.text)}, py, everything...)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Action, tt.want) || got.Trimmed != "" || len(got.Beside) > 0 {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestMemoryCalls(t *testing.T) {
	for name, tt := range map[string]struct {
		call llm.Call
		want action.Action
	}{
		"save":         {llm.Call{Name: "save_note", Input: map[string]any{"text": " a ", "tags": []any{"x", "y"}}}, action.Action{Kind: action.Save, Text: "a", Tags: []string{"x", "y"}}},
		"save as text": {llm.Call{Name: "functions.save-note", Raw: `"a"`}, action.Action{Kind: action.Save, Text: "a"}},
		"search":       {llm.Call{Name: "search_notes", Input: map[string]any{"query": "a"}}, action.Action{Kind: action.Search, Text: "a"}},
		"any name":     {llm.Call{Name: "search_notes", Input: map[string]any{"what": "a"}}, action.Action{Kind: action.Search, Text: "a"}},
		"history":      {llm.Call{Name: "read_history", Input: map[string]any{"pointer": pointer, "part": 2.0}}, action.Action{Kind: action.History, Text: pointer, Part: 2}},
		"part as text": {llm.Call{Name: "read_history", Input: map[string]any{"pointer": pointer, "part": "2"}}, action.Action{Kind: action.History, Text: pointer, Part: 2}},
		"no arguments": {llm.Call{Name: "read_history", Input: map[string]any{}}, action.Action{Kind: action.History, Part: 1}},
		"bare pointer": {llm.Call{Name: "read_history", Raw: pointer + " part 4"}, action.Action{Kind: action.History, Text: pointer, Part: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := action.Parse(llm.Reply{Calls: []llm.Call{tt.call}}, py, everything...)
			if err != nil || !reflect.DeepEqual(got.Action, tt.want) {
				t.Errorf("got %+v, %v, want %+v", got.Action, err, tt.want)
			}
		})
	}
}

func TestMemoryRejected(t *testing.T) {
	for name, tt := range map[string]struct {
		reply llm.Reply
		want  string
	}{
		"empty note":     {llm.Reply{Text: "'''note\n\n'''"}, "the text of save_note is empty"},
		"only tags":      {llm.Reply{Text: "'''note\ntags: a\n'''"}, "the text of save_note is empty"},
		"empty query":    {llm.Reply{Text: "'''recall\n'''"}, "the query of search_notes is empty"},
		"cut note":       {llm.Reply{Text: "'''note\nAmounts are", Cut: true}, "it was cut at the bound"},
		"no text":        {llm.Reply{Calls: []llm.Call{{Name: "save_note", Input: map[string]any{"a": 1.0, "b": 2.0}}}}, `save_note lacks the argument "text"`},
		"no query":       {llm.Reply{Calls: []llm.Call{{Name: "search_notes", Input: map[string]any{}}}}, `search_notes lacks the argument "query"`},
		"part of a part": {llm.Reply{Calls: []llm.Call{{Name: "read_history", Input: map[string]any{"part": 1.5}}}}, `"part" is 1.5: parts of the history count from 1`},
		"part zero":      {llm.Reply{Text: "'''history\npart 0\n'''"}, "parts of the history count from 1"},
		"part in words":  {llm.Reply{Calls: []llm.Call{{Name: "read_history", Input: map[string]any{"part": "two"}}}}, `"part" is not a number`},
		"too long":       {llm.Reply{Text: "'''note\n" + strings.Repeat("x", action.MaxCode+1) + "\n'''"}, "the bound is 262144"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.reply.Text = fences(tt.reply.Text)
			_, err := action.Parse(tt.reply, py, everything...)
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}

// TestMemoryNotAvailable checks that a reply means what it meant before when the
// run has no memory.
func TestMemoryNotAvailable(t *testing.T) {
	for name, tt := range map[string]struct {
		reply llm.Reply
		want  string // the error, or the answer
	}{
		"block":   {llm.Reply{Text: "'''note\na\n'''"}, `it holds a block of "note"`},
		"element": {llm.Reply{Text: "<save_note>a</save_note>"}, "it holds neither code nor a final answer"},
		"call":    {llm.Reply{Calls: []llm.Call{{Name: "save_note", Input: map[string]any{"text": "a"}}}}, `there is no tool "save_note"`},
		"answer":  {llm.Reply{Text: "FINAL ANSWER: 1\n'''note\na\n'''"}, "1\n'''note\na\n'''"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.reply.Text = fences(tt.reply.Text)
			got, err := action.Parse(tt.reply, py)
			if err == nil && got.Action.Text != fences(tt.want) || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// TestMemoryBeside checks what becomes of several actions in one reply.
func TestMemoryBeside(t *testing.T) {
	call := func(name, argument, text string) llm.Call {
		return llm.Call{Name: name, Input: map[string]any{argument: text}}
	}
	note, other := call("save_note", "text", "a"), call("save_note", "text", "b")
	search, code, answer := call("search_notes", "query", "q"), call("execute_python", "code", "x"), call("final_answer", "text", "42")
	const noteText, searchText, codeText, answerText = "'''note\na\n'''\n", "'''recall\nq\n'''\n", "'''python\nx\n'''\n", "FINAL ANSWER: 42"
	for name, tt := range map[string]struct {
		reply   llm.Reply
		kind    action.Kind
		beside  int
		trimmed string
		text    string // in the notes or in the answers to calls
	}{
		"note and answer":         {llm.Reply{Text: noteText + answerText}, action.Answer, 1, "", ""},
		"answer and note":         {llm.Reply{Text: answerText + "\n" + noteText}, action.Answer, 1, "", ""},
		"two notes":               {llm.Reply{Text: noteText + noteText}, action.Save, 1, "", ""},
		"many notes":              {llm.Reply{Text: strings.Repeat(noteText, 12)}, action.Save, 8, "too many notes in one reply: 3 were not taken", "were not saved"},
		"note and code":           {llm.Reply{Text: noteText + codeText}, action.Run, 1, "", ""},
		"search and code":         {llm.Reply{Text: searchText + codeText}, action.Run, 0, "code and a use of memory: only the code was run", "The code was run; send the other again"},
		"search and answer":       {llm.Reply{Text: searchText + answerText}, action.Search, 0, "what is looked up and a final answer: only the first was looked up", "send it again when you have seen this"},
		"note and search":         {llm.Reply{Text: noteText + searchText}, action.Search, 0, "what is looked up and a use of memory: only the first was looked up", "Nothing else"},
		"calls: note and answer":  {llm.Reply{Calls: []llm.Call{note, answer}}, action.Answer, 1, "", ""},
		"calls: answer and notes": {llm.Reply{Calls: []llm.Call{answer, note, other}}, action.Answer, 2, "", ""},
		"calls: note and code":    {llm.Reply{Calls: []llm.Call{note, code}}, action.Run, 1, "", ""},
		"calls: search, answer":   {llm.Reply{Calls: []llm.Call{answer, search}}, action.Search, 0, "what is looked up and a final answer: only the first was looked up", "Not taken: something was looked up"},
		"calls: many notes":       {llm.Reply{Calls: []llm.Call{note, note, note, note, note, note, note, note, note, note}}, action.Save, 8, "", "Not saved: at most 8"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.reply.Text = fences(tt.reply.Text)
			got, err := action.Parse(tt.reply, py, everything...)
			if err != nil {
				t.Fatal(err)
			}
			if got.Action.Kind != tt.kind || len(got.Beside) != tt.beside || got.Trimmed != tt.trimmed {
				t.Errorf("got kind %d, %d beside, trimmed %q, want %d, %d, %q", got.Action.Kind, len(got.Beside), got.Trimmed, tt.kind, tt.beside, tt.trimmed)
			}
			text := strings.TrimSpace(strings.Join(got.Action.Notes, " ") + strings.Join(got.Unused, " "))
			if !strings.Contains(text, tt.text) || tt.text == "" && text != "" {
				t.Errorf("text = %q, want %q", text, tt.text)
			}
			used := map[int]bool{got.Action.Call: true}
			for _, b := range got.Beside {
				used[b.Call] = true
			}
			for i, u := range got.Unused {
				if used[i] != (u == "") {
					t.Errorf("call %d: used %v, text %q", i, used[i], u)
				}
			}
		})
	}
}

func FuzzParseMemory(f *testing.F) {
	f.Add("'''note tags: a\nb\n'''", "save_note", `{"text": "a", "tags": ["b"]}`, false)
	f.Add("'''recall x\n'''\nFINAL ANSWER: 1", "search_notes", `{"query": "a"}`, true)
	f.Add("'''history\n"+pointer+" part 2\n'''", "read_history", `{"pointer": "`+pointer+`", "part": 2}`, false)
	f.Add("<read_history>abcdef 99999999999</read_history>", "read_history", "12", false)
	f.Fuzz(func(t *testing.T, text, name, raw string, cut bool) {
		c := llm.Call{Name: name}
		c.SetInput(raw)
		for _, r := range []llm.Reply{{Text: fences(text), Cut: cut}, {Cut: cut, Calls: []llm.Call{c, {Name: "save_note", Raw: raw}}}} {
			p, err := action.Parse(r, py, everything...)
			if err != nil {
				if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "\n") || len(p.Beside) > 0 {
					t.Errorf("error = %q, %+v", err, p)
				}
				continue
			}
			for _, a := range append([]action.Action{p.Action}, p.Beside...) {
				if a.Kind < action.Run || a.Kind > action.History || a.Kind != action.History && strings.TrimSpace(a.Text) == "" ||
					a.Kind == action.History && a.Part < 1 {
					t.Errorf("action = %+v", a)
				}
			}
		}
	})
}
