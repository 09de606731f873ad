// Package issuer is an issuer of OpenID Connect for tests: it describes itself, publishes its
// keys and signs whatever a test wants. It writes tokens by hand, so that what a library does
// not let one write, such as a token that is signed with a public key as a secret, can be tried.
package issuer

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// Object is a JSON object.
type Object = map[string]any

// Issuer is one that answers.
type Issuer struct {
	URL string
	// Down has it answer with an error.
	Down atomic.Bool
	// Requests counts the requests for its keys.
	Requests atomic.Int64

	web *httptest.Server
	rsa *rsa.PrivateKey
	ed  ed25519.PrivateKey

	mu sync.Mutex
	ec map[string]*ecdsa.PrivateKey // by the ids of the keys
}

// New starts an issuer with a key of each kind: "rsa", "ed" and "ec".
func New(t *testing.T) *Issuer {
	t.Helper()
	i := &Issuer{ec: map[string]*ecdsa.PrivateKey{}}
	var err error
	if i.rsa, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		t.Fatal(err)
	}
	if _, i.ed, err = ed25519.GenerateKey(rand.Reader); err != nil {
		t.Fatal(err)
	}
	i.Rotate(t, "ec")
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", i.answer(func() Object {
		return Object{"issuer": i.URL, "jwks_uri": i.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"}}
	}))
	mux.HandleFunc("/keys", i.answer(func() Object {
		i.Requests.Add(1)
		return Object{"keys": i.public()}
	}))
	i.web = httptest.NewServer(mux)
	t.Cleanup(i.web.Close)
	i.URL = i.web.URL
	return i
}

// answer answers with a document.
func (i *Issuer) answer(document func() Object) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if i.Down.Load() {
			http.Error(w, "down", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(document()) // the client notices
	}
}

// Rotate replaces the elliptic key by one with another id.
func (i *Issuer) Rotate(t *testing.T, id string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	clear(i.ec)
	i.ec[id] = key
}

// public are the public keys.
func (i *Issuer) public() []Object {
	i.mu.Lock()
	defer i.mu.Unlock()
	out := []Object{
		{"kty": "RSA", "kid": "rsa", "use": "sig", "n": text(i.rsa.N.Bytes()), "e": text(big.NewInt(int64(i.rsa.E)).Bytes())},
		{"kty": "OKP", "crv": "Ed25519", "kid": "ed", "use": "sig", "x": text(i.ed.Public().(ed25519.PublicKey))},
	}
	for id, key := range i.ec {
		point, _ := key.PublicKey.Bytes() // 4, x, y: it is a point of the curve
		out = append(out, Object{"kty": "EC", "crv": "P-256", "kid": id, "use": "sig", "x": text(point[1:33]), "y": text(point[33:])})
	}
	return out
}

func text(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Sign returns a token with claims, signed by the elliptic key with an id, or by the others
// where the algorithm is theirs. HS256 uses the public RSA key as the secret, and none nothing.
func (i *Issuer) Sign(t *testing.T, algorithm, id string, claims Object) string {
	t.Helper()
	part := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return text(data)
	}
	signed := part(Object{"alg": algorithm, "kid": id, "typ": "JWT"}) + "." + part(claims)
	return signed + "." + text(i.signature(t, algorithm, id, []byte(signed)))
}

func (i *Issuer) signature(t *testing.T, algorithm, id string, signed []byte) []byte {
	t.Helper()
	sum := sha256.Sum256(signed)
	switch algorithm {
	case "none":
		return nil
	case "HS256":
		public, err := x509.MarshalPKIXPublicKey(&i.rsa.PublicKey)
		if err != nil {
			t.Fatal(err)
		}
		mac := hmac.New(sha256.New, public)
		mac.Write(signed)
		return mac.Sum(nil)
	case "EdDSA":
		return ed25519.Sign(i.ed, signed)
	case "ES256":
		i.mu.Lock()
		key := i.ec[id]
		i.mu.Unlock()
		if key == nil { // one that nobody published
			key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader) // it never fails
		}
		r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
		if err != nil {
			t.Fatal(err)
		}
		return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	}
	hash := map[string]crypto.Hash{"RS256": crypto.SHA256, "RS384": crypto.SHA384}[algorithm]
	h := hash.New()
	h.Write(signed)
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.rsa, hash, h.Sum(nil))
	if err != nil {
		t.Fatal(err)
	}
	return signature
}
