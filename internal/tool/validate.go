package tool

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	maxMismatches = 16     // told of one value
	baseSteps     = 50_000 // of judging one value …
	stepsPerPart  = 500    // … and for every part that it has
)

// Validate judges a value by the schema and returns nil when it is allowed.
// A value is nil, bool, string, a number (json.Number, *big.Int, int, int64,
// uint64, float64), []any, *Object or map[string]any. Judging is bounded: a
// schema whose alternatives multiply beyond bounds gives a mismatch that says so.
//
// The result is a *Mismatch, not an error: compare it with nil before it is
// put into an error.
func (s *Schema) Validate(v any) *Mismatch {
	j := &judge{}
	parts := 0
	if m := measure(v, "", 0, &parts); m != nil {
		return m
	}
	j.steps = baseSteps + stepsPerPart*parts
	found := j.check(s.root, v, "", nil)
	if j.steps < 0 {
		return &Mismatch{Expected: "a value that can be judged within bounds", Got: describe(v), Schema: s.root.where, Limit: true}
	}
	return first(found)
}

// measure counts the parts of a value and refuses what is not JSON.
func measure(v any, at Pointer, depth int, parts *int) *Mismatch {
	*parts++
	if depth > MaxDepth {
		return &Mismatch{Path: at, Expected: fmt.Sprintf("nesting of at most %d", MaxDepth), Got: "a deeper value", Limit: true}
	}
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if m := measure(item, "", depth+1, parts); m != nil {
				m.Path = at.Index(i) + m.Path
				return m
			}
		}
		return nil
	case string:
		if !utf8.ValidString(v) {
			return &Mismatch{Path: at, Expected: "text in UTF-8", Got: "a string of other bytes"}
		}
		return nil
	}
	if isObject(v) {
		for name, member := range eachMember(v) {
			if m := measure(member, "", depth+1, parts); m != nil {
				m.Path = at.Child(name) + m.Path
				return m
			}
		}
		return nil
	}
	if kindOf(v) != 0 {
		return nil
	}
	if text, ok := numberText(v); ok {
		return &Mismatch{Path: at, Expected: fmt.Sprintf("a number of at most %d digits", maxDigits), Got: "number " + clip(text, 20), Limit: true}
	}
	return &Mismatch{Path: at, Expected: "a JSON value", Got: describe(v)}
}

// judge is one validation.
type judge struct {
	steps int
}

// evaluated is what of one value the schemas that apply to it have looked at,
// for unevaluatedProperties and unevaluatedItems.
type evaluated struct {
	props    map[string]bool
	items    map[int]bool
	allProps bool
	prefix   int // items before this one
}

func (e *evaluated) prop(name string) {
	if e != nil {
		if e.props == nil {
			e.props = map[string]bool{}
		}
		e.props[name] = true
	}
}

func (e *evaluated) item(i int) {
	if e != nil {
		if e.items == nil {
			e.items = map[int]bool{}
		}
		e.items[i] = true
	}
}

func (e *evaluated) merge(o *evaluated) {
	if e == nil || o == nil {
		return
	}
	for name := range o.props {
		e.prop(name)
	}
	for i := range o.items {
		e.item(i)
	}
	e.allProps = e.allProps || o.allProps
	e.prefix = max(e.prefix, o.prefix)
}

// check returns what is wrong with v. Of what it looks at it tells seen, if
// that is not nil and v is allowed.
func (j *judge) check(s *schema, v any, at Pointer, seen *evaluated) []*Mismatch {
	if j.steps--; j.steps < 0 {
		return nil
	}
	if s.never {
		return []*Mismatch{{Path: at, Expected: "nothing (no value is allowed here)", Got: s.got(v), Schema: s.where}}
	}
	var mine *evaluated
	if s.tracking {
		mine = &evaluated{}
	}
	kind := kindOf(v)
	if s.kinds&kind == 0 {
		return []*Mismatch{s.wrongKind(v, at)}
	}
	if s.hasEnum {
		if m := j.inEnum(s, v, at); m != nil {
			return []*Mismatch{m}
		}
	}
	var found []*Mismatch
	if s.num != nil && kind&(IntegerKind|NumberKind) != 0 {
		found = append(found, s.checkNumber(v, at)...)
	}
	if s.str != nil && kind == StringKind {
		text, _ := v.(string)
		j.steps -= len(text) / 64
		found = append(found, s.checkString(text, at)...)
	}
	if s.ref != nil {
		found = append(found, j.check(s.ref, v, at, mine)...)
	}
	if s.comb != nil {
		found = append(found, j.combination(s, v, at, mine)...)
	}
	if s.arr != nil && kind == ArrayKind {
		list, _ := v.([]any)
		found = append(found, j.array(s, list, at, mine)...)
	}
	if s.obj != nil && kind == ObjectKind {
		found = append(found, j.object(s, v, at, mine)...)
	}
	if len(found) == 0 {
		seen.merge(mine)
	}
	if len(found) > maxMismatches {
		found = found[:maxMismatches]
	}
	return found
}

