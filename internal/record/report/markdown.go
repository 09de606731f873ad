package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"praxis/event"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// What Markdown and the page show of one output.
const (
	exportLines = 400
	exportBytes = 64 << 10
)

// Markdown writes a run as a document in Markdown (CommonMark with tables).
// Pictures are referred to where the caller saved them, see Run.Saved; without
// that they are named.
func Markdown(w io.Writer, run Run) error {
	m := &markdown{timeline: newBundledTimeline(run)}
	m.head()
	m.answered()
	m.tree()
	for _, p := range m.parts {
		m.part(p)
	}
	m.line("")
	m.line("---")
	m.line("")
	m.line("%s. Made from the records of run %s.", mdText(strings.Join(append([]string{m.status()}, m.total()...), ", ")), mdCode(run.ID))
	b := bufio.NewWriter(w)
	_, _ = b.WriteString(m.b.String()) // the writer keeps its first error
	if err := b.Flush(); err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	return nil
}

// markdown writes pieces of a run in Markdown.
type markdown struct {
	*timeline
	b strings.Builder
}

func (m *markdown) line(format string, args ...any) {
	_, _ = fmt.Fprintf(&m.b, format+"\n", args...) // a builder takes everything
}

// take returns what was written and begins anew.
func (m *markdown) take() string {
	text := m.b.String()
	m.b.Reset()
	return text
}

func (m *markdown) head() {
	m.line("# Run %s", mdText(m.run.ID))
	m.line("")
	if q := m.began.Question; q != "" {
		m.line("%s", quote(q))
		m.line("")
	}
	if m.run.Damage != "" {
		m.line("**The record is not whole:** %s", mdText(m.run.Damage))
		m.line("")
	}
	m.line("| | |")
	m.line("|---|---|")
	status := m.status()
	if m.ended != nil && m.ended.Reason != "" {
		status += ": " + m.ended.Reason
	}
	for _, f := range append([]fact{{"status", status}, {"used", strings.Join(m.total(), ", ")}}, m.facts()...) {
		m.line("| %s | %s |", f.Name, mdText(f.Value))
	}
	m.line("")
	draft, found := m.reached()
	for _, part := range [][2]string{{DraftTitle, draft}, {FoundTitle, found}} {
		if part[1] != "" {
			m.line("No answer; %s:", part[0])
			m.line("")
			m.line("%s", quote(part[1]))
			m.line("")
		}
	}
	if m.began.Scripted {
		m.line("The model's replies were scripted: no model was called. %s", m.ran())
		m.line("")
	}
	if len(m.inputs) > 0 {
		m.line("## Inputs")
		m.line("")
		m.line("| file | in the session | size | SHA-256 |")
		m.line("|---|---|---:|---|")
		for _, f := range m.inputs {
			hash := mdCode(f.SHA256)
			if f.SHA256 == "" {
				hash = ""
			}
			if f.Withheld != "" {
				hash = strings.TrimSpace(hash + " (not stored: " + mdText(f.Withheld) + ")")
			}
			m.line("| %s | %s | %s | %s |", mdCode(f.Name), mdCode(f.Path), safetext.Size(f.Bytes), hash)
		}
		m.line("")
	}
}

// answered writes the answer and where its figures come from.
func (m *markdown) answered() {
	if m.answer == nil {
		return
	}
	m.line("## Answer")
	m.line("")
	m.line("%s", quote(m.answer.Text))
	m.line("")
	if len(m.answer.Figures) == 0 {
		return
	}
	m.line("| figure | from | computed by or found as |")
	m.line("|---|---|---|")
	for _, f := range m.answer.Figures {
		from, expression := mdText(origin(f)), ""
		if f.Untraced() {
			from = "**" + from + "**"
		}
		if f.Expression != "" {
			expression = mdCode(f.Expression)
		} else if as := foundAs(f); as != "" {
			expression = mdText(as)
		}
		m.line("| %s | %s | %s |", mdText(f.Text), from, expression)
	}
	m.line("")
}

func (m *markdown) part(p *part) {
	if len(p.items) == 0 && p.step == 0 {
		return
	}
	m.heading(p)
	for _, it := range p.items {
		m.item(it)
	}
}

