package stream

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// MaxEvent bounds one event of a stream in bytes: its data, and each of its lines.
const MaxEvent = 4 << 20

// errLongEvent is an event that breaks the bound.
var errLongEvent = fmt.Errorf("an event of more than %d MiB", MaxEvent>>20)

// Event is one server-sent event.
type Event struct {
	Type string // of its "event" line; "": it has none
	Data []byte // its "data" lines, joined by newlines; valid until the next event is read
}

// Reader reads the events of a stream as the HTML standard defines them
// (section "Server-sent events"): lines end with CR, LF or both, an empty line
// ends an event, an event without data is none, and one that the stream's end
// cuts off is dropped. Ids and reconnection times mean nothing here.
type Reader struct {
	src   *bufio.Reader
	line  []byte
	data  []byte
	begun bool // the first line was read
	cr    bool // the last line ended with CR: an LF that follows belongs to it
}

// NewReader reads events from r.
func NewReader(r io.Reader) *Reader { return &Reader{src: bufio.NewReaderSize(r, 16<<10)} }

// Next returns the next event, and io.EOF after the last one.
func (r *Reader) Next() (Event, error) {
	var e Event
	r.data = r.data[:0]
	some := false
	for {
		line, err := r.readLine()
		if err != nil {
			return Event{}, err
		}
		if len(line) == 0 {
			if some {
				e.Data = r.data
				return e, nil
			}
			e.Type = ""
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) { // a comment has no name
		case "event":
			e.Type = string(value)
		case "data":
			if some {
				r.data = append(r.data, '\n')
			}
			if len(r.data)+len(value) > MaxEvent {
				return Event{}, errLongEvent
			}
			r.data = append(r.data, value...)
			some = true
		}
	}
}

// readLine returns the next whole line without its end. What follows the last
// line end is none. A line that ends with CR is whole before the next byte is
// there, so that an LF after it is left to the next call.
func (r *Reader) readLine() ([]byte, error) {
	r.line = r.line[:0]
	for {
		if _, err := r.src.Peek(1); err != nil {
			return nil, err
		}
		chunk, err := r.src.Peek(r.src.Buffered())
		if err != nil {
			return nil, err
		}
		if r.cr && chunk[0] == '\n' {
			chunk = chunk[1:]
			r.skip(1)
		}
		r.cr = false
		end := bytes.IndexAny(chunk, "\r\n")
		if end >= 0 {
			r.cr = chunk[end] == '\r'
			chunk = chunk[:end]
		}
		if len(r.line)+len(chunk) > MaxEvent {
			return nil, errLongEvent
		}
		r.line = append(r.line, chunk...)
		r.skip(len(chunk))
		if end < 0 {
			continue
		}
		r.skip(1)
		if !r.begun {
			r.begun = true
			return bytes.TrimPrefix(r.line, []byte("\xef\xbb\xbf")), nil
		}
		return r.line, nil
	}
}

// skip goes on by n bytes that are buffered.
func (r *Reader) skip(n int) { _, _ = r.src.Discard(n) } // what is buffered is there