func (j *judge) inEnum(s *schema, v any, at Pointer) *Mismatch {
	text, err := appendCanonical(nil, v, 0)
	j.steps -= len(text) / 64
	if err == nil && s.enumSet[string(text)] {
		return nil
	}
	m := &Mismatch{Path: at, Expected: listValues(s.enum), Got: s.got(v), Schema: s.where}
	m.Nearest = nearestValue(s.enum, v)
	return m
}

func (j *judge) combination(s *schema, v any, at Pointer, seen *evaluated) []*Mismatch {
	var found []*Mismatch
	c := s.comb
	for _, part := range c.all {
		found = append(found, j.check(part, v, at, seen)...)
	}
	if c.any != nil {
		found = append(found, j.alternatives(s, c.any, v, at, seen, false)...)
	}
	if c.one != nil {
		found = append(found, j.alternatives(s, c.one, v, at, seen, true)...)
	}
	if c.not != nil && len(j.check(c.not, v, at, nil)) == 0 && j.steps >= 0 {
		found = append(found, &Mismatch{Path: at, Expected: "a value that is not " + c.not.describe(), Got: s.got(v), Schema: c.not.where})
	}
	if c.cond != nil {
		branch := c.els
		part := &evaluated{}
		if len(j.check(c.cond, v, at, part)) == 0 {
			seen.merge(part)
			branch = c.then
		}
		if branch != nil {
			found = append(found, j.check(branch, v, at, seen)...)
		}
	}
	return found
}

// alternatives judges anyOf and oneOf. When none fits it tells what is wrong
// with the one that was meant: of the right kind, and wrong deepest inside.
func (j *judge) alternatives(s *schema, list []*schema, v any, at Pointer, seen *evaluated, exactly bool) []*Mismatch {
	fits := 0
	var best []*Mismatch
	bestScore := -1
	for _, part := range list {
		found := j.check(part, v, at, seen)
		if j.steps < 0 {
			return nil
		}
		if len(found) == 0 {
			fits++
			if !exactly && seen == nil {
				return nil
			}
			if exactly && fits > 1 {
				return []*Mismatch{{Path: at, Expected: "a value that fits exactly one alternative", Got: s.got(v) + ", which fits several", Schema: s.where}}
			}
			continue
		}
		score := 1 + 4*strings.Count(string(found[0].Path), "/")
		if part.shape.Kinds&kindOf(v) == 0 {
			score = 0
		} else if j.discriminates(part, v) {
			score += 1000
		}
		if score > bestScore {
			best, bestScore = found, score
		}
	}
	if fits > 0 {
		return nil
	}
	if bestScore > 0 {
		return best
	}
	expected := make([]string, 0, len(list))
	for _, part := range list {
		expected = append(expected, part.describe())
	}
	m := s.wrongKind(v, at)
	m.Expected = "one of: " + line(strings.Join(expected, "; "), 300)
	return []*Mismatch{m}
}

// discriminates reports whether a member of v has the one value that part
// wants there, as in {kind: "circle", …}.
func (j *judge) discriminates(part *schema, v any) bool {
	for part.ref != nil && part.obj == nil {
		part = part.ref
	}
	if part.obj == nil || !isObject(v) {
		return false
	}
	for _, p := range part.obj.properties {
		if member, ok := memberOf(v, p.name); ok && p.s.hasEnum && len(p.s.enum) == 1 && len(j.check(p.s, member, "", nil)) == 0 {
			return true
		}
	}
	return false
}

