package vm

import (
	"fmt"
	"strings"

	"praxis/internal/plan/pytext"
	"praxis/internal/plan/syntax"
)

// listing writes a code as text, one instruction a line, with the codes in it.
func listing(c *Code) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s stack=%d slots=%s\n", c.qual, c.stack, strings.Join(c.slots, ","))
	line := int32(-1)
	for pc := 0; pc < len(c.instrs); {
		in := c.instrs[pc]
		pos := c.position(pc)
		mark := "    "
		if pos.Line != line {
			line = pos.Line
			mark = fmt.Sprintf("%4d", line)
		}
		fmt.Fprintf(&b, "%s %4d %s%s\n", mark, pc, instrNames[in.op()], operands(c, pc))
		pc += in.op().words()
	}
	for _, t := range c.tries {
		fmt.Fprintf(&b, "     try %d-%d -> %d depth %d\n", t.start, t.end, t.handler, t.depth)
	}
	for _, k := range c.codes {
		b.WriteString("\n" + listing(k))
	}
	return b.String()
}

func operands(c *Code, pc int) string {
	in := c.instrs[pc]
	a := in.arg()
	x, y := in.pair()
	word := 0
	if in.op().words() == 2 {
		word = int(c.instrs[pc+1])
	}
	switch in.op() {
	case opLoadConst:
		return " " + constText(c.consts[a])
	case opLoadFast, opLoadFastCheck, opStoreFast, opDeleteFast, opClearFast, opMakeCell, opLoadDeref, opStoreDeref, opDeleteDeref,
		opLoadCell, opPcSave, opPcRestore, opPcFast, opPcDeref, opPcHeldFast, opPcHeldDeref, opMaySave, opMayJoin:
		return fmt.Sprintf(" %s/%d", c.slots[a], a)
	case opLoadFastFast, opStoreLoadFast, opStoreStore, opInplaceAddFast, opSubscrFastFast:
		return fmt.Sprintf(" %s, %s", c.slots[x], c.slots[y])
	case opLoadFastConst, opAddFastConst, opSubFastConst, opIncrFastConst:
		return fmt.Sprintf(" %s, %s", c.slots[x], constText(c.consts[y]))
	case opLoadGlobal, opStoreGlobal, opDeleteGlobal, opLoadName, opLoadAttr, opStoreAttr, opDeleteAttr, opLoadMethod, opPcGlobal, opPcHeldGlobal:
		return " " + c.sites[a]
	case opStoreName, opDeleteName, opLoadSuperAttr, opLoadSuperMethod, opImportFrom, opPcName, opPcHeldName:
		return " " + c.names[a]
	case opImport, opAnnotate, opTypeAlias:
		return fmt.Sprintf(" %s %d", c.names[a], word)
	case opCompareJump:
		return fmt.Sprintf(" %s -> %d", jumpText(a), word)
	case opCmpFastFast:
		op, x, y := in.triple()
		return fmt.Sprintf(" %s %s %s -> %d", c.slots[x], jumpText(op), c.slots[y], word)
	case opCmpFastConst:
		op, x, y := in.triple()
		return fmt.Sprintf(" %s %s %s -> %d", c.slots[x], jumpText(op), constText(c.consts[y]), word)
	case opForIterFast:
		return fmt.Sprintf(" %s -> %d", c.slots[word], a)
	case opJump, opJumpBack, opJumpFalse, opJumpTrue, opJumpFalseKeep, opJumpTrueKeep, opJumpNone, opJumpNotNone, opForIter:
		return fmt.Sprintf(" -> %d", a)
	case opCompare:
		return " " + syntax.CmpOperator(a).Symbol()
	case opBinary, opInplace:
		return " " + syntax.Operator(a).Symbol()
	case opCallKw, opCallMethodKw, opMakeClass, opMatchClass:
		return fmt.Sprintf(" %d %v", a, c.keywords[word])
	case opMakeFunction:
		return fmt.Sprintf(" %s %d", c.codes[a].qual, word)
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

func constText(v Value) string {
	switch v.k {
	case kInt:
		return fmt.Sprint(v.n)
	case kFloat:
		return fmt.Sprint(v.float())
	case kStr:
		return pytext.ReprStr(v.o.(*Str).s)
	case kTuple:
		var parts []string
		for _, x := range v.o.(*Tuple).items {
			parts = append(parts, constText(x))
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return fmt.Sprintf("kind%d", v.k)
}

// verify checks what the machine relies on: each jump goes to an instruction, the
// stack has the same depth on all ways to it, and nothing is out of bounds.
func verify(c *Code) error {
	v := &verifier{c: c, depth: make([]int, len(c.instrs)), start: make([]bool, len(c.instrs))}
	for i := range v.depth {
		v.depth[i] = -1
	}
	for pc := 0; pc < len(c.instrs); pc += c.instrs[pc].op().words() {
		v.start[pc] = true
	}
	v.flow(0, 0, 0)
	for len(v.todo) > 0 && v.err == nil {
		pc := v.todo[len(v.todo)-1]
		v.todo = v.todo[:len(v.todo)-1]
		v.step(pc)
	}
	if v.err != nil {
		return fmt.Errorf("%s: %w\n%s", c.qual, v.err, listing(c))
	}
	for _, k := range c.codes {
		if err := verify(k); err != nil {
			return err
		}
	}
	return nil
}

type verifier struct {
	c     *Code
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
	case depth < 0 || depth > v.c.stack:
		v.err = fmt.Errorf("%d goes to %d with depth %d of %d", from, pc, depth, v.c.stack)
	case v.depth[pc] < 0:
		v.depth[pc] = depth
		v.todo = append(v.todo, pc)
	case v.depth[pc] != depth:
		v.err = fmt.Errorf("%d has depth %d, from %d it is %d", pc, v.depth[pc], from, depth)
	}
}

func (v *verifier) step(pc int) {
	c, in, d := v.c, v.c.instrs[pc], v.depth[pc]
	word := 0
	if in.op().words() == 2 {
		word = int(c.instrs[pc+1])
	}
	for _, t := range c.tries {
		if int(t.start) <= pc && pc < int(t.end) {
			if d < int(t.depth) {
				v.err = fmt.Errorf("%d has depth %d in a range that keeps %d", pc, d, t.depth)
				return
			}
			v.flow(pc, int(t.handler), int(t.depth)+1)
			break
		}
	}
	next, a := pc+in.op().words(), in.arg()
	if v.bounds(pc, in, word); v.err != nil {
		return
	}
	switch in.op() {
	case opJump, opJumpBack:
		v.flow(pc, a, d)
	case opJumpFalse, opJumpTrue, opJumpNone, opJumpNotNone:
		v.flow(pc, a, d-1)
		v.flow(pc, next, d-1)
	case opJumpFalseKeep, opJumpTrueKeep:
		v.flow(pc, a, d)
		v.flow(pc, next, d-1)
	case opCompareJump:
		v.flow(pc, word, d-2)
		v.flow(pc, next, d-2)
	case opCmpFastFast, opCmpFastConst:
		v.flow(pc, word, d)
		v.flow(pc, next, d)
	case opForIter:
		v.flow(pc, a, d-1)
		v.flow(pc, next, d+1)
	case opForIterFast:
		v.flow(pc, a, d-1)
		v.flow(pc, next, d)
	case opReturn, opReturnNone, opReturnClass, opRaise, opReraise, opAssertError:
		if d+effect(in.op(), a, word) < 0 {
			v.err = fmt.Errorf("%d takes from an empty stack", pc)
		}
	case opMakeFunction:
		n := 1
		if word&1 != 0 {
			n--
		}
		if word&2 != 0 {
			n--
		}
		v.flow(pc, next, d+n-c.codes[a].free)
	default:
		v.flow(pc, next, d+v.change(in, word))
	}
}

func (v *verifier) change(in Instr, word int) int {
	switch in.op() {
	case opLoadFastFast, opLoadFastConst:
		return 2
	case opStoreLoadFast, opIncrFastConst, opInplaceAddFast:
		return 0
	case opStoreStore:
		return -2
	case opAddFastConst, opSubFastConst, opSubscrFastFast:
		return 1
	}
	return effect(in.op(), in.arg(), word)
}

// bounds checks the tables that an instruction names.
func (v *verifier) bounds(pc int, in Instr, word int) {
	c, a := v.c, in.arg()
	x, y := in.pair()
	ok := true
	switch in.op() {
	case opLoadConst:
		ok = a < len(c.consts)
	case opLoadFast, opLoadFastCheck, opStoreFast, opDeleteFast, opClearFast, opMakeCell, opLoadDeref, opStoreDeref, opDeleteDeref,
		opLoadCell, opPcSave, opPcRestore, opPcFast, opPcDeref, opMaySave, opMayJoin:
		ok = a < len(c.slots)
	case opLoadFastFast, opStoreLoadFast, opStoreStore, opInplaceAddFast, opSubscrFastFast:
		ok = x < len(c.slots) && y < len(c.slots)
	case opLoadFastConst, opAddFastConst, opSubFastConst, opIncrFastConst:
		ok = x < len(c.slots) && y < len(c.consts)
	case opCmpFastFast:
		_, x, y := in.triple()
		ok = x < len(c.slots) && y < len(c.slots)
	case opCmpFastConst:
		_, x, y := in.triple()
		ok = x < len(c.slots) && y < len(c.consts)
	case opForIterFast:
		ok = word < len(c.slots)
	case opLoadGlobal, opStoreGlobal, opLoadAttr, opStoreAttr, opLoadMethod, opPcGlobal:
		ok = a < len(c.sites)
	case opStoreName, opLoadSuperAttr, opLoadSuperMethod, opImport, opImportFrom:
		ok = a < len(c.names)
	case opCallKw, opCallMethodKw, opMakeClass, opMatchClass:
		ok = word < len(c.keywords)
	case opMakeFunction:
		ok = a < len(c.codes)
	case opSwap, opRotate:
		ok = a <= v.depth[pc]
	case opReturnClass:
		ok = a <= len(c.slots)
	}
	if !ok {
		v.err = fmt.Errorf("%d names what is not there", pc)
	}
}
