package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/kind/web"
	"praxis/internal/tool/toolfile"
)

var update = flag.Bool("update", false, "write the golden files")

func document(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  Options
	}{
		{"bookshop.yaml", Options{Name: "bookshop.yaml"}},
		{"metrics.json", Options{Namespace: "ops.metrics", Server: "https://metrics.example.com/v1/", Acting: tool.External, Version: "3.0.0"}},
	} {
		text, warnings, err := Import(document(t, c.name), c.opt)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := text
		for _, w := range warnings {
			got = append(got, "#! "+w+"\n"...)
		}
		golden := filepath.Join("testdata", c.name+".golden")
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
		if _, err := toolfile.Load("tools.yaml", text); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// source has a value for every secret.
type source struct{}

func (source) Secret(name string) (string, error) { return "value-of-" + name, nil }

// TestImportedToolsCall imports a document and calls its tools on a server.
func TestImportedToolsCall(t *testing.T) {
	var got string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = strings.TrimSpace(r.Method + " " + r.RequestURI + " " + string(body))
		for _, h := range []string{"Authorization", "X-Tenant-Id", "X-Api-Key", "Idempotency-Key"} {
			if v := r.Header.Get(h); v != "" {
				got += " " + h + "=" + v
			}
		}
		switch {
		case r.Method == "DELETE" || r.Method == "PATCH":
			got += " " + r.Header.Get("Content-Type")
			w.WriteHeader(204)
		case r.URL.Path == "/api/login":
			fmt.Fprint(w, "welcome")
		default:
			w.Header().Set("Content-Type", "application/json")
			switch r.URL.Path {
			case "/api/books":
				if r.Method == "GET" {
					fmt.Fprint(w, `{"items":[{"id":1,"title":"The Trial","genre":"novel"}],"next":null}`)
					return
				}
				w.WriteHeader(201)
				fmt.Fprint(w, `{"id":2,"title":"New","genre":"comic"}`)
			case "/api/orders":
				fmt.Fprint(w, `{"number":"AB"}`)
			case "/api/books/404":
				w.WriteHeader(404)
				fmt.Fprint(w, `{"detail":"no such book"}`)
			default:
				fmt.Fprint(w, `{"id":7,"title":"x","genre":"science"}`)
			}
		}
	}))
	defer s.Close()

	text, _, err := Import(document(t, "bookshop.yaml"), Options{Server: s.URL + "/api"})
	if err != nil {
		t.Fatal(err)
	}
	file, err := toolfile.Load("tools.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	kind := web.New(web.Config{Secrets: source{}})
	tools := map[string]*tool.Definition{}
	impls := map[string]tool.Implementation{}
	for _, d := range file.Tools {
		impl, err := kind.New(context.Background(), d, file.Bindings[d.ID()])
		if err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		defer impl.Close()
		tools[d.Name], impls[d.Name] = d, impl
	}
	for _, c := range []struct{ tool, arguments, request, result string }{
		{"books.list_books", `{"x_tenant_id":"t1","q":"a b","genre":["novel","comic"],"ids":[1,2],"price":{"gte":1.5}}`,
			"GET /api/books?q=a%20b&genre=novel&genre=comic&ids=1%2C2&price%5Bgte%5D=1.5&page-size=20 Authorization=Bearer value-of-BOOKSHOP_TOKEN X-Tenant-Id=t1", `{"items":[{"id":1,"title":"The Trial","genre":"novel"}],"next":null}`},
		{"books.create", `{"x_tenant_id":"t1","title":"New","genre":"comic","class_":"B2"}`,
			`POST /api/books {"title":"New","genre":"comic","class":"B2"} Authorization=Bearer value-of-BOOKSHOP_TOKEN X-Tenant-Id=t1 Idempotency-Key=k1`, `{"id":2,"title":"New","genre":"comic"}`},
		{"books.get_book", `{"bookId":7}`, `GET /api/books/7 Authorization=Bearer value-of-BOOKSHOP_TOKEN`, `{"id":7,"title":"x","genre":"science"}`},
		{"books.update_book", `{"bookId":7,"bookId_body":"8","price":2}`, `PATCH /api/books/7 {"bookId":"8","price":2} Authorization=Bearer value-of-BOOKSHOP_TOKEN Idempotency-Key=k1 application/merge-patch+json`, `null`},
		{"books.delete_book", `{"bookId":7}`, `DELETE /api/books/7 Authorization=Basic value-of-BOOKSHOP_BASIC Idempotency-Key=k1`, `null`},
		{"orders.post_orders", `{"body":[{"book":1,"count":2}]}`, `POST /api/orders?api_key=value-of-BOOKSHOP_QUERY_KEY [{"book":1,"count":2}] X-Api-Key=value-of-BOOKSHOP_KEY Idempotency-Key=k1`, `{"number":"AB"}`},
		{"sessions_co.login", `{"user":"ann","password":"a&b"}`, `POST /api/login user=ann&password=a%26b Idempotency-Key=k1`, `"welcome"`},
	} {
		d := tools[c.tool]
		if d == nil {
			t.Errorf("there is no tool %s", c.tool)
			continue
		}
		v, err := jsondoc.Decode([]byte(c.arguments))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.CheckArguments(v); err != nil {
			t.Errorf("%s: %v", c.tool, err)
		}
		result, err := impls[c.tool].Call(context.Background(), tool.Invocation{Tool: d, Key: "k1", Arguments: d.FillDefaults(v.(*jsondoc.Object))})
		if err != nil {
			t.Errorf("%s: %v", c.tool, err)
			continue
		}
		if err := d.CheckResult(result); err != nil {
			t.Errorf("%s: %v", c.tool, err)
		}
		data, _ := json.Marshal(result)
		if strings.TrimSpace(got) != c.request || string(data) != c.result {
			t.Errorf("%s:\n got %s → %s\nwant %s → %s", c.tool, got, data, c.request, c.result)
		}
	}
	d := tools["books.get_book"]
	_, err = impls[d.Name].Call(context.Background(), tool.Invocation{Tool: d, Arguments: jsondoc.NewObject(jsondoc.Member{Name: "bookId", Value: json.Number("404")})})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "no such book") {
		t.Errorf("got %v", err)
	}
	if err := tools["books.create"].CheckArguments(jsondoc.NewObject(jsondoc.Member{Name: "x_tenant_id", Value: "t"}, jsondoc.Member{Name: "title", Value: "x"}, jsondoc.Member{Name: "genre", Value: "novel"}, jsondoc.Member{Name: "id", Value: json.Number("3")})); err == nil {
		t.Error("a property that is readOnly can be sent")
	}
}

