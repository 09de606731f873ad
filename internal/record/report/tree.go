package report

import (
	"strings"

	"praxis/event"
	"praxis/internal/safetext"
)

// Bounds of what is drawn of the tree of a run.
const (
	maxDepth   = 32
	maxQueries = 6   // of one run; the others are counted
	maxNodes   = 400 // of the tree
	maxTask    = 100 // characters of what a child was asked
)

// node is a child of a run, as the tree shows it.
type node struct {
	number   string // such as "2" or "2.1", by which it can be named
	depth    int
	last     []bool // of it and of each above it: nothing follows on its level
	role     event.ChildRole
	run      string // its id; "": a request to a model
	task     string
	status   string
	well     bool
	reason   string
	steps    int
	tokens   event.Tokens
	took     event.Duration
	chosen   bool
	more     int       // it stands for so many queries
	timeline *timeline // of its own record; nil: that is not there
}

// tree returns the children of the run and theirs, each before its own.
func (s *timeline) tree() []node {
	var out []node
	s.grow("", nil, &out)
	return out
}

// child is what the record says of one child.
type child struct {
	began event.ChildBegan
	ended *event.ChildEnded
}

// children are those of the run by the order in which they began. One that was begun anew
// counts once.
func (s *timeline) children() []child {
	var out []child
	at := map[int]int{}
	for _, r := range s.run.Records {
		switch e := r.Event.(type) {
		case event.ChildBegan:
			if i, again := at[e.N]; again {
				out[i] = child{began: e}
				continue
			}
			at[e.N] = len(out)
			out = append(out, child{began: e})
		case event.ChildEnded:
			if i, ok := at[e.N]; ok {
				out[i].ended = &e
			}
		}
	}
	return out
}

func (s *timeline) grow(prefix string, last []bool, out *[]node) {
	all := s.children()
	queries, left := 0, node{depth: len(last)}
	var shown []node
	for _, c := range all {
		n := s.node(prefix, c, len(last))
		if c.began.Run == "" {
			if queries++; queries > maxQueries {
				left.more++
				left.role = c.began.Role
				left.tokens, left.took = left.tokens.Add(n.tokens), left.took+n.took
				continue
			}
		}
		shown = append(shown, n)
	}
	if left.more > 0 {
		shown = append(shown, left)
	}
	for i, n := range shown {
		if len(*out) >= maxNodes {
			return
		}
		n.last = append(last[:len(last):len(last)], i == len(shown)-1)
		*out = append(*out, n)
		if n.timeline != nil && len(last) < maxDepth {
			n.timeline.grow(n.number+".", n.last, out)
		}
	}
}

// node is what is said of one child.
func (s *timeline) node(prefix string, c child, depth int) node {
	n := node{
		number: prefix + decimal(int64(c.began.N)), depth: depth, role: c.began.Role, run: c.began.Run, status: "begun, not finished",
		task: safetext.Clip(safetext.Line(c.began.Task), maxTask), chosen: s.chosen != nil && s.chosen.N == c.began.N,
	}
	if run, ok := s.run.Children[c.began.Run]; ok && c.began.Run != "" {
		n.timeline = newBundledTimeline(run)
		n.steps, n.tokens, n.status, n.well = len(n.timeline.steps()), n.timeline.tokens, n.timeline.status(), n.timeline.well()
	}
	if e := c.ended; e != nil {
		n.status, n.reason, n.steps, n.tokens, n.took = string(e.Status), e.Reason, e.Steps, e.Tokens, e.Took
		n.well = e.Status == event.Answered || string(e.Status) == event.OK.String()
	}
	return n
}

// name is what a node is called, such as "attempt 2".
func (n node) name() string {
	if n.more > 0 {
		return safetext.Number(n.more) + " more"
	}
	return safetext.Line(string(n.role)) + " " + n.number
}

// figures are what a node used, in words.
func (n node) figures() string {
	var parts []string
	if n.more == 0 {
		parts = append(parts, n.status)
	}
	if n.steps > 0 {
		parts = append(parts, safetext.Count(n.steps, "step"))
	}
	if n.tokens.Total() > 0 {
		parts = append(parts, safetext.Number(n.tokens.Total())+" tokens")
	}
	if n.took > 0 {
		parts = append(parts, seconds(n.took))
	}
	if n.chosen {
		parts = append(parts, "chosen")
	}
	return safetext.Line(strings.Join(parts, ", "))
}

// branches is what stands before a node in a tree that is drawn with characters.
func (n node) branches() string {
	var b strings.Builder
	for i, last := range n.last {
		switch {
		case i == len(n.last)-1 && last:
			b.WriteString("└─ ")
		case i == len(n.last)-1:
			b.WriteString("├─ ")
		case last:
			b.WriteString("   ")
		default:
			b.WriteString("│  ")
		}
	}
	return b.String()
}

