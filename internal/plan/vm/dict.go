package vm

import (
	"praxis/internal/plan/label"
)

const (
	smallDict  = 8       // up to here a dict has no index: its entries are compared one by one
	maxEntries = 1 << 30 // an index holds int32
	entryBytes = 80      // what one entry is accounted for
)

func (d *Dict) class(t *Thread) *Class { return t.types.Dict }

// newDict makes an empty dict without a label.
func (t *Thread) newDict() Value { return Value{k: kDict, o: &Dict{}} }

// mark joins l, and what control depends on, into a shape.
func (t *Thread) mark(shape *label.ID, l label.ID) {
	if l|t.pc != 0 {
		*shape = t.join(t.join(*shape, l), t.pc)
	}
}

// under returns v as it is stored now: in strict mode with what control depends on.
func (t *Thread) under(v Value) Value {
	if t.pc != 0 {
		v.l = t.join(v.l, t.pc)
	}
	return v
}

// hashKey returns the hash of a key and the label of all that it was made of.
func (t *Thread) hashKey(k Value) (uint64, label.ID, error) {
	switch k.k {
	case kStr:
		h, err := t.hashText(k.o.(*Str))
		return h, k.l, err
	case kInt, kBool:
		return hashInt(k.n), k.l, nil
	}
	seen := t.seen
	t.seen = k.l
	h, err := t.hash(k)
	l := t.seen
	t.seen = seen
	return h, l, err
}

// sameKey reports whether two keys with equal hashes are one. It sees what a
// comparison by the program sees; its own is covered by the shape.
func (t *Thread) sameKey(a, b Value) (bool, error) {
	if a.k == b.k {
		switch a.k {
		case kStr:
			return a.o == b.o || a.o.(*Str).s == b.o.(*Str).s, nil
		case kInt, kBool, kNone:
			return a.n == b.n, nil
		}
	}
	if same(a, b) {
		return true, nil
	}
	return t.equal(a, b)
}

// find returns the place of key k among the entries, or -1.
func (d *Dict) find(t *Thread, k Value, h uint64) (int, error) {
	if k.k == kStr {
		if i, ok := d.findStr(k.o.(*Str).s, h); ok {
			return i, nil
		}
	}
again:
	version := d.version
	check := func(i int) (bool, error) {
		e := &d.entries[i]
		if e.hash != h || e.key.k == kUnset {
			return false, nil
		}
		return t.sameKey(e.key, k)
	}
	if d.index == nil {
		for i := 0; i < len(d.entries); i++ {
			ok, err := check(i)
			if err != nil {
				return -1, err
			}
			if d.version != version {
				goto changed
			}
			if ok {
				return i, nil
			}
		}
		return -1, nil
	}
	for p, n := newProbe(h, len(d.index)), 0; ; n++ {
		i := d.index[p.i]
		if i == 0 {
			return -1, nil
		}
		if int(i) > len(d.entries) {
			p.next()
			continue
		}
		ok, err := check(int(i) - 1)
		if err != nil {
			return -1, err
		}
		if d.version != version {
			goto changed
		}
		if ok {
			return int(i) - 1, nil
		}
		if n >= 16 { // many collisions: they may be made on purpose
			if err := t.step(1); err != nil {
				return -1, err
			}
		}
		p.next()
	}
changed: // a comparison of the program has changed the dict
	if err := t.step(16); err != nil {
		return -1, err
	}
	goto again
}

