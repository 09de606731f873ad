package journal

import (
	"strings"
	"time"

	"praxis/event"
	"praxis/internal/safetext"
)

// The statuses of a run whose journal has no end yet.
const (
	Running    event.RunStatus = "running"    // a process writes it
	Unfinished event.RunStatus = "unfinished" // begun, and nobody writes it any more
)

// Summary is what the index knows of a run.
type Summary struct {
	ID       string          `json:"id"`
	Kind     event.Kind      `json:"kind"`
	Question string          `json:"question"` // its beginning
	Model    string          `json:"model,omitempty"`
	Scripted bool            `json:"scripted,omitempty"`
	Status   event.RunStatus `json:"status"`
	Reason   string          `json:"reason,omitempty"`
	Thread   string          `json:"thread,omitempty"`
	Began    time.Time       `json:"began"`
	Took     event.Duration  `json:"took_ms"`
	Steps    int             `json:"steps"`
	Tokens   event.Tokens    `json:"tokens"`
	// Local says that the model runs on the person's own server, and Others what of
	// Tokens other models used, which replied in its place.
	Local  bool                    `json:"local,omitempty"`
	Others map[string]event.Tokens `json:"others,omitempty"`
	Parent *event.Parent           `json:"parent,omitempty"`
	// Caller says whose child the run is, and Children how many runs are its own. Tokens
	// hold what all of them used.
	Caller   *event.Caller `json:"caller,omitempty"`
	Children int           `json:"children,omitempty"`
	Image    string        `json:"image,omitempty"`
	Seed     *int64        `json:"seed,omitempty"`
	Files    int           `json:"files,omitempty"` // inputs
	Program  string        `json:"program,omitempty"`
	Records  int64         `json:"records"`
	Bytes    int64         `json:"bytes"` // of the journal, without what is kept apart
	Head     string        `json:"head"`  // hash of the last record
	// Imported says that the run was taken in, or that nothing shows any more
	// that it was made here: the index was lost, and our keys did not sign it.
	Imported bool `json:"imported,omitempty"`
}

const (
	maxQuestion = 2000
	maxText     = 64 << 10
	maxReason   = 2000
)

// summarizer makes a summary of the events of a run.
type summarizer struct {
	s      Summary
	last   time.Time
	words  strings.Builder
	models map[int]string // models of children, by their numbers
}

func newSummarizer(id string) *summarizer {
	return &summarizer{s: Summary{ID: id, Status: Running}}
}

// add takes in the next event.
func (z *summarizer) add(r event.Record) {
	z.last = r.Time
	switch e := r.Event.(type) {
	case event.RunBegan:
		z.s.Kind, z.s.Question, z.s.Model, z.s.Scripted = e.Kind, safetext.Clip(e.Question, maxQuestion), e.Model, e.Scripted
		z.s.Local = e.Traits.Local
		z.s.Thread, z.s.Parent, z.s.Caller, z.s.Seed, z.s.Program = e.Thread, e.Parent, e.Caller, e.Seed, e.Program
		z.s.Began = r.Time
		z.say(e.Question)
	case event.SessionBegan:
		z.s.Image = e.Image.ID
	case event.FileGiven:
		z.s.Files++
		z.say(e.Name)
	case event.StepBegan:
		z.s.Steps = max(z.s.Steps, e.N)
	case event.ModelReplied:
		z.s.Tokens = z.s.Tokens.Add(e.Tokens)
		if e.Model != "" && !z.s.Scripted {
			z.other(e.Model, e.Tokens)
		}
	case event.ChildBegan:
		z.child(e)
	case event.ChildEnded:
		z.s.Tokens = z.s.Tokens.Add(e.Tokens)
		if model := z.models[e.N]; model != "" && model != z.s.Model && !z.s.Scripted {
			z.other(model, e.Tokens)
		}
	case event.ExecutionBegan:
		z.say(e.Code)
	case event.PlanWritten:
		z.say(e.Code)
	case event.AnswerGiven:
		z.say(e.Text)
	case event.RunEnded:
		z.s.Status, z.s.Reason, z.s.Took = e.Status, safetext.Clip(e.Reason, maxReason), e.Took
		z.s.Steps = max(z.s.Steps, e.Steps)
		// What was taken from replies is more when the run broke off.
		z.s.Tokens = most(z.s.Tokens, e.Tokens)
	}
}

// most returns the larger of each count.
func most(a, b event.Tokens) event.Tokens {
	return event.Tokens{
		Input: max(a.Input, b.Input), Output: max(a.Output, b.Output), CacheRead: max(a.CacheRead, b.CacheRead),
		CacheWritten: max(a.CacheWritten, b.CacheWritten), Reasoning: max(a.Reasoning, b.Reasoning), Incomplete: a.Incomplete || b.Incomplete,
	}
}

// child counts a child.
func (z *summarizer) child(e event.ChildBegan) {
	if e.Run != "" {
		z.s.Children++
	}
	if z.models == nil {
		z.models = map[int]string{}
	}
	if len(z.models) < maxTree {
		z.models[e.N] = e.Model
	}
}

// maxOthers bounds the models of one run.
const maxOthers = 16

// other counts a reply that another model than the run's gave.
func (z *summarizer) other(model string, t event.Tokens) {
	if _, known := z.s.Others[model]; !known && len(z.s.Others) >= maxOthers {
		return
	}
	if z.s.Others == nil {
		z.s.Others = map[string]event.Tokens{}
	}
	z.s.Others[model] = z.s.Others[model].Add(t)
}

// say adds words that the run is found by.
func (z *summarizer) say(s string) {
	if z.words.Len() < maxText {
		z.words.WriteString(safetext.Clip(s, maxText-z.words.Len()))
		z.words.WriteByte('\n')
	}
}

func (z *summarizer) text() string { return z.words.String() }

// summary returns what is known by now.
func (z *summarizer) summary(records, size int64, head string) Summary {
	s := z.s
	s.Records, s.Bytes, s.Head = records, size, head
	if s.Status == Running && !s.Began.IsZero() {
		s.Took = event.Duration(z.last.Sub(s.Began))
	}
	return s
}
