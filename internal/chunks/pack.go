package chunks

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"praxis/internal/atomicfile"
)

// place is where a page is: in which chunk of a recipe, and where in it.
type place struct{ chunk, page int }

// packing is one Pack.
type packing struct {
	*Store
	files  []*os.File
	sizes  []int64
	hashes [][][sha256.Size]byte // of every page, by file
	zero   [sha256.Size]byte
	chunks []Sum
	lens   []int // pages of each of chunks
	known  map[[sha256.Size]byte]place
}

// Pack stores the files of a folder, which do not change meanwhile, and returns how
// they are made again. Chunks of the relatives are used. When it returns, what it
// stored is on disk for good.
func (s *Store) Pack(ctx context.Context, folder string, relatives ...Recipe) (Recipe, error) {
	p := &packing{Store: s, known: map[[sha256.Size]byte]place{}, zero: sha256.Sum256(make([]byte, PageSize))}
	defer func() {
		for _, f := range p.files {
			_ = f.Close()
		}
	}()
	if err := p.open(folder); err != nil {
		return Recipe{}, err
	}
	if err := p.learn(ctx, relatives); err != nil {
		return Recipe{}, err
	}
	for i := range p.files {
		if err := p.hash(ctx, i); err != nil {
			return Recipe{}, err
		}
	}
	if err := p.store(ctx, p.missing()); err != nil {
		return Recipe{}, err
	}
	return p.recipe(), atomicfile.Sync(s.dir)
}

func (p *packing) open(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	if len(entries) > maxFiles {
		return fmt.Errorf("%s has %d files, more than %d", folder, len(entries), maxFiles)
	}
	for _, e := range entries {
		f, err := os.Open(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		p.files = append(p.files, f)
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() || info.Size() > maxSize {
			return fmt.Errorf("%s is no file that can be packed", f.Name())
		}
		p.sizes = append(p.sizes, info.Size())
		p.hashes = append(p.hashes, make([][sha256.Size]byte, pagesOf(info.Size())))
	}
	return nil
}

// learn reads which pages the chunks of the relatives have. A damaged one has none.
func (p *packing) learn(ctx context.Context, relatives []Recipe) error {
	seen := map[Sum]bool{}
	for _, r := range relatives {
		for _, sum := range r.Chunks {
			if !seen[sum] {
				seen[sum] = true
				p.chunks = append(p.chunks, sum)
			}
		}
	}
	found := make([]chunk, len(p.chunks))
	g, ctx := p.group(ctx)
	for i, sum := range p.chunks {
		g.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			c, err := p.read(sum)
			if errors.As(err, new(*Damaged)) {
				return nil
			}
			c.packed = nil
			found[i] = c
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	p.lens = make([]int, len(found))
	for i, c := range found {
		p.lens[i] = len(c.pages)
		for n, h := range c.pages {
			if _, ok := p.known[h]; !ok {
				p.known[h] = place{i, n}
			}
		}
	}
	return nil
}

func (s *Store) group(ctx context.Context) (*errgroup.Group, context.Context) {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(s.workers)
	return g, ctx
}

// window is how many pages are read at once: no more than a processor keeps near.
const window = chunkPages

// hash hashes the pages of file i.
func (p *packing) hash(ctx context.Context, i int) error {
	g, ctx := p.group(ctx)
	buffers := pageBuffers()
	for first := 0; first < len(p.hashes[i]); first += window {
		g.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			out := p.hashes[i][first:min(first+window, len(p.hashes[i]))]
			space := buffers.Get().(*[]byte)
			defer buffers.Put(space)
			buf := (*space)[:len(out)*PageSize]
			clear(buf[max(0, len(buf)-PageSize):]) // the last page may be short
			if err := p.page(i, first, buf); err != nil {
				return err
			}
			for n := range out {
				out[n] = sha256.Sum256(buf[n*PageSize : (n+1)*PageSize])
			}
			return nil
		})
	}
	return g.Wait()
}

