// Generated from the server's OpenAPI document: "make clients" writes it anew.

import type { CallOptions, Content, EventStream, Upload } from "./praxis.js";

export interface About {
  /** the boundary and the limits that this machine gives */
  host: Host;
  version: string;
}

export interface Account {
  day: string;
  in_day: Amounts;
  in_month: Amounts;
  month: string;
}

export interface AddedPackages {
  added: Array<EventPackage>;
  present: Array<EventPackage>;
  /** that the session stands at now; left out: nothing is new */
  snapshot?: string;
}

export interface AllVerified {
  chain: ChainReport;
  records: Array<RecordVerified>;
}

export interface Amounts {
  cpu_s?: number;
  egress_bytes?: number;
  tokens?: number;
  usd?: number;
}

export interface Answer {
  steps: number;
  text: string;
  tokens: Tokens;
  /** every figure of the answer was traced to an output or to the question */
  verified: boolean;
  /** without an answer: the last one that could not be taken */
  draft?: string;
  figures?: Array<Figure>;
  files?: Array<string>;
  /** without an answer: the last output of code */
  found?: string;
  /** why the model had to answer before it was done */
  incomplete?: string;
  made?: Made;
  /** what came of the project */
  project?: ProjectDone;
  /** of a plan: the tools that were not really called */
  rehearsed?: Array<string>;
  /** why not all is kept that code made */
  unsaved?: Error;
  /** the answer as JSON, where it is more than a text */
  value?: unknown;
}

export interface AnswerGiven {
  text: string;
  figures?: Array<Figure>;
  files?: Array<string>;
  incomplete?: string;
  rehearsed?: Array<string>;
  value?: unknown;
}

export interface AnswerTo {
  /** once (this call alone), exact (each call of the run with the same arguments and origins), run (each call of the tool in the run) or deny */
  decision: string;
  /** why; it is recorded, and who made the call reads it */
  reason?: string;
}

export interface AppPlanWaiting {
  arguments: Record<string, unknown> | null;
  decision: string;
  id: string;
  labels: Record<string, DataLabel> | null;
  line: number;
  rule: string;
  state: string;
  tool: string;
  by?: string;
  error?: string;
  file?: string;
  granted?: boolean;
  reason?: string;
  rehearsed?: string;
  result?: string;
  said?: string;
}

export interface AppSkill {
  description: string;
  hash: string;
  module: boolean;
  name: string;
  path: string;
  project: boolean;
  signature: string;
  version: number;
  vouched: boolean;
  packages?: Record<string, string>;
  problem?: string;
  python?: string;
  run?: string;
  step?: number;
  uses?: Record<string, string>;
}

export interface AppTool {
  approval: boolean;
  call: string;
  description: string;
  effects: string;
  from: string;
  hash: string;
  name: string;
  summary: string;
  version: string;
}

export interface AppVerified {
  blobs: number;
  bytes: number;
  checkpoints: number;
  finished: boolean;
  indexed: boolean;
  keys: Array<KeyReport> | null;
  records: number;
  run: string;
  signed: number;
  status: string;
  children?: Array<AppVerified>;
  damage?: Damage;
  file?: string;
  head?: string;
  running?: boolean;
  unchecked?: number;
}

export interface ApprovalGiven {
  by: string;
  granted: boolean;
  id: string;
  bound?: string;
  reason?: string;
  scope?: string;
  who?: string;
}

export interface ApprovalRequested {
  id: string;
  reason: string;
  bound?: string;
}

export interface Approvals {
  approvals: Array<Waiting>;
}

export interface Arg {
  may: Array<Origin> | null;
  name: string;
  any?: boolean;
  must?: Array<Origin>;
}

export interface AttemptChosen {
  marks: Array<AttemptMark> | null;
  n: number;
  why: string;
  run?: string;
}

export interface AttemptMark {
  agree: number;
  answered: boolean;
  complete: boolean;
  errors: number;
  n: number;
  status: string;
  steps: number;
  verified: boolean;
}

export interface AuditEntries {
  entries: Array<Entry>;
}

export interface Bounds {
  output_bytes: number;
  /** milliseconds */
  timeout_ms: number;
  columns?: number;
  /** milliseconds */
  cpu_ms?: number;
  read_only?: boolean;
  whole?: boolean;
}

export interface BranchResult {
  answer: AnswerGiven | null;
  before: ReplayReport | null;
  change: string;
  ended: boolean;
  execution: EventExecution | null;
  id: string;
  kind: string;
  reason: string;
  run: string;
  snapshot: string;
  status: string;
  step: number;
  /** milliseconds */
  took_ms: number;
  notes?: Array<string>;
}

export interface Budget {
  /** how often the same error may come */
  attempts?: number;
  /** of tools */
  calls?: number;
  cost_usd?: number;
  /** how deep runs that code begins may begin others */
  depth?: number;
  execution_s?: number;
  input_tokens?: number;
  output_tokens?: number;
  /** turns of the model in the run and all that it begins together */
  steps?: number;
  /** queries and runs that code may begin in all */
  sub_calls?: number;
  time_s?: number;
  tokens?: number;
}

export interface BuiltImage {
  env: Array<string> | null;
  id: string;
  mounts: Array<Mount> | null;
  name: string;
  packages: Array<ImagePackage> | null;
  root: string;
  runtimes: Array<Runtime> | null;
  steps: number;
  steps_ran: number;
  digest?: string;
  npm?: Array<ImagePackage>;
  start?: Start;
  undriven?: Array<string>;
}

export interface Call {
  id: string;
  name: string;
  input?: Record<string, unknown>;
  raw?: string;
}

export interface CallExplained {
  args: Array<Arg> | null;
  col: number;
  line: number;
  paths: Array<Path> | null;
  rules: Array<RuleInfo> | null;
  tool: string;
  verdict: string;
  anything?: boolean;
  control?: Array<Origin>;
  demands?: Array<string>;
  reason?: string;
  remedy?: string;
  rule?: string;
}

export interface CallMade {
  tool: string;
  sum?: string;
}

export interface Caller {
  child: number;
  depth: number;
  role: string;
  run: string;
  label?: DataLabel;
}

export interface CaseResult {
  expect: string;
  got: Decision;
  name: string;
  pass: boolean;
  place: string;
  rule?: string;
}

export interface ChainReport {
  began: string;
  entries: number;
  head: string;
  lost: Array<LostRun> | null;
  older: number;
  problems: Array<string> | null;
  removed: number;
}

export interface Change {
  bytes: number;
  kind: string;
  path: string;
  sha256?: string;
}

export interface Check {
  code: string;
  name: string;
  expression?: boolean;
}

export interface CheckFinding {
  col: number;
  kind: string;
  level: string;
  line: number;
  message: string;
  end_col?: number;
  end_line?: number;
  paths?: Array<Path>;
  remedy?: string;
  rule?: string;
  tool?: string;
}

export interface CheckLost {
  col: number;
  line: number;
  reason: string;
}

export interface CheckResult {
  accepted: boolean;
  findings: Array<CheckFinding> | null;
  flows: Array<Flow> | null;
  name: string;
  lost?: CheckLost;
  strict?: boolean;
}

export interface CheckStep {
  col: number;
  line: number;
  text: string;
}

export interface ChildBegan {
  depth: number;
  n: number;
  role: string;
  step: number;
  task: string;
  data?: Array<string>;
  given?: string;
  model?: string;
  run?: string;
  snapshot?: string;
}

export interface ChildEnded {
  n: number;
  status: string;
  step: number;
  tokens: Tokens;
  /** milliseconds */
  took_ms: number;
  errors?: number;
  figures?: Array<Figure>;
  files?: Array<string>;
  incomplete?: string;
  kind?: string;
  label?: DataLabel;
  reason?: string;
  remedy?: string;
  run?: string;
  snapshot?: string;
  steps?: number;
  text?: string;
  value?: unknown;
}

export interface ChildReport {
  n: number;
  role: string;
  run: string;
  reason?: string;
  report?: ReplayReport;
}

export interface ClauseStep {
  result: string;
  text: string;
  error?: string;
  labels?: Array<string>;
}

export interface Client {
  key: string;
  tenant: string;
}

export interface CodeDone {
  execution: EventExecution;
  /** of a notebook: the executions of the cells that were run */
  cells?: Array<EventExecution>;
  /** the exit code that the code ended itself with */
  exit?: number;
  language?: string;
  made?: Made;
  /** the module that the code ended for the lack of */
  missing?: Missing;
  /** that a named session stands at now */
  snapshot?: string;
  /** why not all is kept that the code made */
  unsaved?: Error;
  /** every byte of the output was an event */
  whole?: boolean;
}

export interface Completing {
  code: string;
  /** counts characters */
  cursor: number;
  language?: string;
}

export interface Completion {
  end: number;
  matches: Array<string> | null;
  start: number;
}

export interface ConnectionClosed {
  id: string;
  reason: string;
  received_bytes: number;
  sent_bytes: number;
  /** milliseconds */
  took_ms: number;
  injected?: number;
  protocol?: string;
  requests?: number;
}

export interface ConnectionOpened {
  address: string;
  host: string;
  id: string;
  port: number;
  rule: string;
  via: string;
}

export interface ConnectionRefused {
  count: number;
  reason: string;
  code?: string;
  host?: string;
  port?: number;
  remedy?: string;
  via?: string;
}

export interface Container {
  config: string;
  digest: string;
  layers: Array<ContainerLayer> | null;
  platform: string;
  command?: Array<string>;
  entrypoint?: Array<string>;
  left_out?: number;
  user?: string;
  working_dir?: string;
}

