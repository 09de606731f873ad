package tool

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// draft is a definition that is being read: what depends on several keys waits
// until all are there.
type draft struct {
	Definition
	input, output, labels, secrets, examples, model, run *node
}

func (l *loader) tools(f *File, v *node) {
	items := l.list("tools", v)
	if len(items) > MaxTools {
		l.add(v, "Split the file.", "tools: %d of them; at most %d", len(items), MaxTools)
		return
	}
	seen := make(map[string]Position, len(items))
	for _, item := range items {
		if l.full() {
			return
		}
		before := len(l.report.list)
		d := l.tool(item)
		if len(l.report.list) > before {
			continue
		}
		if first, twice := seen[d.ID()]; twice {
			l.add(item, "Give it another version or name.", "the tool %s stands twice; first on line %d", d.ID(), first.Line)
			continue
		}
		seen[d.ID()] = d.Pos
		if run := item.get("run"); run != nil {
			b, ok := l.bound, true
			if run != l.run {
				b, ok = l.binding(run)
			}
			if ok {
				f.Bindings[d.ID()] = b
			}
		}
		f.Tools = append(f.Tools, d)
	}
}

func toolFields() []field[draft] {
	return []field[draft]{
		{"name", true, func(l *loader, d *draft, v *node) { l.toolName(d, v) }},
		{"version", true, func(l *loader, d *draft, v *node) { l.toolVersion(d, v) }},
		{"title", false, func(l *loader, d *draft, v *node) { d.Title = l.text("title", v, 200) }},
		{"description", false, func(l *loader, d *draft, v *node) { d.Description = l.text("description", v, maxDescription) }},
		{"effects", true, func(l *loader, d *draft, v *node) {
			var ok bool
			if d.Effects, ok = ParseEffects(v.text); !ok || v.kind != stringNode {
				l.add(v, didYouMean(v.text, effectNames()), "effects: expected one of %s, got %s", strings.Join(effectNames(), ", "), v.show())
			}
		}},
		{"input", false, func(_ *loader, d *draft, v *node) { d.input = v }},
		{"output", false, func(_ *loader, d *draft, v *node) { d.output = v }},
		{"labels", false, func(_ *loader, d *draft, v *node) { d.labels = v }},
		{"limits", false, func(l *loader, d *draft, v *node) { fields(l, v, "limits", limitFields(), &d.Limits) }},
		{"secrets", false, func(_ *loader, d *draft, v *node) { d.secrets = v }},
		{"idempotent", false, func(l *loader, d *draft, v *node) { d.Idempotent = l.flag("idempotent", v) }},
		{"approval", false, func(l *loader, d *draft, v *node) { d.Approval = l.flag("approval", v) }},
		{"model", false, func(l *loader, d *draft, v *node) { d.model, d.Model = v, l.flag("model", v) }},
		{"examples", false, func(_ *loader, d *draft, v *node) { d.examples = v }},
		{"run", false, func(_ *loader, d *draft, v *node) { d.run = v }},
	}
}

// toolKeys is the table of toolFields, made once.
func (l *loader) toolKeys() []field[draft] {
	if l.keys == nil {
		l.keys = toolFields()
	}
	return l.keys
}

// tool reads one definition. It is only to be used when there was no problem.
func (l *loader) tool(n *node) *Definition {
	d := &draft{}
	d.Pos = l.pos(n)
	before := len(l.report.list)
	written := n
	if n = l.derived(n); n == nil {
		l.written(written, d)
		return nil
	}
	fields(l, n, "the tool"+toolTitle(n), l.toolKeys(), d)
	l.toolSchemas(d)
	if len(l.report.list) > before {
		return nil
	}
	l.toolLabels(d)
	l.toolSecrets(d)
	l.toolModel(d)
	if d.run != nil && d.Model {
		l.add(d.run, "Remove run.", "the tool %s is answered by a model: nothing else carries it out", d.Name)
	}
	if d.examples != nil {
		l.toolExamples(d)
	}
	return &d.Definition
}

