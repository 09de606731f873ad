package archtest

// toolRooms are the tools: what they are, what carries them out, the one gate
// that every call goes through, and the way out to the network.
func toolRooms() map[string]Room {
	const tool = "internal/tool"
	return map[string]Room{
		tool: {Imports: []string{fault}, Third: []string{yaml}, TestThird: []string{schema}},

		"internal/tool/registry": {Imports: []string{fault, tool}},
		"internal/tool/stub":     {Imports: []string{fault, tool, legible}, Tests: []string{cpython, syntax}},
		"internal/tool/typed":    {Imports: []string{fault, legible, tool}, Third: []string{schema}},
		"internal/tool/python":   {Imports: []string{fault, legible, tool, syntax}, Tests: []string{cpython}},
		"internal/tool/command":  {Imports: []string{fault, legible, tool}, Third: []string{unix}},
		"internal/tool/builtin":  {Imports: []string{fault, tool}, Third: []string{"modernc.org/sqlite", "github.com/parquet-go/parquet-go", unix}},
		"internal/tool/web":      {Imports: []string{fault, legible, "internal/netaddr", tool}},
		"internal/tool/openapi":  {Imports: []string{fault, tool}, Third: []string{yaml}, Tests: []string{"internal/tool/web"}},
		"internal/tool/mcp":      {Imports: []string{fault, tool}, Third: []string{"github.com/modelcontextprotocol/go-sdk"}},
		"internal/tool/wasm":     {Imports: []string{fault, "internal/netaddr", tool}, Third: []string{"github.com/tetratelabs/wazero"}},

		// The battery of tools is tests alone, over the parts as app wires them.
		"internal/battery/tools": {Tests: []string{fault, event, wire, tool, "internal/tool/registry", "internal/app", "internal/config", "internal/egress", "internal/gate",
			"internal/guest", "internal/guest/agent", "internal/image", "internal/journal", "internal/offer", "internal/sandbox/gvisor", "internal/session"}},

		"internal/netaddr":  {},
		"internal/gate":     {Imports: []string{fault, legible, event, tool, "internal/plan/label", "internal/plan/policy"}},
		"internal/approval": {Imports: []string{fault, event, tool, legible, "internal/gate"}, Third: []string{unix}},
		"internal/egress":   {Imports: []string{fault, "internal/netaddr", event}, Third: []string{"golang.org/x/net"}, Tests: []string{cpython}},
		"internal/offer":    {Imports: []string{fault, event, llm, tool, "internal/tool/stub", "internal/gate", "internal/guest", "internal/agent"}},
	}
}
