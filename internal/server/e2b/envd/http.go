package envd

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/e2b/registry"
	"praxis/internal/server/e2b/target"
	"praxis/internal/server/observe"
	"praxis/internal/server/rest"
)

// Bounds of files over HTTP.
const (
	maxUpload = 1 << 30 // bytes of a request
	maxParts  = 1000    // files of a request
	maxMarks  = 64      // notes of a file
	maxMarked = 1000    // files of a sandbox that have notes
)

// failure is an error of plain HTTP as clients know it.
type failure struct {
	Message string `json:"message"`
	Code    int    `json:"code"`
}

func failHTTP(w http.ResponseWriter, status int, message string) {
	_ = rest.WriteJSON(w, status, "application/json", failure{message, status}) // an error can always be written
}

// fail answers with what went wrong.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	observe.From(r.Context()).Failed(seenError(err))
	if long := (*http.MaxBytesError)(nil); errors.As(err, &long) {
		failHTTP(w, http.StatusRequestEntityTooLarge, "the request has more than "+safetext.Size(long.Limit))
		return
	}
	e := errorOf(err)
	status := statusOf(e.Code)
	if fault.KindOf(err) == fault.Exhausted { // the disk is full
		status = http.StatusInsufficientStorage
	}
	failHTTP(w, status, e.Message)
}

// health says that the sandbox runs: a request for one that does not run comes to nobody.
func (d *Daemon) health(w http.ResponseWriter, r *http.Request) {
	observe.From(r.Context()).Operation = "e2b.envd.health"
	w.WriteHeader(http.StatusNoContent)
}

// Measures are what a sandbox uses and has.
type Measures struct {
	Timestamp   int64   `json:"ts"`
	CPUs        int     `json:"cpu_count"`
	CPUUsed     float64 `json:"cpu_used_pct"`
	MemoryMiB   int64   `json:"mem_total_mib"`
	UsedMiB     int64   `json:"mem_used_mib"`
	Memory      int64   `json:"mem_total"`
	MemoryUsed  int64   `json:"mem_used"`
	MemoryCache int64   `json:"mem_cache"`
	DiskUsed    int64   `json:"disk_used"`
	Disk        int64   `json:"disk_total"`
}

// Measure says what a sandbox uses now. Its disk is a part of its memory, and is not measured
// apart.
func Measure(ctx context.Context, s *target.Sandbox, ts int64) (m Measures, err error) {
	err = s.Tenant.Hub.Use(ctx, s.ID, func(open *app.Session) error {
		limits := open.Limits()
		before, err := open.Usage(ctx)
		if err != nil {
			return err
		}
		began := time.Now()
		select {
		case <-time.After(measureFor):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		used, err := open.Usage(ctx)
		m = Measures{
			Timestamp: ts, CPUs: max(1, int(limits.CPUs+0.99)), Memory: limits.Memory, MemoryUsed: used.Memory, MemoryMiB: limits.Memory >> 20, UsedMiB: used.Memory >> 20, Disk: limits.Disk,
		}
		if took := time.Since(began); used.CPU > before.CPU {
			m.CPUUsed = min(100, 100*(used.CPU-before.CPU).Seconds()/took.Seconds()/float64(m.CPUs))
		}
		return err
	})
	return m, err
}

// measureFor is the time over which the use of processors is measured.
const measureFor = 100 * time.Millisecond

func (d *Daemon) metrics(w http.ResponseWriter, r *http.Request) {
	c, err := d.open(r, "metrics", false)
	if err != nil {
		fail(w, r, err)
		return
	}
	m, err := Measure(r.Context(), c.Sandbox, d.cfg.Now().Unix())
	if err != nil {
		fail(w, r, err)
		return
	}
	_ = rest.WriteJSON(w, http.StatusOK, "application/json", m) // numbers can always be written
}

func (d *Daemon) environ(w http.ResponseWriter, r *http.Request) {
	c, err := d.open(r, "envs", false)
	if err != nil {
		fail(w, r, err)
		return
	}
	_ = rest.WriteJSON(w, http.StatusOK, "application/json", Environ(c.ID, c.Environ)) // a map of texts can always be written
}

// openFile begins a request for a file: one without the sandbox's token may be signed.
func (d *Daemon) openFile(r *http.Request, operation string, writes bool) (*call, error) {
	s, err := d.cfg.Resolve(r)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	if !s.Authorized {
		seen := observe.From(r.Context())
		seen.Operation, seen.Object = "e2b.envd.files", "session="+s.ID
		if reason := signed(q, operation, d.cfg.Token(s.ID), d.cfg.Now()); reason != "" {
			return nil, &rpcError{codeUnknownUser, reason}
		}
		with := *s
		with.Authorized = true
		r = r.WithContext(target.With(r.Context(), &with))
	}
	c, err := d.open(r, "files."+operation, writes)
	if err != nil {
		return nil, err
	}
	if name := q.Get("username"); name != "" {
		err = checkUser(name)
	}
	return c, err
}

// packs says whether an answer is compressed. ok is false when the client takes none that there is.
func packs(header string) (gz, ok bool) {
	if strings.TrimSpace(header) == "" {
		return false, true
	}
	plain, any := true, ""
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		_, q, weighed := strings.Cut(strings.ReplaceAll(params, " ", ""), "q=")
		weight, err := strconv.ParseFloat(q, 64)
		taken := !weighed || err == nil && weight > 0
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip":
			gz = taken
		case "identity":
			plain = taken
		case "*":
			any = "refused"
			if taken {
				any = "taken"
			}
		}
	}
	if any == "refused" && !strings.Contains(strings.ToLower(header), "identity") {
		plain = false
	}
	return gz, gz || plain || any == "taken"
}