func TestOnly(t *testing.T) {
	for _, c := range []struct {
		only []string
		want string
	}{
		{[]string{"getBook"}, "books.get_book"},
		{[]string{"orders", "delete /books/{bookId}"}, "books.delete_book orders.post_orders"},
		{[]string{"/books"}, "books.list_books books.create"},
	} {
		text, _, err := Import(document(t, "bookshop.yaml"), Options{Only: c.only})
		if err != nil {
			t.Fatal(err)
		}
		file, err := toolfile.Load("t.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, d := range file.Tools {
			names = append(names, d.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%v: got %s, want %s", c.only, got, c.want)
		}
	}
	_, warnings, err := Import(document(t, "bookshop.yaml"), Options{Only: []string{"getBook", "nothing"}})
	if err != nil || !strings.Contains(strings.Join(warnings, "\n"), "no operation is called nothing") {
		t.Errorf("got %v %v", warnings, err)
	}
}

func TestRefused(t *testing.T) {
	minimal := func(more string) string {
		return `{"openapi":"3.0.0","info":{"title":"T","version":"1"},"servers":[{"url":"https://a.example"}],"paths":{"/a":{"get":{` + more + `"responses":{}}}}}`
	}
	for _, c := range []struct {
		text    string
		opt     Options
		message string
	}{
		{"", Options{}, "empty"},
		{"hello", Options{}, "not a mapping"},
		{"a: [", Options{}, "neither JSON nor YAML"},
		{"\xff", Options{}, "not UTF-8"},
		{"{}", Options{}, `no key "openapi"`},
		{"swagger: '2.0'\npaths: {}", Options{}, "version 2"},
		{"openapi: 4.0.0\npaths: {}", Options{}, "not known"},
		{"openapi: 3.0.0", Options{}, "no paths"},
		{"openapi: 3.0.0\npaths: {}", Options{}, "no operation"},
		{minimal(""), Options{Namespace: "a b"}, "namespace"},
		{minimal(""), Options{Version: "1"}, "not one"},
		{minimal(""), Options{Server: "ftp://x/"}, "scheme"},
		{minimal(""), Options{Server: "https://u:p@x/"}, "user's name"},
		{minimal(""), Options{Server: "https://{x}/"}, "not one"},
		{minimal(`"security":[{"nope":[]}],`), Options{}, "security scheme nope"},
		{minimal(`"parameters":[{"$ref":"other.yaml#/P"}],`), Options{}, "leads nowhere"},
		{minimal(`"parameters":[{"$ref":"#/paths/~1a/get/parameters/0"}],`), Options{}, "leads nowhere"},
		{minimal(`"parameters":[{"name":"id","in":"path"}],`), Options{}, "no place for the parameter"},
		{strings.Replace(minimal(""), `"https://a.example"`, `"/relative"`, 1), Options{}, "on which host"},
		{strings.Replace(minimal(""), `"/a"`, `"/a/../b"`, 1), Options{}, "path cannot be used"},
		{strings.Replace(minimal(""), `"/a"`, `"/a?x=1"`, 1), Options{}, "path cannot be used"},
		{strings.Replace(minimal(""), `"/a"`, `"/{a"`, 1), Options{}, "path cannot be used"},
		{`{"openapi":"3.0.0","paths":` + strings.Repeat(`{"a":`, 200) + `1` + strings.Repeat(`}`, 201), Options{}, "deep"},
		{"a: &a [x]\nopenapi: 3.0.0\npaths: {'/a': *b}", Options{}, "neither JSON nor YAML"},
		{"a: &a {b: *a}", Options{}, ""},
		{"a: 1\na: 2", Options{}, ""},
	} {
		_, _, err := Import([]byte(c.text), c.opt)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%.200s: got %s: %v, want invalid: %s", c.text, fault.KindOf(err), err, c.message)
		}
	}
}

