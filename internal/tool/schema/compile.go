package schema

import (
	"fmt"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

const (
	maxSubschemas = 20_000
	maxPattern    = 4096 // characters
	maxProgram    = 4000 // instructions that a pattern compiles to
	maxEnum       = 10_000
)

// Compiler makes the schemas of one file.
type Compiler struct {
	r        *jsondoc.Report
	patterns map[string]*pattern // compiled once a file
	slab     []schema            // from which schemas are taken, since there are many
	schemas  int                 // taken so far
}

// NewCompiler makes a compiler whose problems go to r.
func NewCompiler(r *jsondoc.Report) *Compiler { return &Compiler{r: r} }

func (c *Compiler) newSchema() *schema {
	if len(c.slab) == 0 {
		c.slab = make([]schema, min(64, 4+c.schemas))
	}
	s := &c.slab[0]
	c.slab = c.slab[1:]
	c.schemas++
	return s
}

// compiler turns the nodes of one document into schemas. A node is compiled
// once, however often it is referred to.
type compiler struct {
	*Compiler
	root    *jsondoc.Node
	order   []*schema
	nodes   []*jsondoc.Node           // what order was compiled of
	byNode  map[*jsondoc.Node]*schema // both, once there is a reference
	anchors map[string]*jsondoc.Node  // "base#anchor"
	ids     map[string]*jsondoc.Node  // absolute or as written
	refs    []pendingRef
	old     bool // $schema names a draft before 2020-12
	tracks  bool // an unevaluated… keyword occurs
}

type pendingRef struct {
	from *schema
	node *jsondoc.Node
	base string
}

// Compile compiles a document. After a problem the result is nil.
func (of *Compiler) Compile(root *jsondoc.Node) *Schema {
	c := &compiler{Compiler: of, root: root}
	r := c.r
	before := len(r.Problems)
	c.dialect(root)
	s := c.schema(root, "", "")
	for i := 0; i < len(c.refs); i++ { // resolving may compile more, with more references
		c.resolve(c.refs[i])
	}
	if len(r.Problems) == before {
		c.loops()
	}
	if len(r.Problems) > before {
		return nil
	}
	out := &Schema{root: s, doc: root, file: r.File, parts: c.order}
	for _, part := range c.order {
		part.tracking = c.tracks
	}
	return out
}

// dialect looks at $schema.
func (c *compiler) dialect(root *jsondoc.Node) {
	if root.Kind != jsondoc.Map {
		return
	}
	n := root.Get("$schema")
	if n == nil {
		return
	}
	known := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(n.Text, "https://"), "http://"), "#")
	switch known {
	case "json-schema.org/draft/2020-12/schema":
	case "json-schema.org/draft/2019-09/schema", "json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-04/schema", "json-schema.org/schema":
		c.old = true
	default:
		c.r.Add(n, "Write https://json-schema.org/draft/2020-12/schema, or leave $schema out.", "%s is not a dialect of JSON Schema that is known here", safetext.Quote(n.Text))
	}
}

// keyword is a keyword of the schema at a place. Places of the parts below it are
// written when there are any.
type keyword struct {
	of   jsondoc.Pointer
	name string
}

func (k keyword) place() jsondoc.Pointer { return k.of.Child(k.name) }

func (k keyword) child(name string) jsondoc.Pointer {
	return k.of + "/" + jsondoc.Pointer(jsondoc.EscapePointer(k.name)) + "/" + jsondoc.Pointer(jsondoc.EscapePointer(name))
}

// compiled returns what a node was compiled to, or nil. Only a reference leads to
// a node again.
func (c *compiler) compiled(n *jsondoc.Node) *schema {
	if c.byNode == nil {
		return nil
	}
	for i := len(c.byNode); i < len(c.nodes); i++ {
		c.byNode[c.nodes[i]] = c.order[i]
	}
	return c.byNode[n]
}

