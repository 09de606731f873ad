package vm

import (
	"math"
	"time"
)

// timeNatives are the functions of module time over the program's own clock: it
// shows what the host gave, and only sleep moves it on. No real time passes.
func timeNatives() []*Native {
	n := func(name string, f func(t *Thread) Value) *Native {
		return &Native{name: "time." + name, params: "", call: func(t *Thread, a *Args) (Value, error) {
			if len(a.Pos)+len(a.Names) > 0 {
				return Value{}, t.raise(t.types.TypeError, "time.%s() takes no arguments (%d given)", name, len(a.Pos)+len(a.Names))
			}
			return f(t), nil
		}}
	}
	seconds := func(d time.Duration) Value { return floatValue(float64(d) / 1e9) }
	since := func(t *Thread) time.Duration { return t.now.Sub(t.began) }
	out := []*Native{
		n("time", func(t *Thread) Value { return floatValue(float64(t.now.UnixNano()) / 1e9) }),
		n("time_ns", func(t *Thread) Value { return intValue(t.now.UnixNano()) }),
		{name: "time.sleep", params: "seconds, /", call: timeSleep},
	}
	for _, name := range []string{"monotonic", "perf_counter", "process_time", "thread_time"} {
		out = append(out, n(name, func(t *Thread) Value { return seconds(since(t)) }),
			n(name+"_ns", func(t *Thread) Value { return intValue(int64(since(t))) }))
	}
	return out
}

func timeSleep(t *Thread, a *Args) (Value, error) {
	s, err := t.real(a.Pos[0])
	if err != nil {
		if r, ok := err.(*Raise); ok && r.exc.cls == t.types.TypeError {
			err = t.raise(t.types.TypeError, "'%s' object cannot be interpreted as an integer or float", t.className(a.Pos[0]))
		}
		return Value{}, err
	}
	switch {
	case s != s:
		return Value{}, t.raise(t.types.ValueError, "Invalid value NaN (not a number)")
	case s < 0:
		return Value{}, t.raise(t.types.ValueError, "sleep length must be non-negative")
	case s > 1e9:
		return Value{}, t.raise(t.types.OverflowError, "timestamp out of range for platform time_t")
	}
	t.now = t.now.Add(time.Duration(math.Round(s * 1e9)))
	return none, nil
}
