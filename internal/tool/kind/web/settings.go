package web

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

const maxTimeout = 24 * time.Hour

// settings are the value of run: {http: …} in a file.
type settings struct {
	Method  string          `json:"method"`
	URL     string          `json:"url"`
	Query   *jsondoc.Object `json:"query"`
	Headers *jsondoc.Object `json:"headers"`
	Body    any             `json:"body"`
	Form    *jsondoc.Object `json:"form"`
	Result  string          `json:"result"`
	OK      []int           `json:"ok"`
	Timeout time.Duration   `json:"timeout"`
}

// field is a named value of a query or a form.
type field struct {
	name  string
	value template
	join  string // between the items of a list; "": repeated
	deep  bool   // an object as name[key]=value
}

// fieldSettings is the long form of a field.
type fieldSettings struct {
	Value string `json:"value"`
	Join  string `json:"join"`
	Deep  bool   `json:"deep"`
}

// request is how a tool's requests are made.
type request struct {
	method  string
	origin  string // scheme://host[:port]
	host    string // host[:port], for messages
	path    []template
	query   []field
	headers []field
	body    *shape
	form    []field
	isForm  bool
	used    map[string]bool // arguments that a template uses
	all     bool            // the body has {arguments}
	result  jsondoc.Pointer
	ok      []int
	timeout time.Duration
}

// compiler makes a request of settings.
type compiler struct {
	d   *tool.Definition
	out *request
}

// compile reads a binding's settings for a tool.
func compile(d *tool.Definition, spec *jsondoc.Object) (*request, error) {
	var s settings
	if err := toolfile.DecodeSpec(spec, &s); err != nil {
		return nil, err
	}
	c := &compiler{d: d, out: &request{used: map[string]bool{}, ok: s.OK, timeout: s.Timeout}}
	for _, step := range []struct {
		key string
		do  func(*settings) error
	}{
		{"method", c.method}, {"url", c.url}, {"query", c.query}, {"headers", c.headers}, {"body", c.body}, {"form", c.form},
		{"result", c.answer}, {"input", c.left},
	} {
		if err := step.do(&s); err != nil {
			return nil, wrong(fault.RemedyOf(err), "cannot use %s over HTTP: %s: %w", d.ID(), step.key, err)
		}
	}
	return c.out, nil
}

func (c *compiler) method(s *settings) error {
	known := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}
	if s.Method == "" {
		s.Method = "GET"
	}
	if !slices.Contains(known, s.Method) {
		remedy := "Write one of " + strings.Join(known, ", ") + "."
		if up := strings.ToUpper(s.Method); slices.Contains(known, up) {
			remedy = "Write " + up + "."
		}
		return wrong(remedy, "there is no method %s here", show(s.Method))
	}
	c.out.method = s.Method
	return nil
}

// url reads the template of the URL. What comes before the path is literal.
func (c *compiler) url(s *settings) error {
	scheme, rest, ok := strings.Cut(s.URL, "://")
	if !ok || (scheme != "https" && scheme != "http") {
		return wrong("Write https://host/path.", "expected a URL with https or http")
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, rest := rest[:end], rest[end:]
	switch {
	case strings.ContainsAny(authority, "{}"):
		return wrong("Write the host out, and one tool for each host.", "the host may not be filled in")
	case strings.Contains(authority, "@"):
		return wrong(`Put them into headers: Authorization: "Basic {secret:NAME}".`, "user and password may not stand in a URL")
	case strings.Contains(rest, "#"):
		return wrong("Remove it.", "a fragment is not sent")
	}
	if err := checkHost(scheme, authority); err != nil {
		return err
	}
	c.out.origin, c.out.host = scheme+"://"+strings.ToLower(authority), strings.ToLower(authority)
	path, query, _ := strings.Cut(rest, "?")
	if err := c.path(path); err != nil {
		return err
	}
	return c.urlQuery(query)
}

// checkHost refuses what is not plainly a host and a port.
func checkHost(scheme, authority string) error {
	u, err := url.Parse(scheme + "://" + authority + "/")
	if err != nil || u.Host != authority || u.Hostname() == "" {
		return wrong("Write https://host/path.", "the host is not one")
	}
	host := u.Hostname()
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return wrong("Write a number from 1 to 65535.", "the port is not one")
		}
	} else if strings.HasSuffix(authority, ":") {
		return wrong("Remove the colon, or write the port.", "the port is missing")
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Zone() != "" {
			return wrong("", "an address with a zone cannot be used")
		}
		return nil
	}
	for _, r := range host {
		if r > 0x7f {
			return wrong("Write it in its ASCII form (xn--…).", "the host %s is not ASCII", show(host))
		}
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_') {
			return wrong("Write https://host/path.", "the host is not one")
		}
	}
	last := strings.TrimSuffix(host, ".")
	last = last[strings.LastIndexByte(last, '.')+1:]
	// 127.1, 2130706433 and 0x7f.1 are addresses to some and names to others.
	if last == "" || last[0] >= '0' && last[0] <= '9' {
		return wrong("Write an address as four numbers: 192.0.2.1.", "the host %s is neither a name nor an address", show(host))
	}
	return nil
}

