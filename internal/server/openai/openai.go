// Package openai is a door for programs that speak to OpenAI's servers: a chat client that is
// given this server's address and a key of it gets an agent that computes. It serves
//
//	GET    /openai/v1/models, /models/{model}
//	POST   /openai/v1/chat/completions
//	POST   /openai/v1/responses
//	GET    /openai/v1/responses/{id}    DELETE as well
//	GET    /openai/v1/files/{id}, /files/{id}/content
//
// with the keys, scopes, tenants and bounds of the other doors. docs/openai.md says what of a
// request has a meaning, what is left out and what is refused.
//
// # Conversations
//
// A client of chat completions sends the whole conversation each time. The door keeps, for each
// answer that it gave, a hash of the conversation up to it, and the thread and the run that it
// was given by. What begins with a conversation that is known goes on in its thread, with its
// variables and files. Where the thread went on otherwise meanwhile, since somebody changed an
// earlier question or wants another answer, a fork of it as it stood then goes on. A conversation
// that is not known begins a thread, and what was said before is shown to the model as the
// account of it that the client gives: figures that the person named are sources, figures that
// an assistant named are not.
//
// # Pictures
//
// What a model or its code wrote reaches clients that draw Markdown, and a picture of another
// server would be fetched by the person's browser: whoever got words into a file that the agent
// reads could have it send away what it knows. So pictures are only ever those that code made,
// as data; what else would be one is shown as a link.
package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"sync"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
	"praxis/internal/server/observe"
	"praxis/internal/server/rest"
)

// Prefix is where the door's routes begin.
const Prefix = "/openai/v1"

type door struct {
	cfg    rest.Config
	models modelList

	mu            sync.Mutex
	conversations map[string]*conversations // by tenant
}

// route is what answers a request.
type route struct {
	pattern string // method and path below Prefix
	name    string
	scope   access.Scope
	serve   func(w *answer, r *http.Request, c *api.Call) error
}

// New returns the handler of the door.
func New(cfg rest.Config) http.Handler {
	if cfg.MaxBody == 0 {
		cfg.MaxBody = rest.DefaultBody
	}
	d := &door{cfg: cfg, conversations: map[string]*conversations{}}
	mux := http.NewServeMux()
	for _, t := range d.routes() {
		mux.HandleFunc(t.pattern, func(w http.ResponseWriter, r *http.Request) { d.serve(w, r, t) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(&answer{ResponseWriter: w}, fault.New(fault.NotFound, "The routes are models, chat/completions, responses and files, below "+Prefix+".", "cannot find %s %s", r.Method, safetext.Clip(safetext.Line(r.URL.Path), 200)))
	})
	return mux
}

func (d *door) routes() []route {
	return []route{
		{"GET " + Prefix + "/models", "openai.models", access.Read, d.listModels},
		{"GET " + Prefix + "/models/{model...}", "openai.model", access.Read, d.oneModel},
		{"POST " + Prefix + "/chat/completions", "openai.chat", access.Run, d.complete},
		{"POST " + Prefix + "/responses", "openai.respond", access.Run, d.respond},
		{"GET " + Prefix + "/responses/{id}", "openai.response", access.Read, d.oneResponse},
		{"DELETE " + Prefix + "/responses/{id}", "openai.forget", access.Run, d.dropResponse},
		{"GET " + Prefix + "/files/{id}", "openai.file", access.Read, d.describeFile},
		{"GET " + Prefix + "/files/{id}/content", "openai.content", access.Read, d.sendFile},
	}
}

// answer is a response.
type answer struct {
	http.ResponseWriter
	final bool // what failed is not to be tried again: it was paid for
}

// Unwrap lets http.ResponseController find the connection.
func (w *answer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// serve answers one request.
func (d *door) serve(w http.ResponseWriter, r *http.Request, t route) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	seen := observe.From(r.Context())
	seen.Operation, seen.Writes = t.name, t.scope != access.Read
	if id := r.PathValue("id"); id != "" {
		seen.Object = "id=" + safetext.Clip(safetext.Line(id), 100)
	}
	out := &answer{ResponseWriter: w}
	c, err := rest.Authorize(r.Context(), d.cfg, rest.KeyOf(r), t.scope)
	if err == nil && seen.Writes {
		err = c.Server.Audit.Begin(seen)
	}
	if err == nil {
		err = t.serve(out, r, c)
	}
	if err != nil {
		fail(out, err)
	}
	seen.Failed(err)
}

// read reads the body of a request.
func (d *door) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	data, free, err := d.cfg.Bodies.Read(http.MaxBytesReader(w, r.Body, d.cfg.MaxBody))
	free() // what is made of it counts for its run
	if errors.As(err, new(*fault.Error)) {
		return nil, err
	}
	if long := (*http.MaxBytesError)(nil); errors.As(err, &long) {
		return nil, fault.New(fault.Exhausted, "Send less: begin another conversation, or attach smaller files.", "cannot read the request: it has more than %s", safetext.Size(long.Limit))
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "Send it again.", "cannot read the request: %w", err)
	}
	return data, nil
}