// schema compiles a node at a place where a schema is expected.
func (c *compiler) schema(n *jsondoc.Node, where jsondoc.Pointer, base string) *schema {
	if s := c.compiled(n); s != nil {
		return s
	}
	s := c.newSchema()
	s.line, s.col, s.where, s.kinds = n.Line, n.Col, where, AnyKind
	c.order, c.nodes = append(c.order, s), append(c.nodes, n)
	if len(c.order) > maxSubschemas {
		if len(c.order) == maxSubschemas+1 {
			c.r.Add(n, "", "the schema has more than %d parts", maxSubschemas)
		}
		return s
	}
	switch {
	case n.Kind == jsondoc.Bool:
		s.never = n.Text == "false"
		return s
	case n.Kind != jsondoc.Map:
		c.r.Add(n, "A schema is a mapping such as {type: string}, or true or false.", "expected a schema, got %s", n.Kind)
		return s
	}
	base = c.identify(n, base)
	for i, key := range n.Keys {
		v := n.Items[i]
		at := keyword{where, key.Text}
		if !c.annotation(s, key, v) && !c.general(s, key, v, at, base) && !c.number(s, key, v) &&
			!c.text(s, key, v) && !c.array(s, key, v, at, base) && !c.object(s, key, v, at, base) && !c.combine(s, key, v, at, base) {
			c.unknown(key)
		}
	}
	c.finish(s, n)
	return s
}

// identify notes $id and $anchor and returns the base of the references inside.
func (c *compiler) identify(n *jsondoc.Node, base string) string {
	if id := n.Get("$id"); id != nil && id.Kind == jsondoc.String && !strings.HasPrefix(id.Text, "#") {
		base = strings.TrimSuffix(against(base, id.Text), "#")
		if c.ids == nil {
			c.ids = map[string]*jsondoc.Node{}
		}
		if c.ids[base] == nil {
			c.ids[base] = n
		}
	}
	if a := n.Get("$anchor"); a != nil && a.Kind == jsondoc.String {
		if c.anchors == nil {
			c.anchors = map[string]*jsondoc.Node{}
		}
		c.anchors[base+"#"+a.Text] = n
	}
	return base
}

func against(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	r, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	return b.ResolveReference(r).String()
}

func (c *compiler) annotation(s *schema, key, v *jsondoc.Node) bool {
	switch key.Text {
	case "title":
		s.note.title = c.string(key, v)
	case "description":
		s.note.description = c.string(key, v)
	case "default":
		s.note.def, s.note.hasDefault = v.Value(), true
	case "examples":
		if v.Kind == jsondoc.List && len(v.Items) > 0 {
			s.note.example, s.note.hasExample = v.Items[0].Value(), true
		}
	case "example":
		s.note.example, s.note.hasExample = v.Value(), true
	case "writeOnly", "x-secret":
		if c.bool(key, v) {
			s.note.secret = true
		}
	case "readOnly", "deprecated":
		c.bool(key, v)
	case "$comment", "$schema", "$id", "$anchor", "$vocabulary", "id",
		"contentEncoding", "contentMediaType", "contentSchema",
		"discriminator", "externalDocs", "xml":
	case "nullable": // OpenAPI 3.0; finish adds the kind
		c.bool(key, v)
	default:
		return strings.HasPrefix(key.Text, "x-")
	}
	return true
}

func (c *compiler) general(s *schema, key, v *jsondoc.Node, at keyword, base string) bool {
	switch key.Text {
	case "type":
		c.types(s, key, v)
	case "enum":
		if v.Kind != jsondoc.List {
			c.r.Add(v, "Write [a, b].", "enum: expected a list, got %s", v.Kind)
			return true
		}
		if len(v.Items) > maxEnum {
			c.r.Add(v, "", "enum: more than %d values", maxEnum)
			return true
		}
		values := make([]any, len(v.Items))
		for i, item := range v.Items {
			values[i] = item.Value()
		}
		c.limit(s, v, values)
	case "const":
		c.limit(s, v, []any{v.Value()})
	case "$ref":
		if s.refText = c.string(key, v); s.refText != "" {
			c.refs = append(c.refs, pendingRef{s, v, base})
		}
	case "$defs", "definitions":
		c.each(key, v, func(name, part *jsondoc.Node) { c.schema(part, at.child(name.Text), base) })
	case "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor":
		c.r.Add(key, "Write $ref and $anchor.", "%s is not supported", key.Text)
	default:
		return false
	}
	return true
}

