// Package oidc lets callers use tokens of an OpenID Connect issuer in the place of keys of the
// server: a JSON Web Token that the issuer signed for this server's audience.
//
// The library github.com/coreos/go-oidc finds the issuer's keys and checks signature, issuer,
// audience and times. What is decided here is who is let in as what: the key that a token stands
// for has an id that follows from issuer and subject, so that quotas, records and the audit log
// know the same caller again, the tenant that one claim names, and the scopes that another lists.
// Whoever can have the issuer write those claims decides about them.
//
// The issuer is asked when the first token comes, and again for a key that is not known. Anybody
// can send tokens with unknown keys, so what it said, or that it said nothing, is believed for a
// few seconds. While it cannot be reached, tokens that need it are answered as unavailable; keys
// of the server need no issuer.
//
// A token never reaches an error: what the library says of one is not passed on.
package oidc

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/time/rate"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
)

// Config says whose tokens are accepted. Issuer and Audience must be set.
type Config struct {
	Issuer   string // its URL, as its tokens name it
	Audience string // that tokens must be made for
	// TenantClaim is the claim that names the tenant; "": everybody belongs to the default one.
	TenantClaim string
	// ScopesClaim is the claim that lists the scopes, a text with spaces between them or a list;
	// "": everybody may read and run.
	ScopesClaim string
	// Failed is called when the issuer could not be asked; nil: nobody wants to know.
	Failed func(err error)
	Now    func() time.Time // nil: the machine's
}

// Bounds.
const (
	maxToken   = 16 << 10 // bytes of a token
	maxSubject = 255      // of a subject, by the specification
	skew       = time.Minute
)

// Issuer checks the tokens of one issuer. It is safe for concurrent use.
type Issuer struct {
	cfg    Config
	client *http.Client
	tell   rate.Sometimes // of what failed: anybody can have it fail again

	mu   sync.Mutex
	keys *oidc.RemoteKeySet // nil: not discovered yet
}

