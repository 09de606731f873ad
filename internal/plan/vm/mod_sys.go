package vm

// maxDepth bounds what a program can make of its recursion limit.
const maxDepth = 20000

// systemNatives are those of module sys; all else of it is written in the plan language.
func systemNatives() []*Native {
	return []*Native{{name: "sys._depth", params: "limit, /", precise: true, call: systemDepth}}
}

// systemDepth sets how deep functions may call each other, and returns it. A
// limit that depends on data changes nothing: who then recurses too deep would
// tell about them.
func systemDepth(t *Thread, a *Args) (Value, error) {
	limit := t.base(a.Pos[0])
	n := limit.n
	if limit.k == kBig {
		n = maxDepth
	}
	if n > 0 && a.Pos[0].l == 0 && t.pc == 0 {
		t.limits.Depth = int(min(n, maxDepth))
	}
	return intValue(int64(t.limits.Depth)), nil
}
