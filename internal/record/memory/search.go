package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"praxis/fault"
	"praxis/internal/store"
)

const (
	maxQuery = 1000 // bytes
	maxWords = 12   // of a query that are looked for one by one
	maxHits  = 200  // notes that one word is counted in
)

// SearchNotes returns the notes that a query fits, best first. Those that hold
// all of its words come first, as the index ranks them; then those that hold
// some, where a word that few notes hold weighs more. limit is at most 100; 0: 10.
func (m *Memory) SearchNotes(ctx context.Context, query string, limit int) ([]Note, error) {
	query = plain(query)
	words := words(query)
	if len(words) == 0 {
		return nil, fault.New(fault.Invalid, "Give the words that the note would hold.", "cannot search notes: the query holds no word")
	}
	if len(query) > maxQuery {
		return nil, fault.New(fault.Invalid, "Give the few words that matter.", "cannot search notes: the query is %d bytes long, and the bound is %d", len(query), maxQuery)
	}
	if limit <= 0 {
		limit = 10
	}
	limit = min(limit, maxFound)
	docs, err := m.index.Find(ctx, store.Query{Kind: kind, Words: query, Best: true, Limit: limit})
	if err != nil && fault.KindOf(err) != fault.Invalid { // one word by one is looked for all the same
		return nil, fmt.Errorf("cannot search notes: %w", err)
	}
	if len(docs) < limit {
		some, err := m.someWords(ctx, words)
		if err != nil {
			return nil, err
		}
		for _, d := range some {
			if len(docs) < limit && !slices.ContainsFunc(docs, func(have store.Doc) bool { return have.ID == d.ID }) {
				docs = append(docs, d)
			}
		}
	}
	return readNotes(docs)
}

// someWords returns the documents that hold any of the words, in the order of
// the weight of those that they hold.
func (m *Memory) someWords(ctx context.Context, words []string) ([]store.Doc, error) {
	type hit struct {
		doc    store.Doc
		weight float64
	}
	hits := map[string]hit{}
	for _, w := range words {
		q := store.Query{Kind: kind, Words: w + "*", Best: true, Limit: maxHits}
		if unspaced(w) {
			q = store.Query{Kind: kind, Where: []store.Condition{{Field: "text", Op: store.Contains, Value: w}}, Limit: maxHits}
		}
		docs, err := m.index.Find(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("cannot search notes: %w", err)
		}
		for _, d := range docs {
			h := hits[d.ID]
			h.doc, h.weight = d, h.weight+1/float64(len(docs))
			hits[d.ID] = h
		}
	}
	var sorted []hit
	for _, h := range hits {
		sorted = append(sorted, h)
	}
	slices.SortFunc(sorted, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.doc.Order, a.doc.Order), cmp.Compare(a.doc.ID, b.doc.ID))
	})
	var out []store.Doc
	for _, h := range sorted {
		out = append(out, h.doc)
	}
	return out, nil
}

// words returns the distinct words of a query that say something: very short
// ones stand in every note, unless there are no others. Of scripts that put no
// space between words, it is each pair of letters.
func words(query string) []string {
	all := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	var long []string
	add := func(w string) {
		if !slices.Contains(long, w) {
			long = append(long, w)
		}
	}
	for _, w := range all {
		letters := []rune(w)
		if unspaced(w) {
			for i := range max(len(letters)-1, 1) {
				add(string(letters[i:min(i+2, len(letters))]))
			}
		} else if len(letters) > 2 {
			add(w)
		}
	}
	if len(long) == 0 {
		for _, w := range all {
			add(w)
		}
	}
	return long[:min(len(long), maxWords)]
}

// unspaced says whether a word is of a script that puts no space between words.
func unspaced(w string) bool {
	return strings.ContainsFunc(w, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	})
}

func readNotes(docs []store.Doc) ([]Note, error) {
	var out []Note
	var problems []error
	for _, d := range docs {
		n, err := readNote(d)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		out = append(out, n)
	}
	return out, errors.Join(problems...)
}
