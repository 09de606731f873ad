package approval

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"time"
)

// input reads lines, one question at a time.
type input struct {
	from  io.Reader
	stop  interface{ SetReadDeadline(t time.Time) error } // nil: reads cannot be stopped
	flush func()                                          // throws away what the system holds
	late  chan chunk                                      // of a read that is still under way, else nil
}

type chunk struct {
	data []byte
	err  error
}

// maxLine is how much of an answer is read.
const maxLine = 4096

func newInput(from io.Reader) *input {
	in := &input{from: from}
	if f, ok := from.(interface{ SetReadDeadline(t time.Time) error }); ok && f.SetReadDeadline(time.Time{}) == nil {
		in.stop = f
	}
	return in
}

// discard throws away what was typed before now.
func (in *input) discard() error {
	if in.flush != nil {
		in.flush()
	}
	if in.late != nil {
		select {
		case c := <-in.late:
			in.late = nil
			return c.err
		default:
		}
	}
	if in.stop == nil {
		return nil
	}
	// What is there is read; an empty stream ends at once.
	if err := in.stop.SetReadDeadline(time.Now().Add(drain)); err != nil {
		return err
	}
	defer in.stop.SetReadDeadline(time.Time{})
	buf := make([]byte, maxLine)
	for range maxDrained {
		if _, err := in.from.Read(buf); errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return errors.New("its input does not end")
}

const (
	drain      = 20 * time.Millisecond
	maxDrained = 4096 // reads; somebody floods the terminal then
)

// line reads one line. What follows it in the same read is thrown away.
func (in *input) line(ctx context.Context) (string, error) {
	var line []byte
	for {
		c, err := in.read(ctx)
		if err != nil {
			return "", err
		}
		line = append(line, c.data...)
		if i := slices.IndexFunc(line, func(b byte) bool { return b == '\n' || b == '\r' || b == 3 || b == 4 }); i >= 0 {
			if line[i] == 3 || line[i] == 4 { // Ctrl-C or Ctrl-D of a raw terminal
				return "", io.EOF
			}
			return string(line[:i]), nil
		}
		switch {
		case len(line) > maxLine:
			return "", errors.New("the line is too long")
		case errors.Is(c.err, io.EOF):
			return "", io.EOF // half a line is no answer
		case c.err != nil:
			return "", c.err
		}
	}
}

// read reads once, or ends with ctx.
func (in *input) read(ctx context.Context) (chunk, error) {
	if err := ctx.Err(); err != nil {
		return chunk{}, err
	}
	if in.late == nil {
		late := make(chan chunk, 1)
		in.late = late
		go func() {
			buf := make([]byte, maxLine)
			n, err := in.from.Read(buf)
			late <- chunk{buf[:n], err}
		}()
	}
	select {
	case c := <-in.late:
		in.late = nil
		return c, nil
	case <-ctx.Done():
	}
	if in.stop != nil && in.stop.SetReadDeadline(time.Unix(1, 0)) == nil {
		<-in.late
		in.late = nil
		in.stop.SetReadDeadline(time.Time{})
	}
	return chunk{}, ctx.Err()
}
