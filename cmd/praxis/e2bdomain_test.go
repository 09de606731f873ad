package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// wildcard makes an authority and a certificate for all names below a domain, and returns the
// files of the authority, the certificate and its key.
func wildcard(t *testing.T, domain string) (authority, cert, key string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: domain}, NotBefore: root.NotBefore, NotAfter: root.NotAfter,
		DNSNames: []string{domain, "*." + domain}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	rootKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	rootDER, err := x509.CreateCertificate(rand.Reader, root, root, &rootKey.PublicKey, rootKey)
	check(err)
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, root, &leafKey.PublicKey, rootKey)
	check(err)
	keyDER, err := x509.MarshalECPrivateKey(leafKey)
	check(err)
	return write("authority.pem", "CERTIFICATE", rootDER), write("cert.pem", "CERTIFICATE", leafDER), write("key.pem", "EC PRIVATE KEY", keyDER)
}

// tunnel is a proxy whose every connection leads to one address: in the place of names that
// would have to lead there.
func tunnel(t *testing.T, to string) *httptest.Server {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "only tunnels", http.StatusMethodNotAllowed)
			return
		}
		there, err := new(net.Dialer).DialContext(t.Context(), "tcp", to)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer there.Close()
		here, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer here.Close()
		if _, err := io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
			return
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = io.Copy(there, buffered) // either side may end it
			_ = there.Close()
		}()
		_, _ = io.Copy(here, there)
		_ = here.Close()
		<-ended
	}))
	t.Cleanup(proxy.Close)
	return proxy
}

// E2B's clients use a server by a domain of its own with a certificate for all names below it,
// as they use E2B's.
func TestE2BDomain(t *testing.T) {
	if !*allPackages {
		t.Skip("it installs E2B's clients: -all-packages says so")
	}
	requireSandbox(t)
	const domain = "sbx.test"
	authority, cert, key := wildcard(t, domain)
	env := serveE2B(t, "--e2b-domain", domain, "--e2b-cert", cert, "--e2b-cert-key", key)
	proxy := tunnel(t, strings.TrimPrefix(strings.TrimPrefix(env[0], "E2B_API_URL="), "https://"))
	env = append(env[2:], "E2B_DOMAIN="+domain, "E2B_TEST_PROXY="+proxy.URL, "HTTPS_PROXY="+proxy.URL, "SSL_CERT_FILE="+authority, "NODE_EXTRA_CA_CERTS="+authority)
	for _, c := range e2bClients {
		t.Run(c.language+" "+c.version, func(t *testing.T) {
			groups := []string{"create", "connect", "commands", "files", "watch", "pause", "snapshots"}
			if c.language == "Python" { // whose own requests take the tunnel, too
				groups = append(groups, "secure", "ports")
			}
			if got := c.run(t, env, groups...); len(got) < len(groups) {
				t.Errorf("got %v", got)
			}
		})
	}
}
