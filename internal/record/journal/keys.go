package journal

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"praxis/fault"
	"praxis/internal/atomicfile"
)

// Names in the folder of the keys.
const (
	privateFile    = "journal.pem"
	redactionFile  = "redaction.key"
	knownFolder    = "known"
	succeedFolder  = "succession"
	publicPrefix   = "ed25519:"
	maxKeyFile     = 64 << 10
	maxSuccession  = 8
	checkpointText = "praxis journal checkpoint 1\n"
	succeedText    = "praxis journal succession 1\n"
)

// Key is a public key that signs journals.
type Key struct {
	ID      string `json:"id"`     // the first 16 hexadecimal digits of the SHA-256 of its 32 bytes
	Public  string `json:"public"` // "ed25519:" and the 32 bytes in base64
	Current bool   `json:"current,omitempty"`
}

// Succession is the statement of one key that another takes its place.
type Succession struct {
	From      string `json:"from"` // as Key.Public
	To        string `json:"to"`
	Time      string `json:"time"`
	Signature string `json:"signature"` // by From
}

// keyring is the folder of the keys.
type keyring struct {
	dir      string
	external string // file of the private key, or ""
}

// signer signs for one key.
type signer struct {
	private ed25519.PrivateKey
	Key
}

func newSigner(private ed25519.PrivateKey) signer {
	return signer{private, publicKey(private.Public().(ed25519.PublicKey))}
}

func publicKey(p ed25519.PublicKey) Key {
	return Key{ID: keyID(p), Public: publicPrefix + base64.StdEncoding.EncodeToString(p)}
}

func keyID(p ed25519.PublicKey) string {
	sum := sha256.Sum256(p)
	return hex.EncodeToString(sum[:8])
}

// parsePublic reads Key.Public.
func parsePublic(s string) (ed25519.PublicKey, error) {
	text, ok := strings.CutPrefix(s, publicPrefix)
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if !ok || err != nil || len(raw) != ed25519.PublicKeySize || base64.StdEncoding.EncodeToString(raw) != text {
		return nil, fmt.Errorf("%.80q is no public key", s)
	}
	return raw, nil
}

func parseSignature(s string) ([]byte, bool) {
	raw, err := base64.StdEncoding.Strict().DecodeString(s)
	return raw, err == nil && len(raw) == ed25519.SignatureSize && base64.StdEncoding.EncodeToString(raw) == s
}

// verifies says whether sig is the key's signature of text.
func verifies(key ed25519.PublicKey, text string, sig []byte) bool {
	return ed25519.Verify(key, []byte(text), sig)
}

// signature signs text.
func (s signer) signature(text string) string {
	return base64.StdEncoding.EncodeToString(ed25519.Sign(s.private, []byte(text)))
}

func (s Succession) text() string { return succeedText + s.From + "\n" + s.To + "\n" + s.Time }

// valid says whether the statement was signed by the key that it is of.
func (s Succession) valid() bool {
	from, err := parsePublic(s.From)
	if err != nil {
		return false
	}
	if _, err := parsePublic(s.To); err != nil {
		return false
	}
	sig, ok := parseSignature(s.Signature)
	return ok && ed25519.Verify(from, []byte(s.text()), sig)
}

// prepare has the folder made, for nobody else to look into.
func (k keyring) prepare() error {
	for _, dir := range []string{k.dir, filepath.Join(k.dir, knownFolder), filepath.Join(k.dir, succeedFolder)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if err := atomicfile.Own(dir); err != nil {
			return err
		}
	}
	return nil
}

// signer returns the key that signs. It is made on first use.
func (k keyring) signer() (signer, error) {
	s, err := k.current()
	if errors.Is(err, fs.ErrNotExist) && k.external == "" {
		s, err = k.create()
	}
	if err == nil {
		err = k.keepPublic(s.Key)
	}
	if err != nil {
		return signer{}, keyFault("use the key that signs the journal", err)
	}
	return s, nil
}

