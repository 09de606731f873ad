// Package sessionfile is the file in which a named session travels from one data folder
// to another: a tar archive, compressed with Zstandard. Its first entry is a description,
// which lists all others with their sizes and SHA-256 digests, in their order. A reader
// checks every entry against that list, so that what is not whole is refused, not used.
//
// What the file holds is trusted as little as anything from elsewhere: who wrote it is
// not known. It says so much as "this state, made by this version, of this image".
package sessionfile

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"

	"praxis/fault"
	"praxis/internal/bounded"
)

const (
	format          = 1
	descriptionName = "session.json"
	maxDescription  = 16 << 20
	maxEntries      = 1 << 16
	maxWindow       = 64 << 20 // bytes that a reader's memory may have to hold
)

// Entry is one entry beside the description.
type Entry struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// description is the first entry.
type description struct {
	Format  int             `json:"format"`
	Body    json.RawMessage `json:"body"` // what the session is
	Entries []Entry         `json:"entries"`
}

// Source is an entry that is to be written.
type Source struct {
	Name string
	Open func() (io.ReadCloser, error) // it is read twice
}

// Write writes a session file: body, as JSON, and the sources.
func Write(w io.Writer, body any, sources []Source) error {
	d := description{Format: format}
	var err error
	if d.Body, err = json.Marshal(body); err != nil {
		return fmt.Errorf("cannot describe the session: %w", err)
	}
	for _, s := range sources {
		e, err := measure(s)
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", s.Name, err)
		}
		d.Entries = append(d.Entries, e)
	}
	text, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("cannot describe the session: %w", err)
	}
	z, err := zstd.NewWriter(w, zstd.WithWindowSize(8<<20))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	err = add(t, descriptionName, int64(len(text)), func(w io.Writer) error { _, err := w.Write(text); return err })
	for i, s := range sources {
		if err != nil {
			break
		}
		err = add(t, s.Name, d.Entries[i].Size, func(w io.Writer) error { return copyFrom(w, s, d.Entries[i].Size) })
	}
	return errors.Join(err, t.Close(), z.Close())
}

// measure reads a source to its end.
func measure(s Source) (Entry, error) {
	r, err := s.Open()
	if err != nil {
		return Entry{}, err
	}
	h := sha256.New()
	n, err := io.Copy(h, r)
	return Entry{Name: s.Name, Size: n, SHA256: hex.EncodeToString(h.Sum(nil))}, errors.Join(err, r.Close())
}

func copyFrom(w io.Writer, s Source, size int64) error {
	r, err := s.Open()
	if err != nil {
		return err
	}
	_, err = io.CopyN(w, r, size)
	return errors.Join(err, r.Close())
}

func add(t *tar.Writer, name string, size int64, write func(io.Writer) error) error {
	h := &tar.Header{Format: tar.FormatPAX, Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: time.Unix(0, 0)}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	return write(t)
}

// Reader reads a session file. Close it when it is done.
type Reader struct {
	z       *zstd.Decoder
	tar     *tar.Reader
	entries []Entry
	next    int
	current *checked
}

// Open reads the description, with the session's into body. What is no session file is a
// fault.Invalid, and fault.Conflict one of another format.
func Open(r io.Reader, body any) (*Reader, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, unreadable(err)
	}
	out := &Reader{z: z, tar: tar.NewReader(z)}
	if err := out.open(body); err != nil {
		z.Close()
		return nil, err
	}
	return out, nil
}

func (r *Reader) open(body any) error {
	h, err := r.tar.Next()
	if err != nil {
		return unreadable(err)
	}
	if h.Name != descriptionName || h.Typeflag != tar.TypeReg {
		return unreadable(errors.New("it does not begin with a description"))
	}
	text, err := bounded.Read(r.tar, maxDescription)
	if err != nil {
		return unreadable(err)
	}
	var d description
	if err := json.Unmarshal(text, &d); err != nil {
		return unreadable(err)
	}
	if d.Format != format {
		return fault.New(fault.Conflict, "Use the version of Praxis that wrote it.", "cannot read the session file: it has format %d, this version reads %d", d.Format, format)
	}
	if len(d.Entries) > maxEntries {
		return unreadable(fmt.Errorf("it lists %d entries", len(d.Entries)))
	}
	for _, e := range d.Entries {
		if e.Size < 0 || len(e.SHA256) != hex.EncodedLen(sha256.Size) {
			return unreadable(fmt.Errorf("what it lists of %.80q is damaged", e.Name))
		}
	}
	if err := json.Unmarshal(d.Body, body); err != nil {
		return unreadable(err)
	}
	r.entries = d.Entries
	return nil
}

func unreadable(err error) error {
	return fault.New(fault.Invalid, "Name a file that was written by a session's export, and get it again if it was cut off.", "cannot read the session file: %w", err)
}

// Entries lists the entries, in the order in which they must be read.
func (r *Reader) Entries() []Entry { return r.entries }

// Next returns the next entry and what it holds. Reading that ends with a fault.Conflict
// when it is not what the description says; the one before must have been read whole.
func (r *Reader) Next() (Entry, io.Reader, error) {
	if r.current != nil && !r.current.whole {
		return Entry{}, nil, damaged(r.current.entry, "it was not read whole")
	}
	if r.next == len(r.entries) {
		return Entry{}, nil, io.EOF
	}
	e := r.entries[r.next]
	r.next++
	h, err := r.tar.Next()
	if err != nil {
		return Entry{}, nil, damaged(e, err.Error())
	}
	if h.Name != e.Name || h.Typeflag != tar.TypeReg || h.Size != e.Size {
		return Entry{}, nil, damaged(e, "another entry is in its place")
	}
	r.current = &checked{r: r.tar, h: sha256.New(), entry: e}
	return e, r.current, nil
}

// Close gives up the reader's memory.
func (r *Reader) Close() { r.z.Close() }

func damaged(e Entry, why string) error {
	return fault.New(fault.Conflict, "Export the session again, or get the file again.", "cannot read the session file: %.200q is damaged: %s", e.Name, why)
}

// checked is the content of an entry, compared with its digest at the end.
type checked struct {
	r     io.Reader
	h     hash.Hash
	entry Entry
	whole bool
}

// Read reads a piece.
func (c *checked) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	_, _ = c.h.Write(p[:n])
	if err == nil || !errors.Is(err, io.EOF) {
		if err != nil {
			err = damaged(c.entry, err.Error())
		}
		return n, err
	}
	if got := hex.EncodeToString(c.h.Sum(nil)); got != c.entry.SHA256 {
		return n, damaged(c.entry, "it is not what the description says")
	}
	c.whole = true
	return n, io.EOF
}
