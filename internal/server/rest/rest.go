// Package rest serves the operations of package api over HTTP.
//
// A request is a JSON object; fields whose tags say so are read from the path or the query.
// A result is a JSON object. What the caller did wrong is answered as application/problem+json
// (RFC 9457) with the fault's kind, code, data and remedy beside the standard members. Events
// are server-sent events (the HTML standard, 9.2) with the number of each as its id, so that a
// client that lost its connection goes on with Last-Event-ID.
package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
	"praxis/internal/server/live"
	"praxis/internal/server/observe"
)

// Config is what the door needs.
type Config struct {
	Server *api.Server
	// Caller returns the key that a text of a request stands for. The doors have no other way to
	// learn who calls.
	Caller func(ctx context.Context, text string) (access.Key, error)
	// Tenant returns what belongs to the tenant of a key.
	Tenant func(ctx context.Context, name string) (*api.Tenant, error)
	// Admit says whether a key may ask now, nil, or why not.
	Admit func(k access.Key) error
	// Served is called for each request that was answered beside those of HTTP itself.
	Served func(observe.Request)
	// MaxBody bounds a request in bytes, MaxFile a file that is written; 0: the defaults.
	MaxBody, MaxFile int64
	// Bodies bounds what is read of all requests at a time; nil: nothing does.
	Bodies *Bodies
}

// The defaults of a Config.
const (
	DefaultBody = 32 << 20
	DefaultFile = 1 << 30
)

// writeFor is how long a client may take to read a piece of an answer.
const writeFor = 30 * time.Second

type door struct {
	cfg Config
}

// New returns the handler of all operations.
func New(cfg Config) http.Handler {
	if cfg.MaxBody == 0 {
		cfg.MaxBody = DefaultBody
	}
	if cfg.MaxFile == 0 {
		cfg.MaxFile = DefaultFile
	}
	d := &door{cfg}
	mux := http.NewServeMux()
	for _, o := range api.Table() {
		fields := fieldsOf(o.In)
		mux.HandleFunc(o.Method+" "+o.Path, func(w http.ResponseWriter, r *http.Request) { d.serve(w, r, &o, fields) })
	}
	document := sync.OnceValue(func() []byte { return Document(cfg.Server.Version) })
	mux.HandleFunc("GET /v1/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(document()) // that the client is gone is its own affair
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		Fail(w, r, fault.New(fault.NotFound, "The routes are in /v1/openapi.json.", "cannot find %s", safetext.Clip(safetext.Line(r.URL.Path), 200)))
	})
	return mux
}

// KeyOf returns the key that a request brings along, or "".
func KeyOf(r *http.Request) string {
	if k, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return strings.TrimSpace(k)
	}
	return r.Header.Get("X-API-Key")
}

// serve answers one request.
func (d *door) serve(w http.ResponseWriter, r *http.Request, o *api.Operation, fields []field) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	seen := observe.From(r.Context())
	o.Note(seen, r.PathValue)
	err := d.handle(w, r, o, fields)
	seen.Failed(err)
	if err != nil {
		Fail(w, r, err)
	}
}

// Identify returns the key that the text of a request stands for.
func Identify(ctx context.Context, cfg Config, text string) (access.Key, error) {
	if text == "" {
		return access.Key{}, errUnknown{fault.New(fault.Denied, "Send a key of this server as Authorization: Bearer KEY.", "cannot tell who calls: there is no key")}
	}
	key, err := cfg.Caller(ctx, text)
	if fault.KindOf(err) == fault.Denied {
		err = errUnknown{err}
	}
	return key, err
}

// Authorize returns the call that a key may make with a right.
func Authorize(ctx context.Context, cfg Config, text string, scope access.Scope) (*api.Call, error) {
	key, err := Identify(ctx, cfg, text)
	if err != nil {
		return nil, err
	}
	seen := observe.From(ctx)
	seen.Tenant, seen.Key = key.Tenant, key.ID
	if err := cfg.Admit(key); err != nil {
		return nil, err
	}
	return Permit(ctx, cfg, key, scope)
}

// Permit returns the call that a key may make with a right, for who knows that it may ask now.
func Permit(ctx context.Context, cfg Config, key access.Key, scope access.Scope) (*api.Call, error) {
	if !key.May(scope) {
		return nil, fault.New(fault.Denied, "Use a key with the scope "+string(scope)+".", "cannot do this with the key %s: it has not the scope %s", key.ID, scope)
	}
	t, err := cfg.Tenant(ctx, key.Tenant)
	if err != nil {
		return nil, err
	}
	return &api.Call{Key: key, Tenant: t, Server: cfg.Server}, nil
}

// errUnknown is the fault of a caller that is not known.
type errUnknown struct{ error }

func (e errUnknown) Unwrap() error { return e.error }

