package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// Config says which server to open and what it may do.
type Config struct {
	Name    string
	Spec    *jsondoc.Object // see the package comment
	Dir     string          // folder that relative paths start from
	Secrets tool.SecretSource
	Sandbox Launcher // nil: there are no sandboxes
	// AllowCommands lets a server run on the host.
	AllowCommands bool
	// Log receives lines of what the server says and what becomes of it. It may
	// be nil, and is called from several goroutines.
	Log func(line string)
}

// Server is an MCP server as a provider of tools. It is safe for concurrent use.
type Server struct {
	cfg     Config
	set     *settings
	used    secrets
	changed chan struct{}
	stop    chan struct{}
	turn    chan struct{}  // taken by whoever starts the server
	work    sync.WaitGroup // sessions that are watched, pings

	mu       sync.Mutex
	session  *session
	closed   bool
	failed   error     // of the last start
	failures int       // in a row
	retryAt  time.Time // no start before
	problems []string

	dial func(ctx context.Context, network, address string) (net.Conn, error) // of tests; nil: the network
}

var _ tool.Server = (*Server)(nil)

// Open reads the settings of a server. It is started when it is first needed.
func Open(ctx context.Context, cfg Config) (*Server, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	set, err := readSettings(cfg.Name, cfg.Dir, cfg.Spec)
	if err != nil {
		return nil, err
	}
	switch {
	case set.Sandbox && cfg.Sandbox == nil:
		return nil, fault.New(fault.Unavailable, "Remove sandbox: true to run it on the host.",
			"cannot open the MCP server %s: there is no sandbox to run it in", cfg.Name)
	case len(set.Command) > 0 && !set.Sandbox && !cfg.AllowCommands:
		return nil, fault.Coded(fault.ServerCommandsOff, fault.Data{"server": cfg.Name},
			"cannot open the MCP server %s: commands on the host are not allowed", cfg.Name)
	}
	return &Server{cfg: cfg, set: set, changed: make(chan struct{}, 1), stop: make(chan struct{}), turn: make(chan struct{}, 1)}, nil
}

// Changed receives when the server says that its tools changed.
func (s *Server) Changed() <-chan struct{} { return s.changed }

// Problems returns what is wrong with the tools that the last Tools left out.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// Close ends the server and every call.
func (s *Server) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	if first {
		close(s.stop)
	}
	s.turn <- struct{}{} // whoever starts it has seen that it stopped
	defer func() { <-s.turn }()
	s.mu.Lock()
	ses := s.session
	s.mu.Unlock()
	if ses != nil {
		ses.end()
	}
	s.work.Wait()
	return nil
}

func (s *Server) log(text string) {
	if s.cfg.Log != nil {
		s.cfg.Log("mcp " + s.cfg.Name + ": " + s.used.text(text))
	}
}

// soon is the age below which the end of a server counts as a failure to start.
const soon = 5 * time.Second

// backoff is how long after so many failures the next start waits. One may be
// bad luck.
func backoff(failures int) time.Duration {
	if failures < 2 {
		return 0
	}
	return min(30*time.Second, 125*time.Millisecond<<min(failures, 10))
}

// failure notes that a server did not start, or ended soon.
func (s *Server) failure(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures++
	s.failed, s.retryAt = err, time.Now().Add(backoff(s.failures))
}

// acquire returns a session that works, a new one if need be.
func (s *Server) acquire(ctx context.Context) (*session, error) {
	if ses := s.working(); ses != nil {
		return ses, nil
	}
	ctx, cancel := until(ctx, s.stop)
	defer cancel()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, s.ended(ctx)
	}
	if ses := s.working(); ses != nil {
		return ses, nil
	}
	s.mu.Lock()
	closed, failed, wait := s.closed, s.failed, time.Until(s.retryAt)
	s.mu.Unlock()
	if closed {
		return nil, s.ended(ctx)
	}
	if failed != nil && wait > 0 {
		f := fault.Of(failed)
		f.Remedy = cmp.Or(f.Remedy, "Try again later.")
		return nil, f
	}
	ses, err := s.start(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.failure(err)
		}
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = ses
	return ses, nil
}

func (s *Server) recovered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures, s.failed = 0, nil
}

func (s *Server) working() *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil && s.session.alive() && !s.closed {
		return s.session
	}
	return nil
}

// ended says why a context that also ends with the server did.
func (s *Server) ended(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fault.New(fault.Unavailable, "", "the MCP server %s is closed", s.cfg.Name)
	}
	return ctx.Err()
}

