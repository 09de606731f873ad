package vm

import "unsafe"

// tail is a buffer whose front parts are strings. The string that ends where
// the buffer ends can be made longer in place, because nobody sees what lies
// behind it: so adding to a string in a loop does not copy it each time.
type tail struct{ b []byte }

// longStr is the length from which on a string that is added to gets a tail.
const longStr = 256

// inPlace reports whether n bytes can be added to x without copying it.
func (x *Str) inPlace(n int) bool {
	return x.tail != nil && len(x.tail.b) == len(x.s) && cap(x.tail.b)-len(x.s) >= n
}

// extended returns x + y for a long x.
func extended(x, y *Str) *Str {
	tl := x.tail
	if !x.inPlace(len(y.s)) {
		tl = &tail{make([]byte, 0, len(x.s)+len(x.s)/4+len(y.s))}
		tl.b = append(tl.b, x.s...)
	}
	tl.b = append(tl.b, y.s...)
	return &Str{s: unsafe.String(unsafe.SliceData(tl.b), len(tl.b)), tail: tl}
}
