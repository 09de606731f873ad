package egress

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
)

// Credential is a secret that the proxy puts into requests. The code holds its
// placeholder instead. The secret is given to one host and below one path only. Of
// what that host answers it is taken out where it stands as it is, or in one of the
// encodings that servers usually repeat a text in (see [disguises]). A host that writes
// it otherwise, in other letters, encoded twice or in parts, gives it to the code,
// unless Fields says what of an answer the code may see.
type Credential struct {
	Name        string // for messages; it is not secret
	Host        string // a name, without wildcards, or an address
	Port        int    // 0: 443
	PathPrefix  string // such as "/v1", which covers "/v1" and "/v1/…"; empty: every path
	Header      string // such as "Authorization", also with the basic scheme
	Placeholder string // what the code holds, made by [NewPlaceholder]
	// Fields, if there are any, are all that the code gets of what the host answers,
	// beside the status: on every path and port, since what a host was sent it can
	// repeat anywhere. Then all credentials of the host must have some.
	Fields *Fields
	// Plain lets the secret go over connections without TLS, too. Then whoever
	// is on the way can read it.
	Plain bool
	// Value returns the secret. It is called for each request; an error fails
	// the request. What a fault says is shown to the code, other errors are not.
	Value func() (string, error)
}

// NewPlaceholder returns a new text that code uses in place of a secret.
func NewPlaceholder() string { return "praxis-placeholder-" + strings.ToLower(rand.Text()) }

// Bounds of credentials.
const (
	maxCredentials = 100
	minPlaceholder = 16
	minSecret      = 4 // what is shorter cannot be looked for in responses
	maxSecret      = 16 << 10
)

var errLeak = errors.New("the placeholder of a credential is in the body")

// bound is a credential that was checked.
type bound struct {
	Credential
	t target
}

// vault holds the credentials of a proxy. It is never changed.
type vault struct{ list []bound }

func newVault(list []Credential) (*vault, error) {
	v := &vault{}
	if len(list) > maxCredentials {
		return nil, credentialFault("", "there are more than %d", maxCredentials)
	}
	for _, c := range list {
		b, err := checkCredential(c)
		if err != nil {
			return nil, err
		}
		for _, other := range v.list {
			if b.t.host == other.t.host && (b.Fields == nil) != (other.Fields == nil) {
				return nil, credentialFault("Give both fields, or none.", "%s and %s are for one host, and only one of them says which fields of its answers may be seen", other.Name, b.Name)
			}
			if strings.Contains(b.Placeholder, other.Placeholder) || strings.Contains(other.Placeholder, b.Placeholder) {
				return nil, credentialFault("Give each its own placeholder.", "%s and %s share a placeholder", other.Name, b.Name)
			}
		}
		v.list = append(v.list, b)
	}
	return v, nil
}

