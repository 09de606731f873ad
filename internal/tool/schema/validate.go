package schema

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

const (
	maxMismatches = 16     // reported of one value
	baseSteps     = 50_000 // of judging one value …
	stepsPerPart  = 500    // … and for every part that it has
	bytesPerPart  = 32     // of strings
)

// Validate judges a value by the schema and returns nil when it is allowed.
// A value is nil, bool, string, a number (json.Number, *big.Int, int, int64,
// uint64, float64), []any, *Object or map[string]any. Judging is bounded: a
// schema whose alternatives multiply beyond bounds gives a mismatch that says so.
//
// The result is a *Mismatch, not an error: compare it with nil before it is
// put into an error.
func (s *Schema) Validate(v any) *Mismatch {
	parts := 0
	if m := measure(v, "", 0, &parts); m != nil {
		return m
	}
	s.shaped()
	j := &judge{steps: baseSteps + stepsPerPart*parts}
	found := j.check(s.root, v, nil)
	if j.steps < 0 {
		return &Mismatch{Expected: "a value that can be judged within bounds", Got: Describe(v), Schema: s.root.where, Limit: true}
	}
	return first(found)
}

// measure counts the parts of a value and refuses what is not JSON.
func measure(v any, at jsondoc.Pointer, depth int, parts *int) *Mismatch {
	*parts++
	if depth > jsondoc.MaxDepth {
		return &Mismatch{Path: at, Expected: fmt.Sprintf("nesting of at most %d", jsondoc.MaxDepth), Got: "a deeper value", Limit: true}
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
		if *parts += len(v) / bytesPerPart; !utf8.ValidString(v) {
			return &Mismatch{Path: at, Expected: "text in UTF-8", Got: "a string of other bytes"}
		}
		return nil
	}
	if jsondoc.IsObject(v) {
		for name, member := range jsondoc.Members(v) {
			*parts += len(name) / bytesPerPart
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
	if text, ok := jsondoc.NumberText(v); ok {
		return &Mismatch{Path: at, Expected: fmt.Sprintf("a number of at most %d digits", jsondoc.MaxDigits), Got: "number " + safetext.OneLine(text, 20), Limit: true}
	}
	return &Mismatch{Path: at, Expected: "a JSON value", Got: Describe(v)}
}

// judge is one validation.
type judge struct {
	steps int
	path  []segment // to what is being judged
	quiet bool      // only whether it fits matters: the first mismatch ends it and says nothing
}

// segment is a step of the path: a member, or an item when the name is "".
type segment struct {
	name   string
	index  int
	member bool
}

// at writes the path out.
func (j *judge) at() jsondoc.Pointer {
	var p jsondoc.Pointer
	for _, s := range j.path {
		if s.member {
			p = p.Child(s.name)
		} else {
			p = p.Index(s.index)
		}
	}
	return p
}

// mismatch makes one at the current place. Quiet judging says only where.
func (j *judge) mismatch(s *schema, make func() Mismatch) []*Mismatch {
	var m Mismatch
	if !j.quiet {
		m = make()
	}
	m.Path, m.Schema = j.at()+m.Path, s.where
	return []*Mismatch{&m}
}

// fits judges quietly.
func (j *judge) fits(s *schema, v any, seen *evaluated) bool {
	return len(j.try(s, v, seen)) == 0
}

func (j *judge) try(s *schema, v any, seen *evaluated) []*Mismatch {
	before := j.quiet
	j.quiet = true
	found := j.check(s, v, seen)
	j.quiet = before
	return found
}

// part judges an item or a member.
func (j *judge) part(s *schema, v any, at segment) []*Mismatch {
	j.path = append(j.path, at)
	found := j.check(s, v, nil)
	j.path = j.path[:len(j.path)-1]
	return found
}

// enough reports whether more mismatches are of no use.
func (j *judge) enough(found []*Mismatch) bool {
	return j.steps < 0 || len(found) > maxMismatches || (j.quiet && len(found) > 0)
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

// check returns what is wrong with v. It records in seen the parts that it has
// evaluated, if seen is not nil and v is allowed.
func (j *judge) check(s *schema, v any, seen *evaluated) []*Mismatch {
	if j.steps--; j.steps < 0 {
		return nil
	}
	if s.never {
		return j.mismatch(s, func() Mismatch { return Mismatch{Expected: "nothing (no value is allowed here)", Got: s.got(v)} })
	}
	kind := kindOf(v)
	if s.kinds&kind == 0 {
		return j.mismatch(s, func() Mismatch { return s.wrongKind(v) })
	}
	if s.hasEnum && !j.inEnum(s, v) {
		return j.mismatch(s, func() Mismatch {
			return Mismatch{Expected: listValues(s.enum), Got: s.got(v), Nearest: nearestValue(s.enum, v)}
		})
	}
	var mine *evaluated
	if s.tracking {
		mine = &evaluated{}
	}
	found := j.plain(s, v, kind)
	if !j.enough(found) {
		found = append(found, j.sameValue(s, v, mine)...)
	}
	if !j.enough(found) {
		found = append(found, j.parts(s, v, kind, mine)...)
	}
	if len(found) == 0 {
		seen.merge(mine)
	}
	if len(found) > maxMismatches {
		found = found[:maxMismatches]
	}
	return found
}

// plain judges numbers and strings.
func (j *judge) plain(s *schema, v any, kind Kinds) []*Mismatch {
	switch {
	case s.num != nil && kind&(IntegerKind|NumberKind) != 0:
		if wrong := s.wrongNumber(v); wrong != "" {
			return j.mismatch(s, func() Mismatch {
				kinds := s.kinds & (IntegerKind | NumberKind)
				return Mismatch{Expected: kinds.article() + s.numberRange(), Got: s.got(v), Nearest: wrong}
			})
		}
	case s.str != nil && kind == StringKind:
		text, _ := v.(string)
		return j.text(s, text)
	}
	return nil
}

func (j *judge) text(s *schema, v string) []*Mismatch {
	r := s.str
	var found []*Mismatch
	add := func(expected, near func() string) {
		found = append(found, j.mismatch(s, func() Mismatch { return Mismatch{Expected: expected(), Got: s.got(v), Nearest: near()} })...)
	}
	if r.minLen >= 0 || r.maxLen >= 0 {
		j.steps -= len(v) / 1024
		n := utf8.RuneCountInString(v)
		has := func() string { return fmt.Sprintf("it has %d", n) }
		if r.minLen >= 0 && n < r.minLen {
			add(func() string { return fmt.Sprintf("a string of at least %d characters", r.minLen) }, has)
		}
		if r.maxLen >= 0 && n > r.maxLen {
			add(func() string { return fmt.Sprintf("a string of at most %d characters", r.maxLen) }, has)
		}
	}
	if r.pattern != nil && j.matches(r.pattern, v) < 0 {
		add(func() string { return "a string that matches " + safetext.OneLine(r.pattern.text, 120) }, func() string {
			if s.note.hasExample {
				return "such as " + Literal(s.note.example)
			}
			return ""
		})
	}
	if r.format != "" && !formatOK(r.format, v) {
		add(func() string { return "a string of format " + safetext.OneLine(r.format, 40) }, func() string {
			if r.format == "email" { // an example would be an address to write to
				return "it needs a name, @ and a domain"
			}
			return "such as " + safetext.Quote(formatExample(r.format))
		})
	}
	return found
}

// matches returns 1 or -1, and 0 when the steps are used up. The engine takes
// at worst a time that grows with the text and the pattern's program.
func (j *judge) matches(p *pattern, text string) int {
	if j.steps -= len(text) * p.size / 128; j.steps < 0 {
		return 0
	}
	if p.re.MatchString(text) {
		return 1
	}
	return -1
}

func (j *judge) inEnum(s *schema, v any) bool {
	text, err := jsondoc.AppendCanonical(nil, v, 0)
	j.steps -= len(text) / 64
	return err == nil && s.enumSet[string(text)]
}

// sameValue judges by the schemas that apply to the same value.
func (j *judge) sameValue(s *schema, v any, seen *evaluated) []*Mismatch {
	var found []*Mismatch
	if s.ref != nil {
		found = j.check(s.ref, v, seen)
	}
	c := s.comb
	if c == nil || j.enough(found) {
		return found
	}
	for _, part := range c.all {
		if found = append(found, j.check(part, v, seen)...); j.enough(found) {
			return found
		}
	}
	if c.any != nil {
		found = append(found, j.alternatives(s, c.any, v, seen, false)...)
	}
	if c.one != nil {
		found = append(found, j.alternatives(s, c.one, v, seen, true)...)
	}
	if c.not != nil && j.fits(c.not, v, nil) && j.steps >= 0 {
		found = append(found, j.mismatch(c.not, func() Mismatch {
			return Mismatch{Expected: "a value that is not " + c.not.describe(), Got: s.got(v)}
		})...)
	}
	if c.cond != nil {
		branch := c.els
		part := &evaluated{}
		if j.fits(c.cond, v, part) {
			seen.merge(part)
			branch = c.then
		}
		if branch != nil {
			found = append(found, j.check(branch, v, seen)...)
		}
	}
	return found
}

// alternatives judges anyOf and oneOf. When none fits it reports what is wrong
// with the one that was meant: of the right kind, and wrong deepest inside.
func (j *judge) alternatives(s *schema, list []*schema, v any, seen *evaluated, exactly bool) []*Mismatch {
	fits := 0
	var best *schema
	bestScore := 0
	for _, part := range list {
		found := j.try(part, v, seen)
		if j.steps < 0 {
			return nil
		}
		if len(found) == 0 {
			fits++
			if !exactly && seen == nil {
				return nil
			}
			if exactly && fits > 1 {
				return j.mismatch(s, func() Mismatch {
					return Mismatch{Expected: "a value that fits exactly one alternative", Got: s.got(v) + ", which fits several"}
				})
			}
			continue
		}
		if part.shape.Kinds&kindOf(v) == 0 || j.quiet {
			continue
		}
		score := 1 + strings.Count(string(found[0].Path), "/")
		if j.discriminates(part, v) {
			score += 1000
		}
		if score > bestScore {
			best, bestScore = part, score
		}
	}
	if fits > 0 {
		return nil
	}
	if best != nil {
		return j.check(best, v, nil)
	}
	return j.mismatch(s, func() Mismatch {
		expected := make([]string, 0, len(list))
		for _, part := range list {
			expected = append(expected, part.describe())
		}
		m := s.wrongKind(v)
		m.Expected = "one of: " + safetext.OneLine(strings.Join(expected, "; "), 300)
		return m
	})
}

// discriminates reports whether a member of v has the one value that part
// wants there, as in {kind: "circle", …}.
func (j *judge) discriminates(part *schema, v any) bool {
	for part.ref != nil && part.obj == nil {
		part = part.ref
	}
	if part.obj == nil || !jsondoc.IsObject(v) {
		return false
	}
	for _, p := range part.obj.properties {
		if p.s.hasEnum && len(p.s.enum) == 1 {
			if member, ok := jsondoc.MemberOf(v, p.name); ok && j.inEnum(p.s, member) {
				return true
			}
		}
	}
	return false
}

// parts judges what is inside of the value.
func (j *judge) parts(s *schema, v any, kind Kinds, seen *evaluated) []*Mismatch {
	switch {
	case s.arr != nil && kind == ArrayKind:
		list, _ := v.([]any)
		return j.array(s, list, seen)
	case s.obj != nil && kind == ObjectKind:
		return j.object(s, v, seen)
	}
	return nil
}

func (j *judge) array(s *schema, list []any, seen *evaluated) []*Mismatch {
	a := s.arr
	var found []*Mismatch
	if n := len(list); n < a.minItems || (a.maxItems >= 0 && n > a.maxItems) {
		found = j.mismatch(s, func() Mismatch { return s.wrongLength(list) })
	}
	for i, item := range list {
		part := a.items
		if i < len(a.prefix) {
			part = a.prefix[i]
		}
		if part == nil {
			break
		}
		if found = append(found, j.part(part, item, segment{index: i})...); j.enough(found) {
			return found
		}
	}
	if seen != nil {
		if seen.prefix = max(seen.prefix, len(a.prefix)); a.items != nil {
			seen.prefix = len(list)
		}
	}
	if a.contains != nil {
		found = append(found, j.contains(s, list, seen)...)
	}
	if a.unique {
		found = append(found, j.unique(s, list)...)
	}
	if a.unevaluated != nil {
		for i, item := range list {
			if i >= seen.prefix && !seen.items[i] && !j.enough(found) {
				found = append(found, j.part(a.unevaluated, item, segment{index: i})...)
			}
		}
		seen.prefix = len(list)
	}
	return found
}

func (j *judge) contains(s *schema, list []any, seen *evaluated) []*Mismatch {
	a := s.arr
	n := 0
	for i, item := range list {
		if j.fits(a.contains, item, nil) {
			n++
			seen.item(i)
		}
	}
	bound, words := a.minContains, "at least"
	if a.maxContains >= 0 && n > a.maxContains {
		bound, words = a.maxContains, "at most"
	} else if n >= a.minContains {
		return nil
	}
	return j.mismatch(s, func() Mismatch {
		return Mismatch{Expected: fmt.Sprintf("%s %d of its items to be %s", words, bound, a.contains.describe()), Got: fmt.Sprintf("an array with %d of them", n)}
	})
}

func (j *judge) unique(s *schema, list []any) []*Mismatch {
	where := make(map[string]int, len(list))
	for i, item := range list {
		text, err := jsondoc.AppendCanonical(nil, item, 0)
		j.steps -= 1 + len(text)/64
		if err != nil || j.steps < 0 {
			return nil
		}
		if first, twice := where[string(text)]; twice {
			return j.mismatch(s, func() Mismatch {
				return Mismatch{Path: jsondoc.Pointer("").Index(i), Expected: "different items", Got: fmt.Sprintf("the same as item %d", first), Nearest: "leave it out"}
			})
		}
		where[string(text)] = i
	}
	return nil
}

func (j *judge) object(s *schema, v any, seen *evaluated) []*Mismatch {
	found := j.members(s, v)
	for name, member := range jsondoc.Members(v) {
		if j.enough(found) {
			return found
		}
		known, wrong := j.member(s, v, name, member)
		if found = append(found, wrong...); known {
			seen.prop(name)
		}
	}
	for _, p := range s.obj.dependentSchemas {
		if _, has := jsondoc.MemberOf(v, p.name); has && !j.enough(found) {
			found = append(found, j.check(p.s, v, seen)...)
		}
	}
	rest := s.obj.unevaluated
	if rest == nil {
		return found
	}
	for name, member := range jsondoc.Members(v) {
		if seen.allProps || seen.props[name] || j.enough(found) {
			continue
		}
		found = append(found, j.other(s, rest, v, name, member)...)
	}
	seen.allProps = true
	return found
}

// member judges one member by all the rules that name it.
func (j *judge) member(s *schema, v any, name string, member any) (known bool, found []*Mismatch) {
	o := s.obj
	if o.names != nil && !j.fits(o.names, name, nil) {
		found = j.mismatch(o.names, func() Mismatch {
			return Mismatch{Expected: "names of members to be " + o.names.describe(), Got: "the name " + safetext.Quote(name)}
		})
	}
	at := segment{name: name, member: true}
	if part := o.property(name); part != nil {
		known = true
		found = append(found, j.part(part, member, at)...)
	}
	for _, p := range o.patterns {
		if j.matches(p.pattern, name) > 0 {
			known = true
			found = append(found, j.part(p.s, member, at)...)
		}
	}
	if !known && o.additional != nil {
		known = true
		found = append(found, j.other(s, o.additional, v, name, member)...)
	}
	return known, found
}

// other judges a member that nothing names by the schema for the rest.
func (j *judge) other(s, rest *schema, v any, name string, member any) []*Mismatch {
	if rest.never {
		j.steps -= len(s.obj.properties) / 16
		return j.mismatch(s, func() Mismatch { return s.additional(v, name) })
	}
	return j.part(rest, member, segment{name: name, member: true})
}

// members judges which members there are, and how many.
func (j *judge) members(s *schema, v any) []*Mismatch {
	o := s.obj
	var found []*Mismatch
	for _, name := range o.required {
		if _, has := jsondoc.MemberOf(v, name); !has {
			found = append(found, j.mismatch(s, func() Mismatch { return s.lacks(v, name) })...)
			if j.enough(found) {
				return found
			}
		}
	}
	for _, d := range o.dependent {
		if _, has := jsondoc.MemberOf(v, d.name); !has {
			continue
		}
		for _, name := range d.needs {
			if _, has := jsondoc.MemberOf(v, name); !has {
				found = append(found, j.mismatch(s, func() Mismatch {
					return Mismatch{Expected: fmt.Sprintf("the member %s, since there is %s", safetext.Quote(name), safetext.Quote(d.name)), Got: "an object without it"}
				})...)
			}
		}
	}
	if n := jsondoc.MemberCount(v); n < o.minProps || (o.maxProps >= 0 && n > o.maxProps) {
		found = append(found, j.mismatch(s, func() Mismatch {
			if n < o.minProps {
				return Mismatch{Expected: fmt.Sprintf("an object of at least %d members", o.minProps), Got: s.got(v)}
			}
			return Mismatch{Expected: fmt.Sprintf("an object of at most %d members", o.maxProps), Got: s.got(v)}
		})...)
	}
	return found
}
