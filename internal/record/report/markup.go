package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// block is a piece of a model's prose, read as the little Markdown that models
// write. The page shows blocks, never the text as markup: what is not read here
// stands there as it was written.
type block struct {
	Kind  string // "p", "h", "li", "quote", "code", "table"
	Level int    // of a list, from 0
	Mark  string // of a list: "•" or "3."
	Spans []inline
	Code  string
	Head  [][]inline
	Rows  [][][]inline
}

// inline is a piece of a line.
type inline struct {
	Kind   string // "", "code", "strong", "em"
	Text   string
	Figure string // where the figure comes from that the text is; empty: it is none
	Doubt  bool   // the figure was not traced to anything
}

// maxInline bounds a paragraph that is searched for marks.
const maxInline = 64 << 10

var (
	blockFence   = lazyregexp.New("^ {0,3}(```+|~~~+)")
	blockHeading = lazyregexp.New(`^ {0,3}#{1,6} +(.*?)[ #]*$`)
	blockItem    = lazyregexp.New(`^( *)([-*+]|\d{1,4}[.)]) +(.*)$`)
	blockQuote   = lazyregexp.New(`^ {0,3}> ?(.*)$`)
	blockRule    = lazyregexp.New(`^ *\|?( *:?-+:? *\|)+( *:?-+:? *)?$|^ *\| *:?-+:? *$`)
)

// blocks reads prose. The result is visible text.
func blocks(text string) []block {
	r := blockReader{lines: strings.Split(strings.ReplaceAll(safetext.Text(strings.Trim(text, "\n")), "\t", "    "), "\n")}
	for r.at < len(r.lines) {
		r.next()
	}
	r.end()
	return r.out
}

type blockReader struct {
	lines []string
	at    int
	out   []block
	open  *block   // a paragraph, quotation or item that goes on
	text  []string // its lines
}

// end closes the block that is open.
func (r *blockReader) end() {
	if r.open == nil {
		return
	}
	r.open.Spans = inlines(strings.Join(r.text, "\n"))
	r.out = append(r.out, *r.open)
	r.open, r.text = nil, nil
}

func (r *blockReader) begin(b block, line string) {
	r.end()
	r.open, r.text = &b, []string{line}
}

func (r *blockReader) next() {
	line := r.lines[r.at]
	r.at++
	if strings.TrimSpace(line) == "" {
		r.end()
		return
	}
	if m := blockFence.FindStringSubmatch(line); m != nil {
		r.fence(m[1])
		return
	}
	if m := blockHeading.FindStringSubmatch(line); m != nil {
		r.begin(block{Kind: "h"}, m[1])
		r.end()
		return
	}
	if m := blockItem.FindStringSubmatch(line); m != nil {
		mark := m[2]
		if strings.ContainsAny(mark, "-*+") {
			mark = "•"
		}
		r.begin(block{Kind: "li", Level: min(len(m[1])/2, 3), Mark: mark}, m[3])
		return
	}
	if m := blockQuote.FindStringSubmatch(line); m != nil {
		if r.open != nil && r.open.Kind == "quote" {
			r.text = append(r.text, m[1])
		} else {
			r.begin(block{Kind: "quote"}, m[1])
		}
		return
	}
	if strings.Contains(line, "|") && r.at < len(r.lines) && blockRule.MatchString(r.lines[r.at]) {
		r.table(line)
		return
	}
	if r.open != nil {
		r.text = append(r.text, strings.TrimSpace(line))
		return
	}
	r.begin(block{Kind: "p"}, line)
}

// fence takes the lines up to the end of a fence, or all when it has none.
func (r *blockReader) fence(mark string) {
	r.end()
	var body []string
	for r.at < len(r.lines) {
		line := r.lines[r.at]
		r.at++
		if t := strings.TrimSpace(line); len(t) >= len(mark) && strings.Trim(t, mark[:1]) == "" {
			break
		}
		body = append(body, line)
	}
	r.out = append(r.out, block{Kind: "code", Code: strings.Join(body, "\n")})
}

// table takes the lines of a table whose head was read.
func (r *blockReader) table(head string) {
	r.end()
	r.at++ // the rule
	b := block{Kind: "table", Head: tableCells(head)}
	for r.at < len(r.lines) && strings.Contains(r.lines[r.at], "|") {
		b.Rows = append(b.Rows, tableCells(r.lines[r.at]))
		r.at++
	}
	r.out = append(r.out, b)
}

func tableCells(line string) [][]inline {
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	var out [][]inline
	for _, cell := range strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|") {
		out = append(out, inlines(strings.ReplaceAll(strings.TrimSpace(cell), "\x00", "|")))
	}
	return out
}

