package policy

import (
	"slices"
	"strings"
	"unicode"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// noLabel is what asking a plain value for its label gives.
func noLabel() ref.Val {
	return types.NewErr("only an argument, or a part of one, has a label: a key of an object or a computed value has none")
}

func plainOf(v ref.Val) ref.Val {
	if n, ok := v.(*node); ok {
		return n.unwrap()
	}
	return v
}

func partsOf(v ref.Val) ref.Val {
	if n, ok := v.(*node); ok {
		return n.parts()
	}
	return v
}

// partOf follows a path. A part that the schema declares and that is not
// given is a node without labels; one that nobody declared is an error, so
// that a misspelt name is never taken for trusted.
func partOf(v, key ref.Val) ref.Val {
	n, ok := v.(*node)
	if !ok {
		if m, ok := v.(traits.Indexer); ok {
			return m.Get(key)
		}
		return types.NewErr("a %s has no parts", v.Type().TypeName())
	}
	kid := n.at(key)
	switch {
	case kid.declared || kid.presence == Given:
		return kid
	case kid.presence == MaybeGiven:
		return unknown()
	}
	return kid.missing()
}

func hasPart(v, key ref.Val) ref.Val {
	n, ok := v.(*node)
	if !ok {
		return types.NewErr("a %s has no parts", v.Type().TypeName())
	}
	there := n.at(key).presence
	return between(there == Given, there == NotGiven)
}

// between is true, false, or not known.
func between(yes, no bool) ref.Val {
	switch {
	case yes:
		return types.True
	case no:
		return types.False
	}
	return unknown()
}

// ofLabel is a function that asks the label of a node.
func ofLabel(f func(b bounds) ref.Val) func(ref.Val) ref.Val {
	return func(v ref.Val) ref.Val {
		if n, ok := v.(*node); ok {
			return f(n.labels())
		}
		return noLabel()
	}
}

func trustedBetween(b bounds) ref.Val {
	surely := b.must.trusted()
	return between(surely && !b.may.any && b.may.trusted(), !surely)
}

func isEndorsed(b bounds) ref.Val { return between(b.must.endorsed, !b.may.endorsed) }

func sourcesOf(b bounds) ref.Val {
	words := b.must.words()
	if b.may.any || !slices.Equal(words, b.may.words()) {
		return unknown()
	}
	return stringList(words)
}

func isFrom(v, pattern ref.Val) ref.Val {
	p, ok := pattern.(types.String)
	if !ok {
		return types.NewErr("from asks for the name of a source")
	}
	return ofLabel(func(b bounds) ref.Val {
		return between(b.must.from(string(p)), !b.may.any && !b.may.from(string(p)))
	})(v)
}

// isReadableBy is not strict: who everyone is need not be known.
func isReadableBy(v, who ref.Val) ref.Val {
	if types.IsUnknownOrError(v) {
		return v
	}
	n, ok := v.(*node)
	if !ok {
		return noLabel()
	}
	b := n.labels()
	if !b.may.any && b.may.readers.IsEveryone() {
		return types.True
	}
	names, known, failed := principalsOf(who, n.me)
	if failed != nil {
		if b.must.readers.IsEveryone() {
			return unknown() // everyone may read it: the list of readers does not matter
		}
		return failed
	}
	return canRead(b, names, known)
}

// isWithin reports whether all the principals that a value names are among
// others, which may be patterns "*@acme.com". A list without items names nobody: it
// counts where nobody else can have emptied it.
func isWithin(v, others ref.Val) ref.Val {
	names, known, failed := principalsOf(v, "")
	if failed != nil {
		return failed
	}
	if !known {
		return unknown()
	}
	if n, ok := v.(*node); ok && len(names) == 0 {
		return trustedBetween(n.labels())
	}
	allowed, _, failed := principalsOf(others, "")
	if failed != nil {
		return failed
	}
	for _, name := range names {
		if !slices.ContainsFunc(allowed, func(p string) bool { return principalMatch(p, name) }) {
			return types.False
		}
	}
	return types.True
}

// principalMatch compares a principal with a name or with "*@acme.com", whose
// star stands for a local part: letters, digits and signs that no program takes for the
// end of an address, the begin of another one, or a way to another host.
func principalMatch(pattern, name string) bool {
	suffix, ok := strings.CutPrefix(pattern, "*")
	if !ok {
		return pattern == name
	}
	if len(name) <= len(suffix) || !strings.EqualFold(name[len(name)-len(suffix):], suffix) {
		return false
	}
	local := name[:len(name)-len(suffix)]
	return !strings.ContainsFunc(local, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune(".#$&'*+-/=?^_`{|}~", r)
	})
}
