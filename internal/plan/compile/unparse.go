package compile

import (
	"math/big"
	"strconv"
	"strings"

	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/syntax"
)

// unparse writes an expression as Python's ast.unparse does. It is meant for
// annotations and patterns: what cannot be there is written as "...".
func unparse(e syntax.Expr) string {
	var u unparser
	u.expr(e, 0)
	return u.b.String()
}

type unparser struct{ b strings.Builder }

// maxUnparsed bounds the text of one annotation.
const maxUnparsed = 4096

// The levels of precedence that matter here, weakest first.
const (
	levelTest = iota
	levelOr
	levelAnd
	levelNot
	levelCompare
	levelBitOr
	levelBitXor
	levelBitAnd
	levelShift
	levelSum
	levelTerm
	levelFactor
	levelPower
	levelAtom
)

func levelOf(op syntax.Operator) int {
	switch op {
	case syntax.BitOr:
		return levelBitOr
	case syntax.BitXor:
		return levelBitXor
	case syntax.BitAnd:
		return levelBitAnd
	case syntax.LShift, syntax.RShift:
		return levelShift
	case syntax.Add, syntax.Sub:
		return levelSum
	case syntax.Pow:
		return levelPower
	}
	return levelTerm
}

// paren writes parentheses around f when the place binds stronger than what f writes.
func (u *unparser) paren(place, level int, f func()) {
	if place > level {
		u.b.WriteByte('(')
		f()
		u.b.WriteByte(')')
		return
	}
	f()
}

func (u *unparser) expr(e syntax.Expr, place int) {
	if u.b.Len() > maxUnparsed {
		return
	}
	switch e := e.(type) {
	case *syntax.Name:
		u.b.WriteString(e.ID)
	case *syntax.Constant:
		u.b.WriteString(constantText(e))
	case *syntax.Attribute:
		u.expr(e.Value, levelAtom)
		u.b.WriteString("." + e.Attr)
	case *syntax.Subscript:
		u.expr(e.Value, levelAtom)
		u.b.WriteByte('[')
		if t, ok := e.Slice.(*syntax.Tuple); ok && len(t.Elts) > 0 {
			u.list(t.Elts)
			if len(t.Elts) == 1 {
				u.b.WriteByte(',')
			}
		} else {
			u.expr(e.Slice, levelTest)
		}
		u.b.WriteByte(']')
	case *syntax.BinOp:
		level := levelOf(e.Op)
		u.paren(place, level, func() {
			left, right := level, level+1
			if e.Op == syntax.Pow {
				left, right = level+1, levelFactor
			}
			u.expr(e.Left, left)
			u.b.WriteString(" " + e.Op.Symbol() + " ")
			u.expr(e.Right, right)
		})
	case *syntax.UnaryOp:
		level := levelFactor
		if e.Op == syntax.Not {
			level = levelNot
		}
		u.paren(place, level, func() {
			u.b.WriteString(e.Op.Symbol())
			if e.Op == syntax.Not {
				u.b.WriteByte(' ')
			}
			u.expr(e.Operand, level)
		})
	case *syntax.Starred:
		u.b.WriteByte('*')
		u.expr(e.Value, levelBitOr)
	case *syntax.Tuple:
		u.b.WriteByte('(')
		u.list(e.Elts)
		if len(e.Elts) == 1 {
			u.b.WriteByte(',')
		}
		u.b.WriteByte(')')
	case *syntax.List:
		u.b.WriteByte('[')
		u.list(e.Elts)
		u.b.WriteByte(']')
	case *syntax.Set:
		u.b.WriteByte('{')
		u.list(e.Elts)
		u.b.WriteByte('}')
	case *syntax.Call:
		u.call(e)
	default:
		u.b.WriteString("...")
	}
}

func (u *unparser) list(elts []syntax.Expr) {
	for i, e := range elts {
		if i > 0 {
			u.b.WriteString(", ")
		}
		u.expr(e, levelTest)
	}
}

func (u *unparser) call(e *syntax.Call) {
	u.expr(e.Func, levelAtom)
	u.b.WriteByte('(')
	u.list(e.Args)
	for i, k := range e.Keywords {
		if i > 0 || len(e.Args) > 0 {
			u.b.WriteString(", ")
		}
		if k.Arg == "" {
			u.b.WriteString("**")
		} else {
			u.b.WriteString(k.Arg + "=")
		}
		u.expr(k.Value, levelTest)
	}
	u.b.WriteByte(')')
}

// constantText is the repr of a literal.
func constantText(c *syntax.Constant) string {
	switch c.Kind {
	case syntax.None, syntax.True, syntax.False:
		return c.Kind.String()
	case syntax.Int:
		n := c.Big
		if n == nil {
			n = big.NewInt(c.Int)
		}
		if n.BitLen() > 4*maxUnparsed {
			return "..."
		}
		return n.String()
	case syntax.Float:
		return string(pytext.AppendFloat(nil, c.Float))
	case syntax.Complex:
		return strconv.FormatFloat(c.Float, 'g', -1, 64) + "j"
	case syntax.Str:
		return pytext.ReprStr(c.Str)
	case syntax.Bytes:
		return string(pytext.AppendReprBytes(nil, []byte(c.Str)))
	}
	return "..."
}
