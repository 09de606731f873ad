package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/store"
)

const (
	defaultLimit = 100
	maxLimit     = 100_000
	// few is how many documents may fulfil a condition for them to be checked
	// one by one, rather than all documents in their order.
	few = 1000
	// maxConditions is how many conditions a query may have.
	maxConditions = 32
)

// group is a set of documents that a condition or the words ask for.
type group struct {
	set   string // a statement whose one column is the documents' numbers
	cond  string // what a row of attrs must be; "" when there is only the set
	args  []any
	kind  groupKind
	count int // how many there are; few+1 stands for more
}

// groupKind says how a group can be used.
type groupKind uint8

const (
	anyhow   groupKind = iota // only as a set
	oneValue                  // its rows in attrs have the order of pages
	oneRow                    // it has one row in attrs for a document
)

// Find returns the documents that a query asks for.
//
// How: each condition and the words are a set of documents. The order that
// pages have is the order of attrs for one value, and of docs_ord for all. So
// the documents are taken from the smallest set that has such an order or is
// small enough to be sorted, and are looked up one by one in the others. The
// whole documents are read only for the page.
func (x *Index) Find(ctx context.Context, q store.Query) ([]store.Doc, error) {
	what := "search the index"
	limit, err := checkQuery(q)
	if err != nil {
		return nil, x.d.failed(ctx, what, err)
	}
	expr, err := match(q.Words)
	if err != nil {
		return nil, x.d.failed(ctx, what, err)
	}
	if expr == "" && strings.TrimSpace(q.Words) != "" {
		return nil, nil
	}
	var docs []store.Doc
	err = x.d.read(ctx, what, func(pool *sql.DB) error {
		// One transaction, so that all statements see the same.
		tx, err := pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer tx.Rollback()
		docs, err = find(ctx, tx, q, expr, limit)
		return err
	})
	if err != nil && !errors.Is(err, errAbsent) {
		return nil, err
	}
	return docs, nil
}

func checkQuery(q store.Query) (limit int, err error) {
	if err := checkNames(q.Kind, "kind"); err != nil {
		return 0, err
	}
	if q.Limit < 0 || q.Limit > maxLimit {
		return 0, fault.New(fault.Invalid, "", "%d documents cannot be asked for at once, at most %d can", q.Limit, maxLimit)
	}
	if len(q.Where) > maxConditions {
		return 0, fault.New(fault.Invalid, "", "%d conditions are too many, at most %d are taken", len(q.Where), maxConditions)
	}
	for _, c := range q.Where {
		if err := checkField(c.Field); err != nil {
			return 0, err
		}
		value, err := plainValue(c.Value)
		if err != nil {
			return 0, err
		}
		_, text := value.(string)
		switch c.Op {
		case store.Equal, store.NotEqual, store.Less, store.AtLeast:
		case store.Contains:
			if !text {
				return 0, fault.New(fault.Invalid, "", "only a text can be contained, not %v", c.Value)
			}
		default:
			return 0, fault.New(fault.Invalid, "", "%.80q is not a comparison", c.Op)
		}
	}
	return cmp.Or(q.Limit, defaultLimit), nil
}

func find(ctx context.Context, tx *sql.Tx, q store.Query, expr string, limit int) ([]store.Doc, error) {
	groups, err := conditions(ctx, tx, q)
	if err != nil || (groups == nil && len(q.Where) > 0) {
		return nil, err
	}
	if expr != "" {
		kf, err := number(ctx, tx, q.Kind, "")
		if err != nil || kf == 0 {
			return nil, err
		}
		expr = "kind : " + kindWord(kf) + " AND text : (" + expr + ")"
		if q.Best {
			return best(ctx, tx, q, expr, groups, limit)
		}
		groups = append(groups, group{set: "SELECT rowid FROM words WHERE words MATCH ?", args: []any{expr}})
	}
	// One value alone has the order already, however many have it.
	if len(groups) != 1 || groups[0].kind != oneValue {
		for i := range groups {
			if err := groups[i].look(ctx, tx); err != nil || groups[i].count == 0 {
				return nil, err
			}
		}
	}
	text, args := ordered(q, groups, limit)
	found, err := page(ctx, tx, text, args)
	slices.SortFunc(found, later)
	return documents(found), err
}

// conditions returns the groups of a query's conditions; none when one of them
// names a field that no document has.
func conditions(ctx context.Context, tx *sql.Tx, q store.Query) ([]group, error) {
	var groups []group
	ranges := map[[2]int64]int{} // field and type → the group that more bounds narrow
	for _, c := range q.Where {
		kf, err := number(ctx, tx, q.Kind, c.Field)
		if err != nil || kf == 0 {
			return nil, err
		}
		value, err := plainValue(c.Value)
		if err != nil {
			return nil, err
		}
		row := typed(value)
		g := group{cond: "kf = ? AND type = ? AND value ", args: []any{kf, row.typ, row.value}, kind: oneRow}
		switch c.Op {
		case store.Equal:
			g.cond += "= ?"
			g.kind = oneValue
		case store.NotEqual:
			g.cond = "kf = ? AND type <> 4 AND NOT (type = ? AND value = ?)"
		case store.Contains:
			folded := fold(row.value.(string))
			g.cond = "kf = ? AND (type = 3 AND instr(lower(value), ?) > 0 OR type = 4 AND instr(value, ?) > 0)"
			g.args = []any{kf, folded, folded}
			g.kind = anyhow
		case store.Less, store.AtLeast:
			bound := ">= ?"
			if c.Op == store.Less {
				bound = "< ?"
			}
			if i, ok := ranges[[2]int64{kf, int64(row.typ)}]; ok {
				groups[i].cond += " AND value " + bound
				groups[i].args = append(groups[i].args, row.value)
				continue
			}
			ranges[[2]int64{kf, int64(row.typ)}] = len(groups)
			g.cond += bound
		}
		groups = append(groups, g)
	}
	for i := range groups {
		groups[i].set = "SELECT doc FROM attrs WHERE " + groups[i].cond
	}
	return groups, nil
}

