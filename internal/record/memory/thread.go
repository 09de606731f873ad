package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
	"praxis/internal/store"
)

const (
	bucket      = "threads"
	version     = 1   // of a thread's record
	maxQuestion = 200 // bytes of the question that a record repeats
)

var nameRE = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Thread is a conversation that goes on. Of one that was never saved only the
// name is set.
type Thread struct {
	Name         string    `json:"name"`
	Created      time.Time `json:"created"`
	Used         time.Time `json:"used"`               // when it was saved last
	Runs         []string  `json:"runs,omitempty"`     // oldest first
	Question     string    `json:"question,omitempty"` // the last question, its beginning
	Turns        int       `json:"turns"`              // questions
	Messages     int       `json:"messages"`           // of the conversation
	Bytes        int64     `json:"bytes"`              // of the conversation
	Conversation string    `json:"conversation"`       // SHA-256 of the blob with the messages
	Contents     []string  `json:"contents,omitempty"` // SHA-256 of what the conversation refers to: older parts that were condensed
	Snapshot     string    `json:"snapshot,omitempty"` // the state of the session that the conversation belongs to
	Image        string    `json:"image,omitempty"`    // name of the image that the session runs
	Forked       string    `json:"forked,omitempty"`   // the thread that it was made from
	Past         []Past    `json:"past,omitempty"`     // where it stood before, the oldest first
	Revision     int64     `json:"-"`                  // 0: never saved
}

// Past is where a thread stood when a run of it had been answered.
type Past struct {
	Run          string `json:"run"`
	Messages     int    `json:"messages"`
	Bytes        int64  `json:"bytes"`
	Conversation string `json:"conversation"`
	Snapshot     string `json:"snapshot,omitempty"`
}

// maxPast bounds how many states of a thread can be gone back to.
const maxPast = 50

// stands returns where the thread stands.
func (t Thread) stands() Past {
	if len(t.Runs) == 0 || t.Conversation == "" {
		return Past{}
	}
	return Past{t.Runs[len(t.Runs)-1], t.Messages, t.Bytes, t.Conversation, t.Snapshot}
}

// At returns the thread as it was when a run of it had been answered.
func (t Thread) At(run string) (Thread, error) {
	now := t.stands()
	if run != "" && now.Run == run {
		return t, nil
	}
	i := slices.IndexFunc(t.Past, func(p Past) bool { return p.Run == run })
	if i < 0 {
		return Thread{}, fault.New(fault.NotFound, "Go on with the thread as it is.", "cannot go back in thread %s to run %s: that state is not kept", t.Name, safetext.Clip(safetext.Line(run), 40))
	}
	was := t.Past[i]
	t.Messages, t.Bytes, t.Conversation, t.Snapshot, t.Past = was.Messages, was.Bytes, was.Conversation, was.Snapshot, t.Past[:i]
	if n := slices.Index(t.Runs, run); n >= 0 {
		t.Turns -= len(t.Runs) - 1 - n
		t.Runs = t.Runs[:n+1]
	}
	return t, nil
}

// record is a Thread as it is stored.
type record struct {
	Version int `json:"version"`
	Thread
}

// Turn is what one run adds to a thread.
type Turn struct {
	Run      string
	Question string
	Messages []event.Message // the whole conversation, this run's included
	Contents []string        // SHA-256 of the older messages that the run condensed
	Snapshot string
	Image    string
}

func checkName(name string) error {
	if nameRE.MatchString(name) {
		return nil
	}
	return fault.New(fault.Invalid, "Use letters, digits, '.', '_' and '-', at most 64, beginning with a letter or a digit.",
		"cannot use %q as the name of a thread", safetext.Clip(name, 80))
}

func noThread(name string) error {
	return fault.Coded(fault.ThreadMissing, fault.Data{"name": name}, "cannot find thread %s: there is none", name)
}

// OpenThread returns the thread called name, and its conversation. One that
// does not exist yet is empty, with Revision 0.
func (m *Memory) OpenThread(ctx context.Context, name string) (Thread, []event.Message, error) {
	t, err := m.Thread(ctx, name)
	if fault.KindOf(err) == fault.NotFound {
		return Thread{Name: name}, nil, nil
	}
	if err != nil {
		return Thread{}, nil, err
	}
	messages, err := m.Conversation(ctx, t)
	return t, messages, err
}

// Thread returns the record of the thread called name.
func (m *Memory) Thread(ctx context.Context, name string) (Thread, error) {
	if err := checkName(name); err != nil {
		return Thread{}, err
	}
	v, err := m.kv.Get(ctx, bucket, name)
	if fault.KindOf(err) == fault.NotFound {
		return Thread{}, noThread(name)
	}
	if err != nil {
		return Thread{}, fmt.Errorf("cannot read thread %s: %w", name, err)
	}
	return readRecord(v)
}