// heading begins a part.
func (m *markdown) heading(p *part) {
	title := m.title(p)
	switch {
	case title != "":
		title = strings.ToUpper(title[:1]) + title[1:]
	case p == m.parts[0]:
		title = "Before the first step"
	default:
		title = "Afterwards"
	}
	m.line("## %s", title)
	m.line("")
	if p.before != nil {
		m.line("State before it: snapshot %s%s.", mdCode(p.before.Snapshot), sized(*p.before))
		m.line("")
	}
}

func (m *markdown) item(it *item) {
	if m.planText(it.Event) {
		return
	}
	switch e := it.Event.(type) {
	case event.ModelReplied:
		m.reply(it, e)
		return
	case event.ExecutionBegan:
		if e.Own() {
			m.fence(m.named(e.Language).Fence(), shownCode(e.Code))
		}
	case event.ExecutionEnded:
		if r, ok := m.annotate(it); ok {
			m.putAnnotation(r)
			return
		}
		m.executed(it, e.Execution)
		return
	}
	if r, ok := m.annotate(it); ok {
		m.putAnnotation(r)
	}
}

func (m *markdown) putAnnotation(r annotation) {
	label := r.Label
	if r.Warn {
		label = "**" + label + "**"
	}
	m.line("%s: %s", label, mdText(r.Text))
	m.line("")
	m.output("", r.Body)
}

func (m *markdown) reply(it *item, e event.ModelReplied) {
	if strings.TrimSpace(e.Thought) != "" {
		m.line("%s", quote(e.Thought))
		m.line("")
	}
	model := m.began.Model
	if requested, ok := it.opened.(event.ModelRequested); ok {
		model = requested.Model
	}
	model = cmp.Or(e.Model, model)
	text := cmp.Or(e.Model, "model") + ": " + seconds(e.Took) + ", " + m.spent(model, e.Tokens)
	if e.Cut {
		text += ", cut: the reply was longer than it may be"
	}
	m.line("*%s*", mdText(text))
	m.line("")
}

func (m *markdown) executed(it *item, x event.Execution) {
	m.output("output", x.Stdout)
	m.output("error output", x.Stderr)
	for i, v := range it.shown {
		m.view(v, it.result && i == len(it.shown)-1)
	}
	m.output("traceback", raised(x))
	m.output("", stopped(x))
	for _, c := range x.Changes {
		text := "- " + mdText(c.Kind) + " " + mdCode(c.Path)
		if c.Kind != "removed" {
			text += ", " + safetext.Size(c.Bytes)
		}
		if c.SHA256 != "" {
			text += ", SHA-256 " + mdCode(c.SHA256)
		}
		m.line("%s", text)
	}
	if len(x.Changes) > 0 {
		m.line("")
	}
	if x.Unlisted != "" {
		m.line("changed files: %s", mdText(x.Unlisted))
		m.line("")
	}
	text := "code: " + x.Status.String()
	if x.Limit != "" {
		text += ", limit " + string(x.Limit)
	}
	m.line("*%s*", mdText(text+", "+used(x)))
	m.line("")
}

// output writes a text in a fence, with its name above.
func (m *markdown) output(name, text string) {
	if strings.Trim(text, "\n ") == "" {
		return
	}
	if name != "" {
		m.line("%s:", name)
		m.line("")
	}
	x := bound(strings.TrimRight(text, "\n "), exportLines, exportBytes)
	body := safetext.Text(x.Head)
	if x.Left != "" {
		body = strings.TrimSuffix(body, "\n") + "\n[… " + x.Left + " left out …]\n" + safetext.Text(x.Tail)
	}
	m.fence("text", body)
}

// fence writes a block that nothing in it can end.
func (m *markdown) fence(language, body string) {
	ticks := strings.Repeat("`", max(3, longest(body, '`')+1))
	m.line("%s%s\n%s\n%s", ticks, language, strings.TrimSuffix(body, "\n"), ticks)
	m.line("")
}

