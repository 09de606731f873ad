package native

import "praxis/internal/plan/value"

// asyncioNatives are what module asyncio cannot do in the plan language.
func asyncioNatives() []*value.Native {
	return []*value.Native{{Name: "asyncio._wait", Params: "coro, /", Call: asyncioWait, Precise: true}}
}

// asyncioWait runs a coroutine to its end, in the machine's own frames.
func asyncioWait(t *value.Thread, a *value.Args) (value.Value, error) {
	if t.ClassOf(a.Pos[0]) != t.Types.Coroutine {
		return value.Value{}, t.FailOf(a.Pos[0], t.Types.TypeError, "a coroutine was expected, got %s", t.ClassName(a.Pos[0]))
	}
	return t.TailGen(value.TailAwait, a.Pos[0], value.None)
}
