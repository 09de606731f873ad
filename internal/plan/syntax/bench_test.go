package syntax

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// BenchmarkParse reads the files below the folder that PYTHON_LIB names; when
// it names none, one small program repeated.
func BenchmarkParse(b *testing.B) {
	var files [][]byte
	size := 0
	root := os.Getenv("PYTHON_LIB")
	if root == "" {
		files = append(files, []byte(strings.Repeat(sample, 2000)))
		size = len(files[0])
	} else {
		filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".py") {
				if src, err := os.ReadFile(path); err == nil {
					files = append(files, src)
					size += len(src)
				}
			}
			return nil
		})
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, src := range files {
			m, _ := Parse(src, Options{})
			runtime.KeepAlive(m)
		}
	}
}

// BenchmarkSmall reads one program of twenty lines.
func BenchmarkSmall(b *testing.B) {
	src := []byte(sample)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(src, Options{})
	}
}

const sample = `
class Account(Base, metaclass=Meta):
    """An account with a balance."""

    limit: int = 1_000

    def __init__(self, owner, *entries, currency="EUR", **options):
        super().__init__(**options)
        self.owner, self.currency = owner, currency
        self.entries = [e for e in entries if e.amount > 0 and not e.void]

    def report(self, width=80):
        for i, entry in enumerate(self.entries):
            if entry.amount * 2 >= self.limit or i % 10 == 0:
                print(f"{i:>3}: {entry.name!r:<{width}} {entry.amount:,.2f}")
            else:
                yield {"name": entry.name, "amount": entry.amount / 100, **entry.extra}
        return sum(x ** 2 for x in self.values[1:-1:2])
`
