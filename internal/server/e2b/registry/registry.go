// Package registry knows the sandboxes of E2B's clients: which session of which tenant each
// is, what it was made with, and when its time is over.
//
// A sandbox is a session whose name is the sandbox's id. The id has 130 random bits, since
// whoever knows it may reach the ports of a sandbox that was made without secure mode. What a
// session does not know of a sandbox is a file of its own. Tokens are not stored: they follow
// from the id and a secret of the server.
package registry

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
	"praxis/internal/server/live"
)

// Kind says what a record is of.
type Kind string

// The kinds.
const (
	Sandbox  Kind = "sandbox"
	Snapshot Kind = "snapshot" // a session that others are forked from, and that never runs
)

// Record is what is stored of a sandbox beside its session.
type Record struct {
	ID       string            `json:"id"` // the session's name as well
	Kind     Kind              `json:"kind"`
	Tenant   string            `json:"tenant"`
	Key      string            `json:"key"`              // the id of the key that it was made with
	Issued   bool              `json:"issued,omitempty"` // that key is one of the server's own, and must still exist
	Template string            `json:"template"`         // as the client named it
	Names    []string          `json:"names,omitempty"`  // of a snapshot
	Source   string            `json:"source,omitempty"` // the sandbox that a snapshot was made of
	Made     time.Time         `json:"made"`
	Began    time.Time         `json:"began"`         // when it was made or resumed last
	Ends     time.Time         `json:"ends,omitzero"` // when it is deleted or paused; zero: not by itself
	Paused   bool              `json:"paused,omitempty"`
	Metadata map[string]string `json:"metadata,omitempty"`
	Environ  map[string]string `json:"environ,omitempty"`
	Files    map[string]Marks  `json:"files,omitempty"` // what clients noted of files, by their paths

	Secure     bool            `json:"secure,omitempty"`     // its daemon needs the token
	Restricted bool            `json:"restricted,omitempty"` // its other ports need the traffic token
	AutoPause  bool            `json:"auto_pause,omitempty"` // at its end it is paused, not deleted
	AutoResume bool            `json:"auto_resume,omitempty"`
	Internet   *bool           `json:"internet,omitempty"` // nil: the client did not say
	Network    json.RawMessage `json:"network,omitempty"`  // as the client sent it
	AllowOut   []string        `json:"allow_out,omitempty"`
	DenyOut    []string        `json:"deny_out,omitempty"`
	MaskHost   string          `json:"mask_host,omitempty"`
}

// Marks are what a client noted of a file.
type Marks map[string]string

// Over says whether the time of a sandbox is over.
func (r Record) Over(now time.Time) bool { return !r.Ends.IsZero() && !now.Before(r.Ends) }

// Running says whether clients may use the sandbox.
func (r Record) Running(now time.Time) bool {
	return r.Kind == Sandbox && !r.Paused && !r.Over(now)
}

// State is what a request may see of a sandbox while it runs.
type State struct {
	Record
	Over <-chan struct{} // closed when the sandbox is paused or ends
}

// entry is a record in memory.
type entry struct {
	Record
	over   chan struct{}
	ending bool      // it is being paused or deleted since its time is over
	again  time.Time // when that is tried again; zero: it did not fail
}

// Config is what a Registry needs.
type Config struct {
	Dir    string // the folder of its files
	Tenant func(ctx context.Context, name string) (*api.Tenant, error)
	Failed func(tenant, session string, err error)
	// Ended is called when a sandbox was paused or deleted.
	Ended func(id string)
	Now   func() time.Time // nil: the machine's
}

// Registry is safe for concurrent use. Close must be called.
type Registry struct {
	cfg    Config
	secret []byte
	stop   context.CancelFunc
	work   sync.WaitGroup

	writing sync.Mutex // held by whoever changes a record, while its file is written; taken before mu
	mu      sync.Mutex // held briefly: each request looks at its sandbox
	entries map[string]*entry
}

const (
	recordFolder = "sandboxes"
	secretFile   = "secret"
	secretBytes  = 32
	maxRecord    = 1 << 20
	sweepEvery   = time.Second
)

// Open reads what sandboxes there are.
func Open(cfg Config) (*Registry, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Ended == nil {
		cfg.Ended = func(string) {}
	}
	for _, dir := range []string{cfg.Dir, filepath.Join(cfg.Dir, recordFolder)} {
		if err := atomicfile.Make(dir); err != nil {
			return nil, err
		}
	}
	r := &Registry{cfg: cfg, entries: map[string]*entry{}}
	var err error
	if r.secret, err = readSecret(filepath.Join(cfg.Dir, secretFile)); err != nil {
		return nil, err
	}
	if err := r.read(); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	r.work.Go(func() { r.sweeps(ctx) })
	return r, nil
}

