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
	c, err := b.checkTree(ctx)
	if err != nil {
		return nil, err
	}
	if d := c.report.Damage; d != nil {
		return nil, d
	}
	foreign := !c.report.signedBy(own)
	return &Bundle{b, f, foreign}, nil
}

// Run returns the id of the run.
func (b *Bundle) Run() string { return b.b.manifest.Run }

// Has says whether a run is in the bundle: the run itself, or one of its children.
func (b *Bundle) Has(id string) bool { return b.of(id) != nil }

// Foreign says that no key of this data folder signed the run as a whole: it was
// made elsewhere, for all that is known.
func (b *Bundle) Foreign() bool { return b.foreign }

// Records returns the events of the run, as Journal.Records does.
func (b *Bundle) Records(ctx context.Context, id string) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		x := b.of(id)
		if x == nil {
			yield(event.Record{}, noSuch(id))
			return
		}
		src, err := x.openLog()
		if err == nil {
			c := newChecker(id)
			c.most = x.most
			err = errors.Join(c.events(ctx, src, x.open, func(r event.Record) bool { return yield(r, nil) }), src.Close())
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(event.Record{}, fmt.Errorf("cannot read run %s: %w", id, err))
		}
	}
}

// of returns the bundle of a run: the run itself, or one of its children; nil: it is none.
func (b *Bundle) of(id string) *bundle {
	for _, x := range b.b.tree() {
		if x.manifest.Run == id {
			return x
		}
	}
	return nil
}

// Blob opens a content of the run, or of one of its children.
func (b *Bundle) Blob(ctx context.Context, sum string) (io.ReadCloser, error) {
	for _, x := range b.b.tree() {
		if x.blobs[sum] != nil {
			return x.open(ctx, sum)
		}
	}
	return b.b.open(ctx, sum)
}

// Close closes the file.
func (b *Bundle) Close() error { return b.f.Close() }
