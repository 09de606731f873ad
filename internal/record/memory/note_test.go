package memory_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"praxis/fault"
	"praxis/internal/record/memory"
	"praxis/internal/store"
)

func note(t *testing.T, m *memory.Memory, text string, from memory.From, tags ...string) memory.Note {
	t.Helper()
	n, _, err := m.SaveNote(t.Context(), text, tags, from)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNotes(t *testing.T) {
	m, _ := open(t, t.TempDir())
	ctx := t.Context()
	from := memory.From{Run: "20261121-031455-7f3a", Step: 2, Thread: "sales"}
	first, known, err := m.SaveNote(ctx, "  Amounts are in euro.\r\n", []string{"#Sales", "big money", "sales", ""}, from)
	want := memory.Note{ID: first.ID, Text: "Amounts are in euro.", Created: first.Created, Tags: []string{"big-money", "sales"}, From: from}
	if err != nil || known || !reflect.DeepEqual(first, want) || len(first.ID) != 12 || first.Created.IsZero() {
		t.Fatalf("note = %+v, %v, %v, want %+v", first, known, err, want)
	}
	again, known, err := m.SaveNote(ctx, "Amounts are\n in euro.", []string{"currency"}, memory.From{Run: "other"})
	want.Tags = []string{"big-money", "currency", "sales"}
	if err != nil || !known || !reflect.DeepEqual(again, want) {
		t.Errorf("the same note again = %+v, %v, %v, want %+v", again, known, err, want)
	}
	second := note(t, m, "Dates have the day first.", memory.From{Thread: "other"}, "dates")

	for _, ref := range []string{first.ID, first.ID[:5], strings.ToUpper(first.ID)} {
		if got, err := m.Note(ctx, ref); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("note %s = %+v, %v, want %+v", ref, got, err, want)
		}
	}
	for _, ref := range []string{"", "zzz", "../x", "%", "0123456789ab", first.ID + "0"} {
		_, err := m.Note(ctx, ref)
		wantFault(t, err, fault.NotFound, "cannot find note")
		_, err = m.RemoveNote(ctx, ref)
		wantFault(t, err, fault.NotFound, "cannot find note")
	}

	list := func(q memory.NoteQuery) []string {
		t.Helper()
		all, err := m.Notes(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, n := range all {
			ids = append(ids, n.ID)
		}
		return ids
	}
	for _, c := range []struct {
		q    memory.NoteQuery
		want []string
	}{
		{memory.NoteQuery{}, []string{second.ID, first.ID}},
		{memory.NoteQuery{Limit: 1}, []string{second.ID}},
		{memory.NoteQuery{Before: &second}, []string{first.ID}},
		{memory.NoteQuery{Thread: "sales"}, []string{first.ID}},
		{memory.NoteQuery{Tag: "Currency"}, []string{first.ID}},
		{memory.NoteQuery{Tag: "curr"}, nil},
		{memory.NoteQuery{Tag: "dates", Thread: "sales"}, nil},
	} {
		if got := list(c.q); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.q, got, c.want)
		}
	}

	if id, err := m.RemoveNote(ctx, first.ID[:6]); err != nil || id != first.ID {
		t.Errorf("removed %s, %v", id, err)
	}
	if got := list(memory.NoteQuery{}); !slices.Equal(got, []string{second.ID}) {
		t.Errorf("after removing: %v", got)
	}
}

func TestAmbiguousNote(t *testing.T) {
	m, _ := open(t, t.TempDir())
	byFirst := map[byte]int{}
	for i := range 17 { // two of them begin with the same digit
		byFirst[note(t, m, fmt.Sprint("note ", i), memory.From{}).ID[0]]++
	}
	for first, n := range byFirst {
		if n > 1 {
			_, err := m.Note(t.Context(), string(first))
			wantFault(t, err, fault.Invalid, "cannot find out which note")
			return
		}
	}
	t.Error("all begin with different digits")
}

func TestNoteBounds(t *testing.T) {
	m, cfg := open(t, t.TempDir())
	save := func(text string, tags ...string) error {
		_, _, err := m.SaveNote(t.Context(), text, tags, memory.From{})
		return err
	}
	wantFault(t, save(" \n\x00"), fault.Invalid, "it is empty")
	wantFault(t, save(strings.Repeat("x", memory.MaxNote+1)), fault.Invalid, "the bound is 4000")
	wantFault(t, save("a", strings.Repeat("x", memory.MaxTag+1)), fault.Invalid, "the bound is 40")
	var tags []string
	for i := range memory.MaxTags + 1 {
		tags = append(tags, fmt.Sprint("t", i))
	}
	wantFault(t, save("a", tags...), fault.Invalid, "it has 11 tags")
	if err := save(strings.Repeat("x", memory.MaxNote), tags[1:]...); err != nil {
		t.Error(err)
	}
	n := note(t, m, strings.Repeat("x", memory.MaxNote), memory.From{}, "one-more")
	if len(n.Tags) != memory.MaxTags {
		t.Errorf("%d tags", len(n.Tags))
	}

	var docs []store.Doc
	for i := range memory.MaxNotes {
		docs = append(docs, store.Doc{Kind: "note", ID: fmt.Sprintf("%012x", i), Order: 1, Body: []byte(`{}`)})
	}
	for chunk := range slices.Chunk(docs, 1000) {
		if err := cfg.Index.Put(t.Context(), chunk...); err != nil {
			t.Fatal(err)
		}
	}
	wantFault(t, save("one too many"), fault.Exhausted, "the bound is 10000")
}