// start makes a session: in the version that most servers know, else in the newer.
func (s *Server) start(ctx context.Context) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	ses, err := s.connect(ctx, legacyVersion)
	if err != nil && ses != nil && ctx.Err() == nil && ses.speaksNewer(err) {
		var newer *session
		var second error
		if newer, second = s.connect(ctx, ""); second == nil {
			ses, err = newer, nil
		}
	}
	if err != nil {
		s.log("cannot start: " + err.Error())
		return nil, err
	}
	s.log("started")
	began := time.Now()
	s.work.Go(func() {
		ses.watch()
		s.log("ended: " + ses.cause.Error())
		if time.Since(began) < soon {
			s.failure(ses.cause)
		} else {
			s.recovered()
		}
	})
	return ses, nil
}

// connect starts the server and greets it. With an error the session is over, and
// not nil if the server was reached.
func (s *Server) connect(ctx context.Context, version string) (*session, error) {
	ses := newSession(&s.used)
	ses.boxed = s.set.Sandbox
	in := &inbound{say: s.log, changed: func() {
		ses.outdated()
		s.note()
	}}
	transport, err := s.transport(ctx, ses, in)
	if err != nil {
		return nil, err
	}
	if ses.edge != nil {
		// The SDK opens a stream of its own, which ctx does not end.
		defer context.AfterFunc(ctx, ses.edge.close)()
	}
	if err := ses.greet(ctx, transport, version); err != nil {
		trouble := ses.trouble("cannot start the MCP server "+s.cfg.Name, err)
		newer := ses.speaksNewer(err)
		ses.end()
		if newer {
			return ses, &refused{trouble, err}
		}
		return ses, trouble
	}
	return ses, nil
}

// refused is the error of a server that was reached and refused the greeting.
type refused struct{ fault, cause error }

func (r *refused) Error() string   { return r.fault.Error() }
func (r *refused) Unwrap() []error { return []error{r.fault, r.cause} }

func (s *Server) transport(ctx context.Context, ses *session, in *inbound) (sdk.Transport, error) {
	if s.set.endpoint != nil {
		ses.edge = newEdge(s.set, s.cfg.Secrets, &s.used, in, ses.fail)
		if s.dial != nil {
			ses.edge.base.DialContext = s.dial
		}
		return &sdk.StreamableClientTransport{
			Endpoint: s.set.endpoint.String(), HTTPClient: ses.edge.client(), MaxRetries: 3, MaxEventSize: 2*maxMessage + 1024,
		}, nil
	}
	p := Program{Argv: s.set.Command, Dir: s.set.Dir, Image: s.set.Image, Packages: s.set.Packages, Env: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(s.set.Env)) {
		value, err := expand(s.set.Env[name], "the variable "+name, s.cfg.Secrets, &s.used)
		if err != nil {
			return nil, err
		}
		if strings.ContainsRune(value, 0) {
			return nil, wrong("", "env: the value of %s has a zero byte", name)
		}
		p.Env[name] = value
	}
	launch := func(context.Context, Program) (Process, error) { return startOnHost(p) }
	if s.set.Sandbox {
		launch = s.cfg.Sandbox.Launch
	}
	proc, err := launch(ctx, p)
	if err != nil {
		return nil, err
	}
	ses.pipe = newPipeConn(proc, in, ses.fail)
	return ses.pipe, nil
}

// note notifies the follower that the tools changed.
func (s *Server) note() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Tools reads what the server provides now. A tool that cannot be used is left
// out, and Problems says why.
func (s *Server) Tools(ctx context.Context) ([]tool.Provided, error) {
	var ses *session
	var all *listed
	for try := 0; all == nil; try++ {
		var err error
		if ses, err = s.acquire(ctx); err != nil {
			return nil, err
		}
		if all, err = ses.list(ctx); err != nil && (try > 0 || ses.alive() || ctx.Err() != nil) {
			return nil, err
		}
	}
	taken := map[string]int{}
	for _, d := range all.tools {
		taken[d.local()]++
	}
	var out []tool.Provided
	var problems []string
	problem := func(what string) {
		if len(problems) < maxProblems {
			problems = append(problems, what)
		}
	}
	for _, what := range all.problems {
		problem(what)
	}
	for _, d := range all.tools {
		local := d.local()
		switch {
		case !s.set.filter.selects(d.original, local):
			continue
		case local == "":
			problem("the tool " + safetext.Quote(d.original) + " is left out: no name can be made of its name")
			continue
		case taken[local] > 1:
			problem("the tool " + safetext.Quote(d.original) + " is left out: another one would also be called " + s.set.Namespace + "." + local + "; deny one of them under tools")
			continue
		}
		doc, note, err := d.document(s.set, s.cfg.Name, ses.serverVersion())
		if err != nil {
			problem("the tool " + safetext.Quote(d.original) + " is left out: " + err.Error())
			continue
		}
		if note != "" {
			problem("the tool " + safetext.Quote(d.original) + ": " + note)
		}
		_, structured := d.output()
		out = append(out, tool.Provided{Document: doc, Implementation: &remote{server: s, original: d.original, hash: d.hash, structured: structured}})
	}
	s.mu.Lock()
	s.problems = problems
	s.mu.Unlock()
	return out, nil
}

