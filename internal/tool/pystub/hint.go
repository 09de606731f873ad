package pystub

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"praxis/internal/tool/schema"
)

// Bounds of what one tool's hints may hold.
const (
	maxNodes   = 400  // parts of one hint
	maxNesting = 12   // lists in lists, alternatives in alternatives
	maxEnum    = 40   // values of one Literal
	maxLiteral = 1000 // bytes of one Literal
	maxClasses = 200  // of one tool
	maxMembers = 500  // of one class
	maxPrint   = 600  // parts of a type that are compared with another's
)

// module collects the classes that the hints of one stub need.
type module struct {
	taken       map[string]bool               // names that are not for classes
	shadow      map[string]bool               // names that mean something else in this stub
	names       map[string]string             // of classes to what they are the name of
	known       map[*schema.Type]string       // the class of a type
	prints      map[*schema.Type]string       // what types are compared by
	classes     []class                       // in the order in which they were named
	classesLeft int                           // classes that the tool may still have
	nodes       int                           // parts that the hint may still have
	within      map[*schema.Type]schema.Kinds // types that the hint is inside of
	firsts      map[*schema.Type]*schema.Type // what same says
	shapes      map[string]*schema.Type       // how it knows
	used        map[string]bool               // names of typing that the text needs
}

// class is a TypedDict.
type class struct {
	name  string
	owner string // of the tool
	t     *schema.Type
	text  string
}

func newModule() *module {
	m := &module{
		taken: map[string]bool{}, shadow: map[string]bool{}, names: map[string]string{}, known: map[*schema.Type]string{},
		prints: map[*schema.Type]string{}, within: map[*schema.Type]schema.Kinds{}, used: map[string]bool{},
		firsts: map[*schema.Type]*schema.Type{}, shapes: map[string]*schema.Type{},
	}
	for _, name := range slices.Concat(typingNames(), builtinNames()) {
		m.taken[name] = true
	}
	return m
}

func typingNames() []string {
	return []string{"Any", "Literal", "NotRequired", "TypedDict"}
}

func builtinNames() []string {
	return []string{"bool", "dict", "float", "int", "list", "staticmethod", "str"}
}

// name returns how a name of typing or of the builtins is written here.
func (m *module) name(s string) string {
	inTyping := slices.Contains(typingNames(), s)
	if inTyping {
		m.used[s] = true
	}
	switch {
	case !m.shadow[s]:
		return s
	case inTyping:
		return "_typing." + s
	}
	m.used["_builtins"] = true
	return "_builtins." + s
}

// hint returns the type hint of a type. stem names the class if it needs one.
func (m *module) hint(t *schema.Type, stem, owner string) string {
	m.nodes = maxNodes
	return m.part(t, schema.AnyKind, place{stem, owner, 0})
}

type place struct {
	stem, owner string
	depth       int
}

func (p place) below(stem string) place { return place{stem, p.owner, p.depth + 1} }

// part is hint for a type of which only some kinds are possible.
func (m *module) part(t *schema.Type, mask schema.Kinds, at place) string {
	m.nodes--
	_, around := m.within[t]
	if t == nil || m.nodes < 0 || at.depth > maxNesting || around {
		return m.name("Any")
	}
	m.within[t] = mask
	defer delete(m.within, t)
	kinds := t.Kinds & mask
	if t.HasEnum {
		if text, ok := m.literal(t.Enum, kinds); ok {
			return text
		}
	}
	if len(t.Variants) > 0 && len(t.Properties) == 0 {
		return m.variants(t, kinds, at)
	}
	if kinds == schema.AnyKind && len(t.Properties) == 0 && plainItems(t) {
		return m.name("Any")
	}
	return join(m.kinds(t, kinds, at))
}

func plainItems(t *schema.Type) bool {
	return len(t.Prefix) == 0 && (t.Items == nil || t.Items == t || t.Items.Kinds == schema.AnyKind)
}

