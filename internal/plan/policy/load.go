package policy

import (
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"strings"

	"praxis/fault"
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
	maxText       = 2_000  // characters of a name, a reason or a remedy
)

// loader reads one file.
type loader struct {
	*jsondoc.Report
	tools      *tool.Set
	policy     *Policy
	toolGroups map[string][]string
	principals map[string][]string
	compiler   *compiler
	order      map[string]int // of the named conditions
}

// Load reads a policy in YAML. It does no input or output: name is only shown in
// positions. What it refuses is a fault of kind Invalid whose message is the
// first problem with its place, and whose cause is [jsondoc.Problems], all of them.
func Load(name string, data []byte, tools *tool.Set) (*Policy, error) {
	r := &jsondoc.Report{File: name}
	l := &loader{
		Report: r, tools: tools, policy: &Policy{name: name, tools: tools, named: map[string]*condition{}},
		toolGroups: map[string][]string{}, principals: map[string][]string{}, order: map[string]int{},
	}
	root := jsondoc.Read(r, data)
	if root != nil {
		if err := l.file(root); err != nil {
			return nil, err
		}
	}
	if err := refused("cannot load the policy", r); err != nil {
		return nil, err
	}
	l.policy.index()
	said := jsondoc.NewObject()
	for i, k := range root.Keys {
		if k.Text != "tests" {
			said.Set(k.Text, root.Items[i].Value())
		}
	}
	text, err := jsondoc.Canonical(said)
	l.policy.hash = sha256.Sum256(text)
	return l.policy, err
}

// refused returns the problems of a file as one fault whose message is the first of them.
func refused(what string, r *jsondoc.Report) error {
	var f *fault.Error
	if errors.As(r.Problems.Fault(), &f) {
		f.Message = what + ": " + f.Message
		return f
	}
	return nil
}

func (l *loader) file(root *jsondoc.Node) error {
	if !l.keys(root, "the file", "version", "groups", "conditions", "rules", "otherwise", "lower", "tests") {
		return nil
	}
	if v := root.Get("version"); v == nil {
		l.Add(root, "Write version: 1 at its top.", "the file lacks the key \"version\"")
	} else if v.Kind != jsondoc.Number || v.Text != "1" {
		l.Add(v, "Write version: 1.", "version of the format: expected %d, got %s", formatVersion, v.Show())
	}
	l.groups(root.Get("groups"))
	if err := l.conditions(root.Get("conditions")); err != nil {
		return err
	}
	l.rules(root.Get("rules"))
	l.otherwise(root.Get("otherwise"))
	l.lowerings(root.Get("lower"))
	if len(l.Problems) == 0 {
		l.consistency()
	}
	l.cases(root.Get("tests"))
	return nil
}

// keys checks that an entry is a mapping with known keys.
func (l *loader) keys(e *jsondoc.Node, what string, known ...string) bool {
	if e.Kind != jsondoc.Map {
		l.Add(e, "Write keys and values: "+strings.Join(known, ", ")+".", "%s: expected a mapping, got %s", what, e.Show())
		return false
	}
	for _, k := range e.Keys {
		if !slices.Contains(known, k.Text) && !strings.HasPrefix(k.Text, "x-") {
			l.Add(k, jsondoc.DidYouMean(k.Text, known), "unknown key %s in %s", safetext.Quote(k.Text), what)
		}
	}
	return true
}

// text reads a string that is not empty. A missing entry gives "".
func (l *loader) text(e *jsondoc.Node, what string) string {
	switch {
	case e == nil:
		return ""
	case e.Kind != jsondoc.String:
		l.Add(e, "Put it into quotes.", "%s: expected a string, got %s", what, e.Show())
	case strings.TrimSpace(e.Text) == "":
		l.Add(e, "", "%s: the string is empty", what)
	case len(e.Text) > maxText:
		l.Add(e, "", "%s: longer than %d bytes", what, maxText)
	default:
		return e.Text
	}
	return ""
}

