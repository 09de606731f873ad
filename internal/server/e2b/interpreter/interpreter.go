// Package interpreter answers on the port of E2B's code interpreter, 49999, for sandboxes that
// are sessions: code is run in contexts, and what comes of it is streamed.
//
// # The routes
//
//	GET    /health                 "OK"
//	POST   /execute                {code, context_id?, language?, env_vars?} → lines of JSON
//	POST   /contexts               {language?, cwd?} → {id, language, cwd}
//	GET    /contexts               → the contexts, those of languages first, the oldest first
//	DELETE /contexts/{id}          → null
//	POST   /contexts/{id}/restart  → null
//
// The lines are number_of_executions, then stdout, stderr and result as they come, then an error if
// there was one, and end_of_execution; a keepalive follows every five seconds of silence. The
// names, keys and texts are those that the clients' libraries read (lines.go), the codes of
// refusals those that they tell apart: 404 for a context that there is not, 502 for a sandbox.
//
// # Contexts
//
// What there is of contexts is asked of the session each time, and kept in it: it outlives
// pauses, forks and restarts of the server. The context of the session's first language is
// called main, that of another one as the language, and one that a client made LANGUAGE-TIME
// plus random digits, so that names in their order are oldest first and say the language also where
// the kernels of another run it, as JavaScript's do TypeScript. The context of a language can be
// removed, too: it is there again, with no variables.
//
// Code in a context waits for its turn; contexts do not wait for each other. When the client
// goes away, or does not read for long, its code is interrupted.
//
// # Code as notebooks have it
//
// The clients' users write cells for IPython. Code in Python may therefore be indented as a
// whole, and have commands for a shell and for the interpreter ([praxis/internal/language/python.Interactive]).
// Its errors look as IPython's (traceback.go), and values come in forms for programs, too:
// tables as columns, figures as charts.
package interpreter

import (
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/server/e2b/target"
	"praxis/internal/server/observe"
)

// Port is the one that E2B's clients look for the interpreter at.
const Port = 49999

// Home is the folder that contexts work in.
const Home = "/home/user"

const (
	maxBody    = 8 << 20          // bytes of a request: more than code may have, and its variables
	keepalive  = 5 * time.Second  // of silence
	slowClient = 30 * time.Second // that a client may take to read a line
)

// interpreter is the handler. Its turns are those of all sandboxes.
type interpreter struct {
	resolve target.Resolver
	quiet   time.Duration
	mu      sync.Mutex
	turns   map[place]*turn
}

// New returns what answers on the port. resolve says which sandbox a request is for.
func New(resolve target.Resolver) http.Handler { return newInterpreter(resolve).routes() }

func newInterpreter(resolve target.Resolver) *interpreter {
	return &interpreter{resolve: resolve, quiet: keepalive, turns: map[place]*turn{}}
}

func (i *interpreter) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", i.health)
	mux.HandleFunc("POST /execute", i.execute)
	mux.HandleFunc("POST /contexts", i.makeContext)
	mux.HandleFunc("GET /contexts", i.listContexts)
	mux.HandleFunc("DELETE /contexts/{id}", i.removeContext)
	mux.HandleFunc("POST /contexts/{id}/restart", i.restartContext)
	return mux
}

// open begins a call: it finds its sandbox, and writes down what is asked for.
func (i *interpreter) open(r *http.Request, name string, writes bool) (*target.Sandbox, error) {
	b, err := i.resolve(r)
	if err != nil {
		return nil, err
	}
	seen := observe.From(r.Context())
	seen.Operation, seen.Writes, seen.Object = "e2b.interpreter."+name, writes, "session="+b.ID
	if writes {
		err = b.Server.Audit.Begin(seen)
	}
	return b, err
}

func (i *interpreter) health(w http.ResponseWriter, r *http.Request) {
	if _, err := i.open(r, "health", false); err != nil {
		refuse(w, r, err)
		return
	}
	answer(w, http.StatusOK, "OK")
}

// read reads the body of a request.
func read(w http.ResponseWriter, r *http.Request, b *target.Sandbox, decode func(data []byte) error) error {
	data, free, err := b.Bodies.Read(http.MaxBytesReader(w, r.Body, maxBody))
	defer free()
	switch {
	case err == nil:
		return decode(data)
	case errors.As(err, new(*fault.Error)):
		return err
	}
	return fault.New(fault.Invalid, "Put the data in a file of the sandbox.", "cannot read the request: it is cut off, or has more than %d bytes", maxBody)
}

// answer writes a JSON value.
func answer(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte("null")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

// say writes a text, which is how E2B's interpreter words what its clients show.
func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

// refuse writes why a request is refused, with a code that the clients know.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	observe.From(r.Context()).Failed(err)
	status := http.StatusInternalServerError
	switch fault.KindOf(err) {
	case fault.Invalid:
		status = http.StatusBadRequest
	case fault.NotFound:
		status = http.StatusNotFound
	case fault.Conflict:
		status = http.StatusConflict
	case fault.Exhausted:
		status = http.StatusTooManyRequests
	case fault.Unavailable, fault.Canceled:
		status = http.StatusServiceUnavailable
	}
	if fault.CodeOf(err) == fault.SessionMissing {
		status = http.StatusBadGateway
	}
	answer(w, status, refusal{status, wordsOf(err)})
}

// wordsOf says to a client what went wrong. What we broke is not described: it may name what
// belongs to others.
func wordsOf(err error) string {
	if f := fault.Of(err); f.Kind != fault.Internal {
		return f.Error()
	}
	return "the server failed; its log says more"
}

// refusal is the form of E2B's errors.
type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}
