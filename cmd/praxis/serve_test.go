package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/rogpeppe/go-internal/testscript"
)

// serve starts a web server of the script's own and sets a variable to its
// address. It answers with the method, the path and what it was sent.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve VAR")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		fmt.Fprintf(w, "hello %s %s %d", r.Method, r.URL.Path, len(body))
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.Listener.Addr().String())
}
