package memory

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/store"
)

// oneBlob is a store of contents in which every name stands for the same bytes.
type oneBlob struct {
	store.Blobs
	data []byte
}

func (b oneBlob) Open(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(b.data)), nil
}

// FuzzThread reads threads whose record and conversation are anything: they are
// read, or refused with a word on what to do.
func FuzzThread(f *testing.F) {
	f.Add([]byte(`{"version":1,"name":"t","turns":1,"runs":["r"]}`), []byte(`[{"role":"user","text":"x"}]`))
	f.Add([]byte(`{"version":2,"name":"t"}`), []byte(`{}`))
	f.Add([]byte(`{"version":1,"name":"other"}`), []byte(``))
	f.Add([]byte(`{"version":1,"name":"t","conversation":"../../x"}`), []byte(`[[`))
	f.Add([]byte(`{"version":1e9,`), []byte(`null`))
	f.Fuzz(func(t *testing.T, rec, conversation []byte) {
		refused := func(err error) bool {
			if err != nil && (fault.KindOf(err) != fault.Conflict || fault.RemedyOf(err) == "") {
				t.Errorf("record %q, conversation %q: %v", rec, conversation, err)
			}
			return err != nil
		}
		th, err := readRecord(store.Value{Key: "t", Data: rec, Revision: 3})
		if !refused(err) && (th.Name != "t" || th.Revision != 3) {
			t.Errorf("%q was read as %+v", rec, th)
		}
		m := Memory{blobs: oneBlob{data: conversation}}
		messages, err := m.Conversation(t.Context(), Thread{Name: "t", Conversation: strings.Repeat("a", 64)})
		if !refused(err) && len(messages) > len(conversation) {
			t.Errorf("%d messages of %d bytes", len(messages), len(conversation))
		}
	})
}