// limit restricts the schema to some values; const beside enum leaves what both allow.
func (c *compiler) limit(s *schema, at *jsondoc.Node, values []any) {
	set := make(map[string]bool, len(values))
	var allowed []any
	for _, v := range values {
		b, err := jsondoc.AppendCanonical(nil, v, 0)
		if err != nil {
			c.r.Add(at, "", "enum: %v", err)
			return
		}
		if text := string(b); !set[text] && (!s.hasEnum || s.enumSet[text]) {
			set[text] = true
			allowed = append(allowed, v)
		}
	}
	s.enum, s.enumSet, s.hasEnum = allowed, set, true
}

func (c *compiler) types(s *schema, key, v *jsondoc.Node) {
	s.kinds = 0
	names := []*jsondoc.Node{v}
	if v.Kind == jsondoc.List {
		names = v.Items
		if len(names) == 0 {
			c.r.Add(v, "", "type: the list is empty")
		}
	}
	for _, n := range names {
		if n.Kind == jsondoc.Null && n.Text == "" {
			c.r.Add(n, `Write "null" in quotes.`, "type: expected the name of a type, got null")
			continue
		}
		k, ok := kindNamed(n.Text)
		if n.Kind != jsondoc.String || !ok {
			c.r.Add(n, jsondoc.DidYouMean(n.Text, kindNames()), "type: expected the name of a type, got %s", n.Show())
			continue
		}
		s.kinds |= k
	}
}

func (c *compiler) number(s *schema, key, v *jsondoc.Node) bool {
	switch key.Text {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
	default:
		return false
	}
	rules := s.numbers()
	if v.Kind == jsondoc.Bool && strings.HasPrefix(key.Text, "exclusive") && c.old {
		if key.Text == "exclusiveMinimum" {
			rules.exclusive4 = v.Text == "true"
		} else {
			rules.exMax4 = v.Text == "true"
		}
		return true
	}
	if v.Kind != jsondoc.Number {
		c.r.Add(v, "", "%s: expected a number, got %s", key.Text, v.Show())
		return true
	}
	d, _ := jsondoc.ParseDecimal(v.Text)
	switch key.Text {
	case "minimum":
		if rules.min == nil || d.Compare(*rules.min) > 0 {
			rules.min, rules.minText, rules.overMin = &d, v.Text, false
		}
	case "exclusiveMinimum":
		if rules.min == nil || d.Compare(*rules.min) >= 0 {
			rules.min, rules.minText, rules.overMin = &d, v.Text, true
		}
	case "maximum":
		if rules.max == nil || d.Compare(*rules.max) < 0 {
			rules.max, rules.maxText, rules.underMax = &d, v.Text, false
		}
	case "exclusiveMaximum":
		if rules.max == nil || d.Compare(*rules.max) <= 0 {
			rules.max, rules.maxText, rules.underMax = &d, v.Text, true
		}
	case "multipleOf":
		if d.Sign() <= 0 {
			c.r.Add(v, "", "multipleOf: expected a number above 0, got %s", v.Show())
			return true
		}
		rules.multiple, rules.multipleText = &d, v.Text
	}
	return true
}

