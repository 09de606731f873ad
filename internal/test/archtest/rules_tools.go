package archtest

// toolRooms are the tools: what they are, what carries them out, the one gate
// that every call goes through, and the way out to the network.
func toolRooms() map[string]Room {
	const tool = "internal/tool"
	return map[string]Room{
		tool: {Imports: []string{fault}, Third: []string{yaml}, TestThird: []string{schema}},

		"internal/tool/registry":     {Imports: []string{fault, tool}},
		"internal/tool/stub":         {Imports: []string{fault, tool, safetext}, Tests: []string{cpython, syntax}},
		"internal/tool/typed":        {Imports: []string{fault, safetext, tool}, Third: []string{schema}},
		"internal/tool/kind/python":  {Imports: []string{fault, safetext, tool, syntax}, Tests: []string{cpython}},
		"internal/tool/kind/command": {Imports: []string{fault, safetext, tool}, Third: []string{unix}},
		"internal/tool/kind/builtin": {Imports: []string{fault, tool}, Third: []string{"modernc.org/sqlite", "github.com/parquet-go/parquet-go", unix}},
		"internal/tool/kind/web":     {Imports: []string{fault, safetext, "internal/netaddr", tool}},
		"internal/tool/openapi":      {Imports: []string{fault, tool}, Third: []string{yaml}, Tests: []string{"internal/tool/kind/web"}},
		"internal/tool/kind/mcp":     {Imports: []string{fault, tool}, Third: []string{"github.com/modelcontextprotocol/go-sdk"}},
		"internal/tool/kind/wasm":    {Imports: []string{fault, "internal/netaddr", tool}, Third: []string{"github.com/tetratelabs/wazero"}},

		"internal/tool/kind": {Imports: []string{fault, event, wire, "internal/guest", "internal/image", "internal/session", tool, "internal/tool/..."}},

		// The battery of tools is tests alone, over the parts as app wires them.
		"internal/test/battery/tools": {Tests: []string{fault, event, wire, tool, "internal/tool/registry", "internal/tool/kind", "internal/store/files", "internal/store/sqlite", "internal/egress", "internal/tool/gate",
			"internal/guest", "internal/guest/agent", "internal/image", "internal/record/journal", "internal/tool/bridge", "internal/sandbox/gvisor", "internal/session", prepared}},

		"internal/netaddr":       {},
		"internal/tool/gate":     {Imports: []string{fault, safetext, event, tool, "internal/plan/label", "internal/plan/policy"}},
		"internal/tool/approval": {Imports: []string{fault, event, tool, safetext, "internal/tool/gate"}, Third: []string{unix}},
		"internal/egress":        {Imports: []string{fault, "internal/netaddr", event}, Third: []string{"golang.org/x/net"}, Tests: []string{cpython}},
		"internal/tool/bridge":   {Imports: []string{fault, event, llm, tool, "internal/tool/stub", "internal/tool/gate", "internal/guest", "internal/agent"}},
	}
}
