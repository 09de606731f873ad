package cmd

import (
	"strings"
	"testing"
	"time"

	"praxis/internal/app"
	"praxis/internal/record/journal"
	"praxis/internal/session"
)

// TestFreed checks what gc says.
func TestFreed(t *testing.T) {
	at := time.Unix(0, 0)
	all := app.Collected{
		Journal: journal.Collected{Runs: []string{"a", "b"}, Blobs: 1234, Bytes: 3 << 20, Remaining: 1, RemainingBytes: 1 << 10},
		Sessions: session.Collected{
			Snapshots: []session.Removed{{ID: "1", Bytes: 50 << 20, Created: at, Why: "nothing refers to it"},
				{ID: "2", Bytes: 1 << 20, Created: at, Why: "it is damaged"}, {ID: "3", Bytes: 50 << 20, Created: at, Why: "nothing refers to it"}},
			Templates: []session.Removed{{ID: "4", Bytes: 1 << 30, Created: at, Why: "its image or its program is gone"},
				{ID: "5", Bytes: 1 << 20, Created: at, Why: "it was not used for 720h0m0s"}, {ID: "6", Bytes: 1 << 20, Created: at, Why: "it was not used for 721h0m0s"}},
			Left: 2 << 30, InUse: 1, Chunks: 3, ChunkBytes: 5 << 10,
		},
		Bytes: 1<<30 + 106<<20, RunBytes: 1 << 20,
	}
	const want = `WHAT       HOW MANY    SIZE  WHY
runs              2    1MiB  older than --runs-older-than
contents      1,234    2MiB  no run and no thread refers to them
snapshots         2  100MiB  nothing refers to it
snapshots         1    1MiB  it is damaged
templates         1    1GiB  its image or its program is gone
templates         2    2MiB  not used for long enough
chunks            3    5KiB  no snapshot is made of them

freed 1.1GiB
1 snapshot or template is in use by a running session: praxis gc removes them when it has ended.
stored: 1 content (1KiB), and snapshots of runs with 2GiB of the 4GiB that they may have
`
	if got := collectedText(all, 4<<30, 0); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	all.DryRun = true
	if got := collectedText(all, 4<<30, 0); !strings.Contains(got, "\nThat would free 1.1GiB. Nothing was removed.\n") {
		t.Errorf("got\n%s", got)
	}
}