func (c *compiler) text(s *schema, key, v *jsondoc.Node) bool {
	switch key.Text {
	case "minLength":
		s.strings().minLen = c.count(key, v)
	case "maxLength":
		s.strings().maxLen = c.count(key, v)
	case "pattern":
		if text := c.string(key, v); v.Kind == jsondoc.String {
			s.strings().pattern = c.pattern(v, text)
		}
	case "format":
		s.strings().format = c.string(key, v)
		if s.str.format == "password" {
			s.note.secret = true
		}
	default:
		return false
	}
	return true
}

// pattern compiles ECMA 262's dialect as far as Go's linear-time engine has it.
func (c *compiler) pattern(at *jsondoc.Node, text string) *pattern {
	if len(text) > maxPattern {
		c.r.Add(at, "", "pattern: longer than %d characters", maxPattern)
		return nil
	}
	if p := c.patterns[text]; p != nil {
		return p
	}
	p, err := newPattern(text)
	if err != nil {
		remedy := ""
		if strings.Contains(text, "(?=") || strings.Contains(text, "(?!") || strings.Contains(text, "(?<") {
			remedy = "Look-ahead, look-behind and back references are not supported: they take unbounded time."
		}
		c.r.Add(at, remedy, "pattern: %s", safetext.OneLine(strings.TrimPrefix(err.Error(), "error parsing regexp: "), 200))
		return nil
	}
	if c.patterns == nil {
		c.patterns = map[string]*pattern{}
	}
	c.patterns[text] = p
	return p
}

// newPattern compiles a pattern and measures its program, on which the time of matching depends.
func newPattern(text string) (*pattern, error) {
	goText := ecma(text)
	size := 2 * len(goText)
	if strings.Contains(goText, "{") { // counted repetition is written out
		tree, err := syntax.Parse(goText, syntax.Perl)
		if err != nil {
			return nil, err
		}
		program, err := syntax.Compile(tree.Simplify())
		if err != nil {
			return nil, err
		}
		if size = len(program.Inst); size > maxProgram {
			return nil, fmt.Errorf("it repeats too much: %d instructions, at most %d", size, maxProgram)
		}
	}
	re, err := regexp.Compile(goText)
	if err != nil {
		return nil, err
	}
	return &pattern{text, re, size}, nil
}

// ecma rewrites the escapes that Go's syntax lacks: \uXXXX, \cX, \/ and the like.
func ecma(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch next := text[i]; {
		case next == 'u' && i+4 < len(text) && jsondoc.IsHex(text[i+1:i+5]):
			b.WriteString(`\x{` + text[i+1:i+5] + `}`)
			i += 4
		case next == 'c' && i+1 < len(text) && (text[i+1]|0x20) >= 'a' && (text[i+1]|0x20) <= 'z':
			b.WriteString(`\x{` + strconv.FormatInt(int64(text[i+1]&31), 16) + `}`)
			i++
		default:
			b.WriteByte('\\')
			b.WriteByte(next)
		}
	}
	return b.String()
}

func (c *compiler) array(s *schema, key, v *jsondoc.Node, at keyword, base string) bool {
	switch key.Text {
	case "items":
		if v.Kind == jsondoc.List {
			if !c.old {
				c.r.Add(v, "Write prefixItems for the types of a tuple's items.", "items: expected a schema, got a list")
			}
			s.arrays().prefix = c.list(key, v, at, base)
		} else {
			s.arrays().items = c.schema(v, at.place(), base)
		}
	case "prefixItems":
		s.arrays().prefix = c.list(key, v, at, base)
	case "additionalItems":
		part := c.schema(v, at.place(), base)
		if s.arrays().items == nil {
			s.arr.items = part
		}
	case "contains":
		s.arrays().contains = c.schema(v, at.place(), base)
	case "minContains":
		s.arrays().minContains = c.count(key, v)
	case "maxContains":
		s.arrays().maxContains = c.count(key, v)
	case "minItems":
		s.arrays().minItems = c.count(key, v)
	case "maxItems":
		s.arrays().maxItems = c.count(key, v)
	case "uniqueItems":
		s.arrays().unique = c.bool(key, v)
	case "unevaluatedItems":
		s.arrays().unevaluated = c.schema(v, at.place(), base)
		c.tracks = true
	default:
		return false
	}
	return true
}

