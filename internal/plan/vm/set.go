package vm

import "praxis/internal/plan/label"

const (
	minSet    = 8 // places of the smallest table
	setProbes = 9 // neighbours that are tried before the next jump
	slotBytes = 48
)

func (s *Set) class(t *Thread) *Class {
	if s.frozen {
		return t.types.FrozenSet
	}
	return t.types.Set
}

// newSet makes an empty set without a label.
func (t *Thread) newSet(frozen bool) Value { return Value{k: kSet, o: &Set{frozen: frozen}} }

// elementError gives the error of an element that cannot be hashed its wording.
func (t *Thread) elementError(err error, k Value) error { return t.hashError(err, k, "set element") }

// find returns the place of an element, or -1.
func (s *Set) find(t *Thread, k Value, h uint64) (int, error) {
	if len(s.table) == 0 {
		return -1, nil
	}
again:
	version := s.version
	mask := uint64(len(s.table) - 1)
	perturb, tried := h, 0
	for i := h & mask; ; {
		end := i
		if i+setProbes <= mask {
			end = i + setProbes
		}
		for p := i; p <= end; p++ {
			e := &s.table[p]
			if e.key.k == kUnset {
				if !e.gone {
					return -1, nil
				}
				continue
			}
			if e.hash != h {
				continue
			}
			ok, err := t.sameKey(e.key, k)
			if err != nil {
				return -1, err
			}
			if s.version != version { // the comparison has changed the set
				if err := t.step(16); err != nil {
					return -1, err
				}
				goto again
			}
			if ok {
				return int(p), nil
			}
			if tried++; tried > 16 { // many collisions: they may be made on purpose
				if err := t.step(1); err != nil {
					return -1, err
				}
			}
		}
		perturb >>= 5
		i = (i*5 + 1 + perturb) & mask
	}
}

// has reports whether k is an element; it sees what that depends on.
func (s *Set) has(t *Thread, k Value) (bool, error) {
	h, l, err := t.hashKey(k)
	if err != nil {
		return false, t.elementError(err, k)
	}
	t.see(l)
	t.see(s.shape)
	i, err := s.find(t, k, h)
	return i >= 0, err
}

// add makes k an element and reports whether it is a new one.
func (s *Set) add(t *Thread, k Value) (bool, error) {
	h, l, err := t.hashKey(k)
	if err != nil {
		return false, t.elementError(err, k)
	}
	return s.addHashed(t, k, h, l)
}

// addHashed is add for an element whose hash and label are known.
func (s *Set) addHashed(t *Thread, k Value, h uint64, l label.ID) (bool, error) {
	if l|t.pc != 0 {
		t.mark(&s.shape, l)
		k = t.under(k)
	}
	i, err := s.find(t, k, h)
	if err != nil || i >= 0 {
		return false, err
	}
	if s.table == nil {
		if err := s.resize(t, 0); err != nil {
			return false, err
		}
	}
	s.version++
	s.used++
	free, fresh := s.vacant(h)
	*free = slot{key: k, hash: h}
	if fresh {
		if s.filled++; s.filled*5 >= (len(s.table)-1)*3 {
			err = s.resize(t, s.growth())
		}
	}
	return true, err
}

// vacant returns the place for a new element: the last place of a removed one
// that the search comes by, or the first that is fresh.
func (s *Set) vacant(h uint64) (at *slot, fresh bool) {
	mask := uint64(len(s.table) - 1)
	perturb := h
	for i := h & mask; ; {
		end := i
		if i+setProbes <= mask {
			end = i + setProbes
		}
		for p := i; p <= end; p++ {
			e := &s.table[p]
			switch {
			case e.key.k != kUnset:
			case e.gone:
				at = e
			case at != nil:
				return at, false
			default:
				return e, true
			}
		}
		perturb >>= 5
		i = (i*5 + 1 + perturb) & mask
	}
}

func (s *Set) growth() int {
	if s.used > 50000 {
		return s.used * 2
	}
	return s.used * 4
}

