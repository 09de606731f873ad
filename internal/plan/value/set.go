package value

import (
	"slices"

	"praxis/internal/plan/label"
)

const (
	MinSet    = 8 // places of the smallest table
	setProbes = 9 // neighbours that are tried before the next jump
	slotBytes = 48
)

func (s *Set) Class(t *Thread) *Class {
	if s.Frozen {
		return t.Types.FrozenSet
	}
	return t.Types.Set
}

// NewSet makes an empty set without a label.
func (t *Thread) NewSet(frozen bool) Value { return Value{Kind: KSet, Obj: &Set{Frozen: frozen}} }

// setProbe is the order in which the places of a table are tried: i and some
// neighbours, then a jump. It has few enough fields for the compiler to keep them in registers.
type setProbe struct{ i, k, mask, perturb uint64 }

func (s *Set) probe(h uint64) setProbe {
	mask := uint64(len(s.Table) - 1)
	return setProbe{i: h & mask, mask: mask, perturb: h}
}

func (p *setProbe) next() {
	if p.k < setProbes && p.i+setProbes <= p.mask {
		p.k++
		return
	}
	p.perturb >>= 5
	p.i, p.k = (p.i*5+1+p.perturb)&p.mask, 0
}

// find returns the place of an element, or -1, and the label of what the program's own
// comparisons looked at.
func (s *Set) find(t *Thread, k Value, h uint64) (at int, l label.ID, err error) {
	if len(s.Table) == 0 {
		return -1, l, nil
	}
again:
	version := s.version
	for p, tried := s.probe(h), 0; ; p.next() {
		e := &s.Table[p.i+p.k]
		if e.Key.Kind == KUnset {
			if !e.Gone {
				return -1, l, nil
			}
			continue
		}
		if e.hash != h {
			continue
		}
		ok, err := t.sameKey(e.Key, k, &l)
		if err != nil {
			return -1, l, err
		}
		if s.version != version { // the comparison has changed the set
			if err := t.Step(16); err != nil {
				return -1, l, err
			}
			goto again
		}
		if ok {
			return int(p.i + p.k), l, nil
		}
		if tried++; tried > 16 { // many collisions: they may be made on purpose
			if err := t.Step(1); err != nil {
				return -1, l, err
			}
		}
	}
}

// has reports whether k is an element; it sees what that depends on.
func (s *Set) has(t *Thread, k Value) (bool, error) {
	h, l, err := t.HashKey(k)
	if err != nil {
		return false, err
	}
	t.See(l)
	t.See(s.Shape)
	i, _, err := s.find(t, k, h)
	return i >= 0, err
}

// Add makes k an element and reports whether it is a new one.
func (s *Set) Add(t *Thread, k Value) (bool, error) {
	h, l, err := t.HashKey(k)
	if err != nil {
		return false, err
	}
	return s.addHashed(t, k, h, l)
}

// addHashed is add for an element whose hash and label are known.
func (s *Set) addHashed(t *Thread, k Value, h uint64, l label.ID) (bool, error) {
	if l|t.PC != 0 {
		t.Mark(&s.Shape, l)
		k = t.Under(k)
	}
	i, compared, err := s.find(t, k, h)
	if compared != 0 {
		t.Mark(&s.Shape, compared)
	}
	if err != nil || i >= 0 {
		return false, err
	}
	if s.Table == nil {
		if err := s.resize(t, 0); err != nil {
			return false, err
		}
	}
	s.version++
	s.Used++
	free, fresh := s.vacant(h)
	*free = Slot{Key: k, hash: h}
	if fresh {
		if s.Filled++; s.Filled*5 >= (len(s.Table)-1)*3 {
			err = s.resize(t, s.growth())
		}
	}
	return true, err
}

// vacant returns the place for a new element: the last place of a removed one
// that the search comes by, or the first that is fresh.
func (s *Set) vacant(h uint64) (at *Slot, fresh bool) {
	for p := s.probe(h); ; p.next() {
		e := &s.Table[p.i+p.k]
		switch {
		case e.Key.Kind != KUnset:
		case e.Gone:
			at = e
		case at != nil:
			return at, false
		default:
			return e, true
		}
	}
}

