package guest

import (
	"bytes"
	"errors"
	"sync/atomic"
	"testing"

	"praxis/internal/guest/wire"
)

// answer counts what reaches the guest.
type answer struct {
	*liar
	frames atomic.Int64
}

func (h *answer) Write(p []byte) (int, error) {
	h.frames.Add(1)
	return h.liar.Write(p)
}

// The guest gives the numbers of its requests again after a hello: a frame of an
// older call under the same number would answer another ask.
func TestNothingIsWrittenForACallOfAnOlderEpoch(t *testing.T) {
	t.Parallel()
	h := &answer{liar: newLiar(nil)}
	c := New(h, Patience{})
	defer c.Close()
	if err := c.Hello(t.Context(), wire.Hello{}); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	old := newCall(c, wire.GuestBit|1)
	c.mu.Unlock()
	request := c.register()
	if err := c.Hello(t.Context(), wire.Hello{}); err != nil {
		t.Fatal(err)
	}
	before := h.frames.Load()
	for _, k := range []*call{old, request} {
		for _, kind := range []wire.Kind{wire.Part, wire.Data, wire.Response, wire.Credit} {
			if err := k.write(t.Context(), kind, bytes.Repeat([]byte("x"), 4)); !errors.Is(err, errQuiet) {
				t.Errorf("%s was written for call %d: %v", kind, k.id, err)
			}
		}
	}
	if n := h.frames.Load() - before; n != 0 {
		t.Errorf("the guest heard %d frames", n)
	}
	c.mu.Lock()
	now := newCall(c, wire.GuestBit|1)
	c.mu.Unlock()
	if err := now.write(t.Context(), wire.Cancel); err != nil || h.frames.Load() == before {
		t.Errorf("a call of this epoch: %v", err)
	}
}