func join(parts []string) string {
	var out []string
	for _, p := range parts {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return strings.Join(out, " | ")
}

func (m *module) variants(t *schema.Type, kinds schema.Kinds, at place) string {
	var parts []string
	null := false
	for i, v := range t.Variants {
		below := at.below(at.stem)
		if v.Title == "" && i > 0 && len(v.Properties) > 0 {
			below.stem = at.stem + strconv.Itoa(i+1)
		}
		text := m.part(v, kinds, below)
		switch text {
		case m.name("Any"):
			if kinds == schema.AnyKind {
				return text
			}
			parts = append(parts, m.kinds(&schema.Type{Kinds: kinds, Items: t.Items, Additional: t.Additional}, kinds, below)...)
		case "None":
			null = true
		default:
			for _, alternative := range splitUnion(text) {
				if alternative == "None" {
					null = true
				} else {
					parts = append(parts, alternative)
				}
			}
		}
	}
	if null {
		parts = append(parts, "None")
	}
	if len(parts) == 0 {
		return m.name("Any")
	}
	return join(parts)
}

// splitUnion takes a hint apart at the bars that are not inside brackets or strings.
func splitUnion(s string) []string {
	var parts []string
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '|' && depth == 0:
			parts = append(parts, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	return append(parts, strings.TrimSpace(s[start:]))
}

// kinds returns a hint for each of the kinds that a value may be of.
func (m *module) kinds(t *schema.Type, kinds schema.Kinds, at place) []string {
	var parts []string
	if kinds.Has(schema.ObjectKind) {
		parts = append(parts, m.object(t, at))
	}
	if kinds.Has(schema.ArrayKind) {
		parts = append(parts, m.array(t, at))
	}
	if kinds.Has(schema.StringKind) {
		parts = append(parts, m.name("str"))
	}
	switch {
	case kinds.Has(schema.NumberKind):
		parts = append(parts, m.name("float"))
	case kinds.Has(schema.IntegerKind):
		parts = append(parts, m.name("int"))
	}
	if kinds.Has(schema.BooleanKind) {
		parts = append(parts, m.name("bool"))
	}
	if kinds.Has(schema.NullKind) {
		parts = append(parts, "None")
	}
	if len(parts) == 0 { // nothing is allowed
		parts = append(parts, m.name("Any"))
	}
	return parts
}

func (m *module) array(t *schema.Type, at place) string {
	stem := singular(at.stem)
	if stem == at.stem {
		stem = strings.TrimSuffix(stem, "Result") + "Item"
	}
	var parts []string
	for i, p := range t.Prefix {
		parts = append(parts, m.part(p, schema.AnyKind, at.below(stem+strconv.Itoa(i+1))))
	}
	if t.Items != nil && (len(t.Prefix) == 0 || t.Items.Kinds != schema.AnyKind) {
		parts = append(parts, m.part(t.Items, schema.AnyKind, at.below(stem)))
	}
	inner := join(parts)
	if inner == "" || slices.Contains(parts, m.name("Any")) {
		inner = m.name("Any")
	}
	return m.name("list") + "[" + inner + "]"
}

func (m *module) object(t *schema.Type, at place) string {
	if len(t.Properties) == 0 {
		value := m.name("Any")
		if t.Additional != nil && t.Additional != t && t.Additional.Kinds != schema.AnyKind {
			value = m.part(t.Additional, schema.AnyKind, at.below(at.stem+"Value"))
		}
		return m.name("dict") + "[" + m.name("str") + ", " + value + "]"
	}
	if name, ok := m.known[t]; ok {
		return name
	}
	print := m.print(t)
	name := m.className(t, print, at)
	if _, ok := m.names[name]; !ok {
		if m.classesLeft == 0 {
			return m.name("dict") + "[" + m.name("str") + ", " + m.name("Any") + "]"
		}
		m.classesLeft--
		m.names[name] = print
		m.classes = append(m.classes, class{name: name, owner: at.owner, t: t})
	}
	m.known[t] = name
	return name
}

// className finds the name of a class: one that is free or that has the same shape.
func (m *module) className(t *schema.Type, print string, at place) string {
	base := camel(t.Title)
	if base == "" {
		base = camel(at.stem)
	}
	if base == "" {
		base = "Item"
	}
	free := func(name string) bool {
		is, ok := m.names[name]
		return !isKeyword(name) && !m.taken[name] && (!ok || is == print)
	}
	if free(base) {
		return base
	}
	if longer := camel(at.owner) + base; !strings.HasPrefix(base, camel(at.owner)) {
		if base = longer; free(base) {
			return base
		}
	}
	for n := 2; ; n++ {
		if name := base + strconv.Itoa(n); free(name) {
			return name
		}
	}
}

func (m *module) literal(values []any, kinds schema.Kinds) (string, bool) {
	if len(values) == 0 || len(values) > maxEnum {
		return "", false
	}
	var parts []string
	size := 0
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			if !kinds.Has(schema.NullKind) {
				continue
			}
		case string:
			if !kinds.Has(schema.StringKind) {
				continue
			}
		case bool:
			if !kinds.Has(schema.BooleanKind) {
				continue
			}
		case json.Number:
			if strings.ContainsAny(string(v), ".eE") || len(v) > 40 {
				return "", false
			}
		default:
			return "", false
		}
		text, ok := literal(v, maxLiteral)
		if size += len(text); !ok || size > maxLiteral {
			return "", false
		}
		parts = append(parts, text)
	}
	switch {
	case len(parts) == 0:
		return "", false
	case len(parts) == 1 && parts[0] == "None":
		return "None", true
	case parts[len(parts)-1] == "None" && len(parts) > 1:
		return m.name("Literal") + "[" + strings.Join(parts[:len(parts)-1], ", ") + "] | None", true
	}
	return m.name("Literal") + "[" + strings.Join(parts, ", ") + "]", true
}

