package storetest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/store"
)

// Index is the exam of [store.Index]. make returns an empty index.
func Index(t *testing.T, make func(t *testing.T) store.Index) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, x store.Index)
	}{
		{"nothing there", indexEmpty},
		{"put and get", indexPut},
		{"put replaces", indexReplace},
		{"an older version changes nothing", indexVersions},
		{"all or nothing", indexAtomic},
		{"bad documents", indexBad},
		{"order and ties", indexOrder},
		{"pages", indexPages},
		{"conditions", indexConditions},
		{"conditions agree with a plain scan", indexRandom},
		{"words", indexWords},
		{"hostile words", indexHostileWords},
		{"best first", indexBest},
		{"bad queries", indexBadQueries},
		{"many goroutines", indexConcurrent},
		{"cancelled", indexCancelled},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, make(t)) })
	}
}

func index(t *testing.T, x store.Index, docs ...store.Doc) {
	t.Helper()
	must(t, x.Put(context.Background(), docs...), "put")
}

// found returns the ids that a query finds, in their order.
func found(t *testing.T, x store.Index, q store.Query) []string {
	t.Helper()
	docs, err := x.Find(context.Background(), q)
	must(t, err, fmt.Sprintf("find %+v", q))
	ids := []string{}
	for _, d := range docs {
		ids = append(ids, d.ID)
	}
	return ids
}

func finds(t *testing.T, x store.Index, q store.Query, ids ...string) {
	t.Helper()
	if got := found(t, x, q); !slices.Equal(got, ids) {
		t.Errorf("find %+v: got %q, want %q", q, got, ids)
	}
}

func same(a, b store.Doc) bool {
	return a.Kind == b.Kind && a.ID == b.ID && a.Order == b.Order && a.Version == b.Version && a.Text == b.Text &&
		bytes.Equal(a.Body, b.Body) && maps.Equal(a.Fields, b.Fields)
}

func indexVersions(t *testing.T, x store.Index) {
	ctx := context.Background()
	doc := func(version int64, text string) store.Doc {
		return store.Doc{Kind: "run", ID: "a", Order: version, Version: version, Text: text, Body: []byte(text), Fields: map[string]any{"f": text}}
	}
	for _, c := range []struct {
		put  store.Doc
		want store.Doc
	}{
		{doc(3, "third"), doc(3, "third")},
		{doc(2, "second"), doc(3, "third")},
		{doc(3, "again"), doc(3, "again")},
		{doc(4, "fourth"), doc(4, "fourth")},
	} {
		beside := store.Doc{Kind: "run_open", ID: c.put.Text}
		must(t, x.Put(ctx, c.put, beside), "put")
		got, err := x.Get(ctx, "run", "a")
		must(t, err, "get")
		if !same(got, c.want) {
			t.Errorf("after version %d: got %+v, want %+v", c.put.Version, got, c.want)
		}
		finds(t, x, store.Query{Kind: "run", Words: c.want.Text}, "a")
		finds(t, x, store.Query{Kind: "run", Where: []store.Condition{{Field: "f", Op: store.Equal, Value: c.want.Text}}}, "a")
		if _, err := x.Get(ctx, "run_open", c.put.Text); err != nil {
			t.Errorf("what was put beside it: %v", err)
		}
	}
	must(t, x.Delete(ctx, "run", "a"), "delete")
	must(t, x.Put(ctx, doc(1, "first")), "put after delete")
	if got, err := x.Get(ctx, "run", "a"); err != nil || !same(got, doc(1, "first")) {
		t.Errorf("after delete: %+v, %v", got, err)
	}
}

func indexEmpty(t *testing.T, x store.Index) {
	ctx := context.Background()
	_, err := x.Get(ctx, "run", "a")
	want(t, err, fault.NotFound, "get what is absent")
	finds(t, x, store.Query{Kind: "run"})
	finds(t, x, store.Query{Kind: "run", Words: "word", Where: []store.Condition{{Field: "f", Op: store.Equal, Value: "x"}}})
	must(t, x.Delete(ctx, "run", "a"), "delete what is absent")
	must(t, x.Put(ctx), "put nothing")
}