// inlines splits a paragraph into code, stressed and plain text.
func inlines(s string) []inline {
	if len(s) > maxInline {
		return []inline{{Text: s}}
	}
	var out []inline
	var plain strings.Builder
	put := func(kind, text string) {
		if plain.Len() > 0 {
			out = append(out, inline{Text: plain.String()})
			plain.Reset()
		}
		out = append(out, inline{Kind: kind, Text: text})
	}
	missing := map[string]bool{} // marks that do not occur again
	for i := 0; i < len(s); {
		kind, text, n := mark(s, i, missing)
		switch {
		case kind != "":
			put(kind, text)
			i += n
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\\`*_{}[]()#+-.!|<>~$", s[i+1]) >= 0:
			plain.WriteByte(s[i+1])
			i += 2
		default:
			n = max(1, n)
			plain.WriteString(s[i : i+n])
			i += n
		}
	}
	if plain.Len() > 0 {
		out = append(out, inline{Text: plain.String()})
	}
	return out
}

// mark reads what begins at i: code in backticks, **strong** or *em*. n is how
// many bytes were read.
func mark(s string, i int, missing map[string]bool) (kind, text string, n int) {
	switch s[i] {
	case '`':
		n := 1
		for i+n < len(s) && s[i+n] == '`' {
			n++
		}
		ticks := s[i : i+n]
		if missing[ticks] {
			return "", "", n
		}
		for at := i + n; ; {
			j := strings.Index(s[at:], ticks)
			if j < 0 {
				missing[ticks] = true
				return "", "", n
			}
			start := at + j
			end := start + n
			for end < len(s) && s[end] == '`' {
				end++
			}
			if end-start == n {
				return "code", strings.TrimSpace(s[i+n : start]), end - i
			}
			at = end
		}
	case '*':
		for _, m := range [...]struct{ mark, kind string }{{"**", "strong"}, {"*", "em"}} {
			if text, ok := stressed(s, i, m.mark, missing); ok {
				return m.kind, text, len(text) + 2*len(m.mark)
			}
		}
	}
	return "", "", 0
}

// stressed reads what stands between two marks: no blank inside at either end,
// and no letter or digit outside, so that a product is not taken for one.
func stressed(s string, i int, mark string, missing map[string]bool) (string, bool) {
	rest, found := strings.CutPrefix(s[i:], mark)
	if !found || missing[mark] || wordEnds(s[:i]) || rest == "" || rest[0] == ' ' || rest[0] == '\n' || rest[0] == '*' {
		return "", false
	}
	j := strings.Index(rest, mark)
	if j < 0 {
		missing[mark] = true
		return "", false
	}
	after := rest[j+len(mark):]
	if j == 0 || rest[j-1] == ' ' || rest[j-1] == '\n' || strings.HasPrefix(after, "*") || wordBegins(after) {
		return "", false
	}
	return rest[:j], true
}

func wordEnds(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func wordBegins(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// figures marks the figures of an answer in its blocks, in their order.
func (s *timeline) figures(all []block) []block {
	if s.answer == nil {
		return all
	}
	f := figureMarker{timeline: s}
	for i := range all {
		all[i].Spans = f.spans(all[i].Spans)
		for j := range all[i].Head {
			all[i].Head[j] = f.spans(all[i].Head[j])
		}
		for _, row := range all[i].Rows {
			for k := range row {
				row[k] = f.spans(row[k])
			}
		}
	}
	return all
}

// figureMarker goes through an answer with its figures at hand.
type figureMarker struct {
	*timeline
	next int // the first figure that was not met
}

// maxAhead is how many figures may be skipped that the text does not show as
// they stand.
const maxAhead = 8

// maxMarked bounds the figures that are marked.
const maxMarked = 2000

func (f *figureMarker) spans(in []inline) []inline {
	var out []inline
	for _, s := range in {
		for s.Text != "" && len(s.Text) <= maxInline {
			at, k := f.find(s.Text)
			if k < 0 {
				break
			}
			fig := f.answer.Figures[k]
			text := safetext.Text(fig.Text)
			before, rest := s, s
			before.Text = s.Text[:at]
			if before.Text != "" {
				out = append(out, before)
			}
			mark := s
			mark.Text, mark.Figure, mark.Doubt = text, origin(fig), fig.Untraced()
			if fig.Expression != "" {
				mark.Figure += ": " + safetext.Clip(fig.Expression, 200)
			}
			mark.Figure = safetext.Line(mark.Figure)
			out = append(out, mark)
			rest.Text = s.Text[at+len(text):]
			s, f.next = rest, k+1
		}
		if s.Text != "" {
			out = append(out, s)
		}
	}
	return out
}

// find returns where the first of the next figures stands in a text, and which it is.
func (f *figureMarker) find(text string) (at, figure int) {
	at, figure = len(text), -1
	for k := f.next; k < min(len(f.answer.Figures), f.next+maxAhead, maxMarked); k++ {
		want := safetext.Text(f.answer.Figures[k].Text)
		if want == "" || strings.Contains(want, "\n") {
			continue
		}
		if i := indexAlone(text, want); i >= 0 && i < at {
			at, figure = i, k
		}
	}
	return at, figure
}

// maxTries bounds the places that are tried for one figure.
const maxTries = 20

// indexAlone returns where a word or a number stands by itself in a text, or -1.
func indexAlone(text, want string) int {
	from := 0
	for range maxTries {
		i := strings.Index(text[from:], want)
		if i < 0 {
			return -1
		}
		i += from
		if alone(text[:i], text[i+len(want):]) {
			return i
		}
		from = i + len(want)
	}
	return -1
}

// alone says whether what stands between two texts is a word or a number by
// itself, and no part of a longer one.
func alone(before, after string) bool {
	if wordEnds(before) || wordBegins(after) {
		return false
	}
	b := strings.TrimRight(before, ".,")
	a := strings.TrimLeft(after, ".,")
	return !(len(before)-len(b) == 1 && digit(b, len(b)-1)) && !(len(after)-len(a) == 1 && digit(a, 0))
}

func digit(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
