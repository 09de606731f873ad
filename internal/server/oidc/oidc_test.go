package oidc

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/server/access"
	"praxis/internal/test/issuer"
)

// clock is the time of a test.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time         { return time.Unix(c.at.Load(), 0) }
func (c *clock) passes(d time.Duration) { c.at.Add(int64(d / time.Second)) }

// world is an issuer, and a server's view of it.
type world struct {
	*testing.T
	clock
	from   *issuer.Issuer
	issuer *Issuer
	failed atomic.Int64
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, from: issuer.New(t)}
	w.at.Store(1_800_000_000)
	var err error
	w.issuer, err = New(Config{Issuer: w.from.URL, Audience: "praxis", TenantClaim: "team", ScopesClaim: "scope", Now: w.now, Failed: func(error) { w.failed.Add(1) }})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// claims are those of a good token, with changes; nil takes one out.
func (w *world) claims(changes issuer.Object) issuer.Object {
	out := issuer.Object{"iss": w.from.URL, "aud": "praxis", "sub": "alice", "exp": w.now().Unix() + 300, "team": "team-a", "scope": "openid run read"}
	maps.Copy(out, changes)
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == nil })
	return out
}

func TestTokens(t *testing.T) {
	w := newWorld(t)
	if w.from.Requests.Load() != 0 {
		t.Error("the issuer was asked before there was a token")
	}
	var id string
	for algorithm, key := range map[string]string{"RS256": "rsa", "ES256": "ec", "EdDSA": "ed"} {
		got, err := w.issuer.Check(t.Context(), w.from.Sign(t, algorithm, key, w.claims(nil)))
		if err != nil || got.Tenant != "team-a" || !slices.Equal(got.Scopes, []access.Scope{access.Read, access.Run}) || got.May(access.Admin) || !got.Expires.Equal(w.now().Add(300*time.Second)) {
			t.Fatalf("%s: got %+v, %v", algorithm, got, err)
		}
		if id == "" {
			id = got.ID
		}
		if got.ID != id || !strings.HasPrefix(id, "oidc-") {
			t.Errorf("%s: the same caller is %s and %s", algorithm, id, got.ID)
		}
	}
	sign := func(changes issuer.Object) string { return w.from.Sign(t, "ES256", "ec", w.claims(changes)) }
	for name, tt := range map[string]struct {
		changes issuer.Object
		scopes  []access.Scope
	}{
		"another subject":      {issuer.Object{"sub": "bob"}, []access.Scope{access.Read, access.Run}},
		"several audiences":    {issuer.Object{"sub": "bob", "aud": []string{"other", "praxis"}}, []access.Scope{access.Read, access.Run}},
		"a list of scopes":     {issuer.Object{"sub": "bob", "scope": []string{"admin", "write"}}, []access.Scope{access.Admin}},
		"no scopes":            {issuer.Object{"sub": "bob", "scope": nil}, nil},
		"unknown scopes alone": {issuer.Object{"sub": "bob", "scope": "openid Admin administrator"}, nil},
		"scopes of no form":    {issuer.Object{"sub": "bob", "scope": issuer.Object{"admin": true}}, nil},
		"a clock that is fast": {issuer.Object{"sub": "bob", "exp": w.now().Unix() - 30}, []access.Scope{access.Read, access.Run}},
	} {
		got, err := w.issuer.Check(t.Context(), sign(tt.changes))
		if err != nil || got.ID == id || len(got.Scopes) != len(tt.scopes) || len(tt.scopes) > 0 && !slices.Equal(got.Scopes, tt.scopes) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	good := strings.Split(sign(nil), ".")
	evil := strings.Split(sign(issuer.Object{"sub": "mallory"}), ".")
	for name, token := range map[string]string{
		"another issuer":         sign(issuer.Object{"iss": "https://evil.example"}),
		"an issuer with a slash": sign(issuer.Object{"iss": w.from.URL + "/"}),
		"another audience":       sign(issuer.Object{"aud": "other"}),
		"no audience":            sign(issuer.Object{"aud": nil}),
		"expired":                sign(issuer.Object{"exp": w.now().Unix() - 90}),
		"without an end":         sign(issuer.Object{"exp": nil}),
		"not yet":                sign(issuer.Object{"nbf": w.now().Unix() + 3600}),
		"no subject":             sign(issuer.Object{"sub": nil}),
		"an endless subject":     sign(issuer.Object{"sub": strings.Repeat("x", 256)}),
		"no tenant":              sign(issuer.Object{"team": nil}),
		"a null for a tenant":    w.from.Sign(t, "ES256", "ec", issuer.Object{"iss": w.from.URL, "aud": "praxis", "sub": "alice", "exp": w.now().Unix() + 300, "team": nil}),
		"a path for a tenant":    sign(issuer.Object{"team": "../default"}),
		"capital letters":        sign(issuer.Object{"team": "Team-a"}),
		"a list of tenants":      sign(issuer.Object{"team": []string{"team-a"}}),
		"not signed":             w.from.Sign(t, "none", "ec", w.claims(nil)),
		"a public key as secret": w.from.Sign(t, "HS256", "rsa", w.claims(nil)),
		"another algorithm":      w.from.Sign(t, "RS384", "rsa", w.claims(nil)),
		"another key's name":     w.from.Sign(t, "ES256", "ed", w.claims(nil)),
		"an unknown key":         w.from.Sign(t, "ES256", "unknown", w.claims(nil)),
		"another's signature":    good[0] + "." + evil[1] + "." + good[2],
		"no signature":           good[0] + "." + good[1] + ".",
		"nothing":                "..",
		"too long":               sign(issuer.Object{"x": strings.Repeat("x", maxToken)}),
	} {
		got, err := w.issuer.Check(t.Context(), token)
		if fault.KindOf(err) != fault.Denied || got.ID != "" || got.May(access.Read) || strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "alice") {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

// Without claims of its own everybody is of the default tenant, and nobody an admin.
func TestDefaults(t *testing.T) {
	w := newWorld(t)
	w.issuer.cfg.TenantClaim, w.issuer.cfg.ScopesClaim = "", ""
	got, err := w.issuer.Check(t.Context(), w.from.Sign(t, "EdDSA", "ed", w.claims(issuer.Object{"scope": "admin"})))
	if err != nil || got.Tenant != access.DefaultTenant || !slices.Equal(got.Scopes, []access.Scope{access.Read, access.Run}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// An issuer that cannot be reached is asked again later, and once at a time; keys that it
// published since are found, and tokens with keys that nobody knows do not have it asked.
func TestIssuerFails(t *testing.T) {
	w := newWorld(t)
	token := w.from.Sign(t, "ES256", "ec", w.claims(issuer.Object{"exp": w.now().Unix() + 3600}))
	check := func(token string, want fault.Kind) {
		t.Helper()
		if _, err := w.issuer.Check(t.Context(), token); fault.KindOf(err) != want {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	w.from.Down.Store(true)
	check(token, fault.Unavailable)
	w.from.Down.Store(false)
	check(token, fault.Unavailable) // it is not asked again at once
	w.passes(believeFor)
	check(token, 0)
	if w.failed.Load() == 0 {
		t.Error("nobody was told that the issuer failed")
	}
	before := w.from.Requests.Load()
	for range 3 {
		check(w.from.Sign(t, "ES256", "unknown", w.claims(nil)), fault.Denied)
	}
	if got := w.from.Requests.Load(); got != before {
		t.Errorf("tokens of nobody had the issuer asked %d times", got-before)
	}
	w.passes(believeFor)
	w.from.Down.Store(true)
	check(token, 0) // its key is known
	w.from.Rotate(t, "next")
	next := w.from.Sign(t, "ES256", "next", w.claims(nil))
	check(next, fault.Unavailable)
	w.from.Down.Store(false)
	w.passes(believeFor)
	check(next, 0)
	check(token, fault.Denied) // its key was taken back
}

func TestConfig(t *testing.T) {
	for _, bad := range []Config{
		{Issuer: "login.example.com", Audience: "a"}, {Issuer: "http://login.example.com", Audience: "a"}, {Issuer: "https://a:b@login.example.com", Audience: "a"},
		{Issuer: "https://login.example.com?x", Audience: "a"}, {Issuer: "https://login.example.com"}, {Issuer: "ftp://localhost", Audience: "a"},
	} {
		if _, err := New(bad); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// What could be a token of the issuer is known wherever it stands.
func TestContains(t *testing.T) {
	w := newWorld(t)
	mine := w.from.Sign(t, "ES256", "ec", w.claims(nil))
	other := w.from.Sign(t, "ES256", "ec", w.claims(issuer.Object{"iss": "https://other.example"}))
	for text, want := range map[string]bool{"Bearer " + mine: true, "/?token=" + mine + "&x=1": true, "x." + mine: true, "Bearer " + other: false, "praxis_0": false, "": false} {
		if got := w.issuer.Contains(text); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
	for text, want := range map[string]bool{mine: true, "a.b.c": true, "a.b": false, "a.b.c.d": false, "praxis_" + strings.Repeat("0", 56): false, "a.b.c d": false} {
		if got := IsToken(text); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

// Whatever the claims of a token are, its tenant is a name of one and its scopes are known.
func FuzzClaims(f *testing.F) {
	f.Add([]byte(`{"team":"team-a","scope":"read run"}`))
	f.Add([]byte(`{"team":null,"scope":["admin",1]}`))
	i, err := New(Config{Issuer: "https://login.example.com", Audience: "praxis", TenantClaim: "team", ScopesClaim: "scope"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		i.Contains(string(data))
		claims := map[string]json.RawMessage{}
		if json.Unmarshal(data, &claims) != nil {
			return
		}
		tenant, scopes, err := i.read(claims)
		if err != nil {
			return
		}
		if !access.IsTenant(tenant) || slices.ContainsFunc(scopes, func(s access.Scope) bool { return !slices.Contains(access.Scopes(), s) }) {
			t.Fatalf("got %q, %v", tenant, scopes)
		}
	})
}
