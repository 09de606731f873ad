// Package trace sends what a server does to OpenTelemetry: requests, the runs that they begin,
// and of these the steps, the requests to models, the executions and the calls of tools.
//
// It speaks OTLP over HTTP in the JSON encoding, and is configured by the variables that the SDKs
// of OpenTelemetry read ([Configure]). Spans wait in a queue with a bound; one goroutine sends
// them in batches, some times when the collector cannot take them, and counts those that are
// lost. Nobody waits for it but the end of the server, for a few seconds.
//
// A span consists of names, numbers and statuses, as OpenTelemetry's conventions call them where
// there are any. Code, questions, replies, outputs, arguments, paths and queries are not in it,
// and no message of an error either, since it may quote them. What the headers of the
// collector's requests say is in no error of this package.
package trace

import (
	"context"
	"crypto/sha256"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds of what waits, as the SDKs of OpenTelemetry have them.
const (
	maxQueue = 2048
	maxBatch = 512
	every    = 5 * time.Second // after which a batch is sent that is not full
	flushFor = 5 * time.Second // for what is left at the end
)

// Exporter makes spans and sends them. A nil Exporter does nothing. It is safe for concurrent
// use.
type Exporter struct {
	cfg      Config
	version  string
	resource resource
	client   *http.Client
	failed   func(error)
	pause    time.Duration // before the second attempt to send a batch
	queue    chan span
	stop     chan struct{}
	cancel   context.CancelFunc
	once     sync.Once
	work     sync.WaitGroup

	sent, rejected, unsent, overflow atomic.Int64
	failing                          bool // the last batch was lost; one goroutine uses it
}

// New returns an exporter, nil if nothing is to be traced. failed is called when spans are lost
// that could not be sent, and not again before some could be. Close must be called.
func New(cfg Config, version string, failed func(error)) *Exporter {
	if cfg.Endpoint == "" {
		return nil
	}
	return start(cfg, version, failed, maxQueue, time.Second)
}

func start(cfg Config, version string, failed func(error), queue int, pause time.Duration) *Exporter {
	ctx, cancel := context.WithCancel(context.Background())
	transport := http.DefaultTransport.(*http.Transport).Clone()
	x := &Exporter{
		cfg: cfg, version: version, resource: described(cfg.Resource, version), failed: failed, pause: pause,
		queue: make(chan span, queue), stop: make(chan struct{}), cancel: cancel,
		// The headers are for the collector that was named, not for where it leads to.
		client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	x.work.Go(func() {
		defer transport.CloseIdleConnections()
		x.sends(ctx)
	})
	return x
}

// add takes a span in. One that finds the queue full is lost.
func (x *Exporter) add(s span) {
	select {
	case x.queue <- s:
	default:
		x.overflow.Add(1)
	}
}

// sends sends what comes until the exporter is closed, and what is left then.
func (x *Exporter) sends(ctx context.Context) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for more := true; more; {
		var batch []span
		batch, more = x.collect(ticker.C)
		if len(batch) > 0 {
			x.send(ctx, batch)
		}
	}
}

// collect waits for a batch. more is false for the last one.
func (x *Exporter) collect(tick <-chan time.Time) (batch []span, more bool) {
	for len(batch) < maxBatch {
		select {
		case s := <-x.queue: // also of an exporter that is closed
			batch = append(batch, s)
			continue
		default:
		}
		select {
		case s := <-x.queue:
			batch = append(batch, s)
		case <-tick:
			return batch, true
		case <-x.stop:
			return batch, false
		}
	}
	return batch, true
}

// Close sends what is left, for a few seconds at most and not longer than ctx lasts.
func (x *Exporter) Close(ctx context.Context) {
	if x == nil {
		return
	}
	x.once.Do(func() { close(x.stop) })
	ctx, done := context.WithTimeout(ctx, flushFor)
	defer done()
	defer context.AfterFunc(ctx, x.cancel)()
	x.work.Wait()
	x.cancel()
}

// Counts calls set with the number of spans by what became of them.
func (x *Exporter) Counts(set func(value float64, labels ...string)) {
	set(float64(x.sent.Load()), "sent")
	set(float64(x.rejected.Load()), "rejected") // by the collector, which took others of their batch
	set(float64(x.unsent.Load()), "unsent")
	set(float64(x.overflow.Load()), "overflow") // they found the queue full
}

// runID returns the id of the span of a run in a trace. Who knows the run knows it, so that what
// a run begins finds its parent.
func runID(trace [16]byte, run string) (id [8]byte) {
	sum := sha256.Sum256(append(trace[:], run...))
	copy(id[:], sum[:])
	return id
}
