package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/store"
)

const (
	kind      = "note"
	maxFound  = 100
	separator = "," // around each tag in the field that queries compare
)

// Note is a text that was kept.
type Note struct {
	ID      string    `json:"id"`
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
	Tags    []string  `json:"tags,omitempty"` // sorted
	From    From      `json:"from"`
}

// From says where a note comes from.
type From struct {
	Run    string `json:"run,omitempty"`
	Step   int    `json:"step,omitempty"`
	Thread string `json:"thread,omitempty"`
}

// SaveNote keeps a text. When it was kept before, in whatever spacing, the note
// that is there is returned with known true, and gets the tags that it lacks.
func (m *Memory) SaveNote(ctx context.Context, text string, tags []string, from From) (n Note, known bool, err error) {
	text = plain(m.redact(text))
	if text == "" {
		return Note{}, false, fault.New(fault.Invalid, "Say in a sentence or two what is worth knowing in another conversation.", "cannot save the note: it is empty")
	}
	if len(text) > MaxNote {
		return Note{}, false, fault.New(fault.Invalid, "Save a shorter one: what is worth knowing, not the data itself.",
			"cannot save the note: it is %d bytes long, and the bound is %d", len(text), MaxNote)
	}
	if tags, err = m.cleanTags(tags); err != nil {
		return Note{}, false, err
	}
	n = Note{ID: noteID(text), Text: text, Created: m.now().UTC(), Tags: tags, From: from}
	old, err := m.note(ctx, n.ID)
	switch {
	case err == nil:
		known = true
		merged := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(old.Tags), tags...))))
		if len(merged) > MaxTags || slices.Equal(merged, old.Tags) {
			return old, true, nil
		}
		n = old
		n.Tags = merged
	case fault.KindOf(err) != fault.NotFound:
		return Note{}, false, err
	default:
		if err := m.room(ctx); err != nil {
			return Note{}, false, err
		}
	}
	doc, err := n.doc()
	if err == nil {
		err = m.index.Put(ctx, doc)
	}
	if err != nil {
		return Note{}, false, fmt.Errorf("cannot save the note: %w", err)
	}
	return n, known, nil
}

// room says whether there is room for one more note.
func (m *Memory) room(ctx context.Context) error {
	docs, err := m.index.Find(ctx, store.Query{Kind: kind, Limit: MaxNotes})
	if err != nil {
		return fmt.Errorf("cannot save the note: %w", err)
	}
	if len(docs) >= MaxNotes {
		return fault.Coded(fault.NotesUsedUp, fault.Data{"limit": strconv.Itoa(MaxNotes)},
			"cannot save the note: there are %d, and the bound is %d", len(docs), MaxNotes)
	}
	return nil
}

// noteID names a note by its words.
func noteID(text string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(text), " ")))
	return hex.EncodeToString(sum[:6])
}

// plain returns a text without what would move a terminal's cursor, and without
// the space around it.
func plain(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n'
		case unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069':
			return -1
		}
		return r
	}, text)
	return strings.TrimSpace(text)
}

// cleanTags returns tags as they are stored: lower case, each once, sorted.
func (m *Memory) cleanTags(tags []string) ([]string, error) {
	var out []string
	for _, t := range tags {
		t = strings.ToLower(strings.Join(strings.FieldsFunc(plain(m.redact(t)), func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune(separator+"#", r)
		}), "-"))
		if t == "" {
			continue
		}
		if len(t) > MaxTag {
			return nil, fault.New(fault.Invalid, "Use short words as tags.", "cannot save the note: the tag %q is %d bytes long, and the bound is %d", safetext.Clip(t, 40), len(t), MaxTag)
		}
		out = append(out, t)
	}
	out = slices.Compact(slices.Sorted(slices.Values(out)))
	if len(out) > MaxTags {
		return nil, fault.New(fault.Invalid, "Keep the tags that help to find it again.", "cannot save the note: it has %d tags, and the bound is %d", len(out), MaxTags)
	}
	return out, nil
}