export interface ContainerLayer {
  bytes: number;
  digest: string;
  unpacked: number;
}

export interface ContextInfo {
  language: string;
  name: string;
  state: string;
}

export interface Contexts {
  contexts: Array<ContextInfo>;
}

export interface ConversationContinued {
  messages: number;
}

export interface Costs {
  days: Array<Line> | null;
  models: Array<Line> | null;
  total: Line;
}

export interface Damage {
  offset: number;
  problem: string;
  seq: number;
  run?: string;
}

export interface DataLabel {
  anyone: boolean;
  trusted: boolean;
  readers?: Array<string>;
  sources?: Array<string>;
}

export interface Decision {
  explanation: Array<PolicyStep> | null;
  reason: string;
  rule: string;
  verdict: string;
  code?: string;
  members?: Array<string>;
  remedy?: string;
}

export interface DecisionMade {
  id: string;
  rule: string;
  step: number;
  tool: string;
  verdict: string;
  code?: string;
  members?: Array<string>;
  reason?: string;
  remedy?: string;
}

export interface Details {
  bytes: number;
  created: string;
  env: Array<string> | null;
  id: string;
  in_use: boolean;
  name: string;
  names: Array<string> | null;
  packages: Array<ImagePackage> | null;
  runtimes: Array<Runtime> | null;
  shared_bytes: number;
  used: string;
  container?: Container;
  digest?: string;
  start?: Start;
}

export interface Difference {
  diff: string;
  what: string;
  execution?: number;
  is?: string;
  short?: boolean;
  was?: string;
}

export interface Display {
  bundle: Record<string, string> | null;
}

export interface Enforcement {
  by: string;
  limit: string;
  note?: string;
}

export interface Entry {
  request: string;
  status: string;
  time: string;
  before?: string;
  fault?: string;
  key?: string;
  left_out?: number;
  object?: string;
  operation?: string;
  seq?: number;
  tenant?: string;
}

export interface Error {
  kind: "invalid" | "not_found" | "conflict" | "denied" | "exhausted" | "canceled" | "unavailable" | "internal";
  message: string;
  remedy: string;
  code?: string;
  data?: Record<string, string>;
}

export interface EventBudget {
  attempts?: number;
  calls?: number;
  cost_usd?: number;
  depth?: number;
  /** milliseconds */
  execution_ms?: number;
  input?: number;
  output?: number;
  reply?: number;
  run?: number;
  steps?: number;
  sub_calls?: number;
  /** milliseconds */
  time_ms?: number;
  window?: number;
}

export interface EventExecution {
  state: "intact" | "lost" | "restored" | "fresh" | "gone";
  status: "ok" | "error" | "timeout" | "memory" | "output" | "killed" | "interrupted" | "crashed";
  stderr: string;
  stdout: string;
  usage: Usage;
  changes?: Array<Change>;
  displays?: Array<Record<string, string>>;
  error?: Raised;
  limit?: string;
  message?: string;
  output_file?: string;
  result?: Record<string, string>;
  session?: string;
  snapshot?: string;
  state_note?: string;
  stderr_bytes?: number;
  stderr_truncated?: boolean;
  stdout_bytes?: number;
  stdout_truncated?: boolean;
  unlisted?: string;
  variables?: Array<Variable>;
}

export interface EventFinding {
  message: string;
  place: Place;
  rule: string;
  verdict: string;
  argument?: string;
  path?: Array<Place>;
  remedy?: string;
  tool?: string;
}

export interface EventImage {
  id: string;
  name: string;
  digest?: string;
  languages?: Array<Language>;
  npm?: Array<EventPackage>;
  packages?: Array<EventPackage>;
}

export interface EventOutput {
  stream: "stdout" | "stderr";
  text: string;
}

export interface EventPackage {
  name: string;
  version: string;
  hash?: string;
}

export interface EventResult {
  call_id: string;
  text: string;
  is_error?: boolean;
}

export interface EventSkill {
  description: string;
  hash: string;
  name: string;
  signature: string;
  version: number;
  tool?: string;
  untrusted?: boolean;
}

export interface EventTool {
  description: string;
  name: string;
  schema: Record<string, unknown> | null;
}

export interface Execution {
  began: string;
  ended: boolean;
  id: string;
  session: string;
  /** what the code did, once it has ended */
  execution?: EventExecution;
  /** why it could not be run */
  failure?: Error;
}

export interface ExecutionBegan {
  code: string;
  step: number;
  check?: string;
  context?: string;
  file?: string;
  fills?: Array<string>;
  language?: string;
  purpose?: string;
  session?: string;
  untrusted?: boolean;
}

export interface ExecutionEnded {
  execution: EventExecution;
  step: number;
}

export interface Executions {
  executions: Array<Execution>;
}

export interface Exit {
  code: number;
  reason?: string;
  signal?: number;
}

export interface Facts {
  arguments: unknown;
  bound: string;
  description: string;
  effects: string;
  found: Record<string, Array<Found>> | null;
  id: string;
  labels: Record<string, DataLabel> | null;
  line: number;
  new: Record<string, Array<string>> | null;
  odd: Record<string, Array<string>> | null;
  origin: string;
  reason: string;
  rule: string;
  run: string;
  tool: string;
  tool_hash: string;
  tool_version: string;
  version: number;
  rehearsed?: boolean;
  title?: string;
}

export interface Figure {
  source: string;
  text: string;
  expression?: string;
  match?: Match;
  nearest?: Match;
  partial?: string;
  said?: string;
  typed?: number;
}

export interface File {
  bytes: number;
  changed: string;
  path: string;
  regular: boolean;
}

export interface FileChange {
  path: string;
  type: string;
}

export interface FileGiven {
  bytes: number;
  name: string;
  path: string;
  sha256: string;
  form?: string;
  role?: string;
  variable?: string;
  withheld?: string;
}

export interface FileInfo {
  bytes: number;
  changed: string;
  kind: string;
  mode: number;
  path: string;
  target?: string;
}

export interface FileSaved {
  bytes: number;
  path: string;
}

export interface Files {
  files: Array<File>;
}

export interface Flow {
  args: Array<Arg> | null;
  col: number;
  line: number;
  tool: string;
  verdict: string;
  anything?: boolean;
  control?: Array<Origin>;
  rule?: string;
}

export interface FolderUsage {
  bytes: number;
  name: string;
}

export interface Forking {
  /** how many, 1 to 100; 0: one */
  count?: number;
  /** the name of a single copy; left out: one is chosen */
  id?: string;
  /** seconds after which they are deleted; 0: not by themselves */
  lasts_s?: number;
}

export interface Found {
  quote: string;
  text: string;
}

export interface From {
  run?: string;
  step?: number;
  thread?: string;
}

export interface GivenFile {
  /** in the working folder */
  name: string;
  /** base64, in the place of text */
  data?: string;
  text?: string;
}

export interface GivenProject {
  /** base64: a tar archive of its files */
  files: string;
  /** tests may be changed, too */
  edit_tests?: boolean;
  /** of its folder */
  name?: string;
  /** the command that runs its tests, for /bin/sh in its folder; they decide */
  test?: string;
}

export interface Going {
  /** with what is used; zeros: as recorded */
  budget?: Budget;
  /** answer at once; the run goes on when the caller is gone */
  detach?: boolean;
  /** keep the files and pictures that code makes until runs.files has fetched them */
  keep_files?: boolean;
  /** with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on */
  linger_s?: number;
  /** with those that were taken; 0: as recorded */
  max_steps?: number;
  /** left out: the recorded one */
  model?: string;
  /** answer with events as they happen */
  stream?: boolean;
  /** a call that somebody has to agree to is denied at once; otherwise it is an open question */
  unattended?: boolean;
}

export interface HistoryCondensed {
  bytes: number;
  messages: number;
  step: number;
  summary: string;
  whole: string;
}

export interface Host {
  backend: string;
  boundary: string;
  findings: Array<SandboxFinding> | null;
  limits: Array<Enforcement> | null;
  platform: string;
  root: boolean;
}

export interface ImageImage {
  env: Array<string> | null;
  id: string;
  mounts: Array<Mount> | null;
  name: string;
  packages: Array<ImagePackage> | null;
  root: string;
  runtimes: Array<Runtime> | null;
  digest?: string;
  npm?: Array<ImagePackage>;
  start?: Start;
  undriven?: Array<string>;
}

export interface ImageInfos {
  images: Array<Info>;
}

export interface ImagePackage {
  hash: string;
  name: string;
  version: string;
}

export interface ImagePull {
  /** such as python:3.13-slim or registry.example.com/name@sha256:… */
  reference: string;
}

export interface ImageStep {
  by: string;
  bytes: number;
  created: string;
  unpacked: number;
  comment?: string;
  layer?: string;
}

export interface ImageSteps {
  steps: Array<ImageStep>;
}

export interface Imported {
  began: string;
  bytes: number;
  head: string;
  id: string;
  kind: string;
  question: string;
  records: number;
  status: string;
  steps: number;
  tokens: Tokens;
  /** milliseconds */
  took_ms: number;
  caller?: Caller;
  children?: number;
  files?: number;
  image?: string;
  imported?: boolean;
  local?: boolean;
  model?: string;
  others?: Record<string, Tokens>;
  parent?: Parent;
  program?: string;
  reason?: string;
  scripted?: boolean;
  seed?: number;
  thread?: string;
  /** ids of keys that signed it and are not known here */
  unknown_keys?: Array<string>;
}

