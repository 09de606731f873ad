package fault

// Code names one fault that a program branches on or that a front end words
// itself. The list is closed; a code never changes its meaning.
type Code string

// Stored data: folders, files, formats.
const (
	DataFolderUnset  Code = "data_folder_unset" // nothing says where data is stored
	FolderForeign    Code = "folder_foreign"    // a data folder belongs to another user. Data: folder
	FolderOpen       Code = "folder_open"       // others may write to a data folder. Data: folder
	FolderUnwritable Code = "folder_unwritable" // a folder that data is stored in cannot be written to. Data: folder
	FolderServed     Code = "folder_served"     // another process serves a data folder. Data: folder
	DiskFull         Code = "disk_full"         // the disk that holds a folder has no free space left. Data: folder
	QuotaUsedUp      Code = "quota_used_up"     // the stored contents have reached their quota. Data: quota
	HomeFull         Code = "home_full"         // the data folder has reached its quota, and nothing that can be made again is left to remove. Data: quota, used
	DatabaseDamaged  Code = "database_damaged"  // the database is no database, or no longer one. Data: file
	DatabaseForeign  Code = "database_foreign"  // the database is one of another program. Data: file
	DatabaseNewer    Code = "database_newer"    // a newer version of Praxis wrote the database. Data: file, format, known
	DatabaseLocked   Code = "database_locked"   // another process has been writing the database for too long. Data: file
	FileExists       Code = "file_exists"       // a file or a folder is there already where one is to be written. Data: file
	NewerFormat      Code = "newer_format"      // another version of Praxis, mostly a newer one, wrote what is to be read. Data: format, known
)

// Servers and what their clients may use.
const (
	ServerKeyMissing Code = "server_key_missing" // a server is asked, and there is no key for it. Data: server
	ServerInClear    Code = "server_in_clear"    // a server is to listen where others can listen in, without certificates. Data: address
	AllowanceUsedUp  Code = "allowance_used_up"  // a tenant of a server or a key used as much of something as it may in a time. Data: whose, what, limit, window, retry_after_s
	RequestsUsedUp   Code = "requests_used_up"   // a tenant of a server or a key sends more requests a second than it may. Data: whose, limit, retry_after_s
	MemoryUsedUp     Code = "memory_used_up"     // the sessions of a tenant or a key have as much memory as they may. Data: whose, limit
)

// Sessions and snapshots.
const (
	SessionMissing    Code = "session_missing"    // a named session does not exist. Data: name
	SessionExists     Code = "session_exists"     // the name for a new session is taken. Data: name
	SessionDamaged    Code = "session_damaged"    // the description of a named session is damaged. Data: name
	SessionUnusable   Code = "session_unusable"   // the newest snapshot of a named session cannot be used. Data: name
	SessionDiffers    Code = "session_differs"    // options were given that a session that exists cannot take on. Data: name
	LanguageMissing   Code = "language_missing"   // the image of a session has no such language. Data: language, known
	LanguageUndriven  Code = "language_undriven"  // the image has a kernel of Jupyter's for the language, and not the package that drives it. Data: language, package
	SessionClosed     Code = "session_closed"     // the session is over. Data: session
	SessionsUsedUp    Code = "sessions_used_up"   // as many sessions live as may. Data: limit
	ProgramMissing    Code = "program_missing"    // this build lacks the program of sandboxes or of guests. Data: program
	VariablesLost     Code = "variables_lost"     // a session lost variables since its last snapshot. Data: context
	SnapshotMissing   Code = "snapshot_missing"   // a snapshot does not exist. Data: snapshot
	SnapshotDamaged   Code = "snapshot_damaged"   // a snapshot is not what was written. Data: snapshot
	Unsealed          Code = "unsealed"           // what lies in the data folder is not what Praxis wrote there. Data: what
	SnapshotUnmatched Code = "snapshot_unmatched" // not exactly one snapshot of a named session fits what was given. Data: name
)

// Images.
const (
	ImageMissing   Code = "image_missing"   // no image has this name or ID. Data: image
	ImageUnbuilt   Code = "image_unbuilt"   // the image was not built yet. Data: image
	ImageGone      Code = "image_gone"      // parts of an image are gone. Data: image
	ImageStale     Code = "image_stale"     // the host or Praxis changed since the image was built. Data: image
	ImageDamaged   Code = "image_damaged"   // an image is not what was built. Data: image
	ImageInUse     Code = "image_in_use"    // sandboxes that run use the image. Data: image
	RegistryDenied Code = "registry_denied" // a registry wants other credentials, or any. Data: registry
	ImageAbsent    Code = "image_absent"    // no image is called so here; a registry may have one. Data: image
	ImageNeeded    Code = "image_needed"    // named sessions need the image. Data: image, sessions (separated by spaces)
)

