package report

import (
	"bufio"
	_ "embed" // the page's template
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode/utf8"

	"praxis/event"
	"praxis/internal/safetext"
)

//go:embed page.html
var pageTemplate string

// longQuestion is how many characters a headline has at the most.
const longQuestion = 160

// HTML writes a run as one page with its pictures in it, for a browser or a
// printer. It holds no script and loads nothing, and the page says so to the
// browser.
func HTML(w io.Writer, run Run) error {
	t, err := template.New("").Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("cannot read the page's template: %w", err)
	}
	b := bufio.NewWriter(w)
	if err := t.ExecuteTemplate(b, "page", pageOf(newBundledTimeline(run))); err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	return nil
}

// sheet is what the template shows. Its texts are visible ones; the template
// escapes them.
type sheet struct {
	Seal                Seal
	ID, Title, Question string
	Long, Scripted      bool
	Status, Tone        string
	Chips               []string
	Damage, Reason      string
	Reached             []fact // what a question without an answer came to
	Ran                 string // what was not scripted
	Answer              []block
	AnswerPictures      []piece
	Figures             []sheetFigure
	Facts               []fact
	Inputs              []sheetFile
	Parts               []sheetPart
	Children            []sheetNode
	Chosen              string // why one of the attempts is kept
	Foot                string
}

type sheetFigure struct {
	Text, From, Expression, Found string
	Doubt                         bool
}

type sheetFile struct{ Name, Path, Size, Hash, Withheld string }

type sheetPart struct {
	Anchor, Title, Badge, Meta string
	Pieces                     []piece
}

// piece is one thing in a part; Kind says which of the fields are used.
type piece struct {
	Kind    string // "prose", "code", "text", "picture", "frame", "grid", "changes", "annotation", "folded", "meta"
	Name    string
	Line    string
	Alt     string
	Tone    string // "bad", "warn"
	Text    excerpt
	Blocks  []block
	Code    []colouredSpan
	Grid    *grid
	Changes []sheetChange
	Source  template.URL      // of a picture: a data URI of base64
	Page    template.HTMLAttr // of a frame: its srcdoc, escaped
}

type sheetChange struct{ Kind, Path, Size, Hash, Short string }

func pageOf(s *timeline) sheet {
	p := sheet{ID: safetext.Line(s.run.ID), Question: strings.TrimRight(safetext.Text(s.began.Question), "\n "), Scripted: s.began.Scripted, Ran: s.ran(), Seal: s.run.Seal}
	if p.Question == "" {
		p.Question = "Run " + p.ID
	}
	p.Title = safetext.Clip(safetext.Line(p.Question), longQuestion)
	p.Long = utf8.RuneCountInString(p.Question) > longQuestion || strings.Contains(p.Question, "\n")
	p.Status, p.Tone = safetext.Line(s.status()), "good"
	if !s.well() {
		p.Tone = "bad"
	}
	p.Chips = s.total()
	if s.began.Model != "" {
		p.Chips = append([]string{s.began.Model}, p.Chips...)
	}
	for i, c := range p.Chips {
		p.Chips[i] = safetext.Line(c)
	}
	p.Damage = safetext.Line(s.run.Damage)
	if s.ended != nil {
		p.Reason = safetext.Text(s.ended.Reason)
	}
	draft, found := s.reached()
	for _, f := range []fact{{DraftTitle, draft}, {FoundTitle, found}} {
		if f.Value != "" {
			p.Reached = append(p.Reached, fact{f.Name, safetext.Text(f.Value)})
		}
	}
	for _, f := range s.facts() {
		p.Facts = append(p.Facts, fact{f.Name, safetext.Line(f.Value)})
	}
	for _, f := range s.inputs {
		p.Inputs = append(p.Inputs, sheetFile{safetext.Line(f.Name), safetext.Line(f.Path), safetext.Size(f.Bytes), safetext.Line(f.SHA256), safetext.Line(f.Withheld)})
	}
	if a := s.answer; a != nil {
		p.Answer = s.figures(blocks(a.Text))
		p.AnswerPictures = s.answerPictures(a.Files)
		for _, f := range a.Figures {
			p.Figures = append(p.Figures, sheetFigure{safetext.Line(f.Text), safetext.Line(origin(f)), safetext.Text(f.Expression), foundAs(f), f.Untraced()})
		}
	}
	for i, part := range s.parts {
		if section, ok := s.sheetPart(part, i == 0); ok {
			p.Parts = append(p.Parts, section)
		}
	}
	if p.Children = sheetNodes(s.tree()); s.chosen != nil {
		p.Chosen = safetext.Line(s.chosen.Why)
	}
	p.Foot = "Made from the records of run " + p.ID + ". They can be verified, and the run can be replayed from them."
	return p
}

