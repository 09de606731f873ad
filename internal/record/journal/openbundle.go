package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"praxis/event"
)

// Bundle is an exported run that is read where it stands, without being
// imported. It was checked as a whole when it was opened.
type Bundle struct {
	b       *bundle
	f       *os.File
	foreign bool
}

// OpenBundle opens a bundle that Export wrote. What is damaged in it, or lies,
// is refused.
func (j *Journal) OpenBundle(ctx context.Context, path string) (*Bundle, error) {
	b, err := openBundleFile(ctx, path, j.keys.own())
	if err != nil {
		return nil, fmt.Errorf("cannot open bundle %s: %w", path, err)
	}
	return b, nil
}

func openBundleFile(ctx context.Context, path string, own map[string]bool) (_ *Bundle, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b, err := openBundle(f, info.Size())
	if err != nil {
		return nil, err
	}
	c, err := b.check(ctx)
	if err != nil {
		return nil, err
	}
	if d := c.report.Damage; d != nil {
		return nil, d
	}
	return &Bundle{b, f, !c.report.signedBy(own)}, nil
}

// Run returns the id of the run.
func (b *Bundle) Run() string { return b.b.manifest.Run }

// Foreign says that no key of this data folder signed the run as a whole: it was
// made elsewhere, for all that is known.
func (b *Bundle) Foreign() bool { return b.foreign }

// Records returns the events of the run, as Journal.Records does.
func (b *Bundle) Records(ctx context.Context, id string) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		if id != b.Run() {
			yield(event.Record{}, noSuch(id))
			return
		}
		src, err := b.b.openLog()
		if err == nil {
			c := newChecker(id)
			c.most = b.b.most
			err = errors.Join(c.events(ctx, src, b.b.open, func(r event.Record) bool { return yield(r, nil) }), src.Close())
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(event.Record{}, fmt.Errorf("cannot read run %s: %w", id, err))
		}
	}
}

// Blob opens a content of the run.
func (b *Bundle) Blob(ctx context.Context, sum string) (io.ReadCloser, error) {
	return b.b.open(ctx, sum)
}

// Close closes the file.
func (b *Bundle) Close() error { return b.f.Close() }
