package format

import (
	"strings"
	"testing"
)

func TestFitted(t *testing.T) {
	question := strings.Repeat("long question ", 6)
	cols := func() Table {
		return Table{
			{Head: "ID", cells: []string{"a", "bb"}},
			{Head: "MODEL", Drop: 2, cells: []string{"", "anthropic:claude"}},
			{Head: "COST", Drop: 1, Right: true, cells: []string{"$1", "$10"}},
			{Head: "NONE", Drop: 1, cells: []string{"", ""}},
			{Head: "QUESTION", cells: []string{question, "a\tb"}},
		}
	}
	for width, want := range map[int]string{
		0: "ID  MODEL             COST  QUESTION\n" +
			"a                       $1  " + question[:len(question)-1] + "\n" +
			"bb  anthropic:claude   $10  a\\tb\n",
		60: "ID  MODEL             COST  QUESTION\n" +
			"a                       $1  long question long question lon…\n" +
			"bb  anthropic:claude   $10  a\\tb\n",
		40: "ID  COST  QUESTION\n" +
			"a     $1  long question long question l…\n" +
			"bb   $10  a\\tb\n",
		28: "ID  QUESTION\n" +
			"a   long question long ques…\n" +
			"bb  a\\tb\n",
		5: "ID  QUESTION\n" +
			"a   long qu…\n" +
			"bb  a\\tb\n",
	} {
		if got := Fitted(cols(), width); got != want {
			t.Errorf("width %d: got\n%swant\n%s", width, got, want)
		}
	}
}

// TestFittedTexts checks that texts which are too wide are cut, the names last, and
// that the last column goes on below where it may.
func TestFittedTexts(t *testing.T) {
	name := strings.Repeat("n", 20)
	table := func() Table {
		return Table{
			{Head: "NAME", cells: []string{name}}, {Head: "N", Right: true, cells: []string{"123456789012"}},
			{Head: "TEXT", cells: []string{strings.Repeat("t", 20)}}, {Head: "WHY", Wrap: true, cells: []string{"one two three four five six"}},
		}
	}
	for width, want := range map[int]string{
		70: "NAME                             N  TEXT          WHY\n" +
			name + "  123456789012  ttttttttttt…  one two three four\n" + strings.Repeat(" ", 50) + "five six\n",
		60: "NAME                         N  TEXT      WHY\n" +
			"nnnnnnnnnnnnnnn…  123456789012  ttttttt…  one two three four\n" + strings.Repeat(" ", 42) + "five six\n",
	} {
		if got := Fitted(table(), width); got != want {
			t.Errorf("width %d: got\n%swant\n%s", width, got, want)
		}
	}
}

// TestColumnsOf checks the columns that characters take which are not one column wide.
func TestColumnsOf(t *testing.T) {
	for s, want := range map[string]int{"abc": 3, "日本": 4, "e\u0301": 1, "😀": 2, "": 0, "ｱ": 1, "한국": 4, "…": 1} {
		if got := ColumnsOf(s); got != want {
			t.Errorf("%q: got %d, want %d", s, got, want)
		}
	}
	if got := cutTo("日本語の質問", 7); got != "日本語…" {
		t.Errorf("got %q", got)
	}
	if got := cutTo("日本語", 6); got != "日本語" {
		t.Errorf("got %q", got)
	}
}
