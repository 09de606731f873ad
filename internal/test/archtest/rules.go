package archtest

import "maps"

// The packages that many others import.
const (
	fault      = "fault"
	event      = "event"
	sandbox    = "internal/sandbox"
	llm        = "internal/llm"
	store      = "internal/store"
	safetext   = "internal/safetext"
	bounded    = "internal/bounded"
	lazy       = "internal/lazyregexp"
	seals      = "internal/seal"
	wire       = "internal/guest/wire"
	lang       = "internal/language"
	python     = "internal/language/python"
	javascript = "internal/language/javascript"
	sqlLang    = "internal/language/sql"
	tally      = "internal/test/tally"
	unix       = "golang.org/x/sys"
	syntax     = "internal/plan/syntax"
	cpython    = "internal/test/cpython"
	prepared   = "internal/test/prepared"
	yaml       = "go.yaml.in/yaml/v4"
	schema     = "github.com/google/jsonschema-go"
	bash       = "internal/language/bash"
	frames     = "internal/language/frames"
	raw        = "internal/test/rawkernel"
	jupyter    = "internal/language/jupyter"

	atomicfile = "internal/atomicfile"

	tool       = "internal/tool"
	jsondoc    = "internal/tool/jsondoc"
	toolSchema = "internal/tool/schema"
	toolfile   = "internal/tool/toolfile"
	pyDist     = "github.com/kluctl/go-embed-python"
	script     = "github.com/rogpeppe/go-internal"
	mcpSDK     = "github.com/modelcontextprotocol/go-sdk"
	gogit      = "github.com/go-git/go-git/v5"
	worktree   = "internal/worktree"
)

// madeOnce is why a variable of a package is allowed to be computed.
const madeOnce = "a table that is made once a process, when it is first needed, and never changed"

// PraxisRules returns the rules of this module.
func PraxisRules() Rules {
	return Rules{
		Module:     "praxis",
		Packages:   packages(),
		Everywhere: []string{safetext, bounded, lazy},
		// The terminal, what libraries log, what runs inside of a sandbox, and programs
		// that are not the product.
		Writers:  []string{"cmd/praxis", "internal/cli/cmd", "internal/diagnostics", "internal/guest/agent", "internal/image/embedded/pack", "internal/programs/pack", "bench/..."},
		TestTree: "internal/test",
		Fuzzed: []string{
			"internal/config", "internal/notebook", "internal/cli/format", "internal/cli/cmd", python, javascript, sqlLang, bash, jupyter, "internal/image/kernelspec", wire, "internal/guest", "internal/session", "internal/sessionfile", "internal/chunks", "internal/image", "internal/image/buildfile", "internal/image/embedded/archive",
			"internal/llm/scripted", "internal/llm/stream", "internal/llm/anthropic", "internal/llm/openai", "internal/llm/gemini", "internal/llm/cassette", "internal/agent/action", "internal/agent/grounding", "internal/agent/literal", "internal/agent/skill", "internal/agent/repo",
			event, safetext, "internal/record/journal", "internal/record/report", "internal/record/price", "internal/evaluate",
			"internal/agent", "internal/tool/bridge", "internal/record/memory", "internal/record/replay", "internal/store/sqlite",
			jsondoc, toolSchema, toolfile, "internal/tool/pystub", "internal/tool/search", "internal/tool/kind/gofunc", "internal/tool/approval",
			"internal/tool/openapi",
			"internal/server/access", "internal/server/audit", "internal/server/live", "internal/server/observe", "internal/server/oidc", "internal/server/rest", "internal/server/rpc", "internal/server/usage", "internal/server/vault", "internal/server/openai", "internal/server/mcp", "internal/server/e2b", "internal/server/e2b/envd", "internal/server/e2b/control", "internal/server/e2b/registry", "internal/server/e2b/interpreter", "internal/server/sdk", "internal/server/ports", "internal/server/trace", "internal/client",
			"internal/tool/kind/wasm",
			"internal/tool/kind/web",
			"internal/tool/kind/mcp",
			"internal/egress",
			worktree, "internal/worktree/ignore", "internal/worktree/folder",
			"internal/tool/kind/python", "internal/tool/kind/command", "internal/tool/kind/builtin",
			syntax, "internal/plan/python/pytext", "internal/plan/python/regex", "internal/plan/label", "internal/plan/policy", "internal/plan/compile", "internal/plan/vm", "internal/plan/check",
		},
		Exceptions: map[string]string{
			"cmd/praxis.version": "the linker writes it",
			"event.Discard":      "a function without state",

			"internal/plan/vm.units":        madeOnce,
			"internal/plan/subset.nameSets": madeOnce,
			"internal/plan/vm.VM.run":       "the loop over instructions: one switch",
			"internal/plan/vm.loop.go":      "it holds the loop",

			"internal/test/archtest.rules_vocabulary.go": "its texts are the retired words",
		},
		Interfaces: map[string]int{
			"io.Reader": 1, "io.Writer": 1, "io.Closer": 1, "io.ReadCloser": 2, "io.ReadWriter": 2, "io.WriteCloser": 2, "io.ReadWriteCloser": 3,
			"io/fs.FileInfo": 6, "net.Conn": 8,
		},
		Names:   []string{"util", "utils", "helper", "helpers", "common", "types", "misc", "shared", "base", "lib"},
		Budgets: Budgets{FuncLines: 100, FileLines: 800, InterfaceMethods: 5, Documented: 0.95},
		Words:   words(),
		Codes:   codes(),
		Vocabulary: Vocabulary{
			Retired: retired(),
		},
	}
}

