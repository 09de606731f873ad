package vm

import (
	"math"

	"praxis/internal/plan/syntax"
)

// run carries out instructions until the frame that it was called for returns
// to Go, a tool is called (errHost) or something fails that no handler catches.
//
// It is one switch: what is frequent is done here, on integers, floats and
// caches; the rest is in [VM.rare]. Operands are addressed in the window of the
// frame, so that arithmetic changes them in place.
func (vm *VM) run() error {
	var (
		t      = &vm.t
		f      *Frame
		code   []Instr
		st     []Value
		consts []Value
		sp, ip int
		err    error
		in     Instr
		v      Value
	)
reload:
	f = vm.frames[vm.depth]
	code, st, consts = f.code.instrs, f.st, f.code.consts
	sp, ip = f.sp, f.ip
next:
	in = code[ip]
	ip++
	switch Op(in) {
	case opNop:

	case opLoadConst:
		st[sp] = consts[in>>8]
		sp++
	case opLoadInt:
		st[sp] = Value{k: kInt, n: int64(in >> 8)}
		sp++
	case opLoadNone:
		st[sp] = none
		sp++
	case opLoadTrue:
		st[sp] = Value{k: kBool, n: 1}
		sp++
	case opLoadFalse:
		st[sp] = Value{k: kBool}
		sp++
	case opLoadFast:
		st[sp] = st[in>>8]
		sp++
	case opLoadFastCheck:
		if st[in>>8].k == kUnset {
			err = vm.unbound(f, in.arg())
			goto fail
		}
		st[sp] = st[in>>8]
		sp++
	case opStoreFast:
		sp--
		st[in>>8] = st[sp]
	case opClearFast:
		st[in>>8] = Value{}
	case opLoadDeref:
		v = st[in>>8].o.(*Cell).v
		if v.k == kUnset {
			err = vm.unbound(f, in.arg())
			goto fail
		}
		st[sp] = v
		sp++
	case opStoreDeref:
		sp--
		st[in>>8].o.(*Cell).v = st[sp]
	case opLoadGlobal:
		s := &f.run.sites[in>>8]
		g := &f.fn.globals.names
		switch {
		case s.kind == siteGlobal && s.ver == g.version:
			st[sp] = g.entries[s.pos].val
		case s.kind == siteBuiltin && s.ver == g.version:
			st[sp] = s.val
		default:
			if v, err = vm.loadGlobal(f, in.arg()); err != nil {
				goto fail
			}
			st[sp] = v
		}
		sp++
	case opStoreGlobal:
		s := &f.run.sites[in>>8]
		g := &f.fn.globals.names
		sp--
		if s.kind == siteGlobal && s.ver == g.version {
			g.entries[s.pos].val = st[sp]
		} else {
			f.ip, f.sp = ip, sp
			if err = vm.storeGlobal(f, in.arg(), st[sp]); err != nil {
				goto fail
			}
		}

	case opPop:
		sp--
	case opDup:
		st[sp] = st[sp-1]
		sp++
	case opDup2:
		st[sp], st[sp+1] = st[sp-2], st[sp-1]
		sp += 2
	case opSwap:
		i := sp - in.arg()
		st[sp-1], st[i] = st[i], st[sp-1]
	case opRotate:
		i := sp - in.arg()
		v = st[sp-1]
		copy(st[i+1:sp], st[i:sp-1])
		st[i] = v

	case opLoadFastFast:
		a, b := in.pair()
		st[sp] = st[a]
		st[sp+1] = st[b]
		sp += 2
	case opLoadFastConst:
		a, b := in.pair()
		st[sp] = st[a]
		st[sp+1] = consts[b]
		sp += 2
	case opStoreLoadFast:
		a, b := in.pair()
		st[a] = st[sp-1]
		st[sp-1] = st[b]
	case opStoreStore:
		a, b := in.pair()
		sp -= 2
		st[a] = st[sp+1]
		st[b] = st[sp]

	case opAdd:
		x, y := &st[sp-2], &st[sp-1]
		if x.k == kInt && y.k == kInt {
			if s := x.n + y.n; (s > x.n) == (y.n > 0) {
				x.n = s
				if x.l|y.l != 0 {
					x.l = t.join(x.l, y.l)
				}
				sp--
				goto next
			}
		} else if x.k == kFloat && y.k == kFloat {
			x.n = int64(math.Float64bits(x.float() + y.float()))
			if x.l|y.l != 0 {
				x.l = t.join(x.l, y.l)
			}
			sp--
			goto next
		}
		f.ip, f.sp = ip, sp
		if v, err = t.binary(syntax.Add, *x, *y); err != nil {
			goto raise
		}
		sp--
		st[sp-1] = v
	case opSub:
		x, y := &st[sp-2], &st[sp-1]
		if x.k == kInt && y.k == kInt {
			if s := x.n - y.n; (s < x.n) == (y.n > 0) {
				x.n = s
				if x.l|y.l != 0 {
					x.l = t.join(x.l, y.l)
				}
				sp--
				goto next
			}
		} else if x.k == kFloat && y.k == kFloat {
			x.n = int64(math.Float64bits(x.float() - y.float()))
			if x.l|y.l != 0 {
				x.l = t.join(x.l, y.l)
			}
			sp--
			goto next
		}
		f.ip, f.sp = ip, sp
		if v, err = t.binary(syntax.Sub, *x, *y); err != nil {
			goto raise
		}
		sp--
		st[sp-1] = v
	case opMul:
		x, y := &st[sp-2], &st[sp-1]
		if x.k == kInt && y.k == kInt && uint64(x.n+1<<31) < 1<<32 && uint64(y.n+1<<31) < 1<<32 {
			x.n *= y.n
			if x.l|y.l != 0 {
				x.l = t.join(x.l, y.l)
			}
			sp--
			goto next
		} else if x.k == kFloat && y.k == kFloat {
			x.n = int64(math.Float64bits(x.float() * y.float()))
			if x.l|y.l != 0 {
				x.l = t.join(x.l, y.l)
			}
			sp--
			goto next
		}
		f.ip, f.sp = ip, sp
		if v, err = t.binary(syntax.Mult, *x, *y); err != nil {
			goto raise
		}
		sp--
		st[sp-1] = v
	case opFloorDiv:
		x, y := &st[sp-2], &st[sp-1]
		if x.k == kInt && y.k == kInt && y.n > 0 {
			q := x.n / y.n
			if x.n%y.n < 0 {
				q--
			}
			x.n = q
			if x.l|y.l != 0 {
				x.l = t.join(x.l, y.l)
			}
			sp--
			goto next
		}
		f.ip, f.sp = ip, sp
		if v, err = t.binary(syntax.FloorDiv, *x, *y); err != nil {
			goto raise
		}
		sp--
		st[sp-1] = v
	case opMod:
		x, y := &st[sp-2], &st[sp-1]
		if x.k == kInt && y.k == kInt && y.n > 0 {
			if x.n %= y.n; x.n < 0 {
				x.n += y.n
			}
			if x.l|y.l != 0 {
				x.l = t.join(x.l, y.l)
			}
			sp--
			goto next
		}
		f.ip, f.sp = ip, sp
		if v, err = t.binary(syntax.Mod, *x, *y); err != nil {
			goto raise
		}
		sp--
		st[sp-1] = v
	case opBinary:
		f.ip, f.sp = ip, sp
		if v, err = t.binary(syntax.Operator(in>>8), st[sp-2], st[sp-1]); err != nil {
			goto raise
		}
		sp--
		st[sp-1] = v
	case opInplace:
		x, y := &st[sp-2], &st[sp-1]
		if x.k == kInt && y.k == kInt {
			switch syntax.Operator(in >> 8) {
			case syntax.Add:
				if s := x.n + y.n; (s > x.n) == (y.n > 0) {
					x.n = s
					if x.l|y.l != 0 {
						x.l = t.join(x.l, y.l)
					}
					sp--
					goto next
				}
			case syntax.Sub:
				if s := x.n - y.n; (s < x.n) == (y.n > 0) {
					x.n = s
					if x.l|y.l != 0 {
						x.l = t.join(x.l, y.l)
					}
					sp--
					goto next
				}
			}
		}
		f.ip, f.sp = ip, sp
		if v, err = t.inplace(syntax.Operator(in>>8), *x, *y); err != nil {
			goto raise
		}
		sp--
		st[sp-1] = v
	case opUnary:
		f.ip, f.sp = ip, sp
		if v, err = t.unary(syntax.UnaryOperator(in>>8), st[sp-1]); err != nil {
			goto raise
		}
		st[sp-1] = v
	case opNot, opTruth:
		x := &st[sp-1]
		if x.k != kBool {
			f.ip, f.sp = ip, sp
			if v, err = vm.truthValue(*x); err != nil {
				goto raise
			}
			*x = v
		}
		if Op(in) == opNot {
			x.n ^= 1
		}
	case opCompare:
		x, y := &st[sp-2], &st[sp-1]
		op := syntax.CmpOperator(in >> 8)
		if x.k == kInt && y.k == kInt && op <= syntax.GtE {
			r := cmpInt(op, x.n, y.n)
			l := x.l
			if l|y.l != 0 {
				l = t.join(l, y.l)
			}
			sp--
			*x = Value{k: kBool, l: l}
			if r {
				x.n = 1
			}
			goto next
		}
		f.ip, f.sp = ip, sp
		if v, err = t.compare(op, *x, *y); err != nil {
			goto raise
		}
		sp--
		st[sp-1] = v

	case opAddFastConst:
		a, b := in.pair()
		x, y := &st[a], &consts[b]
		if x.k == kInt && y.k == kInt {
			if s := x.n + y.n; (s > x.n) == (y.n > 0) {
				st[sp] = Value{k: kInt, n: s, l: x.l}
				sp++
				goto next
			}
		}
		f.ip, f.sp = ip, sp
		if v, err = t.binary(syntax.Add, *x, *y); err != nil {
			goto raise
		}
		st[sp] = v
		sp++
	case opSubFastConst:
		a, b := in.pair()
		x, y := &st[a], &consts[b]
		if x.k == kInt && y.k == kInt {
			if s := x.n - y.n; (s < x.n) == (y.n > 0) {
				st[sp] = Value{k: kInt, n: s, l: x.l}
				sp++
				goto next
			}
		}
		f.ip, f.sp = ip, sp
		if v, err = t.binary(syntax.Sub, *x, *y); err != nil {
			goto raise
		}
		st[sp] = v
		sp++
	case opIncrFastConst:
		a, b := in.pair()
		x, y := &st[a], &consts[b]
		if x.k == kInt && y.k == kInt {
			if s := x.n + y.n; (s > x.n) == (y.n > 0) {
				x.n = s
				goto next
			}
		}
		f.ip, f.sp = ip, sp
		if v, err = t.inplace(syntax.Add, *x, *y); err != nil {
			goto raise
		}
		st[a] = v
	case opInplaceAddFast:
		a, b := in.pair()
		x, y := &st[a], &st[b]
		if x.k == kInt && y.k == kInt {
			if s := x.n + y.n; (s > x.n) == (y.n > 0) {
				x.n = s
				if x.l|y.l != 0 {
					x.l = t.join(x.l, y.l)
				}
				goto next
			}
		} else if x.k == kFloat && y.k == kFloat {
			x.n = int64(math.Float64bits(x.float() + y.float()))
			if x.l|y.l != 0 {
				x.l = t.join(x.l, y.l)
			}
			goto next
		}
		f.ip, f.sp = ip, sp
		if v, err = t.inplace(syntax.Add, *x, *y); err != nil {
			goto raise
		}
		st[a] = v
	case opSubscrFastFast:
		a, b := in.pair()
		x, y := &st[a], &st[b]
		if x.k == kList && y.k == kInt {
			if l := x.o.(*List); uint64(y.n) < uint64(len(l.items)) {
				st[sp] = l.items[y.n]
				if j := x.l | y.l | l.shape; j != 0 {
					st[sp].l = t.join(t.join(st[sp].l, x.l), t.join(l.shape, y.l))
				}
				sp++
				goto next
			}
		}
		f.ip, f.sp = ip, sp
		if v, err = t.getItem(*x, *y); err != nil {
			goto raise
		}
		st[sp] = v
		sp++
	case opSubscr:
		x, y := &st[sp-2], &st[sp-1]
		if x.k == kList && y.k == kInt {
			if l := x.o.(*List); uint64(y.n) < uint64(len(l.items)) {
				j := x.l | y.l | l.shape
				if j != 0 {
					j = t.join(t.join(x.l, y.l), l.shape)
				}
				sp--
				*x = l.items[y.n]
				if j != 0 {
					x.l = t.join(x.l, j)
				}
				goto next
			}
		}
		f.ip, f.sp = ip, sp
		if v, err = t.getItem(*x, *y); err != nil {
			goto raise
		}
		sp--
		st[sp-1] = v
	case opStoreSubscr:
		f.ip, f.sp = ip, sp
		x, i := &st[sp-2], &st[sp-1]
		if x.k == kList && i.k == kInt && x.l|i.l|t.pc == 0 {
			if l := x.o.(*List); uint64(i.n) < uint64(len(l.items)) {
				l.items[i.n] = st[sp-3]
				sp -= 3
				goto next
			}
		}
		if err = t.setItem(*x, *i, st[sp-3]); err != nil {
			goto raise
		}
		sp -= 3

	case opLoadAttr:
		s := &f.run.sites[in>>8]
		x := &st[sp-1]
		switch s.kind {
		case siteSlot:
			if o, ok := x.o.(*Instance); ok && o.cls == s.cls && s.ver == vm.t.classVersion {
				if e := o.attrs.entries; int(s.pos) < len(e) && sameName(&e[s.pos].key, s.key) {
					l := x.l
					*x = e[s.pos].val
					if l != 0 {
						x.l = t.join(x.l, l)
					}
					goto next
				}
			}
		case siteModule:
			if m, ok := x.o.(*Module); ok && m == s.mod && m.names.version == s.ver {
				l := x.l
				*x = m.names.entries[s.pos].val
				if l != 0 {
					x.l = t.join(x.l, l)
				}
				goto next
			}
		case siteClass:
			if c, ok := x.o.(*Class); ok && c == s.cls && s.ver == vm.t.classVersion {
				if e := s.own.attrs.entries; int(s.pos) < len(e) && sameName(&e[s.pos].key, s.key) {
					l := x.l
					*x = e[s.pos].val
					if l != 0 {
						x.l = t.join(x.l, l)
					}
					goto next
				}
			}
		}
		f.ip, f.sp = ip, sp
		if err = vm.loadAttr(f, in.arg()); err != nil {
			goto raise
		}
		goto reload
	case opStoreAttr:
		s := &f.run.sites[in>>8]
		x := &st[sp-1]
		if s.kind == siteSlot && x.l|t.pc == 0 {
			if o, ok := x.o.(*Instance); ok && o.cls == s.cls && s.ver == vm.t.classVersion {
				if e := o.attrs.entries; int(s.pos) < len(e) && sameName(&e[s.pos].key, s.key) {
					sp -= 2
					e[s.pos].val = st[sp]
					goto next
				}
			}
		}
		if s.kind == siteAdd && x.l|t.pc == 0 {
			if o, ok := x.o.(*Instance); ok && o.cls == s.cls && s.ver == vm.t.classVersion {
				d := &o.attrs
				if n := len(d.entries); n == int(s.pos) && n < cap(d.entries) && n < smallDict && !d.may(s.hash) {
					sp -= 2
					d.entries = d.entries[:n+1]
					d.entries[n] = entry{Value{k: kStr, o: s.key}, st[sp], s.hash}
					d.live++
					d.version++
					goto next
				}
			}
		}
		f.ip, f.sp = ip, sp
		if err = vm.storeAttr(f, in.arg()); err != nil {
			goto raise
		}
		goto reload
	case opLoadMethod:
		s := &f.run.sites[in>>8]
		x := &st[sp-1]
		switch s.kind {
		case siteMethod:
			if o, ok := x.o.(*Instance); ok && o.cls == s.cls && s.ver == vm.t.classVersion && !o.attrs.may(s.hash) {
				st[sp] = *x
				*x = s.val.with(x.l)
				sp++
				goto next
			}
		case siteNative:
			if x.k == s.of {
				st[sp] = *x
				*x = s.val
				sp++
				goto next
			}
		case siteModule:
			if m, ok := x.o.(*Module); ok && m == s.mod && m.names.version == s.ver {
				l := x.l
				*x = m.names.entries[s.pos].val
				if l != 0 {
					x.l = t.join(x.l, l)
				}
				st[sp] = Value{}
				sp++
				goto next
			}
		}
		f.ip, f.sp = ip, sp
		if err = vm.loadMethod(f, in.arg()); err != nil {
			goto raise
		}
		goto reload

	case opJump:
		ip = in.arg()
	case opJumpBack:
		n := in.arg()
		t.steps -= int64(ip - n)
		if ip = n; t.steps < 0 {
			f.ip, f.sp = ip, sp
			if err = t.OutOfSteps(); err != nil {
				goto raise
			}
		}
	case opJumpFalse, opJumpTrue:
		sp--
		x := &st[sp]
		r := x.n != 0
		if x.k != kBool {
			f.ip, f.sp = ip, sp
			if r, err = vm.truthJump(*x); err != nil {
				goto raise
			}
		}
		if r == (Op(in) == opJumpTrue) {
			ip = in.arg()
		}
	case opJumpFalseKeep, opJumpTrueKeep:
		x := &st[sp-1]
		r := x.n != 0
		if x.k != kBool {
			f.ip, f.sp = ip, sp
			if r, err = vm.truthJump(*x); err != nil {
				goto raise
			}
		}
		if r == (Op(in) == opJumpTrueKeep) {
			ip = in.arg()
		} else {
			sp--
		}
	case opJumpNone:
		sp--
		if st[sp].k == kNone {
			ip = in.arg()
		}
	case opJumpNotNone:
		sp--
		if st[sp].k != kNone {
			ip = in.arg()
		}
	case opCompareJump, opCmpFastFast, opCmpFastConst:
		var x, y *Value
		var op int
		switch Op(in) {
		case opCompareJump:
			op = in.arg()
			x, y = &st[sp-2], &st[sp-1]
			sp -= 2
		case opCmpFastFast:
			var a, b int
			op, a, b = in.triple()
			x, y = &st[a], &st[b]
		default:
			var a, b int
			op, a, b = in.triple()
			x, y = &st[a], &consts[b]
		}
		to := int(code[ip])
		ip++
		var r bool
		if x.k == kInt && y.k == kInt {
			switch op & 7 {
			case 0:
				r = x.n == y.n
			case 1:
				r = x.n != y.n
			case 2:
				r = x.n < y.n
			case 3:
				r = x.n <= y.n
			case 4:
				r = x.n > y.n
			case 5:
				r = x.n >= y.n
			}
		} else {
			f.ip, f.sp = ip, sp
			if v, err = t.compare(syntax.CmpOperator(op&7+1), *x, *y); err != nil {
				goto raise
			}
			if r = v.n != 0; v.k != kBool {
				if r, err = vm.truthJump(v); err != nil {
					goto raise
				}
			}
		}
		if r == (op&8 != 0) {
			ip = to
		}

	case opGetIter:
		x := &st[sp-1]
		f.ip, f.sp = ip, sp
		if x.k == kObject {
			if err = vm.getIter(f); err != nil {
				goto raise
			}
			goto reload
		}
		if v, err = t.iter(*x); err != nil {
			goto raise
		}
		st[sp-1] = v
	case opForIter, opForIterFast:
		x := &st[sp-1]
		if it, ok := x.o.(*Iter); ok {
			var more bool
			switch {
			case it.kind == iterRange:
				if more = it.n > 0; more {
					v = Value{k: kInt, n: it.i}
					it.i += it.step
					it.n--
				}
			case it.kind == iterList && it.src.k == kList:
				l := it.src.o.(*List)
				if more = it.i < int64(len(l.items)); more {
					v = l.items[it.i]
					it.i++
				} else {
					it.src = Value{}
				}
			default:
				f.ip, f.sp = ip, sp
				if v, more, err = t.advance(it); err != nil {
					goto raise
				}
			}
			switch {
			case !more:
				sp--
				ip = in.arg()
			case Op(in) == opForIterFast:
				if x.l != 0 {
					v.l = t.join(v.l, x.l)
				}
				st[code[ip]] = v
				ip++
			default:
				if x.l != 0 {
					v.l = t.join(v.l, x.l)
				}
				st[sp] = v
				sp++
			}
			goto next
		}
		f.ip, f.sp = ip, sp
		if err = vm.forIter(f, in); err != nil {
			goto raise
		}
		goto reload
	case opPopIter:
		sp--

	case opBuildTuple:
		n := in.arg()
		f.ip, f.sp = ip, sp
		if err = t.alloc(int64(n+2) * valueBytes); err != nil {
			goto raise
		}
		items := make([]Value, n)
		copy(items, st[sp-n:sp])
		sp -= n
		st[sp] = Value{k: kTuple, o: &Tuple{items}}
		sp++
	case opBuildList:
		n := in.arg()
		f.ip, f.sp = ip, sp
		if err = t.alloc(int64(n+2) * valueBytes); err != nil {
			goto raise
		}
		items := make([]Value, n)
		copy(items, st[sp-n:sp])
		sp -= n
		st[sp] = Value{k: kList, o: &List{items: items}}
		sp++
	case opFormat:
		if st[sp-1].k == kInt && in>>8 == 8 {
			goto next
		}
		f.ip, f.sp = ip, sp
		if err = vm.format(f, in.arg()); err != nil {
			goto raise
		}
		sp = f.sp
	case opBuildString:
		n := in.arg()
		f.ip, f.sp = ip, sp
		if v, err = vm.joinParts(st[sp-n : sp]); err != nil {
			goto raise
		}
		sp -= n
		st[sp] = v
		sp++
	case opListAppend:
		sp--
		l := st[sp-in.arg()].o.(*List)
		if len(l.items) == cap(l.items) {
			f.ip, f.sp = ip, sp+1
			if err = t.alloc(int64(len(l.items)+4) * valueBytes); err != nil {
				goto raise
			}
		}
		l.items = append(l.items, st[sp])

	case opCall:
		n := in.arg()
		x := &st[sp-1-n]
		switch x.k {
		case kFunc:
			fn := x.o.(*Func)
			if fn.run.fixed == n {
				if t.steps -= callSteps; t.steps < 0 {
					f.ip, f.sp = ip, sp
					if err = t.OutOfSteps(); err != nil {
						goto raise
					}
				}
				f.ip, f.sp, f.high = ip, sp-1-n, sp
				l := x.l
				var g *Frame
				if g, err = vm.push(fn, retPush); err != nil {
					goto raise
				}
				copy(g.st, st[sp-n:sp])
				g.ret = l
				f, code, st, consts = g, g.code.instrs, g.st, g.code.consts
				sp, ip = g.sp, 0
				goto next
			}
		case kClass:
			c := x.o.(*Class)
			if m := c.maker; m != nil && m.ver == vm.t.classVersion && m.fixed == n+1 {
				if t.steps -= 2 * callSteps; t.steps < 0 {
					f.ip, f.sp = ip, sp
					if err = t.OutOfSteps(); err != nil {
						goto raise
					}
				}
				f.ip, f.sp, f.high = ip, sp-1-n, sp
				l := x.l
				if v, err = vm.newInstance(c, m); err != nil {
					goto raise
				}
				v.l = l
				var g *Frame
				if g, err = vm.push(m.init, retInit); err != nil {
					goto raise
				}
				copy(g.st[1:], st[sp-n:sp])
				g.st[0] = v
				g.extra = v
				f, code, st, consts = g, g.code.instrs, g.st, g.code.consts
				sp, ip = g.sp, 0
				goto next
			}
		case kNative:
			f.ip, f.sp, f.high = ip, sp-1-n, sp
			v, err = vm.native(x.o.(*Native), Value{}, st[sp-n:sp], nil, nil, x.l)
			if err == nil {
				sp -= n
				st[sp-1] = v
				goto next
			}
			if err == errTail {
				if err = vm.again(retPush, Value{}); err == nil {
					goto reload
				}
			}
			goto raise
		}
		f.ip, f.sp, f.high = ip, sp-1-n, sp
		if err = vm.invoke(*x, Value{}, st[sp-n:sp], nil, nil, retPush, Value{}); err != nil {
			goto raise
		}
		goto reload
	case opCallMethod:
		n := in.arg()
		x := &st[sp-2-n]
		args := st[sp-1-n : sp]
		if st[sp-1-n].k == kUnset {
			args = args[1:]
		}
		switch x.k {
		case kFunc:
			fn := x.o.(*Func)
			if fn.run.fixed == len(args) {
				if t.steps -= callSteps; t.steps < 0 {
					f.ip, f.sp = ip, sp
					if err = t.OutOfSteps(); err != nil {
						goto raise
					}
				}
				f.ip, f.sp, f.high = ip, sp-2-n, sp
				l := x.l
				var g *Frame
				if g, err = vm.push(fn, retPush); err != nil {
					goto raise
				}
				copy(g.st, args)
				g.ret = l
				f, code, st, consts = g, g.code.instrs, g.st, g.code.consts
				sp, ip = g.sp, 0
				goto next
			}
		case kNative:
			f.ip, f.sp, f.high = ip, sp-2-n, sp
			v, err = vm.native(x.o.(*Native), Value{}, args, nil, nil, x.l)
			if err == nil {
				sp -= 1 + n
				st[sp-1] = v
				goto next
			}
			if err == errTail {
				if err = vm.again(retPush, Value{}); err == nil {
					goto reload
				}
			}
			goto raise
		}
		f.ip, f.sp, f.high = ip, sp-2-n, sp
		if err = vm.invoke(*x, Value{}, args, nil, nil, retPush, Value{}); err != nil {
			goto raise
		}
		goto reload
	case opReturn, opReturnNone:
		if Op(in) == opReturnNone {
			v = none
		} else {
			v = st[sp-1]
		}
		if f.mode == retPush && f.gen == nil {
			if f.ret != 0 {
				v.l = t.join(v.l, f.ret)
			}
			vm.pop(f)
			f = vm.frames[vm.depth]
			code, st, consts = f.code.instrs, f.st, f.code.consts
			sp, ip = f.sp, f.ip
			st[sp] = v
			sp++
			goto next
		}
		if f.mode == retInit && v.k == kNone {
			v = f.extra
			f.extra = Value{}
			if f.ret != 0 {
				v.l = t.join(v.l, f.ret)
			}
			vm.pop(f)
			f = vm.frames[vm.depth]
			code, st, consts = f.code.instrs, f.st, f.code.consts
			sp, ip = f.sp, f.ip
			st[sp] = v
			sp++
			goto next
		}
		f.ip, f.sp = ip, sp
		if err = vm.leave(f, v, false); err != nil {
			if err == errReturned {
				return nil
			}
			goto raise
		}
		goto reload
	case opYield:
		f.ip, f.sp = ip, sp-1
		if err = vm.leave(f, st[sp-1], true); err != nil {
			if err == errReturned {
				return nil
			}
			goto raise
		}
		goto reload

	default:
		f.ip, f.sp = ip, sp
		if err = vm.rare(f, in); err != nil {
			if err == errReturned {
				return nil
			}
			goto raise
		}
		goto reload
	}
	goto next

fail:
	f.ip, f.sp = ip, sp
raise:
	if err = vm.unwind(err); err != nil {
		if err == errReturned {
			return nil
		}
		return err
	}
	goto reload
}

// sameName reports whether a key of a name space is this very string object.
func sameName(key *Value, name *Str) bool {
	s, ok := key.o.(*Str)
	return ok && s == name
}

// callSteps is what a call costs of the limit of steps.
const callSteps = 8

func cmpInt(op syntax.CmpOperator, a, b int64) bool {
	switch op {
	case syntax.Eq:
		return a == b
	case syntax.NotEq:
		return a != b
	case syntax.Lt:
		return a < b
	case syntax.LtE:
		return a <= b
	case syntax.Gt:
		return a > b
	}
	return a >= b
}
