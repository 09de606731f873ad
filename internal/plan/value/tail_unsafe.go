package value

import "unsafe"

// tail is a buffer whose front parts are strings. The string that ends where
// the buffer ends can be made longer in place, because nobody sees what lies
// behind it: so adding to a string in a loop does not copy it each time.
type tail struct{ b []byte }

// longStr is the length from which on a string that is added to gets a tail.
const longStr = 256

// inPlace reports whether n bytes can be added to x without copying it.
func (x *Str) inPlace(n int) bool {
	return x.tail != nil && len(x.tail.b) == len(x.Text) && cap(x.tail.b)-len(x.Text) >= n
}

// extended returns x + y for a long x.
func extended(x, y *Str) *Str {
	tl := x.tail
	if !x.inPlace(len(y.Text)) {
		tl = &tail{make([]byte, 0, len(x.Text)+len(x.Text)/4+len(y.Text))}
		tl.b = append(tl.b, x.Text...)
	}
	tl.b = append(tl.b, y.Text...)
	return &Str{Text: unsafe.String(unsafe.SliceData(tl.b), len(tl.b)), tail: tl}
}
