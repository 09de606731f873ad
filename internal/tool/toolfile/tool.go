package toolfile

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// draft is a definition that is being read: what depends on several keys waits
// until all are there.
type draft struct {
	tool.Definition
	input, output, labels, secrets, examples, model, run *jsondoc.Node
	marks                                                []tool.PartLabel // by the output schema
}

func (l *loader) tools(f *tool.File, v *jsondoc.Node) {
	items := l.list("tools", v)
	if len(items) > tool.MaxTools {
		l.Add(v, "Split the file.", "tools: %d of them; at most %d", len(items), tool.MaxTools)
		return
	}
	seen := make(map[string]jsondoc.Position, len(items))
	for _, item := range items {
		if l.Full() {
			return
		}
		before := len(l.Report.Problems)
		d := l.tool(item)
		if len(l.Report.Problems) > before {
			continue
		}
		if first, twice := seen[d.ID()]; twice {
			l.Add(item, "Give it another version or name.", "the tool %s stands twice; first on line %d", d.ID(), first.Line)
			continue
		}
		seen[d.ID()] = d.Pos
		if run := item.Get("run"); run != nil {
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
		{"name", true, func(l *loader, d *draft, v *jsondoc.Node) { l.toolName(d, v) }},
		{"version", true, func(l *loader, d *draft, v *jsondoc.Node) { l.toolVersion(d, v) }},
		{"title", false, func(l *loader, d *draft, v *jsondoc.Node) { d.Title = l.text("title", v, 200) }},
		{"description", false, func(l *loader, d *draft, v *jsondoc.Node) {
			d.Description = l.text("description", v, tool.MaxDescription)
		}},
		{"effects", true, func(l *loader, d *draft, v *jsondoc.Node) {
			var ok bool
			if d.Effects, ok = tool.ParseEffects(v.Text); !ok || v.Kind != jsondoc.String {
				l.Add(v, jsondoc.DidYouMean(v.Text, tool.EffectNames()), "effects: expected one of %s, got %s", strings.Join(tool.EffectNames(), ", "), v.Show())
			}
		}},
		{"input", false, func(_ *loader, d *draft, v *jsondoc.Node) { d.input = v }},
		{"output", false, func(_ *loader, d *draft, v *jsondoc.Node) { d.output = v }},
		{"labels", false, func(_ *loader, d *draft, v *jsondoc.Node) { d.labels = v }},
		{"limits", false, func(l *loader, d *draft, v *jsondoc.Node) { fields(l, v, "limits", limitFields(), &d.Limits) }},
		{"secrets", false, func(_ *loader, d *draft, v *jsondoc.Node) { d.secrets = v }},
		{"idempotent", false, func(l *loader, d *draft, v *jsondoc.Node) { d.Idempotent = l.flag("idempotent", v) }},
		{"approval", false, func(l *loader, d *draft, v *jsondoc.Node) { d.Approval = l.flag("approval", v) }},
		{"model", false, func(l *loader, d *draft, v *jsondoc.Node) { d.model, d.Model = v, l.flag("model", v) }},
		{"examples", false, func(_ *loader, d *draft, v *jsondoc.Node) { d.examples = v }},
		{"run", false, func(_ *loader, d *draft, v *jsondoc.Node) { d.run = v }},
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
func (l *loader) tool(n *jsondoc.Node) *tool.Definition {
	d := &draft{}
	d.Pos = l.Pos(n)
	before := len(l.Report.Problems)
	written := n
	if n = l.derived(n); n == nil {
		l.written(written, d)
		return nil
	}
	l.own = !l.foreign && written.Get("output") != nil
	fields(l, n, "the tool"+toolTitle(n), l.toolKeys(), d)
	l.toolSchemas(d)
	if len(l.Report.Problems) > before {
		return nil
	}
	l.toolLabels(d)
	l.toolSecrets(d)
	l.toolModel(d)
	if d.run != nil && d.Model {
		l.Add(d.run, "Remove run.", "the tool %s is answered by a model: nothing else implements it", d.Name)
	}
	if d.examples != nil {
		l.toolExamples(d)
	}
	return &d.Definition
}

// written checks what a file says of a tool whose implementation cannot supply the
// rest.
func (l *loader) written(n *jsondoc.Node, d *draft) {
	table := toolFields()
	for i := range table {
		table[i].need = false
	}
	fields(l, n, "the tool"+toolTitle(n), table, d)
	l.toolSchemas(d)
}

func toolTitle(n *jsondoc.Node) string {
	if name := n.Get("name"); name != nil && name.Kind == jsondoc.String {
		return " " + safetext.OneLine(name.Text, 60)
	}
	return ""
}

func (l *loader) toolName(d *draft, v *jsondoc.Node) {
	d.Name = l.text("name", v, tool.MaxName)
	if d.Name == "" {
		return
	}
	parts := strings.Split(d.Name, ".")
	fixed := make([]string, len(parts))
	wrong := ""
	for i, part := range parts {
		why, near := tool.BadIdentifier(part)
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
		l.Add(v, remedy, "the name %s: %s", safetext.Quote(d.Name), wrong)
	case len(parts) > 8:
		l.Add(v, "", "the name %s has more than 8 parts", safetext.Quote(d.Name))
	case slices.Contains(reservedNames(), parts[0]):
		l.Add(v, wouldBe(parts[0]+"_"+strings.TrimPrefix(d.Name[len(parts[0]):], ".")), "the name %s: in code, tools.%s is a function of the module itself", safetext.Quote(d.Name), parts[0])
	case d.Name == "ask_llm", d.Name == "run_plan":
		l.Add(v, "Choose another name.", "the name %s is the language's own", safetext.Quote(d.Name))
	}
}

// reservedNames are the functions of the module that code imports tools from: a
// tool or a namespace of such a name could not be reached there.
func reservedNames() []string {
	return []string{"call", "describe", "frame", "map", "names", "result", "search", "stub", "use"}
}

func (l *loader) toolVersion(d *draft, v *jsondoc.Node) {
	text := v.Text
	version, err := tool.ParseVersion(text)
	if err != nil || v.Kind != jsondoc.String {
		remedy := "Write a semantic version such as 1.0.0."
		if near := tool.NearVersion(text); near != "" && (v.Kind == jsondoc.String || v.Kind == jsondoc.Number) {
			remedy = "Write " + near + "."
		}
		l.Add(v, remedy, "version: expected a semantic version, got %s", v.Show())
	}
	d.Version = version
}

func (l *loader) toolSchemas(d *draft) {
	d.Output = schema.Any()
	if d.output != nil {
		marks := []tool.PartLabel{}
		d.Output = l.schema("output", l.unmarked(d.output, "", true, &marks))
		if l.own { // what a server or an implementation says of itself does not make it trusted
			d.marks = marks
		}
	}
	if d.input == nil {
		r := &jsondoc.Report{}
		d.Input = schema.NewCompiler(r).Compile(jsondoc.ReadJSON(r, []byte(`{"type":"object","properties":{},"additionalProperties":false}`)))
		return
	}
	if d.Input = l.schema("input", d.input); d.Input == nil {
		return
	}
	if d.Input.Type().Kinds != schema.ObjectKind {
		l.Add(d.input, "Write input: {type: object, properties: {…}}.", "input: expected the schema of an object, whose properties are the arguments; it allows %s", d.Input.Type().Kinds)
		return
	}
	for _, p := range d.Arguments() {
		if !p.Type.HasDefault {
			continue
		}
		at := d.input
		for _, seg := range []string{"properties", p.Name, "default"} {
			if next := at.Child(seg); next != nil {
				at = next
			}
		}
		l.mismatch("default of "+safetext.Quote(p.Name), at, d.Input.ValidateProperty(p.Name, p.Type.Default))
	}
}

func limitFields() []field[tool.Limits] {
	return []field[tool.Limits]{
		{"timeout", false, func(l *loader, m *tool.Limits, v *jsondoc.Node) {
			t, err := time.ParseDuration(v.Text)
			if err != nil || v.Kind != jsondoc.String || t <= 0 || t > tool.MaxTimeout {
				remedy := "Write a number with a unit: 500ms, 10s, 5m, 1h."
				if v.Kind == jsondoc.Number {
					remedy = "Write " + v.Text + "s for seconds."
				}
				l.Add(v, remedy, "timeout: expected a time up to %d days, got %s", int(tool.MaxTimeout.Hours()/24), v.Show())
			}
			m.Timeout = t
		}},
		{"bytes", false, func(l *loader, m *tool.Limits, v *jsondoc.Node) {
			n, ok := parseSize(v)
			if !ok {
				l.Add(v, "Write bytes, or a number with KiB, MiB or GiB: 64KiB.", "bytes: expected a size, got %s", v.Show())
			}
			m.Bytes = n
		}},
		{"calls_per_run", false, func(l *loader, m *tool.Limits, v *jsondoc.Node) {
			n, err := strconv.Atoi(v.Text)
			if err != nil || v.Kind != jsondoc.Number || n < 1 || n > 1_000_000_000 {
				l.Add(v, "", "calls_per_run: expected a whole number from 1, got %s", v.Show())
			}
			m.CallsPerRun = n
		}},
		{"rate", false, func(l *loader, m *tool.Limits, v *jsondoc.Node) {
			r, ok := parseRate(v.Text)
			if !ok || v.Kind != jsondoc.String {
				l.Add(v, "Write calls/time: 5/second, 100/minute, 10/30s.", "rate: expected a rate, got %s", v.Show())
			}
			m.Rate = r
		}},
	}
}

func parseSize(v *jsondoc.Node) (int64, bool) {
	if v.Kind != jsondoc.Number && v.Kind != jsondoc.String {
		return 0, false
	}
	text := strings.TrimSpace(v.Text)
	n := jsondoc.Digits(text)
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

func parseRate(s string) (tool.Rate, bool) {
	count, per, ok := strings.Cut(s, "/")
	n, err := strconv.Atoi(strings.TrimSpace(count))
	if !ok || err != nil || n < 1 || n > 1_000_000_000 {
		return tool.Rate{}, false
	}
	per = strings.TrimSpace(per)
	for _, u := range tool.RateUnits() {
		if u.Name == per {
			return tool.Rate{Calls: n, Per: u.Per}, true
		}
	}
	t, err := time.ParseDuration(per)
	if err != nil || t <= 0 || t > tool.MaxTimeout {
		return tool.Rate{}, false
	}
	return tool.Rate{Calls: n, Per: t}, true
}

func labelFields() []field[labelDraft] {
	return []field[labelDraft]{
		{"trusted", false, func(l *loader, d *labelDraft, v *jsondoc.Node) { d.Trusted = l.flag("trusted", v) }},
		{"readers", false, func(l *loader, d *labelDraft, v *jsondoc.Node) { d.readers, d.Readers = v, l.whoReads(v) }},
		{"arguments", false, func(_ *loader, d *labelDraft, v *jsondoc.Node) { d.arguments = v }},
		{"fields", false, func(_ *loader, d *labelDraft, v *jsondoc.Node) { d.fields = v }},
	}
}

type labelDraft struct {
	tool.Labels
	readers, arguments, fields *jsondoc.Node
}

// toolLabels reads labels. Without readers, results of pure tools and of models are
// everyone's, since they are made of their arguments, whose readers remain;
// of others the user's alone.
func (l *loader) toolLabels(d *draft) {
	ld := labelDraft{}
	if d.Effects == tool.Pure || d.Model {
		ld.Readers.Everyone = true
	} else {
		ld.Readers.Principals = []string{tool.Me}
	}
	if d.labels != nil {
		fields(l, d.labels, "labels", labelFields(), &ld)
	}
	for _, src := range ld.Readers.From {
		schema, what := d.Output, "output"
		if src.Origin == tool.FromArguments {
			schema, what = d.Input, "input"
		}
		l.path(ld.readers, "readers: path "+string(src.Path), src.Path, schema, what)
	}
	if ld.arguments != nil {
		l.demands(d, &ld, ld.arguments)
	}
	ld.Fields = l.fieldLabels(d, ld.fields)
	d.Labels = ld.Labels
}

func demandFields() []field[tool.ArgDemand] {
	return []field[tool.ArgDemand]{
		{"trusted", false, func(l *loader, a *tool.ArgDemand, v *jsondoc.Node) { a.Trusted = l.flag("trusted", v) }},
		{"readable_by", false, func(l *loader, a *tool.ArgDemand, v *jsondoc.Node) {
			items := []*jsondoc.Node{v}
			if v.Kind == jsondoc.List {
				items = v.Items
			}
			for _, item := range items {
				a.ReadableBy = append(a.ReadableBy, l.text("readable_by", item, tool.MaxName))
			}
		}},
		{"reason", false, func(l *loader, a *tool.ArgDemand, v *jsondoc.Node) {
			a.Reason = l.text("reason", v, tool.MaxDescription)
		}},
	}
}

func (l *loader) demands(d *draft, ld *labelDraft, v *jsondoc.Node) {
	if v.Kind != jsondoc.Map {
		l.Add(v, "Write arguments: {to: {trusted: true}}.", "labels of arguments: expected a mapping, got %s", v.Show())
		return
	}
	names := d.Input.Type().Names()
	byName := map[string]tool.ArgDemand{}
	for i, key := range v.Keys {
		if !slices.Contains(names, key.Text) {
			l.Add(key, jsondoc.DidYouMean(key.Text, names), "labels: %s has no argument %s", d.Name, safetext.Quote(key.Text))
			continue
		}
		demand := tool.ArgDemand{Argument: key.Text}
		fields(l, v.Items[i], "the labels of "+safetext.Quote(key.Text), demandFields(), &demand)
		for _, other := range demand.ReadableBy {
			if !slices.Contains(names, other) {
				l.Add(v.Items[i].Get("readable_by"), jsondoc.DidYouMean(other, names), "readable_by: %s has no argument %s", d.Name, safetext.Quote(other))
			}
		}
		byName[key.Text] = demand
	}
	for _, name := range names {
		if demand, ok := byName[name]; ok {
			ld.Arguments = append(ld.Arguments, demand)
		}
	}
}

// whoReads reads "everyone", a principal, a source, or a list of principals and sources.
func (l *loader) whoReads(v *jsondoc.Node) tool.Readers {
	var r tool.Readers
	items := []*jsondoc.Node{v}
	if v.Kind == jsondoc.List {
		items = v.Items
	}
	for _, item := range items {
		switch {
		case item.Kind == jsondoc.Map:
			src := tool.ReaderSource{}
			fields(l, item, "a source of readers", sourceFields(), &src)
			r.From = append(r.From, src)
		case item.Text == "everyone" && item.Kind == jsondoc.String:
			r.Everyone = true
			if len(items) > 1 {
				l.Add(item, "Write readers: everyone.", "readers: everyone cannot stand beside others")
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

func sourceFields() []field[tool.ReaderSource] {
	return []field[tool.ReaderSource]{
		{"from", true, func(l *loader, s *tool.ReaderSource, v *jsondoc.Node) {
			switch v.Text {
			case "result":
				s.Origin = tool.FromResult
			case "arguments":
				s.Origin = tool.FromArguments
			default:
				l.Add(v, jsondoc.DidYouMean(v.Text, []string{"result", "arguments"}), "from: expected result or arguments, got %s", v.Show())
			}
		}},
		{"path", true, func(l *loader, s *tool.ReaderSource, v *jsondoc.Node) { s.Path = l.pointer("path", v) }},
	}
}

func (l *loader) pointer(what string, v *jsondoc.Node) jsondoc.Pointer {
	if v.Kind != jsondoc.String {
		l.Add(v, "", "%s: expected a JSON pointer, got %s", what, v.Show())
		return ""
	}
	p, err := jsondoc.ParsePointer(v.Text)
	if err != nil {
		l.Add(v, "Write /"+strings.ReplaceAll(strings.Trim(safetext.OneLine(v.Text, 60), "/."), ".", "/")+".", "%s: expected a JSON pointer such as /events/*/title, got %s", what, v.Show())
	}
	return p
}

// path checks that a schema can have what a pointer points to.
func (l *loader) path(at *jsondoc.Node, what string, p jsondoc.Pointer, s *schema.Schema, which string) {
	if seg, remedy := s.Type().Lacks(p); seg != "" {
		l.Add(at, remedy, "%s: the %s schema has no %s", what, which, safetext.Quote(seg))
	}
}

func (l *loader) toolSecrets(d *draft) {
	if d.secrets == nil {
		return
	}
	read := func(what string, v *jsondoc.Node, s *schema.Schema) []jsondoc.Pointer {
		var out []jsondoc.Pointer
		for _, item := range l.list("secrets", v) {
			p := l.pointer("secrets", item)
			if p != "" || item.Kind == jsondoc.String && item.Text == "" { // all of it
				l.path(item, "secrets: "+string(p), p, s, what)
				out = append(out, p)
			}
		}
		return out
	}
	if d.secrets.Kind == jsondoc.List {
		d.Secrets.Input = read("input", d.secrets, d.Input)
		return
	}
	fields(l, d.secrets, "secrets", secretFields(read, d), &d.Secrets)
}

func secretFields(read func(string, *jsondoc.Node, *schema.Schema) []jsondoc.Pointer, d *draft) []field[tool.Secrets] {
	return []field[tool.Secrets]{
		{"input", false, func(_ *loader, s *tool.Secrets, v *jsondoc.Node) { s.Input = read("input", v, d.Input) }},
		{"output", false, func(_ *loader, s *tool.Secrets, v *jsondoc.Node) { s.Output = read("output", v, d.Output) }},
	}
}

// toolModel keeps what makes a quarantined model one.
func (l *loader) toolModel(d *draft) {
	if !d.Model {
		return
	}
	switch {
	case d.output == nil:
		l.Add(d.model, "Add output: {type: string}, say.", "a model's tool has to declare its output, which types what the model answers")
	case d.Effects.Acts():
		l.Add(d.model, "Write effects: read.", "a model's tool has no effects: expected pure or read, got %s", d.Effects)
	case d.Labels.Trusted:
		l.Add(d.model, "Remove trusted: true.", "what a model answers is never trusted")
	}
}

func exampleFields() []field[tool.Example] {
	return []field[tool.Example]{
		{"name", false, func(l *loader, e *tool.Example, v *jsondoc.Node) { e.Name = l.text("name of an example", v, 200) }},
		{"input", false, func(l *loader, e *tool.Example, v *jsondoc.Node) {
			var ok bool
			if e.Input, ok = v.Value().(*jsondoc.Object); !ok {
				l.Add(v, "Write input: {argument: value}.", "input of an example: expected a mapping, got %s", v.Show())
			}
		}},
		{"output", false, func(_ *loader, e *tool.Example, v *jsondoc.Node) { e.Output, e.HasOutput = v.Value(), true }},
	}
}

func (l *loader) toolExamples(d *draft) {
	names := map[string]bool{}
	for i, item := range l.list("examples", d.examples) {
		e := tool.Example{Pos: l.Pos(item)}
		before := len(l.Report.Problems)
		fields(l, item, "an example", exampleFields(), &e)
		if len(l.Report.Problems) > before {
			continue
		}
		if e.Name == "" {
			e.Name = "example " + strconv.Itoa(i+1)
		}
		if names[e.Name] {
			l.Add(item, "Give it another name.", "two examples are called %s", safetext.Quote(e.Name))
		}
		names[e.Name] = true
		in := item.Get("input")
		if e.Input == nil {
			in, e.Input = item, &jsondoc.Object{}
		}
		m := d.Input.Validate(e.Input)
		if m == nil {
			m = d.Input.Undeclared(e.Input)
		}
		l.mismatch("input of the example "+safetext.Quote(e.Name), in, m)
		if e.HasOutput {
			l.mismatch("output of the example "+safetext.Quote(e.Name), item.Get("output"), d.Output.Validate(e.Output))
		}
		d.Examples = append(d.Examples, e)
	}
}
