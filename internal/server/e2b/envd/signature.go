package envd

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// sign returns the signature of an address of a file: what it may be used for, by whom and
// until when, bound to the sandbox's token. expires is empty when it does not expire.
func sign(path, operation, user, token, expires string) string {
	text := path + ":" + operation + ":" + user + ":" + token
	if expires != "" {
		text += ":" + expires
	}
	sum := sha256.Sum256([]byte(text))
	return "v1_" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// Signed says whether a request without a token is one for a file whose address is signed.
func (d *Daemon) Signed(r *http.Request, id string) bool {
	operation := "read"
	if r.Method == http.MethodPost {
		operation = "write"
	}
	return r.URL.Path == "/files" && signed(r.URL.Query(), operation, d.cfg.Token(id), d.cfg.Now()) == ""
}

// signed says whether the query of an address is signed for an operation, "read" or "write".
// reason says why not.
func signed(q url.Values, operation, token string, now time.Time) (reason string) {
	given := q.Get("signature")
	if given == "" {
		return "the request has no access token and no signature"
	}
	expires := q.Get("signature_expiration")
	if subtle.ConstantTimeCompare([]byte(given), []byte(sign(q.Get("path"), operation, q.Get("username"), token, expires))) != 1 {
		return "invalid signature"
	}
	if expires == "" {
		return ""
	}
	if at, err := strconv.ParseInt(expires, 10, 64); err != nil || now.Unix() > at {
		return "signature is already expired"
	}
	return ""
}
