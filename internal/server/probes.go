package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/server/access"
	"praxis/internal/server/metrics"
	"praxis/internal/server/observe"
	"praxis/internal/server/rest"
)

// The routes of those who watch the server.
const (
	healthRoute  = "GET /healthz"
	readyRoute   = "GET /readyz"
	metricsRoute = "GET /metrics"
)

// probing says whether a route is one of those. They are asked for every few seconds, so that
// traces leave them out.
func probing(route string) bool {
	return route == healthRoute || route == readyRoute || route == metricsRoute
}

// healthz says that the process answers.
func healthz(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, "ok\n") // nobody reads it who is gone
}

// probe remembers what the last look at the server's parts found: whoever asks for it, who
// needs no key, can make it work once in a few seconds.
type probe struct {
	mu     sync.Mutex
	at     time.Time
	ready  bool
	checks map[string]string
}

// Bounds of the readiness probe.
const (
	probeFor = 5 * time.Second // how long what was found is believed
	diskFree = 256 << 20       // bytes below which nothing should begin
)

// readiness is the answer to the readiness probe.
type readiness struct {
	Ready  bool              `json:"ready"`
	Checks map[string]string `json:"checks"` // "ok", or what is wrong, without details: nobody who asks is known
}

// readyz says whether the server can do its work: 503 when it cannot.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	ready, checks := s.probe.look(func() map[string]string { return s.look(r.Context()) })
	s.mu.Lock()
	stopping := s.closed
	s.mu.Unlock()
	if stopping {
		ready, checks = false, map[string]string{"server": "stopping"}
	}
	status := http.StatusOK
	if !ready {
		status = http.StatusServiceUnavailable
	}
	w.Header().Set("Cache-Control", "no-store")
	_ = rest.WriteJSON(w, status, "application/json", readiness{ready, checks}) // of these types it is always possible
}

// look returns what was found lately, or finds it.
func (p *probe) look(find func() map[string]string) (ready bool, checks map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.at) > probeFor {
		p.checks, p.ready = find(), true
		for _, found := range p.checks {
			p.ready = p.ready && found == "ok"
		}
		p.at = time.Now()
	}
	return p.ready, p.checks
}

// look finds out whether the parts that everything needs work.
func (s *Server) look(ctx context.Context) map[string]string {
	ctx = context.WithoutCancel(ctx) // others wait for it, too
	out := map[string]string{"store": "ok", "disk": "ok", "sandbox": "ok"}
	dir := filepath.Join(s.cfg.Home, Folder)
	if err := atomicfile.WriteFile(filepath.Join(dir, "probe"), []byte("ok\n")); err != nil {
		out["store"] = "it cannot be written to"
	}
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		out["disk"] = "it cannot be measured"
	} else if free := st.Bavail * uint64(st.Bsize); free < diskFree {
		out["disk"] = "it is full"
	}
	t, err := s.tenant(ctx, access.DefaultTenant)
	if err == nil {
		_, err = t.App.Host(ctx)
	}
	if err != nil {
		out["sandbox"] = "it cannot be used"
		s.cfg.Failed(access.DefaultTenant, "", fmt.Errorf("not ready: %w", err))
	}
	return out
}

// metrics answers with what is counted, for a key of the default tenant with every right: what
// is counted is of all tenants. Clients at loopback need none if the operator says so.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	if !s.cfg.OpenMetrics || !atLoopback(r) {
		c, err := rest.Authorize(r.Context(), s.doors, rest.KeyOf(r), access.Admin)
		if err == nil && c.Key.Tenant != access.DefaultTenant {
			err = fault.New(fault.Denied, "Use a key of the default tenant.", "cannot show the metrics: they are of all tenants")
		}
		if err != nil {
			observe.From(r.Context()).Failed(err)
			rest.Fail(w, r, err)
			return
		}
	}
	// A client that reads slowly would hold up who counts, so they are written to a buffer, which
	// takes everything.
	var b bytes.Buffer
	_ = s.counts.set.Write(&b)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(b.Bytes()) // nobody reads it who is gone
}

// atLoopback says whether a request came from this machine.
func atLoopback(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}

// processMetrics adds what is measured of the process.
func processMetrics(set *metrics.Set) {
	set.Gauge("process_resident_memory_bytes", "Resident memory of the server, its sandboxes apart.", nil, func(set func(float64, ...string)) {
		data, err := os.ReadFile("/proc/self/statm")
		if fields := bytes.Fields(data); err == nil && len(fields) > 1 {
			pages, _ := strconv.ParseFloat(string(fields[1]), 64) // the kernel writes a number
			set(pages * float64(os.Getpagesize()))
		}
	})
	set.Gauge("process_open_fds", "Files that the server has open.", nil, func(set func(float64, ...string)) {
		if list, err := os.ReadDir("/proc/self/fd"); err == nil {
			set(float64(len(list)))
		}
	})
	set.Gauge("go_goroutines", "Goroutines.", nil, func(set func(float64, ...string)) { set(float64(runtime.NumGoroutine())) })
}
