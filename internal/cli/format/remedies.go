package format

import (
	"strings"

	"praxis/event"
	"praxis/fault"
)

// The remedies of more than one code.
const (
	sayHome    = "Use a folder of your own: set PRAXIS_HOME."
	sayFree    = "Free space on the disk that holds {folder}; praxis gc removes what no run needs."
	sayImage   = `Build it again with "praxis image build".`
	sayThread  = "Ask under another name, or remove it with praxis thread rm {name}; its runs are in the journal."
	sayRebuild = "Run praxis gc --rebuild-index: it moves the damaged file away and builds the index of runs again from their journals."
	sayRule    = "Correct the rule; praxis policy explain shows what fails. Until then the call is denied."
	sayRecord  = "Look at it with praxis show {run}."
	sayRuns    = "List the runs with praxis runs."
)

// Remedies words what to do about a fault for the user of the command line,
// where a command, a flag or a variable of the environment helps. The remedy of
// any other code is the one that package fault has for every reader.
var Remedies = map[fault.Code]fault.Sentences{
	fault.DataFolderUnset:  {"Set PRAXIS_HOME to a folder that you may write to."},
	fault.FolderForeign:    {sayHome},
	fault.FolderOpen:       {"Run chmod go-w on it, or set PRAXIS_HOME to a folder of your own."},
	fault.FolderUnwritable: {"Make {folder} writable for you, or set PRAXIS_HOME to a folder that is.", "Set PRAXIS_HOME to a folder that you may write to."},
	fault.FolderServed:     {"Stop the other praxis serve (or praxis rpc), or set PRAXIS_HOME to a folder of its own for this one. To use that server from here, name it with --server."},
	fault.DiskFull:         {sayFree, "Free space on the disk that holds the data folder; praxis gc removes what no run needs."},
	fault.QuotaUsedUp:      {"Run praxis gc, which removes what no run needs, or raise the quota."},
	fault.HomeFull:         {"See what takes the space with praxis gc --dry-run. Remove sessions (praxis session rm, praxis session prune) or runs (praxis gc --runs-older-than 30d), or raise home_quota in the configuration."},
	fault.DatabaseDamaged:  {sayRebuild},
	fault.DatabaseNewer:    {"Use the version of Praxis that wrote it or a newer one, or set PRAXIS_HOME to another folder."},
	fault.DatabaseForeign:  {"Move the file away, or set PRAXIS_HOME to another folder."},

	fault.FileExists: {"Choose another place with --out, or replace what is there with --force."},

	fault.ServerKeyMissing:  {"Set PRAXIS_KEY to a key of this server, or name a file with one in --key-file. praxis serve key add makes one, where the server is."},
	fault.ServerInClear:     {"Give --cert and --cert-key, or --in-clear behind a proxy that speaks TLS."},
	fault.SessionMissing:    {"List the sessions with praxis session ls."},
	fault.SessionExists:     {"Choose another name, or remove it first with praxis session rm {name}."},
	fault.SessionDamaged:    {"Remove it with praxis session rm {name}."},
	fault.SessionUnusable:   {"Go back to the snapshot before it with praxis session rollback {name}, or look for another with praxis session log {name}."},
	fault.SnapshotDamaged:   {"Go back to another snapshot (praxis session log), or remove this one."},
	fault.Unsealed:          {"If the data folder is a copy, name the key that it was sealed with (seal_key in the configuration); otherwise remove {what}."},
	fault.SnapshotUnmatched: {"List the snapshots with praxis session log {name}."},

	fault.ImageMissing:   {`List the images with "praxis image ls".`},
	fault.ImageUnbuilt:   {`Build it with "praxis image build".`},
	fault.ImageGone:      {sayImage},
	fault.ImageStale:     {sayImage},
	fault.ImageDamaged:   {sayImage},
	fault.RegistryDenied: {`Log in with "docker login {registry}", or give --user and PRAXIS_REGISTRY_PASSWORD.`},
	fault.ImageAbsent:    {`Get it with "praxis image pull {image}" if it is in a registry, or with "praxis image import" from a file.`},
	fault.ImageNeeded:    {"Remove them first: praxis session rm {sessions}."},

	fault.ModelUnchosen: {`Set one of these:
  ANTHROPIC_API_KEY=…  for Anthropic
  OPENAI_API_KEY=…     for OpenAI
  GEMINI_API_KEY=…     for Google
  OPENAI_BASE_URL=…    for a local server, with --model openai:NAME
                       (Ollama: http://localhost:11434/v1)
  "make demo" and "praxis demo" need none of them.`},
	fault.ModelUnnamed: {"Name it as in --model {provider}:NAME."},
	fault.ModelKeyMissing: {
		"Set {key_variable} to a key of your {account} account, or {url_variable} to the address of a server of your own, such as http://localhost:11434/v1.",
		"Set {key_variable} to a key of your {account} account.",
	},
	fault.ModelKeyRefused:  {"Set {key_variable} to a key that may use this model."},
	fault.ModelMissing:     {"Check the model's name and {url_variable}."},
	fault.ModelUnreachable: {"Check the network and {url_variable}, or ask again later."},
	fault.ModelSilent:      {`Let it be silent for longer ("ask": {"silence": "1h"} in the configuration), or use a smaller model.`},
	fault.ModelGarbled:     {"Check {url_variable}: what answers there may not be the model's API."},
	fault.ScriptMissing:    {"Give the path of a script: --model scripted:FILE."},

	fault.FiguresUntraced: {"Ask in other words, or try another model. Without --strict the answer is given, with these figures marked."},

	fault.StepsUsedUp:     {"Allow more steps (--max-steps), or ask a smaller question."},
	fault.TokensUsedUp:    {"Ask a smaller question, or allow more tokens (--max-tokens)."},
	fault.CostUsedUp:      {"Allow a higher cost (--max-cost), or ask a smaller question."},
	fault.TimeUsedUp:      {"Allow more time (--max-time), or ask a smaller question."},
	fault.SubCallsUsedUp:  {"Allow more sub-calls (--max-sub-calls), or ask a smaller question."},
	fault.DepthReached:    {"Allow a greater depth (--max-depth), or ask a smaller question."},
	fault.ExecutionUsedUp: {"Allow code more time (--max-execution-time), or ask a smaller question."},
	fault.SkillUnknown:    {"See \"praxis skill ls\"."},
	fault.SkillUntested:   {"Write a file with assert statements that call {name}, and name it with --tests."},
	fault.SkillFailed:     {"Mend {name} or its tests, or name the packages that it needs with --with."},
	fault.PriceUnknown:    {"Write down the price of {model} (praxis cost --prices says where), or bound the run by --max-tokens."},

	fault.PlanRefused:       {"Check it with praxis plan check."},
	fault.PlanStateForeign:  {"Give the file that praxis plan run --state wrote."},
	fault.PlanStateMissing:  {"Name the file that --state stored it in."},
	fault.PlanNotWaiting:    {"See what became of it: praxis show {run}"},
	fault.PlanResumed:       {"Look at that run: praxis show {run}. To go on from here once more, say --again."},
	fault.PlanNeedsApproval: {"Approve or deny it: --approve, or --deny REASON."},
	fault.PlanNeedsResult:   {"Answer it: --result JSON, or --error TEXT."},
	fault.RuleFails:         {sayRule},
	fault.RuleTooCostly:     {sayRule},

	fault.ToolsNone:         {"Ask with --tools FILE."},
	fault.ToolMissing:       {"Did you mean {near}?", "List the tools with praxis tools ls."},
	fault.ToolCaller:        {"Say with --mode who calls tools: the model (tools), its code (code), both, or a plan (plan)."},
	fault.CommandsOff:       {"Start Praxis with --allow-commands if you trust the file that declares it."},
	fault.ServerCommandsOff: {"Start Praxis with --allow-commands if you trust the file, or write sandbox: true there."},
	fault.TerminalMissing:   {"Use --approve never, a webhook or a command."},
	fault.HostDenied:        {"Add --allow-net {host}:{port}."},

	fault.RunMissing:       {sayRuns},
	fault.JournalDamaged:   {"What stands before that record is whole; praxis verify {run} says more.", "What stands before that record is whole; praxis verify says more."},
	fault.JournalGone:      {"If you know why, take note of it: praxis runs rm {run}"},
	fault.IndexDamaged:     {"Have the index built again: praxis gc --rebuild-index."},
	fault.RunUnreadable:    {"See what is wrong with praxis verify {run}."},
	fault.RunNotReplayable: {sayRecord},
	fault.RunIsToolCall:    {"Make it again with praxis tools call; praxis show {run} shows what it was."},
	fault.InputMissing:     {"Give the file itself (--file NAME=PATH)."},
	fault.RunAnswered:      {"Look at it with praxis show {run}; to go on from one of its steps with another question or another model, use praxis replay {run} --from STEP."},
	fault.RunNoQuestion:    {"Name a run of praxis ask. A plan that waits goes on with praxis plan resume {run}."},
	fault.RunIsChild:       {"Go on with the whole: praxis ask --resume {caller}."},
	fault.RunResumed:       {"Look at that run with praxis show {run}; if it broke off, too, go on with praxis ask --resume {run}."},
	fault.BranchDiffers:    {"Allow it all the same with --loose, or replay the run to see what differs."},
	fault.StepMissing:      {"Leave out --step to see the whole run."},
	fault.SuiteEmpty:       {"Export a run into it with praxis export RUN."},

	fault.KeyMissing: {"List them with praxis key ls."},

	fault.ThreadMissing: {"List the threads that there are with praxis thread ls."},
	fault.ThreadExists:  {"Choose another name, or remove it first with praxis thread rm {name}."},
	fault.ThreadDamaged: {sayThread},
	fault.NoteMissing:   {"List the notes that there are with praxis memory ls."},
	fault.NoteDamaged:   {"Remove it with praxis memory rm {note}."},
	fault.NotesUsedUp:   {"Remove notes that are of no use any more with praxis memory rm."},
}

