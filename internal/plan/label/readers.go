package label

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Readers is who may read a value: everyone, or a set of principals. It is
// immutable and comparable; the zero value is everyone.
type Readers struct {
	only bool
	set  string // the principals, sorted, each followed by a zero byte
}

// Everyone returns the readers that leave nobody out.
func Everyone() Readers { return Readers{} }

// Only returns exactly these principals; none at all means nobody. A name
// that is empty or holds a zero byte is nobody's and is left out.
func Only(principals ...string) Readers {
	names := make([]string, 0, len(principals))
	for _, p := range principals {
		if validPrincipal(p) {
			names = append(names, p)
		}
	}
	slices.Sort(names)
	return join(slices.Compact(names))
}

func validPrincipal(p string) bool { return p != "" && strings.IndexByte(p, 0) < 0 }

func join(names []string) Readers {
	r := Readers{only: true}
	if len(names) > 0 {
		r.set = strings.Join(names, "\x00") + "\x00"
	}
	return r
}

// IsEveryone says whether nobody is left out.
func (r Readers) IsEveryone() bool { return !r.only }

// Principals returns the sorted names, or nil for everyone. Nobody is an
// empty list that is not nil.
func (r Readers) Principals() []string {
	if !r.only {
		return nil
	}
	if r.set == "" {
		return []string{}
	}
	return strings.Split(r.set[:len(r.set)-1], "\x00")
}

// Contains says whether the principal may read. Everyone contains every name.
func (r Readers) Contains(principal string) bool {
	_, found := slices.BinarySearch(r.Principals(), principal)
	return found || !r.only
}

// Intersect returns who is among both readers.
func (r Readers) Intersect(o Readers) Readers {
	switch {
	case !r.only || r == o:
		return o
	case !o.only:
		return r
	}
	others := o.Principals()
	return join(slices.DeleteFunc(r.Principals(), func(p string) bool {
		_, found := slices.BinarySearch(others, p)
		return !found
	}))
}

// Within says whether everybody in r is also in o.
func (r Readers) Within(o Readers) bool { return r.Intersect(o) == r }

// Compare gives readers an order: everyone first, then by names.
func (r Readers) Compare(o Readers) int {
	if c := CompareBool(r.only, o.only); c != 0 {
		return c
	}
	return strings.Compare(r.set, o.set)
}

// String returns "everyone", "nobody" or the names.
func (r Readers) String() string {
	names := r.Principals()
	switch {
	case !r.only:
		return "everyone"
	case len(names) == 0:
		return "nobody"
	case len(names) > shown+1:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return strings.Join(names, ", ")
}

// MarshalJSON writes "everyone", or the list of names.
func (r Readers) MarshalJSON() ([]byte, error) {
	if !r.only {
		return []byte(`"everyone"`), nil
	}
	return json.Marshal(r.Principals())
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Readers) UnmarshalJSON(data []byte) error {
	var word string
	if json.Unmarshal(data, &word) == nil && len(data) > 0 && data[0] == '"' {
		if word != "everyone" {
			return fmt.Errorf("cannot read the readers: %.40q is neither \"everyone\" nor a list of names", word)
		}
		*r = Everyone()
		return nil
	}
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return fmt.Errorf("cannot read the readers: %w", err)
	}
	if names == nil {
		return fmt.Errorf("cannot read the readers: null is neither \"everyone\" nor a list of names")
	}
	for _, n := range names {
		if !validPrincipal(n) {
			return fmt.Errorf("cannot read the readers: %.40q is not a name", n)
		}
	}
	*r = Only(names...)
	return nil
}
