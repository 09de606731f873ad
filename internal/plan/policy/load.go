package policy

import (
	"crypto/sha256"
	"slices"
	"strings"

	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// The bounds of what a file declares.
const (
	formatVersion = 1
	maxRules      = 1_000
	maxGroups     = 1_000
	maxCases      = 10_000
	maxMembers    = 10_000 // of a group
)

// loader reads one file.
type loader struct {
	*reader
	tools      *tool.Set
	policy     *Policy
	toolGroups map[string][]string
	groupPos   map[string]jsondoc.Position
	principals map[string][]string
	compiler   *compiler
	order      map[string]int // of the named conditions
	// canonical parts of the hash
	said *jsondoc.Object
}

// Load reads a policy in YAML. It does no input or output: name is only shown in
// positions. What it refuses is a fault of kind Invalid whose message is the
// first problem with its place, and whose cause is [jsondoc.Problems], all of them.
func Load(name string, data []byte, tools *tool.Set) (*Policy, error) {
	r := &reader{file: name}
	root := r.read(data)
	if root == nil {
		return nil, r.fault()
	}
	l := &loader{
		reader: r, tools: tools, policy: &Policy{name: name, tools: tools, named: map[string]*condition{}},
		toolGroups: map[string][]string{}, groupPos: map[string]jsondoc.Position{}, principals: map[string][]string{},
		order: map[string]int{}, said: jsondoc.NewObject(),
	}
	if err := l.file(root); err != nil {
		return nil, err
	}
	if err := r.fault(); err != nil {
		return nil, err
	}
	l.policy.index()
	if text, err := jsondoc.Canonical(l.said); err == nil {
		l.policy.hash = sha256.Sum256(text)
	}
	return l.policy, nil
}

func (l *loader) file(root *entry) error {
	if !l.keys(root, "the file", "version", "groups", "conditions", "rules", "otherwise", "lower", "tests") {
		return nil
	}
	if v := root.get("version"); v == nil {
		l.add(root.pos, "Write version: 1 at its top.", "the file lacks the key \"version\"")
	} else if v.kind != numberEntry || v.text != "1" {
		l.add(v.pos, "Write version: 1.", "version of the format: expected %d, got %s", formatVersion, v.show())
	}
	l.groups(root.get("groups"))
	if err := l.conditions(root.get("conditions")); err != nil {
		return err
	}
	l.rules(root.get("rules"))
	l.otherwise(root.get("otherwise"))
	l.lowerings(root.get("lower"))
	if len(l.problems) == 0 {
		l.consistency()
	}
	l.cases(root.get("tests"))
	return nil
}

// keys checks that an entry is a mapping with known keys.
func (l *loader) keys(e *entry, what string, known ...string) bool {
	if e.kind != mapEntry {
		l.add(e.pos, "Write keys and values: "+strings.Join(known, ", ")+".", "%s: expected a mapping, got %s", what, e.show())
		return false
	}
	for _, k := range e.keys {
		if !slices.Contains(known, k.text) && !strings.HasPrefix(k.text, "x-") {
			l.add(k.pos, didYouMean(k.text, known), "unknown key %s in %s", safetext.Quote(k.text), what)
		}
	}
	return true
}

// text reads a string that is not empty. A missing entry gives "".
func (l *loader) text(e *entry, what string) string {
	switch {
	case e == nil:
		return ""
	case e.kind != textEntry:
		l.add(e.pos, "Put it into quotes.", "%s: expected a string, got %s", what, e.show())
	case strings.TrimSpace(e.text) == "":
		l.add(e.pos, "", "%s: the string is empty", what)
	case len(e.text) > maxText:
		l.add(e.pos, "", "%s: longer than %d bytes", what, maxText)
	default:
		return e.text
	}
	return ""
}

// need is text for a key that has to be there.
func (l *loader) need(of *entry, key, what string) string {
	e := of.get(key)
	if e == nil {
		l.add(of.pos, "Add "+key+": …", "%s lacks the key %s", what, safetext.Quote(key))
	}
	return l.text(e, key+" of "+what)
}

// texts reads a string or a list of strings with their places.
func (l *loader) texts(e *entry, what string, most int) []*entry {
	var out []*entry
	switch {
	case e == nil:
	case e.kind == textEntry:
		out = []*entry{e}
	case e.kind != listEntry:
		l.add(e.pos, "Write a list: [a, b].", "%s: expected a list of names, got %s", what, e.show())
	case len(e.items) > most:
		l.add(e.pos, "", "%s: more than %d names", what, most)
	default:
		for _, item := range e.items {
			if l.text(item, what) != "" {
				out = append(out, item)
			}
		}
	}
	return out
}

func (l *loader) groups(e *entry) {
	if e == nil || !l.mapping(e, "groups", maxGroups) {
		return
	}
	said := jsondoc.NewObject()
	for i, key := range e.keys {
		what := "the group " + safetext.Quote(key.text)
		if !identifier(key.text) {
			l.add(key.pos, "Use letters, digits and underscores, and begin with a letter.", "%s: conditions cannot write that name", what)
			continue
		}
		if _, ok := l.tools.Lookup(key.text); ok || l.tools.IsNamespace(key.text) {
			l.add(key.pos, "Choose another name.", "%s has the name of a tool", what)
			continue
		}
		g := e.items[i]
		if !l.keys(g, what, "principals", "tools") {
			continue
		}
		who, which := g.get("principals"), g.get("tools")
		switch {
		case who != nil && which == nil:
			l.principals[key.text] = l.people(who, what)
			said.Set(key.text, anyList(l.principals[key.text]))
		case which != nil && who == nil:
			l.toolGroups[key.text] = l.pick(which, what)
			said.Set(key.text, anyList(l.toolGroups[key.text]))
		default:
			l.add(key.pos, "Write principals: [ada@example.com] or tools: [email.*].", "%s names principals or tools, one of the two", what)
		}
		l.groupPos[key.text] = key.pos
	}
	l.said.Set("groups", said)
}

func (l *loader) mapping(e *entry, what string, most int) bool {
	switch {
	case e.kind == nullEntry:
		return false
	case e.kind != mapEntry:
		l.add(e.pos, "Write names and what they stand for.", "%s: expected a mapping, got %s", what, e.show())
		return false
	case len(e.keys) > most:
		l.add(e.pos, "", "%s: more than %d", what, most)
		return false
	}
	return true
}

// people reads principals. The word "me" means the user.
func (l *loader) people(e *entry, what string) []string {
	known := l.tools.Principals()
	out := []string{}
	for _, item := range l.texts(e, "principals of "+what, maxMembers) {
		name := item.text
		switch {
		case strings.IndexByte(name, 0) >= 0 || strings.Contains(strings.TrimPrefix(name, "*"), "*"):
			l.add(item.pos, "A star may only stand at the start: *@example.com.", "%s: %s is not a principal", what, safetext.Quote(name))
			continue
		case name == tool.Me:
			name = known.Me
		case !strings.HasPrefix(name, "*") && !known.Known(name):
			l.add(item.pos, didYouMeanOr(name, known.Names, "Add it to principals in the file of tools."), "%s: the principal %s is not known", what, safetext.Quote(name))
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func didYouMeanOr(name string, candidates []string, otherwise string) string {
	if near := jsondoc.Nearest(name, candidates); near != "" {
		return "Did you mean " + near + "?"
	}
	return otherwise
}

// pick reads names of tools, globs and groups, and returns the tools' names.
func (l *loader) pick(e *entry, what string) []string {
	out := []string{}
	all := l.tools.Names()
	for _, item := range l.texts(e, "tools of "+what, maxMembers) {
		name, less := strings.CutPrefix(item.text, "!")
		if less {
			if out = slices.DeleteFunc(out, func(t string) bool { return l.matches(name, t) }); !slices.ContainsFunc(all, func(t string) bool { return l.matches(name, t) }) {
				l.add(item.pos, "", "%s: there is no tool %s", what, safetext.Quote(name))
			}
			continue
		}
		if group, ok := l.toolGroups[name]; ok {
			out = append(out, group...)
			continue
		}
		before := len(out)
		for _, t := range all {
			if l.matches(name, t) {
				out = append(out, t)
			}
		}
		if len(out) > before {
			continue
		}
		remedy := "Declare the tool, or remove the name."
		groups := make([]string, 0, len(l.toolGroups))
		for g := range l.toolGroups {
			groups = append(groups, g)
		}
		slices.Sort(groups)
		if near := l.tools.Suggest(name); near != "" {
			remedy = "Did you mean " + near + "?"
		} else if near := jsondoc.Nearest(name, groups); near != "" {
			remedy = "Did you mean the group " + near + "?"
		} else if l.tools.IsNamespace(name) {
			remedy = "Write " + name + ".* for all the tools below it."
		} else if _, ok := l.principals[name]; ok {
			remedy = "The group " + name + " names principals; a group of tools has tools: [email.*]."
		}
		l.add(item.pos, remedy, "%s: there is no tool %s", what, safetext.Quote(name))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// matches says whether a tool is meant by a name, a glob, a group, or by its effects:
// "effects:write".
func (l *loader) matches(pattern, name string) bool {
	if effects, ok := strings.CutPrefix(pattern, "effects:"); ok {
		d, found := l.tools.Lookup(name)
		return found && d.Effects.String() == effects
	}
	return globMatch(pattern, name) || slices.Contains(l.toolGroups[pattern], name)
}

func (l *loader) conditions(e *entry) error {
	groups := make([]string, 0, len(l.principals))
	for name := range l.principals {
		groups = append(groups, name)
	}
	slices.Sort(groups)
	l.policy.groups = stringLists(l.principals)
	var named []string
	if e != nil && l.mapping(e, "conditions", maxGroups) {
		for _, k := range e.keys {
			switch {
			case !identifier(k.text):
				l.add(k.pos, "Write "+identifierOf(k.text)+".", "the condition %s: other conditions cannot write that name", safetext.Quote(k.text))
			case slices.Contains(rootNames(), k.text) || slices.Contains(labelFunctions(), k.text) || reserved(k.text):
				l.add(k.pos, "Choose another name.", "the condition %s has a name that CEL or every condition uses", safetext.Quote(k.text))
			default:
				named = append(named, k.text)
			}
		}
	}
	var err error
	if l.compiler, err = newCompiler(l.reader, l.tools, groups, named); err != nil {
		return err
	}
	if len(l.problems) > 0 || e == nil {
		return nil
	}
	said := jsondoc.NewObject()
	for i, k := range e.keys {
		c := l.compiler.compile(e.items[i])
		if c == nil {
			continue
		}
		for _, other := range c.names {
			if at, ok := l.order[other]; !ok || at >= i {
				l.add(e.items[i].pos, "Write "+other+" above it.", "the condition %s asks %s, which does not stand above it", safetext.Quote(k.text), safetext.Quote(other))
			}
		}
		l.order[k.text] = i
		l.policy.named[k.text] = c
		said.Set(k.text, c.text)
	}
	l.said.Set("conditions", said)
	return nil
}

func (l *loader) rules(e *entry) {
	if e == nil || e.kind == nullEntry {
		return
	}
	if e.kind != listEntry || len(e.items) > maxRules {
		l.add(e.pos, "Write a list of rules: - {name: …, tools: …, decision: …, reason: …}.", "rules: expected a list of at most %d, got %s", maxRules, e.show())
		return
	}
	said := []any{}
	for _, item := range e.items {
		if r := l.rule(item); r != nil && r.name == OtherwiseRule {
			l.add(item.pos, "Choose another name.", "the rule %s has the name that decisions without a rule of the file have", safetext.Quote(r.name))
		} else if r != nil {
			l.policy.rules = append(l.policy.rules, r)
			said = append(said, r.canonical())
		}
	}
	l.said.Set("rules", said)
}

// otherwise reads what is decided where no rule applies.
func (l *loader) otherwise(e *entry) {
	if e == nil || e.kind == nullEntry {
		return
	}
	if e.kind != listEntry || len(e.items) > maxRules {
		l.add(e.pos, "Write a list: - {tools: [email.*], decision: ask, reason: …}.", "otherwise: expected a list of at most %d, got %s", maxRules, e.show())
		return
	}
	said := []any{}
	l.policy.others = map[string]*rule{}
	for _, item := range e.items {
		if when := item.get("when"); when != nil {
			l.add(when.pos, "Write a rule.", "otherwise has no conditions: it is for the calls that no rule applies to")
			continue
		}
		if item.kind == mapEntry && item.get("name") == nil {
			item.keys = append(item.keys, &entry{kind: textEntry, pos: item.pos, text: "name"})
			item.items = append(item.items, &entry{kind: textEntry, pos: item.pos, text: OtherwiseRule})
		}
		r := l.rule(item)
		if r == nil {
			continue
		}
		said = append(said, r.canonical())
		covered, by := 0, ""
		for _, name := range r.tools {
			if first := l.policy.others[name]; first != nil {
				l.add(item.pos, "Say it once.", "otherwise speaks of %s twice; first on line %d", name, first.pos.Line)
			}
			l.policy.others[name] = r
			for _, always := range l.policy.rules {
				if always.when == nil && slices.Contains(always.tools, name) {
					covered, by = covered+1, always.name
					break
				}
			}
		}
		if covered == len(r.tools) {
			l.add(item.pos, "Remove one of them, or give the rule a condition.", "otherwise never decides here: rules such as %s always apply", safetext.Quote(by))
		}
	}
	l.said.Set("otherwise", said)
}

func (r *rule) canonical() *jsondoc.Object {
	o := jsondoc.NewObject(
		jsondoc.Member{Name: "name", Value: r.name}, jsondoc.Member{Name: "tools", Value: anyList(r.tools)},
		jsondoc.Member{Name: "decision", Value: r.verdict.String()}, jsondoc.Member{Name: "reason", Value: r.reason}, jsondoc.Member{Name: "remedy", Value: r.remedy})
	if r.when != nil {
		o.Set("when", r.when.text)
	}
	return o
}

func anyList(names []string) []any {
	out := make([]any, len(names))
	for i, n := range names {
		out[i] = n
	}
	return out
}

func (l *loader) rule(e *entry) *rule {
	before := len(l.problems)
	if !l.keys(e, "a rule", "name", "tools", "when", "decision", "reason", "remedy") {
		return nil
	}
	r := &rule{name: l.need(e, "name", "a rule"), pos: e.pos}
	what := "the rule " + safetext.Quote(r.name)
	if r.name == "" {
		what = "the rule"
	}
	for _, other := range l.policy.rules {
		if other.name == r.name {
			l.add(e.get("name").pos, "Give it a name of its own: tests and decisions name rules.", "%s stands twice; first on line %d", what, other.pos.Line)
		}
	}
	switch r.name {
	case DefaultRule, ApprovalRule, ArgumentRule, UnknownTool:
		l.add(e.get("name").pos, "Choose another name.", "%s has the name that decisions without a rule of the file have", what)
	}
	if t := e.get("tools"); t == nil {
		l.add(e.pos, "Add tools: [email.*].", "%s lacks the key \"tools\"", what)
	} else {
		r.tools = l.pick(t, what)
		if len(r.tools) == 0 && len(l.problems) == before {
			l.add(t.pos, "Name a tool.", "%s is about no tool", what)
		}
	}
	var ok bool
	verdict := l.need(e, "decision", what)
	if r.verdict, ok = parseVerdict(verdict); !ok && verdict != "" {
		l.add(e.get("decision").pos, "Write allow, ask or deny.", "%s: unknown decision %s", what, safetext.Quote(verdict))
	}
	r.reason = l.need(e, "reason", what)
	if r.verdict == Deny {
		r.remedy = l.need(e, "remedy", what)
	} else {
		r.remedy = l.text(e.get("remedy"), "remedy of "+what)
	}
	if when := e.get("when"); when != nil && l.compiler != nil {
		if r.when = l.compiler.compile(when); r.when != nil {
			l.fits(r.when, r.tools, what)
		}
	}
	if len(l.problems) > before {
		return nil
	}
	return r
}

// index finds the rules of each tool.
func (p *Policy) index() {
	p.byTool = make(map[string][]*rule)
	for _, c := range p.named {
		p.members = append(p.members, c.members...)
	}
	for _, r := range p.rules {
		if r.when != nil {
			p.members = append(p.members, r.when.members...)
		}
		for _, t := range r.tools {
			p.byTool[t] = append(p.byTool[t], r)
		}
	}
	if p.groups == nil {
		p.groups = stringLists(nil)
	}
}

// identifier reports whether CEL can write the name.
func identifier(s string) bool { return s != "" && len(s) <= 100 && identifierOf(s) == s }

func identifierOf(s string) string {
	out := []byte(safetext.Clip(s, 100))
	for i, c := range out {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && !(i > 0 && c >= '0' && c <= '9') {
			out[i] = '_'
		}
	}
	return string(out)
}

// reserved are CEL's own words.
func reserved(s string) bool {
	switch s {
	case "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
		"loop", "package", "namespace", "return", "var", "void", "while", "int", "uint", "double", "bool", "string", "bytes",
		"list", "map", "type", "null_type", "dyn", "has", "all", "exists", "exists_one", "size", "matches", "timestamp", "duration":
		return true
	}
	return false
}
