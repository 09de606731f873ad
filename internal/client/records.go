package client

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
)

// maxListed are the runs that a server lists at once.
const maxListed = 1000

func recordQuery(q app.RunQuery) api.RecordQuery {
	moment := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.Format(time.RFC3339Nano)
	}
	out := api.RecordQuery{
		Words: q.Words, Status: string(q.Status), Kind: string(q.Kind), Thread: q.Thread, Model: q.Model, Since: moment(q.Since), Until: moment(q.Until),
		Children: q.Children, Limit: q.Limit,
	}
	if q.MinUSD != nil {
		out.USD = strconv.FormatFloat(*q.MinUSD, 'g', -1, 64)
	}
	if out.Limit <= 0 || out.Limit > maxListed {
		out.Limit = maxListed
	}
	return out
}

// Runs is that of app. Costs are by the prices of the server.
func (c *Client) Runs(ctx context.Context, q app.RunQuery, _ app.PriceTable) ([]app.ListedRun, bool, error) {
	out, err := call[api.Records](ctx, c, "records.list", recordQuery(q))
	return out.Records, out.More, err
}

// HasRuns is that of app.
func (c *Client) HasRuns(ctx context.Context) (bool, error) {
	out, err := call[api.Records](ctx, c, "records.list", api.RecordQuery{Limit: 1})
	return len(out.Records) > 0, err
}

// Cost is that of app. It is by the prices of the server.
func (c *Client) Cost(ctx context.Context, q app.RunQuery, _ app.PriceTable) (app.Costs, error) {
	return call[app.Costs](ctx, c, "costs.get", recordQuery(q))
}

// RemoveRun is that of app.
func (c *Client) RemoveRun(ctx context.Context, ref string) (app.RemovedRun, error) {
	return cleaned(call[app.RemovedRun](ctx, c, "records.delete", api.RecordRef{Record: ref}))
}

// ReadTree is that of app.
func (c *Client) ReadTree(ctx context.Context, ref string) (app.RecordedRun, error) {
	if app.IsFile(ref) {
		return app.RecordedRun{}, refuse(local{"what a file of this machine has", true})
	}
	got, err := call[api.Recorded](ctx, c, "records.read", api.RecordRef{Record: ref})
	if err != nil {
		return app.RecordedRun{}, err
	}
	out, err := recorded(got, 0)
	if err == nil && out.Damage != "" {
		err = fault.Coded(fault.JournalDamaged, fault.Data{"run": out.ID}, "cannot read all of run %s: %s", out.ID, out.Damage)
	}
	return out, err
}

// ReadRun is that of app.
func (c *Client) ReadRun(ctx context.Context, ref string) (app.RecordedRun, error) {
	return c.ReadTree(ctx, ref)
}

// maxDepth bounds how deep runs may be below another.
const maxDepth = 32

// recorded reads what a server says of a record.
func recorded(r api.Recorded, depth int) (app.RecordedRun, error) {
	out := app.RecordedRun{ID: safetext.Line(r.ID), Damage: safetext.Line(r.Damage), Languages: app.Languages()}
	for _, e := range r.Events {
		read, err := event.Unmarshal(e.Name, e.Data)
		if err != nil {
			return out, fault.New(fault.Conflict, "Use the version of Praxis that the server has.", "cannot read run %s: %s", out.ID, safetext.OneLine(err.Error(), 200))
		}
		out.Records = append(out.Records, event.Record{Seq: e.Seq, Time: e.Time, Event: read})
	}
	for _, child := range r.Children {
		if depth == maxDepth {
			return out, fault.New(fault.Conflict, "", "cannot read run %s: its children are too deep", out.ID)
		}
		read, err := recorded(child, depth+1)
		if err != nil {
			return out, err
		}
		if out.Children == nil {
			out.Children = map[string]app.RecordedRun{}
		}
		out.Children[read.ID] = read
	}
	return out, nil
}

// Verify is that of app: the server checks its record, and its keys are those that are
// trusted there.
func (c *Client) Verify(ctx context.Context, ref string, pinned app.Key) (app.Verified, error) {
	if err := refuse(local{"a check with a key of this machine: export the run, and check the file here", pinned.Public != ""}, local{"the check of a file of this machine", app.IsFile(ref)}); err != nil {
		return app.Verified{}, err
	}
	out, err := call[api.Verified](ctx, c, "records.verify", api.RecordRef{Record: ref})
	return out.Verified, err
}

// Repeat is that of app.
func (c *Client) Repeat(ctx context.Context, ref string, _ event.Sink) (app.Repeated, error) {
	out, err := call[replayed](ctx, c, "records.replay", api.RecordRef{Record: ref})
	return app.Repeated{Identical: out.Identical, Unfinished: out.Unfinished, Report: safetext.Text(out.Report), Details: out.Details}, err
}

// replayed is api.Replayed, with what is for programs as it came.
type replayed struct {
	api.Replayed
	Details json.RawMessage `json:"details"`
}

// Export is that of app. The pictures of Markdown are not saved beside it: a page has them.
func (c *Client) Export(ctx context.Context, q app.ExportRequest) (out app.Exported, err error) {
	format, err := q.ExportFormat()
	if err != nil {
		return out, err
	}
	err = c.export(ctx, q.Run, format, func(id string, from io.Reader) error {
		out, err = app.SaveExport(q, id, format, func(_ string, w io.Writer) error {
			_, err := io.Copy(w, from)
			return err
		})
		return err
	})
	return out, err
}

// WriteExport is that of app.
func (c *Client) WriteExport(ctx context.Context, q app.ExportRequest, w io.Writer) ([]string, error) {
	format, err := q.ExportFormat()
	if err != nil {
		return nil, err
	}
	return nil, c.export(ctx, q.Run, format, func(_ string, from io.Reader) error {
		_, err := io.Copy(w, from)
		return err
	})
}

// runID is the id of a run.
var runID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,63}$`)

// export gives the text of an exported run, and the run's id, to save.
func (c *Client) export(ctx context.Context, ref, format string, save func(id string, from io.Reader) error) error {
	if app.IsFile(ref) {
		return refuse(local{"a file of this machine", true})
	}
	return c.receive(ctx, "records.export", api.ExportOf{RecordRef: api.RecordRef{Record: ref}, Format: format}, func(res *http.Response) error {
		_, params, _ := mime.ParseMediaType(res.Header.Get("Content-Disposition")) // what is no name is refused next
		id := strings.TrimSuffix(params["filename"], "."+format)
		if !runID.MatchString(id) {
			return fault.New(fault.Unavailable, "The server may be of another version.", "cannot export run %s: the server does not say its id", safetext.Line(ref))
		}
		return save(id, res.Body)
	})
}
