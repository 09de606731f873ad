package report

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"praxis/event"
	"praxis/internal/language"
	"praxis/internal/safetext"
)

// Bounds of one text in a notebook.
const (
	notebookLines = 20000
	notebookBytes = 1 << 20
)

// Notebook writes a run as a Jupyter notebook, version 4.5 of its format: a
// code cell for each piece of code with what came of it, and markdown around it.
// The code is what ran, to the byte; opening the notebook runs nothing.
func Notebook(w io.Writer, run Run) error {
	n := notebook{markdown: &markdown{timeline: newBundledTimeline(run)}}
	n.md("question", n.head)
	n.md("answer", n.answered)
	for _, p := range n.parts {
		n.part(p)
	}
	n.md("end", func() {
		n.line("---")
		n.line("")
		n.line("%s. Made from the records of run %s.", mdText(strings.Join(append([]string{n.status()}, n.total()...), ", ")), mdCode(run.ID))
	})
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(n.file()); err != nil {
		return fmt.Errorf("cannot write the notebook: %w", err)
	}
	if _, err := w.Write(safetext.JSON(b.Bytes())); err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	return nil
}

// notebook builds the cells of a run.
type notebook struct {
	*markdown
	cells []any
	runs  int       // code cells so far
	cell  *codeCell // the one whose code has not ended
}

type notebookFile struct {
	Cells    []any            `json:"cells"`
	Metadata notebookMetadata `json:"metadata"`
	Format   int              `json:"nbformat"`
	Minor    int              `json:"nbformat_minor"`
}

type notebookMetadata struct {
	Kernel   notebookKernel   `json:"kernelspec"`
	Language notebookLanguage `json:"language_info"`
	Praxis   notebookRun      `json:"praxis"`
}

type notebookKernel struct {
	Display  string `json:"display_name"`
	Language string `json:"language"`
	Name     string `json:"name"`
}

type notebookLanguage struct {
	Name      string `json:"name"`
	Extension string `json:"file_extension,omitempty"`
	MIME      string `json:"mimetype,omitempty"`
}

// notebookRun is what a program finds about the run.
type notebookRun struct {
	Run    string `json:"run"`
	Kind   string `json:"kind,omitempty"`
	Model  string `json:"model,omitempty"`
	Image  string `json:"image,omitempty"`
	File   string `json:"file,omitempty"`
	User   string `json:"user,omitempty"`
	Host   string `json:"host,omitempty"`
	Seed   *int64 `json:"seed,omitempty"`
	Status string `json:"status"`
	Damage string `json:"damage,omitempty"`
}

type markdownCell struct {
	Type     string   `json:"cell_type"`
	ID       string   `json:"id"`
	Metadata struct{} `json:"metadata"`
	Source   []string `json:"source"`
}

type codeCell struct {
	Type     string       `json:"cell_type"`
	Count    int          `json:"execution_count"`
	ID       string       `json:"id"`
	Metadata cellMetadata `json:"metadata"`
	Outputs  []any        `json:"outputs"`
	Source   []string     `json:"source"`
}

type cellMetadata struct {
	Praxis cellRun `json:"praxis"`
}

type cellRun struct {
	Step     int            `json:"step,omitempty"`
	Language string         `json:"language,omitempty"` // where it is not the notebook's
	Status   string         `json:"status"`
	Limit    event.Limit    `json:"limit,omitempty"`
	Usage    event.Usage    `json:"usage"`
	Changes  []event.Change `json:"changes,omitempty"`
}

type streamOutput struct {
	Type string   `json:"output_type"` // "stream"
	Name string   `json:"name"`
	Text []string `json:"text"`
}

type dataOutput struct {
	Type     string              `json:"output_type"` // "display_data"
	Data     map[string][]string `json:"data"`
	Metadata struct{}            `json:"metadata"`
}

type resultOutput struct {
	Type     string              `json:"output_type"` // "execute_result"
	Count    int                 `json:"execution_count"`
	Data     map[string][]string `json:"data"`
	Metadata struct{}            `json:"metadata"`
}