func (c *compiler) path(path string) error {
	if path == "" {
		path = "/"
	}
	for _, segment := range strings.Split(path[1:], "/") {
		t, err := parseTemplate(segment)
		if err != nil {
			return err
		}
		plain := ""
		for i, p := range t {
			if p.text == "" {
				plain += "x"
				continue
			}
			decoded, err := url.PathUnescape(p.text)
			if err != nil {
				return wrong("Write %25 for a percent sign.", "the path is not percent-encoded properly")
			}
			t[i].text = decoded
			plain += decoded
		}
		if walks(plain) {
			return wrong("Write the path out.", "the path has a segment . or ..")
		}
		if strings.ContainsAny(plain, "/\\") || hasControl(plain) {
			return wrong("", "a segment of the path has a character that cannot stand there")
		}
		if err := c.known(t); err != nil {
			return err
		}
		for _, p := range t {
			if p.arg != "" && !c.sure(p.arg) {
				return wrong("Add it to required, or give it a default.", "the argument %s stands in the path but need not be given", show(p.arg))
			}
		}
		c.out.path = append(c.out.path, t)
	}
	return nil
}

// sure reports whether an argument always has a value.
func (c *compiler) sure(name string) bool {
	for _, p := range c.d.Arguments() {
		if p.Name == name {
			return p.Required || p.Type.HasDefault
		}
	}
	return false
}

// urlQuery reads the query of the URL.
func (c *compiler) urlQuery(query string) error {
	if query == "" {
		return nil
	}
	for _, pair := range strings.Split(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err != nil || name == "" || strings.ContainsAny(name, "{}") {
			return wrong("Write ?name=value&other={argument}.", "the query in the URL cannot be read")
		}
		t, err := parseTemplate(value)
		if err != nil {
			return err
		}
		for i, p := range t {
			if t[i].text, err = url.QueryUnescape(p.text); err != nil {
				return wrong("Write %25 for a percent sign.", "the query is not percent-encoded properly")
			}
		}
		if err := c.known(t); err != nil {
			return err
		}
		c.out.query = append(c.out.query, field{name: name, value: t})
	}
	return nil
}

func (c *compiler) query(s *settings) error {
	more, err := c.fields(s.Query)
	c.out.query = append(c.out.query, more...)
	return err
}

func (c *compiler) form(s *settings) (err error) {
	if s.Form == nil {
		return nil
	}
	if s.Body != nil {
		return wrong("Leave one of them out.", "there is a body, too")
	}
	c.out.isForm = true
	c.out.form, err = c.fields(s.Form)
	return err
}

// fields reads the fields of a query or a form.
func (c *compiler) fields(o *jsondoc.Object) ([]field, error) {
	var out []field
	if o == nil {
		return nil, nil
	}
	for name, v := range o.All() {
		f := field{name: name}
		var text string
		switch v := v.(type) {
		case string:
			text = v
		case *jsondoc.Object:
			var long fieldSettings
			if err := toolfile.DecodeSpec(v, &long); err != nil {
				return nil, err
			}
			if !slices.Contains([]string{"", ",", "|", " "}, long.Join) {
				return nil, wrong(`Write ",", "|" or " ".`, "%s: lists cannot be joined by that", show(name))
			}
			text, f.join, f.deep = long.Value, long.Join, long.Deep
		case json.Number:
			text = string(v)
		case bool:
			text = strconv.FormatBool(v)
		default:
			return nil, wrong(`Write a string such as "{argument}".`, "%s: expected a string", show(name))
		}
		t, err := parseTemplate(text)
		if err == nil {
			err = c.known(t)
		}
		if err != nil {
			return nil, at(name, err)
		}
		if _, whole := t.whole(); (f.deep || f.join != "") && !whole {
			return nil, wrong(`Write value: "{argument}".`, "%s: deep and join are for one whole argument", show(name))
		}
		f.value = t
		out = append(out, f)
	}
	return out, nil
}

// at says where in the settings an error is, and keeps its remedy.
func at(name string, err error) error {
	return wrong(fault.RemedyOf(err), "%s: %w", show(name), err)
}

