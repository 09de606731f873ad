package server

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"praxis/internal/server/access"
	"praxis/internal/server/observe"
	"praxis/internal/server/oidc"
	"praxis/internal/test/issuer"
)

// A token of the issuer is a key at every door: with its tenant and its scopes, until it ends.
// Keys of the server are accepted beside it, and when the issuer cannot be reached.
func TestOIDC(t *testing.T) {
	from := issuer.New(t)
	cfg := config(t.TempDir())
	var served []observe.Request
	var logging sync.Mutex
	cfg.Served = func(r observe.Request) {
		logging.Lock()
		defer logging.Unlock()
		served = append(served, r)
	}
	cfg.OIDC = oidc.Config{Issuer: from.URL, Audience: "praxis", TenantClaim: "team", ScopesClaim: "scope"}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, s: s, home: cfg.Home, web: httptest.NewServer(s.Handler())}
	t.Cleanup(w.stop)
	token := func(team, scopes string) string {
		return from.Sign(t, "ES256", "ec", issuer.Object{"iss": from.URL, "aud": "praxis", "sub": "alice", "exp": time.Now().Unix() + 3600, "team": team, "scope": scopes})
	}
	mine, reader, theirs := token("team-a", "openid read run"), token("team-a", "read"), token("team-b", "read run")

	from.Down.Store(true)
	key := w.key("team-a")
	w.must(key, "POST", "/v1/sessions", object{"id": "of-key"}, 201)
	for _, path := range []string{"/v1/sessions", "/rpc", "/openai/v1/models"} {
		res, err := http.DefaultClient.Do(w.request(mine, "GET", path, nil))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 503 || res.Header.Get("Retry-After") == "" {
			t.Errorf("%s without the issuer: %d", path, res.StatusCode)
		}
	}
	from.Down.Store(false)
	if s.issuer, err = oidc.New(cfg.OIDC); err != nil { // it has not been asked in vain
		t.Fatal(err)
	}

	w.must(mine, "POST", "/v1/sessions", object{"id": "s"}, 201)
	w.must(mine, "GET", "/v1/sessions/of-key", nil, 200)
	w.must(mine, "GET", "/v1/keys", nil, 403)
	w.must(reader, "POST", "/v1/sessions", object{}, 403)
	w.must(theirs, "GET", "/v1/sessions/s", nil, 404)
	w.must(token("../team-a", "admin"), "GET", "/v1/sessions", nil, 401)
	w.must(token("team-a", "admin"), "GET", "/v1/keys", nil, 200)
	w.must(mine, "GET", "/openai/v1/models", nil, 200)
	if out := w.must(mine, "POST", "/rpc", object{"jsonrpc": "2.0", "id": 1, "method": "sessions.get", "params": object{"session": "s"}}, 200); out["result"] == nil {
		t.Errorf("JSON-RPC: %v", out)
	}
	bad := mine[:len(mine)-4] + "AAAA"
	for _, path := range []string{"/v1/sessions", "/rpc", "/openai/v1/models", "/metrics"} {
		if status, out := w.call(bad, "GET", path, nil); status != 401 || strings.Contains(fmt.Sprint(out), bad) {
			t.Errorf("%s with a forged token: %d %v", path, status, out)
		}
	}
	header := http.Header{"Authorization": {"Bearer " + bad}}
	if _, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.web.URL, "http")+"/rpc", &websocket.DialOptions{HTTPHeader: header}); err == nil {
		t.Error("a socket with a forged token was opened")
	}

	// What runs inside a session does not see tokens.
	p := w.must(mine, "POST", "/v1/sessions/s/ports", object{"port": 80}, 201)
	r := w.request(mine, "GET", "/", nil)
	r.Host = fmt.Sprint(p["host"])
	r.Header.Set("X-Praxis-Port-Token", fmt.Sprint(p["token"]))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if seen, err := io.ReadAll(res.Body); err != nil || res.StatusCode != 200 || strings.Contains(string(seen), mine) {
		t.Errorf("the session saw %d %s, %v", res.StatusCode, seen, err)
	}

	// They are in no record either; who called is.
	w.web.CloseClientConnections()
	w.web.Close() // every request is over, and in the log
	logging.Lock()
	defer logging.Unlock()
	for _, r := range served {
		if text := fmt.Sprintf("%+v", r); strings.Contains(text, mine) || strings.Contains(text, bad) {
			t.Errorf("the log has a token: %s", text)
		}
	}
	data, err := os.ReadFile(filepath.Join(Audit(w.home), "audit.jsonl"))
	if err != nil || bytes.Contains(data, []byte(mine)) || bytes.Contains(data, []byte(bad)) || !bytes.Contains(data, []byte(`"key":"oidc-`)) || bytes.Contains(data, []byte("alice")) {
		t.Errorf("the audit log: %s, %v", data, err)
	}
}

// Without an issuer a token is nothing.
func TestOIDCIsOff(t *testing.T) {
	w := newWorld(t)
	from := issuer.New(t)
	token := from.Sign(t, "EdDSA", "ed", issuer.Object{"iss": from.URL, "aud": "praxis", "sub": "alice", "exp": time.Now().Unix() + 3600, "scope": string(access.Admin)})
	w.must(token, "GET", "/v1/sessions", nil, 401)
	if from.Requests.Load() != 0 {
		t.Error("an issuer that nobody trusts was asked")
	}
}
