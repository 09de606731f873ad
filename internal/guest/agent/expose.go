package agent

import (
	"cmp"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"praxis/internal/guest/wire"
)

// expose lets code inside send requests to the host for what args says. What
// listens is made by the first exposure that needs it and stays: the host refuses
// what it took back.
func (s *server) expose(_ *request, args wire.Exposure) (none, error) {
	cfg, err := s.config()
	if err != nil {
		return none{}, err
	}
	if err := args.Check(); err != nil {
		return none{}, failf("invalid", "", "cannot expose tools: %v", err)
	}
	s.exposing.Lock() // one after the other
	defer s.exposing.Unlock()
	environ := maps.Clone(args.Environ)
	if environ == nil {
		environ = map[string]string{}
	}
	if args.Tools {
		if err := s.openToolSocket(cfg); err != nil {
			return none{}, err
		}
		environ["PRAXIS_TOOLS"] = s.tools.path
		// For the interpreters that kernels start; a kernel finds the module by itself.
		for _, k := range cfg.Kernels {
			if k.SearchVariable == "" {
				continue
			}
			environ[k.SearchVariable] = cfg.fileOf(k, k.SearchFolder)
			if more := cmp.Or(args.Environ[k.SearchVariable], cfg.Env[k.SearchVariable]); more != "" {
				environ[k.SearchVariable] += string(filepath.ListSeparator) + more
			}
		}
	}
	if args.Net {
		if err := s.openProxy(cmp.Or(args.Port, wire.ProxyPort)); err != nil {
			return none{}, err
		}
	}
	if args.Tools || args.Net {
		s.seeds.outside()
	}
	s.mu.Lock()
	s.cfg.exposed = environ
	cfg = s.cfg
	kernels := s.allKernels()
	s.mu.Unlock()
	for _, k := range kernels {
		k.updateEnvironment(cfg)
	}
	return none{}, nil
}

// updateEnvironment tells a running interpreter of a changed environment; one that is
// being started gets it when it has begun.
func (k *kernel) updateEnvironment(cfg config) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.in == nil || k.in.doomed != goOn {
		return
	}
	var lent map[string]string
	if k.cur != nil && k.in.lent {
		lent = k.cur.Environ
	}
	k.in.sendEnvironment(cfg, lent)
	k.wakeIfStuck()
}

// openToolSocket listens for calls of tools, if nothing does. The caller holds exposing.
func (s *server) openToolSocket(cfg config) error {
	if s.tools != nil {
		return nil
	}
	uid := uint32(userID)
	if !cfg.privileged() {
		uid = uint32(os.Getuid())
	}
	d, err := newToolSocket(s, filepath.Join(cfg.folder, "tools.sock"), uid)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.tools = d
	closing := s.closing
	s.mu.Unlock()
	if closing {
		d.close()
	}
	return nil
}

// openProxy listens for connections to the network, if nothing does at that
// port. The caller holds exposing.
func (s *server) openProxy(port int) error {
	if old := s.proxy; old != nil {
		if old.port == port {
			return nil
		}
		old.close()
	}
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return failf("unavailable", "End the process that listens at the port.", "cannot listen at port %d: %v", port, err)
	}
	p := newProxy(s, l.(*net.TCPListener), port)
	s.mu.Lock()
	s.proxy = p
	closing := s.closing
	s.mu.Unlock()
	if closing {
		p.close()
	}
	return nil
}
