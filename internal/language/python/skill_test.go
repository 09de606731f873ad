package python

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const skillMIME = "application/vnd.praxis.skill+json"

// startWithSkills starts a kernel in a session that has skills.
func startWithSkills(t *testing.T, skills map[string]string) *kernel {
	t.Helper()
	dir := t.TempDir()
	skills[KeepSkill] = KeepSkillCode()
	for name, code := range skills {
		if err := os.WriteFile(filepath.Join(dir, name+".py"), []byte(code), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	return start(t, nil, "PRAXIS_SKILLS="+dir)
}

// What a function uses of its session is kept with it, and nothing else.
func TestKeepSkill(t *testing.T) {
	k := startWithSkills(t, map[string]string{})
	k.Run(`import math, re, json as j
from collections import Counter
from skills import keep_skill
FACTOR = 2
WORD = re.compile(r"\w+", re.I)
total = 99
class Found:
    def __init__(self, n): self.n = n
def twice(x: int) -> int:
    return FACTOR * x
def _unused(): return total`)
	r := k.Run(`def count_words(text: str, least: int = FACTOR) -> dict:
    """Count the words of a text."""
    total = Counter(WORD.findall(text))
    return {w: Found(twice(n)).n for w, n in total.items() if n >= least and math.floor(n)}
keep_skill(count_words, "Counts  the words\nof a text.", '''
assert count_words("a b a") == {"a": 4}
from skills import count_words as again
assert again("x") == {}
''')`)
	if len(r.Displays) != 1 || !strings.Contains(r.Stdout, "The tests of count_words passed") {
		t.Fatalf("got %+v\n%s", r, trace(r))
	}
	var found map[string]string
	if err := json.Unmarshal([]byte(r.Displays[0][skillMIME]), &found); err != nil {
		t.Fatal(err)
	}
	want := `from collections import Counter
import math
import re


FACTOR = 2


WORD = re.compile('\\w+', 34)


class Found:
    def __init__(self, n): self.n = n


def twice(x: int) -> int:
    return FACTOR * x


def count_words(text: str, least: int = FACTOR) -> dict:
    """Count the words of a text."""
    total = Counter(WORD.findall(text))
    return {w: Found(twice(n)).n for w, n in total.items() if n >= least and math.floor(n)}
`
	if found["code"] != want || found["description"] != "Counts the words of a text." {
		t.Errorf("got %s\n%q", found["code"], found["description"])
	}
}

func TestKeepSkillRefuses(t *testing.T) {
	k := startWithSkills(t, map[string]string{"twice": "def twice(x): return 2 * x\n"})
	k.Run("from skills import keep_skill\ntable = object()\ndef outer():\n    x = [1]\n    def inner(): return x\n    return inner\ndef good(x): return x\ndef bad(): return table\ndef Upper(): pass")
	for code, want := range map[string]string{
		`keep_skill(bad, "d", "assert bad()")`:     "it uses table, a object of this session. Pass it as an argument",
		`keep_skill(outer(), "d", "assert 1")`:     "defined inside of another function",
		`keep_skill(Upper, "d", "assert 1")`:       "words in lower case",
		`keep_skill(lambda x: x, "d", "assert 1")`: "words in lower case",
		"from skills import twice\ndef four(x): return twice(twice(x))\nkeep_skill(four, 'd', 'assert four(1) == 4')": "it uses the skill twice, and is tested where no other skill is",
		`keep_skill(3, "d", "assert 1")`:                                                                   "takes a function",
		`keep_skill(good, " ", "assert good(1)")`:                                                          "say in a sentence",
		`keep_skill(good, "d", "good(1)")`:                                                                 "have no assert",
		`keep_skill(good, "d", "assert 1 + 1")`:                                                            "do not call it",
		`keep_skill(good, "d", "def test_it():\n    assert good(1) == 2")`:                                 "AssertionError",
		`keep_skill(good, "d", 3)`:                                                                         "tests are a text",
		"def wild(): return nothing_there\nkeep_skill(wild, 'd', 'assert wild()')":                         "uses nothing_there, which is not defined",
		"def long(): return '" + strings.Repeat("x", 70_000) + "'\nkeep_skill(long, 'd', 'assert long()')": "longer than 65,536 bytes",
	} {
		r := k.Run(code)
		if !strings.Contains(trace(r), want) || len(r.Displays) > 0 {
			t.Errorf("%.80s: got %+v, want %s", code, trace(r), want)
		}
	}
}

// A skill is loaded once, and again when its file is another one.
func TestSkillsModule(t *testing.T) {
	dir := t.TempDir()
	write := func(code string) {
		t.Helper()
		_ = os.Remove(filepath.Join(dir, "twice.py"))
		if err := os.WriteFile(filepath.Join(dir, "twice.py"), []byte(code), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	write("print('loaded')\ndef twice(x): return 2 * x\n")
	if err := os.WriteFile(filepath.Join(dir, KeepSkill+".py"), []byte(KeepSkillCode()), 0o400); err != nil {
		t.Fatal(err)
	}
	k := start(t, nil, "PRAXIS_SKILLS="+dir)
	if r := k.Run("from skills import twice\nfrom skills import twice\ntwice(4)"); r.Stdout != "loaded\n" || value(r) != "8" {
		t.Errorf("got %+v", r)
	}
	write("def twice(x, y=0):\n    '''Double.\n\n    More.'''\n    return 2 * x + y\n")
	if r := k.Run("from skills import twice\ntwice(4, 1)"); value(r) != "9" {
		t.Errorf("got %+v", r)
	}
	if r := k.Run("import pickle\npickle.loads(pickle.dumps(twice)) is twice"); value(r) != "True" {
		t.Errorf("got %+v", r)
	}
	if r := k.Run("from skills import other"); !strings.Contains(trace(r), "cannot import name 'other'") {
		t.Errorf("got %+v", r)
	}
	r := k.Run(CheckSkill("twice", "assert twice(2) == 4\ndef test_more():\n    assert twice(1, 1) == 3\n"))
	if len(r.Displays) != 1 || !strings.Contains(r.Displays[0][skillMIME], `{"signature": "(x, y=0)", "doc": "Double.", "python": "3.14.`) {
		t.Errorf("got %+v", r)
	}
	if r := k.Run(CheckSkill("twice", "assert twice(2) == 5")); !strings.Contains(trace(r), "assert twice(2) == 5") {
		t.Errorf("got %+v", r)
	}
}

func trace(r cellResult) string {
	if r.Done.Error == nil {
		return ""
	}
	return r.Done.Error.Name + ": " + r.Done.Error.Value + "\n" + r.Done.Error.Traceback
}

func value(r cellResult) string { return r.Done.Result["text"] }
