package grounding

import (
	"strconv"
	"strings"

	"praxis/internal/lazyregexp"
)

var (
	// frameRE is where a traceback or a warning points to.
	frameRE = lazyregexp.New(`(?m)File "[^"\n]*", line [0-9]+(?:, in .*)?|\b[Ll]ine [0-9]+(?:, column [0-9]+)?\b|\.(?:py|js|ts|go|sh|sql):[0-9]+(?::[0-9]+)?|(?:Cell )?\b(?:In|Out) ?\[[0-9]+\]|^[ ]*-+> ?[0-9]+ .*$|\b(?:Name: [0-9]+, )?dtype: \S+|\bName: [0-9]+\b|\b0x[0-9a-fA-F]+\b|\bpid[ =:]+[0-9]+`)
	// releaseRE is a program or a package with its version.
	releaseRE = lazyregexp.New(`(?i)\b(?:v|([a-z][\w-]*)==|(python|pip|numpy|pandas|scipy|matplotlib|polars|sklearn|duckdb|sqlite|node|version|release|pyarrow|seaborn|torch)(?: version)?[ :=/-]+v?)([0-9]+(?:\.[0-9]+)*)\b`)
	// quantileRE are the rows of a description of data that are named by their share.
	quantileRE = lazyregexp.New(`(?m)^(?:25|50|75)%\s`)
	// rowIndexRE is a row that begins with a number and has more columns.
	rowIndexRE = lazyregexp.New(`^([0-9]+)[ \t]{1,}\S`)
	// spaceHeaderRE is the header of a table whose first column has no name.
	spaceHeaderRE = lazyregexp.New(`^[ \t]+\S`)
)

// structure is what the layout of an output says about its numbers.
type structure struct {
	hidden  string       // the text, with what is no data blanked out
	index   map[int]bool // where numbers begin that only count the rows
	percent []bool       // by line: it or its header speaks of percentages
	scales  uint8
}

// analyze looks for what numbers an output has that are no data: the lines of tracebacks,
// names of files, versions, the index of a data frame, the numbers of a list.
func analyze(text string) structure {
	hidden := hide(hide(text, frameRE), placeRE)
	if strings.Contains(text, "std") && strings.Contains(text, "mean") {
		hidden = hide(hidden, quantileRE)
	}
	s := structure{hidden: hidden, index: map[int]bool{}, scales: scalesIn(text)}
	s.lines(text)
	next := 1
	for _, loc := range listRE.FindAllStringSubmatchIndex(text, -1) {
		if n, err := strconv.Atoi(text[loc[2]:loc[3]]); err == nil && (n == next || n == 1) {
			s.index[loc[2]], next = true, n+1
		}
	}
	return s
}

// lines goes through the lines. The first column is an index when it counts from 0, or
// when it has no name in the header.
func (s *structure) lines(text string) {
	header, names := "", 0 // the last line that is no row of numbers, and its columns
	unnamed := false
	offset, expected := 0, 0
	pending := -1 // a row 0, which is an index only if a row 1 follows
	for line := range strings.SplitAfterSeq(text, "\n") {
		m := rowIndexRE.FindStringSubmatch(line)
		switch {
		case m == nil:
			if strings.TrimSpace(line) != "" && !strings.HasPrefix(strings.TrimSpace(line), "..") {
				header, names, unnamed = line, len(strings.Fields(line)), spaceHeaderRE.MatchString(line)
			}
			expected, pending = 0, -1
		default:
			n, err := strconv.Atoi(m[1])
			fields := len(strings.Fields(line))
			named := err == nil && unnamed && fields >= names+1 && names > 0 && (n < 1500 || n > 2100)
			switch {
			case err != nil:
			case named:
				s.index[offset] = true
			case n == 0:
				pending = offset
			case n == expected && expected > 0:
				s.index[offset] = true
				if pending >= 0 {
					s.index[pending], pending = true, -1
				}
			}
			if err == nil && (n == 0 || n == expected) {
				expected = n + 1
			}
		}
		s.percent = append(s.percent, percentWordRE.MatchString(line) || header != "" && m != nil && percentWordRE.MatchString(header))
		offset += len(line)
	}
}