// packages is the table.
func packages() map[string]Package {
	out := guestPackages()
	maps.Copy(out, runPackages())
	maps.Copy(out, modelPackages())
	maps.Copy(out, projectPackages())
	maps.Copy(out, planPackages())
	maps.Copy(out, toolPackages())
	maps.Copy(out, serverPackages())
	return out
}

// serverPackages are the doors over the application.
func serverPackages() map[string]Package {
	return map[string]Package{
		"internal/server/observe":         {Imports: []string{fault}},
		"internal/server/metrics":         {},
		"internal/server/trace":           {Imports: []string{event, "internal/server/observe"}, Tests: []string{fault}},
		"internal/server/vault":           {Imports: []string{fault, atomicfile, "internal/server/access"}},
		"internal/server/usage":           {Imports: []string{fault, atomicfile, "internal/server/access"}},
		"internal/server/audit":           {Imports: []string{fault, atomicfile, "internal/server/observe"}},
		"internal/server/access":          {Imports: []string{fault, atomicfile}},
		"internal/server/live":            {Imports: []string{fault, event, "internal/app", "internal/server/observe", atomicfile}, Third: []string{"golang.org/x/sync", "golang.org/x/time"}, Tests: []string{"internal/test/toy"}},
		"internal/server/api":             {Imports: []string{fault, event, "internal/app", atomicfile, "internal/server/access", "internal/server/audit", "internal/server/live", "internal/server/observe", "internal/server/ports", "internal/server/usage"}},
		"internal/server/rpc":             {Imports: []string{fault, "internal/server/api", "internal/server/live", "internal/server/observe", "internal/server/rest"}, Third: []string{"github.com/coder/websocket"}},
		"internal/server/rest":            {Imports: []string{fault, event, "internal/app", "internal/server/access", "internal/server/api", "internal/server/live", "internal/server/observe"}, Third: []string{"github.com/coder/websocket"}, TestThird: []string{schema}},
		"internal/server/oidc":            {Imports: []string{fault, "internal/server/access"}, Third: []string{"github.com/coreos/go-oidc/v3", "golang.org/x/time"}, Tests: []string{"internal/test/issuer"}},
		"internal/test/issuer":            {},
		"internal/server/ports":           {Imports: []string{fault}, Tests: []string{"internal/server/access"}},
		"internal/client":                 {Imports: []string{fault, event, "internal/app", "internal/server/access", "internal/server/api", "internal/server/rest"}},
		"internal/server/sdk":             {Tests: []string{"internal/server/rest"}},
		"internal/server/measure":         {Imports: []string{event, "internal/app", "internal/bench", "internal/image", "internal/server"}, Third: []string{"github.com/coder/websocket", "golang.org/x/sync"}},
		"internal/server/openai":          {Imports: []string{fault, event, "internal/app", atomicfile, "internal/server/access", "internal/server/api", "internal/server/live", "internal/server/observe", "internal/server/rest"}, Tests: []string{"internal/test/toy", "internal/server"}},
		"internal/server/mcp":             {Imports: []string{fault, event, "internal/app", "internal/server/access", "internal/server/api", "internal/server/live", "internal/server/observe", "internal/server/rest"}, Third: []string{mcpSDK}, Tests: []string{"internal/test/toy", "internal/test/prepared", "internal/server"}, TestThird: []string{schema}},
		"internal/server/e2b":             {Imports: []string{fault, "internal/server/access", "internal/server/api", "internal/server/e2b/...", "internal/server/observe", "internal/server/ports", "internal/server/rest"}, Tests: []string{"internal/app", "internal/server", "internal/test/toy"}},
		"internal/server/e2b/target":      {Imports: []string{fault, "internal/server/api", "internal/server/rest"}},
		"internal/server/e2b/interpreter": {Imports: []string{fault, event, "internal/app", "internal/guest/wire", "internal/language", "internal/language/javascript", "internal/language/python", "internal/server/e2b/target", "internal/server/live", "internal/server/observe"}, Tests: []string{"internal/server/api", "internal/server/audit", "internal/test/toy"}},
		"internal/server/e2b/registry":    {Imports: []string{fault, atomicfile, "internal/server/api", "internal/server/live"}},
		"internal/server/e2b/control":     {Imports: []string{fault, event, "internal/app", "internal/server/access", "internal/server/api", "internal/server/e2b/registry", "internal/server/live", "internal/server/observe", "internal/server/rest"}},
		"internal/server/e2b/envd":        {Imports: []string{fault, event, "internal/app", "internal/server/e2b/registry", "internal/server/e2b/target", "internal/server/live", "internal/server/observe", "internal/server/rest"}},
		"internal/server": {
			Imports: []string{fault, event, "internal/app", atomicfile, "internal/server/..."}, Third: []string{"golang.org/x/time"}, Tests: []string{"internal/test/storetest", "internal/test/toy", "internal/test/issuer", cpython}, TestThird: []string{"github.com/coder/websocket"},
		},
	}
}