func TestBombs(t *testing.T) {
	head := "openapi: 3.0.0\ninfo: {title: T, version: '1'}\nservers: [{url: 'https://a.example'}]\n"
	laughs := "x0: &x0 [a,a,a,a,a,a,a,a,a,a]\n"
	for i := range 9 {
		laughs += fmt.Sprintf("x%d: &x%d [*x%d,*x%d,*x%d,*x%d,*x%d,*x%d,*x%d,*x%d,*x%d,*x%d]\n", i+1, i+1, i, i, i, i, i, i, i, i, i, i)
	}
	refs := "paths: {/a: {get: {responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/S0'}}}}}}}}\ncomponents:\n  schemas:\n"
	for i := range 40 {
		refs += fmt.Sprintf("    S%d: {allOf: [{$ref: '#/components/schemas/S%d'}, {$ref: '#/components/schemas/S%d'}]}\n", i, (i+1)%40, (i+2)%40)
	}
	body := strings.Replace(refs, "get: {responses: {'200':", "post: {requestBody:", 1)
	body = strings.Replace(body, "}}}}}}}}\n", "}}}}, responses: {}}}}\n", 1)
	var many strings.Builder
	many.WriteString("paths:\n")
	for i := range 5000 {
		fmt.Fprintf(&many, "  /a%d: {get: {responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/Big'}}}}}}}\n", i)
	}
	many.WriteString("components: {schemas: {Big: {enum: [")
	for i := range 20_000 {
		fmt.Fprintf(&many, "%d,", i)
	}
	many.WriteString("1]}}}\n")
	var same strings.Builder
	same.WriteString("paths: {/a: {post: {requestBody: {content: {application/json: {schema: {type: object, properties: {")
	for i := range 50_000 {
		fmt.Fprintf(&same, "'é%s': {}, ", strings.Repeat("ü", i%200)+fmt.Sprint(i))
	}
	same.WriteString("z: {}}}}}}, responses: {}}}}\n")
	for name, text := range map[string]string{
		"aliases": head + laughs + "paths: {}", "circles of allOf": head + refs, "circles of bodies": head + body,
		"a large schema, often": head + many.String(), "many names": head + same.String(),
		"long": head + "x: " + strings.Repeat("y", MaxDocument), "marks": head + "x: [" + strings.Repeat(",", 3*maxNodes) + "]",
	} {
		text, warnings, err := Import([]byte(text), Options{})
		switch {
		case err != nil && fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.Exhausted:
			t.Errorf("%s: %v", name, err)
		case err == nil && len(text) > jsondoc.MaxFile:
			t.Errorf("%s: %d bytes", name, len(text))
		}
		t.Logf("%s: %d bytes, %v, %.200v", name, len(text), err, warnings)
	}
}

func FuzzImport(f *testing.F) {
	f.Add(document(f, "bookshop.yaml"))
	f.Add(document(f, "metrics.json"))
	f.Add([]byte("openapi: 3.1.0\nservers: [{url: 'https://a.example'}]\npaths: {'/{x}': {get: {operationId: '\\u2028', description: \"a\\n b\\n\", responses: {2XX: {content: {'*/*': {schema: true}}}}}}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		text, warnings, err := Import(data, Options{Server: "https://a.example"})
		for _, w := range warnings {
			if strings.ContainsAny(w, "\n\r") {
				t.Errorf("a warning of several lines: %q", w)
			}
		}
		if err != nil {
			if kind := fault.KindOf(err); kind != fault.Invalid && kind != fault.Exhausted || strings.Contains(err.Error(), "does not load") {
				t.Errorf("%v", err)
			}
			return
		}
		file, err := toolfile.Load("tools.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		kind := web.New(web.Config{})
		for _, d := range file.Tools {
			impl, err := kind.New(context.Background(), d, file.Bindings[d.ID()])
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			impl.Close()
		}
	})
}
