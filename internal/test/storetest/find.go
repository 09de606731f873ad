package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"praxis/fault"
	"praxis/internal/store"
)

func indexConditions(t *testing.T, x store.Index) {
	doc := func(id string, order int64, fields map[string]any) store.Doc {
		return store.Doc{Kind: "run", ID: id, Order: order, Fields: fields}
	}
	index(t, x,
		doc("a", 1, map[string]any{"model": "Claude", "n": 1, "ok": true}),
		doc("b", 2, map[string]any{"model": "GPT", "n": 1.5, "ok": false}),
		doc("c", 3, map[string]any{"model": "", "n": "1"}),
		doc("d", 4, map[string]any{"model": "ÄRGER straße", "n": int64(1) << 60}),
		doc("e", 5, nil),
		store.Doc{Kind: "note", ID: "a", Fields: map[string]any{"model": "Claude", "n": 1, "ok": true}},
	)
	for _, c := range []struct {
		field string
		op    store.Op
		value any
		ids   []string
	}{
		{"model", store.Equal, "Claude", []string{"a"}},
		{"model", store.Equal, "claude", nil},
		{"model", store.Equal, "", []string{"c"}},
		{"model", store.NotEqual, "Claude", []string{"d", "c", "b"}},
		{"model", store.NotEqual, true, []string{"d", "c", "b", "a"}},
		{"model", store.Less, "D", []string{"c", "a"}},
		{"model", store.AtLeast, "GPT", []string{"d", "b"}},
		{"model", store.Contains, "a", []string{"d", "a"}},
		{"model", store.Contains, "CLAU", []string{"a"}},
		{"model", store.Contains, "ärg", []string{"d"}},
		{"model", store.Contains, "R STRA", []string{"d"}},
		{"model", store.Contains, "%", nil},
		{"model", store.Contains, "", []string{"d", "c", "b", "a"}},
		{"n", store.Equal, 1, []string{"a"}},
		{"n", store.Equal, 1.0, []string{"a"}},
		{"n", store.Equal, "1", []string{"c"}},
		{"n", store.Equal, true, nil},
		{"n", store.NotEqual, 1, []string{"d", "c", "b"}},
		{"n", store.Less, 2, []string{"b", "a"}},
		{"n", store.Less, "2", []string{"c"}},
		{"n", store.AtLeast, 1.2, []string{"d", "b"}},
		{"n", store.AtLeast, int64(1) << 60, []string{"d"}},
		{"n", store.AtLeast, int64(1)<<60 + 1, nil},
		{"n", store.Contains, "1", []string{"c"}},
		{"ok", store.Equal, true, []string{"a"}},
		{"ok", store.Equal, false, []string{"b"}},
		{"ok", store.Equal, 1, nil},
		{"ok", store.NotEqual, true, []string{"b"}},
		{"ok", store.Less, true, []string{"b"}},
		{"absent", store.Equal, "x", nil},
		{"absent", store.NotEqual, "x", nil},
	} {
		finds(t, x, store.Query{Kind: "run", Where: []store.Condition{{Field: c.field, Op: c.op, Value: c.value}}}, c.ids...)
	}
	finds(t, x, store.Query{Kind: "run", Where: []store.Condition{
		{Field: "n", Op: store.AtLeast, Value: 1}, {Field: "n", Op: store.Less, Value: 1.2}, {Field: "model", Op: store.Contains, Value: "a"}}}, "a")
	finds(t, x, store.Query{Kind: "run", Where: []store.Condition{
		{Field: "n", Op: store.AtLeast, Value: 1}, {Field: "n", Op: store.Less, Value: "2"}}})
	finds(t, x, store.Query{Kind: "run", Where: []store.Condition{
		{Field: "ok", Op: store.Equal, Value: true}, {Field: "ok", Op: store.Equal, Value: false}}})
}