func indexPut(t *testing.T, x store.Index) {
	ctx := context.Background()
	docs := []store.Doc{
		{Kind: "run", ID: "empty"},
		{Kind: "run", ID: "full", Order: 7, Text: "some words", Body: []byte("\x00\xff"), Fields: map[string]any{
			"text": "x", "empty": "", "yes": true, "no": false, "int": int64(3), "float": 3.0, "half": 0.5,
			"max": int64(math.MaxInt64), "min": int64(math.MinInt64), "tiny": 5e-324, "huge": math.MaxFloat64, "neg": -1e21,
			"odd": "\x00 \" ' <&> \u2028 \u202e 日本 🙂", "with.dot-and_line": int64(0),
		}},
		{Kind: "run", ID: "first", Order: math.MinInt64},
		{Kind: "run", ID: "last", Order: math.MaxInt64},
		{Kind: "note", ID: "full", Order: 7, Text: "another kind"},
		{Kind: "run", ID: "text", Text: "zero \x00 byte, 日本語 and \u202e"},
	}
	for _, name := range hostile() {
		docs = append(docs, store.Doc{Kind: name, ID: "id"}, store.Doc{Kind: "hostile", ID: name, Fields: map[string]any{"f": name}, Text: name})
	}
	index(t, x, docs...)
	for _, d := range docs {
		got, err := x.Get(ctx, d.Kind, d.ID)
		if err != nil || !same(got, d) {
			t.Errorf("put %+v, got %+v (%v)", d, got, err)
		}
	}
	finds(t, x, store.Query{Kind: "run"}, "last", "full", "text", "empty", "first")
	for _, name := range hostile() {
		finds(t, x, store.Query{Kind: name}, "id")
		finds(t, x, store.Query{Kind: "hostile", Where: []store.Condition{{Field: "f", Op: store.Equal, Value: name}}}, name)
	}
	// Numbers of other types are taken as the one of their sort.
	type named string
	index(t, x, store.Doc{Kind: "types", ID: "a", Fields: map[string]any{"int": 3, "u": uint16(4), "f": float32(0.5), "s": named("x"), "bad": "a\xffb"}})
	got, err := x.Get(ctx, "types", "a")
	if want := map[string]any{"int": int64(3), "u": int64(4), "f": 0.5, "s": "x", "bad": "a\ufffdb"}; err != nil || !maps.Equal(got.Fields, want) {
		t.Errorf("got %v %v, want %v", got.Fields, err, want)
	}
}

func indexReplace(t *testing.T, x store.Index) {
	ctx := context.Background()
	where := func(field string, value any) store.Query {
		return store.Query{Kind: "run", Where: []store.Condition{{Field: field, Op: store.Equal, Value: value}}}
	}
	index(t, x, store.Doc{Kind: "run", ID: "a", Order: 1, Text: "old words", Body: []byte("old"), Fields: map[string]any{"state": "Läuft", "gone": 1.5, "same": true}},
		store.Doc{Kind: "run", ID: "b", Order: 2})
	finds(t, x, store.Query{Kind: "run"}, "b", "a")
	next := store.Doc{Kind: "run", ID: "a", Order: 3, Text: "new words", Body: []byte("new"), Fields: map[string]any{"state": "done", "same": true}}
	index(t, x, next)
	index(t, x, next, store.Doc{Kind: "run", ID: "none", Gone: true}, store.Doc{Kind: "run", ID: "c"}, store.Doc{Kind: "run", ID: "c", Gone: true})
	got, err := x.Get(ctx, "run", "a")
	if err != nil || !same(got, next) {
		t.Errorf("got %+v %v", got, err)
	}
	finds(t, x, store.Query{Kind: "run"}, "a", "b")
	finds(t, x, store.Query{Kind: "run", Words: "old"})
	finds(t, x, store.Query{Kind: "run", Words: "new"}, "a")
	finds(t, x, where("state", "Läuft"))
	finds(t, x, where("gone", 1.5))
	finds(t, x, where("state", "done"), "a")
	finds(t, x, where("same", true), "a")
	must(t, x.Delete(ctx, "run", "a"), "delete")
	must(t, x.Delete(ctx, "run", "a"), "delete twice")
	_, err = x.Get(ctx, "run", "a")
	want(t, err, fault.NotFound, "get what was deleted")
	finds(t, x, store.Query{Kind: "run"}, "b")
	finds(t, x, store.Query{Kind: "run", Words: "words"})
	finds(t, x, where("same", true))
	// The last of several of one id in one step stands.
	index(t, x, store.Doc{Kind: "run", ID: "c", Text: "one"}, store.Doc{Kind: "run", ID: "c", Text: "two"})
	finds(t, x, store.Query{Kind: "run", Words: "one"})
	finds(t, x, store.Query{Kind: "run", Words: "two"}, "c")
}

