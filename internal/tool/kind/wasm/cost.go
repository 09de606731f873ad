package wasm

// The compiler's time grows with the square of a function's branches: 10,000 ifs
// take two seconds and 90 KB, ten times as many minutes. Where branches join it may
// need a value for each local. Nothing can stop it once it has begun, so the cost
// is estimated before, in units of about 20 nanoseconds.
const (
	maxCost     = 2 << 30
	maxJoins    = 2_000_000 // branches times locals, of one function
	joinCosts   = 50        // for each of them; seldom all are needed
	targetCosts = 400       // for each target of a br_table
)

// cost estimates what it takes to compile a function, from its instructions after
// its locals. It knows each instruction of WebAssembly 2.0 by its operands; the
// compiler reports what else is wrong with them.
func cost(r *reader, locals uint64) (uint64, error) {
	var branches, targets uint64
	for len(r.rest) > 0 && !r.bad {
		switch op := r.byte(); {
		case op >= 0x02 && op <= 0x04: // block, loop, if
			branches++
			r.leb()
		case op == 0x05, op == 0x0f: // else, return
			branches++
		case op == 0x0c, op == 0x0d: // br, br_if
			branches++
			r.leb()
		case op == 0x0e: // br_table
			n := r.count()
			targets += uint64(n)
			for range n + 1 {
				r.leb()
			}
		case !operands(r, op):
			return 0, broken("it has an instruction 0x%02x, which is not of WebAssembly 2.0", op)
		}
	}
	joins := branches * locals
	if joins > maxJoins {
		return 0, &moduleError{"it has a function with too many branches and locals", "Split the function."}
	}
	return branches*branches + joins*joinCosts + targets*targetCosts, nil
}

// operands skips what follows an instruction that is no branch, and reports
// whether there is such an instruction.
func operands(r *reader, op byte) bool {
	switch {
	case op <= 0x01, op == 0x0b, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
	case op == 0x10, op >= 0x20 && op <= 0x26, op >= 0x3f && op <= 0x42, op == 0xd0, op == 0xd2:
		r.leb()
	case op == 0x11, op >= 0x28 && op <= 0x3e: // call_indirect; loads and stores
		r.leb()
		r.leb()
	case op == 0x1c: // select with types
		r.take(uint32(r.count()))
	case op == 0x43:
		r.take(4)
	case op == 0x44:
		r.take(8)
	case op == 0xfc:
		return bulk(r)
	case op == 0xfd:
		return vectors(r)
	default:
		return false
	}
	return true
}

// bulk skips the operands of conversions and of instructions on memory and tables.
func bulk(r *reader) bool {
	switch op := r.u32(); {
	case op <= 7:
	case op == 8, op == 10, op == 12, op == 14:
		r.leb()
		r.leb()
	case op <= 17:
		r.leb()
	default:
		return false
	}
	return true
}

// vectors skips the operands of instructions on vectors.
func vectors(r *reader) bool {
	switch op := r.u32(); {
	case op <= 11, op == 92, op == 93: // loads and stores
		r.leb()
		r.leb()
	case op == 12, op == 13: // a constant, a shuffle
		r.take(16)
	case op >= 21 && op <= 34: // lanes
		r.byte()
	case op >= 84 && op <= 91: // loads and stores of lanes
		r.leb()
		r.leb()
		r.byte()
	default:
		return op <= 255
	}
	return true
}

// leb skips a LEB128 number of up to 64 bits.
func (r *reader) leb() {
	for range 10 {
		if r.byte() < 0x80 {
			return
		}
	}
	r.bad, r.rest = true, nil
}