// Models.
const (
	ModelUnchosen    Code = "model_unchosen"    // no model is named, and the environment has no key that one follows from
	ModelUnnamed     Code = "model_unnamed"     // a provider is named without one of its models. Data: provider
	ModelUnknown     Code = "model_unknown"     // the text names no provider and model that are known. Data: model, providers
	ModelKeyMissing  Code = "model_key_missing" // a model needs a key and has none. Data: model, account, key_variable, url_variable (when a server of one's own can take the place)
	ModelKeyRefused  Code = "model_key_refused" // the provider refused the key. Data: model, key_variable
	ModelMissing     Code = "model_missing"     // the provider does not know the model. Data: model, url_variable
	ModelCredit      Code = "model_credit"      // the provider's account has no credit left. Data: model
	ModelOverloaded  Code = "model_overloaded"  // the provider takes no more requests for now. Data: model
	ModelFailed      Code = "model_failed"      // the provider answered that it failed. Data: model
	ModelUnreachable Code = "model_unreachable" // no answer came from the provider. Data: model, url_variable
	ModelSilent      Code = "model_silent"      // a server of one's own was silent for longer than it may be. Data: model, url_variable
	ModelGarbled     Code = "model_garbled"     // what answered does not speak as the model's API does. Data: model, url_variable
	ScriptMissing    Code = "script_missing"    // the script of a scripted model cannot be opened. Data: path
)

// Budgets and checks of a run of the agent.
const (
	InputCheckFailed Code = "input_check_failed" // what a run was given did not pass a check, and no model was asked. Data: check
	StepsUsedUp      Code = "steps_used_up"      // no answer came within the steps of the run. Data: limit
	TokensUsedUp     Code = "tokens_used_up"     // the tokens of the run are used up. Data: limit
	CostUsedUp       Code = "cost_used_up"       // a run cost as much as it may. Data: limit
	TimeUsedUp       Code = "time_used_up"       // a run took as long as it may. Data: limit
	ExecutionUsedUp  Code = "execution_used_up"  // the code of a run took as long as it may. Data: limit
	SkillUnknown     Code = "skill_unknown"      // there is no skill of that name. Data: name
	SkillUntested    Code = "skill_untested"     // a function is to be stored, and there are no tests of it. Data: name
	SkillFailed      Code = "skill_failed"       // the tests of a function fail. Data: name
	PriceUnknown     Code = "price_unknown"      // a run is to keep to a cost, and the price of its model is not known. Data: model
	SubCallsUsedUp   Code = "sub_calls_used_up"  // a run and its children began as many others as they may. Data: limit
	DepthReached     Code = "depth_reached"      // a run may not begin another: it is as deep below the first as one may be. Data: limit
	PlansUsedUp      Code = "plans_used_up"      // no plan that the model wrote could be used. Data: limit
	CallsUsedUp      Code = "calls_used_up"      // a run made as many calls of tools as it may. Data: limit
	ToolUsedUp       Code = "tool_used_up"       // a run called one tool as often as it may. Data: tool, limit
	RateUsedUp       Code = "rate_used_up"       // a tool is called more often in a time than it may be. Data: tool, wait
	FiguresUntraced  Code = "figures_untraced"   // figures of an answer are found nowhere. Data: figures
	TrafficUsedUp    Code = "traffic_used_up"    // the calls of a run gave and took as many bytes as they may. Data: limit
)

// Plans, and their budgets.
const (
	PlanRefused       Code = "plan_refused"        // the check refuses the plan
	PlanSteps         Code = "plan_steps"          // a plan used up its steps. Data: limit
	PlanMemory        Code = "plan_memory"         // a plan needs more than its memory. Data: limit (bytes)
	PlanOutput        Code = "plan_output"         // a plan printed more than it may. Data: limit (bytes)
	PlanCalls         Code = "plan_calls"          // a plan made as many calls of tools as it may. Data: limit
	PlanTime          Code = "plan_time"           // a plan used up its time. Data: limit
	PlanStateForeign  Code = "plan_state_foreign"  // what should be the stored state of a plan is none
	PlanStateVersion  Code = "plan_state_version"  // another version of Praxis stored the state of a plan
	PlanStateMissing  Code = "plan_state_missing"  // the journal does not contain the state of a plan that waits. Data: run
	PlanNotWaiting    Code = "plan_not_waiting"    // the run of a plan that is to go on does not wait. Data: run
	PlanResumed       Code = "plan_resumed"        // another run went on with the plan already. Data: run (that other run)
	PlanStateDamaged  Code = "plan_state_damaged"  // the stored state of a plan is damaged
	PlanNeedsApproval Code = "plan_needs_approval" // a plan waits until somebody approves a call. Data: tool
	PlanNeedsResult   Code = "plan_needs_result"   // a plan waits for the result of a call. Data: tool
	PlanExample       Code = "plan_example"        // a call would really be made with what an example of another tool led to. Data: tool, example (that other tool)
	RuleFails         Code = "rule_fails"          // the condition of a policy's rule cannot be evaluated. Data: rule
	RuleTooCostly     Code = "rule_too_costly"     // the condition of a policy's rule takes too long. Data: rule
)

