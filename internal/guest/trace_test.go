package guest_test

import (
	"testing"

	"praxis/event"
	"praxis/internal/guest/wire"
)

// TestTrace looks at the order of the places that an execution passes. Here host and
// guest have one clock, so all of them can be compared.
func TestTrace(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.run("x = 41")
	got, x, err := b.Trace(b.ctx(), wire.Execute{Code: "x + 1"})
	if err != nil {
		t.Fatal(err)
	}
	if x.Status != event.OK || x.Result["text"] != "42" {
		t.Errorf("ended as %+v", x)
	}
	g := got.Guest
	places := []int64{got.Began.UnixNano(), got.Wrote.UnixNano(), g.Taken, g.Handed, g.Read, g.Begun, g.Done, g.Noticed, g.Answered, got.Read.UnixNano(), got.Ended.UnixNano()}
	for i := range places[1:] {
		if places[i] == 0 || places[i+1] < places[i] {
			t.Errorf("the places are %v: number %d came before the one before it", places, i+1)
		}
	}
	b.want("x", "41") // without stamps again
}
