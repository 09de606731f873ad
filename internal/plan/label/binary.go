package label

import (
	"encoding/binary"
	"slices"

	"praxis/fault"
)

// formatVersion is the first byte of a marshalled table.
const formatVersion = 1

// MarshalBinary writes the table so that its IDs mean the same when it is
// read back. All numbers are uvarints, names are length and bytes:
//
//	version
//	readers: count, and for each but the first (everyone) its names
//	items:   count, each a source, or 0 and a mark
//	sets:    count, and for each but the first (Program) flags, readers, items
func (t *Table) MarshalBinary() ([]byte, error) {
	out := []byte{formatVersion}
	out = binary.AppendUvarint(out, uint64(len(t.readers)))
	for _, r := range t.readers[1:] {
		out = appendString(out, r.set)
	}
	out = binary.AppendUvarint(out, uint64(len(t.items)))
	for _, it := range t.items {
		if !it.isMark() {
			out = appendSource(out, it.src)
			continue
		}
		out = append(out, 0, byte(it.mark.By.Kind))
		out = appendString(appendString(out, it.mark.By.Name), it.mark.By.Why)
		if it.mark.Source.Kind != 0 {
			out = appendSource(out, it.mark.Source)
			continue
		}
		out = append(out, 0)
		if it.mark.Readers.only {
			out = appendString(append(out, 1), it.mark.Readers.set)
		} else {
			out = append(out, 0)
		}
	}
	out = binary.AppendUvarint(out, uint64(len(t.sets)))
	for i := range t.sets[1:] {
		s := &t.sets[i+1]
		wide := byte(0)
		if s.wide {
			wide = 1
		}
		out = append(out, wide)
		out = binary.AppendUvarint(out, uint64(s.readers))
		out = binary.AppendUvarint(out, uint64(len(s.items)))
		last := uint32(0)
		for _, i := range s.items {
			out = binary.AppendUvarint(out, uint64(i-last))
			last = i
		}
	}
	return out, nil
}

