package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/fault"
	"praxis/internal/safetext"
)

const (
	// legacyVersion is requested first: nearly every server knows it, while some
	// hang on requests of later versions.
	legacyVersion = "2025-11-25"
	// startTimeout bounds the start of a server: it may have to be fetched first.
	startTimeout = 60 * time.Second
	// listTimeout bounds the reading of the list of tools.
	listTimeout = 30 * time.Second
	// pingTimeout is how long a server may be silent after a call that ran out of
	// time before it counts as hung.
	pingTimeout = 5 * time.Second
	// closeTimeout bounds the end of a session over HTTP.
	closeTimeout = 6 * time.Second
	// fresh is how long a list of tools is believed.
	fresh = time.Minute

	maxTools     = 5_000
	maxPages     = 1_000
	maxListBytes = 32 << 20
)

// session is one connection to a server, from start to end.
type session struct {
	client *sdk.ClientSession
	pipe   *pipeConn // nil over HTTP
	edge   *edge     // nil over standard input and output
	used   *secrets
	boxed  bool // the server runs in a sandbox

	gone  chan struct{} // the connection is broken or over
	once  sync.Once
	cause error // why, to be read when gone is closed
	ended sync.Once
	shut  chan struct{} // closed when all of it has ended

	listing chan struct{} // taken while the list is read

	mu      sync.Mutex
	current map[string]string // hashes by the server's names
	readAt  time.Time         // zero: the list is to be read
}

func newSession(used *secrets) *session {
	return &session{used: used, gone: make(chan struct{}), shut: make(chan struct{}), listing: make(chan struct{}, 1)}
}

// fail notes why a session is over; the first reason counts.
func (s *session) fail(err error) {
	s.once.Do(func() {
		s.cause = err
		close(s.gone)
	})
}

func (s *session) alive() bool {
	select {
	case <-s.gone:
		return false
	default:
		return true
	}
}

// outdated says that the list is to be read before the next call.
func (s *session) outdated() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readAt = time.Time{}
}

// greet makes the session over a transport.
func (s *session) greet(ctx context.Context, t sdk.Transport, version string) error {
	client := sdk.NewClient(&sdk.Implementation{Name: "praxis", Version: "1"}, &sdk.ClientOptions{
		Capabilities:   &sdk.ClientCapabilities{},
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
		// The messages about changes are read before the SDK sees them. The handler is
		// there because without one the SDK does not ask the server to send them.
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {},
	})
	cs, err := client.Connect(ctx, t, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return err
	}
	s.client = cs
	return nil
}

// watch ends the session when it breaks.
func (s *session) watch() {
	var waits sync.WaitGroup
	waits.Go(func() {
		err := s.client.Wait()
		if err == nil {
			err = errors.New("the connection ended")
		}
		s.fail(fault.New(fault.Unavailable, "", "the connection broke: %w", err))
	})
	<-s.gone
	s.end()
	waits.Wait()
}

// end closes the connection and kills the process, if there is one. It waits until
// that is done, whoever began it.
func (s *session) end() {
	s.fail(fault.New(fault.Unavailable, "", "the server was closed"))
	s.ended.Do(func() {
		go func() {
			defer close(s.shut)
			s.close()
		}()
	})
	<-s.shut
}

// close is what end does once.
func (s *session) close() {
	if s.pipe != nil {
		_ = s.pipe.Close()
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		if s.client != nil {
			_ = s.client.Close()
		}
	}()
	timer := time.NewTimer(closeTimeout)
	defer timer.Stop()
	select {
	case <-over:
	case <-timer.C:
	}
	if s.edge != nil {
		s.edge.close()
	}
	<-over
}

