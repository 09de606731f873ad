package compile

import (
	"fmt"
	"strings"

	"praxis/internal/plan/bytecode"
	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// listing writes a code as text, one instruction a line, with the codes in it.
func listing(c *value.Code) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s stack=%d slots=%s\n", c.Qual, c.Stack, strings.Join(c.Slots, ","))
	line := int32(-1)
	for pc := 0; pc < len(c.Instrs); {
		in := c.Instrs[pc]
		pos := c.Position(pc)
		mark := "    "
		if pos.Line != line {
			line = pos.Line
			mark = fmt.Sprintf("%4d", line)
		}
		fmt.Fprintf(&b, "%s %4d %s%s\n", mark, pc, instrNames[in.Op()], operands(c, pc))
		pc += in.Op().Words()
	}
	for _, t := range c.Tries {
		fmt.Fprintf(&b, "     try %d-%d -> %d depth %d\n", t.Start, t.End, t.Handler, t.Depth)
	}
	for _, k := range c.Codes {
		b.WriteString("\n" + listing(k))
	}
	return b.String()
}

func operands(c *value.Code, pc int) string {
	in := c.Instrs[pc]
	a := in.Arg()
	x, y := in.Pair()
	word := 0
	if in.Op().Words() == 2 {
		word = int(c.Instrs[pc+1])
	}
	switch in.Op() {
	case bytecode.LoadConst:
		return " " + constText(c.Consts[a])
	case bytecode.LoadFast, bytecode.LoadFastCheck, bytecode.StoreFast, bytecode.DeleteFast, bytecode.ClearFast, bytecode.MakeCell, bytecode.LoadDeref, bytecode.StoreDeref, bytecode.DeleteDeref,
		bytecode.LoadCell, bytecode.PcSave, bytecode.PcRestore, bytecode.PcFast, bytecode.PcDeref, bytecode.MaySave, bytecode.MayJoin:
		return fmt.Sprintf(" %s/%d", c.Slots[a], a) + control(in.Op(), word)
	case bytecode.LoadFastFast, bytecode.StoreLoadFast, bytecode.StoreStore, bytecode.InplaceAddFast, bytecode.SubscrFastFast:
		return fmt.Sprintf(" %s, %s", c.Slots[x], c.Slots[y])
	case bytecode.LoadFastConst, bytecode.AddFastConst, bytecode.SubFastConst, bytecode.IncrFastConst:
		return fmt.Sprintf(" %s, %s", c.Slots[x], constText(c.Consts[y]))
	case bytecode.LoadGlobal, bytecode.StoreGlobal, bytecode.DeleteGlobal, bytecode.LoadName, bytecode.LoadAttr, bytecode.StoreAttr, bytecode.DeleteAttr, bytecode.LoadMethod, bytecode.PcGlobal:
		return " " + c.Sites[a] + control(in.Op(), word)
	case bytecode.StoreName, bytecode.DeleteName, bytecode.LoadSuperAttr, bytecode.ImportFrom, bytecode.PcName:
		return " " + c.Names[a] + control(in.Op(), word)
	case bytecode.Import, bytecode.Annotate:
		return fmt.Sprintf(" %s %d", c.Names[a], word)
	case bytecode.CompareJump:
		return fmt.Sprintf(" %s -> %d", jumpText(a), word)
	case bytecode.CmpFastFast:
		op, x, y := in.Triple()
		return fmt.Sprintf(" %s %s %s -> %d", c.Slots[x], jumpText(op), c.Slots[y], word)
	case bytecode.CmpFastConst:
		op, x, y := in.Triple()
		return fmt.Sprintf(" %s %s %s -> %d", c.Slots[x], jumpText(op), constText(c.Consts[y]), word)
	case bytecode.ForIterFast:
		return fmt.Sprintf(" %s -> %d", c.Slots[word], a)
	case bytecode.Jump, bytecode.JumpBack, bytecode.JumpFalse, bytecode.JumpTrue, bytecode.JumpFalseKeep, bytecode.JumpTrueKeep, bytecode.JumpNone, bytecode.JumpNotNone, bytecode.ForIter:
		return fmt.Sprintf(" -> %d", a)
	case bytecode.Compare:
		return " " + syntax.CmpOperator(a).Symbol()
	case bytecode.Binary, bytecode.Inplace:
		return " " + syntax.Operator(a).Symbol()
	case bytecode.CallKw, bytecode.CallMethodKw, bytecode.MakeClass, bytecode.MatchClass:
		return fmt.Sprintf(" %d %v", a, c.Keywords[word])
	case bytecode.MakeFunction:
		return fmt.Sprintf(" %s %d", c.Codes[a].Qual, word)
	}
	if a != 0 {
		return fmt.Sprintf(" %d", a)
	}
	return ""
}

