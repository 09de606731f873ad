package tui

import (
	"bytes"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/cli/format"
	"praxis/internal/language"
	"praxis/internal/language/python"
)

const markdownAnswer = "## What **grew**\n" +
	"The north grew by **12 %** in `2024`, see [the report](https://example.com/r), and 2 ** 3 is 8, 3*4*5 is 60.\n" +
	"\n- first: a list whose text is long enough to be broken at the end of a line\n  - below\n1. one\n" +
	"\n| region | units |\n|:--|--:|\n| north | 8 |\n| a \\| b | 12 |\n\n" +
	"| region | remarks |\n|---|---|\n| north | so many words that they do not fit beside the first column here |\n\n" +
	"---\n```python\nif x:\n    return 1\n```\nend \x1b[31m"

func shownAnswer(wrap int, colours bool) string {
	var out bytes.Buffer
	s := NewScreen(&out, colours, max(wrap, 80), language.Table{python.Language()})
	s.Wrap = wrap
	s.Emit(event.AnswerGiven{Text: markdownAnswer})
	_, text, _ := strings.Cut(out.String(), "\n  ")
	return "  " + strings.TrimRight(text, "\n") + "\n"
}

// TestMarkdown checks how an answer looks at a terminal of 60 columns, and that it
// is left as it is elsewhere.
func TestMarkdown(t *testing.T) {
	want := `  What grew
  The north grew by 12 % in ` + "`2024`" + `, see the report
  (https://example.com/r), and 2 ** 3 is 8, 3*4*5 is 60.

  • first: a list whose text is long enough to be broken at
    the end of a line
    • below
  1. one

  region  units
  north       8
  a | b      12

  • region: north
    remarks: so many words that they do not fit beside the
    first column here

  ────────────────────────────────────────
  │ if x:
  │     return 1
  end \x1b[31m
`
	got := shownAnswer(60, false)
	if got != want {
		t.Errorf("the answer is shown as\n%s\nwant\n%s", got, want)
	}
	for line := range strings.Lines(got) {
		if format.ColumnsOf(line) > 61 {
			t.Errorf("%q is wider than the terminal", line)
		}
	}
	painted := shownAnswer(60, true)
	for _, part := range []string{"\x1b[1mWhat grew\x1b[0m", "\x1b[1m12 %\x1b[0m", "\x1b[36m2024\x1b[0m", "\x1b[35mif\x1b[0m"} {
		if !strings.Contains(painted, part) {
			t.Errorf("%q is not in %q", part, painted)
		}
	}
	if plain := shownAnswer(0, false); !strings.Contains(plain, "## What **grew**") || !strings.Contains(plain, "  | north | 8 |\n") {
		t.Errorf("what is no terminal gets\n%s", plain)
	}
}