// trouble is an error of the connection in words, with the end of what the server
// printed.
func (s *session) trouble(what string, err error) error {
	if !s.alive() {
		err = s.cause
	}
	var first *fault.Error
	if errors.As(err, &first) && first.Kind != fault.Unavailable {
		f := *first
		f.Message, f.Err = what+": "+s.used.text(f.Message)+s.printed(), nil
		return &f
	}
	remedy := fault.RemedyOf(err)
	switch {
	case remedy != "":
	case s.pipe != nil && !s.alive() && (s.client == nil || s.client.InitializeResult() == nil):
		remedy = "See that its command runs, and that it speaks MCP over standard input and output."
		if s.boxed {
			remedy = "See that its command runs in a sandbox, which has no network and only a copy of the server's folder: npx and uvx can fetch nothing there."
		}
	default:
		remedy = "Try again later."
	}
	// Which message was being sent says less than why it did not arrive.
	var unsent *url.Error
	if errors.As(err, &unsent) {
		err = unsent.Err
	}
	return fault.New(fault.Unavailable, remedy, "%s: %s%s", what, s.used.text(safetext.OneLine(err.Error(), 500)), s.printed())
}

func (s *session) printed() string {
	if s.pipe == nil {
		return ""
	}
	text := s.used.text(s.pipe.errs.String())
	if text == "" {
		return ""
	}
	const last = 600
	return "; it printed: " + safetext.OneLine(text[max(0, len(text)-last):], last)
}

// serverVersion is what the server says of itself.
func (s *session) serverVersion() string {
	if r := s.client.InitializeResult(); r != nil && r.ServerInfo != nil {
		return r.ServerInfo.Version
	}
	return ""
}

// listed is what a server listed at one time.
type listed struct {
	tools    []*described
	problems []string
}

// list reads the whole list of tools.
func (s *session) list(ctx context.Context) (*listed, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	ctx, stop := until(ctx, s.gone)
	defer stop()
	select {
	case s.listing <- struct{}{}:
		defer func() { <-s.listing }()
	case <-ctx.Done():
		return nil, s.trouble("cannot read the server's tools", ctx.Err())
	}
	started := time.Now()
	s.mu.Lock()
	s.readAt = started // before it is read: a change from now on counts
	s.mu.Unlock()
	out, err := s.pages(ctx)
	if err != nil {
		s.broken(err)
		s.outdated()
		return nil, s.trouble("cannot read the server's tools", err)
	}
	current := make(map[string]string, len(out.tools))
	for _, d := range out.tools {
		current[d.original] = d.hash
	}
	s.mu.Lock()
	s.current = current
	s.mu.Unlock()
	return out, nil
}

func (s *session) pages(ctx context.Context) (*listed, error) {
	out := &listed{}
	seen := map[string]bool{}
	names := map[string]bool{}
	cursor, size := "", 0
	for page := 0; ; page++ {
		res, err := s.client.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		raw, _ := res.Meta[rawKey].(string)
		var part struct {
			Tools []json.RawMessage `json:"tools"`
			Next  string            `json:"nextCursor"`
		}
		if err := json.Unmarshal([]byte(raw), &part); err != nil {
			return nil, fmt.Errorf("the list is none: %w", err)
		}
		size += len(raw)
		for _, tool := range part.Tools {
			if len(out.tools) >= maxTools || size > maxListBytes {
				out.problems = append(out.problems, fmt.Sprintf("the server lists more than %d tools or %d MiB: the others are left out", maxTools, maxListBytes>>20))
				return out, nil
			}
			out.add(tool, names)
		}
		if part.Next == "" {
			return out, nil
		}
		if seen[part.Next] || page >= maxPages {
			// What else is wrong with such a list follows from it.
			out.problems = []string{"the server's list does not end: what follows its page " + fmt.Sprint(page+1) + " is left out"}
			return out, nil
		}
		seen[part.Next] = true
		cursor = part.Next
	}
}

// maxProblems is how many problems of one list are stored.
const maxProblems = 100

