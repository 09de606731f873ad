package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent"
	"praxis/internal/config"
	"praxis/internal/language"
	"praxis/internal/llm"
	"praxis/internal/llm/fallback"
	"praxis/internal/run"
	"praxis/internal/safetext"
)

// The modes in which a question is answered.
const (
	ModeCode  = "code"  // by code, which may call tools
	ModeTools = "tools" // by native calls of tools, and no code
	ModeBoth  = "both"
	ModePlan  = "plan" // by a plan whose flows are proved: see App.AskPlan
)

// AskRequest asks a question that is answered by code, by tools or by both.
type AskRequest struct {
	Question string
	Mode     string // ModeCode, ModeTools or ModeBoth; "": ModeCode
	Model    string // "provider:name"; "": what environment and configuration say
	// Fallbacks are models that are asked, one after the other, when those before fail for good.
	Fallbacks []string
	Effort    string // how much they are asked to reason: one of Efforts
	Sees      bool   // they see pictures, although another server than the provider's does not say so
	MaxSteps  int    // turns of the model; 0: the configuration's
	// Budget is what else the run may use; a zero is the configuration's. MostTokens and MostCost
	// bound it, whatever it says: they are what is left of a quota. 0: nothing is.
	Budget     event.Budget
	MostTokens int
	MostCost   float64
	// Thread is the conversation that the question goes on with, and the name of
	// its session; "": it stands alone. Session.Name is not used.
	Thread string
	// Earlier is what was said in a conversation that was led elsewhere and that Thread, which
	// is new, goes on with.
	Earlier []Said
	// Language is the main one of the model's code, as in CodeRequest; "": the image's first.
	Language string
	// Style is how the question is worked at: one of Styles; "": the configuration's.
	Style string
	// Branches is how many attempts are made side by side, of which the best is chosen; 0: one.
	Branches int
	// Notes lets the model keep notes and find those of all threads. In a thread
	// it always can.
	Notes bool
	// ShowChanges shows the model which variables each step made and changed.
	ShowChanges bool
	// Strict says that an answer with a figure that is found nowhere is none.
	Strict  bool
	Session SessionSpec
	Bounds  event.Bounds // of each execution; zero fields: the configuration's
	Files   []Input
	Output  Output
	Tools   ToolSpec
	Net     NetSpec
	Checks  CheckSpec
	// Subcalls lets code query models and begin runs, within Budget.Depth and
	// Budget.SubCalls. SubcallModels are models, as "provider:name", that it may name beside
	// the run's own; the first is asked where it names none.
	Subcalls      bool
	SubcallModels []string
	// Skills says where functions of earlier runs are looked for that fit the question:
	// SkillsHome, SkillsAll or SkillsNone; "": SkillsHome.
	Skills string
	// Learn lets the model have functions stored for later runs, if the answer passes its checks.
	Learn bool

	// Begun is called with the id of the record when there is one; that it fails is a
	// notice of the run. nil: nobody need know it before the end.
	Begun func(record string) error

	// Repo is the project that is worked on; nil: none. It goes with code, and with a session
	// that ends with the run.
	Repo *RepoSpec

	model   llm.Model    // in place of what Model names; nil: that
	opened  *Session     // in place of what Session describes, and not closed; nil: that
	project *run.Project // that Repo names, once its files are read
	light   bool         // no state is saved before the steps: nobody goes on from one
}

// check completes a request, and refuses one that is wrong in itself.
func (q *AskRequest) check(languages language.Table) (err error) {
	if q.Question = strings.TrimSpace(q.Question); q.Question == "" {
		return errNoQuestion()
	}
	switch q.Mode {
	case "":
		q.Mode = ModeCode
	case ModeCode, ModeTools, ModeBoth:
	default:
		return fault.New(fault.Invalid, "Write code, tools or both.", "cannot ask in the mode %q: code and tools do not answer in it", safetext.Line(q.Mode))
	}
	if len(q.Earlier) > 0 && q.Thread == "" {
		return fault.New(fault.Invalid, "Name a thread that is new.", "cannot go on with an earlier conversation: there is no thread for it")
	}
	if q.Language, err = languageOf(languages, q.Language, ""); err != nil {
		return err
	}
	if err := errors.Join(checkSteps(q.MaxSteps), checkStyle(q.Style), q.checkBranches()); err != nil {
		return err
	}
	if err := config.ValidateBudget(q.Budget); err != nil {
		return err
	}
	if err := q.Session.check(); err != nil {
		return err
	}
	if err := q.Checks.check(); err != nil {
		return err
	}
	if err := q.checkSubcalls(languages); err != nil {
		return err
	}
	return config.ValidateBounds(q.Bounds)
}

