# Generated from the server's OpenAPI document: "make clients" writes it anew.
"""What the server is sent and what it answers with, as it stands in JSON."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, TypedDict, Union

from ._stream import StreamEvent


class About(TypedDict):
    host: Host  # the boundary and the limits that this machine gives
    version: str


class Account(TypedDict):
    day: str
    in_day: Amounts
    in_month: Amounts
    month: str


class AddedPackages(TypedDict):
    added: List[EventPackage]
    present: List[EventPackage]
    snapshot: NotRequired[str]  # that the session stands at now; left out: nothing is new


class AllVerified(TypedDict):
    chain: ChainReport
    records: List[RecordVerified]


class Amounts(TypedDict):
    cpu_s: NotRequired[float]
    egress_bytes: NotRequired[int]
    tokens: NotRequired[int]
    usd: NotRequired[float]


class Answer(TypedDict):
    steps: int
    text: str
    tokens: Tokens
    verified: bool  # every figure of the answer was traced to an output or to the question
    draft: NotRequired[str]  # without an answer: the last one that could not be taken
    figures: NotRequired[List[Figure]]
    files: NotRequired[List[str]]
    found: NotRequired[str]  # without an answer: the last output of code
    incomplete: NotRequired[str]  # why the model had to answer before it was done
    made: NotRequired[Made]
    project: NotRequired[ProjectDone]  # what came of the project
    rehearsed: NotRequired[List[str]]  # of a plan: the tools that were not really called
    unsaved: NotRequired[Error]  # why not all is kept that code made
    value: NotRequired[Any]  # the answer as JSON, where it is more than a text


class AnswerGiven(TypedDict):
    text: str
    figures: NotRequired[List[Figure]]
    files: NotRequired[List[str]]
    incomplete: NotRequired[str]
    rehearsed: NotRequired[List[str]]
    value: NotRequired[Any]


class AnswerTo(TypedDict):
    decision: str  # once (this call alone), exact (each call of the run with the same arguments and origins), run (each call of the tool in the run) or deny
    reason: NotRequired[str]  # why; it is recorded, and who made the call reads it


class AppPlanWaiting(TypedDict):
    arguments: Dict[str, Any] | None
    decision: str
    id: str
    labels: Dict[str, DataLabel] | None
    line: int
    rule: str
    state: str
    tool: str
    by: NotRequired[str]
    error: NotRequired[str]
    file: NotRequired[str]
    granted: NotRequired[bool]
    reason: NotRequired[str]
    rehearsed: NotRequired[str]
    result: NotRequired[str]
    said: NotRequired[str]


class AppSkill(TypedDict):
    description: str
    hash: str
    module: bool
    name: str
    path: str
    project: bool
    signature: str
    version: int
    vouched: bool
    packages: NotRequired[Dict[str, str]]
    problem: NotRequired[str]
    python: NotRequired[str]
    run: NotRequired[str]
    step: NotRequired[int]
    uses: NotRequired[Dict[str, str]]


AppTool = TypedDict(
    "AppTool",
    {
        "approval": "bool",
        "call": "str",
        "description": "str",
        "effects": "str",
        "from": "str",
        "hash": "str",
        "name": "str",
        "summary": "str",
        "version": "str",
    },
)


class AppVerified(TypedDict):
    blobs: int
    bytes: int
    checkpoints: int
    finished: bool
    indexed: bool
    keys: List[KeyReport] | None
    records: int
    run: str
    signed: int
    status: str
    children: NotRequired[List[AppVerified]]
    damage: NotRequired[Damage]
    file: NotRequired[str]
    head: NotRequired[str]
    running: NotRequired[bool]
    unchecked: NotRequired[int]


class ApprovalGiven(TypedDict):
    by: str
    granted: bool
    id: str
    bound: NotRequired[str]
    reason: NotRequired[str]
    scope: NotRequired[str]
    who: NotRequired[str]


class ApprovalRequested(TypedDict):
    id: str
    reason: str
    bound: NotRequired[str]


class Approvals(TypedDict):
    approvals: List[Waiting]


class Arg(TypedDict):
    may: List[Origin] | None
    name: str
    any: NotRequired[bool]
    must: NotRequired[List[Origin]]


class AttemptChosen(TypedDict):
    marks: List[AttemptMark] | None
    n: int
    why: str
    run: NotRequired[str]


class AttemptMark(TypedDict):
    agree: int
    answered: bool
    complete: bool
    errors: int
    n: int
    status: str
    steps: int
    verified: bool


class AuditEntries(TypedDict):
    entries: List[Entry]


class Bounds(TypedDict):
    output_bytes: int
    timeout_ms: float  # milliseconds
    columns: NotRequired[int]
    cpu_ms: NotRequired[float]  # milliseconds
    read_only: NotRequired[bool]
    whole: NotRequired[bool]


class BranchResult(TypedDict):
    answer: AnswerGiven | None
    before: ReplayReport | None
    change: str
    ended: bool
    execution: EventExecution | None
    id: str
    kind: str
    reason: str
    run: str
    snapshot: str
    status: str
    step: int
    took_ms: float  # milliseconds
    notes: NotRequired[List[str]]


class Budget(TypedDict):
    attempts: NotRequired[int]  # how often the same error may come
    calls: NotRequired[int]  # of tools
    cost_usd: NotRequired[float]
    depth: NotRequired[int]  # how deep runs that code begins may begin others
    execution_s: NotRequired[float]
    input_tokens: NotRequired[int]
    output_tokens: NotRequired[int]
    steps: NotRequired[int]  # turns of the model in the run and all that it begins together
    sub_calls: NotRequired[int]  # queries and runs that code may begin in all
    time_s: NotRequired[float]
    tokens: NotRequired[int]


class BuiltImage(TypedDict):
    env: List[str] | None
    id: str
    mounts: List[Mount] | None
    name: str
    packages: List[ImagePackage] | None
    root: str
    runtimes: List[Runtime] | None
    steps: int
    steps_ran: int
    digest: NotRequired[str]
    npm: NotRequired[List[ImagePackage]]
    start: NotRequired[Start]
    undriven: NotRequired[List[str]]


class Call(TypedDict):
    id: str
    name: str
    input: NotRequired[Dict[str, Any]]
    raw: NotRequired[str]


class CallExplained(TypedDict):
    args: List[Arg] | None
    col: int
    line: int
    paths: List[Path] | None
    rules: List[RuleInfo] | None
    tool: str
    verdict: str
    anything: NotRequired[bool]
    control: NotRequired[List[Origin]]
    demands: NotRequired[List[str]]
    reason: NotRequired[str]
    remedy: NotRequired[str]
    rule: NotRequired[str]


class CallMade(TypedDict):
    tool: str
    sum: NotRequired[str]


class Caller(TypedDict):
    child: int
    depth: int
    role: str
    run: str
    label: NotRequired[DataLabel]


CaseResult = TypedDict(
    "CaseResult",
    {
        "expect": "str",
        "got": "Decision",
        "name": "str",
        "pass": "bool",
        "place": "str",
        "rule": "NotRequired[str]",
    },
)


class ChainReport(TypedDict):
    began: str
    entries: int
    head: str
    lost: List[LostRun] | None
    older: int
    problems: List[str] | None
    removed: int


class Change(TypedDict):
    bytes: int
    kind: str
    path: str
    sha256: NotRequired[str]


class Check(TypedDict):
    code: str
    name: str
    expression: NotRequired[bool]


class CheckFinding(TypedDict):
    col: int
    kind: str
    level: str
    line: int
    message: str
    end_col: NotRequired[int]
    end_line: NotRequired[int]
    paths: NotRequired[List[Path]]
    remedy: NotRequired[str]
    rule: NotRequired[str]
    tool: NotRequired[str]


class CheckLost(TypedDict):
    col: int
    line: int
    reason: str


class CheckResult(TypedDict):
    accepted: bool
    findings: List[CheckFinding] | None
    flows: List[Flow] | None
    name: str
    lost: NotRequired[CheckLost]
    strict: NotRequired[bool]


class CheckStep(TypedDict):
    col: int
    line: int
    text: str


class ChildBegan(TypedDict):
    depth: int
    n: int
    role: str
    step: int
    task: str
    data: NotRequired[List[str]]
    given: NotRequired[str]
    model: NotRequired[str]
    run: NotRequired[str]
    snapshot: NotRequired[str]


class ChildEnded(TypedDict):
    n: int
    status: str
    step: int
    tokens: Tokens
    took_ms: float  # milliseconds
    errors: NotRequired[int]
    figures: NotRequired[List[Figure]]
    files: NotRequired[List[str]]
    incomplete: NotRequired[str]
    kind: NotRequired[str]
    label: NotRequired[DataLabel]
    reason: NotRequired[str]
    remedy: NotRequired[str]
    run: NotRequired[str]
    snapshot: NotRequired[str]
    steps: NotRequired[int]
    text: NotRequired[str]
    value: NotRequired[Any]


class ChildReport(TypedDict):
    n: int
    role: str
    run: str
    reason: NotRequired[str]
    report: NotRequired[ReplayReport]


class ClauseStep(TypedDict):
    result: str
    text: str
    error: NotRequired[str]
    labels: NotRequired[List[str]]


class Client(TypedDict):
    key: str
    tenant: str


class CodeDone(TypedDict):
    execution: EventExecution
    cells: NotRequired[List[EventExecution]]  # of a notebook: the executions of the cells that were run
    exit: NotRequired[int]  # the exit code that the code ended itself with
    language: NotRequired[str]
    made: NotRequired[Made]
    missing: NotRequired[Missing]  # the module that the code ended for the lack of
    snapshot: NotRequired[str]  # that a named session stands at now
    unsaved: NotRequired[Error]  # why not all is kept that the code made
    whole: NotRequired[bool]  # every byte of the output was an event


class Completing(TypedDict):
    code: str
    cursor: int  # counts characters
    language: NotRequired[str]


class Completion(TypedDict):
    end: int
    matches: List[str] | None
    start: int


class ConnectionClosed(TypedDict):
    id: str
    reason: str
    received_bytes: int
    sent_bytes: int
    took_ms: float  # milliseconds
    injected: NotRequired[int]
    protocol: NotRequired[str]
    requests: NotRequired[int]


class ConnectionOpened(TypedDict):
    address: str
    host: str
    id: str
    port: int
    rule: str
    via: str


class ConnectionRefused(TypedDict):
    count: int
    reason: str
    code: NotRequired[str]
    host: NotRequired[str]
    port: NotRequired[int]
    remedy: NotRequired[str]
    via: NotRequired[str]


class Container(TypedDict):
    config: str
    digest: str
    layers: List[ContainerLayer] | None
    platform: str
    command: NotRequired[List[str]]
    entrypoint: NotRequired[List[str]]
    left_out: NotRequired[int]
    user: NotRequired[str]
    working_dir: NotRequired[str]


class ContainerLayer(TypedDict):
    bytes: int
    digest: str
    unpacked: int


class ContextInfo(TypedDict):
    language: str
    name: str
    state: str


class Contexts(TypedDict):
    contexts: List[ContextInfo]


class ConversationContinued(TypedDict):
    messages: int


class Costs(TypedDict):
    days: List[Line] | None
    models: List[Line] | None
    total: Line


class Damage(TypedDict):
    offset: int
    problem: str
    seq: int
    run: NotRequired[str]


class DataLabel(TypedDict):
    anyone: bool
    trusted: bool
    readers: NotRequired[List[str]]
    sources: NotRequired[List[str]]


class Decision(TypedDict):
    explanation: List[PolicyStep] | None
    reason: str
    rule: str
    verdict: str
    code: NotRequired[str]
    members: NotRequired[List[str]]
    remedy: NotRequired[str]


class DecisionMade(TypedDict):
    id: str
    rule: str
    step: int
    tool: str
    verdict: str
    code: NotRequired[str]
    members: NotRequired[List[str]]
    reason: NotRequired[str]
    remedy: NotRequired[str]


class Details(TypedDict):
    bytes: int
    created: str
    env: List[str] | None
    id: str
    in_use: bool
    name: str
    names: List[str] | None
    packages: List[ImagePackage] | None
    runtimes: List[Runtime] | None
    shared_bytes: int
    used: str
    container: NotRequired[Container]
    digest: NotRequired[str]
    start: NotRequired[Start]


Difference = TypedDict(
    "Difference",
    {
        "diff": "str",
        "what": "str",
        "execution": "NotRequired[int]",
        "is": "NotRequired[str]",
        "short": "NotRequired[bool]",
        "was": "NotRequired[str]",
    },
)


class Display(TypedDict):
    bundle: Dict[str, str] | None


class Enforcement(TypedDict):
    by: str
    limit: str
    note: NotRequired[str]


class Entry(TypedDict):
    request: str
    status: str
    time: str
    before: NotRequired[str]
    fault: NotRequired[str]
    key: NotRequired[str]
    left_out: NotRequired[int]
    object: NotRequired[str]
    operation: NotRequired[str]
    seq: NotRequired[int]
    tenant: NotRequired[str]


class Error(TypedDict):
    kind: Literal["invalid", "not_found", "conflict", "denied", "exhausted", "canceled", "unavailable", "internal"]
    message: str
    remedy: str
    code: NotRequired[str]
    data: NotRequired[Dict[str, str]]


class EventBudget(TypedDict):
    attempts: NotRequired[int]
    calls: NotRequired[int]
    cost_usd: NotRequired[float]
    depth: NotRequired[int]
    execution_ms: NotRequired[float]  # milliseconds
    input: NotRequired[int]
    output: NotRequired[int]
    reply: NotRequired[int]
    run: NotRequired[int]
    steps: NotRequired[int]
    sub_calls: NotRequired[int]
    time_ms: NotRequired[float]  # milliseconds
    window: NotRequired[int]


class EventExecution(TypedDict):
    state: Literal["intact", "lost", "restored", "fresh", "gone"]
    status: Literal["ok", "error", "timeout", "memory", "output", "killed", "interrupted", "crashed"]
    stderr: str
    stdout: str
    usage: Usage
    changes: NotRequired[List[Change]]
    displays: NotRequired[List[Dict[str, str]]]
    error: NotRequired[Raised]
    limit: NotRequired[str]
    message: NotRequired[str]
    output_file: NotRequired[str]
    result: NotRequired[Dict[str, str]]
    session: NotRequired[str]
    snapshot: NotRequired[str]
    state_note: NotRequired[str]
    stderr_bytes: NotRequired[int]
    stderr_truncated: NotRequired[bool]
    stdout_bytes: NotRequired[int]
    stdout_truncated: NotRequired[bool]
    unlisted: NotRequired[str]
    variables: NotRequired[List[Variable]]


class EventFinding(TypedDict):
    message: str
    place: Place
    rule: str
    verdict: str
    argument: NotRequired[str]
    path: NotRequired[List[Place]]
    remedy: NotRequired[str]
    tool: NotRequired[str]


class EventImage(TypedDict):
    id: str
    name: str
    digest: NotRequired[str]
    languages: NotRequired[List[Language]]
    npm: NotRequired[List[EventPackage]]
    packages: NotRequired[List[EventPackage]]


class EventOutput(TypedDict):
    stream: Literal["stdout", "stderr"]
    text: str


class EventPackage(TypedDict):
    name: str
    version: str
    hash: NotRequired[str]


class EventResult(TypedDict):
    call_id: str
    text: str
    is_error: NotRequired[bool]


class EventSkill(TypedDict):
    description: str
    hash: str
    name: str
    signature: str
    version: int
    tool: NotRequired[str]
    untrusted: NotRequired[bool]


class EventTool(TypedDict):
    description: str
    name: str
    schema: Dict[str, Any] | None


class Execution(TypedDict):
    began: str
    ended: bool
    id: str
    session: str
    execution: NotRequired[EventExecution]  # what the code did, once it has ended
    failure: NotRequired[Error]  # why it could not be run


class ExecutionBegan(TypedDict):
    code: str
    step: int
    check: NotRequired[str]
    context: NotRequired[str]
    file: NotRequired[str]
    fills: NotRequired[List[str]]
    language: NotRequired[str]
    purpose: NotRequired[str]
    session: NotRequired[str]
    untrusted: NotRequired[bool]


class ExecutionEnded(TypedDict):
    execution: EventExecution
    step: int


class Executions(TypedDict):
    executions: List[Execution]


class Exit(TypedDict):
    code: int
    reason: NotRequired[str]
    signal: NotRequired[int]


class Facts(TypedDict):
    arguments: Any
    bound: str
    description: str
    effects: str
    found: Dict[str, List[Found]] | None
    id: str
    labels: Dict[str, DataLabel] | None
    line: int
    new: Dict[str, List[str]] | None
    odd: Dict[str, List[str]] | None
    origin: str
    reason: str
    rule: str
    run: str
    tool: str
    tool_hash: str
    tool_version: str
    version: int
    rehearsed: NotRequired[bool]
    title: NotRequired[str]


class Figure(TypedDict):
    source: str
    text: str
    expression: NotRequired[str]
    match: NotRequired[Match]
    nearest: NotRequired[Match]
    partial: NotRequired[str]
    said: NotRequired[str]
    typed: NotRequired[int]


class File(TypedDict):
    bytes: int
    changed: str
    path: str
    regular: bool


class FileChange(TypedDict):
    path: str
    type: str


class FileGiven(TypedDict):
    bytes: int
    name: str
    path: str
    sha256: str
    form: NotRequired[str]
    role: NotRequired[str]
    variable: NotRequired[str]
    withheld: NotRequired[str]


class FileInfo(TypedDict):
    bytes: int
    changed: str
    kind: str
    mode: int
    path: str
    target: NotRequired[str]


class FileSaved(TypedDict):
    bytes: int
    path: str


class Files(TypedDict):
    files: List[File]


class Flow(TypedDict):
    args: List[Arg] | None
    col: int
    line: int
    tool: str
    verdict: str
    anything: NotRequired[bool]
    control: NotRequired[List[Origin]]
    rule: NotRequired[str]


class FolderUsage(TypedDict):
    bytes: int
    name: str


class Forking(TypedDict):
    count: NotRequired[int]  # how many, 1 to 100; 0: one
    id: NotRequired[str]  # the name of a single copy; left out: one is chosen
    lasts_s: NotRequired[float]  # seconds after which they are deleted; 0: not by themselves


class Found(TypedDict):
    quote: str
    text: str


class From(TypedDict):
    run: NotRequired[str]
    step: NotRequired[int]
    thread: NotRequired[str]


class GivenFile(TypedDict):
    name: str  # in the working folder
    data: NotRequired[str]  # base64, in the place of text
    text: NotRequired[str]


class GivenProject(TypedDict):
    files: str  # base64: a tar archive of its files
    edit_tests: NotRequired[bool]  # tests may be changed, too
    name: NotRequired[str]  # of its folder
    test: NotRequired[str]  # the command that runs its tests, for /bin/sh in its folder; they decide


class Going(TypedDict):
    budget: NotRequired[Budget]  # with what is used; zeros: as recorded
    detach: NotRequired[bool]  # answer at once; the run goes on when the caller is gone
    keep_files: NotRequired[bool]  # keep the files and pictures that code makes until runs.files has fetched them
    linger_s: NotRequired[float]  # with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
    max_steps: NotRequired[int]  # with those that were taken; 0: as recorded
    model: NotRequired[str]  # left out: the recorded one
    stream: NotRequired[bool]  # answer with events as they happen
    unattended: NotRequired[bool]  # a call that somebody has to agree to is denied at once; otherwise it is an open question


class HistoryCondensed(TypedDict):
    bytes: int
    messages: int
    step: int
    summary: str
    whole: str


class Host(TypedDict):
    backend: str
    boundary: str
    findings: List[SandboxFinding] | None
    limits: List[Enforcement] | None
    platform: str
    root: bool


class ImageImage(TypedDict):
    env: List[str] | None
    id: str
    mounts: List[Mount] | None
    name: str
    packages: List[ImagePackage] | None
    root: str
    runtimes: List[Runtime] | None
    digest: NotRequired[str]
    npm: NotRequired[List[ImagePackage]]
    start: NotRequired[Start]
    undriven: NotRequired[List[str]]


class ImageInfos(TypedDict):
    images: List[Info]


class ImagePackage(TypedDict):
    hash: str
    name: str
    version: str


class ImagePull(TypedDict):
    reference: str  # such as python:3.13-slim or registry.example.com/name@sha256:…


class ImageStep(TypedDict):
    by: str
    bytes: int
    created: str
    unpacked: int
    comment: NotRequired[str]
    layer: NotRequired[str]


class ImageSteps(TypedDict):
    steps: List[ImageStep]


class Imported(TypedDict):
    began: str
    bytes: int
    head: str
    id: str
    kind: str
    question: str
    records: int
    status: str
    steps: int
    tokens: Tokens
    took_ms: float  # milliseconds
    caller: NotRequired[Caller]
    children: NotRequired[int]
    files: NotRequired[int]
    image: NotRequired[str]
    imported: NotRequired[bool]
    local: NotRequired[bool]
    model: NotRequired[str]
    others: NotRequired[Dict[str, Tokens]]
    parent: NotRequired[Parent]
    program: NotRequired[str]
    reason: NotRequired[str]
    scripted: NotRequired[bool]
    seed: NotRequired[int]
    thread: NotRequired[str]
    unknown_keys: NotRequired[List[str]]  # ids of keys that signed it and are not known here


class Info(TypedDict):
    bytes: int
    created: str
    id: str
    in_use: bool
    name: str
    packages: List[ImagePackage] | None
    shared_bytes: int
    used: str
    digest: NotRequired[str]


InputChange = TypedDict(
    "InputChange",
    {
        "is": "str",
        "name": "str",
        "was": "str",
    },
)


class Key(TypedDict):
    id: str
    made: str
    scopes: List[Literal["read", "run", "approve", "admin"]] | None
    tenant: str
    expires: NotRequired[str]
    name: NotRequired[str]
    quota: NotRequired[Quota]


class KeyReport(TypedDict):
    id: str
    known: bool
    public: str
    after: NotRequired[List[str]]
    through: NotRequired[str]


class Keys(TypedDict):
    keys: List[Key]


LabelLowered = TypedDict(
    "LabelLowered",
    {
        "by": "str",
        "from": "DataLabel",
        "id": "str",
        "step": "int",
        "to": "DataLabel",
        "who": "NotRequired[str]",
        "why": "NotRequired[str]",
    },
)


class Labeled(TypedDict):
    label: NotRequired[str]  # what was done, in a few words


class Language(TypedDict):
    name: str
    version: str


class Lasting(TypedDict):
    lasts_s: float  # seconds from now after which it is deleted; 0: not by itself


class Limits(TypedDict):
    cpus: float
    disk_bytes: int
    memory_bytes: int
    open_files: int
    processes: int
    user_namespaces: NotRequired[int]


class Line(TypedDict):
    name: str
    runs: int
    tokens: Tokens
    took_ms: float  # milliseconds
    usd: float
    incomplete_runs: NotRequired[int]
    scripted_runs: NotRequired[int]
    unknown: NotRequired[Unknown]


class ListedRun(TypedDict):
    began: str
    bytes: int
    head: str
    id: str
    kind: str
    question: str
    records: int
    status: str
    steps: int
    tokens: Tokens
    took_ms: float  # milliseconds
    caller: NotRequired[Caller]
    children: NotRequired[int]
    files: NotRequired[int]
    image: NotRequired[str]
    imported: NotRequired[bool]
    local: NotRequired[bool]
    model: NotRequired[str]
    others: NotRequired[Dict[str, Tokens]]
    parent: NotRequired[Parent]
    program: NotRequired[str]
    reason: NotRequired[str]
    scripted: NotRequired[bool]
    seed: NotRequired[int]
    thread: NotRequired[str]
    usd: NotRequired[float]


class LiveOutput(TypedDict):
    stream: Literal["stdout", "stderr"]
    data: NotRequired[str]
    text: NotRequired[str]


class LostRun(TypedDict):
    run: str
    time: str
    who: str


class Made(TypedDict):
    files: NotRequired[int]  # that were written or changed
    needs: NotRequired[List[str]]  # hosts that the pages name and do not load from
    pages: NotRequired[int]  # of HTML
    pictures: NotRequired[int]  # that were displayed
    saved: NotRequired[List[SavedFile]]  # that runs.files fetches
    unlisted: NotRequired[str]  # why files is not known


class MadeKey(TypedDict):
    id: str
    key: str
    made: str
    scopes: List[Literal["read", "run", "approve", "admin"]]
    tenant: str
    expires: NotRequired[str]
    name: NotRequired[str]
    quota: NotRequired[Quota]


Match = TypedDict(
    "Match",
    {
        "text": "str",
        "in": "NotRequired[str]",
        "line": "NotRequired[int]",
        "stated": "NotRequired[bool]",
        "step": "NotRequired[int]",
    },
)


class Message(TypedDict):
    role: str
    calls: NotRequired[List[Call]]
    pictures: NotRequired[List[Picture]]
    reasoning: NotRequired[Reasoning]
    results: NotRequired[List[EventResult]]
    text: NotRequired[str]


class Missing(TypedDict):
    language: str
    module: str
    package: str


class ModelDelta(TypedDict):
    step: int
    text: str
    reasoning: NotRequired[bool]


class ModelFailed(TypedDict):
    reason: str
    step: int
    took_ms: float  # milliseconds
    call: NotRequired[str]


class ModelList(TypedDict):
    providers: List[ProviderModels]


class ModelReplied(TypedDict):
    step: int
    text: str
    thought: str
    tokens: Tokens
    took_ms: float  # milliseconds
    call: NotRequired[str]
    calls: NotRequired[List[Call]]
    cut: NotRequired[bool]
    model: NotRequired[str]
    reasoning: NotRequired[Reasoning]


class ModelRequested(TypedDict):
    max_tokens: int
    messages: List[Message] | None
    model: str
    repeated: int
    step: int
    system: str
    call: NotRequired[str]
    tools: NotRequired[List[EventTool]]


class ModelRetrying(TypedDict):
    after_ms: float  # milliseconds
    attempt: int
    reason: str
    step: int
    model: NotRequired[str]


class Mount(TypedDict):
    Source: str
    Target: str


Moving = TypedDict(
    "Moving",
    {
        "from": "str",
        "to": "str",
    },
)


class NamedInfo(TypedDict):
    created: str
    head: str
    image: ImageImage
    limits: Limits
    name: str
    snapshots: List[SnapshotInfo] | None
    used: str
    version: int
    date: NotRequired[str]
    forked: NotRequired[str]
    seed: NotRequired[int]
    unsealed: NotRequired[bool]


NewBranch = TypedDict(
    "NewBranch",
    {
        "from": "int",  # the step
        "code": "NotRequired[str]",  # other code in that step
        "detach": "NotRequired[bool]",  # answer at once; the run goes on when the caller is gone
        "linger_s": "NotRequired[float]",  # with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        "loose": "NotRequired[bool]",  # also from a state that could only be made again differently
        "model": "NotRequired[str]",  # that goes on; left out: the recorded replies
        "question": "NotRequired[str]",  # another one; it needs a model
        "stream": "NotRequired[bool]",  # answer with events as they happen
        "unattended": "NotRequired[bool]",  # a call that somebody has to agree to is denied at once; otherwise it is an open question
    },
)


NewCode = TypedDict(
    "NewCode",
    {
        "code": "str",
        "args": "NotRequired[List[str]]",
        "bounds": "NotRequired[Bounds]",  # of each execution; zero fields: the usual ones
        "date": "NotRequired[str]",  # when a session with a seed begins by its clocks
        "detach": "NotRequired[bool]",  # answer at once; the run goes on when the caller is gone
        "file": "NotRequired[str]",  # name of the file that the code was read from
        "files": "NotRequired[List[GivenFile]]",
        "image": "NotRequired[str]",
        "keep_files": "NotRequired[bool]",  # keep the files and pictures that code makes until runs.files has fetched them: those of the last 16 such runs
        "language": "NotRequired[str]",
        "languages": "NotRequired[List[str]]",  # that the session has, the main one first
        "limits": "NotRequired[Limits]",  # of the session; zero fields: the usual ones
        "linger_s": "NotRequired[float]",  # with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        "name": "NotRequired[str]",  # a named session that it runs in; left out: one of its own
        "notebook": "NotRequired[str]",  # base64: a Jupyter notebook, whose cells are run in the place of code
        "npm": "NotRequired[List[str]]",  # packages of npm
        "own_packages": "NotRequired[bool]",  # add the packages that the code itself names (PEP 723)
        "seed": "NotRequired[int]",
        "stdin": "NotRequired[str]",  # base64: what the code reads from standard input
        "stream": "NotRequired[bool]",  # answer with events as they happen
        "timeout_s": "NotRequired[float]",
        "unattended": "NotRequired[bool]",  # a call that somebody has to agree to is denied at once; otherwise it is an open question
        "with": "NotRequired[List[str]]",  # packages of Python
    },
)


class NewContext(TypedDict):
    language: NotRequired[str]  # left out: the session's first
    name: NotRequired[str]  # left out: one is chosen


class NewExecution(TypedDict):
    code: str
    bounds: NotRequired[Bounds]  # zero fields: the usual ones
    context: NotRequired[str]  # a context that was made; left out: that of the language
    detach: NotRequired[bool]  # answer at once; the code goes on when the caller is gone
    language: NotRequired[str]  # a name such as python, javascript, sql or bash; left out: the session's first
    linger_s: NotRequired[float]  # with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
    output_bytes: NotRequired[int]  # that the result holds; 0: the usual number
    stream: NotRequired[bool]  # answer with events as they happen
    timeout_s: NotRequired[float]  # wall time; 0: the usual one


class NewFolder(TypedDict):
    path: str


NewImage = TypedDict(
    "NewImage",
    {
        "file": "NotRequired[str]",  # the text of an image file; it copies nothing, and reaches the operator's hosts alone
        "image": "NotRequired[str]",  # that they are added to
        "languages": "NotRequired[List[str]]",
        "name": "NotRequired[str]",  # of the file; left out: image.yaml
        "npm": "NotRequired[List[str]]",  # packages of npm
        "with": "NotRequired[List[str]]",  # packages of Python, in the place of a file
    },
)


class NewKey(TypedDict):
    lasts_s: NotRequired[float]  # seconds after which it expires; 0: never
    name: NotRequired[str]  # what it is for
    quota: NotRequired[Quota]  # how much may be used with it, beside what the tenant may
    scopes: NotRequired[List[Literal["read", "run", "approve", "admin"]]]  # read, run, approve, admin; left out: read and run


class NewPackages(TypedDict):
    packages: List[str]  # such as polars, plotly>=6 or, of npm, npm:lodash


class NewPlan(TypedDict):
    text: str
    detach: NotRequired[bool]  # answer at once; the run goes on when the caller is gone
    inputs: NotRequired[Dict[str, Any]]  # values of the declared inputs
    later: NotRequired[bool]  # a call that somebody has to agree to lets the plan wait for plans.resume; otherwise it is an open question
    linger_s: NotRequired[float]  # with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
    model: NotRequired[str]  # that answers without tools
    name: NotRequired[str]  # of its file; left out: plan.py
    now: NotRequired[str]  # what the plan's clock shows; left out: the time
    seed: NotRequired[int]
    stream: NotRequired[bool]  # answer with events as they happen
    strict: NotRequired[bool]  # count implicit flows, too
    timeout_s: NotRequired[float]
    unattended: NotRequired[bool]  # a call that somebody has to agree to is denied at once; otherwise it is an open question


class NewPort(TypedDict):
    port: int  # at which a program of the session listens, or will
    browser: NotRequired[bool]  # the host name, which cannot be guessed, is enough to reach it; false: requests need the token, too
    lasts_s: NotRequired[float]  # seconds after which it is closed, at most 86400; 0: an hour


class NewProcess(TypedDict):
    argv: List[str]  # the program, looked up in PATH, and its arguments
    cwd: NotRequired[str]  # left out: the working folder
    detach: NotRequired[bool]  # answer at once; the process goes on when the caller is gone
    env: NotRequired[Dict[str, str]]  # beside the session's
    stdin: NotRequired[bool]  # it can be written to; false: its standard input is empty
    stream: NotRequired[bool]  # answer with what it writes as it comes, as events output: stream, and text or, where it is not whole characters of UTF-8, data in base64
    terminal: NotRequired[TerminalSize]  # gives it a terminal of its own


NewSession = TypedDict(
    "NewSession",
    {
        "id": "NotRequired[str]",  # its name: letters, digits, '.', '_' and '-'; left out: one is chosen
        "image": "NotRequired[str]",  # a name, an id or the reference of an image that is there; left out: the usual one
        "languages": "NotRequired[List[str]]",  # that code will be in, the main one first
        "lasts_s": "NotRequired[float]",  # seconds after which it is deleted; 0: not by itself
        "limits": "NotRequired[Limits]",  # zero fields: the usual ones
        "metadata": "NotRequired[Dict[str, str]]",  # the caller's own, at most 64 entries
        "npm": "NotRequired[List[str]]",  # packages of npm
        "seed": "NotRequired[int]",  # makes the session deterministic
        "with": "NotRequired[List[str]]",  # packages of Python, such as pandas==2.*
    },
)


NewSkill = TypedDict(
    "NewSkill",
    {
        "code": "NotRequired[str]",  # the function, in Python
        "description": "NotRequired[str]",  # left out: what the function says of itself
        "image": "NotRequired[str]",
        "name": "NotRequired[str]",  # of the function; of a run, left out: every one that its code had stored
        "record": "NotRequired[str]",  # of the run, in the place of code
        "tests": "NotRequired[str]",  # of the code, in Python
        "with": "NotRequired[List[str]]",  # packages of Python that the tests need
    },
)


Note = TypedDict(
    "Note",
    {
        "created": "str",
        "from": "From",
        "id": "str",
        "text": "str",
        "tags": "NotRequired[List[str]]",
    },
)


class Notes(TypedDict):
    notes: List[Note]


class NotesFound(TypedDict):
    notes: int
    step: int


class Notice(TypedDict):
    text: str
    code: NotRequired[str]
    data: NotRequired[Dict[str, str]]
    remedy: NotRequired[str]


class OpenPorts(TypedDict):
    ports: List[Port]


class Origin(TypedDict):
    kind: str
    name: str
    trusted: bool
    col: NotRequired[int]
    endorsed: NotRequired[bool]
    line: NotRequired[int]


class OutlineWritten(TypedDict):
    step: int
    text: str
    revised: NotRequired[bool]


PackageChange = TypedDict(
    "PackageChange",
    {
        "is": "str",
        "name": "str",
        "was": "str",
    },
)


class Parent(TypedDict):
    change: str
    run: str
    step: NotRequired[int]


class Past(TypedDict):
    bytes: int
    conversation: str
    messages: int
    run: str
    snapshot: NotRequired[str]


class PatchMade(TypedDict):
    bytes: int
    files: List[PatchedFile] | None
    passed: bool
    sha256: str
    left_out: NotRequired[List[str]]
    withheld: NotRequired[str]


PatchedFile = TypedDict(
    "PatchedFile",
    {
        "added": "int",
        "change": "str",
        "path": "str",
        "removed": "int",
        "binary": "NotRequired[bool]",
        "from": "NotRequired[str]",
    },
)


class Path(TypedDict):
    argument: str
    source: str
    steps: List[CheckStep] | None
    trusted: bool


class Picture(TypedDict):
    data: str | None
    type: str
    name: NotRequired[str]


class Place(TypedDict):
    col: int
    line: int
    text: NotRequired[str]


class PlanCall(TypedDict):
    arguments: Dict[str, Any] | None
    decision: str
    id: str
    labels: Dict[str, DataLabel] | None
    line: int
    rule: str
    tool: str
    by: NotRequired[str]
    error: NotRequired[str]
    granted: NotRequired[bool]
    reason: NotRequired[str]
    rehearsed: NotRequired[str]
    result: NotRequired[str]
    said: NotRequired[str]


class PlanChecked(TypedDict):
    accepted: bool
    step: int
    call: NotRequired[str]
    findings: NotRequired[List[EventFinding]]


class PlanDone(TypedDict):
    calls: List[PlanCall]
    check: CheckResult | None
    label: DataLabel
    output: str
    run: str
    status: str
    tokens: Tokens
    used: PlanUsage
    approval: NotRequired[bool]  # it waits for a person's decision, not for a result
    error: NotRequired[str]
    implemented: NotRequired[bool]  # something implements the tool that it waits at
    limit: NotRequired[Error]  # that the plan broke
    line: NotRequired[int]
    waiting: NotRequired[AppPlanWaiting]


class PlanEnded(TypedDict):
    label: DataLabel
    status: str
    step: int
    used: PlanUsage
    call: NotRequired[str]
    error: NotRequired[str]
    line: NotRequired[int]
    output: NotRequired[str]


class PlanExplained(TypedDict):
    accepted: bool
    calls: List[CallExplained] | None
    findings: List[CheckFinding] | None
    name: str


class PlanGoing(TypedDict):
    again: NotRequired[bool]  # go on also when it was gone on with before; it takes the scope approve
    approve: NotRequired[bool]  # whether the call may be made; it takes the scope approve
    detach: NotRequired[bool]  # answer at once; the run goes on when the caller is gone
    endorse: NotRequired[str]  # why the caller vouches for the result; it takes the scope approve
    error: NotRequired[str]  # why the call has no result
    later: NotRequired[bool]  # as in plans.run
    linger_s: NotRequired[float]  # with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
    make: NotRequired[bool]  # the call was approved before, and is made now
    reason: NotRequired[str]  # of the decision
    result: NotRequired[Any]  # of the call, which is not made then
    stream: NotRequired[bool]  # answer with events as they happen
    timeout_s: NotRequired[float]
    unattended: NotRequired[bool]  # a call that somebody has to agree to is denied at once; otherwise it is an open question


class PlanResumed(TypedDict):
    state: str
    example: NotRequired[str]
    rehearsed: NotRequired[List[str]]
    run: NotRequired[str]


class PlanText(TypedDict):
    text: str
    name: NotRequired[str]  # of its file; left out: plan.py
    strict: NotRequired[bool]  # count implicit flows, too


class PlanUsage(TypedDict):
    calls: int
    steps: int


class PlanWaiting(TypedDict):
    arguments: Dict[str, Any] | None
    decision: str
    id: str
    labels: Dict[str, DataLabel] | None
    line: int
    rule: str
    state: str
    tool: str
    approval: NotRequired[bool]  # it waits for a person's decision, not for a result
    by: NotRequired[str]
    error: NotRequired[str]
    file: NotRequired[str]
    granted: NotRequired[bool]
    implemented: NotRequired[bool]  # something implements the tool
    reason: NotRequired[str]
    rehearsed: NotRequired[str]
    result: NotRequired[str]
    said: NotRequired[str]


class PlanWaits(TypedDict):
    bytes: int
    id: str
    state: str
    step: int
    output: NotRequired[str]


class PlanWritten(TypedDict):
    code: str
    mode: str
    now: str
    step: int
    call: NotRequired[str]
    inputs: NotRequired[Dict[str, Any]]
    made: NotRequired[List[CallMade]]
    name: NotRequired[str]
    policy: NotRequired[str]
    tools: NotRequired[List[ToolPin]]


class PolicyAnswer(TypedDict):
    decision: NotRequired[Decision]  # of the call
    policy: NotRequired[PolicyExplained]


class PolicyExplained(TypedDict):
    file: str
    rules: List[RuleInfo] | None
    tools: List[ToolRules] | None


class PolicyReport(TypedDict):
    cases: List[CaseResult] | None
    failed: int
    uncovered: List[RuleInfo] | None


class PolicyStep(TypedDict):
    decision: str
    result: str
    rule: str
    clauses: NotRequired[List[ClauseStep]]


class PolicyText(TypedDict):
    call: NotRequired[str]  # of policies.explain: a call to decide, as JSON, as in a test of a policy
    name: NotRequired[str]  # of its file; left out: policy.yaml
    policy: NotRequired[str]  # its text; left out: the server's


class Port(TypedDict):
    browser: bool
    ends: str
    host: str  # the name under which it answers, at the server's own port
    id: str
    port: int
    token: NotRequired[str]  # to be sent as X-Praxis-Port-Token; shown once
    url: NotRequired[str]  # as it is asked from where this was asked


class Problem(TypedDict):
    detail: str
    kind: Literal["invalid", "not_found", "conflict", "denied", "exhausted", "canceled", "unavailable", "internal"]
    status: int
    title: str
    type: str
    code: NotRequired[str]
    data: NotRequired[Dict[str, str]]
    remedy: NotRequired[str]
    request_id: NotRequired[str]


class Process(TypedDict):
    argv: List[str]  # the beginning of it, of a process that came with a saved state
    began: str
    ended: bool
    id: str
    pid: int  # its number inside the session
    session: str
    stdin: bool  # it can be written to
    terminal: bool
    cut: NotRequired[bool]  # it wrote more than that
    cwd: NotRequired[str]
    exit: NotRequired[Exit]  # how it ended, once it has
    lost: NotRequired[str]  # why it is not known how it ended
    stderr: NotRequired[str]  # the last 64 KiB
    stdout: NotRequired[str]  # the last 64 KiB of what it wrote; of a terminal, all that it showed


class Processes(TypedDict):
    processes: List[Process]


class Progress(TypedDict):
    stage: str
    text: str


class ProjectDone(TypedDict):
    diff: str  # of git; empty: nothing was changed
    files: List[PatchedFile]
    of: str  # the sum of the files that were changed
    passed: bool  # its tests pass with the changes, or without any
    after: NotRequired[TestsRan]  # what they said of the changes
    before: NotRequired[TestsRan]  # what the tests said at first
    changed: NotRequired[str]  # base64: a tar archive of the files that are new or changed
    gone: NotRequired[List[str]]  # paths of the files that are no more
    left_out: NotRequired[List[str]]  # new files that are no part of the diff
    nothing: NotRequired[str]  # why no model was asked


class ProviderModels(TypedDict):
    key_set: bool
    key_variable: str
    models: List[str] | None
    provider: str
    failure: NotRequired[Error]
    server: NotRequired[str]


class PrunedSession(TypedDict):
    bytes: int
    left: int
    name: str
    needed: int
    steps: List[Removed] | None
    in_use: NotRequired[bool]


class PrunedSessions(TypedDict):
    sessions: List[PrunedSession]


Question = TypedDict(
    "Question",
    {
        "question": "str",
        "bounds": "NotRequired[Bounds]",  # of each execution; zero fields: the usual ones
        "branches": "NotRequired[int]",  # attempts that are made side by side, of which the best is chosen; 0: one
        "budget": "NotRequired[Budget]",
        "checks": "NotRequired[List[Check]]",  # Python that runs when the model has answered
        "date": "NotRequired[str]",  # when a session with a seed begins by its clocks
        "detach": "NotRequired[bool]",  # answer at once; the run goes on when the caller is gone
        "effort": "NotRequired[str]",  # low, medium or high
        "fallback_models": "NotRequired[List[str]]",  # models that are asked when those before fail for good
        "files": "NotRequired[List[GivenFile]]",
        "image": "NotRequired[str]",
        "input_checks": "NotRequired[List[Check]]",  # Python that runs before the model is asked
        "keep_files": "NotRequired[bool]",  # keep the files and pictures that code makes until runs.files has fetched them: those of the last 16 such runs
        "language": "NotRequired[str]",  # the main one of the model's code
        "later": "NotRequired[bool]",  # of the mode plan: a call that somebody has to agree to lets the plan wait for plans.resume
        "learn": "NotRequired[bool]",  # the model may have functions stored as skills
        "limits": "NotRequired[Limits]",  # of the session; zero fields: the usual ones
        "linger_s": "NotRequired[float]",  # with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        "max_steps": "NotRequired[int]",
        "mode": "NotRequired[str]",  # code, tools, both or plan (by a plan whose flows are proved); left out: code
        "model": "NotRequired[str]",  # PROVIDER:NAME; left out: the server's usual one
        "no_skills": "NotRequired[bool]",  # no stored skill is given to the run
        "notes": "NotRequired[bool]",  # let the model keep notes and find those of all threads
        "npm": "NotRequired[List[str]]",  # packages of npm
        "plans": "NotRequired[int]",  # of the mode plan: how many plans the model may write; 0: the usual number
        "project": "NotRequired[GivenProject]",  # that the model works on, with the question as its task
        "schema": "NotRequired[Any]",  # a JSON Schema that the answer must keep to
        "seed": "NotRequired[int]",
        "sees": "NotRequired[bool]",  # the model sees pictures, although its server does not say so
        "show_changes": "NotRequired[bool]",  # show the model which variables each step made and changed
        "stream": "NotRequired[bool]",  # answer with events as they happen
        "strict": "NotRequired[bool]",  # an answer with a figure that is found nowhere is none
        "style": "NotRequired[str]",  # react, program or plan-first; left out: the server's usual one
        "subcall_models": "NotRequired[List[str]]",  # that code may name beside the run's own
        "subcalls": "NotRequired[bool]",  # let code query models and begin runs of its own
        "thread": "NotRequired[str]",  # the conversation that the question goes on with
        "timeout_s": "NotRequired[float]",  # wall time of each execution; 0: the usual one
        "unattended": "NotRequired[bool]",  # a call that somebody has to agree to is denied at once; otherwise it is an open question
        "with": "NotRequired[List[str]]",  # packages of Python
    },
)


class Quota(TypedDict):
    day: NotRequired[Amounts]
    disk_bytes: NotRequired[int]
    memory_bytes: NotRequired[int]
    month: NotRequired[Amounts]
    requests_per_s: NotRequired[float]
    sessions: NotRequired[int]


class Raised(TypedDict):
    name: str
    traceback: str
    value: str
    hint: NotRequired[str]


class Reasoning(TypedDict):
    model: NotRequired[str]
    signature: NotRequired[str]
    text: NotRequired[str]


class RecordVerified(TypedDict):
    record: str
    status: str  # whole, unfinished, stranger (signed by a key that is not known) or broken


class Recorded(TypedDict):
    events: List[RecordedEvent]
    id: str
    children: NotRequired[List[Recorded]]
    damage: NotRequired[str]  # why the rest is missing


class RecordedEvent(TypedDict):
    data: Any
    event: str
    seq: int  # its place in the record
    time: str


class Records(TypedDict):
    more: bool  # there are others
    records: List[ListedRun]


class Removed(TypedDict):
    bytes: int
    created: str
    id: str
    why: str
    used: NotRequired[str]


class RemovedRun(TypedDict):
    lost: bool
    run: str


class ReplayReport(TypedDict):
    executed_ms: float  # milliseconds
    identical: bool
    kind: str
    question: str
    run: str
    seeded: bool
    steps: List[StepReport] | None
    took_ms: float  # milliseconds
    children: NotRequired[List[ChildReport]]
    cut: NotRequired[str]
    ending: NotRequired[List[Difference]]
    first: NotRequired[int]
    image: NotRequired[str]
    inputs: NotRequired[List[InputChange]]
    limits: NotRequired[bool]
    notes: NotRequired[List[str]]
    packages: NotRequired[List[PackageChange]]
    policy: NotRequired[str]
    tools: NotRequired[List[ToolChange]]
    unfinished: NotRequired[bool]


class Replayed(TypedDict):
    identical: bool
    details: NotRequired[Any]  # the same for a program
    report: NotRequired[str]  # what differs, for a person
    unfinished: NotRequired[bool]


class ReplyRejected(TypedDict):
    reason: str
    step: int
    draft: NotRequired[str]


class ReplyTrimmed(TypedDict):
    reason: str
    step: int


class Repo(TypedDict):
    name: str
    edit_tests: NotRequired[bool]
    test: NotRequired[str]


class Resizing(TypedDict):
    cols: int
    rows: int


class RestLost(TypedDict):
    events: int  # how many


class Rollback(TypedDict):
    snapshot: NotRequired[str]  # its id; left out: the one before the last


class RuleInfo(TypedDict):
    decision: str
    name: str
    place: str
    reason: str
    tools: List[str] | None
    remedy: NotRequired[str]
    when: NotRequired[str]


class Run(TypedDict):
    began: str
    ended: bool
    id: str  # of the run on this server
    answer: NotRequired[Answer]  # of a question
    branch: NotRequired[BranchResult]  # of a branch
    code: NotRequired[CodeDone]  # of a piece of code
    failure: NotRequired[Error]  # why it did not come to its end
    plan: NotRequired[PlanDone]  # of a plan
    record: NotRequired[str]  # id of its record, once it has ended
    waiting: NotRequired[PlanWaiting]  # the call that the plan of a question waits at; plans.resume goes on


class RunBegan(TypedDict):
    bounds: Bounds
    budget: EventBudget
    kind: str
    question: str
    scripted: bool
    args: NotRequired[List[str]]
    branches: NotRequired[int]
    caller: NotRequired[Caller]
    checks: NotRequired[List[Check]]
    client: NotRequired[Client]
    context: NotRequired[str]
    effort: NotRequired[str]
    fallbacks: NotRequired[List[str]]
    file: NotRequired[str]
    files: NotRequired[List[str]]
    host: NotRequired[str]
    input_checks: NotRequired[List[Check]]
    language: NotRequired[str]
    learn: NotRequired[bool]
    max_steps: NotRequired[int]
    mode: NotRequired[str]
    model: NotRequired[str]
    net: NotRequired[List[str]]
    parent: NotRequired[Parent]
    program: NotRequired[str]
    repo: NotRequired[Repo]
    schema: NotRequired[Any]
    seed: NotRequired[int]
    show_changes: NotRequired[bool]
    strict: NotRequired[bool]
    style: NotRequired[str]
    subcall_models: NotRequired[List[str]]
    subcalls: NotRequired[bool]
    thread: NotRequired[str]
    tools: NotRequired[List[ToolPin]]
    traits: NotRequired[Traits]
    untrusted: NotRequired[bool]
    user: NotRequired[str]


class RunConcluding(TypedDict):
    reason: str
    step: int
    budget: NotRequired[str]


class RunEnded(TypedDict):
    status: str
    steps: int
    tokens: Tokens
    took_ms: float  # milliseconds
    draft: NotRequired[str]
    found: NotRequired[str]
    reason: NotRequired[str]


class Runs(TypedDict):
    runs: List[Run]


class Runtime(TypedDict):
    language: str
    program: str
    version: str
    preload: NotRequired[List[str]]
    spec: NotRequired[Spec]


class SandboxFinding(TypedDict):
    fatal: bool
    remedy: str
    what: str


class SavedFile(TypedDict):
    bytes: int
    path: str


class Session(TypedDict):
    id: str
    made: str
    state: Literal["live", "paused", "lost"]  # live, paused (the next call opens it) or lost (the server ended before it was saved)
    added: NotRequired[List[EventPackage]]  # while it is live: packages that it was given beside those of its image
    ends: NotRequired[str]  # when it is deleted; left out: not by itself
    image: NotRequired[EventImage]  # while it is live
    limits: NotRequired[Limits]  # while it is live
    metadata: NotRequired[Dict[str, str]]
    seed: NotRequired[int]


class SessionBegan(TypedDict):
    image: EventImage
    limits: Limits
    session: str
    added: NotRequired[List[EventPackage]]
    date: NotRequired[str]
    name: NotRequired[str]
    seed: NotRequired[int]
    snapshot: NotRequired[str]


class SessionEnded(TypedDict):
    session: str


SessionForked = TypedDict(
    "SessionForked",
    {
        "from": "str",
        "session": "str",
        "snapshot": "str",
    },
)


class SessionPrune(TypedDict):
    dry_run: NotRequired[bool]  # say what would go, and remove nothing
    keep: NotRequired[int]  # how many states of each stay, the last ones; with neither this nor older_than_s: the server's usual
    older_than_s: NotRequired[float]  # seconds: younger ones stay
    sessions: NotRequired[List[str]]  # left out: all


class SessionRolledBack(TypedDict):
    session: str
    snapshot: str


class Sessions(TypedDict):
    sessions: List[Session]


class Signaling(TypedDict):
    signal: int  # its number: 15 asks to end (TERM), 9 ends (KILL), 2 is Ctrl-C (INT), 1 a terminal that is closed (HUP)


class SkillChange(TypedDict):
    description: str
    hash: str
    module: bool
    name: str
    path: str
    project: bool
    signature: str
    version: int
    vouched: bool
    written: bool
    packages: NotRequired[Dict[str, str]]
    problem: NotRequired[str]
    python: NotRequired[str]
    run: NotRequired[str]
    step: NotRequired[int]
    uses: NotRequired[Dict[str, str]]


class SkillChanges(TypedDict):
    skills: List[SkillChange]


class SkillDetails(TypedDict):
    code: str
    description: str
    hash: str
    module: bool
    name: str
    older: List[int] | None
    path: str
    project: bool
    signature: str
    tests: str
    version: int
    vouched: bool
    packages: NotRequired[Dict[str, str]]
    problem: NotRequired[str]
    python: NotRequired[str]
    run: NotRequired[str]
    step: NotRequired[int]
    uses: NotRequired[Dict[str, str]]


SkillNames = TypedDict(
    "SkillNames",
    {
        "image": "NotRequired[str]",  # that they run
        "skills": "NotRequired[List[str]]",  # left out: all
        "with": "NotRequired[List[str]]",  # packages of Python that the sessions of the tests have
    },
)


class SkillSaved(TypedDict):
    name: str
    step: int
    hash: NotRequired[str]
    output: NotRequired[str]
    refused: NotRequired[str]
    version: NotRequired[int]


class SkillTest(TypedDict):
    name: str
    ok: bool
    version: int
    output: NotRequired[str]
    why: NotRequired[str]


class SkillTests(TypedDict):
    tests: List[SkillTest]


class Skills(TypedDict):
    skills: List[AppSkill]


class SkillsGiven(TypedDict):
    skills: List[EventSkill] | None


class Snapshot(TypedDict):
    head: bool  # the session stands there
    id: str
    bytes: NotRequired[int]
    created: NotRequired[str]
    label: NotRequired[str]
    parent: NotRequired[str]


class SnapshotInfo(TypedDict):
    bytes: int
    created: str
    head: bool
    id: str
    label: str
    added: NotRequired[List[ImagePackage]]
    parent: NotRequired[str]
    stored_bytes: NotRequired[int]


class SnapshotTaken(TypedDict):
    bytes: int
    session: str
    snapshot: str
    step: int


class Snapshots(TypedDict):
    snapshots: List[Snapshot]


class Spec(TypedDict):
    argv: List[str] | None
    display_name: str
    name: str
    directory: NotRequired[str]
    env: NotRequired[Dict[str, str]]
    message: NotRequired[bool]


class Start(TypedDict):
    command: str
    wait_ns: int
    check: NotRequired[str]
    port: NotRequired[int]


class StepBegan(TypedDict):
    step: int


class StepReport(TypedDict):
    identical: bool
    step: int
    causes: NotRequired[List[str]]
    differences: NotRequired[List[Difference]]
    extra: NotRequired[bool]
    missing: NotRequired[bool]
    partial: NotRequired[bool]


class Storage(TypedDict):
    bytes: int
    folders: List[FolderUsage]
    quota_bytes: NotRequired[int]


class StoredSessions(TypedDict):
    sessions: List[NamedInfo]


class TerminalSize(TypedDict):
    cols: int
    rows: int


class TestsRan(TypedDict):
    passed: bool
    runs: int
    step: int
    failing: NotRequired[List[str]]
    flaky: NotRequired[List[str]]
    undone: NotRequired[List[str]]
    why: NotRequired[str]


class Text(TypedDict):
    text: str


class Thread(TypedDict):
    bytes: int
    conversation: str
    created: str
    messages: int
    name: str
    turns: int
    used: str
    contents: NotRequired[List[str]]
    forked: NotRequired[str]
    image: NotRequired[str]
    past: NotRequired[List[Past]]
    question: NotRequired[str]
    runs: NotRequired[List[str]]
    snapshot: NotRequired[str]


class ThreadTo(TypedDict):
    to: str


class Threads(TypedDict):
    threads: List[Thread]


class Tokens(TypedDict):
    input: int
    output: int
    cache_read: NotRequired[int]
    cache_written: NotRequired[int]
    incomplete: NotRequired[bool]
    reasoning: NotRequired[int]


class ToolCalled(TypedDict):
    arguments: Dict[str, Any] | None
    id: str
    step: int
    tool: str
    by: NotRequired[str]
    control: NotRequired[DataLabel]
    effects: NotRequired[str]
    hash: NotRequired[str]
    labels: NotRequired[Dict[str, DataLabel]]
    line: NotRequired[int]
    origin: NotRequired[str]
    version: NotRequired[str]


ToolChange = TypedDict(
    "ToolChange",
    {
        "is": "str",
        "name": "str",
        "was": "str",
    },
)


class ToolPin(TypedDict):
    hash: str
    name: str
    version: str


class ToolReturned(TypedDict):
    id: str
    step: int
    took_ms: float  # milliseconds
    code: NotRequired[str]
    cut: NotRequired[str]
    error: NotRequired[str]
    kind: NotRequired[str]
    label: NotRequired[DataLabel]
    raised: NotRequired[str]
    rehearsed: NotRequired[str]
    remedy: NotRequired[str]
    result: NotRequired[str]


class ToolRules(TypedDict):
    demands: List[str] | None
    effects: str
    otherwise: str
    rules: List[str] | None
    tool: str
    because: NotRequired[str]


class Tools(TypedDict):
    tools: List[AppTool]


class Traits(TypedDict):
    local: NotRequired[bool]
    sees: NotRequired[bool]
    text_only: NotRequired[bool]
    window: NotRequired[int]


class Turn(TypedDict):
    question: str
    run: str
    time: str
    answer: NotRequired[str]
    removed: NotRequired[bool]


class Turns(TypedDict):
    turns: List[Turn]


class Unknown(TypedDict):
    runs: int
    tokens: Tokens


class Usage(TypedDict):
    cpu_ms: float
    peak_memory_bytes: int
    wall_ms: float
    waited_ms: NotRequired[float]


class Use(TypedDict):
    key: Account  # by the key of the call
    key_quota: Quota  # of the key
    months: Dict[str, Amounts] | None  # of the tenant, this one and those before
    quota: Quota  # of the tenant; what is left out is not bounded
    tenant: Account


class Variable(TypedDict):
    change: NotRequired[str]
    more: NotRequired[int]
    name: NotRequired[str]
    type: NotRequired[str]
    value: NotRequired[str]


class Verified(TypedDict):
    blobs: int
    bytes: int
    checkpoints: int
    finished: bool
    indexed: bool
    keys: List[KeyReport]
    record: str
    records: int
    run: str
    signed: int
    status: str
    children: NotRequired[List[AppVerified]]
    damage: NotRequired[Damage]
    file: NotRequired[str]
    head: NotRequired[str]
    running: NotRequired[bool]
    unchecked: NotRequired[int]


Waiting = TypedDict(
    "Waiting",
    {
        "call": "Facts",
        "for": "str",
        "id": "str",
        "opened": "str",
        "until": "str",
    },
)


class WatchEnded(TypedDict):
    reason: NotRequired[str]  # such as that the session was paused; watching again opens it


Event = Union[
    StreamEvent[Literal["progress"], Progress],
    StreamEvent[Literal["notice"], Notice],
    StreamEvent[Literal["run_began"], RunBegan],
    StreamEvent[Literal["session_began"], SessionBegan],
    StreamEvent[Literal["file_given"], FileGiven],
    StreamEvent[Literal["skills_given"], SkillsGiven],
    StreamEvent[Literal["skill_saved"], SkillSaved],
    StreamEvent[Literal["conversation_continued"], ConversationContinued],
    StreamEvent[Literal["step_began"], StepBegan],
    StreamEvent[Literal["model_requested"], ModelRequested],
    StreamEvent[Literal["model_retrying"], ModelRetrying],
    StreamEvent[Literal["model_delta"], ModelDelta],
    StreamEvent[Literal["model_replied"], ModelReplied],
    StreamEvent[Literal["model_failed"], ModelFailed],
    StreamEvent[Literal["reply_rejected"], ReplyRejected],
    StreamEvent[Literal["reply_trimmed"], ReplyTrimmed],
    StreamEvent[Literal["outline_written"], OutlineWritten],
    StreamEvent[Literal["run_concluding"], RunConcluding],
    StreamEvent[Literal["history_condensed"], HistoryCondensed],
    StreamEvent[Literal["execution_began"], ExecutionBegan],
    StreamEvent[Literal["output"], EventOutput],
    StreamEvent[Literal["display"], Display],
    StreamEvent[Literal["execution_ended"], ExecutionEnded],
    StreamEvent[Literal["tool_called"], ToolCalled],
    StreamEvent[Literal["tool_returned"], ToolReturned],
    StreamEvent[Literal["notes_found"], NotesFound],
    StreamEvent[Literal["child_began"], ChildBegan],
    StreamEvent[Literal["child_ended"], ChildEnded],
    StreamEvent[Literal["attempt_chosen"], AttemptChosen],
    StreamEvent[Literal["approval_requested"], ApprovalRequested],
    StreamEvent[Literal["approval_given"], ApprovalGiven],
    StreamEvent[Literal["plan_written"], PlanWritten],
    StreamEvent[Literal["plan_checked"], PlanChecked],
    StreamEvent[Literal["decision_made"], DecisionMade],
    StreamEvent[Literal["label_lowered"], LabelLowered],
    StreamEvent[Literal["plan_waits"], PlanWaits],
    StreamEvent[Literal["plan_resumed"], PlanResumed],
    StreamEvent[Literal["plan_ended"], PlanEnded],
    StreamEvent[Literal["connection_opened"], ConnectionOpened],
    StreamEvent[Literal["connection_closed"], ConnectionClosed],
    StreamEvent[Literal["connection_refused"], ConnectionRefused],
    StreamEvent[Literal["snapshot_taken"], SnapshotTaken],
    StreamEvent[Literal["session_forked"], SessionForked],
    StreamEvent[Literal["session_rolled_back"], SessionRolledBack],
    StreamEvent[Literal["tests_ran"], TestsRan],
    StreamEvent[Literal["patch_made"], PatchMade],
    StreamEvent[Literal["session_ended"], SessionEnded],
    StreamEvent[Literal["file_saved"], FileSaved],
    StreamEvent[Literal["answer_given"], AnswerGiven],
    StreamEvent[Literal["run_ended"], RunEnded],
    StreamEvent[Literal["lost"], RestLost],
]
"""What happens. New ones may be added: leave out those that you do not know."""


FilesEvent = Union[
    StreamEvent[Literal["changed"], FileChange],
    StreamEvent[Literal["lost"], RestLost],
]
"""What happens. New ones may be added: leave out those that you do not know."""


ProcessesEvent = Union[
    StreamEvent[Literal["output"], LiveOutput],
    StreamEvent[Literal["lost"], RestLost],
]
"""What happens. New ones may be added: leave out those that you do not know."""
