package fault

import (
	"maps"
	"slices"
	"strings"
)

// Codes returns every code, sorted.
func Codes() []Code { return slices.Sorted(maps.Keys(table)) }

// Kind returns the kind that a code implies; Internal for a text that is no code.
func (c Code) Kind() Kind {
	if l, known := table[c]; known {
		return l.kind
	}
	return Internal
}

// Names returns the names of the data that a fault with this code has.
func (c Code) Names() []string { return strings.Fields(table[c].data) }

// Remedy words what to do about a fault with this code, for every reader.
func (c Code) Remedy(data Data) string { return table[c].remedy.With(data) }

// line says what a code implies. Its remedy names no command, no flag and no
// environment variable: a model may read it, and so may the user of a library.
type line struct {
	kind   Kind
	data   string // names, separated by spaces
	remedy Sentences
}

// The remedies of more than one code.
const (
	sayPath       = "Give a folder of your own that you may write to."
	sayVerify     = "Verify the run to see what is wrong with it."
	sayRecorded   = "Look at what is recorded of the run."
	sayRebuild    = "Build the image again."
	sayAnotherNew = "Choose another name, or remove the %s first."
	sayRuleFails  = "Correct the rule. Until then the call is denied."
)

// table has one line for each code.
var table = map[Code]line{
	DataFolderUnset:  {Invalid, "", Sentences{"Say in which folder data is stored."}},
	FolderForeign:    {Denied, "folder", Sentences{sayPath}},
	FolderOpen:       {Denied, "folder", Sentences{"Take the right to write to {folder} from others, or use a folder of your own."}},
	FolderUnwritable: {Denied, "folder", Sentences{"Make {folder} writable for you, or use another folder.", sayPath}},
	FolderServed:     {Conflict, "folder", Sentences{"Stop the other server, or give this one a data folder of its own."}},
	DiskFull:         {Exhausted, "folder", Sentences{"Free space on the disk that holds {folder}.", "Free space on the disk."}},
	QuotaUsedUp:      {Exhausted, "quota", Sentences{"Remove what no run needs, or raise the quota."}},
	HomeFull:         {Exhausted, "quota used", Sentences{"Remove sessions or runs that are not needed, or raise the quota of the data folder."}},
	DatabaseDamaged:  {Conflict, "file", Sentences{"Have the file moved away and the index of runs built again from their journals."}},
	DatabaseForeign:  {Conflict, "file", Sentences{"Move the file away, or keep data in another folder."}},
	DatabaseNewer:    {Conflict, "file format known", Sentences{"Use the version of Praxis that wrote it or a newer one, or keep data in another folder."}},
	DatabaseLocked:   {Unavailable, "file", Sentences{"Try again when the other process is done."}},
	FileExists:       {Conflict, "file", Sentences{"Choose another place, or have what is there replaced."}},
	NewerFormat:      {Conflict, "format known", Sentences{"Use the version of Praxis that wrote it, or a newer one."}},

	ServerKeyMissing: {Invalid, "server", Sentences{"Give a key of this server."}},
	ServerInClear:    {Invalid, "address", Sentences{"Listen on a loopback address, or give a certificate and its key."}},
	AllowanceUsedUp:  {Exhausted, "whose what limit window retry_after_s", Sentences{"Try again when the {window} is over, or have the quota of the {whose} raised."}},
	RequestsUsedUp:   {Exhausted, "whose limit retry_after_s", Sentences{"Send fewer requests a second."}},
	MemoryUsedUp:     {Exhausted, "whose limit", Sentences{"Pause or delete sessions, give them less memory, or have the quota of the {whose} raised."}},

	SessionMissing:    {NotFound, "name", Sentences{"Give the name of a session that exists."}},
	SessionExists:     {Conflict, "name", Sentences{"Choose another name, or remove the session {name} first."}},
	SessionDamaged:    {Conflict, "name", Sentences{"Remove the session {name}."}},
	SessionUnusable:   {Conflict, "name", Sentences{"Roll the session back to an earlier snapshot."}},
	SessionDiffers:    {Conflict, "name", Sentences{"Leave the option out, or give the session another name."}},
	LanguageMissing:   {Invalid, "language known", Sentences{"It has {known}."}},
	LanguageUndriven:  {Conflict, "language package", Sentences{"Add the package {package} to the image."}},
	SessionClosed:     {Conflict, "session", Sentences{"Create a new session."}},
	SessionsUsedUp:    {Exhausted, "limit", Sentences{"Close a session first, or raise the limit."}},
	ProgramMissing:    {Unavailable, "program", Sentences{"Build Praxis with the program of {program}: it carries none."}},
	VariablesLost:     {Conflict, "context", Sentences{"Run code to go on without the variables, or go back to the last snapshot."}},
	SnapshotMissing:   {NotFound, "snapshot", nil},
	SnapshotDamaged:   {Conflict, "snapshot", Sentences{"Go back to another snapshot, or remove this one."}},
	Unsealed:          {Conflict, "what", Sentences{"If the data folder is a copy, give it the key that it was sealed with; otherwise remove {what}."}},
	SnapshotUnmatched: {NotFound, "name", Sentences{"Give the beginning of the ID of one of the session's snapshots."}},

	ImageMissing:   {NotFound, "image", Sentences{"Give the name or the ID of an image that was built."}},
	ImageUnbuilt:   {NotFound, "image", Sentences{"Build the image first."}},
	ImageGone:      {NotFound, "image", Sentences{sayRebuild}},
	ImageStale:     {Conflict, "image", Sentences{sayRebuild}},
	ImageDamaged:   {Conflict, "image", Sentences{sayRebuild}},
	ImageInUse:     {Conflict, "image", Sentences{"End the sessions that use it first."}},
	RegistryDenied: {Denied, "registry", Sentences{"Give the credentials of somebody who may read the image."}},
	ImageAbsent:    {NotFound, "image", Sentences{"Pull the image from its registry first, or import it."}},
	ImageNeeded:    {Conflict, "image sessions", Sentences{"Remove these sessions first: {sessions}."}},

	ModelUnchosen:    {Invalid, "", Sentences{"Name a model."}},
	ModelUnnamed:     {Invalid, "provider", Sentences{"Name a model of the provider, as in {provider}:NAME."}},
	ModelUnknown:     {Invalid, "model providers", Sentences{"Write PROVIDER:NAME, where the provider is one of {providers}."}},
	ModelKeyMissing:  {Denied, "model account key_variable url_variable", Sentences{"Give a key of an account with {account}."}},
	ModelKeyRefused:  {Denied, "model key_variable", Sentences{"Give a key that may use this model."}},
	ModelMissing:     {NotFound, "model url_variable", Sentences{"Check the model's name and the provider's address."}},
	ModelCredit:      {Exhausted, "model", Sentences{"Add credit to the provider's account, or use another model."}},
	ModelOverloaded:  {Exhausted, "model", Sentences{"Wait and ask again, or use another model."}},
	ModelFailed:      {Unavailable, "model", Sentences{"Ask again later, or use another model."}},
	ModelUnreachable: {Unavailable, "model url_variable", Sentences{"Check the network and the provider's address, or ask again later."}},
	ModelSilent:      {Unavailable, "model url_variable", Sentences{"Let the model be silent for longer, or use a smaller one."}},
	ModelGarbled:     {Unavailable, "model url_variable", Sentences{"Check the provider's address: what answers there may not be the model's API."}},
	ScriptMissing:    {NotFound, "path", Sentences{"Give the path of a script."}},

	InputCheckFailed: {Conflict, "check", Sentences{"Give inputs that pass it, or correct the check."}},
	StepsUsedUp:      {Exhausted, "limit", Sentences{"Allow more steps, or ask a smaller question."}},
	TokensUsedUp:     {Exhausted, "limit", Sentences{"Ask a smaller question, or allow more tokens."}},
	CostUsedUp:       {Exhausted, "limit", Sentences{"Allow a higher cost, or ask a smaller question."}},
	TimeUsedUp:       {Exhausted, "limit", Sentences{"Allow more time, or ask a smaller question."}},
	ExecutionUsedUp:  {Exhausted, "limit", Sentences{"Allow code more time, or ask a smaller question."}},
	SkillUnknown:     {NotFound, "name", Sentences{"Look at which skills there are."}},
	SkillUntested:    {Invalid, "name", Sentences{"Write tests of {name}: assert statements that call it."}},
	SkillFailed:      {Invalid, "name", Sentences{"Mend {name} or its tests, or give the session the packages that it needs."}},
	PriceUnknown:     {Invalid, "model", Sentences{"Add the price of {model} to the table of prices, or bound the run by its tokens."}},
	SubCallsUsedUp:   {Exhausted, "limit", Sentences{"Go on with what the sub-calls gave by now: ask about more at a time, or compute the rest in code."}},
	DepthReached:     {Exhausted, "limit", Sentences{"Ask a single question by llm_query(), or do it in your own code."}},
	PlansUsedUp:      {Exhausted, "limit", Sentences{"Ask in other words, or try another model."}},
	CallsUsedUp:      {Exhausted, "limit", Sentences{"Ask for more at a time, such as a list in place of single items."}},
	ToolUsedUp:       {Exhausted, "tool limit", Sentences{"Do without, or ask for more at a time."}},
	RateUsedUp:       {Exhausted, "tool wait", Sentences{"Try again in {wait}."}},
	FiguresUntraced:  {Exhausted, "figures", Sentences{"Ask in other words, or try another model. Without being strict the answer is given, with these figures marked."}},
	TrafficUsedUp:    {Exhausted, "limit", Sentences{"Do without, or pass less in another run."}},

	PlanRefused:       {Denied, "", Sentences{"Check the plan to see what is found in it."}},
	PlanSteps:         {Exhausted, "limit", Sentences{"Let the plan do less, or give it more steps."}},
	PlanMemory:        {Exhausted, "limit", Sentences{"Let the plan keep less, or give it more memory."}},
	PlanOutput:        {Exhausted, "limit", Sentences{"Print less, or give the plan more output."}},
	PlanCalls:         {Exhausted, "limit", Sentences{"Let the plan call fewer tools, or allow more calls."}},
	PlanTime:          {Exhausted, "limit", Sentences{"Let the plan do less, or allow more time."}},
	PlanStateForeign:  {Invalid, "", Sentences{"Give the state that was stored when the plan began to wait."}},
	PlanStateVersion:  {Invalid, "", Sentences{"Resume it with the version that stored it."}},
	PlanStateMissing:  {Conflict, "run", Sentences{"Give the file that the state was stored in."}},
	PlanNotWaiting:    {Conflict, "run", Sentences{"Look at what became of the run."}},
	PlanResumed:       {Conflict, "run", Sentences{"Look at that run, or say that the plan is to go on from here once more."}},
	PlanStateDamaged:  {Invalid, "", Sentences{"Take an undamaged copy of it, or start the plan again."}},
	PlanNeedsApproval: {Invalid, "tool", Sentences{"Approve or deny the call."}},
	PlanNeedsResult:   {Invalid, "tool", Sentences{"Give the call's result, or say why it failed."}},
	PlanExample:       {Conflict, "tool example", Sentences{"Say what implements {example}, or give its replies, and start the plan again."}},
	RuleFails:         {Invalid, "rule", Sentences{sayRuleFails}},
	RuleTooCostly:     {Exhausted, "rule", Sentences{sayRuleFails}},

	ToolsNone:          {Unavailable, "", Sentences{"Go on without tools."}},
	ToolMissing:        {NotFound, "tool near", Sentences{"Did you mean {near}?", "Give the name of a tool that there is."}},
	ToolVersionMissing: {NotFound, "tool version known", Sentences{"Known are {known}."}},
	ToolCaller:         {Denied, "tool caller callers", Sentences{"In this run tools are for {callers}.", "In this run nobody may call tools."}},
	ToolDenied:         {Denied, "tool by", nil},
	CommandsOff:        {Denied, "tool", Sentences{"Allow commands, if you trust the file that declares it."}},
	ServerCommandsOff:  {Denied, "server", Sentences{"Allow commands, if you trust the file that declares it, or write sandbox: true there."}},
	TerminalMissing:    {Unavailable, "", Sentences{"Let a webhook or a command decide, or deny what needs approval."}},
	HostDenied:         {Denied, "host port", Sentences{"Go on without it, or ask for a rule of the network that allows {host}:{port}."}},

	RunMissing:       {NotFound, "run", Sentences{"Give the id of a run that is recorded."}},
	RunAmbiguous:     {Invalid, "run", Sentences{"Give more of its id."}},
	RunExists:        {Conflict, "run", Sentences{"Remove the one that is here first, if it is not wanted."}},
	RunUnfinished:    {Conflict, "run", Sentences{"Wait until it has ended."}},
	JournalGone:      {Conflict, "run", Sentences{"If that is known, remove the run: the chain of runs takes note."}},
	JournalDamaged:   {Conflict, "run", Sentences{"What stands before that record is whole."}},
	IndexDamaged:     {Conflict, "run", Sentences{"Have the index built again."}},
	RunUnreadable:    {Conflict, "run", Sentences{sayVerify}},
	RunNotReplayable: {Conflict, "run", Sentences{sayRecorded}},
	RunIsToolCall:    {Conflict, "run", Sentences{"Make the call again instead."}},
	RunAnswered:      {Conflict, "run", Sentences{"Look at it, or go on from one of its steps with another question or another model."}},
	RunMoved:         {Conflict, "run name", Sentences{"Ask again in the conversation as it is now."}},
	RunNoQuestion:    {Invalid, "run", Sentences{"Name a run of a question. A plan that waits is gone on with as a plan."}},
	RunIsChild:       {Invalid, "run caller", Sentences{"Go on with the run that it is a part of."}},
	RunResumed:       {Conflict, "run", Sentences{"Look at that run; if it broke off, too, go on with it."}},
	InputMissing:     {Conflict, "run input", Sentences{"Give the file itself."}},
	BranchDiffers:    {Conflict, "run", Sentences{"Allow it all the same, or replay the run to see what differs."}},
	StepMissing:      {NotFound, "run step", Sentences{"Ask for a step that the run has, or for the whole run."}},
	SuiteEmpty:       {NotFound, "folder", Sentences{"Export a run into it."}},
	KeyMissing:       {NotFound, "key", Sentences{"Give the beginning of the id of a key that is known."}},

	ThreadMissing: {NotFound, "name", Sentences{"Give the name of a thread that there is."}},
	ThreadExists:  {Conflict, "name", Sentences{"Choose another name, or remove the thread {name} first."}},
	ThreadDamaged: {Conflict, "name", Sentences{"Use another name, or remove the thread {name}; its runs are in the journal."}},
	ThreadChanged: {Conflict, "name", Sentences{"Try again with what stands there now."}},
	ThreadFull:    {Exhausted, "name", Sentences{"Go on in a new thread."}},
	NoteMissing:   {NotFound, "note", Sentences{"Give the ID of a note that there is."}},
	NoteDamaged:   {Conflict, "note", Sentences{"Remove the note {note}."}},
	NotesUsedUp:   {Exhausted, "limit", Sentences{"Remove notes that are of no use any more."}},
}
