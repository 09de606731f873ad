package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"praxis/internal/guest/wire"
	"praxis/internal/safetext"
)

// Bounds on what the host may have open at once.
const (
	maxRequests  = 256
	maxContexts  = 16
	maxProcesses = 64
)

// server is the agent: it owns everything that runs in the session.
type server struct {
	link   *link
	toHost *guestRequests
	reaper *reaper
	guard  *guard
	wg     sync.WaitGroup // goroutines of requests, kernels and processes

	changes   changes // what executions did to files
	layers    layers  // what programs that make an image did to the root file system
	seeds     seeder
	fileSlots chan struct{} // bounds file ops
	exposing  sync.Mutex    // locked to change what is exposed; before mu

	mu       sync.Mutex
	cfg      config
	requests map[uint32]*request
	kernels  map[string]*kernel
	execs    map[string]*execution
	finished []finishedExec // the oldest first
	procs    map[string]*process
	ended    []string // names of processes that are over, the oldest first
	counter  int      // executions so far; names the files of their output
	watchers int
	closing  bool
	tools    *toolSocket // nil before tools are exposed
	proxy    *proxy      // nil before a way to the network is exposed
}

func newServer(out io.Writer) *server {
	s := &server{
		link:     &link{w: out},
		reaper:   newReaper(),
		requests: map[uint32]*request{},
		kernels:  map[string]*kernel{},
		execs:    map[string]*execution{},
		procs:    map[string]*process{},

		fileSlots: make(chan struct{}, maxFiles),
	}
	s.guard = newGuard(s)
	s.toHost = newGuestRequests(s.link)
	return s
}

// serve reads the host's frames until the stream ends.
func (s *server) serve(in io.Reader) error {
	r := wire.NewReader(in)
	var epoch uint64
	for {
		f, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch f.Kind {
		case wire.HelloKind:
			if e, ok := s.hello(f.Body); ok {
				epoch = e
			}
		case wire.Request:
			if epoch != 0 && f.ID != 0 && f.ID&wire.GuestBit == 0 {
				s.request(epoch, f.ID, f.Body)
			}
		case wire.Response, wire.Failure, wire.Part:
			s.toHost.take(f)
		case wire.Data, wire.End, wire.Credit, wire.Cancel:
			if f.ID&wire.GuestBit != 0 {
				s.toHost.take(f)
				continue
			}
			s.mu.Lock()
			req := s.requests[f.ID]
			s.mu.Unlock()
			if req != nil {
				s.flow(req, f)
			}
		}
	}
}

func (s *server) flow(req *request, f wire.Frame) {
	switch f.Kind {
	case wire.Data:
		req.take(f.Body)
	case wire.End:
		req.takeEnd()
	case wire.Cancel:
		req.end(errCanceled)
	case wire.Credit:
		if n, err := wire.ParseCredit(f.Body); err == nil {
			req.credit(n)
		}
	}
}

// hello starts an epoch: older requests are forgotten, generators reseeded.
func (s *server) hello(body []byte) (uint64, bool) {
	var h wire.Hello
	if json.Unmarshal(body, &h) != nil || h.Version != wire.Version || h.Epoch == 0 {
		return 0, false
	}
	s.mu.Lock()
	old := s.requests
	s.requests = map[uint32]*request{}
	kernels := s.allKernels()
	s.mu.Unlock()
	for _, r := range old {
		r.end(errForgot)
	}
	s.seeds.again()
	if h.Reseed != "" {
		for _, k := range kernels {
			k.reseed(h.Reseed)
		}
	}
	var open []opened
	s.link.open(h, func() { open = s.toHost.forget() })
	for _, o := range open {
		o.r.end(errForgot)
	}
	s.toHost.again()
	return h.Epoch, true
}

func (s *server) allKernels() []*kernel {
	all := make([]*kernel, 0, len(s.kernels))
	for _, k := range s.kernels {
		all = append(all, k)
	}
	return all
}

