package cmd

import (
	"strings"
	"testing"
	"time"

	"praxis/internal/app"
	"praxis/internal/session"
)

// TestSnapshotTree checks that what was made after a rollback is drawn as a branch
// of its own, and that a history that goes in a circle ends.
func TestSnapshotTree(t *testing.T) {
	at := func(second int64) time.Time { return time.Unix(second, 0).Local() }
	log := []app.SnapshotInfo{
		{ID: "0161", Label: "set x", Created: at(1), Stored: 2048},
		{ID: "0261", Parent: "0161", Label: "get x", Created: at(2), Stored: 2048},
		{ID: "0362", Parent: "0261", Label: "set y", Created: at(3), Stored: 2048},
		{ID: "0462", Parent: "0261", Label: "get y", Created: at(5), Stored: 2048, Head: true},
	}
	want := "○ 0161  " + when(at(1)) + "      2KiB  set x\n" +
		"○ 0261  " + when(at(2)) + "      2KiB  get x\n" +
		"├─○ 0362  " + when(at(3)) + "      2KiB  set y\n" +
		"└─● 0462  " + when(at(5)) + "      2KiB  get y\n"
	if got := snapshotTree(log); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	log[0].Parent = "0462"
	if got := snapshotTree(log); got != "" {
		t.Errorf("a circle is drawn as\n%s", got)
	}
}

// TestLabel checks that the code of a snapshot is shown as it is.
func TestLabel(t *testing.T) {
	log := []session.SnapshotInfo{{ID: "a", Label: "x; \"\x1b]\"; evil()\n\u202e"}}
	if got, want := snapshotTree(log), `x; "\x1b]"; evil()\n\u202e`; !strings.Contains(got, want) {
		t.Errorf("the log shows %q, want %q in it", got, want)
	}
}
