package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// client asks a server over HTTP. It keeps its connections.
type client struct {
	base, authorization string
	http                *http.Client
	transport           *http.Transport
}

func newClient(base, authorization string) *client {
	t := &http.Transport{MaxIdleConnsPerHost: burst}
	return &client{base, authorization, &http.Client{Transport: t}, t}
}

// idle ends connections that nothing goes over.
func (c *client) idle() { c.transport.CloseIdleConnections() }

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 64 << 20

func (c *client) send(ctx context.Context, method, path string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", c.authorization)
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return c.http.Do(r)
}

// do makes a call and reads its answer into out; nil: it is not looked at.
func (c *client) do(ctx context.Context, method, path string, in, out any) (err error) {
	res, err := c.send(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %.500s", method, path, res.Status, data)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(data, out)
}

// create makes a session and returns its id.
func (c *client) create(ctx context.Context) (string, error) {
	var out struct {
		ID string `json:"id"`
	}
	err := c.do(ctx, http.MethodPost, "/v1/sessions", map[string]any{}, &out)
	return out.ID, err
}

// execute runs code, which must end well.
func (c *client) execute(ctx context.Context, id, code string) error {
	var out struct {
		Execution struct {
			Status string `json:"status"`
		} `json:"execution"`
	}
	err := c.do(ctx, http.MethodPost, "/v1/sessions/"+id+"/executions", map[string]any{"code": code}, &out)
	if err == nil && out.Execution.Status != "ok" {
		err = fmt.Errorf("%q ended as %q", code, out.Execution.Status)
	}
	return err
}

func (c *client) remove(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, "/v1/sessions/"+id, nil, nil)
}

// stream begins to follow events, and returns once the server has answered.
func (c *client) stream(ctx context.Context, path string) (stop func(), err error) {
	res, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	if kind := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		return nil, errors.Join(fmt.Errorf("GET %s: %s, %s", path, res.Status, kind), res.Body.Close())
	}
	return func() { _ = res.Body.Close() }, nil // the connection was given up
}