// download sends a file.
func (d *Daemon) download(w http.ResponseWriter, r *http.Request) {
	c, err := d.openFile(r, "read", false)
	if err != nil {
		fail(w, r, err)
		return
	}
	gz, ok := packs(r.Header.Get("Accept-Encoding"))
	if !ok {
		failHTTP(w, http.StatusNotAcceptable, "the encodings are identity and gzip")
		return
	}
	ctx := r.Context()
	err = d.inSession(ctx, c, r.URL.Query().Get("path"), func(s *app.Session, name string) error {
		given := name
		name, info, err := behind(ctx, s, name)
		switch {
		case err != nil:
			return named(err, given)
		case info.Kind == "folder":
			return &rpcError{codeInvalid, "path '" + safetext.Line(given) + "' is a directory"}
		case info.Kind == "other":
			return &rpcError{codeInvalid, "path '" + safetext.Line(name) + "' is not a regular file"}
		}
		out := &body{w: w, name: path.Base(given), gz: gz}
		if err := s.ReadFile(ctx, name, out); err != nil {
			if out.began {
				panic(http.ErrAbortHandler) // so that nobody takes a part for the whole
			}
			return named(err, name)
		}
		return out.close()
	})
	if err != nil {
		fail(w, r, err)
	}
}

// body is a file on its way to a client.
type body struct {
	w      http.ResponseWriter
	name   string
	gz     bool
	began  bool
	packed *gzip.Writer
}

func (b *body) begin() {
	if b.began {
		return
	}
	b.began = true
	h := b.w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": safetext.Line(b.name)}))
	h.Set("Vary", "Accept-Encoding")
	if b.gz {
		h.Set("Content-Encoding", "gzip")
		b.packed, _ = gzip.NewWriterLevel(b.w, gzip.BestSpeed) // the level is one that there is
	}
	b.w.WriteHeader(http.StatusOK)
}

// Write sends a piece.
func (b *body) Write(p []byte) (int, error) {
	b.begin()
	rest.Deadline(b.w)
	if b.packed != nil {
		return b.packed.Write(p)
	}
	return b.w.Write(p)
}

func (b *body) close() error {
	b.begin()
	if b.packed != nil {
		rest.Deadline(b.w)
		_ = b.packed.Close() // that the client is gone is its own affair
	}
	return nil
}

