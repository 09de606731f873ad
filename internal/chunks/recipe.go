package chunks

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"strings"
)

const (
	// recipeMagic begins a recipe.
	recipeMagic = "PRXRECP1"
	// MaxRecipe bounds the bytes of a recipe: those of a state of 100 GB in which no two
	// pages stand together.
	MaxRecipe = 256 << 20
	// maxFiles bounds the files of a folder that is packed.
	maxFiles = 64
	// maxSize bounds a file.
	maxSize = 1 << 44
)

// Recipe says of what the files of a folder are made.
type Recipe struct {
	Chunks []Sum
	Files  []File
}

// File is a file of a folder.
type File struct {
	Name string
	Size int64
	Runs []Run
}

// Run is a row of pages: of a chunk, one after another, or of zeros.
type Run struct {
	Chunk int // index in Recipe.Chunks; -1: zeros
	First int // page of the chunk
	Pages int64
}

// Bytes returns the size of all files together.
func (r Recipe) Bytes() (n int64) {
	for _, f := range r.Files {
		n += f.Size
	}
	return n
}

// Encode writes the recipe.
func (r Recipe) Encode() []byte {
	b := binary.AppendUvarint([]byte(recipeMagic), uint64(len(r.Chunks)))
	for _, c := range r.Chunks {
		b = append(b, c[:]...)
	}
	b = binary.AppendUvarint(b, uint64(len(r.Files)))
	for _, f := range r.Files {
		b = binary.AppendUvarint(b, uint64(len(f.Name)))
		b = append(b, f.Name...)
		b = binary.AppendUvarint(b, uint64(f.Size))
		for _, run := range f.Runs {
			b = binary.AppendUvarint(b, uint64(run.Pages))
			b = binary.AppendUvarint(b, uint64(run.Chunk+1))
			if run.Chunk >= 0 {
				b = binary.AppendUvarint(b, uint64(run.First))
			}
		}
	}
	return b
}

// reader takes a recipe apart. After the first mistake it returns zeros.
type reader struct {
	b   []byte
	bad bool
}

// number reads a number of at most most.
func (r *reader) number(most uint64) uint64 {
	n, size := binary.Uvarint(r.b)
	if r.bad || size <= 0 || n > most {
		r.bad = true
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *reader) take(n int) []byte {
	if r.bad || n > len(r.b) {
		r.bad = true
		return make([]byte, n)
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

// ParseRecipe reads what Encode wrote, whoever wrote it: names lead nowhere, and runs
// cover each file exactly.
func ParseRecipe(b []byte) (Recipe, error) {
	b, ok := bytes.CutPrefix(b, []byte(recipeMagic))
	r := &reader{b: b, bad: !ok}
	var out Recipe
	for range r.number(uint64(len(b) / len(Sum{}))) {
		out.Chunks = append(out.Chunks, Sum(r.take(len(Sum{}))))
	}
	seen := map[string]bool{}
	for range r.number(maxFiles) {
		f := File{Name: string(r.take(int(r.number(255))))}
		f.Size = int64(r.number(maxSize))
		if f.Name != filepath.Base(f.Name) || strings.HasPrefix(f.Name, ".") || strings.ContainsRune(f.Name, 0) || seen[f.Name] {
			r.bad = true
		}
		seen[f.Name] = true
		for left := pagesOf(f.Size); left > 0 && !r.bad; {
			run := Run{Pages: int64(r.number(uint64(left)))}
			if run.Chunk = int(r.number(uint64(len(out.Chunks)))) - 1; run.Chunk >= 0 {
				run.First = int(r.number(chunkPages - 1))
				r.bad = r.bad || int64(run.First)+run.Pages > chunkPages
			}
			r.bad = r.bad || run.Pages == 0
			left -= run.Pages
			f.Runs = append(f.Runs, run)
		}
		out.Files = append(out.Files, f)
	}
	if r.bad || len(r.b) > 0 {
		return Recipe{}, errForm
	}
	return out, nil
}

// pagesOf returns how many pages a file of that size has; the last may be short.
func pagesOf(size int64) int64 { return (size + PageSize - 1) / PageSize }
