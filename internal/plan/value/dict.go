package value

import (
	"slices"

	"praxis/internal/plan/label"
)

const (
	SmallDict  = 8       // up to here a dict has no index: its entries are compared one by one
	maxEntries = 1 << 30 // an index holds int32
	EntryBytes = 80      // what one entry is accounted for
)

func (d *Dict) Class(t *Thread) *Class { return t.Types.Dict }

// NewDict makes an empty dict without a label.
func (t *Thread) NewDict() Value { return Value{Kind: KDict, Obj: &Dict{}} }

// Mark joins l, and what control depends on, into a shape.
func (t *Thread) Mark(shape *label.ID, l label.ID) {
	if l|t.PC != 0 {
		*shape = t.Join(t.Join(*shape, l), t.PC)
	}
}

// Under returns v as it is stored now: in strict mode with what control depends on.
func (t *Thread) Under(v Value) Value {
	if t.PC != 0 {
		v.Label = t.Join(v.Label, t.PC)
	}
	return v
}

// HashKey returns the hash of a key and the label of all that it was made of.
func (t *Thread) HashKey(k Value) (uint64, label.ID, error) {
	switch k.Kind {
	case KStr:
		h, err := t.hashText(k.Obj.(*Str))
		return h, k.Label, err
	case KInt, KBool:
		return HashInt(k.N), k.Label, nil
	}
	seen := t.Seen
	t.Seen = k.Label
	h, err := t.Hash(k)
	l := t.Seen
	t.Seen = seen
	return h, l, err
}

// sameKey reports whether two keys with equal hashes are one. It sees what a comparison
// by the program sees and joins it into l, since that need not be part of a hash; its own
// is covered by the shape.
func (t *Thread) sameKey(a, b Value, l *label.ID) (bool, error) {
	if a.Kind == b.Kind {
		switch a.Kind {
		case KStr:
			return a.Obj == b.Obj || a.Obj.(*Str).Text == b.Obj.(*Str).Text, nil
		case KInt, KBool, KNone:
			return a.N == b.N, nil
		}
	}
	if Is(a, b) {
		return true, nil
	}
	seen := t.Seen
	t.Seen = 0
	ok, err := t.Equal(a, b)
	*l = t.Join(*l, t.Seen)
	t.See(seen)
	return ok, err
}

// find returns the place of key k among the entries, or -1, and the label of what the
// program's own comparisons looked at.
func (d *Dict) find(t *Thread, k Value, h uint64) (at int, l label.ID, err error) {
	if k.Kind == KStr {
		if i, ok := d.findStr(k.Obj.(*Str).Text, h); ok {
			return i, 0, nil
		}
	}
again:
	version := d.Version
	check := func(i int) (bool, error) {
		e := &d.Entries[i]
		if e.Hash != h || e.Key.Kind == KUnset {
			return false, nil
		}
		return t.sameKey(e.Key, k, &l)
	}
	if d.Index == nil {
		for i := 0; i < len(d.Entries); i++ {
			ok, err := check(i)
			if err != nil {
				return -1, l, err
			}
			if d.Version != version {
				goto changed
			}
			if ok {
				return i, l, nil
			}
		}
		return -1, l, nil
	}
	for p, n := newProbe(h, len(d.Index)), 0; ; n++ {
		i := d.Index[p.i]
		if i == 0 {
			return -1, l, nil
		}
		if int(i) > len(d.Entries) {
			p.next()
			continue
		}
		ok, err := check(int(i) - 1)
		if err != nil {
			return -1, l, err
		}
		if d.Version != version {
			goto changed
		}
		if ok {
			return int(i) - 1, l, nil
		}
		if n >= 16 { // many collisions: they may be made on purpose
			if err := t.Step(1); err != nil {
				return -1, l, err
			}
		}
		p.next()
	}
changed: // a comparison of the program has changed the dict
	if err := t.Step(16); err != nil {
		return -1, l, err
	}
	goto again
}