// models says which models are asked.
func (q *AskRequest) models() modelChoice {
	return modelChoice{q.Model, q.Fallbacks, q.Effort, q.Sees, q.model}
}

// checkSteps checks how many turns a model may take; 0 means the default.
func checkSteps(n int) error {
	if n == 0 {
		return nil
	}
	return config.MaxSteps.Check(float64(n))
}

func errNoQuestion() error {
	return fault.New(fault.Invalid, "Ask something.", "cannot ask: the question is empty")
}

// AskResult is what a question came to.
type AskResult struct {
	Run     string // its id in the journal; "": nothing began
	Text    string // the answer, with its values; "": there is none
	Figures []event.Figure
	Value   json.RawMessage // the answer as JSON, where it is more than a text
	Files   []string        // that belong to the answer: in the session
	// Incomplete says why the model had to answer before it was done; "": it was.
	Incomplete string
	Steps      int
	Tokens     event.Tokens
	Made       Made
	Unsaved    error              // why not all is saved that code made
	Skills     []event.SkillSaved // functions that the model had stored, or that were refused
	// Without an answer: the last one that could not be taken, and the last output of code.
	Draft, Found string
	// Repo is what came of the project that was worked on; nil: there was none.
	Repo *RepoResult
}

// Verified says whether the model was done when it answered, and every figure of the answer was
// traced.
func (r AskResult) Verified() bool { return r.Incomplete == "" && len(event.Untraced(r.Figures)) == 0 }

// Ask lets the agent answer a question. The error says why there is no answer;
// how far it came is in the result all the same. Everything that happens goes to
// sink.
func (a *App) Ask(ctx context.Context, q AskRequest, sink event.Sink) (out AskResult, err error) {
	if err := q.check(a.opt.Languages); err != nil {
		return out, err
	}
	if err := q.takeRepo(a.opt.Config.Limits.Memory, sink); err != nil {
		return out, err
	}
	model, err := a.model(q.models())
	if err != nil {
		return out, err
	}
	inputs, err := questionInputs(q.Files, sink)
	if err != nil {
		return out, err
	}
	skills, err := a.chooseSkills(ctx, q, inputs, sink)
	if err != nil {
		return out, err
	}
	q.Tools.skills = skills.modules
	t, err := a.openTools(ctx, q.Tools, q.Net, sink)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	if q.Mode != ModeCode && !t.has() {
		return out, fault.New(fault.Invalid, "Declare some, or let it be answered by code.", "cannot ask in the mode %s: no tools are declared", q.Mode)
	}
	if q.Branches > 0 {
		if err := t.harmless(); err != nil {
			return out, err
		}
	}
	q.Output.Protect = append(q.Output.Protect, a.modelFiles(q.models())...)
	q.Session.Name = q.Thread
	if q.Session, err = a.withLanguage(ctx, q.Session, q.Language); err != nil {
		return out, err
	}
	made := newCollector(q.Output, q.Session, q.Files)
	began := a.questionBegan(q, model, t)
	if t.children, err = a.subcallsOf(&began, model, q.SubcallModels); err != nil {
		return out, err
	}
	cost, err := a.costOf(model, began.Budget)
	if err != nil {
		return out, err
	}
	x := &questionRun{app: a, request: q, model: model, cost: cost, made: made, taken: &saved{}, sink: sink, session: q.opened, skills: skills}
	ctx, x.run, err = a.begin(ctx, began, t, x.listeners(), origins(q.Mode)...)
	if err != nil {
		return out, err
	}
	x.children = t.children
	x.children.of(x)
	x.begun = q.Begun
	return x.result(ctx, began, append(inputs, skills.inputs...))
}

