package stream

import "encoding/json"

// Count is a whole number in the JSON of a server. Some write it as a fraction
// or as null, and some leave it out: what is no number is 0, and so is what
// counts nothing.
type Count int

// UnmarshalJSON reads any value.
func (c *Count) UnmarshalJSON(text []byte) error {
	const most = 1 << 40 // tokens: no reply has as many
	*c = 0
	var f float64
	if json.Unmarshal(text, &f) == nil && f > 0 {
		*c = Count(min(f, most))
	}
	return nil
}

// Text is a string in the JSON of a server that a reply can do without: what is
// no string is empty.
type Text string

// UnmarshalJSON reads any value.
func (t *Text) UnmarshalJSON(text []byte) error {
	var s string
	if json.Unmarshal(text, &s) != nil {
		s = ""
	}
	*t = Text(s)
	return nil
}