// readRecord reads a stored thread.
func readRecord(v store.Value) (Thread, error) {
	var head struct {
		Version int `json:"version"`
	}
	damaged := func(cause error) error {
		return fault.Coded(fault.ThreadDamaged, fault.Data{"name": v.Key},
			"cannot read thread %s: its record is damaged: %w", v.Key, cause)
	}
	if err := json.Unmarshal(v.Data, &head); err != nil {
		return Thread{}, damaged(err)
	}
	if head.Version > version {
		return Thread{}, fault.Coded(fault.NewerFormat, fault.Data{"format": strconv.Itoa(head.Version), "known": strconv.Itoa(version)},
			"cannot read thread %s: a newer version of Praxis wrote it (record version %d, this one reads up to %d)", v.Key, head.Version, version)
	}
	var r record
	if err := json.Unmarshal(v.Data, &r); err != nil {
		return Thread{}, damaged(err)
	}
	if head.Version < 1 || r.Name != v.Key {
		return Thread{}, damaged(errors.New("it is not the record of this thread"))
	}
	r.Revision = v.Revision
	return r.Thread, nil
}

// Conversation returns the messages of a thread.
func (m *Memory) Conversation(ctx context.Context, t Thread) (messages []event.Message, err error) {
	if t.Conversation == "" {
		return nil, nil
	}
	lost := func(cause error) error {
		return fault.Coded(fault.ThreadDamaged, fault.Data{"name": t.Name},
			"cannot go on with thread %s: its conversation %s cannot be read: %w", t.Name, safetext.Clip(t.Conversation, 12), cause)
	}
	r, err := m.blobs.Open(ctx, t.Conversation)
	if kind := fault.KindOf(err); kind == fault.NotFound || kind == fault.Conflict || kind == fault.Invalid {
		return nil, lost(err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the conversation of thread %s: %w", t.Name, err)
	}
	data, err := bounded.ReadClose(r, MaxConversation)
	if err != nil {
		return nil, lost(err)
	}
	if err := json.Unmarshal(data, &messages); err != nil {
		return nil, lost(err)
	}
	return messages, nil
}

// SaveThread stores a thread that was opened, one turn longer. Conflict: it was
// changed by somebody else since; nothing of theirs is lost.
func (m *Memory) SaveThread(ctx context.Context, t Thread, turn Turn) (Thread, error) {
	if err := checkName(t.Name); err != nil {
		return Thread{}, err
	}
	data, err := m.encode(turn.Messages)
	if err != nil {
		return Thread{}, fmt.Errorf("cannot save thread %s: %w", t.Name, err)
	}
	if len(data) > MaxConversation {
		return Thread{}, fault.Coded(fault.ThreadFull, fault.Data{"name": t.Name},
			"cannot save thread %s: its conversation is %d bytes long, and the bound is %d", t.Name, len(data), MaxConversation)
	}
	blob, err := m.blobs.Put(ctx, bytes.NewReader(data))
	if err != nil {
		return Thread{}, fmt.Errorf("cannot save the conversation of thread %s: %w", t.Name, err)
	}
	if was := t.stands(); was.Conversation != "" {
		t.Past = append(slices.Clone(t.Past), was)
		t.Past = t.Past[max(0, len(t.Past)-maxPast):]
	}
	t.Used = m.now().UTC()
	if t.Created.IsZero() {
		t.Created = t.Used
	}
	t.Conversation, t.Bytes, t.Messages, t.Turns = blob.SHA256, int64(len(data)), len(turn.Messages), t.Turns+1
	t.Question = safetext.Clip(strings.Join(strings.Fields(m.redact(turn.Question)), " "), maxQuestion)
	t.Snapshot, t.Image = turn.Snapshot, turn.Image
	t.Contents = append(slices.Clone(t.Contents), turn.Contents...)
	slices.Sort(t.Contents)
	t.Contents = slices.Compact(t.Contents)
	t.Runs = append(slices.Clone(t.Runs), turn.Run)
	t.Runs = t.Runs[max(0, len(t.Runs)-MaxRuns):]
	return m.set(ctx, t)
}

// set stores the record of a thread that stands at t.Revision.
func (m *Memory) set(ctx context.Context, t Thread) (Thread, error) {
	data, err := json.Marshal(record{version, t})
	if err != nil {
		return Thread{}, fmt.Errorf("cannot save thread %s: %w", t.Name, err)
	}
	revision, err := m.kv.Set(ctx, bucket, t.Name, data, t.Revision)
	if fault.KindOf(err) == fault.Conflict {
		if t.Revision == 0 {
			return Thread{}, fault.Coded(fault.ThreadExists, fault.Data{"name": t.Name}, "cannot make thread %s: it exists", t.Name)
		}
		return Thread{}, fault.Coded(fault.ThreadChanged, fault.Data{"name": t.Name},
			"cannot save thread %s: it was changed, renamed or removed in the meantime", t.Name)
	}
	if err != nil {
		return Thread{}, fmt.Errorf("cannot save thread %s: %w", t.Name, err)
	}
	t.Revision = revision
	return t, nil
}

// encode writes messages without secrets.
func (m *Memory) encode(messages []event.Message) ([]byte, error) {
	clean := make([]event.Message, len(messages))
	for i, msg := range messages {
		clean[i] = m.clean(msg)
	}
	return event.Encode(clean)
}

// clean returns a message whose strings hold no secrets.
func (m *Memory) clean(msg event.Message) event.Message {
	msg.Text = m.redact(msg.Text)
	if clean := (event.Reasoning{Text: m.redact(msg.Reasoning.Text), Signature: m.redact(msg.Reasoning.Signature), Model: msg.Reasoning.Model}); clean != msg.Reasoning {
		clean.Signature = "" // it is of the text as it was
		msg.Reasoning = clean
	}
	msg.Calls, msg.Results = slices.Clone(msg.Calls), slices.Clone(msg.Results)
	for i, c := range msg.Calls {
		msg.Calls[i].Raw = m.redact(c.Raw)
		if input, ok := m.cleanValue(c.Input).(map[string]any); ok {
			msg.Calls[i].Input = input
		}
	}
	for i, r := range msg.Results {
		msg.Results[i].Text = m.redact(r.Text)
	}
	return msg
}

func (m *Memory) cleanValue(v any) any {
	switch v := v.(type) {
	case string:
		return m.redact(v)
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = m.cleanValue(x)
		}
		return out
	case map[string]any:
		if v == nil {
			return v
		}
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[m.redact(k)] = m.cleanValue(x)
		}
		return out
	}
	return v
}

