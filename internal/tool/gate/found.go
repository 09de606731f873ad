package gate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// Bounds of what is quoted for a question.
const (
	maxText    = 256 << 10 // bytes of one text
	maxTexts   = 1 << 20   // and of all
	maxQuotes  = 2         // of an argument
	maxValues  = 20        // of an argument that are looked for
	maxSecrets = 1000      // of all calls
	leastValue = 3         // bytes: what is shorter stands anywhere
	around     = 40        // bytes on each side of a value
)

// text is one of the run in which values of arguments may stand.
type text struct{ name, body string }

// Read notes a text of the run, so that a question can quote where a value of an
// argument stands in it. Old texts are forgotten.
func (g *Gate) Read(name, body string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.texts = append(g.texts, text{name, safetext.Clip(g.cfg.Redact(body), maxText)})
	for n := len(g.texts) - 1; n >= 0; n-- {
		total := 0
		for _, t := range g.texts {
			total += len(t.body)
		}
		if total <= maxTexts {
			return
		}
		g.texts = g.texts[1:]
	}
}

// hide notes the values of arguments that are secret: a text may have them beside
// what is quoted of it, as the code does that made the call.
func (g *Gate) hide(args, shown *jsondoc.Object) {
	visible := values(shown, nil)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, value := range values(args, nil) {
		if len(g.secrets) < maxSecrets && !slices.Contains(visible, value) {
			g.secrets[value] = true
		}
	}
}

// hiding returns what takes the secrets of calls out of a text.
func (g *Gate) hiding() *strings.Replacer {
	g.mu.Lock()
	secrets := slices.Collect(maps.Keys(g.secrets))
	g.mu.Unlock()
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) // one may be a part of another
	var pairs []string
	for _, s := range secrets {
		pairs = append(pairs, s, schema.Redacted, quoted(s), schema.Redacted)
	}
	return strings.NewReplacer(pairs...)
}

// quoted returns a text as it stands in JSON, without the quotes around it.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return string(b[1 : len(b)-1])
}

// found quotes the newest texts in which the values of arguments stand.
func (g *Gate) found(args *jsondoc.Object) map[string][]Found {
	hiding := g.hiding()
	g.mu.Lock()
	texts := slices.Clone(g.texts)
	g.mu.Unlock()
	for i := range texts {
		texts[i].body = hiding.Replace(texts[i].body)
	}
	out := map[string][]Found{}
	for name, v := range args.All() {
		looked := values(v, nil)
		for _, value := range looked[:min(len(looked), maxValues)] {
			encoded := quoted(value) // results are JSON
			for _, t := range slices.Backward(texts) {
				at := strings.Index(t.body, value)
				if at < 0 {
					at = strings.Index(t.body, encoded)
				}
				if at >= 0 && len(out[name]) < maxQuotes {
					from, to := max(at-around, 0), min(at+len(value)+around, len(t.body))
					q := Found{Text: t.name, Quote: strings.ToValidUTF8(t.body[from:to], "")}
					if !slices.Contains(out[name], q) {
						out[name] = append(out[name], q)
					}
				}
			}
		}
	}
	return out
}

// values returns the texts and numbers in a value that can be looked for.
func values(v any, out []string) []string {
	switch v := v.(type) {
	case string:
		if len(v) >= leastValue {
			out = append(out, v)
		}
	case json.Number:
		out = values(v.String(), out)
	case []any:
		for _, item := range v {
			out = values(item, out)
		}
	case *jsondoc.Object:
		for _, item := range v.All() {
			out = values(item, out)
		}
	}
	return out
}

// returned names the result of a call as a text.
func (c *passing) returned() string {
	return fmt.Sprintf("what %s returned (call %s)", c.def.Name, c.out.ID)
}
