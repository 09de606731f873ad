package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// secrets is a source of declared secrets.
type secrets map[string]string

func (s secrets) Secret(name string) (string, error) {
	if v, ok := s[name]; ok {
		return v, nil
	}
	return "", fault.New(fault.Invalid, "Declare it.", "no secret %q is declared", name)
}

// seen is a request as a server got it.
type seen struct {
	method, uri, body string
	header            http.Header
}

func (s seen) String() string { return strings.TrimSpace(s.method + " " + s.uri + " " + s.body) }

// listener records requests and answers each with what answer does.
type listener struct {
	*httptest.Server
	mu   sync.Mutex
	seen []seen
}

func listen(t *testing.T, answer http.HandlerFunc) *listener {
	t.Helper()
	l := &listener{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		l.mu.Lock()
		l.seen = append(l.seen, seen{r.Method, r.RequestURI, string(body), r.Header.Clone()})
		l.mu.Unlock()
		if answer == nil {
			answer = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, `{"ok":true}`)
			}
		}
		answer(w, r)
	}))
	t.Cleanup(l.Close)
	return l
}

func (l *listener) last(t *testing.T) seen {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) == 0 {
		t.Fatal("the server got no request")
	}
	return l.seen[len(l.seen)-1]
}

func (l *listener) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.seen)
}