// writeJSON writes an answer whole.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	return rest.WriteJSON(w, status, "application/json", v)
}

// failure is an error as OpenAI's clients know it.
type failure struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`

	status int
}

// errParam says which field of a request a fault is about.
type errParam struct {
	error
	param string
}

func (e errParam) Unwrap() error { return e.error }

// wrong is the fault of a field of a request.
func wrong(param, remedy, format string, args ...any) error {
	return errParam{fault.New(fault.Invalid, remedy, format, args...), param}
}

// failureOf describes an error to a client. The remedy is a part of the message: clients show
// nothing else.
func failureOf(err error) failure {
	p := rest.ProblemOf(err)
	out := failure{Message: p.Detail, status: p.Status}
	if p.Remedy != "" {
		out.Message += ". " + p.Remedy
	}
	if e := (errParam{}); errors.As(err, &e) {
		out.Param = &e.param
	}
	code := string(p.Code)
	switch p.Status {
	case http.StatusUnauthorized:
		out.Type, code = "authentication_error", "invalid_api_key"
	case http.StatusForbidden:
		out.Type = "permission_error"
	case http.StatusTooManyRequests:
		out.Type = "rate_limit_error"
		if code == "" {
			code = "rate_limit_exceeded"
		}
	default:
		out.Type = "invalid_request_error"
		if p.Status >= 500 || p.Status == http.StatusRequestTimeout {
			out.Type = "server_error"
		}
	}
	if code != "" {
		out.Code = &code
	}
	return out
}

// fail answers with an error. OpenAI's clients send again what failed in many ways; what a
// model was paid for is not to be sent again without a person's word.
func fail(w *answer, err error) {
	f := failureOf(err)
	h := w.Header()
	switch f.status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="praxis"`)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		h.Set("Retry-After", cmp.Or(fault.Of(err).Data["retry_after_s"], "2"))
	}
	if w.final {
		h.Set("X-Should-Retry", "false")
		h.Del("Retry-After")
		if f.status == http.StatusTooManyRequests { // the run's own budget is used up
			f.status, f.Type = http.StatusUnprocessableEntity, "invalid_request_error"
		}
	}
	_ = writeJSON(w, f.status, errorBody{f}) // a failure can always be written
}

type errorBody struct {
	Error failure `json:"error"`
}

// of returns the conversations of a tenant.
func (d *door) of(t *api.Tenant) (*conversations, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.conversations[t.Name]; c != nil {
		return c, nil
	}
	c, err := openConversations(t.Dir)
	if err != nil {
		return nil, err
	}
	d.conversations[t.Name] = c
	return c, nil
}

// decode reads a request. What is not known of it is left out: clients send much that has no
// meaning here, and the next version of one sends more.
func decode(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		param := ""
		if wrongType := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrongType) {
			param = wrongType.Field
		}
		return wrong(param, "Send one JSON object as OpenAI's API describes it.", "cannot read the request: %s", safetext.Clip(safetext.Line(err.Error()), 300))
	}
	return nil
}