// planPackages are the plans: pure, so that what was checked is what runs.
func planPackages() map[string]Package {
	return map[string]Package{
		syntax:                        {Imports: []string{fault}, Third: []string{"golang.org/x/text"}, Tests: []string{cpython}},
		"internal/plan/python/pytext": {Third: []string{"golang.org/x/text"}, Tests: []string{cpython}},
		"internal/plan/python/regex":  {Imports: []string{"internal/plan/python/pytext"}, Tests: []string{cpython}},
		"internal/plan/python/random": {Tests: []string{cpython}},
		"internal/plan/library":       {},
		"internal/plan/label":         {Imports: []string{fault}},
		"internal/plan/policy":        {Imports: []string{fault, tool, "internal/plan/label", jsondoc, toolSchema}, Third: []string{"cel.dev/cel-go", yaml}, Tests: []string{toolfile}},
		"internal/plan/bytecode":      {},
		"internal/plan/value": {
			Imports: []string{fault, syntax, "internal/plan/bytecode", "internal/plan/python/pytext", "internal/plan/python/regex", "internal/plan/label", jsondoc},
		},
		"internal/plan/compile": {Imports: []string{fault, syntax, "internal/plan/bytecode", "internal/plan/value", "internal/plan/python/pytext"}},
		"internal/plan/builtin": {Imports: []string{syntax, "internal/plan/value", "internal/plan/python/pytext", "internal/plan/label"}},
		"internal/plan/library/native": {
			Imports: []string{fault, syntax, "internal/plan/value", "internal/plan/compile", "internal/plan/label", "internal/plan/python/pytext", "internal/plan/python/random", "internal/plan/library/native/..."},
		},
		"internal/plan/library/native/decimal":  {Imports: []string{syntax, "internal/plan/value", "internal/plan/python/pytext"}, Third: []string{"github.com/cockroachdb/apd/v3"}},
		"internal/plan/library/native/json":     {Imports: []string{"internal/plan/value", "internal/plan/label", "internal/plan/python/pytext"}},
		"internal/plan/library/native/zoneinfo": {Imports: []string{"internal/plan/value"}},
		"internal/plan/library/native/math":     {Imports: []string{syntax, "internal/plan/value", "internal/plan/python/pytext"}},
		"internal/plan/library/native/re":       {Imports: []string{"internal/plan/value", "internal/plan/python/regex"}},
		"internal/plan/subset":                  {Imports: []string{fault, syntax, "internal/plan/value", "internal/plan/library", "internal/plan/library/native"}},
		"internal/plan/vm": {
			Imports: []string{fault, syntax, "internal/plan/bytecode", "internal/plan/value", "internal/plan/compile", "internal/plan/builtin", "internal/plan/subset", "internal/plan/python/pytext", "internal/plan/label", "internal/plan/library", "internal/plan/library/native/..."},
			Tests:   []string{cpython},
		},
		"internal/plan/check": {
			Imports: []string{fault, tool, syntax, "internal/plan/label", "internal/plan/policy", "internal/plan/library", "internal/plan/compile", "internal/plan/value", "internal/plan/builtin", jsondoc, toolSchema},
			Tests:   []string{cpython, "internal/plan/subset", "internal/plan/vm", toolfile},
		},
		"internal/plan": {
			Imports: []string{fault, tool, "internal/plan/...", jsondoc, toolSchema},
			Tests:   []string{cpython, toolfile},
		},
		cpython: {Imports: []string{"internal/test/cache"}, Third: []string{pyDist}},

		// What plans must survive is tests alone.
		"internal/test/battery/scripts": {Tests: []string{"internal/test/kerneltest", event, fault, sandbox, lang, python, javascript, sqlLang, seals, "internal/sandbox/gvisor", "internal/guest", "internal/guest/wire", "internal/egress", "internal/tool/bridge", "internal/image", "internal/programs", "internal/session", prepared}},
		"internal/test/battery/builds":  {Tests: []string{event, fault, "internal/app", "internal/test/container", "internal/test/debian", prepared}},
		"internal/test/battery/plans":   {Tests: []string{fault, tool, "internal/plan", "internal/plan/...", cpython, jsondoc, "internal/tool/schema", toolfile}},
		"internal/test/battery/worlds":  {Tests: []string{"internal/plan", "internal/plan/...", jsondoc, toolfile}},
	}
}