// written judges what a file says of a tool whose implementation cannot be
// asked for the rest.
func (l *loader) written(n *node, d *draft) {
	table := toolFields()
	for i := range table {
		table[i].need = false
	}
	fields(l, n, "the tool"+toolTitle(n), table, d)
	l.toolSchemas(d)
}

func toolTitle(n *node) string {
	if name := n.get("name"); name != nil && name.kind == stringNode {
		return " " + clip(name.text, 60)
	}
	return ""
}

func (l *loader) toolName(d *draft, v *node) {
	d.Name = l.text("name", v, maxName)
	if d.Name == "" {
		return
	}
	parts := strings.Split(d.Name, ".")
	fixed := make([]string, len(parts))
	wrong := ""
	for i, part := range parts {
		why, near := badIdentifier(part)
		if fixed[i] = part; why != "" {
			wrong, fixed[i] = why, near
		}
	}
	switch {
	case wrong != "":
		remedy := ""
		if !slices.Contains(fixed, "") {
			remedy = wouldBe(strings.Join(fixed, "."))
		}
		l.add(v, remedy, "the name %s: %s", quote(d.Name), wrong)
	case len(parts) > 8:
		l.add(v, "", "the name %s has more than 8 parts", quote(d.Name))
	case slices.Contains(reservedNames(), parts[0]):
		l.add(v, wouldBe(parts[0]+"_"+strings.TrimPrefix(d.Name[len(parts[0]):], ".")), "the name %s: in code, tools.%s is a function of the module itself", quote(d.Name), parts[0])
	case d.Name == "ask_llm":
		l.add(v, "Choose another name.", "the name \"ask_llm\" is the language's own")
	}
}

// reservedNames are the functions of the module that code imports tools from: a
// tool or a namespace of such a name could not be reached there.
func reservedNames() []string {
	return []string{"call", "describe", "frame", "map", "names", "result", "search", "stub", "use"}
}

func (l *loader) toolVersion(d *draft, v *node) {
	text := v.text
	version, err := ParseVersion(text)
	if err != nil || v.kind != stringNode {
		remedy := "Write a semantic version such as 1.0.0."
		if near := nearVersion(text); near != "" && (v.kind == stringNode || v.kind == numberNode) {
			remedy = "Write " + near + "."
		}
		l.add(v, remedy, "version: expected a semantic version, got %s", v.show())
	}
	d.Version = version
}

func (l *loader) toolSchemas(d *draft) {
	d.Output = AnySchema()
	if d.output != nil {
		d.Output = l.schema("output", d.output)
	}
	if d.input == nil {
		r := &report{}
		d.Input = newCompiler(r).compile(readJSON(r, []byte(`{"type":"object","properties":{},"additionalProperties":false}`)))
		return
	}
	if d.Input = l.schema("input", d.input); d.Input == nil {
		return
	}
	if d.Input.Type().Kinds != ObjectKind {
		l.add(d.input, "Write input: {type: object, properties: {…}}.", "input: expected the schema of an object, whose properties are the arguments; it allows %s", d.Input.Type().Kinds)
		return
	}
	for _, p := range d.Arguments() {
		if !p.Type.HasDefault {
			continue
		}
		at := d.input
		for _, seg := range []string{"properties", p.Name, "default"} {
			if next := at.child(seg); next != nil {
				at = next
			}
		}
		l.mismatch("default of "+quote(p.Name), at, d.Input.ValidateProperty(p.Name, p.Type.Default))
	}
}