// define reads a tool with its binding.
func define(t *testing.T, input, effects, run string) (*tool.Definition, tool.Binding) {
	t.Helper()
	text := fmt.Sprintf("version: 1\ntools:\n  - name: my.tool\n    version: 1.0.0\n    effects: %s\n    input: %s\n    run: {http: %s}\n", effects, input, run)
	f, err := toolfile.Load("tools.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f.Tools[0], f.Bindings[f.Tools[0].ID()]
}

// made is a tool that can be called.
type made struct {
	tool.Implementation
	d *tool.Definition
}

func makeTool(t *testing.T, cfg Config, input, effects, run string) made {
	t.Helper()
	d, b := define(t, input, effects, run)
	impl, err := New(cfg).New(context.Background(), d, b)
	if err != nil {
		t.Fatalf("%v\n%s", err, run)
	}
	t.Cleanup(func() { impl.Close() })
	return made{impl, d}
}

func (m made) with(t *testing.T, arguments string) (any, error) {
	t.Helper()
	v, err := jsondoc.Decode([]byte(arguments))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return m.Call(ctx, tool.Invocation{Tool: m.d, ID: "c1", Key: "run-1/c1", Arguments: v.(*jsondoc.Object)})
}

func text(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// object is the schema of an object with properties of any type; those with a
// star are required.
func object(names ...string) string {
	var props, required []string
	for _, n := range names {
		if bare, is := strings.CutSuffix(n, "*"); is {
			n = bare
			required = append(required, n)
		}
		props = append(props, n+": {}")
	}
	return "{type: object, required: [" + strings.Join(required, ", ") + "], properties: {" + strings.Join(props, ", ") + "}}"
}

func TestRequests(t *testing.T) {
	s := listen(t, nil)
	for _, c := range []struct{ name, input, run, arguments, want string }{
		{"path and rest to the query", object("id*", "q", "n"), `{url: "URL/v1/customers/{id}"}`, `{"id":7,"q":"a b&c=d","n":null}`, `GET /v1/customers/7?q=a%20b%26c%3Dd`},
		{"lists are repeated", object("ids"), `{url: "URL/x"}`, `{"ids":[1,"a,b",true]}`, `GET /x?ids=1&ids=a%2Cb&ids=true`},
		{"query templates", object("a", "b", "c"), `{url: "URL/x?fixed=1&two={b}", query: {one: "{a}", both: "{a}-{b}", c: "{c}", n: 3}}`, `{"a":"x"}`, `GET /x?fixed=1&one=x&n=3`},
		{"joined", object("ids"), `{url: "URL/x", query: {i: {value: "{ids}", join: "|"}}}`, `{"ids":["a","b"]}`, `GET /x?i=a%7Cb`},
		{"deep", object("f"), `{url: "URL/x", query: {filter: {value: "{f}", deep: true}}}`, `{"f":{"state":"open","tag":["a","b"]}}`, `GET /x?filter%5Bstate%5D=open&filter%5Btag%5D=a&filter%5Btag%5D=b`},
		{"an object in the query is JSON", object("f"), `{url: "URL/x"}`, `{"f":{"a":[1,2]}}`, `GET /x?f=%7B%22a%22%3A%5B1%2C2%5D%7D`},
		{"a query's parameter cannot be injected", object("q"), `{url: "URL/x?q={q}&admin=no"}`, `{"q":"1&admin=yes#"}`, `GET /x?q=1%26admin%3Dyes%23&admin=no`},
		{"path is encoded", object("id*"), `{url: "URL/a/{id}/b.json"}`, `{"id":"x/y?z=1#é %2e"}`, `GET /a/x%2Fy%3Fz%3D1%23%C3%A9%20%252e/b.json`},
		{"part of a segment", object("id*", "k*"), `{url: "URL/{id}.{k}"}`, `{"id":"1","k":"json"}`, `GET /1.json`},
		{"literal path is kept", object(), `{url: "URL/a%20b/c+d/"}`, `{}`, `GET /a%20b/c%2Bd/`},
		{"big numbers", object("id*"), `{url: "URL/{id}"}`, `{"id":12345678901234567890}`, `GET /12345678901234567890`},
		{"delete", object("id*", "force"), `{method: DELETE, url: "URL/{id}"}`, `{"id":1,"force":true}`, `DELETE /1?force=true`},
		{"rest to the body", object("id*", "name", "tags"), `{method: PUT, url: "URL/{id}"}`, `{"id":1,"name":"n","tags":["a",{"b":null}]}`, `PUT /1 {"name":"n","tags":["a",{"b":null}]}`},
		{"an empty body of JSON", object("name"), `{method: POST, url: "URL/"}`, `{}`, `POST / {}`},
		{"no body", object("id*"), `{method: POST, url: "URL/{id}/start"}`, `{"id":1}`, `POST /1/start`},
		{"types stay", object("ids", "who", "opt", "n"), `{method: POST, url: "URL/", body: {items: "{ids}", note: "by {who}", o: "{opt}", n: "{n}", fixed: [1, "{opt}", "{n}", {deep: "{who}"}], brace: "{{x}}"}}`,
			`{"ids":[1,2.50],"who":"ann","n":false}`, `POST / {"items":[1,2.50],"note":"by ann","n":false,"fixed":[1,false,{"deep":"ann"}],"brace":"{x}"}`},
		{"null is a value", object("a", "b"), `{method: POST, url: "URL/", body: {x: "{a}", y: ["{a}", "{b}"], z: "-{a}"}}`, `{"a":null}`, `POST / {"x":null,"y":[null]}`},
		{"all arguments", object("a", "b"), `{method: POST, url: "URL/", body: "{arguments}"}`, `{"a":1,"b":[null]}`, `POST / {"a":1,"b":[null]}`},
		{"all arguments inside", object("a*"), `{method: POST, url: "URL/{a}", body: {params: "{arguments}", v: 2}}`, `{"a":1}`, `POST /1 {"params":{"a":1},"v":2}`},
		{"rest beside a body", object("a", "b"), `{method: POST, url: "URL/", body: {one: "{a}"}}`, `{"b":2,"a":1}`, `POST / {"one":1,"b":2}`},
		{"a list as body", object("a"), `{method: POST, url: "URL/", body: ["{a}"]}`, `{"a":{"x":1}}`, `POST / [{"x":1}]`},
		{"form", object("a", "b", "c"), `{method: POST, url: "URL/", form: {x: "{a}", y: "{b}"}}`, `{"a":"1 &2","c":[1,2]}`, `POST / x=1%20%262&c=1&c=2`},
		{"an argument called arguments", object("arguments"), `{method: POST, url: "URL/", body: {x: "{arguments}"}}`, `{"arguments":1}`, `POST / {"x":1}`},
	} {
		m := makeTool(t, Config{}, c.input, "write", strings.ReplaceAll(c.run, "URL", s.URL))
		v, err := m.with(t, c.arguments)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := s.last(t).String(); got != c.want || text(t, v) != `{"ok":true}` {
			t.Errorf("%s:\n got %s → %s\nwant %s", c.name, got, text(t, v), c.want)
		}
	}
}

func TestHeaders(t *testing.T) {
	s := listen(t, nil)
	cfg := Config{Secrets: secrets{"TOKEN": "t0psecret", "PAGE": "pa ge"}}
	run := `{method: POST, url: "` + s.URL + `/?k={secret:PAGE}", headers: {Authorization: "Bearer {secret:TOKEN}", X-Trace: "a-{trace}", X-List: "{list}"}, body: {t: "{secret:TOKEN}"}}`
	m := makeTool(t, cfg, object("trace", "list"), "write", run)
	if _, err := m.with(t, `{"list":["a",1]}`); err != nil {
		t.Fatal(err)
	}
	got := s.last(t)
	if got.header.Get("Authorization") != "Bearer t0psecret" || got.header.Get("X-List") != "a,1" || got.header.Get("Idempotency-Key") != "run-1/c1" ||
		got.header.Get("Content-Type") != "application/json" || got.header.Get("User-Agent") != "praxis" || got.String() != `POST /?k=pa%20ge {"t":"t0psecret"}` {
		t.Errorf("got %s %v", got, got.header)
	}
	if _, is := got.header["X-Trace"]; is {
		t.Error("a header was sent whose argument is not given")
	}
	if id := m.Identity(); strings.Contains(id, "t0psecret") || !strings.HasPrefix(id, "http POST "+s.URL+"/ sha256:") {
		t.Errorf("identity %q", id)
	}

	m = makeTool(t, cfg, object(), "read", `{url: "`+s.URL+`", headers: {content-type: "text/x", Idempotency-Key: "mine"}}`)
	if _, err := m.with(t, `{}`); err != nil {
		t.Fatal(err)
	}
	if got := s.last(t); got.header.Get("Idempotency-Key") != "mine" || got.header.Get("Content-Type") != "text/x" {
		t.Errorf("got %v", got.header)
	}
	m = makeTool(t, cfg, object(), "read", `{url: "`+s.URL+`"}`)
	if _, err := m.with(t, `{}`); err != nil || s.last(t).header.Get("Idempotency-Key") != "" {
		t.Errorf("a tool that reads sent a key: %v %v", s.last(t).header, err)
	}
}

func TestArgumentsThatBreakOut(t *testing.T) {
	s := listen(t, nil)
	for _, c := range []struct{ input, run, arguments, message string }{
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":".."}`, "leads elsewhere"},
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":"."}`, "leads elsewhere"},
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":"../admin"}`, "leads elsewhere"},
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":"x/../../admin"}`, "leads elsewhere"},
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":"..\\admin"}`, "leads elsewhere"},
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":"..;/admin"}`, "leads elsewhere"},
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":"%2e%2e%2fadmin"}`, "leads elsewhere"},
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":"%252e%252e"}`, "leads elsewhere"},
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":"\uff0e\uff0e\uff0fadmin"}`, "leads elsewhere"},
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":"\u2025"}`, "leads elsewhere"},
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":".. "}`, "leads elsewhere"},
		{object("id*"), `{url: "URL/u/.{id}"}`, `{"id":"."}`, "leads elsewhere"},
		{object("a*", "b*"), `{url: "URL/u/{a}{b}"}`, `{"a":".","b":"."}`, "leads elsewhere"},
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":""}`, "is empty"},
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":null}`, "has none"},
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":"a\r\nHost: x"}`, "control character"},
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":"a\u0000"}`, "control character"},
		{object("id*"), `{url: "URL/u/{id}"}`, `{"id":"` + strings.Repeat("x", maxURL) + `"}`, "more than 16384 bytes"},
		{object("h"), `{url: "URL/", headers: {X-A: "{h}"}}`, `{"h":"a\r\nX-B: 1"}`, `"h" cannot stand in the header X-A`},
		{object("h"), `{url: "URL/", headers: {X-A: "{h}"}}`, `{"h":"a\nX-B: 1"}`, `"h" cannot stand in the header X-A`},
		{object("h"), `{url: "URL/", headers: {X-A: "{h}"}}`, `{"h":["a\r"]}`, `"h" cannot stand in the header X-A`},
		{object("h"), `{url: "URL/", headers: {X-A: "{h}"}}`, `{"h":"` + strings.Repeat("x", maxHeader+1) + `"}`, "more than 16384 bytes"},
		{object("h"), `{url: "URL/", headers: {Cookie: "a={h}"}}`, `{"h":"1; admin=1"}`, `cannot stand in a cookie`},
		{object("f"), `{url: "URL/", query: {f: {value: "{f}", deep: true}}}`, `{"f":[1]}`, "is no object"},
		{`{type: object, additionalProperties: true}`, `{url: "URL/?key=1"}`, `{"key":"2"}`, "the request sends itself"},
		{`{type: object, additionalProperties: true}`, `{method: POST, url: "URL/", body: {admin: false}}`, `{"admin":true}`, "the request sends itself"},
	} {
		m := makeTool(t, Config{}, c.input, "read", strings.ReplaceAll(c.run, "URL", s.URL))
		_, err := m.with(t, c.arguments)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "cannot call my.tool: ") || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s %.60s: got %v, want invalid: %s", c.run, c.arguments, err, c.message)
		}
	}
	if n := s.count(); n != 0 {
		t.Errorf("%d requests were made", n)
	}

	m := makeTool(t, Config{Secrets: secrets{"NL": "se\r\ncret", "OK": "x"}}, object(), "read", `{url: "`+s.URL+`", headers: {X-A: "{secret:NL}"}}`)
	if _, err := m.with(t, `{}`); fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "cret") && !strings.Contains(err.Error(), `secret "NL"`) {
		t.Errorf("a secret with a line break: %v", err)
	}
	m = makeTool(t, Config{}, object("b"), "write", `{method: POST, url: "`+s.URL+`"}`)
	if _, err := m.with(t, `{"b":"`+strings.Repeat("x", maxBody)+`"}`); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("a body without bounds: %v", err)
	}
}

