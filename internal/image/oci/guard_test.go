package oci

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"praxis/fault"
)

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

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
		_, err = guard{transportFunc(func(*http.Request) (*http.Response, error) { sent = true; return nil, nil })}.RoundTrip(req)
		if sent != c.may || !c.may && fault.KindOf(err) != fault.Denied {
			t.Errorf("%s %s with credentials %t: sent %t, %v", c.method, c.url, c.secret, sent, err)
		}
	}
}

// A registry leads to other hosts of the network, but not to this machine or what is near it.
func TestFollow(t *testing.T) {
	for _, c := range []struct {
		from, to string
		may      bool
	}{
		{"https://a.example/v2", "https://cdn.example/x", true},
		{"https://a.example/v2", "http://169.254.169.254/latest", false},
		{"https://a.example/v2", "http://127.0.0.1/", false},
		{"https://a.example/v2", "http://localhost:1/", false},
		{"https://a.example/v2", "http://[::ffff:10.0.0.1]/", false},
		{"http://10.0.0.1:5000/v2", "http://10.0.0.2/x", true},
		{"http://127.0.0.1:5000/v2", "http://127.0.0.1:6000/x", true},
	} {
		from, to := httptest.NewRequest("GET", c.from, nil), httptest.NewRequest("GET", c.to, nil)
		if err := follow(to, []*http.Request{from}); err == nil != c.may {
			t.Errorf("%s leads to %s: %v", c.from, c.to, err)
		}
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