// sheetPart writes a part, unless there is nothing in it.
func (s *timeline) sheetPart(p *part, first bool) (sheetPart, bool) {
	out := sheetPart{Title: "Afterwards"}
	if first {
		out.Title = "Before the first step"
	}
	if title := s.title(p); title != "" {
		out.Title = strings.ToUpper(title[:1]) + title[1:]
		out.Anchor = "step-" + decimal(int64(p.step))
	}
	for _, it := range p.items {
		out.Pieces = append(out.Pieces, s.pieces(it)...)
	}
	var meta []string
	if p.requested {
		meta = append(meta, "model "+seconds(p.took), s.spent(p.model, p.tokens))
	}
	if p.before != nil {
		meta = append(meta, "state before it: "+p.before.Snapshot)
	}
	out.Meta = safetext.Line(strings.Join(meta, " · "))
	if p.failed {
		out.Badge = "failed"
	}
	return out, p.step > 0 || len(out.Pieces) > 0
}

// pieces writes one item.
func (s *timeline) pieces(it *item) []piece {
	switch e := it.Event.(type) {
	case event.ModelReplied:
		return s.replied(e)
	case event.ExecutionBegan:
		if !e.Own() {
			break
		}
		out := []piece{{Kind: "code", Code: coloured(s.named(e.Language), e.Code)}}
		if r, ok := s.annotate(it); ok {
			out = append(out, annotationPieces(r)...)
		}
		return out
	case event.ExecutionEnded:
		if _, filling := s.filled(it, e); !filling {
			return s.executed(it, e.Execution)
		}
	}
	if r, ok := s.annotate(it); ok {
		return annotationPieces(r)
	}
	return s.planPieces(it.Event)
}

func (s *timeline) replied(e event.ModelReplied) []piece {
	var out []piece
	if strings.TrimSpace(e.Thought) != "" {
		out = append(out, piece{Kind: "prose", Blocks: blocks(e.Thought)})
	}
	if e.Cut {
		out = append(out, piece{Kind: "annotation", Name: "model", Line: "the reply was cut: it was longer than it may be", Tone: "warn"})
	}
	return out
}

func annotationPieces(r annotation) []piece {
	p := piece{Kind: "annotation", Name: r.Label, Line: safetext.Line(r.Text)}
	if r.Warn {
		p.Tone = "warn"
	}
	out := []piece{p}
	if text := excerptOf(r.Body); text.Head != "" {
		out = append(out, piece{Kind: "text", Text: text})
	}
	return out
}

// excerptOf bounds a text and makes it visible.
func excerptOf(text string) excerpt {
	text = strings.TrimRight(text, "\n ")
	if strings.TrimLeft(text, "\n ") == "" {
		return excerpt{}
	}
	x := bound(text, exportLines, exportBytes)
	x.Head, x.Tail = safetext.Text(x.Head), safetext.Text(x.Tail)
	return x
}

func (s *timeline) executed(it *item, x event.Execution) []piece {
	var out []piece
	text := func(name, tone, text string) {
		if x := excerptOf(text); x.Head != "" {
			out = append(out, piece{Kind: "text", Name: name, Tone: tone, Text: x})
		}
	}
	text("output", "", x.Stdout)
	text("error output", "warn", x.Stderr)
	for i, v := range it.shown {
		out = append(out, s.shown(v, it.result && i == len(it.shown)-1)...)
	}
	text("traceback", "bad", raised(x))
	text("", "bad", stopped(x))
	if len(x.Changes) > 0 {
		p := piece{Kind: "changes"}
		for _, c := range x.Changes {
			line := sheetChange{Kind: safetext.Line(c.Kind), Path: safetext.Line(c.Path), Hash: safetext.Line(c.SHA256)}
			line.Short = short(line.Hash)
			if c.Kind != "removed" {
				line.Size = safetext.Size(c.Bytes)
			}
			p.Changes = append(p.Changes, line)
		}
		out = append(out, piece{Kind: "meta", Line: "changed files"}, p)
	}
	if x.Unlisted != "" {
		out = append(out, piece{Kind: "annotation", Name: "changed files", Line: safetext.Line(x.Unlisted)})
	}
	line := x.Status.String() + ", " + used(x)
	if x.Limit != "" {
		line = x.Status.String() + ", limit " + string(x.Limit) + ", " + used(x)
	}
	return append(out, piece{Kind: "meta", Line: safetext.Line("code: " + line)})
}

