package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"praxis/fault"
	"praxis/internal/store"
)

// KV is the exam of [store.KV]. make returns an empty store of values.
func KV(t *testing.T, make func(t *testing.T) store.KV) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, kv store.KV)
	}{
		{"nothing there", kvEmpty},
		{"set and get", kvSet},
		{"revisions", kvRevisions},
		{"revisions go on after a delete", kvDeleted},
		{"keys are sorted", kvKeys},
		{"names as they are", kvNames},
		{"bad names", kvBadNames},
		{"bounds of values", kvBounds},
		{"one of many changers wins", kvConcurrent},
		{"cancelled", kvCancelled},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, make(t)) })
	}
}

// set stores a value, which must work.
func set(t *testing.T, kv store.KV, bucket, key, data string, revision int64) int64 {
	t.Helper()
	next, err := kv.Set(context.Background(), bucket, key, []byte(data), revision)
	must(t, err, "set "+key)
	return next
}

func stands(t *testing.T, kv store.KV, bucket, key, data string, revision int64) {
	t.Helper()
	got, err := kv.Get(context.Background(), bucket, key)
	if err != nil || string(got.Data) != data || got.Revision != revision || got.Key != key {
		t.Errorf("%s/%q: got %.40q of %q at %d (%v), want %.40q at %d", bucket, key, got.Data, got.Key, got.Revision, err, data, revision)
	}
}

func kvEmpty(t *testing.T, kv store.KV) {
	ctx := context.Background()
	_, err := kv.Get(ctx, "b", "k")
	want(t, err, fault.NotFound, "get what is absent")
	values, err := kv.Keys(ctx, "b")
	if err != nil || len(values) != 0 {
		t.Errorf("got %v %v", values, err)
	}
	must(t, kv.Delete(ctx, "b", "k", store.Any), "delete what is absent")
	must(t, kv.Delete(ctx, "b", "k", 0), "delete what must be absent")
	want(t, kv.Delete(ctx, "b", "k", 1), fault.Conflict, "delete a revision of what is absent")
	_, err = kv.Set(ctx, "b", "k", nil, 1)
	want(t, err, fault.Conflict, "set a revision of what is absent")
}

func kvSet(t *testing.T, kv store.KV) {
	for i, data := range []string{"one", "", "\x00\xff\n", strings.Repeat("long ", 10_000)} {
		if got := set(t, kv, "b", "k", data, store.Any); got != int64(i+1) {
			t.Errorf("revision %d, want %d", got, i+1)
		}
		stands(t, kv, "b", "k", data, int64(i+1))
	}
	_, err := kv.Set(context.Background(), "b", "nothing", nil, 0)
	must(t, err, "set nothing")
	stands(t, kv, "b", "nothing", "", 1)
	// The caller's bytes are the caller's.
	data := []byte("mine")
	_, err = kv.Set(context.Background(), "b", "copy", data, 0)
	must(t, err, "set")
	copy(data, "xxxx")
	stands(t, kv, "b", "copy", "mine", 1)
}

func kvRevisions(t *testing.T, kv store.KV) {
	ctx := context.Background()
	set(t, kv, "b", "k", "one", 0)
	for _, revision := range []int64{0, 2, 99} {
		_, err := kv.Set(ctx, "b", "k", []byte("bad"), revision)
		want(t, err, fault.Conflict, fmt.Sprintf("set at %d", revision))
		want(t, kv.Delete(ctx, "b", "k", revision), fault.Conflict, fmt.Sprintf("delete at %d", revision))
	}
	_, err := kv.Set(ctx, "b", "k", []byte("bad"), -2)
	want(t, err, fault.Invalid, "set at -2")
	stands(t, kv, "b", "k", "one", 1)
	if got := set(t, kv, "b", "k", "two", 1); got != 2 {
		t.Errorf("revision %d, want 2", got)
	}
	if got := set(t, kv, "b", "k", "two", 2); got != 3 {
		t.Errorf("the same value again: revision %d, want 3", got)
	}
	if got := set(t, kv, "b", "other", "x", 0); got != 1 {
		t.Errorf("another key: revision %d, want 1", got)
	}
	if got := set(t, kv, "c", "k", "x", 0); got != 1 {
		t.Errorf("another bucket: revision %d, want 1", got)
	}
	stands(t, kv, "b", "k", "two", 3)
}

