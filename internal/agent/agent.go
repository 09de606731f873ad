// Package agent answers a question by the loop Reason → Act → Observe: the model
// reasons and writes code, the code runs in a session, and what it gave goes
// back to the model, until the model gives an answer.
//
// A run ends in one of these ways:
//
//   - The model gives a final answer whose placeholders could be filled in the
//     session (package grounding). Once something was done, a reply in plain text
//     is one, too: that is how every provider's models end (reply.go). Figures that
//     no output and no question holds go back to the model once; when it insists,
//     or has no step left, the answer is given with them marked as unverified. A strict run gives it back
//     more often and then ends without an answer.
//   - The run may not go on: its budget is used up (budget.go), it goes round in
//     circles (stall.go), or three replies in a row held nothing that can be used.
//     If something was found, the model is asked once for the best answer that it
//     can give, which is marked as incomplete (best.go); otherwise, or if it
//     has none, that is a fault.
//   - The model fails for good, the session is over, or the caller cancels.
//
// Every reply is one step, whether it could be used or not. The budgets live
// here, on the host: no code in the sandbox can change them.
//
// A run may go on with an earlier conversation (Config.History). A conversation
// that outgrows the model's window is condensed by rule, and can be read again;
// notes outlive it. What is written in notes, in a summary or in what the model
// claimed before is no source of figures: only what code showed and what the
// person said is, in earlier runs of the conversation too.
//
// Nothing here knows what a session is: the package asks for one method, and
// the caller joins the two.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent/action"
	"praxis/internal/agent/grounding"
	"praxis/internal/agent/repo"
	"praxis/internal/language"
	"praxis/internal/llm"
	"praxis/internal/safetext"
)

// Session runs the model's code, which is in a language, "" is the session's first. What
// the code did is data in the Execution; an error says that it could not be run. Output
// and Display events go to sink.
type Session interface {
	Execute(ctx context.Context, lang, code string, sink event.Sink) (event.Execution, error)
}

// DefaultSteps are the turns of the model in a Config that says nothing.
const DefaultSteps = 10

const (
	maxAnswer  = 64 << 10 // bytes of an answer
	maxSaid    = 64 << 10 // bytes of a reply that the model is shown again
	maxThought = 4 << 10  // bytes of a thought that was sent apart from the reply
	maxFiles   = 50       // files that the prompt lists
)

// Config is what a run needs. Model must be set, and Session or Tools.
type Config struct {
	Model   llm.Model
	Session Session
	// Languages are those that the model's code can be in. The first is meant where it does
	// not say which, and the answer's placeholders are its expressions.
	Languages   language.Table
	SessionName string     // as events name it; may be empty
	Sink        event.Sink // nil: nobody listens
	MaxSteps    int        // turns of the model; 0: DefaultSteps
	Budget      Budget     // what else the run may use; a zero is DefaultReply and its neighbours, or no bound
	Ledger      *Ledger    // that the run draws from with its caller and its children; nil: one of its own
	// Cost returns what tokens of the model cost in US dollars. nil: nothing is charged.
	Cost func(event.Tokens) float64
	// Clocked says after a step whether a recorded run ended there because of its time
	// or its cost, and by which part of the budget. With it clocks and prices do not
	// count. nil: they do.
	Clocked  func(step int) (why, budget string)
	Files    []File   // what the question is about, in the session already
	Packages []string // that were asked for besides the standard library, such as "numpy 2.3.1"
	// Bounds and Limits are those of each execution and of the session, for the prompt: the
	// session enforces them.
	Bounds event.Bounds
	Limits event.Limits
	// History is the conversation that the question goes on with: the Messages
	// of the answer before.
	History []llm.Message
	// Changed says what is different since the conversation stopped, such as
	// that variables are gone. The model reads it with the question.
	Changed string
	Begin   *Begin // go on in the middle of a run; History has no meaning then
	// Attempt says that the run is one of several attempts at the question. Zero: it is the
	// only one.
	Attempt Attempt
	// Store keeps the whole of what is condensed, a JSON array of messages, and
	// returns its SHA-256 in hexadecimal, the pointer to it. Load gives it back.
	// Without Load the model is given no pointer.
	Store func(ctx context.Context, whole []byte) (sum string, err error)
	Load  func(ctx context.Context, sum string) ([]byte, error)
	Notes Notes // the memory across threads; nil: there is none
	// Tools are what the model may call natively; nil: none. With Tools, Session
	// may be nil: the model then has tools and no code of its own.
	Tools Toolbox
	// Guide is a section of the prompt that says what the model's code can call;
	// "": nothing.
	Guide string
	// Skills are functions of earlier runs that the code can import. Learn says that the model
	// may have functions of this one stored.
	Skills []event.Skill
	Learn  bool
	// ShowChanges shows the model which variables each step made, changed and deleted.
	ShowChanges bool
	// Style is how the question is worked at: the name of one of Styles; "": the usual one.
	Style string
	// Strict says that an answer with a figure that is found nowhere is none.
	Strict bool
	// Partial says which tools gave the last time a part of what they were asked for, and
	// how much of it. nil: none did.
	Partial func() []string
	// Replies returns what code was given of queries and runs that it began, since it was asked
	// last. nil: it begins none.
	Replies func() []event.ChildReply
	// Schema is what the answer must be; nil: a text.
	Schema *Schema
	Checks Checks // of the answer; the zero value: none
	// Repo is the project that the run works on; nil: it works on none.
	Repo *Repo
	Now  func() time.Time
}

