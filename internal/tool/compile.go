package tool

import (
	"fmt"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

const (
	maxSubschemas = 20_000
	maxPattern    = 4096 // characters
	maxProgram    = 4000 // instructions that a pattern compiles to
	maxEnum       = 10_000
)

// Compiler makes the schemas of one file.
type Compiler struct {
	r        *report
	patterns map[string]*pattern // compiled once a file
	slab     []schema            // from which schemas are taken, since there are many
	schemas  int                 // taken so far
}

// newCompiler makes a compiler whose problems go to r.
func newCompiler(r *report) *Compiler { return &Compiler{r: r} }

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
	root    *node
	order   []*schema
	nodes   []*node           // what order was compiled of
	byNode  map[*node]*schema // both, once there is a reference
	anchors map[string]*node  // "base#anchor"
	ids     map[string]*node  // absolute or as written
	refs    []pendingRef
	old     bool // $schema names a draft before 2020-12
	tracks  bool // an unevaluated… keyword occurs
}

type pendingRef struct {
	from *schema
	node *node
	base string
}

// compile compiles a document. After a problem the result is nil.
func (of *Compiler) compile(root *node) *Schema {
	c := &compiler{Compiler: of, root: root}
	r := c.r
	before := len(r.list)
	c.dialect(root)
	s := c.schema(root, "", "")
	for i := 0; i < len(c.refs); i++ { // resolving may compile more, with more references
		c.resolve(c.refs[i])
	}
	if len(r.list) == before {
		c.loops()
	}
	if len(r.list) > before {
		return nil
	}
	out := &Schema{root: s, doc: root, file: r.file, parts: c.order}
	for _, part := range c.order {
		part.tracking = c.tracks
	}
	return out
}

// dialect looks at $schema.
func (c *compiler) dialect(root *node) {
	if root.kind != mapNode {
		return
	}
	n := root.get("$schema")
	if n == nil {
		return
	}
	known := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(n.text, "https://"), "http://"), "#")
	switch known {
	case "json-schema.org/draft/2020-12/schema":
	case "json-schema.org/draft/2019-09/schema", "json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-04/schema", "json-schema.org/schema":
		c.old = true
	default:
		c.r.add(n, "Write https://json-schema.org/draft/2020-12/schema, or leave $schema out.", "%s is not a dialect of JSON Schema that is known here", quote(n.text))
	}
}

// keyword is a keyword of the schema at a place. Places of the parts below it are
// written when there are any.
type keyword struct {
	of   Pointer
	name string
}

func (k keyword) place() Pointer { return k.of.Child(k.name) }

func (k keyword) child(name string) Pointer {
	return k.of + "/" + Pointer(escapePointer(k.name)) + "/" + Pointer(escapePointer(name))
}

// compiled returns what a node was compiled to, or nil. Only a reference leads to
// a node again.
func (c *compiler) compiled(n *node) *schema {
	if c.byNode == nil {
		return nil
	}
	for i := len(c.byNode); i < len(c.nodes); i++ {
		c.byNode[c.nodes[i]] = c.order[i]
	}
	return c.byNode[n]
}

// schema compiles a node that stands where a schema is expected.
func (c *compiler) schema(n *node, where Pointer, base string) *schema {
	if s := c.compiled(n); s != nil {
		return s
	}
	s := c.newSchema()
	s.line, s.col, s.where, s.kinds = n.line, n.col, where, AnyKind
	c.order, c.nodes = append(c.order, s), append(c.nodes, n)
	if len(c.order) > maxSubschemas {
		if len(c.order) == maxSubschemas+1 {
			c.r.add(n, "", "the schema has more than %d parts", maxSubschemas)
		}
		return s
	}
	switch {
	case n.kind == boolNode:
		s.never = n.text == "false"
		return s
	case n.kind != mapNode:
		c.r.add(n, "A schema is a mapping such as {type: string}, or true or false.", "expected a schema, got %s", n.kind)
		return s
	}
	base = c.identify(n, base)
	for i, key := range n.keys {
		v := n.items[i]
		at := keyword{where, key.text}
		if !c.annotation(s, key, v) && !c.general(s, key, v, at, base) && !c.number(s, key, v) &&
			!c.text(s, key, v) && !c.array(s, key, v, at, base) && !c.object(s, key, v, at, base) && !c.combine(s, key, v, at, base) {
			c.unknown(key)
		}
	}
	c.finish(s, n)
	return s
}

