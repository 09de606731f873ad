package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/text/unicode/norm"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

const (
	maxURL    = 16 << 10
	maxHeader = 16 << 10 // one value
	maxBody   = 16 << 20
)

// build makes the request of one call.
func (r *request) build(ctx context.Context, c tool.Invocation, f *filling) (*http.Request, error) {
	left, err := r.leftOf(c.Arguments)
	if err != nil {
		return nil, err
	}
	target, err := r.target(f, left)
	if err != nil {
		return nil, err
	}
	body, contentType, err := r.content(c.Tool, f, left)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, r.method, r.origin+"/", http.NoBody)
	if body != nil {
		req, err = http.NewRequestWithContext(ctx, r.method, r.origin+"/", bytes.NewReader(body))
	}
	if err != nil {
		return nil, wrong("", "the request cannot be made")
	}
	req.URL = target
	req.Header.Set("Accept", "application/json, text/plain;q=0.9, */*;q=0.1")
	req.Header.Set("User-Agent", "praxis")
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if c.Key != "" && c.Tool.Effects.Acts() {
		if hasControl(c.Key) || len(c.Key) > maxHeader {
			return nil, wrong("", "the key of the call cannot stand in a header")
		}
		setHeader(req, "Idempotency-Key", c.Key)
	}
	for _, h := range r.headers {
		value, ok, err := f.text(h.value, headerSafe(h.name))
		if err != nil {
			return nil, err
		}
		if len(value) > maxHeader {
			return nil, wrong("", "the header %s would have more than %d bytes", h.name, maxHeader)
		}
		if ok {
			setHeader(req, h.name, value)
		}
	}
	return req, nil
}

// setHeader sets a header. net/http sends a request again when a reused connection
// breaks, if it finds the header Idempotency-Key under its canonical name; but the
// gate decides whether to send again. Names of headers have no case, so the name is
// written in small letters, which net/http does not look for.
func setHeader(req *http.Request, name, value string) {
	switch low := strings.ToLower(name); low {
	case "idempotency-key", "x-idempotency-key":
		req.Header[low] = []string{value}
	default:
		req.Header.Set(name, value)
	}
}

// headerSafe refuses what would end a header, or begin another cookie.
func headerSafe(header string) func(part, string) error {
	return func(p part, s string) error {
		what := "the argument " + show(p.arg)
		if p.secret != "" {
			what = "the secret " + show(p.secret)
		}
		if hasControl(s) {
			return wrong("Send it in one line.", "%s cannot stand in the header %s: it has a line break or a control character", what, header)
		}
		if p.secret == "" && strings.EqualFold(header, "Cookie") && strings.ContainsAny(s, ";,") {
			return wrong("", "%s cannot stand in a cookie: it has a separator", what)
		}
		return nil
	}
}

// leftOf returns the arguments that no template uses.
func (r *request) leftOf(arguments *jsondoc.Object) (*jsondoc.Object, error) {
	left := jsondoc.NewObject()
	if r.all {
		return left, nil
	}
	for name, v := range arguments.All() {
		if r.used[name] {
			continue
		}
		if err := r.unused(name); err != nil {
			return nil, err
		}
		left.Set(name, v)
	}
	return left, nil
}

// target makes the URL.
func (r *request) target(f *filling, left *jsondoc.Object) (*url.URL, error) {
	var b strings.Builder
	b.WriteString(r.origin)
	for _, segment := range r.path {
		b.WriteByte('/')
		plain, ok, err := f.text(segment, pathSafe)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, wrong("Give it a value.", "an argument of the path has none")
		}
		if walks(plain) {
			return nil, wrong("Give a name or a number.", "a part of the path would be . or .., which leads elsewhere")
		}
		b.WriteString(escape(plain))
	}
	var query pairs
	if err := query.fields(f, r.query); err != nil {
		return nil, err
	}
	if r.bodyless() {
		if err := query.object(left); err != nil {
			return nil, err
		}
	}
	if len(query) > 0 {
		b.WriteByte('?')
		b.WriteString(query.String())
	}
	if b.Len() > maxURL {
		return nil, wrong("Send less.", "the address would have more than %d bytes", maxURL)
	}
	u, err := url.Parse(b.String())
	if err != nil {
		return nil, wrong("", "the address cannot be made")
	}
	return u, nil
}

// pathSafe refuses what has no place in one segment of a path.
func pathSafe(p part, s string) error {
	what := "the argument " + show(p.arg)
	if p.secret != "" {
		what = "the secret " + show(p.secret)
	}
	switch {
	case s == "":
		return wrong("Give it a value.", "%s stands in the path and is empty", what)
	case hasControl(s):
		return wrong("", "%s stands in the path and has a control character", what)
	}
	return nil
}

