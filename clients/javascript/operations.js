// Generated from the server's OpenAPI document: "make clients" writes it anew.

// method, path, the parameters of the query, how it is called
export const operations = {
  about: {
    get: ["GET","/v1/about",[],"json"],
  },
  contexts: {
    complete: ["POST","/v1/sessions/{session}/complete",[],"json"],
    restart: ["POST","/v1/sessions/{session}/contexts/{language}/restart",[],"json"],
  },
  costs: {
    get: ["GET","/v1/costs",["words","status","kind","thread","limit"],"json"],
  },
  executions: {
    events: ["GET","/v1/sessions/{session}/executions/{execution}/events",[],"follow"],
    get: ["GET","/v1/sessions/{session}/executions/{execution}",[],"json"],
    interrupt: ["POST","/v1/sessions/{session}/executions/{execution}/interrupt",[],"json"],
    list: ["GET","/v1/sessions/{session}/executions",[],"json"],
    start: ["POST","/v1/sessions/{session}/executions",[],"events"],
  },
  files: {
    list: ["GET","/v1/sessions/{session}/files",["path"],"json"],
    read: ["GET","/v1/sessions/{session}/file",["path"],"download"],
    write: ["PUT","/v1/sessions/{session}/file",["path"],"upload"],
  },
  images: {
    list: ["GET","/v1/images",[],"json"],
  },
  keys: {
    create: ["POST","/v1/keys",[],"json"],
    delete: ["DELETE","/v1/keys/{id}",[],"json"],
    list: ["GET","/v1/keys",[],"json"],
  },
  models: {
    list: ["GET","/v1/models",[],"json"],
  },
  notes: {
    list: ["GET","/v1/notes",["words"],"json"],
  },
  plans: {
    check: ["POST","/v1/plans/check",[],"json"],
    run: ["POST","/v1/plans/run",[],"events"],
  },
  records: {
    delete: ["DELETE","/v1/records/{record}",[],"json"],
    export: ["GET","/v1/records/{record}/export",["format"],"download"],
    list: ["GET","/v1/records",["words","status","kind","thread","limit"],"json"],
    replay: ["POST","/v1/records/{record}/replay",[],"json"],
    verify: ["POST","/v1/records/{record}/verify",[],"json"],
  },
  runs: {
    ask: ["POST","/v1/runs",[],"events"],
    cancel: ["POST","/v1/runs/{run}/cancel",[],"json"],
    code: ["POST","/v1/runs/code",[],"events"],
    events: ["GET","/v1/runs/{run}/events",[],"follow"],
    get: ["GET","/v1/runs/{run}",[],"json"],
    list: ["GET","/v1/runs",[],"json"],
  },
  sessions: {
    create: ["POST","/v1/sessions",[],"json"],
    delete: ["DELETE","/v1/sessions/{session}",[],"json"],
    extend: ["POST","/v1/sessions/{session}/extend",[],"json"],
    fork: ["POST","/v1/sessions/{session}/fork",[],"json"],
    get: ["GET","/v1/sessions/{session}",[],"json"],
    list: ["GET","/v1/sessions",[],"json"],
    pause: ["POST","/v1/sessions/{session}/pause",[],"json"],
    resume: ["POST","/v1/sessions/{session}/resume",[],"json"],
    rollback: ["POST","/v1/sessions/{session}/rollback",[],"json"],
    snapshot: ["POST","/v1/sessions/{session}/snapshots",[],"json"],
    snapshots: ["GET","/v1/sessions/{session}/snapshots",[],"json"],
  },
  threads: {
    delete: ["DELETE","/v1/threads/{thread}",[],"json"],
    list: ["GET","/v1/threads",[],"json"],
    turns: ["GET","/v1/threads/{thread}",[],"json"],
  },
  tools: {
    list: ["GET","/v1/tools",["words"],"json"],
  },
};
