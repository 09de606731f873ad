package cmd

import (
	"context"
	"io"

	"praxis/event"
	"praxis/internal/app"
	"praxis/internal/client"
	"praxis/internal/language"
	"praxis/internal/server/access"
)

// What commands need of who does the work.
type (
	coder interface {
		RunCode(ctx context.Context, q app.CodeRequest, sink event.Sink) (app.CodeResult, error)
	}
	asker interface {
		Ask(ctx context.Context, q app.AskRequest, sink event.Sink) (app.AskResult, error)
		AskPlan(ctx context.Context, q app.PlanAskRequest, sink event.Sink) (app.PlanAskResult, error)
		Fix(ctx context.Context, q app.FixRequest, sink event.Sink) (app.AskResult, error)
		ResumeAsk(ctx context.Context, q app.AskResume, sink event.Sink) (app.AskResult, error)
	}
	planner interface {
		CheckPlan(ctx context.Context, src app.PlanSource, t app.ToolSpec, sink event.Sink) (*app.PlanCheck, error)
		ExplainPlan(ctx context.Context, src app.PlanSource, t app.ToolSpec, sink event.Sink) (app.PlanExplained, error)
		RunPlan(ctx context.Context, q app.PlanRequest, sink event.Sink) (app.PlanResult, error)
		ResumePlan(ctx context.Context, q app.ResumeRequest, sink event.Sink) (app.PlanResult, error)
	}
	lister interface {
		Runs(ctx context.Context, q app.RunQuery, prices app.PriceTable) ([]app.ListedRun, bool, error)
		HasRuns(ctx context.Context) (bool, error)
		Cost(ctx context.Context, q app.RunQuery, prices app.PriceTable) (app.Costs, error)
		RemoveRun(ctx context.Context, ref string) (app.RemovedRun, error)
	}
	recorder interface {
		ReadTree(ctx context.Context, ref string) (app.RecordedRun, error)
		ReadRun(ctx context.Context, ref string) (app.RecordedRun, error)
		Verify(ctx context.Context, ref string, pinned app.Key) (app.Verified, error)
		Repeat(ctx context.Context, ref string, sink event.Sink) (app.Repeated, error)
	}
	exporter interface {
		Export(ctx context.Context, q app.ExportRequest) (app.Exported, error)
		WriteExport(ctx context.Context, q app.ExportRequest, w io.Writer) ([]string, error)
	}
	sessioner interface {
		NamedSessions(ctx context.Context) ([]app.NamedSession, error)
		SessionLog(ctx context.Context, name string) ([]app.SnapshotInfo, error)
		ForkSession(ctx context.Context, from, to string) error
		RollbackSession(ctx context.Context, name, id string) (string, error)
		RemoveSession(ctx context.Context, name string) error
	}
	adder interface {
		AddToSession(ctx context.Context, name string, packages []string, sink event.Sink) (app.AddedPackages, string, error)
	}
	threader interface {
		Threads(ctx context.Context) ([]app.Thread, error)
		ThreadTurns(ctx context.Context, name string) ([]app.Turn, error)
		ForkThread(ctx context.Context, from, to string) error
		RenameThread(ctx context.Context, from, to string) error
		RemoveThread(ctx context.Context, name string) error
	}
	noter interface {
		Notes(ctx context.Context, q app.NoteQuery) ([]app.Note, error)
		SearchNotes(ctx context.Context, words string) ([]app.Note, error)
		Note(ctx context.Context, ref string) (app.Note, error)
		RemoveNote(ctx context.Context, ref string) (string, error)
	}
	imager interface {
		ListImages(ctx context.Context) ([]app.ImageInfo, error)
		DescribeImage(ctx context.Context, name string) (app.ImageDetails, error)
		ImageHistory(ctx context.Context, name string) ([]app.ImageStep, error)
		RemoveImage(ctx context.Context, name string) error
	}
	imageMaker interface {
		BuildImage(ctx context.Context, spec app.SessionSpec, sink event.Sink) (app.Image, error)
		BuildImageOf(ctx context.Context, q app.ImageFile, sink event.Sink) (app.BuiltImage, error)
		PullImage(ctx context.Context, p app.ImagePull, sink event.Sink) (app.Image, error)
	}
	policer interface {
		TestPolicy(ctx context.Context, q app.PolicyQuery, sink event.Sink) (app.PolicyReport, error)
		ExplainPolicy(ctx context.Context, q app.PolicyQuery, sink event.Sink) (app.PolicyExplained, error)
		ExplainCall(ctx context.Context, q app.PolicyQuery, call string, sink event.Sink) (app.PolicyDecision, error)
		DraftPolicy(ctx context.Context, q app.PolicyQuery, sink event.Sink) (string, error)
		PolicyCases(ctx context.Context, ref string) (string, error)
	}
	skiller interface {
		AddSkills(ctx context.Context, q app.SkillAdd, sink event.Sink) ([]app.SkillChange, error)
		Skills(ctx context.Context, where string) ([]app.Skill, error)
		ShowSkill(ctx context.Context, name string, version int) (app.SkillDetails, error)
		TestSkills(ctx context.Context, names []string, where string, spec app.SessionSpec, sink event.Sink, done func(app.SkillTest)) error
		RemoveSkill(ctx context.Context, name string, project bool) error
	}
	skillTraveller interface {
		ExportSkills(ctx context.Context, q app.SkillsExport) (string, error)
		ImportSkills(ctx context.Context, path string, project bool) ([]app.SkillChange, error)
	}
	traveller interface {
		ExportSession(ctx context.Context, q app.SessionExport, sink event.Sink) (app.ExportedSession, error)
		ImportSession(ctx context.Context, path, name string, sink event.Sink) (app.NamedSession, error)
		PruneSessions(ctx context.Context, q app.PruneRequest) ([]app.PrunedSession, error)
	}
	// shellSession is a session that a person types in.
	shellSession struct {
		executing
		speaking
		filing
	}
	executing interface {
		Execute(ctx context.Context, language, code string, b event.Bounds, sink event.Sink) (event.Execution, error)
		Interrupt(ctx context.Context, language string) error
		Complete(ctx context.Context, language, code string, cursor int) (app.Completion, error)
		Restart(ctx context.Context, language string) error
		Save(ctx context.Context, label string) (string, error)
	}
	speaking interface {
		Language() language.Language
		Speaks(word string) (language.Language, error)
		MissingOf(x event.Execution) *app.Missing
		Limits() event.Limits
	}
	filing interface {
		AddFiles(ctx context.Context, inputs []app.Input) error
		WorkFiles(ctx context.Context) ([]app.File, error)
		ReadFile(ctx context.Context, name string, to io.Writer) error
		AddPackages(ctx context.Context, packages []string, sink event.Sink) (app.AddedPackages, error)
		Packages() (image, added []event.Package)
	}
	importer interface {
		Import(ctx context.Context, path string) (app.Imported, error)
	}
	tooler interface {
		ListTools(ctx context.Context, q app.ToolsQuery, sink event.Sink) ([]app.Tool, error)
	}
	keyer interface {
		AddKey(ctx context.Context, like access.Key) (string, access.Key, error)
		ListKeys(ctx context.Context) ([]access.Key, error)
		RemoveKey(ctx context.Context, id string) error
	}
)

