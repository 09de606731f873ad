package approval

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
	"praxis/internal/tool/gate"
)

// SignatureHeader is the header that proves who sent the question.
const SignatureHeader = "Praxis-Signature"

// Webhook asks a program behind a web address.
type Webhook struct {
	url     string
	host    string
	secret  []byte
	headers map[string]string
	client  *http.Client
}

// WebhookConfig says how to reach a webhook.
type WebhookConfig struct {
	URL     string
	Secret  string            // signs questions; "" leaves the signature out
	Headers map[string]string // beside those of the protocol
	// Transport sends the requests; nil: one that trusts the system's certificates and uses no proxy.
	Transport http.RoundTripper
}

// NewWebhook checks a configuration. What is wrong is a fault of kind Invalid, which
// never holds the secret, a header's value or more of the address than its host.
func NewWebhook(c WebhookConfig) (*Webhook, error) {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return nil, fault.New(fault.Invalid, "Write https://host/path.", "cannot ask a webhook: the address is not one")
	case u.User != nil:
		return nil, fault.New(fault.Invalid, "Put them into a header.", "cannot ask a webhook: the address of %s holds credentials", safetext.Line(u.Host))
	case u.Scheme == "http" && !isLocal(u.Hostname()):
		return nil, fault.New(fault.Invalid, "Use https, or an address of this machine.", "cannot ask a webhook: %s would be asked without encryption", safetext.Line(u.Host))
	}
	u.Fragment = ""
	w := &Webhook{url: u.String(), host: safetext.Line(u.Host), secret: []byte(c.Secret), headers: map[string]string{}}
	for name, value := range c.Headers {
		if !isHeader(name, value) {
			return nil, fault.New(fault.Invalid, "", "cannot ask a webhook: the header %s cannot be sent", safetext.Clip(safetext.Line(strconv.Quote(name)), 100))
		}
		w.headers[name] = value
	}
	transport := c.Transport
	if transport == nil {
		transport = &http.Transport{
			DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxResponseHeaderBytes: maxAnswer,
			MaxIdleConns:           2, IdleConnTimeout: time.Minute,
			DisableCompression: true,
			ForceAttemptHTTP2:  true,
		}
	}
	w.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return w, nil
}

func isLocal(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || (err == nil && addr.IsLoopback())
}

// isHeader says whether a header can be sent and is not one of the protocol's own.
func isHeader(name, value string) bool {
	switch strings.ToLower(name) {
	case "host", "content-length", "content-type", "transfer-encoding", "connection", strings.ToLower(SignatureHeader):
		return false
	}
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	for i := range len(value) {
		if c := value[i]; (c < ' ' && c != '\t') || c == 0x7f {
			return false
		}
	}
	return name != ""
}

// Close closes connections that wait for another question.
func (w *Webhook) Close() error {
	w.client.CloseIdleConnections()
	return nil
}

// Approve asks. It waits as long as ctx allows.
func (w *Webhook) Approve(ctx context.Context, q gate.Question) (gate.Answer, error) {
	body, err := encode(q)
	if err != nil {
		return denied(gate.ByNobody, w.host, "cannot ask %s: %v", w.host, err), nil
	}
	answer, err := w.post(ctx, body)
	if err == nil {
		var a gate.Answer
		if a, err = decode(answer, q); err == nil {
			if a.Who == "" {
				a.Who = w.host
			}
			return a, nil
		}
	}
	if ctx.Err() != nil {
		return unanswered(ctx, w.host), nil
	}
	return denied(gate.ByNobody, w.host, "cannot ask %s: %v", w.host, err), nil
}

func (w *Webhook) post(ctx context.Context, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the request cannot be made")
	}
	for name, value := range w.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "praxis")
	if len(w.secret) > 0 {
		req.Header.Set(SignatureHeader, sign(w.secret, body, time.Now()))
	}
	resp, err := w.client.Do(req)
	if err != nil {
		var wrapped *url.Error // holds the whole address
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		if resp.StatusCode/100 == 3 {
			return nil, fmt.Errorf("it answered with status %d; redirects are not followed", resp.StatusCode)
		}
		return nil, fmt.Errorf("it answered with status %d", resp.StatusCode)
	}
	answer, err := bounded.Read(resp.Body, maxAnswer)
	switch long := (*bounded.TooLong)(nil); {
	case errors.As(err, &long):
		return nil, fmt.Errorf("the answer has more than %s", safetext.Size(maxAnswer))
	case err != nil:
		return nil, errors.New("its answer broke off")
	}
	return answer, nil
}

func sign(secret, body []byte, at time.Time) string {
	t := strconv.FormatInt(at.Unix(), 10)
	return "t=" + t + ",v1=" + mac(secret, t, body)
}

func mac(secret []byte, t string, body []byte) string {
	h := hmac.New(sha256.New, secret)
	io.WriteString(h, t+".")
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// Verify reports whether a signature is that of a body, made with the secret not
// longer than maxAge before now nor after it by more. It is for receivers of questions.
func Verify(secret, signature string, body []byte, now time.Time, maxAge time.Duration) bool {
	t, sum, ok := strings.Cut(strings.TrimPrefix(signature, "t="), ",v1=")
	seconds, err := strconv.ParseInt(t, 10, 64)
	if !ok || err != nil || !strings.HasPrefix(signature, "t=") || secret == "" {
		return false
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > maxAge || age < -maxAge {
		return false
	}
	return hmac.Equal([]byte(sum), []byte(mac([]byte(secret), t, body)))
}