// resize gives the table more than least places and drops the traces of removed elements.
func (s *Set) resize(t *Thread, least int) error {
	size := minSet
	for size <= least {
		size *= 2
	}
	if size > minSet {
		if err := t.alloc(int64(size) * slotBytes); err != nil {
			return err
		}
		if err := t.step(int64(s.used)); err != nil {
			return err
		}
	}
	old := s.table
	s.table = make([]slot, size)
	s.filled = s.used
	for i := range old {
		if old[i].key.k != kUnset {
			s.place(old[i])
		}
	}
	return nil
}

// place puts an element that is not there into a table without traces.
func (s *Set) place(e slot) {
	mask := uint64(len(s.table) - 1)
	perturb := e.hash
	for i := e.hash & mask; ; {
		end := i
		if i+setProbes <= mask {
			end = i + setProbes
		}
		for p := i; p <= end; p++ {
			if s.table[p].key.k == kUnset {
				s.table[p] = e
				return
			}
		}
		perturb >>= 5
		i = (i*5 + 1 + perturb) & mask
	}
}

// discard removes k and reports whether it was there; the shape gets k's label.
func (s *Set) discard(t *Thread, k Value) (bool, error) {
	h, l, err := t.hashKey(k)
	if err != nil {
		return false, t.elementError(err, k)
	}
	t.mark(&s.shape, l)
	i, err := s.find(t, k, h)
	if err != nil || i < 0 {
		return false, err
	}
	s.removeAt(i)
	return true, nil
}

// removeAt removes the element at a place of the table.
func (s *Set) removeAt(i int) {
	s.table[i] = slot{gone: true}
	s.used--
	s.version++
}

// tidy drops the traces of removed elements when they are many.
func (s *Set) tidy(t *Thread) error {
	if s.filled-s.used <= (s.size()-1)/4 {
		return nil
	}
	return s.resize(t, s.growth())
}

// clear removes everything; l says what that depends on.
func (s *Set) clear(t *Thread, l label.ID) {
	*s = Set{frozen: s.frozen, version: s.version + 1, finger: s.finger}
	t.mark(&s.shape, l)
}

// size is the number of places that CPython's table has.
func (s *Set) size() int { return max(len(s.table), minSet) }

// reserve makes room for n more elements, as an update from n elements does.
func (s *Set) reserve(t *Thread, n int) error {
	if (s.filled+n)*5 >= (s.size()-1)*3 {
		return s.resize(t, (s.used+n)*2)
	}
	return nil
}

// merge adds the elements of another set.
func (s *Set) merge(t *Thread, o *Set) error {
	t.mark(&s.shape, o.shape)
	if s == o || o.used == 0 {
		return nil
	}
	if err := s.reserve(t, o.used); err != nil {
		return err
	}
	if err := t.step(int64(len(o.table)) / 2); err != nil {
		return err
	}
	s.version++
	if err := t.alloc(int64(len(o.table)) * slotBytes); err != nil {
		return err
	}
	if s.filled == 0 {
		if s.size() == o.size() && o.filled == o.used {
			s.table = append([]slot(nil), o.table...)
		} else {
			if s.table == nil {
				s.table = make([]slot, minSet)
			}
			for i := range o.table {
				if o.table[i].key.k != kUnset {
					s.place(o.table[i])
				}
			}
		}
		s.filled, s.used = o.used, o.used
		return nil
	}
	for i := 0; i < len(o.table); i++ {
		if e := o.table[i]; e.key.k != kUnset {
			if _, err := s.addHashed(t, e.key, e.hash, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// copySet returns a set, frozen or not, with the elements of s.
func (t *Thread) copySet(s *Set, frozen bool) (*Set, error) {
	out := &Set{frozen: frozen}
	return out, out.merge(t, s)
}

// items returns the elements in the order of the table.
func (s *Set) items() []Value {
	out := make([]Value, 0, s.used)
	for i := range s.table {
		if s.table[i].key.k != kUnset {
			out = append(out, s.table[i].key)
		}
	}
	return out
}