// need is text for a key that has to be there.
func (l *loader) need(of *jsondoc.Node, key, what string) string {
	e := of.Get(key)
	if e == nil {
		l.Add(of, "Add "+key+": …", "%s lacks the key %s", what, safetext.Quote(key))
	}
	return l.text(e, key+" of "+what)
}

// texts reads a string or a list of strings with their places.
func (l *loader) texts(e *jsondoc.Node, what string, most int) []*jsondoc.Node {
	var out []*jsondoc.Node
	switch {
	case e == nil:
	case e.Kind == jsondoc.String:
		out = []*jsondoc.Node{e}
	case e.Kind != jsondoc.List:
		l.Add(e, "Write a list: [a, b].", "%s: expected a list of names, got %s", what, e.Show())
	case len(e.Items) > most:
		l.Add(e, "", "%s: more than %d names", what, most)
	default:
		for _, item := range e.Items {
			if l.text(item, what) != "" {
				out = append(out, item)
			}
		}
	}
	return out
}

func (l *loader) groups(e *jsondoc.Node) {
	if !l.mapping(e, "groups", maxGroups) {
		return
	}
	for i, key := range e.Keys {
		what := "the group " + safetext.Quote(key.Text)
		if !identifier(key.Text) {
			l.Add(key, "Use letters, digits and underscores, and begin with a letter.", "%s: conditions cannot write that name", what)
			continue
		}
		if _, ok := l.tools.Lookup(key.Text); ok || l.tools.IsNamespace(key.Text) {
			l.Add(key, "Choose another name.", "%s has the name of a tool", what)
			continue
		}
		g := e.Items[i]
		if !l.keys(g, what, "principals", "tools") {
			continue
		}
		who, which := g.Get("principals"), g.Get("tools")
		switch {
		case who != nil && which == nil:
			l.principals[key.Text] = l.people(who, what)
		case which != nil && who == nil:
			l.toolGroups[key.Text] = l.pick(which, what)
		default:
			l.Add(key, "Write principals: [ada@example.com] or tools: [email.*].", "%s names principals or tools, one of the two", what)
		}
	}
}

func (l *loader) mapping(e *jsondoc.Node, what string, most int) bool {
	switch {
	case e == nil || e.Kind == jsondoc.Null:
		return false
	case e.Kind != jsondoc.Map:
		l.Add(e, "Write names and what they stand for.", "%s: expected a mapping, got %s", what, e.Show())
		return false
	case len(e.Keys) > most:
		l.Add(e, "", "%s: more than %d", what, most)
		return false
	}
	return true
}

// list returns the items of a list. each is the form of one.
func (l *loader) list(e *jsondoc.Node, what string, most int, each string) []*jsondoc.Node {
	if e == nil || e.Kind == jsondoc.Null {
		return nil
	}
	if e.Kind != jsondoc.List || len(e.Items) > most {
		l.Add(e, "Write a list: - "+each+".", "%s: expected a list of at most %d, got %s", what, most, e.Show())
		return nil
	}
	return e.Items
}

