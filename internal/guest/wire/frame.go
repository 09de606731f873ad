package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Version is the protocol's version, sent in both hellos.
const Version = 1

// Bounds of the protocol.
const (
	// MaxBody is the largest body of a frame, in bytes.
	MaxBody = 1 << 20
	// MaxMessage is the largest JSON text that parts may add up to, in bytes.
	MaxMessage = 24 << 20
	// Window is how many units of a request may be on their way without credit.
	Window = 1 << 20
	// Chunk is a good size for the body of a data frame, in bytes.
	Chunk = 128 << 10

	prefix      = 4  // u32 length
	fixed       = 5  // u8 kind, u32 id: what length counts besides the body
	firstBuffer = 32 // KiB that a Reader starts with
)

// Cost is how many units a frame with n bytes of body takes from its request's
// window. Empty frames cost too, so that a flood of them is bounded.
func Cost(n int) int { return n + 64 }

// MaxInFlight is the most units that an honest sender can have on their way.
const MaxInFlight = Window + MaxBody + 64

// Kind says what a frame carries. The zero value is not a kind.
type Kind uint8

// The kinds, closed. The package comment says what each means.
const (
	Request Kind = iota + 1
	Response
	Failure
	Data
	End
	Event
	Output
	HelloKind
	Part
	Credit
	Cancel
	GuestRequestKind
)

var kindNames = [...]string{"", "request", "response", "failure", "data", "end", "event", "output", "hello", "part", "credit", "cancel", "guest request"}

// String returns the kind's name, such as "request".
func (k Kind) String() string {
	if int(k) < len(kindNames) && k != 0 {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// ErrFrame is in the chain of every error that says that the bytes read are
// not a frame. The stream cannot be used after it.
var ErrFrame = errors.New("broken frame")

// Frame is one unit of the stream.
type Frame struct {
	Kind Kind
	ID   uint32
	Body []byte
}

// Append appends the frame's bytes to dst and returns the longer slice. The
// body may be given in pieces; together they must be at most MaxBody.
func Append(dst []byte, kind Kind, id uint32, body ...[]byte) ([]byte, error) {
	n := 0
	for _, b := range body {
		n += len(b)
	}
	if n > MaxBody {
		return dst, fmt.Errorf("cannot write frame: body has %d bytes, the limit is %d", n, MaxBody)
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(n+fixed))
	dst = append(dst, byte(kind))
	dst = binary.BigEndian.AppendUint32(dst, id)
	for _, b := range body {
		dst = append(dst, b...)
	}
	return dst, nil
}

// Reader reads frames. It trusts no length: its buffer grows only as bytes
// really arrive, and to one frame at most.
type Reader struct {
	r          io.Reader
	buf        []byte
	start, end int
	err        error
}

// NewReader returns a Reader of r. It reads ahead, so r belongs to it.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: r, buf: make([]byte, firstBuffer<<10)}
}

// Next returns the next frame. Its body is valid until the following call.
// The error is io.EOF at a clean end, io.ErrUnexpectedEOF inside a frame, and
// has ErrFrame in its chain when the bytes are not a frame.
func (r *Reader) Next() (Frame, error) {
	if r.err != nil {
		return Frame{}, r.err
	}
	f, err := r.next()
	if err != nil {
		r.err = err
	}
	return f, err
}

func (r *Reader) next() (Frame, error) {
	if err := r.fill(prefix); err != nil {
		return Frame{}, err
	}
	length := binary.BigEndian.Uint32(r.buf[r.start:])
	if length < fixed || length > fixed+MaxBody {
		return Frame{}, fmt.Errorf("%w: length %d is not within %d and %d", ErrFrame, length, fixed, fixed+MaxBody)
	}
	total := prefix + int(length)
	if err := r.fill(total); err != nil {
		return Frame{}, err
	}
	text := r.buf[r.start : r.start+total]
	f := Frame{Kind: Kind(text[prefix]), ID: binary.BigEndian.Uint32(text[prefix+1:]), Body: text[prefix+fixed:]}
	r.start += total
	return f, nil
}

// fill makes sure that n bytes are in the buffer from start on.
func (r *Reader) fill(n int) error {
	for idle := 0; r.end-r.start < n; {
		r.space(n)
		got, err := r.r.Read(r.buf[r.end:])
		if idle++; got != 0 {
			idle = 0
		} else if idle > 100 && err == nil {
			return io.ErrNoProgress
		}
		if got < 0 || got > len(r.buf)-r.end {
			return errors.New("cannot read frame: the stream returned an impossible count")
		}
		r.end += got
		if err == nil || r.end-r.start >= n {
			continue
		}
		if errors.Is(err, io.EOF) {
			if r.end == r.start {
				return io.EOF
			}
			return io.ErrUnexpectedEOF
		}
		return err
	}
	return nil
}

// space makes place for at least one more byte of a frame of n bytes.
func (r *Reader) space(n int) {
	if r.start == r.end {
		r.start, r.end = 0, 0
	}
	if r.end < len(r.buf) && len(r.buf)-r.start >= n {
		return
	}
	if r.start > 0 {
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	}
	if r.end == len(r.buf) {
		bigger := make([]byte, 2*len(r.buf))
		r.end = copy(bigger, r.buf[:r.end])
		r.buf = bigger
	}
}

// AppendOutput appends the body of an output frame without its data.
func AppendOutput(dst []byte, seq uint64, stream uint8) []byte {
	return append(binary.BigEndian.AppendUint64(dst, seq), stream)
}

// ParseOutput takes the body of an output frame apart. data is part of body.
func ParseOutput(body []byte) (seq uint64, stream uint8, data []byte, err error) {
	if len(body) < 9 {
		return 0, 0, nil, fmt.Errorf("%w: output frame of %d bytes", ErrFrame, len(body))
	}
	seq, stream = binary.BigEndian.Uint64(body), body[8]
	if stream != 1 && stream != 2 {
		return 0, 0, nil, fmt.Errorf("%w: output of stream %d", ErrFrame, stream)
	}
	return seq, stream, body[9:], nil
}

// AppendCredit appends the body of a credit frame.
func AppendCredit(dst []byte, units uint32) []byte {
	return binary.BigEndian.AppendUint32(dst, units)
}

// ParseCredit reads the body of a credit frame.
func ParseCredit(body []byte) (units int, err error) {
	if len(body) != 4 {
		return 0, fmt.Errorf("%w: credit frame of %d bytes", ErrFrame, len(body))
	}
	n := binary.BigEndian.Uint32(body)
	if n == 0 || n > MaxInFlight {
		return 0, fmt.Errorf("%w: credit of %d units", ErrFrame, n)
	}
	return int(n), nil
}
