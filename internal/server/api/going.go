package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/server/access"
	"praxis/internal/server/live"
)

// RecordVerified says in a word what the check of a record found.
type RecordVerified struct {
	Record string `json:"record"`
	Status string `json:"status" jsonschema:"whole, unfinished, stranger (signed by a key that is not known) or broken"`
}

// AllVerified says what the check of all records, and of the chain that they stand in, found.
type AllVerified struct {
	Records []RecordVerified `json:"records"`
	Chain   app.Chain        `json:"chain"`
}

// Going asks for a run that broke off to go on.
type Going struct {
	RecordRef
	Model    string  `json:"model,omitempty" jsonschema:"left out: the recorded one"`
	MaxSteps int     `json:"max_steps,omitempty" jsonschema:"with those that were taken; 0: as recorded"`
	Budget   *Budget `json:"budget,omitempty" jsonschema:"with what is used; zeros: as recorded"`
	// KeepFiles is as in Making.
	KeepFiles bool `json:"keep_files,omitempty" jsonschema:"keep the files and pictures that code makes until runs.files has fetched them"`
	Following
}

// NewBranch asks for another way from a step of a recorded run.
type NewBranch struct {
	RecordRef
	From     int    `json:"from" jsonschema:"the step"`
	Model    string `json:"model,omitempty" jsonschema:"that goes on; left out: the recorded replies"`
	Question string `json:"question,omitempty" jsonschema:"another one; it needs a model"`
	Code     string `json:"code,omitempty" jsonschema:"other code in that step"`
	Loose    bool   `json:"loose,omitempty" jsonschema:"also from a state that could only be made again differently"`
	Following
}

// resume goes on with a run that broke off.
func resume(ctx context.Context, c *Call, in Going) (any, error) {
	if err := errors.Join(in.check(), c.checkModel(in.Model)); err != nil {
		return nil, err
	}
	budget, err := in.Budget.budget()
	if err != nil {
		return nil, err
	}
	tokens, usd, err := c.Server.Left(c.Key, c.Tenant)
	if err != nil {
		return nil, err
	}
	q := app.AskResume{Run: in.Record, Model: in.Model, MaxSteps: in.MaxSteps, Budget: budget, MostTokens: int(tokens), MostCost: usd}
	return c.began(ctx, in.Following, in.KeepFiles, "", 0, func(ctx context.Context, out app.Output, r *live.Run) (any, error) {
		q.Tools, q.Output = c.tools(r, in.Unattended), out
		if in.Detach {
			q.Begun = keeping(r, c.stored(live.QuestionRun, in.Following, in.Model, in.KeepFiles))
		}
		return c.goOn(ctx, r, q)
	})
}

// stored is what the next start of the server needs to go on with a run.
func (c *Call) stored(kind string, f Following, model string, keeps bool) live.StoredRun {
	return live.StoredRun{
		Kind: kind, Model: fileModel(model), Unattended: f.Unattended, Lingers: time.Duration(f.LingerS * float64(time.Second)), Keeps: keeps,
		By: event.Client{Tenant: c.Key.Tenant, Key: c.Key.ID},
	}
}

// keeping returns what stores of a run that it has a record, so that the next start of the
// server goes on with it.
func keeping(r *live.Run, k live.StoredRun) func(record string) error {
	return func(record string) error {
		k.Record = record
		return r.Keep(k)
	}
}

// brokeOff is the result of a run that could not be gone on with: the id of its record.
type brokeOff struct{ record string }

// GoOn goes on with a run that went on when the server ended, within what its key may still use. One
// that cannot go on ends, and says why.
func (c *Call) GoOn(ctx context.Context, dir string, r *live.Run, k live.StoredRun) (any, error) {
	key, err := c.Server.Keys.Get(k.By.Key)
	if err != nil {
		return brokeOff{k.Record}, err
	}
	key.Tenant = c.Key.Tenant // also where the key is gone
	tokens, usd, err := c.Server.Left(key, c.Tenant)
	if err != nil {
		return brokeOff{k.Record}, err
	}
	switch k.Kind {
	case live.QuestionRun:
		if err := c.occupy(ctx, r, 0); err != nil {
			return brokeOff{k.Record}, err
		}
		out, err := c.goOn(ctx, r, app.AskResume{
			Run: k.Record, Model: k.Model, MostTokens: int(tokens), MostCost: usd, Tools: c.tools(r, k.Unattended), Output: output(dir), Begun: keeping(r, k),
		})
		if out.Run == "" {
			return brokeOff{k.Record}, err
		}
		return out, err
	case live.PlanRun:
		out, err := c.Tenant.App.GoOnPlan(ctx, app.PlanAgain{
			Run: k.Record, Tools: c.tools(r, k.Unattended), Begun: keeping(r, k),
			Host: app.PlanHost{Model: k.Model, Later: k.Later, MostTokens: int(tokens), MostCost: usd},
		}, r.Log)
		if out.Run == "" {
			return brokeOff{k.Record}, err
		}
		return out, err
	}
	return brokeOff{k.Record}, fault.New(fault.Unavailable, "Look at its record, and begin it anew.", "cannot go on with this %s by itself: the server ended while it went on", k.Kind)
}

