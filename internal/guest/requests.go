package guest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"praxis/fault"
	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// Host answers the requests of code inside. Its methods are called from goroutines
// of the client's, many at once, and must return when ctx is over, which it is
// when the guest gives up or the stream ends.
type Host interface {
	// Tools answers a JSON text with another. A fault goes to the code that
	// called, with its remedy; any other error is not shown to it.
	Tools(ctx context.Context, body json.RawMessage) (json.RawMessage, error)
	// Connect serves a connection that was accepted inside until it is over.
	// The connection has a method CloseWrite, too. It is closed on return.
	Connect(ctx context.Context, conn io.ReadWriteCloser)
}

const (
	// maxRefused bounds requests whose refusal is still to be written.
	maxRefused = 256
	// maxBodies bounds the texts of long requests together, in bytes.
	maxBodies = 64 << 20
	// maxAnswers bounds the answers that the guest has still to take, in bytes.
	maxAnswers = 256 << 20
	// maxEnding bounds requests that are over, but whose answer the guest has not
	// read. An honest guest has none of them when it sends more.
	maxEnding = 1024
)

// errRestored is the answer to a request of which this client knows nothing.
var errRestored = fault.New(fault.Unavailable, "Find out whether it was done before you call again.",
	"the session was restored while the call was under way: whether it was done is not known")

// errGivenUp is the answer to a request that the guest gave up.
var errGivenUp = fault.New(fault.Canceled, "", "the call was given up")

// guestRequests is what a client knows of the guest's requests. The client's mu guards it.
type guestRequests struct {
	host    Host // nil: nothing is exposed
	exposed wire.Exposure
	last    uint32                   // the greatest id of the epoch
	open    map[uint32]*guestRequest // of the epoch
	named   map[string]*guestRequest // "tools", through epochs
	tools   int
	conns   int
	refused int
	ending  int // over, and still to be answered
	bodies  int
	answers int
}

// guestRequest is one that is served.
type guestRequest struct {
	c      *Client
	name   string // "" of a connection
	cancel context.CancelFunc
	fresh  chan struct{} // has an element when k was replaced

	// The client's mu guards what follows.
	k     *call // nil while the guest has not sent it again
	after int   // bytes of the answer that the guest has
	got   int   // bytes of a long body that came
	long  bool
	stale bool // not sent again in this epoch
}

// Expose lets code inside send requests for what o says, and h answers them. A
// later call takes the place of an earlier one; the zero Exposure takes it back.
func (c *Client) Expose(ctx context.Context, o wire.Exposure, h Host) error {
	const what = "expose tools to guest"
	if err := o.Check(); err != nil {
		return fault.New(fault.Invalid, "", "cannot %s: %w", what, err)
	}
	if (o.Tools || o.Net) && h == nil {
		return fault.New(fault.Invalid, "", "cannot %s: there is nobody to answer", what)
	}
	c.mu.Lock()
	c.requests.host, c.requests.exposed = h, o
	c.mu.Unlock()
	_, err := roundTrip[struct{}](ctx, c, what, wire.OpExpose, o)
	return err
}

// takeRequest handles a frame of a guest request. It is called by the reader, so it never waits.
func (c *Client) takeRequest(f wire.Frame) error {
	if f.Kind == wire.GuestRequestKind {
		return c.openRequest(f)
	}
	c.mu.Lock()
	late := f.ID <= c.requests.last
	t := c.requests.open[f.ID]
	var k *call
	if t != nil {
		k = t.k
		if f.Kind == wire.Data {
			t.got += len(f.Body)
		}
	}
	c.mu.Unlock()
	switch f.Kind {
	case wire.Data, wire.End:
		if k != nil {
			return k.take(f)
		}
	case wire.Credit:
		n, err := wire.ParseCredit(f.Body)
		if err != nil {
			return violation("%v", err)
		}
		if k != nil {
			return k.credited(n)
		}
	case wire.Cancel:
		if t != nil {
			t.cancel()
		}
	default:
		return violation("%s for a guest request", f.Kind)
	}
	if !late {
		return violation("%s for a guest request that was not opened", f.Kind)
	}
	return nil
}

