package schema

import (
	"cmp"
	"fmt"
	"slices"

	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

// Impact says what a change of a definition means for those who use it. The
// zero value is not one.
type Impact uint8

// The impacts, from the harmless to the worst.
const (
	Harmless Impact = iota + 1 // words, examples
	Widening                   // what worked goes on working, and more is possible
	Guarding                   // what a policy or a check decides may change
	Breaking                   // calls or uses of results that worked may fail
)

// String returns the impact's name.
func (i Impact) String() string {
	if i >= Harmless && i <= Breaking {
		return [...]string{"harmless", "widening", "guarding", "breaking"}[i-1]
	}
	return fmt.Sprintf("impact(%d)", uint8(i))
}

// Change is one finding of Compatible.
type Change struct {
	Impact Impact
	Path   string // in the definition: "input/properties/to", "labels/trusted"
	What   string // in words
}

// String returns the change in one line.
func (c Change) String() string { return c.Impact.String() + ": " + c.Path + ": " + c.What }

// IsCompatible reports whether none of the changes breaks users.
func IsCompatible(changes []Change) bool {
	return !slices.ContainsFunc(changes, func(c Change) bool { return c.Impact == Breaking })
}

// Comparison gathers what changed between two versions of something with schemas.
type Comparison struct {
	Changes []Change

	seen   map[[2]*Type]bool
	result bool // comparing outputs: the words for narrower and wider change places
	closed bool // the old input takes no member that it does not declare
	depth  int  // of alternatives inside of alternatives
	budget *int // comparisons so far
}

const (
	maxChanges     = 200
	maxComparisons = 20_000
	maxAlternating = 5 // depth
)

// Add notes a change, unless there are too many.
func (c *Comparison) Add(i Impact, path, format string, args ...any) {
	if len(c.Changes) < maxChanges {
		c.Changes = append(c.Changes, Change{i, path, fmt.Sprintf(format, args...)})
	}
}

// Input compares what values are taken.
func (c *Comparison) Input(before, after *Schema) { c.schemas("input", before, after, false) }

// Output compares what values may come.
func (c *Comparison) Output(before, after *Schema) { c.schemas("output", before, after, true) }

func (c *Comparison) schemas(path string, before, after *Schema, result bool) {
	if before.Hash() == after.Hash() {
		return
	}
	if c.budget == nil {
		c.budget = new(int)
	}
	c.seen, c.result = map[[2]*Type]bool{}, result
	if result {
		c.accepts(path, after.Type(), before.Type())
	} else {
		c.closed = !before.Open()
		c.accepts(path, before.Type(), after.Type())
	}
	c.hidden(path, before, after)
}

// accepts notes where the type wide does not allow all that narrow allows. For
// an input narrow is the old type: calls that worked have to go on working.
// For an output narrow is the new type: users of results may only see what
// they saw before.
func (c *Comparison) accepts(path string, narrow, wide *Type) {
	pair := [2]*Type{narrow, wide}
	if narrow == wide || c.seen[pair] {
		return
	}
	c.seen[pair] = true
	if *c.budget++; *c.budget > maxComparisons {
		c.worse(path, "is too large to be compared", "is too large to be compared")
		return
	}
	if len(narrow.Variants) > 0 || len(wide.Variants) > 0 {
		c.variants(path, narrow, wide)
	}
	if missing := narrow.Kinds &^ wide.Kinds; missing != 0 {
		c.worse(path, "no longer takes "+missing.String(), "may now be "+missing.String())
	} else if more := wide.Kinds &^ narrow.Kinds; more != 0 {
		c.better(path, "also takes "+more.String(), "is no longer "+more.String())
	}
	if wide.Secret != narrow.Secret {
		c.Add(Guarding, path, "is secret in one of the two only")
	}
	c.values(path, narrow, wide)
	c.bounds(path, narrow, wide)
	if narrow.Kinds&wide.Kinds&ArrayKind != 0 {
		c.items(path, narrow, wide)
	}
	if narrow.Kinds&wide.Kinds&ObjectKind != 0 {
		c.members(path, narrow, wide)
	}
}

// variants notes alternatives of the one type that no alternative of the other covers.
func (c *Comparison) variants(path string, narrow, wide *Type) {
	left, right := alternatives(narrow), alternatives(wide)
	for i, n := range left {
		covered := slices.ContainsFunc(right, func(w *Type) bool {
			part := &Comparison{seen: map[[2]*Type]bool{}, result: c.result, depth: c.depth + 1, budget: c.budget}
			if part.depth > maxAlternating {
				return false
			}
			part.accepts(path, n, w)
			return IsCompatible(part.Changes)
		})
		if !covered {
			c.worse(path, fmt.Sprintf("no longer takes the alternative %d (%s)", i+1, n.Kinds), fmt.Sprintf("may now be another alternative (%s)", n.Kinds))
		}
	}
}

// alternatives returns the variants of a type, or the type itself.
func alternatives(t *Type) []*Type {
	if len(t.Variants) > 0 {
		return t.Variants
	}
	return []*Type{t}
}

// worse and better word a finding for inputs or outputs.
func (c *Comparison) worse(path, input, output string) { c.word(Breaking, path, input, output) }

func (c *Comparison) better(path, input, output string) { c.word(Widening, path, input, output) }

func (c *Comparison) word(i Impact, path, input, output string) {
	if c.result {
		input = output
	}
	c.Add(i, path, "%s", input)
}

func (c *Comparison) values(path string, narrow, wide *Type) {
	switch {
	case !wide.HasEnum && !narrow.HasEnum:
		return
	case !wide.HasEnum:
		c.better(path, "takes any value", "has fewer values")
		return
	case !narrow.HasEnum:
		c.worse(path, "takes only "+listValues(wide.Enum), "may be any value, was "+listValues(wide.Enum))
		return
	}
	left, right := CanonicalSet(narrow.Enum), CanonicalSet(wide.Enum)
	for _, text := range left {
		if !slices.Contains(right, text) {
			c.worse(path, "no longer takes "+safetext.Clip(text, 60), "may now be "+safetext.Clip(text, 60))
		}
	}
	for _, text := range right {
		if !slices.Contains(left, text) {
			c.better(path, "also takes "+safetext.Clip(text, 60), "is no longer "+safetext.Clip(text, 60))
		}
	}
}

// CanonicalSet returns the canonical texts of values.
func CanonicalSet(values []any) []string {
	out := make([]string, 0, len(values))
	for _, v := range values {
		if b, err := jsondoc.AppendCanonical(nil, v, 0); err == nil {
			out = append(out, string(b))
		}
	}
	return out
}

func (c *Comparison) bounds(path string, narrow, wide *Type) {
	kinds := narrow.Kinds & wide.Kinds
	if kinds&StringKind != 0 {
		c.bound(path, "the least length", cmp.Compare(wide.MinLength, narrow.MinLength))
		c.bound(path, "the greatest length", compareMax(narrow.MaxLength, wide.MaxLength))
		if wide.Format != narrow.Format {
			c.assertion(path, "the format", narrow.Format, wide.Format)
		}
		if wide.Pattern != narrow.Pattern {
			c.assertion(path, "the pattern", narrow.Pattern, wide.Pattern)
		}
	}
	if kinds&(IntegerKind|NumberKind) != 0 {
		c.bound(path, "the minimum", compareLimit(wide.Minimum, narrow.Minimum, wide.ExclusiveMinimum, narrow.ExclusiveMinimum, 1))
		c.bound(path, "the maximum", compareLimit(wide.Maximum, narrow.Maximum, wide.ExclusiveMaximum, narrow.ExclusiveMaximum, -1))
	}
	if kinds&ArrayKind != 0 {
		c.bound(path, "the least number of items", cmp.Compare(wide.MinItems, narrow.MinItems))
		c.bound(path, "the greatest number of items", compareMax(narrow.MaxItems, wide.MaxItems))
	}
}

// bound notes a bound that became tighter (above zero) or looser.
func (c *Comparison) bound(path, what string, tighter int) {
	switch {
	case tighter > 0:
		c.worse(path, what+" is tighter", what+" is looser")
	case tighter < 0:
		c.better(path, what+" is looser", what+" is tighter")
	}
}

func (c *Comparison) assertion(path, what, narrow, wide string) {
	if wide == "" {
		c.better(path, what+" "+safetext.Quote(narrow)+" is gone", what+" "+safetext.Quote(narrow)+" is new")
		return
	}
	c.worse(path, what+" "+safetext.Quote(wide)+" is new or another", what+" "+safetext.Quote(wide)+" is gone or another")
}

// compareMax compares bounds where below zero is none: above zero when the first is wider.
func compareMax(a, b int) int {
	switch {
	case a == b:
		return 0
	case a < 0:
		return 1
	case b < 0:
		return -1
	}
	return cmp.Compare(a, b)
}

// compareLimit returns above zero when the limit a is tighter than b; sign is
// 1 for minimums and -1 for maximums.
func compareLimit(a, b string, aExclusive, bExclusive bool, sign int) int {
	switch {
	case a == "" && b == "":
		return 0
	case a == "":
		return -1
	case b == "":
		return 1
	}
	x, ok1 := jsondoc.ParseDecimal(a)
	y, ok2 := jsondoc.ParseDecimal(b)
	if !ok1 || !ok2 {
		return 0
	}
	if n := sign * x.Compare(y); n != 0 {
		return n
	}
	switch {
	case aExclusive && !bExclusive:
		return 1
	case bExclusive && !aExclusive:
		return -1
	}
	return 0
}

func (c *Comparison) items(path string, narrow, wide *Type) {
	for i := range max(len(narrow.Prefix), len(wide.Prefix)) {
		c.part(fmt.Sprintf("%s/prefixItems/%d", path, i), item(narrow, i), item(wide, i))
	}
	c.part(path+"/items", narrow.Items, wide.Items)
}

func item(t *Type, i int) *Type {
	if i < len(t.Prefix) {
		return t.Prefix[i]
	}
	return t.Items
}

func (c *Comparison) part(path string, narrow, wide *Type) {
	switch {
	case narrow == nil:
	case wide == nil:
		c.worse(path, "is no longer taken", "is new")
	default:
		c.accepts(path, narrow, wide)
	}
}

func (c *Comparison) members(path string, narrow, wide *Type) {
	for _, p := range narrow.Properties {
		at := path + "/properties/" + p.Name
		q, declared := wide.Property(p.Name)
		switch {
		case declared:
			c.accepts(at, p.Type, q.Type)
			if q.Required && !p.Required {
				c.worse(at, "is now required", "may now be missing")
			} else if p.Required && !q.Required {
				c.better(at, "is no longer required", "is now always there")
			}
		case wide.Additional == nil:
			c.worse(at, "is no longer taken", "is new, where nothing else was allowed")
		case c.result && !wide.Additional.implied:
			c.accepts(at, p.Type, wide.Additional)
		case c.result:
			c.Add(Widening, at, "is new")
		default:
			c.worse(at, "is no longer declared", "")
		}
	}
	for _, q := range wide.Properties {
		if _, declared := narrow.Property(q.Name); declared {
			continue
		}
		at := path + "/properties/" + q.Name
		switch {
		case c.result && q.Required:
			c.worse(at, "", "is no longer there")
		case c.result:
			c.worse(at, "", "is no longer declared")
		case q.Required && !q.Type.HasDefault:
			c.worse(at, "is new and required", "")
		case narrow.Additional != nil && !narrow.Additional.implied:
			c.accepts(at, narrow.Additional, q.Type)
		default:
			c.better(at, "is new", "")
		}
	}
	if path != "input" || !c.closed {
		c.part(path+"/additionalProperties", narrow.Additional, wide.Additional)
	}
}

// hidden notes changes of keywords that shapes do not show, or not in full.
func (c *Comparison) hidden(path string, old, new *Schema) {
	before, after := map[string]string{}, map[string]string{}
	hiddenIn(before, "", old.doc)
	hiddenIn(after, "", new.doc)
	var at []string
	for where, text := range before {
		if after[where] != text {
			at = append(at, where)
		}
	}
	for where := range after {
		if _, known := before[where]; !known {
			at = append(at, where)
		}
	}
	slices.Sort(at)
	for _, where := range at {
		c.Add(Breaking, path+where, "changed in a way that cannot be judged")
	}
}

// hiddenIn gathers, by place, the texts of what a shape does not show.
func hiddenIn(found map[string]string, at jsondoc.Pointer, n *jsondoc.Node) {
	if n.Kind == jsondoc.List {
		for i, item := range n.Items {
			hiddenIn(found, at.Index(i), item)
		}
	}
	if n.Kind != jsondoc.Map {
		return
	}
	for i, key := range n.Keys {
		here := at.Child(key.Text)
		switch key.Text {
		case "not", "if", "then", "else", "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies",
			"contains", "minContains", "maxContains", "uniqueItems", "minProperties", "maxProperties", "multipleOf",
			"unevaluatedProperties", "unevaluatedItems", "allOf", "$anchor":
			found[string(here)] = bareText(n.Items[i])
		case "oneOf", "$ref":
			if n.Get("anyOf") != nil || (key.Text == "$ref" && len(n.Keys) > 1) {
				found[string(at)] = bareText(n)
			} else if key.Text == "oneOf" {
				hiddenIn(found, here, n.Items[i])
			}
		case "properties", "$defs", "definitions":
			if n.Items[i].Kind == jsondoc.Map {
				for j, name := range n.Items[i].Keys {
					hiddenIn(found, here.Child(name.Text), n.Items[i].Items[j])
				}
			}
		case "items", "prefixItems", "additionalItems", "additionalProperties", "anyOf":
			hiddenIn(found, here, n.Items[i])
		}
	}
}

// bareText is the canonical text of a part of a schema without its annotations.
func bareText(n *jsondoc.Node) string {
	b, err := jsondoc.AppendCanonical(nil, bare(n, false), 0)
	if err != nil {
		return ""
	}
	return string(b)
}

// bare drops annotations; names says that n's keys are names, not keywords.
func bare(n *jsondoc.Node, names bool) any {
	switch n.Kind {
	case jsondoc.List:
		list := make([]any, len(n.Items))
		for i, part := range n.Items {
			list[i] = bare(part, false)
		}
		return list
	case jsondoc.Map:
		o := &jsondoc.Object{}
		for i, key := range n.Keys {
			if names {
				o.Set(key.Text, bare(n.Items[i], false))
				continue
			}
			switch key.Text {
			case "title", "description", "examples", "example", "default", "$comment", "deprecated", "readOnly", "writeOnly", "$schema":
			case "enum", "const":
				o.Set(key.Text, n.Items[i].Value())
			case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
				o.Set(key.Text, bare(n.Items[i], true))
			default:
				o.Set(key.Text, bare(n.Items[i], false))
			}
		}
		return o
	}
	return n.Value()
}