// guestPackages are the boundary, and what lies before and behind it.
func guestPackages() map[string]Package {
	return map[string]Package{
		"cmd/praxis": {
			Imports:   []string{"internal/cli/cmd", "internal/diagnostics"},
			Tests:     []string{fault, prepared, "internal/test/cache"},
			TestThird: []string{script},
		},
		"cmd/praxis-guest":          {Imports: []string{"internal/guest/agent"}},
		"cmd/praxis-sandbox":        {Imports: []string{"internal/sandbox/gvisor/runsc"}},
		"internal/programs":         {Imports: []string{"internal/atomicfile", seals}, Third: []string{"github.com/klauspost/compress", unix}},
		"internal/programs/sources": {},
		"internal/programs/pack":    {Imports: []string{"internal/atomicfile", "internal/programs", "internal/programs/sources", "internal/sandbox/gvisor/patch"}, Third: []string{"github.com/klauspost/compress"}},

		// Contracts and vocabulary.
		fault:   {},
		event:   {Imports: []string{fault}},
		sandbox: {Imports: []string{fault, event}},
		llm:     {Imports: []string{fault, event}},

		"internal/config":      {Imports: []string{fault, event}},
		"internal/atomicfile":  {Imports: []string{fault}},
		safetext:               {},
		"internal/linediff":    {},
		"internal/diagnostics": {},
		bounded:                {},
		lazy:                   {},
		seals:                  {Imports: []string{fault, "internal/atomicfile"}, Third: []string{unix}},
		"internal/chunks":      {Imports: []string{"internal/atomicfile"}, Third: []string{"github.com/klauspost/compress", "golang.org/x/sync", unix}},

		// The boundary.
		"internal/sandbox/gvisor": {
			Imports: []string{fault, event, sandbox, "internal/atomicfile", "internal/sandbox/gvisor/control"},
			Third:   []string{"github.com/opencontainers/runtime-spec", unix},
			Tests:   []string{"internal/test/sandboxtest", prepared, "internal/programs"},
		},
		"internal/sandbox/gvisor/control": {},
		"internal/sandbox/gvisor/patch":   {},
		"internal/sandbox/gvisor/runsc": {
			Imports: []string{"internal/sandbox/gvisor/control"},
			Third:   []string{"gvisor.dev/gvisor", unix},
		},
		"internal/sandbox/fake": {
			Imports: []string{fault, event, sandbox},
			Tests:   []string{"internal/test/sandboxtest"},
		},
		"internal/test/sandboxtest": {Imports: []string{fault, event, sandbox}, Third: []string{unix}},
		"internal/test/kerneltest":  {Imports: []string{event, "internal/guest", "internal/session"}},
		"internal/test/soak":        {Imports: []string{".", fault, event}, Third: []string{unix}},
		"internal/test/cache":       {},
		prepared:                    {Imports: []string{event, seals, "internal/image", "internal/programs", "internal/programs/sources", "internal/test/cache"}},
		"internal/image": {
			Imports: []string{fault, event, sandbox, lang, seals, "internal/atomicfile", "internal/image/embedded", "internal/image/kernelspec", "internal/image/oci"},
			Tests:   []string{"internal/test/container"},
			Third:   []string{"golang.org/x/sync", unix},
		},
		"internal/image/oci":              {Imports: []string{fault, "internal/netaddr"}, Tests: []string{"internal/test/container"}, Third: []string{"github.com/google/go-containerregistry", "github.com/klauspost/compress"}},
		"internal/image/buildfile":        {Imports: []string{fault, jsondoc}},
		"internal/test/container":         {Third: []string{"github.com/google/go-containerregistry", "github.com/klauspost/compress"}},
		"internal/test/debian":            {Imports: []string{"internal/atomicfile", "internal/test/cache", "internal/test/container"}, Third: []string{"pault.ag/go/debian"}},
		"internal/image/embedded":         {Imports: []string{"internal/image/embedded/archive"}},
		"internal/image/embedded/archive": {Third: []string{"github.com/klauspost/compress"}},
		"internal/image/embedded/pack":    {Imports: []string{"internal/atomicfile", "internal/image/embedded/archive"}, Third: []string{"pault.ag/go/debian"}},

		// Inside the sandbox: the standard library, the wire, and the numbers and filters
		// of system calls, so that nothing of the host's side slips in.
		wire:                   {},
		"internal/guest/agent": {Imports: []string{wire}, Third: []string{unix, "golang.org/x/net/bpf"}, Tests: []string{event, fault, "internal/guest"}},
		"internal/guest": {
			Imports: []string{fault, event, wire, lang},
			Tests:   []string{"internal/guest/agent", python, tally, cpython},
		},

		// What a language is, and the languages. Only internal/app, and tests that
		// run code, import one by its name.
		lang:                        {},
		"internal/notebook":         {Imports: []string{fault, lang}, Tests: []string{python, tally}},
		javascript:                  {Imports: []string{lang}},
		sqlLang:                     {Imports: []string{fault, lang}, Tests: []string{python, cpython, prepared, raw}},
		python:                      {Imports: []string{fault, lang}, Third: []string{"github.com/BurntSushi/toml"}, Tests: []string{cpython, event, prepared, raw}},
		bash:                        {Imports: []string{lang, frames}, Tests: []string{cpython, raw}},
		frames:                      {},
		raw:                         {},
		jupyter:                     {Imports: []string{lang, frames}, Tests: []string{cpython, raw}},
		"internal/image/kernelspec": {Imports: []string{lang}},

		// session and agent never import each other: cli joins them.
		"internal/sessionfile": {Imports: []string{fault}, Third: []string{"github.com/klauspost/compress"}},
		"internal/session": {
			Imports: []string{fault, event, sandbox, wire, lang, seals, "internal/atomicfile", "internal/chunks", "internal/guest", "internal/image", "internal/programs"},
			Third:   []string{unix, "golang.org/x/sync"},
			Tests:   []string{"internal/sandbox/fake"},
		},
	}
}

