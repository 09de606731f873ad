package envd

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/server/e2b/target"
	"praxis/internal/server/observe"
	"praxis/internal/server/rest"
)

// code is an error code of the Connect protocol (https://connectrpc.com/docs/protocol).
type code string

// The codes that the daemon answers with.
const (
	codeCanceled     code = "canceled"
	codeInvalid      code = "invalid_argument"
	codeDeadline     code = "deadline_exceeded"
	codeNotFound     code = "not_found"
	codeExists       code = "already_exists"
	codeDenied       code = "permission_denied"
	codeExhausted    code = "resource_exhausted"
	codePrecondition code = "failed_precondition"
	codeUnsupported  code = "unimplemented"
	codeInternal     code = "internal"
	codeUnavailable  code = "unavailable"
	codeDataLoss     code = "data_loss"
	codeUnknownUser  code = "unauthenticated"
)

// rpcError is an error as clients get it.
type rpcError struct {
	Code    code   `json:"code"`
	Message string `json:"message,omitempty"`
}

// Error returns the message.
func (e *rpcError) Error() string { return e.Message }

// errorOf describes an error to a client. What we broke is not described: it may name what
// belongs to others.
func errorOf(err error) *rpcError {
	if e := (*rpcError)(nil); errors.As(err, &e) {
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &rpcError{codeDeadline, "the time of the request is over"}
	}
	if errors.Is(err, context.Canceled) { // the sandbox is over, the server stops, or nobody reads it
		err = target.ErrOver
	}
	f := fault.Of(err)
	out := &rpcError{Message: f.Message}
	switch f.Kind {
	case fault.Invalid:
		out.Code = codeInvalid
	case fault.NotFound:
		out.Code = codeNotFound
	case fault.Conflict:
		out.Code = codePrecondition
	case fault.Denied:
		out.Code = codeDenied
	case fault.Exhausted:
		out.Code = codeExhausted
	case fault.Canceled:
		out.Code = codeCanceled
	case fault.Unavailable:
		out.Code = codeUnavailable
	default:
		return &rpcError{codeInternal, "the server failed; its log says more"}
	}
	if f.Remedy != "" {
		out.Message += ". " + f.Remedy
	}
	return out
}

// statusOf is the status of HTTP of a unary call that fails.
func statusOf(c code) int {
	switch c {
	case codeInvalid, codePrecondition:
		return http.StatusBadRequest
	case codeNotFound:
		return http.StatusNotFound
	case codeExists:
		return http.StatusConflict
	case codeDenied:
		return http.StatusForbidden
	case codeUnknownUser:
		return http.StatusUnauthorized
	case codeExhausted:
		return http.StatusTooManyRequests
	case codeUnsupported:
		return http.StatusNotImplemented
	case codeUnavailable:
		return http.StatusServiceUnavailable
	case codeDeadline:
		return http.StatusGatewayTimeout
	case codeCanceled:
		return 499
	}
	return http.StatusInternalServerError
}

// Bounds of messages.
const (
	maxMessage  = 8 << 20
	maxTimeout  = 365 * 24 * time.Hour
	flagPacked  = 1
	flagEnd     = 2
	headerBytes = 5
)

// readEnvelope reads one message of a stream. io.EOF says that there is none.
func readEnvelope(r io.Reader, bodies *rest.Bodies) (flags byte, message []byte, err error) {
	var header [headerBytes]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = &rpcError{codeInvalid, "the stream ends within the header of a message"}
		}
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(header[1:])
	if size > maxMessage {
		return 0, nil, &rpcError{codeExhausted, "a message has more than " + safetext.Size(maxMessage)}
	}
	// The length is a claim: memory is taken as bytes come.
	message, free, err := bodies.Read(io.LimitReader(r, int64(size)))
	free()
	if err == nil && len(message) < int(size) {
		err = &rpcError{codeInvalid, "the stream ends within a message"}
	}
	if err == nil && header[0]&flagPacked != 0 {
		err = &rpcError{codeUnsupported, "messages cannot be compressed here"}
	}
	return header[0], message, err
}

