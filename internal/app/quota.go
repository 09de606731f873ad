package app

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
)

// Usage is what the data folder takes on disk. Files with several names count once, and
// those of sandboxes that run do not.
type Usage struct {
	Bytes   int64         `json:"bytes"`
	Quota   int64         `json:"quota_bytes,omitempty"`
	Folders []FolderUsage `json:"folders"` // the largest first
}

// FolderUsage is what one folder of the data folder takes.
type FolderUsage struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// Usage measures the data folder. What vanishes meanwhile does not count.
func (a *App) Usage(ctx context.Context) (Usage, error) {
	c := a.opt.Config
	out := Usage{Quota: c.HomeQuota, Folders: []FolderUsage{}}
	folders := map[string]int64{}
	counted := map[uint64]bool{}
	err := filepath.WalkDir(c.Home, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return fault.New(fault.Canceled, "", "%w", context.Cause(ctx))
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() && path == c.Run:
			return fs.SkipDir
		}
		var st syscall.Stat_t
		if syscall.Lstat(path, &st) != nil || counted[st.Ino] {
			return nil
		}
		counted[st.Ino] = !d.IsDir() && st.Nlink > 1
		rel, err := filepath.Rel(c.Home, path)
		if err != nil {
			return err
		}
		name, _, _ := strings.Cut(rel, string(filepath.Separator))
		folders[name] += st.Blocks * 512
		out.Bytes += st.Blocks * 512
		return nil
	})
	for name, bytes := range folders {
		out.Folders = append(out.Folders, FolderUsage{name, bytes})
	}
	slices.SortFunc(out.Folders, func(a, b FolderUsage) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Name, b.Name))
	})
	return out, err
}

// measured is what the data folder took when it was last measured, and what was stored
// there since: a look at every file is too much for each step.
type measured struct {
	at    time.Time
	bytes int64
}

// measuredFor is how long a measurement of the data folder is believed.
const measuredFor = time.Minute

// makeSpace sees to it that bytes more fit into the quota of the data folder. What can be
// made again goes for that, the oldest first, and when that is not enough it is a fault.
func (a *App) makeSpace(ctx context.Context, bytes int64) error {
	quota := a.opt.Config.HomeQuota
	if quota == 0 {
		return nil
	}
	a.mu.Lock()
	home := a.home
	a.mu.Unlock()
	if time.Since(home.at) > measuredFor || home.bytes+bytes > quota {
		now, err := a.Usage(ctx)
		if err != nil {
			return err
		}
		home = measured{time.Now(), now.Bytes}
	}
	// What has parts in common with something younger frees less than was expected.
	for less := true; less && home.bytes+bytes > quota; {
		if err := a.removeOldest(ctx, home.bytes+bytes-quota); err != nil {
			return err
		}
		now, err := a.Usage(ctx)
		if err != nil {
			return err
		}
		less, home.bytes = now.Bytes < home.bytes, now.Bytes
	}
	if home.bytes+bytes > quota {
		used := safetext.Size(home.bytes)
		return fault.Coded(fault.HomeFull, fault.Data{"quota": safetext.Size(quota), "used": used},
			"the data folder has %s of the %s that it may have, and nothing that can be made again is left to remove", used, safetext.Size(quota))
	}
	home.bytes += bytes
	a.mu.Lock()
	a.home = home
	a.mu.Unlock()
	return nil
}

// removeOldest removes what can be made again, the longest unused first, until that frees
// so many bytes: what nothing refers to, then templates, images, and snapshots that no
// recorded run of the last [UsualAge] begins with.
func (a *App) removeOldest(ctx context.Context, bytes int64) error {
	all, err := a.collect(ctx, CollectRequest{DryRun: true}, UsualAge)
	if err != nil {
		return err
	}
	type item struct {
		used  time.Time
		bytes int64
	}
	var items []item
	aged := int64(0)
	add := func(used time.Time, size int64) {
		items = append(items, item{used, size})
		aged += size
	}
	for _, s := range all.Sessions.Snapshots {
		add(s.Created, s.Bytes)
	}
	for _, t := range all.Sessions.Templates {
		add(t.Used, t.Bytes)
	}
	for _, i := range all.Images.Images {
		add(i.Used, i.Freed)
	}
	slices.SortFunc(items, func(a, b item) int { return a.used.Compare(b.used) })
	bytes -= all.Bytes - aged // that goes whatever the age is
	age := time.Since(time.Unix(0, 0))
	for _, i := range items {
		if bytes <= 0 {
			break
		}
		bytes -= i.bytes
		age = time.Since(i.used)
	}
	_, err = a.collect(ctx, CollectRequest{OlderThan: age}, UsualAge)
	return err
}