// openRequest begins to serve a guest request, or refuses it.
func (c *Client) openRequest(f wire.Frame) error {
	var a wire.GuestRequest
	if json.Unmarshal(f.Body, &a) != nil {
		return violation("a guest request that cannot be read")
	}
	if err := a.Check(); err != nil {
		return violation("%v", err)
	}
	a.Body = append(json.RawMessage(nil), a.Body...)
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.requests
	if f.ID <= s.last {
		return violation("a guest request with an id that was used")
	}
	s.last = f.ID
	k := newCall(c, f.ID)
	k.ended = !a.Long && a.Op == wire.RequestTools
	if c.err != nil {
		return nil // Close waits for no more than what is there
	}
	if known := s.named[a.Name]; a.Op == wire.RequestTools && known != nil {
		return c.attach(known, k, a)
	}
	var refusal error
	switch {
	case a.Again:
		refusal = errRestored
	case s.host == nil || a.Op == wire.RequestTools && !s.exposed.Tools || a.Op == wire.RequestConnect && !s.exposed.Net:
		refusal = fault.New(fault.Unavailable, "Go on without them.", "the session has no %s", map[string]string{wire.RequestTools: "tools", wire.RequestConnect: "way to the network"}[a.Op])
	case a.Op == wire.RequestTools && s.tools >= wire.MaxTools:
		refusal = fault.New(fault.Exhausted, "Wait for some of them to end.", "%d calls are under way, the limit is %d", s.tools, wire.MaxTools)
	case a.Op == wire.RequestConnect && s.conns >= wire.MaxConnect:
		refusal = fault.New(fault.Exhausted, "Close some of them.", "%d connections are open, the limit is %d", s.conns, wire.MaxConnect)
	}
	if refusal != nil {
		return c.refuse(k, refusal)
	}
	if s.ending >= maxEnding {
		return violation("it sends more and more requests, and does not read the answers")
	}
	c.serve(a, k)
	return nil
}

// refuse answers a request that is not served. The caller holds mu.
func (c *Client) refuse(k *call, why error) error {
	if c.requests.refused >= maxRefused {
		return violation("it sends more and more requests, and does not read that they are refused")
	}
	c.decline(k, why)
	return nil
}

// decline is refuse for what the guest could not have known. The caller holds mu.
func (c *Client) decline(k *call, why error) {
	c.requests.refused++
	c.wg.Go(func() {
		_ = k.write(context.Background(), wire.Failure, failureBody(why)) // a quiet stream forgets the request
		c.mu.Lock()
		c.requests.refused--
		c.mu.Unlock()
	})
}

// attach gives a request that goes on its new number. The caller holds mu.
func (c *Client) attach(t *guestRequest, k *call, a wire.GuestRequest) error {
	if !a.Again || t.k != nil {
		return violation("a guest request under a name that is in use")
	}
	if a.Long != t.long || a.Long && a.Sent != t.got {
		// Some of it was lost: nothing that can be trusted comes of it.
		t.cancel()
		delete(c.requests.named, t.name)
		return c.refuse(k, errRestored)
	}
	t.k, t.after, t.stale = k, a.After, false
	c.requests.open[k.id] = t
	ring(t.fresh)
	return nil
}

// serve starts the goroutine of a request. The caller holds mu.
func (c *Client) serve(a wire.GuestRequest, k *call) {
	ctx, cancel := context.WithCancel(context.Background())
	t := &guestRequest{c: c, cancel: cancel, fresh: make(chan struct{}, 1), k: k, long: a.Long}
	s := &c.requests
	s.open[k.id] = t
	host := s.host
	if a.Op == wire.RequestConnect {
		s.conns++
		c.wg.Go(func() {
			defer cancel()
			t.connect(ctx, host, k)
		})
		return
	}
	t.name = a.Name
	s.named[a.Name] = t
	s.tools++
	c.wg.Go(func() {
		defer cancel()
		t.tools(ctx, host, k, a.Body)
	})
}

// cancelRequests ends what is served, because the stream is over.
func (c *Client) cancelRequests() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.requests.open {
		t.cancel()
	}
	for _, t := range c.requests.named {
		t.cancel()
	}
}

// forgetRequests begins an epoch: connections end, calls wait until the guest
// sends them again, and those that it did not send in a whole epoch end too. The caller
// holds mu.
func (c *Client) forgetRequests() {
	s := &c.requests
	for _, t := range s.open {
		t.k.lose()
		if t.name == "" {
			t.cancel()
		}
	}
	for name, t := range s.named {
		if t.k = nil; t.stale {
			t.cancel()
			delete(s.named, name)
		}
		t.stale = true
	}
	s.open, s.last = map[uint32]*guestRequest{}, 0
}