func (l *listed) add(raw json.RawMessage, names map[string]bool) {
	d, err := describe(raw)
	switch {
	case err != nil:
		var named struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal(raw, &named)
		l.problem("the tool %q is left out: %v", safetext.OneLine(named.Name, 60), err)
	case names[d.original]:
		l.problem("the tool %q is listed twice: the first counts", safetext.OneLine(d.original, 60))
	default:
		names[d.original] = true
		l.tools = append(l.tools, d)
	}
}

func (l *listed) problem(format string, args ...any) {
	if len(l.problems) < maxProblems {
		l.problems = append(l.problems, fmt.Sprintf(format, args...))
	}
}

// known returns the hash of a tool's description now.
func (s *session) known(ctx context.Context, original string) (hash string, ok bool, err error) {
	s.mu.Lock()
	old := s.readAt.IsZero() || time.Since(s.readAt) > fresh || s.current == nil
	s.mu.Unlock()
	if old {
		if _, err := s.list(ctx); err != nil {
			return "", false, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	hash, ok = s.current[original]
	return hash, ok, nil
}

// errSessionOver says that the server had forgotten the session before the call:
// nothing was done.
var errSessionOver = errors.New("the server forgot the session")

// broken notes that the session was over before something was sent, and reports
// whether it was.
func (s *session) broken(err error) bool {
	over := errors.Is(err, sdk.ErrSessionMissing) || errors.Is(err, sdk.ErrConnectionClosed)
	if over {
		s.fail(fault.New(fault.Unavailable, "", "the session is over: %w", err))
	}
	return over
}

// codeRejected is the code of an error that the SDK itself makes when a message
// could not be sent.
const codeRejected = -32005

// answerOf is the error that a server answered with, nil if it is another.
func answerOf(err error) *jsonrpc.Error {
	var answered *jsonrpc.Error
	if errors.As(err, &answered) && answered.Code != codeRejected {
		return answered
	}
	return nil
}

// call calls a tool and returns the result as it was sent.
func (s *session) call(ctx context.Context, original, id string, arguments json.RawMessage) (string, error) {
	within, stop := until(ctx, s.gone)
	defer stop()
	params := &sdk.CallToolParams{Name: original, Arguments: arguments}
	params.SetProgressToken(id)
	res, err := s.client.CallTool(within, params)
	answered := answerOf(err)
	switch {
	case err == nil:
		raw, ok := res.Meta[rawKey].(string)
		if !ok {
			return "", errors.New("the server's answer is no result of a call")
		}
		return raw, nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case s.broken(err):
		return "", errSessionOver
	case answered != nil:
		message := s.used.text(safetext.OneLine(answered.Message, maxErrorText))
		if answered.Code == jsonrpc.CodeInvalidParams {
			return "", fault.New(fault.Invalid, "Call it with arguments that the tool takes.", "the server refuses the arguments: %s", message)
		}
		return "", fmt.Errorf("the server answered with error %d: %s", answered.Code, message)
	}
	trouble := s.trouble("the server did not answer", err)
	// Whoever waits for the connection's end may learn of it later: the next call
	// must not find it still there.
	s.fail(fault.New(fault.Unavailable, "", "the connection broke: %w", err))
	return "", trouble
}

// probe finds out whether a process still answers, and kills it if not. A server
// over HTTP that hangs is nothing of ours to end.
func (s *session) probe() {
	if s.pipe == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), pingTimeout)
	defer cancel()
	ctx, stop := until(ctx, s.gone)
	defer stop()
	err := s.client.Ping(ctx, nil)
	if err == nil || answerOf(err) != nil || !s.alive() {
		return
	}
	s.fail(fault.New(fault.Unavailable, "", "the server hung"))
	s.pipe.kill()
}

// speaksNewer reports whether a server that refused the version that most know may
// know the newer one, in which there is no greeting.
func (s *session) speaksNewer(err error) bool {
	if answerOf(err) != nil {
		return true
	}
	if s.edge == nil {
		return false
	}
	status := s.edge.status.Load()
	return status == http.StatusBadRequest || status == http.StatusNotFound || status == http.StatusMethodNotAllowed
}
