package app

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"os"
	"strings"

	"praxis/fault"
	"praxis/internal/record/journal"
	"praxis/internal/safetext"
)

// Keys returns the keys that are trusted here.
func (a *App) Keys() ([]Key, error) { return a.records.Journal.Keys() }

// PublicKey returns in PEM the key whose id begins with ref, or the one that
// signs now when ref is empty.
func (a *App) PublicKey(ref string) (string, error) {
	keys, err := a.Keys()
	if err != nil {
		return "", err
	}
	k, err := pickKey(keys, ref)
	if err != nil {
		return "", err
	}
	return publicPEM(k)
}

// RotateKey makes a new key that signs from now on. The old one vouches for it.
func (a *App) RotateKey() (Key, error) { return a.records.Journal.Rotate() }

// TrustKey trusts the public key in a file.
func (a *App) TrustKey(path string) (Key, error) { return a.records.Journal.Trust(path) }

// DistrustKey no longer trusts a key.
func (a *App) DistrustKey(id string) error { return a.records.Journal.Distrust(id) }

// pickKey returns the key that an id begins, or the one that signs.
func pickKey(keys []journal.Key, ref string) (journal.Key, error) {
	var found []journal.Key
	for _, k := range keys {
		if ref == "" && k.Current || ref != "" && strings.HasPrefix(k.ID, ref) {
			found = append(found, k)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case ref == "":
		return journal.Key{}, fault.New(fault.NotFound, "Record a run first: it makes the key.", "cannot show the key: there is none yet")
	case len(found) > 1:
		return journal.Key{}, fault.New(fault.Invalid, "Write more of its id.", "cannot show key %s: several begin so", safetext.Line(ref))
	}
	return journal.Key{}, fault.Coded(fault.KeyMissing, fault.Data{"key": ref}, "cannot show key %s: there is none", safetext.Line(ref))
}

// publicPEM writes a public key as other programs read it.
func publicPEM(k journal.Key) (string, error) {
	raw, err := publicBytes(k.Public)
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalPKIXPublicKey(ed25519.PublicKey(raw))
	if err != nil {
		return "", fmt.Errorf("cannot write key %s: %w", k.ID, err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), nil
}

// publicBytes reads a public key as the journal names it.
func publicBytes(text string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, keyPrefix))
	if err != nil || len(raw) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("cannot read key %q: it is none", text)
	}
	return raw, nil
}

// ReadKeyFile reads the public key that a file holds: PEM, or the text that
// begins with "ed25519:".
func ReadKeyFile(path string) (journal.Key, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return journal.Key{}, FileFault(path, err)
	}
	bad := fault.New(fault.Invalid, "Name a file that holds one, in PEM.", "cannot read key %s: it holds no public Ed25519 key", safetext.Line(path))
	var raw []byte
	if text := strings.TrimSpace(string(data)); strings.HasPrefix(text, keyPrefix) {
		if raw, err = publicBytes(text); err != nil {
			return journal.Key{}, bad
		}
	} else {
		block, _ := pem.Decode(data)
		if block == nil || block.Type != "PUBLIC KEY" {
			return journal.Key{}, bad
		}
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		key, ok := parsed.(ed25519.PublicKey)
		if err != nil || !ok {
			return journal.Key{}, bad
		}
		raw = key
	}
	sum := sha256.Sum256(raw)
	return journal.Key{ID: hex.EncodeToString(sum[:8]), Public: keyPrefix + base64.StdEncoding.EncodeToString(raw)}, nil
}

// keyPrefix begins a public key as the journal names it.
const keyPrefix = "ed25519:"
