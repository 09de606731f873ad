package native

import "praxis/internal/plan/value"

// maxDepth bounds what a program can make of its recursion limit.
const maxDepth = 20000

// systemNatives are those of module sys; all else of it is written in the plan language.
func systemNatives() []*value.Native {
	return []*value.Native{{Name: "sys._depth", Params: "limit, /", Precise: true, Call: systemDepth}}
}

// systemDepth sets how deep functions may call each other, and returns it. A
// limit that depends on data changes nothing, since whether a later recursion is
// too deep would show the data.
func systemDepth(t *value.Thread, a *value.Args) (value.Value, error) {
	limit := t.Base(a.Pos[0])
	n := limit.N
	if limit.Kind == value.KBig {
		n = maxDepth
	}
	if n > 0 && a.Pos[0].Label == 0 && t.PC == 0 {
		t.Limits.Depth = int(min(n, maxDepth))
	}
	return value.Int(int64(t.Limits.Depth)), nil
}