func indexAtomic(t *testing.T, x store.Index) {
	err := x.Put(context.Background(), store.Doc{Kind: "run", ID: "good"}, store.Doc{Kind: "run", ID: ""})
	want(t, err, fault.Invalid, "put a bad document after a good one")
	finds(t, x, store.Query{Kind: "run"})
}

func indexBad(t *testing.T, x store.Index) {
	ctx := context.Background()
	many := map[string]any{}
	for i := range 65 {
		many[fmt.Sprint("f", i)] = i
	}
	for what, d := range map[string]store.Doc{
		"no kind":          {ID: "a"},
		"no id":            {Kind: "a"},
		"a long id":        {Kind: "a", ID: strings.Repeat("x", 257)},
		"a long kind":      {ID: "a", Kind: strings.Repeat("x", 257)},
		"a zero byte":      {Kind: "a", ID: "a\x00"},
		"no text":          {Kind: "a", ID: "\xff"},
		"no number":        {Kind: "a", ID: "a", Fields: map[string]any{"f": math.NaN()}},
		"infinite":         {Kind: "a", ID: "a", Fields: map[string]any{"f": math.Inf(-1)}},
		"a large number":   {Kind: "a", ID: "a", Fields: map[string]any{"f": uint64(math.MaxUint64)}},
		"a list":           {Kind: "a", ID: "a", Fields: map[string]any{"f": []string{"x"}}},
		"nil":              {Kind: "a", ID: "a", Fields: map[string]any{"f": nil}},
		"a field unnamed":  {Kind: "a", ID: "a", Fields: map[string]any{"": "x"}},
		"a field's quote":  {Kind: "a", ID: "a", Fields: map[string]any{`a"b`: "x"}},
		"a field's length": {Kind: "a", ID: "a", Fields: map[string]any{strings.Repeat("x", 65): "x"}},
		"many fields":      {Kind: "a", ID: "a", Fields: many},
		"large fields":     {Kind: "a", ID: "a", Fields: map[string]any{"f": strings.Repeat("x", 1<<20+1)}},
		"a long text":      {Kind: "a", ID: "a", Text: strings.Repeat("x", 16<<20+1)},
		"a long body":      {Kind: "a", ID: "a", Body: make([]byte, 16<<20+1)},
	} {
		want(t, x.Put(ctx, d), fault.Invalid, "put "+what)
	}
	_, err := x.Get(ctx, "", "a")
	want(t, err, fault.Invalid, "get")
	want(t, x.Delete(ctx, "a", ""), fault.Invalid, "delete")
	large := store.Doc{Kind: "a", ID: strings.Repeat("x", 256), Text: strings.Repeat("word ", 16<<20/5), Body: noise(1, 16<<20),
		Fields: map[string]any{"f": strings.Repeat("x", 1<<20)}}
	must(t, x.Put(ctx, large), "put the largest")
	got, err := x.Get(ctx, "a", large.ID)
	if err != nil || !same(got, large) {
		t.Errorf("the largest did not come back (%v)", err)
	}
}

func indexOrder(t *testing.T, x store.Index) {
	ids := []string{"a", "b", "B", "é", "10", "9", "zz", "z", "日"}
	for _, i := range rand.Perm(len(ids)) {
		index(t, x, store.Doc{Kind: "tie", ID: ids[i], Order: 5, Text: "w", Fields: map[string]any{"f": "x", "n": i}})
	}
	sorted := slices.Sorted(slices.Values(ids))
	slices.Reverse(sorted)
	some := []store.Condition{{Field: "f", Op: store.Equal, Value: "x"}}
	all := []store.Condition{{Field: "n", Op: store.AtLeast, Value: 0}}
	for _, q := range []store.Query{{}, {Where: some}, {Where: all}, {Words: "w"}, {Words: "w", Where: append(some, all...)}, {Words: "w", Best: true}} {
		q.Kind = "tie"
		finds(t, x, q, sorted...)
	}
}

