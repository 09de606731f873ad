package openapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

// direction says which way a schema's values go.
type direction uint8

const (
	toServer   direction = iota + 1 // what is readOnly is left out
	fromServer                      // what is writeOnly is left out
)

const (
	maxHops  = 32        // of references to references
	maxVisit = 3_000_000 // parts of schemas, over all operations
	maxParts = 2000      // schemas that one tool refers to

	maxArguments = 1000 // of one tool
)

// converter turns the schemas of one tool into JSON Schema 2020-12. What is
// referred to goes to $defs, once, so that cycles stay what they are.
type converter struct {
	im    *importer
	dir   direction
	names map[string]string // pointers to names in $defs
	taken map[string]bool
	queue []pending
	lost  map[string]bool // what could not be expressed
}

type pending struct {
	name   string
	schema any
}

func (im *importer) converter(dir direction) *converter {
	return &converter{im: im, dir: dir, names: map[string]string{}, taken: map[string]bool{}, lost: map[string]bool{}}
}

// finish converts what was referred to and puts it beside root.
func (c *converter) finish(root *jsondoc.Object) *jsondoc.Object {
	defs := jsondoc.NewObject()
	for i := 0; i < len(c.queue); i++ {
		if i >= maxParts || c.im.spent() {
			c.lost["more than "+strconv.Itoa(maxParts)+" schemas"] = true
			defs.Set(c.queue[i].name, true)
			continue
		}
		defs.Set(c.queue[i].name, c.schema(c.queue[i].schema))
	}
	if defs.Len() == 0 {
		return root
	}
	out := jsondoc.NewObject()
	for name, v := range root.All() {
		out.Set(name, v)
	}
	out.Set("$defs", defs)
	return out
}

// reference returns the reference to what a pointer of the document finds.
func (c *converter) reference(ref string) (*jsondoc.Object, bool) {
	name, known := c.names[ref]
	if !known {
		target, ok := c.im.find(ref)
		if !ok {
			c.lost["the reference "+safetext.OneLine(ref, 80)] = true
			return nil, false
		}
		name = snakeCase(ref[strings.LastIndexByte(ref, '/')+1:])
		name = free(c.taken, name)
		c.names[ref] = name
		c.queue = append(c.queue, pending{name, target})
	}
	return jsondoc.NewObject(jsondoc.Member{Name: "$ref", Value: "#/$defs/" + name}), true
}

// snakeCase keeps a component's name where a reference may contain it.
func snakeCase(s string) string {
	if s != "" && len(s) <= 60 && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.')
	}) {
		return s
	}
	if s = snake(s); s != "" {
		return s
	}
	return "part"
}

// schema converts one schema.
func (c *converter) schema(v any) any {
	if c.im.visited++; c.im.spent() {
		return true
	}
	o, ok := v.(*jsondoc.Object)
	if !ok {
		if b, ok := v.(bool); ok {
			return b
		}
		return true
	}
	out := jsondoc.NewObject()
	if ref := str(get(o, "$ref")); ref != "" {
		link, ok := c.reference(ref)
		if !ok {
			return true
		}
		if !c.im.modern || o.Len() == 1 {
			return link
		}
		out = link
	}
	for name, member := range o.All() {
		c.keyword(out, o, name, member)
	}
	if !c.im.modern {
		c.old(out, o)
	}
	c.hidden(out, o)
	return out
}

// keyword converts one keyword. Those that say nothing about values are dropped.
func (c *converter) keyword(out, in *jsondoc.Object, name string, v any) {
	switch name {
	case "type", "enum", "const", "default", "multipleOf", "maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum",
		"maxLength", "minLength", "pattern", "format", "minContains", "maxContains", "maxItems", "minItems", "uniqueItems",
		"maxProperties", "minProperties", "dependentRequired", "required":
		out.Set(name, v)
	case "title":
		if s := safetext.OneLine(str(v), 200); s != "" {
			out.Set(name, s)
		}
	case "description":
		if s := strings.TrimSpace(safetext.Clip(str(v), 1000)); s != "" {
			out.Set(name, s)
		}
	case "writeOnly":
		if c.dir == toServer && truth(v) {
			out.Set(name, true)
		}
	case "items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties":
		if name == "items" && list(v) != nil {
			name = "prefixItems"
			out.Set(name, c.all(list(v)))
			return
		}
		out.Set(name, c.schema(v))
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if parts := c.all(list(v)); len(parts) > 0 {
			out.Set(name, parts)
		}
	case "properties", "patternProperties", "dependentSchemas":
		parts := jsondoc.NewObject()
		for key, part := range object(v).All() {
			parts.Set(key, c.schema(part))
		}
		out.Set(name, parts)
	case "$dynamicRef", "$recursiveRef":
		c.lost["the keyword "+name] = true
	case "x-secret":
		out.Set(name, v)
	}
}

func (c *converter) all(parts []any) []any {
	out := make([]any, 0, len(parts))
	for _, part := range parts {
		out = append(out, c.schema(part))
	}
	return out
}

// old converts what OpenAPI 3.0 says otherwise than JSON Schema.
func (c *converter) old(out, in *jsondoc.Object) {
	for _, bound := range [][2]string{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		exclusive, ok := get(in, bound[0]).(bool)
		if !ok {
			continue
		}
		limit, has := in.Get(bound[1])
		drop(out, bound[0])
		if exclusive && has {
			drop(out, bound[1])
			out.Set(bound[0], limit)
		}
	}
	if !truth(get(in, "nullable")) {
		return
	}
	if values, ok := get(out, "enum").([]any); ok && !slices.Contains(values, any(nil)) {
		out.Set("enum", append(slices.Clone(values), nil))
	}
	if kind := str(get(out, "type")); kind != "" {
		out.Set("type", []any{kind, "null"})
		return
	}
	for _, name := range []string{"allOf", "anyOf", "oneOf"} {
		if parts, ok := out.Get(name); ok {
			drop(out, name)
			null := jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "null"})
			out.Set("anyOf", []any{jsondoc.NewObject(jsondoc.Member{Name: name, Value: parts}), null})
			return
		}
	}
}

