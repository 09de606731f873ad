package policy

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// Member is a text or a number in a trusted part of a result: a value that equals
// it may be endorsed by a rule that calls among().
type Member struct {
	Tool  string          `json:"tool"`
	Call  int             `json:"call"`
	Path  jsondoc.Pointer `json:"path"`
	Value any             `json:"value"`
}

// String says where a member stands: "contacts.all#2 /0/email".
func (m Member) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s#%d %s", m.Tool, m.Call, m.Path))
}

// Members are those of the results of a run. The zero value is empty. It is safe for
// concurrent use.
type Members struct {
	mu    sync.Mutex
	list  []Member
	at    map[string][]int // by key
	bytes int
}

// maxMembersBytes bounds them; what comes later is no member.
const maxMembersBytes = 4 << 20

// memberKey is what equal values have in common, "" of what cannot be a member.
func memberKey(v any) string {
	switch v := v.(type) {
	case nil, bool, []any:
		return ""
	case string:
		return "text " + v
	default:
		if jsondoc.IsObject(v) {
			return ""
		}
		text := numeral(v)
		n := number(text) // without its sign
		if strings.HasPrefix(text, "-") && n != "0" {
			n = "-" + n
		}
		return "number " + n
	}
}

// Add adds a member. Containers, true, false and null are none.
func (m *Members) Add(x Member) {
	key := memberKey(x.Value)
	m.mu.Lock()
	defer m.mu.Unlock()
	size := len(key) + len(x.Path) + 64
	if key == "" || m.bytes+size > maxMembersBytes {
		return
	}
	if m.at == nil {
		m.at = map[string][]int{}
	}
	m.bytes += size
	m.at[key] = append(m.at[key], len(m.list))
	m.list = append(m.list, x)
}

// AddResult adds what the labels of a definition call trusted in a result of a call
// whose arguments are trusted.
func (m *Members) AddResult(d *tool.Definition, call int, result any) {
	m.addPart(d, call, result, nil, "", d.Labels.Trusted)
}

func (m *Members) addPart(d *tool.Definition, call int, v any, pattern []string, path jsondoc.Pointer, trusted bool) {
	if mark := d.Labels.Marks(pattern).Trusted; mark != nil {
		trusted = *mark
	}
	pattern = slices.Clip(pattern)
	switch items, isList := v.([]any); {
	case isList:
		for i, item := range items {
			m.addPart(d, call, item, append(pattern, "*"), path.Index(i), trusted)
		}
	case jsondoc.IsObject(v):
		for name, item := range jsondoc.Members(v) {
			m.addPart(d, call, item, append(pattern, name), path.Child(name), trusted)
		}
	case trusted && !d.Model:
		m.Add(Member{d.Name, call, path, v})
	}
}

// All returns the members in the order in which they were added.
func (m *Members) All() []Member {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.list)
}

// find returns the first member that equals a value and that a pattern such as
// "contacts.*/*/email" speaks of.
func (m *Members) find(pattern string, v any) (Member, bool) {
	if m == nil {
		return Member{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	name, path, _ := strings.Cut(pattern, "/")
	for _, i := range m.at[memberKey(v)] {
		if x := m.list[i]; globMatch(name, x.Tool) && (path == "" || covers(strings.Split(path, "/"), x.Path.Segments())) {
			return x, true
		}
	}
	return Member{}, false
}

// covers says whether a path is what a pattern says, or below it.
func covers(pattern, path []string) bool {
	if len(path) < len(pattern) {
		return false
	}
	for i, seg := range pattern {
		if seg != "*" && seg != path[i] {
			return false
		}
	}
	return true
}

// Watches says whether values in the results of a tool can be members for a rule.
func (p *Policy) Watches(name string) bool {
	return slices.ContainsFunc(p.members, func(pattern string) bool {
		of, _, _ := strings.Cut(pattern, "/")
		return globMatch(of, name)
	})
}

// memberPattern checks what among() is asked for.
func (c *compiler) memberPattern(f from) {
	name, _, _ := strings.Cut(f.pattern, "/")
	found := false
	for d := range c.tools.All() {
		if !globMatch(name, d.Name) {
			continue
		}
		found = true
		if d.Labels.Trusted || slices.ContainsFunc(d.Labels.Fields, func(p tool.PartLabel) bool { return p.Trusted != nil && *p.Trusted }) {
			return
		}
	}
	if found {
		c.r.Add(f.at, "Label the tool, or a part of its output, as trusted in the file of tools.", "nothing in the results of %s is trusted: no value is among them", safetext.Quote(name))
		return
	}
	c.r.Add(f.at, jsondoc.DidYouMean(name, c.tools.Names()), "there is no tool %s", safetext.Quote(name))
}

// isAmong says whether a text, a number, or each item of a list of them equals a
// member of a trusted result of the run. A list without items equals nothing: it counts
// where nobody else can have emptied it. Before a run nobody knows.
func isAmong(v, pattern ref.Val) ref.Val {
	n, ok := v.(*node)
	if !ok {
		return noLabel()
	}
	text, ok := pattern.(types.String)
	if !ok {
		return types.NewErr("among asks for a tool and a path in its results")
	}
	plain := n.unwrap()
	if types.IsUnknownOrError(plain) {
		return plain
	}
	if n.ev == nil || n.ev.members == nil {
		return unknown()
	}
	items := []ref.Val{plain}
	if list, ok := plain.(traits.Lister); ok {
		items = items[:0]
		for it := list.Iterator(); it.HasNext() == types.True; {
			items = append(items, it.Next())
		}
		if len(items) == 0 {
			return trustedBetween(n.labels())
		}
	}
	var found []string
	for _, item := range items {
		x, ok := n.ev.members.find(string(text), item.Value())
		if !ok {
			return types.False
		}
		found = append(found, n.path+": "+x.String())
	}
	for _, line := range found {
		if !slices.Contains(n.ev.found, line) {
			n.ev.found = append(n.ev.found, line)
		}
	}
	return types.True
}
