package jsondoc

import (
	"fmt"
	"maps"
	"testing"
)

func TestObject(t *testing.T) {
	o := &Object{}
	for i := range 40 {
		o.Set(fmt.Sprintf("k%d", (i*7)%40), i)
	}
	o.Set("k0", "again")
	if v, ok := o.Get("k0"); !ok || v != "again" || o.Len() != 40 {
		t.Errorf("k0 is %v of %d", v, o.Len())
	}
	if _, ok := o.Get("none"); ok {
		t.Error("a member that is not there")
	}
	if got := len(maps.Collect(o.All())); got != 40 {
		t.Errorf("%d members", got)
	}
	for name := range o.All() {
		if name != "k0" {
			t.Errorf("the first is %s", name)
		}
		break
	}
}
