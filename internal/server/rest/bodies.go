package rest

import (
	"bytes"
	"io"
	"sync/atomic"

	"praxis/fault"
)

// Bodies bounds the bytes of requests that are read into memory at a time, by all callers of a
// server together. A nil one bounds nothing.
type Bodies struct {
	most int64
	used atomic.Int64
}

// NewBodies returns a bound of so many bytes.
func NewBodies(most int64) *Bodies { return &Bodies{most: most} }

// Read reads a body whole. What it takes of the bound is given back by free, which is to be called
// when the body has been decoded, also after an error. Faults: Unavailable, when others read as
// much as there may be.
func (b *Bodies) Read(from io.Reader) (data []byte, free func(), err error) {
	if b == nil {
		data, err = io.ReadAll(from)
		return data, func() {}, err
	}
	in := &counted{from: from, bodies: b}
	var out bytes.Buffer
	_, err = out.ReadFrom(in)
	return out.Bytes(), func() { b.used.Add(-in.taken) }, err
}

// counted is a body of which each piece is counted when it comes, so that a client that sends
// slowly takes no more than it sent.
type counted struct {
	from   io.Reader
	bodies *Bodies
	taken  int64
}

// Read reads a piece.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.taken += int64(n)
	if c.bodies.used.Add(int64(n)) > c.bodies.most && n > 0 {
		return 0, fault.New(fault.Unavailable, "Send it again in a moment.", "cannot read the request: too many others are being read")
	}
	return n, err
}
