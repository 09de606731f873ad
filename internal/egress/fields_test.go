package egress

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"praxis/fault"
)

// reflected are forms in which a host repeats what it was sent and nobody looks for it.
func reflected() string {
	var wide strings.Builder
	for _, u := range utf16.Encode([]rune(canary)) {
		wide.WriteByte(byte(u))
		wide.WriteByte('~') // in place of a zero byte, which a header cannot have
	}
	backward := []byte(canary)
	for i, j := 0, len(backward)-1; i < j; i, j = i+1, j-1 {
		backward[i], backward[j] = backward[j], backward[i]
	}
	twice := base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(canary))))
	return fmt.Sprintf("%s|%s|%s|%s|c-A-n-A-r-Y", strings.ToUpper(canary), wide.String(), backward, twice)
}

// narrowWorld has a host that answers each request with the bytes that answer returns,
// and then closes the connection.
func narrowWorld(t *testing.T, fields string, answer func(req *http.Request) string) (w *world, placeholder string) {
	t.Helper()
	f, err := ParseFields(fields)
	if err != nil {
		t.Fatal(err)
	}
	placeholder = NewPlaceholder()
	w = newWorld(t, Config{Credentials: []Credential{{Name: "API", Host: "x.example.com", Port: 80, Plain: true, Header: "X-Key", PathPrefix: "/v1", Fields: f, Placeholder: placeholder, Value: func() (string, error) { return canary, nil }}}}, "x.example.com", "x.example.com:8080")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var hosts sync.WaitGroup
	t.Cleanup(func() { ln.Close(); hosts.Wait() })
	hosts.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			hosts.Go(func() {
				defer conn.Close()
				_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
				req, err := http.ReadRequest(bufio.NewReader(conn))
				if err == nil {
					_, _ = io.WriteString(conn, answer(req))
				}
			})
		}
	})
	w.place("x.example.com", 80, ln.Addr().String())
	w.place("x.example.com", 8080, ln.Addr().String())
	return w, placeholder
}

