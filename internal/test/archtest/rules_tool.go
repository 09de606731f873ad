package archtest

// toolPackages are the tools: what they are, what executes them, the one gate
// that every call goes through, and the way out to the network.
func toolPackages() map[string]Package {
	return map[string]Package{
		"internal/agent/skill":        {Imports: []string{fault, tool, jsondoc, toolSchema, "internal/tool/search"}},
		"internal/agent/skill/folder": {Imports: []string{fault, "internal/agent/skill", "internal/atomicfile"}, Third: []string{unix}},
		jsondoc:                       {Imports: []string{fault}, Third: []string{yaml}},
		toolSchema:                    {Imports: []string{fault, jsondoc}, TestThird: []string{schema}},
		toolfile:                      {Imports: []string{fault, jsondoc, toolSchema, tool}},
		tool:                          {Imports: []string{fault, jsondoc, toolSchema}, Tests: []string{toolfile}},

		"internal/tool/registry":     {Imports: []string{fault, tool, jsondoc, toolfile}},
		"internal/tool/search":       {Imports: []string{tool}, Tests: []string{toolfile}},
		"internal/tool/pystub":       {Imports: []string{fault, tool, safetext, jsondoc, toolSchema}, Tests: []string{cpython, syntax, toolfile}},
		"internal/tool/kind/gofunc":  {Imports: []string{fault, safetext, tool, jsondoc, toolSchema, toolfile}, Third: []string{schema}},
		"internal/tool/kind/python":  {Imports: []string{fault, safetext, tool, syntax, jsondoc, toolSchema, toolfile}, Tests: []string{cpython}},
		"internal/tool/kind/command": {Imports: []string{fault, safetext, tool, jsondoc, toolSchema, toolfile}, Third: []string{unix}},
		"internal/tool/kind/builtin": {Imports: []string{fault, tool, jsondoc, toolfile}, Third: []string{"modernc.org/sqlite", "github.com/parquet-go/parquet-go", unix}},
		"internal/tool/kind/web":     {Imports: []string{fault, safetext, "internal/netaddr", tool, jsondoc, toolSchema, toolfile}, Third: []string{"golang.org/x/text"}},
		"internal/tool/openapi":      {Imports: []string{fault, tool, jsondoc, toolfile}, Third: []string{yaml}, Tests: []string{"internal/tool/kind/web"}},
		"internal/tool/kind/mcp":     {Imports: []string{fault, tool, jsondoc, toolSchema, toolfile}, Third: []string{mcpSDK}},
		"internal/tool/kind/wasm":    {Imports: []string{fault, "internal/netaddr", tool, jsondoc, toolSchema, toolfile}, Third: []string{"github.com/tetratelabs/wazero"}},

		"internal/tool/kind": {Imports: []string{fault, event, wire, "internal/guest", "internal/image", "internal/session", tool, "internal/tool/..."}},

		// The battery of tools is tests alone, over the parts as app wires them.
		"internal/test/battery/tools": {Tests: []string{fault, event, wire, lang, python, tool, "internal/tool/registry", "internal/tool/kind", "internal/store/files", "internal/store/sqlite", "internal/egress", "internal/tool/gate",
			"internal/guest", "internal/image", "internal/record/journal", "internal/tool/bridge", "internal/sandbox/gvisor", "internal/session", prepared, jsondoc}},

		"internal/netaddr":       {},
		"internal/tool/gate":     {Imports: []string{fault, safetext, event, tool, "internal/plan/label", "internal/plan/policy", jsondoc, toolSchema}, Tests: []string{toolfile}},
		"internal/tool/approval": {Imports: []string{fault, event, tool, safetext, "internal/tool/gate", jsondoc, toolSchema}, Third: []string{unix}, Tests: []string{toolfile}},
		"internal/egress":        {Imports: []string{fault, "internal/netaddr", event}, Third: []string{"golang.org/x/net", "golang.org/x/text"}, Tests: []string{cpython, "internal/diagnostics"}},
		"internal/tool/bridge":   {Imports: []string{fault, event, lang, llm, tool, "internal/tool/search", "internal/tool/pystub", "internal/tool/gate", "internal/guest", "internal/agent", jsondoc}, Tests: []string{toolfile}},
	}
}