// projectPackages are the files of a project: as values, and in a folder of this machine.
func projectPackages() map[string]Package {
	return map[string]Package{
		worktree:                   {},
		"internal/worktree/patch":  {Imports: []string{worktree, "internal/linediff"}},
		"internal/worktree/ignore": {Third: []string{gogit}},
		"internal/worktree/folder": {Imports: []string{fault, worktree, "internal/worktree/ignore"}, Third: []string{gogit}},
	}
}

// modelPackages are the models.
func modelPackages() map[string]Package {
	return map[string]Package{
		"internal/llm/recorded": {Imports: []string{fault, event, llm}},

		// What providers over a network have in common, and the providers.
		"internal/llm/stream":    {Imports: []string{fault, event, llm}},
		"internal/llm/anthropic": {Imports: []string{fault, event, llm, "internal/llm/stream"}},
		"internal/llm/openai":    {Imports: []string{fault, event, llm, "internal/llm/stream"}},
		"internal/llm/gemini":    {Imports: []string{fault, event, llm, "internal/llm/stream"}},
		"internal/llm/scripted":  {Imports: []string{fault, event, llm}},

		// Models around models: one that asks several, and one that is a file.
		"internal/llm/fallback": {Imports: []string{fault, event, llm}},
		"internal/llm/cassette": {Imports: []string{fault, event, llm}},
	}
}

