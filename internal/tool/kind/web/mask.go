package web

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// leastMasked is the length from which a secret is masked in results: a shorter
// one would also be found in texts that do not contain it on purpose.
const leastMasked = 6

// mask replaces the secrets of a call, in every form in which they were sent.
type mask struct {
	replacer *strings.Replacer
	longest  int
}

func newMask(secrets []string, least int) mask {
	var m mask
	var forms []string
	for _, s := range secrets {
		s = strings.TrimSpace(s)
		if s == "" || len(s) < least {
			continue
		}
		quoted, _ := json.Marshal(s)
		for _, form := range []string{s, escape(s), url.QueryEscape(s), url.PathEscape(s), strings.Trim(string(quoted), `"`)} {
			if !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
			m.longest = max(m.longest, len(form))
		}
	}
	// The longest first: of two that begin alike no rest may stay.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var both []string
	for _, form := range forms {
		both = append(both, form, schema.Redacted)
	}
	if len(both) > 0 {
		m.replacer = strings.NewReplacer(both...)
	}
	return m
}

func (m mask) text(s string) string {
	if m.replacer == nil {
		return s
	}
	return m.replacer.Replace(s)
}

// value masks the strings of a result, which it may change in place.
func (m mask) value(v any) any {
	if m.replacer == nil {
		return v
	}
	switch v := v.(type) {
	case string:
		return m.text(v)
	case []any:
		for i := range v {
			v[i] = m.value(v[i])
		}
	case *jsondoc.Object:
		out := jsondoc.NewObject()
		for name, member := range v.All() {
			out.Set(m.text(name), m.value(member))
		}
		return out
	}
	return v
}

// show quotes a name for a message.
func show(s string) string { return `"` + line(s, 80) + `"` }

// line cuts s to n characters in one line, for a message.
func line(s string, n int) string {
	var b strings.Builder
	count, space := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			space = b.Len() > 0
			continue
		}
		if count == n {
			return b.String() + "…"
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
		count++
	}
	return b.String()
}