// callBegun says that a run has a record; begun may be nil.
func callBegun(begun func(record string) error, record string, sink event.Sink) {
	if begun == nil {
		return
	}
	if err := begun(record); err != nil {
		sink.Emit(event.Notice{Text: "a restart of the server does not know of this run: " + err.Error()})
	}
}

// result lets the agent answer and closes what the run used.
func (x *questionRun) result(ctx context.Context, began event.RunBegan, inputs []run.Input) (AskResult, error) {
	callBegun(x.begun, x.run.ID(), x.run)
	answer, err := x.ask(ctx, began, inputs)
	x.children.end()
	answer.Tokens = answer.Tokens.Add(x.children.used())
	out := AskResult{Run: x.run.ID(), Text: answer.Text, Figures: answer.Figures, Steps: answer.Steps, Tokens: answer.Tokens, Draft: answer.Draft, Found: answer.Found}
	out.Value, out.Files, out.Incomplete, out.Skills = answer.Value, answer.Files, answer.Incomplete, x.stored
	out.Repo = x.repoResult()
	endErr := x.run.end()
	out.Made, out.Unsaved = x.made.made, asUnsaved(errors.Join(x.made.err, x.err, endErr, x.app.tidyAfter(context.WithoutCancel(ctx), x.taken)))
	if x.session != nil && x.request.opened == nil {
		err = errors.Join(err, x.session.Close())
	}
	return out, err
}

// callTime is the wall time of an execution that may wait for a call or for
// somebody's approval; its processor time stays as it is.
const callTime = 15 * time.Minute

// questionBegan describes the run that begins.
func (a *App) questionBegan(q AskRequest, m llm.Model, t *toolset) event.RunBegan {
	c := a.opt.Config
	b := event.RunBegan{
		Kind: event.Ask, Question: q.Question, Branches: q.Branches, Style: recordedStyle(cmp.Or(q.Style, c.Ask.Style)),
		Files: inputNames(q.Files), MaxSteps: c.Ask.MaxSteps, Bounds: q.Bounds.Over(c.Execution), Tools: t.pins(), Net: t.hosts.Strings(),
		Budget: q.Budget.Over(c.Ask.Budget).Over(event.Budget{Reply: agent.DefaultReply, Run: agent.DefaultRun, Window: c.Ask.Window, Attempts: agent.DefaultAttempts}),
		Seed:   q.Session.Seed, Thread: q.Thread, Language: q.Language, Program: a.opt.Version, Strict: q.Strict, ShowChanges: q.ShowChanges, Learn: q.Learn,
		Schema: q.Checks.compiled, InputChecks: q.Checks.Inputs, Checks: q.Checks.Answer,
	}
	b.Budget.Run, b.Budget.Cost = least(b.Budget.Run, q.MostTokens), least(b.Budget.Cost, q.MostCost)
	describeModel(&b, m, cmp.Or(q.Effort, c.Ask.Effort))
	if q.Mode != ModeCode {
		b.Mode = q.Mode
	}
	q.describeRepo(&b)
	if q.MaxSteps > 0 {
		b.MaxSteps = q.MaxSteps
	}
	for _, f := range q.Files {
		if f.Variable != "" {
			b.Context = f.Name
		}
	}
	if q.Subcalls {
		b.Subcalls = true
		b.Budget = b.Budget.Over(event.Budget{Depth: agent.DefaultDepth, SubCalls: agent.DefaultSubCalls})
	} else {
		b.Budget.Depth, b.Budget.SubCalls = 0, 0
	}
	if (t.has() || q.Subcalls) && q.Bounds.Timeout == 0 {
		b.Bounds = awaitingCalls(b.Bounds)
	}
	// One execution outlasts neither the run nor what all executions may take.
	for _, most := range []event.Duration{b.Budget.Time, b.Budget.Executed} {
		b.Bounds.Timeout = least(b.Bounds.Timeout, most)
	}
	return b
}