// indexRandom asks random queries of many documents, where an implementation
// may find them in different ways, and compares with a plain scan.
func indexRandom(t *testing.T, x store.Index) {
	const n = 3000
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	fields := []string{"often", "seldom", "number", "text", "mixed", "some"}
	value := func(field string) any {
		switch field {
		case "often":
			return []string{"done", "error"}[r.IntN(100)/95]
		case "seldom":
			return fmt.Sprint("s", r.IntN(n))
		case "number":
			return r.IntN(1000)
		case "text":
			return []string{"Alpha", "béta", "BÉTA", "gamma ray", "ALPHA"}[r.IntN(5)]
		case "mixed":
			return []any{1, 1.5, "1", true, false, ""}[r.IntN(6)]
		}
		return float64(r.IntN(40)) / 4
	}
	words := []string{"alpha", "beta", "gamma", "delta", "rare"}
	var docs []store.Doc
	for i := range n {
		d := store.Doc{Kind: "run", ID: fmt.Sprint(i), Order: int64(r.IntN(n / 2)), Fields: map[string]any{}}
		for _, f := range fields {
			if f != "some" || r.IntN(3) == 0 {
				d.Fields[f] = value(f)
			}
		}
		d.Text = words[r.IntN(4)] + " " + words[r.IntN(4)]
		if i%700 == 0 {
			d.Text += " rare"
		}
		docs = append(docs, d)
	}
	index(t, x, docs...)
	slices.SortFunc(docs, newest)
	ops := []store.Op{store.Equal, store.NotEqual, store.Less, store.AtLeast, store.Contains}
	for range 300 {
		q := store.Query{Kind: "run", Limit: 1 + r.IntN(200)}
		for range r.IntN(4) {
			c := store.Condition{Field: fields[r.IntN(len(fields))], Op: ops[r.IntN(len(ops))]}
			if c.Value = value(c.Field); c.Op == store.Contains {
				c.Value = []string{"A", "é", "1", "done", "99", ""}[r.IntN(6)]
			}
			q.Where = append(q.Where, c)
		}
		if r.IntN(3) == 0 {
			q.Words = words[r.IntN(len(words))]
		}
		if r.IntN(3) == 0 {
			q.Before = &store.Doc{Order: int64(r.IntN(n / 2)), ID: fmt.Sprint(r.IntN(n))}
		}
		var wanted []string
		for _, d := range docs {
			if len(wanted) < q.Limit && fits(d, q.Where) && strings.Contains(d.Text, q.Words) && (q.Before == nil || newest(*q.Before, d) < 0 && (d.ID != q.Before.ID || d.Order != q.Before.Order)) {
				wanted = append(wanted, d.ID)
			}
		}
		if got := found(t, x, q); !slices.Equal(got, wanted) {
			t.Fatalf("seed %d: find %+v: got %d %.200q, want %d %.200q", seed, q, len(got), got, len(wanted), wanted)
		}
	}
}

func indexWords(t *testing.T, x store.Index) {
	for i, text := range []string{
		"The mean CO2 concentration of 2021",         // 0
		"mean-reverting series; the co2's median",    // 1
		"Straße naïve café RÉSUMÉ",                   // 2
		"日本語 テスト Ελληνικά кириллица",                 // 3
		"the the the end, concentrationofco2 co2021", // 4
		"",                                     // 5
		"\x00 zero \x00byte",                   // 6
		"a_b c.d e/f user@example.com 3.14 -7", // 7
	} {
		index(t, x, store.Doc{Kind: "run", ID: fmt.Sprint(i), Order: int64(i), Text: text})
		index(t, x, store.Doc{Kind: "note", ID: fmt.Sprint("n", i), Order: int64(i), Text: text})
	}
	for query, ids := range map[string][]string{
		"":                   {"7", "6", "5", "4", "3", "2", "1", "0"},
		"  \t\n":             {"7", "6", "5", "4", "3", "2", "1", "0"},
		"mean":               {"1", "0"},
		"MEAN":               {"1", "0"},
		"mea":                nil,
		"mea*":               {"1", "0"},
		"co2":                {"1", "0"},
		"co2*":               {"4", "1", "0"},
		"co*":                {"7", "4", "1", "0"},
		"concentration mean": {"0"},
		"mean median":        {"1"},
		"mean absent":        nil,
		`"mean co2"`:         {"0"},
		`"co2 mean"`:         nil,
		`"mean co2" 2021`:    {"0"},
		`"mean co2`:          {"0"},
		`2021 "mean co2"of`:  {"0"},
		"mean-reverting":     {"1"},
		"cafe":               {"2"},
		"CAFÉ":               {"2"},
		"resume":             {"2"},
		"naive":              {"2"},
		"日本語":                {"3"},
		"日*":                 {"3"},
		"ΕΛΛΗΝΙΚΆ":           {"3"},
		"Кириллица":          {"3"},
		"zero":               {"6"},
		"byte":               {"6"},
		"example.com":        {"7"},
		"3.14":               {"7"},
		"the end the":        {"4"},
		"text":               nil,
		"kind":               nil,
		"k1":                 nil,
	} {
		finds(t, x, store.Query{Kind: "run", Words: query}, ids...)
	}
	finds(t, x, store.Query{Kind: "note", Words: "mean"}, "n1", "n0")
	finds(t, x, store.Query{Kind: "other", Words: "mean"})
}