// TestNotePlain checks that no note moves a terminal's cursor or hides its text.
func TestNotePlain(t *testing.T) {
	m, _ := open(t, t.TempDir())
	n := note(t, m, "a\x1b[2Jb\rc\x00d\u202ee\u2028f\u0085g\xffh\ti", memory.From{}, "x\x1b[1m")
	if n.Text != "a[2Jb\ncdefg\ufffdh\ti" || n.Tags[0] != "x[1m" {
		t.Errorf("note = %q %q", n.Text, n.Tags)
	}
}

func TestSearch(t *testing.T) {
	m, cfg := open(t, t.TempDir())
	ctx := t.Context()
	euro := note(t, m, "The amounts in sales.csv are in euro, without tax.", memory.From{}, "currency")
	dollar := note(t, m, "The amounts in costs.csv are in dollars.", memory.From{})
	dates := note(t, m, "Dates in sales.csv have the day first.", memory.From{})
	style := note(t, m, "The person prefers tables with two decimals. Café is a client.", memory.From{})
	yen := note(t, m, "売上高の単位は百万円です。", memory.From{})

	for _, c := range []struct {
		query string
		want  []string // in this order, at the beginning
		only  bool
	}{
		{"euro", []string{euro.ID}, true},
		{"sales EURO", []string{euro.ID}, false},
		{"What currency are the amounts of sales in?", []string{euro.ID}, false},
		{"currency", []string{euro.ID}, true},
		{"preferences: decimal places?", []string{style.ID}, false},
		{"dollar", []string{dollar.ID}, true},
		{`"day first"`, []string{dates.ID}, true},
		{"cafe", []string{style.ID}, true},
		{"売上の通貨", []string{yen.ID}, true},
		{"円", []string{yen.ID}, true},
		{"nothing fits here at-all xyz", nil, false},
		{`") OR "a" NEAR( *`, nil, false},
		{"elephants", nil, true},
	} {
		got, err := m.SearchNotes(ctx, c.query, 0)
		if err != nil {
			t.Errorf("%q: %v", c.query, err)
			continue
		}
		var ids []string
		for _, n := range got {
			ids = append(ids, n.ID)
		}
		if len(ids) < len(c.want) || !slices.Equal(ids[:len(c.want)], c.want) || c.only && len(ids) != len(c.want) {
			t.Errorf("%q: %v, want %v (only: %v)", c.query, ids, c.want, c.only)
		}
	}
	if got, err := m.SearchNotes(ctx, "amounts", 1); len(got) != 1 || err != nil {
		t.Errorf("%d notes, %v", len(got), err)
	}
	for _, query := range []string{"", " ?! ", "\x00"} {
		_, err := m.SearchNotes(ctx, query, 0)
		wantFault(t, err, fault.Invalid, "holds no word")
	}
	_, err := m.SearchNotes(ctx, strings.Repeat("word ", 300), 0)
	wantFault(t, err, fault.Invalid, "the bound is 1000")

	if err := cfg.Index.Put(ctx, store.Doc{Kind: "note", ID: "00ff", Order: 1, Fields: map[string]any{"id": "00ff"}, Text: "euro", Body: []byte("{")}); err != nil {
		t.Fatal(err)
	}
	got, err := m.SearchNotes(ctx, "euro", 0)
	wantFault(t, err, fault.Conflict, "note 00ff: it is damaged")
	if len(got) != 1 || got[0].ID != euro.ID {
		t.Errorf("beside a damaged note: %+v", got)
	}
	if _, err := m.RemoveNote(ctx, "00ff"); err != nil {
		t.Errorf("remove a damaged note: %v", err)
	}
}

// FuzzNote saves any text with any tag and finds it again by its words.
func FuzzNote(f *testing.F) {
	f.Add("Amounts are in euro.", "sales")
	f.Add("\"' OR 1=1 -- *", ",,#")
	f.Add("売上\x00\u202e", "\xff")
	f.Fuzz(func(t *testing.T, text, tag string) {
		m, _ := open(t, t.TempDir())
		n, known, err := m.SaveNote(t.Context(), text, []string{tag}, memory.From{Run: "r"})
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("save: %v", err)
			}
			return
		}
		if known || n.Text != strings.TrimSpace(n.Text) || strings.ContainsFunc(n.Text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			t.Errorf("note = %+v", n)
		}
		if again, known, err := m.SaveNote(t.Context(), n.Text, nil, memory.From{}); err != nil || !known || again.ID != n.ID {
			t.Errorf("again = %+v, %v, %v", again, known, err)
		}
		if got, err := m.Note(t.Context(), n.ID); err != nil || !reflect.DeepEqual(got, n) {
			t.Errorf("got %+v, %v, want %+v", got, err, n)
		}
		if _, err := m.SearchNotes(t.Context(), text, 5); err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("search: %v", err)
		}
	})
}
