package oidc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"praxis/internal/bounded"
)

// Bounds of what an issuer is asked and answers.
const (
	askFor     = 10 * time.Second // until it has answered whole
	believeFor = 10 * time.Second // what it said last
	maxAnswer  = 1 << 20
	maxHeader  = 64 << 10
)

// transport returns what asks an issuer.
func transport() http.RoundTripper {
	return &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeader}
}

// errNoAnswer is the failure of an issuer to answer.
type errNoAnswer struct{ error }

// Unwrap returns the cause.
func (e errNoAnswer) Unwrap() error { return e.error }

// recent asks an issuer for its few documents, one at a time and each only so often: in between,
// what it said last is the answer, or that it said nothing of use.
type recent struct {
	ask http.RoundTripper
	now func() time.Time

	mu   sync.Mutex
	said map[string]answer // by address
}

// answer is what an issuer said.
type answer struct {
	at   time.Time
	body []byte
	err  error
}

// RoundTrip returns the document at the address of a request.
func (t *recent) RoundTrip(r *http.Request) (*http.Response, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := r.URL.String()
	a, known := t.said[name]
	if age := t.now().Sub(a.at); !known || age >= believeFor || age < 0 {
		a.body, a.err = t.fetch(r)
		a.at = t.now()
		if a.err != nil {
			a.err = errNoAnswer{a.err}
		}
		t.said[name] = a
	}
	if a.err != nil {
		return nil, a.err
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(a.body)), Body: io.NopCloser(bytes.NewReader(a.body)),
	}, nil
}

// fetch asks the issuer, however long whoever needs the answer waits for it.
func (t *recent) fetch(r *http.Request) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), askFor)
	defer cancel()
	res, err := t.ask.RoundTrip(r.Clone(ctx))
	if err != nil {
		return nil, err
	}
	body, err := bounded.ReadClose(res.Body, maxAnswer)
	switch {
	case err != nil:
		return nil, err
	case res.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("it answered with the status %d", res.StatusCode)
	case !json.Valid(body):
		return nil, errors.New("it answered with something else than JSON")
	}
	return body, nil
}