export interface Info {
  bytes: number;
  created: string;
  id: string;
  in_use: boolean;
  name: string;
  packages: Array<ImagePackage> | null;
  shared_bytes: number;
  used: string;
  digest?: string;
}

export interface InputChange {
  is: string;
  name: string;
  was: string;
}

export interface Key {
  id: string;
  made: string;
  scopes: Array<"read" | "run" | "approve" | "admin"> | null;
  tenant: string;
  expires?: string;
  name?: string;
  quota?: Quota;
}

export interface KeyReport {
  id: string;
  known: boolean;
  public: string;
  after?: Array<string>;
  through?: string;
}

export interface Keys {
  keys: Array<Key>;
}

export interface LabelLowered {
  by: string;
  from: DataLabel;
  id: string;
  step: number;
  to: DataLabel;
  who?: string;
  why?: string;
}

export interface Labeled {
  /** what was done, in a few words */
  label?: string;
}

export interface Language {
  name: string;
  version: string;
}

export interface Lasting {
  /** seconds from now after which it is deleted; 0: not by itself */
  lasts_s: number;
}

export interface Limits {
  cpus: number;
  disk_bytes: number;
  memory_bytes: number;
  open_files: number;
  processes: number;
  user_namespaces?: number;
}

export interface Line {
  name: string;
  runs: number;
  tokens: Tokens;
  /** milliseconds */
  took_ms: number;
  usd: number;
  incomplete_runs?: number;
  scripted_runs?: number;
  unknown?: Unknown;
}

export interface ListedRun {
  began: string;
  bytes: number;
  head: string;
  id: string;
  kind: string;
  question: string;
  records: number;
  status: string;
  steps: number;
  tokens: Tokens;
  /** milliseconds */
  took_ms: number;
  caller?: Caller;
  children?: number;
  files?: number;
  image?: string;
  imported?: boolean;
  local?: boolean;
  model?: string;
  others?: Record<string, Tokens>;
  parent?: Parent;
  program?: string;
  reason?: string;
  scripted?: boolean;
  seed?: number;
  thread?: string;
  usd?: number;
}

export interface LiveOutput {
  stream: "stdout" | "stderr";
  data?: string;
  text?: string;
}

export interface LostRun {
  run: string;
  time: string;
  who: string;
}

export interface Made {
  /** that were written or changed */
  files?: number;
  /** hosts that the pages name and do not load from */
  needs?: Array<string>;
  /** of HTML */
  pages?: number;
  /** that were displayed */
  pictures?: number;
  /** that runs.files fetches */
  saved?: Array<SavedFile>;
  /** why files is not known */
  unlisted?: string;
}

export interface MadeKey {
  id: string;
  key: string;
  made: string;
  scopes: Array<"read" | "run" | "approve" | "admin">;
  tenant: string;
  expires?: string;
  name?: string;
  quota?: Quota;
}

export interface Match {
  text: string;
  in?: string;
  line?: number;
  stated?: boolean;
  step?: number;
}

export interface Message {
  role: string;
  calls?: Array<Call>;
  pictures?: Array<Picture>;
  reasoning?: Reasoning;
  results?: Array<EventResult>;
  text?: string;
}

export interface Missing {
  language: string;
  module: string;
  package: string;
}

export interface ModelDelta {
  step: number;
  text: string;
  reasoning?: boolean;
}

export interface ModelFailed {
  reason: string;
  step: number;
  /** milliseconds */
  took_ms: number;
  call?: string;
}

export interface ModelList {
  providers: Array<ProviderModels>;
}

export interface ModelReplied {
  step: number;
  text: string;
  thought: string;
  tokens: Tokens;
  /** milliseconds */
  took_ms: number;
  call?: string;
  calls?: Array<Call>;
  cut?: boolean;
  model?: string;
  reasoning?: Reasoning;
}

export interface ModelRequested {
  max_tokens: number;
  messages: Array<Message> | null;
  model: string;
  repeated: number;
  step: number;
  system: string;
  call?: string;
  tools?: Array<EventTool>;
}

export interface ModelRetrying {
  /** milliseconds */
  after_ms: number;
  attempt: number;
  reason: string;
  step: number;
  model?: string;
}

export interface Mount {
  Source: string;
  Target: string;
}

export interface Moving {
  from: string;
  to: string;
}

export interface NamedInfo {
  created: string;
  head: string;
  image: ImageImage;
  limits: Limits;
  name: string;
  snapshots: Array<SnapshotInfo> | null;
  used: string;
  version: number;
  date?: string;
  forked?: string;
  seed?: number;
  unsealed?: boolean;
}

export interface NewBranch {
  /** the step */
  from: number;
  /** other code in that step */
  code?: string;
  /** answer at once; the run goes on when the caller is gone */
  detach?: boolean;
  /** with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on */
  linger_s?: number;
  /** also from a state that could only be made again differently */
  loose?: boolean;
  /** that goes on; left out: the recorded replies */
  model?: string;
  /** another one; it needs a model */
  question?: string;
  /** answer with events as they happen */
  stream?: boolean;
  /** a call that somebody has to agree to is denied at once; otherwise it is an open question */
  unattended?: boolean;
}

export interface NewCode {
  code: string;
  args?: Array<string>;
  /** of each execution; zero fields: the usual ones */
  bounds?: Bounds;
  /** when a session with a seed begins by its clocks */
  date?: string;
  /** answer at once; the run goes on when the caller is gone */
  detach?: boolean;
  /** name of the file that the code was read from */
  file?: string;
  files?: Array<GivenFile>;
  image?: string;
  /** keep the files and pictures that code makes until runs.files has fetched them: those of the last 16 such runs */
  keep_files?: boolean;
  language?: string;
  /** that the session has, the main one first */
  languages?: Array<string>;
  /** of the session; zero fields: the usual ones */
  limits?: Limits;
  /** with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on */
  linger_s?: number;
  /** a named session that it runs in; left out: one of its own */
  name?: string;
  /** base64: a Jupyter notebook, whose cells are run in the place of code */
  notebook?: string;
  /** packages of npm */
  npm?: Array<string>;
  /** add the packages that the code itself names (PEP 723) */
  own_packages?: boolean;
  seed?: number;
  /** base64: what the code reads from standard input */
  stdin?: string;
  /** answer with events as they happen */
  stream?: boolean;
  timeout_s?: number;
  /** a call that somebody has to agree to is denied at once; otherwise it is an open question */
  unattended?: boolean;
  /** packages of Python */
  with?: Array<string>;
}

export interface NewContext {
  /** left out: the session's first */
  language?: string;
  /** left out: one is chosen */
  name?: string;
}

export interface NewExecution {
  code: string;
  /** zero fields: the usual ones */
  bounds?: Bounds;
  /** a context that was made; left out: that of the language */
  context?: string;
  /** answer at once; the code goes on when the caller is gone */
  detach?: boolean;
  /** a name such as python, javascript, sql or bash; left out: the session's first */
  language?: string;
  /** with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on */
  linger_s?: number;
  /** that the result holds; 0: the usual number */
  output_bytes?: number;
  /** answer with events as they happen */
  stream?: boolean;
  /** wall time; 0: the usual one */
  timeout_s?: number;
}

export interface NewFolder {
  path: string;
}

export interface NewImage {
  /** the text of an image file; it copies nothing, and reaches the operator's hosts alone */
  file?: string;
  /** that they are added to */
  image?: string;
  languages?: Array<string>;
  /** of the file; left out: image.yaml */
  name?: string;
  /** packages of npm */
  npm?: Array<string>;
  /** packages of Python, in the place of a file */
  with?: Array<string>;
}

export interface NewKey {
  /** seconds after which it expires; 0: never */
  lasts_s?: number;
  /** what it is for */
  name?: string;
  /** how much may be used with it, beside what the tenant may */
  quota?: Quota;
  /** read, run, approve, admin; left out: read and run */
  scopes?: Array<"read" | "run" | "approve" | "admin">;
}

export interface NewPackages {
  /** such as polars, plotly>=6 or, of npm, npm:lodash */
  packages: Array<string>;
}

export interface NewPlan {
  text: string;
  /** answer at once; the run goes on when the caller is gone */
  detach?: boolean;
  /** values of the declared inputs */
  inputs?: Record<string, unknown>;
  /** a call that somebody has to agree to lets the plan wait for plans.resume; otherwise it is an open question */
  later?: boolean;
  /** with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on */
  linger_s?: number;
  /** that answers without tools */
  model?: string;
  /** of its file; left out: plan.py */
  name?: string;
  /** what the plan's clock shows; left out: the time */
  now?: string;
  seed?: number;
  /** answer with events as they happen */
  stream?: boolean;
  /** count implicit flows, too */
  strict?: boolean;
  timeout_s?: number;
  /** a call that somebody has to agree to is denied at once; otherwise it is an open question */
  unattended?: boolean;
}

export interface NewPort {
  /** at which a program of the session listens, or will */
  port: number;
  /** the host name, which cannot be guessed, is enough to reach it; false: requests need the token, too */
  browser?: boolean;
  /** seconds after which it is closed, at most 86400; 0: an hour */
  lasts_s?: number;
}

export interface NewProcess {
  /** the program, looked up in PATH, and its arguments */
  argv: Array<string>;
  /** left out: the working folder */
  cwd?: string;
  /** answer at once; the process goes on when the caller is gone */
  detach?: boolean;
  /** beside the session's */
  env?: Record<string, string>;
  /** it can be written to; false: its standard input is empty */
  stdin?: boolean;
  /** answer with what it writes as it comes, as events output: stream, and text or, where it is not whole characters of UTF-8, data in base64 */
  stream?: boolean;
  /** gives it a terminal of its own */
  terminal?: TerminalSize;
}