// readSecret reads what tokens follow from, or makes it.
func readSecret(file string) ([]byte, error) {
	text, err := atomicfile.ReadSecret(file, 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		secret := make([]byte, secretBytes)
		rand.Read(secret) // it never fails
		return secret, atomicfile.WriteFile(file, []byte(hex.EncodeToString(secret)+"\n"))
	}
	if err != nil {
		return nil, err
	}
	secret, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(secret) != secretBytes {
		return nil, fault.New(fault.Invalid, "Restore the file, or remove it: clients then connect to their sandboxes again.", "cannot read the secret that tokens of sandboxes follow from")
	}
	return secret, nil
}

func (r *Registry) read() error {
	files, err := fs.Glob(os.DirFS(r.cfg.Dir), recordFolder+"/*.json") // the folder's own name is no pattern
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := atomicfile.ReadSecret(filepath.Join(r.cfg.Dir, file), maxRecord)
		if err != nil {
			return fmt.Errorf("cannot read what sandboxes there are: %w", err)
		}
		rec, err := Decode(data)
		if err != nil || rec.ID+".json" != filepath.Base(file) {
			return fault.New(fault.Conflict, "Remove the file: the sandbox's state is not in it.", "cannot read what sandboxes there are: %s is damaged", safetext.Line(filepath.Base(file)))
		}
		r.entries[rec.ID] = &entry{Record: rec, over: make(chan struct{})}
	}
	return nil
}

// Decode reads a record.
func Decode(data []byte) (rec Record, err error) {
	if err := json.Unmarshal(data, &rec); err != nil {
		return rec, err
	}
	if !IsID(rec.ID) || rec.Tenant == "" || rec.Kind != Sandbox && rec.Kind != Snapshot {
		return rec, errors.New("it is no record of a sandbox")
	}
	return rec, nil
}

// NewID returns an id that nobody can guess.
func NewID() string { return strings.ToLower(rand.Text()) }

// idLength is that of rand.Text.
const idLength = 26

// IsID says whether a text has the form of an id.
func IsID(text string) bool {
	return len(text) == idLength && !strings.ContainsFunc(text, func(c rune) bool { return !(c >= 'a' && c <= 'z' || c >= '2' && c <= '7') })
}

// Token returns the token of a sandbox for a use, such as "envd".
func (r *Registry) Token(use, id string) string {
	h := hmac.New(sha256.New, r.secret)
	_, _ = h.Write([]byte(use + "\x00" + id)) // it never fails
	return hex.EncodeToString(h.Sum(nil))
}

// Put stores a record, of a sandbox that is new or that was changed by Change alone.
func (r *Registry) Put(rec Record) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if err := r.write(rec); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries[rec.ID] = &entry{Record: rec, over: make(chan struct{})}
	return nil
}

func (r *Registry) write(rec Record) error {
	data, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	if len(data) > maxRecord {
		return fault.New(fault.Exhausted, "Send less metadata and fewer variables.", "cannot store the sandbox: what is known of it has more than %s", safetext.Size(maxRecord))
	}
	if err := atomicfile.WriteFile(r.file(rec.ID), data); err != nil {
		return fmt.Errorf("cannot store the sandbox: %w", err)
	}
	return nil
}

func (r *Registry) file(id string) string {
	return filepath.Join(r.cfg.Dir, recordFolder, id+".json")
}

// Missing is the fault of a sandbox that is not there.
func Missing(id string) error {
	return fault.New(fault.NotFound, "List the sandboxes.", "sandbox %s was not found", safetext.Clip(safetext.Line(id), 80))
}

// Get returns the record of a sandbox or a snapshot. One whose session is gone is forgotten.
func (r *Registry) Get(ctx context.Context, id string) (State, error) {
	r.mu.Lock()
	e := r.entries[id]
	var out State
	if e != nil {
		out = State{e.Record, e.over}
	}
	r.mu.Unlock()
	if e == nil {
		return out, Missing(id)
	}
	t, err := r.cfg.Tenant(ctx, out.Tenant)
	if err != nil {
		return out, err
	}
	if _, err := t.Hub.Get(id); err != nil {
		if fault.KindOf(err) == fault.NotFound {
			return out, errors.Join(Missing(id), r.Forget(id))
		}
		return out, err
	}
	return out, nil
}