// current reads the key that signs.
func (k keyring) current() (signer, error) {
	path := k.external
	if path == "" {
		path = filepath.Join(k.dir, privateFile)
		if err := atomicfile.Own(k.dir); err != nil {
			return signer{}, err
		}
	}
	data, err := atomicfile.ReadSecret(path, maxKeyFile)
	if err != nil {
		return signer{}, err
	}
	block, _ := pem.Decode(data)
	bad := func(why string) error {
		return fault.New(fault.Invalid, "Make one with: openssl genpkey -algorithm ed25519 -out FILE", "%s %s", path, why)
	}
	if block == nil || block.Type != "PRIVATE KEY" {
		return signer{}, bad("holds no private key in PKCS#8 and PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return signer{}, bad("holds a private key that cannot be read")
	}
	private, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return signer{}, bad("holds a private key of another sort than Ed25519")
	}
	return newSigner(private), nil
}

// create makes a key. When two processes do so at once, one key stays.
func (k keyring) create() (signer, error) {
	if err := k.prepare(); err != nil {
		return signer{}, err
	}
	_, data, err := generate()
	if err == nil {
		err = atomicfile.Create(filepath.Join(k.dir, privateFile), data)
	}
	if err != nil {
		return signer{}, err
	}
	return k.current()
}

func generate() (signer, []byte, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return signer{}, nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return signer{}, nil, err
	}
	return newSigner(private), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// keepPublic has the public half of a key of ours known also when another one
// has taken its place.
func (k keyring) keepPublic(key Key) error {
	path := k.knownPath(key.ID)
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	if err := k.prepare(); err != nil {
		return err
	}
	raw, err := parsePublic(key.Public)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKIXPublicKey(raw)
	if err != nil {
		return err
	}
	return atomicfile.Create(path, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func (k keyring) knownPath(id string) string {
	return filepath.Join(k.dir, knownFolder, id+".pem")
}

// known returns the public keys that are trusted here. It writes nothing.
func (k keyring) known() ([]Key, error) {
	var out []Key
	current := ""
	// Who may not read the private key can still check: its public half is
	// among the others from the first use on.
	if s, err := k.current(); err == nil {
		current = s.ID
		s.Current = true
		out = append(out, s.Key)
	}
	dir := filepath.Join(k.dir, knownFolder)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err == nil {
		err = atomicfile.Own(dir)
	}
	if err != nil {
		return nil, keyFault("read the keys that are trusted", err)
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".pem")
		if !ok || id == current || !e.Type().IsRegular() {
			continue
		}
		key, err := readPublicFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, keyFault("read a key that is trusted", err)
		}
		if key.ID != id {
			return nil, keyFault("read a key that is trusted", fault.New(fault.Conflict, "Remove the file, or give it its name.",
				"%s holds the key %s", filepath.Join(dir, e.Name()), key.ID))
		}
		out = append(out, key)
	}
	return out, nil
}

func readPublicFile(path string) (Key, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Key{}, err
	}
	defer f.Close()
	buf := make([]byte, maxKeyFile)
	n, err := f.Read(buf)
	if n == 0 && err != nil {
		return Key{}, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return parsePublicPEM(path, buf[:n])
}

// parsePublicPEM reads a public key, also one as a journal names it.
func parsePublicPEM(name string, data []byte) (Key, error) {
	bad := fault.New(fault.Invalid, "Give a public Ed25519 key in PEM, or the text that begins with "+publicPrefix+".",
		"%s holds no public key", name)
	if text := string(bytes.TrimSpace(data)); strings.HasPrefix(text, publicPrefix) {
		raw, err := parsePublic(text)
		if err != nil {
			return Key{}, bad
		}
		return publicKey(raw), nil
	}
	block, _ := pem.Decode(data)
	if block == nil || block.Type != "PUBLIC KEY" {
		return Key{}, bad
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return Key{}, bad
	}
	raw, ok := parsed.(ed25519.PublicKey)
	if !ok {
		return Key{}, bad
	}
	return publicKey(raw), nil
}

