package files

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
)

func BenchmarkAppend(b *testing.B) {
	line := []byte(strings.Repeat("x", 299) + "\n")
	for name, each := range map[string]int{"nosync": 0, "sync": 1} {
		b.Run(name, func(b *testing.B) {
			log, err := fresh(b, Options{}).Logs().Create(context.Background(), "a")
			if err != nil {
				b.Fatal(err)
			}
			defer log.Close()
			for b.Loop() {
				if err := log.Append(line); err != nil {
					b.Fatal(err)
				}
				if each > 0 {
					if err := log.Sync(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkCreate(b *testing.B) {
	logs := fresh(b, Options{}).Logs()
	i := 0
	for b.Loop() {
		log, err := logs.Create(context.Background(), fmt.Sprintf("20261121-%d", i))
		if err != nil {
			b.Fatal(err)
		}
		log.Close()
		i++
	}
}

func BenchmarkPut(b *testing.B) {
	for _, size := range []int{4 << 10, 1 << 20, 16 << 20} {
		for _, quota := range []int64{0, 1 << 50} {
			b.Run(fmt.Sprintf("new/%d/quota=%v", size, quota > 0), func(b *testing.B) {
				blobs := fresh(b, Options{Quota: quota}).Blobs()
				b.SetBytes(int64(size))
				i := 0
				for b.Loop() {
					i++
					if _, err := blobs.Put(context.Background(), io.MultiReader(strings.NewReader(fmt.Sprint(i, "-")), io.LimitReader(zeros{}, int64(size)))); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("again/%d", size), func(b *testing.B) {
			blobs := fresh(b, Options{}).Blobs()
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := blobs.Put(context.Background(), io.LimitReader(zeros{}, int64(size))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// zeros is a source without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