// findStr looks for a string key. ok is false when a key that is not a string
// has the same hash, so that a method of the program may have to be called.
func (d *Dict) findStr(s string, h uint64) (int, bool) {
	if d.Index == nil {
		for i := range d.Entries {
			e := &d.Entries[i]
			if e.Hash == h {
				if e.Key.Kind == KStr {
					if e.Key.Obj.(*Str).Text == s {
						return i, true
					}
				} else if e.Key.Kind != KUnset {
					return -1, false
				}
			}
		}
		return -1, true
	}
	for p := newProbe(h, len(d.Index)); ; p.next() {
		i := d.Index[p.i]
		if i == 0 {
			return -1, true
		}
		if int(i) > len(d.Entries) {
			continue
		}
		e := &d.Entries[i-1]
		if e.Hash == h {
			if e.Key.Kind == KStr {
				if e.Key.Obj.(*Str).Text == s {
					return int(i) - 1, true
				}
			} else if e.Key.Kind != KUnset {
				return -1, false
			}
		}
	}
}

// probe is the order in which the places of an index are tried.
type probe struct{ i, mask, perturb uint64 }

func newProbe(h uint64, size int) probe {
	mask := uint64(size - 1)
	return probe{h & mask, mask, h}
}

func (p *probe) next() {
	p.perturb >>= 5
	p.i = (p.i*5 + p.perturb + 1) & p.mask
}

// lookup returns the place of key k among the entries, or -1, and the label of all that
// this depends on.
func (d *Dict) lookup(t *Thread, k Value) (int, label.ID, error) {
	h, l, err := t.HashKey(k)
	if err != nil {
		return -1, l, err
	}
	i, compared, err := d.find(t, k, h)
	if l|compared|d.Shape != 0 {
		l = t.Join(t.Join(l, compared), d.Shape)
	}
	return i, l, err
}

// Get returns the value of key k, labelled with what it depends on, and
// whether there is one. The label says why there is none, too.
func (d *Dict) Get(t *Thread, k Value) (Value, bool, error) {
	i, l, err := d.lookup(t, k)
	if err != nil {
		return Value{}, false, err
	}
	if i < 0 {
		return Value{Label: l}, false, nil
	}
	v := d.Entries[i].Val
	if l != 0 {
		v.Label = t.Join(v.Label, l)
	}
	return v, true, nil
}

// Has reports whether there is a key k; it sees what that depends on.
func (d *Dict) Has(t *Thread, k Value) (bool, error) {
	i, l, err := d.lookup(t, k)
	t.See(l)
	return i >= 0, err
}

// Set makes v the value of key k.
func (d *Dict) Set(t *Thread, k, v Value) error {
	h, l, err := t.HashKey(k)
	if err != nil {
		return err
	}
	return d.setHashed(t, k, v, h, l)
}

// SetDefault is the value of key k, which is v if there was none. That it could have
// been added shows in the dict.
func (d *Dict) SetDefault(t *Thread, k, v Value) (Value, error) {
	h, l, err := t.HashKey(k)
	if err != nil {
		return v, err
	}
	i, compared, err := d.find(t, k, h)
	t.Mark(&d.Shape, t.Join(l, compared))
	if err != nil {
		return v, err
	}
	if i >= 0 {
		v = d.Entries[i].Val
	} else {
		err = d.add(t, k, t.Under(v), h)
	}
	return v.With(t.Join(v.Label, d.Shape)), err
}

// setHashed is set for a key whose hash and label are known.
func (d *Dict) setHashed(t *Thread, k, v Value, h uint64, l label.ID) error {
	i, compared, err := d.find(t, k, h)
	if err != nil {
		return err
	}
	if l|compared|t.PC != 0 {
		t.Mark(&d.Shape, t.Join(l, compared))
		v = t.Under(v)
	}
	if i >= 0 {
		t.Lose(d, d.Shape, d.Entries[i].Val)
		d.Entries[i].Val = v
		return nil
	}
	return d.add(t, k, v, h)
}

