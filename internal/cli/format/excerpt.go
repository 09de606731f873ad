package format

import (
	"bytes"
	"fmt"
	"io"

	"praxis/internal/safetext"
)

// Bounds of an excerpt, in bytes: some screens of text before what is left out, and
// one after it.
const (
	excerptHead = 16 << 10
	excerptTail = 2 << 10
)

// Excerpt is a Writer that passes the first part of a long text on as it comes, and
// the last part when it is flushed: nobody reads a million lines that run by.
type Excerpt struct {
	W    io.Writer
	More string // says how to see all

	n    int64  // bytes that were passed on
	left int64  // bytes that were not, those of tail included
	tail []byte // the last of them
}

// Write takes p. The count is of p's bytes.
func (e *Excerpt) Write(p []byte) (int, error) {
	size := len(p)
	if e.left == 0 {
		now := p[:min(int64(len(p)), max(excerptHead-e.n, 0))]
		if len(now) < len(p) {
			// It ends with a line where there is one.
			now = now[:bytes.LastIndexByte(now, '\n')+1]
			if len(now) == 0 && e.n == 0 {
				now = p[:min(len(p), excerptHead)]
			}
		}
		if _, err := e.W.Write(now); err != nil {
			return 0, err
		}
		e.n += int64(len(now))
		if p = p[len(now):]; len(p) == 0 {
			return size, nil
		}
		if _, err := fmt.Fprintf(e.W, "… [more output; its end is shown when it is there; %s] …\n", e.More); err != nil {
			return 0, err
		}
	}
	e.left += int64(len(p))
	e.tail = append(e.tail, p...)
	if len(e.tail) > 2*excerptTail {
		e.tail = bytes.Clone(e.tail[len(e.tail)-excerptTail:])
	}
	return size, nil
}

// Flush writes the last part. What comes then is a text of its own.
func (e *Excerpt) Flush() error {
	tail, left := e.tail, e.left
	e.n, e.left, e.tail = 0, 0, nil
	if left == 0 {
		return nil
	}
	if int64(len(tail)) < left || len(tail) > excerptTail {
		tail = tail[max(0, len(tail)-excerptTail):]
		if i := bytes.IndexByte(tail, '\n'); i >= 0 && i+1 < len(tail) {
			tail = tail[i+1:]
		}
	}
	if out := left - int64(len(tail)); out > 0 {
		if _, err := fmt.Fprintf(e.W, "… [%s left out] …\n", safetext.Size(out)); err != nil {
			return err
		}
	}
	_, err := e.W.Write(tail)
	return err
}