// number returns the number of a field of a kind, or 0.
func number(ctx context.Context, tx *sql.Tx, kind, field string) (int64, error) {
	var kf int64
	err := tx.QueryRowContext(ctx, findName, kind, field).Scan(&kf)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return kf, err
}

// look finds out how many documents a group has, and keeps the numbers of few,
// so that they need not be found again.
func (g *group) look(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, g.set+" LIMIT ?", append(slices.Clone(g.args), few+1)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var docs []int64
	for rows.Next() {
		var doc int64
		if err := rows.Scan(&doc); err != nil {
			return err
		}
		docs = append(docs, doc)
	}
	if g.count = len(docs); g.count <= few && g.kind != oneValue {
		// A text and the same in small letters may both contain something.
		slices.Sort(docs)
		list, err := json.Marshal(slices.Compact(docs))
		if err != nil {
			return err
		}
		g.set, g.cond, g.args = "SELECT value FROM json_each(?)", "", []any{string(list)}
	}
	return rows.Err()
}

// ordered returns the statement that finds a page in the order that pages have.
func ordered(q store.Query, groups []group, limit int) (string, []any) {
	// The smallest first; among the large, one that has the order already.
	slices.SortStableFunc(groups, func(a, b group) int {
		first := map[bool]int{true: 0, false: 1}
		return cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(first[a.kind == oneValue], first[b.kind == oneValue]))
	})
	var b strings.Builder
	var args []any
	from, driven := "a", true
	switch {
	case len(groups) > 0 && groups[0].kind == oneValue, len(groups) == 1 && groups[0].count > few && groups[0].kind == oneRow:
		b.WriteString("SELECT a.doc, 0 AS score FROM attrs a WHERE " + groups[0].cond)
		args = slices.Clone(groups[0].args)
	case len(groups) > 0 && groups[0].count <= few:
		from = "d"
		b.WriteString("SELECT d.doc, 0 AS score FROM (" + groups[0].set + ") s CROSS JOIN docs d ON d.doc = s.value WHERE d.kind = ?")
		args = append(slices.Clone(groups[0].args), q.Kind)
	default:
		from, driven = "d", false
		b.WriteString("SELECT d.doc, 0 AS score FROM docs d INDEXED BY docs_ord WHERE d.kind = ?")
		args = []any{q.Kind}
	}
	if driven {
		groups = groups[1:]
	}
	args = requireGroups(&b, from, groups, args)
	if q.Before != nil {
		b.WriteString(" AND (" + from + ".ord, " + from + ".id) < (?, ?)")
		args = append(args, q.Before.Order, q.Before.ID)
	}
	b.WriteString(" ORDER BY " + from + ".ord DESC, " + from + ".id DESC LIMIT ?")
	return b.String(), append(args, limit)
}

// requireGroups writes that the documents of from must be in the groups too.
func requireGroups(b *strings.Builder, from string, groups []group, args []any) []any {
	for _, g := range groups {
		if g.cond != "" {
			b.WriteString(" AND EXISTS (SELECT 1 FROM attrs e INDEXED BY attrs_doc WHERE e.doc = " + from + ".doc AND " + g.cond + ")")
		} else {
			b.WriteString(" AND " + from + ".doc IN (" + g.set + ")")
		}
		args = append(args, g.args...)
	}
	return args
}

// best finds the documents that words fit best. The kind's own word weighs nothing.
func best(ctx context.Context, tx *sql.Tx, q store.Query, expr string, groups []group, limit int) ([]store.Doc, error) {
	var b strings.Builder
	b.WriteString("SELECT d.doc, bm25(words, 0, 1) AS score FROM words CROSS JOIN docs d ON d.doc = words.rowid WHERE words MATCH ? AND d.kind = ?")
	args := requireGroups(&b, "d", groups, []any{expr, q.Kind})
	b.WriteString(" ORDER BY score, d.ord DESC, d.id DESC LIMIT ?")
	found, err := page(ctx, tx, b.String(), append(args, limit))
	slices.SortFunc(found, func(a, b hit) int { return cmp.Or(cmp.Compare(a.score, b.score), later(a, b)) })
	return documents(found), err
}

// hit is a document of a page, and how well it fits: the less, the better.
type hit struct {
	doc   store.Doc
	score float64
}

// later compares in the order that pages have.
func later(a, b hit) int {
	return -cmp.Or(cmp.Compare(a.doc.Order, b.doc.Order), cmp.Compare(a.doc.ID, b.doc.ID))
}

func documents(hits []hit) []store.Doc {
	docs := make([]store.Doc, len(hits))
	for i, h := range hits {
		docs[i] = h.doc
	}
	return docs
}

// page reads the documents whose numbers and scores a statement returns, in no
// order: the join has none for sure.
func page(ctx context.Context, tx *sql.Tx, text string, args []any) ([]hit, error) {
	rows, err := tx.QueryContext(ctx, "SELECT "+columns+", p.score FROM ("+text+") p CROSS JOIN docs d ON d.doc = p.doc", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var hits []hit
	for rows.Next() {
		var h hit
		if err := scan(rows, &h.doc, &h.score); err != nil {
			return nil, err
		}
		hits = append(hits, h)
	}
	return hits, rows.Err()
}
