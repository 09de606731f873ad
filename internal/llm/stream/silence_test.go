package stream

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"praxis/event"
	"praxis/internal/llm"
)

// dripping gives a byte every second, and never a whole line.
type dripping struct {
	done <-chan struct{}
	n    *int
}

func (d dripping) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		p[0] = '.'
		*d.n++
		return 1, nil
	case <-d.done:
		return 0, errors.New("canceled")
	}
}

// quiet gives nothing.
type quiet <-chan struct{}

func (q quiet) Read([]byte) (int, error) {
	<-q
	return 0, errors.New("canceled")
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answers makes a client whose server answers with what body reads.
func answers(t *testing.T, timeout time.Duration, body func(r *http.Request) io.Reader) *Client {
	t.Helper()
	c, err := New(Config{Model: "test:m", KeyVar: "KEY", URLVar: "URL", BaseURL: "http://server.example/", Timeout: timeout,
		HTTPClient: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(body(r)), Request: r}, nil
		})}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// collect is a decoder that keeps the data of all events, and never ends.
type collect struct{ got []string }

func (c *collect) Take(e Event) error {
	c.got = append(c.got, e.Type+"="+string(e.Data))
	return nil
}

func (c *collect) Begun() (event.Tokens, int) { return event.Tokens{}, len(strings.Join(c.got, "")) }

func (c *collect) Reply() (llm.Reply, error) {
	return llm.Reply{Text: strings.Join(c.got, "|")}, nil
}

func TestSilenceCountsBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		c := answers(t, 3*time.Second, func(r *http.Request) io.Reader { return dripping{r.Context().Done(), &n} })
		began := time.Now()
		_, err := c.Ask(t.Context(), "x", nil, &collect{})
		if took := time.Since(began); n < 28 || took != 30*time.Second {
			t.Errorf("%d bytes in %s: want the bound of the whole after 30s", n, took)
		}
		if want := "cannot use model test:m: no answer from server.example: the reply was not whole after 30s"; err == nil || err.Error() != want {
			t.Errorf("error = %v, want %s", err, want)
		}
		var passing *Temporary
		if !errors.As(err, &passing) || !passing.Slow {
			t.Errorf("error = %#v, want one that may pass, and that took long", err)
		}
	})
}

func TestSilenceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := answers(t, 3*time.Second, func(r *http.Request) io.Reader { return quiet(r.Context().Done()) })
		began := time.Now()
		_, err := c.Ask(t.Context(), "x", nil, &collect{})
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("it took %s, want 3s", took)
		}
		if want := "no answer from server.example: nothing came for 3s"; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error = %v, want %s", err, want)
		}
	})
}