func appendString(out []byte, s string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

func appendSource(out []byte, s Source) []byte {
	trusted := byte(0)
	if s.Trusted {
		trusted = 1
	}
	out = appendString(append(out, byte(s.Kind), trusted), s.Name)
	for _, n := range []int{s.Call, s.Line, s.Col} {
		out = binary.AppendVarint(out, int64(n))
	}
	return out
}

// UnmarshalBinary reads what MarshalBinary writes. The input may be hostile:
// what it gives is refused, or a table that keeps all the promises of one
// that was built call by call.
func (t *Table) UnmarshalBinary(data []byte) error {
	d := &decoder{rest: data, t: NewTable()}
	d.table()
	if d.why == "" && len(d.rest) > 0 {
		d.fail("bytes after its end")
	}
	if d.why != "" {
		return fault.New(fault.Invalid, "The dump was changed, cut off, or made by another version; run the plan from its beginning.", "cannot read the table of labels: %s", d.why)
	}
	*t = *d.t
	return nil
}

// decoder reads a table; after the first mistake it reads only zeros.
type decoder struct {
	rest []byte
	why  string
	t    *Table
}

func (d *decoder) fail(why string) {
	if d.why == "" {
		d.why = why
	}
	d.rest = nil
}

func (d *decoder) byte() byte {
	if len(d.rest) == 0 {
		d.fail("it is cut off")
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b
}

// flag reads a byte that must be 0 or 1.
func (d *decoder) flag() bool {
	b := d.byte()
	if b > 1 {
		d.fail("a flag is neither 0 nor 1")
	}
	return b == 1
}

func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 {
		d.fail("it is cut off, or a number is too big")
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

// count reads how many entries follow; each takes at least one byte.
func (d *decoder) count(least uint64) int {
	n := d.uvarint()
	if n < least || n-least > uint64(len(d.rest)) {
		d.fail("a count does not fit")
		return 0
	}
	return int(n)
}

func (d *decoder) string() string {
	n := d.uvarint()
	if n > uint64(len(d.rest)) {
		d.fail("it is cut off")
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

// int reads a number that a position or a count of calls can be.
func (d *decoder) int() int {
	n, size := binary.Varint(d.rest)
	if size <= 0 || int64(int(n)) != n {
		d.fail("it is cut off, or a number is too big")
		return 0
	}
	d.rest = d.rest[size:]
	return int(n)
}

func (d *decoder) table() {
	if v := d.byte(); v != formatVersion {
		d.fail("its version is not known")
		return
	}
	for i := d.count(1); i > 1 && d.why == ""; i-- {
		r := d.readers()
		id, ok := d.t.readersID(r)
		if !ok || int(id) != len(d.t.readers)-1 || id == 0 {
			d.fail("readers are there twice, or there are too many")
		}
	}
	for i, n := 0, d.count(0); i < n && d.why == ""; i++ {
		d.item()
	}
	d.relate()
	for i := d.count(1); i > 1 && d.why == ""; i-- {
		d.set()
	}
}

func (d *decoder) readers() Readers {
	r := Readers{only: true, set: d.string()}
	if r.set != "" && r.set[len(r.set)-1] != 0 || Only(r.Principals()...) != r {
		d.fail("readers are not in order")
	}
	return r
}

func (d *decoder) source(kind byte) Source {
	s := Source{Kind: SourceKind(kind)}
	if !s.Kind.valid() {
		d.fail("a source has no kind")
	}
	s.Trusted = d.flag()
	s.Name = d.string()
	s.Call, s.Line, s.Col = d.int(), d.int(), d.int()
	return s
}

func (d *decoder) item() {
	var it item
	if kind := d.byte(); kind != 0 {
		it.src = d.source(kind)
	} else {
		it.mark.By.Kind = EndorserKind(d.byte())
		it.mark.By.Name, it.mark.By.Why = d.string(), d.string()
		if !it.mark.By.Kind.valid() {
			d.fail("an endorsement has no kind")
		}
		if kind := d.byte(); kind != 0 {
			it.mark.Source = d.source(kind)
		} else if d.flag() {
			it.mark.Readers = d.readers()
		}
	}
	if d.why != "" {
		return
	}
	t := d.t
	if t.itemIDs == nil {
		t.itemIDs = make(map[item]uint32)
	}
	if _, twice := t.itemIDs[it]; twice || len(t.items) >= t.itemBound || t.text+it.size() > t.textBound {
		d.fail("a source is there twice, or there are too many")
		return
	}
	t.addItem(it)
}

// relate finds the wider forms of each item; they are always in the table.
func (d *decoder) relate() {
	t := d.t
	for i, it := range t.items {
		site, ok1 := t.itemIDs[it.map1(Source.site)]
		wide, ok2 := t.itemIDs[it.map1(Source.wide)]
		if !ok1 || !ok2 {
			d.fail("the wider form of a source is missing")
			return
		}
		t.sites[i], t.wides[i] = site, wide
	}
}

func (d *decoder) set() {
	t := d.t
	wide := d.flag()
	readers := d.uvarint()
	if readers >= uint64(len(t.readers)) {
		d.fail("a label has unknown readers")
	}
	items := make([]uint32, d.count(0))
	several := false
	last := uint64(0)
	for n := range items {
		step := d.uvarint()
		last += step
		if step == 0 && n > 0 || step > uint64(len(t.items)) || last >= uint64(len(t.items)) {
			d.fail("a label has an unknown source")
			return
		}
		items[n] = uint32(last)
		several = several || t.items[last].source().Call == 0 && t.collapsible(items[n])
	}
	if d.why != "" {
		return
	}
	bounded, isWide := t.bound(slices.Clone(items), several, wide)
	if isWide != wide || !slices.Equal(bounded, items) {
		d.fail("a label is not in its canonical form")
		return
	}
	if id := t.intern(items, uint32(readers), wide); int(id) != len(t.sets)-1 || id == Program {
		d.fail("a label is there twice, or there are too many")
	}
}