// add appends an entry whose key is not there yet.
func (d *Dict) add(t *Thread, k, v Value, h uint64) error {
	if len(d.Entries) == cap(d.Entries) {
		if err := d.grow(t); err != nil {
			return err
		}
	}
	d.put(k, v, h)
	return nil
}

// put appends an entry for which there is space.
func (d *Dict) put(k, v Value, h uint64) {
	d.Entries = append(d.Entries, Entry{k, v, h})
	d.Live++
	d.Version++
	if n := len(d.Entries); d.Index != nil && d.filled*3 < len(d.Index)*2 {
		d.point(h, n)
	} else if n > SmallDict {
		d.Reindex()
	}
}

// point enters the n-th entry (from 1) into the index.
func (d *Dict) point(h uint64, n int) {
	p := newProbe(h, len(d.Index))
	for d.Index[p.i] != 0 {
		p.next()
	}
	d.Index[p.i] = int32(n)
	d.filled++
}

// grow makes space for more entries, or closes the gaps of removed ones.
func (d *Dict) grow(t *Thread) error {
	if d.Live < len(d.Entries)-len(d.Entries)/4 {
		d.compact()
		return nil
	}
	n := max(len(d.Entries)*2, 4)
	if n > maxEntries {
		return t.OutOfMemory(int64(n) * EntryBytes)
	}
	if t != nil {
		if err := t.Alloc(int64(n-len(d.Entries)) * EntryBytes); err != nil {
			return err
		}
	}
	entries := make([]Entry, len(d.Entries), n)
	copy(entries, d.Entries)
	d.Entries = entries
	return nil
}

// compact closes the gaps of removed entries.
func (d *Dict) compact() {
	out := d.Entries[:0]
	for _, e := range d.Entries {
		if e.Key.Kind != KUnset {
			out = append(out, e)
		}
	}
	clear(d.Entries[len(out):])
	d.Entries = out
	d.Version++
	if d.Index != nil {
		d.Reindex()
	}
}

// Reindex builds the index anew, for twice the entries that there are.
func (d *Dict) Reindex() {
	size := 16
	for size < len(d.Entries)*3 {
		size *= 2
	}
	if size == len(d.Index) {
		clear(d.Index)
	} else {
		d.Index = make([]int32, size)
	}
	d.filled = 0
	for i := range d.Entries {
		if d.Entries[i].Key.Kind != KUnset {
			d.point(d.Entries[i].Hash, i+1)
		}
	}
}

// Del removes key k and returns its value, labelled as [Dict.Get] does.
func (d *Dict) Del(t *Thread, k Value) (Value, bool, error) {
	i, l, err := d.lookup(t, k)
	if err != nil {
		return Value{}, false, err
	}
	t.Mark(&d.Shape, l) // also where there is none: another key could have been one
	if i < 0 {
		return Value{Label: l}, false, nil
	}
	v := d.Entries[i].Val
	v.Label = t.Join(v.Label, l)
	t.Lose(d, d.Shape, d.Entries[i].Val)
	d.Remove(i)
	return v, true, nil
}

// Remove takes the i-th entry out.
func (d *Dict) Remove(i int) {
	d.Entries[i] = Entry{Hash: d.Entries[i].Hash}
	d.Live--
	d.Version++
	switch {
	case d.Live == 0:
		d.Entries = d.Entries[:0]
		clear(d.Index)
		d.filled = 0
	case i == len(d.Entries)-1: // what is left of it in the index lies past the entries, or is of another hash
		d.Entries = d.Entries[:i]
	case len(d.Entries) > 32 && d.Live < len(d.Entries)/4:
		d.compact()
	}
}