// shown writes a displayed value: as the image or the table that it is, as the
// page that it is in a frame without any permission, or as text.
func (s *timeline) shown(v view, result bool) []piece {
	var out []piece
	name := "displayed"
	if result {
		name = "result"
	}
	if v.broken != "" {
		out = append(out, piece{Kind: "annotation", Name: name, Line: v.broken, Tone: "warn"})
	}
	text := excerptOf(v.text)
	leftOut, unframed := v.leftOut()
	switch {
	case v.picture != nil && v.picture.MIME != page:
		out = append(out, s.picturePiece(v.picture))
	case v.grid != nil:
		out = append(out, piece{Kind: "grid", Name: name, Grid: v.grid})
	case unframed:
		out = append(out, piece{Kind: "annotation", Name: name, Line: "left out: " + leftOut})
		if text.Head != "" && !defaultText.MatchString(text.Head) {
			out = append(out, piece{Kind: "text", Text: text})
		}
	case v.html != "":
		caption := "an HTML page that the code displayed, without its scripts"
		if v.picture != nil {
			caption = safetext.Line(s.caption(v.picture)) + ", without its scripts"
		}
		out = append(out, piece{Kind: "frame", Alt: name, Name: caption, Page: srcdoc(v.html)})
		if text.Head != "" && !defaultText.MatchString(text.Head) {
			out = append(out, piece{Kind: "folded", Name: "as text", Text: text})
		}
	case text.Head != "":
		out = append(out, piece{Kind: "text", Name: name, Text: text})
	}
	return out
}

// What is shown in a frame, in bytes: HTML with scripts is mostly its library, and shows
// nothing without it.
const (
	maxFrame    = 4 << 20
	maxScripted = 64 << 10
)

// leftOut says what a page or a notebook does not hold of a value's HTML, or "";
// unframed says that it holds none of it.
func (v view) leftOut() (text string, unframed bool) {
	if v.picture != nil && v.picture.MIME != page || v.grid != nil || v.html == "" {
		return "", false
	}
	scripts := scripted.MatchString(v.html)
	unframed = len(v.html) > maxFrame || scripts && len(v.html) > maxScripted
	switch {
	case scripts && unframed:
		text = "an interactive page"
	case scripts:
		text = "the scripts of a page"
	case unframed:
		text = "a page"
	default:
		return "", false
	}
	name := ""
	if v.picture != nil {
		name = v.picture.Name + ", "
	}
	return text + " of " + safetext.Size(int64(len(v.html))) + " (" + name + page + ")", unframed
}

// LeftOut says what a format, such as "html", does not hold of what a run displayed.
// Pictures that the caller saved beside it are not left out.
func LeftOut(run Run, format string) []string {
	s := newTimeline(run)
	var out []string
	for _, part := range s.parts {
		for _, it := range part.items {
			for _, v := range it.shown {
				switch {
				case format == "html" || format == "ipynb":
					if text, _ := v.leftOut(); text != "" {
						out = append(out, text)
					}
				case format == "md" && v.picture != nil && run.Saved[v.picture.Name] == "":
					out = append(out, s.caption(v.picture))
				}
			}
		}
	}
	return out
}

// srcdoc writes the attribute that makes HTML the content of a frame. The
// template's own escaping would let entities in it be read one time too many.
// What the content can do is bounded by the frame: an empty sandbox attribute
// allows no script, no form, no window and no way out, and a frame with a srcdoc
// inherits the page's policy, which allows no network.
func srcdoc(source string) template.HTMLAttr {
	source = strings.Map(func(r rune) rune {
		if (r < 0x20 && r != '\n' && r != '\t') || (r >= 0x7f && r < 0xa0) || r&0xfffe == 0xfffe {
			return utf8.RuneError
		}
		return r
	}, valid(source))
	return template.HTMLAttr(`srcdoc="` + template.HTMLEscapeString(frameHead+source) + `"`)
}

// frameHead gives a framed page a policy of its own, for a notebook has none to
// inherit, and a look when it has none.
const frameHead = `<!doctype html><meta charset="utf-8">` +
	`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">` +
	`<style>body{font:14px/1.5 sans-serif;margin:12px}</style>`

// picturePiece shows a picture.
func (s *timeline) picturePiece(p *Picture) piece {
	source := "data:" + p.MIME + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
	return piece{Kind: "picture", Source: template.URL(source), Alt: safetext.Line(p.Name), Name: safetext.Line(s.caption(p))}
}

// answerPictures are those of the files of an answer that code showed, as it showed them last.
func (s *timeline) answerPictures(files []string) []piece {
	var out []piece
	for _, file := range files {
		for i := len(s.pictures) - 1; i >= 0; i-- {
			if p := &s.pictures[i]; p.file == file && p.MIME != page {
				out = append(out, s.picturePiece(p))
				break
			}
		}
	}
	return out
}