export interface NewSession {
  /** its name: letters, digits, '.', '_' and '-'; left out: one is chosen */
  id?: string;
  /** a name, an id or the reference of an image that is there; left out: the usual one */
  image?: string;
  /** that code will be in, the main one first */
  languages?: Array<string>;
  /** seconds after which it is deleted; 0: not by itself */
  lasts_s?: number;
  /** zero fields: the usual ones */
  limits?: Limits;
  /** the caller's own, at most 64 entries */
  metadata?: Record<string, string>;
  /** packages of npm */
  npm?: Array<string>;
  /** makes the session deterministic */
  seed?: number;
  /** packages of Python, such as pandas==2.* */
  with?: Array<string>;
}

export interface NewSkill {
  /** the function, in Python */
  code?: string;
  /** left out: what the function says of itself */
  description?: string;
  image?: string;
  /** of the function; of a run, left out: every one that its code had stored */
  name?: string;
  /** of the run, in the place of code */
  record?: string;
  /** of the code, in Python */
  tests?: string;
  /** packages of Python that the tests need */
  with?: Array<string>;
}

export interface Note {
  created: string;
  from: From;
  id: string;
  text: string;
  tags?: Array<string>;
}

export interface Notes {
  notes: Array<Note>;
}

export interface NotesFound {
  notes: number;
  step: number;
}

export interface Notice {
  text: string;
  code?: string;
  data?: Record<string, string>;
  remedy?: string;
}

export interface OpenPorts {
  ports: Array<Port>;
}

export interface Origin {
  kind: string;
  name: string;
  trusted: boolean;
  col?: number;
  endorsed?: boolean;
  line?: number;
}

export interface OutlineWritten {
  step: number;
  text: string;
  revised?: boolean;
}

export interface PackageChange {
  is: string;
  name: string;
  was: string;
}

export interface Parent {
  change: string;
  run: string;
  step?: number;
}

export interface Past {
  bytes: number;
  conversation: string;
  messages: number;
  run: string;
  snapshot?: string;
}

export interface PatchMade {
  bytes: number;
  files: Array<PatchedFile> | null;
  passed: boolean;
  sha256: string;
  left_out?: Array<string>;
  withheld?: string;
}

export interface PatchedFile {
  added: number;
  change: string;
  path: string;
  removed: number;
  binary?: boolean;
  from?: string;
}

export interface Path {
  argument: string;
  source: string;
  steps: Array<CheckStep> | null;
  trusted: boolean;
}

export interface Picture {
  data: string | null;
  type: string;
  name?: string;
}

export interface Place {
  col: number;
  line: number;
  text?: string;
}

export interface PlanCall {
  arguments: Record<string, unknown> | null;
  decision: string;
  id: string;
  labels: Record<string, DataLabel> | null;
  line: number;
  rule: string;
  tool: string;
  by?: string;
  error?: string;
  granted?: boolean;
  reason?: string;
  rehearsed?: string;
  result?: string;
  said?: string;
}

export interface PlanChecked {
  accepted: boolean;
  step: number;
  call?: string;
  findings?: Array<EventFinding>;
}

export interface PlanDone {
  calls: Array<PlanCall>;
  check: CheckResult | null;
  label: DataLabel;
  output: string;
  run: string;
  status: string;
  tokens: Tokens;
  used: PlanUsage;
  /** it waits for a person's decision, not for a result */
  approval?: boolean;
  error?: string;
  /** something implements the tool that it waits at */
  implemented?: boolean;
  /** that the plan broke */
  limit?: Error;
  line?: number;
  waiting?: AppPlanWaiting;
}

export interface PlanEnded {
  label: DataLabel;
  status: string;
  step: number;
  used: PlanUsage;
  call?: string;
  error?: string;
  line?: number;
  output?: string;
}

export interface PlanExplained {
  accepted: boolean;
  calls: Array<CallExplained> | null;
  findings: Array<CheckFinding> | null;
  name: string;
}

export interface PlanGoing {
  /** go on also when it was gone on with before; it takes the scope approve */
  again?: boolean;
  /** whether the call may be made; it takes the scope approve */
  approve?: boolean;
  /** answer at once; the run goes on when the caller is gone */
  detach?: boolean;
  /** why the caller vouches for the result; it takes the scope approve */
  endorse?: string;
  /** why the call has no result */
  error?: string;
  /** as in plans.run */
  later?: boolean;
  /** with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on */
  linger_s?: number;
  /** the call was approved before, and is made now */
  make?: boolean;
  /** of the decision */
  reason?: string;
  /** of the call, which is not made then */
  result?: unknown;
  /** answer with events as they happen */
  stream?: boolean;
  timeout_s?: number;
  /** a call that somebody has to agree to is denied at once; otherwise it is an open question */
  unattended?: boolean;
}

export interface PlanResumed {
  state: string;
  example?: string;
  rehearsed?: Array<string>;
  run?: string;
}

export interface PlanText {
  text: string;
  /** of its file; left out: plan.py */
  name?: string;
  /** count implicit flows, too */
  strict?: boolean;
}

export interface PlanUsage {
  calls: number;
  steps: number;
}

export interface PlanWaiting {
  arguments: Record<string, unknown> | null;
  decision: string;
  id: string;
  labels: Record<string, DataLabel> | null;
  line: number;
  rule: string;
  state: string;
  tool: string;
  /** it waits for a person's decision, not for a result */
  approval?: boolean;
  by?: string;
  error?: string;
  file?: string;
  granted?: boolean;
  /** something implements the tool */
  implemented?: boolean;
  reason?: string;
  rehearsed?: string;
  result?: string;
  said?: string;
}

export interface PlanWaits {
  bytes: number;
  id: string;
  state: string;
  step: number;
  output?: string;
}

export interface PlanWritten {
  code: string;
  mode: string;
  now: string;
  step: number;
  call?: string;
  inputs?: Record<string, unknown>;
  made?: Array<CallMade>;
  name?: string;
  policy?: string;
  tools?: Array<ToolPin>;
}

export interface PolicyAnswer {
  /** of the call */
  decision?: Decision;
  policy?: PolicyExplained;
}

export interface PolicyExplained {
  file: string;
  rules: Array<RuleInfo> | null;
  tools: Array<ToolRules> | null;
}

export interface PolicyReport {
  cases: Array<CaseResult> | null;
  failed: number;
  uncovered: Array<RuleInfo> | null;
}

export interface PolicyStep {
  decision: string;
  result: string;
  rule: string;
  clauses?: Array<ClauseStep>;
}

export interface PolicyText {
  /** of policies.explain: a call to decide, as JSON, as in a test of a policy */
  call?: string;
  /** of its file; left out: policy.yaml */
  name?: string;
  /** its text; left out: the server's */
  policy?: string;
}

export interface Port {
  browser: boolean;
  ends: string;
  /** the name under which it answers, at the server's own port */
  host: string;
  id: string;
  port: number;
  /** to be sent as X-Praxis-Port-Token; shown once */
  token?: string;
  /** as it is asked from where this was asked */
  url?: string;
}

export interface Problem {
  detail: string;
  kind: "invalid" | "not_found" | "conflict" | "denied" | "exhausted" | "canceled" | "unavailable" | "internal";
  status: number;
  title: string;
  type: string;
  code?: string;
  data?: Record<string, string>;
  remedy?: string;
  request_id?: string;
}

export interface Process {
  /** the beginning of it, of a process that came with a saved state */
  argv: Array<string>;
  began: string;
  ended: boolean;
  id: string;
  /** its number inside the session */
  pid: number;
  session: string;
  /** it can be written to */
  stdin: boolean;
  terminal: boolean;
  /** it wrote more than that */
  cut?: boolean;
  cwd?: string;
  /** how it ended, once it has */
  exit?: Exit;
  /** why it is not known how it ended */
  lost?: string;
  /** the last 64 KiB */
  stderr?: string;
  /** the last 64 KiB of what it wrote; of a terminal, all that it showed */
  stdout?: string;
}

export interface Processes {
  processes: Array<Process>;
}

export interface Progress {
  stage: string;
  text: string;
}

export interface ProjectDone {
  /** of git; empty: nothing was changed */
  diff: string;
  files: Array<PatchedFile>;
  /** the sum of the files that were changed */
  of: string;
  /** its tests pass with the changes, or without any */
  passed: boolean;
  /** what they said of the changes */
  after?: TestsRan;
  /** what the tests said at first */
  before?: TestsRan;
  /** base64: a tar archive of the files that are new or changed */
  changed?: string;
  /** paths of the files that are no more */
  gone?: Array<string>;
  /** new files that are no part of the diff */
  left_out?: Array<string>;
  /** why no model was asked */
  nothing?: string;
}

export interface ProviderModels {
  key_set: boolean;
  key_variable: string;
  models: Array<string> | null;
  provider: string;
  failure?: Error;
  server?: string;
}

export interface PrunedSession {
  bytes: number;
  left: number;
  name: string;
  needed: number;
  steps: Array<Removed> | null;
  in_use?: boolean;
}

export interface PrunedSessions {
  sessions: Array<PrunedSession>;
}

