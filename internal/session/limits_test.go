package session

import (
	"reflect"
	"testing"

	"praxis/event"
	"praxis/internal/guest/wire"
)

// TestGuestLimits requires that the agent gets every limit that it enforces.
func TestGuestLimits(t *testing.T) {
	all := event.DefaultLimits()
	all.UserNamespaces = 1
	got := reflect.ValueOf(guestLimits(all))
	for i := range got.NumField() {
		if name := got.Type().Field(i).Name; got.Field(i).IsZero() != (name == "Kernel") {
			t.Errorf("%s = %v", name, got.Field(i))
		}
	}
	want := wire.Limits{Memory: 1 << 30, Processes: 256, OpenFiles: 1024, CPUs: 1}
	if guestLimits(event.DefaultLimits()) != want {
		t.Errorf("got %+v, want %+v", guestLimits(event.DefaultLimits()), want)
	}
}

// TestSavedLimits requires that sessions share a template when no more than the
// limits differ that a restore sets.
func TestSavedLimits(t *testing.T) {
	a := event.DefaultLimits()
	b := a
	b.Memory, b.CPUs, b.Processes = 2<<30, 2, 100
	if !reflect.DeepEqual(savedLimits(a), savedLimits(b)) || len(savedLimits(a)) != 3 {
		t.Errorf("%v and %v", savedLimits(a), savedLimits(b))
	}
	for _, change := range []func(*event.Limits){func(l *event.Limits) { l.Disk++ }, func(l *event.Limits) { l.OpenFiles++ }, func(l *event.Limits) { l.UserNamespaces++ }} {
		c := a
		if change(&c); reflect.DeepEqual(savedLimits(a), savedLimits(c)) {
			t.Errorf("%+v has the template of %+v", c, a)
		}
	}
}
