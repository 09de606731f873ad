package regex

// nodeOp says what a node of a pattern's tree is.
type nodeOp uint8

const (
	nodeSeq    nodeOp = iota // kids one after the other
	nodeAlt                  // one of kids
	nodeSet                  // a character: items, not
	nodeAny                  // .
	nodeAt                   // a position: at
	nodeRepeat               // kids[0], min to max times, mode
	nodeGroup                // kids[0]; group (0: not captured), add, del
	nodeLook                 // kids[0]; behind, not
	nodeRef                  // what group matched
)

// infinite is the bound of a repeat without one.
const infinite = 1<<32 - 1

// repeatMode says which count a repeat prefers.
type repeatMode uint8

const (
	greedy repeatMode = iota
	lazy
)

// node is a part of a pattern.
type node struct {
	op     nodeOp
	kids   []*node
	items  []item
	not    bool // nodeSet: any but items; nodeLook: must not match
	behind bool
	at     position
	mode   repeatMode
	min    int64
	max    int64
	group  int
	add    Flags
	del    Flags

	width   width
	widthOK bool
	groups  int // capturing groups within a group or a repeat
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

func (w width) plus(o width) width { return width{addWidth(w.min, o.min), addWidth(w.max, o.max)} }

func (w width) or(o width) width { return width{min(w.min, o.min), max(w.max, o.max)} }

// measure computes the width of n; groups are the widths of the closed groups.
func (n *node) measure(groups []width) width {
	if n == nil {
		return width{}
	}
	if !n.widthOK {
		n.width, n.widthOK = n.compute(groups), true
	}
	return n.width
}

func (n *node) compute(groups []width) width {
	var w width
	switch n.op {
	case nodeSeq:
		for _, k := range n.kids {
			w = w.plus(k.measure(groups))
		}
	case nodeAlt:
		w = n.kids[0].measure(groups)
		for _, k := range n.kids[1:] {
			w = w.or(k.measure(groups))
		}
	case nodeSet, nodeAny:
		w = width{1, 1}
	case nodeRepeat:
		k := n.kids[0].measure(groups)
		w.min = mulWidth(k.min, n.min)
		w.max = mulWidth(k.max, n.max)
		if n.max == infinite && k.max > 0 {
			w.max = maxWidth
		}
	case nodeGroup:
		w = n.kids[0].measure(groups)
	case nodeRef:
		w = groups[n.group]
	}
	return w
}

// single reports whether n matches exactly one character and returns
// the node that says which.
func (n *node) single() *node {
	for {
		switch {
		case n.op == nodeSet || n.op == nodeAny:
			return n
		case n.op == nodeSeq && len(n.kids) == 1:
			n = n.kids[0]
		case n.op == nodeGroup && n.group == 0 && n.add|n.del == 0:
			n = n.kids[0]
		default:
			return nil
		}
	}
}
