// Package vault keeps the secrets of a server's tenants, such as the keys of their providers of
// models: encrypted with AES-256-GCM under a key of the server, in a file of their own that
// only its owner can read. Who has a copy of the data folder without the key file has no
// secrets.
//
// Each secret is bound to its tenant and its name, so that one cannot be put in the place of
// another. No operation of the server returns one; they are what the tenant's runs read as
// variables of the environment.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
)

// Bounds, and the files below the folder of the server.
const (
	maxSecret = 64 << 10
	maxFile   = 16 << 20
	maxKeys   = 1 << 10
	keyBytes  = 32
	keyFile   = "secrets.key"
	fileName  = "secrets.json"
)

var namePattern = lazyregexp.New(`^[A-Z][A-Z0-9_]{0,99}$`)

// sealed are the secrets in their file: by tenant and name, a nonce and what is encrypted.
type sealed map[string]map[string][]byte

// Vault is the secrets of a server. It is safe for concurrent use, also by several processes.
type Vault struct {
	mu   sync.Mutex
	keys *atomicfile.Watched[[][]byte] // the first encrypts; while it is replaced, the one before follows
	file *atomicfile.Watched[sealed]
}

// Open opens the secrets in the folder dir. Nothing is written before there is one.
func Open(dir string) (*Vault, error) {
	if err := atomicfile.Make(dir); err != nil {
		return nil, err
	}
	return &Vault{
		keys: atomicfile.NewWatched(filepath.Join(dir, keyFile), maxKeys, decodeKeys),
		file: atomicfile.NewWatched(filepath.Join(dir, fileName), maxFile, decode),
	}, nil
}

// decodeKeys reads the key file: a key a line.
func decodeKeys(data []byte) ([][]byte, error) {
	var out [][]byte
	for _, line := range strings.Fields(string(data)) {
		key, err := hex.DecodeString(line)
		if err != nil || len(key) != keyBytes {
			return nil, errors.New("it holds no key")
		}
		out = append(out, key)
	}
	return out, nil
}

// decode reads the file of secrets.
func decode(data []byte) (sealed, error) {
	out := sealed{}
	if data == nil {
		return out, nil
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("it holds no secrets: %w", err)
	}
	for tenant, of := range out {
		if !access.IsTenant(tenant) || of == nil {
			return nil, errors.New("it holds no secrets")
		}
	}
	return out, nil
}

func errDamaged(err error) error {
	return fmt.Errorf("cannot read the secrets of tenants: %w", err)
}

// Get returns a secret of a tenant; "": there is none.
func (v *Vault) Get(tenant, name string) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	all, err := v.file.Get()
	if err != nil {
		return "", errDamaged(err)
	}
	box := all[tenant][name]
	if box == nil {
		return "", nil
	}
	keys, err := v.keys.Get()
	if err != nil {
		return "", errDamaged(err)
	}
	text, err := open(keys, tenant, name, box)
	return string(text), err
}

// Environ returns the secrets of a tenant as variables of the environment, NAME=text.
func (v *Vault) Environ(tenant string) ([]string, error) {
	names, err := v.Names(tenant)
	var out []string
	for _, name := range names {
		text, failed := v.Get(tenant, name)
		if err = errors.Join(err, failed); text != "" {
			out = append(out, name+"="+text)
		}
	}
	return out, err
}

// Names returns the names of a tenant's secrets.
func (v *Vault) Names(tenant string) ([]string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	all, err := v.file.Get()
	if err != nil {
		return nil, errDamaged(err)
	}
	return slices.Sorted(maps.Keys(all[tenant])), nil
}