func TestSettingsRefused(t *testing.T) {
	for _, c := range []struct{ input, run, message, remedy string }{
		{object(), `{ulr: "https://a.example"}`, `unknown key "ulr"`, `"url"`},
		{object(), `{url: 3}`, `/url: expected a string`, ``},
		{object(), `{}`, `url: expected a URL`, `https://`},
		{object(), `{url: "ftp://a.example/"}`, `expected a URL`, ``},
		{object(), `{url: "HTTPS://a.example/"}`, `expected a URL`, ``},
		{object("h*"), `{url: "https://{h}/"}`, `the host may not be filled in`, `one tool for each host`},
		{object("h*"), `{url: "https://a.{h}/"}`, `the host may not be filled in`, ``},
		{object("h*"), `{url: "https://a.example{h}/x"}`, `the host may not be filled in`, ``},
		{object("h*"), `{url: "https://a.example:{h}/x"}`, `the host may not be filled in`, ``},
		{object("h*"), `{url: "{h}"}`, `expected a URL`, ``},
		{object(), `{url: "https://u:p@a.example/"}`, `user and password`, `Authorization`},
		{object(), `{url: "https://a.example/x#y"}`, `a fragment is not sent`, ``},
		{object(), `{url: "https:///x"}`, `the host is not one`, ``},
		{object(), `{url: "https://a example/"}`, `the host is not one`, ``},
		{object(), `{url: "https://a%2eexample/"}`, `the host is not one`, ``},
		{object(), `{url: "https://a.example\\@b.example/"}`, `user and password`, ``},
		{object(), `{url: "https://a.example\\b/"}`, `the host is not one`, ``},
		{object(), `{url: "https://bücher.example/"}`, `is not ASCII`, `xn--`},
		{object(), `{url: "http://2130706433/"}`, `neither a name nor an address`, ``},
		{object(), `{url: "http://127.1/"}`, `neither a name nor an address`, ``},
		{object(), `{url: "http://0x7f.0.0.1/"}`, `neither a name nor an address`, ``},
		{object(), `{url: "http://0177.0.0.1/"}`, `neither a name nor an address`, ``},
		{object(), `{url: "https://a.example:99999/"}`, `the port is not one`, ``},
		{object(), `{url: "https://a.example:/"}`, `the port is missing`, ``},
		{object(), `{url: "https://[fe80::1%25eth0]/"}`, ``, ``},
		{object(), `{url: "https://a.example/a/../b"}`, `a segment . or ..`, ``},
		{object(), `{url: "https://a.example/%2e%2e/b"}`, `a segment . or ..`, ``},
		{object(), `{url: "https://a.example/a%2Fb"}`, `cannot stand there`, ``},
		{object(), `{url: "https://a.example/%zz"}`, `percent-encoded`, `%25`},
		{object("id"), `{url: "https://a.example/{id}"}`, `need not be given`, `required`},
		{object("id*"), `{url: "https://a.example/{di}"}`, `has no argument "di"`, `Its arguments are id.`},
		{object("id*"), `{url: "https://a.example/{id"}`, `does not begin a placeholder`, `{{`},
		{object("id*"), `{url: "https://a.example/id}"}`, `a } stands alone`, `}}`},
		{object(), `{url: "https://a.example/{secret:}"}`, `names no secret`, ``},
		{object(), `{url: "https://a.example/", method: get}`, `there is no method "get"`, `Write GET.`},
		{object(), `{url: "https://a.example/", method: CONNECT}`, `there is no method`, `Write one of`},
		{object(), `{url: "https://a.example/", query: {a: [1]}}`, `"a": expected a string`, ``},
		{object(), `{url: "https://a.example/", query: {a: {valeu: "x"}}}`, `unknown key "valeu"`, `"value"`},
		{object("x"), `{url: "https://a.example/", query: {a: {value: "x{x}", deep: true}}}`, `one whole argument`, ``},
		{object("x"), `{url: "https://a.example/", query: {a: {value: "{x}", join: "&"}}}`, `cannot be joined`, ``},
		{object("x"), `{url: "https://a.example/", query: {a: "{y}"}}`, `"a": my.tool has no argument "y"`, ``},
		{object(), `{url: "https://a.example/", headers: {Host: b}}`, `the header Host cannot be set`, `the url names`},
		{object(), `{url: "https://a.example/", headers: {content-length: "3"}}`, `cannot be set`, ``},
		{object(), `{url: "https://a.example/", headers: {Transfer-Encoding: chunked}}`, `cannot be set`, ``},
		{object(), `{url: "https://a.example/", headers: {Proxy-Authorization: x}}`, `cannot be set`, ``},
		{object(), `{url: "https://a.example/", headers: {"X A": x}}`, `is not a name of a header`, ``},
		{object(), `{url: "https://a.example/", headers: {"X-A:": x}}`, `is not a name of a header`, ``},
		{object(), `{url: "https://a.example/", headers: {"X-A\r\nB": x}}`, `is not a name of a header`, ``},
		{object(), `{url: "https://a.example/", headers: {X-A: "x\r\nB: 1"}}`, `has a control character`, ``},
		{object(), `{url: "https://a.example/", headers: {X-A: a, x-a: b}}`, `stands twice`, ``},
		{object(), `{url: "https://a.example/", headers: {X-A: 1}}`, `"X-A": expected a string`, ``},
		{object(), `{url: "https://a.example/", body: {}, form: {}}`, `there is a body, too`, ``},
		{object("x"), `{method: POST, url: "https://a.example/", body: [1]}`, `"x" has no place`, ``},
		{object("x"), `{method: POST, url: "https://a.example/", body: {x: 1}}`, `the request sends itself`, ``},
		{object("x"), `{method: POST, url: "https://a.example/", body: {y: {z: "{w}"}}}`, `has no argument "w"`, ``},
		{object("x"), `{url: "https://a.example/?x=1"}`, `the request sends itself`, ``},
		{object(), `{url: "https://a.example/", result: data}`, `starts with "/"`, ``},
		{object(), `{url: "https://a.example/", ok: [100]}`, `no status 100`, ``},
		{object(), `{url: "https://a.example/", timeout: 48h}`, `up to 24 hours`, ``},
		{object(), `{url: "https://a.example/", timeout: -1s}`, `up to 24 hours`, ``},
		{object(), `{url: "https://a.example/", retry: 3}`, `unknown key "retry"`, ``},
	} {
		d, b := define(t, c.input, "read", c.run)
		_, err := New(Config{}).New(context.Background(), d, b)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), c.message) || !strings.Contains(fault.RemedyOf(err), c.remedy) {
			t.Errorf("%s:\n got %v / %s\nwant %s / %s", c.run, err, fault.RemedyOf(err), c.message, c.remedy)
		}
	}
}