// runPackages are what is done with sessions, what is stored of it, and what a person sees.
func runPackages() map[string]Package {
	return map[string]Package{
		// What is stored, and the record of what happened.
		store:                     {Imports: []string{fault}},
		"internal/test/storetest": {Imports: []string{fault, store}},
		"internal/store/files": {
			Imports: []string{fault, store, "internal/atomicfile"},
			Third:   []string{unix},
			Tests:   []string{"internal/test/storetest"},
		},
		"internal/store/sqlite": {
			Imports: []string{fault, store, "internal/atomicfile"},
			Third:   []string{"modernc.org/sqlite"},
			Tests:   []string{"internal/test/storetest"},
		},
		"internal/record/journal": {
			Imports: []string{fault, event, store, "internal/atomicfile"},
			Third:   []string{"golang.org/x/sync"},
			Tests:   []string{"internal/store/files", "internal/store/sqlite"},
		},
		"internal/record/report": {Imports: []string{fault, event, lang, "internal/linediff"}, Tests: []string{python}},
		"internal/record/price":  {Imports: []string{fault, event}},
		"internal/record/memory": {
			Imports: []string{fault, event, store},
			Tests:   []string{"internal/store/files", "internal/store/sqlite"},
		},
		"internal/run": {
			Imports: []string{fault, event, llm, lang, "internal/agent", "internal/agent/repo", worktree, "internal/worktree/ignore", "internal/worktree/patch", jsondoc, toolSchema},
			Tests:   []string{"internal/llm/scripted", python},
		},
		"internal/record/replay": {
			Imports: []string{fault, event, llm, lang, "internal/agent", "internal/agent/action", "internal/run", "internal/record/report", "internal/llm/recorded", "internal/tool/gate",
				"internal/tool/bridge", "internal/planner", "internal/plan", "internal/plan/label", "internal/plan/policy", tool, jsondoc, toolSchema, toolfile},
			Tests: []string{"internal/store/files", "internal/store/sqlite", "internal/llm/scripted", "internal/record/journal", "internal/tool/gate", python},
		},
		"internal/agent/action":    {Imports: []string{fault, llm, lang}, Tests: []string{python, tally}},
		"internal/agent/repo":      {Imports: []string{llm}},
		"internal/agent/grounding": {Imports: []string{fault, event, lang, "internal/agent/literal"}, Tests: []string{python}},
		"internal/agent/literal":   {Imports: []string{lang}, Tests: []string{python, javascript}},
		"internal/agent": {
			Imports: []string{fault, event, llm, lang, "internal/agent/..."},
			Tests:   []string{"internal/llm/scripted", python, jsondoc, toolSchema},
		},

		"internal/planner": {Imports: []string{fault, event, llm, "internal/tool/gate", tool, "internal/plan", "internal/plan/...", jsondoc, toolSchema, toolfile}, Tests: []string{"internal/llm/scripted"}},

		"internal/bench": {Imports: []string{event, store, lang, llm, "internal/agent", "internal/image", "internal/record/journal", "internal/llm/recorded", "internal/record/replay", "internal/run", "internal/session",
			tool, "internal/plan", "internal/plan/value", "internal/plan/vm", "internal/plan/label", "internal/plan/policy", syntax,
			wire, "internal/guest", "internal/tool/gate", "internal/tool/bridge", "internal/tool/registry", "internal/tool/kind/gofunc", jsondoc, toolfile}, Third: []string{"golang.org/x/sync", unix},
			Tests: []string{"internal/sandbox/gvisor", "internal/tool/kind/python", "internal/tool/kind/web", "internal/store/files", "internal/store/sqlite", python, prepared}},

		// A module of its own: what measures Praxis beside others, with libraries
		// that the product does not link. Nothing imports it.
		"bench": {Imports: []string{fault, event, lang, python, seals, "bench/workflow", "internal/bench", "internal/image", "internal/programs", "internal/sandbox/gvisor", "internal/session"},
			Third: []string{"go.starlark.net"}},
		"bench/workflow": {Imports: []string{fault, event, llm, lang, python, wire, "internal/agent", "internal/agent/action", "internal/tool/gate", "internal/guest", "internal/tool/bridge", "internal/plan/policy",
			tool, "internal/tool/registry", "internal/tool/kind/gofunc"},
			Tests: []string{lang, "internal/image", "internal/sandbox/gvisor", "internal/session", prepared},
			Third: []string{"github.com/tiktoken-go/tokenizer"}},

		// The escape and limits battery is tests alone.
		"internal/test/battery": {
			Tests: []string{"internal/test/kerneltest", fault, event, sandbox, wire, lang, python, javascript, jupyter, bash, sqlLang, tally, seals, "internal/sandbox/gvisor", "internal/guest", "internal/image", "internal/image/kernelspec", "internal/programs", "internal/session", "internal/test/container", "internal/test/debian", prepared},
		},

		// The application layer wires everything; what shows it to a person
		// imports the layer, the records and nothing else.
		"internal/app": {
			Imports: []string{fault, event, "internal/..."},
			Tests:   []string{"internal/test/toy"},
		},
		"internal/demo": {}, "internal/cli/picture": {}, "internal/evaluate": {Imports: []string{fault, event, "internal/agent/grounding", "internal/agent/repo", "internal/tool/jsondoc"}, Third: []string{"golang.org/x/sync"}},

		// The public package is thin: what it exposes is done by the layer.
		".":                   {Imports: []string{fault, event, "internal/app", "internal/client", "internal/diagnostics"}, Tests: []string{"internal/server", "internal/test/prepared"}},
		"internal/cli/format": {Imports: []string{fault, event}},
		"internal/cli/tui": {
			Imports: []string{fault, event, lang, "internal/app", "internal/cli/format"},
			Tests:   []string{python},
			Third:   []string{"github.com/reeflective/readline", "golang.org/x/term"},
		},
		"internal/cli/cmd": {
			Imports:   []string{fault, event, lang, "internal/app", "internal/record/report", "internal/cli/format", "internal/cli/picture", "internal/cli/tui", "internal/diagnostics", "internal/client", "internal/server", "internal/server/..."},
			Third:     []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"},
			Tests:     []string{"internal/test/toy", "internal/config", "internal/record/journal", "internal/session", syntax},
			TestThird: []string{script, unix, "github.com/creack/pty", "github.com/hinshun/vt10x"},
		},
		"internal/test/toy": {Imports: []string{fault, event, sandbox, wire, lang, python, "internal/image", "internal/programs", "internal/sandbox/fake", "internal/guest"}},
		"internal/test/tally": {
			Imports: []string{lang},
			Tests:   []string{fault, event, llm, python, "internal/agent", "internal/agent/action", "internal/record/report", "internal/run"},
		},
		"internal/test/archtest": {Imports: []string{fault}},
	}
}