// Explain says in one voice why code did not end by itself.
func Explain(x event.Execution) (message, remedy string) {
	why := x.Message
	switch x.Status {
	case event.OK, event.Error:
		return why, remedyFor(x)
	case event.Interrupted:
		return strings.TrimSuffix("interrupted: "+why, ": "), ""
	}
	if why == "" {
		why = "status " + x.Status.String()
	}
	return "cannot finish the code: " + why, remedyFor(x)
}

// remedyFor says what to do about the limit that the code ran into.
func remedyFor(x event.Execution) string {
	switch x.Limit {
	case event.CPUTime:
		return "Give it more with --cpu-time, or compute less at once."
	case event.ProcessCount:
		return "Allow more with --processes, or start fewer at once."
	case event.DiskSpace:
		return "Give it more with --disk, or remove files that are no longer needed."
	case event.OpenFiles:
		return "Close files when they are no longer needed."
	case event.MemoryUse:
		return memoryRemedy
	}
	// A sandbox that was ended from outside has no message but its status.
	switch x.Status {
	case event.Timeout:
		return "Give it more time with --timeout, or do less at once."
	case event.Memory:
		return memoryRemedy
	case event.OutputLimit:
		return "Print less, raise --output-limit, or write to a file in /work and take it with --out."
	}
	return ""
}

const memoryRemedy = "Give it more with --memory, or keep less in memory at once."

// Remedy words what to do about an error for the user of the command line.
func Remedy(err error) string {
	return Worded(fault.CodeOf(err), fault.DataOf(err), fault.RemedyOf(err))
}

// Worded is the remedy of a code with its data, and general where the command
// line has no words of its own for it.
func Worded(code fault.Code, data fault.Data, general string) string {
	if own := Remedies[code].With(data); own != "" {
		return own
	}
	return general
}