export interface Question {
  question: string;
  /** of each execution; zero fields: the usual ones */
  bounds?: Bounds;
  /** attempts that are made side by side, of which the best is chosen; 0: one */
  branches?: number;
  budget?: Budget;
  /** Python that runs when the model has answered */
  checks?: Array<Check>;
  /** when a session with a seed begins by its clocks */
  date?: string;
  /** answer at once; the run goes on when the caller is gone */
  detach?: boolean;
  /** low, medium or high */
  effort?: string;
  /** models that are asked when those before fail for good */
  fallback_models?: Array<string>;
  files?: Array<GivenFile>;
  image?: string;
  /** Python that runs before the model is asked */
  input_checks?: Array<Check>;
  /** keep the files and pictures that code makes until runs.files has fetched them: those of the last 16 such runs */
  keep_files?: boolean;
  /** the main one of the model's code */
  language?: string;
  /** of the mode plan: a call that somebody has to agree to lets the plan wait for plans.resume */
  later?: boolean;
  /** the model may have functions stored as skills */
  learn?: boolean;
  /** of the session; zero fields: the usual ones */
  limits?: Limits;
  /** with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on */
  linger_s?: number;
  max_steps?: number;
  /** code, tools, both or plan (by a plan whose flows are proved); left out: code */
  mode?: string;
  /** PROVIDER:NAME; left out: the server's usual one */
  model?: string;
  /** no stored skill is given to the run */
  no_skills?: boolean;
  /** let the model keep notes and find those of all threads */
  notes?: boolean;
  /** packages of npm */
  npm?: Array<string>;
  /** of the mode plan: how many plans the model may write; 0: the usual number */
  plans?: number;
  /** that the model works on, with the question as its task */
  project?: GivenProject;
  /** a JSON Schema that the answer must keep to */
  schema?: unknown;
  seed?: number;
  /** the model sees pictures, although its server does not say so */
  sees?: boolean;
  /** show the model which variables each step made and changed */
  show_changes?: boolean;
  /** answer with events as they happen */
  stream?: boolean;
  /** an answer with a figure that is found nowhere is none */
  strict?: boolean;
  /** react, program or plan-first; left out: the server's usual one */
  style?: string;
  /** that code may name beside the run's own */
  subcall_models?: Array<string>;
  /** let code query models and begin runs of its own */
  subcalls?: boolean;
  /** the conversation that the question goes on with */
  thread?: string;
  /** wall time of each execution; 0: the usual one */
  timeout_s?: number;
  /** a call that somebody has to agree to is denied at once; otherwise it is an open question */
  unattended?: boolean;
  /** packages of Python */
  with?: Array<string>;
}

export interface Quota {
  day?: Amounts;
  disk_bytes?: number;
  memory_bytes?: number;
  month?: Amounts;
  requests_per_s?: number;
  sessions?: number;
}

export interface Raised {
  name: string;
  traceback: string;
  value: string;
  hint?: string;
}

export interface Reasoning {
  model?: string;
  signature?: string;
  text?: string;
}

export interface RecordVerified {
  record: string;
  /** whole, unfinished, stranger (signed by a key that is not known) or broken */
  status: string;
}

export interface Recorded {
  events: Array<RecordedEvent>;
  id: string;
  children?: Array<Recorded>;
  /** why the rest is missing */
  damage?: string;
}

export interface RecordedEvent {
  data: unknown;
  event: string;
  /** its place in the record */
  seq: number;
  time: string;
}

export interface Records {
  /** there are others */
  more: boolean;
  records: Array<ListedRun>;
}

export interface Removed {
  bytes: number;
  created: string;
  id: string;
  why: string;
  used?: string;
}

export interface RemovedRun {
  lost: boolean;
  run: string;
}

export interface ReplayReport {
  /** milliseconds */
  executed_ms: number;
  identical: boolean;
  kind: string;
  question: string;
  run: string;
  seeded: boolean;
  steps: Array<StepReport> | null;
  /** milliseconds */
  took_ms: number;
  children?: Array<ChildReport>;
  cut?: string;
  ending?: Array<Difference>;
  first?: number;
  image?: string;
  inputs?: Array<InputChange>;
  limits?: boolean;
  notes?: Array<string>;
  packages?: Array<PackageChange>;
  policy?: string;
  tools?: Array<ToolChange>;
  unfinished?: boolean;
}

export interface Replayed {
  identical: boolean;
  /** the same for a program */
  details?: unknown;
  /** what differs, for a person */
  report?: string;
  unfinished?: boolean;
}

export interface ReplyRejected {
  reason: string;
  step: number;
  draft?: string;
}

export interface ReplyTrimmed {
  reason: string;
  step: number;
}

export interface Repo {
  name: string;
  edit_tests?: boolean;
  test?: string;
}

export interface Resizing {
  cols: number;
  rows: number;
}

export interface RestLost {
  /** how many */
  events: number;
}

export interface Rollback {
  /** its id; left out: the one before the last */
  snapshot?: string;
}

export interface RuleInfo {
  decision: string;
  name: string;
  place: string;
  reason: string;
  tools: Array<string> | null;
  remedy?: string;
  when?: string;
}

export interface Run {
  began: string;
  ended: boolean;
  /** of the run on this server */
  id: string;
  /** of a question */
  answer?: Answer;
  /** of a branch */
  branch?: BranchResult;
  /** of a piece of code */
  code?: CodeDone;
  /** why it did not come to its end */
  failure?: Error;
  /** of a plan */
  plan?: PlanDone;
  /** id of its record, once it has ended */
  record?: string;
  /** the call that the plan of a question waits at; plans.resume goes on */
  waiting?: PlanWaiting;
}

export interface RunBegan {
  bounds: Bounds;
  budget: EventBudget;
  kind: string;
  question: string;
  scripted: boolean;
  args?: Array<string>;
  branches?: number;
  caller?: Caller;
  checks?: Array<Check>;
  client?: Client;
  context?: string;
  effort?: string;
  fallbacks?: Array<string>;
  file?: string;
  files?: Array<string>;
  host?: string;
  input_checks?: Array<Check>;
  language?: string;
  learn?: boolean;
  max_steps?: number;
  mode?: string;
  model?: string;
  net?: Array<string>;
  parent?: Parent;
  program?: string;
  repo?: Repo;
  schema?: unknown;
  seed?: number;
  show_changes?: boolean;
  strict?: boolean;
  style?: string;
  subcall_models?: Array<string>;
  subcalls?: boolean;
  thread?: string;
  tools?: Array<ToolPin>;
  traits?: Traits;
  untrusted?: boolean;
  user?: string;
}

export interface RunConcluding {
  reason: string;
  step: number;
  budget?: string;
}

export interface RunEnded {
  status: string;
  steps: number;
  tokens: Tokens;
  /** milliseconds */
  took_ms: number;
  draft?: string;
  found?: string;
  reason?: string;
}

export interface Runs {
  runs: Array<Run>;
}

export interface Runtime {
  language: string;
  program: string;
  version: string;
  preload?: Array<string>;
  spec?: Spec;
}

export interface SandboxFinding {
  fatal: boolean;
  remedy: string;
  what: string;
}

export interface SavedFile {
  bytes: number;
  path: string;
}

export interface Session {
  id: string;
  made: string;
  /** live, paused (the next call opens it) or lost (the server ended before it was saved) */
  state: "live" | "paused" | "lost";
  /** while it is live: packages that it was given beside those of its image */
  added?: Array<EventPackage>;
  /** when it is deleted; left out: not by itself */
  ends?: string;
  /** while it is live */
  image?: EventImage;
  /** while it is live */
  limits?: Limits;
  metadata?: Record<string, string>;
  seed?: number;
}

export interface SessionBegan {
  image: EventImage;
  limits: Limits;
  session: string;
  added?: Array<EventPackage>;
  date?: string;
  name?: string;
  seed?: number;
  snapshot?: string;
}

export interface SessionEnded {
  session: string;
}

export interface SessionForked {
  from: string;
  session: string;
  snapshot: string;
}

export interface SessionPrune {
  /** say what would go, and remove nothing */
  dry_run?: boolean;
  /** how many states of each stay, the last ones; with neither this nor older_than_s: the server's usual */
  keep?: number;
  /** seconds: younger ones stay */
  older_than_s?: number;
  /** left out: all */
  sessions?: Array<string>;
}

export interface SessionRolledBack {
  session: string;
  snapshot: string;
}

export interface Sessions {
  sessions: Array<Session>;
}

export interface Signaling {
  /** its number: 15 asks to end (TERM), 9 ends (KILL), 2 is Ctrl-C (INT), 1 a terminal that is closed (HUP) */
  signal: number;
}

export interface SkillChange {
  description: string;
  hash: string;
  module: boolean;
  name: string;
  path: string;
  project: boolean;
  signature: string;
  version: number;
  vouched: boolean;
  written: boolean;
  packages?: Record<string, string>;
  problem?: string;
  python?: string;
  run?: string;
  step?: number;
  uses?: Record<string, string>;
}

export interface SkillChanges {
  skills: Array<SkillChange>;
}

export interface SkillDetails {
  code: string;
  description: string;
  hash: string;
  module: boolean;
  name: string;
  older: Array<number> | null;
  path: string;
  project: boolean;
  signature: string;
  tests: string;
  version: number;
  vouched: boolean;
  packages?: Record<string, string>;
  problem?: string;
  python?: string;
  run?: string;
  step?: number;
  uses?: Record<string, string>;
}

export interface SkillNames {
  /** that they run */
  image?: string;
  /** left out: all */
  skills?: Array<string>;
  /** packages of Python that the sessions of the tests have */
  with?: Array<string>;
}

export interface SkillSaved {
  name: string;
  step: number;
  hash?: string;
  output?: string;
  refused?: string;
  version?: number;
}

export interface SkillTest {
  name: string;
  ok: boolean;
  version: number;
  output?: string;
  why?: string;
}

export interface SkillTests {
  tests: Array<SkillTest>;
}