// goOn goes on with a run that broke off, while nothing else has the session of its thread. It
// reaches no hosts but the operator's, whatever was allowed when it was recorded.
func (c *Call) goOn(ctx context.Context, r *live.Run, q app.AskResume) (out app.AskResult, err error) {
	q.Net = c.Server.Net
	q.Net.Only = true
	thread := ""
	if q.Run, thread, err = c.Tenant.App.ThreadOfRun(ctx, q.Run); err != nil {
		return out, err
	}
	return apart(ctx, c, thread, func() (app.AskResult, error) { return c.Tenant.App.ResumeAsk(ctx, q, r.Log) })
}

func branch(ctx context.Context, c *Call, in NewBranch) (any, error) {
	if err := errors.Join(in.check(), c.checkModel(in.Model)); err != nil {
		return nil, err
	}
	id, err := c.Tenant.App.FindRun(ctx, in.Record)
	if err != nil {
		return nil, err
	}
	tokens, usd, err := c.Server.Left(c.Key, c.Tenant)
	if err != nil {
		return nil, err
	}
	q := app.BranchRequest{MostTokens: int(tokens), MostCost: usd, Run: id, From: in.From, Model: in.Model, Question: in.Question, Code: in.Code, Loose: in.Loose}
	return c.follow(ctx, in.Following, func(ctx context.Context, r *live.Run) (any, error) {
		if in.Detach {
			if err := r.Keep(c.stored(live.BranchRun, in.Following, "", false)); err != nil {
				return nil, err
			}
		}
		if err := c.occupy(ctx, r, 0); err != nil {
			return nil, err
		}
		return c.Tenant.App.Branch(ctx, q, r.Log)
	})
}

// verifyAll checks every record and the chain.
func verifyAll(ctx context.Context, c *Call, _ Nothing) (AllVerified, error) {
	out := AllVerified{Records: []RecordVerified{}}
	var found []app.Verified
	for v, err := range c.Tenant.App.VerifyAll(ctx, app.Key{}) {
		if err != nil {
			return out, err
		}
		found = append(found, v)
		out.Records = append(out.Records, RecordVerified{v.Run, string(v.Status)})
	}
	var err error
	out.Chain, _, err = c.Tenant.App.VerifyChain(ctx, found, "")
	return out, err
}

// Imported is a run that was taken in.
type Imported struct {
	app.Run
	UnknownKeys []string `json:"unknown_keys,omitempty" jsonschema:"ids of keys that signed it and are not known here"`
}

// PlanGoing answers the call that a plan waits at.
type PlanGoing struct {
	RecordRef
	Approve  *bool           `json:"approve,omitempty" jsonschema:"whether the call may be made; it takes the scope approve"`
	Reason   string          `json:"reason,omitempty" jsonschema:"of the decision"`
	Result   json.RawMessage `json:"result,omitempty" jsonschema:"of the call, which is not made then"`
	Error    string          `json:"error,omitempty" jsonschema:"why the call has no result"`
	Endorse  string          `json:"endorse,omitempty" jsonschema:"why the caller vouches for the result; it takes the scope approve"`
	Make     bool            `json:"make,omitempty" jsonschema:"the call was approved before, and is made now"`
	Again    bool            `json:"again,omitempty" jsonschema:"go on also when it was gone on with before; it takes the scope approve"`
	TimeoutS float64         `json:"timeout_s,omitempty"`
	Later    bool            `json:"later,omitempty" jsonschema:"as in plans.run"`
	Following
}

