package gate

import (
	"encoding/json"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// DataLabel is a label as events have it.
func DataLabel(l label.Label) event.DataLabel {
	out := event.DataLabel{Trusted: l.Trusted(), Anyone: l.Readers.IsEveryone()}
	if !out.Anyone {
		out.Readers = l.Readers.Principals()
	}
	for _, s := range l.Sources {
		out.Sources = append(out.Sources, s.String())
	}
	return out
}

// bounded checks a result against its bounds and takes secrets out of it.
func (c *passing) bounded(result any) (any, error) {
	switch v := result.(type) {
	case Endorsed:
		inner, err := c.bounded(v.Result)
		v.Result = inner
		return v, err
	case tool.Labelled:
		inner, err := c.bounded(v.Value)
		v.Value = inner
		return v, err
	}
	limit := int64(MaxResult)
	if c.def.Limits.Bytes > 0 {
		limit = c.def.Limits.Bytes
	}
	text, err := jsondoc.Canonical(result)
	switch {
	case err != nil:
		return nil, fault.New(fault.Unavailable, "Mend the tool.", "%s returned what is no JSON value", c.def.Name)
	case int64(len(text)) > limit:
		return nil, fault.New(fault.Exhausted, "Ask for less.", "%s returned %s", c.def.Name, safetext.Over(int64(len(text)), int64(limit)))
	}
	c.out.size = len(text)
	c.mu.Lock()
	c.volume += int64(len(text))
	c.mu.Unlock()
	if clean := c.cfg.Redact(string(text)); clean != string(text) {
		result = c.scrub(result)
	}
	if err := c.def.CheckResult(result); err != nil {
		// The caller's arguments were right: it is the tool that failed.
		return nil, fault.New(fault.Unavailable, fault.RemedyOf(err), "%w", err)
	}
	return result, nil
}

// scrub takes secrets out of every text of a value.
func (c *passing) scrub(v any) any {
	switch v := v.(type) {
	case string:
		return c.cfg.Redact(v)
	case json.Number: // a secret may be all digits
		if clean := c.cfg.Redact(v.String()); clean != v.String() {
			return clean
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = c.scrub(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			out[c.cfg.Redact(name)] = c.scrub(item)
		}
		return out
	case *jsondoc.Object:
		out := jsondoc.NewObject()
		for name, item := range v.All() {
			out.Set(c.cfg.Redact(name), c.scrub(item))
		}
		return out
	}
	return v
}

// source is the label of the call's result, apart from its arguments.
func (c *passing) source(trusted bool) label.Label {
	kind := label.Tool
	if c.def.Model {
		kind = label.Model
	}
	return label.Label{Sources: []label.Source{{Kind: kind, Name: c.def.Name, Call: c.number, Trusted: trusted && kind == label.Tool}}, Readers: label.Everyone()}
}

// accept labels a result that the model or its code gets: with the call, and
// with all that its arguments depend on. Rules may lower it when it is of a
// narrow type as a whole.
func (c *passing) accept(result any) (Accepted, error) {
	trusted, value := c.def.Labels.Whole(), result
	var own []string
	if v, ok := result.(tool.Labelled); ok {
		value, own = v.Value, v.Readers
		trusted = trusted && (v.Trusted == nil || *v.Trusted)
	}
	vouched, endorsed := value.(Endorsed)
	if endorsed {
		value = vouched.Result
	}
	who, everyone, err := c.def.Labels.Readers.Resolve(c.cfg.Tools.Principals(), c.Arguments, value)
	if err != nil {
		return Accepted{}, err
	}
	l := c.source(trusted)
	if !everyone {
		l.Readers = label.Only(who...)
	}
	if own != nil {
		l.Readers = l.Readers.Intersect(label.Only(own...))
	}
	for _, part := range c.def.Labels.Fields {
		if part.Readers == nil {
			continue
		}
		if who, everyone, _ := part.Readers.Static(c.cfg.Tools.Principals()); !everyone {
			l.Readers = l.Readers.Intersect(label.Only(who...))
		}
	}
	c.mu.Lock()
	id := c.Gate.labels.Join(c.deep, c.Gate.labels.Intern(l))
	from := c.Gate.labels.Label(id)
	free := c.Gate.labels.Label(c.deep).Trusted()
	c.mu.Unlock()
	if l, ok := result.(tool.Labelled); free && c.cfg.Policy.Watches(c.def.Name) && (!ok || l.Trusted == nil || *l.Trusted) {
		c.members.AddResult(c.def, c.number, value)
	}
	got := Accepted{Label: from}
	to, rule, lowered := from, "", false
	if endorsed {
		if to, err = policy.Endorse(from, vouched.Who, vouched.Why); err != nil {
			return Accepted{}, err
		}
		rule, lowered = ByPerson, true
	} else {
		to, rule, lowered = c.cfg.Policy.Lower(c.def, from, nil, label.Label{})
	}
	if lowered {
		got.Lowered = []Lowered{{Rule: rule, Who: vouched.Who, Why: vouched.Why, From: from, To: to}}
	}
	c.sawCall(to)
	return got, nil
}
