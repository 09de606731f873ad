package label

import (
	"encoding/binary"
	"slices"
)

// ID is the number of a label in its table.
type ID uint32

const (
	// Program is the label of what is made of the program's own literals
	// alone: no source, trusted, readable by everyone.
	Program ID = 0
	// Everything is the answer of a full table: every source that the run has
	// seen and an untrusted tool "*" for those that it could not keep, readable
	// by nobody. Joining anything with it gives it again.
	Everything ID = 1<<32 - 1
)

// The bounds of a table. A table holds its own copy, so that tests reach them.
const (
	siteBound  = 256     // calls of one site before they are taken together
	setBound   = 4096    // sources of one label before it becomes wide
	storeBound = 1 << 24 // entries of all sets together
	itemBound  = 1 << 20 // distinct sources and marks
	textBound  = 1 << 26 // bytes of names that the table keeps
)

// item is what a set is made of: a source, or a mark that stands for one.
type item struct {
	mark Endorsement // zero when the item is a plain source
	src  Source      // zero when it is a mark
}

func (it item) isMark() bool { return it.src.Kind == 0 }

func (it item) source() Source {
	if it.isMark() {
		return it.mark.Source
	}
	return it.src
}

func (it item) map1(f func(Source) Source) item {
	if !it.isMark() {
		it.src = f(it.src)
	} else if it.mark.Source.Kind != 0 {
		it.mark.Source = f(it.mark.Source)
	}
	return it
}

// size is about what the item's names take.
func (it item) size() int {
	return len(it.src.Name) + len(it.mark.Source.Name) + len(it.mark.By.Name) + len(it.mark.By.Why) + len(it.mark.Readers.set)
}

// set is one interned label.
type set struct {
	items   []uint32 // sorted
	readers uint32
	trusted bool
	several bool // holds an item that stands for several calls
	wide    bool
}

type pair struct {
	key uint64 // smaller ID above, larger below; 0 is an empty slot
	id  ID
}

// Table interns the labels of one run. It is not safe for concurrent use.
type Table struct {
	sets    []set
	index   map[string]ID
	items   []item
	sites   []uint32 // of each item: the item that stands for all calls of its site
	wides   []uint32 // of each item: what is left of it in a wide label
	itemIDs map[item]uint32
	readers []Readers
	readIDs map[Readers]uint32
	cache   []pair // direct-mapped: a collision forgets, never lies
	filled  int
	stored  int // entries of all sets
	text    int // bytes of names
	key     []byte

	siteBound, setBound, storeBound, itemBound, textBound int
}

// NewTable returns a table that knows [Program] alone.
func NewTable() *Table {
	return &Table{
		sets:      []set{{trusted: true}},
		index:     map[string]ID{string(setKey(nil, nil, 0, false)): Program},
		readers:   []Readers{Everyone()},
		siteBound: siteBound, setBound: setBound, storeBound: storeBound, itemBound: itemBound, textBound: textBound,
	}
}

// Len returns how many labels the table knows.
func (t *Table) Len() int { return len(t.sets) }

// Of returns the label of data that comes from one source.
func (t *Table) Of(src Source, readers Readers) ID {
	return t.Intern(Label{Sources: []Source{src}, Readers: readers})
}

// Join returns the label of what was made of both.
func (t *Table) Join(a, b ID) ID {
	if a == b || b == Program {
		return a
	}
	if a == Program {
		return b
	}
	if a > b {
		a, b = b, a
	}
	key := uint64(a)<<32 | uint64(b)
	if len(t.cache) > 0 {
		if p := t.cache[slot(key, len(t.cache))]; p.key == key {
			return p.id
		}
	}
	if int(b) >= len(t.sets) { // Everything; also any ID that is not of this table
		return Everything
	}
	id := t.join(&t.sets[a], &t.sets[b])
	t.remember(key, id)
	return id
}

// slot spreads the keys over a power of two.
func slot(key uint64, size int) int {
	return int((key * 0x9e3779b97f4a7c15) >> 32 & uint64(size-1))
}