// Clear removes everything. What was there is no matter any more, only that it is gone.
func (d *Dict) Clear(t *Thread, l label.ID) {
	for i := range d.Entries {
		t.Lose(d, 0, d.Entries[i].Val)
	}
	*d = Dict{Version: d.Version + 1}
	t.Mark(&d.Shape, l)
}

// Last returns the place of the last entry, or -1.
func (d *Dict) Last() int {
	for i := len(d.Entries) - 1; i >= 0; i-- {
		if d.Entries[i].Key.Kind != KUnset {
			return i
		}
	}
	return -1
}

// Copy returns a dict with the same entries.
func (d *Dict) Copy(t *Thread) (*Dict, error) {
	if err := t.Charge(int64(d.Live)*EntryBytes+64, int64(d.Live)/4); err != nil {
		return nil, err
	}
	out := &Dict{Live: d.Live, Shape: t.Join(d.Shape, t.PC), Entries: make([]Entry, 0, d.Live)}
	for _, e := range d.Entries {
		if e.Key.Kind != KUnset {
			e.Val = t.Under(e.Val)
			out.Entries = append(out.Entries, e)
		}
	}
	if len(out.Entries) > SmallDict {
		out.Reindex()
	}
	return out, nil
}

// Str returns the value of a name in a name space. It joins no labels.
func (d *Dict) Str(name string) (Value, bool) {
	if i := d.Place(name); i >= 0 {
		return d.Entries[i].Val, true
	}
	return Value{}, false
}

// Place returns the place of a name among the entries, or -1.
func (d *Dict) Place(name string) int {
	if d.Index == nil {
		for i := range d.Entries {
			if k := &d.Entries[i].Key; k.Kind == KStr && k.Obj.(*Str).Text == name {
				return i
			}
		}
		return -1
	}
	i, _ := d.findStr(name, hashString(name))
	return i
}

// SetStr binds a name in a name space. It joins no labels; t may be nil while
// the built-in classes are made.
func (d *Dict) SetStr(t *Thread, name string, v Value) {
	if i := d.Place(name); i >= 0 {
		d.Entries[i].Val = v
		return
	}
	d.AddName(&Str{Text: name}, v)
}

// SetName is SetStr for a string that exists as an object.
func (d *Dict) SetName(name *Str, v Value) {
	if i := d.Place(name.Text); i >= 0 {
		d.Entries[i].Val = v
		return
	}
	d.AddName(name, v)
}

// AddName adds a name that the dict does not have.
func (d *Dict) AddName(name *Str, v Value) {
	if len(d.Entries) == cap(d.Entries) {
		d.grow(nil)
	}
	d.put(Value{Kind: KStr, Obj: name}, v, HashStr(name))
}

// DelStr unbinds a name and reports whether it was bound.
func (d *Dict) DelStr(name string) bool {
	i := d.Place(name)
	if i >= 0 {
		d.Remove(i)
	}
	return i >= 0
}

// Clone copies a name space, with space for more names.
func (d *Dict) Clone(more int) Dict {
	c := *d
	c.Entries = append(make([]Entry, 0, len(d.Entries)+more), d.Entries...)
	c.Index = slices.Clone(d.Index)
	return c
}

// merge adds the entries of o; it sees o's shape.
func (d *Dict) merge(t *Thread, o *Dict) error {
	t.See(o.Shape)
	if d == o {
		return nil
	}
	if err := t.Step(int64(o.Live) / 4); err != nil {
		return err
	}
	for i := 0; i < len(o.Entries); i++ {
		e := o.Entries[i]
		if e.Key.Kind == KUnset {
			continue
		}
		n := o.Version
		if err := d.setHashed(t, e.Key, e.Val, e.Hash, 0); err != nil { // o's shape has the keys' labels
			return err
		}
		if o.Version != n {
			return t.FailAt(o.Shape, t.Types.RuntimeError, "dict mutated during update")
		}
	}
	return nil
}