// envelope writes one message of a stream.
func envelope(flags byte, message []byte) []byte {
	out := make([]byte, headerBytes, headerBytes+len(message))
	out[0] = flags
	binary.BigEndian.PutUint32(out[1:], uint32(len(message)))
	return append(out, message...)
}

// decode reads a message. Fields that are not known have no meaning: newer clients send more.
func decode(data []byte, into any) error {
	if len(data) == 0 {
		return nil
	}
	if err := json.Unmarshal(data, into); err != nil {
		return &rpcError{codeInvalid, "the message cannot be read: " + safetext.Clip(safetext.Line(err.Error()), 200)}
	}
	return nil
}

// timeoutOf reads how long a call may take; 0: as long as it does.
func timeoutOf(h http.Header) (time.Duration, error) {
	text := h.Get("Connect-Timeout-Ms")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > maxTimeout.Milliseconds() {
		return 0, &rpcError{codeInvalid, "Connect-Timeout-Ms is no such time"}
	}
	return time.Duration(n) * time.Millisecond, nil
}

// usable refuses a call in another encoding than JSON. packed says how bodies are compressed.
func usable(r *http.Request, mimeType, packed string) (int, error) {
	if got, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || got != mimeType {
		return http.StatusUnsupportedMediaType, &rpcError{codeUnsupported, "send " + mimeType}
	}
	if enc := r.Header.Get(packed); enc != "" && enc != "identity" {
		return http.StatusUnsupportedMediaType, &rpcError{codeUnsupported, "bodies cannot be compressed here"}
	}
	return 0, nil
}

// call is what a method receives beside its message.
type call struct {
	*target.Sandbox
	user    string // that the client named; "": the usual one
	timeout time.Duration
	receive func(into any) error // the next message of a stream of the client; io.EOF: there is none
	send    func(v any) error    // of a stream
}

// method is a method of a service.
type method struct {
	name   string
	writes bool
	stream bool // it answers with messages of call.send
	client bool // its messages come by call.receive
	do     func(ctx context.Context, c *call, message []byte) (any, error)
}

// unary makes a method that takes one message and answers with one.
func unary[In, Out any](name string, writes bool, do func(ctx context.Context, c *call, in In) (Out, error)) method {
	return method{name: name, writes: writes, do: func(ctx context.Context, c *call, message []byte) (any, error) {
		var in In
		if err := decode(message, &in); err != nil {
			return nil, err
		}
		return do(ctx, c, in)
	}}
}

// streaming makes a method that takes one message and answers with a stream.
func streaming[In any](name string, writes bool, do func(ctx context.Context, c *call, in In) error) method {
	return method{name: name, writes: writes, stream: true, do: func(ctx context.Context, c *call, message []byte) (any, error) {
		var in In
		if err := decode(message, &in); err != nil {
			return nil, err
		}
		return nil, do(ctx, c, in)
	}}
}

// serveMethod answers a call of a method.
func (d *Daemon) serveMethod(w http.ResponseWriter, r *http.Request, m method) {
	c, err := d.open(r, m.name, m.writes)
	if m.stream || m.client {
		d.serveStream(w, r, m, c, err)
		return
	}
	seen := observe.From(r.Context())
	status := 0
	var out any
	if err == nil {
		status, err = usable(r, "application/json", "Content-Encoding")
	}
	if err == nil {
		c.timeout, err = timeoutOf(r.Header)
	}
	if err == nil {
		ctx := r.Context()
		if c.timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, c.timeout)
			defer cancel()
		}
		data, free, wrong := c.Bodies.Read(http.MaxBytesReader(w, r.Body, maxMessage))
		free()
		switch {
		case wrong == nil:
			out, err = m.do(ctx, c, data)
		case errors.As(wrong, new(*fault.Error)):
			err = wrong
		default:
			err = &rpcError{codeExhausted, "the message cannot be read, or has more than " + safetext.Size(maxMessage)}
		}
	}
	seen.Failed(seenError(err))
	if err != nil {
		e := errorOf(err)
		if status == 0 {
			status = statusOf(e.Code)
		}
		_ = rest.WriteJSON(w, status, "application/json", e) // an error can always be written
		return
	}
	if err := rest.WriteJSON(w, http.StatusOK, "application/json", out); err != nil {
		seen.Failed(err)
	}
}