// people reads principals. The word "me" means the user.
func (l *loader) people(e *jsondoc.Node, what string) []string {
	known := l.tools.Principals()
	out := []string{}
	for _, item := range l.texts(e, "principals of "+what, maxMembers) {
		name := item.Text
		switch {
		case strings.IndexByte(name, 0) >= 0 || strings.Contains(strings.TrimPrefix(name, "*"), "*"):
			l.Add(item, "A star may only stand at the start: *@example.com.", "%s: %s is not a principal", what, safetext.Quote(name))
			continue
		case name == tool.Me:
			name = known.Me
		case !strings.HasPrefix(name, "*") && !known.Known(name):
			l.Add(item, didYouMeanOr(name, known.Names, "Add it to principals in the file of tools."), "%s: the principal %s is not known", what, safetext.Quote(name))
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

// needTools is pick for a key that has to be there.
func (l *loader) needTools(of *jsondoc.Node, what, such string) []string {
	e := of.Get("tools")
	if e == nil {
		l.Add(of, "Add tools: ["+such+"].", "%s lacks the key \"tools\"", what)
	}
	return l.pick(e, what)
}

// pick reads names of tools, globs and groups, and returns the tools' names.
func (l *loader) pick(e *jsondoc.Node, what string) []string {
	out := []string{}
	all := l.tools.Names()
	var gone []string // what was taken away
	add := func(item *jsondoc.Node, t string) {
		if i := slices.IndexFunc(gone, func(less string) bool { return l.matches(less, t) }); i >= 0 {
			l.Add(item, "Write "+safetext.Quote("!"+gone[i])+" behind it.", "%s: %s brings %s back, which was taken away before", what, safetext.Quote(item.Text), t)
		}
		out = append(out, t)
	}
	for _, item := range l.texts(e, "tools of "+what, maxMembers) {
		name, less := strings.CutPrefix(item.Text, "!")
		if less {
			gone = append(gone, name)
			if out = slices.DeleteFunc(out, func(t string) bool { return l.matches(name, t) }); !slices.ContainsFunc(all, func(t string) bool { return l.matches(name, t) }) {
				l.Add(item, "", "%s: there is no tool %s", what, safetext.Quote(name))
			}
			continue
		}
		if group, ok := l.toolGroups[name]; ok {
			for _, t := range group {
				add(item, t)
			}
			continue
		}
		before := len(out)
		for _, t := range all {
			if l.matches(name, t) {
				add(item, t)
			}
		}
		if len(out) > before {
			continue
		}
		remedy := "Declare the tool, or remove the name."
		if near := l.tools.Suggest(name); near != "" {
			remedy = "Did you mean " + near + "?"
		} else if near := jsondoc.Nearest(name, slices.Sorted(maps.Keys(l.toolGroups))); near != "" {
			remedy = "Did you mean the group " + near + "?"
		} else if l.tools.IsNamespace(name) {
			remedy = "Write " + name + ".* for all the tools below it."
		} else if _, ok := l.principals[name]; ok {
			remedy = "The group " + name + " names principals; a group of tools has tools: [email.*]."
		}
		l.Add(item, remedy, "%s: there is no tool %s", what, safetext.Quote(name))
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

func (l *loader) conditions(e *jsondoc.Node) error {
	groups := slices.Sorted(maps.Keys(l.principals))
	l.policy.groups = stringLists(l.principals)
	var named []string
	if l.mapping(e, "conditions", maxGroups) {
		for _, k := range e.Keys {
			switch {
			case !identifier(k.Text):
				l.Add(k, "Write "+identifierOf(k.Text)+".", "the condition %s: other conditions cannot write that name", safetext.Quote(k.Text))
			case slices.Contains(rootNames(), k.Text) || slices.Contains(labelFunctions(), k.Text) || reserved(k.Text):
				l.Add(k, "Choose another name.", "the condition %s has a name that CEL or every condition uses", safetext.Quote(k.Text))
			default:
				named = append(named, k.Text)
			}
		}
	}
	var err error
	if l.compiler, err = newCompiler(l.Report, l.tools, groups, named); err != nil {
		return err
	}
	if len(l.Problems) > 0 || e == nil {
		return nil
	}
	for i, k := range e.Keys {
		c := l.compiler.compile(e.Items[i])
		if c == nil {
			continue
		}
		for _, other := range c.names {
			if at, ok := l.order[other]; !ok || at >= i {
				l.Add(e.Items[i], "Write "+other+" above it.", "the condition %s asks %s, which does not stand above it", safetext.Quote(k.Text), safetext.Quote(other))
			}
		}
		l.order[k.Text] = i
		l.policy.named[k.Text] = c
	}
	return nil
}

func (l *loader) rules(e *jsondoc.Node) {
	for _, item := range l.list(e, "rules", maxRules, "{name: …, tools: …, decision: …, reason: …}") {
		r := l.rule(item, "")
		if r == nil {
			continue
		}
		switch r.name {
		case DefaultRule, ApprovalRule, ArgumentRule, UnknownTool, OtherwiseRule:
			l.Add(item.Get("name"), "Choose another name.", "the rule %s has the name that decisions without a rule of the file have", safetext.Quote(r.name))
		}
		l.policy.rules = append(l.policy.rules, r)
	}
}

// otherwise reads what is decided where no rule applies.
func (l *loader) otherwise(e *jsondoc.Node) {
	l.policy.others = map[string]*rule{}
	for _, item := range l.list(e, "otherwise", maxRules, "{tools: [email.*], decision: ask, reason: …}") {
		if when := item.Get("when"); when != nil {
			l.Add(when, "Write a rule.", "otherwise has no conditions: it is for the calls that no rule applies to")
			continue
		}
		r := l.rule(item, OtherwiseRule)
		if r == nil {
			continue
		}
		covered, by := 0, ""
		for _, name := range r.tools {
			if first := l.policy.others[name]; first != nil {
				l.Add(item, "Say it once.", "otherwise speaks of %s twice; first on line %d", name, first.pos.Line)
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
			l.Add(item, "Remove one of them, or give the rule a condition.", "otherwise never decides here: rules such as %s always apply", safetext.Quote(by))
		}
	}
}

// rule reads a rule, whose name may be left out when there is another for it.
func (l *loader) rule(e *jsondoc.Node, name string) *rule {
	before := len(l.Problems)
	if !l.keys(e, "a rule", "name", "tools", "when", "decision", "reason", "remedy") {
		return nil
	}
	if name == "" || e.Get("name") != nil {
		name = l.need(e, "name", "a rule")
	}
	r := &rule{name: name, pos: l.Pos(e)}
	what := "the rule " + safetext.Quote(r.name)
	if r.name == "" {
		what = "the rule"
	}
	for _, other := range l.policy.rules {
		if other.name == r.name {
			l.Add(e.Get("name"), "Give it a name of its own: tests and decisions name rules.", "%s stands twice; first on line %d", what, other.pos.Line)
		}
	}
	if r.tools = l.needTools(e, what, "email.*"); len(r.tools) == 0 && len(l.Problems) == before {
		l.Add(e.Get("tools"), "Name a tool.", "%s is about no tool", what)
	}
	r.verdict = l.verdict(e, "decision", what)
	r.reason = l.need(e, "reason", what)
	if r.verdict == Deny {
		r.remedy = l.need(e, "remedy", what)
	} else {
		r.remedy = l.text(e.Get("remedy"), "remedy of "+what)
	}
	if when := e.Get("when"); when != nil && l.compiler != nil {
		if r.when = l.compiler.compile(when); r.when != nil {
			l.fits(r.when, r.tools, what)
		}
	}
	if len(l.Problems) > before {
		return nil
	}
	return r
}

// verdict reads allow, ask or deny.
func (l *loader) verdict(of *jsondoc.Node, key, what string) Verdict {
	word := l.need(of, key, what)
	v, ok := parseVerdict(word)
	if !ok && word != "" {
		l.Add(of.Get(key), "Write allow, ask or deny.", "%s: unknown decision %s", what, safetext.Quote(word))
	}
	return v
}

// index finds the rules of each tool.
func (p *Policy) index() {
	p.byTool = make(map[string][]*rule)
	for _, c := range p.named {
		p.members, p.counts = append(p.members, c.members...), p.counts || c.counts
	}
	for _, r := range p.rules {
		if r.when != nil {
			p.members, p.counts = append(p.members, r.when.members...), p.counts || r.when.counts
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