// identify notes $id and $anchor and returns the base of the references inside.
func (c *compiler) identify(n *node, base string) string {
	if id := n.get("$id"); id != nil && id.kind == stringNode && !strings.HasPrefix(id.text, "#") {
		base = strings.TrimSuffix(against(base, id.text), "#")
		if c.ids == nil {
			c.ids = map[string]*node{}
		}
		if c.ids[base] == nil {
			c.ids[base] = n
		}
	}
	if a := n.get("$anchor"); a != nil && a.kind == stringNode {
		if c.anchors == nil {
			c.anchors = map[string]*node{}
		}
		c.anchors[base+"#"+a.text] = n
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

func (c *compiler) annotation(s *schema, key, v *node) bool {
	switch key.text {
	case "title":
		s.note.title = c.string(key, v)
	case "description":
		s.note.description = c.string(key, v)
	case "default":
		s.note.def, s.note.hasDefault = v.value(), true
	case "examples":
		if v.kind == listNode && len(v.items) > 0 {
			s.note.example, s.note.hasExample = v.items[0].value(), true
		}
	case "example":
		s.note.example, s.note.hasExample = v.value(), true
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
		return strings.HasPrefix(key.text, "x-")
	}
	return true
}

func (c *compiler) general(s *schema, key, v *node, at keyword, base string) bool {
	switch key.text {
	case "type":
		c.types(s, key, v)
	case "enum":
		if v.kind != listNode {
			c.r.add(v, "Write [a, b].", "enum: expected a list, got %s", v.kind)
			return true
		}
		if len(v.items) > maxEnum {
			c.r.add(v, "", "enum: more than %d values", maxEnum)
			return true
		}
		values := make([]any, len(v.items))
		for i, item := range v.items {
			values[i] = item.value()
		}
		c.limit(s, v, values)
	case "const":
		c.limit(s, v, []any{v.value()})
	case "$ref":
		if s.refText = c.string(key, v); s.refText != "" {
			c.refs = append(c.refs, pendingRef{s, v, base})
		}
	case "$defs", "definitions":
		c.each(key, v, func(name, part *node) { c.schema(part, at.child(name.text), base) })
	case "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor":
		c.r.add(key, "Write $ref and $anchor.", "%s is not supported", key.text)
	default:
		return false
	}
	return true
}

// limit restricts the schema to some values; const beside enum leaves what both allow.
func (c *compiler) limit(s *schema, at *node, values []any) {
	set := make(map[string]bool, len(values))
	var kept []any
	for _, v := range values {
		b, err := appendCanonical(nil, v, 0)
		if err != nil {
			c.r.add(at, "", "enum: %v", err)
			return
		}
		if text := string(b); !set[text] && (!s.hasEnum || s.enumSet[text]) {
			set[text] = true
			kept = append(kept, v)
		}
	}
	s.enum, s.enumSet, s.hasEnum = kept, set, true
}

func (c *compiler) types(s *schema, key, v *node) {
	s.kinds = 0
	names := []*node{v}
	if v.kind == listNode {
		names = v.items
		if len(names) == 0 {
			c.r.add(v, "", "type: the list is empty")
		}
	}
	for _, n := range names {
		if n.kind == nullNode && n.text == "" {
			c.r.add(n, `Write "null" in quotes.`, "type: expected the name of a type, got null")
			continue
		}
		k, ok := kindNamed(n.text)
		if n.kind != stringNode || !ok {
			c.r.add(n, didYouMean(n.text, kindNames()), "type: expected the name of a type, got %s", n.show())
			continue
		}
		s.kinds |= k
	}
}

func (c *compiler) number(s *schema, key, v *node) bool {
	switch key.text {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
	default:
		return false
	}
	rules := s.numbers()
	if v.kind == boolNode && strings.HasPrefix(key.text, "exclusive") && c.old {
		if key.text == "exclusiveMinimum" {
			rules.exclusive4 = v.text == "true"
		} else {
			rules.exMax4 = v.text == "true"
		}
		return true
	}
	if v.kind != numberNode {
		c.r.add(v, "", "%s: expected a number, got %s", key.text, v.show())
		return true
	}
	d, _ := parseDecimal(v.text)
	switch key.text {
	case "minimum":
		if rules.min == nil || d.compare(*rules.min) > 0 {
			rules.min, rules.minText, rules.overMin = &d, v.text, false
		}
	case "exclusiveMinimum":
		if rules.min == nil || d.compare(*rules.min) >= 0 {
			rules.min, rules.minText, rules.overMin = &d, v.text, true
		}
	case "maximum":
		if rules.max == nil || d.compare(*rules.max) < 0 {
			rules.max, rules.maxText, rules.underMax = &d, v.text, false
		}
	case "exclusiveMaximum":
		if rules.max == nil || d.compare(*rules.max) <= 0 {
			rules.max, rules.maxText, rules.underMax = &d, v.text, true
		}
	case "multipleOf":
		if d.sign() <= 0 {
			c.r.add(v, "", "multipleOf: expected a number above 0, got %s", v.show())
			return true
		}
		rules.multiple, rules.multipleText = &d, v.text
	}
	return true
}

func (c *compiler) text(s *schema, key, v *node) bool {
	switch key.text {
	case "minLength":
		s.strings().minLen = c.count(key, v)
	case "maxLength":
		s.strings().maxLen = c.count(key, v)
	case "pattern":
		if text := c.string(key, v); v.kind == stringNode {
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
func (c *compiler) pattern(at *node, text string) *pattern {
	if len(text) > maxPattern {
		c.r.add(at, "", "pattern: longer than %d characters", maxPattern)
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
		c.r.add(at, remedy, "pattern: %s", line(strings.TrimPrefix(err.Error(), "error parsing regexp: "), 200))
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
		case next == 'u' && i+4 < len(text) && isHex(text[i+1:i+5]):
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

func isHex(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if (s[i] < '0' || s[i] > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func (c *compiler) array(s *schema, key, v *node, at keyword, base string) bool {
	switch key.text {
	case "items":
		if v.kind == listNode {
			if !c.old {
				c.r.add(v, "Write prefixItems for the types of a tuple's items.", "items: expected a schema, got a list")
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

func (c *compiler) object(s *schema, key, v *node, at keyword, base string) bool {
	switch key.text {
	case "properties":
		c.each(key, v, func(name, part *node) {
			s.objects().properties = append(s.obj.properties, property{name.text, c.schema(part, at.child(name.text), base)})
		})
	case "required":
		s.objects().required = c.strings(key, v)
	case "patternProperties":
		c.each(key, v, func(name, part *node) {
			if re := c.pattern(name, name.text); re != nil {
				s.objects().patterns = append(s.obj.patterns, patternProperty{re, c.schema(part, at.child(name.text), base)})
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
		c.each(key, v, func(name, part *node) {
			s.objects().dependent = append(s.obj.dependent, dependency{name.text, c.strings(name, part)})
		})
	case "dependentSchemas":
		c.each(key, v, func(name, part *node) {
			s.objects().dependentSchemas = append(s.obj.dependentSchemas, property{name.text, c.schema(part, at.child(name.text), base)})
		})
	case "dependencies":
		c.each(key, v, func(name, part *node) {
			if part.kind == listNode {
				s.objects().dependent = append(s.obj.dependent, dependency{name.text, c.strings(name, part)})
				return
			}
			s.objects().dependentSchemas = append(s.obj.dependentSchemas, property{name.text, c.schema(part, at.child(name.text), base)})
		})
	case "unevaluatedProperties":
		s.objects().unevaluated = c.schema(v, at.place(), base)
		c.tracks = true
	default:
		return false
	}
	return true
}

func (c *compiler) combine(s *schema, key, v *node, at keyword, base string) bool {
	switch key.text {
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
func (c *compiler) finish(s *schema, n *node) {
	if s.num != nil {
		s.num.overMin = s.num.overMin || (s.num.exclusive4 && s.num.min != nil)
		s.num.underMax = s.num.underMax || (s.num.exMax4 && s.num.max != nil)
	}
	if nullable := n.get("nullable"); nullable != nil && nullable.text == "true" && n.get("type") != nil {
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
				c.r.add(n.get("required"), didYouMean(name, s.obj.propertyNames()), "required: %s is not among the properties, and no others are allowed", quote(name))
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
func (c *compiler) unknown(key *node) {
	if near := nearest(key.text, keywords()); near != "" {
		c.r.add(key, "Did you mean "+quote(near)+"? Keywords of your own begin with x-.", "unknown keyword %s in a schema", quote(key.text))
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

func (c *compiler) string(key, v *node) string {
	if v.kind != stringNode {
		c.r.add(v, "", "%s: expected a string, got %s", key.text, v.show())
		return ""
	}
	return v.text
}

func (c *compiler) bool(key, v *node) bool {
	if v.kind != boolNode {
		c.r.add(v, "Write true or false.", "%s: expected a boolean, got %s", key.text, v.show())
	}
	return v.text == "true"
}

func (c *compiler) count(key, v *node) int {
	if v.kind == numberNode {
		if d, ok := parseDecimal(v.text); ok && !d.neg && d.integer() && d.exp <= 15 {
			n, err := strconv.ParseInt(d.String(), 10, 64)
			if err == nil {
				return int(n)
			}
		}
	}
	c.r.add(v, "", "%s: expected a whole number from 0, got %s", key.text, v.show())
	return -1
}

func (c *compiler) strings(key, v *node) []string {
	if v.kind != listNode {
		c.r.add(v, "Write [a, b].", "%s: expected a list of names, got %s", key.text, v.show())
		return nil
	}
	var out []string
	for _, item := range v.items {
		switch {
		case item.kind != stringNode:
			c.r.add(item, "", "%s: expected a name, got %s", key.text, item.show())
		case slices.Contains(out, item.text):
			c.r.add(item, "Remove one of them.", "%s: %s stands twice", key.text, quote(item.text))
		default:
			out = append(out, item.text)
		}
	}
	return out
}

func (c *compiler) list(key, v *node, at keyword, base string) []*schema {
	if v.kind != listNode || len(v.items) == 0 {
		c.r.add(v, "", "%s: expected a list of schemas, got %s", key.text, v.show())
		return nil
	}
	out := make([]*schema, len(v.items))
	for i, item := range v.items {
		out[i] = c.schema(item, at.child(strconv.Itoa(i)), base)
	}
	return out
}

func (c *compiler) each(key, v *node, do func(name, part *node)) {
	if v.kind != mapNode {
		c.r.add(v, "", "%s: expected a mapping of names to schemas, got %s", key.text, v.show())
		return
	}
	for i, k := range v.keys {
		do(k, v.items[i])
	}
}
