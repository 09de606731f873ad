package trace

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"praxis/internal/bounded"
)

// Bounds of what is sent.
const (
	attempts  = 5 // to send a batch
	maxPause  = 30 * time.Second
	maxAnswer = 64 << 10
)

// answer is what came of an attempt to send a batch.
type answer struct {
	rejected int64         // spans that the collector did not take
	err      error         // it did not take the batch
	again    bool          // another attempt may succeed
	after    time.Duration // that the collector asks to wait before; 0: it does not say
}

// send sends a batch, some times when the collector cannot take it now. One that it does not
// take is lost.
func (x *Exporter) send(ctx context.Context, batch []span) {
	size := int64(len(batch))
	body, err := encode(x.resource, x.version, batch)
	for n, pause := 1, x.pause; err == nil; n, pause = n+1, 2*pause {
		a := x.post(ctx, body)
		if a.err == nil {
			rejected := min(a.rejected, size)
			x.rejected.Add(rejected)
			x.sent.Add(size - rejected)
			x.failing = false
			return
		}
		if !a.again || n == attempts || !x.wait(ctx, max(a.after, pause)) {
			err = a.err
		}
	}
	x.unsent.Add(size)
	if !x.failing {
		x.failing = true
		x.failed(fmt.Errorf("cannot send traces: %w; spans are lost until it can", err))
	}
}

// wait waits before another attempt. When the exporter is closed, there is no time for one.
func (x *Exporter) wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(min(d, maxPause)):
		return true
	case <-x.stop:
	case <-ctx.Done():
	}
	return false
}

// post tries once to send a batch.
func (x *Exporter) post(ctx context.Context, body []byte) answer {
	ctx, cancel := context.WithTimeout(ctx, x.cfg.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, x.cfg.Endpoint, bytes.NewReader(body))
	if err != nil {
		return answer{err: errors.New("the address of the collector cannot be used")}
	}
	for key, v := range x.cfg.Headers {
		req.Header.Set(key, v)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "praxis/"+x.version)
	res, err := x.client.Do(req)
	if err != nil {
		return answer{err: cause(err), again: true}
	}
	defer res.Body.Close()
	data, err := bounded.Read(res.Body, maxAnswer)
	if res.StatusCode/100 == 2 {
		if err != nil {
			return answer{} // it took the batch, whatever it says of it
		}
		return answer{rejected: rejected(data)}
	}
	again := false
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	}
	return answer{err: fmt.Errorf("the collector answered with status %d", res.StatusCode), again: again, after: retryAfter(res.Header.Get("Retry-After"), time.Now())}
}

// rejected reads how many spans a collector did not take, of its answer.
func rejected(data []byte) int64 {
	var answer struct {
		PartialSuccess struct {
			RejectedSpans json.Number `json:"rejectedSpans"` // a text by the encoding, a number from some
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(data, &answer) != nil {
		return 0 // a collector may answer in protobuf, or say nothing
	}
	n, _ := answer.PartialSuccess.RejectedSpans.Int64()
	return max(0, n)
}

// retryAfter reads the header of that name; 0: it says nothing.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// cause says why a request was not answered, in words of this machine alone: those of the
// collector may repeat the headers that it got.
func cause(err error) error {
	var timeout interface{ Timeout() bool }
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return certificate
	case errors.As(err, &network):
		return network
	case errors.As(err, &timeout) && timeout.Timeout():
		return errors.New("the collector did not answer in time")
	case errors.Is(err, context.Canceled):
		return errors.New("the server stopped before the collector answered")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the collector closed the connection")
	}
	return errors.New("what answers does not speak HTTP, or not over TLS")
}
