package check

import (
	"slices"

	"praxis/internal/plan/label"
	"praxis/internal/plan/syntax"
)

// lab is an immutable set of sources, by number. nil is the empty set. Each
// has the steps that brought it here, the last one first.
type lab struct {
	ids   []int32
	steps []*step
}

// anySource is the number of the source that means all of them.
const anySource = 0

// maxSources bounds a set; a larger one is any source.
const maxSources = 512

// stepKind says what a step of a path does.
type stepKind uint8

const (
	stepSource stepKind = iota + 1
	stepAssign
	stepArgument
	stepReturn
	stepStore
	stepSink
	stepControl
)

// step is one step of a path. Steps form lists that begin at the sink's side.
type step struct {
	prev *step
	pos  syntax.Pos
	kind stepKind
	name string
	n    int32
}

// maxSteps bounds a path; a longer one keeps its beginning.
const maxSteps = 40

func (l *lab) any() bool { return l != nil && l.ids[0] == anySource }

func (l *lab) has(id int32) bool {
	if l == nil {
		return false
	}
	_, ok := slices.BinarySearch(l.ids, id)
	return ok
}

func (l *lab) within(o *lab) bool {
	if l == nil || l == o || o.any() {
		return true
	}
	return o != nil && subset(l.ids, o.ids)
}

// subset says whether one sorted list has all numbers of another.
func subset(few, many []int32) bool {
	if len(few) > len(many) {
		return false
	}
	if len(few) <= 4 {
		for _, id := range few {
			if _, ok := slices.BinarySearch(many, id); !ok {
				return false
			}
		}
		return true
	}
	i := 0
	for _, id := range few {
		for i < len(many) && many[i] < id {
			i++
		}
		if i == len(many) || many[i] != id {
			return false
		}
	}
	return true
}

// union returns a itself when it holds all of b.
func union(a, b *lab) *lab {
	switch {
	case b == nil || a == b:
		return a
	case a == nil:
		return b
	case a.any():
		return a
	case b.any():
		return b
	case b.within(a):
		return a
	case a.within(b):
		return b
	}
	out := &lab{ids: make([]int32, 0, len(a.ids)+len(b.ids)), steps: make([]*step, 0, len(a.ids)+len(b.ids))}
	i, k := 0, 0
	for i < len(a.ids) || k < len(b.ids) {
		switch {
		case k == len(b.ids) || i < len(a.ids) && a.ids[i] < b.ids[k]:
			out.ids, out.steps = append(out.ids, a.ids[i]), append(out.steps, a.steps[i])
			i++
		case i == len(a.ids) || b.ids[k] < a.ids[i]:
			out.ids, out.steps = append(out.ids, b.ids[k]), append(out.steps, b.steps[k])
			k++
		default:
			out.ids, out.steps = append(out.ids, a.ids[i]), append(out.steps, a.steps[i])
			i, k = i+1, k+1
		}
	}
	if len(out.ids) > maxSources {
		return &lab{ids: []int32{anySource}, steps: []*step{out.steps[0]}}
	}
	return out
}

// both is the intersection, with the steps of a.
func both(a, b *lab) *lab {
	if a == nil || b == nil {
		return nil
	}
	if a == b || a.within(b) {
		return a
	}
	out := &lab{}
	for i, id := range a.ids {
		if b.has(id) {
			out.ids, out.steps = append(out.ids, id), append(out.steps, a.steps[i])
		}
	}
	if len(out.ids) == 0 {
		return nil
	}
	return out
}

// maxTraced bounds the sets whose paths are stored.
const maxTraced = 8

// via adds a step to the paths of a set.
func (l *lab) via(pos syntax.Pos, kind stepKind, name string) *lab {
	if l == nil || len(l.ids) > maxTraced {
		return l
	}
	if len(l.ids) == 1 {
		s := l.steps[0]
		if s.ends(pos, kind, name) {
			return l
		}
		one := &struct {
			lab
			steps [1]*step
			step  step
		}{step: step{prev: s, pos: pos, kind: kind, name: name, n: s.length() + 1}}
		one.steps[0] = &one.step
		one.lab = lab{ids: l.ids, steps: one.steps[:]}
		return &one.lab
	}
	var out *lab
	for i, s := range l.steps {
		if s.ends(pos, kind, name) {
			continue
		}
		if out == nil {
			out = &lab{ids: l.ids, steps: slices.Clone(l.steps)}
		}
		out.steps[i] = &step{prev: s, pos: pos, kind: kind, name: name, n: s.length() + 1}
	}
	if out == nil {
		return l
	}
	return out
}

func (s *step) length() int32 {
	if s == nil {
		return 0
	}
	return s.n
}

// ends says whether a path ends with such a step, or may have no more.
func (s *step) ends(pos syntax.Pos, kind stepKind, name string) bool {
	return s != nil && (s.n >= maxSteps || s.pos == pos && s.kind == kind && s.name == name)
}

// source is a place that data come from. The calls of one place are one source.
type source struct {
	src    label.Source
	mark   *label.Endorsement // it was lowered: the mark that is left of it
	lo, hi label.Readers      // at least and at most
	placed bool               // the place in the program is known
	lab    *lab               // the set of it alone
}

type sourceKey struct {
	kind label.SourceKind
	name string
	pos  syntax.Pos
	rule string
	base int32
}

// sourceOf returns the number of a source, which is made at its first use.
func (a *analysis) sourceOf(key sourceKey, make func() source) int32 {
	if id, ok := a.sourceIDs[key]; ok {
		return id
	}
	if a.sourceIDs == nil {
		a.sourceIDs = map[sourceKey]int32{}
	}
	s := make()
	id := int32(len(a.sources))
	s.lab = &lab{ids: []int32{id}, steps: []*step{{pos: key.pos, kind: stepSource, name: key.name, n: 1}}}
	a.sources = append(a.sources, s)
	a.sourceIDs[key] = id
	return id
}

// label gives the label of a set: as an upper bound the readers
// are the fewest that may remain, as a lower bound the most.
func (a *analysis) label(l *lab, upper bool) (out label.Label, any bool) {
	out = a.base
	if l == nil {
		return out, false
	}
	out.Sources, out.Endorsed = slices.Clone(out.Sources), slices.Clone(out.Endorsed)
	if l.any() {
		return label.Label{Readers: label.Only()}, true
	}
	for _, id := range l.ids {
		s := &a.sources[id]
		if upper {
			out.Readers = out.Readers.Intersect(s.lo)
		} else {
			out.Readers = out.Readers.Intersect(s.hi)
		}
		if s.mark != nil {
			out.Endorsed = append(out.Endorsed, *s.mark)
		} else {
			out.Sources = append(out.Sources, s.src)
		}
	}
	slices.SortFunc(out.Sources, label.Source.Compare)
	out.Sources = slices.Compact(out.Sources)
	slices.SortFunc(out.Endorsed, label.Endorsement.Compare)
	out.Endorsed = slices.Compact(out.Endorsed)
	return out, false
}
