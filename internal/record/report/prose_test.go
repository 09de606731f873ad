package report

import (
	"fmt"
	"strings"
	"testing"

	"praxis/event"
)

func TestProse(t *testing.T) {
	for in, want := range map[string]string{
		"a < b && c > d":      "a < b && c > d",
		"1 <2":                "1 <2",
		"<b>x</b>":            "&lt;b>x&lt;/b>",
		"<!-- x":              "&lt;!-- x",
		`\<b>`:                `\&lt;b>`,
		"&lt; &#60; & x":      "&amp;lt; &amp;#60; & x",
		"[x](y) [x][y]":       `[x]\(y) [x]\[y]`,
		"[y]: javascript:1":   `[y]\: javascript:1`,
		"![x](y)":             `!\[x]\(y)`,
		"$5 and $6":           `\$5 and \$6`,
		`\$5 \\$5 \\\$5`:      `\$5 \\\$5 \\\$5`,
		`a \\ b`:              `a \\ b`,
		"**bold** `code` _x_": "**bold** `code` _x_",
		"\x1b[1m\u202e":       `\x1b[1m\u202e`,
	} {
		if got := prose(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got, want := quote("a\n\n# b\n"), "> a\n> \n> # b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// show writes blocks in a line, so that a table of tests stays readable.
func show(all []block) string {
	var out []string
	spans := func(in []inline) string {
		var b strings.Builder
		for _, s := range in {
			text := s.Text
			if s.Kind != "" {
				text = s.Kind + "(" + text + ")"
			}
			if s.Figure != "" {
				text = "figure(" + text + ")"
			}
			b.WriteString(text)
		}
		return b.String()
	}
	for _, b := range all {
		text := b.Kind + ":" + spans(b.Spans) + b.Code
		if b.Kind == "li" {
			text = fmt.Sprintf("%s%d%s", b.Mark, b.Level, ":"+spans(b.Spans))
		}
		for _, row := range append([][][]inline{b.Head}, b.Rows...) {
			for _, c := range row {
				text += "[" + spans(c) + "]"
			}
		}
		out = append(out, text)
	}
	return strings.Join(out, " / ")
}

func TestBlocks(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		"one\ntwo\n\nthree":               "p:one\ntwo / p:three",
		"# Head #\ntext":                  "h:Head / p:text",
		"#no head":                        "p:#no head",
		"- a\n  - b\n    c\n2. d":         "•0:a / •1:b\nc / 2.0:d",
		"> q\n> r\nlazy":                  "quote:q\nr\nlazy",
		"```py\nx *y* <b>\n```\nafter":    "code:x *y* <b> / p:after",
		"~~~\nopen":                       "code:open",
		"| a | b |\n|---|--:|\n| 1 | `|`": "table:[a][b][1][`][`]",
		`| a \| b |` + "\n|---|\n":        "table:[a | b]",
		"a | b\nc":                        "p:a | b\nc",
		"**s** *e* `c` ``d`e``":           "p:strong(s) em(e) code(c) code(d`e)",
		"2*3*4 a*b ** c ** *d":            "p:2*3*4 a*b ** c ** *d",
		"`open **open *open":              "p:`open **open *open",
		`\*no\* \x`:                       `p:*no* \x`,
		"<script>\x00":                    `p:<script>\x00`,
	} {
		if got := show(blocks(in)); got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", in, got, want)
		}
	}
}

func TestFiguresAreMarked(t *testing.T) {
	s := &timeline{answer: &event.AnswerGiven{Text: "**4** of 14, 4.5 and 4: `7`\n\n| 7 |\n|---|\n| 8 |", Figures: []event.Figure{
		{Text: "4", Source: "computed"}, {Text: "4", Source: "output"}, {Text: "gone", Source: "output"}, {Text: "7", Expression: "n", Source: "computed"}, {Text: "8", Source: "unverified"}}}}
	want := "p:figure(strong(4)) of 14, 4.5 and figure(4): figure(code(7)) / table:[7][figure(8)]"
	if got := show(s.figures(blocks(s.answer.Text))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestGrid(t *testing.T) {
	for name, tt := range map[string]struct{ html, want string }{
		"plain":    {"<table><tr><th>a</th><td>1,000</td></tr></table>", "a!|1000#"},
		"spans":    {`<table><thead><tr><th colspan="2">x<br>y</th></tr></thead><tr><td rowspan=3>1</td></tr></table>`, "x y!2x1;1#1x3"},
		"entities": {"<table><tr><td>&lt;b&gt;&amp;&#x202e;</td></tr></table>", `<b>&\u202e`},
		"open":     {"<table><tr><td>a<td>b<tr><td>c</table>", "a|b;c"},
		"note":     {"<div><table><tr><td>a</td></tr></table><p>2 rows</p></div>", "a (2 rows)"},
		"script":   {"<table><tr><td><script>x</script></td></tr></table>", "none"},
		"image":    {"<table><tr><td><img src=x></td></tr></table>", "none"},
		"link":     {"<table><tr><td><a href=x>y</a></td></tr></table>", "none"},
		"nested":   {"<table><tr><td><table></table></td></tr></table>", "none"},
		"two":      {"<table><tr><td>1</td></tr></table><table><tr><td>1</td></tr></table>", "none"},
		"style":    {"<style>td{color:red}</style><table><tr><td>1</td></tr></table>", "none"},
		"no row":   {"<table><td>1</td></table>", "none"},
		"no table": {"<p>x</p>", "none"},
		"cut":      {"<table><tr><td>1", "none"},
		"less":     {"<table><tr><td>1 < 2</td></tr></table>", "none"},
		"between":  {"<table>x<tr><td>1</td></tr></table>", "none"},
		"comment":  {"<table><tr><td>1</td></tr></table><!-- x -->", "none"},
		"wide":     {`<table><tr><td colspan="1000">1</td></tr></table>`, "none"},
	} {
		got := "none"
		if g := parseGrid(tt.html); g != nil {
			var rows []string
			for _, r := range g.Rows {
				var cells []string
				for _, c := range r.Cells {
					text := c.Text
					if c.Head {
						text += "!"
					}
					if c.Number() {
						text = strings.ReplaceAll(text, ",", "") + "#"
					}
					if c.Cols != 1 || c.Rows != 1 {
						text += fmt.Sprintf("%dx%d", c.Cols, c.Rows)
					}
					cells = append(cells, text)
				}
				rows = append(rows, strings.Join(cells, "|"))
			}
			got = strings.Join(rows, ";")
			if g.Note != "" {
				got += " (" + g.Note + ")"
			}
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}
