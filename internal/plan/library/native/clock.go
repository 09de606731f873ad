package native

import "praxis/internal/plan/value"

// clockNatives are what the modules about time ask the host's clock with.
func clockNatives() []*value.Native {
	return []*value.Native{
		{Name: "datetime._now", Params: "", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			t.See(t.State)
			return value.Int(t.Now.UnixMicro()), nil
		}},
	}
}