// remote executes the calls of one tool.
type remote struct {
	server         *Server
	original, hash string
	structured     bool
}

var _ tool.Implementation = (*remote)(nil)

// Identity names the server and the description that the tool was made from.
func (r *remote) Identity() string {
	set := r.server.set
	where := "command " + safetext.OneLine(strings.Join(set.Command, " "), 200)
	if set.Sandbox {
		where += " in a sandbox"
	}
	if set.endpoint != nil {
		where = safetext.OneLine(set.endpoint.Scheme+"://"+set.endpoint.Host+set.endpoint.Path, 200)
	}
	return "mcp " + r.server.cfg.Name + " (" + where + ") tool " + safetext.OneLine(r.original, 100) + " sha256:" + r.hash
}

// Close does nothing: the server is closed as a whole.
func (r *remote) Close() error { return nil }

// Call calls the tool if it still is what it was made from.
func (r *remote) Call(ctx context.Context, c tool.Invocation) (any, error) {
	name := c.Tool.Name
	arguments := c.Arguments
	if arguments == nil {
		arguments = jsondoc.NewObject()
	}
	encoded, err := arguments.MarshalJSON()
	if err != nil {
		return nil, fault.New(fault.Invalid, "", "cannot call %s: %w", name, err)
	}
	if len(encoded) > maxMessage {
		return nil, fault.New(fault.Exhausted, "Give it less.", "cannot call %s: the arguments have %d bytes, the limit is %d", name, len(encoded), maxMessage)
	}
	for try := 0; ; try++ {
		ses, err := r.server.acquire(ctx)
		if err != nil {
			return nil, r.named(ctx, name, err)
		}
		raw, err := r.once(ctx, ses, c, encoded)
		if errors.Is(err, errSessionOver) && try == 0 {
			continue
		}
		if err != nil {
			if ctx.Err() != nil && ses.alive() {
				r.server.probe(ses)
			}
			return nil, r.named(ctx, name, err)
		}
		v, err := readResult(raw, r.structured, c.Tool.Limits.Bytes, &r.server.used)
		if err != nil {
			return nil, r.named(ctx, name, err)
		}
		return v, nil
	}
}

func (r *remote) once(ctx context.Context, ses *session, c tool.Invocation, arguments json.RawMessage) (string, error) {
	hash, ok, err := ses.known(ctx, r.original)
	switch {
	case err != nil && !ses.alive():
		return "", errSessionOver // the call itself was not sent
	case err != nil:
		return "", err
	case !ok:
		return "", fault.New(fault.Conflict, "Start a new run to work with what the server provides now.", "the server took the tool back under the run")
	case hash != r.hash:
		return "", fault.New(fault.Conflict, "Start a new run to use the new definition.", "the server changed its definition under the run")
	}
	return ses.call(ctx, r.original, c.ID, arguments)
}

// named adds the tool's name to an error.
func (r *remote) named(ctx context.Context, name string, err error) error {
	var f *fault.Error
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fault.New(fault.Unavailable, "Try again, or give the tool a longer timeout.", "cannot call %s: the server did not answer in time: %w", name, context.DeadlineExceeded)
	case ctx.Err() != nil:
		return fault.New(fault.Canceled, "", "cannot call %s: %w", name, context.Cause(ctx))
	case errors.As(err, &f):
		return fmt.Errorf("cannot call %s: %w", name, f)
	case errors.Is(err, errSessionOver):
		return fault.New(fault.Unavailable, "Try again.", "cannot call %s: %w", name, err)
	}
	return &toolError{name, err}
}

// toolError is an error that the tool itself reported.
type toolError struct {
	tool string
	err  error
}

func (f *toolError) Error() string { return f.tool + " failed: " + f.err.Error() }
func (f *toolError) Unwrap() error { return f.err }

// probe looks after a call that ran out of time whether the server hangs.
func (s *Server) probe(ses *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.work.Go(ses.probe)
	}
}