// remaining bounds the budget of a run that goes on by what may be used of tokens and money
// beside what it used before; 0: any. It returns what counts the money, too, as costOf does.
func (a *App) remaining(b event.Budget, m llm.Model, used event.Tokens, tokens int, usd float64) (event.Budget, func(event.Tokens) float64, error) {
	if tokens > 0 {
		b.Run = least(b.Run, used.Total()+tokens)
	}
	own := b.Cost
	if own == 0 {
		b.Cost = usd
	}
	cost, err := a.costOf(m, b)
	if usd > 0 && cost != nil {
		b.Cost = least(own, usd+cost(used))
	}
	return b, cost, err
}

// costOf returns what tokens cost of the model that is asked, if the budget asks for it:
// one that stands in has a price of its own. Nothing is charged for a server of one's own.
func (a *App) costOf(m llm.Model, b event.Budget) (func(event.Tokens) float64, error) {
	if b.Cost == 0 || m.Traits().Local {
		return nil, nil
	}
	prices, err := LoadPrices(a.opt.Getenv)
	if err != nil {
		return nil, err
	}
	all, current := []llm.Model{m}, func() llm.Model { return m }
	if f, ok := m.(*fallback.Model); ok {
		all, current = f.Models(), f.Current
	}
	cost := func(m llm.Model, t event.Tokens) (usd float64, known bool) {
		if m.Traits().Local {
			return 0, true
		}
		return prices.Cost(m.Name(), t)
	}
	for _, one := range all {
		if _, known := cost(one, event.Tokens{}); !known {
			return nil, fault.Coded(fault.PriceUnknown, fault.Data{"model": one.Name()}, "cannot keep to a cost: the price of %s is not known", one.Name())
		}
	}
	return func(t event.Tokens) float64 {
		usd, _ := cost(current(), t)
		return usd
	}, nil
}

// awaitingCalls returns the bounds of code that may wait for a call.
func awaitingCalls(b event.Bounds) event.Bounds {
	if b.CPU == 0 {
		b.CPU = b.Timeout
	}
	b.Timeout = event.Duration(callTime)
	return b
}

// questionRun is one question on its way to an answer.
type questionRun struct {
	app     *App
	request AskRequest
	model   llm.Model
	cost    func(event.Tokens) float64 // nil: the run has no budget of money
	run     *activeRun
	made    *collector
	taken   *saved
	sink    event.Sink

	fork      *event.SessionBegan // the session that its own begins like; nil: as the request says
	turns     chan struct{}       // what an execution holds of what it shares with others; nil: nothing
	children  *subcalls           // what its code may begin; nil: nothing
	skills    givenSkills         // that it is given
	found     functions           // that the code had stored
	stored    []event.SkillSaved
	session   *Session    // open when the run came so far
	talk      *thread     // nil: the question stands alone
	again     *resumption // nil: the question is asked for the first time
	condensed []string    // contents that stand for older messages of the conversation
	err       error       // why the thread is not saved
	// begun is called with the id of the record; nil: nobody need know it before the end.
	begun func(record string) error
}

// ask lets the agent answer in a session of the run, or with tools alone.
func (x *questionRun) ask(ctx context.Context, began event.RunBegan, inputs []run.Input) (agent.Answer, error) {
	ask := x.askOnce
	if began.Branches > 0 {
		ask = x.askAttempts
	}
	return ask(ctx, began, inputs)
}

func (x *questionRun) askOnce(ctx context.Context, began event.RunBegan, inputs []run.Input) (agent.Answer, error) {
	task, cfg, err := x.task(ctx, began, inputs)
	if err != nil {
		return agent.Answer{}, err
	}
	return run.Ask(ctx, task, cfg, x.run)
}