// print returns a text that two types share only if their hints are the same.
// Types that are too large to be compared differ from all others.
func (m *module) print(t *schema.Type) string {
	if p, ok := m.prints[t]; ok {
		return p
	}
	w := &printer{same: m.same, depth: map[*schema.Type]int{}, left: maxPrint}
	w.write(t)
	p := fmt.Sprintf("%p", t)
	if w.left >= 0 {
		sum := sha256.Sum256([]byte(w.b.String()))
		p = string(sum[:])
	}
	m.prints[t] = p
	return p
}

// same returns one type for all that a reference made of it: they have the same
// members, and cycles go through any of them.
func (m *module) same(t *schema.Type) *schema.Type {
	if t == nil || len(t.Properties) == 0 || len(t.Properties) > maxMembers {
		return t
	}
	if first, ok := m.firsts[t]; ok {
		return first
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d %q %t %p", t.Kinds, t.Title, t.HasEnum, t.Additional)
	for _, p := range t.Properties {
		fmt.Fprintf(&b, " %q %t %p", p.Name, p.Required, p.Type)
	}
	for _, v := range t.Variants {
		fmt.Fprintf(&b, " %p", v)
	}
	first, ok := m.shapes[b.String()]
	if !ok {
		first = t
		m.shapes[b.String()] = t
	}
	m.firsts[t] = first
	return first
}

type printer struct {
	same  func(*schema.Type) *schema.Type
	b     strings.Builder
	depth map[*schema.Type]int // of the types that are being written
	left  int
}

func (w *printer) write(t *schema.Type) {
	if w.left--; w.left < 0 {
		return
	}
	if t == nil {
		w.b.WriteByte('-')
		return
	}
	t = w.same(t)
	if at, ok := w.depth[t]; ok {
		fmt.Fprintf(&w.b, "^%d", len(w.depth)-at)
		return
	}
	w.depth[t] = len(w.depth)
	defer delete(w.depth, t)
	fmt.Fprintf(&w.b, "(%d %q", t.Kinds, t.Title)
	if t.HasEnum {
		text, ok := literal(t.Enum, 4*maxLiteral)
		fmt.Fprintf(&w.b, "e%q%t", text, ok)
	}
	if len(t.Properties) > maxMembers {
		w.left = -1
		return
	}
	for _, p := range t.Properties {
		fmt.Fprintf(&w.b, "p%q%t%q", p.Name, p.Required, p.Type.Description)
		w.write(p.Type)
	}
	for _, p := range t.Prefix {
		w.b.WriteByte('x')
		w.write(p)
	}
	if t.Kinds.Has(schema.ArrayKind) && t.Kinds != schema.AnyKind {
		w.b.WriteByte('i')
		w.write(t.Items)
	}
	if t.Kinds.Has(schema.ObjectKind) && t.Kinds != schema.AnyKind && len(t.Properties) == 0 {
		w.b.WriteByte('a')
		w.write(t.Additional)
	}
	for _, v := range t.Variants {
		w.b.WriteByte('v')
		w.write(v)
	}
	w.b.WriteByte(')')
}