func limitFields() []field[Limits] {
	return []field[Limits]{
		{"timeout", false, func(l *loader, m *Limits, v *node) {
			t, err := time.ParseDuration(v.text)
			if err != nil || v.kind != stringNode || t <= 0 || t > maxTimeout {
				remedy := "Write a number with a unit: 500ms, 10s, 5m, 1h."
				if v.kind == numberNode {
					remedy = "Write " + v.text + "s for seconds."
				}
				l.add(v, remedy, "timeout: expected a time up to %d days, got %s", int(maxTimeout.Hours()/24), v.show())
			}
			m.Timeout = t
		}},
		{"bytes", false, func(l *loader, m *Limits, v *node) {
			n, ok := parseSize(v)
			if !ok {
				l.add(v, "Write bytes, or a number with KiB, MiB or GiB: 64KiB.", "bytes: expected a size, got %s", v.show())
			}
			m.Bytes = n
		}},
		{"calls_per_run", false, func(l *loader, m *Limits, v *node) {
			n, err := strconv.Atoi(v.text)
			if err != nil || v.kind != numberNode || n < 1 || n > 1_000_000_000 {
				l.add(v, "", "calls_per_run: expected a whole number from 1, got %s", v.show())
			}
			m.CallsPerRun = n
		}},
		{"rate", false, func(l *loader, m *Limits, v *node) {
			r, ok := parseRate(v.text)
			if !ok || v.kind != stringNode {
				l.add(v, "Write calls/time: 5/second, 100/minute, 10/30s.", "rate: expected a rate, got %s", v.show())
			}
			m.Rate = r
		}},
	}
}

func parseSize(v *node) (int64, bool) {
	if v.kind != numberNode && v.kind != stringNode {
		return 0, false
	}
	text := strings.TrimSpace(v.text)
	n := digits(text)
	count, err := strconv.ParseInt(text[:n], 10, 64)
	if err != nil || count < 1 {
		return 0, false
	}
	unit := int64(0)
	switch strings.ToLower(strings.TrimSpace(text[n:])) {
	case "", "b":
		unit = 1
	case "kb":
		unit = 1000
	case "kib", "k":
		unit = 1 << 10
	case "mb":
		unit = 1000 * 1000
	case "mib", "m":
		unit = 1 << 20
	case "gb":
		unit = 1000 * 1000 * 1000
	case "gib", "g":
		unit = 1 << 30
	}
	if unit == 0 || count > math.MaxInt64/2/unit {
		return 0, false
	}
	return count * unit, true
}

func parseRate(s string) (Rate, bool) {
	count, per, ok := strings.Cut(s, "/")
	n, err := strconv.Atoi(strings.TrimSpace(count))
	if !ok || err != nil || n < 1 || n > 1_000_000_000 {
		return Rate{}, false
	}
	per = strings.TrimSpace(per)
	for _, u := range rateUnits() {
		if u.name == per {
			return Rate{n, u.per}, true
		}
	}
	t, err := time.ParseDuration(per)
	if err != nil || t <= 0 || t > maxTimeout {
		return Rate{}, false
	}
	return Rate{n, t}, true
}

func labelFields() []field[labelDraft] {
	return []field[labelDraft]{
		{"trusted", false, func(l *loader, d *labelDraft, v *node) { d.Trusted = l.flag("trusted", v) }},
		{"readers", false, func(l *loader, d *labelDraft, v *node) { d.readers, d.Readers = v, l.whoReads(v) }},
		{"arguments", false, func(_ *loader, d *labelDraft, v *node) { d.arguments = v }},
	}
}

type labelDraft struct {
	Labels
	readers, arguments *node
}

// toolLabels reads labels. Without readers, results of pure tools and of models are
// everyone's, since they are made of their arguments, whose readers remain;
// of others the user's alone.
func (l *loader) toolLabels(d *draft) {
	ld := labelDraft{}
	if d.Effects == Pure || d.Model {
		ld.Readers.Everyone = true
	} else {
		ld.Readers.Principals = []string{Me}
	}
	if d.labels != nil {
		fields(l, d.labels, "labels", labelFields(), &ld)
	}
	for _, src := range ld.Readers.From {
		schema, what := d.Output, "output"
		if src.Origin == FromArguments {
			schema, what = d.Input, "input"
		}
		l.path(ld.readers, "readers: path "+string(src.Path), src.Path, schema, what)
	}
	if ld.arguments != nil {
		l.demands(d, &ld, ld.arguments)
	}
	d.Labels = ld.Labels
}