// tools serves a call of a tool.
func (t *guestRequest) tools(ctx context.Context, host Host, k *call, body json.RawMessage) {
	var answer []byte
	var err error
	if t.long {
		if body, k, err = t.body(ctx, k); k == nil {
			t.free(len(body))
			t.abandon()
			return
		}
	}
	if err == nil {
		answer, err = host.Tools(ctx, body)
	}
	t.free(len(body))
	if err == nil {
		answer, err = t.fits(answer)
	}
	if err != nil {
		t.close(ctx, k, wire.Failure, failureBody(err))
		return
	}
	t.close(ctx, k, wire.Response, answer)
	t.c.mu.Lock()
	t.c.requests.answers -= len(answer)
	t.c.mu.Unlock()
}

// free gives back what the body of a long request took.
func (t *guestRequest) free(n int) {
	if t.long {
		t.c.mu.Lock()
		t.c.requests.bodies -= n
		t.c.mu.Unlock()
	}
}

// fits checks an answer and reserves space for it, until it is sent.
func (t *guestRequest) fits(answer []byte) ([]byte, error) {
	const remedy = "Ask for less: filter, or read it in pages."
	if len(answer) > wire.MaxMessage {
		return nil, fault.New(fault.Exhausted, remedy, "the answer has %d bytes, the limit is %d", len(answer), wire.MaxMessage)
	}
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if t.c.requests.answers+len(answer) > maxAnswers {
		return nil, fault.New(fault.Exhausted, "Make fewer calls at a time.", "answers of more than %d bytes wait to be taken", maxAnswers)
	}
	t.c.requests.answers += len(answer)
	return answer, nil
}

// body reads the body of a long request, through checkpoints. Without a call the
// request is over; with an error it is to be refused.
func (t *guestRequest) body(ctx context.Context, k *call) (json.RawMessage, *call, error) {
	var body []byte
	for {
		f, err := k.next(ctx, "read the request")
		if errors.Is(err, errLost) {
			if k, _ = t.again(ctx, k); k == nil {
				return body, nil, nil
			}
			continue
		}
		if err != nil {
			if t.c.Err() != nil {
				return body, nil, nil
			}
			return body, k, err
		}
		if f.Kind == wire.End {
			if !json.Valid(body) {
				return body, k, fault.New(fault.Invalid, "", "cannot read the request: it is no JSON")
			}
			return body, k, nil
		}
		t.c.mu.Lock()
		over := t.c.requests.bodies+len(f.Body) > maxBodies
		if !over {
			t.c.requests.bodies += len(f.Body)
		}
		t.c.mu.Unlock()
		if over {
			return body, k, fault.New(fault.Exhausted, "Make fewer calls at a time, or pass less.", "arguments of more than %d bytes are under way", maxBodies)
		}
		if body = append(body, f.Body...); len(body) > wire.MaxArguments {
			return body, k, fault.New(fault.Exhausted, "Pass less, or a file's name.", "the arguments have more than %d bytes", wire.MaxArguments)
		}
	}
}

// again waits until the guest sends it again after it lost k. It returns nil when
// it gave up.
func (t *guestRequest) again(ctx context.Context, k *call) (*call, int) {
	for {
		t.c.mu.Lock()
		now, after := t.k, t.after
		t.c.mu.Unlock()
		if now != nil && now != k {
			return now, after
		}
		select {
		case <-t.fresh:
		case <-ctx.Done():
			return nil, 0
		}
	}
}

// abandon forgets a request that nobody waits for.
func (t *guestRequest) abandon() {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	t.forget(nil)
	t.c.requests.tools--
}

// forget takes a request out of the tables. answered is the call that was answered
// last; the guest may just have sent it again, and gets an end of that, too. The
// caller holds mu.
func (t *guestRequest) forget(answered *call) {
	s := &t.c.requests
	if s.named[t.name] == t {
		delete(s.named, t.name)
	}
	if t.k == nil || s.open[t.k.id] != t {
		return
	}
	delete(s.open, t.k.id)
	if t.k != answered && t.c.err == nil {
		t.c.decline(t.k, errGivenUp)
	}
}