// findStr looks for a string key. ok is false when a key that is not a string
// has the same hash, so that the program may have to be asked.
func (d *Dict) findStr(s string, h uint64) (int, bool) {
	if d.index == nil {
		for i := range d.entries {
			e := &d.entries[i]
			if e.hash == h {
				if e.key.k == kStr {
					if e.key.o.(*Str).s == s {
						return i, true
					}
				} else if e.key.k != kUnset {
					return -1, false
				}
			}
		}
		return -1, true
	}
	for p := newProbe(h, len(d.index)); ; p.next() {
		i := d.index[p.i]
		if i == 0 {
			return -1, true
		}
		if int(i) > len(d.entries) {
			continue
		}
		e := &d.entries[i-1]
		if e.hash == h {
			if e.key.k == kStr {
				if e.key.o.(*Str).s == s {
					return int(i) - 1, true
				}
			} else if e.key.k != kUnset {
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

// get returns the value of key k, labelled with what it depends on, and
// whether there is one. The label says why there is none, too.
func (d *Dict) get(t *Thread, k Value) (Value, bool, error) {
	h, l, err := t.hashKey(k)
	if err != nil {
		return Value{}, false, t.keyError(err, k)
	}
	i, err := d.find(t, k, h)
	if err != nil {
		return Value{}, false, err
	}
	if l|d.shape != 0 {
		l = t.join(l, d.shape)
	}
	if i < 0 {
		return Value{l: l}, false, nil
	}
	v := d.entries[i].val
	if l != 0 {
		v.l = t.join(v.l, l)
	}
	return v, true, nil
}

// has reports whether there is a key k; it sees what that depends on.
func (d *Dict) has(t *Thread, k Value) (bool, error) {
	v, ok, err := d.get(t, k)
	if err != nil {
		return false, err
	}
	if ok {
		v.l = t.join(d.shape, k.l)
	}
	t.see(v.l)
	return ok, nil
}

// set makes v the value of key k.
func (d *Dict) set(t *Thread, k, v Value) error {
	h, l, err := t.hashKey(k)
	if err != nil {
		return t.keyError(err, k)
	}
	return d.setHashed(t, k, v, h, l)
}

// setHashed is set for a key whose hash and label are known.
func (d *Dict) setHashed(t *Thread, k, v Value, h uint64, l label.ID) error {
	i, err := d.find(t, k, h)
	if err != nil {
		return err
	}
	if l|t.pc != 0 {
		t.mark(&d.shape, l)
		v = t.under(v)
	}
	if i >= 0 {
		d.entries[i].val = v
		return nil
	}
	return d.add(t, k, v, h)
}

// add appends an entry whose key is not there yet.
func (d *Dict) add(t *Thread, k, v Value, h uint64) error {
	if len(d.entries) == cap(d.entries) {
		if err := d.grow(t); err != nil {
			return err
		}
	}
	d.entries = append(d.entries, entry{k, v, h})
	d.live++
	d.version++
	if n := len(d.entries); d.index != nil && d.filled*3 < len(d.index)*2 {
		d.point(h, n)
	} else if n > smallDict {
		d.reindex()
	}
	return nil
}

// point enters the n-th entry (from 1) into the index.
func (d *Dict) point(h uint64, n int) {
	p := newProbe(h, len(d.index))
	for d.index[p.i] != 0 {
		p.next()
	}
	d.index[p.i] = int32(n)
	d.filled++
}

// grow makes room for more entries, or closes the gaps of removed ones.
func (d *Dict) grow(t *Thread) error {
	if d.live < len(d.entries)-len(d.entries)/4 {
		d.compact()
		return nil
	}
	n := max(len(d.entries)*2, 4)
	if n > maxEntries {
		return t.OutOfMemory(int64(n) * entryBytes)
	}
	if t != nil {
		if err := t.alloc(int64(n-len(d.entries)) * entryBytes); err != nil {
			return err
		}
	}
	entries := make([]entry, len(d.entries), n)
	copy(entries, d.entries)
	d.entries = entries
	return nil
}

// compact closes the gaps of removed entries.
func (d *Dict) compact() {
	out := d.entries[:0]
	for _, e := range d.entries {
		if e.key.k != kUnset {
			out = append(out, e)
		}
	}
	clear(d.entries[len(out):])
	d.entries = out
	d.version++
	if d.index != nil {
		d.reindex()
	}
}

// reindex builds the index anew, for twice the entries that there are.
func (d *Dict) reindex() {
	size := 16
	for size < len(d.entries)*3 {
		size *= 2
	}
	if size == len(d.index) {
		clear(d.index)
	} else {
		d.index = make([]int32, size)
	}
	d.filled = 0
	for i := range d.entries {
		if d.entries[i].key.k != kUnset {
			d.point(d.entries[i].hash, i+1)
		}
	}
}

// del removes key k and returns its value, labelled as [Dict.get] does.
func (d *Dict) del(t *Thread, k Value) (Value, bool, error) {
	h, l, err := t.hashKey(k)
	if err != nil {
		return Value{}, false, t.keyError(err, k)
	}
	i, err := d.find(t, k, h)
	if err != nil {
		return Value{}, false, err
	}
	l = t.join(l, d.shape)
	if i < 0 {
		return Value{l: l}, false, nil
	}
	v := d.entries[i].val
	v.l = t.join(v.l, l)
	t.mark(&d.shape, l)
	d.remove(i)
	return v, true, nil
}

// remove takes the i-th entry out.
func (d *Dict) remove(i int) {
	d.entries[i] = entry{hash: d.entries[i].hash}
	d.live--
	d.version++
	switch {
	case d.live == 0:
		d.entries = d.entries[:0]
		clear(d.index)
		d.filled = 0
	case i == len(d.entries)-1: // what is left of it in the index lies past the entries, or is of another hash
		d.entries = d.entries[:i]
	case len(d.entries) > 32 && d.live < len(d.entries)/4:
		d.compact()
	}
}

// clear removes everything. What was there is no matter any more, only that it is gone.
func (d *Dict) clear(t *Thread, l label.ID) {
	*d = Dict{version: d.version + 1}
	t.mark(&d.shape, l)
}

// last returns the place of the last entry, or -1.
func (d *Dict) last() int {
	for i := len(d.entries) - 1; i >= 0; i-- {
		if d.entries[i].key.k != kUnset {
			return i
		}
	}
	return -1
}

// copy returns a dict with the same entries.
func (d *Dict) copy(t *Thread) (*Dict, error) {
	if err := t.alloc(int64(d.live)*entryBytes + 64); err != nil {
		return nil, err
	}
	if err := t.step(int64(d.live) / 4); err != nil {
		return nil, err
	}
	out := &Dict{live: d.live, shape: t.join(d.shape, t.pc), entries: make([]entry, 0, d.live)}
	for _, e := range d.entries {
		if e.key.k != kUnset {
			e.val = t.under(e.val)
			out.entries = append(out.entries, e)
		}
	}
	if len(out.entries) > smallDict {
		out.reindex()
	}
	return out, nil
}

// str returns the value of a name in a name space. It joins no labels.
func (d *Dict) str(name string) (Value, bool) {
	if i := d.place(name); i >= 0 {
		return d.entries[i].val, true
	}
	return Value{}, false
}

// place returns the place of a name among the entries, or -1.
func (d *Dict) place(name string) int {
	if d.index == nil {
		for i := range d.entries {
			if k := &d.entries[i].key; k.k == kStr && k.o.(*Str).s == name {
				return i
			}
		}
		return -1
	}
	h := hashString(name)
	for p := newProbe(h, len(d.index)); ; p.next() {
		i := d.index[p.i]
		if i == 0 {
			return -1
		}
		if int(i) > len(d.entries) {
			continue
		}
		if e := &d.entries[i-1]; e.hash == h && e.key.k == kStr && e.key.o.(*Str).s == name {
			return int(i) - 1
		}
	}
}

// setStr binds a name in a name space. It joins no labels; t may be nil while
// the built-in classes are made.
func (d *Dict) setStr(t *Thread, name string, v Value) {
	if i := d.place(name); i >= 0 {
		d.entries[i].val = v
		return
	}
	d.addName(&Str{s: name}, v)
}

// setName is setStr for a string that exists as an object.
func (d *Dict) setName(name *Str, v Value) {
	if i := d.place(name.s); i >= 0 {
		d.entries[i].val = v
		return
	}
	d.addName(name, v)
}

// addName adds a name that the dict does not have.
func (d *Dict) addName(name *Str, v Value) {
	h := hashStr(name)
	if len(d.entries) == cap(d.entries) && d.live < len(d.entries)-len(d.entries)/4 {
		d.compact()
	}
	d.entries = append(d.entries, entry{Value{k: kStr, o: name}, v, h})
	d.live++
	d.version++
	if n := len(d.entries); d.index != nil && d.filled*3 < len(d.index)*2 {
		d.point(h, n)
	} else if n > smallDict {
		d.reindex()
	}
}

// delStr unbinds a name and reports whether it was bound.
func (d *Dict) delStr(name string) bool {
	i := d.place(name)
	if i >= 0 {
		d.remove(i)
	}
	return i >= 0
}

// keyError gives the error of a key that cannot be hashed its wording for dicts.
func (t *Thread) keyError(err error, k Value) error { return t.hashError(err, k, "dict key") }

// hashError rewrites the TypeError that [Thread.hash] makes.
func (t *Thread) hashError(err error, k Value, role string) error {
	r, ok := err.(*Raise)
	if !ok || r.exc.cls != t.types.TypeError || len(r.exc.args.o.(*Tuple).items) != 1 {
		return err
	}
	first := r.exc.args.o.(*Tuple).items[0]
	if first.k != kStr {
		return err
	}
	seen := t.seen
	t.seen = t.join(first.l, k.l)
	out := t.raise(t.types.TypeError, "cannot use '%s' as a %s (%s)", t.className(k), role, first.o.(*Str).s)
	t.seen = seen
	return out
}