// New returns what checks tokens. The issuer is not asked yet.
func New(cfg Config) (*Issuer, error) {
	u, err := url.Parse(cfg.Issuer)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || !private(u) {
		return nil, fault.New(fault.Invalid, "Give its address as its tokens name it, such as https://login.example.com.", "cannot trust the issuer %q: it is no https address", safetext.Clip(safetext.Line(cfg.Issuer), 200))
	}
	if cfg.Audience == "" {
		return nil, fault.New(fault.Invalid, "Give the audience that its tokens for this server have.", "cannot trust the issuer %s: tokens that it made for others would be accepted", cfg.Issuer)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Failed == nil {
		cfg.Failed = func(error) {}
	}
	return &Issuer{cfg: cfg, tell: rate.Sometimes{Interval: believeFor}, client: &http.Client{
		Transport:     &recent{ask: transport(), now: cfg.Now, said: map[string]answer{}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// private says whether nobody between can change what an address answers: keys from there are
// believed.
func private(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

var (
	wholeToken = regexp.MustCompile(`^[\w-]+\.[\w-]+\.[\w-]*$`)
	tokenPart  = regexp.MustCompile(`[\w-]{16,}`)
)

// IsToken says whether a text has the form of a token, whoever made it. No key of a server has.
func IsToken(text string) bool { return wholeToken.MatchString(text) }

// Contains says whether something in a text could be a token of the issuer: it must not reach
// who is not trusted with tokens, even if it would not be accepted.
func (i *Issuer) Contains(text string) bool {
	return slices.ContainsFunc(tokenPart.FindAllString(text, -1), func(part string) bool {
		data, err := base64.RawURLEncoding.DecodeString(part)
		var claims struct {
			Issuer string `json:"iss"`
		}
		return err == nil && json.Unmarshal(data, &claims) == nil && claims.Issuer == i.cfg.Issuer
	})
}

// Check returns the key that a token stands for.
func (i *Issuer) Check(ctx context.Context, token string) (access.Key, error) {
	if len(token) > maxToken {
		return access.Key{}, refused("the token is too long")
	}
	remote, err := i.discover(ctx)
	if err != nil {
		return access.Key{}, i.unreachable(err)
	}
	keys := &keySet{RemoteKeySet: remote}
	checked, err := oidc.NewVerifier(i.cfg.Issuer, keys, &oidc.Config{
		ClientID: i.cfg.Audience, Now: func() time.Time { return i.cfg.Now().Add(-skew) },
		// Of the widespread ones, those whose keys for signing the issuer alone has.
		SupportedSigningAlgs: []string{oidc.RS256, oidc.ES256, oidc.EdDSA},
	}).Verify(ctx, token)
	if expired := (*oidc.TokenExpiredError)(nil); errors.As(err, &expired) {
		return access.Key{}, refused("the token is expired")
	}
	if errors.As(keys.err, &errNoAnswer{}) {
		return access.Key{}, i.unreachable(keys.err)
	}
	claims := map[string]json.RawMessage{}
	if err != nil || checked.Claims(&claims) != nil {
		return access.Key{}, refused("the token is not one that the issuer made for this server")
	}
	if checked.Subject == "" || len(checked.Subject) > maxSubject {
		return access.Key{}, refused("the token does not say whose it is")
	}
	tenant, scopes, err := i.read(claims)
	if err != nil {
		return access.Key{}, err
	}
	return access.Key{ID: keyID(i.cfg.Issuer, checked.Subject), Tenant: tenant, Scopes: scopes, Expires: checked.Expiry.UTC()}, nil
}

// keySet remembers why a signature could not be checked: the verifier leaves it out.
type keySet struct {
	*oidc.RemoteKeySet
	err error
}

// VerifySignature returns what a token that is signed with one of the keys says.
func (k *keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	var payload []byte
	payload, k.err = k.RemoteKeySet.VerifySignature(ctx, token)
	return payload, k.err
}

// discover returns the issuer's keys, which are found when they are first needed.
func (i *Issuer) discover(ctx context.Context) (*oidc.RemoteKeySet, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.keys != nil {
		return i.keys, nil
	}
	// Others wait for it, too, when this caller goes away.
	ctx = oidc.ClientContext(context.WithoutCancel(ctx), i.client)
	p, err := oidc.NewProvider(ctx, i.cfg.Issuer)
	if err != nil {
		return nil, err
	}
	var says struct {
		Keys string `json:"jwks_uri"`
	}
	if err := p.Claims(&says); err != nil {
		return nil, err
	}
	if u, err := url.Parse(says.Keys); err != nil || !private(u) {
		return nil, errors.New("the address of its keys is no https address")
	}
	// The keys are kept for as long as the process lives, so no value of a request may be.
	i.keys = oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), i.client), says.Keys)
	return i.keys, nil
}

// keyID is the id of the key that a subject of an issuer has.
func keyID(issuer, subject string) string {
	sum := sha256.Sum256([]byte(issuer + "\n" + subject))
	return "oidc-" + hex.EncodeToString(sum[:16])
}

// read reads the tenant and the scopes of a token whose signature was checked.
func (i *Issuer) read(claims map[string]json.RawMessage) (tenant string, scopes []access.Scope, err error) {
	tenant, scopes = access.DefaultTenant, []access.Scope{access.Read, access.Run}
	if name := i.cfg.TenantClaim; name != "" {
		tenant = "" // a claim of null would leave it as it is
		if json.Unmarshal(claims[name], &tenant) != nil || !access.IsTenant(tenant) {
			return "", nil, refused("the claim " + name + " of the token names no tenant")
		}
	}
	if name := i.cfg.ScopesClaim; name != "" {
		listed := list(claims[name])
		scopes = slices.DeleteFunc(access.Scopes(), func(s access.Scope) bool { return !slices.Contains(listed, string(s)) })
	}
	return tenant, scopes, nil
}

// list reads a claim that is several texts; nil: it is not.
func list(claim json.RawMessage) []string {
	var text string
	if json.Unmarshal(claim, &text) == nil {
		return strings.Fields(text)
	}
	var texts []string
	if json.Unmarshal(claim, &texts) != nil {
		return nil
	}
	return texts
}

// refused is the fault of a token that is not accepted.
func refused(why string) error {
	return fault.New(fault.Denied, "Send a new token that the issuer made for this server, or a key of this server, as Authorization: Bearer TOKEN.", "cannot tell who calls: %s", why)
}

// unreachable is the fault of a token that cannot be checked now.
func (i *Issuer) unreachable(err error) error {
	i.tell.Do(func() { i.cfg.Failed(fmt.Errorf("cannot get the keys of the issuer %s: %w", i.cfg.Issuer, err)) })
	return fault.New(fault.Unavailable, "Try again, or use a key of this server.", "cannot tell who calls: the issuer of the token cannot be asked for its keys")
}
