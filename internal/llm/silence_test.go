package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// dripping gives a byte every second.
type dripping struct{ ctx func() <-chan struct{} }

func (d dripping) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		p[0] = '.'
		return 1, nil
	case <-d.ctx():
		return 0, errors.New("canceled")
	}
}

type dripTransport struct{}

func (dripTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(dripping{r.Context().Done}), Request: r}, nil
}

func TestSilenceCountsBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watched, stop := Silence(t.Context(), 3*time.Second)
		defer stop()
		req, err := http.NewRequestWithContext(watched, http.MethodGet, "http://server.example/", strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		res, err := Client(&http.Client{Transport: dripTransport{}}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		began := time.Now()
		got, err := io.ReadAll(res.Body)
		if err == nil || len(got) < 28 || time.Since(began) != 30*time.Second {
			t.Errorf("%d bytes in %s, %v: want the bound of the whole after 30s", len(got), time.Since(began), err)
		}
		if cause := context.Cause(watched); cause == nil || cause.Error() != "the reply was not whole after 30s" || !errors.Is(cause, context.DeadlineExceeded) {
			t.Errorf("cause = %v", cause)
		}
	})
}

func TestSilenceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watched, stop := Silence(t.Context(), 3*time.Second)
		defer stop()
		<-watched.Done()
		if cause := context.Cause(watched); cause.Error() != "nothing came for 3s" {
			t.Errorf("cause = %v", cause)
		}
	})
}
