package schema

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"praxis/internal/tool/jsondoc"
)

// Kinds is a set of JSON's kinds of values.
type Kinds uint8

// The kinds. "type: number" allows IntegerKind and NumberKind; a number that
// is whole, such as 2.0, is of IntegerKind.
const (
	NullKind Kinds = 1 << iota
	BooleanKind
	IntegerKind
	NumberKind // a number that is not whole
	StringKind
	ArrayKind
	ObjectKind

	// AnyKind is all of them.
	AnyKind = NullKind | BooleanKind | IntegerKind | NumberKind | StringKind | ArrayKind | ObjectKind
)

// Has reports whether k has all the kinds of other.
func (k Kinds) Has(other Kinds) bool { return k&other == other }

// String names the kinds as JSON Schema does: "string or null".
func (k Kinds) String() string {
	if k == AnyKind {
		return "any value"
	}
	var names []string
	for _, n := range kindNames() {
		one, _ := kindNamed(n)
		if n == "integer" && k.Has(NumberKind|IntegerKind) {
			continue
		}
		if k.Has(one) {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, " or ")
}

func kindNames() []string {
	return []string{"string", "integer", "number", "boolean", "object", "array", "null"}
}

func kindNamed(name string) (Kinds, bool) {
	switch name {
	case "null":
		return NullKind, true
	case "boolean":
		return BooleanKind, true
	case "integer":
		return IntegerKind, true
	case "number":
		return IntegerKind | NumberKind, true
	case "string":
		return StringKind, true
	case "array":
		return ArrayKind, true
	case "object":
		return ObjectKind, true
	}
	return 0, false
}

// Type is what a schema says about the shape of values, for a checker that
// reasons without values. It is wide: every value that the schema allows has
// this shape, and some others may have it too (negations, conditions and
// alternatives are not followed all the way). The graph may be cyclic when the
// schema refers to itself. A Type is not to be changed.
type Type struct {
	Kinds       Kinds
	Title       string
	Description string
	Enum        []any // the only values, when HasEnum
	HasEnum     bool
	Default     any
	HasDefault  bool
	Secret      bool // writeOnly, format password or x-secret

	// Of objects: the properties in declared order; Additional is the type of
	// members that are not among them, nil when there may be none.
	Properties []Property
	Additional *Type

	// Of arrays: the first items have the types of Prefix, the others that of
	// Items, nil when there may be none. MaxItems and MaxLength are -1 without a bound.
	Prefix             []*Type
	Items              *Type
	MinItems, MaxItems int

	// Of strings.
	Format, Pattern      string
	MinLength, MaxLength int

	// Of numbers: JSON numbers, "" without a bound.
	Minimum, Maximum                   string
	ExclusiveMinimum, ExclusiveMaximum bool

	// Variants are the alternatives of anyOf or oneOf, if there are any: a
	// value has the shape of this type and of at least one of them.
	Variants []*Type

	implied bool // allows anything because nothing was said
}

// Property is a member of an object type.
type Property struct {
	Name     string
	Type     *Type
	Required bool
}

// Property returns the property of that name.
func (t *Type) Property(name string) (Property, bool) {
	for _, p := range t.Properties {
		if p.Name == name {
			return p, true
		}
	}
	return Property{}, false
}

// Lacks returns the first segment of a path that values of the type cannot have, and
// what to write instead; "" if there may be something at the path. The segment "*" is
// every item or member.
func (t *Type) Lacks(path jsondoc.Pointer) (seg, remedy string) {
	for _, seg := range path.Segments() {
		if len(t.Variants) > 0 && len(t.Properties) == 0 {
			return "", "" // which alternative it is shows only at run time
		}
		var next *Type
		prop, declared := t.Property(seg)
		_, notIndex := strconv.Atoi(seg)
		switch {
		case declared:
			next = prop.Type
		case t.Kinds.Has(ArrayKind) && (seg == "*" || notIndex == nil):
			next = t.Items
		case t.Kinds.Has(ObjectKind) && (seg == "*" || len(t.Properties) == 0):
			next = t.Additional
		}
		if next == nil {
			if t.Kinds&^NullKind == ArrayKind {
				return seg, "Write * for every item of the list."
			}
			return seg, jsondoc.DidYouMean(seg, t.Names())
		}
		t = next
	}
	return "", ""
}

// Names returns the names of the properties in declared order.
func (t *Type) Names() []string {
	names := make([]string, len(t.Properties))
	for i, p := range t.Properties {
		names[i] = p.Name
	}
	return names
}

// Type returns the shape of the schema's values.
func (s *Schema) Type() *Type {
	s.shaped()
	return s.root.shape
}

// shaped makes the shapes of all parts if there are none yet. They are made when
// they are first needed: most tools of a large catalogue never need them.
func (s *Schema) shaped() {
	s.shape.Do(func() {
		shapes(s.parts)
		s.parts = nil
	})
}

// Narrow is [Type.Narrow] of the whole schema.
func (s *Schema) Narrow() (kind string, ok bool) { return s.Type().Narrow() }

// Narrow reports whether values of this type can contain so little that a rule
// may let them lower a label: kind is "enum", "boolean", "integer", "date",
// "date-time", "time", "uuid" or "null". Null beside one of them does not count.
// Integers are narrow between two bounds, strings only by enum or by such a format.
// Any text can be written as a large integer or in the digits of a fraction, and
// much of it as an address of mail.
func (t *Type) Narrow() (kind string, ok bool) {
	if t.HasEnum {
		return "enum", true
	}
	if len(t.Variants) > 0 {
		return t.narrowVariants()
	}
	switch t.Kinds &^ NullKind {
	case 0:
		if t.Kinds == NullKind {
			return "null", true
		}
	case BooleanKind:
		return "boolean", true
	case IntegerKind:
		if bounded(t.Minimum) && bounded(t.Maximum) {
			return "integer", true
		}
	case StringKind:
		switch t.Format {
		case "date", "date-time", "time", "uuid":
			return t.Format, true
		}
	}
	return "", false
}

// bounded says whether there is a bound, and one so near to zero that what lies within
// two of them takes no more than eight bytes.
func bounded(limit string) bool {
	f, err := strconv.ParseFloat(limit, 64)
	return err == nil && math.Abs(f) <= 1<<53
}

func (t *Type) narrowVariants() (kind string, ok bool) {
	for _, v := range t.Variants {
		k, ok := v.Narrow()
		switch {
		case !ok:
			return "", false
		case k == "null" || k == kind:
		case kind == "":
			kind = k
		default:
			return "", false
		}
	}
	if kind == "" {
		kind = "null"
	}
	return kind, true
}

// shaper computes the types of all parts of a schema.
type shaper struct {
	anything *Type
	merged   int
}

// maxMerged bounds the types that allOf and $ref with siblings make; beyond it
// they are left as wide as they were declared.
const maxMerged = 50_000

// shapes sets the type of every schema: first what its own keywords say, with
// the parts below referred to by address so that cycles end; then, parts
// before wholes, what the others that apply to the same value add. A shape
// that is read too early in a cycle is only wider than it could be.
func shapes(order []*schema) {
	sh := &shaper{anything: &Type{Kinds: AnyKind, MaxItems: -1, MaxLength: -1, implied: true}}
	sh.anything.Items, sh.anything.Additional = sh.anything, sh.anything
	slab := make([]Type, len(order))
	for i, s := range order {
		s.shape = &slab[i]
	}
	for _, s := range order {
		*s.shape = sh.own(s)
	}
	done := map[*schema]bool{}
	for _, s := range slices.Backward(order) {
		sh.fill(s, done)
	}
}

// fill joins into s.shape the shapes of the parts that apply to the same value
// (there are no cycles among those).
func (sh *shaper) fill(s *schema, done map[*schema]bool) {
	if done[s] || (s.ref == nil && s.comb == nil) {
		return
	}
	done[s] = true
	s.inPlace(func(part *schema) { sh.fill(part, done) })
	if s.ref != nil {
		*s.shape = *sh.both(s.shape, s.ref.shape, 0)
	}
	if s.comb == nil {
		return
	}
	for _, part := range s.comb.all {
		*s.shape = *sh.both(s.shape, part.shape, 0)
	}
	for _, list := range [][]*schema{s.comb.any, s.comb.one} {
		if len(list) == 0 {
			continue
		}
		var kinds Kinds
		variants := make([]*Type, len(list))
		for i, part := range list {
			variants[i] = part.shape
			kinds |= part.shape.Kinds
		}
		s.shape.Kinds &= kinds
		if s.shape.Variants == nil {
			s.shape.Variants = variants
		}
		enumOfVariants(s.shape)
	}
}

// enumOfVariants joins the values of alternatives that all have an enum.
func enumOfVariants(t *Type) {
	if t.HasEnum {
		return
	}
	var all []any
	for _, v := range t.Variants {
		if !v.HasEnum {
			return
		}
		all = append(all, v.Enum...)
	}
	t.Enum, t.HasEnum = all, true
}

// own is the shape by the schema's own keywords.
func (sh *shaper) own(s *schema) Type {
	t := Type{
		Kinds: s.kinds, Title: s.note.title, Description: s.note.description, Default: s.note.def, HasDefault: s.note.hasDefault,
		Secret: s.note.secret, Enum: s.enum, HasEnum: s.hasEnum, MinItems: 0, MaxItems: -1, MaxLength: -1,
	}
	if s.never {
		t.Kinds = 0
	}
	if s.hasEnum {
		var kinds Kinds
		for _, v := range s.enum {
			kinds |= kindOf(v)
		}
		t.Kinds &= kinds
	}
	if s.str != nil {
		t.Format, t.MinLength, t.MaxLength = s.str.format, max(0, s.str.minLen), s.str.maxLen
		if s.str.pattern != nil {
			t.Pattern = s.str.pattern.text
		}
	}
	if s.num != nil {
		t.Minimum, t.Maximum, t.ExclusiveMinimum, t.ExclusiveMaximum = s.num.minText, s.num.maxText, s.num.overMin, s.num.underMax
	}
	t.Items, t.Additional = sh.anything, sh.anything
	if s.arr != nil {
		t.MinItems, t.MaxItems = max(0, s.arr.minItems), s.arr.maxItems
		for _, p := range s.arr.prefix {
			t.Prefix = append(t.Prefix, p.shape)
		}
		if s.arr.items != nil {
			t.Items = s.arr.items.shape
			if s.arr.items.never {
				t.Items = nil
			}
		}
	}
	if s.obj != nil {
		t.Properties = make([]Property, 0, len(s.obj.properties))
		for _, p := range s.obj.properties {
			t.Properties = append(t.Properties, Property{p.name, p.s.shape, slices.Contains(s.obj.required, p.name)})
		}
		for _, name := range s.obj.required {
			if s.obj.property(name) == nil {
				t.Properties = append(t.Properties, Property{name, sh.anything, true})
			}
		}
		if s.obj.additional != nil && len(s.obj.patterns) == 0 {
			t.Additional = s.obj.additional.shape
			if s.obj.additional.never {
				t.Additional = nil
			}
		}
	}
	return t
}

// both is the shape of values that have two shapes.
func (sh *shaper) both(a, b *Type, depth int) *Type {
	if a == b || b.implied {
		return a
	}
	if a.implied {
		return b
	}
	if sh.merged++; sh.merged > maxMerged || depth > 16 {
		return a // wider, which is allowed
	}
	t := *a
	t.Kinds &= b.Kinds
	if t.Title == "" {
		t.Title = b.Title
	}
	if t.Description == "" {
		t.Description = b.Description
	}
	if !t.HasDefault {
		t.Default, t.HasDefault = b.Default, b.HasDefault
	}
	if !t.HasEnum {
		t.Enum, t.HasEnum = b.Enum, b.HasEnum
	}
	t.Secret = t.Secret || b.Secret
	if t.Format == "" {
		t.Format = b.Format
	}
	if t.Pattern == "" {
		t.Pattern = b.Pattern
	}
	t.MinLength = max(t.MinLength, b.MinLength)
	t.MaxLength = tighter(t.MaxLength, b.MaxLength)
	t.MinItems = max(t.MinItems, b.MinItems)
	t.MaxItems = tighter(t.MaxItems, b.MaxItems)
	if t.Minimum == "" {
		t.Minimum, t.ExclusiveMinimum = b.Minimum, b.ExclusiveMinimum
	}
	if t.Maximum == "" {
		t.Maximum, t.ExclusiveMaximum = b.Maximum, b.ExclusiveMaximum
	}
	if len(t.Prefix) == 0 && len(b.Prefix) > 0 {
		t.Prefix = b.Prefix
		t.Items = b.Items
	} else if len(b.Prefix) == 0 {
		t.Items = sh.maybe(t.Items, b.Items, depth)
	}
	if t.Variants == nil {
		t.Variants = b.Variants
	}
	sh.properties(&t, a, b, depth)
	return &t
}

// properties merges the members of two object types. The first type's come
// first, and last those that are only required and not declared.
func (sh *shaper) properties(t, a, b *Type, depth int) {
	t.Properties = make([]Property, 0, len(a.Properties)+len(b.Properties))
	var bare []Property
	for _, p := range a.Properties {
		undeclared := p.Type.implied
		if q, ok := b.Property(p.Name); ok {
			undeclared = undeclared && q.Type.implied
			if p.Type.implied && !q.Type.implied { // it has the other's place
				continue
			}
			p.Type, p.Required = sh.both(p.Type, q.Type, depth+1), p.Required || q.Required
		} else if b.Additional != nil {
			p.Type = sh.both(p.Type, b.Additional, depth+1)
		}
		if undeclared {
			bare = append(bare, p)
			continue
		}
		t.Properties = append(t.Properties, p)
	}
	for _, q := range b.Properties {
		p, ok := a.Property(q.Name)
		switch {
		case ok && (!p.Type.implied || q.Type.implied):
			continue
		case ok:
			q.Required = q.Required || p.Required
		case a.Additional != nil:
			q.Type = sh.both(q.Type, a.Additional, depth+1)
		}
		if q.Type.implied {
			bare = append(bare, q)
			continue
		}
		t.Properties = append(t.Properties, q)
	}
	t.Properties = append(t.Properties, bare...)
	t.Additional = sh.maybe(a.Additional, b.Additional, depth)
}

func (sh *shaper) maybe(a, b *Type, depth int) *Type {
	if a == nil || b == nil {
		return nil
	}
	return sh.both(a, b, depth+1)
}

func tighter(a, b int) int {
	switch {
	case a < 0:
		return b
	case b < 0:
		return a
	}
	return min(a, b)
}

// kindOf returns the kind of a value, 0 when it is none of JSON's.
func kindOf(v any) Kinds {
	switch v := v.(type) {
	case nil:
		return NullKind
	case bool:
		return BooleanKind
	case string:
		return StringKind
	case []any:
		return ArrayKind
	case int, int64, uint64:
		return IntegerKind
	default:
		if jsondoc.IsObject(v) {
			return ObjectKind
		}
		text, ok := jsondoc.NumberText(v)
		if !ok {
			return 0
		}
		d, ok := jsondoc.ParseDecimal(text)
		switch {
		case !ok:
			return 0
		case d.Integer():
			return IntegerKind
		}
		return NumberKind
	}
}
