// What the official client of TypeScript gets of the door, over HTTP and over a pair of streams.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [url, program] = process.argv.slice(2);

async function tour(name, transport) {
  const client = new Client({ name: "tour", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async (request) => {
    assert.match(request.params.message, /notes\.save/);
    return { action: "accept", content: { decision: "run" } };
  });
  await client.connect(transport);
  const tools = (await client.listTools()).tools.map((t) => t.name);
  assert.ok(tools.includes("run_code") && tools.includes("run_plan"), tools.join());
  const seen = [];
  const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
  const first = await call("run_code", { code: "set a\npicture\nvalue 42" }, { onprogress: (p) => seen.push(p.message) });
  assert.equal(first.structuredContent.result, "42");
  assert.equal(first.content.find((c) => c.type === "image").data, "UE5H");
  assert.ok(seen.some((m) => m.startsWith("running: set a")), seen.join());
  assert.equal((await call("run_code", { code: "get a" })).content[0].text, "a is true");
  assert.equal((await call("run_code", { code: "raise ValueError no" })).isError, true);
  // A call that is given up interrupts its code, and the variables stay.
  const stop = new AbortController();
  await assert.rejects(call("run_code", { code: "print x\nwait" }, { signal: stop.signal, onprogress: (p) => p.message.startsWith("running") && stop.abort() }));
  assert.equal((await call("run_code", { code: "get a" })).content[0].text, "a is true");
  await call("write_file", { path: "a.csv", text: "a,b\n" });
  const uri = (await client.listResources()).resources.find((r) => r.name === "a.csv").uri;
  assert.equal((await client.readResource({ uri })).contents[0].text, "a,b\n");
  const done = await call("run_plan", { plan: "from tools import notes\nprint(notes.save(text='one'))\n" });
  assert.match(done.structuredContent.output, /saved one/);
  if (transport.terminateSession) await transport.terminateSession();
  await client.close();
  console.log("done", name);
}

await tour("http", new StreamableHTTPClientTransport(new URL(url)));
await tour("stdio", new StdioClientTransport({ command: program, env: { ...process.env, PRAXIS_TEST_CHILD: "yes" } }));
