package check

import (
	"cmp"
	"fmt"
	"slices"

	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/plan/syntax"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// sink is a place that calls a tool, in all contexts together.
type sink struct {
	node  syntax.Node
	def   *tool.Definition
	live  bool // reached in this round
	args  []sinkArg
	pc    *lab
	calls []abstract
}

// abstract is what is known of a call in one context.
type abstract struct {
	act int32
	policy.Abstract
}

// sinkArg is an argument of a call, in all contexts together.
type sinkArg struct {
	name string
	may  *lab
	must *lab
}

func (s *sink) begin() { s.live, s.args, s.pc, s.calls = false, s.args[:0], nil, s.calls[:0] }

func (s *sink) arg(name string, may, must *lab) {
	if x := s.find(name); x != nil {
		x.may, x.must = union(x.may, may), both(x.must, must)
		return
	}
	if s.live {
		must = nil
	}
	s.args = append(s.args, sinkArg{name: name, may: may, must: must})
}

type sinkKey struct {
	node syntax.Node
	tool string
}

func (a *analysis) sinkAt(n syntax.Node, d *tool.Definition) *sink {
	key := sinkKey{n, d.Name}
	s := a.sinks[key]
	if s == nil {
		s = &sink{node: n, def: d}
		if a.sinks == nil {
			a.sinks = map[sinkKey]*sink{}
		}
		a.sinks[key] = s
		a.sinkOrder = append(a.sinkOrder, s)
	}
	return s
}

// counted says what the calls of each tool depend on where it decides something later that
// there were some.
func (a *analysis) counted(decides func(*tool.Definition) bool) map[string]label.Label {
	by := map[string]*lab{}
	if a.lost != nil && a.strict && a.tools != nil {
		for d := range a.tools.All() {
			if decides(d) {
				by[d.Name] = &lab{ids: []int32{anySource}} // it is not known what they depend on
			}
		}
	}
	for _, s := range a.sinkOrder {
		if s.pc != nil && decides(s.def) {
			by[s.def.Name] = union(by[s.def.Name], s.pc)
		}
	}
	out := map[string]label.Label{}
	for name, pc := range by {
		l, any := a.label(pc, true)
		if any {
			l.Sources = []label.Source{{Kind: label.Tool, Name: name}}
		}
		out[name] = l
	}
	return out
}

func (a *analysis) toolObject(d *tool.Definition) *object {
	o := a.alloc(oTool, a.scopes.root.node, a.root, d.Name)
	o.def = d
	return o
}

// input is the value of a name that is given from outside.
func (a *analysis) input(name string, id int32) val {
	l := a.sources[id].lab
	org := a.originOf(originKey{a.scopes.root.node, -1 - id}, nil)
	org.may, org.must = l, l
	typ := a.inputType(name)
	return a.dataVal(org, typ, "", 0)
}

func (a *analysis) inputType(name string) *schema.Type {
	if a.tools != nil {
		if in, ok := a.tools.Input(name); ok && in.Schema != nil {
			return in.Schema.Type()
		}
	}
	if name == "today" {
		return &schema.Type{Kinds: schema.StringKind}
	}
	return nil
}

func (a *analysis) originOf(key originKey, d *tool.Definition) *origin {
	o := a.origins[key]
	if o == nil {
		o = &origin{def: d, exact: map[jsondoc.Pointer]int32{}}
		if a.origins == nil {
			a.origins = map[originKey]*origin{}
		}
		a.origins[key] = o
	}
	return o
}

// toolCall analyses the call of a tool.
func (f *frame) toolCall(o *object, fn val, x args) val {
	a, d := f.a, o.def
	f.fits(d, x)
	control := union(union(f.pc, fn.may), x.spread)
	if counts := &o.shape; d.Limits.CallsPerRun > 0 || a.policy.Counts() {
		if a.policy.Counts() {
			counts = &a.calls
		}
		a.growLab(counts, control)
		control = union(control, *counts)
	}
	may, must := control, (*lab)(nil)
	s := a.sinkAt(x.site, d)
	abs := policy.Abstract{Tool: d, Args: map[string]policy.Bound{}, Open: x.open || x.hasKw}
	params := d.Arguments()
	given := func(name string, v val, weak bool) {
		m := f.bound(v, 0)
		if weak {
			m.Presence = policy.MaybeGiven
			v.must = nil
		}
		l, c := a.deep(v), f.deepMust(v, 0)
		l = l.via(pos(x.site), stepSink, d.Name+"\x00"+name)
		if _, ok := abs.Args[name]; ok {
			abs.Args[name] = eitherOf()
		} else {
			abs.Args[name] = m
		}
		s.arg(name, l, c)
		may = union(may, l)
		if !weak {
			must = union(must, c)
		}
	}
	for i, v := range x.pos {
		if i < len(params) {
			given(params[i].Name, v, false)
		} else {
			may = union(may, a.deep(v))
		}
	}
	for _, e := range x.named {
		given(e.name, e.v, e.weak)
	}
	if abs.Open {
		rest := join(x.star, x.kw).loose()
		l := a.deep(rest)
		may = union(may, l)
		for _, p := range params[min(len(x.pos), len(params)):] {
			before := l
			if x := s.find(p.Name); x != nil {
				before = union(l, x.may)
			}
			b := a.wide(before)
			b.Presence = policy.MaybeGiven
			abs.Args[p.Name] = b
			s.arg(p.Name, l.via(pos(x.site), stepSink, d.Name+"\x00"+p.Name), nil)
		}
		may = union(may, l)
	}
	abs.Control = a.wide(control)
	s.live = true
	s.pc = union(s.pc, control)
	for name, b := range abs.Args {
		abs.Args[name] = a.task.MarkBound(d, name, b)
	}
	if a.policy != nil {
		// In a loop the last turn is the widest.
		n := len(s.calls)
		if n > 0 && x.direct && s.calls[n-1].act == f.act.id {
			n--
		}
		s.calls = append(s.calls[:n], abstract{f.act.id, abs})
	}
	src := a.sources[a.callSource(d, pos(x.site), x.direct, d.Labels.Trusted, d.Labels.Readers)].lab
	f.raises(union(src, may))
	return f.result(d, x, src, may, must)
}

// find is what is known of an argument, nil before anything is.
func (s *sink) find(name string) *sinkArg {
	if i := slices.IndexFunc(s.args, func(x sinkArg) bool { return x.name == name }); i >= 0 {
		return &s.args[i]
	}
	return nil
}

// callSource is the source that the calls of a tool at a place are, for what the
// definition labels so.
func (a *analysis) callSource(d *tool.Definition, at syntax.Pos, placed, trusted bool, who ...tool.Readers) int32 {
	kind := label.Tool
	if d.Model {
		kind = label.Model
	}
	s := source{placed: placed, src: label.Source{Kind: kind, Name: d.Name, Line: int(at.Line), Col: int(at.Col), Trusted: trusted && kind == label.Tool}}
	for _, r := range who {
		names, everyone, exact := r.Static(a.tools.Principals())
		if everyone {
			continue
		}
		s.lo = s.lo.Intersect(label.Only(names...))
		if exact {
			s.hi = s.hi.Intersect(label.Only(names...))
		}
	}
	key := sourceKey{kind: kind, name: d.Name, pos: at}
	if len(d.Labels.Fields) > 0 {
		key.rule = fmt.Sprint(trusted, s.lo, s.hi)
	}
	return a.sourceOf(key, func() source { return s })
}

// result is the value that the call of a tool gives. src is the call as a source;
// may and must are of its arguments.
func (f *frame) result(d *tool.Definition, x args, src, may, must *lab) val {
	a := f.a
	org := a.originOf(originKey{x.site, f.act.id}, d)
	org.site, org.placed = pos(x.site), x.direct
	if len(d.Labels.Fields) > 0 {
		a.growLab(&org.args, may)
		may = union(may, a.allParts(org))
	} else {
		must = union(src, must)
	}
	may = union(src, may)
	if org.must == nil && org.may == nil {
		org.may, org.must = may, must
	} else {
		a.growLab(&org.may, may)
		if m := both(org.must, must); !sameLab(m, org.must) {
			org.must = m
			a.grew()
		}
	}
	typ, certain := d.Output.Type(), true
	if d.Name == "ask_llm" {
		typ, certain = f.replyType(x)
	}
	a.lower(org, typ, certain)
	v := a.dataVal(org, typ, "", 0)
	return v
}

// replyType is the type of the reply that a call of ask_llm requires, nil when it is
// not known, and whether only trusted data that everyone may read has chosen it.
func (f *frame) replyType(x args) (*schema.Type, bool) {
	if x.open || x.hasKw {
		return nil, false
	}
	want, given := val{}, false
	if len(x.pos) > 2 {
		want, given = x.pos[2], true
	}
	if e := ent(x.named, "schema"); e != nil {
		want, given = e.v, !e.weak
		if e.weak {
			return nil, false
		}
	}
	if !given || isNone(want) {
		return &schema.Type{Kinds: schema.StringKind}, true
	}
	if l, any := f.a.label(f.a.deep(want), true); any || !l.Trusted() || l.Readers != label.Everyone() {
		return f.schemaType(want), false
	}
	return f.schemaType(want), true
}

// schemaType is the type that a known schema says.
func (f *frame) schemaType(want val) *schema.Type {
	json, ok := f.known(want, 0)
	if !ok {
		return nil
	}
	s, err := parseSchema(json)
	if err != nil {
		return nil
	}
	return s.Type()
}

func parseSchema(json any) (*schema.Schema, error) {
	text, err := jsondoc.Canonical(json)
	if err != nil {
		return nil, err
	}
	return schema.Parse("schema", text)
}

// lower finds the parts of a result that the policy lowers for certain, and
// those that it may lower.
func (a *analysis) lower(org *origin, typ *schema.Type, certain bool) {
	if a.policy == nil || org.def == nil {
		return
	}
	org.lowered, org.shapes, org.lowMust = org.lowered[:0], org.shapes[:0], org.lowMust[:0]
	m, _ := a.label(org.must, false)
	if typ == nil {
		// A type that is known at run time only may be narrow.
		org.lowMust = append(org.lowMust, loweredPart{path: "", lab: a.trustedOf(org.must)})
		return
	}
	least, leastShapes := a.policy.LowerParts(org.def, m, typ, label.Label{})
	for _, p := range least {
		org.lowMust = append(org.lowMust, loweredPart{p.Path, a.trustedOf(org.must), false})
	}
	for _, p := range leastShapes {
		org.lowMust = append(org.lowMust, loweredPart{p.Path, a.trustedOf(org.must), true})
	}
	l, any := a.label(org.may, true)
	if any || !certain {
		return
	}
	parts, shapes := a.policy.LowerParts(org.def, l, typ, label.Label{})
	for _, p := range parts {
		org.lowered = append(org.lowered, loweredPart{p.Path, a.afterRule(org.may, p, hasRule(least, p)), false})
	}
	for _, p := range shapes {
		org.shapes = append(org.shapes, loweredPart{p.Path, a.afterRule(org.may, p, hasRule(leastShapes, p)), true})
	}
}

// hasRule says whether the same rule lowers the same part.
func hasRule(list []policy.Lowered, p policy.Lowered) bool {
	return slices.ContainsFunc(list, func(q policy.Lowered) bool { return q.Path == p.Path && q.Rule == p.Rule })
}

// trustedOf is the trusted sources of a set.
func (a *analysis) trustedOf(l *lab) *lab {
	var out *lab
	if l == nil {
		return nil
	}
	for _, id := range l.ids {
		if s := &a.sources[id]; s.mark == nil && s.src.Trusted {
			out = union(out, s.lab)
		}
	}
	return out
}

// afterRule is a set after a rule of the policy has lowered it.
// A smaller set may be lowered by another rule unless it is the only one.
func (a *analysis) afterRule(l *lab, p policy.Lowered, only bool) *lab {
	var out *lab
	marks := map[label.Source]label.Endorsement{}
	for _, e := range p.Label.Endorsed {
		if e.Source.Kind != 0 {
			marks[e.Source] = e
		}
	}
	for i, id := range l.ids {
		s := a.sources[id]
		twin := s
		if s.mark == nil && !s.src.Trusted {
			if m, ok := marks[s.src]; ok {
				twin.mark = &m
			}
		}
		released := false
		for _, e := range p.Label.Endorsed {
			released = released || e.Source.Kind == 0
		}
		if released {
			twin.lo, twin.hi = p.Label.Readers, p.Label.Readers
		}
		if !only {
			twin.lo, twin.hi = twin.lo.Intersect(s.lo), label.Everyone()
		}
		key := sourceKey{kind: s.src.Kind, name: s.src.Name, rule: p.Rule, base: id}
		n := a.sourceOf(key, func() source { return twin })
		t := a.sources[n].lab
		out = union(out, &lab{ids: t.ids, steps: []*step{l.steps[i]}})
	}
	return out
}

// maxNested is how deep the parts of results are distinguished.
const maxNested = 8

// dataVal is the value of a part of a result.
func (a *analysis) dataVal(org *origin, typ *schema.Type, path jsondoc.Pointer, deep int) val {
	if typ != nil && typ.Kinds == schema.AnyKind && len(typ.Properties)+len(typ.Prefix)+len(typ.Variants) == 0 {
		typ = nil // nothing is known
	}
	v := val{may: a.at(org, path, typ), must: org.must, fl: reached}
	src, marked := a.part(org, path, typ)
	v.must = union(src, v.must)
	for _, p := range org.lowMust {
		if marked {
			break
		}
		if path == p.path || !p.alone && within(path, p.path) {
			v.must = p.lab
		}
	}
	if typ == nil || typ.Kinds == 0 {
		v.fl |= scalar
	} else {
		v.fl |= scalars(typ.Kinds)
	}
	if typ != nil && typ.Kinds&(schema.ArrayKind|schema.ObjectKind) == 0 {
		return v
	}
	id, ok := org.exact[path]
	if !ok {
		o := a.newObject(oData, a.scopes.root.node, a.root)
		o.data = &dataInfo{root: org, path: path, typ: typ, deep: deep}
		id = o.id
		org.exact[path] = id
	}
	v.objs = ref(a.objects[id]).objs
	return v
}

// allParts is what the parts of a result may come from that have labels of their own.
func (a *analysis) allParts(org *origin) *lab {
	var out *lab
	l := org.def.Labels
	for _, trusted := range []bool{true, false} {
		out = union(out, a.sources[a.callSource(org.def, org.site, org.placed, trusted, l.Readers)].lab)
		for _, p := range l.Fields {
			if p.Readers != nil {
				out = union(out, a.sources[a.callSource(org.def, org.site, org.placed, trusted, *p.Readers)].lab)
			}
		}
	}
	return out
}

// part is the call as the source of a part of a result whose definition labels parts
// by themselves, nil when that is not known; marked says that a label is about it.
func (a *analysis) part(org *origin, path jsondoc.Pointer, typ *schema.Type) (src *lab, marked bool) {
	if org.def == nil || len(org.def.Labels.Fields) == 0 {
		return nil, false
	}
	l := org.def.Labels
	trusted, who := l.Trusted, []tool.Readers{l.Readers}
	segs := path.Segments()
	var m tool.PartMarks
	for i := range len(segs) + 1 {
		if m = l.Marks(segs[:i]); m.Unknown {
			return nil, false
		}
		if m.Trusted != nil {
			trusted, marked = *m.Trusted, true
		}
		if m.Readers != nil {
			who, marked = m.Readers, true
		}
	}
	if m.Inside && !trusted {
		if typ == nil || len(typ.Variants) > 0 || typ.Kinds&schema.ObjectKind != 0 && typ.Additional != nil {
			return nil, false // it shows in the run whether it has undeclared members
		}
		trusted, marked = true, true
	}
	return a.sources[a.callSource(org.def, org.site, org.placed, trusted, who...)].lab, marked
}

// dataDeep is what a JSON value depends on with all that is in it.
func (a *analysis) dataDeep(d *dataInfo) *lab {
	src, marked := a.part(d.root, d.path, d.typ)
	if !marked || d.root.def.Labels.Marks(d.path.Segments()).Below {
		return d.root.may
	}
	return union(d.root.args, src)
}

// at is the label of a part.
func (a *analysis) at(org *origin, path jsondoc.Pointer, typ *schema.Type) *lab {
	src, marked := a.part(org, path, typ)
	if marked {
		return union(org.args, src)
	}
	for _, p := range org.shapes {
		if path == p.path {
			return p.lab
		}
	}
	for _, p := range org.lowered {
		if within(path, p.path) {
			return p.lab
		}
	}
	if src != nil {
		return union(org.args, src)
	}
	return org.may
}

// within says whether a path is at or below another.
func within(path, under jsondoc.Pointer) bool {
	return path == under || len(path) > len(under) && path[:len(under)] == under && path[len(under)] == '/'
}

// dataOwn is what the length and the keys of a JSON value depend on.
func (a *analysis) dataOwn(o *object) *lab {
	d := o.data
	return a.at(d.root, d.path, d.typ)
}

// child is a part of a JSON value.
func (a *analysis) child(o *object, typ *schema.Type, name string) val {
	d := o.data
	if d.deep >= maxNested || d.typ == nil {
		return val{may: d.root.may, objs: &o.only, fl: reached | scalar}
	}
	return a.dataVal(d.root, typ, d.path.Child(name), d.deep+1)
}

// dataItem is any element or member of a JSON value.
func (a *analysis) dataItem(o *object) val {
	var v val
	t := o.data.typ
	if t == nil || len(t.Variants) > 0 {
		return a.child(o, nil, "?")
	}
	if t.Kinds&schema.ArrayKind != 0 {
		v = join(v, a.items(o, t))
	}
	if t.Kinds&schema.ObjectKind != 0 {
		for _, p := range t.Properties {
			v = join(v, a.child(o, p.Type, p.Name))
		}
		if t.Additional != nil {
			v = join(v, a.child(o, t.Additional, "?"))
		}
	}
	return v
}

// items is any item of a list.
func (a *analysis) items(o *object, t *schema.Type) val {
	if len(t.Prefix) > 0 {
		return a.child(o, nil, "?")
	}
	return a.child(o, t.Items, "*")
}

// dataKey reads a member or an item of a JSON value.
func (a *analysis) dataKey(o *object, key val) val {
	t := o.data.typ
	name, isText := key.text()
	var out val
	switch {
	case t == nil || len(t.Variants) > 0:
		out = a.child(o, nil, "?")
	case isText:
		if p, ok := t.Property(name); ok {
			out = a.child(o, p.Type, p.Name)
		} else if t.Additional != nil {
			out = a.child(o, t.Additional, "?")
		}
	default:
		out = a.dataItem(o)
	}
	if isText {
		if e := ent(o.ents, name); e != nil {
			out = join(out, e.v)
		}
		out = join(out, o.elem)
	} else {
		for i := range o.ents {
			out = join(out, o.ents[i].v)
		}
		out = join(out, o.elem)
	}
	return out.with(o.shape)
}

// known gives the JSON value that a value is known to be.
func (f *frame) known(v val, deep int) (any, bool) {
	if v.k != nil {
		return jsonOf(v.k), v.k.Kind != syntax.Bytes && v.k.Kind != syntax.Ellipsis
	}
	o, ok := f.exactObject(v)
	if !ok || deep > 20 {
		return nil, false
	}
	switch o.kind {
	case oList, oTuple:
		out := make([]any, len(o.ents))
		for i := range o.ents {
			x, ok := f.known(o.ents[i].v, deep+1)
			if !ok {
				return nil, false
			}
			out[i] = x
		}
		return out, true
	case oDict:
		out := &jsondoc.Object{}
		for _, e := range o.ents {
			x, ok := f.known(e.v, deep+1)
			if !ok || e.weak {
				return nil, false
			}
			out.Set(e.name, x)
		}
		return out, true
	}
	return nil, false
}

// exactObject is the one container that v is, when all its parts are known.
func (f *frame) exactObject(v val) (*object, bool) {
	if v.fl&scalar != 0 || v.objs == nil || len(v.objs.ids) != 1 {
		return nil, false
	}
	o := f.a.objects[v.objs.ids[0]]
	switch o.kind {
	case oList, oTuple, oDict:
		return o, o.made && !o.moved && !o.fewer && o.elem.bottom() && o.keys.bottom()
	}
	return nil, false
}

// deepMust is what a value certainly depends on, with what it certainly holds.
func (f *frame) deepMust(v val, deep int) *lab {
	m := v.must
	o, ok := f.exactObject(v)
	if !ok || deep > 8 {
		return m
	}
	for _, e := range o.ents {
		if !e.weak {
			m = union(m, f.deepMust(e.v, deep+1))
		}
	}
	return m
}

// bound is what is known of an argument for the policy.
func (f *frame) bound(v val, deep int) policy.Bound {
	a := f.a
	if k, ok := f.known(v, 0); ok && v.k != nil {
		b := a.wide(v.may)
		b.Must, _ = a.label(v.must, false)
		b.Known, b.Value = true, k
		return b
	}
	o, ok := f.exactObject(v)
	if !ok || deep > 8 {
		b := a.wide(a.deep(v))
		b.Must, _ = a.label(f.deepMust(v, 0), false)
		return b
	}
	b := a.wide(union(v.may, o.shape))
	b.Must, _ = a.label(v.must, false)
	if o.kind == oDict {
		b.Fields = map[string]policy.Bound{}
		for _, e := range o.ents {
			p := f.bound(e.v, deep+1)
			if e.weak {
				p.Presence = policy.MaybeGiven
			}
			b.Fields[e.name] = p
		}
		return b
	}
	b.Items = make([]policy.Bound, len(o.ents))
	for i := range o.ents {
		b.Items[i] = f.bound(o.ents[i].v, deep+1)
	}
	return b
}

// wide is a bound with an upper label only.
func (a *analysis) wide(l *lab) policy.Bound {
	var b policy.Bound
	b.May, b.AnySource = a.label(l, true)
	return b
}

// eitherOf is a bound of what is one of several values.
func eitherOf() policy.Bound {
	return policy.Bound{Presence: policy.MaybeGiven, AnySource: true, May: label.Label{Readers: label.Only()}}
}

// sortedNodes are the nodes of a table in the order of the source, the shorter of
// two that begin at one place first.
func sortedNodes[T any](m map[syntax.Node]T) []syntax.Node {
	out := make([]syntax.Node, 0, len(m))
	for n := range m {
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b syntax.Node) int {
		p, q := pos(a), pos(b)
		if p == q {
			p, q = a.Range().End, b.Range().End
		}
		return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
	})
	return out
}