// request opens a request and starts to serve it. Ops that only touch memory
// are served here, on the stream's own goroutine, which spares a wakeup.
func (s *server) request(epoch uint64, id uint32, body []byte) {
	req := newRequest(s.link, id, epoch, s.forget)
	s.mu.Lock()
	_, twice := s.requests[id]
	full := len(s.requests) >= maxRequests
	if !twice && !full {
		s.requests[id] = req
	}
	s.mu.Unlock()
	if twice {
		return
	}
	if full {
		req.fail(failf("exhausted", "Wait for other requests to end.", "cannot serve request: %d are open, the limit is %d", maxRequests, maxRequests))
		return
	}
	op, err := opOf(body)
	if err != nil {
		req.fail(failf("invalid", "", "cannot read request: %v", err))
		return
	}
	h, ok := handlers[op]
	if !ok {
		req.fail(failf("invalid", "", "cannot serve request: no op is called %q", safetext.Clip(op, 32)))
		return
	}
	if h.inline {
		s.run(h, req, body)
		return
	}
	body = append([]byte(nil), body...)
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		s.run(h, req, body)
	}()
}

// opOf finds the op of a request. Ours come with the op first, which spares
// reading the whole text twice.
func opOf(body []byte) (string, error) {
	if rest, ok := bytes.CutPrefix(body, []byte(`{"op":"`)); ok {
		if i := bytes.IndexByte(rest, '"'); i > 0 && i < 32 && bytes.IndexByte(rest[:i], '\\') < 0 {
			return string(rest[:i]), nil
		}
	}
	var op wire.Op
	err := json.Unmarshal(body, &op)
	return op.Op, err
}

func (s *server) run(h handler, req *request, body []byte) {
	if err := h.serve(s, req, body); err != nil {
		req.fail(err)
	}
}

func (s *server) forget(r *request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests[r.id] == r {
		delete(s.requests, r.id)
	}
}

// handler serves an op. A nil error means that the request is closed or
// belongs to somebody who will close it.
type handler struct {
	inline bool
	serve  func(s *server, req *request, body []byte) error
}

// handlers is the table of all ops.
var handlers = map[string]handler{
	wire.OpPing:      {true, func(_ *server, r *request, _ []byte) error { r.reply(struct{}{}); return nil }},
	wire.OpQuiesce:   {true, (*server).quiesce},
	wire.OpSetup:     {false, reply((*server).setup)},
	wire.OpExecute:   {true, follow((*server).execute)},
	wire.OpAttach:    {true, follow((*server).attach)},
	wire.OpInterrupt: {true, reply((*server).interrupt)},
	wire.OpRestart:   {false, reply((*server).restart)},
	wire.OpContexts:  {true, reply((*server).contexts)},
	wire.OpDrop:      {false, reply((*server).drop)},
	wire.OpComplete:  {true, follow((*server).complete)},
	wire.OpRehearse:  {true, follow((*server).rehearse)},
	wire.OpRead:      {false, reply((*server).readFile)},
	wire.OpWrite:     {false, reply((*server).writeFile)},
	wire.OpList:      {false, reply((*server).list)},
	wire.OpStat:      {false, reply((*server).stat)},
	wire.OpRemove:    {false, reply((*server).remove)},
	wire.OpMove:      {false, reply((*server).move)},
	wire.OpMkdir:     {false, reply((*server).mkdir)},
	wire.OpArchive:   {false, reply((*server).archive)},
	wire.OpExtract:   {false, reply((*server).extract)},
	wire.OpWatch:     {false, reply((*server).watch)},
	wire.OpStart:     {false, follow((*server).start)},
	wire.OpConnect:   {true, follow((*server).connect)},
	wire.OpSignal:    {true, reply((*server).signal)},
	wire.OpResize:    {true, reply((*server).resize)},
	wire.OpProcesses: {true, reply((*server).processes)},
	wire.OpExpose:    {false, reply((*server).expose)},
	wire.OpLayer:     {false, reply((*server).layer)},
	wire.OpDial:      {false, reply((*server).dial)},
	wire.OpForward:   {false, reply((*server).forward)},
}

