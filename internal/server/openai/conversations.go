package openai

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/atomicfile"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
)

// Bounds of what is stored of a tenant's conversations.
const (
	maxPoints   = 5000 // answers that can be gone on from
	maxThreads  = 100  // threads that the door began: each has a session on the disk
	maxStored   = 300  // responses that can be read again
	maxReading  = 2    // files that are read at a time: a sandbox is opened for each
	maxFile     = 8 << 20
	maxResponse = 16 << 20
)

// point is an answer that was given: where a conversation that goes on from it stands.
type point struct {
	Key        string    `json:"key,omitempty"`      // of the conversation up to the answer; "": only its response leads here
	Response   string    `json:"response,omitempty"` // the id of the response that the answer was; "": it is not stored
	Thread     string    `json:"thread"`
	Run        string    `json:"run"`                  // the record of the run that gave it
	Instructed string    `json:"instructed,omitempty"` // a hash of the instructions that the thread has
	Began      bool      `json:"began,omitempty"`      // the door began the thread
	Answered   time.Time `json:"answered,omitzero"`    // when
}

// conversations are the conversations of a tenant. It is safe for concurrent use.
type conversations struct {
	dir     string
	reading chan struct{} // holds one value for each file that is read

	mu     sync.Mutex
	points []point         // the oldest first
	busy   map[string]bool // threads that a run of the door goes on with
}

// openConversations reads what is known of a tenant's conversations, in the folder dir.
func openConversations(dir string) (*conversations, error) {
	c := &conversations{dir: filepath.Join(dir, "openai"), reading: make(chan struct{}, maxReading), busy: map[string]bool{}}
	if err := atomicfile.Make(c.dir); err != nil {
		return nil, err
	}
	data, err := bounded.ReadFile(c.file(), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the conversations: %w", err)
	}
	if c.points, err = decodePoints(data); err != nil {
		return nil, fmt.Errorf("cannot read the conversations in %s: %w", c.file(), err)
	}
	return c, nil
}

func (c *conversations) file() string { return filepath.Join(c.dir, "conversations.json") }

func decodePoints(data []byte) ([]point, error) {
	var out []point
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fault.New(fault.Invalid, "Restore the file, or move it away: conversations begin anew then.", "it is damaged: %w", err)
	}
	return out, nil
}

// save writes the file. c.mu is held.
func (c *conversations) save() error {
	data, err := json.Marshal(c.points)
	if err == nil {
		err = atomicfile.WriteFile(c.file(), data)
	}
	if err != nil {
		return fmt.Errorf("cannot store the conversation: %w", err)
	}
	return nil
}

// find returns the newest answer that fits.
func (c *conversations) find(fits func(point) bool) (point, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range slices.Backward(c.points) {
		if fits(p) {
			return p, true
		}
	}
	return point{}, false
}

// add stores an answer. Those that are too many, the oldest first, are forgotten, but for
// where a thread of the door stands: it would never be removed.
func (c *conversations) add(p point) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.points = append(c.points, p)
	responses, stands := 0, map[string]int{}
	for i, p := range c.points {
		stands[p.Thread] = i
	}
	for _, p := range slices.Backward(c.points) {
		if p.Response == "" {
			continue
		}
		if responses++; responses == maxStored+1 { // those before it went when it came
			c.dropResponse(p.Response)
			break
		}
	}
	if len(c.points) > maxPoints {
		old := slices.IndexFunc(c.points, func(p point) bool { return !p.Began || c.points[stands[p.Thread]] != p })
		if old >= 0 {
			c.dropResponse(c.points[old].Response)
			c.points = slices.Delete(c.points, old, old+1)
		}
	}
	return c.save()
}

// forgetThread leaves out the answers of a thread.
func (c *conversations) forgetThread(thread string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.points = slices.DeleteFunc(c.points, func(p point) bool {
		if p.Thread != thread {
			return false
		}
		c.dropResponse(p.Response)
		return true
	})
	return c.save()
}

// forgetResponse removes a response. It is false when there is none of the id.
func (c *conversations) forgetResponse(id string) (found bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.points, func(p point) bool { return id != "" && p.Response == id })
	if i < 0 {
		return false, nil
	}
	c.dropResponse(id)
	c.points[i].Response = ""
	return true, c.save()
}

