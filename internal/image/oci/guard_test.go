package oci

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"praxis/fault"
)

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func unproxied(registry string) *guard {
	g := newGuard(registry)
	g.proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
	return g
}

// Credentials go to places alone that nobody can listen to.
func TestGuardKeepsCredentials(t *testing.T) {
	for _, c := range []struct {
		method, url string
		secret, may bool
	}{
		{"GET", "https://registry.example/v2/", true, true},
		{"GET", "http://registry.example/v2/", false, true},
		{"GET", "http://registry.example/v2/", true, false},
		{"GET", "http://10.1.2.3:5000/v2/", true, false},
		{"POST", "http://10.1.2.3:5000/token", false, false},
		{"GET", "http://127.0.0.1:5000/v2/", true, true},
		{"GET", "http://localhost:5000/v2/", true, true},
		{"GET", "http://[::1]:5000/v2/", true, true},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.secret {
			req.Header.Set("Authorization", "Basic eA==")
		}
		sent := false
		g := unproxied("registry.example")
		g.direct = transportFunc(func(*http.Request) (*http.Response, error) { sent = true; return nil, nil })
		_, err = g.RoundTrip(req)
		if sent != c.may || !c.may && fault.KindOf(err) != fault.Denied {
			t.Errorf("%s %s with credentials %t: sent %t, %v", c.method, c.url, c.secret, sent, err)
		}
	}
}

// A registry of the public network leads to no name that means this machine or what is near
// it; one that is near leads where it likes.
func TestGuardIsNotLedInside(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "secret") }))
	defer inside.Close()
	named := strings.Replace(inside.URL, "127.0.0.1", "localhost", 1)
	registry := transportFunc(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusFound, Header: http.Header{"Location": {named}}, Body: http.NoBody, Request: req}, nil
	})
	get := func(g *guard, url string) error {
		req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&http.Client{Transport: g}).Do(req)
		if err == nil {
			err = resp.Body.Close()
		}
		return err
	}

	far := unproxied("registry.example")
	send := far.direct
	far.direct = transportFunc(func(req *http.Request) (*http.Response, error) {
		if req.URL.Hostname() == "registry.example" {
			return registry(req)
		}
		return send.RoundTrip(req)
	})
	if err := get(far, "https://registry.example/v2/"); fault.KindOf(err) != fault.Denied {
		t.Errorf("got %v", err)
	}
	if err := get(far, inside.URL); fault.KindOf(err) != fault.Denied {
		t.Errorf("by its address: got %v", err)
	}

	far.proxy = func(*http.Request) (*url.URL, error) { return &url.URL{Scheme: "http", Host: "proxy.example"}, nil }
	if err := get(far, inside.URL); fault.KindOf(err) != fault.Denied {
		t.Errorf("through a proxy: got %v", err)
	}

	around := httptest.NewServer(http.RedirectHandler(named, http.StatusFound))
	defer around.Close()
	if err := get(unproxied("127.0.0.1"), around.URL); err != nil {
		t.Errorf("a registry of this machine: %v", err)
	}
}

// What a registry signed so that it can be fetched stands in no error.
func TestExplainLeavesAddressesOut(t *testing.T) {
	ref, err := ParseReference("registry.example/a/b:1")
	if err != nil {
		t.Fatal(err)
	}
	r := &registry{ref: ref.ref}
	err = r.explain(&url.Error{Op: "Get", URL: "https://cdn.example/x?Signature=secret", Err: errors.New("connection refused")})
	if text := err.Error(); strings.Contains(text, "secret") || !strings.Contains(text, "connection refused") || fault.KindOf(err) != fault.Unavailable {
		t.Error(text)
	}
	denied := fault.New(fault.Denied, "", "no")
	if err := r.explain(&url.Error{Op: "Get", URL: "http://a", Err: denied}); !errors.Is(err, denied) {
		t.Errorf("%v", err)
	}
	if err := r.explain(&url.Error{Op: "Get", URL: "http://a", Err: context.Canceled}); fault.KindOf(err) != fault.Canceled {
		t.Errorf("%v", err)
	}
}