// TestNarrowed has hosts reflect the credential wherever HTTP has a place for it. What
// the code receives is compared byte by byte.
func TestNarrowed(t *testing.T) {
	leak := reflected()
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(leak)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(z, `{"id":1}`)
	_ = z.Close()
	chunked := func(trailer string, chunks ...string) string {
		var b strings.Builder
		b.WriteString("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\nX-A: " + leak + "\r\n\r\n")
		for _, c := range chunks {
			fmt.Fprintf(&b, "%x;ext=%s\r\n%s\r\n", len(c), "c-A-n-A-r-Y", c)
		}
		return b.String() + "0\r\n" + trailer + "\r\n"
	}
	whole := func(head, body string) string {
		return head + fmt.Sprintf("\r\nX-A: %s\r\nSet-Cookie: k=c-A-n-A-r-Y\r\nContent-Type: application/json; x=c-A-n-A-r-Y\r\nContent-Length: %d\r\n\r\n%s", leak, len(body), body)
	}
	// seen is what the code gets: one response, whose connection then ends or not.
	seen := func(status, body string) string {
		if body == "" {
			return "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n"
		}
		return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Length: %d\r\nContent-Type: application/json\r\n\r\n%s", status, len(body), body)
	}
	noted := func(status, note string) string {
		return "HTTP/1.1 " + status + "\r\nX-Praxis-Note: " + note + "\r\nContent-Length: 0\r\n\r\n"
	}
	const noJSON, noField = "the answer is no JSON and is left out", "the answer is left out: it has none of the fields that may be seen"
	ok := "HTTP/1.1 200 " + leak
	for _, c := range []struct{ what, method, answer, want string }{
		{"fields", "GET", whole(ok, `{"id":7,"a":"`+quoted+`","status":"ok","items":[{"name":"n","x":"`+quoted+`"},{"y":1},{"name":null}]}`), seen("200 OK", `{"id":7,"items":[{"name":"n"},{"name":null}],"status":"ok"}`)},
		{"names of members", "GET", whole(ok, `{"`+quoted+`":1,"id":{"`+quoted+`":2},"status":[{"`+quoted+`":3}],"items":{"name":true}}`), seen("200 OK", `{"items":{"name":true}}`)},
		{"a list", "GET", whole(ok, `[{"id":1,"z":"`+quoted+`"},"`+quoted+`",{"id":[2,3,["`+quoted+`"]]},[[],[{"id":9}]]]`), seen("200 OK", `[{"id":1},{"id":[2,3]}]`)},
		{"a text", "GET", whole(ok, `"`+quoted+`"`), noted("200 OK", noField)},
		{"blanks and escapes", "GET", whole(ok, " {\n\t \"\\u0069d\" :\t1.50 }  \n"), seen("200 OK", `{"id":1.50}`)},
		{"duplicate names", "GET", whole(ok, `{"id":"a","id":"b","x":"`+quoted+`","x":"`+quoted+`"}`), seen("200 OK", `{"id":"b"}`)},
		{"deep", "GET", whole(ok, `{"id":1,"x":`+strings.Repeat(`{"a":`, 5000)+`1`+strings.Repeat(`}`, 5000)+`}`), seen("200 OK", `{"id":1}`)},
		{"too deep", "GET", whole(ok, strings.Repeat(`[`, 20_000)+strings.Repeat(`]`, 20_000)), noted("200 OK", noJSON)},
		{"no JSON", "GET", whole(ok, "<html>"+leak), noted("200 OK", noJSON)},
		{"JSON and more", "GET", whole(ok, `{"id":1}`+"\n"+`{"id":2,"x":"`+quoted+`"}`), noted("200 OK", noJSON)},
		{"nothing", "GET", whole(ok, ""), seen("200 OK", "")},
		{"an error", "GET", whole("HTTP/1.1 422 "+leak, `{"error":"`+quoted+`","status":"bad"}`), seen("422 Unprocessable Entity", `{"status":"bad"}`)},
		{"an odd status", "GET", whole("HTTP/1.1 799 "+leak, `{"id":1}`), seen("799 status code 799", `{"id":1}`)},
		{"a redirect", "GET", "HTTP/1.1 302 Found\r\nLocation: http://x.example.com/?k=c-A-n-A-r-Y\r\nContent-Length: 0\r\n\r\n", seen("302 Found", "")},
		{"chunks and trailers", "GET", chunked("X-End: "+leak+"\r\n", `{"id`, `":1,"b":"`, quoted, `"}`), seen("200 OK", `{"id":1}`)},
		{"until the end", "GET", "HTTP/1.0 200 OK\r\nX-A: " + leak + "\r\n\r\n" + `{"id":1,"b":"` + quoted + `"}`, seen("200 OK", `{"id":1}`)},
		{"HEAD", "HEAD", "HTTP/1.1 200 OK\r\nX-A: " + leak + "\r\nContent-Length: 67657768\r\n\r\n", seen("200 OK", "")},
		{"204", "GET", "HTTP/1.1 204 " + leak + "\r\nX-A: " + leak + "\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n"},
		{"304", "GET", "HTTP/1.1 304 " + leak + "\r\nEtag: c-A-n-A-r-Y\r\nContent-Length: 12\r\n\r\n", "HTTP/1.1 304 Not Modified\r\n\r\n"},
		{"1xx before it", "GET", "HTTP/1.1 103 Early Hints\r\nLink: c-A-n-A-r-Y\r\n\r\nHTTP/1.1 100 " + leak + "\r\n\r\n" + whole(ok, `{"id":1}`), seen("200 OK", `{"id":1}`)},
		{"the value itself", "GET", whole(ok, `{"id":"a `+strings.ReplaceAll(canary, `"`, `\"`)+` b"}`), seen("200 OK", `{"id":"a PLACEHOLDER b"}`)},
	} {
		w, placeholder := narrowWorld(t, "id, status,items.name", func(*http.Request) string { return c.answer })
		got := w.exchange(c.method + " http://x.example.com/v1/a HTTP/1.1\r\nHost: x.example.com\r\nX-Key: " + placeholder + "\r\nConnection: close\r\n\r\n")
		want := strings.Replace(strings.ReplaceAll(c.want, "PLACEHOLDER", placeholder), "\r\n", "\r\nConnection: close\r\n", 1)
		if c.what == "the value itself" {
			want = strings.Replace(want, fmt.Sprintf("Content-Length: %d", len(`{"id":"a PLACEHOLDER b"}`)), fmt.Sprintf("Content-Length: %d", len(`{"id":"a  b"}`)+len(placeholder)), 1)
		}
		if got != want {
			t.Errorf("%s:\n got %q\nwant %q", c.what, got, want)
		}
	}
	// What cannot be looked through is refused, in words of ours.
	for _, c := range []struct{ what, answer, words string }{
		{"a coding", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + fmt.Sprint(zipped.Len()) + "\r\n\r\n" + zipped.String(), "a coding, such as gzip"},
		{"a coding with a name of its own", "HTTP/1.1 200 OK\r\nContent-Encoding: c-A-n-A-r-Y " + canary + "\r\nContent-Length: 2\r\n\r\n{}", "a coding, such as gzip"},
		{"a large answer", whole(ok, `{"id":1,"x":"`+strings.Repeat(quoted, 5<<20/len(quoted))+`"}`), "longer than 4MiB"},
		{"an answer that breaks off", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + `{"id":1,"x":"` + quoted, "broke off"},
		{"another protocol", "HTTP/1.1 101 " + leak + "\r\nUpgrade: " + leak + "\r\nConnection: Upgrade\r\n\r\n" + leak, "changed the protocol"},
		{"no HTTP", leak + "\r\n\r\n", "did not answer as HTTP has it"},
	} {
		w, placeholder := narrowWorld(t, "id", func(*http.Request) string { return c.answer })
		got := w.exchange("GET http://x.example.com/v1/a HTTP/1.1\r\nHost: x.example.com\r\nX-Key: " + placeholder + "\r\n\r\n")
		if !strings.HasPrefix(got, "HTTP/1.1 50") || !strings.Contains(got, c.words) || strings.Contains(got, "c-A-n-A-r-Y") || strings.Contains(got, strings.ToUpper(canary)[:6]) || leaks(got) {
			t.Errorf("%s: got %q", c.what, got)
		}
		w.await(c.words)
		if text := w.text(); strings.Contains(text, "c-A-n-A-r-Y") || leaks(text) {
			t.Errorf("%s: in the events: %s", c.what, text)
		}
	}
}

