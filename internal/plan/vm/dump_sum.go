package vm

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strconv"
	"sync"
)

// sumOf identifies a compiled unit: instructions, constants, names, places.
func sumOf(u *unit) []byte {
	u.summing.Do(func() {
		h := sumWriter{sha256.New()}
		h.text(u.module)
		h.number(len(u.codes))
		for _, c := range u.codes {
			h.code(c)
		}
		u.summed = h.Sum(nil)[:sumSize]
	})
	return u.summed
}

// sum identifies a program with what the host gives to it.
func (p *Program) sum() []byte {
	h := sumWriter{sha256.New()}
	h.Write(sumOf(p.unit))
	h.text(strconv.FormatBool(p.unit.strict))
	h.texts(p.env.Tools)
	h.texts(p.env.Inputs)
	return h.Sum(nil)[:sumSize]
}

// machineSum identifies what a state relies on beside the program: how the
// machine's structures look, its instructions and its natives.
var machineSum = sync.OnceValue(func() []byte {
	h := sumWriter{sha256.New()}
	h.text(layouts().text.String())
	h.number(int(opCount))
	h.texts(slices.Sorted(maps.Keys(natives())))
	h.texts(slices.Sorted(maps.Keys(builtinTypes().all)))
	return h.Sum(nil)[:sumSize]
})

// sumWriter hashes parts so that no two lists of parts look the same.
type sumWriter struct{ hash.Hash }

func (h sumWriter) number(n int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	h.Write(b[:])
}

func (h sumWriter) text(s string) {
	h.number(len(s))
	h.Write([]byte(s))
}

func (h sumWriter) texts(list []string) {
	h.number(len(list))
	for _, s := range list {
		h.text(s)
	}
}

func (h sumWriter) code(c *Code) {
	h.text(c.name)
	h.text(c.qual)
	h.text(c.doc)
	for _, n := range []int{c.posOnly, c.pos, c.kwOnly, c.star, c.kwStar, c.params, c.free, c.stack, c.firstLine, int(c.flags), len(c.consts)} {
		h.number(n)
	}
	for _, list := range [][]string{c.slots, c.names, c.sites} {
		h.texts(list)
	}
	for _, v := range c.consts {
		h.value(v)
	}
	h.number(len(c.keywords))
	for _, k := range c.keywords {
		h.texts(k)
	}
	h.number(len(c.codes))
	for _, k := range c.codes {
		h.number(k.id)
	}
	b := make([]byte, 0, len(c.instrs)*4+len(c.where)*12+len(c.tries)*16)
	for _, in := range c.instrs {
		b = binary.LittleEndian.AppendUint32(b, uint32(in))
	}
	for _, t := range c.tries {
		for _, n := range [...]int32{t.start, t.end, t.handler, t.depth} {
			b = binary.LittleEndian.AppendUint32(b, uint32(n))
		}
	}
	for _, w := range c.where {
		for _, n := range [...]int32{w.pc, w.pos.Line, w.pos.Col} {
			b = binary.LittleEndian.AppendUint32(b, uint32(n))
		}
	}
	h.number(len(c.instrs))
	h.number(len(c.tries))
	h.Write(b)
	for _, n := range c.notes {
		h.text(n.name)
		h.text(n.text)
	}
}

// value hashes a constant.
func (h sumWriter) value(v Value) {
	h.number(int(v.k))
	h.number(int(v.n))
	switch o := v.o.(type) {
	case *Str:
		h.text(o.s)
	case *Bytes:
		h.text(o.b)
	case *Big:
		h.text(o.v.Text(62))
	case *Tuple:
		h.number(len(o.items))
		for _, x := range o.items {
			h.value(x)
		}
	case nil:
	default:
		h.text(fmt.Sprintf("%T", o))
	}
}