func checkCredential(c Credential) (bound, error) {
	b := bound{Credential: c}
	host, port, brackets, err := splitPort(c.Host)
	if err == nil && port != "" {
		err = fmt.Errorf("%q has a port", safetext.Clip(c.Host, 100))
	}
	if err == nil {
		b.t.host, b.t.addr, err = parseHost(host, brackets)
	}
	if err != nil {
		return b, credentialFault("Write the name of one host, such as api.example.com.", "%s: %v", c.Name, err)
	}
	switch {
	case c.Port < 0 || c.Port > 65535:
		return b, credentialFault("A port is a number from 1 to 65535.", "%s: %d is no port", c.Name, c.Port)
	case c.Port == 0:
		b.t.port = 443
	default:
		b.t.port = uint16(c.Port)
	}
	token := c.Header != ""
	for i := range len(c.Header) {
		token = token && isToken(c.Header[i])
	}
	switch b.Header = http.CanonicalHeaderKey(c.Header); {
	case !token || slices.Contains([]string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Proxy-Authorization"}, b.Header):
		return b, credentialFault("Write a header such as Authorization.", "%s: %q is no header for a credential", c.Name, safetext.Clip(c.Header, 100))
	case c.PathPrefix != "" && !usablePrefix(c.PathPrefix):
		return b, credentialFault("Write a path such as /v1, in characters that need no escapes.", "%s: the path %q is not an absolute and straight one", c.Name, safetext.Clip(c.PathPrefix, 100))
	case len(c.Placeholder) < minPlaceholder || len(c.Placeholder) > 128 || strings.Trim(c.Placeholder, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "":
		return b, credentialFault("Use egress.NewPlaceholder.", "%s: the placeholder is not made of %d to 128 letters, digits, - and _", c.Name, minPlaceholder)
	case c.Value == nil:
		return b, credentialFault("", "%s has no value", c.Name)
	}
	return b, nil
}

// covers says whether there is a credential for the target: TLS to it must be
// read, and nothing may pass unread.
func (v *vault) covers(t target) bool {
	return slices.ContainsFunc(v.list, func(b bound) bool { return b.t == t || b.Fields != nil && b.t.host == t.host })
}

// hosts returns a target for each host that has a credential.
func (v *vault) hosts() []target {
	var out []target
	for _, b := range v.list {
		if !slices.ContainsFunc(out, func(t target) bool { return t.host == b.t.host }) {
			out = append(out, b.t)
		}
	}
	return out
}

// here says whether the credential is for this request: odd is why its path might
// lead some server elsewhere than it seems to.
func (b *bound) here(out *http.Request, t target, secure bool) (ok bool, odd string) {
	if b.t != t || !secure && !b.Plain {
		return false, ""
	}
	if b.PathPrefix == "" {
		return true, ""
	}
	// The prefix must stand there as it is: a server that unescapes nothing
	// would take "/%761" for something else than "/v1".
	path := out.URL.EscapedPath()
	rest, ok := strings.CutPrefix(path, b.PathPrefix)
	if !ok || rest != "" && rest[0] != '/' && !strings.HasSuffix(b.PathPrefix, "/") {
		return false, ""
	}
	if odd = crooked(path); odd == "" && rewritten(out.Header) {
		odd = "a header field names another path"
	}
	return odd == "", odd
}

// value returns the secret.
func (b *bound) value(t target) (string, *refusal) {
	s, err := b.Value()
	why := ""
	switch {
	case err != nil:
		why = "it cannot be read"
		var f *fault.Error
		if errors.As(err, &f) {
			why = f.Message
		}
	case len(s) < minSecret:
		why = fmt.Sprintf("it is shorter than %d characters, so that it cannot be looked for in responses", minSecret)
	case len(s) > maxSecret:
		why = fmt.Sprintf("it is longer than %d bytes", maxSecret)
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		why = "it has a control character"
	default:
		return s, nil
	}
	return "", refuse(unreachable, t, "", "the credential %s cannot be used: %s", b.Name, why)
}

// pair is a text that must not be seen, and the one that replaces it.
type pair struct{ secret, shown string }

// inject puts the credentials of its host into a request that has their
// placeholders, refuses one with a placeholder that must not be there, and returns
// what must be taken out of the response.
func (v *vault) inject(out *http.Request, t target, secure, upgrade bool) (pairs []pair, injected bool, ref *refusal) {
	if len(v.list) == 0 {
		return nil, false, nil
	}
	if v.contains(out.URL.RequestURI()) {
		return nil, false, refuse(denied, t, "Send it in the header that it is for.", "the URL of a request to %s holds the placeholder of a credential", t)
	}
	for name, values := range out.Header {
		if v.contains(strings.ToLower(name)) {
			return nil, false, refuse(denied, t, "", "the name of a header field holds the placeholder of a credential")
		}
		for i, value := range values {
			filled, more, ref := v.fill(out, t, secure, name, value)
			if ref != nil {
				return nil, false, ref
			}
			if filled != value {
				values[i], injected = filled, true
				pairs = append(pairs, more...)
			}
		}
	}
	ours := false
	for _, b := range v.list {
		if b.t.host != t.host {
			continue
		}
		ours = true
		if s, ref := b.value(t); ref == nil { // one that is not used may be missing
			pairs = append(pairs, disguises(s, b.Placeholder)...)
		}
	}
	if !ours {
		return nil, false, nil
	}
	if upgrade {
		return nil, false, refuse(unsupported, t, "", "a host with credentials is not passed on as a WebSocket: what it says could not be read")
	}
	// The whole of the response is wanted, in a form in which it can be read.
	out.Header.Set("Accept-Encoding", "identity")
	for _, name := range []string{"Range", "If-Range", "A-Im"} {
		out.Header.Del(name)
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return len(b.secret) - len(a.secret) })
	return pairs, injected, nil
}

// contains says whether s, also unescaped, has a placeholder in it.
func (v *vault) contains(s string) bool {
	forms := []string{s}
	if plain, err := url.QueryUnescape(s); err == nil {
		forms = append(forms, plain)
	}
	return slices.ContainsFunc(v.list, func(b bound) bool {
		return slices.ContainsFunc(forms, func(s string) bool { return strings.Contains(s, b.Placeholder) })
	})
}

// fill puts secrets into one value of a header field.
func (v *vault) fill(out *http.Request, t target, secure bool, name, value string) (string, []pair, *refusal) {
	plain, basic := value, false
	if scheme, token, ok := strings.Cut(value, " "); ok && strings.EqualFold(scheme, "Basic") {
		if b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(token)); err == nil && !v.contains(value) {
			plain, basic = string(b), true
		}
	}
	if !v.contains(plain) {
		return value, nil, nil
	}
	filled := plain
	for i := range v.list {
		b := &v.list[i]
		if !strings.Contains(plain, b.Placeholder) {
			continue
		}
		ok, odd := b.here(out, t, secure)
		if odd != "" {
			return "", nil, refuse(denied, t, fmt.Sprintf("Ask for a plain path below %s: ASCII, or letters and digits of any script, and no escapes of what separates its parts.", b.PathPrefix),
				"the credential %s is for paths below %s, and the path of this request can be read in more than one way: %s", b.Name, b.PathPrefix, odd)
		}
		if !ok || b.Header != name {
			return "", nil, misplaced(b, t, secure)
		}
		s, ref := b.value(t)
		if ref != nil {
			return "", nil, ref
		}
		filled = strings.ReplaceAll(filled, b.Placeholder, s)
	}
	if v.contains(filled) { // escaped, or in pieces
		return "", nil, refuse(denied, t, "", "a header field of a request to %s holds the placeholder of a credential in a form that is not replaced", t)
	}
	if !basic {
		return filled, nil, nil
	}
	shown, hidden := base64.StdEncoding.EncodeToString([]byte(plain)), base64.StdEncoding.EncodeToString([]byte(filled))
	return "Basic " + hidden, []pair{{hidden, shown}}, nil
}