// tree writes the children of the run below its head.
func (t *transcript) tree() {
	nodes := t.timeline.tree()
	if len(nodes) == 0 {
		return
	}
	t.rule("children")
	for _, n := range nodes {
		sgr := sgrGreen
		if !n.well {
			sgr = sgrYellow
		}
		if n.more > 0 {
			sgr = sgrDim
		}
		t.printf("  %s%s  %s\n", t.paint(sgrDim, n.branches()), t.paint(sgrBold, n.name()), t.paint(sgr, n.figures()))
		if text := n.about(); text != "" {
			pad := strings.NewReplacer("├─ ", "│  ", "└─ ", "   ").Replace(n.branches())
			t.printf("  %s  %s\n", t.paint(sgrDim, pad), t.paint(sgrDim, text))
		}
	}
	if k := t.chosen; k != nil {
		t.printf("  %s\n", safetext.Line(k.Why))
	}
}

// about says of a node what it was asked, where the run does not say it, and why it has no
// answer.
func (n node) about() string {
	var parts []string
	if n.role != event.Attempt && n.task != "" {
		parts = append(parts, n.task)
	}
	if n.reason != "" {
		parts = append(parts, safetext.Clip(safetext.Line(n.reason), 2*maxTask))
	}
	if n.run != "" {
		parts = append(parts, "run "+safetext.Line(n.run))
	}
	return strings.Join(parts, " · ")
}

// ofChild describes the events of a child where they stand.
func ofChild(it *item) (annotation, bool) {
	switch e := it.Event.(type) {
	case event.ChildBegan:
		if it.lost {
			return annotation{string(e.Role), decimal(int64(e.N)) + ": " + unfinished, e.Task, true}, true
		}
		return annotation{}, false
	case event.ChildEnded:
		n := node{status: string(e.Status), steps: e.Steps, tokens: e.Tokens, took: e.Took}
		role, task := "child", ""
		if began, ok := it.opened.(event.ChildBegan); ok {
			role, task = string(began.Role), began.Task
			if began.Role == event.Attempt {
				task = ""
			}
		}
		text := decimal(int64(e.N)) + ": " + n.figures()
		if task != "" {
			text += ": " + task
		}
		body := e.Text
		if body == "" {
			body = e.Reason
		}
		return annotation{role, text, body, e.Status != event.Answered}, true
	case event.AttemptChosen:
		return annotation{"attempts", e.Why, marks(e), e.N == 0}, true
	}
	return annotation{}, false
}

// marks writes what the attempts were judged by, one a line.
func marks(e event.AttemptChosen) string {
	var b strings.Builder
	for _, m := range e.Marks {
		b.WriteString("attempt " + decimal(int64(m.N)) + ": ")
		if !m.Answered {
			b.WriteString("no answer")
		} else {
			b.WriteString("answered")
			if !m.Complete {
				b.WriteString(" before it was done")
			}
			if m.Verified {
				b.WriteString(", every figure found")
			} else {
				b.WriteString(", figures found nowhere")
			}
			b.WriteString(", " + decimal(int64(m.Agree)) + " with this answer")
		}
		b.WriteString(", " + safetext.Count(m.Errors, "error") + ", " + safetext.Count(m.Steps, "step") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// sheetNode is a child on the page: what it came to, and folded below it what happened.
type sheetNode struct {
	Name, Figures, About, Tone string
	Answer                     []block
	Parts                      []sheetPart
	Children                   []sheetNode
}

// maxWhole bounds the children whose steps a page holds.
const maxWhole = 64

// sheetNodes puts the nodes of a tree into each other.
func sheetNodes(nodes []node) []sheetNode {
	whole := 0
	var nest func(depth int) []sheetNode
	nest = func(depth int) []sheetNode {
		var out []sheetNode
		for len(nodes) > 0 && nodes[0].depth >= depth {
			n := nodes[0]
			nodes = nodes[1:]
			x := sheetNode{Name: n.name(), Figures: n.figures(), About: safetext.Line(n.about()), Tone: "bad"}
			if n.well || n.more > 0 {
				x.Tone = "good"
			}
			if t := n.timeline; t != nil && whole < maxWhole {
				whole++
				if t.answer != nil {
					x.Answer = t.figures(blocks(t.answer.Text))
				}
				for i, p := range t.parts {
					if section, ok := t.sheetPart(p, i == 0); ok {
						section.Anchor = "" // a page has one step-1
						x.Parts = append(x.Parts, section)
					}
				}
			}
			x.Children = nest(depth + 1)
			out = append(out, x)
		}
		return out
	}
	return nest(0)
}

// tree writes the children of the run as a list.
func (m *markdown) tree() {
	nodes := m.timeline.tree()
	if len(nodes) == 0 {
		return
	}
	m.line("## Children")
	m.line("")
	for _, n := range nodes {
		line := "**" + mdText(n.name()) + "** " + mdText(n.figures())
		if text := n.about(); text != "" {
			line += " — " + mdText(text)
		}
		m.line("%s- %s", strings.Repeat("  ", n.depth), line)
	}
	m.line("")
	if m.chosen != nil {
		m.line("%s", mdText(m.chosen.Why))
		m.line("")
	}
}