// goingOn are the operations that go on from what is recorded, and check all of it.
func goingOn() []Operation {
	return []Operation{
		events[Going, Run]("records.resume", http.MethodPost, "/records/{record}/resume", access.Run, http.StatusCreated,
			"Go on with a question that broke off: no recorded reply is requested again, and no recorded call made again.", resume),
		events[NewBranch, Run]("records.branch", http.MethodPost, "/records/{record}/branch", access.Run, http.StatusCreated, "Go another way from a step of a run.", branch),
		operation("records.verify_all", http.MethodPost, "/records/verify", access.Read, http.StatusOK, "Check all records, and the chain that says which there were.", verifyAll),
		operation("records.import", http.MethodPost, "/records/import", access.Run, http.StatusCreated, "Take in a run that was exported, of which the body is the file.",
			func(ctx context.Context, c *Call, _ Nothing) (Imported, error) {
				run, err := c.Tenant.App.ReadBundle(ctx, c.Body)
				return Imported{run.Run, run.UnknownKeys}, err
			}).of(Upload),
		events[PlanGoing, Run]("plans.resume", http.MethodPost, "/plans/{record}/resume", access.Run, http.StatusCreated,
			"Answer the call that a plan waits at, and go on with the plan.", resumePlan),
	}
}

// resumePlan goes on with a plan that waits. To decide about its call takes the right to
// approve, and so does what makes a decision of somebody else count once more.
func resumePlan(ctx context.Context, c *Call, in PlanGoing) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	if (in.Approve != nil || in.Endorse != "" || in.Again) && !c.Key.May(access.Approve) {
		return nil, fault.New(fault.Denied, "Use a key with the scope approve.", "cannot decide about the call with the key %s: it has not the scope approve", c.Key.ID)
	}
	timeout, err := seconds("timeout_s", in.TimeoutS)
	if err != nil {
		return nil, err
	}
	answer := app.PlanResponse{Approve: in.Approve, Reason: in.Reason, Error: in.Error, Endorse: in.Endorse, Call: in.Make, Who: c.who(), Given: len(in.Result) > 0}
	if answer.Given {
		if answer.Result, err = app.DecodeJSON(in.Result); err != nil {
			return nil, err
		}
	}
	id, err := c.Tenant.App.FindRun(ctx, in.Record)
	if err != nil {
		return nil, err
	}
	q := app.ResumeRequest{Ref: id, Response: answer, Again: in.Again, Host: app.PlanHost{Timeout: timeout, Later: in.Later}}
	return c.follow(ctx, in.Following, func(ctx context.Context, r *live.Run) (any, error) {
		q.Tools = c.tools(r, in.Unattended)
		if in.Detach {
			q.Begun = keeping(r, c.storedPlan(in.Following, "", q.Host))
		}
		return c.Tenant.App.ResumePlan(ctx, q, r.Log)
	})
}

// askPlan begins a question that is answered by a plan.
func askPlan(ctx context.Context, c *Call, in Question) (any, error) {
	if err := in.check(c); err != nil {
		return nil, err
	}
	if name := set(in, "question", "mode", "model", "fallback_models", "effort", "plans", "later", "strict", "timeout_s", "seed", "stream", "detach", "linger_s", "unattended"); name != "" {
		return nil, fault.New(fault.Invalid, "Leave it out, or use another mode.", "cannot answer by a plan with %s", name)
	}
	timeout, err := seconds("timeout_s", in.TimeoutS)
	if err != nil {
		return nil, err
	}
	q := app.PlanAskRequest{
		Question: in.Question, Model: in.Model, Fallbacks: in.Fallback, Effort: in.Effort, Plans: in.Plans, Host: app.PlanHost{Timeout: timeout, Later: in.Later},
	}
	if in.Seed != nil {
		q.Start.Seed = *in.Seed
	}
	if err := c.bound(&q.Host); err != nil {
		return nil, err
	}
	return c.follow(ctx, in.Following, func(ctx context.Context, r *live.Run) (any, error) {
		q.Tools = PlanText{Strict: in.Strict}.with(c.tools(r, in.Unattended))
		if in.Detach {
			q.Begun = keeping(r, c.stored(live.PlanQuestionRun, in.Following, "", false))
		}
		return c.Tenant.App.AskPlan(ctx, q, r.Log)
	})
}

// bound bounds what the models of a plan may use by what the caller may.
func (c *Call) bound(h *app.PlanHost) error {
	tokens, usd, err := c.Server.Left(c.Key, c.Tenant)
	h.MostTokens, h.MostCost = int(tokens), usd
	return err
}

// storedPlan is what the next start of the server needs to go on with a plan.
func (c *Call) storedPlan(f Following, model string, h app.PlanHost) live.StoredRun {
	k := c.stored(live.PlanRun, f, model, false)
	k.Model, k.Later = model, h.Later
	return k
}

// set names the first member of a request that says something and is none of those that are
// taken; "": there is none.
func set(in any, taken ...string) string {
	v := reflect.ValueOf(in)
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, value := nameOf(f), v.FieldByIndex(f.Index)
		if f.Anonymous || slices.Contains(taken, name) || value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0 {
			continue
		}
		return name
	}
	return ""
}
