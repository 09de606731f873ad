// Package mcp provides the tools of MCP servers (Model Context Protocol), over
// standard input and output or over streamable HTTP.
//
// # Settings
//
// Of a server over standard input and output:
//
//	command: [npx, -y, "@modelcontextprotocol/server-everything"]
//	env: {TOKEN: "{secret:X}", MODE: fast}   # beside PATH, HOME and a few more; nothing else is inherited
//	dir: .                                    # where it starts, from the file's folder
//	sandbox: false                            # true: it runs in a sandbox, with:
//	image: python-3.14                        # its image
//	packages: ["mcp-server-time==1.0.0"]      # what is installed there
//
// On the host such a server runs only where commands are allowed. Of a server
// over HTTP:
//
//	url: https://mcp.example.com/mcp
//	headers: {Authorization: "Bearer {secret:X}"}
//
// Requests go to that host alone, over that scheme; a redirect elsewhere is an error.
// Only env and headers may have secrets. Servers of both kinds may have:
//
//	namespace: crm                  # before the names of its tools; left out: the server's name
//	tools: {allow: ["get_*"], deny: ["get_secret"]}   # or a list: what is allowed
//	effects: {"get_*": read, send: external}          # the first pattern that matches counts
//	approval: {"delete_*": true}
//	hints: true                     # false: hints that make a tool more harmless do not count
//	trusted: false                  # true: its results may steer calls
//	version: 1.2.0                  # of its tools, in place of what the server says
//
// Patterns are those of path.Match, for the tool's own name or the one it has
// here without its namespace.
//
// # Tools
//
// A tool is called NAMESPACE.NAME, NAME being the server's with an underscore
// for every character that a name cannot have; the server's name for it is in
// x-mcp. Two tools that would get one name are both left out, as is a tool
// whose input schema is none or that only runs as a task: Problems says why. A tool's version is the server's when that
// is a semantic version, else 0.0.0+h and the first 12 digits of the hash of the
// tool's description.
//
// Effects come from the settings, else from the server's hints: readOnlyHint makes
// a tool read, destructiveHint or openWorldHint external, also beside a
// readOnlyHint that then contradicts it (openWorldHint alone does not: a search is
// read); all others write. A hint is the server's claim: whoever does not believe
// it sets hints: false or effects. idempotentHint makes a tool idempotent.
//
// # Results
//
// A tool with an output schema gives its structured content. Without one it gives
// its text, blocks joined by a line break, when there is nothing but text, else
// {"content": [blocks…]} with, if it was sent, "structured". An error of the tool
// is an error with its text.
//
// A server may label tools and results under _meta.ifc: {"integrity": "trusted" or
// "untrusted", "confidentiality": "public", "private" or a list of readers, in
// which "public" stands for everyone}. It can only make a result less trusted and
// readable by fewer than the settings say; what is not understood counts as
// untrusted and private. Labels of blocks count for the whole result.
//
// # Bounds
//
// A message has at most 16 MiB, a server 5,000 tools whose descriptions have
// together 32 MiB. Beside the answers to our calls a server may send messages in
// bursts of 20,000 and 1,000 a second for long; one that floods is stopped. Its
// requests (sampling, elicitation, roots) are refused: the client declares no such ability.
// A start lasts a minute at most, the reading of the list 30 seconds, a call as long as
// its tool may, whatever the server says meanwhile; its end is waited for some seconds.
//
// # Changes
//
// A tool's description is compared with the one it was made from before each
// call: a tool that changed or disappeared is not called (Conflict). What the
// server provides is read again when it says that it changed, after a reconnect,
// and when what is known is older than a minute. A server that died is started
// again at the next call; one that does not answer a ping after a call ran out of
// time is killed.
package mcp
