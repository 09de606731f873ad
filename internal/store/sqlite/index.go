package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"praxis/fault"
	"praxis/internal/store"
)

var _ store.Index = (*Index)(nil)

// Index is the documents of a [DB].
type Index struct{ d *DB }

// checkDoc refuses what cannot be indexed, and returns its fields.
func checkDoc(doc store.Doc) (attrs []attr, err error) {
	if err := checkNames(doc.Kind, "kind", doc.ID, "id of a document"); err != nil {
		return nil, err
	}
	switch {
	case len(doc.Text) > maxValue:
		return nil, fault.New(fault.Invalid, "", "the text of %s %q has %d bytes, at most %d are taken", doc.Kind, doc.ID, len(doc.Text), maxValue)
	case len(doc.Body) > maxValue:
		return nil, fault.New(fault.Invalid, "", "the body of %s %q has %d bytes, at most %d are taken", doc.Kind, doc.ID, len(doc.Body), maxValue)
	}
	return attrsOf(doc.Fields)
}

// Put stores documents in one step.
func (x *Index) Put(ctx context.Context, docs ...store.Doc) error {
	what := "index documents"
	for _, doc := range docs {
		if _, err := checkDoc(doc); err != nil {
			return x.d.failed(ctx, what, err)
		}
	}
	if len(docs) == 0 {
		return nil
	}
	return x.write(ctx, what, func(w *writer) error {
		for _, doc := range docs {
			put := w.put
			if doc.Gone {
				put = func(ctx context.Context, doc store.Doc) error {
					_, err := w.remove(ctx, doc.Kind, doc.ID)
					return err
				}
			}
			if err := put(ctx, doc); err != nil {
				return err
			}
		}
		return nil
	})
}

// Delete removes a document.
func (x *Index) Delete(ctx context.Context, kind, id string) error {
	what := "remove a document from the index"
	if err := checkNames(kind, "kind", id, "id of a document"); err != nil {
		return x.d.failed(ctx, what, err)
	}
	return x.write(ctx, what, func(w *writer) error {
		_, err := w.remove(ctx, kind, id)
		return err
	})
}

// write changes documents in a transaction.
func (x *Index) write(ctx context.Context, what string, do func(*writer) error) error {
	stmts, err := x.d.statements(ctx)
	if err != nil {
		return x.d.failed(ctx, what, err)
	}
	return x.d.write(ctx, what, func(tx *sql.Tx) error {
		return do(&writer{tx: tx, stmts: stmts, names: map[[2]string]int64{}})
	})
}

// statements are those of a writer. They are compiled once, before a transaction takes the
// one connection that writes.
func (d *DB) statements(ctx context.Context) (map[string]*sql.Stmt, error) {
	if err := d.take(ctx); err != nil {
		return nil, err
	}
	defer d.giveUp()
	pool, err := d.openWriter(ctx)
	if err != nil || d.stmts != nil {
		return d.stmts, err
	}
	stmts := map[string]*sql.Stmt{}
	for _, text := range []string{findDoc, newerDoc, addDoc, dropDoc, addAttr, dropAttrs, addWords, dropWords, findName, addName} {
		err := d.untilFree(ctx, func() (err error) {
			stmts[text], err = pool.PrepareContext(ctx, text)
			return err
		})
		if err != nil {
			return nil, err // those that are compiled end with the connection
		}
	}
	d.stmts = stmts
	return stmts, nil
}

// Get returns one document.
func (x *Index) Get(ctx context.Context, kind, id string) (store.Doc, error) {
	what := "read a document of the index"
	if err := checkNames(kind, "kind", id, "id of a document"); err != nil {
		return store.Doc{}, x.d.failed(ctx, what, err)
	}
	var doc store.Doc
	err := x.d.read(ctx, what, func(pool *sql.DB) error {
		row := pool.QueryRowContext(ctx, `SELECT `+columns+` FROM docs d WHERE kind = ? AND id = ?`, kind, id)
		err := scan(row, &doc)
		if errors.Is(err, sql.ErrNoRows) {
			return errAbsent
		}
		return err
	})
	if errors.Is(err, errAbsent) {
		err = fault.New(fault.NotFound, "", "cannot %s: there is no %s %q", what, kind, id)
	}
	if err != nil {
		return store.Doc{}, err
	}
	return doc, nil
}

// columns are what scan takes.
const columns = `d.kind, d.id, d.ord, d.fields, d.body, d.text, d.version`