func (d *door) handle(w http.ResponseWriter, r *http.Request, o *api.Operation, fields []field) error {
	c, err := Authorize(r.Context(), d.cfg, KeyOf(r), o.Scope)
	if err != nil {
		return err
	}
	c.Base = "http://" + r.Host
	if r.TLS != nil {
		c.Base = "https://" + r.Host
	}
	in := reflect.New(o.In)
	if o.Kind == api.Upload {
		c.Body = http.MaxBytesReader(w, r.Body, d.cfg.MaxFile)
	} else if err := d.readBody(w, r, in.Interface()); err != nil {
		return err
	}
	if err := bind(r, in.Elem(), fields); err != nil {
		return err
	}
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		if c.After, err = strconv.ParseInt(last, 10, 64); err != nil || c.After < 0 {
			return fault.New(fault.Invalid, "Send the id of the last event that was read.", "cannot read Last-Event-ID: it is no number")
		}
	}
	out, err := o.Do(r.Context(), c, in.Interface())
	if err != nil {
		return tooLong(err)
	}
	switch v := out.(type) {
	case *api.Stream:
		return d.stream(w, r, v)
	case *api.Content:
		return WriteContent(w, v)
	case *api.Terminal:
		return d.terminal(w, r, v)
	case api.Nothing:
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return WriteJSON(w, o.Status, "application/json", out)
}

// tooLong words the error of a body that is longer than it may be.
func tooLong(err error) error {
	if long := (*http.MaxBytesError)(nil); errors.As(err, &long) {
		return fault.New(fault.Exhausted, "Send less.", "cannot read the request: it has more than %s", safetext.Size(long.Limit))
	}
	return err
}

// readBody reads the JSON object of a request; an empty body is an empty object. That of a GET
// is read and has no meaning: what is left of a body hides that a client goes away.
func (d *door) readBody(w http.ResponseWriter, r *http.Request, into any) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	data, free, err := d.cfg.Bodies.Read(http.MaxBytesReader(w, r.Body, d.cfg.MaxBody))
	defer free()
	if errors.As(err, new(*fault.Error)) {
		return err
	}
	if err != nil {
		return tooLong(fault.New(fault.Invalid, "Send it again.", "cannot read the request: %w", err))
	}
	if r.Method == http.MethodGet {
		return nil
	}
	return Decode(data, into)
}

// Decode reads a JSON object into a request. Nothing may stand after it, and no field may be
// unknown: a misspelt one would be left out without a word.
func Decode(data []byte, into any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is something after the object")
		}
	}
	if err != nil {
		return fault.New(fault.Invalid, "Send one JSON object with the fields of /v1/openapi.json.", "cannot read the request: %s", safetext.Clip(safetext.Line(err.Error()), 300))
	}
	return nil
}

// bind sets the fields of a request that stand in the path or in the query.
func bind(r *http.Request, in reflect.Value, fields []field) error {
	query := r.URL.Query()
	for _, f := range fields {
		var text string
		name := f.name
		switch f.in {
		case "path":
			text = r.PathValue(name)
		case "query":
			if !query.Has(name) {
				continue
			}
			text = query.Get(name)
		default:
			continue
		}
		switch v := in.FieldByIndex(f.Index); v.Kind() {
		case reflect.String:
			v.SetString(text)
		case reflect.Bool:
			on, err := strconv.ParseBool(text)
			if err != nil {
				return fault.New(fault.Invalid, "Give true or false.", "cannot read %s: %q is neither", name, safetext.Clip(safetext.Line(text), 40))
			}
			v.SetBool(on)
		case reflect.Int:
			n, err := strconv.Atoi(text)
			if err != nil {
				return fault.New(fault.Invalid, "Give a whole number.", "cannot read %s: %q is none", name, safetext.Clip(safetext.Line(text), 40))
			}
			v.SetInt(int64(n))
		default:
			return fmt.Errorf("cannot read %s of %s: a %s does not stand in a path or a query", name, in.Type(), v.Kind())
		}
	}
	return nil
}

// WriteJSON writes an answer whole.
func WriteJSON(w http.ResponseWriter, status int, mime string, v any) error {
	data, err := event.Encode(v)
	if err != nil {
		return fmt.Errorf("cannot write the answer: %w", err)
	}
	w.Header().Set("Content-Type", mime)
	w.WriteHeader(status)
	Deadline(w)
	_, _ = w.Write(append(data, '\n')) // that the client is gone is its own affair
	return nil
}

// Deadline gives the client time to read what is written next.
func Deadline(w http.ResponseWriter) {
	// A writer without deadlines is one of a test.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeFor))
}