// placeAll puts the elements of another table, which are not there, into one without traces.
func (s *Set) placeAll(from []Slot) {
	for i := range from {
		if from[i].Key.Kind != KUnset {
			at, _ := s.vacant(from[i].hash)
			*at = from[i]
		}
	}
}

func (s *Set) growth() int {
	if s.Used > 50000 {
		return s.Used * 2
	}
	return s.Used * 4
}

// resize gives the table more than least places and drops the traces of removed elements.
func (s *Set) resize(t *Thread, least int) error {
	size := MinSet
	for size <= least {
		size *= 2
	}
	if size > MinSet {
		if err := t.Charge(int64(size)*slotBytes, int64(s.Used)); err != nil {
			return err
		}
	}
	old := s.Table
	s.Table = make([]Slot, size)
	s.Filled = s.Used
	s.placeAll(old)
	return nil
}

// Discard removes k and reports whether it was there; the shape gets k's label.
func (s *Set) Discard(t *Thread, k Value) (bool, error) {
	h, l, err := t.HashKey(k)
	if err != nil {
		return false, err
	}
	i, compared, err := s.find(t, k, h)
	t.Mark(&s.Shape, t.Join(l, compared))
	if err != nil || i < 0 {
		return false, err
	}
	t.Lose(s, s.Shape, s.Table[i].Key)
	s.RemoveAt(i)
	return true, nil
}

// RemoveAt removes the element at a place of the table.
func (s *Set) RemoveAt(i int) {
	s.Table[i] = Slot{Gone: true}
	s.Used--
	s.version++
}

// tidy drops the traces of removed elements when they are many.
func (s *Set) tidy(t *Thread) error {
	if s.Filled-s.Used <= (s.size()-1)/4 {
		return nil
	}
	return s.resize(t, s.growth())
}

// Clear removes everything; l says what that depends on.
func (s *Set) Clear(t *Thread, l label.ID) {
	for i := range s.Table {
		t.Lose(s, 0, s.Table[i].Key)
	}
	*s = Set{Frozen: s.Frozen, version: s.version + 1, Finger: s.Finger}
	t.Mark(&s.Shape, l)
}

// size is the number of places that CPython's table has.
func (s *Set) size() int { return max(len(s.Table), MinSet) }

// reserve makes space for n more elements, as an update from n elements does.
func (s *Set) reserve(t *Thread, n int) error {
	if (s.Filled+n)*5 >= (s.size()-1)*3 {
		return s.resize(t, (s.Used+n)*2)
	}
	return nil
}

// Merge adds the elements of another set.
func (s *Set) Merge(t *Thread, o *Set) error {
	t.Mark(&s.Shape, o.Shape)
	if s == o || o.Used == 0 {
		return nil
	}
	if err := s.reserve(t, o.Used); err != nil {
		return err
	}
	if err := t.Step(int64(len(o.Table)) / 2); err != nil {
		return err
	}
	s.version++
	if err := t.Alloc(int64(len(o.Table)) * slotBytes); err != nil {
		return err
	}
	if s.Filled == 0 {
		if s.size() == o.size() && o.Filled == o.Used {
			s.Table = slices.Clone(o.Table)
		} else {
			if s.Table == nil {
				s.Table = make([]Slot, MinSet)
			}
			s.placeAll(o.Table)
		}
		s.Filled, s.Used = o.Used, o.Used
		return nil
	}
	for i := 0; i < len(o.Table); i++ {
		if e := o.Table[i]; e.Key.Kind != KUnset {
			if _, err := s.addHashed(t, e.Key, e.hash, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// items returns the elements in the order of the table.
func (s *Set) items() []Value {
	out := make([]Value, 0, s.Used)
	for i := range s.Table {
		if s.Table[i].Key.Kind != KUnset {
			out = append(out, s.Table[i].Key)
		}
	}
	return out
}

// Take makes the elements of o those of s.
func (s *Set) Take(t *Thread, o *Set) {
	t.Mark(&s.Shape, o.Shape)
	s.Table, s.Used, s.Filled = o.Table, o.Used, o.Filled
	s.version++
}