// TestNarrowedElsewhere asks a host that was given a credential on another path, without
// the placeholder, on another port and in the way of HTTP/1.0: it can repeat there what
// it was sent before.
func TestNarrowedElsewhere(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 33\r\n\r\n" + `{"id":"c-A-n-A-r-Y","x":"a rest"}`
	w, _ := narrowWorld(t, "id", func(*http.Request) string { return answer })
	none := "HTTP/1.1 200 OK\r\nConnection: close\r\nX-Praxis-Note: the answer is left out: it has none of the fields that may be seen\r\nContent-Length: 0\r\n\r\n"
	id := "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 20\r\nContent-Type: application/json\r\n\r\n" + `{"id":"c-A-n-A-r-Y"}`
	for _, c := range []struct{ say, want string }{
		{"GET http://x.example.com/v1/b HTTP/1.1\r\nHost: x.example.com\r\nConnection: close\r\n\r\n", id},
		{"GET http://x.example.com/v2 HTTP/1.1\r\nHost: x.example.com\r\nConnection: close\r\n\r\n", none},
		{"GET http://x.example.com/v1/%2e%2e/v2 HTTP/1.1\r\nHost: x.example.com\r\nConnection: close\r\n\r\n", none},
		{"GET http://x.example.com:8080/v1/b HTTP/1.1\r\nHost: x.example.com:8080\r\nConnection: close\r\n\r\n", none},
		{"GET http://x.example.com/v1/b HTTP/1.0\r\nHost: x.example.com\r\n\r\n", strings.Replace(id, "HTTP/1.1", "HTTP/1.0", 1)},
	} {
		if got := w.exchange(c.say); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.say, got, c.want)
		}
	}
	// A tunnel to another port of the host is read, too: none of its bytes passes as it came.
	got := w.exchange("CONNECT x.example.com:8080 HTTP/1.1\r\n\r\nGET /v1/b HTTP/1.1\r\nHost: x.example.com:8080\r\nConnection: close\r\n\r\n")
	if want := "HTTP/1.1 200 Connection established\r\n\r\n" + none; got != want {
		t.Errorf("in a tunnel:\n got %q\nwant %q", got, want)
	}
}

func TestParseFields(t *testing.T) {
	for _, text := range []string{"", "a,", ",", "a..b", ".a", "a.", "a,a", "a,a.b", "a.b,a", "a b", "a[0]", "*", strings.Repeat("a.", 20) + "a", strings.Repeat("a,", 200) + "a"} {
		if f, err := ParseFields(text); err == nil || fault.KindOf(err) != fault.Invalid || fault.RemedyOf(err) == "" {
			t.Errorf("%q: %v, %v", text, f, err)
		}
	}
	f, err := ParseFields("-")
	if err != nil || len(f.members) != 0 {
		t.Errorf("-: %v, %v", f, err)
	}
	value := func() (string, error) { return canary, nil }
	one := Credential{Name: "A", Host: "a.example.com", Header: "X-A", Placeholder: NewPlaceholder(), Value: value, Fields: f}
	two := Credential{Name: "B", Host: "a.example.com", Header: "X-B", Placeholder: NewPlaceholder(), Value: value}
	if _, err := New(Config{Credentials: []Credential{one, two}}); err == nil || !strings.Contains(err.Error(), "fields of its answers") {
		t.Errorf("one with and one without: %v", err)
	}
}

// FuzzNarrowed gives fields of any JSON: nothing but values of the named fields is seen.
func FuzzNarrowed(f *testing.F) {
	f.Add(`{"id":1,"x":"secret"}`)
	f.Add(`[{"items":[{"name":"a","secret":2}]},[["secret"]]]`)
	fields, err := ParseFields("id,items.name")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		resp := &http.Response{StatusCode: 200, Header: http.Header{"X-A": {"secret"}}, Body: io.NopCloser(strings.NewReader(text))}
		out, err := fields.narrow(resp, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(out.Body)
		if int64(len(body)) != out.ContentLength || len(out.Header) > 1 {
			t.Fatalf("%d bytes, %+v", len(body), out)
		}
		if !strings.Contains(text, "id") && !strings.Contains(text, "name") && !strings.Contains(text, `\u`) && string(body) != "" && string(body) != "[]" {
			t.Fatalf("%q gives %q", text, body)
		}
	})
}