// WriteContent writes a result that is bytes. Whatever it is, a browser saves it and shows none.
// A failure before the first byte is returned; later the connection is cut, so that nobody takes
// a part for the whole.
func WriteContent(w http.ResponseWriter, c *api.Content) error {
	out := &contentWriter{w: w, c: c}
	if err := c.Write(out); err != nil {
		if !out.began {
			return err
		}
		panic(http.ErrAbortHandler)
	}
	out.begin()
	return nil
}

type contentWriter struct {
	w     http.ResponseWriter
	c     *api.Content
	began bool
}

func (o *contentWriter) begin() {
	if o.began {
		return
	}
	o.began = true
	o.w.Header().Set("Content-Type", o.c.Type)
	disposition := "attachment"
	if o.c.Name != "" {
		disposition = fmt.Sprintf("attachment; filename=%q", o.c.Name)
	}
	o.w.Header().Set("Content-Disposition", disposition)
	o.w.WriteHeader(http.StatusOK)
}

// Write sends a piece.
func (o *contentWriter) Write(b []byte) (int, error) {
	o.begin()
	Deadline(o.w)
	return o.w.Write(b)
}

// stream writes the events of a log as they come.
func (d *door) stream(w http.ResponseWriter, r *http.Request, s *api.Stream) error {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy that collects would hold events back
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	send := func(id int64, name string, data []byte) error {
		Deadline(w)
		var b strings.Builder
		if id > 0 {
			fmt.Fprintf(&b, "id: %d\n", id)
		}
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", name, data)
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
		return control.Flush()
	}
	if err := control.Flush(); err != nil {
		return d.left(s)
	}
	err := s.Log.Read(r.Context(), s.After, live.Reader{
		Entry: func(e live.Entry) error { return send(e.Seq, e.Name, e.Data) },
		Lost:  func(n int64) error { return send(0, "lost", fmt.Appendf(nil, `{"events":%d}`, n)) },
		Still: func() error {
			Deadline(w)
			if _, err := io.WriteString(w, ": still there\n\n"); err != nil {
				return err
			}
			return control.Flush()
		},
	})
	if err != nil {
		return d.left(s)
	}
	data, err := event.Encode(s.Final())
	if err != nil {
		return fmt.Errorf("cannot write the end of the events: %w", err)
	}
	_ = send(0, "end", data) // that the client is gone is its own affair
	return nil
}

// left is called when a client went away.
func (d *door) left(s *api.Stream) error {
	if s.Leave != nil {
		s.Leave()
	}
	return nil
}

// Fail answers with a problem. What we broke is not described to the client: it may name what
// belongs to others.
func Fail(w http.ResponseWriter, r *http.Request, err error) {
	p := ProblemOf(err)
	p.Request = observe.From(r.Context()).ID
	switch p.Status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="praxis"`)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", cmp.Or(p.Data["retry_after_s"], "2")) // seconds, of a quota
	}
	_ = WriteJSON(w, p.Status, "application/problem+json", p) // a problem can always be written
}

// Problem is a fault as RFC 9457 writes it, with members of our own.
type Problem struct {
	Type   string     `json:"type"`
	Title  string     `json:"title"`
	Status int        `json:"status"`
	Detail string     `json:"detail"`
	Kind   fault.Kind `json:"kind"`
	Code   fault.Code `json:"code,omitempty"`
	Remedy string     `json:"remedy,omitempty"`
	Data   fault.Data `json:"data,omitempty"`
	// Request is the id of the request, under which the server's log says more.
	Request string `json:"request_id,omitempty"`
}

// StatusOf returns the status of HTTP that an operation ends with.
func StatusOf(o *api.Operation, err error) int {
	if err != nil {
		return ProblemOf(err).Status
	}
	return o.Status
}

// ProblemOf describes an error to a client.
func ProblemOf(err error) Problem {
	f := fault.Of(err)
	if f.Kind == fault.Internal {
		f = &fault.Error{Kind: fault.Internal, Message: "the server failed", Remedy: "Try again; the server's log says more under the request's id."}
	}
	status := map[fault.Kind]int{
		fault.Invalid: http.StatusBadRequest, fault.NotFound: http.StatusNotFound, fault.Conflict: http.StatusConflict, fault.Denied: http.StatusForbidden,
		fault.Exhausted: http.StatusTooManyRequests, fault.Canceled: http.StatusRequestTimeout, fault.Unavailable: http.StatusServiceUnavailable,
		fault.Internal: http.StatusInternalServerError,
	}[f.Kind]
	if unknown := (errUnknown{}); errors.As(err, &unknown) {
		status = http.StatusUnauthorized
	}
	kind := string(f.Code)
	if kind == "" {
		kind = f.Kind.String()
	}
	return Problem{Type: "urn:praxis:" + kind, Title: strings.ReplaceAll(f.Kind.String(), "_", " "), Status: status, Detail: f.Message, Kind: f.Kind, Code: f.Code, Remedy: f.Remedy, Data: f.Data}
}