// rotate replaces the key that signs by a new one, which the old one signs. Runs
// that are being written go on with the old one.
func (k keyring) rotate(now time.Time) (Key, error) {
	if k.external != "" {
		return Key{}, fault.New(fault.Invalid, "Put another key into that file, or take journal.key out of the configuration.",
			"cannot rotate the key: it is the file %s", k.external)
	}
	old, err := k.signer()
	if err != nil {
		return Key{}, err
	}
	next, data, err := generate()
	if err != nil {
		return Key{}, keyFault("rotate the key", err)
	}
	s := Succession{From: old.Public, To: next.Public, Time: now.UTC().Format(timeLayout)}
	s.Signature = old.signature(s.text())
	statement, err := json.Marshal(s)
	if err == nil {
		err = atomicfile.WriteFile(filepath.Join(k.dir, succeedFolder, next.ID+".json"), append(statement, '\n'))
	}
	if err == nil {
		err = k.keepPublic(next.Key)
	}
	if err == nil {
		err = atomicfile.WriteFile(filepath.Join(k.dir, privateFile), data)
	}
	if err != nil {
		return Key{}, keyFault("rotate the key", err)
	}
	next.Current = true
	return next.Key, nil
}

// succession returns the statements that lead to a key of ours, the last one
// first made last.
func (k keyring) succession(to Key) []Succession {
	var out []Succession
	for len(out) < maxSuccession {
		s, from, ok := k.handover(to)
		if !ok {
			break // a key without one is known by itself
		}
		out, to = append(out, s), from
	}
	slices.Reverse(out)
	return out
}

// handover returns the statement by which a key of ours took the place of from.
func (k keyring) handover(to Key) (s Succession, from Key, ok bool) {
	data, err := os.ReadFile(filepath.Join(k.dir, succeedFolder, to.ID+".json"))
	if err != nil || json.Unmarshal(data, &s) != nil || s.To != to.Public || !s.valid() {
		return s, from, false
	}
	raw, err := parsePublic(s.From)
	if err != nil {
		return s, from, false
	}
	return s, publicKey(raw), true
}

// own returns the public keys that sign here and that did before a rotation;
// those that somebody else signs with and that are trusted are not among them.
func (k keyring) own() map[string]bool {
	own := map[string]bool{}
	s, err := k.current()
	for key, ok := s.Key, err == nil; ok && !own[key.Public]; _, key, ok = k.handover(key) {
		own[key.Public] = true
	}
	return own
}

// redaction returns the key of the digests that stand for secrets. It is made
// on first use, unless make is false; nil when there is none.
func (k keyring) redaction(create bool) ([]byte, error) {
	path := filepath.Join(k.dir, redactionFile)
	data, err := atomicfile.ReadSecret(path, maxKeyFile)
	if errors.Is(err, fs.ErrNotExist) {
		if !create {
			return nil, nil
		}
		raw := make([]byte, 32)
		rand.Read(raw)
		if err = k.prepare(); err == nil {
			err = atomicfile.Create(path, []byte(hex.EncodeToString(raw)+"\n"))
		}
		if err == nil {
			data, err = atomicfile.ReadSecret(path, maxKeyFile)
		}
	}
	if err != nil {
		return nil, keyFault("use the key of the digests", err)
	}
	key, err := hex.DecodeString(string(bytes.TrimSpace(data)))
	if err != nil || len(key) != 32 {
		return nil, fault.New(fault.Conflict, "Move the file away: a new one is made.", "cannot use the key of the digests: %s holds none", path)
	}
	return key, nil
}

// keyFault says what could not be done with a key, as the fault that it is.
func keyFault(what string, err error) error {
	switch {
	case fault.KindOf(err) != fault.Internal:
		return fmt.Errorf("cannot %s: %w", what, err)
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.NotFound, "Look at journal.key in the configuration.", "cannot %s: %w", what, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fault.Coded(fault.FolderUnwritable, fault.Data{"folder": ""}, "cannot %s: %w", what, err)
	case atomicfile.Full(err):
		return fault.Coded(fault.DiskFull, fault.Data{"folder": ""}, "cannot %s: %w", what, err)
	}
	return fmt.Errorf("cannot %s: %w", what, err)
}
