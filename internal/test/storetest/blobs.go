package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"praxis/fault"
	"praxis/internal/store"
)

// Blobs is the exam of [store.Blobs]. make returns empty blobs.
func Blobs(t *testing.T, make func(t *testing.T) store.Blobs) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, b store.Blobs)
	}{
		{"put and open", blobsPut},
		{"the same twice", blobsTwice},
		{"bad names", blobsBadNames},
		{"removed", blobsRemoved},
		{"a source that breaks", blobsBroken},
		{"cancelled", blobsCancelled},
		{"many goroutines", blobsConcurrent},
		{"only what is unused", blobsUnused},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, make(t)) })
	}
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// noise returns bytes that repeat for a seed.
func noise(seed uint64, n int) []byte {
	data := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	r.Read(data)
	return data
}

func put(t *testing.T, b store.Blobs, data []byte) store.Blob {
	t.Helper()
	blob, err := b.Put(context.Background(), bytes.NewReader(data))
	must(t, err, "put")
	if blob.SHA256 != sumOf(data) || blob.Bytes != int64(len(data)) {
		t.Fatalf("put of %d bytes returned %+v", len(data), blob)
	}
	return blob
}

func holds(t *testing.T, b store.Blobs, data []byte) {
	t.Helper()
	r, err := b.Open(context.Background(), sumOf(data))
	must(t, err, "open")
	defer r.Close()
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("got %d bytes and %v, want %d", len(got), err, len(data))
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("a read after the end: %d %v", n, err)
	}
}

// all returns what is stored, by name.
func all(t *testing.T, b store.Blobs) map[string]store.Blob {
	t.Helper()
	got := map[string]store.Blob{}
	for blob, err := range b.All(context.Background()) {
		must(t, err, "all")
		if _, twice := got[blob.SHA256]; twice {
			t.Errorf("%s is listed twice", blob.SHA256)
		}
		got[blob.SHA256] = blob
	}
	return got
}

func blobsPut(t *testing.T, b store.Blobs) {
	if got := all(t, b); len(got) != 0 {
		t.Errorf("empty blobs have %v", got)
	}
	began := time.Now()
	// The sizes are about those at which an implementation may change its mind.
	sizes := []int{0, 1, 2048, 64<<10 - 1, 64 << 10, 1<<20 - 1, 1 << 20, 1<<20 + 1, 1<<20 + 256<<10, 3 << 20}
	for _, n := range sizes {
		put(t, b, noise(1, n))
	}
	for _, n := range sizes {
		holds(t, b, noise(1, n))
	}
	got := all(t, b)
	for _, n := range sizes {
		blob := got[sumOf(noise(1, n))]
		// File systems keep coarse times.
		if age := began.Sub(blob.Stored); blob.Bytes != int64(n) || age > 5*time.Second || age < -time.Minute {
			t.Errorf("%d bytes are listed as %+v", n, blob)
		}
	}
	if len(got) != len(sizes) {
		t.Errorf("%d blobs, want %d", len(got), len(sizes))
	}
	// However the source gives its bytes, they are the same.
	for name, r := range map[string]io.Reader{
		"one byte at a time": iotest.OneByteReader(bytes.NewReader(noise(2, 70_000))),
		"half":               iotest.HalfReader(bytes.NewReader(noise(2, 70_000))),
		"data with the end":  iotest.DataErrReader(bytes.NewReader(noise(2, 70_000))),
	} {
		blob, err := b.Put(context.Background(), r)
		if err != nil || blob.SHA256 != sumOf(noise(2, 70_000)) {
			t.Errorf("%s: %+v %v", name, blob, err)
		}
	}
	r, err := b.Open(context.Background(), sumOf(noise(1, 3<<20)))
	must(t, err, "open")
	if _, err := io.ReadFull(r, make([]byte, 10)); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("close of what was read in part: %v", err)
	}
}

func blobsTwice(t *testing.T, b store.Blobs) {
	for _, n := range []int{10, 2 << 20} {
		first := put(t, b, noise(3, n))
		before := all(t, b)[first.SHA256]
		put(t, b, noise(3, n))
		after := all(t, b)
		if len(after) == 0 || after[first.SHA256].Stored.Before(before.Stored) || after[first.SHA256].Bytes != int64(n) {
			t.Errorf("before %+v, after %+v", before, after[first.SHA256])
		}
		holds(t, b, noise(3, n))
	}
}

func blobsBadNames(t *testing.T, b store.Blobs) {
	ctx := context.Background()
	good := put(t, b, []byte("x")).SHA256
	for _, sum := range []string{
		"", "x", good[:63], good + "0", strings.ToUpper(good), strings.Repeat("g", 64), "../" + good[3:], strings.Repeat(".", 64), good[:63] + "\x00",
	} {
		_, err := b.Open(ctx, sum)
		want(t, err, fault.Invalid, fmt.Sprintf("open %q", sum))
		want(t, b.Remove(ctx, sum), fault.Invalid, fmt.Sprintf("remove %q", sum))
	}
	_, err := b.Open(ctx, sumOf([]byte("absent")))
	want(t, err, fault.NotFound, "open what is absent")
	holds(t, b, []byte("x"))
}