func (c *compiler) object(s *schema, key, v *jsondoc.Node, at keyword, base string) bool {
	switch key.Text {
	case "properties":
		c.each(key, v, func(name, part *jsondoc.Node) {
			s.objects().properties = append(s.obj.properties, property{name.Text, c.schema(part, at.child(name.Text), base)})
		})
	case "required":
		s.objects().required = c.strings(key, v)
	case "patternProperties":
		c.each(key, v, func(name, part *jsondoc.Node) {
			if re := c.pattern(name, name.Text); re != nil {
				s.objects().patterns = append(s.obj.patterns, patternProperty{re, c.schema(part, at.child(name.Text), base)})
			}
		})
	case "additionalProperties":
		s.objects().additional = c.schema(v, at.place(), base)
	case "propertyNames":
		s.objects().names = c.schema(v, at.place(), base)
	case "minProperties":
		s.objects().minProps = c.count(key, v)
	case "maxProperties":
		s.objects().maxProps = c.count(key, v)
	case "dependentRequired":
		c.each(key, v, func(name, part *jsondoc.Node) {
			s.objects().dependent = append(s.obj.dependent, dependency{name.Text, c.strings(name, part)})
		})
	case "dependentSchemas":
		c.each(key, v, func(name, part *jsondoc.Node) {
			s.objects().dependentSchemas = append(s.obj.dependentSchemas, property{name.Text, c.schema(part, at.child(name.Text), base)})
		})
	case "dependencies":
		c.each(key, v, func(name, part *jsondoc.Node) {
			if part.Kind == jsondoc.List {
				s.objects().dependent = append(s.obj.dependent, dependency{name.Text, c.strings(name, part)})
				return
			}
			s.objects().dependentSchemas = append(s.obj.dependentSchemas, property{name.Text, c.schema(part, at.child(name.Text), base)})
		})
	case "unevaluatedProperties":
		s.objects().unevaluated = c.schema(v, at.place(), base)
		c.tracks = true
	default:
		return false
	}
	return true
}

func (c *compiler) combine(s *schema, key, v *jsondoc.Node, at keyword, base string) bool {
	switch key.Text {
	case "allOf":
		s.combined().all = c.list(key, v, at, base)
	case "anyOf":
		s.combined().any = c.list(key, v, at, base)
	case "oneOf":
		s.combined().one = c.list(key, v, at, base)
	case "not":
		s.combined().not = c.schema(v, at.place(), base)
	case "if":
		s.combined().cond = c.schema(v, at.place(), base)
	case "then":
		s.combined().then = c.schema(v, at.place(), base)
	case "else":
		s.combined().els = c.schema(v, at.place(), base)
	default:
		return false
	}
	return true
}

// finish settles what depends on several keywords.
func (c *compiler) finish(s *schema, n *jsondoc.Node) {
	if s.num != nil {
		s.num.overMin = s.num.overMin || (s.num.exclusive4 && s.num.min != nil)
		s.num.underMax = s.num.underMax || (s.num.exMax4 && s.num.max != nil)
	}
	if nullable := n.Get("nullable"); nullable != nil && nullable.Text == "true" && n.Get("type") != nil {
		s.kinds |= NullKind
	}
	if s.obj != nil && len(s.obj.properties) > 8 {
		s.obj.index = make(map[string]int, len(s.obj.properties))
		for i, p := range s.obj.properties {
			s.obj.index[p.name] = i
		}
	}
	if s.obj != nil && s.obj.additional != nil && s.obj.additional.never && len(s.obj.properties) > 0 && len(s.obj.patterns) == 0 {
		for _, name := range s.obj.required {
			if s.obj.property(name) == nil {
				c.r.Add(n.Get("required"), jsondoc.DidYouMean(name, s.obj.propertyNames()), "required: %s is not among the properties, and no others are allowed", safetext.Quote(name))
			}
		}
	}
}

