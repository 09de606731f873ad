// Package access says who may do what on a server: keys with scopes, the tenants that they
// belong to, and how much of the server a tenant may use.
//
// A key is shown once, when it is made. What is stored is its SHA-256: a key has 192 random
// bits, so nothing slower is needed to keep it from being guessed. Each tenant has a data
// folder of its own, so what belongs to another is not refused but does not exist.
package access

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// Scope is a right that a key gives.
type Scope string

// The scopes.
const (
	Read    Scope = "read"    // look at what there is
	Run     Scope = "run"     // execute, ask, change files and sessions
	Approve Scope = "approve" // decide about calls that wait for a person
	Admin   Scope = "admin"   // everything, keys as well
)

// Scopes returns all scopes.
func Scopes() []Scope { return []Scope{Read, Run, Approve, Admin} }

// DefaultTenant is the tenant whose data folder is the one that the command line uses.
const DefaultTenant = "default"

// Key is what is known of a key. Its secret is not.
type Key struct {
	ID      string    `json:"id"`
	Name    string    `json:"name,omitempty"` // what it is for, in a person's words
	Tenant  string    `json:"tenant"`
	Scopes  []Scope   `json:"scopes"`
	Made    time.Time `json:"made"`
	Expires time.Time `json:"expires,omitzero"` // zero: never
	Quota   Quota     `json:"quota,omitzero"`   // how much may be used with it
}

// May says whether the key gives a right.
func (k Key) May(s Scope) bool {
	return slices.Contains(k.Scopes, s) || slices.Contains(k.Scopes, Admin)
}

// stored is a key in its file.
type stored struct {
	Key
	SHA256 string `json:"sha256"` // of the whole text of the key
}

// Keys are the keys of a server. It is safe for concurrent use, also by several processes:
// what another process wrote is read when the file has changed.
type Keys struct {
	now func() time.Time

	mu   sync.Mutex
	file *atomicfile.Watched[map[string]stored]
}

const (
	fileName  = "keys.json"
	prefix    = "praxis_"
	idBytes   = 4
	keyBytes  = 24
	maxFile   = 4 << 20
	maxKeys   = 10_000
	maxName   = 100
	remedyKey = "Send a key of this server as Authorization: Bearer KEY."
)