func blobsRemoved(t *testing.T, b store.Blobs) {
	ctx := context.Background()
	must(t, b.Remove(ctx, sumOf([]byte("absent"))), "remove what is absent")
	blob := put(t, b, []byte("short lived"))
	put(t, b, []byte("stays"))
	r, err := b.Open(ctx, blob.SHA256)
	must(t, err, "open")
	defer r.Close()
	must(t, b.Remove(ctx, blob.SHA256), "remove")
	must(t, b.Remove(ctx, blob.SHA256), "remove twice")
	_, err = b.Open(ctx, blob.SHA256)
	want(t, err, fault.NotFound, "open what was removed")
	if got := slices.Collect(maps.Keys(all(t, b))); !slices.Equal(got, []string{sumOf([]byte("stays"))}) {
		t.Errorf("left: %v", got)
	}
	put(t, b, []byte("short lived"))
	holds(t, b, []byte("short lived"))
}

func blobsBroken(t *testing.T, b store.Blobs) {
	broken := errors.New("the source broke")
	for _, cause := range []error{broken, io.ErrUnexpectedEOF} {
		for _, n := range []int{0, 10, 1 << 20, 2 << 20} {
			_, err := b.Put(context.Background(), io.MultiReader(bytes.NewReader(noise(4, n)), iotest.ErrReader(cause)))
			if !errors.Is(err, cause) {
				t.Errorf("after %d bytes: got %v, want %v", n, err, cause)
			}
		}
	}
	if got := all(t, b); len(got) != 0 {
		t.Errorf("a broken source left %v", got)
	}
}

// endless gives bytes until the caller gives up.
type endless struct {
	after  int
	cancel func()
}

func (e *endless) Read(p []byte) (int, error) {
	if e.after -= len(p); e.after < 0 {
		e.cancel()
	}
	return len(p), nil
}

func blobsCancelled(t *testing.T, b store.Blobs) {
	ctx := gone()
	blob := put(t, b, []byte("x"))
	_, err := b.Put(ctx, strings.NewReader("y"))
	refused(t, err, "put")
	_, err = b.Open(ctx, blob.SHA256)
	refused(t, err, "open")
	refused(t, b.Remove(ctx, blob.SHA256), "remove")
	err = nil
	for _, e := range b.All(ctx) {
		err = e
	}
	refused(t, err, "all")
	for _, after := range []int{100, 3 << 20} {
		ctx, cancel := context.WithCancel(context.Background())
		_, err = b.Put(ctx, &endless{after: after, cancel: cancel})
		refused(t, err, "put of what has no end")
		cancel()
	}
	if got := all(t, b); len(got) != 1 {
		t.Errorf("left: %v", got)
	}
}

func blobsConcurrent(t *testing.T, b store.Blobs) {
	sizes := []int{100, 5000, 1<<20 + 7}
	var wg sync.WaitGroup
	for w := range 6 {
		wg.Go(func() {
			for i := range 5 {
				data := noise(uint64(i), sizes[(i+w)%len(sizes)])
				blob, err := b.Put(context.Background(), bytes.NewReader(data))
				if err != nil || blob.SHA256 != sumOf(data) {
					t.Errorf("put: %v", err)
					return
				}
				r, err := b.Open(context.Background(), blob.SHA256)
				if err != nil {
					t.Errorf("open: %v", err)
					return
				}
				got, err := io.ReadAll(r)
				r.Close()
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("read %d bytes and %v", len(got), err)
				}
			}
		})
	}
	wg.Wait()
	if got := all(t, b); len(got) != 15 {
		t.Errorf("%d blobs, want 15", len(got))
	}
}

func blobsUnused(t *testing.T, b store.Blobs) {
	ctx := context.Background()
	blob := put(t, b, []byte("x"))
	stored := all(t, b)[blob.SHA256].Stored
	if removed, err := b.RemoveUnused(ctx, blob.SHA256, stored.Add(-time.Nanosecond)); removed || err != nil {
		t.Errorf("stored later: %v %v", removed, err)
	}
	holds(t, b, []byte("x"))
	if removed, err := b.RemoveUnused(ctx, blob.SHA256, stored); !removed || err != nil {
		t.Errorf("stored then: %v %v", removed, err)
	}
	if removed, err := b.RemoveUnused(ctx, blob.SHA256, stored); removed || err != nil {
		t.Errorf("what is gone: %v %v", removed, err)
	}
	_, err := b.RemoveUnused(ctx, "x", stored)
	want(t, err, fault.Invalid, "remove a bad name")
	if got := all(t, b); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}