// take marks a thread as one that a run goes on with. It is false when another does already.
func (c *conversations) take(thread string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy[thread] {
		return false
	}
	c.busy[thread] = true
	return true
}

func (c *conversations) give(thread string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.busy, thread)
}

// newThread returns a name for a thread, and sees to it that there are not too many: the one
// that was used longest ago goes.
func (c *conversations) newThread(ctx context.Context, t *api.Tenant) (string, error) {
	raw := make([]byte, 8)
	rand.Read(raw) // it never fails
	name := "chat-" + hex.EncodeToString(raw)
	c.take(name)
	old := c.tooMany()
	if old == "" {
		return name, nil
	}
	for _, remove := range []func(context.Context, string) error{t.Hub.Delete, t.App.RemoveThread} {
		if err := remove(ctx, old); err != nil && fault.KindOf(err) != fault.NotFound {
			c.give(name)
			return "", err
		}
	}
	if err := c.forgetThread(old); err != nil {
		c.give(name)
		return "", err
	}
	return name, nil
}

// tooMany returns the thread that has to go for another, or "".
func (c *conversations) tooMany() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen, oldest := map[string]bool{}, ""
	for _, p := range slices.Backward(c.points) { // a thread stands where its last answer does
		if p.Began && !seen[p.Thread] && !c.busy[p.Thread] {
			seen[p.Thread], oldest = true, p.Thread
		}
	}
	if len(seen) < maxThreads {
		return ""
	}
	return oldest
}

// responseID is what the id of a response looks like.
var responseID = regexp.MustCompile(`^resp_[0-9a-z]{1,40}$`)

// response returns the file of a response.
func (c *conversations) response(id string) string { return filepath.Join(c.dir, id+".json") }

// keepResponse stores a response without what redact takes out of each of its texts.
func (c *conversations) keepResponse(r response, redact func(string) string) error {
	var whole any
	data, err := event.Encode(r)
	if err == nil {
		err = json.Unmarshal(data, &whole)
	}
	if err == nil {
		data, err = event.Encode(redacted(whole, redact))
	}
	if err != nil {
		return fmt.Errorf("cannot store the response: %w", err)
	}
	if len(data) > maxResponse {
		return nil // it can be gone on from, and not be read again
	}
	if err := atomicfile.WriteFile(c.response(r.ID), data); err != nil {
		return fmt.Errorf("cannot store the response: %w", err)
	}
	return nil
}

// redacted returns a value of JSON whose texts are redacted.
func redacted(v any, redact func(string) string) any {
	switch v := v.(type) {
	case string:
		return redact(v)
	case []any:
		for i := range v {
			v[i] = redacted(v[i], redact)
		}
	case map[string]any:
		for name := range v {
			v[name] = redacted(v[name], redact)
		}
	}
	return v
}

// readResponse reads a response that was stored.
func (c *conversations) readResponse(id string) ([]byte, error) {
	if !responseID.MatchString(id) {
		return nil, noResponse(id)
	}
	data, err := bounded.ReadFile(c.response(id), maxResponse+1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noResponse(id)
	}
	return data, err
}

func noResponse(id string) error {
	return fault.New(fault.NotFound, "Ask for one that this server gave and still keeps.", "cannot find the response %s", safetext.Quote(safetext.Line(id)))
}

// dropResponse removes the file of a response.
func (c *conversations) dropResponse(id string) {
	if id != "" {
		_ = os.Remove(c.response(id)) // it may never have been stored
	}
}

// keyOf returns the hash of a conversation. Clients leave out and change what does not matter:
// blanks, the pictures of an answer, and the thoughts that some write into it.
func keyOf(all []said) string {
	h := sha256.New()
	for _, s := range all {
		text, who := s.text, "person"
		if !s.person {
			text, who = pictureMark.ReplaceAllString(thoughtMark.ReplaceAllString(text, ""), ""), "assistant"
		}
		fmt.Fprintf(h, "%s %q", who, strings.Join(strings.Fields(text), " "))
		for _, f := range s.files {
			fmt.Fprintf(h, " %s", f.sum)
		}
		fmt.Fprintln(h)
	}
	return hex.EncodeToString(h.Sum(nil))
}

var (
	pictureMark = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`)
	thoughtMark = regexp.MustCompile(`(?s)<details type="reasoning".*?</details>|<think>.*?</think>`)
)

// hashOf returns a hash of a text, "" of none.
func hashOf(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