func TestAnswers(t *testing.T) {
	latin := string([]byte{'c', 'a', 'f', 0xe9})
	for _, c := range []struct {
		name, kind, body, more, want, message string
		status                                int
	}{
		{name: "JSON", kind: "application/json; charset=utf-8", body: ` {"b":1.10,"a":[1,null]} `, want: `{"b":1.10,"a":[1,null]}`},
		{name: "problem of JSON", kind: "application/vnd.api+json", body: `{"data":[]}`, want: `{"data":[]}`},
		{name: "BOM", kind: "application/json", body: "\ufeff3", want: `3`},
		{name: "text", kind: "text/plain; charset=utf-8", body: "hällo\n", want: `"hällo\n"`},
		{name: "latin", kind: "text/plain; charset=ISO-8859-1", body: latin, want: `"café"`},
		{name: "no content", status: 204, want: `null`},
		{name: "empty", kind: "application/json", body: "\n", want: `null`},
		{name: "no type, JSON", kind: "-", body: `[1]`, want: `[1]`},
		{name: "no type, text", kind: "-", body: `hi`, want: `"hi"`},
		{name: "pointer", kind: "application/json", body: `{"data":{"items":[{"id":1},{"id":2}]}}`, more: `, result: /data/items/1/id`, want: `2`},
		{name: "pointer to nothing", kind: "application/json", body: `{"data":{}}`, more: `, result: /data/items`, message: "the answer has nothing at /data/items"},
		{name: "listed status", kind: "application/json", status: 404, body: `{"gone":1}`, more: `, ok: [200, 404]`, want: `{"gone":1}`},
		{name: "unlisted status", kind: "application/json", status: 201, body: `{}`, more: `, ok: [200]`, message: "the server answered 201 created, which is not a result"},
		{name: "not JSON", kind: "application/json", body: `{"a":`, message: "says it is JSON and is not"},
		{name: "deep JSON", kind: "application/json", body: strings.Repeat("[", 100_000), message: "says it is JSON and is not"},
		{name: "twice", kind: "application/json", body: `{"a":1,"a":2}`, message: "says it is JSON and is not"},
		{name: "not UTF-8", kind: "text/plain", body: latin, message: "not UTF-8"},
		{name: "picture", kind: "image/png", body: "\x89PNG", message: "the answer is image/png; JSON or text is needed"},
		{name: "odd type", kind: ";;", body: "x", message: "content type cannot be read"},
	} {
		s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.kind)
			if c.kind == "-" {
				w.Header()["Content-Type"] = nil
			}
			if c.status != 0 {
				w.WriteHeader(c.status)
			}
			io.WriteString(w, c.body)
		})
		v, err := makeTool(t, Config{}, object(), "read", `{url: "`+s.URL+`"`+c.more+`}`).with(t, `{}`)
		switch {
		case c.message != "":
			if err == nil || !strings.Contains(err.Error(), c.message) || fault.KindOf(err) != fault.Internal {
				t.Errorf("%s: got %v, want an error that is no fault: %s", c.name, err, c.message)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case text(t, v) != c.want:
			t.Errorf("%s: got %s, want %s", c.name, text(t, v), c.want)
		}
	}
}