// seenError is an error as the log knows it. That a client went away is its own affair.
func seenError(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	e := (*rpcError)(nil)
	if !errors.As(err, &e) {
		return err
	}
	kinds := map[code]fault.Kind{
		codeNotFound: fault.NotFound, codeDenied: fault.Denied, codeUnknownUser: fault.Denied, codeExhausted: fault.Exhausted, codeExists: fault.Conflict, codePrecondition: fault.Conflict,
		codeUnavailable: fault.Unavailable, codeCanceled: fault.Canceled, codeDeadline: fault.Canceled, codeDataLoss: fault.Exhausted,
	}
	kind := kinds[e.Code]
	if kind == 0 {
		kind = fault.Invalid
	}
	return fault.New(kind, "", "%s", e.Message)
}

// serveStream answers a call of a method that has a stream. What fails is its last message.
func (d *Daemon) serveStream(w http.ResponseWriter, r *http.Request, m method, c *call, err error) {
	const stream = "application/connect+json"
	if status, wrong := usable(r, stream, "Connect-Content-Encoding"); wrong != nil && err == nil {
		_ = rest.WriteJSON(w, status, "application/json", errorOf(wrong))
		return
	}
	w.Header().Set("Content-Type", stream)
	w.Header().Set("X-Accel-Buffering", "no") // a proxy that collects would hold messages back
	control := http.NewResponseController(w)
	send := func(flags byte, v any) error {
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		rest.Deadline(w)
		if _, err := w.Write(envelope(flags, data)); err != nil {
			return err
		}
		return control.Flush()
	}
	var message []byte
	if err == nil {
		c.timeout, err = timeoutOf(r.Header)
	}
	if err == nil && !m.client {
		if _, message, err = readEnvelope(r.Body, c.Bodies); errors.Is(err, io.EOF) {
			err = &rpcError{codeInvalid, "there is no message"}
		}
	}
	if err == nil && !m.client {
		_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, headerBytes)) // what is left of a body hides that a client goes away
	}
	var out any
	if err == nil {
		c.send = func(v any) error { return send(0, v) }
		c.receive = func(into any) error {
			flags, message, err := readEnvelope(r.Body, c.Bodies)
			if err == nil && flags&flagEnd != 0 {
				err = io.EOF
			}
			if err != nil {
				return err
			}
			return decode(message, into)
		}
		out, err = m.do(r.Context(), c, message)
	}
	observe.From(r.Context()).Failed(seenError(err))
	if err == nil && out != nil {
		err = send(0, out)
	}
	end := struct {
		Error *rpcError `json:"error,omitempty"`
	}{}
	if err != nil {
		end.Error = errorOf(err)
	}
	_ = send(flagEnd, end) // that the client is gone is its own affair
}

// bytesOf are bytes as JSON of Protocol Buffers has them: base64 in either alphabet, padded or not.
type bytesOf []byte

// UnmarshalJSON reads bytes.
func (b *bytesOf) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	raw := []byte(text)
	for i, c := range raw {
		switch c {
		case '-':
			raw[i] = '+'
		case '_':
			raw[i] = '/'
		}
	}
	for len(raw) > 0 && raw[len(raw)-1] == '=' {
		raw = raw[:len(raw)-1]
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(raw)))
	n, err := base64.RawStdEncoding.Decode(out, raw)
	*b = out[:n]
	return err
}

// number is a whole number as JSON of Protocol Buffers has it: a number, or one in quotes.
type number int64

// UnmarshalJSON reads a number.
func (n *number) UnmarshalJSON(data []byte) error {
	if len(data) > 1 && data[0] == '"' {
		data = data[1 : len(data)-1]
	}
	v, err := strconv.ParseInt(string(data), 10, 64)
	if err != nil {
		f, wrong := strconv.ParseFloat(string(data), 64) // 1e3 and 1.0 are whole, too
		if wrong != nil || f != float64(int64(f)) || f > 1<<53 || f < -(1<<53) {
			return errors.New("it is no whole number")
		}
		v = int64(f)
	}
	*n = number(v)
	return nil
}