func (c *compiler) headers(s *settings) error {
	if s.Headers == nil {
		return nil
	}
	var seen []string
	for name, v := range s.Headers.All() {
		text, ok := v.(string)
		if !ok {
			return wrong("Put it into quotes.", "%s: expected a string", show(name))
		}
		low := strings.ToLower(name)
		if !isToken(name) {
			return wrong("Write a name such as X-Request-Id.", "%s is not a name of a header", show(name))
		}
		if slices.Contains(seen, low) {
			return wrong("Remove one of them.", "%s stands twice", show(name))
		}
		seen = append(seen, low)
		if refused := reserved(low); refused != "" {
			return wrong(refused, "the header %s cannot be set", name)
		}
		t, err := parseTemplate(text)
		if err == nil {
			err = c.known(t)
		}
		if err != nil {
			return at(name, err)
		}
		for _, p := range t {
			if hasControl(p.text) {
				return wrong("Write it in one line.", "the header %s has a control character", name)
			}
		}
		c.out.headers = append(c.out.headers, field{name: name, value: t})
	}
	return nil
}

// reserved says why a header is not the file's to set, or "".
func reserved(low string) string {
	switch low {
	case "host":
		return "Requests go to the host that the url names."
	case "connection", "content-length", "expect", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "accept-encoding":
		return "Remove it: it belongs to the connection."
	}
	if strings.HasPrefix(low, "proxy-") {
		return "Remove it: it belongs to the connection."
	}
	return ""
}

func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != "" && len(s) <= 200
}

func (c *compiler) body(s *settings) error {
	if s.Body == nil {
		return nil
	}
	_, declared := c.d.Input.Type().Property("arguments")
	if s.Body == "{arguments}" && !declared {
		c.out.body, c.out.all = &shape{all: true}, true
		return nil
	}
	body, err := parseShape(s.Body, 0, func(t template) error {
		if len(t) == 1 && t[0].arg == "arguments" && !declared {
			c.out.all = true
			return nil
		}
		return c.known(t)
	})
	if err != nil {
		return err
	}
	if c.out.all {
		body.mark(func(t template) bool { return len(t) == 1 && t[0].arg == "arguments" })
	}
	c.out.body = &body
	return nil
}

// mark notes the places of {arguments}.
func (s *shape) mark(is func(template) bool) {
	s.all = s.isText && is(s.text)
	for i := range s.members {
		s.members[i].mark(is)
	}
	for i := range s.items {
		s.items[i].mark(is)
	}
}

// known notes the arguments of a template; each has to be one of the tool's.
func (c *compiler) known(t template) error {
	names := c.d.Input.Type().Names()
	for _, p := range t {
		if p.arg == "" {
			continue
		}
		if !slices.Contains(names, p.arg) {
			remedy := "Declare it under input, or write {{ for a brace."
			if len(names) > 0 && len(names) <= 24 {
				remedy = "Its arguments are " + line(strings.Join(names, ", "), 300) + "."
			}
			return wrong(remedy, "%s has no argument %s", c.d.Name, show(p.arg))
		}
		c.out.used[p.arg] = true
	}
	return nil
}

func (c *compiler) answer(s *settings) (err error) {
	if c.out.result, err = jsondoc.ParsePointer(s.Result); err != nil {
		return wrong("Write a JSON pointer such as /data/items.", "%w", err)
	}
	for _, code := range s.OK {
		if code < 200 || code > 599 {
			return wrong("Write statuses such as [200, 404].", "ok: there is no status %d of an answer", code)
		}
	}
	if s.Timeout < 0 || s.Timeout > maxTimeout {
		return wrong("Write a time such as 10s.", "timeout: expected a time up to 24 hours")
	}
	return nil
}

// bodyless reports whether arguments that are left go into the query.
func (r *request) bodyless() bool {
	return (r.method == "GET" || r.method == "HEAD" || r.method == "DELETE") && r.body == nil && !r.isForm
}

// left checks the arguments that no template uses: each needs a place of its own.
func (c *compiler) left(*settings) error {
	r := c.out
	for _, p := range c.d.Arguments() {
		if r.used[p.Name] || r.all {
			continue
		}
		if err := r.unused(p.Name); err != nil {
			return err
		}
	}
	return nil
}

// unused reports why an argument that no template uses has no place in a request.
func (r *request) unused(name string) error {
	taken := false
	switch {
	case r.bodyless():
		taken = slices.ContainsFunc(r.query, func(f field) bool { return f.name == name })
	case r.isForm:
		taken = slices.ContainsFunc(r.form, func(f field) bool { return f.name == name })
	case r.body == nil:
	case !r.body.object:
		return wrong("Use it in a template.", "the argument %s has no place in the request", show(name))
	default:
		taken = r.body.has(name)
	}
	if taken {
		return wrong("Use it in a template, or name it otherwise.", "the argument %s has the name of something that the request sends itself", show(name))
	}
	return nil
}