func demandFields() []field[ArgDemand] {
	return []field[ArgDemand]{
		{"trusted", false, func(l *loader, a *ArgDemand, v *node) { a.Trusted = l.flag("trusted", v) }},
		{"readable_by", false, func(l *loader, a *ArgDemand, v *node) {
			items := []*node{v}
			if v.kind == listNode {
				items = v.items
			}
			for _, item := range items {
				a.ReadableBy = append(a.ReadableBy, l.text("readable_by", item, maxName))
			}
		}},
		{"reason", false, func(l *loader, a *ArgDemand, v *node) { a.Reason = l.text("reason", v, maxDescription) }},
	}
}

func (l *loader) demands(d *draft, ld *labelDraft, v *node) {
	if v.kind != mapNode {
		l.add(v, "Write arguments: {to: {trusted: true}}.", "labels of arguments: expected a mapping, got %s", v.show())
		return
	}
	names := d.Input.Type().Names()
	byName := map[string]ArgDemand{}
	for i, key := range v.keys {
		if !slices.Contains(names, key.text) {
			l.add(key, didYouMean(key.text, names), "labels: %s has no argument %s", d.Name, quote(key.text))
			continue
		}
		demand := ArgDemand{Argument: key.text}
		fields(l, v.items[i], "the labels of "+quote(key.text), demandFields(), &demand)
		for _, other := range demand.ReadableBy {
			if !slices.Contains(names, other) {
				l.add(v.items[i].get("readable_by"), didYouMean(other, names), "readable_by: %s has no argument %s", d.Name, quote(other))
			}
		}
		byName[key.text] = demand
	}
	for _, name := range names {
		if demand, ok := byName[name]; ok {
			ld.Arguments = append(ld.Arguments, demand)
		}
	}
}

// whoReads reads "everyone", a principal, a source, or a list of principals and sources.
func (l *loader) whoReads(v *node) Readers {
	var r Readers
	items := []*node{v}
	if v.kind == listNode {
		items = v.items
	}
	for _, item := range items {
		switch {
		case item.kind == mapNode:
			src := ReaderSource{}
			fields(l, item, "a source of readers", sourceFields(), &src)
			r.From = append(r.From, src)
		case item.text == "everyone" && item.kind == stringNode:
			r.Everyone = true
			if len(items) > 1 {
				l.add(item, "Write readers: everyone.", "readers: everyone cannot stand beside others")
			}
		default:
			if name := l.text("readers", item, 320); name != "" {
				l.readers = append(l.readers, item)
				r.Principals = append(r.Principals, name)
			}
		}
	}
	slices.Sort(r.Principals)
	r.Principals = slices.Compact(r.Principals)
	return r
}

func sourceFields() []field[ReaderSource] {
	return []field[ReaderSource]{
		{"from", true, func(l *loader, s *ReaderSource, v *node) {
			switch v.text {
			case "result":
				s.Origin = FromResult
			case "arguments":
				s.Origin = FromArguments
			default:
				l.add(v, didYouMean(v.text, []string{"result", "arguments"}), "from: expected result or arguments, got %s", v.show())
			}
		}},
		{"path", true, func(l *loader, s *ReaderSource, v *node) { s.Path = l.pointer("path", v) }},
	}
}

func (l *loader) pointer(what string, v *node) Pointer {
	if v.kind != stringNode {
		l.add(v, "", "%s: expected a JSON pointer, got %s", what, v.show())
		return ""
	}
	p, err := ParsePointer(v.text)
	if err != nil {
		l.add(v, "Write /"+strings.ReplaceAll(strings.Trim(clip(v.text, 60), "/."), ".", "/")+".", "%s: expected a JSON pointer such as /events/*/title, got %s", what, v.show())
	}
	return p
}

