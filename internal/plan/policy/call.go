package policy

import (
	"praxis/internal/plan/label"
	"praxis/internal/tool"
)

// Labelled is a value with its labels. A list has Items and an object has
// Fields (not nil, but possibly empty) when its parts have labels of their own; Label is then that of the
// container itself (its length, order and keys). Otherwise Value is a JSON
// value as [praxis/internal/tool] has them, and Label is that of all of it.
type Labelled struct {
	Value  any
	Label  label.Label
	Items  []Labelled
	Fields map[string]Labelled
}

// Call is a tool call that is about to happen.
type Call struct {
	Tool    *tool.Definition
	Number  int // 1, 2, … of the host calls of the run
	Args    map[string]Labelled
	Members *Members    // values of trusted results of the run; nil: none
	Control label.Label // of the control flow: what decided that the call is reached (mode strict)
}

// Presence says whether an argument or a member is there.
type Presence uint8

// The presences. The zero value is the usual one.
const (
	Given      Presence = iota // it is there
	MaybeGiven                 // the call may be with or without it
	NotGiven
)

// Bound is what is known of a value before the program runs. Label, Value and
// parts of every value that it stands for lie within it:
//
//   - Must ⊑ label ⊑ May: sources in Must are certainly there and those that
//     are not in May are certainly not; readers are at most those of Must and
//     at least those of May. Of a source only kind, name and trust count.
//     With AnySource every source and no reader is possible.
//   - With Known the value is Value.
//   - Items or Fields, when there are any, are all the parts, and Must and May
//     are those of the container itself. Without them they hold for the join
//     of the labels of the value and of all that is in it.
type Bound struct {
	Presence  Presence
	Known     bool
	Value     any
	Must, May label.Label
	AnySource bool
	Items     []Bound
	Fields    map[string]Bound
}

// exactly is the bound of one value.
func (v *Labelled) exactly() Bound {
	b := Bound{Known: v.Items == nil && v.Fields == nil, Value: v.Value, Must: v.Label, May: v.Label}
	if v.Items != nil {
		b.Items = make([]Bound, len(v.Items))
		for i := range v.Items {
			b.Items[i] = v.Items[i].exactly()
		}
	}
	if v.Fields != nil {
		b.Fields = make(map[string]Bound, len(v.Fields))
		for name, f := range v.Fields {
			b.Fields[name] = f.exactly()
		}
	}
	return b
}

// Abstract is a call in the program's text: all the calls that it may become.
type Abstract struct {
	Tool    *tool.Definition
	Number  int // of the call when it is known, else 0
	Args    map[string]Bound
	Open    bool // there may be arguments beside Args, of any value and label
	Control Bound
}
