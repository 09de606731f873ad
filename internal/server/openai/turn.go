package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
	"praxis/internal/server/live"
	"praxis/internal/server/rest"
)

// request is what a client asks, in whichever of the two interfaces.
type request struct {
	Model        string
	all          []said // the whole conversation, or what goes on from previous or in conversation
	instructions string
	schema       json.RawMessage
	effort       string
	output       int // tokens that the model may write
	seed         *int64
	previous     string // the id of the response that it goes on from
	conversation string // the thread that it goes on in
	response     string // the id of the response that the answer is; "": it is not stored
	options      options
}

// whole says whether all is the whole conversation, by which it can be known again.
func (q *request) whole() bool { return q.previous == "" && q.conversation == "" }

// options are what a request may say of this server's own: its member praxis.
type options struct {
	With     []string `json:"with"` // of a new conversation: packages of Python
	NPM      []string `json:"npm"`  // packages of npm
	Image    string   `json:"image"`
	Language string   `json:"language"` // of the model's code
	Strict   bool     `json:"strict"`   // an answer with a figure that is found nowhere is none
	MaxSteps int      `json:"max_steps"`
}

// opt reads the options of a request. A misspelt one is refused.
func (q *request) opt(raw json.RawMessage) error {
	if err := rest.Decode(raw, &q.options); err != nil {
		return errParam{fault.New(fault.Invalid, "The options are with, npm, image, language, strict and max_steps.", "%w", err), "praxis"}
	}
	return nil
}

// turn is a question that a run answers.
type turn struct {
	*request
	run           *live.Run
	thread        string
	began         bool // the door began the thread
	instructed    string
	conversations *conversations
	tenant        *api.Tenant
}

// said adds somebody's words to a conversation; those of one after the other are one.
func (q *request) said(s said) {
	if n := len(q.all) - 1; n >= 0 && q.all[n].person == s.person {
		q.all[n].text = strings.TrimPrefix(q.all[n].text+"\n\n"+s.text, "\n\n")
		q.all[n].files = append(q.all[n].files, s.files...)
		return
	}
	q.all = append(q.all, s)
}

// instruct adds instructions of the program that asks.
func (q *request) instruct(text string) {
	if text = strings.TrimSpace(text); text != "" {
		q.instructions = strings.TrimPrefix(q.instructions+"\n\n"+text, "\n\n")
	}
}

// check refuses a conversation that ends with nothing to answer.
func (q *request) check(param string) error {
	n := len(q.all) - 1
	if n > 0 && !q.whole() {
		return wrong(param, "Send what the user says next, and nothing else.", "cannot go on: what was said before is known here, and the request says more of it")
	}
	if n < 0 || !q.all[n].person {
		return wrong(param, "Let the last message be one of the user.", "cannot answer: the conversation does not end with a question")
	}
	if last := &q.all[n]; strings.TrimSpace(last.text) == "" {
		if len(last.files) == 0 {
			return wrong(param, "Ask something.", "cannot answer: the last message is empty")
		}
		last.text = "What is in the attached files?"
	}
	return nil
}

// place is where a question goes on.
type place struct {
	thread     string
	began      bool   // by the door
	fresh      bool   // it has no turn yet
	known      int    // messages of the request that the thread knows
	instructed string // a hash of the instructions that it knows
	release    func()
}

// begin begins a run that answers a request.
func (d *door) begin(ctx context.Context, c *api.Call, q *request) (*turn, error) {
	all, err := d.of(c.Tenant)
	if err != nil {
		return nil, err
	}
	model, mode, err := modelOf(q.Model)
	if err != nil {
		return nil, err
	}
	at, err := q.place(ctx, all, c.Tenant)
	if err != nil {
		return nil, err
	}
	question, instructed := q.all[len(q.all)-1].text, hashOf(q.instructions)
	if instructed != "" && instructed != at.instructed {
		question += "\n\nThe program that asks says how to answer:\n" + q.instructions
	}
	var earlier []app.Said
	if at.fresh {
		for _, s := range q.all[:len(q.all)-1] {
			text := s.text
			if !s.person {
				text = pictureMark.ReplaceAllString(thoughtMark.ReplaceAllString(text, ""), "(a picture)")
			}
			earlier = append(earlier, app.Said{Person: s.person, Text: text})
		}
	}
	in := api.Question{
		Question: question, Model: model, Mode: mode, Effort: q.effort, Schema: q.schema, Thread: at.thread, Files: given(q.all, at.known),
		Budget: &api.Budget{OutputTokens: q.output}, Language: q.options.Language, Strict: q.options.Strict, MaxSteps: q.options.MaxSteps,
	}
	if at.fresh { // the session is what it was made as
		in.Seed, in.With, in.NPM, in.Image = q.seed, q.options.With, q.options.NPM, q.options.Image
	}
	run, err := c.Converse(ctx, in, earlier, at.release)
	if err != nil {
		at.release()
		return nil, err
	}
	return &turn{q, run, at.thread, at.began, cmp.Or(instructed, at.instructed), all, c.Tenant}, nil
}