// Both satisfy them.
var (
	_, _ coder          = (*app.App)(nil), (*client.Client)(nil)
	_, _ asker          = (*app.App)(nil), (*client.Client)(nil)
	_, _ planner        = (*app.App)(nil), (*client.Client)(nil)
	_, _ lister         = (*app.App)(nil), (*client.Client)(nil)
	_, _ recorder       = (*app.App)(nil), (*client.Client)(nil)
	_, _ exporter       = (*app.App)(nil), (*client.Client)(nil)
	_, _ sessioner      = (*app.App)(nil), (*client.Client)(nil)
	_, _ adder          = (*app.App)(nil), (*client.Client)(nil)
	_, _ threader       = (*app.App)(nil), (*client.Client)(nil)
	_, _ noter          = (*app.App)(nil), (*client.Client)(nil)
	_, _ imager         = (*app.App)(nil), (*client.Client)(nil)
	_, _ tooler         = (*app.App)(nil), (*client.Client)(nil)
	_, _ imageMaker     = (*app.App)(nil), (*client.Client)(nil)
	_, _ policer        = (*app.App)(nil), (*client.Client)(nil)
	_, _ skiller        = (*app.App)(nil), (*client.Client)(nil)
	_, _ skillTraveller = (*app.App)(nil), (*client.Client)(nil)
	_, _ traveller      = (*app.App)(nil), (*client.Client)(nil)
	_, _ executing      = (*app.Session)(nil), (*client.Session)(nil)
	_, _ speaking       = (*app.Session)(nil), (*client.Session)(nil)
	_, _ filing         = (*app.Session)(nil), (*client.Session)(nil)
	_, _ importer       = (*app.App)(nil), (*client.Client)(nil)
	_, _ keyer          = localKeys{}, (*client.Client)(nil)
)

// inSession has f use a session, which is opened where the work is done and closed afterwards.
func (p *program) inSession(ctx context.Context, spec app.SessionSpec, f func(shellSession) error) error {
	use := func(c io.Closer, s shellSession, opened error) (err error) {
		p.settled()
		if opened != nil {
			return opened
		}
		defer p.closing(c, &err)
		return f(s)
	}
	if p.server == nil {
		return p.withApp(func(a *app.App) error {
			s, err := a.OpenSession(ctx, spec, p.quiet())
			return use(s, shellSession{s, s, s}, err)
		})
	}
	return on(p, func(c *client.Client) error {
		s, err := c.OpenSession(ctx, spec, p.quiet())
		return use(s, shellSession{s, s, s}, err)
	})
}
