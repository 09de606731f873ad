package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"praxis/internal/safetext"
)

const (
	listSilence = 20 * time.Second
	maxListed   = 2000 // models of one server
	maxName     = 256  // bytes of a model's name
)

// Get reads the JSON at a path below the base URL into v. It asks once. An
// error is a fault.
func (c *Client) Get(ctx context.Context, path, query string, v any) error {
	watched, came, stop := watch(ctx, listSilence)
	defer stop()
	err := c.get(watched, path, query, came, v)
	if err == nil {
		return nil
	}
	var passing *Temporary
	if err = c.failed(watched, err); errors.As(err, &passing) {
		return passing.Err
	}
	return err
}

func (c *Client) get(ctx context.Context, path, query string, came func(), v any) error {
	req, err := c.request(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	res, err := c.send(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // it was read to its end or given up
	raw, err := io.ReadAll(&bounded{src: res.Body, left: MaxBody, came: came})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("it is no list of models: %w", err)
	}
	return nil
}

// Names adds the name of a model to a list, unless it is none that can be shown
// or the list is full.
func Names(list []string, name string) []string {
	if name == "" || len(name) > maxName || name != safetext.Line(name) || len(list) >= maxListed {
		return list
	}
	return append(list, name)
}
