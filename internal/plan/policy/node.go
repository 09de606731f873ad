package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"praxis/internal/plan/label"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// maxLoop bounds the items that all, exists and exists_one go through.
const maxLoop = 20_000

// maxValueDepth bounds how deep values nest that conditions look at.
const maxValueDepth = 200

type form uint8

const (
	leaf   form = iota // value, or unknown
	list               // items with labels of their own
	object             // fields with labels of their own
	mark               // labels only: the control flow
)

// node is an argument, or a part of one, as conditions see it: a value and its
// labels. It represents one value or, when it was made of a Bound, all the
// values within the bound. Nodes are made when conditions need them.
type node struct {
	path     string
	typ      *schema.Type // nil when the schema does not say
	declared bool         // the schema knows this part: when it is missing, it has no labels
	presence Presence
	open     bool // there may be more fields
	form     form
	known    bool
	exact    bool // one value, not a bound
	value    any
	own      bounds // of a leaf: of all that is in it
	above    bounds // of the containers that it was taken from
	bound    *Bound
	me       string // the user's own name as a principal
	ev       *evaluation

	whole *bounds // memo: the label with that of all parts
	inner *bounds // memo: what the parts get from it
	kids  map[any]*node
	plain ref.Val
}

var (
	_ ref.Val = (*node)(nil)
)

// newNode makes the node of a bound, or of one value when it is exact.
func newNode(path string, typ *schema.Type, b *Bound, exact bool, above bounds) *node {
	n := &node{path: path, typ: typ, declared: true, exact: exact, bound: b, above: above, presence: b.Presence}
	if b.Presence == NotGiven { // what is not given has no labels
		n.above = bounds{}
		return n
	}
	if b.Presence == Given {
		g := gather{}
		g.add(&b.Must)
		n.own.must = g.result()
	}
	if n.own.may = n.own.must; !exact {
		g := gather{}
		g.add(&b.May)
		if b.AnySource {
			g.anything()
		}
		n.own.may = g.result()
	}
	switch {
	case b.Fields != nil:
		n.form = object
	case b.Items != nil:
		n.form = list
	default:
		n.known, n.value = b.Known, b.Value
	}
	return n
}

// labels returns the bounds of the label of the whole: its own, that of all
// its parts, and that of what it was taken from.
func (n *node) labels() bounds {
	if n.whole == nil {
		must, may := gather{}, gather{}
		must.join(n.containers().must)
		may.join(n.containers().may)
		if n.presence != NotGiven && n.form != leaf && n.bound != nil {
			n.bound.parts(&must, &may, n.presence == Given)
		}
		if n.open {
			may.anything()
		}
		n.whole = &bounds{must.result(), may.result()}
	}
	return *n.whole
}

// parts joins the labels of the parts.
func (b *Bound) parts(must, may *gather, given bool) {
	join := func(part *Bound) {
		if part.Presence == NotGiven {
			return
		}
		given := given && part.Presence == Given
		if given {
			must.add(&part.Must)
		}
		may.add(&part.May)
		if part.AnySource {
			may.anything()
		}
		part.parts(must, may, given)
	}
	for i := range b.Items {
		join(&b.Items[i])
	}
	for _, name := range slices.Sorted(maps.Keys(b.Fields)) {
		part := b.Fields[name]
		join(&part)
	}
}

// at returns a part. What is not there is a node, too: one that is not given.
func (n *node) at(key ref.Val) *node {
	var k any
	switch v := key.(type) {
	case types.String:
		k = string(v)
	case types.Int:
		k = int(v)
	case types.Double:
		if i := int(v); types.Double(i) == v {
			k = i
		}
	}
	if kid := n.kids[k]; kid != nil {
		return kid
	}
	kid := n.part(k)
	if n.kids == nil {
		n.kids = make(map[any]*node)
	}
	n.kids[k] = kid
	return kid
}

