package mcp_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"praxis/internal/server/mcp"
)

const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// raw sends one message, and returns the status and the session of the answer, which is not
// looked at.
func (w *world) raw(session, body string) (status int, id string) {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), http.MethodPost, w.web.URL+mcp.Path, strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	res, err := (&http.Client{Transport: keyed{w.key, http.DefaultTransport}}).Do(r)
	if err != nil {
		w.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		w.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Mcp-Session-Id")
}

// A tenant's sessions of the protocol are bounded: the one that was idle longest goes for the
// next, and one that its client ended is gone.
func TestSessionsAreBounded(t *testing.T) {
	w := newWorld(t, settings{})
	var all []string
	for i := range 103 {
		status, id := w.raw("", begin)
		if status != http.StatusOK || id == "" {
			t.Fatalf("session %d: status %d", i, status)
		}
		all = append(all, id)
	}
	alive := 0
	for _, id := range all {
		if status, _ := w.raw(id, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); status == http.StatusOK {
			alive++
		}
	}
	if last, _ := w.raw(all[102], `{"jsonrpc":"2.0","id":2,"method":"ping"}`); alive != 100 || last != http.StatusOK {
		t.Errorf("%d sessions are there, the last one with status %d", alive, last)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, w.web.URL+mcp.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Mcp-Session-Id", all[102])
	res, err := (&http.Client{Transport: keyed{w.key, http.DefaultTransport}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if status, _ := w.raw(all[102], `{"jsonrpc":"2.0","id":3,"method":"ping"}`); res.StatusCode != http.StatusNoContent || status != http.StatusNotFound {
		t.Errorf("DELETE: status %d, and then %d", res.StatusCode, status)
	}
}

// A client that reads nothing of what its code prints holds nobody up, in the same session either.
func TestSlowClient(t *testing.T) {
	w := newWorld(t, settings{})
	p := w.connect(w.key, legacy, nil)
	p.must("run_code", object{"code": "set a", "session": "s"})
	_, session := w.raw("", begin)
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.web.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_code","arguments":{"session":"s","code":"` + strings.Repeat(`print `+strings.Repeat("x", 1000)+`\n`, 2000) + `"},"_meta":{"progressToken":"p"}}}`
	if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nMcp-Session-Id: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", mcp.Path, w.key, session, len(body), body); err != nil {
		t.Fatal(err)
	}
	has(t, p.must("run_code", object{"code": "get a", "session": "s"}), "a is true")
}
