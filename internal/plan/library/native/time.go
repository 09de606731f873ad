package native

import (
	"math"
	"time"

	"praxis/internal/plan/value"
)

// timeNatives are the functions of module time over the program's own clock: it
// shows what the host gave, and only sleep moves it on. No real time passes.
func timeNatives() []*value.Native {
	n := func(name string, f func(t *value.Thread) value.Value) *value.Native {
		return &value.Native{Name: "time." + name, Params: "", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			if len(a.Pos)+len(a.Names) > 0 {
				return value.Value{}, t.Raise(t.Types.TypeError, "time.%s() takes no arguments (%d given)", name, len(a.Pos)+len(a.Names))
			}
			t.See(t.State)
			return f(t), nil
		}}
	}
	seconds := func(d time.Duration) value.Value { return value.Float(float64(d) / 1e9) }
	since := func(t *value.Thread) time.Duration { return t.Now.Sub(t.Began) }
	out := []*value.Native{
		n("time", func(t *value.Thread) value.Value { return value.Float(float64(t.Now.UnixNano()) / 1e9) }),
		n("time_ns", func(t *value.Thread) value.Value { return value.Int(t.Now.UnixNano()) }),
		{Name: "time.sleep", Params: "seconds, /", Call: timeSleep},
	}
	for _, name := range []string{"monotonic", "perf_counter", "process_time", "thread_time"} {
		out = append(out, n(name, func(t *value.Thread) value.Value { return seconds(since(t)) }),
			n(name+"_ns", func(t *value.Thread) value.Value { return value.Int(int64(since(t))) }))
	}
	return out
}

func timeSleep(t *value.Thread, a *value.Args) (value.Value, error) {
	s, err := t.Real(a.Pos[0])
	if err != nil {
		if r, ok := err.(*value.Raise); ok && r.Exc.Cls == t.Types.TypeError {
			err = t.Raise(t.Types.TypeError, "'%s' object cannot be interpreted as an integer or float", t.ClassName(a.Pos[0]))
		}
		return value.Value{}, err
	}
	switch {
	case s != s:
		return value.Value{}, t.Raise(t.Types.ValueError, "Invalid value NaN (not a number)")
	case s < 0:
		return value.Value{}, t.Raise(t.Types.ValueError, "sleep length must be non-negative")
	case s > 1e9:
		return value.Value{}, t.Raise(t.Types.OverflowError, "timestamp out of range for platform time_t")
	}
	t.Change(a.Pos[0].Label)
	t.Now = t.Now.Add(time.Duration(math.Round(s * 1e9)))
	return value.None, nil
}