func indexHostileWords(t *testing.T, x store.Index) {
	index(t, x, store.Doc{Kind: "run", ID: "plain", Order: 1, Text: "a b or near not and text kind words"},
		store.Doc{Kind: "run", ID: "other", Order: 2, Text: "something else"})
	// None of these is syntax: they are words, or nothing.
	for query, ids := range map[string][]string{
		"a OR b": {"plain"}, "a or absent": nil, "a AND b": {"plain"}, "a NOT b": {"plain"}, "absent OR a": nil,
		"NEAR(": {"plain"}, "NEAR(a b)": nil, "NEAR (a b)": {"plain"}, "near(a, 5)": nil, "text:kind": {"plain"}, "text:a": nil, "text:b": nil, "kind : a": {"plain"}, "{text}: a": {"plain"},
		"^a": {"plain"}, "a + b": {"plain"}, "-b": {"plain"}, "(a": {"plain"}, "a)": {"plain"}, "(a b) c": nil,
		`"`: nil, `""`: nil, `"""`: nil, `a "`: {"plain"}, `"a`: {"plain"}, `a"b`: {"plain"}, `""a""`: {"plain"}, `"a"*`: {"plain"},
		"*": nil, "**": nil, "a*": {"plain"}, "a**": {"plain"}, "*a": {"plain"}, "wor*": {"plain"}, `"wor"*`: nil, "' OR 1=1 --": nil, "a; b": {"plain"},
		"\x00": nil, "a\x00b": {"plain"}, "\xff": nil, "a\xff": {"plain"}, "\u0301": nil, "---": nil, "🙂": nil, "a 🙂": {"plain"}, "\u202ea": {"plain"},
		"%": nil, "_": nil, "\\": nil, "a\\": {"plain"}, "$1": nil, "?": nil, "?1": nil, ":a": {"plain"}, "@b": {"plain"},
		strings.Repeat("a ", 64): {"plain"}, strings.Repeat("(", 100) + "a": {"plain"},
	} {
		finds(t, x, store.Query{Kind: "run", Words: query}, ids...)
		finds(t, x, store.Query{Kind: "run", Words: query, Best: true}, ids...)
	}
}

func indexBest(t *testing.T, x store.Index) {
	filler := strings.Repeat("filler text of no interest ", 20)
	index(t, x,
		store.Doc{Kind: "note", ID: "once", Order: 9, Text: "co2 " + filler, Fields: map[string]any{"who": "a"}},
		store.Doc{Kind: "note", ID: "often", Order: 1, Text: "co2 co2 co2 mean", Fields: map[string]any{"who": "b"}},
		store.Doc{Kind: "note", ID: "short", Order: 5, Text: "co2 mean of it", Fields: map[string]any{"who": "a"}},
		store.Doc{Kind: "note", ID: "none", Order: 10, Text: filler, Fields: map[string]any{"who": "a"}},
		store.Doc{Kind: "run", ID: "run", Order: 11, Text: "co2 co2 co2 co2"},
	)
	q := store.Query{Kind: "note", Words: "co2"}
	finds(t, x, q, "once", "short", "often")
	q.Best = true
	finds(t, x, q, "often", "short", "once")
	q.Before = &store.Doc{Order: 2}
	finds(t, x, q, "often", "short", "once")
	q.Limit = 1
	finds(t, x, q, "often")
	q.Where = []store.Condition{{Field: "who", Op: store.Equal, Value: "a"}, {Field: "who", Op: store.Contains, Value: "a"}}
	finds(t, x, q, "short")
	finds(t, x, store.Query{Kind: "note", Best: true}, "none", "once", "short", "often")
}