func jumpText(op int) string {
	text := syntax.CmpOperator(op&7 + 1).Symbol()
	if op&8 != 0 {
		return "if " + text
	}
	return "unless " + text
}

// control is the second word of an instruction about a variable under control.
func control(op bytecode.Op, word int) string {
	if op.Words() == 2 {
		return fmt.Sprintf(" %d", word)
	}
	return ""
}

func constText(v value.Value) string {
	switch v.Kind {
	case value.KInt:
		return fmt.Sprint(v.N)
	case value.KFloat:
		return fmt.Sprint(v.Float())
	case value.KStr:
		return pytext.ReprStr(v.Obj.(*value.Str).Text)
	case value.KTuple:
		var parts []string
		for _, x := range v.Obj.(*value.Tuple).Items {
			parts = append(parts, constText(x))
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return fmt.Sprintf("kind%d", v.Kind)
}

// verify checks what the machine relies on: each jump goes to an instruction, the
// stack has the same depth on all ways to it, and nothing is out of bounds.
func verify(c *value.Code) error {
	v := &verifier{c: c, depth: make([]int, len(c.Instrs)), start: make([]bool, len(c.Instrs))}
	for i := range v.depth {
		v.depth[i] = -1
	}
	for pc := 0; pc < len(c.Instrs); pc += c.Instrs[pc].Op().Words() {
		v.start[pc] = true
	}
	v.flow(0, 0, 0)
	for len(v.todo) > 0 && v.err == nil {
		pc := v.todo[len(v.todo)-1]
		v.todo = v.todo[:len(v.todo)-1]
		v.step(pc)
	}
	if v.err != nil {
		return fmt.Errorf("%s: %w\n%s", c.Qual, v.err, listing(c))
	}
	for _, k := range c.Codes {
		if err := verify(k); err != nil {
			return err
		}
	}
	return nil
}

type verifier struct {
	c     *value.Code
	depth []int
	start []bool
	todo  []int
	err   error
}

// flow notes that pc is reached from another place with a depth.
func (v *verifier) flow(from, pc, depth int) {
	switch {
	case v.err != nil:
	case pc >= len(v.start) || !v.start[pc]:
		v.err = fmt.Errorf("%d goes to %d, which is no instruction", from, pc)
	case depth < 0 || depth > v.c.Stack:
		v.err = fmt.Errorf("%d goes to %d with depth %d of %d", from, pc, depth, v.c.Stack)
	case v.depth[pc] < 0:
		v.depth[pc] = depth
		v.todo = append(v.todo, pc)
	case v.depth[pc] != depth:
		v.err = fmt.Errorf("%d has depth %d, from %d it is %d", pc, v.depth[pc], from, depth)
	}
}

func (v *verifier) step(pc int) {
	c, in, d := v.c, v.c.Instrs[pc], v.depth[pc]
	word := 0
	if in.Op().Words() == 2 {
		word = int(c.Instrs[pc+1])
	}
	for _, t := range c.Tries {
		if int(t.Start) <= pc && pc < int(t.End) {
			if d < int(t.Depth) {
				v.err = fmt.Errorf("%d has depth %d in a range that keeps %d", pc, d, t.Depth)
				return
			}
			v.flow(pc, int(t.Handler), int(t.Depth)+1)
			break
		}
	}
	next, a := pc+in.Op().Words(), in.Arg()
	if v.bounds(pc, in, word); v.err != nil {
		return
	}
	switch in.Op() {
	case bytecode.Jump, bytecode.JumpBack:
		v.flow(pc, a, d)
	case bytecode.JumpFalse, bytecode.JumpTrue, bytecode.JumpNone, bytecode.JumpNotNone:
		v.flow(pc, a, d-1)
		v.flow(pc, next, d-1)
	case bytecode.JumpFalseKeep, bytecode.JumpTrueKeep:
		v.flow(pc, a, d)
		v.flow(pc, next, d-1)
	case bytecode.CompareJump:
		v.flow(pc, word, d-2)
		v.flow(pc, next, d-2)
	case bytecode.CmpFastFast, bytecode.CmpFastConst:
		v.flow(pc, word, d)
		v.flow(pc, next, d)
	case bytecode.ForIter:
		v.flow(pc, a, d-1)
		v.flow(pc, next, d+1)
	case bytecode.ForIterFast:
		v.flow(pc, a, d-1)
		v.flow(pc, next, d)
	case bytecode.Return, bytecode.ReturnNone, bytecode.ReturnClass, bytecode.Raise, bytecode.Reraise, bytecode.AssertError:
		if d+effect(in.Op(), a, word) < 0 {
			v.err = fmt.Errorf("%d takes from an empty stack", pc)
		}
	case bytecode.MakeFunction:
		n := 1
		if word&1 != 0 {
			n--
		}
		if word&2 != 0 {
			n--
		}
		v.flow(pc, next, d+n-c.Codes[a].Free)
	default:
		v.flow(pc, next, d+v.change(in, word))
	}
}

func (v *verifier) change(in bytecode.Instr, word int) int {
	switch in.Op() {
	case bytecode.LoadFastFast, bytecode.LoadFastConst:
		return 2
	case bytecode.StoreLoadFast, bytecode.IncrFastConst, bytecode.InplaceAddFast:
		return 0
	case bytecode.StoreStore:
		return -2
	case bytecode.AddFastConst, bytecode.SubFastConst, bytecode.SubscrFastFast:
		return 1
	}
	return effect(in.Op(), in.Arg(), word)
}

// bounds checks the tables that an instruction names.
func (v *verifier) bounds(pc int, in bytecode.Instr, word int) {
	c, a := v.c, in.Arg()
	x, y := in.Pair()
	ok := true
	switch in.Op() {
	case bytecode.LoadConst:
		ok = a < len(c.Consts)
	case bytecode.LoadFast, bytecode.LoadFastCheck, bytecode.StoreFast, bytecode.DeleteFast, bytecode.ClearFast, bytecode.MakeCell, bytecode.LoadDeref, bytecode.StoreDeref, bytecode.DeleteDeref,
		bytecode.LoadCell, bytecode.PcSave, bytecode.PcRestore, bytecode.PcFast, bytecode.PcDeref, bytecode.MaySave, bytecode.MayJoin:
		ok = a < len(c.Slots)
	case bytecode.LoadFastFast, bytecode.StoreLoadFast, bytecode.StoreStore, bytecode.InplaceAddFast, bytecode.SubscrFastFast:
		ok = x < len(c.Slots) && y < len(c.Slots)
	case bytecode.LoadFastConst, bytecode.AddFastConst, bytecode.SubFastConst, bytecode.IncrFastConst:
		ok = x < len(c.Slots) && y < len(c.Consts)
	case bytecode.CmpFastFast:
		_, x, y := in.Triple()
		ok = x < len(c.Slots) && y < len(c.Slots)
	case bytecode.CmpFastConst:
		_, x, y := in.Triple()
		ok = x < len(c.Slots) && y < len(c.Consts)
	case bytecode.ForIterFast:
		ok = word < len(c.Slots)
	case bytecode.LoadGlobal, bytecode.StoreGlobal, bytecode.LoadAttr, bytecode.StoreAttr, bytecode.LoadMethod, bytecode.PcGlobal:
		ok = a < len(c.Sites)
	case bytecode.StoreName, bytecode.LoadSuperAttr, bytecode.Import, bytecode.ImportFrom:
		ok = a < len(c.Names)
	case bytecode.CallKw, bytecode.CallMethodKw, bytecode.MakeClass, bytecode.MatchClass:
		ok = word < len(c.Keywords)
	case bytecode.MakeFunction:
		ok = a < len(c.Codes)
	case bytecode.Swap, bytecode.Rotate:
		ok = a <= v.depth[pc]
	case bytecode.ReturnClass:
		ok = a <= len(c.Slots)
	}
	if !ok {
		v.err = fmt.Errorf("%d names what is not there", pc)
	}
}
