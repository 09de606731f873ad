package label

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// SourceKind says what sort of place data came from. The zero value is not a kind.
type SourceKind uint8

// The kinds of sources.
const (
	User    SourceKind = iota + 1 // an input that the user gave
	Tool                          // the result of a tool call
	Model                         // the reply of a model
	Planner                       // what the model that wrote the plan made up
)

var kindNames = [...]string{"", "user", "tool", "model", "planner"}

// String returns the kind's name, such as "tool".
func (k SourceKind) String() string { return nameOf(k, kindNames[:]) }

func (k SourceKind) valid() bool { return k != 0 && int(k) < len(kindNames) }

func nameOf[K ~uint8](k K, names []string) string {
	if int(k) < len(names) && k != 0 {
		return names[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Source is one place that data came from.
type Source struct {
	Kind    SourceKind `json:"kind"`
	Name    string     `json:"name"`           // the tool's name, the input's name or the name of the model's call
	Call    int        `json:"call,omitempty"` // 1, 2, … number of the host call in this run; 0 for inputs, and for several calls taken together
	Line    int        `json:"line,omitempty"` // of the call in the plan, from 1; 0 for inputs and in wide labels
	Col     int        `json:"col,omitempty"`  // of the call in the plan, from 0
	Trusted bool       `json:"trusted"`
}

// String returns the source as people read it: "calendar.read#1 (untrusted)".
func (s Source) String() string {
	trust := "untrusted"
	if s.Trusted {
		trust = "trusted"
	}
	name := s.Name
	switch s.Kind {
	case User:
		if name == "" {
			return "user (" + trust + ")"
		}
		return "user." + name + " (" + trust + ")"
	case Model:
		name = "model " + name
	case Planner:
		return "the planner (in neither the request nor the tools)"
	}
	if s.Call == 0 {
		return name + " (several calls, " + trust + ")"
	}
	return fmt.Sprintf("%s#%d (%s)", name, s.Call, trust)
}

// Compare orders sources by kind, name, place, call and trust.
func (s Source) Compare(o Source) int {
	return cmp.Or(cmp.Compare(s.Kind, o.Kind), strings.Compare(s.Name, o.Name),
		cmp.Compare(s.Line, o.Line), cmp.Compare(s.Col, o.Col), cmp.Compare(s.Call, o.Call),
		CompareBool(s.Trusted, o.Trusted))
}

// site is what the calls of one place in the plan have in common. An input
// is not called: it is its own site.
func (s Source) site() Source {
	if s.Kind != User {
		s.Call = 0
	}
	return s
}

// wide is what is left of a source in a wide label.
func (s Source) wide() Source {
	return Source{Kind: s.Kind, Name: s.Name, Trusted: s.Trusted}
}

// CompareBool orders false before true, as [cmp.Compare] does numbers.
func CompareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// EndorserKind says who lowered a label. The zero value is not a kind.
type EndorserKind uint8

// Who can lower a label.
const (
	Person EndorserKind = iota + 1 // somebody who looked at the data
	Rule                           // a rule of the policy that says so
)

var endorserNames = [...]string{"", "person", "rule"}

// String returns the kind's name, such as "person".
func (k EndorserKind) String() string { return nameOf(k, endorserNames[:]) }

func (k EndorserKind) valid() bool { return k != 0 && int(k) < len(endorserNames) }

// Endorser is who or what lowered a label, and why.
type Endorser struct {
	Kind EndorserKind
	Name string // the person's or the rule's name
	Why  string
}

// String returns "person ada: read it".
func (e Endorser) String() string {
	text := e.Kind.String() + " " + e.Name
	if e.Why != "" {
		text += ": " + e.Why
	}
	return text
}

// Endorsement is the mark that a declassification leaves in a label. When
// Source has a kind, that source counts as trusted from here on. When it has
// none, the readers were widened to Readers.
type Endorsement struct {
	By      Endorser
	Source  Source
	Readers Readers
}

// String returns the mark as people read it.
func (e Endorsement) String() string {
	if e.Source.Kind == 0 {
		return "released to " + e.Readers.String() + " by " + e.By.String()
	}
	return e.Source.String() + " endorsed by " + e.By.String()
}

// Compare orders marks by endorser, source and readers.
func (e Endorsement) Compare(o Endorsement) int {
	return cmp.Or(cmp.Compare(e.By.Kind, o.By.Kind), strings.Compare(e.By.Name, o.By.Name),
		strings.Compare(e.By.Why, o.By.Why), e.Source.Compare(o.Source), e.Readers.Compare(o.Readers))
}

// Label describes one value. The zero value is the label of the
// program's own literals: no source, readable by everyone.
type Label struct {
	Sources  []Source // sorted, without doubles
	Readers  Readers
	Endorsed []Endorsement // sorted, without doubles
	Wide     bool          // too many sources: they have lost their places (see the package comment)
}

// Trusted says whether all sources are trusted. No source is trusted.
func (l Label) Trusted() bool {
	for _, s := range l.Sources {
		if !s.Trusted {
			return false
		}
	}
	return true
}

// ReadableBy says whether all the given principals may read the value.
func (l Label) ReadableBy(principals ...string) bool {
	for _, p := range principals {
		if !l.Readers.Contains(p) {
			return false
		}
	}
	return true
}

// Endorse returns the label with every untrusted source replaced by a mark
// that says who vouched for it. The readers stay.
func (l Label) Endorse(by Endorser) Label {
	out := Label{Readers: l.Readers, Wide: l.Wide, Endorsed: slices.Clone(l.Endorsed)}
	for _, s := range l.Sources {
		if s.Trusted {
			out.Sources = append(out.Sources, s)
		} else {
			out.Endorsed = append(out.Endorsed, Endorsement{By: by, Source: s})
		}
	}
	return out.sorted()
}

// Release returns the label with other readers, and a mark that says who
// decided it. The sources stay.
func (l Label) Release(by Endorser, to Readers) Label {
	out := Label{Sources: slices.Clone(l.Sources), Readers: to, Wide: l.Wide}
	out.Endorsed = append(slices.Clone(l.Endorsed), Endorsement{By: by, Readers: to})
	return out.sorted()
}

// Equal says whether two labels are the same.
func (l Label) Equal(o Label) bool {
	return l.Readers == o.Readers && l.Wide == o.Wide &&
		slices.Equal(l.Sources, o.Sources) && slices.Equal(l.Endorsed, o.Endorsed)
}

// String returns the label in one line:
// "calendar.read#1 (untrusted), readers: everyone".
func (l Label) String() string {
	var b strings.Builder
	if len(l.Sources) == 0 {
		b.WriteString("program")
	}
	for i, s := range l.Sources {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == shown && len(l.Sources) > shown+1 {
			fmt.Fprintf(&b, "and %d more", len(l.Sources)-shown)
			break
		}
		b.WriteString(s.String())
	}
	b.WriteString(", readers: ")
	b.WriteString(l.Readers.String())
	for i, e := range l.Endorsed {
		if i == shown && len(l.Endorsed) > shown+1 {
			fmt.Fprintf(&b, "; and %d more endorsements", len(l.Endorsed)-shown)
			break
		}
		b.WriteString("; ")
		b.WriteString(e.String())
	}
	return b.String()
}

// shown is how many names a line of text lists before it counts the rest.
const shown = 8

// sorted returns the label in its canonical order, without doubles.
func (l Label) sorted() Label {
	slices.SortFunc(l.Sources, Source.Compare)
	l.Sources = slices.Compact(l.Sources)
	slices.SortFunc(l.Endorsed, Endorsement.Compare)
	l.Endorsed = slices.Compact(l.Endorsed)
	return l
}
