package python

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

var everyPoint = flag.Bool("all", false, "interrupt cells at every point, not at a sample of them")

// TestInterruptPoints interrupts cells at chosen instructions, of their own and of the
// kernel's below them: once, and once more while the first is taken or what it ended is put
// right. Each cell ends in one of two ways, and the session's loop runs the next one.
func TestInterruptPoints(t *testing.T) {
	t.Parallel()
	program, err := os.ReadFile("testdata/points.py")
	if err != nil {
		t.Fatal(err)
	}
	k := start(t, nil)
	k.Text(string(program) + "\nimport asyncio, gc\nkept = 0\ngc.disable()")
	// run interrupts a cell and says how many instructions came before the first interrupt, and then before the second.
	run := func(code, status string, first, second int) (before, after int) {
		k.Text(fmt.Sprintf("end = points(%d, %d);", first, second))
		d := k.Run(code).Done
		if _, err := fmt.Sscanf(k.Text("end()"), "(%d, %d)", &before, &after); err != nil {
			t.Fatal(err)
		}
		ended := d.Status == "error" && d.Error.Name == "KeyboardInterrupt"
		if d.Interrupted != ended || !ended && d.Status != status {
			t.Errorf("%q, interrupted at %d and %d: %+v %+v", code, first, second, d, d.Error)
		}
		if o := k.Run("await asyncio.sleep(0, 2)"); o.Done.Status != "ok" {
			t.Fatalf("%q, interrupted at %d and %d: afterwards %+v", code, first, second, o.Done.Error)
		}
		return before, after
	}
	for _, c := range []struct{ code, status string }{
		{"sum(range(2000))", "ok"},
		{"display('x' * 500)\nprint('y' * 100)", "ok"},
		{"await asyncio.sleep(0)", "ok"},
		{"1 / 0", "error"},
		{"x = (", "error"},
	} {
		k.Run(c.code)
		total, _ := run(c.code, c.status, 0, 0)
		step := 1
		if !*everyPoint {
			step = max(1, total/40)
		}
		// How many interrupts come a second time says how far from the first one there is anything left.
		for second, reached := 0, 1; reached > 0; second += 1 + second/3 {
			reached = 0
			for first := 1 + second%step; first <= total; first += step {
				if _, after := run(c.code, c.status, first, second); after == second {
					reached++
				}
			}
			if !*everyPoint {
				second = 1 + 4*second
			}
		}
	}
}