// scan reads a document from a row, with what else the row has.
func scan(row interface{ Scan(...any) error }, doc *store.Doc, more ...any) error {
	var fields []byte
	if err := row.Scan(append([]any{&doc.Kind, &doc.ID, &doc.Order, &fields, &doc.Body, &doc.Text, &doc.Version}, more...)...); err != nil {
		return err
	}
	var err error
	doc.Fields, err = decodeFields(fields)
	return err
}

// writer changes documents within a transaction.
type writer struct {
	tx    *sql.Tx
	stmts map[string]*sql.Stmt
	names map[[2]string]int64 // kind and field → kf
}

// The statements of a writer.
const (
	findDoc   = `SELECT doc FROM docs WHERE kind = ? AND id = ?`
	newerDoc  = `SELECT 1 FROM docs WHERE kind = ? AND id = ? AND version > ?`
	addDoc    = `INSERT INTO docs (doc, kind, id, ord, fields, body, text, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	dropDoc   = `DELETE FROM docs WHERE doc = ?`
	addAttr   = `INSERT INTO attrs (kf, type, value, ord, id, doc) VALUES (?, ?, ?, ?, ?, ?)`
	dropAttrs = `DELETE FROM attrs WHERE doc = ?`
	addWords  = `INSERT INTO words (rowid, kind, text) VALUES (?, ?, ?)`
	dropWords = `DELETE FROM words WHERE rowid = ?`
	findName  = `SELECT kf FROM names WHERE kind = ? AND field = ?`
	addName   = `INSERT INTO names (kind, field) VALUES (?, ?)`
)

// stmt is a statement within the transaction, which closes it.
func (w *writer) stmt(ctx context.Context, text string) *sql.Stmt {
	return w.tx.StmtContext(ctx, w.stmts[text])
}

func (w *writer) exec(ctx context.Context, text string, args ...any) (sql.Result, error) {
	return w.stmt(ctx, text).ExecContext(ctx, args...)
}

// name returns the number of a field of a kind, and gives it one.
func (w *writer) name(ctx context.Context, kind, field string) (int64, error) {
	if kf, ok := w.names[[2]string{kind, field}]; ok {
		return kf, nil
	}
	var kf int64
	err := w.stmt(ctx, findName).QueryRowContext(ctx, kind, field).Scan(&kf)
	if errors.Is(err, sql.ErrNoRows) {
		var made sql.Result
		if made, err = w.exec(ctx, addName, kind, field); err == nil {
			kf, err = made.LastInsertId()
		}
	}
	if err == nil {
		w.names[[2]string{kind, field}] = kf
	}
	return kf, err
}

// put stores a document in place of the one before.
func (w *writer) put(ctx context.Context, doc store.Doc) error {
	attrs, err := checkDoc(doc)
	if err != nil {
		return err
	}
	var newer int
	err = w.stmt(ctx, newerDoc).QueryRowContext(ctx, doc.Kind, doc.ID, doc.Version).Scan(&newer)
	if !errors.Is(err, sql.ErrNoRows) {
		return err // nil when the one that is there stays
	}
	// The number stays with a document, and a new one gets the next.
	number, err := w.remove(ctx, doc.Kind, doc.ID)
	if err != nil {
		return err
	}
	body := doc.Body
	if body == nil {
		body = []byte{}
	}
	made, err := w.exec(ctx, addDoc, number, doc.Kind, doc.ID, doc.Order, encodeFields(attrs), body, doc.Text, doc.Version)
	if err != nil {
		return err
	}
	last, err := made.LastInsertId()
	if err != nil {
		return err
	}
	for _, a := range attrs {
		kf, err := w.name(ctx, doc.Kind, a.field)
		if err != nil {
			return err
		}
		for _, row := range a.rows() {
			if _, err := w.exec(ctx, addAttr, kf, row.typ, row.value, doc.Order, doc.ID, last); err != nil {
				return err
			}
		}
	}
	if doc.Text == "" {
		return nil
	}
	kf, err := w.name(ctx, doc.Kind, "")
	if err != nil {
		return err
	}
	_, err = w.exec(ctx, addWords, last, kindWord(kf), wordsOf(doc.Text))
	return err
}

// remove removes a document with all that belongs to it, and returns its
// number; nil when there is none.
func (w *writer) remove(ctx context.Context, kind, id string) (number any, err error) {
	var doc int64
	err = w.stmt(ctx, findDoc).QueryRowContext(ctx, kind, id).Scan(&doc)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if _, err := w.exec(ctx, dropAttrs, doc); err != nil {
		return nil, err
	}
	if _, err := w.exec(ctx, dropWords, doc); err != nil {
		return nil, err
	}
	_, err = w.exec(ctx, dropDoc, doc)
	return doc, err
}