// place finds the thread that a request goes on in, or begins one.
func (q *request) place(ctx context.Context, all *conversations, t *api.Tenant) (place, error) {
	free := func(thread string) func() { return func() { all.give(thread) } }
	var from point
	var found bool
	switch {
	case q.conversation != "":
		if !all.take(q.conversation) {
			return place{}, errParam{fault.New(fault.Conflict, "Wait for its answer.", "cannot go on with conversation %s: a question in it is being answered", safetext.Clip(safetext.Line(q.conversation), 80)), "conversation"}
		}
		last, _ := all.find(func(p point) bool { return p.Thread == q.conversation })
		_, err := t.App.ThreadStands(ctx, q.conversation)
		if err != nil && fault.KindOf(err) != fault.NotFound {
			all.give(q.conversation)
			return place{}, err
		}
		return place{thread: q.conversation, fresh: err != nil, instructed: last.Instructed, release: free(q.conversation)}, nil
	case q.previous != "":
		if from, found = all.find(func(p point) bool { return p.Response == q.previous }); !found {
			return place{}, errParam{fault.New(fault.NotFound, "Send the conversation as input.", "cannot go on from response %s: it is not known here", safetext.Quote(safetext.Line(q.previous))), "previous_response_id"}
		}
	case len(q.all) > 1:
		key := keyOf(q.all[:len(q.all)-1])
		from, found = all.find(func(p point) bool { return p.Key == key })
	}
	known := 0
	if q.previous == "" {
		known = len(q.all) - 1
	}
	if found && all.take(from.Thread) { // before it is looked at: nothing of the door's changes it then
		stands, err := t.App.ThreadStands(ctx, from.Thread)
		if err == nil && stands == from.Run {
			return place{from.Thread, from.Began, false, known, from.Instructed, free(from.Thread)}, nil
		}
		all.give(from.Thread)
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return place{}, err
		}
	}
	thread, err := all.newThread(ctx, t)
	if err != nil {
		return place{}, err
	}
	if found { // the thread went on otherwise, or is going on
		switch err := t.App.ForkThreadAt(ctx, from.Thread, thread, from.Run); {
		case err == nil:
			// It is counted from now on, whatever becomes of the question.
			if err := all.add(point{Thread: thread, Run: from.Run, Instructed: from.Instructed, Began: true, Answered: from.Answered}); err != nil {
				all.give(thread)
				return place{}, err
			}
			return place{thread, true, false, known, from.Instructed, free(thread)}, nil
		case q.previous != "":
			all.give(thread)
			return place{}, errParam{err, "previous_response_id"}
		}
	}
	return place{thread, true, true, 0, "", free(thread)}, nil
}

// keep remembers an answer, so that the conversation can go on from it. text is the answer as
// the client has it.
func (x *turn) keep(result app.AskResult, text, response string) error {
	if result.Unsaved != nil {
		return result.Unsaved
	}
	p := point{Response: response, Thread: x.thread, Run: result.Run, Instructed: x.instructed, Began: x.began, Answered: time.Now().UTC().Truncate(time.Second)}
	if x.whole() {
		p.Key = keyOf(append(x.all[:len(x.all):len(x.all)], said{text: text}))
	}
	return x.conversations.add(p)
}

// result is what a run came to.
func (x *turn) result() (app.AskResult, error) {
	result, err := x.run.Result()
	out, _ := result.(app.AskResult)
	if err == nil && out.Text == "" && len(out.Value) == 0 {
		err = fault.New(fault.Unavailable, "Ask in other words.", "the run came to no answer")
	}
	return out, err
}
