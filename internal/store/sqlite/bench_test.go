package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"praxis/internal/store"
)

// runs makes n documents as the journal's index has them.
func runs(n int) []store.Doc {
	r := rand.New(rand.NewPCG(1, 2))
	models := []string{"anthropic:claude-sonnet", "openai:gpt-5", "scripted:demo"}
	docs := make([]store.Doc, n)
	for i := range docs {
		status := "answered"
		if i%40_000 == 77 {
			status = "crashed"
		}
		docs[i] = store.Doc{
			Kind: "run", ID: fmt.Sprintf("20261121-%06d-7f3a", i), Order: int64(i) * 1e9,
			Fields: map[string]any{
				"model": models[r.IntN(3)], "status": status, "kind": "ask", "thread": fmt.Sprint("t", r.IntN(5000)), "cost": r.Float64(),
				"steps": r.IntN(9), "tokens": r.IntN(100_000), "began": int64(i), "question": fmt.Sprintf("What is the mean of column %d?", i), "seeded": i%2 == 0, "half": i / (n/2 + 1),
			},
			Text: fmt.Sprintf("What is the mean of column %d in the file? The mean is %d, by numpy.", i, r.IntN(1e6)),
			Body: []byte(fmt.Sprintf(`{"id":"20261121-%06d-7f3a","question":"What is the mean?","tokens":{"input":%d,"output":100},"took":12.5,"image":"sha256:0123456789abcdef"}`, i, i)),
		}
	}
	return docs
}

// BenchmarkFind asks for pages of 100 of 100,000 documents.
func BenchmarkFind(b *testing.B) {
	const n = 100_000
	d := fresh(b)
	x, ctx := d.Index(), context.Background()
	began := time.Now()
	docs := runs(n)
	for i := 0; i < n; i += 10_000 {
		if err := x.Put(ctx, docs[i:i+10_000]...); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("%d documents were put in %v", n, time.Since(began))
	where := func(field string, op store.Op, value any) store.Condition {
		return store.Condition{Field: field, Op: op, Value: value}
	}
	for _, c := range []struct {
		name string
		q    store.Query
		hits int
	}{
		{"all", store.Query{}, 100},
		{"deep", store.Query{Before: &store.Doc{Order: 5e12, ID: "x"}}, 100},
		{"equal often", store.Query{Where: []store.Condition{where("model", store.Equal, "openai:gpt-5")}}, 100},
		{"equal rare", store.Query{Where: []store.Condition{where("status", store.Equal, "crashed")}}, 3},
		{"equal never", store.Query{Where: []store.Condition{where("status", store.Equal, "x")}}, 0},
		{"not equal rare", store.Query{Where: []store.Condition{where("status", store.NotEqual, "answered")}}, 3},
		{"not equal often", store.Query{Where: []store.Condition{where("status", store.NotEqual, "crashed")}}, 100},
		{"range all", store.Query{Where: []store.Condition{where("cost", store.AtLeast, 0)}}, 100},
		{"range rare", store.Query{Where: []store.Condition{where("cost", store.AtLeast, 0.99995)}}, -1},
		{"between", store.Query{Where: []store.Condition{where("began", store.AtLeast, 20_000), where("began", store.Less, 70_000)}}, 100},
		{"contains often", store.Query{Where: []store.Condition{where("model", store.Contains, "GPT")}}, 100},
		{"contains rare", store.Query{Where: []store.Condition{where("question", store.Contains, "column 99999")}}, 1},
		{"contains never", store.Query{Where: []store.Condition{where("question", store.Contains, "nowhere")}}, 0},
		{"equal and equal", store.Query{Where: []store.Condition{where("model", store.Equal, "openai:gpt-5"), where("thread", store.Equal, "t77")}}, -1},
		{"narrow and large", store.Query{Where: []store.Condition{where("model", store.Equal, "openai:gpt-5"), where("began", store.Less, 50_000), where("tokens", store.AtLeast, 50_000), where("began", store.AtLeast, 49_990)}}, -1},
		{"two large, none fits", store.Query{Where: []store.Condition{where("began", store.Less, 50_000), where("half", store.AtLeast, 1)}}, 0},
		{"equal and large, none fits", store.Query{Where: []store.Condition{where("began", store.Less, 50_000), where("half", store.Equal, 1)}}, 0},
		{"three large", store.Query{Where: []store.Condition{where("model", store.Contains, "gpt"), where("tokens", store.Less, 50_000), where("cost", store.AtLeast, 0.5)}}, 100},
		{"word rare", store.Query{Words: "99999"}, -1},
		{"word often", store.Query{Words: "mean"}, 100},
		{"prefix", store.Query{Words: "nump*"}, 100},
		{"phrase", store.Query{Words: `"the mean is"`}, 100},
		{"word often and equal", store.Query{Words: "mean", Where: []store.Condition{where("model", store.Equal, "openai:gpt-5")}}, 100},
		{"word often and rare", store.Query{Words: "mean", Where: []store.Condition{where("status", store.Equal, "crashed")}}, 3},
		{"best of rare", store.Query{Words: "column 99999", Best: true}, -1},
		{"best of all", store.Query{Words: "mean", Best: true}, 100},
	} {
		c.q.Kind = "run"
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				docs, err := x.Find(ctx, c.q)
				if err != nil || c.hits >= 0 && len(docs) != c.hits {
					b.Fatalf("%d found, want %d (%v)", len(docs), c.hits, err)
				}
			}
		})
	}
	path := d.path
	b.Run("open and page", func(b *testing.B) {
		for b.Loop() {
			d, err := Open(path)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := d.Index().Find(ctx, store.Query{Kind: "run"}); err != nil {
				b.Fatal(err)
			}
			if err := d.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("put one", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if err := x.Put(ctx, docs[i%n]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	ctx := context.Background()
	path := filepath.Join(b.TempDir(), "praxis.db")
	opened := opened(b, path)
	if _, err := opened.KV().Set(ctx, "b", "k", []byte("x"), store.Any); err != nil {
		b.Fatal(err)
	}
	b.Run("and read", func(b *testing.B) {
		for b.Loop() {
			d, err := Open(path)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := d.KV().Get(ctx, "b", "k"); err != nil {
				b.Fatal(err)
			}
			if err := d.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("and write", func(b *testing.B) {
		for b.Loop() {
			d, err := Open(path)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := d.KV().Set(ctx, "b", "k", []byte("y"), store.Any); err != nil {
				b.Fatal(err)
			}
			if err := d.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("set", func(b *testing.B) {
		for b.Loop() {
			if _, err := opened.KV().Set(ctx, "b", "k", []byte("y"), store.Any); err != nil {
				b.Fatal(err)
			}
		}
	})
}