// longest is the length of the longest run of a byte.
func longest(s string, b byte) int {
	most, n := 0, 0
	for i := range len(s) {
		if s[i] != b {
			n = 0
			continue
		}
		n++
		most = max(most, n)
	}
	return most
}

func (m *markdown) view(v view, result bool) {
	name := "displayed"
	if result {
		name = "result"
	}
	if v.broken != "" {
		m.line("%s: %s", name, mdText(v.broken))
		m.line("")
	}
	switch {
	case v.picture != nil:
		text := mdText(m.caption(v.picture))
		if path := m.run.Saved[v.picture.Name]; path != "" && v.picture.MIME != page {
			text = "![" + mdText(v.picture.Name) + "](" + mdTarget(path) + ")"
		}
		m.line("%s", text)
		m.line("")
		m.output(name, v.beside())
	case v.grid != nil && v.grid.even():
		m.grid(v.grid)
	default:
		m.output(name, v.text)
	}
}

// grid writes a table. Markdown's needs a head of one row.
func (m *markdown) grid(g *grid) {
	row := func(cells []gridCell) {
		var b strings.Builder
		for _, c := range cells {
			text := mdText(c.Text)
			if c.Head && text != "" {
				text = "**" + text + "**"
			}
			b.WriteString("| " + text + " ")
		}
		m.line("%s|", b.String())
	}
	rows := g.Rows
	if rows[0].Head {
		row(rows[0].Cells)
		rows = rows[1:]
	} else {
		m.line("%s|", strings.Repeat("| ", len(rows[0].Cells)))
	}
	m.line("%s|", strings.Repeat("|---", len(g.Rows[0].Cells)))
	for _, r := range rows {
		row(r.Cells)
	}
	m.line("")
	if g.Note != "" {
		m.line("%s", mdText(g.Note))
		m.line("")
	}
}

// mdEscape is what has a meaning inside a line of Markdown.
var mdEscape = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;",
	"|", `\|`, "~", `\~`, "$", `\$`, "!", `\!`, "#", `\#`)

// mdEntity finds what could be read as a character's name or number.
var mdEntity = lazyregexp.New(`&([#A-Za-z])`)

// mdText writes a text that stays on one line and means nothing in Markdown.
func mdText(s string) string {
	return mdEscape.Replace(mdEntity.ReplaceAllString(safetext.Line(s), "&amp;$1"))
}

// mdCode writes a name, a path, a hash or an expression as code. One that has
// characters that could end the code or open a tag is written as text.
func mdCode(s string) string {
	s = safetext.Line(s)
	if strings.TrimSpace(s) == "" || strings.ContainsAny(s, "`<>[]&|\\") {
		return mdText(s)
	}
	return "`" + s + "`"
}

// mdTarget writes the path of a picture that the caller saved.
func mdTarget(path string) string {
	return "<" + strings.NewReplacer("<", "%3C", ">", "%3E", `\`, "%5C", "%", "%25").Replace(safetext.Line(path)) + ">"
}

// mdActive finds what could open a tag, an entity, a link, a picture or a
// formula in prose.
var mdActive = lazyregexp.New(`<[A-Za-z/!?]|&[#A-Za-z]|!\[|\](?:\(|:|\[)|\\+\$?|\$`)

// prose writes a model's text, which is Markdown itself, so that its form is
// kept and nothing in it is active.
func prose(text string) string {
	return mdActive.ReplaceAllStringFunc(safetext.Text(text), func(m string) string {
		switch m[0] {
		case '<':
			return "&lt;" + m[1:]
		case '&':
			return "&amp;" + m[1:]
		case '$', '\\':
			if !strings.HasSuffix(m, "$") || len(m)%2 == 0 {
				return m // nothing to escape, or escaped already
			}
			return m[:len(m)-1] + `\$`
		}
		return m[:1] + `\` + m[1:]
	})
}

// quote writes prose as a quotation: what is in it cannot leave it.
func quote(text string) string {
	text = strings.ReplaceAll(strings.Trim(prose(text), "\n "), "\t", "    ")
	return strings.TrimRight("> "+strings.ReplaceAll(text, "\n", "\n> "), " ")
}
