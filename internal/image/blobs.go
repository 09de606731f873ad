package image

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/image/oci"
	"praxis/internal/safetext"
)

// blobDir holds the layers of container images as they came, each called by its SHA-256:
// they are exported the same, travel with sessions, and are not fetched twice. One whose
// name ends in partial came in part: the next pull goes on behind it.
const (
	blobDir = "blobs"
	partial = ".part"
)

// blobTries is how often a connection that broke is made again, when something came of it.
const blobTries = 5

func (s *Store) blobPath(hex string) string { return filepath.Join(s.dir, blobDir, hex) }

// hasBlob says whether a blob is there, without reading it.
func (s *Store) hasBlob(d oci.Descriptor) bool {
	st, err := os.Lstat(s.blobPath(d.Hex()))
	return err == nil && st.Mode().IsRegular() && st.Size() == d.Size
}

// takeBlob gets a blob, unless it is there.
func (s *Store) takeBlob(ctx context.Context, src oci.Source, d oci.Descriptor, say progress) error {
	if s.hasBlob(d) {
		return nil
	}
	locked, err := s.lock(ctx, "blob-"+d.Hex(), say)
	if err != nil {
		return err
	}
	defer locked.release()
	if s.hasBlob(d) {
		return nil
	}
	part := s.blobPath(d.Hex()) + partial
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("cannot keep a layer: %w", err)
	}
	defer func() { _ = f.Close() }()
	if err := fillBlob(ctx, f, src, d); err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close(), os.Rename(part, s.blobPath(d.Hex()))); err != nil {
		return fmt.Errorf("cannot keep a layer: %w", err)
	}
	return nil
}

// fillBlob writes what is missing of a blob. What is there of it is read first: that it is
// the beginning is only known at the end, and one that was damaged is begun anew.
func fillBlob(ctx context.Context, f *os.File, src oci.Source, d oci.Descriptor) error {
	sum := sha256.New()
	there, err := io.Copy(sum, f)
	if err != nil {
		return fmt.Errorf("cannot keep a layer: %w", err)
	}
	again := there > 0
	if there > d.Size {
		if there, err = 0, startAgain(f, sum); err != nil {
			return err
		}
	}
	for try := 0; ; {
		n, err := appendBlob(ctx, f, sum, src, d, there)
		there += n
		switch {
		case err == nil && "sha256:"+hex.EncodeToString(sum.Sum(nil)) == d.Digest:
			return nil
		case err == nil:
			if cleared := startAgain(f, sum); cleared != nil || !again {
				return errors.Join(cleared, oci.WrongDigest(d))
			}
			there, again = 0, false
		case fault.KindOf(err) != fault.Unavailable || n == 0 || try+1 >= blobTries:
			return err
		default:
			try++
		}
	}
}

func startAgain(f *os.File, sum hash.Hash) error {
	sum.Reset()
	_, err := f.Seek(0, io.SeekStart)
	if err = errors.Join(err, f.Truncate(0)); err != nil {
		return fmt.Errorf("cannot keep a layer: %w", err)
	}
	return nil
}

// appendBlob writes the bytes of a blob from an offset on.
func appendBlob(ctx context.Context, f *os.File, sum hash.Hash, src oci.Source, d oci.Descriptor, from int64) (int64, error) {
	if from == d.Size {
		return 0, nil
	}
	r, err := src.Open(ctx, d, from)
	if err != nil {
		return 0, err
	}
	n, err := io.CopyBuffer(io.MultiWriter(f, sum), io.LimitReader(untilDone(ctx, r), d.Size-from), make([]byte, 1<<20))
	if err = errors.Join(err, r.Close()); err == nil && n < d.Size-from {
		err = fault.New(fault.Unavailable, "Try again: what came is kept.", "cannot get a layer: it ended after %s of %s", safetext.Size(from+n), safetext.Size(d.Size))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) && fault.KindOf(err) == fault.Internal {
		err = fault.New(fault.Unavailable, "Try again: what came is kept.", "cannot get a layer: %w", err)
	}
	return n, err
}

// untilDone reads until the context is done.
func untilDone(ctx context.Context, r io.Reader) io.Reader {
	return bounded.ReaderFunc(func(p []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return r.Read(p)
	})
}

// unpackLayer unpacks a layer whose blob is there, and compares what it unpacks to with
// the digest that the configuration of the image has.
func (s *Store) unpackLayer(ctx context.Context, u *oci.Unpacker, d oci.Descriptor, diffID string) error {
	f, err := os.Open(s.blobPath(d.Hex()))
	if err != nil {
		return fmt.Errorf("cannot read a layer: %w", err)
	}
	defer func() { _ = f.Close() }()
	r, err := oci.Decompress(f)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	sum := sha256.New()
	if err := u.Layer(ctx, io.TeeReader(r, sum), d.Size); err != nil {
		return err
	}
	if got := "sha256:" + hex.EncodeToString(sum.Sum(nil)); got != diffID {
		return fault.New(fault.Conflict, "Get the image again from where it comes from.", "cannot use the image: its layer %s unpacks to something else than it says", d.Digest)
	}
	return nil
}

// dropDamaged removes the blobs of an image that are not what they are called.
func (s *Store) dropDamaged(layers []oci.Descriptor) (damaged bool, err error) {
	for _, d := range layers {
		sum, _, err := hashFile(s.blobPath(d.Hex()))
		if errors.Is(err, fs.ErrNotExist) || err == nil && sum == d.Hex() {
			continue
		}
		if err := errors.Join(err, os.Remove(s.blobPath(d.Hex()))); err != nil {
			return damaged, err
		}
		damaged = true
	}
	return damaged, nil
}
