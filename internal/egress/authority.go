package egress

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"sync"
	"time"
)

// How long certificates hold. Clocks of sandboxes that were stored may be
// behind, hence the time before.
const (
	authorityLife = 30 * 24 * time.Hour
	leafLife      = 2 * time.Hour
	before        = time.Hour
)

// authority signs certificates for the hosts with credentials, and can sign for
// no others. Its key never leaves the memory of the process.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte

	mu     sync.Mutex
	leaves map[string]*tls.Certificate // by host; as many as there are hosts
}

func newAuthority(hosts []target, now time.Time) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("cannot make a certificate authority: %w", err)
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "Praxis egress, of one run"},
		NotBefore:             now.Add(-before),
		NotAfter:              now.Add(authorityLife),
		IsCA:                  true,
		BasicConstraintsValid: true,
		MaxPathLenZero:        true,
		KeyUsage:              x509.KeyUsageCertSign,

		PermittedDNSDomainsCritical: true,
	}
	for _, t := range hosts {
		if t.addr.IsValid() {
			bits := t.addr.BitLen()
			template.PermittedIPRanges = append(template.PermittedIPRanges, &net.IPNet{IP: t.addr.AsSlice(), Mask: net.CIDRMask(bits, bits)})
		} else {
			template.PermittedDNSDomains = append(template.PermittedDNSDomains, t.host)
		}
	}
	if template.PermittedIPRanges == nil { // without one, every address is permitted
		template.ExcludedIPRanges = []*net.IPNet{
			{IP: net.IPv4zero.To4(), Mask: net.CIDRMask(0, 32)},
			{IP: net.IPv6zero, Mask: net.CIDRMask(0, 128)},
		}
	}
	if template.PermittedDNSDomains == nil {
		template.PermittedDNSDomains = []string{"invalid"} // the same for names
	}
	a := &authority{key: key, leaves: map[string]*tls.Certificate{}}
	if a.cert, err = a.sign(template, template, &key.PublicKey); err != nil {
		return nil, err
	}
	a.pem = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
	return a, nil
}

// sign makes a certificate for a key.
func (a *authority) sign(template, parent *x509.Certificate, key *ecdsa.PublicKey) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("cannot make a certificate: %w", err)
	}
	template.SerialNumber = serial
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key, a.key)
	if err != nil {
		return nil, fmt.Errorf("cannot make a certificate: %w", err)
	}
	return x509.ParseCertificate(der)
}

// leaf returns a certificate for one host that stays valid for a while.
func (a *authority) leaf(t target, now time.Time) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.leaves[t.host]; c != nil && now.Add(leafLife/2).Before(c.Leaf.NotAfter) && now.After(c.Leaf.NotBefore) {
		return c, nil
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "Praxis egress"},
		NotBefore:             now.Add(-before),
		NotAfter:              now.Add(leafLife),
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if t.addr.IsValid() {
		template.IPAddresses = []net.IP{t.addr.AsSlice()}
	} else {
		template.DNSNames = []string{t.host}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("cannot make a certificate: %w", err)
	}
	cert, err := a.sign(template, a.cert, &key.PublicKey)
	if err != nil {
		return nil, err
	}
	c := &tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key, Leaf: cert}
	a.leaves[t.host] = c
	return c, nil
}
