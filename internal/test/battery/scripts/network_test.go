package scripts

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/egress"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
	"praxis/internal/language/javascript"
	"praxis/internal/session"
	"praxis/internal/tool/bridge"
)

// secure resolves every name to an address at which the test's server answers.
type secure struct{}

func (secure) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
}

// fetches are requests by each of node's clients, in the kernel, in a program that it
// starts, and in a thread.
const fetches = `
const ask = (url) => fetch(url, { headers: url.includes('example.com') ? { authorization: process.env.TOKEN ?? '' } : {} }).then(async (r) => 'fetch ' + r.status + ' ' + await r.text(), (e) => 'fetch: ' + e.cause.code);
const get = (module, url) => new Promise((done) => module.get(url, async (r) => done('get ' + r.statusCode + ' ' + (await r.toArray()).join('').slice(0, 40))).on('error', (e) => done('get: ' + e.code)));
console.log(await ask('http://SITE/a'));
console.log(await get(http, 'http://SITE/b'));
console.log(await get(http, 'http://127.0.0.1:1/'));
console.log(await ask('https://example.com/c'));
console.log(await get(https, 'https://example.com/d'));
const program = "fetch('http://SITE/e').then(async (r) => console.log(await r.text()), (e) => console.log(e.cause.code))";
console.log(child_process.execFileSync('node', ['-e', program]).toString().trim());
console.log(child_process.execFileSync('node', ['-e', program.replace('http://SITE/e', 'https://example.com/f')]).toString().trim());
await new Promise((done) => new worker_threads.Worker(program.replace('/e', '/g'), { eval: true }).on('exit', done));
const own = http.createServer((q, r) => r.end('within')).listen(0);
console.log(await ask('http://localhost:' + own.address().port));
own.close();
`

// TestNetwork checks that all of node's clients go through the proxy and trust what the
// session is to trust, and that they do no more once the network is taken away.
func TestNetwork(t *testing.T) {
	t.Parallel()
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "hello "+r.URL.Path+strings.Repeat(" credential", strings.Count(r.Header.Get("Authorization"), "s3cr3t-value")))
	})
	site, safe := httptest.NewServer(answer), httptest.NewTLSServer(answer)
	t.Cleanup(site.Close)
	t.Cleanup(safe.Close)
	address := site.Listener.Addr().String()
	rules, err := egress.ParseRules([]string{address, "example.com:443"})
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(safe.Certificate())
	placeholder := egress.NewPlaceholder()
	proxy, err := egress.New(egress.Config{
		Rules: rules, Sink: event.Discard, Roots: roots, Resolver: secure{},
		Dial: func(ctx context.Context, network, to string) (net.Conn, error) {
			if to == "93.184.216.34:443" {
				to = safe.Listener.Addr().String()
			}
			return new(net.Dialer).DialContext(ctx, network, to)
		},
		Credentials: []egress.Credential{{Name: "TOKEN", Host: "example.com", Header: "Authorization", Placeholder: placeholder, Value: func() (string, error) { return "s3cr3t-value", nil }}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := fresh(manager(t))(t, nil, 0)
	t.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			t.Errorf("closing the proxy: %v", err)
		}
	})
	const bundle = "/tmp/certificates.pem"
	err = s.Use(t.Context(), func(c *guest.Client) error {
		_, err := c.WriteFile(t.Context(), bundle, strings.NewReader(string(proxy.CA())), 0o644)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	environ := proxy.Environ(wire.ProxyPort, bundle)
	environ["TOKEN"] = placeholder
	run := func(kernel string, o wire.Exposure, code string) event.Execution {
		t.Helper()
		if err := s.Expose(t.Context(), o, bridge.New(bridge.Config{Network: proxy})); err != nil {
			t.Fatal(err)
		}
		x, err := s.Execute(t.Context(), strings.ReplaceAll(code, "SITE", address), session.Exec{Context: kernel, Language: javascript.Name}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	open := wire.Exposure{Net: true, Environ: environ}
	with := []string{
		"fetch 200 hello /a", "get 200 hello /b", "get 403 Refused by praxis: no rule allows 127.0.", "fetch 200 hello /c credential", "get 200 hello /d",
		"hello /e", "hello /f", "hello /g", "fetch 200 within",
	}
	without := []string{"fetch: ECONNREFUSED", "get: ECONNREFUSED", "get: ECONNREFUSED", "fetch: ENOTFOUND", "get: ENOTFOUND", "ECONNREFUSED", "ENOTFOUND", "ECONNREFUSED", "fetch 200 within"}
	for _, kernel := range []string{"", "later"} { // older than the network, and begun with it
		x := run(kernel, open, fetches)
		if got := strings.TrimSpace(x.Stdout); got != strings.Join(with, "\n") || x.Error != nil {
			t.Errorf("context %q: with the network the code printed\n%s\n%s%v", kernel, got, x.Stderr, x.Error)
		}
		if x = run(kernel, open, "await fetch('https://example.org')"); x.Error == nil || !strings.Contains(x.Error.Hint, "do not allow this host") {
			t.Errorf("context %q: a host that no rule allows: %+v", kernel, x.Error)
		}
		x = run(kernel, wire.Exposure{}, fetches)
		if got := strings.TrimSpace(strings.ReplaceAll(x.Stdout, "EAI_AGAIN", "ENOTFOUND")); got != strings.Join(without, "\n") || x.Error != nil {
			t.Errorf("context %q: without it, it printed\n%s\n%s%v", kernel, got, x.Stderr, x.Error)
		}
	}
}