func (o *objectRules) propertyNames() []string {
	names := make([]string, len(o.properties))
	for i, p := range o.properties {
		names[i] = p.name
	}
	return names
}

// unknown refuses a keyword that is nearly a known one: JSON Schema ignores
// what it does not know, and so a typing error would be a check that never happens.
func (c *compiler) unknown(key *jsondoc.Node) {
	if near := jsondoc.Nearest(key.Text, keywords()); near != "" {
		c.r.Add(key, "Did you mean "+safetext.Quote(near)+"? Keywords of your own begin with x-.", "unknown keyword %s in a schema", safetext.Quote(key.Text))
	}
}

func keywords() []string {
	return []string{
		"type", "enum", "const", "$ref", "$defs", "definitions", "$id", "$anchor", "$schema", "$comment", "title", "description", "default",
		"writeOnly", "readOnly", "deprecated", "nullable", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
		"multipleOf", "minLength", "maxLength", "pattern", "format", "items", "prefixItems", "additionalItems", "contains",
		"minContains", "maxContains", "minItems", "maxItems", "uniqueItems", "unevaluatedItems", "properties", "required",
		"patternProperties", "additionalProperties", "propertyNames", "minProperties", "maxProperties", "dependentRequired",
		"dependentSchemas", "dependencies", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
	}
}

func (c *compiler) string(key, v *jsondoc.Node) string {
	if v.Kind != jsondoc.String {
		c.r.Add(v, "", "%s: expected a string, got %s", key.Text, v.Show())
		return ""
	}
	return v.Text
}

func (c *compiler) bool(key, v *jsondoc.Node) bool {
	if v.Kind != jsondoc.Bool {
		c.r.Add(v, "Write true or false.", "%s: expected a boolean, got %s", key.Text, v.Show())
	}
	return v.Text == "true"
}

func (c *compiler) count(key, v *jsondoc.Node) int {
	if v.Kind == jsondoc.Number {
		if d, ok := jsondoc.ParseDecimal(v.Text); ok && !d.Neg && d.Integer() && d.Exp <= 15 {
			n, err := strconv.ParseInt(d.String(), 10, 64)
			if err == nil {
				return int(n)
			}
		}
	}
	c.r.Add(v, "", "%s: expected a whole number from 0, got %s", key.Text, v.Show())
	return -1
}

func (c *compiler) strings(key, v *jsondoc.Node) []string {
	if v.Kind != jsondoc.List {
		c.r.Add(v, "Write [a, b].", "%s: expected a list of names, got %s", key.Text, v.Show())
		return nil
	}
	var out []string
	for _, item := range v.Items {
		switch {
		case item.Kind != jsondoc.String:
			c.r.Add(item, "", "%s: expected a name, got %s", key.Text, item.Show())
		case slices.Contains(out, item.Text):
			c.r.Add(item, "Remove one of them.", "%s: %s stands twice", key.Text, safetext.Quote(item.Text))
		default:
			out = append(out, item.Text)
		}
	}
	return out
}

func (c *compiler) list(key, v *jsondoc.Node, at keyword, base string) []*schema {
	if v.Kind != jsondoc.List || len(v.Items) == 0 {
		c.r.Add(v, "", "%s: expected a list of schemas, got %s", key.Text, v.Show())
		return nil
	}
	out := make([]*schema, len(v.Items))
	for i, item := range v.Items {
		out[i] = c.schema(item, at.child(strconv.Itoa(i)), base)
	}
	return out
}

func (c *compiler) each(key, v *jsondoc.Node, do func(name, part *jsondoc.Node)) {
	if v.Kind != jsondoc.Map {
		c.r.Add(v, "", "%s: expected a mapping of names to schemas, got %s", key.Text, v.Show())
		return
	}
	for i, k := range v.Keys {
		do(k, v.Items[i])
	}
}
