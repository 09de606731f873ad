package format

import (
	"strings"
	"unicode"

	"praxis/internal/safetext"
)

// Table lines up columns.
type Table []column

// column is one column of a table.
type column struct {
	Head  string
	Right bool // numbers end at the same place
	Drop  int  // columns with the largest are left out first when there is no space; 0: never
	Wrap  bool // of the last column: what does not fit goes on below instead of being cut
	cells []string
}

// Headed returns a table whose columns all stay.
func Headed(heads ...string) Table {
	var t Table
	for _, h := range heads {
		t = append(t, column{Head: h})
	}
	return t
}

// Add adds a row.
func (t Table) Add(cells ...string) {
	for i, c := range cells {
		t[i].cells = append(t[i].cells, c)
	}
}

// Empty says whether there is no row.
func (t Table) Empty() bool { return len(t) == 0 || len(t[0].cells) == 0 }

// String returns all of the table.
func (t Table) String() string { return Fitted(t, 0) }

// leastLast is how many characters of the last column must be seen before
// other columns are worth their space.
const leastLast = 30

// What is left of a column at the least when a table is too wide.
const (
	leastFirst  = 16 // it has the names
	leastColumn = 8
	leastCut    = 12 // of the last one
	leastWrap   = 20
)

// Fitted lines columns up in no more than width characters a line; 0 is any
// number. A column that may be dropped and says nothing is left out. When there is no
// space, columns are dropped, then the widest texts are cut. The last column takes the
// space that is left, and is cut or wrapped to it.
func Fitted(columns Table, width int) string {
	columns = worthwhile(columns)
	for width > 0 && len(columns) > 1 {
		last := columns[len(columns)-1]
		if taken(columns[:len(columns)-1])+min(last.width(), leastLast) <= width {
			break
		}
		least := -1
		for i, c := range columns {
			if c.Drop > 0 && (least < 0 || c.Drop > columns[least].Drop) {
				least = i
			}
		}
		if least < 0 {
			break
		}
		columns = append(columns[:least:least], columns[least+1:]...)
	}
	if len(columns) == 0 {
		return ""
	}
	if width > 0 {
		shrink(columns, width)
	}
	var b strings.Builder
	for row := -1; row < len(columns[0].cells); row++ {
		var line strings.Builder
		for i, c := range columns {
			text := c.at(row)
			if i == len(columns)-1 {
				if width > 0 && c.Wrap {
					parts := BreakWords(text, max(width-taken(columns[:i]), leastWrap))
					text = strings.Join(parts, "\n"+strings.Repeat(" ", taken(columns[:i])))
				} else if width > 0 {
					text = cutTo(text, max(width-taken(columns[:i]), 8))
				}
				if !c.Right {
					line.WriteString(text)
					break
				}
			}
			gap := strings.Repeat(" ", max(c.width()-ColumnsOf(text), 0))
			if c.Right {
				line.WriteString(gap + text + "  ")
			} else {
				line.WriteString(text + gap + "  ")
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// shrink cuts the widest texts before the last column until it has some space.
func shrink(columns []column, width int) {
	last := len(columns) - 1
	least := leastCut
	if columns[last].Wrap {
		least = leastWrap
	}
	over := taken(columns[:last]) + min(columns[last].width(), least) - width
	for ; over > 0; over-- {
		widest := -1
		for i, c := range columns[:last] {
			if w := c.width(); i > 0 && !c.Right && w > leastColumn && (widest < 0 || w > columns[widest].width()) {
				widest = i
			}
		}
		if widest < 0 && last > 0 && !columns[0].Right && columns[0].width() > leastFirst {
			widest = 0
		}
		if widest < 0 {
			return
		}
		c := &columns[widest]
		to := c.width() - 1
		c.Head = cutTo(c.Head, to)
		for i, cell := range c.cells {
			c.cells[i] = cutTo(cell, to)
		}
	}
}

// worthwhile returns the columns that say something, their cells on one line each.
func worthwhile(columns []column) []column {
	var out []column
	for _, c := range columns {
		empty := true
		cells := make([]string, len(c.cells))
		for i, cell := range c.cells {
			cells[i] = safetext.Line(cell)
			empty = empty && cell == ""
		}
		if c.Drop > 0 && empty {
			continue
		}
		c.cells = cells
		out = append(out, c)
	}
	return out
}

// at returns the cell of a row; row -1 is the head.
func (c column) at(row int) string {
	if row < 0 {
		return c.Head
	}
	return c.cells[row]
}

func (c column) width() int {
	w := ColumnsOf(c.Head)
	for _, cell := range c.cells {
		w = max(w, ColumnsOf(cell))
	}
	return w
}

// taken is the width of columns with two blanks behind each.
func taken(columns []column) int {
	n := 0
	for _, c := range columns {
		n += c.width() + 2
	}
	return n
}

// ColumnsOf is how many columns of a terminal a text takes.
func ColumnsOf(s string) int {
	n := 0
	for _, r := range s {
		n += columnsOfRune(r)
	}
	return n
}

// cutTo shortens a text to some columns, with a mark.
func cutTo(s string, width int) string {
	if ColumnsOf(s) <= width {
		return s
	}
	n := 1 // the mark's
	for i, r := range s {
		if n += columnsOfRune(r); n > width {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// columnsOfRune is 2 for the wide characters of East Asia and pictures, and 0
// for marks that stand on the character before. The ranges are those of
// Unicode's East Asian Width that are W or F, rounded up to blocks.
func columnsOfRune(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me) || r == 0x200c || r == 0x200d:
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf && r != 0x303f, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f680 && r <= 0x1f6ff, r >= 0x1f900 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