type errorOutput struct {
	Type      string   `json:"output_type"` // "error"
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

func (n *notebook) file() notebookFile {
	about := notebookRun{Run: valid(n.run.ID), Kind: string(n.began.Kind), Model: valid(n.began.Model), Seed: n.began.Seed,
		File: valid(n.began.File), User: valid(n.began.User), Host: valid(n.began.Host), Status: n.status(), Damage: valid(n.run.Damage)}
	if n.session != nil {
		about.Image = valid(n.session.Image.ID)
	}
	l := n.main()
	kernel := notebookKernel{Display: cmp.Or(l.Notebook.Display, valid(l.Title())), Language: valid(l.Name), Name: cmp.Or(l.Notebook.Kernel, valid(l.Name))}
	return notebookFile{n.cells, notebookMetadata{kernel, notebookLanguage{valid(l.Name), l.Extension(), l.MIME}, about}, 4, 5}
}

// md adds a markdown cell of what write writes, unless that is nothing.
func (n *notebook) md(stem string, write func()) {
	write()
	if text := strings.Trim(n.take(), "\n"); text != "" {
		n.cells = append(n.cells, markdownCell{Type: "markdown", ID: n.id(stem), Source: sourceLines(text)})
	}
}

// id makes a cell's name, unique in the notebook.
func (n *notebook) id(stem string) string { return fmt.Sprintf("%s-%d", stem, len(n.cells)) }

// part adds the cells of a step, or of what stands around the steps.
func (n *notebook) part(p *part) {
	if len(p.items) == 0 && p.step == 0 {
		return
	}
	stem := "around"
	if p.step > 0 {
		stem = "step-" + decimal(int64(p.step))
	}
	n.heading(p)
	for _, it := range p.items {
		switch e := it.Event.(type) {
		case event.ExecutionBegan:
			if e.Own() {
				n.md(stem, func() {})
				n.begin(stem, p.step, e.Code, e.Language)
			}
			if r, ok := n.annotate(it); ok {
				n.putAnnotation(r)
			}
			continue
		case event.ExecutionEnded:
			if _, filling := n.filled(it, e); !filling {
				if n.cell == nil { // how it began is not recorded
					n.md(stem, func() {})
					n.begin(stem, p.step, "", "")
				}
				n.end(it, e.Execution)
				continue
			}
		}
		n.item(it)
	}
	n.md(stem, func() {})
	n.cell = nil
}

// begin adds a code cell that nothing came of yet. It says its language where
// that is not the notebook's, as notebooks do.
func (n *notebook) begin(stem string, step int, code, name string) {
	if name == n.main().Name {
		name = ""
	}
	if language.ValidName(name) {
		code = "%%" + name + "\n" + code
	}
	n.runs++
	n.cell = &codeCell{Type: "code", Count: n.runs, ID: n.id(stem), Metadata: cellMetadata{cellRun{Step: step, Language: valid(name), Status: unfinished}},
		Outputs: []any{}, Source: sourceLines(code)}
	n.cells = append(n.cells, n.cell)
}

// end puts what came of the code into its cell.
func (n *notebook) end(it *item, x event.Execution) {
	c := n.cell
	n.cell = nil
	c.Metadata.Praxis.Status, c.Metadata.Praxis.Limit = x.Status.String(), event.Limit(valid(string(x.Limit)))
	c.Metadata.Praxis.Usage = x.Usage
	for _, change := range x.Changes {
		change.Path, change.Kind, change.SHA256 = valid(change.Path), valid(change.Kind), valid(change.SHA256)
		c.Metadata.Praxis.Changes = append(c.Metadata.Praxis.Changes, change)
	}
	stream := func(name, text string) {
		if text != "" {
			c.Outputs = append(c.Outputs, streamOutput{"stream", name, sourceLines(noted(text))})
		}
	}
	stream("stdout", x.Stdout)
	stream("stderr", x.Stderr)
	for i, v := range it.shown {
		data := n.data(v)
		switch {
		case len(data) == 0:
		case it.result && i == len(it.shown)-1:
			c.Outputs = append(c.Outputs, resultOutput{Type: "execute_result", Count: c.Count, Data: data})
		default:
			c.Outputs = append(c.Outputs, dataOutput{Type: "display_data", Data: data})
		}
	}
	if out, failed := failure(x); failed {
		c.Outputs = append(c.Outputs, out)
	}
}

// data returns what a value is shown as, by MIME type. HTML is a table that was
// written anew, or a page in a frame without any permission; an SVG is an image,
// where its scripts do not run.
func (n *notebook) data(v view) map[string][]string {
	data := map[string][]string{}
	put := func(mime, text string) { data[mime] = sourceLines(text) }
	if v.text != "" {
		put("text/plain", noted(v.text))
	} else if v.broken != "" {
		put("text/plain", v.broken)
	}
	leftOut, unframed := v.leftOut()
	switch p := v.picture; {
	case p != nil && p.MIME == "image/svg+xml":
		put(page, `<img alt="`+p.Name+`" src="data:image/svg+xml;base64,`+base64.StdEncoding.EncodeToString(p.Data)+`">`)
	case p != nil && p.MIME != page:
		put(p.MIME, base64.StdEncoding.EncodeToString(p.Data))
	case v.grid != nil:
		put(page, v.grid.html())
	case unframed:
		text := strings.Join(data["text/plain"], "")
		if text != "" {
			text += "\n"
		}
		put("text/plain", text+"[left out: "+leftOut+"]")
	case v.html != "":
		put(page, `<iframe sandbox="" width="100%" height="400" `+string(srcdoc(v.html))+`></iframe>`)
	}
	if p := v.picture; p != nil && data["text/plain"] == nil {
		put("text/plain", "["+safetext.Line(n.caption(p))+"]")
	}
	return data
}

// html writes a table as HTML that has nothing but its cells.
func (g *grid) html() string {
	var b strings.Builder
	b.WriteString("<table border=\"1\" class=\"dataframe\">\n")
	for _, row := range g.Rows {
		b.WriteString("<tr>")
		for _, c := range row.Cells {
			name := "td"
			if c.Head {
				name = "th"
			}
			fmt.Fprintf(&b, `<%s colspan="%d" rowspan="%d">%s</%s>`, name, c.Cols, c.Rows, template.HTMLEscapeString(c.Text), name)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
	if g.Note != "" {
		b.WriteString("<p>" + template.HTMLEscapeString(safetext.Text(g.Note)) + "</p>\n")
	}
	return b.String()
}

// noted bounds a text and makes it visible.
func noted(text string) string {
	x := bound(text, notebookLines, notebookBytes)
	if x.Left == "" {
		return safetext.Text(x.Head)
	}
	return strings.TrimSuffix(safetext.Text(x.Head), "\n") + "\n[… " + x.Left + " left out …]\n" + safetext.Text(x.Tail)
}

// sourceLines cuts a text into the lines of a notebook.
func sourceLines(text string) []string {
	if lines := split(valid(text)); lines != nil {
		return lines
	}
	return []string{}
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