// walks reports whether a segment of a path would lead elsewhere, in the eyes of
// a server that takes it apart once more after it was decoded, or twice, or that
// folds full-width characters to ASCII before.
func walks(segment string) bool {
	for range 3 {
		for _, s := range strings.FieldsFunc(norm.NFKC.String(segment), func(r rune) bool { return r == '/' || r == '\\' }) {
			s, _, _ = strings.Cut(s, ";")
			if s = strings.TrimSpace(s); s == "." || s == ".." {
				return true
			}
		}
		decoded, err := url.PathUnescape(segment)
		if err != nil || decoded == segment {
			return false
		}
		segment = decoded
	}
	return false
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// escape percent-encodes all but RFC 3986's unreserved characters.
func escape(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// pairs are names and values of a query or a form, in order.
type pairs [][2]string

func (p *pairs) add(name, value string) { *p = append(*p, [2]string{name, value}) }

// String returns application/x-www-form-urlencoded, with %20 for spaces, which
// every reader of queries understands.
func (p pairs) String() string {
	var b strings.Builder
	for i, pair := range p {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(escape(pair[0]))
		b.WriteByte('=')
		b.WriteString(escape(pair[1]))
	}
	return b.String()
}

func (p *pairs) fields(f *filling, fields []field) error {
	for _, one := range fields {
		if err := p.field(f, one); err != nil {
			return err
		}
	}
	return nil
}

func (p *pairs) field(f *filling, one field) error {
	name, whole := one.value.whole()
	if !whole {
		text, ok, err := f.text(one.value, nil)
		if ok {
			p.add(one.name, text)
		}
		return err
	}
	v, ok := f.arg(name)
	if !ok {
		return nil
	}
	list, isList := v.([]any)
	switch {
	case one.deep:
		o, ok := v.(*jsondoc.Object)
		if !ok {
			return wrong("Give an object.", "the argument %s is sent member by member and is no object", show(name))
		}
		for key, member := range o.All() {
			if err := p.value(one.name+"["+key+"]", member); err != nil {
				return err
			}
		}
		return nil
	case one.join != "" && isList:
		text, err := joined(list, one.join)
		p.add(one.name, text)
		return err
	}
	return p.value(one.name, v)
}

// value adds a value: a list as one pair for each item, null not at all.
func (p *pairs) value(name string, v any) error {
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, item := range list {
		text, err := textOf(item)
		if err != nil {
			return wrong("", "the argument %s cannot be sent: %w", show(name), err)
		}
		p.add(name, text)
	}
	return nil
}

func (p *pairs) object(o *jsondoc.Object) error {
	for name, v := range o.All() {
		if err := p.value(name, v); err != nil {
			return err
		}
	}
	return nil
}

// content makes the body, nil for none, and its type.
func (r *request) content(d *tool.Definition, f *filling, left *jsondoc.Object) ([]byte, string, error) {
	if r.bodyless() {
		return nil, "", nil
	}
	if r.isForm {
		var form pairs
		if err := form.fields(f, r.form); err != nil {
			return nil, "", err
		}
		if err := form.object(left); err != nil {
			return nil, "", err
		}
		return checkedBody([]byte(form.String()), "application/x-www-form-urlencoded")
	}
	if r.body == nil && left.Len() == 0 && !r.takesBody(d) {
		return nil, "", nil
	}
	var v any = left
	if r.body != nil {
		var ok bool
		var err error
		if v, ok, err = f.value(r.body); err != nil || !ok {
			return nil, "", err
		}
		if o, ok := v.(*jsondoc.Object); ok && left.Len() > 0 {
			for name, member := range left.All() { // r.unused has checked that nothing is overwritten
				o.Set(name, member)
			}
		}
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, "", wrong("", "the arguments cannot be written as JSON: %w", err)
	}
	return checkedBody(data, "application/json")
}

// takesBody reports whether the tool declares arguments that go into a body of
// their own, which is sent even when none of them is given.
func (r *request) takesBody(d *tool.Definition) bool {
	for _, p := range d.Arguments() {
		if !r.used[p.Name] {
			return true
		}
	}
	return false
}

func checkedBody(data []byte, contentType string) ([]byte, string, error) {
	if len(data) > maxBody {
		return nil, "", fault.New(fault.Exhausted, "Send less at once.", "the request would have %s", safetext.Over(int64(len(data)), maxBody))
	}
	return data, contentType, nil
}
