// Package chunks keeps folders of large files small that have most of their content
// in common, such as the saved states of one session: their memory is the same but
// for some hundred pages.
//
// # What is stored
//
// A file is a row of pages of 4 KiB. Pages that no known chunk has are put together
// into chunks of up to 64, compressed (zstd), and written to a file that is named by
// the SHA-256 of its bytes. A [Recipe] says of which pages of which chunks the files
// of a folder are made. A page of zeros is in no chunk and costs nothing.
//
// The pages are those of the guest's memory. Measured with states of a session that
// had imported pandas, 58 MB each, one after another: blocks of 64 KiB left 34 to 57 MB
// new a step, of 16 KiB up to 56 MB, chunks cut by their content 6 to 13 MB (of 16 KiB on
// average), and pages 1.3 to 3.9 MB, since a saved state has its pages in another order
// than the one before. A page for itself compresses worse than 64 of them, by a
// fifth, and needs a file for itself; hence chunks of many.
//
// # What is shared
//
// Chunks are searched for pages by the relatives of a folder, which its caller names:
// what it was made from, and others of the same origin. Each chunk begins with the
// hashes of its pages; it is believed once the whole file has the hash that is its
// name, so that a chunk that rotted is written again instead of being referred to.
// A chunk of which a folder needs less than a quarter is not referred to either:
// its few pages are stored once more. Nor are many chunks of a few pages, which small
// steps leave: they are joined. So what lies on disk is bounded by what is
// needed of it, however long a session goes on, and so is the reading for a restore.
//
// # What is believed
//
// Nothing. What [Store.Unpack] wrote is what was packed only if the caller compares
// it with a hash that it has from elsewhere, as the sealed descriptions of snapshots
// have. The hashes of chunks say early, and in words, what is damaged.
package chunks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"
)

const (
	// PageSize is the unit of what is shared.
	PageSize = 4096
	// chunkPages is how many pages a chunk has at most.
	chunkPages = 64
	// needed is the part of a chunk that a folder must need to refer to it: one in needed.
	needed = 4
	// A chunk of less than smallPages is small. Those of a folder are joined when they
	// are more than maxSmall.
	smallPages = 16
	maxSmall   = 16
	// chunkMagic begins the file of a chunk.
	chunkMagic = "PRXCHNK1"
	// maxChunk bounds the file of a chunk: pages that do not compress grow a little.
	maxChunk = len(chunkMagic) + 16 + chunkPages*(sha256.Size+PageSize) + 4096
)

// Sum names a chunk: the SHA-256 of its file.
type Sum [sha256.Size]byte

// String returns the name of the chunk's file.
func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// parseSum reads the name of a chunk's file.
func parseSum(name string) (s Sum, ok bool) {
	b, err := hex.DecodeString(name)
	return Sum(append(b, s[:]...)[:len(s)]), err == nil && len(b) == len(s) && strings.ToLower(name) == name
}

// Damaged says which chunk is missing, or is not what was written.
type Damaged struct {
	Chunk Sum
	Err   error
}

// Error names the chunk.
func (d *Damaged) Error() string { return fmt.Sprintf("chunk %.12s: %v", d.Chunk, d.Err) }

// Unwrap returns Err.
func (d *Damaged) Unwrap() error { return d.Err }

// Store is a folder of chunks. Its methods are safe for concurrent use, by several
// processes. Who packs or unpacks sees to it that nobody sweeps meanwhile.
type Store struct {
	dir     string
	prefix  string // of the names of files that are being written
	workers int
	encode  *zstd.Encoder
	decode  *zstd.Decoder
}

// Open makes a store of the folder dir. The names of unfinished files begin with prefix.
func Open(dir, prefix string, workers int) (*Store, error) {
	encode, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(workers), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	decode, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(workers), zstd.WithDecoderMaxMemory(chunkPages*PageSize))
	return &Store{dir, prefix, workers, encode, decode}, err
}

// chunk is what the file of a chunk holds.
type chunk struct {
	pages  [][sha256.Size]byte // hashes
	packed []byte
}

// encodeChunk writes pages, and their hashes before them.
func (s *Store) encodeChunk(hashes [][sha256.Size]byte, pages []byte) []byte {
	b := binary.AppendUvarint([]byte(chunkMagic), uint64(len(hashes)))
	for _, h := range hashes {
		b = append(b, h[:]...)
	}
	return s.encode.EncodeAll(pages, b)
}

// errForm is the error for bytes that are none of ours.
var errForm = errors.New("it is not what was written")

// parseChunk reads what encodeChunk wrote, whoever wrote it.
func parseChunk(b []byte) (c chunk, err error) {
	b, ok := bytes.CutPrefix(b, []byte(chunkMagic))
	n, size := binary.Uvarint(b)
	if !ok || size <= 0 || n == 0 || n > chunkPages || len(b)-size < int(n)*sha256.Size {
		return chunk{}, errForm
	}
	b = b[size:]
	for range n {
		c.pages = append(c.pages, [sha256.Size]byte(b))
		b = b[sha256.Size:]
	}
	c.packed = b
	return c, nil
}

// content decompresses the pages of a chunk into buf, whose capacity is that of a whole chunk.
func (s *Store) content(c chunk, buf []byte) ([]byte, error) {
	out, err := s.decode.DecodeAll(c.packed, buf[:0])
	if err == nil && len(out) != len(c.pages)*PageSize {
		err = errForm
	}
	return out, err
}

// read returns a chunk whose file has the hash that is its name. Otherwise it is *Damaged.
func (s *Store) read(sum Sum) (chunk, error) {
	b, err := readFile(filepath.Join(s.dir, sum.String()))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return chunk{}, &Damaged{sum, errors.New("it is missing")}
	case errors.Is(err, errForm):
		return chunk{}, &Damaged{sum, err}
	case err != nil:
		return chunk{}, err
	case sha256.Sum256(b) != sum:
		return chunk{}, &Damaged{sum, errForm}
	}
	c, err := parseChunk(b)
	if err != nil {
		return chunk{}, &Damaged{sum, err}
	}
	return c, nil
}

// readFile reads the file of a chunk, all at once: there are hundreds to be read.
func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // to open a pipe waits for a writer
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > int64(maxChunk) {
		return nil, errForm
	}
	b := make([]byte, info.Size())
	_, err = io.ReadFull(f, b)
	if errors.Is(err, io.ErrUnexpectedEOF) { // somebody cuts it
		err = errForm
	}
	return b, err
}

// write stores a chunk for good, in the place of what has its name and is damaged.
func (s *Store) write(b []byte) (Sum, error) {
	sum := Sum(sha256.Sum256(b))
	f, err := os.CreateTemp(s.dir, s.prefix)
	if err != nil {
		return sum, err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(s.dir, sum.String()))
	}
	if err != nil {
		return sum, errors.Join(err, os.Remove(f.Name()))
	}
	return sum, nil
}

// Sizes returns the chunks that there are, and the bytes of their files.
func (s *Store) Sizes() (map[Sum]int64, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	out := map[Sum]int64{}
	for _, e := range entries {
		sum, ok := parseSum(e.Name())
		if !ok {
			continue // a lock, or not finished
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		out[sum] = info.Size()
	}
	return out, nil
}

// Sweep removes the chunks that are not used. The caller sees to it that nobody packs
// meanwhile: what is being packed is not referred to yet.
func (s *Store) Sweep(ctx context.Context, used func(Sum) bool) error {
	all, err := s.Sizes()
	if err != nil {
		return err
	}
	for sum := range all {
		if used(sum) {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := os.Remove(filepath.Join(s.dir, sum.String()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