// Set stores a secret of a tenant; "" removes it.
func (v *Vault) Set(tenant, name, text string) error {
	if !access.IsTenant(tenant) || !namePattern.MatchString(name) {
		return fault.New(fault.Invalid, "Name a tenant, and a variable in capitals, digits and underscores.", "cannot store the secret: %q of %q is no name", safetext.Clip(safetext.Line(name), 60), safetext.Clip(safetext.Line(tenant), 60))
	}
	if len(text) > maxSecret || strings.ContainsAny(text, "\x00\n\r") {
		return fault.New(fault.Invalid, "Give one line of at most 64 KiB.", "cannot store the secret: it is no single line of text")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	all, err := v.file.Get()
	if err != nil {
		return errDamaged(err)
	}
	of := maps.Clone(all[tenant])
	if of == nil {
		of = map[string][]byte{}
	}
	if _, there := of[name]; text == "" && !there {
		return fault.New(fault.NotFound, "List the names that there are.", "cannot remove the secret: %s has none named %s", tenant, name)
	}
	delete(of, name)
	if text != "" {
		key, err := v.key()
		if err != nil {
			return err
		}
		if of[name], err = seal(key, tenant, name, []byte(text)); err != nil {
			return err
		}
	}
	all = maps.Clone(all)
	if all[tenant] = of; len(of) == 0 {
		delete(all, tenant)
	}
	return v.write(all)
}

// key returns the key that encrypts, and makes it when there is none. v.mu is held.
func (v *Vault) key() ([]byte, error) {
	keys, err := v.keys.Get()
	if err != nil {
		return nil, errDamaged(err)
	}
	if len(keys) == 0 {
		if err := v.keys.Put([]byte(newKey() + "\n")); err != nil {
			return nil, fmt.Errorf("cannot write the key of secrets: %w", err)
		}
		if keys, err = v.keys.Get(); err != nil {
			return nil, errDamaged(err)
		}
	}
	return keys[0], nil
}

func newKey() string {
	key := make([]byte, keyBytes)
	rand.Read(key) // it never fails
	return hex.EncodeToString(key)
}

func (v *Vault) write(all sealed) error {
	data, err := json.Marshal(all)
	if err == nil {
		err = v.file.Put(data)
	}
	if err != nil {
		return fmt.Errorf("cannot write the secrets of tenants: %w", err)
	}
	return nil
}

// Rotate encrypts everything anew under a new key. While that goes on both keys are kept, so
// that a crash loses nothing; the old one is gone when it is done.
func (v *Vault) Rotate() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	keys, err := v.keys.Get()
	if err != nil {
		return errDamaged(err)
	}
	all, err := v.file.Get()
	if err != nil {
		return errDamaged(err)
	}
	fresh := newKey()
	lines := fresh + "\n"
	for _, k := range keys {
		lines += hex.EncodeToString(k) + "\n"
	}
	raw, err := decodeKeys([]byte(fresh))
	if err != nil {
		return err
	}
	anew := sealed{}
	for tenant, of := range all {
		anew[tenant] = map[string][]byte{}
		for name, box := range of {
			text, err := open(keys, tenant, name, box)
			if err != nil {
				return err
			}
			if anew[tenant][name], err = seal(raw[0], tenant, name, text); err != nil {
				return err
			}
		}
	}
	if err := v.keys.Put([]byte(lines)); err != nil {
		return fmt.Errorf("cannot write the key of secrets: %w", err)
	}
	if err := v.write(anew); err != nil {
		return err
	}
	return v.keys.Put([]byte(fresh + "\n"))
}

func gcm(key []byte) (cipher.AEAD, error) {
	b, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(b)
}

func seal(key []byte, tenant, name string, text []byte) ([]byte, error) {
	c, err := gcm(key)
	if err != nil {
		return nil, err
	}
	return c.Seal(nil, nil, text, []byte(tenant+"\x00"+name)), nil
}

func open(keys [][]byte, tenant, name string, box []byte) ([]byte, error) {
	for _, key := range keys {
		c, err := gcm(key)
		if err != nil {
			return nil, err
		}
		if text, err := c.Open(nil, nil, box, []byte(tenant+"\x00"+name)); err == nil {
			return text, nil
		}
	}
	return nil, fault.New(fault.Conflict, "Restore the key file beside the secrets, or set the secret anew.", "cannot read the secret %s of %s: it is damaged, or encrypted under another key", name, tenant)
}