func TestStatuses(t *testing.T) {
	type retrier interface{ RetryAfter() time.Duration }
	for _, c := range []struct {
		status      int
		kind, body  string
		after       string
		want        fault.Kind
		message     string
		retry       time.Duration
		wantRetrier bool
	}{
		{status: 400, kind: "application/json", body: `{"error":{"code":3,"message":"q is\nneeded"}}`, want: fault.Invalid, message: "the server answered 400 bad request and says: q is needed"},
		{status: 422, kind: "application/json", body: `{"detail":[{"loc":["body","x"],"msg":"field required"}]}`, want: fault.Invalid, message: `field required`},
		{status: 422, kind: "application/problem+json", body: `{"title":"Bad","detail":"x is wrong"}`, want: fault.Invalid, message: `and says: x is wrong`},
		{status: 400, kind: "application/json", body: `{"errors":["a","b"]}`, want: fault.Invalid, message: `and says: {"errors":["a","b"]}`},
		{status: 400, kind: "text/plain", body: strings.Repeat("word ", 1000), want: fault.Invalid, message: `word…`},
		{status: 400, kind: "text/html", body: `<h1>no</h1>`, want: fault.Invalid, message: `answered 400 bad request`},
		{status: 401, want: fault.Denied, message: "401"}, {status: 402, want: fault.Denied, message: "402"}, {status: 403, want: fault.Denied, message: "403"},
		{status: 404, kind: "text/plain", body: "no such customer", want: fault.Invalid, message: "the server answered 404 not found and says: no such customer"},
		{status: 405, want: fault.Invalid, message: "405"}, {status: 410, want: fault.Invalid, message: "410 gone"}, {status: 418, want: fault.Invalid, message: "418"},
		{status: 409, want: fault.Conflict, message: "409"}, {status: 412, want: fault.Conflict, message: "412"},
		{status: 413, want: fault.Exhausted, message: "413"},
		{status: 429, want: fault.Exhausted, message: "429"},
		{status: 429, after: "7", want: fault.Unavailable, message: "429", retry: 7 * time.Second, wantRetrier: true},
		{status: 429, after: "999999999", want: fault.Unavailable, message: "429", retry: maxWaiting, wantRetrier: true},
		{status: 429, after: "Mon, 01 Jan 2001 00:00:00 GMT", want: fault.Unavailable, message: "429", wantRetrier: true},
		{status: 429, after: "-5", want: fault.Exhausted, message: "429"},
		{status: 503, after: "3", want: fault.Unavailable, message: "503", retry: 3 * time.Second, wantRetrier: true},
		{status: 500, want: fault.Unavailable, message: "500"}, {status: 502, want: fault.Unavailable, message: "502"}, {status: 599, want: fault.Unavailable, message: "599"},
		{status: 408, want: fault.Unavailable, message: "408"},
	} {
		s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.kind)
			if c.after != "" {
				w.Header().Set("Retry-After", c.after)
			}
			w.WriteHeader(c.status)
			io.WriteString(w, c.body)
		})
		_, err := makeTool(t, Config{}, object(), "read", `{url: "`+s.URL+`"}`).with(t, `{}`)
		if fault.KindOf(err) != c.want || !strings.Contains(err.Error(), c.message) || len(err.Error()) > 700 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d %s: got %s: %v\nwant %s: %s", c.status, c.body, fault.KindOf(err), err, c.want, c.message)
		}
		var r retrier
		if ok := errors.As(err, &r); ok != c.wantRetrier || ok && r.RetryAfter() != c.retry {
			t.Errorf("%d %q: retry after %v", c.status, c.after, r)
		}
	}
}

