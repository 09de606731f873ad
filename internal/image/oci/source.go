package oci

import (
	"bufio"
	"compress/bzip2"
	"context"
	"io"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Source is where an image comes from.
type Source interface {
	// Manifest returns what the image for a platform is made of.
	Manifest(ctx context.Context, want Platform) (Manifest, error)
	// Open opens a blob of it from an offset on. What comes is to be compared with the
	// digest by the caller.
	Open(ctx context.Context, d Descriptor, offset int64) (io.ReadCloser, error)
	// Name is what the source calls the image, or "".
	Name() string
	Close() error
}

// ReadConfig reads the configuration of an image from its source.
func ReadConfig(ctx context.Context, s Source, m Manifest) (raw []byte, c Config, err error) {
	r, err := s.Open(ctx, m.Config, 0)
	if err != nil {
		return nil, Config{}, err
	}
	defer r.Close()
	if raw, err = readBlob(r, m.Config, maxConfig); err != nil {
		return nil, Config{}, err
	}
	c, err = ParseConfig(raw, m)
	return raw, c, err
}

// How compressed data begin.
const (
	gzipMagic  = "\x1f\x8b"
	zstdMagic  = "\x28\xb5\x2f\xfd"
	bzip2Magic = "BZh"
)

// maxWindow bounds what a decompressor keeps.
const maxWindow = 128 << 20

// Decompress reads what r holds compressed, by its first bytes: gzip, zstd, bzip2, or
// nothing of these. The work is done ahead of the reader, in a goroutine that ends with
// Close.
func Decompress(r io.Reader) (io.ReadCloser, error) {
	in := bufio.NewReaderSize(r, 1<<20)
	begins, _ := in.Peek(4) // less than that is not compressed
	switch {
	case strings.HasPrefix(string(begins), gzipMagic):
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, damaged("a layer cannot be decompressed: %w", err)
		}
		return newAhead(z, func() {}), nil
	case strings.HasPrefix(string(begins), zstdMagic):
		z, err := zstd.NewReader(in, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, damaged("a layer cannot be decompressed: %w", err)
		}
		return newAhead(z, z.Close), nil
	case strings.HasPrefix(string(begins), bzip2Magic):
		return newAhead(bzip2.NewReader(in), func() {}), nil
	}
	return io.NopCloser(in), nil
}

// ahead reads in a goroutine of its own.
type ahead struct {
	full, free chan []byte
	rest       []byte
	whole      []byte
	err        error // behind the last block; read when full is closed
	stop       chan struct{}
	once       sync.Once
	done       sync.WaitGroup
}

const (
	aheadBlocks = 6
	aheadBlock  = 256 << 10
)

func newAhead(r io.Reader, release func()) *ahead {
	a := &ahead{full: make(chan []byte, aheadBlocks), free: make(chan []byte, aheadBlocks), stop: make(chan struct{})}
	for range aheadBlocks {
		a.free <- make([]byte, aheadBlock)
	}
	a.done.Go(func() {
		defer release()
		defer close(a.full)
		for {
			var b []byte
			select {
			case b = <-a.free:
			case <-a.stop:
				return
			}
			n, err := fill(r, b[:aheadBlock])
			if n > 0 {
				a.full <- b[:n] // no more blocks are made than it holds
			}
			if err != nil {
				a.err = err
				return
			}
		}
	})
	return a
}

// fill is io.ReadFull without another error for what ends in between.
func fill(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var more int
		more, err = r.Read(b[n:])
		n += more
	}
	return n, err
}

// Read returns what was read ahead.
func (a *ahead) Read(p []byte) (int, error) {
	if len(a.rest) == 0 {
		if a.whole != nil {
			a.free <- a.whole
			a.whole = nil
		}
		b, ok := <-a.full
		if !ok {
			if a.err == nil {
				return 0, io.ErrClosedPipe
			}
			return 0, a.err
		}
		a.rest, a.whole = b, b
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// Close ends the goroutine.
func (a *ahead) Close() error {
	a.once.Do(func() { close(a.stop) })
	a.done.Wait()
	return nil
}
