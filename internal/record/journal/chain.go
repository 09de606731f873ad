package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/safetext"
)

// The chain names every run of the data folder, so that a log that is removed is
// missed, also when the index is built again. It is a file of lines: each says of a
// run that it began, ended, was taken in, was removed on purpose, or that somebody took
// note that its log is gone. Each has the hash of the line before, and is signed.
// Processes append under a lock of the file.
const (
	chainFolder = "chain"
	chainFile   = "chain.jsonl"
	chainText   = "praxis journal chain 1\n"
	maxLink     = 4 << 10
	maxWho      = 400 // bytes
	// firstRecords are those that a log has before the chain names its run.
	firstRecords = 2
	// chainTime bounds the wait for other processes, which append in microseconds.
	chainTime = 20 * time.Second
)

// What a link says of its run.
const (
	linkBegan    = "began"
	linkEnded    = "ended"
	linkImported = "imported"
	linkRemoved  = "removed"
	linkLost     = "lost" // its log was gone, and somebody took note of that
)

// link is one line of the chain.
type link struct {
	Prev      string `json:"prev"` // the hash of the line before; empty in the first
	Time      string `json:"time"`
	Kind      string `json:"kind"`
	Run       string `json:"run"`
	Head      string `json:"head,omitempty"` // the hash of the last record, of a run that ended
	Who       string `json:"who,omitempty"`  // removed it, or took note: a user on a host
	Key       string `json:"key"`            // as Key.ID
	Signature string `json:"signature"`      // of the line with an empty one
}

func (j *Journal) chainPath() string { return filepath.Join(j.cfg.Dir, chainFolder, chainFile) }

// sign returns the line of a link, without its newline.
func (l link) sign(key signer) ([]byte, error) {
	l.Key, l.Signature = key.ID, ""
	text, err := event.Encode(l)
	if err != nil {
		return nil, err
	}
	l.Signature = key.signature(chainText + string(text))
	return event.Encode(l)
}

// parseLink reads a line of the chain, which has one form only.
func parseLink(b []byte) (l link, err error) {
	if len(b) >= maxLink {
		return link{}, fmt.Errorf("it has %d bytes", len(b))
	}
	if err := strict(b, &l); err != nil {
		return link{}, err
	}
	known := map[string]bool{linkBegan: true, linkEnded: true, linkImported: true, linkRemoved: true, linkLost: true}
	_, timed := parseTime([]byte(l.Time))
	if !known[l.Kind] || !timed || !validID(l.Run) || l.Prev != "" && !validSum([]byte(l.Prev)) || l.Head != "" && !validSum([]byte(l.Head)) {
		return link{}, errors.New("a value in it cannot be")
	}
	return l, nil
}

// signedBy says whether the key signed the link.
func (l link) signedBy(public string) bool {
	raw, err := parsePublic(public)
	sig, ok := parseSignature(l.Signature)
	if err != nil || !ok {
		return false
	}
	l.Signature = ""
	text, err := event.Encode(l)
	return err == nil && verifies(raw, chainText+string(text), sig)
}

// link appends to the chain. What it returns puts the chain on disk, and is to be
// called: when durable is false it only closes the file.
func (j *Journal) link(ctx context.Context, key signer, kind, run, head string) (finish func(durable bool) error, err error) {
	f, err := j.openChain()
	if err == nil {
		if err = lockChain(ctx, f); err == nil {
			l := link{Time: j.now().Format(timeLayout), Kind: kind, Run: run, Head: head}
			if kind == linkRemoved || kind == linkLost {
				l.Who = safetext.Clip(safetext.Line(j.cfg.User+" on "+j.cfg.Host), maxWho)
			}
			err = errors.Join(appendLink(f, key, l), syscall.Flock(int(f.Fd()), syscall.LOCK_UN))
		}
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}
	if err != nil {
		return nil, keyFault("note run "+run+" in the chain of runs", err)
	}
	return func(durable bool) (err error) {
		if durable {
			err = f.Sync()
		}
		return errors.Join(err, f.Close())
	}, nil
}

// linkNow is link, put on disk.
func (j *Journal) linkNow(ctx context.Context, key signer, kind, run, head string) error {
	finish, err := j.link(ctx, key, kind, run, head)
	if err != nil {
		return err
	}
	return finish(true)
}

