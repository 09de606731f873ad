package journal

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/store"
)

// Config says what a journal is made of.
type Config struct {
	Logs  store.Logs
	Blobs store.Blobs
	Index store.Index
	// Dir is the data folder, for what is kept beside the logs.
	Dir string
	// Keys is the folder of the keys. It is made on first use.
	Keys string
	// Key is the file of a private key that signs in place of the one in Keys.
	Key string
	// Secrets are the values that never enter the journal, by name.
	Secrets map[string]string
	// Program is the version of praxis, for runs that do not say one.
	Program string
	// User and Host are who records, and where, for runs that do not say it.
	User, Host string
	// MaxInput is how long an input may be to be kept; 0: 256 MiB.
	MaxInput int64
	// Now is the clock; nil: the host's.
	Now func() time.Time
	// Watch returns where the events of a run go besides, when it begins under ctx; nil: nowhere.
	Watch func(ctx context.Context, run string) event.Sink
}

const (
	defaultMaxInput = 256 << 20
	// indexTime is how long a run waits for the index, when it begins and when it ends.
	indexTime = 3 * time.Second
)

// Journal is the record of all runs of one data folder. It holds nothing open
// and may be used from several goroutines, beside other processes.
type Journal struct {
	cfg      Config
	keys     keyring
	patience time.Duration // with the index, of a run

	mu       sync.Mutex
	redactor *redactor // nil until it is needed

	filling sync.Mutex
	filled  bool // the index is known not to be empty, or marked as lost
}

// Open returns the journal that cfg describes. It writes nothing, so that one
// in a folder that cannot be written is readable.
func Open(cfg Config) (*Journal, error) {
	if cfg.Logs == nil || cfg.Blobs == nil || cfg.Index == nil || cfg.Keys == "" || cfg.Dir == "" {
		return nil, errors.New("cannot open journal: a part of it is missing")
	}
	if cfg.MaxInput <= 0 {
		cfg.MaxInput = defaultMaxInput
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Journal{cfg: cfg, keys: keyring{dir: cfg.Keys, external: cfg.Key}, patience: indexTime}, nil
}

func (j *Journal) now() time.Time { return j.cfg.Now().UTC() }

// secrets returns what looks for secrets. With create, the key of their digests
// is made if there is none yet.
func (j *Journal) secrets(create bool) (*redactor, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.redactor != nil {
		return j.redactor, nil
	}
	long := false
	for _, v := range j.cfg.Secrets {
		long = long || len(v) >= minSecret
	}
	if !long && !create {
		return newRedactor(nil, keyed(nil)), nil
	}
	key, err := j.keys.redaction(create)
	if err != nil {
		return nil, err
	}
	r := newRedactor(j.cfg.Secrets, keyed(key))
	if key != nil {
		j.redactor = r
	}
	return r, nil
}

// Redact returns s with a mark in place of every secret of the configuration,
// as it would stand in the journal.
func (j *Journal) Redact(s string) string {
	r, err := j.secrets(false)
	if err != nil {
		r = newRedactor(j.cfg.Secrets, keyed(nil)) // without digests, but without secrets
	}
	return r.text(s)
}

// Blob opens a content that a record refers to.
func (j *Journal) Blob(ctx context.Context, sum string) (io.ReadCloser, error) {
	return j.cfg.Blobs.Open(ctx, sum)
}

// Keys returns the public keys whose signatures are trusted here.
func (j *Journal) Keys() ([]Key, error) { return j.keys.known() }

// Rotate replaces the key that signs by a new one. The old one signs a
// statement of it, which every journal that the new one signs holds.
func (j *Journal) Rotate() (Key, error) { return j.keys.rotate(j.now()) }

// Trust makes the public key in a file known: journals that it signed count as
// signed by somebody who is trusted.
func (j *Journal) Trust(path string) (Key, error) {
	key, err := readPublicFile(path)
	if err == nil {
		err = j.keys.keepPublic(key)
	}
	if err != nil {
		return Key{}, keyFault("trust the key", err)
	}
	return key, nil
}

// Distrust takes a key from those that are trusted. The one that signs cannot be.
func (j *Journal) Distrust(id string) error {
	known, err := j.keys.known()
	if err != nil {
		return err
	}
	for _, k := range known {
		switch {
		case k.ID != id:
		case k.Current:
			return fault.New(fault.Conflict, "Rotate it first.", "cannot take back the trust in key %s: it is the one that signs", id)
		default:
			if err := os.Remove(filepath.Join(j.keys.dir, knownFolder, id+".pem")); err != nil {
				return keyFault("take back the trust in the key", err)
			}
			return nil
		}
	}
	return fault.New(fault.NotFound, "Give the 16 digits of a key that is listed.", "cannot take back the trust in key %.40q: it is not known", id)
}

// header is the data of the first record.
type header struct {
	Format     int          `json:"format"`
	Events     int          `json:"events"`
	Run        string       `json:"run"`
	Key        string       `json:"key"`
	Succession []Succession `json:"succession,omitempty"`
}

// resumed is the data of the record that says that another process closes what
// the first one left.
type resumed struct {
	Events     int          `json:"events"`
	Key        string       `json:"key"`
	Succession []Succession `json:"succession,omitempty"`
	Cut        int64        `json:"cut"` // bytes of a torn record that were cut off
}

// checkpoint is the data of a checkpoint.
type checkpoint struct {
	Key       string `json:"key"`
	Signature string `json:"signature"`
}

// formatVersion is the version of the format of journals.
const formatVersion = 1

const idLayout = "20060102-150405"

// newID names a run that begins now.
func newID(now time.Time) string {
	b := make([]byte, 2)
	rand.Read(b)
	return now.Format(idLayout) + "-" + hex.EncodeToString(b)
}

// validID says whether s can be the name of a run.
func validID(s string) bool {
	_, ok := idTime(s)
	return ok && len(s) == len(idLayout)+5 && s[len(idLayout)] == '-' &&
		isHex(s[16]) && isHex(s[17]) && isHex(s[18]) && isHex(s[19])
}

// idTime returns the second that the name of a run says.
func idTime(s string) (time.Time, bool) {
	if len(s) < len(idLayout) {
		return time.Time{}, false
	}
	t, err := time.Parse(idLayout, s[:len(idLayout)])
	return t, err == nil && t.Year() < 2262 && t.Year() > 1970
}

// Begin begins the record of a run and records began itself, which is passed on
// to next like all that follows. The context that it returns is cancelled with
// the cause when a record cannot be written, and when the recorder is closed:
// the run does everything under it. Whoever begins closes the recorder.
func (j *Journal) Begin(ctx context.Context, began event.RunBegan, next event.Sink) (context.Context, *Recorder, error) {
	derived, r, err := j.begin(ctx, began, next)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot begin the journal of the run: %w", err)
	}
	return derived, r, nil
}