// Peek returns the record of a sandbox as it is stored; the zero Record: there is none.
func (r *Registry) Peek(id string) Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[id]; e != nil {
		return e.Record
	}
	return Record{}
}

// Find returns the snapshot of a tenant with a name or an id.
func (r *Registry) Find(tenant, name string) (Record, bool) {
	bare, _, _ := strings.Cut(name, ":") // the tag says which of several builds, and there is one
	for _, rec := range r.List(tenant, Snapshot) {
		if rec.ID == bare || slices.ContainsFunc(rec.Names, func(n string) bool { n, _, _ = strings.Cut(n, ":"); return n == bare }) {
			return rec, true
		}
	}
	return Record{}, false
}

// List returns the records of a tenant, the newest first.
func (r *Registry) List(tenant string, kind Kind) []Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Record
	for _, e := range r.entries {
		if e.Tenant == tenant && e.Kind == kind {
			out = append(out, e.Record)
		}
	}
	slices.SortFunc(out, func(a, b Record) int { return cmp.Or(b.Began.Compare(a.Began), strings.Compare(a.ID, b.ID)) })
	return out
}

// Change changes a record. What f fails with leaves it as it is.
func (r *Registry) Change(id string, f func(*Record) error) (Record, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	e := r.entries[id]
	r.mu.Unlock()
	if e == nil {
		return Record{}, Missing(id)
	}
	rec := e.Record
	if err := f(&rec); err != nil {
		return rec, err
	}
	if err := r.write(rec); err != nil {
		return e.Record, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if rec.Paused && !e.Paused {
		close(e.over)
		e.over = make(chan struct{})
	}
	e.Record = rec
	return rec, nil
}

// Forget removes a record. What goes on for clients of the sandbox ends.
func (r *Registry) Forget(id string) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	e := r.entries[id]
	delete(r.entries, id)
	if e != nil {
		close(e.over)
	}
	r.mu.Unlock()
	if e == nil {
		return nil
	}
	r.cfg.Ended(id)
	if err := os.Remove(r.file(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot forget the sandbox: %w", err)
	}
	return nil
}

// Delete ends a sandbox or a snapshot, with its session.
func (r *Registry) Delete(ctx context.Context, rec Record) error {
	t, err := r.cfg.Tenant(ctx, rec.Tenant)
	if err != nil {
		return err
	}
	if err := t.Hub.Delete(ctx, rec.ID); err != nil && fault.KindOf(err) != fault.NotFound {
		return err
	}
	return r.Forget(rec.ID)
}

// Pause saves a sandbox. Clients see at once that it does not run any more; when it cannot be
// saved, it goes on to run.
func (r *Registry) Pause(ctx context.Context, id string) error {
	return r.pause(ctx, id, func(rec Record) error {
		if rec.Paused {
			return fault.New(fault.Conflict, "Resume it first.", "sandbox %s is paused already", rec.ID)
		}
		return nil
	})
}

// errGoesOn says that a sandbox got more time meanwhile.
var errGoesOn = errors.New("the sandbox goes on")

func (r *Registry) pause(ctx context.Context, id string, may func(Record) error) error {
	var ends time.Time
	rec, err := r.Change(id, func(rec *Record) error {
		if err := may(*rec); err != nil {
			return err
		}
		ends = rec.Ends
		rec.Paused, rec.Ends = true, time.Time{}
		return nil
	})
	if err != nil {
		return err
	}
	r.cfg.Ended(id)
	if err = r.save(ctx, rec); err == nil {
		return nil
	}
	rec, wrong := r.Change(id, func(now *Record) error {
		if now.Paused && now.Began.Equal(rec.Began) { // nobody resumed it meanwhile
			now.Paused, now.Ends = false, ends
		}
		return nil
	})
	if wrong == nil {
		wrong = r.bound(context.WithoutCancel(ctx), rec)
	}
	return errors.Join(err, wrong)
}

// save saves the session of a sandbox that does not run any more.
func (r *Registry) save(ctx context.Context, rec Record) error {
	t, err := r.cfg.Tenant(ctx, rec.Tenant)
	if err != nil {
		return err
	}
	if err := t.Hub.Extend(rec.ID, 0); err != nil {
		return err
	}
	return t.Hub.Pause(ctx, rec.ID)
}

// sweeps ends the sandboxes whose time is over, until the registry closes.
func (r *Registry) sweeps(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		r.sweep(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Bounds of what ends sandboxes.
const (
	maxEnding  = 4           // of a tenant at a time: none keeps those of others waiting
	endsWithin = time.Minute // a sandbox that cannot be saved waits as long before it is tried again
)

// sweep begins to end the sandboxes whose time is over.
func (r *Registry) sweep(ctx context.Context) {
	now := r.cfg.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	ending := map[string]int{} // by tenants
	for _, e := range r.entries {
		if e.ending {
			ending[e.Tenant]++
		}
	}
	for _, e := range r.entries {
		if e.Kind != Sandbox || e.ending || !e.Record.Over(now) || now.Before(e.again) || ending[e.Tenant] >= maxEnding {
			continue
		}
		e.ending = true
		ending[e.Tenant]++
		rec := e.Record
		r.work.Go(func() { r.expire(ctx, rec) })
	}
}

// expire ends a sandbox whose time was over, unless it has got more meanwhile.
func (r *Registry) expire(ctx context.Context, rec Record) {
	ctx, cancel := context.WithTimeout(ctx, endsWithin)
	defer cancel()
	r.mu.Lock()
	e := r.entries[rec.ID]
	over := e != nil && e.Record.Over(r.cfg.Now())
	r.mu.Unlock()
	var err error
	if over && rec.AutoPause {
		err = r.pause(ctx, rec.ID, func(rec Record) error {
			if rec.Paused || !rec.Over(r.cfg.Now()) {
				return errGoesOn
			}
			return nil
		})
	} else if over {
		err = r.Delete(ctx, rec)
	}
	failed := err != nil && !errors.Is(err, errGoesOn) && !errors.Is(ctx.Err(), context.Canceled)
	r.mu.Lock()
	if e := r.entries[rec.ID]; e != nil {
		e.ending, e.again = false, time.Time{}
		if failed {
			e.again = r.cfg.Now().Add(endsWithin)
		}
	}
	r.mu.Unlock()
	if failed {
		r.cfg.Failed(rec.Tenant, rec.ID, fmt.Errorf("cannot end a sandbox whose time is over: %w", err))
	}
}

// Extend says anew until when a sandbox lasts. A session that is to be deleted at its end is
// so, too, by a server that does not serve E2B's clients any more.
func (r *Registry) Extend(ctx context.Context, id string, lasts time.Duration, shorten bool) (Record, error) {
	ends := r.cfg.Now().UTC().Add(lasts)
	rec, err := r.Change(id, func(rec *Record) error {
		if shorten || rec.Ends.Before(ends) {
			rec.Ends = ends
		}
		return nil
	})
	if err != nil {
		return rec, err
	}
	return rec, r.bound(ctx, rec)
}

// afterEnd is how long the session of a sandbox outlives it when nobody deletes it.
const afterEnd = time.Minute

func (r *Registry) bound(ctx context.Context, rec Record) error {
	t, err := r.cfg.Tenant(ctx, rec.Tenant)
	if err != nil {
		return err
	}
	if rec.AutoPause {
		return t.Hub.Extend(rec.ID, 0)
	}
	return t.Hub.Extend(rec.ID, rec.Ends.Sub(r.cfg.Now())+afterEnd)
}

// Resume lets clients use a sandbox that is paused, for so long. resumed is false when it was
// not paused.
func (r *Registry) Resume(ctx context.Context, id string, lasts time.Duration) (rec Record, resumed bool, err error) {
	now := r.cfg.Now().UTC()
	rec, err = r.Change(id, func(rec *Record) error {
		if resumed = rec.Paused; resumed {
			rec.Paused, rec.Began, rec.Ends = false, now, now.Add(lasts)
		} else if rec.Ends.Before(now.Add(lasts)) {
			rec.Ends = now.Add(lasts)
		}
		return nil
	})
	if err != nil {
		return rec, resumed, err
	}
	return rec, resumed, r.bound(ctx, rec)
}

// Close waits for what is being ended.
func (r *Registry) Close() {
	r.stop()
	r.work.Wait()
}

// Hub returns the sessions of a sandbox's tenant.
func (r *Registry) Hub(ctx context.Context, rec Record) (*live.Hub, error) {
	t, err := r.cfg.Tenant(ctx, rec.Tenant)
	if err != nil {
		return nil, err
	}
	return t.Hub, nil
}