export interface Skills {
  skills: Array<AppSkill>;
}

export interface SkillsGiven {
  skills: Array<EventSkill> | null;
}

export interface Snapshot {
  /** the session stands there */
  head: boolean;
  id: string;
  bytes?: number;
  created?: string;
  label?: string;
  parent?: string;
}

export interface SnapshotInfo {
  bytes: number;
  created: string;
  head: boolean;
  id: string;
  label: string;
  added?: Array<ImagePackage>;
  parent?: string;
  stored_bytes?: number;
}

export interface SnapshotTaken {
  bytes: number;
  session: string;
  snapshot: string;
  step: number;
}

export interface Snapshots {
  snapshots: Array<Snapshot>;
}

export interface Spec {
  argv: Array<string> | null;
  display_name: string;
  name: string;
  directory?: string;
  env?: Record<string, string>;
  message?: boolean;
}

export interface Start {
  command: string;
  wait_ns: number;
  check?: string;
  port?: number;
}

export interface StepBegan {
  step: number;
}

export interface StepReport {
  identical: boolean;
  step: number;
  causes?: Array<string>;
  differences?: Array<Difference>;
  extra?: boolean;
  missing?: boolean;
  partial?: boolean;
}

export interface Storage {
  bytes: number;
  folders: Array<FolderUsage>;
  quota_bytes?: number;
}

export interface StoredSessions {
  sessions: Array<NamedInfo>;
}

export interface TerminalSize {
  cols: number;
  rows: number;
}

export interface TestsRan {
  passed: boolean;
  runs: number;
  step: number;
  failing?: Array<string>;
  flaky?: Array<string>;
  undone?: Array<string>;
  why?: string;
}

export interface Text {
  text: string;
}

export interface Thread {
  bytes: number;
  conversation: string;
  created: string;
  messages: number;
  name: string;
  turns: number;
  used: string;
  contents?: Array<string>;
  forked?: string;
  image?: string;
  past?: Array<Past>;
  question?: string;
  runs?: Array<string>;
  snapshot?: string;
}

export interface ThreadTo {
  to: string;
}

export interface Threads {
  threads: Array<Thread>;
}

export interface Tokens {
  input: number;
  output: number;
  cache_read?: number;
  cache_written?: number;
  incomplete?: boolean;
  reasoning?: number;
}

export interface ToolCalled {
  arguments: Record<string, unknown> | null;
  id: string;
  step: number;
  tool: string;
  by?: string;
  control?: DataLabel;
  effects?: string;
  hash?: string;
  labels?: Record<string, DataLabel>;
  line?: number;
  origin?: string;
  version?: string;
}

export interface ToolChange {
  is: string;
  name: string;
  was: string;
}

export interface ToolPin {
  hash: string;
  name: string;
  version: string;
}

export interface ToolReturned {
  id: string;
  step: number;
  /** milliseconds */
  took_ms: number;
  code?: string;
  cut?: string;
  error?: string;
  kind?: string;
  label?: DataLabel;
  raised?: string;
  rehearsed?: string;
  remedy?: string;
  result?: string;
}

export interface ToolRules {
  demands: Array<string> | null;
  effects: string;
  otherwise: string;
  rules: Array<string> | null;
  tool: string;
  because?: string;
}

export interface Tools {
  tools: Array<AppTool>;
}

export interface Traits {
  local?: boolean;
  sees?: boolean;
  text_only?: boolean;
  window?: number;
}

export interface Turn {
  question: string;
  run: string;
  time: string;
  answer?: string;
  removed?: boolean;
}

export interface Turns {
  turns: Array<Turn>;
}

export interface Unknown {
  runs: number;
  tokens: Tokens;
}

export interface Usage {
  cpu_ms: number;
  peak_memory_bytes: number;
  wall_ms: number;
  waited_ms?: number;
}

export interface Use {
  /** by the key of the call */
  key: Account;
  /** of the key */
  key_quota: Quota;
  /** of the tenant, this one and those before */
  months: Record<string, Amounts> | null;
  /** of the tenant; what is left out is not bounded */
  quota: Quota;
  tenant: Account;
}

export interface Variable {
  change?: string;
  more?: number;
  name?: string;
  type?: string;
  value?: string;
}

export interface Verified {
  blobs: number;
  bytes: number;
  checkpoints: number;
  finished: boolean;
  indexed: boolean;
  keys: Array<KeyReport>;
  record: string;
  records: number;
  run: string;
  signed: number;
  status: string;
  children?: Array<AppVerified>;
  damage?: Damage;
  file?: string;
  head?: string;
  running?: boolean;
  unchecked?: number;
}

export interface Waiting {
  call: Facts;
  for: string;
  id: string;
  opened: string;
  until: string;
}

export interface WatchEnded {
  /** such as that the session was paused; watching again opens it */
  reason?: string;
}

/** What happens. New ones may be added: leave out those that you do not know. */
export type Event =
  | { name: "progress"; data: Progress; id: number | null }
  | { name: "notice"; data: Notice; id: number | null }
  | { name: "run_began"; data: RunBegan; id: number | null }
  | { name: "session_began"; data: SessionBegan; id: number | null }
  | { name: "file_given"; data: FileGiven; id: number | null }
  | { name: "skills_given"; data: SkillsGiven; id: number | null }
  | { name: "skill_saved"; data: SkillSaved; id: number | null }
  | { name: "conversation_continued"; data: ConversationContinued; id: number | null }
  | { name: "step_began"; data: StepBegan; id: number | null }
  | { name: "model_requested"; data: ModelRequested; id: number | null }
  | { name: "model_retrying"; data: ModelRetrying; id: number | null }
  | { name: "model_delta"; data: ModelDelta; id: number | null }
  | { name: "model_replied"; data: ModelReplied; id: number | null }
  | { name: "model_failed"; data: ModelFailed; id: number | null }
  | { name: "reply_rejected"; data: ReplyRejected; id: number | null }
  | { name: "reply_trimmed"; data: ReplyTrimmed; id: number | null }
  | { name: "outline_written"; data: OutlineWritten; id: number | null }
  | { name: "run_concluding"; data: RunConcluding; id: number | null }
  | { name: "history_condensed"; data: HistoryCondensed; id: number | null }
  | { name: "execution_began"; data: ExecutionBegan; id: number | null }
  | { name: "output"; data: EventOutput; id: number | null }
  | { name: "display"; data: Display; id: number | null }
  | { name: "execution_ended"; data: ExecutionEnded; id: number | null }
  | { name: "tool_called"; data: ToolCalled; id: number | null }
  | { name: "tool_returned"; data: ToolReturned; id: number | null }
  | { name: "notes_found"; data: NotesFound; id: number | null }
  | { name: "child_began"; data: ChildBegan; id: number | null }
  | { name: "child_ended"; data: ChildEnded; id: number | null }
  | { name: "attempt_chosen"; data: AttemptChosen; id: number | null }
  | { name: "approval_requested"; data: ApprovalRequested; id: number | null }
  | { name: "approval_given"; data: ApprovalGiven; id: number | null }
  | { name: "plan_written"; data: PlanWritten; id: number | null }
  | { name: "plan_checked"; data: PlanChecked; id: number | null }
  | { name: "decision_made"; data: DecisionMade; id: number | null }
  | { name: "label_lowered"; data: LabelLowered; id: number | null }
  | { name: "plan_waits"; data: PlanWaits; id: number | null }
  | { name: "plan_resumed"; data: PlanResumed; id: number | null }
  | { name: "plan_ended"; data: PlanEnded; id: number | null }
  | { name: "connection_opened"; data: ConnectionOpened; id: number | null }
  | { name: "connection_closed"; data: ConnectionClosed; id: number | null }
  | { name: "connection_refused"; data: ConnectionRefused; id: number | null }
  | { name: "snapshot_taken"; data: SnapshotTaken; id: number | null }
  | { name: "session_forked"; data: SessionForked; id: number | null }
  | { name: "session_rolled_back"; data: SessionRolledBack; id: number | null }
  | { name: "tests_ran"; data: TestsRan; id: number | null }
  | { name: "patch_made"; data: PatchMade; id: number | null }
  | { name: "session_ended"; data: SessionEnded; id: number | null }
  | { name: "file_saved"; data: FileSaved; id: number | null }
  | { name: "answer_given"; data: AnswerGiven; id: number | null }
  | { name: "run_ended"; data: RunEnded; id: number | null }
  | { name: "lost"; data: RestLost; id: number | null };

/** What happens. New ones may be added: leave out those that you do not know. */
export type FilesEvent =
  | { name: "changed"; data: FileChange; id: number | null }
  | { name: "lost"; data: RestLost; id: number | null };

/** What happens. New ones may be added: leave out those that you do not know. */
export type ProcessesEvent =
  | { name: "output"; data: LiveOutput; id: number | null }
  | { name: "lost"; data: RestLost; id: number | null };

