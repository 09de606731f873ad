package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/atomicfile"
)

// settled is how long ago a folder must have changed for its time to show a
// later change: clocks of file systems tick slowly.
const settled = 100 * time.Millisecond

const (
	// remembered is the file in the folder of blobs that says what was counted.
	// It saves counting every blob again, and has no other use.
	remembered = ".usage"
	// worth is how many blobs must have been counted for that to be written.
	worth = 1000
)

// usage knows how many bytes the blobs have. It looks again only into those
// folders that changed since, whoever changed them.
type usage struct {
	quota int64

	mu     sync.Mutex
	shards map[string]shardUsage
}

// shardUsage is what one folder of blobs has.
type shardUsage struct {
	Changed int64 `json:"changed"` // the folder's time in nanoseconds; 0: not to be relied on
	Bytes   int64 `json:"bytes"`
}

// bytes returns what all blobs in dir have together.
func (u *usage) bytes(s *Store, dir string) (int64, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	entries, err := s.list(dir)
	if err != nil {
		return 0, err
	}
	if u.shards == nil {
		u.shards = recall(filepath.Join(dir, remembered))
	}
	total, looked := int64(0), 0
	now := make(map[string]shardUsage, len(entries))
	for _, e := range entries {
		if !isShard(e) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		began := time.Now()
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		known, ok := u.shards[e.Name()]
		if changed := info.ModTime(); !ok || known.Changed != changed.UnixNano() {
			known = shardUsage{}
			if began.Sub(changed) >= settled {
				known.Changed = changed.UnixNano()
			}
			if _, err := s.eachOf(path, func(info fs.FileInfo) (bool, error) {
				known.Bytes += info.Size()
				looked++
				return true, nil
			}); err != nil {
				return 0, err
			}
		}
		now[e.Name()] = known
		total += known.Bytes
	}
	u.shards = now
	if looked >= worth {
		// Whoever cannot write it looks again the next time.
		if text, err := json.Marshal(now); err == nil {
			_ = atomicfile.WriteFile(filepath.Join(dir, remembered), text)
		}
	}
	return total, nil
}

// recall reads what was counted; nothing when it cannot be read.
func recall(path string) map[string]shardUsage {
	shards := map[string]shardUsage{}
	f, err := read(path)
	if err != nil {
		return shards
	}
	defer f.Close()
	if json.NewDecoder(io.LimitReader(f, 1<<20)).Decode(&shards) != nil {
		return map[string]shardUsage{}
	}
	for name, known := range shards {
		if known.Changed == 0 || known.Bytes < 0 {
			delete(shards, name)
		}
	}
	return shards
}

// exhausted is the fault when there is no space.
func (u *usage) exhausted() error {
	return fault.Coded(fault.QuotaUsedUp, fault.Data{"quota": size(u.quota)}, "the quota of %s for contents is used up", size(u.quota))
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
