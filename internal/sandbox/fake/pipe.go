package fake

import (
	"io"
	"sync"
)

// pipeBytes is how much a pipe holds before a writer waits, as on Linux.
const pipeBytes = 64 << 10

// pipe is a pipe of the guest. Unlike io.Pipe it holds some bytes, like a real
// one.
type pipe struct {
	mu      sync.Mutex
	changed sync.Cond
	buf     []byte
	eof     bool // no more writes
	broken  bool // no more reads
}

func newPipe() *pipe {
	p := &pipe{}
	p.changed.L = &p.mu
	return p
}

// Read waits for bytes. After closeRead it fails at once.
func (p *pipe) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case p.broken:
			return 0, io.ErrClosedPipe
		case len(p.buf) > 0:
			n := copy(b, p.buf)
			p.buf = p.buf[n:]
			p.changed.Broadcast()
			return n, nil
		case p.eof:
			return 0, io.EOF
		}
		p.changed.Wait()
	}
}

// Write waits for space.
func (p *pipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	wrote := 0
	for {
		if p.broken || p.eof {
			return wrote, io.ErrClosedPipe
		}
		n := min(len(b)-wrote, pipeBytes-len(p.buf))
		if n > 0 {
			p.buf = append(p.buf, b[wrote:wrote+n]...)
			wrote += n
			p.changed.Broadcast()
		}
		if wrote == len(b) {
			return wrote, nil
		}
		p.changed.Wait()
	}
}

// closeWrite lets the reader have what is there, then the end.
func (p *pipe) closeWrite() { p.set(func() { p.eof = true }) }

// closeRead makes reads and writes fail.
func (p *pipe) closeRead() { p.set(func() { p.broken = true }) }

func (p *pipe) set(f func()) {
	p.mu.Lock()
	f()
	p.mu.Unlock()
	p.changed.Broadcast()
}
