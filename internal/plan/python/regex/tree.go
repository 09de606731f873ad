package regex

import "slices"

// nodeOp says what a node of a pattern's tree is.
type nodeOp uint8

const (
	nodeSeq    nodeOp = iota // kids one after the other
	nodeAlt                  // one of kids
	nodeChar                 // the character r
	nodeSet                  // a character of set
	nodeAny                  // a character but a newline
	nodeAll                  // a character
	nodeAt                   // a position: at
	nodeRepeat               // kids[0], min to max times, lazy
	nodeGroup                // kids[0]; group (0: not captured)
	nodeLook                 // kids[0]; behind, not
	nodeRef                  // what group matched, compared as mode says
)

// infinite is the bound of a repeat without one.
const infinite = 1<<32 - 1

// node is a part of a pattern. The flags are in it already.
type node struct {
	op       nodeOp
	kids     []*node
	r        rune
	set      *charset
	not      bool // must not match
	behind   bool
	lazy     bool // the fewest first
	at       position
	mode     caseMode
	min, max int64
	group    int

	width    width
	measured bool
}

// item is a part of a character set: a category, or characters from lo to hi.
type item struct {
	lo, hi rune
	cat    category
}

// category is a class of characters. The negated ones are one higher.
type category uint8

const (
	noCategory category = iota
	_
	catDigit
	catNotDigit
	catSpace
	catNotSpace
	catWord
	catNotWord
)

// position is what an assertion requires of a place in the text.
type position uint8

const (
	atBeginning position = iota // ^
	atBeginningLine
	atBeginningString
	atEnd // $
	atEndLine
	atEndString
	atBoundary
	atNotBoundary
	atBoundaryASCII
	atNotBoundaryASCII
)

// width is the least and the greatest number of characters that a node matches.
// Both stop at maxWidth, which is above all that is a length.
type width struct{ min, max int64 }

const maxWidth = 1 << 61

func addWidth(a, b int64) int64 { return min(a+b, maxWidth) }

func mulWidth(a, n int64) int64 {
	if a == 0 || n == 0 {
		return 0
	}
	if a > maxWidth/n {
		return maxWidth
	}
	return a * n
}

// measure gives the width of n.
func (n *node) measure() width {
	if !n.measured {
		n.width, n.measured = n.compute(), true
	}
	return n.width
}

func (n *node) compute() (w width) {
	switch n.op {
	case nodeSeq:
		for _, k := range n.kids {
			kid := k.measure()
			w.min, w.max = addWidth(w.min, kid.min), addWidth(w.max, kid.max)
		}
	case nodeAlt:
		w = n.kids[0].measure()
		for _, k := range n.kids[1:] {
			kid := k.measure()
			w.min, w.max = min(w.min, kid.min), max(w.max, kid.max)
		}
	case nodeChar, nodeSet, nodeAny, nodeAll:
		w = width{1, 1}
	case nodeRepeat:
		kid := n.kids[0].measure()
		w.min, w.max = mulWidth(kid.min, n.min), mulWidth(kid.max, n.max)
		if n.max == infinite && kid.max > 0 {
			w.max = maxWidth
		}
	case nodeGroup:
		w = n.kids[0].measure()
	}
	return w
}

// single returns the node that n is if it matches exactly one character.
func (n *node) single() *node {
	for {
		switch {
		case n.op >= nodeChar && n.op <= nodeAll:
			return n
		case len(n.kids) == 1 && (n.op == nodeSeq || n.op == nodeGroup && n.group == 0):
			n = n.kids[0]
		default:
			return nil
		}
	}
}

// looksBack reports whether something in n looks at what groups have matched.
func (n *node) looksBack() bool {
	return n.op == nodeRef || slices.ContainsFunc(n.kids, (*node).looksBack)
}