func indexPages(t *testing.T, x store.Index) {
	const n = 250
	var docs []store.Doc
	for i := range n {
		docs = append(docs, store.Doc{Kind: "run", ID: fmt.Sprintf("id-%03d", i*7%n), Order: int64(i / 10), Text: "word",
			Fields: map[string]any{"even": i%2 == 0, "n": i}})
	}
	index(t, x, docs...)
	slices.SortFunc(docs, newest)
	if got := found(t, x, store.Query{Kind: "run"}); len(got) != 100 {
		t.Errorf("without a limit %d are found, want 100", len(got))
	}
	for name, q := range map[string]store.Query{
		"all":       {Limit: 7},
		"condition": {Limit: 33, Where: []store.Condition{{Field: "even", Op: store.Equal, Value: true}}},
		"range":     {Limit: 10, Where: []store.Condition{{Field: "n", Op: store.AtLeast, Value: 100}, {Field: "n", Op: store.Less, Value: 200.5}}},
		"words":     {Limit: 100, Words: "wor*"},
		"one":       {Limit: 1, Words: "word", Where: []store.Condition{{Field: "even", Op: store.NotEqual, Value: true}}},
		"enough":    {Limit: 100_000},
	} {
		q.Kind = "run"
		var got, wanted []string
		for _, d := range docs {
			if fits(d, q.Where) {
				wanted = append(wanted, d.ID)
			}
		}
		for {
			page, err := x.Find(context.Background(), q)
			must(t, err, name)
			for _, d := range page {
				got = append(got, d.ID)
			}
			if len(page) < q.Limit || len(got) > n {
				break
			}
			last := page[len(page)-1]
			q.Before = &store.Doc{Order: last.Order, ID: last.ID}
		}
		if !slices.Equal(got, wanted) {
			t.Errorf("%s: the pages have %d documents, want %d in order", name, len(got), len(wanted))
		}
	}
	// A document in between may be gone.
	finds(t, x, store.Query{Kind: "run", Before: &store.Doc{Order: 0, ID: "id-0"}})
	if got := found(t, x, store.Query{Kind: "run", Before: &store.Doc{Order: 1, ID: ""}}); len(got) != 10 {
		t.Errorf("%d below the tie, want 10", len(got))
	}
}

// newest compares in the order that pages have.
func newest(a, b store.Doc) int {
	switch {
	case a.Order != b.Order && a.Order > b.Order, a.Order == b.Order && a.ID > b.ID:
		return -1
	}
	return 1
}

// fits is what conditions mean, in the plainest way.
func fits(d store.Doc, where []store.Condition) bool {
	for _, c := range where {
		value, ok := d.Fields[c.Field]
		if !ok {
			return false
		}
		order, comparable := compare(value, c.Value)
		switch c.Op {
		case store.Equal:
			ok = comparable && order == 0
		case store.NotEqual:
			ok = !comparable || order != 0
		case store.Less:
			ok = comparable && order < 0
		case store.AtLeast:
			ok = comparable && order >= 0
		case store.Contains:
			s, text := value.(string)
			ok = text && strings.Contains(strings.ToLower(s), strings.ToLower(c.Value.(string)))
		}
		if !ok {
			return false
		}
	}
	return true
}

// compare compares values of one type; those of two have no order.
func compare(a, b any) (order int, comparable bool) {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return strings.Compare(a, b), ok
	case bool:
		b, ok := b.(bool)
		switch {
		case a == b:
			return 0, ok
		case a:
			return 1, ok
		}
		return -1, ok
	}
	x, okX := number(a)
	y, okY := number(b)
	switch {
	case x < y:
		return -1, okX && okY
	case x > y:
		return 1, okX && okY
	}
	return 0, okX && okY
}

// number is exact for the small numbers of the exam.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