// close answers a call of a tool, in the epoch in which the guest reads it.
func (t *guestRequest) close(ctx context.Context, k *call, kind wire.Kind, answer []byte) {
	c := t.c
	var after int
	c.mu.Lock()
	c.requests.tools-- // before the guest knows of it, and sends more
	c.requests.ending++
	if t.k != nil {
		k, after = t.k, t.after
	}
	c.mu.Unlock()
	for {
		err := t.say(ctx, k, kind, answer, after)
		if !errors.Is(err, errLost) && !errors.Is(err, errQuiet) {
			break
		}
		if k, after = t.again(ctx, k); k == nil {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests.ending--
	t.forget(k)
}

// say writes what is left of an answer. What was given up is answered too,
// without the parts: the guest waits for the end of it.
func (t *guestRequest) say(ctx context.Context, k *call, kind wire.Kind, answer []byte, after int) error {
	if after > len(answer) || after > 0 && kind == wire.Failure {
		after = 0 // of an answer that is no more, or never was
	}
	rest := answer[after:]
	for len(rest) > wire.MaxBody {
		if err := k.sendAs(ctx, "answer guest", wire.Part, rest[:wire.Chunk]); err != nil {
			if ctx.Err() != nil && t.c.Err() == nil {
				kind, rest = wire.Failure, failureBody(errGivenUp)
				break
			}
			return err
		}
		rest = rest[wire.Chunk:]
	}
	return k.write(context.Background(), kind, rest)
}

// failureBody is what a failure frame says of an error.
func failureBody(err error) []byte {
	w := wire.Fault{Kind: fault.Internal.String(), Message: "the host could not do it"}
	var f *fault.Error
	if errors.As(err, &f) {
		w = wire.Fault{Kind: f.Kind.String(), Message: safetext.Clip(f.Message, wire.MaxText), Remedy: safetext.Clip(f.Remedy, wire.MaxText)}
	} else if errors.Is(err, context.Canceled) {
		w = wire.Fault{Kind: fault.Canceled.String(), Message: "the call was given up"}
	}
	body, _ := json.Marshal(w) // strings can be marshaled
	return body
}

// connect serves a connection.
func (t *guestRequest) connect(ctx context.Context, host Host, k *call) {
	const what = "use connection of guest"
	conn := &conn{
		next:   func() (wire.Frame, error) { return k.next(ctx, what) },
		send:   func(b []byte) error { return k.sendAs(ctx, what, wire.Data, b) },
		end:    func() error { return k.write(ctx, wire.End) },
		cancel: t.cancel,
	}
	host.Connect(ctx, conn)
	_ = conn.Close()
	c := t.c
	c.mu.Lock()
	c.requests.conns--
	c.requests.ending++
	if c.requests.open[k.id] == t {
		delete(c.requests.open, k.id)
	}
	c.mu.Unlock()
	_ = k.write(context.Background(), wire.Response, []byte("{}")) // a quiet stream forgets the request
	c.mu.Lock()
	c.requests.ending--
	c.mu.Unlock()
}

// conn is a connection that was accepted inside. Its functions end with it.
type conn struct {
	next   func() (wire.Frame, error)
	send   func([]byte) error
	end    func() error
	cancel context.CancelFunc

	reading sync.Mutex
	rest    []byte
	over    error // why there is no more to read

	writing sync.Mutex
	shut    bool // our end was sent
}

// Read reads what the guest sent.
func (c *conn) Read(p []byte) (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	for len(c.rest) == 0 && len(p) > 0 {
		if c.over != nil {
			return 0, c.over
		}
		f, err := c.next()
		switch {
		case err != nil:
			c.over = err
		case f.Kind == wire.End:
			c.over = io.EOF
		default:
			c.rest = f.Body
		}
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// Write sends to the guest.
func (c *conn) Write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.shut {
		return 0, io.ErrClosedPipe
	}
	n := 0
	for n < len(p) {
		b := p[n:min(n+wire.Chunk, len(p))]
		if err := c.send(b); err != nil {
			return n, err
		}
		n += len(b)
	}
	return n, nil
}

// CloseWrite tells the guest that nothing more will be sent.
func (c *conn) CloseWrite() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.shut {
		return nil
	}
	c.shut = true
	return c.end()
}

// Close ends the connection both ways, and calls that wait on it.
func (c *conn) Close() error {
	c.cancel()
	return nil
}