// Threads returns all threads, the one that was used last first. When some
// cannot be read, the others are returned with the error.
func (m *Memory) Threads(ctx context.Context) ([]Thread, error) {
	values, err := m.kv.Keys(ctx, bucket)
	if err != nil {
		return nil, fmt.Errorf("cannot list threads: %w", err)
	}
	var out []Thread
	var problems []error
	for _, v := range values {
		t, err := readRecord(v)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b Thread) int { return b.Used.Compare(a.Used) })
	return out, errors.Join(problems...)
}

// ForkThread makes the thread called to, which goes on from where from stands.
// Of from nothing changes.
func (m *Memory) ForkThread(ctx context.Context, from, to string) (Thread, error) {
	t, err := m.Thread(ctx, from)
	if err != nil {
		return Thread{}, err
	}
	return m.AddFork(ctx, t, to)
}

// AddFork makes the thread called to, which goes on from where t stands.
func (m *Memory) AddFork(ctx context.Context, t Thread, to string) (Thread, error) {
	if err := checkName(to); err != nil {
		return Thread{}, err
	}
	t.Name, t.Revision, t.Forked, t.Created = to, 0, t.Name, m.now().UTC()
	return m.set(ctx, t)
}

// RenameThread gives a thread another name. A crash in the middle leaves it
// under both names and never under none.
func (m *Memory) RenameThread(ctx context.Context, from, to string) (Thread, error) {
	if err := checkName(to); err != nil {
		return Thread{}, err
	}
	old, err := m.Thread(ctx, from)
	if err != nil {
		return Thread{}, err
	}
	if from == to {
		return old, nil
	}
	t := old
	t.Name, t.Revision = to, 0
	if t, err = m.set(ctx, t); err != nil {
		return Thread{}, err
	}
	if err := m.kv.Delete(ctx, bucket, from, old.Revision); err != nil {
		err = m.changed("rename", from, err)
		if undo := m.kv.Delete(context.WithoutCancel(ctx), bucket, to, t.Revision); undo != nil {
			err = errors.Join(err, fmt.Errorf("it stands under both names now: %w", undo))
		}
		return Thread{}, err
	}
	return t, nil
}

// RemoveThread removes a thread's record. Its conversation is left to the
// collection of blobs, as a fork may hold it too. A record that cannot be read
// is removed as well.
func (m *Memory) RemoveThread(ctx context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	v, err := m.kv.Get(ctx, bucket, name)
	if fault.KindOf(err) == fault.NotFound {
		return noThread(name)
	}
	if err == nil {
		err = m.kv.Delete(ctx, bucket, name, v.Revision)
	}
	return m.changed("remove", name, err)
}

func (m *Memory) changed(verb, name string, err error) error {
	switch kind := fault.KindOf(err); {
	case err == nil:
		return nil
	case kind == fault.Conflict || kind == fault.NotFound:
		return fault.Coded(fault.ThreadChanged, fault.Data{"name": name}, "cannot %s thread %s: it was changed in the meantime", verb, name)
	}
	return fmt.Errorf("cannot %s thread %s: %w", verb, name, err)
}