func kvDeleted(t *testing.T, kv store.KV) {
	ctx := context.Background()
	set(t, kv, "b", "k", "one", 0)
	set(t, kv, "b", "k", "two", 1)
	must(t, kv.Delete(ctx, "b", "k", 2), "delete")
	_, err := kv.Get(ctx, "b", "k")
	want(t, err, fault.NotFound, "get what was deleted")
	if values, err := kv.Keys(ctx, "b"); err != nil || len(values) != 0 {
		t.Errorf("got %v %v", values, err)
	}
	must(t, kv.Delete(ctx, "b", "k", store.Any), "delete twice")
	_, err = kv.Set(ctx, "b", "k", []byte("bad"), 2)
	want(t, err, fault.Conflict, "set at the revision that was deleted")
	if got := set(t, kv, "b", "k", "three", 0); got <= 2 {
		t.Errorf("the revision fell back to %d", got)
	}
	must(t, kv.Delete(ctx, "b", "k", store.Any), "delete")
	if got := set(t, kv, "b", "k", "four", store.Any); got <= 3 {
		t.Errorf("the revision fell back to %d", got)
	}
}

func kvKeys(t *testing.T, kv store.KV) {
	keys := []string{"b", "a", "aa", "B", "é", "日本", "a b", "10", "9", "~", "\u00ff", "🙂"}
	for i, key := range keys {
		set(t, kv, "bucket", key, fmt.Sprint(i), 0)
		set(t, kv, "bucket2", key, "other", 0)
	}
	values, err := kv.Keys(context.Background(), "bucket")
	must(t, err, "keys")
	sorted := slices.Sorted(slices.Values(keys))
	for i, v := range values {
		if i >= len(sorted) || v.Key != sorted[i] || v.Revision != 1 || string(v.Data) != fmt.Sprint(slices.Index(keys, v.Key)) {
			t.Errorf("value %d is %q %q at %d", i, v.Key, v.Data, v.Revision)
		}
	}
	if len(values) != len(keys) {
		t.Errorf("%d values, want %d", len(values), len(keys))
	}
}

func kvNames(t *testing.T, kv store.KV) {
	names := append(hostile(), strings.Repeat("x", 256), strings.Repeat("é", 128), "K", "k", "é", "e", "x ", " x")
	for i, name := range names {
		set(t, kv, name, "key", fmt.Sprint("bucket ", i), 0)
		set(t, kv, "bucket", name, fmt.Sprint("key ", i), 0)
	}
	for i, name := range names {
		stands(t, kv, name, "key", fmt.Sprint("bucket ", i), 1)
		stands(t, kv, "bucket", name, fmt.Sprint("key ", i), 1)
	}
}

func kvBadNames(t *testing.T, kv store.KV) {
	ctx := context.Background()
	for _, name := range []string{"", strings.Repeat("x", 257), "a\x00b", "\xff"} {
		for _, pair := range [][2]string{{name, "k"}, {"b", name}} {
			what := fmt.Sprintf("%.20q/%.20q", pair[0], pair[1])
			_, err := kv.Set(ctx, pair[0], pair[1], nil, store.Any)
			want(t, err, fault.Invalid, "set "+what)
			_, err = kv.Get(ctx, pair[0], pair[1])
			want(t, err, fault.Invalid, "get "+what)
			want(t, kv.Delete(ctx, pair[0], pair[1], store.Any), fault.Invalid, "delete "+what)
		}
		_, err := kv.Keys(ctx, name)
		want(t, err, fault.Invalid, "keys")
	}
}

func kvBounds(t *testing.T, kv store.KV) {
	ctx := context.Background()
	data := noise(1, 16<<20)
	_, err := kv.Set(ctx, "b", "k", data, 0)
	must(t, err, "set 16 MiB")
	got, err := kv.Get(ctx, "b", "k")
	if err != nil || !bytes.Equal(got.Data, data) {
		t.Errorf("got %d bytes and %v", len(got.Data), err)
	}
	_, err = kv.Set(ctx, "b", "k", append(data, 0), 1)
	want(t, err, fault.Invalid, "set more than 16 MiB")
}

// kvConcurrent adds to a counter from many goroutines, none of which may be lost.
func kvConcurrent(t *testing.T, kv store.KV) {
	const workers, each = 4, 10
	ctx := context.Background()
	set(t, kv, "b", "counter", "", 0)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range each {
				for {
					now, err := kv.Get(ctx, "b", "counter")
					if err != nil {
						t.Error(err)
						return
					}
					_, err = kv.Set(ctx, "b", "counter", append(now.Data, 'x'), now.Revision)
					if err == nil {
						break
					}
					if fault.KindOf(err) != fault.Conflict {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	stands(t, kv, "b", "counter", strings.Repeat("x", workers*each), workers*each+1)
}

func kvCancelled(t *testing.T, kv store.KV) {
	set(t, kv, "b", "k", "one", 0)
	ctx := gone()
	_, err := kv.Get(ctx, "b", "k")
	refused(t, err, "get")
	_, err = kv.Set(ctx, "b", "k", []byte("two"), 1)
	refused(t, err, "set")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the cause is lost: %v", err)
	}
	refused(t, kv.Delete(ctx, "b", "k", store.Any), "delete")
	_, err = kv.Keys(ctx, "b")
	refused(t, err, "keys")
	stands(t, kv, "b", "k", "one", 1)
}
