package journal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
)

// TestBundleOfOneText reads a small bundle whose records all refer to one long
// text: it ends when they come to more than they may, with what stood before.
func TestBundleOfOneText(t *testing.T) {
	here, there := newBench(t), newBench(t)
	var events []event.Event
	for i := range 50 {
		events = append(events, event.ExecutionBegan{Code: strings.Repeat("x", 1<<20), Session: fmt.Sprint(i)})
	}
	data := here.exported(t, here.write(t, events...))
	if len(data) > 1<<20 {
		t.Fatalf("the bundle has %d bytes", len(data))
	}
	b, err := openBundle(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if b.most != maxTexts {
		t.Errorf("the bound is %d", b.most)
	}
	b.most = 10 << 20
	read := 0
	for _, err = range (&Bundle{b: b}).Records(t.Context(), b.manifest.Run) {
		if err == nil {
			read++
		}
	}
	if fault.KindOf(err) != fault.Invalid || read < 5 || read > 11 {
		t.Errorf("%d records, then %v", read, err)
	}
	if _, _, err := b.decodes(t.Context()); fault.KindOf(err) != fault.Invalid {
		t.Errorf("it would be imported: %v", err)
	}
	if _, err := there.imported(t, data); err != nil { // 50 MiB are no bomb
		t.Error(err)
	}
}