// Tools, and the network.
const (
	ToolsNone          Code = "tools_none"           // the run has no tools
	ToolMissing        Code = "tool_missing"         // there is no tool of this name. Data: tool, near (the nearest name, if any)
	ToolVersionMissing Code = "tool_version_missing" // a tool has no such version. Data: tool, version, known
	ToolCaller         Code = "tool_caller"          // tools are not for this caller in this run. Data: tool, caller ("model", "code", "plan" or "person"), callers (who may, in words)
	ToolDenied         Code = "tool_denied"          // a call was not allowed; the remedy is the one that the policy gives. Data: tool, by ("policy", "person", "program", "timeout", …)
	CommandsOff        Code = "commands_off"         // programs of this machine may not be run as tools. Data: tool
	ServerCommandsOff  Code = "server_commands_off"  // programs of this machine may not be run as MCP servers. Data: server
	TerminalMissing    Code = "terminal_missing"     // somebody is to be asked on a terminal, and there is none
	HostDenied         Code = "host_denied"          // no rule of the network allows a host. Data: host, port
)

// Records of runs.
const (
	RunMissing       Code = "run_missing"        // there is no such run. Data: run
	RunAmbiguous     Code = "run_ambiguous"      // several runs fit what was given. Data: run
	RunExists        Code = "run_exists"         // another run of this id is here already. Data: run
	RunUnfinished    Code = "run_unfinished"     // the run has not ended yet. Data: run
	JournalGone      Code = "journal_gone"       // the journal of a run that the index knows is gone. Data: run
	JournalDamaged   Code = "journal_damaged"    // the journal of a run is damaged. Data: run (if known)
	IndexDamaged     Code = "index_damaged"      // a row of the index of runs cannot be read. Data: run
	RunUnreadable    Code = "run_unreadable"     // the records of a run, or contents that they name, cannot be used. Data: run
	RunNotReplayable Code = "run_not_replayable" // a run contains nothing that could be replayed. Data: run
	RunIsToolCall    Code = "run_is_tool_call"   // a run is one call of a tool, which is not replayed. Data: run
	InputMissing     Code = "input_missing"      // the content of an input of a run is not stored. Data: run, input
	BranchDiffers    Code = "branch_differs"     // the steps before a branch came out otherwise than recorded. Data: run
	RunAnswered      Code = "run_answered"       // a run that is to go on has its answer. Data: run
	RunMoved         Code = "run_moved"          // the session of a run that is to go on went on since. Data: run, name (of the session)
	RunNoQuestion    Code = "run_no_question"    // a run that is to go on is no question that steps answer. Data: run
	RunIsChild       Code = "run_is_child"       // a run that is to go on is a part of another. Data: run, caller
	RunResumed       Code = "run_resumed"        // another run went on with the run already. Data: run (that other run)
	StepMissing      Code = "step_missing"       // a run has no such step. Data: run, step
	SuiteEmpty       Code = "suite_empty"        // a folder of exported runs contains none. Data: folder
	KeyMissing       Code = "key_missing"        // there is no key that signs journals with this id. Data: key
)

// Threads and notes.
const (
	ThreadMissing Code = "thread_missing" // there is no such thread. Data: name
	ThreadExists  Code = "thread_exists"  // the name for a new thread is taken. Data: name
	ThreadDamaged Code = "thread_damaged" // the record of a thread, or its conversation, cannot be read. Data: name
	ThreadChanged Code = "thread_changed" // a thread was changed by somebody else in the meantime. Data: name
	ThreadFull    Code = "thread_full"    // the conversation of a thread is as long as it may be. Data: name
	NoteMissing   Code = "note_missing"   // there is no such note. Data: note
	NoteDamaged   Code = "note_damaged"   // a note cannot be read. Data: note
	NotesUsedUp   Code = "notes_used_up"  // as many notes are stored as may be. Data: limit
)