func (n *node) part(key any) *node {
	path := n.path + "[?]"
	var typ *schema.Type
	declared := false
	name, isName := key.(string)
	index, isIndex := key.(int)
	switch {
	case isName:
		path = n.path + "." + name
		typ, declared = member(n.typ, name)
	case isIndex:
		path = n.path + "[" + strconv.Itoa(index) + "]"
		typ, declared = element(n.typ, index)
	}
	absent := &node{path: path, typ: typ, declared: declared, presence: NotGiven, exact: n.exact}
	if n.presence == NotGiven {
		return absent
	}
	found := absent
	switch n.form {
	case object:
		found = n.field(path, name, isName, typ, absent)
	case list:
		if isIndex && index >= 0 && index < len(n.bound.Items) {
			found = newNode(path, typ, &n.bound.Items[index], n.exact, n.containers())
		}
	case leaf:
		found = n.inside(path, key, absent)
	}
	found.declared, found.me, found.ev = declared, n.me, n.ev
	if n.presence == MaybeGiven && found.presence == Given {
		found.presence = MaybeGiven
	}
	if found.presence == MaybeGiven { // what is not given has no labels
		found.own.must, found.above.must = facts{}, facts{}
	}
	return found
}

func (n *node) field(path, name string, isName bool, typ *schema.Type, absent *node) *node {
	if f, ok := n.bound.Fields[name]; ok && isName {
		return newNode(path, typ, &f, n.exact, n.containers())
	}
	if n.open {
		return newNode(path, typ, &Bound{Presence: MaybeGiven, AnySource: true}, false, n.containers())
	}
	return absent
}

// inside returns a part of a leaf: a value that has one label for all of it.
func (n *node) inside(path string, key any, absent *node) *node {
	out := &node{path: path, typ: absent.typ, exact: n.exact, known: n.known, above: n.above}
	if n.exact {
		out.above = n.containers()
	} else {
		out.own.may = n.own.may // any part of it may be where the label came from
	}
	if !n.known {
		out.presence = MaybeGiven
		return out
	}
	found := false
	switch k := key.(type) {
	case string:
		out.value, found = jsondoc.MemberOf(n.value, k)
	case int:
		if items, ok := n.value.([]any); ok && k >= 0 && k < len(items) {
			out.value, found = items[k], true
		}
	}
	if !found {
		return absent
	}
	return out
}

// containers is what the label of a part is joined with.
func (n *node) containers() bounds {
	if n.inner != nil {
		return *n.inner
	}
	must, may := gather{}, gather{}
	must.join(n.above.must)
	must.join(n.own.must)
	may.join(n.above.may)
	may.join(n.own.may)
	n.inner = &bounds{must.result(), may.result()}
	return *n.inner
}

// parts returns what a macro iterates over: nodes of a list's items, or the
// keys of an object.
func (n *node) parts() ref.Val {
	if v := n.withoutValue(); v != nil {
		return v
	}
	count := -1
	switch {
	case n.form == list:
		count = len(n.bound.Items)
	case n.form == object:
		return n.keys()
	default:
		if items, ok := n.value.([]any); ok {
			count = len(items)
		} else if jsondoc.IsObject(n.value) {
			var names []string
			for name := range jsondoc.Members(n.value) {
				names = append(names, name)
			}
			slices.Sort(names)
			return stringList(names)
		}
	}
	if count < 0 {
		return types.NewErr("%s is neither a list nor an object", n.path)
	}
	if count > maxLoop {
		return types.NewErr("%s has %d items, a condition looks at %d at most one by one", n.path, count, maxLoop)
	}
	out := make([]ref.Val, count)
	for i := range out {
		out[i] = n.at(types.Int(i))
	}
	return types.NewRefValList(types.DefaultTypeAdapter, out)
}