var tenantPattern = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,39}$`)

// IsTenant says whether a text can be the name of a tenant.
func IsTenant(name string) bool { return tenantPattern.MatchString(name) }

// Open reads the keys that lie in the folder dir. now is the clock that keys expire by; nil:
// the machine's.
func Open(dir string, now func() time.Time) (*Keys, error) {
	if now == nil {
		now = time.Now
	}
	if err := atomicfile.Make(dir); err != nil {
		return nil, err
	}
	k := &Keys{file: atomicfile.NewWatched(filepath.Join(dir, fileName), maxFile, decode), now: now}
	_, err := k.read()
	return k, err
}

// read returns a copy of the keys.
func (k *Keys) read() (map[string]stored, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	keys, err := k.readLocked()
	return maps.Clone(keys), err
}

func (k *Keys) readLocked() (map[string]stored, error) {
	keys, err := k.file.Get()
	if err != nil {
		return nil, fmt.Errorf("cannot read the server's keys: %w", err)
	}
	return keys, nil
}

// decode reads the contents of the file.
func decode(data []byte) (map[string]stored, error) {
	var list []stored
	if data == nil {
		return map[string]stored{}, nil
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fault.New(fault.Invalid, "Restore the file, or move it away and make new keys.", "it is no list of keys: %w", err)
	}
	out := map[string]stored{}
	for _, s := range list {
		if sum, err := hex.DecodeString(s.SHA256); err != nil || len(sum) != sha256.Size || s.ID == "" || !tenantPattern.MatchString(s.Tenant) {
			return nil, fault.New(fault.Invalid, "Restore the file, or move it away and make new keys.", "%q is no key", safetext.Clip(safetext.Line(s.ID), 40))
		}
		out[s.ID] = s
	}
	return out, nil
}

// write replaces the keys. k.mu is held.
func (k *Keys) write(keys map[string]stored) error {
	list := slices.SortedFunc(maps.Values(keys), func(a, b stored) int { return strings.Compare(a.ID, b.ID) })
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	if err := k.file.Put(append(data, '\n')); err != nil {
		return fmt.Errorf("cannot write the server's keys: %w", err)
	}
	return nil
}

// Add makes a key, and returns its text, which cannot be had again. Of like, the id and the
// time of making are chosen here; without a tenant it is the default one's, without scopes it
// may read and run.
func (k *Keys) Add(like Key) (text string, made Key, err error) {
	if like.Tenant == "" {
		like.Tenant = DefaultTenant
	}
	if !tenantPattern.MatchString(like.Tenant) {
		return "", Key{}, fault.New(fault.Invalid, "Use up to 40 small letters, digits and hyphens.", "cannot make a key: %q is no name of a tenant", safetext.Clip(safetext.Line(like.Tenant), 60))
	}
	if len(like.Name) > maxName {
		return "", Key{}, fault.New(fault.Invalid, "Use a shorter name.", "cannot make a key: its name has more than %d bytes", maxName)
	}
	if len(like.Scopes) == 0 {
		like.Scopes = []Scope{Read, Run}
	}
	for _, s := range like.Scopes {
		if !slices.Contains(Scopes(), s) {
			return "", Key{}, fault.New(fault.Invalid, "The scopes are read, run, approve and admin.", "cannot make a key: there is no scope %q", safetext.Clip(safetext.Line(string(s)), 40))
		}
	}
	if like.Quota.Disk != 0 {
		return "", Key{}, fault.New(fault.Invalid, "Give the tenant a quota of the disk.", "cannot make a key: a key has no disk of its own")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	keys, err := k.readLocked()
	if err != nil {
		return "", Key{}, err
	}
	if len(keys) >= maxKeys {
		return "", Key{}, fault.New(fault.Exhausted, "Remove keys that nobody uses.", "cannot make a key: there are %d", maxKeys)
	}
	raw := make([]byte, idBytes+keyBytes)
	for {
		rand.Read(raw) // it never fails
		if _, taken := keys[hex.EncodeToString(raw[:idBytes])]; !taken {
			break
		}
	}
	text = prefix + hex.EncodeToString(raw)
	sum := sha256.Sum256([]byte(text))
	like.ID, like.Made = hex.EncodeToString(raw[:idBytes]), k.now().UTC().Truncate(time.Second)
	keys = maps.Clone(keys)
	keys[like.ID] = stored{like, hex.EncodeToString(sum[:])}
	if err := k.write(keys); err != nil {
		return "", Key{}, err
	}
	return text, like, nil
}

// Check returns the key that a text is. The fault is the same whether it is unknown, wrong
// or expired.
func (k *Keys) Check(text string) (Key, error) {
	refused := fault.New(fault.Denied, remedyKey, "cannot tell who calls: the key is not known")
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok || len(rest) != 2*(idBytes+keyBytes) {
		return Key{}, refused
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	keys, err := k.readLocked()
	if err != nil {
		return Key{}, err
	}
	s, known := keys[rest[:2*idBytes]]
	sum := sha256.Sum256([]byte(text))
	if !known || subtle.ConstantTimeCompare([]byte(hex.EncodeToString(sum[:])), []byte(s.SHA256)) != 1 {
		return Key{}, refused
	}
	if !s.Expires.IsZero() && k.now().After(s.Expires) {
		return Key{}, refused
	}
	return s.Key, nil
}

// Get returns the key with an id; the zero Key: there is none.
func (k *Keys) Get(id string) (Key, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	keys, err := k.readLocked()
	return keys[id].Key, err
}

// List returns the keys, the oldest first.
func (k *Keys) List() ([]Key, error) {
	keys, err := k.read()
	if err != nil {
		return nil, err
	}
	out := make([]Key, 0, len(keys))
	for _, s := range keys {
		out = append(out, s.Key)
	}
	slices.SortFunc(out, func(a, b Key) int {
		if c := a.Made.Compare(b.Made); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out, nil
}

// Remove takes a key away: it is not accepted any more from now on.
func (k *Keys) Remove(id string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	keys, err := k.readLocked()
	if err != nil {
		return err
	}
	if _, known := keys[id]; !known {
		return fault.New(fault.NotFound, "List the keys to see which there are.", "cannot remove the key: there is none with the id %q", safetext.Clip(safetext.Line(id), 40))
	}
	keys = maps.Clone(keys)
	delete(keys, id)
	return k.write(keys)
}