func misplaced(b *bound, t target, secure bool) *refusal {
	if b.t == t && !secure && !b.Plain {
		return refuse(denied, t, "Use https://.", "the credential %s does not go over a connection without TLS", b.Name)
	}
	path := b.PathPrefix
	if path == "" {
		path = "/"
	}
	return refuse(denied, t, fmt.Sprintf("Send it to %s, below %s, in the header %s only.", b.t, path, b.Header),
		"a request to %s holds the placeholder of the credential %s, which is not for it", t, b.Name)
}

// minHidden is the length from which a secret is looked for as a part of
// something that is encoded, in bytes.
const minHidden = 8

// disguises returns the forms in which a server that repeats a secret writes it.
func disguises(s, shown string) []pair {
	forms := []string{
		s, url.QueryEscape(s), url.PathEscape(s), html.EscapeString(s),
		base64.StdEncoding.EncodeToString([]byte(s)), base64.RawStdEncoding.EncodeToString([]byte(s)),
		base64.URLEncoding.EncodeToString([]byte(s)), base64.RawURLEncoding.EncodeToString([]byte(s)),
	}
	query := url.QueryEscape(s)
	forms = append(forms, strings.ReplaceAll(query, "+", "%20"))
	if len(s) >= minHidden { // shorter ones would be found in what is no secret
		digits := hex.EncodeToString([]byte(s))
		forms = append(forms, digits, strings.ToUpper(digits))
		for shift := range 3 { // in the middle of a text, whatever is around it
			whole := base64.RawStdEncoding.EncodeToString([]byte("xyz"[:shift] + s))
			part := whole[(shift*8+5)/6 : (shift+len(s))*8/6]
			forms = append(forms, part, strings.NewReplacer("+", "-", "/", "_").Replace(part))
		}
	}
	for _, escape := range []bool{true, false} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(escape)
		if enc.Encode(s) == nil {
			text := strings.Trim(b.String(), "\n")
			text = text[1 : len(text)-1]
			again, _ := json.Marshal(text) // a text is always encoded
			forms = append(forms, text, strings.ReplaceAll(text, "/", `\/`), string(again[1:len(again)-1]))
		}
	}
	slices.Sort(forms)
	var out []pair
	for _, form := range slices.Compact(forms) {
		out = append(out, pair{form, shown})
	}
	return out
}