// page reads pages of file i. What is behind its end is zeros.
func (p *packing) page(i, first int, buf []byte) error {
	n, err := p.files[i].ReadAt(buf, int64(first)*PageSize)
	if errors.Is(err, io.EOF) && int64(first)*PageSize+int64(n) == p.sizes[i] {
		err = nil
	}
	return err
}

// source is where a page can be read: in which file, and where in it.
type source struct{ file, page int }

// missing returns the pages that no chunk has that is worth to be referred to, each
// once. Those that a chunk has stand behind the others: they stayed for longer, and
// share their chunks with their like.
func (p *packing) missing() []source {
	uses := make([]int, len(p.chunks))
	counted := map[[sha256.Size]byte]bool{}
	each := func(f func(h [sha256.Size]byte, at source)) {
		for i, pages := range p.hashes {
			for n, h := range pages {
				if h != p.zero {
					f(h, source{i, n})
				}
			}
		}
	}
	each(func(h [sha256.Size]byte, _ source) {
		if at, ok := p.known[h]; ok && !counted[h] {
			counted[h] = true
			uses[at.chunk]++
		}
	})
	worth := p.worth(uses)
	var fresh, old []source
	taken := map[[sha256.Size]byte]bool{}
	each(func(h [sha256.Size]byte, from source) {
		at, ok := p.known[h]
		switch {
		case ok && worth[at.chunk] || taken[h]:
			return
		case ok:
			old = append(old, from)
		default:
			fresh = append(fresh, from)
		}
		taken[h] = true
	})
	return append(fresh, old...)
}

// worth says of each chunk whether it is referred to, when so many of its pages are used.
func (p *packing) worth(uses []int) []bool {
	out := make([]bool, len(uses))
	small := 0
	for i, n := range uses {
		out[i] = n > 0 && n*needed >= p.lens[i]
		if out[i] && p.lens[i] < smallPages {
			small++
		}
	}
	for i := range out {
		out[i] = out[i] && (small <= maxSmall || p.lens[i] >= smallPages)
	}
	return out
}

// store writes pages into new chunks and notes where they are.
func (p *packing) store(ctx context.Context, pages []source) error {
	number := (len(pages) + chunkPages - 1) / chunkPages
	sums := make([]Sum, number)
	g, ctx := p.group(ctx)
	for n := range number {
		g.Go(func() (err error) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			part := pages[n*chunkPages : min((n+1)*chunkPages, len(pages))]
			buf := make([]byte, len(part)*PageSize)
			hashes := make([][sha256.Size]byte, len(part))
			for i, from := range part {
				if err := p.page(from.file, from.page, buf[i*PageSize:(i+1)*PageSize]); err != nil {
					return err
				}
				hashes[i] = p.hashes[from.file][from.page]
			}
			sums[n], err = p.write(p.encodeChunk(hashes, buf))
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, from := range pages {
		p.known[p.hashes[from.file][from.page]] = place{len(p.chunks) + i/chunkPages, i % chunkPages}
	}
	p.chunks = append(p.chunks, sums...)
	return nil
}

// recipe writes down where the pages are. Chunks that are not needed are left out.
func (p *packing) recipe() (out Recipe) {
	number := map[int]int{}
	for i, f := range p.files {
		file := File{Name: filepath.Base(f.Name()), Size: p.sizes[i]}
		for _, h := range p.hashes[i] {
			next := Run{Chunk: -1, Pages: 1}
			if h != p.zero {
				at := p.known[h]
				n, ok := number[at.chunk]
				if !ok {
					n = len(out.Chunks)
					number[at.chunk] = n
					out.Chunks = append(out.Chunks, p.chunks[at.chunk])
				}
				next.Chunk, next.First = n, at.page
			}
			if last := len(file.Runs) - 1; last >= 0 && file.Runs[last].before(next) {
				file.Runs[last].Pages++
				continue
			}
			file.Runs = append(file.Runs, next)
		}
		out.Files = append(out.Files, file)
	}
	return out
}

// before says whether the page next goes on where the run ends.
func (r Run) before(next Run) bool {
	return r.Chunk == next.Chunk && (r.Chunk < 0 || int64(r.First)+r.Pages == int64(next.First))
}
