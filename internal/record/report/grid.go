package report

import (
	"html"
	"strconv"
	"strings"

	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// Bounds of a table that is read from HTML.
const (
	maxGridBytes = 1 << 20
	maxGridCells = 20000
	maxSpan      = 100
)

// grid is a table that was read from a value's HTML, such as a data frame's.
// Only its texts are kept, so that nothing of the markup is passed on.
type grid struct {
	Rows []gridRow
	Note string // the text beside the table
}

type gridRow struct {
	Head  bool // the row stands in thead
	Cells []gridCell
}

type gridCell struct {
	Text       string
	Head       bool
	Cols, Rows int // how many it spans, at least 1
}

// Number says whether the cell is one, or close to one: it goes to the right.
func (c gridCell) Number() bool {
	_, err := strconv.ParseFloat(strings.TrimSuffix(strings.ReplaceAll(c.Text, ",", ""), "%"), 64)
	return err == nil
}

var (
	gridTag  = lazyregexp.New(`^<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z:_-]+(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=]+))?)*)\s*/?>`)
	gridSpan = lazyregexp.New(`(?i)\b(colspan|rowspan)\s*=\s*["']?(\d{1,4})`)
)

// parseGrid reads HTML that is one plain table and some text around it. It
// returns nil for any other: that is shown as the page it is.
func parseGrid(source string) *grid {
	if len(source) > maxGridBytes {
		return nil
	}
	r := gridReader{grid: &grid{}}
	for source != "" {
		i := strings.IndexByte(source, '<')
		if i < 0 {
			i = len(source)
		}
		r.text(source[:i])
		if source = source[i:]; source == "" {
			break
		}
		m := gridTag.FindStringSubmatch(source)
		if m == nil {
			return nil
		}
		source = source[len(m[0]):]
		name := strings.ToLower(m[2])
		if name == "style" && m[1] == "" {
			// What a data frame brings along for all tables. Any other style is the page's own look.
			end := strings.Index(source, "</style>")
			if strings.TrimSpace(m[3]) != "scoped" || end < 0 {
				return nil
			}
			source = source[end+len("</style>"):]
			continue
		}
		if !r.tag(m[1] == "/", name, m[3]) {
			return nil
		}
	}
	if r.tables != 1 || r.depth != 0 || len(r.grid.Rows) == 0 {
		return nil
	}
	r.grid.Note = strings.Join(strings.Fields(r.note.String()), " ")
	return r.grid
}

// gridReader is the state of parseGrid.
type gridReader struct {
	grid   *grid
	tables int  // that were begun
	depth  int  // of tables that are open
	head   bool // inside thead
	cell   *strings.Builder
	at     gridCell
	cells  int
	note   strings.Builder
}

func (r *gridReader) text(s string) {
	s = html.UnescapeString(s)
	switch {
	case r.cell != nil:
		r.cell.WriteString(s)
	case r.depth == 0:
		r.note.WriteString(s)
	case strings.TrimSpace(s) != "":
		r.cells = maxGridCells + 1 // text between cells: no plain table
	}
}

// tag takes one tag, and says whether it belongs to a plain table.
func (r *gridReader) tag(closing bool, name, attributes string) bool {
	switch name {
	case "table":
		r.endCell()
		if closing {
			r.depth--
			return r.depth == 0
		}
		r.tables, r.depth = r.tables+1, r.depth+1
		return r.depth == 1
	case "thead", "tbody", "tfoot":
		r.endCell()
		r.head = name == "thead" && !closing
	case "tr":
		r.endCell()
		if !closing {
			r.grid.Rows = append(r.grid.Rows, gridRow{Head: r.head})
		}
	case "th", "td":
		r.endCell()
		if !closing {
			return r.begin(name == "th", attributes)
		}
	case "br", "p", "div":
		r.text(" ")
	case "span", "b", "i", "strong", "em", "small", "caption", "col", "colgroup":
	default:
		return false
	}
	return r.cells <= maxGridCells && len(r.grid.Rows) <= maxGridCells
}

func (r *gridReader) begin(head bool, attributes string) bool {
	if r.cells++; len(r.grid.Rows) == 0 || r.depth != 1 {
		return false
	}
	r.cell, r.at = &strings.Builder{}, gridCell{Head: head, Cols: 1, Rows: 1}
	for _, m := range gridSpan.FindAllStringSubmatch(attributes, -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil || n < 1 || n > maxSpan {
			return false
		}
		if strings.EqualFold(m[1], "colspan") {
			r.at.Cols = n
		} else {
			r.at.Rows = n
		}
	}
	return r.cells <= maxGridCells
}

func (r *gridReader) endCell() {
	if r.cell == nil {
		return
	}
	r.at.Text = safetext.Text(strings.TrimSpace(r.cell.String()))
	row := &r.grid.Rows[len(r.grid.Rows)-1]
	row.Cells = append(row.Cells, r.at)
	r.cell = nil
}

// even says whether each row has the same number of cells, none of which spans
// others, so that simpler kinds of tables can show it.
func (g *grid) even() bool {
	for _, row := range g.Rows {
		if len(row.Cells) != len(g.Rows[0].Cells) {
			return false
		}
		for _, c := range row.Cells {
			if c.Cols != 1 || c.Rows != 1 {
				return false
			}
		}
	}
	return len(g.Rows) > 0 && len(g.Rows[0].Cells) > 0
}