// task describes what is to be executed, and how the agent answers. Where it cannot, the run
// has failed.
func (x *questionRun) task(ctx context.Context, began event.RunBegan, inputs []run.Input) (run.Task, agent.Config, error) {
	q := x.request
	cfg := agent.Config{Model: x.model, Cost: x.cost, Store: x.store, Load: x.app.records.Content}
	if x.children != nil {
		cfg.Ledger = x.children.tree.ledger
	}
	if q.Thread != "" || q.Notes {
		cfg.Notes = notes{x.app.records.Memory, x.run.ID(), q.Thread}
	}
	task := run.Task{Began: began, Languages: x.app.opt.Languages, Inputs: inputs, Skills: x.skills.list, ProfileInputs: true, Snapshots: x.snapshots()}
	cfg.Partial, cfg.Replies = x.run.bridge.Partial, x.run.bridge.Replies
	if x.request.project != nil {
		task.Project, task.ProfileInputs = x.request.project, false
		task.Project.Fresh = x.fresh
	}
	if q.Mode != ModeTools {
		cfg.Guide = x.run.bridge.Guide(x.run.tools.hosts.Strings())
		task.Open, task.Finish = x.open, x.finish
		task.Ready = func(ctx context.Context) error { return x.made.begin(ctx, x.session) }
	}
	if q.Thread != "" {
		task.Conversation = x.conversation
	}
	if q.Mode != ModeCode {
		native, err := x.run.bridge.Native(q.Mode == ModeBoth)
		if err != nil {
			x.run.Emit(event.RunEnded{Status: event.Failed, Reason: err.Error()})
			return task, cfg, err
		}
		cfg.Tools = native
	}
	if x.again != nil {
		x.again.goOn(ctx, x, &task, &cfg)
	}
	return task, cfg, nil
}

// store keeps the whole of what is condensed, which the conversation refers to
// from then on.
func (x *questionRun) store(ctx context.Context, whole []byte) (string, error) {
	sum, err := x.run.Store(ctx, whole)
	if err == nil {
		x.condensed = append(x.condensed, sum)
	}
	return sum, err
}

func (x *questionRun) open(ctx context.Context) (run.Session, error) {
	s := x.session // of a run that goes on, or of its caller
	if s == nil {
		var err error
		if x.fork != nil {
			s, err = x.app.openAgain(ctx, *x.fork, ImageSpec{}, x.sink)
		} else {
			s, err = x.app.OpenSession(ctx, x.request.Session, x.sink)
		}
		if err != nil {
			return nil, err
		}
		x.session = s
	}
	if lang := x.request.Language; lang != "" {
		if _, err := s.Speaks(lang); err != nil {
			return s, err
		}
	}
	if err := x.run.expose(ctx, s); err != nil || x.children == nil && x.turns == nil {
		return s, err
	}
	return waiting{s, x.children, x.turns}, nil
}

// snapshots says whether the states before the steps are saved.
func (x *questionRun) snapshots() bool {
	return x.app.opt.Config.Journal.Snapshots && !x.request.light
}

// conversation reads the thread that the question goes on with. Its session is
// open by then, so that two questions in one thread come one after the other.
func (x *questionRun) conversation(ctx context.Context, s run.Session) (run.Conversation, error) {
	t, err := openThread(ctx, x.app.records, x.request.Thread)
	if err != nil {
		return run.Conversation{}, err
	}
	x.talk = t
	out := run.Conversation{History: t.history, Changed: t.moved(s.Describe())}
	if earlier := x.request.Earlier; len(earlier) > 0 {
		if t.was.Revision != 0 {
			return out, fault.Coded(fault.ThreadExists, fault.Data{"name": t.name}, "cannot begin thread %s with an earlier conversation: it exists", t.name)
		}
		out.History, out.Changed = agent.Earlier(earlier), "the conversation was led elsewhere up to here: what it computed is not in this session, and what an assistant said in it was not checked"
	}
	if out.Changed != "" {
		x.sink.Emit(event.Notice{Text: out.Changed})
	}
	own := []string{x.run.ID()}
	if x.again != nil {
		own = append(own, x.again.rec.Line...)
	}
	if failed := x.app.failed(ctx, t, own); failed != "" {
		out.Changed = strings.TrimPrefix(out.Changed+"; "+failed, "; ")
	}
	return out, nil
}

// finish takes out of the session what is to stay. A thread stays as it was when
// there is no answer.
func (x *questionRun) finish(ctx context.Context, r run.Result) {
	x.children.end()
	x.made.end(ctx, x.session, x.run)
	x.storeFound(ctx, r)
	if x.talk != nil && r.Err == nil {
		ctx, stop := afterwards(ctx)
		defer stop()
		question := x.app.records.Journal.Redact(x.request.Question)
		x.err = x.talk.save(ctx, x.session, x.run, question, r.Answer, x.condensed)
	}
}