func indexBadQueries(t *testing.T, x store.Index) {
	index(t, x, store.Doc{Kind: "run", ID: "a", Fields: map[string]any{"f": "x"}})
	where := func(field string, op store.Op, value any) store.Query {
		return store.Query{Kind: "run", Where: []store.Condition{{Field: field, Op: op, Value: value}}}
	}
	many := store.Query{Kind: "run"}
	for range 33 {
		many.Where = append(many.Where, store.Condition{Field: "f", Op: store.Equal, Value: "x"})
	}
	for what, q := range map[string]store.Query{
		"no kind":           {},
		"a negative limit":  {Kind: "run", Limit: -1},
		"a large limit":     {Kind: "run", Limit: 100_001},
		"many words":        {Kind: "run", Words: strings.Repeat("a ", 65)},
		"long words":        {Kind: "run", Words: strings.Repeat("a", 5000)},
		"many conditions":   many,
		"no comparison":     where("f", "", "x"),
		"a bad comparison":  where("f", "LIKE", "x"),
		"a bad field":       where(`f" OR 1`, store.Equal, "x"),
		"no field":          where("", store.Equal, "x"),
		"a bad value":       where("f", store.Equal, []int{1}),
		"no value":          where("f", store.Equal, nil),
		"contains a number": where("f", store.Contains, 1),
	} {
		_, err := x.Find(context.Background(), q)
		want(t, err, fault.Invalid, "find with "+what)
	}
}

func indexConcurrent(t *testing.T, x store.Index) {
	const writers, each = 4, 10
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				err := x.Put(context.Background(), store.Doc{Kind: "run", ID: fmt.Sprintf("%d-%d", w, i), Order: int64(i), Text: "word", Fields: map[string]any{"w": w}})
				if err != nil {
					t.Error(err)
				}
				// The shared one is written by all.
				if err := x.Put(context.Background(), store.Doc{Kind: "shared", ID: "one", Order: int64(i), Text: fmt.Sprint("w", w)}); err != nil {
					t.Error(err)
				}
				docs, err := x.Find(context.Background(), store.Query{Kind: "run", Words: "word", Where: []store.Condition{{Field: "w", Op: store.Equal, Value: w}}})
				if err != nil || len(docs) != i+1 {
					t.Errorf("%d found after %d (%v)", len(docs), i+1, err)
				}
			}
		})
	}
	wg.Wait()
	if got := found(t, x, store.Query{Kind: "run"}); len(got) != writers*each {
		t.Errorf("%d documents, want %d", len(got), writers*each)
	}
	if got := found(t, x, store.Query{Kind: "shared"}); len(got) != 1 {
		t.Errorf("the shared document is there %d times", len(got))
	}
	if got := found(t, x, store.Query{Kind: "shared", Words: "w*"}); len(got) != 1 {
		t.Errorf("the shared document's words are there %d times", len(got))
	}
}

func indexCancelled(t *testing.T, x store.Index) {
	index(t, x, store.Doc{Kind: "run", ID: "a"})
	ctx := gone()
	refused(t, x.Put(ctx, store.Doc{Kind: "run", ID: "b"}), "put")
	_, err := x.Get(ctx, "run", "a")
	refused(t, err, "get")
	_, err = x.Find(ctx, store.Query{Kind: "run"})
	refused(t, err, "find")
	refused(t, x.Delete(ctx, "run", "a"), "delete")
	finds(t, x, store.Query{Kind: "run"}, "a")
}
