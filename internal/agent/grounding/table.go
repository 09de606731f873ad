package grounding

import (
	"strings"

	"praxis/internal/lazyregexp"
)

// rowRE is the line below the header of a Markdown table.
var rowRE = lazyregexp.New(`^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)

// underHeaders gives the figures in a Markdown table the percent sign or the scale that
// stands in the header of their column.
func underHeaders(text string, all []figure) {
	var header []string
	offset, last, inTable := 0, "", false
	next := 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		end := offset + len(line)
		trimmed := strings.TrimRight(line, "\r\n")
		switch {
		case rowRE.MatchString(trimmed) && strings.Contains(last, "|"):
			header, inTable = cells(last), true
		case !strings.Contains(trimmed, "|"):
			inTable = false
		}
		for ; next < len(all) && all[next].start < end; next++ {
			if f := &all[next]; inTable && f.start >= offset && f.when == nil && !f.ratio {
				before := line[:f.start-offset]
				column := strings.Count(before, "|")
				if strings.HasPrefix(strings.TrimLeft(line, " \t"), "|") {
					column--
				}
				if column >= 0 && column < len(header) {
					f.underHeader(header[column])
				}
			}
		}
		offset, last = end, trimmed
	}
}

func cells(row string) []string {
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(row), "|"), "|"), "|")
}

func (f *figure) underHeader(header string) {
	if f.unit.class == "" && percentWordRE.MatchString(header) {
		f.unit = unit{class: percent}
		f.readings = append(f.readings, fractions(f.readings)...)
		return
	}
	if len(f.readings) != 1 {
		return
	}
	bits := scalesIn(header)
	for i, by := range []float64{1e3, 1e6, 1e9, 1e12} {
		if r := f.readings[0]; bits&(1<<i) != 0 {
			f.readings = append(f.readings, reading{value: r.value * by, from: r.from * by, to: r.to * by, signed: r.signed})
		}
	}
}

var (
	bulletRE = lazyregexp.New(`^[ \t]*(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+\S`)
	itemsRE  = lazyregexp.New(`,\s*(?:and\s|und\s|or\s)?|\s(?:and|und)\s|;\s*`)
	// introRE stands between a number and the things that it counts.
	introRE = lazyregexp.New(`(?i)^[^.:;!?\n]{0,60}?(?:: |\bare |\bwere |\bnamely |\()([^.:;!?\n)]+)`)
)

// lengths returns how many items the lists of a text have, and how many rows its tables.
func lengths(text string) map[int]bool {
	out := map[int]bool{}
	items, rows := 0, -1
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case bulletRE.MatchString(line):
			items++
		case strings.TrimSpace(line) != "" && !strings.HasPrefix(line, " "):
			out[items], items = true, 0
		}
		switch {
		case rowRE.MatchString(line):
			rows = 0
		case rows >= 0 && strings.Contains(line, "|"):
			rows++
		default:
			out[rows], rows = true, -1
		}
	}
	out[items], out[rows] = true, true
	return out
}

// counts says that the text after a number names as many things.
func counts(after string, n int) bool {
	m := introRE.FindStringSubmatch(after)
	return m != nil && n > 1 && len(itemsRE.Split(strings.TrimSpace(m[1]), n+2)) == n
}