/** All operations of a server, by group. */
export interface Operations {
  readonly about: {
    /** Describe the server. It needs the scope read. */
    get(params?: Record<string, never>, options?: CallOptions): Promise<About>;
  };
  readonly approvals: {
    /** Agree to a call that waits, or deny it. It is recorded with the id of the key. It needs the scope approve. */
    answer(params: { approval: string } & AnswerTo, options?: CallOptions): Promise<void>;
    /** List the calls of runs that wait for somebody to agree to them. It needs the scope read. */
    list(params?: Record<string, never>, options?: CallOptions): Promise<Approvals>;
  };
  readonly audit: {
    /** List who did more than read, or was refused, in the caller's tenant; the newest first. It needs the scope admin. */
    list(params?: { limit?: number }, options?: CallOptions): Promise<AuditEntries>;
  };
  readonly contexts: {
    /** Say what may stand at a place in code. It needs the scope run. */
    complete(params: { session: string } & Completing, options?: CallOptions): Promise<Completion>;
    /** Make a context: an interpreter with variables of its own beside those of the session's languages. It needs the scope run. */
    create(params: { session: string } & NewContext, options?: CallOptions): Promise<ContextInfo>;
    /** End a context: its variables are gone. That of the first language, main, can be restarted only. It needs the scope run. */
    delete(params: { session: string; context: string }, options?: CallOptions): Promise<void>;
    /** List the contexts of a session. It needs the scope read. */
    list(params: { session: string }, options?: CallOptions): Promise<Contexts>;
    /** Start a new interpreter in a context, or of a language: its variables are gone, files stay. It needs the scope run. */
    restart(params: { session: string; context: string }, options?: CallOptions): Promise<void>;
  };
  readonly costs: {
    /** Add up what the recorded runs used. It needs the scope read. */
    get(params?: { words?: string; status?: string; kind?: string; thread?: string; model?: string; since?: string; until?: string; cost_usd?: string; children?: boolean; limit?: number }, options?: CallOptions): Promise<Costs>;
  };
  readonly executions: {
    /** Follow an execution; Last-Event-ID says what was seen before. It needs the scope read. */
    events(params: { session: string; execution: string }, options?: CallOptions): EventStream<Execution, Event>;
    /** Describe an execution. It needs the scope read. */
    get(params: { session: string; execution: string }, options?: CallOptions): Promise<Execution>;
    /** Interrupt an execution, and wait for its end. It needs the scope run. */
    interrupt(params: { session: string; execution: string }, options?: CallOptions): Promise<Execution>;
    /** List the last executions of a session. It needs the scope read. */
    list(params: { session: string }, options?: CallOptions): Promise<Executions>;
    /** Run code in a session. Without stream and detach the answer comes when the code has ended; a caller that goes away interrupts it. It needs the scope run. */
    start(params: { session: string } & Omit<NewExecution, "stream">, options?: CallOptions): Promise<Execution>;
    /** Run code in a session. Without stream and detach the answer comes when the code has ended; a caller that goes away interrupts it. It needs the scope run. */
    startStream(params: { session: string } & Omit<NewExecution, "stream">, options?: CallOptions): EventStream<Execution, Event>;
  };
  readonly files: {
    /** Read a file or a folder of a session as one archive. It needs the scope read. */
    archive(params: { session: string; path?: string; format?: string }, options?: CallOptions): Promise<Content>;
    /** Unpack an archive into a folder of a session. Files of the same names are replaced. It needs the scope run. */
    extract(params: { session: string; path?: string; format?: string }, data: Upload, options?: CallOptions): Promise<void>;
    /** List what is in a folder of a session, and below it. It needs the scope read. */
    list(params: { session: string; path?: string }, options?: CallOptions): Promise<Files>;
    /** Make a folder of a session and those above it; one that is there is no error. It needs the scope run. */
    mkdir(params: { session: string } & NewFolder, options?: CallOptions): Promise<void>;
    /** Rename a file or folder of a session; it takes the place of a file that is there. It needs the scope run. */
    move(params: { session: string } & Moving, options?: CallOptions): Promise<void>;
    /** Read a file of a session. It needs the scope read. */
    read(params: { session: string; path: string }, options?: CallOptions): Promise<Content>;
    /** Remove a file or an empty folder of a session. It needs the scope run. */
    remove(params: { session: string; path: string; recursive?: boolean }, options?: CallOptions): Promise<void>;
    /** Describe a file of a session; a symbolic link is described itself. It needs the scope read. */
    stat(params: { session: string; path: string }, options?: CallOptions): Promise<FileInfo>;
    /** Follow the changes of a file, or of what is in a folder, as events: changed, with a type (created, modified, removed, or rescan: look at the whole again) and a path. It needs the scope read. */
    watch(params: { session: string; path?: string; recursive?: boolean }, options?: CallOptions): EventStream<WatchEnded, FilesEvent>;
    /** Write a file of a session whole, with the folders above it. It needs the scope run. */
    write(params: { session: string; path: string }, data: Upload, options?: CallOptions): Promise<void>;
  };
  readonly images: {
    /** Make an image with packages, or one that a file declares, unless it is there. It needs the scope run. */
    build(params?: NewImage, options?: CallOptions): Promise<BuiltImage>;
    /** Remove an image that no session needs. It needs the scope run. */
    delete(params: { image: string }, options?: CallOptions): Promise<void>;
    /** Describe an image. It needs the scope read. */
    get(params: { image: string }, options?: CallOptions): Promise<Details>;
    /** Say by which steps an image was made. It needs the scope read. */
    history(params: { image: string }, options?: CallOptions): Promise<ImageSteps>;
    /** List the images that there are. It needs the scope read. */
    list(params?: Record<string, never>, options?: CallOptions): Promise<ImageInfos>;
    /** Get a container image of a registry; for admins of the default tenant. It needs the scope admin. */
    pull(params: ImagePull, options?: CallOptions): Promise<ImageImage>;
  };
  readonly keys: {
    /** Make a key for the caller's tenant. Its text is shown once. It needs the scope admin. */
    create(params?: NewKey, options?: CallOptions): Promise<MadeKey>;
    /** Take a key of the caller's tenant away. It needs the scope admin. */
    delete(params: { id: string }, options?: CallOptions): Promise<void>;
    /** List the keys of the caller's tenant. It needs the scope admin. */
    list(params?: Record<string, never>, options?: CallOptions): Promise<Keys>;
  };
  readonly models: {
    /** List the models that the server's keys can use. It needs the scope read. */
    list(params?: Record<string, never>, options?: CallOptions): Promise<ModelList>;
  };
  readonly notes: {
    /** Remove a note. It needs the scope run. */
    delete(params: { note: string }, options?: CallOptions): Promise<void>;
    /** Read a note. It needs the scope read. */
    get(params: { note: string }, options?: CallOptions): Promise<Note>;
    /** List the notes that the agent kept, or those that fit some words. It needs the scope read. */
    list(params?: { thread?: string; tag?: string; limit?: number }, options?: CallOptions): Promise<Notes>;
  };
  readonly packages: {
    /** Give a session packages. Its variables stay, and it is saved. It needs the scope run. */
    add(params: { session: string } & NewPackages, options?: CallOptions): Promise<AddedPackages>;
  };
  readonly plans: {
    /** Check a plan against the server's tools and policy. Nothing runs. It needs the scope read. */
    check(params: PlanText, options?: CallOptions): Promise<CheckResult>;
    /** Say of each call of a plan what the policy says of it, and where its data can come from. It needs the scope read. */
    explain(params: PlanText, options?: CallOptions): Promise<PlanExplained>;
    /** Answer the call that a plan waits at, and go on with the plan. It needs the scope run. */
    resume(params: { record: string } & Omit<PlanGoing, "stream">, options?: CallOptions): Promise<Run>;
    /** Answer the call that a plan waits at, and go on with the plan. It needs the scope run. */
    resumeStream(params: { record: string } & Omit<PlanGoing, "stream">, options?: CallOptions): EventStream<Run, Event>;
    /** Check a plan, and run it when nothing is wrong with it. It needs the scope run. */
    run(params: Omit<NewPlan, "stream">, options?: CallOptions): Promise<Run>;
    /** Check a plan, and run it when nothing is wrong with it. It needs the scope run. */
    runStream(params: Omit<NewPlan, "stream">, options?: CallOptions): EventStream<Run, Event>;
  };
  readonly policies: {
    /** Write the calls of a recorded run as cases for the tests of a policy. It needs the scope read. */
    cases(params: { record: string }, options?: CallOptions): Promise<Text>;
    /** Write a first policy for the server's tools. It needs the scope read. */
    draft(params?: Record<string, never>, options?: CallOptions): Promise<Text>;
    /** Check a policy, and say what it decides about each tool, or about one call. Nothing is called. It needs the scope read. */
    explain(params?: PolicyText, options?: CallOptions): Promise<PolicyAnswer>;
    /** Run the cases that stand in a policy. Nothing is called. It needs the scope read. */
    test(params?: PolicyText, options?: CallOptions): Promise<PolicyReport>;
  };
  readonly ports: {
    /** Let a port of a session not be reached any more; connections to it end. It needs the scope run. */
    close(params: { session: string; id: string }, options?: CallOptions): Promise<void>;
    /** List the ports of a session that can be reached. It needs the scope read. */
    list(params: { session: string }, options?: CallOptions): Promise<OpenPorts>;
    /** Let a server inside a session be reached over HTTP, under a host name of its own. It needs the scope run. */
    open(params: { session: string } & NewPort, options?: CallOptions): Promise<Port>;
  };
  readonly processes: {
    /** End a process's standard input. It needs the scope run. */
    close_input(params: { session: string; process: string }, options?: CallOptions): Promise<void>;
    /** Follow what a process writes; Last-Event-ID says what was seen before. It goes on when the caller is gone. It needs the scope read. */
    events(params: { session: string; process: string }, options?: CallOptions): EventStream<Process, ProcessesEvent>;
    /** Describe a process, with the end of what it wrote. It needs the scope read. */
    get(params: { session: string; process: string }, options?: CallOptions): Promise<Process>;
    /** Write bytes to a process's standard input, or type them at its terminal. It needs the scope run. */
    input(params: { session: string; process: string }, data: Upload, options?: CallOptions): Promise<void>;
    /** List the processes of a session, those that ended lately, too. It needs the scope read. */
    list(params: { session: string }, options?: CallOptions): Promise<Processes>;
    /** Give a process's terminal another size. It needs the scope run. */
    resize(params: { session: string; process: string } & Resizing, options?: CallOptions): Promise<void>;
    /** Send a signal to a process and its group. It needs the scope run. */
    signal(params: { session: string; process: string } & Signaling, options?: CallOptions): Promise<void>;
    /** Start a program in a session. Without stream and detach the answer comes when it has ended; a caller that goes away ends it. It needs the scope run. */
    start(params: { session: string } & Omit<NewProcess, "stream">, options?: CallOptions): Promise<Process>;
    /** Start a program in a session. Without stream and detach the answer comes when it has ended; a caller that goes away ends it. It needs the scope run. */
    startStream(params: { session: string } & Omit<NewProcess, "stream">, options?: CallOptions): EventStream<Process, ProcessesEvent>;
  };
  readonly records: {
    /** Go another way from a step of a run. It needs the scope run. */
    branch(params: { record: string } & Omit<NewBranch, "stream">, options?: CallOptions): Promise<Run>;
    /** Go another way from a step of a run. It needs the scope run. */
    branchStream(params: { record: string } & Omit<NewBranch, "stream">, options?: CallOptions): EventStream<Run, Event>;
    /** Remove the record of a run; the chain of runs says that it was. It needs the scope admin. */
    delete(params: { record: string }, options?: CallOptions): Promise<RemovedRun>;
    /** Write a record in a format. It needs the scope read. */
    export(params: { record: string; format?: string }, options?: CallOptions): Promise<Content>;
    /** Take in a run that was exported, of which the body is the file. It needs the scope run. */
    import(params?: Record<string, never>, data: Upload, options?: CallOptions): Promise<Imported>;
    /** List the records of runs, the newest first. It needs the scope read. */
    list(params?: { words?: string; status?: string; kind?: string; thread?: string; model?: string; since?: string; until?: string; cost_usd?: string; children?: boolean; limit?: number }, options?: CallOptions): Promise<Records>;
    /** Read the events of a record, with those of the runs that it began. It needs the scope read. */
    read(params: { record: string }, options?: CallOptions): Promise<Recorded>;
    /** Execute a run again with its recorded replies, and compare. It needs the scope run. */
    replay(params: { record: string }, options?: CallOptions): Promise<Replayed>;
    /** Go on with a question that broke off: no recorded reply is requested again, and no recorded call made again. It needs the scope run. */
    resume(params: { record: string } & Omit<Going, "stream">, options?: CallOptions): Promise<Run>;
    /** Go on with a question that broke off: no recorded reply is requested again, and no recorded call made again. It needs the scope run. */
    resumeStream(params: { record: string } & Omit<Going, "stream">, options?: CallOptions): EventStream<Run, Event>;
    /** Check the chain and the signatures of a record. It needs the scope read. */
    verify(params: { record: string }, options?: CallOptions): Promise<Verified>;
    /** Check all records, and the chain that says which there were. It needs the scope read. */
    verify_all(params?: Record<string, never>, options?: CallOptions): Promise<AllVerified>;
  };
  readonly runs: {
    /** Ask a question that is answered by code, by tools or by both. Without stream and detach the answer comes when the run has ended. It needs the scope run. */
    ask(params: Omit<Question, "stream">, options?: CallOptions): Promise<Run>;
    /** Ask a question that is answered by code, by tools or by both. Without stream and detach the answer comes when the run has ended. It needs the scope run. */
    askStream(params: Omit<Question, "stream">, options?: CallOptions): EventStream<Run, Event>;
    /** Cancel a run, and wait for its end. It needs the scope run. */
    cancel(params: { run: string }, options?: CallOptions): Promise<Run>;
    /** Run a piece of code by itself, and record it. It needs the scope run. */
    code(params: Omit<NewCode, "stream">, options?: CallOptions): Promise<Run>;
    /** Run a piece of code by itself, and record it. It needs the scope run. */
    codeStream(params: Omit<NewCode, "stream">, options?: CallOptions): EventStream<Run, Event>;
    /** Follow a run; Last-Event-ID says what was seen before. It needs the scope read. */
    events(params: { run: string }, options?: CallOptions): EventStream<Run, Event>;
    /** Fetch what a run made that was asked to keep its files, as a tar archive. It needs the scope read. */
    files(params: { run: string }, options?: CallOptions): Promise<Content>;
    /** Remove what a run made and kept. It needs the scope run. */
    forget(params: { run: string }, options?: CallOptions): Promise<void>;
    /** Describe a run that goes on, or ended lately. It needs the scope read. */
    get(params: { run: string }, options?: CallOptions): Promise<Run>;
    /** List the runs that go on, or ended lately. It needs the scope read. */
    list(params?: Record<string, never>, options?: CallOptions): Promise<Runs>;
  };
  readonly sessions: {
    /** Make a session. It needs the scope run. */
    create(params?: NewSession, options?: CallOptions): Promise<Session>;
    /** End a session and remove its state. It needs the scope run. */
    delete(params: { session: string }, options?: CallOptions): Promise<void>;
    /** Save a session, and write it with its packages into a file that another server goes on with. It needs the scope run. */
    export(params: { session: string; head?: string }, options?: CallOptions): Promise<Content>;
    /** Say anew how long a session lasts. It needs the scope run. */
    extend(params: { session: string } & Lasting, options?: CallOptions): Promise<Session>;
    /** Make sessions that go on from the state of one. It needs the scope run. */
    fork(params: { session: string } & Forking, options?: CallOptions): Promise<Sessions>;
    /** Describe a session. It needs the scope read. */
    get(params: { session: string }, options?: CallOptions): Promise<Session>;
    /** Make a session of such a file, which is the body; for admins of the default tenant. It needs the scope admin. */
    import(params?: { id?: string }, data: Upload, options?: CallOptions): Promise<Session>;
    /** List the sessions, the oldest first. It needs the scope read. */
    list(params?: Record<string, never>, options?: CallOptions): Promise<Sessions>;
    /** Save a session and close its sandbox; the next call opens it. It needs the scope run. */
    pause(params: { session: string }, options?: CallOptions): Promise<Session>;
    /** Remove old states of sessions. A session that is open is left as it is. It needs the scope run. */
    prune(params?: SessionPrune, options?: CallOptions): Promise<PrunedSessions>;
    /** Open a session that is paused. It needs the scope run. */
    resume(params: { session: string }, options?: CallOptions): Promise<Session>;
    /** Take a session back to a state. It needs the scope run. */
    rollback(params: { session: string } & Rollback, options?: CallOptions): Promise<Snapshot>;
    /** Save the state of a session. It needs the scope run. */
    snapshot(params: { session: string } & Labeled, options?: CallOptions): Promise<Snapshot>;
    /** List the states of a session. It needs the scope read. */
    snapshots(params: { session: string }, options?: CallOptions): Promise<Snapshots>;
    /** List what is stored of the sessions, with their states and what these take on disk. It needs the scope read. */
    stored(params?: Record<string, never>, options?: CallOptions): Promise<StoredSessions>;
  };
  readonly skills: {
    /** Store a function when its tests pass in a fresh session. The caller vouches for it. It needs the scope approve. */
    add(params?: NewSkill, options?: CallOptions): Promise<SkillChanges>;
    /** Remove a skill with all of its versions. It needs the scope approve. */
    delete(params: { skill: string; version?: number }, options?: CallOptions): Promise<void>;
    /** Write a skill into a file. It needs the scope read. */
    export(params: { skill: string; version?: number }, options?: CallOptions): Promise<Content>;
    /** Read a skill. It needs the scope read. */
    get(params: { skill: string; version?: number }, options?: CallOptions): Promise<SkillDetails>;
    /** Store the skills of a file, which is the body. Nobody vouches for them. It needs the scope run. */
    import(params?: Record<string, never>, data: Upload, options?: CallOptions): Promise<SkillChanges>;
    /** List the functions that are stored for later runs. It needs the scope read. */
    list(params?: Record<string, never>, options?: CallOptions): Promise<Skills>;
    /** Run the tests of skills anew. It needs the scope run. */
    test(params?: SkillNames, options?: CallOptions): Promise<SkillTests>;
  };
  readonly storage: {
    /** Say what the tenant's data take on the disk. It needs the scope read. */
    get(params?: Record<string, never>, options?: CallOptions): Promise<Storage>;
  };
  readonly threads: {
    /** Remove a conversation and its session. It needs the scope run. */
    delete(params: { thread: string }, options?: CallOptions): Promise<void>;
    /** Copy a conversation and its session under another name. It needs the scope run. */
    fork(params: { thread: string } & ThreadTo, options?: CallOptions): Promise<void>;
    /** List the conversations. It needs the scope read. */
    list(params?: Record<string, never>, options?: CallOptions): Promise<Threads>;
    /** Give a conversation another name. It needs the scope run. */
    rename(params: { thread: string } & ThreadTo, options?: CallOptions): Promise<void>;
    /** List the questions and answers of a conversation. It needs the scope read. */
    turns(params: { thread: string }, options?: CallOptions): Promise<Turns>;
  };
  readonly tools: {
    /** List the tools that runs may call. It needs the scope read. */
    list(params?: { words?: string }, options?: CallOptions): Promise<Tools>;
  };
  readonly usage: {
    /** Say what the tenant and the key used today and this month, and how much they may. It needs the scope read. */
    get(params?: Record<string, never>, options?: CallOptions): Promise<Use>;
  };
}
