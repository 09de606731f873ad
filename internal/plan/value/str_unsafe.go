package value

import "unsafe"

// shortStr is a string object that holds its text itself: one allocation for both.
type shortStr struct {
	Str
	text [shortText]byte
}

const shortText = 24

// NewStr makes a string object of text, which is copied.
func NewStr(text []byte) *Str {
	if len(text) > shortText || len(text) == 0 {
		return &Str{Text: string(text)}
	}
	// The text is written here, before anybody sees the string, and never again.
	o := &shortStr{}
	copy(o.text[:], text)
	o.Text = unsafe.String(&o.text[0], len(text))
	return &o.Str
}
