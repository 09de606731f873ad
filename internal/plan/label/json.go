package label

import (
	"encoding/json"
	"slices"
	"strings"

	"praxis/fault"
)

// MarshalText writes the kind's name.
func (k SourceKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the kind's name.
func (k *SourceKind) UnmarshalText(text []byte) error { return readName(k, kindNames[:], text) }

// MarshalText writes the kind's name.
func (k EndorserKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the kind's name.
func (k *EndorserKind) UnmarshalText(text []byte) error { return readName(k, endorserNames[:], text) }

// readName reads one of the names of a kind, of which the first is no name.
func readName[K ~uint8](k *K, names []string, text []byte) error {
	i := slices.Index(names, string(text))
	if i <= 0 {
		return fault.New(fault.Invalid, "Write one of "+strings.Join(names[1:], ", ")+".", "cannot read the label: unknown kind %.40q", text)
	}
	*k = K(i)
	return nil
}

type markJSON struct {
	Kind     EndorserKind `json:"kind"`
	Name     string       `json:"name"`
	Why      string       `json:"why,omitempty"`
	Source   *Source      `json:"source,omitempty"`
	Released *Readers     `json:"released,omitempty"`
}

type labelJSON struct {
	Trusted  bool       `json:"trusted"`
	Sources  []Source   `json:"sources"`
	Readers  Readers    `json:"readers"`
	Endorsed []markJSON `json:"endorsed,omitempty"`
	Wide     bool       `json:"wide,omitempty"`
}

// MarshalJSON writes the label as the journal keeps it. Equal labels give
// equal bytes.
func (l Label) MarshalJSON() ([]byte, error) {
	out := labelJSON{Trusted: l.Trusted(), Sources: []Source{}, Readers: l.Readers, Wide: l.Wide}
	out.Sources = append(out.Sources, l.Sources...)
	for _, e := range l.Endorsed {
		m := markJSON{Kind: e.By.Kind, Name: e.By.Name, Why: e.By.Why}
		if e.Source.Kind != 0 {
			m.Source = &e.Source
		} else {
			m.Released = &e.Readers
		}
		out.Endorsed = append(out.Endorsed, m)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes. "trusted" is not believed, it
// follows from the sources.
func (l *Label) UnmarshalJSON(data []byte) error {
	var in labelJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	out := Label{Readers: in.Readers, Wide: in.Wide, Sources: in.Sources}
	for _, s := range in.Sources {
		if !s.Kind.valid() {
			return fault.New(fault.Invalid, "", "cannot read the label: a source has no kind")
		}
	}
	for _, m := range in.Endorsed {
		e := Endorsement{By: Endorser{Kind: m.Kind, Name: m.Name, Why: m.Why}}
		switch {
		case !m.Kind.valid():
			return fault.New(fault.Invalid, "", "cannot read the label: an endorsement has no kind")
		case m.Source != nil && m.Source.Kind.valid():
			e.Source = *m.Source
		case m.Source == nil && m.Released != nil:
			e.Readers = *m.Released
		default:
			return fault.New(fault.Invalid, "", "cannot read the label: an endorsement names neither a source nor readers")
		}
		out.Endorsed = append(out.Endorsed, e)
	}
	*l = out.sorted()
	return nil
}