// keys returns the names of an object's fields.
func (n *node) keys() ref.Val {
	var names []string
	for name, f := range n.bound.Fields {
		switch f.Presence {
		case MaybeGiven:
			return unknown()
		case Given:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return stringList(names)
}

func (n *node) missing() ref.Val {
	if strings.HasSuffix(n.path, "]") {
		return types.NewErr("%s is not there", n.path)
	}
	return types.NewErr("%s is not given: ask has(%s) first", n.path, n.path)
}

// unwrap returns the value without its labels, for CEL's own operators.
func (n *node) unwrap() ref.Val {
	if n.plain == nil {
		n.plain = n.bare()
	}
	return n.plain
}

// withoutValue says what a node stands for that has no value of its own, or none
// that is known yet; for others it is nil.
func (n *node) withoutValue() ref.Val {
	switch {
	case n.presence == NotGiven:
		return n.missing()
	case n.form == mark:
		return types.NewErr("%s has labels but no value", n.path)
	case n.presence == MaybeGiven || n.open || n.form == leaf && !n.known:
		return unknown()
	}
	return nil
}

func (n *node) bare() ref.Val {
	if v := n.withoutValue(); v != nil {
		return v
	}
	if n.form == leaf {
		return celValue(n.value, 0)
	}
	return n.bound.bare(0)
}

// bare is the value without labels, when all of it is known.
func (b *Bound) bare(depth int) ref.Val {
	switch {
	case depth > maxValueDepth:
		return tooDeep()
	case b.Presence != Given:
		return unknown()
	case b.Fields != nil:
		out := make(map[ref.Val]ref.Val, len(b.Fields))
		for _, name := range slices.Sorted(maps.Keys(b.Fields)) {
			f := b.Fields[name]
			if f.Presence == NotGiven {
				continue
			}
			v := f.bare(depth + 1)
			if types.IsUnknownOrError(v) {
				return v
			}
			out[types.String(name)] = v
		}
		return types.NewRefValMap(types.DefaultTypeAdapter, out)
	case b.Items != nil:
		out := make([]ref.Val, len(b.Items))
		for i := range b.Items {
			if out[i] = b.Items[i].bare(depth + 1); types.IsUnknownOrError(out[i]) {
				return out[i]
			}
		}
		return types.NewRefValList(types.DefaultTypeAdapter, out)
	case !b.Known:
		return unknown()
	}
	return celValue(b.Value, depth)
}

func tooDeep() ref.Val { return types.NewErr("a value nests deeper than %d", maxValueDepth) }

func unknown() ref.Val { return types.NewUnknown(0, nil) }

func stringList(names []string) ref.Val {
	return types.NewStringList(types.DefaultTypeAdapter, names)
}

// stringLists is the variable groups.
func stringLists(lists map[string][]string) ref.Val {
	all := make(map[string]any, len(lists))
	for name, members := range lists {
		all[name] = members
	}
	return types.NewStringInterfaceMap(types.DefaultTypeAdapter, all)
}

// celValue turns a JSON value into CEL's.
func celValue(v any, depth int) ref.Val {
	if depth > maxValueDepth {
		return tooDeep()
	}
	switch v := v.(type) {
	case nil:
		return types.NullValue
	case bool:
		return types.Bool(v)
	case string:
		return types.String(v)
	case int:
		return types.Int(v)
	case int64:
		return types.Int(v)
	case float64:
		return types.Double(v)
	case uint64:
		if v <= math.MaxInt64 {
			return types.Int(v)
		}
	case *big.Int:
		if v != nil && v.IsInt64() {
			return types.Int(v.Int64())
		}
	case json.Number:
		return celNumber(string(v))
	case []any:
		out := make([]ref.Val, len(v))
		for i, item := range v {
			if out[i] = celValue(item, depth+1); types.IsUnknownOrError(out[i]) {
				return out[i]
			}
		}
		return types.NewRefValList(types.DefaultTypeAdapter, out)
	}
	if jsondoc.IsObject(v) {
		out := map[ref.Val]ref.Val{}
		for name, part := range jsondoc.Members(v) {
			c := celValue(part, depth+1)
			if types.IsUnknownOrError(c) {
				return c
			}
			out[types.String(name)] = c
		}
		return types.NewRefValMap(types.DefaultTypeAdapter, out)
	}
	return types.NewErr("a value of the kind %T is out of what conditions can see", v)
}

func celNumber(text string) ref.Val {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return types.Int(i)
	}
	if strings.ContainsAny(text, ".eE") {
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return types.Double(f)
		}
	}
	return types.NewErr("the number %s is out of what conditions can see", safetext.Clip(text, 40))
}