const (
	cacheLeast = 64
	cacheMost  = 1 << 14
)

func (t *Table) remember(key uint64, id ID) {
	t.filled++
	if t.filled > len(t.cache) && len(t.cache) < cacheMost {
		old := t.cache
		t.cache = make([]pair, max(cacheLeast, 4*len(old)))
		t.filled = 1
		for _, p := range old {
			if p.key != 0 {
				t.cache[slot(p.key, len(t.cache))] = p
				t.filled++
			}
		}
	}
	t.cache[slot(key, len(t.cache))] = pair{key, id}
}

func (t *Table) join(a, b *set) ID {
	items := merge(a.items, b.items)
	readers := a.readers
	if a.readers != b.readers {
		var ok bool
		if readers, ok = t.readersID(t.readers[a.readers].Intersect(t.readers[b.readers])); !ok {
			return Everything
		}
	}
	items, wide := t.bound(items, a.several || b.several, a.wide || b.wide)
	return t.intern(items, readers, wide)
}

func merge(a, b []uint32) []uint32 {
	out := make([]uint32, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			out, a = append(out, a[0]), a[1:]
		case a[0] > b[0]:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// bound widens a sorted set to its canonical form. Each step depends on the
// whole set alone, not on the order in which it came together, and the weight
// of a set never falls when the set grows: that keeps join associative.
func (t *Table) bound(items []uint32, several, wide bool) ([]uint32, bool) {
	if wide {
		return t.widen(items), true
	}
	if !several && len(items) <= t.siteBound {
		return items, false
	}
	count := make(map[uint32]int)
	for _, i := range items {
		site := t.sites[i]
		if i == site && t.items[i].source().Call == 0 && t.collapsible(i) {
			count[site] = t.siteBound + 1
		} else {
			count[site]++
		}
	}
	weight := 0
	for _, n := range count {
		weight += min(n, t.siteBound)
	}
	if weight > t.setBound {
		return t.widen(items), true
	}
	out := make([]uint32, 0, len(items))
	for _, i := range items {
		if site := t.sites[i]; count[site] > t.siteBound {
			i = site
		}
		out = append(out, i)
	}
	slices.Sort(out)
	return slices.Compact(out), false
}

// collapsible says whether the item stands for calls at all: an input has
// one name and no number.
func (t *Table) collapsible(i uint32) bool {
	k := t.items[i].source().Kind
	return k != User && k != 0
}

func (t *Table) widen(items []uint32) []uint32 {
	out := make([]uint32, len(items))
	for n, i := range items {
		out[n] = t.wides[i]
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func setKey(buf []byte, items []uint32, readers uint32, wide bool) []byte {
	buf = binary.LittleEndian.AppendUint32(buf[:0], readers)
	if wide {
		buf = append(buf, 1)
	} else {
		buf = append(buf, 0)
	}
	for _, i := range items {
		buf = binary.LittleEndian.AppendUint32(buf, i)
	}
	return buf
}

func (t *Table) intern(items []uint32, readers uint32, wide bool) ID {
	t.key = setKey(t.key, items, readers, wide)
	if id, ok := t.index[string(t.key)]; ok {
		return id
	}
	cost := len(items) + 16
	if t.stored+cost > t.storeBound {
		return Everything
	}
	t.stored += cost
	s := set{items: slices.Clip(items), readers: readers, trusted: true, wide: wide}
	for _, i := range items {
		it := t.items[i]
		if !it.isMark() && !it.src.Trusted {
			s.trusted = false
		}
		if it.source().Call == 0 && t.collapsible(i) {
			s.several = true
		}
	}
	id := ID(len(t.sets))
	t.sets = append(t.sets, s)
	t.index[string(t.key)] = id
	return id
}

func (t *Table) readersID(r Readers) (uint32, bool) {
	if r == (Readers{}) {
		return 0, true
	}
	if id, ok := t.readIDs[r]; ok {
		return id, true
	}
	if t.text+len(r.set) > t.textBound || len(t.readers) >= t.itemBound {
		return 0, false
	}
	if t.readIDs == nil {
		t.readIDs = make(map[Readers]uint32)
	}
	t.text += len(r.set)
	id := uint32(len(t.readers))
	t.readers = append(t.readers, r)
	t.readIDs[r] = id
	return id, true
}

// itemID interns an item together with its two wider forms. When the table is
// full it tries the wider forms, and reports false when even they are new.
func (t *Table) itemID(it item) (uint32, bool) {
	if id, ok := t.itemIDs[it]; ok {
		return id, true
	}
	if t.itemIDs == nil {
		t.itemIDs = make(map[item]uint32)
	}
	if len(t.items)+3 > t.itemBound || t.text+3*it.size() > t.textBound {
		for _, f := range []func(Source) Source{Source.site, Source.wide} {
			if id, ok := t.itemIDs[it.map1(f)]; ok {
				return id, true
			}
		}
		return 0, false
	}
	wide := t.addItem(it.map1(Source.wide))
	t.sites[wide], t.wides[wide] = wide, wide
	site := t.addItem(it.map1(Source.site))
	t.sites[site], t.wides[site] = site, wide
	id := t.addItem(it)
	t.sites[id], t.wides[id] = site, wide
	return id, true
}

func (t *Table) addItem(it item) uint32 {
	if id, ok := t.itemIDs[it]; ok {
		return id
	}
	id := uint32(len(t.items))
	t.items = append(t.items, it)
	t.sites = append(t.sites, id)
	t.wides = append(t.wides, id)
	t.itemIDs[it] = id
	t.text += it.size()
	return id
}

// Intern returns the ID of a label that was made by hand: an endorsed one, or
// one that was read back.
func (t *Table) Intern(l Label) ID {
	readers, ok := t.readersID(l.Readers)
	items := make([]uint32, 0, len(l.Sources)+len(l.Endorsed))
	several := false
	add := func(it item) {
		id, known := t.itemID(it)
		if !known {
			ok = false
			return
		}
		several = several || it.source().Call == 0 && t.collapsible(id)
		items = append(items, id)
	}
	for _, s := range l.Sources {
		ok = ok && s.Kind.valid() // what is no source we know is not forgotten: the label becomes the strictest
		add(item{src: s})
	}
	for _, e := range l.Endorsed {
		ok = ok && e.By.Kind.valid() && (e.Source.Kind == 0 && e.Source == Source{} || e.Source.Kind.valid())
		add(item{mark: e})
	}
	if !ok {
		return Everything
	}
	slices.Sort(items)
	items, wide := t.bound(slices.Compact(items), several, l.Wide)
	return t.intern(items, readers, wide)
}

// Label returns what an ID stands for. An ID that is not of this table is
// taken for [Everything].
func (t *Table) Label(id ID) Label {
	if int(id) >= len(t.sets) {
		return t.everything()
	}
	s := &t.sets[id]
	l := Label{Readers: t.readers[s.readers], Wide: s.wide}
	for _, i := range s.items {
		if it := t.items[i]; it.isMark() {
			l.Endorsed = append(l.Endorsed, it.mark)
		} else {
			l.Sources = append(l.Sources, it.src)
		}
	}
	return l.sorted()
}

func (t *Table) everything() Label {
	l := Label{Readers: Only(), Wide: true, Sources: []Source{{Kind: Tool, Name: "*"}}}
	for i, it := range t.items {
		if t.wides[i] != uint32(i) {
			continue
		}
		if it.isMark() {
			l.Endorsed = append(l.Endorsed, it.mark)
		} else {
			l.Sources = append(l.Sources, it.src)
		}
	}
	return l.sorted()
}

// Trusted says what Label(id).Trusted() says, without making the label.
func (t *Table) Trusted(id ID) bool {
	return int(id) < len(t.sets) && t.sets[id].trusted
}

// Readers returns what Label(id).Readers is, without making the label.
func (t *Table) Readers(id ID) Readers {
	if int(id) >= len(t.sets) {
		return Only()
	}
	return t.readers[t.sets[id].readers]
}