func (j *Journal) begin(ctx context.Context, began event.RunBegan, next event.Sink) (_ context.Context, _ *Recorder, err error) {
	if began.Program == "" {
		began.Program = j.cfg.Program
	}
	if began.User == "" && began.Host == "" {
		began.User, began.Host = j.cfg.User, j.cfg.Host
	}
	began.Client = event.ClientOf(ctx) // whoever asked for the run that this one goes on with may be another
	if next == nil {
		next = event.Discard
	}
	secrets, err := j.secrets(true)
	if err != nil {
		return nil, nil, err
	}
	key, err := j.keys.signer()
	if err != nil {
		return nil, nil, err
	}
	j.beforeRun(ctx, key)
	id, now, log, err := j.create(ctx)
	if err != nil {
		return nil, nil, err
	}
	if j.cfg.Watch != nil {
		next = event.Both(next, j.cfg.Watch(ctx, id))
	}
	r := newRecorder(j, id, log, key, secrets, next)
	defer func() {
		if err != nil {
			// Nothing happened yet, so that nothing is lost with it.
			if r.chained {
				err = errors.Join(err, j.linkNow(context.WithoutCancel(ctx), key, linkRemoved, id, ""))
			}
			err = errors.Join(err, log.Close(), j.cfg.Logs.Remove(context.WithoutCancel(ctx), id))
			j.unmark(id)
		}
	}()
	if err := r.begin(ctx, now, began); err != nil {
		return nil, nil, err
	}
	derived, cancel := context.WithCancelCause(ctx)
	r.start(cancel)
	next.Emit(began)
	return derived, r, nil
}

// create makes a log under a name of its own, which says when the run began. The run
// is marked before, so that a log is found whose process was killed at this moment.
func (j *Journal) create(ctx context.Context) (id string, began time.Time, log store.Log, err error) {
	for range 64 {
		began = j.now()
		id = newID(began)
		_ = j.mark(id) // again with the first record: who lists may come before there is a log
		log, err = j.cfg.Logs.Create(ctx, id)
		if fault.KindOf(err) == fault.Conflict {
			continue // the mark costs somebody a look at the log that is there
		}
		if err != nil {
			j.unmark(id)
		}
		return id, began, log, err
	}
	return "", began, nil, fault.New(fault.Conflict, "Try again.", "there is no free name for a run")
}

// Hide adds secrets, by name, that never enter the journal. It is to be called
// before a run begins; what an earlier recorder keeps out stays as it was.
func (j *Journal) Hide(secrets map[string]string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := maps.Clone(j.cfg.Secrets)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, secrets)
	j.cfg.Secrets, j.redactor = all, nil
}
