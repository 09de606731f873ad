// Generated from the server's OpenAPI document: "make clients" writes it anew.

// method, path, the parameters of the query, how it is called
export const operations = {
  about: {
    get: ["GET","/v1/about",[],"json"],
  },
  approvals: {
    answer: ["POST","/v1/approvals/{approval}",[],"json"],
    list: ["GET","/v1/approvals",[],"json"],
  },
  audit: {
    list: ["GET","/v1/audit",["limit"],"json"],
  },
  contexts: {
    complete: ["POST","/v1/sessions/{session}/complete",[],"json"],
    create: ["POST","/v1/sessions/{session}/contexts",[],"json"],
    delete: ["DELETE","/v1/sessions/{session}/contexts/{context}",[],"json"],
    list: ["GET","/v1/sessions/{session}/contexts",[],"json"],
    restart: ["POST","/v1/sessions/{session}/contexts/{context}/restart",[],"json"],
  },
  costs: {
    get: ["GET","/v1/costs",["words","status","kind","thread","model","since","until","cost_usd","children","limit"],"json"],
  },
  executions: {
    events: ["GET","/v1/sessions/{session}/executions/{execution}/events",[],"follow"],
    get: ["GET","/v1/sessions/{session}/executions/{execution}",[],"json"],
    interrupt: ["POST","/v1/sessions/{session}/executions/{execution}/interrupt",[],"json"],
    list: ["GET","/v1/sessions/{session}/executions",[],"json"],
    start: ["POST","/v1/sessions/{session}/executions",[],"events"],
  },
  files: {
    archive: ["GET","/v1/sessions/{session}/archive",["path","format"],"download"],
    extract: ["PUT","/v1/sessions/{session}/archive",["path","format"],"upload"],
    list: ["GET","/v1/sessions/{session}/files",["path"],"json"],
    mkdir: ["POST","/v1/sessions/{session}/folders",[],"json"],
    move: ["POST","/v1/sessions/{session}/files/move",[],"json"],
    read: ["GET","/v1/sessions/{session}/file",["path"],"download"],
    remove: ["DELETE","/v1/sessions/{session}/file",["path","recursive"],"json"],
    stat: ["GET","/v1/sessions/{session}/file/info",["path"],"json"],
    watch: ["GET","/v1/sessions/{session}/files/events",["path","recursive"],"watch"],
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
    delete: ["DELETE","/v1/notes/{note}",[],"json"],
    get: ["GET","/v1/notes/{note}",[],"json"],
    list: ["GET","/v1/notes",["thread","tag","limit"],"json"],
  },
  packages: {
    add: ["POST","/v1/sessions/{session}/packages",[],"json"],
  },
  plans: {
    check: ["POST","/v1/plans/check",[],"json"],
    run: ["POST","/v1/plans/run",[],"events"],
  },
  ports: {
    close: ["DELETE","/v1/sessions/{session}/ports/{id}",[],"json"],
    list: ["GET","/v1/sessions/{session}/ports",[],"json"],
    open: ["POST","/v1/sessions/{session}/ports",[],"json"],
  },
  processes: {
    close_input: ["DELETE","/v1/sessions/{session}/processes/{process}/input",[],"json"],
    events: ["GET","/v1/sessions/{session}/processes/{process}/events",[],"follow"],
    get: ["GET","/v1/sessions/{session}/processes/{process}",[],"json"],
    input: ["POST","/v1/sessions/{session}/processes/{process}/input",[],"upload"],
    list: ["GET","/v1/sessions/{session}/processes",[],"json"],
    resize: ["POST","/v1/sessions/{session}/processes/{process}/resize",[],"json"],
    signal: ["POST","/v1/sessions/{session}/processes/{process}/signal",[],"json"],
    start: ["POST","/v1/sessions/{session}/processes",[],"events"],
  },
  records: {
    delete: ["DELETE","/v1/records/{record}",[],"json"],
    export: ["GET","/v1/records/{record}/export",["format"],"download"],
    list: ["GET","/v1/records",["words","status","kind","thread","model","since","until","cost_usd","children","limit"],"json"],
    read: ["GET","/v1/records/{record}",[],"json"],
    replay: ["POST","/v1/records/{record}/replay",[],"json"],
    verify: ["POST","/v1/records/{record}/verify",[],"json"],
  },
  runs: {
    ask: ["POST","/v1/runs",[],"events"],
    cancel: ["POST","/v1/runs/{run}/cancel",[],"json"],
    code: ["POST","/v1/runs/code",[],"events"],
    events: ["GET","/v1/runs/{run}/events",[],"follow"],
    files: ["GET","/v1/runs/{run}/files",[],"download"],
    forget: ["DELETE","/v1/runs/{run}/files",[],"json"],
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
    stored: ["GET","/v1/stored-sessions",[],"json"],
  },
  threads: {
    delete: ["DELETE","/v1/threads/{thread}",[],"json"],
    list: ["GET","/v1/threads",[],"json"],
    turns: ["GET","/v1/threads/{thread}",[],"json"],
  },
  tools: {
    list: ["GET","/v1/tools",["words"],"json"],
  },
  usage: {
    get: ["GET","/v1/usage",[],"json"],
  },
};