func (j *judge) array(s *schema, list []any, at Pointer, seen *evaluated) []*Mismatch {
	a := s.arr
	found := s.checkLength(list, at)
	for i, item := range list {
		part := a.items
		if i < len(a.prefix) {
			part = a.prefix[i]
		}
		if part != nil {
			found = append(found, j.check(part, item, at.Index(i), nil)...)
		}
		if len(found) > maxMismatches || j.steps < 0 {
			return found
		}
	}
	if seen != nil {
		if seen.prefix = max(seen.prefix, len(a.prefix)); a.items != nil {
			seen.prefix = len(list)
		}
	}
	if a.contains != nil {
		found = append(found, j.contains(s, list, at, seen)...)
	}
	if a.unique {
		if m := j.unique(s, list, at); m != nil {
			found = append(found, m)
		}
	}
	if a.unevaluated != nil {
		for i, item := range list {
			if i >= seen.prefix && !seen.items[i] {
				found = append(found, j.check(a.unevaluated, item, at.Index(i), nil)...)
			}
		}
		seen.prefix = len(list)
	}
	return found
}

func (j *judge) contains(s *schema, list []any, at Pointer, seen *evaluated) []*Mismatch {
	a := s.arr
	n := 0
	for i, item := range list {
		if len(j.check(a.contains, item, "", nil)) == 0 {
			n++
			seen.item(i)
		}
	}
	if n < a.minContains {
		return []*Mismatch{{Path: at, Expected: fmt.Sprintf("at least %d of its items to be %s", a.minContains, a.contains.describe()), Got: fmt.Sprintf("an array with %d of them", n), Schema: s.where}}
	}
	if a.maxContains >= 0 && n > a.maxContains {
		return []*Mismatch{{Path: at, Expected: fmt.Sprintf("at most %d of its items to be %s", a.maxContains, a.contains.describe()), Got: fmt.Sprintf("an array with %d of them", n), Schema: s.where}}
	}
	return nil
}

func (j *judge) unique(s *schema, list []any, at Pointer) *Mismatch {
	where := make(map[string]int, len(list))
	for i, item := range list {
		text, err := appendCanonical(nil, item, 0)
		j.steps -= 1 + len(text)/64
		if err != nil || j.steps < 0 {
			return nil
		}
		if first, twice := where[string(text)]; twice {
			return &Mismatch{Path: at.Index(i), Expected: "different items", Got: fmt.Sprintf("the same as item %d", first), Nearest: "leave it out", Schema: s.where}
		}
		where[string(text)] = i
	}
	return nil
}

func (j *judge) object(s *schema, v any, at Pointer, seen *evaluated) []*Mismatch {
	o := s.obj
	found := s.checkMembers(v, at)
	for name, member := range eachMember(v) {
		if len(found) > maxMismatches || j.steps < 0 {
			return found
		}
		if o.names != nil {
			for _, m := range j.check(o.names, name, "", nil) {
				m.Path, m.Got = at, "the name "+quote(name)
				found = append(found, m)
			}
		}
		known := false
		if part := o.property(name); part != nil {
			known = true
			found = append(found, j.check(part, member, at.Child(name), nil)...)
		}
		for _, p := range o.patterns {
			if j.steps -= len(name) / 64; p.re.MatchString(name) {
				known = true
				found = append(found, j.check(p.s, member, at.Child(name), nil)...)
			}
		}
		if !known && o.additional != nil {
			known = true
			if o.additional.never {
				found = append(found, s.additional(v, name, at))
			} else {
				found = append(found, j.check(o.additional, member, at.Child(name), nil)...)
			}
		}
		if known {
			seen.prop(name)
		}
	}
	for _, p := range o.dependentSchemas {
		if _, has := memberOf(v, p.name); has {
			found = append(found, j.check(p.s, v, at, seen)...)
		}
	}
	if o.unevaluated == nil {
		return found
	}
	for name, member := range eachMember(v) {
		if seen.allProps || seen.props[name] {
			continue
		}
		if o.unevaluated.never {
			found = append(found, s.additional(v, name, at))
		} else {
			found = append(found, j.check(o.unevaluated, member, at.Child(name), nil)...)
		}
	}
	seen.allProps = true
	return found
}
