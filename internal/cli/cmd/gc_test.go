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
			Programs: []session.Removed{{ID: "7", Bytes: 8 << 20, Created: at, Why: "no snapshot and no template runs it"}},
		},
		Images: app.RemovedImages{
			Images: []app.RemovedImage{{Info: app.ImageInfo{Name: "python+pandas"}, Freed: 200 << 20, Why: "it was not used for 720h0m0s"}},
			Parts:  []app.RemovedPart{{Kind: "layer", Bytes: 1 << 20, Why: "no image has it"}, {Kind: "root", Bytes: 1 << 20, Why: "no image has it"}},
			Wheels: []app.RemovedPart{{Kind: "wheel", Bytes: 4 << 20, Why: "no image is made of it"}},
			Cache:  5 << 20, InUse: 2,
		},
		Home:  app.Usage{Bytes: 2 << 30, Quota: 4 << 30, Folders: []app.FolderUsage{{Name: "images", Bytes: 1 << 30}, {Name: "blobs", Bytes: 1 << 10}}},
		Bytes: 1<<30 + 106<<20, RunBytes: 1 << 20,
	}
	const want = `WHAT                 HOW MANY    SIZE  WHY
runs                        2    1MiB  older than --runs-older-than
contents                1,234    2MiB  no run and no thread refers to them
snapshots                   2  100MiB  nothing refers to it
snapshots                   1    1MiB  it is damaged
templates                   1    1GiB  its image or its program is gone
templates                   2    2MiB  not used for long enough
chunks                      3    5KiB  no snapshot is made of them
image python+pandas         1  200MiB  not used for long enough
parts of images             2    2MiB  no image has it
wheels                      1    4MiB  no image is made of it
pip's cache                 1    5MiB  wheels are kept instead
programs                    1    8MiB  no snapshot and no template runs it

freed 1.1GiB
1 snapshot or template is in use by a running session: praxis gc removes them when it has ended.
2 images are in use by a running session: praxis gc removes them when it has ended.
stored: 1 content (1KiB), and snapshots of runs with 2GiB of the 4GiB that they may have
the data folder takes 2GiB of the 4GiB that it may have: images 1GiB
`
	if got := collectedText(all, 4<<30, 0); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	all.DryRun = true
	if got := collectedText(all, 4<<30, 0); !strings.Contains(got, "\nThat would free 1.1GiB. Nothing was removed.\n") {
		t.Errorf("got\n%s", got)
	}
}
