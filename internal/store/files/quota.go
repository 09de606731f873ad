package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"praxis/internal/fault"
)

// settled is how long ago a folder must have changed for its time to tell a
// later change: clocks of file systems tick slowly.
const settled = 100 * time.Millisecond

// usage knows how many bytes the blobs have. It looks again only into those
// folders that changed since, whoever changed them.
type usage struct {
	quota int64

	mu     sync.Mutex
	shards map[string]shardUsage
}

// shardUsage is what one folder of blobs has.
type shardUsage struct {
	changed time.Time
	bytes   int64
}

// bytes returns what all blobs in dir have together.
func (u *usage) bytes(s *Store, dir string) (int64, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	entries, err := s.list(dir)
	if err != nil {
		return 0, err
	}
	total := int64(0)
	now := make(map[string]shardUsage, len(entries))
	for _, e := range entries {
		if !isShard(e) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		looked := time.Now()
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		known, ok := u.shards[e.Name()]
		if !ok || !known.changed.Equal(info.ModTime()) {
			known = shardUsage{changed: info.ModTime()}
			if looked.Sub(info.ModTime()) < settled {
				known.changed = time.Time{}
			}
			if _, err := s.eachOf(path, func(info fs.FileInfo) (bool, error) {
				known.bytes += info.Size()
				return true, nil
			}); err != nil {
				return 0, err
			}
		}
		now[e.Name()] = known
		total += known.bytes
	}
	u.shards = now
	return total, nil
}

// exhausted is the fault when there is no room.
func (u *usage) exhausted() error {
	return fault.New(fault.Exhausted, "Run praxis gc, which removes what no run needs, or raise the quota.",
		"the quota of %s for contents is used up", size(u.quota))
}

// size writes a number of bytes as a person reads it.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}
