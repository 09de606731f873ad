package chunks

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// piece is a run of a chunk, and where it goes.
type piece struct {
	file int
	at   int64 // page
	run  Run
}

// pageBuffers are buffers of a chunk's pages.
func pageBuffers() *sync.Pool {
	return &sync.Pool{New: func() any { b := make([]byte, chunkPages*PageSize); return &b }}
}

// Unpack makes the files of a recipe in the new folder dir. They are not on disk for
// good when it returns. A chunk that is missing or damaged is *[Damaged]; what was
// made until then is left.
func (s *Store) Unpack(ctx context.Context, r Recipe, dir string) (err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	var files []*os.File
	defer func() {
		for _, f := range files {
			err = errors.Join(err, f.Close())
		}
	}()
	pieces := make([][]piece, len(r.Chunks))
	for i, file := range r.Files {
		f, err := os.OpenFile(filepath.Join(dir, file.Name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		files = append(files, f)
		if err := f.Truncate(file.Size); err != nil {
			return err
		}
		at := int64(0)
		for _, run := range file.Runs {
			if run.Chunk >= 0 {
				pieces[run.Chunk] = append(pieces[run.Chunk], piece{i, at, run})
			}
			at += run.Pages
		}
	}
	buffers := pageBuffers()
	g, ctx := s.group(ctx)
	for n, sum := range r.Chunks {
		g.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			c, err := s.read(sum)
			if err != nil {
				return err
			}
			buf := buffers.Get().(*[]byte)
			defer buffers.Put(buf)
			pages, err := s.content(c, *buf)
			if err != nil {
				return &Damaged{sum, err}
			}
			for _, p := range pieces[n] {
				from, to := p.run.First*PageSize, (p.run.First+int(p.run.Pages))*PageSize
				if to > len(pages) {
					return &Damaged{sum, errForm}
				}
				part := pages[from:to]
				part = part[:min(int64(len(part)), r.Files[p.file].Size-p.at*PageSize)]
				if _, err := files[p.file].WriteAt(part, p.at*PageSize); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}