// written is a file that was written.
type written struct {
	Name     string            `json:"name"`
	Type     string            `json:"type"`
	Path     string            `json:"path"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

// upload writes files.
func (d *Daemon) upload(w http.ResponseWriter, r *http.Request) {
	c, err := d.openFile(r, "write", true)
	if err != nil {
		fail(w, r, err)
		return
	}
	var from io.Reader = http.MaxBytesReader(w, r.Body, maxUpload)
	switch r.Header.Get("Content-Encoding") {
	case "", "identity":
	case "gzip":
		unpacked, err := gzip.NewReader(bufio.NewReader(from))
		if err != nil {
			fail(w, r, &rpcError{codeInvalid, "the body is not compressed by gzip"})
			return
		}
		from = http.MaxBytesReader(w, unpacked, maxUpload)
	default:
		failHTTP(w, http.StatusUnsupportedMediaType, "the encodings are identity and gzip")
		return
	}
	marks, err := marksOf(r.Header)
	if err != nil {
		fail(w, r, err)
		return
	}
	out, err := d.uploaded(r, c, from, marks)
	if err != nil {
		fail(w, r, err)
		return
	}
	if err := rest.WriteJSON(w, http.StatusOK, "application/json", out); err != nil {
		fail(w, r, err)
	}
}

// uploaded writes what a request brings.
func (d *Daemon) uploaded(r *http.Request, c *call, from io.Reader, marks registry.Marks) ([]written, error) {
	name := r.URL.Query().Get("path")
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err != nil:
		return nil, &rpcError{codeInvalid, "the type of the body cannot be read: send multipart/form-data or application/octet-stream"}
	case kind == "application/octet-stream":
		if name == "" {
			return nil, &rpcError{codeInvalid, "name the file by its path"}
		}
		one, err := d.put(r.Context(), c, name, from, marks)
		return []written{one}, err
	case kind != "multipart/form-data":
		return nil, &rpcError{codeInvalid, "send multipart/form-data or application/octet-stream"}
	}
	out, seen := []written{}, map[string]bool{}
	for parts := multipart.NewReader(from, params["boundary"]); ; {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, formError(err)
		}
		if part.FormName() != "file" {
			continue
		}
		if len(out) >= maxParts {
			return nil, &rpcError{codeExhausted, "one request brings at most " + strconv.Itoa(maxParts) + " files"}
		}
		to := name
		if to == "" {
			to = fileName(part.Header.Get("Content-Disposition"))
		}
		if to == "" {
			return nil, &rpcError{codeInvalid, "name each file by its path"}
		}
		one, err := d.put(r.Context(), c, to, part, marks)
		if err != nil {
			return nil, formError(err)
		}
		if seen[one.Path] {
			return nil, &rpcError{codeInvalid, "you cannot upload multiple files to the same path '" + safetext.Line(one.Path) + "' in one upload request"}
		}
		seen[one.Path] = true
		out = append(out, one)
	}
}

// formError words that a form cannot be read.
func formError(err error) error {
	if long := (*http.MaxBytesError)(nil); errors.As(err, &long) || fault.KindOf(err) != fault.Internal || errors.As(err, new(*rpcError)) {
		return err
	}
	return &rpcError{codeInvalid, "the form cannot be read: " + safetext.Clip(safetext.Line(err.Error()), 200)}
}

// fileName returns the name of the file in a part of a form: the whole path, which package
// multipart would cut.
func fileName(header string) string {
	_, params, err := mime.ParseMediaType(header)
	if err != nil {
		return ""
	}
	return params["filename"]
}

// put writes one file.
func (d *Daemon) put(ctx context.Context, c *call, name string, from io.Reader, marks registry.Marks) (out written, err error) {
	err = d.inSession(ctx, c, name, func(s *app.Session, name string) (err error) {
		out, err = d.putIn(ctx, c, s, name, from, marks)
		return err
	})
	return out, err
}

// putIn writes one file of an open sandbox.
func (d *Daemon) putIn(ctx context.Context, c *call, s *app.Session, name string, from io.Reader, marks registry.Marks) (written, error) {
	to, info, err := behind(ctx, s, name)
	if err == nil && info.Kind == "folder" {
		return written{}, &rpcError{codeInvalid, "path '" + safetext.Line(name) + "' is a directory"}
	}
	if err := s.WriteFile(ctx, to, from); err != nil {
		return written{}, err
	}
	return written{path.Base(name), "file", name, marks}, d.mark(c.ID, name, marks)
}

// mark notes what a client says of a file, in the place of what was noted before.
func (d *Daemon) mark(id, name string, marks registry.Marks) error {
	if len(marks) == 0 && d.cfg.Marks(id)[name] == nil {
		return nil
	}
	return d.cfg.Mark(id, func(all map[string]registry.Marks) error {
		delete(all, name)
		if len(marks) == 0 {
			return nil
		}
		if len(all) >= maxMarked {
			return &rpcError{codeExhausted, "at most " + strconv.Itoa(maxMarked) + " files of a sandbox have metadata"}
		}
		all[name] = marks
		return nil
	})
}

// marksOf reads what a client says of the files that it sends.
func marksOf(h http.Header) (registry.Marks, error) {
	const prefix = "X-Metadata-"
	var out registry.Marks
	for name, values := range h {
		key, ok := strings.CutPrefix(name, prefix)
		if !ok || key == "" || len(values) == 0 {
			continue
		}
		if out == nil {
			out = registry.Marks{}
		}
		if len(out) >= maxMarks {
			return nil, &rpcError{codeInvalid, "a file has at most " + strconv.Itoa(maxMarks) + " entries of metadata"}
		}
		out[strings.ToLower(key)] = values[len(values)-1]
	}
	return out, nil
}

// composition asks for one file that is made of others.
type composition struct {
	Sources     []string `json:"source_paths"`
	Destination string   `json:"destination"`
	Username    string   `json:"username"`
}

// compose writes one file from the contents of others, in order, and removes those; one of them
// may be the file itself.
func (d *Daemon) compose(w http.ResponseWriter, r *http.Request) {
	c, err := d.open(r, "files.compose", true)
	var in composition
	if err == nil {
		data, free, wrong := c.Bodies.Read(http.MaxBytesReader(w, r.Body, maxMessage))
		free()
		if err = wrong; err == nil {
			err = decode(data, &in)
		}
	}
	if err == nil {
		err = checkUser(in.Username)
	}
	if err == nil && (len(in.Sources) == 0 || len(in.Sources) > maxParts || in.Destination == "") {
		err = &rpcError{codeInvalid, "name 1 to " + strconv.Itoa(maxParts) + " source_paths and the destination"}
	}
	var out written
	if err == nil {
		out, err = d.composed(r.Context(), c, in)
	}
	if err == nil {
		err = rest.WriteJSON(w, http.StatusOK, "application/json", out)
	}
	if err != nil {
		fail(w, r, err)
	}
}

// errWritten ends the reading of sources whose destination is written, or cannot be.
var errWritten = errors.New("the destination is written")

func (d *Daemon) composed(ctx context.Context, c *call, in composition) (out written, err error) {
	sources := make([]string, len(in.Sources))
	for i, name := range in.Sources {
		if sources[i], err = locate(name); err != nil {
			return out, err
		}
	}
	// The sandbox is lent once: who waits to pause it would have a second call wait for ever.
	err = d.inSession(ctx, c, in.Destination, func(s *app.Session, to string) (err error) {
		read, write := io.Pipe()
		done := make(chan error, 1)
		go func() {
			var err error
			for _, name := range sources {
				if err = named(s.ReadFile(ctx, name, write), name); err != nil {
					break
				}
			}
			_ = write.CloseWithError(err)
			done <- err
		}()
		out, err = d.putIn(ctx, c, s, to, read, nil)
		_ = read.CloseWithError(errWritten)
		if wrong := <-done; !errors.Is(wrong, errWritten) {
			err = cmp.Or(wrong, err)
		}
		return err
	})
	for _, name := range sources {
		if err == nil && name != out.Path {
			_, err = d.remove(ctx, c, pathRequest{name})
		}
	}
	return out, err
}