func (j *Journal) openChain() (*os.File, error) {
	const flags = os.O_RDWR | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	path := j.chainPath()
	f, err := os.OpenFile(path, flags, 0o600)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if f, err = os.OpenFile(path, flags|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if err := errors.Join(atomicfile.Sync(dir), atomicfile.Sync(j.cfg.Dir)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func lockChain(ctx context.Context, f *os.File) error {
	ctx, cancel := context.WithTimeout(ctx, chainTime)
	defer cancel()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EWOULDBLOCK && err != syscall.EINTR {
			return err
		}
		select {
		case <-ctx.Done():
			return fault.New(fault.Unavailable, "Try again.", "another process holds the lock of %s", f.Name())
		case <-time.After(time.Millisecond):
		}
	}
}

// appendLink appends to the chain, whose lock is held. A line that a crash broke off
// is cut away; one that was changed stays for a check to find.
func appendLink(f *os.File, key signer, l link) error {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	tail := make([]byte, min(end, 2*maxLink))
	if _, err := f.ReadAt(tail, end-int64(len(tail))); err != nil && len(tail) > 0 {
		return err
	}
	whole := tail[:bytes.LastIndexByte(tail, '\n')+1]
	if torn := int64(len(tail) - len(whole)); torn > 0 && torn < maxLink {
		end -= torn
		if err := f.Truncate(end); err != nil {
			return err
		}
	}
	if last := bytes.TrimSuffix(whole, []byte("\n")); len(last) > 0 {
		l.Prev = hashLine(last[bytes.LastIndexByte(last, '\n')+1:])
	}
	line, err := l.sign(key)
	if err != nil {
		return err
	}
	if _, err = f.WriteAt(append(line, '\n'), end); err != nil {
		return errors.Join(err, f.Truncate(end))
	}
	return nil
}

// ChainReport is what a check of the chain of runs found.
type ChainReport struct {
	Entries  int64     `json:"entries"`
	Head     string    `json:"head"` // the hash of the last entry
	Began    time.Time `json:"began"`
	Older    int       `json:"older"`   // runs that began before the chain did
	Removed  int       `json:"removed"` // runs that were removed on purpose
	Lost     []LostRun `json:"lost"`
	Problems []string  `json:"problems"`
}

// LostRun is one whose log was gone, of which somebody took note.
type LostRun struct {
	Run  string    `json:"run"`
	Time time.Time `json:"time"` // of the note
	Who  string    `json:"who"`
}

func (r *ChainReport) wrong(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// VerifyChain checks the chain of runs, and that each run in it that was not removed
// is there, as it ended. checked are the reports of all runs that have a log; anchor
// is what the chain must go on from, or nil.
func (j *Journal) VerifyChain(ctx context.Context, checked map[string]Report, anchor *Anchor) (ChainReport, error) {
	out := ChainReport{Lost: []LostRun{}, Problems: []string{}}
	runs, order, err := j.readChain(ctx, &out, anchor)
	if err != nil {
		return out, fmt.Errorf("cannot check the chain of runs: %w", err)
	}
	for _, id := range order {
		switch l := runs[id]; {
		case l.Kind == linkRemoved:
			out.Removed++
		case l.Kind == linkLost:
			at, _ := parseTime([]byte(l.Time))
			out.Lost = append(out.Lost, LostRun{Run: id, Time: at, Who: l.Who})
		case !j.there(ctx, id):
			out.wrong("run %s is missing: it began, and nobody removed it or took note of that", id)
		case l.Head != "" && checked[id].Head != l.Head:
			// It may have ended since it was checked.
			if c, err := j.checked(ctx, id); err != nil || c.report.Damage == nil && c.head != l.Head {
				out.wrong("run %s is another one, or its end was cut off: its last record is not the one that the chain names", id)
			}
		}
	}
	for id, rep := range checked {
		began, ok := idTime(id)
		switch _, known := runs[id]; {
		case known || rep.Records <= firstRecords && !rep.Finished || !ok: // it was just beginning
		case out.Began.IsZero() || began.Before(out.Began.Truncate(time.Second)):
			out.Older++
		default:
			out.wrong("run %s is not in the chain: the end of the chain was cut off, or the run was put there", id)
		}
	}
	return out, nil
}

// readChain reads the chain, notes what is wrong with it, and returns the last link of
// each run, in the order in which runs first stand there.
func (j *Journal) readChain(ctx context.Context, out *ChainReport, anchor *Anchor) (map[string]link, []string, error) {
	runs, order := map[string]link{}, []string(nil)
	keys, err := j.keys.known()
	if err != nil {
		return nil, nil, err
	}
	trusted := map[string]string{}
	for _, k := range keys {
		trusted[k.ID] = k.Public
	}
	f, err := os.OpenFile(j.chainPath(), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err == nil {
		defer f.Close()
		for in := newLines(until(ctx, f)); ; {
			b, _, whole, err := in.next()
			if errors.Is(err, io.EOF) || err == nil && !whole { // a torn line is being written, or was
				break
			}
			if err != nil {
				return nil, nil, err
			}
			l := out.take(b, trusted)
			if anchor != nil && out.Entries == anchor.Entries && out.Head != anchor.Head {
				out.wrong("entry %d is not the one that the anchor names: the chain was replaced", out.Entries)
			}
			if l.Run == "" {
				continue // it cannot be read
			}
			if _, known := runs[l.Run]; !known {
				order = append(order, l.Run)
			}
			runs[l.Run] = l
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if anchor != nil && out.Entries < anchor.Entries {
		out.wrong("the chain has %d entries, and the anchor knows %d: it was cut off or begun anew", out.Entries, anchor.Entries)
	}
	return runs, order, nil
}

// take checks the next line.
func (r *ChainReport) take(b []byte, trusted map[string]string) link {
	l, err := parseLink(b)
	switch r.Entries++; {
	case err != nil:
		r.wrong("entry %d was changed: %v", r.Entries, err)
	case l.Prev != r.Head:
		r.wrong("entry %d does not follow the one before it: one of them was changed, or some between them are missing", r.Entries)
	case trusted[l.Key] == "":
		r.wrong("entry %d is signed by the key %.16s, which is not known here", r.Entries, l.Key)
	case !l.signedBy(trusted[l.Key]):
		r.wrong("the signature of entry %d is wrong: it was changed", r.Entries)
	}
	r.Head = hashLine(b)
	if t, ok := parseTime([]byte(l.Time)); ok && r.Began.IsZero() {
		r.Began = t
	}
	return l
}