// path checks that a schema can have what a pointer points to.
func (l *loader) path(at *node, what string, p Pointer, s *Schema, which string) {
	t := s.Type()
	for _, seg := range p.Segments() {
		if len(t.Variants) > 0 && len(t.Properties) == 0 {
			return // which alternative it is shows only at run time
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
			remedy := didYouMean(seg, t.Names())
			if t.Kinds&^NullKind == ArrayKind {
				remedy = "Write * for every item of the list."
			}
			l.add(at, remedy, "%s: the %s schema has no %s", what, which, quote(seg))
			return
		}
		t = next
	}
}

func (l *loader) toolSecrets(d *draft) {
	if d.secrets == nil {
		return
	}
	read := func(what string, v *node, s *Schema) []Pointer {
		var out []Pointer
		for _, item := range l.list("secrets", v) {
			p := l.pointer("secrets", item)
			if p != "" || item.kind == stringNode && item.text == "" { // all of it
				l.path(item, "secrets: "+string(p), p, s, what)
				out = append(out, p)
			}
		}
		return out
	}
	if d.secrets.kind == listNode {
		d.Secrets.Input = read("input", d.secrets, d.Input)
		return
	}
	fields(l, d.secrets, "secrets", secretFields(read, d), &d.Secrets)
}

func secretFields(read func(string, *node, *Schema) []Pointer, d *draft) []field[Secrets] {
	return []field[Secrets]{
		{"input", false, func(_ *loader, s *Secrets, v *node) { s.Input = read("input", v, d.Input) }},
		{"output", false, func(_ *loader, s *Secrets, v *node) { s.Output = read("output", v, d.Output) }},
	}
}

// toolModel keeps what makes a quarantined model one.
func (l *loader) toolModel(d *draft) {
	if !d.Model {
		return
	}
	switch {
	case d.output == nil:
		l.add(d.model, "Add output: {type: string}, say.", "a model's tool has to declare its output, which types what the model answers")
	case d.Effects.Acts():
		l.add(d.model, "Write effects: read.", "a model's tool has no effects: expected pure or read, got %s", d.Effects)
	case d.Labels.Trusted:
		l.add(d.model, "Remove trusted: true.", "what a model answers is never trusted")
	}
}

func exampleFields() []field[Example] {
	return []field[Example]{
		{"name", false, func(l *loader, e *Example, v *node) { e.Name = l.text("name of an example", v, 200) }},
		{"input", false, func(l *loader, e *Example, v *node) {
			var ok bool
			if e.Input, ok = v.value().(*Object); !ok {
				l.add(v, "Write input: {argument: value}.", "input of an example: expected a mapping, got %s", v.show())
			}
		}},
		{"output", false, func(_ *loader, e *Example, v *node) { e.Output, e.HasOutput = v.value(), true }},
	}
}

func (l *loader) toolExamples(d *draft) {
	names := map[string]bool{}
	for i, item := range l.list("examples", d.examples) {
		e := Example{Pos: l.pos(item)}
		before := len(l.report.list)
		fields(l, item, "an example", exampleFields(), &e)
		if len(l.report.list) > before {
			continue
		}
		if e.Name == "" {
			e.Name = "example " + strconv.Itoa(i+1)
		}
		if names[e.Name] {
			l.add(item, "Give it another name.", "two examples are called %s", quote(e.Name))
		}
		names[e.Name] = true
		in := item.get("input")
		if e.Input == nil {
			in, e.Input = item, &Object{}
		}
		m := d.Input.Validate(e.Input)
		if m == nil {
			m = d.Input.Undeclared(e.Input)
		}
		l.mismatch("input of the example "+quote(e.Name), in, m)
		if e.HasOutput {
			l.mismatch("output of the example "+quote(e.Name), item.get("output"), d.Output.Validate(e.Output))
		}
		d.Examples = append(d.Examples, e)
	}
}