// doc is the note as it is indexed.
func (n Note) doc() (store.Doc, error) {
	body, err := json.Marshal(n)
	if err != nil {
		return store.Doc{}, err
	}
	tags := ""
	if len(n.Tags) > 0 {
		tags = separator + strings.Join(n.Tags, separator) + separator
	}
	return store.Doc{
		Kind: kind, ID: n.ID, Order: n.Created.UnixNano(),
		Fields: map[string]any{"id": n.ID, "tags": tags, "thread": n.From.Thread, "run": n.From.Run, "text": n.Text},
		Text:   n.Text + "\n" + strings.Join(n.Tags, " "),
		Body:   body,
	}, nil
}

func readNote(d store.Doc) (Note, error) {
	var n Note
	if err := json.Unmarshal(d.Body, &n); err != nil {
		return Note{}, fault.Coded(fault.NoteDamaged, fault.Data{"note": d.ID}, "cannot read note %s: it is damaged: %w", d.ID, err)
	}
	return n, nil
}

func noNote(ref string) error {
	return fault.Coded(fault.NoteMissing, fault.Data{"note": safetext.Clip(ref, 80)}, "cannot find note %q: there is none", safetext.Clip(ref, 80))
}

// note returns the note with this very ID.
func (m *Memory) note(ctx context.Context, id string) (Note, error) {
	d, err := m.index.Get(ctx, kind, id)
	if fault.KindOf(err) == fault.NotFound {
		return Note{}, noNote(id)
	}
	if err != nil {
		return Note{}, fmt.Errorf("cannot read note %s: %w", id, err)
	}
	return readNote(d)
}

// Note returns the note that ref names: its ID, or the beginning of the ID of
// only one.
func (m *Memory) Note(ctx context.Context, ref string) (Note, error) {
	id, err := m.resolve(ctx, ref)
	if err != nil {
		return Note{}, err
	}
	return m.note(ctx, id)
}

// RemoveNote removes the note that ref names, and returns its ID.
func (m *Memory) RemoveNote(ctx context.Context, ref string) (string, error) {
	id, err := m.resolve(ctx, ref)
	if err != nil {
		return "", err
	}
	if err := m.index.Delete(ctx, kind, id); err != nil {
		return "", fmt.Errorf("cannot remove note %s: %w", id, err)
	}
	return id, nil
}

func (m *Memory) resolve(ctx context.Context, ref string) (string, error) {
	ref = strings.ToLower(strings.TrimSpace(ref))
	if ref == "" || strings.Trim(ref, "0123456789abcdef") != "" {
		return "", noNote(ref)
	}
	docs, err := m.index.Find(ctx, store.Query{Kind: kind, Where: []store.Condition{{Field: "id", Op: store.Contains, Value: ref}}, Limit: MaxNotes})
	if err != nil {
		return "", fmt.Errorf("cannot find note %s: %w", ref, err)
	}
	var ids []string
	for _, d := range docs {
		if strings.HasPrefix(d.ID, ref) {
			ids = append(ids, d.ID)
		}
	}
	switch {
	case len(ids) == 0:
		return "", noNote(ref)
	case len(ids) > 1 && !slices.Contains(ids, ref):
		slices.Sort(ids)
		return "", fault.New(fault.Invalid, "Write more of it.", "cannot tell which note %s is: %s", ref, strings.Join(ids[:min(len(ids), 5)], ", "))
	case len(ids) > 1:
		return ref, nil
	}
	return ids[0], nil
}

// NoteQuery says which notes are listed.
type NoteQuery struct {
	Thread string // that they come from; "": any
	Tag    string // "": any
	Before *Note  // the last one of the page before
	Limit  int    // 0: 100
}

// Notes lists notes, newest first. When some cannot be read, the others are
// returned with the error.
func (m *Memory) Notes(ctx context.Context, q NoteQuery) ([]Note, error) {
	query := store.Query{Kind: kind, Limit: q.Limit}
	if q.Thread != "" {
		query.Where = append(query.Where, store.Condition{Field: "thread", Op: store.Equal, Value: q.Thread})
	}
	if q.Tag != "" {
		query.Where = append(query.Where, store.Condition{Field: "tags", Op: store.Contains, Value: separator + strings.ToLower(q.Tag) + separator})
	}
	if q.Before != nil {
		query.Before = &store.Doc{Kind: kind, ID: q.Before.ID, Order: q.Before.Created.UnixNano()}
	}
	docs, err := m.index.Find(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("cannot list notes: %w", err)
	}
	return readNotes(docs)
}
