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

	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/value"
)

// sumOf identifies a compiled unit: instructions, constants, names, places.
func sumOf(u *value.Unit) []byte {
	u.Summing.Do(func() {
		h := sumWriter{sha256.New()}
		h.text(u.Module)
		h.number(len(u.Codes))
		for _, c := range u.Codes {
			h.code(c)
		}
		u.Summed = h.Sum(nil)[:sumSize]
	})
	return u.Summed
}

// sum identifies a program with what the host gives to it.
func (p *Program) sum() []byte {
	h := sumWriter{sha256.New()}
	h.Write(sumOf(p.unit))
	h.text(strconv.FormatBool(p.unit.Strict))
	h.texts(p.env.Tools)
	h.texts(p.env.Inputs)
	return h.Sum(nil)[:sumSize]
}

// machineSum identifies what a state relies on beside the program: how the
// machine's structures look, its instructions and its natives.
var machineSum = sync.OnceValue(func() []byte {
	h := sumWriter{sha256.New()}
	h.text(layouts().text.String())
	h.number(int(bytecode.Count))
	h.texts(slices.Sorted(maps.Keys(natives())))
	h.texts(slices.Sorted(maps.Keys(builtinTypes().All)))
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

func (h sumWriter) code(c *value.Code) {
	h.text(c.Name)
	h.text(c.Qual)
	h.text(c.Doc)
	for _, n := range []int{c.PosOnly, c.Pos, c.KwOnly, c.Star, c.KwStar, c.Params, c.Free, c.Stack, c.FirstLine, int(c.Flags), len(c.Consts)} {
		h.number(n)
	}
	for _, list := range [][]string{c.Slots, c.Names, c.Sites} {
		h.texts(list)
	}
	for _, v := range c.Consts {
		h.value(v)
	}
	h.number(len(c.Keywords))
	for _, k := range c.Keywords {
		h.texts(k)
	}
	h.number(len(c.Codes))
	for _, k := range c.Codes {
		h.number(k.ID)
	}
	b := make([]byte, 0, len(c.Instrs)*4+len(c.Positions)*12+len(c.Tries)*16)
	for _, in := range c.Instrs {
		b = binary.LittleEndian.AppendUint32(b, uint32(in))
	}
	for _, t := range c.Tries {
		for _, n := range [...]int32{t.Start, t.End, t.Handler, t.Depth} {
			b = binary.LittleEndian.AppendUint32(b, uint32(n))
		}
	}
	for _, w := range c.Positions {
		for _, n := range [...]int32{w.PC, w.Pos.Line, w.Pos.Col} {
			b = binary.LittleEndian.AppendUint32(b, uint32(n))
		}
	}
	h.number(len(c.Instrs))
	h.number(len(c.Tries))
	h.Write(b)
	for _, n := range c.Annotations {
		h.text(n.Name)
		h.text(n.Text)
	}
}

// value hashes a constant.
func (h sumWriter) value(v value.Value) {
	h.number(int(v.Kind))
	h.number(int(v.N))
	switch o := v.Obj.(type) {
	case *value.Str:
		h.text(o.Text)
	case *value.Bytes:
		h.text(o.Data)
	case *value.Big:
		h.text(o.Int.Text(62))
	case *value.Tuple:
		h.number(len(o.Items))
		for _, x := range o.Items {
			h.value(x)
		}
	case nil:
	default:
		h.text(fmt.Sprintf("%T", o))
	}
}