// drop removes members; an Object has no such method, since results never lose any.
func drop(o *jsondoc.Object, names ...string) {
	gone := make(map[string]bool, len(names))
	for _, name := range names {
		gone[name] = true
	}
	rest := jsondoc.NewObject()
	for key, v := range o.All() {
		if !gone[key] {
			rest.Set(key, v)
		}
	}
	*o = *rest
}

// hidden takes out the properties that do not go this way.
func (c *converter) hidden(out, in *jsondoc.Object) {
	mark := "readOnly"
	if c.dir == fromServer {
		mark = "writeOnly"
	}
	var gone []string
	for name, part := range object(get(in, "properties")).All() {
		if truth(get(part, mark)) || truth(get(c.im.resolve(part), mark)) {
			gone = append(gone, name)
		}
	}
	if props, ok := get(out, "properties").(*jsondoc.Object); ok && len(gone) > 0 {
		drop(props, gone...)
	}
	required, ok := get(out, "required").([]any)
	if !ok {
		return
	}
	left := map[string]bool{}
	for _, name := range gone {
		left[name] = true
	}
	rest := slices.DeleteFunc(slices.Clone(required), func(v any) bool { return left[str(v)] })
	if out.Set("required", rest); len(rest) == 0 {
		drop(out, "required")
	}
}

// find follows a reference within the document.
func (im *importer) find(ref string) (any, bool) {
	if !strings.HasPrefix(ref, "#") {
		return nil, false
	}
	p, err := jsondoc.ParsePointer(unescape(ref[1:]))
	if err != nil {
		return nil, false
	}
	v, ok := p.Get(im.root)
	return v, ok
}

// unescape decodes a reference's percent signs.
func unescape(s string) string {
	for _, pair := range [][2]string{{"%7B", "{"}, {"%7D", "}"}, {"%7b", "{"}, {"%7d", "}"}, {"%20", " "}, {"%24", "$"}, {"%25", "%"}} {
		s = strings.ReplaceAll(s, pair[0], pair[1])
	}
	return s
}

// resolve returns what a node refers to, or the node itself; nil when the
// reference leads nowhere.
func (im *importer) resolve(v any) any {
	for range maxHops {
		ref := str(get(v, "$ref"))
		if ref == "" {
			return v
		}
		next, ok := im.find(ref)
		if !ok {
			return nil
		}
		v = next
	}
	return nil
}

// plainObject returns the properties of a schema whose values are objects of
// declared members, so that each can be an argument; parts of allOf are joined.
func (im *importer) plainObject(v any, depth int) (props *jsondoc.Object, required map[string]bool, more any, ok bool) {
	o, isObject := im.resolve(v).(*jsondoc.Object)
	if !isObject || depth > 8 || im.spent() {
		return nil, nil, nil, false
	}
	im.visited += 1 + o.Len()
	for name := range o.All() {
		switch name {
		case "anyOf", "oneOf", "not", "if", "enum", "const", "patternProperties", "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "nullable":
			if name != "nullable" || truth(get(o, name)) {
				return nil, nil, nil, false
			}
		}
	}
	parts, joined := o.Get("allOf")
	if kind := get(o, "type"); kind != "object" && (kind != nil || !joined && get(o, "properties") == nil) {
		return nil, nil, nil, false
	}
	props, required = jsondoc.NewObject(), map[string]bool{}
	for _, part := range list(parts) {
		inner, need, extra, ok := im.plainObject(part, depth+1)
		if !ok || extra != nil {
			return nil, nil, nil, false
		}
		for name, p := range inner.All() {
			props.Set(name, p)
		}
		maps.Copy(required, need)
	}
	for name, p := range object(get(o, "properties")).All() {
		props.Set(name, p)
	}
	for _, name := range list(get(o, "required")) {
		required[str(name)] = true
	}
	if extra, has := o.Get("additionalProperties"); has && extra != false {
		more = extra
	}
	im.visited += props.Len()
	return props, required, more, props.Len() > 0 && props.Len() <= maxArguments
}

// size is how long a value's JSON is. What is measured counts as work, too.
func (im *importer) size(v any) int {
	data, err := json.Marshal(v)
	if err != nil {
		return 1 << 30
	}
	im.visited += len(data) / 16
	return len(data)
}

// longName reports whether a member's name is too long for a key of YAML.
func longName(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, longName)
	case *jsondoc.Object:
		for name, member := range v.All() {
			if len(name) > 250 || longName(member) {
				return true
			}
		}
	}
	return false
}

// without removes keywords from a schema at every depth where a schema stands:
// those that a reader here may understand otherwise than the document's author.
func without(v any, names ...string) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = without(item, names...)
		}
		return out
	case *jsondoc.Object:
		out := jsondoc.NewObject()
		for name, member := range v.All() {
			switch name {
			case "properties", "$defs", "patternProperties", "dependentSchemas":
				parts := jsondoc.NewObject()
				for key, part := range object(member).All() {
					parts.Set(key, without(part, names...))
				}
				out.Set(name, parts)
			case "enum", "const", "default":
				if !slices.Contains(names, name) {
					out.Set(name, member)
				}
			default:
				if !slices.Contains(names, name) {
					out.Set(name, without(member, names...))
				}
			}
		}
		return out
	}
	return v
}