// Attempt is the number of an attempt at a question, from 1, and how many there are.
type Attempt struct{ N, Of int }

// File is a file that was put into the session.
type File struct {
	Name    string // on the person's side
	Path    string // in the session
	Bytes   int64
	Profile string // what it is, as code in the session found out; or empty
	Note    string // what is unusual about it, such as "is empty"; or empty
	// Variable is the name of the variable that the file's content is the value of, which is
	// read as Form says. "": code has to open the file.
	Variable, Form string
	Begins         string // of such a file: its first bytes
}

// Answer is what a run found. When Run returns an error, it says how far the run came.
type Answer struct {
	Text string // with its values; empty when there is no answer
	// Incomplete says why the model had to answer before it was done; empty: it was.
	Incomplete string
	Figures    []event.Figure  // every figure and where it comes from
	Value      json.RawMessage // the answer as JSON, where it is more than a text
	Files      []string        // that belong to the answer, in the session
	Steps      int             // the last step that was taken
	Tokens     event.Tokens
	Took       time.Duration
	Draft      string // without an answer: the last one that could not be taken
	Found      string // without an answer: the last output that code gave, bounded
	// Messages is the whole conversation, the history and the final answer
	// included. Without an answer it ends with what the model received last.
	Messages []llm.Message
}

// Run answers a question. It emits what happens in the steps and the answer;
// that the run begins and ends is its caller's to say.
func Run(ctx context.Context, cfg Config, question string) (Answer, error) {
	if cfg.Model == nil || cfg.Session == nil && cfg.Tools == nil {
		return Answer{}, errors.New("cannot run: no model, or neither a session nor tools")
	}
	question = strings.TrimSpace(question)
	if question == "" {
		return Answer{}, fault.New(fault.Invalid, "Ask something.", "cannot run: the question is empty")
	}
	if err := cfg.Begin.check(); err != nil {
		return Answer{}, err
	}
	if err := cfg.Checks.validate(); err != nil {
		return Answer{}, err
	}
	style, known := StyleNamed(cfg.Style)
	if !known {
		return Answer{}, fault.New(fault.Invalid, "Name one that there is.", "cannot run: there is no style %q", safetext.OneLine(cfg.Style, 100))
	}
	cfg = cfg.withDefaults()
	r := &run{cfg: cfg, style: style, system: system(cfg), stalls: newStalls(), spent: spent{errors: map[string]int{}}}
	r.begin(ctx, question)

	began := cfg.Now()
	start := began
	if b := cfg.Begin; b != nil {
		start = start.Add(-b.Took)
	}
	cfg.Ledger.Start(start)
	answer, err := r.loop(ctx)
	answer.Steps, answer.Tokens, answer.Took = r.step, r.tokens, cfg.Now().Sub(began)
	answer.Messages = withoutPictures(r.messages)
	if err != nil {
		answer.Draft, answer.Found = r.draft, r.found
	}
	return answer, err
}