func TestBounds(t *testing.T) {
	s := listen(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/pretty":
			io.WriteString(w, `{"a": `+strings.Repeat(" ", 5000)+`1}`)
		case "/part":
			io.WriteString(w, `{"big":"`+strings.Repeat("x", 5000)+`","small":1}`)
		default:
			chunk := strings.Repeat("x", 1<<16)
			io.WriteString(w, `"`)
			for {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
		}
	})
	call := func(path, more, limit string) (any, error) {
		d, b := define(t, object(), "read", `{url: "`+s.URL+path+`"`+more+`}`)
		d.Limits.Bytes = 1000
		if limit == "" {
			d.Limits.Bytes = 0
		}
		impl, err := New(Config{}).New(context.Background(), d, b)
		if err != nil {
			t.Fatal(err)
		}
		defer impl.Close()
		return made{impl, d}.with(t, `{}`)
	}
	if _, err := call("/flood", "", ""); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("a flood: %v", err)
	}
	if _, err := call("/part", "", "1000"); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("over the tool's bound: %v", err)
	}
	if v, err := call("/part", ", result: /small", "1000"); err != nil || text(t, v) != "1" {
		t.Errorf("a small part: %v %v", v, err)
	}
	if v, err := call("/pretty", "", "1000"); err != nil || text(t, v) != `{"a":1}` {
		t.Errorf("spaces count: %v %v", v, err)
	}
}

