package journal

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// minSecret is how long a value must be to be looked for: shorter ones stand
// in texts by chance.
const minSecret = 8

// needle is one form of a secret and what takes its place.
type needle struct {
	form string
	name string
	mark string
}

// redactor finds secrets in texts. It is not changed once it is made.
type redactor struct {
	secrets map[string]string // values by name
	digest  func(value string) string
	texts   matcher // of all forms
	data    matcher // of all forms as they stand in the JSON of a text
}

// newRedactor looks for secrets, values by name. digest makes the keyed digest.
func newRedactor(secrets map[string]string, digest func(string) string) *redactor {
	r := &redactor{secrets: map[string]string{}, digest: digest}
	var texts, data []needle
	for name, value := range secrets {
		if len(value) < minSecret {
			continue
		}
		r.secrets[name] = value
		mark := "[secret " + name + "]"
		if d := digest(value); d != "" {
			mark = fmt.Sprintf("[secret %s %s]", name, d)
		}
		for _, form := range forms(value) {
			texts = append(texts, needle{form, name, mark})
			quoted := quote(form)
			data = append(data, needle{string(quoted[1 : len(quoted)-1]), name, mark})
		}
	}
	r.texts, r.data = newMatcher(texts), newMatcher(data)
	return r
}

// matcher finds the first of many strings.
type matcher struct {
	first   [1 << 10]uint64 // a set of the first two bytes of all
	by      map[uint16][]needle
	longest int
}

func newMatcher(all []needle) matcher {
	m := matcher{by: map[uint16][]needle{}}
	// The longest first, so that nothing is left of a secret that holds another.
	slices.SortFunc(all, func(a, b needle) int {
		return cmp.Or(cmp.Compare(len(b.form), len(a.form)), strings.Compare(a.form, b.form), strings.Compare(a.name, b.name))
	})
	for _, n := range all {
		p := pair(n.form[0], n.form[1])
		m.first[p>>6] |= 1 << (p & 63)
		m.by[p] = append(m.by[p], n)
		m.longest = max(m.longest, len(n.form))
	}
	return m
}

func pair(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

// with returns a redactor that looks for one more.
func (r *redactor) with(name, value string) *redactor {
	more := map[string]string{name: value}
	for n, v := range r.secrets {
		if n == name && v != value {
			n += "'" // another value of the same name: both are looked for
		}
		more[n] = v
	}
	return newRedactor(more, r.digest)
}

// forms are the ways in which a value stands in texts: as it is, escaped as
// JSON, as Python shows it, in an address, in hexadecimal, and in base64
// wherever it begins in what was encoded. What is escaped is looked for escaped
// as JSON once more, since a text may be JSON.
func forms(value string) []string {
	quoted := func(s string) []string {
		plain, err := json.Marshal(s) // escapes <, > and & as well
		if err != nil {
			return nil
		}
		bare := quote(s)
		return []string{s, string(plain[1 : len(plain)-1]), string(bare[1 : len(bare)-1])}
	}
	var out []string
	shown := strings.ReplaceAll(value, `\`, `\\`) // between quotes that it does not hold
	for _, s := range append(quoted(value), shown, strings.ReplaceAll(shown, "'", `\'`)) {
		out = append(out, quoted(s)...)
	}
	digits := hex.EncodeToString([]byte(value))
	out = append(out, digits, strings.ToUpper(digits))
	query := url.QueryEscape(value)
	part := strings.ReplaceAll(query, "+", "%20") // what was a "+" is an escape
	for _, s := range []string{query, part, strings.ReplaceAll(part, "%2F", "/"), componentEscape(part), url.PathEscape(value)} {
		out = append(out, s, smallEscapes(s))
	}
	for shift := range 3 {
		whole := base64.RawStdEncoding.EncodeToString([]byte("\x00\x00"[:min(shift, 2)] + value))
		// The characters that depend on what stands around are left out.
		from, to := (shift*8+5)/6, (shift+len(value))*8/6
		s := whole[from:to]
		out = append(out, s, strings.NewReplacer("+", "-", "/", "_").Replace(s), strings.ReplaceAll(s, "/", `\/`))
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(s string) bool { return len(s) < minSecret })
}

// componentEscape takes back the escapes that encodeURIComponent does not make.
func componentEscape(s string) string {
	return strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace(s)
}

// smallEscapes writes the digits of an address's escapes in small letters.
func smallEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i:], bytes.ToLower(b[i:i+3]))
		}
	}
	return string(b)
}

// at returns the secret that stands at the beginning of s.
func at[T string | []byte](m *matcher, s T) (needle, bool) {
	p := pair(s[0], s[1])
	if m.first[p>>6]&(1<<(p&63)) == 0 {
		return needle{}, false
	}
	for _, n := range m.by[p] {
		if len(s) >= len(n.form) && string(s[:len(n.form)]) == n.form {
			return n, true
		}
	}
	return needle{}, false
}

// find returns the first secret in s.
func find[T string | []byte](m *matcher, s T) (needle, bool) {
	if m.longest == 0 {
		return needle{}, false
	}
	for i := 0; i+1 < len(s); i++ {
		if n, ok := at(m, s[i:]); ok {
			return n, true
		}
	}
	return needle{}, false
}

// text returns s with a mark in place of every secret.
func (r *redactor) text(s string) string {
	if r == nil || r.texts.longest == 0 {
		return s
	}
	var out strings.Builder
	last := 0
	for i := 0; i+1 < len(s); {
		n, ok := at(&r.texts, s[i:])
		if !ok {
			i++
			continue
		}
		out.WriteString(s[last:i])
		out.WriteString(n.mark)
		i += len(n.form)
		last = i
	}
	if last == 0 && out.Len() == 0 {
		return s
	}
	out.WriteString(s[last:])
	return out.String()
}

// inData returns what to apply to the texts of the JSON b: nil when there is
// nothing to be found.
func (r *redactor) inData(b []byte) func(string) string {
	if _, ok := find(&r.data, b); !ok {
		return nil
	}
	return r.text
}

// watch looks for secrets in what passes by in pieces.
type watch struct {
	r    *redactor
	tail []byte
	name string // of the secret that was found
}

func (w *watch) write(p []byte) {
	if w.r == nil || w.r.texts.longest == 0 || w.name != "" {
		return
	}
	w.tail = append(w.tail, p...)
	if n, ok := find(&w.r.texts, w.tail); ok {
		w.name, w.tail = n.name, nil
		return
	}
	if keep := w.r.texts.longest - 1; len(w.tail) > keep {
		w.tail = append(w.tail[:0], w.tail[len(w.tail)-keep:]...)
	}
}

// keyed makes the digest that replaces a secret: it distinguishes two secrets,
// and nobody without the key can try out values.
func keyed(key []byte) func(string) string {
	return func(value string) string {
		if key == nil {
			return ""
		}
		h := hmac.New(sha256.New, key)
		h.Write([]byte(value))
		return hex.EncodeToString(h.Sum(nil)[:4])
	}
}