// member returns the type of an object's member, and whether the schema
// declares it by name. Alternatives are searched too.
func member(t *schema.Type, name string) (*schema.Type, bool) {
	if t == nil {
		return nil, false
	}
	if p, ok := t.Property(name); ok {
		return p.Type, true
	}
	for _, v := range t.Variants {
		if p, ok := v.Property(name); ok {
			return p.Type, true
		}
	}
	return t.Additional, false
}

// element returns the type of a list's item, and whether the schema allows one there.
func element(t *schema.Type, index int) (*schema.Type, bool) {
	switch {
	case t == nil || index < 0 || !t.Kinds.Has(schema.ArrayKind):
		return nil, false
	case index < len(t.Prefix):
		return t.Prefix[index], true
	}
	return t.Items, t.Items != nil
}

// principalsOf reads a value as names; known is false when the value is not
// known. The word "me" means the user.
func principalsOf(v ref.Val, me string) (names []string, known bool, failed ref.Val) {
	if n, isNode := v.(*node); isNode {
		if n.presence == NotGiven && n.declared {
			return nil, true, nil
		}
		v = n.unwrap()
	}
	resolve := func(name types.String) string {
		if name == tool.Me && me != "" {
			return me
		}
		return string(name)
	}
	switch v := v.(type) {
	case *types.Unknown:
		return nil, false, nil
	case *types.Err:
		return nil, false, v
	case types.String:
		return []string{resolve(v)}, true, nil
	case traits.Lister:
		size, _ := v.Size().(types.Int)
		for i := range size {
			name, isName := v.Get(i).(types.String)
			if !isName {
				return nil, false, types.NewErr("a list of principals holds a value that is not a string")
			}
			names = append(names, resolve(name))
		}
		return names, true, nil
	}
	return nil, false, types.NewErr("a principal is a string or a list of strings")
}

// canRead is readableBy between two bounds: yes, no, or not known.
func canRead(b bounds, names []string, known bool) ref.Val {
	if !b.may.any && b.may.readers.IsEveryone() {
		return types.True
	}
	if !known {
		return unknown()
	}
	all, none := true, false
	least, most := contains(b.may.readers), contains(b.must.readers)
	for _, name := range names {
		all = all && least(name)
		none = none || !most(name)
	}
	return between(all, none)
}

// contains says of a name whether it is among readers, of whom there may be many.
func contains(r label.Readers) func(name string) bool {
	names := r.Principals()
	return func(name string) bool {
		_, found := slices.BinarySearch(names, name)
		return found || r.IsEveryone()
	}
}

// The methods of ref.Val. No operator of CEL ever gets a node: the compiler of
// conditions puts unwrap around each operand.

// ConvertToNative refuses.
func (n *node) ConvertToNative(reflect.Type) (any, error) {
	return nil, fmt.Errorf("%s is not a plain value", n.path)
}

// ConvertToType refuses.
func (n *node) ConvertToType(ref.Type) ref.Val {
	return types.NewErr("%s is not a plain value", n.path)
}

// Equal refuses.
func (n *node) Equal(ref.Val) ref.Val { return types.NewErr("%s is not a plain value", n.path) }

// Type returns a type that no overload takes.
func (n *node) Type() ref.Type { return types.NewOpaqueType("praxis.labelled") }

// Value returns the node.
func (n *node) Value() any { return n }
