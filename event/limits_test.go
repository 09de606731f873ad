package event

import (
	"reflect"
	"testing"
)

// TestLimitsOver requires that every field that is zero is taken from the other
// limits, and that no other is.
func TestLimitsOver(t *testing.T) {
	base := DefaultLimits()
	for i := range reflect.TypeOf(base).NumField() {
		name := reflect.TypeOf(base).Field(i).Name
		if reflect.ValueOf(base).Field(i).IsZero() && name != "UserNamespaces" {
			t.Errorf("%s has no default", name)
		}
		l := Limits{}
		set(reflect.ValueOf(&l).Elem().Field(i), 7)
		got, want := l.Over(base), base
		set(reflect.ValueOf(&want).Elem().Field(i), 7)
		if got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

// TestLimitsExceeds requires that one field alone is enough to be found, whichever
// it is.
func TestLimitsExceeds(t *testing.T) {
	most := DefaultLimits()
	if x, found := most.Exceeds(most); found {
		t.Errorf("equal limits: %+v", x)
	}
	for i := range reflect.TypeOf(most).NumField() {
		name, l := reflect.TypeOf(most).Field(i).Name, Limits{}
		if _, found := l.Exceeds(most); found {
			t.Errorf("%s: the defaults exceed themselves", name)
		}
		set(reflect.ValueOf(&l).Elem().Field(i), 1<<40)
		x, found := l.Exceeds(most)
		if !found || x.Is != 1<<40 || x.Limit.Name == "" {
			t.Errorf("%s: got %+v, %v", name, x, found)
		}
		less := most
		set(reflect.ValueOf(&less).Elem().Field(i), 0.5)
		if reflect.ValueOf(less).Field(i).IsZero() {
			continue // half a process is none, and none means the default
		}
		if _, found := (Limits{}).Exceeds(less); !found {
			t.Errorf("%s: a default that is more than allowed is not found", name)
		}
	}
}

// TestLimitTable requires a line for every field, whose default is in its range.
func TestLimitTable(t *testing.T) {
	fields := reflect.TypeFor[Limits]()
	if table := LimitTable(); len(table) != fields.NumField() {
		t.Fatalf("%d lines for %d fields", len(table), fields.NumField())
	}
	seen := map[string]bool{}
	for _, s := range LimitTable() {
		var l Limits
		s.Set(&l, 7)
		for i := range fields.NumField() {
			if !reflect.ValueOf(l).Field(i).IsZero() {
				seen[fields.Field(i).Name] = true
			}
		}
		if s.Of(l) != 7 || !(s.Min <= s.Default && s.Default <= s.Max) || s.What == "" {
			t.Errorf("%+v", s)
		}
	}
	if len(seen) != fields.NumField() {
		t.Errorf("two lines set the same field: %v", seen)
	}
}

func set(field reflect.Value, v float64) {
	if field.CanInt() {
		field.SetInt(int64(v))
	} else {
		field.SetFloat(v)
	}
}