func TestTimesOut(t *testing.T) {
	release := make(chan struct{})
	s := listen(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"a":`)
			w.(http.Flusher).Flush()
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	for _, path := range []string{"/head", "/body"} {
		_, err := makeTool(t, Config{}, object(), "read", `{url: "`+s.URL+path+`", timeout: 50ms}`).with(t, `{}`)
		if fault.KindOf(err) != fault.Unavailable || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %v", path, err)
		}
		m := makeTool(t, Config{}, object(), "read", `{url: "`+s.URL+path+`"}`)
		ctx, cancel := context.WithCancel(context.Background())
		n := s.count()
		go func() {
			for s.count() == n {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		if _, err := m.Call(ctx, tool.Invocation{Tool: m.d}); fault.KindOf(err) != fault.Canceled || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled: %v", path, err)
		}
	}
}

func TestConcurrentCalls(t *testing.T) {
	s := listen(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "%q", r.URL.Query().Get("n"))
	})
	k := New(Config{})
	d, b := define(t, object("n"), "read", `{url: "`+s.URL+`"}`)
	impl, err := k.New(context.Background(), d, b)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, 32)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			v, err := impl.Call(context.Background(), tool.Invocation{Tool: d, Arguments: jsondoc.NewObject(jsondoc.Member{Name: "n", Value: fmt.Sprint(i)})})
			got[i] = fmt.Sprintln(v, err)
		})
	}
	wg.Wait()
	for i := range got {
		if got[i] != fmt.Sprintln(i, nil) {
			t.Errorf("call %d: %s", i, got[i])
		}
	}
	for range 2 {
		if err := impl.Close(); err != nil {
			t.Error(err)
		}
	}
	if k.open != 0 {
		t.Errorf("%d tools are open", k.open)
	}
}

func TestDerive(t *testing.T) {
	for method, want := range map[string]string{"": "read", "HEAD": "read", "POST": "external", "DELETE": "external"} {
		spec := jsondoc.NewObject(jsondoc.Member{Name: "url", Value: "https://a.example/"})
		if method != "" {
			spec.Set("method", method)
		}
		doc, err := New(Config{}).Derive(context.Background(), tool.Binding{Kind: "http", Spec: spec})
		if err != nil || text(t, doc) != `{"effects":"`+want+`"}` {
			t.Errorf("%s: %s %v", method, text(t, doc), err)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"url":"https://api.example.com/v1/{id}?a={q}","headers":{"Authorization":"Bearer {secret:T}"}}`, `{"id":"../x","q":"&"}`},
		{`{"method":"POST","url":"http://[::1]:80/","body":{"a":["{id}",{"b":"x{q}"}],"c":"{arguments}"}}`, `{"id":[1],"q":{"a":1}}`},
		{`{"method":"POST","url":"https://a.example","form":{"a":{"value":"{q}","deep":true}},"ok":[201],"result":"/a","timeout":"1s"}`, `{"id":"a","q":{"k":[1]}}`},
	} {
		f.Add(seed[0], seed[1])
	}
	file, err := toolfile.Load("t.yaml", []byte("tools: [{name: a.b, version: 1.0.0, effects: read, input: {type: object, required: [id], properties: {id: {}, q: {}}, additionalProperties: true}}]"))
	if err != nil {
		f.Fatal(err)
	}
	d := file.Tools[0]
	f.Fuzz(func(t *testing.T, spec, arguments string) {
		v, err := jsondoc.Decode([]byte(spec))
		o, ok := v.(*jsondoc.Object)
		if err != nil || !ok {
			return
		}
		r, err := compile(d, o)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%s: %v", spec, err)
			}
			return
		}
		a, err := jsondoc.Decode([]byte(arguments))
		args, ok := a.(*jsondoc.Object)
		if err != nil || !ok {
			return
		}
		req, err := r.build(context.Background(), tool.Invocation{Tool: d, Arguments: args}, &filling{args: args, source: secrets{"T": "s"}})
		if err != nil {
			return
		}
		if req.URL.Scheme+"://"+req.URL.Host != r.origin || req.URL.User != nil || req.Host != r.host {
			t.Errorf("%s with %s goes to %s, not to %s", spec, arguments, req.URL, r.origin)
		}
		for _, segment := range strings.Split(req.URL.EscapedPath(), "/") {
			if walks(segment) {
				t.Errorf("%s with %s walks to %s", spec, arguments, req.URL)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(req.Header)) {
			if hasControl(name) || hasControl(req.Header[name][0]) {
				t.Errorf("%s with %s: header %q", spec, arguments, name)
			}
		}
	})
}