// language is the main one.
func (c Config) language() language.Language { return c.Languages.Named("") }

func (c Config) withDefaults() Config {
	if c.Sink == nil {
		c.Sink = event.Discard
	}
	if c.MaxSteps <= 0 {
		c.MaxSteps = DefaultSteps
	}
	c.Budget = budgetWithDefaults(c.Budget)
	if c.Ledger == nil {
		c.Ledger = NewLedger()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// run is the state of one run.
type run struct {
	cfg        Config
	style      Style
	outline    string // the plan in words; empty: there is none
	programs   int    // pieces of code that were begun
	system     string
	messages   []llm.Message // the whole conversation
	questionAt int           // the message that holds the question
	cut        int           // messages that summary replaces
	summary    llm.Message
	pointers   []string // to what was condensed, oldest first
	sent       int      // messages of the request that the model was sent before
	uses       int      // of tools
	saves      int      // of notes
	sources    grounding.Sources
	step       int
	tokens     event.Tokens
	spent      spent
	stalls     stalls
	thought    int    // replies that were cut while the model thought
	rejected   int    // replies in a row without an action
	worked     bool   // code was run or a tool was used
	doubts     int    // answers that went back because of figures that are found nowhere
	incomplete string // why the model has to answer now; empty: it needs not
	draft      string
	found      string
	last       string     // how the last step ended, for the message when the steps are used up
	calls      []llm.Call // of the reply that is acted on
	cuts       []string   // results of tools that the model knows to be parts
}

// actionResult is the result of one action.
type actionResult struct {
	observation string // for the model
	pictures    []event.Picture
	failed      bool
	notes       []string       // what else the model must read
	beside      []besideResult // of what stands beside the action
	answer      *Answer        // the run is over
	end         *ending        // the run may not go on
}

func (r *run) loop(ctx context.Context) (Answer, error) {
	for {
		if err := ctx.Err(); err != nil {
			return Answer{}, canceled(err)
		}
		if end := r.usedUp(); end != nil {
			return r.bestAnswer(ctx, *end)
		}
		t, err := r.reason(ctx, r.tools())
		if end := r.outOfTime(err); end != nil {
			return r.bestAnswer(ctx, *end)
		}
		if err != nil {
			return Answer{}, err
		}
		o, err := r.act(ctx, t)
		if err != nil {
			return Answer{}, err
		}
		r.observe(t, o)
		switch {
		case o.answer != nil:
			return *o.answer, nil
		case o.end != nil:
			return r.bestAnswer(ctx, *o.end)
		}
	}
}

func steps(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}

func canceled(cause error) error {
	return fault.New(fault.Canceled, "", "cannot answer: the run was canceled: %w", cause)
}

// turn is what the model said and what it wants done.
type turn struct {
	reply     llm.Reply
	parsed    action.Parsed
	outline   string // a plan in words that stands in it
	rejection error  // why nothing can be done, for the model to mend; nil: it can
}

// reason begins a step: it asks the model for its next action.
func (r *run) reason(ctx context.Context, tools []llm.Tool) (turn, error) {
	r.step++
	r.cfg.Ledger.step()
	r.cfg.Sink.Emit(event.StepBegan{N: r.step})
	if err := r.condense(ctx); err != nil {
		return turn{}, err
	}
	began := r.cfg.Now()
	req := llm.Request{System: r.system, Messages: r.request(), Tools: tools, MaxTokens: r.replyTokens(), Pausing: func(p llm.Pause) {
		r.cfg.Sink.Emit(p.Event(r.step))
	}}
	r.cfg.Sink.Emit(event.ModelRequested{
		Step: r.step, Model: r.cfg.Model.Name(), System: req.System, Tools: req.Tools,
		Repeated: r.sent, Messages: req.Messages[r.sent:], MaxTokens: req.MaxTokens,
	})
	r.sent = len(req.Messages)
	if err := ctx.Err(); err != nil { // nothing is done that cannot be recorded
		return turn{}, canceled(err)
	}
	reply, err := r.complete(ctx, req)
	took := event.Duration(r.cfg.Now().Sub(began))
	if err != nil {
		r.cfg.Sink.Emit(event.ModelFailed{Step: r.step, Reason: err.Error(), Took: took})
		if fault.CodeOf(err) != fault.TimeUsedUp { // the run ends: it counts for those beside it
			r.cfg.Ledger.Pay(reply.Tokens, r.cost(reply.Tokens))
		}
		if cause := ctx.Err(); cause != nil {
			return turn{}, canceled(cause)
		}
		return turn{}, err
	}
	r.pay(req, reply)
	r.calls = reply.Calls
	whole, outline := r.style.outlined(r.whole(reply))
	parsed, rejection := r.parse(whole, outline != "" || r.style.Outline && r.outline == "")
	if outline == "" && r.style.Outline && r.outline == "" && rejection != nil {
		outline = r.plain(whole)
	}
	if parsed.Thought == "" {
		parsed.Thought = shorten(strings.TrimSpace(reply.Reasoning.Text), maxThought, "")
	}
	r.cfg.Sink.Emit(event.ModelReplied{
		Step: r.step, Thought: parsed.Thought, Reasoning: reply.Reasoning, Text: reply.Text, Calls: reply.Calls, Cut: reply.Cut, Tokens: reply.Tokens, Took: took, Model: reply.Model,
	})
	if parsed.Trimmed != "" {
		r.cfg.Sink.Emit(event.ReplyTrimmed{Step: r.step, Reason: parsed.Trimmed})
	}
	r.state(outline)
	return turn{reply, parsed, outline, rejection}, nil
}

// act does what the reply asks for.
func (r *run) act(ctx context.Context, t turn) (actionResult, error) {
	if err := r.unplanned(t); err != nil {
		t.rejection = err
	}
	if t.rejection != nil && t.outline != "" && len(t.reply.Calls) == 0 {
		return actionResult{observation: outlineTaken}, nil
	}
	if t.rejection != nil {
		return r.unusable(t), nil
	}
	r.rejected = 0
	if t.parsed.Action.Kind == action.Run {
		return r.actByCode(ctx, t)
	}
	beside, err := r.saveAll(ctx, t.parsed.Beside)
	if err != nil {
		return actionResult{}, err
	}
	o, err := r.perform(ctx, t.parsed.Action)
	o.beside = append(o.beside, beside...)
	return o, err
}

// actByCode runs code, and then does what stands beside it in the reply.
func (r *run) actByCode(ctx context.Context, t turn) (actionResult, error) {
	o, err := r.execute(ctx, t.parsed.Action)
	if err != nil {
		return o, err
	}
	if o.failed {
		for _, a := range t.parsed.Beside {
			o.beside = append(o.beside, besideResult{call: a.Call, text: "The note was not saved: the code of the same turn failed. Send it again.", failed: true})
		}
	} else if o.beside, err = r.saveAll(ctx, t.parsed.Beside); err != nil {
		return o, err
	}
	return r.after(ctx, t, o)
}

func (r *run) saveAll(ctx context.Context, notes []action.Action) ([]besideResult, error) {
	var out []besideResult
	for _, note := range notes {
		h, err := r.save(ctx, note)
		if err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, nil
}

func (r *run) perform(ctx context.Context, a action.Action) (actionResult, error) {
	switch a.Kind {
	case action.Answer:
		return r.answer(ctx, a.Text)
	case action.Save:
		h, err := r.save(ctx, a)
		if !h.failed {
			r.last = "the last step saved a note"
		}
		return actionResult{observation: h.text, failed: h.failed}, err
	case action.Search:
		r.worked = true
		return r.search(ctx, a.Text)
	case action.History:
		r.worked = true
		return r.recall(ctx, a)
	case action.Use:
		return r.useTools(ctx, a)
	}
	return r.execute(ctx, a)
}

// allowed lists the actions besides code and answers that the model may take.
func (r *run) allowed() []action.Kind {
	var out []action.Kind
	if r.cfg.Notes != nil {
		out = append(out, action.Save, action.Search)
	}
	if len(r.pointers) > 0 {
		out = append(out, action.History)
	}
	return out
}

// tools are the native tools of the next request.
func (r *run) tools() []llm.Tool {
	if r.cfg.Model.Traits().TextOnly {
		return nil // the prompt lists them
	}
	own := tools(r.cfg.Languages, r.allowed(), r.cfg.Session != nil)
	if r.cfg.Repo != nil {
		own = append(own, repo.Functions()...)
	}
	if r.cfg.Tools != nil {
		own = append(own, r.cfg.Tools.Tools()...)
	}
	return own
}

// reject reports that a reply could not be used, and the answer that it held.
func (r *run) reject(err error, draft string) {
	r.last = "the last reply was rejected: " + err.Error()
	r.cfg.Sink.Emit(event.ReplyRejected{Step: r.step, Reason: err.Error(), Draft: draft})
}

// advice is a fault as the model reads it.
func advice(err error) string {
	if remedy := fault.RemedyOf(err); remedy != "" {
		return err.Error() + ". " + remedy
	}
	return err.Error() + "."
}

// said is a reply as it stands in the conversation.
func said(text string, calls []llm.Call, reasoning llm.Reasoning) llm.Message {
	m := llm.Message{Role: llm.Assistant, Reasoning: reasoning, Text: shorten(text, maxSaid, ""), Calls: calls}
	if strings.TrimSpace(m.Text) == "" && len(calls) == 0 {
		m.Text = "(an empty reply)" // providers refuse an empty message
	}
	return m
}

// observe puts the reply and what it came to into the conversation. Providers
// want every native call answered, those that were not acted on too.
func (r *run) observe(t turn, o actionResult) {
	said := said(t.reply.Text, t.reply.Calls, t.reply.Reasoning)
	text := o.observation
	if parts := r.directions(t, o); len(parts) > 0 {
		text = directed(text, strings.Join(parts, "\n\n"))
	}
	observed := llm.Message{Role: llm.User, Pictures: o.pictures}
	if len(t.reply.Calls) == 0 {
		observed.Text = text
	}
	chosen := t.parsed.Action.Call
	if t.rejection != nil {
		chosen = 0 // the advice goes to the first call
	}
	for i, c := range t.reply.Calls {
		result := llm.Result{CallID: c.ID, Text: t.parsed.Unused[i], IsError: true}
		if i == chosen {
			result.Text, result.IsError = text, o.failed
		} else if slices.Contains(t.parsed.Action.Joined, i) {
			result.IsError = o.failed
		}
		for _, h := range o.beside {
			if i == h.call {
				result.Text, result.IsError = h.text, h.failed
			}
		}
		observed.Results = append(observed.Results, result)
	}
	r.messages = append(r.messages, said, observed)
}

// directions are what the model reads behind an observation. They are the agent's own words,
// and what they quote of others stands in quotes. They may quote the model, so that they are
// no source of figures.
func (r *run) directions(t turn, o actionResult) []string {
	var parts []string
	for _, h := range o.beside {
		if len(t.reply.Calls) == 0 {
			parts = append(parts, h.text)
		}
	}
	if o.answer != nil {
		return parts // the turn is over
	}
	parts = append(append(parts, t.parsed.Action.Notes...), o.notes...)
	parts = append(parts, r.styled(t, o)...)
	if o.end == nil && r.usedUp() == nil {
		parts = append(parts, r.left()...)
	}
	return parts
}