// reply makes a handler of a function whose result closes the request.
func reply[A, R any](f func(*server, *request, A) (R, error)) func(*server, *request, []byte) error {
	return func(s *server, req *request, body []byte) error {
		var args A
		if err := json.Unmarshal(body, &args); err != nil {
			return failf("invalid", "", "cannot read request: %v", err)
		}
		v, err := f(s, req, args)
		req.finish(v, err)
		return nil
	}
}

// follow makes a handler of a function that hands the request to somebody who closes it later.
func follow[A any](f func(*server, *request, A) error) func(*server, *request, []byte) error {
	return func(s *server, req *request, body []byte) error {
		var args A
		if err := json.Unmarshal(body, &args); err != nil {
			return failf("invalid", "", "cannot read request: %v", err)
		}
		return f(s, req, args)
	}
}

// none is the reply of an op that has nothing to say.
type none struct{}

// quiesce is served on the stream's goroutine, so that no other request can
// begin; the link's lock keeps whoever writes from leaving half a frame.
func (s *server) quiesce(req *request, _ []byte) error {
	req.done(req)
	s.link.silence(req.epoch, req.id)
	return nil
}

func (s *server) config() (config, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.cfg.ready {
		return config{}, failf("conflict", "Send setup first.", "cannot serve request: the session is not set up")
	}
	return s.cfg, nil
}

// close ends everything and waits for it.
func (s *server) close() {
	s.mu.Lock()
	s.closing = true
	requests, kernels, cfg := s.requests, s.allKernels(), s.cfg
	procs := make([]*process, 0, len(s.procs))
	for _, p := range s.procs {
		procs = append(procs, p)
	}
	s.requests = map[uint32]*request{}
	tools, proxy := s.tools, s.proxy
	s.mu.Unlock()
	if tools != nil {
		tools.close()
	}
	if proxy != nil {
		proxy.close()
	}
	s.toHost.close()
	for _, r := range requests {
		r.end(errForgot)
	}
	for _, k := range kernels {
		k.close()
	}
	for _, p := range procs {
		p.close()
	}
	s.guard.close()
	s.wg.Wait()
	s.reaper.close()
	cfg.cleanUp()
}

// contextName checks the name of a context; empty means main.
func contextName(name string) (string, error) {
	if name == "" {
		return wire.Main, nil
	}
	if !wire.ValidName(name) {
		return "", failf("invalid", "Use up to 64 letters, digits, '_', '-' and '.'.", "cannot use context %q: not a name", safetext.Clip(name, 64))
	}
	return name, nil
}

// kernelOf returns the kernel of a context that exists.
func (s *server) kernelOf(name string) (*kernel, error) {
	return s.findKernel(name, "", "", false)
}

// kernelFor returns the kernel of a context that runs a language. A context that
// does not exist is made, in a folder. The empty language is the context's own, or the first.
func (s *server) kernelFor(name, language, folder string) (*kernel, error) {
	return s.findKernel(name, language, folder, true)
}

func (s *server) findKernel(name, language, folder string, create bool) (*kernel, error) {
	name, err := contextName(name)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.cfg.ready {
		return nil, failf("conflict", "Send setup first.", "cannot use context %s: the session is not set up", name)
	}
	if k := s.kernels[name]; k != nil {
		if language != "" && language != k.language {
			return nil, failf("conflict", "Use another context for another language.", "cannot run %s in context %s: it runs %s", safetext.Clip(language, 64), name, k.language)
		}
		return k, nil
	}
	if !create {
		return nil, failf("not_found", "Run code in the context first.", "cannot use context %s: it does not exist", name)
	}
	if s.closing {
		return nil, fmt.Errorf("cannot make context %s: the session is closing", name)
	}
	if len(s.kernels) >= maxContexts {
		return nil, failf("exhausted", "Remove a context first.", "cannot make context %s: there are %d, the limit is %d", name, len(s.kernels), maxContexts)
	}
	lang, err := s.cfg.languageOf(language)
	if err != nil {
		return nil, err
	}
	k, err := newKernel(s, name, lang.Language, folder)
	if err != nil {
		return nil, err
	}
	s.kernels[name] = k
	return k, nil
}
