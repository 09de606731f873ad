# Generated from the server's OpenAPI document: "make clients" writes it anew.
"""The operations of a server, by the names that it has for them."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, cast

from . import types
from ._http import Body, Content, Http, segment
from ._stream import Stream


class AskOptions(TypedDict, total=False):
    bounds: types.Bounds | None  # of each execution; zero fields: the usual ones
    branches: int | None  # attempts that are made side by side, of which the best is chosen; 0: one
    budget: types.Budget | None
    checks: List[types.Check] | None  # Python that runs when the model has answered
    date: str | None  # when a session with a seed begins by its clocks
    effort: str | None  # low, medium or high
    fallback_models: List[str] | None  # models that are asked when those before fail for good
    image: str | None
    input_checks: List[types.Check] | None  # Python that runs before the model is asked
    keep_files: bool | None  # keep the files and pictures that code makes until runs.files has fetched them: those of the last 16 such runs
    language: str | None  # the main one of the model's code
    later: bool | None  # of the mode plan: a call that somebody has to agree to lets the plan wait for plans.resume
    learn: bool | None  # the model may have functions stored as skills
    limits: types.Limits | None  # of the session; zero fields: the usual ones
    linger_s: float | None  # with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
    max_steps: int | None
    mode: str | None  # code, tools, both or plan (by a plan whose flows are proved); left out: code
    model: str | None  # PROVIDER:NAME; left out: the server's usual one
    no_skills: bool | None  # no stored skill is given to the run
    notes: bool | None  # let the model keep notes and find those of all threads
    npm: List[str] | None  # packages of npm
    plans: int | None  # of the mode plan: how many plans the model may write; 0: the usual number
    project: types.GivenProject | None  # that the model works on, with the question as its task
    schema: Any | None  # a JSON Schema that the answer must keep to
    seed: int | None
    sees: bool | None  # the model sees pictures, although its server does not say so
    show_changes: bool | None  # show the model which variables each step made and changed
    strict: bool | None  # an answer with a figure that is found nowhere is none
    style: str | None  # react, program or plan-first; left out: the server's usual one
    subcall_models: List[str] | None  # that code may name beside the run's own
    subcalls: bool | None  # let code query models and begin runs of its own
    thread: str | None  # the conversation that the question goes on with
    timeout_s: float | None  # wall time of each execution; 0: the usual one
    unattended: bool | None  # a call that somebody has to agree to is denied at once; otherwise it is an open question
    with_: List[str] | None  # packages of Python


class SessionOptions(TypedDict, total=False):
    image: str | None  # a name, an id or the reference of an image that is there; left out: the usual one
    languages: List[str] | None  # that code will be in, the main one first
    lasts_s: float | None  # seconds after which it is deleted; 0: not by itself
    limits: types.Limits | None  # zero fields: the usual ones
    metadata: Dict[str, str] | None  # the caller's own, at most 64 entries
    npm: List[str] | None  # packages of npm
    seed: int | None  # makes the session deterministic
    with_: List[str] | None  # packages of Python, such as pandas==2.*


class About:
    def __init__(self, http: Http) -> None:
        self._http = http

    def get(self) -> types.About:
        """Describe the server. It needs the scope read."""
        return cast("types.About", self._http.call("GET", "/v1/about"))


class Approvals:
    def __init__(self, http: Http) -> None:
        self._http = http

    def answer(self, approval: str, *, decision: str, reason: str | None = None) -> None:
        """Agree to a call that waits, or deny it. It is recorded with the id of the key. It needs the scope approve.

        decision: once (this call alone), exact (each call of the run with the same arguments and origins), run (each call of the tool in the run) or deny
        reason: why; it is recorded, and who made the call reads it
        """
        self._http.call("POST", f"/v1/approvals/{segment(approval)}", None, {"decision": decision, "reason": reason})

    def list(self) -> types.Approvals:
        """List the calls of runs that wait for somebody to agree to them. It needs the scope read."""
        return cast("types.Approvals", self._http.call("GET", "/v1/approvals"))


class Audit:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(self, *, limit: int | None = None) -> types.AuditEntries:
        """List who did more than read, or was refused, in the caller's tenant; the newest first. It needs the scope admin.

        limit: 0: 100
        """
        return cast("types.AuditEntries", self._http.call("GET", "/v1/audit", {"limit": limit}))


class Contexts:
    def __init__(self, http: Http) -> None:
        self._http = http

    def complete(self, session: str, *, code: str, cursor: int, language: str | None = None) -> types.Completion:
        """Say what may stand at a place in code. It needs the scope run.

        cursor: counts characters
        """
        return cast("types.Completion", self._http.call("POST", f"/v1/sessions/{segment(session)}/complete", None, {"code": code, "cursor": cursor, "language": language}))

    def create(self, session: str, *, language: str | None = None, name: str | None = None) -> types.ContextInfo:
        """Make a context: an interpreter with variables of its own beside those of the session's languages. It needs the scope run.

        language: left out: the session's first
        name: left out: one is chosen
        """
        return cast("types.ContextInfo", self._http.call("POST", f"/v1/sessions/{segment(session)}/contexts", None, {"language": language, "name": name}))

    def delete(self, session: str, context: str) -> None:
        """End a context: its variables are gone. That of the first language, main, can be restarted only. It needs the scope run."""
        self._http.call("DELETE", f"/v1/sessions/{segment(session)}/contexts/{segment(context)}")

    def list(self, session: str) -> types.Contexts:
        """List the contexts of a session. It needs the scope read."""
        return cast("types.Contexts", self._http.call("GET", f"/v1/sessions/{segment(session)}/contexts"))

    def restart(self, session: str, context: str) -> None:
        """Start a new interpreter in a context, or of a language: its variables are gone, files stay. It needs the scope run."""
        self._http.call("POST", f"/v1/sessions/{segment(session)}/contexts/{segment(context)}/restart")


class Costs:
    def __init__(self, http: Http) -> None:
        self._http = http

    def get(self, *, words: str | None = None, status: str | None = None, kind: str | None = None, thread: str | None = None, model: str | None = None, since: str | None = None, until: str | None = None, cost_usd: str | None = None, children: bool | None = None, limit: int | None = None) -> types.Costs:
        """Add up what the recorded runs used. It needs the scope read.

        words: that question, code or answer have
        kind: ask, code, plan or tool
        model: that the model's name has in it
        since: a time (RFC 3339)
        until: a time (RFC 3339), which is not in it
        cost_usd: dollars that a run cost at least
        children: list runs that are parts of others, too
        limit: 0: 100
        """
        return cast("types.Costs", self._http.call("GET", "/v1/costs", {"words": words, "status": status, "kind": kind, "thread": thread, "model": model, "since": since, "until": until, "cost_usd": cost_usd, "children": children, "limit": limit}))


class Executions:
    def __init__(self, http: Http) -> None:
        self._http = http

    def events(self, session: str, execution: str) -> Stream[types.Event, types.Execution]:
        """Follow an execution; Last-Event-ID says what was seen before. It needs the scope read."""
        return self._http.follow("GET", f"/v1/sessions/{segment(session)}/executions/{segment(execution)}/events")

    def get(self, session: str, execution: str) -> types.Execution:
        """Describe an execution. It needs the scope read."""
        return cast("types.Execution", self._http.call("GET", f"/v1/sessions/{segment(session)}/executions/{segment(execution)}"))

    def interrupt(self, session: str, execution: str) -> types.Execution:
        """Interrupt an execution, and wait for its end. It needs the scope run."""
        return cast("types.Execution", self._http.call("POST", f"/v1/sessions/{segment(session)}/executions/{segment(execution)}/interrupt"))

    def list(self, session: str) -> types.Executions:
        """List the last executions of a session. It needs the scope read."""
        return cast("types.Executions", self._http.call("GET", f"/v1/sessions/{segment(session)}/executions"))

    def start(self, session: str, *, code: str, bounds: types.Bounds | None = None, context: str | None = None, detach: bool | None = None, language: str | None = None, linger_s: float | None = None, output_bytes: int | None = None, timeout_s: float | None = None) -> types.Execution:
        """Run code in a session. Without stream and detach the answer comes when the code has ended; a caller that goes away interrupts it. It needs the scope run.

        bounds: zero fields: the usual ones
        context: a context that was made; left out: that of the language
        detach: answer at once; the code goes on when the caller is gone
        language: a name such as python, javascript, sql or bash; left out: the session's first
        linger_s: with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        output_bytes: that the result holds; 0: the usual number
        timeout_s: wall time; 0: the usual one
        """
        return cast("types.Execution", self._http.call("POST", f"/v1/sessions/{segment(session)}/executions", None, {"code": code, "bounds": bounds, "context": context, "detach": detach, "language": language, "linger_s": linger_s, "output_bytes": output_bytes, "timeout_s": timeout_s}))

    def start_stream(self, session: str, *, code: str, bounds: types.Bounds | None = None, context: str | None = None, detach: bool | None = None, language: str | None = None, linger_s: float | None = None, output_bytes: int | None = None, timeout_s: float | None = None) -> Stream[types.Event, types.Execution]:
        """Run code in a session. Without stream and detach the answer comes when the code has ended; a caller that goes away interrupts it. It needs the scope run.

        bounds: zero fields: the usual ones
        context: a context that was made; left out: that of the language
        detach: answer at once; the code goes on when the caller is gone
        language: a name such as python, javascript, sql or bash; left out: the session's first
        linger_s: with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        output_bytes: that the result holds; 0: the usual number
        timeout_s: wall time; 0: the usual one
        """
        return self._http.stream("POST", f"/v1/sessions/{segment(session)}/executions", None, {"stream": True, "code": code, "bounds": bounds, "context": context, "detach": detach, "language": language, "linger_s": linger_s, "output_bytes": output_bytes, "timeout_s": timeout_s})


class Files:
    def __init__(self, http: Http) -> None:
        self._http = http

    def archive(self, session: str, *, path: str | None = None, format: str | None = None) -> Content:
        """Read a file or a folder of a session as one archive. It needs the scope read.

        path: left out: the working folder
        format: tar (what is unpacked may be compressed by gzip) or zip; left out: tar
        """
        return self._http.download("GET", f"/v1/sessions/{segment(session)}/archive", {"path": path, "format": format})

    def extract(self, session: str, *, path: str | None = None, format: str | None = None, data: Body) -> None:
        """Unpack an archive into a folder of a session. Files of the same names are replaced. It needs the scope run.

        path: left out: the working folder
        format: tar (what is unpacked may be compressed by gzip) or zip; left out: tar
        """
        self._http.upload("PUT", f"/v1/sessions/{segment(session)}/archive", {"path": path, "format": format}, data)

    def list(self, session: str, *, path: str | None = None) -> types.Files:
        """List what is in a folder of a session, and below it. It needs the scope read.

        path: left out: the working folder
        """
        return cast("types.Files", self._http.call("GET", f"/v1/sessions/{segment(session)}/files", {"path": path}))

    def mkdir(self, session: str, *, path: str) -> None:
        """Make a folder of a session and those above it; one that is there is no error. It needs the scope run."""
        self._http.call("POST", f"/v1/sessions/{segment(session)}/folders", None, {"path": path})

    def move(self, session: str, *, from_: str, to: str) -> None:
        """Rename a file or folder of a session; it takes the place of a file that is there. It needs the scope run."""
        self._http.call("POST", f"/v1/sessions/{segment(session)}/files/move", None, {"from": from_, "to": to})

    def read(self, session: str, *, path: str) -> Content:
        """Read a file of a session. It needs the scope read.

        path: absolute, or of the working folder
        """
        return self._http.download("GET", f"/v1/sessions/{segment(session)}/file", {"path": path})

    def remove(self, session: str, *, path: str, recursive: bool | None = None) -> None:
        """Remove a file or an empty folder of a session. It needs the scope run.

        path: absolute, or of the working folder
        recursive: a folder with all that is in it
        """
        self._http.call("DELETE", f"/v1/sessions/{segment(session)}/file", {"path": path, "recursive": recursive})

    def stat(self, session: str, *, path: str) -> types.FileInfo:
        """Describe a file of a session; a symbolic link is described itself. It needs the scope read.

        path: absolute, or of the working folder
        """
        return cast("types.FileInfo", self._http.call("GET", f"/v1/sessions/{segment(session)}/file/info", {"path": path}))

    def watch(self, session: str, *, path: str | None = None, recursive: bool | None = None) -> Stream[types.FilesEvent, types.WatchEnded]:
        """Follow the changes of a file, or of what is in a folder, as events: changed, with a type (created, modified, removed, or rescan: look at the whole again) and a path. It needs the scope read.

        path: left out: the working folder
        recursive: what is in the folders of the folder, too
        """
        return self._http.stream("GET", f"/v1/sessions/{segment(session)}/files/events", {"path": path, "recursive": recursive})

    def write(self, session: str, *, path: str, data: Body) -> None:
        """Write a file of a session whole, with the folders above it. It needs the scope run.

        path: absolute, or of the working folder
        """
        self._http.upload("PUT", f"/v1/sessions/{segment(session)}/file", {"path": path}, data)


class Images:
    def __init__(self, http: Http) -> None:
        self._http = http

    def build(self, *, file: str | None = None, image: str | None = None, languages: List[str] | None = None, name: str | None = None, npm: List[str] | None = None, with_: List[str] | None = None) -> types.BuiltImage:
        """Make an image with packages, or one that a file declares, unless it is there. It needs the scope run.

        file: the text of an image file; it copies nothing, and reaches the operator's hosts alone
        image: that they are added to
        name: of the file; left out: image.yaml
        npm: packages of npm
        with_: packages of Python, in the place of a file
        """
        return cast("types.BuiltImage", self._http.call("POST", "/v1/images", None, {"file": file, "image": image, "languages": languages, "name": name, "npm": npm, "with": with_}))

    def delete(self, image: str) -> None:
        """Remove an image that no session needs. It needs the scope run."""
        self._http.call("DELETE", f"/v1/images/{segment(image)}")

    def get(self, image: str) -> types.Details:
        """Describe an image. It needs the scope read."""
        return cast("types.Details", self._http.call("GET", f"/v1/images/{segment(image)}"))

    def history(self, image: str) -> types.ImageSteps:
        """Say by which steps an image was made. It needs the scope read."""
        return cast("types.ImageSteps", self._http.call("GET", f"/v1/images/{segment(image)}/history"))

    def list(self) -> types.ImageInfos:
        """List the images that there are. It needs the scope read."""
        return cast("types.ImageInfos", self._http.call("GET", "/v1/images"))

    def pull(self, *, reference: str) -> types.ImageImage:
        """Get a container image of a registry; for admins of the default tenant. It needs the scope admin.

        reference: such as python:3.13-slim or registry.example.com/name@sha256:…
        """
        return cast("types.ImageImage", self._http.call("POST", "/v1/images/pull", None, {"reference": reference}))


class Keys:
    def __init__(self, http: Http) -> None:
        self._http = http

    def create(self, *, lasts_s: float | None = None, name: str | None = None, quota: types.Quota | None = None, scopes: List[Literal["read", "run", "approve", "admin"]] | None = None) -> types.MadeKey:
        """Make a key for the caller's tenant. Its text is shown once. It needs the scope admin.

        lasts_s: seconds after which it expires; 0: never
        name: what it is for
        quota: how much may be used with it, beside what the tenant may
        scopes: read, run, approve, admin; left out: read and run
        """
        return cast("types.MadeKey", self._http.call("POST", "/v1/keys", None, {"lasts_s": lasts_s, "name": name, "quota": quota, "scopes": scopes}))

    def delete(self, id: str) -> None:
        """Take a key of the caller's tenant away. It needs the scope admin."""
        self._http.call("DELETE", f"/v1/keys/{segment(id)}")

    def list(self) -> types.Keys:
        """List the keys of the caller's tenant. It needs the scope admin."""
        return cast("types.Keys", self._http.call("GET", "/v1/keys"))


class Models:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(self) -> types.ModelList:
        """List the models that the server's keys can use. It needs the scope read."""
        return cast("types.ModelList", self._http.call("GET", "/v1/models"))


class Notes:
    def __init__(self, http: Http) -> None:
        self._http = http

    def delete(self, note: str) -> None:
        """Remove a note. It needs the scope run."""
        self._http.call("DELETE", f"/v1/notes/{segment(note)}")

    def get(self, note: str) -> types.Note:
        """Read a note. It needs the scope read."""
        return cast("types.Note", self._http.call("GET", f"/v1/notes/{segment(note)}"))

    def list(self, *, thread: str | None = None, tag: str | None = None, limit: int | None = None) -> types.Notes:
        """List the notes that the agent kept, or those that fit some words. It needs the scope read.

        limit: 0: 100
        """
        return cast("types.Notes", self._http.call("GET", "/v1/notes", {"thread": thread, "tag": tag, "limit": limit}))


class Packages:
    def __init__(self, http: Http) -> None:
        self._http = http

    def add(self, session: str, *, packages: List[str]) -> types.AddedPackages:
        """Give a session packages. Its variables stay, and it is saved. It needs the scope run.

        packages: such as polars, plotly>=6 or, of npm, npm:lodash
        """
        return cast("types.AddedPackages", self._http.call("POST", f"/v1/sessions/{segment(session)}/packages", None, {"packages": packages}))


class Plans:
    def __init__(self, http: Http) -> None:
        self._http = http

    def check(self, *, text: str, name: str | None = None, strict: bool | None = None) -> types.CheckResult:
        """Check a plan against the server's tools and policy. Nothing runs. It needs the scope read.

        name: of its file; left out: plan.py
        strict: count implicit flows, too
        """
        return cast("types.CheckResult", self._http.call("POST", "/v1/plans/check", None, {"text": text, "name": name, "strict": strict}))

    def explain(self, *, text: str, name: str | None = None, strict: bool | None = None) -> types.PlanExplained:
        """Say of each call of a plan what the policy says of it, and where its data can come from. It needs the scope read.

        name: of its file; left out: plan.py
        strict: count implicit flows, too
        """
        return cast("types.PlanExplained", self._http.call("POST", "/v1/plans/explain", None, {"text": text, "name": name, "strict": strict}))

    def resume(self, record: str, *, again: bool | None = None, approve: bool | None = None, detach: bool | None = None, endorse: str | None = None, error: str | None = None, later: bool | None = None, linger_s: float | None = None, make: bool | None = None, reason: str | None = None, result: Any | None = None, timeout_s: float | None = None, unattended: bool | None = None) -> types.Run:
        """Answer the call that a plan waits at, and go on with the plan. It needs the scope run.

        again: go on also when it was gone on with before; it takes the scope approve
        approve: whether the call may be made; it takes the scope approve
        detach: answer at once; the run goes on when the caller is gone
        endorse: why the caller vouches for the result; it takes the scope approve
        error: why the call has no result
        later: as in plans.run
        linger_s: with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        make: the call was approved before, and is made now
        reason: of the decision
        result: of the call, which is not made then
        unattended: a call that somebody has to agree to is denied at once; otherwise it is an open question
        """
        return cast("types.Run", self._http.call("POST", f"/v1/plans/{segment(record)}/resume", None, {"again": again, "approve": approve, "detach": detach, "endorse": endorse, "error": error, "later": later, "linger_s": linger_s, "make": make, "reason": reason, "result": result, "timeout_s": timeout_s, "unattended": unattended}))

    def resume_stream(self, record: str, *, again: bool | None = None, approve: bool | None = None, detach: bool | None = None, endorse: str | None = None, error: str | None = None, later: bool | None = None, linger_s: float | None = None, make: bool | None = None, reason: str | None = None, result: Any | None = None, timeout_s: float | None = None, unattended: bool | None = None) -> Stream[types.Event, types.Run]:
        """Answer the call that a plan waits at, and go on with the plan. It needs the scope run.

        again: go on also when it was gone on with before; it takes the scope approve
        approve: whether the call may be made; it takes the scope approve
        detach: answer at once; the run goes on when the caller is gone
        endorse: why the caller vouches for the result; it takes the scope approve
        error: why the call has no result
        later: as in plans.run
        linger_s: with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        make: the call was approved before, and is made now
        reason: of the decision
        result: of the call, which is not made then
        unattended: a call that somebody has to agree to is denied at once; otherwise it is an open question
        """
        return self._http.stream("POST", f"/v1/plans/{segment(record)}/resume", None, {"stream": True, "again": again, "approve": approve, "detach": detach, "endorse": endorse, "error": error, "later": later, "linger_s": linger_s, "make": make, "reason": reason, "result": result, "timeout_s": timeout_s, "unattended": unattended})

    def run(self, *, text: str, detach: bool | None = None, inputs: Dict[str, Any] | None = None, later: bool | None = None, linger_s: float | None = None, model: str | None = None, name: str | None = None, now: str | None = None, seed: int | None = None, strict: bool | None = None, timeout_s: float | None = None, unattended: bool | None = None) -> types.Run:
        """Check a plan, and run it when nothing is wrong with it. It needs the scope run.

        detach: answer at once; the run goes on when the caller is gone
        inputs: values of the declared inputs
        later: a call that somebody has to agree to lets the plan wait for plans.resume; otherwise it is an open question
        linger_s: with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        model: that answers without tools
        name: of its file; left out: plan.py
        now: what the plan's clock shows; left out: the time
        strict: count implicit flows, too
        unattended: a call that somebody has to agree to is denied at once; otherwise it is an open question
        """
        return cast("types.Run", self._http.call("POST", "/v1/plans/run", None, {"text": text, "detach": detach, "inputs": inputs, "later": later, "linger_s": linger_s, "model": model, "name": name, "now": now, "seed": seed, "strict": strict, "timeout_s": timeout_s, "unattended": unattended}))

    def run_stream(self, *, text: str, detach: bool | None = None, inputs: Dict[str, Any] | None = None, later: bool | None = None, linger_s: float | None = None, model: str | None = None, name: str | None = None, now: str | None = None, seed: int | None = None, strict: bool | None = None, timeout_s: float | None = None, unattended: bool | None = None) -> Stream[types.Event, types.Run]:
        """Check a plan, and run it when nothing is wrong with it. It needs the scope run.

        detach: answer at once; the run goes on when the caller is gone
        inputs: values of the declared inputs
        later: a call that somebody has to agree to lets the plan wait for plans.resume; otherwise it is an open question
        linger_s: with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        model: that answers without tools
        name: of its file; left out: plan.py
        now: what the plan's clock shows; left out: the time
        strict: count implicit flows, too
        unattended: a call that somebody has to agree to is denied at once; otherwise it is an open question
        """
        return self._http.stream("POST", "/v1/plans/run", None, {"stream": True, "text": text, "detach": detach, "inputs": inputs, "later": later, "linger_s": linger_s, "model": model, "name": name, "now": now, "seed": seed, "strict": strict, "timeout_s": timeout_s, "unattended": unattended})


class Policies:
    def __init__(self, http: Http) -> None:
        self._http = http

    def cases(self, record: str) -> types.Text:
        """Write the calls of a recorded run as cases for the tests of a policy. It needs the scope read."""
        return cast("types.Text", self._http.call("GET", f"/v1/records/{segment(record)}/policy-cases"))

    def draft(self) -> types.Text:
        """Write a first policy for the server's tools. It needs the scope read."""
        return cast("types.Text", self._http.call("POST", "/v1/policies/draft"))

    def explain(self, *, call: str | None = None, name: str | None = None, policy: str | None = None) -> types.PolicyAnswer:
        """Check a policy, and say what it decides about each tool, or about one call. Nothing is called. It needs the scope read.

        call: of policies.explain: a call to decide, as JSON, as in a test of a policy
        name: of its file; left out: policy.yaml
        policy: its text; left out: the server's
        """
        return cast("types.PolicyAnswer", self._http.call("POST", "/v1/policies/explain", None, {"call": call, "name": name, "policy": policy}))

    def test(self, *, call: str | None = None, name: str | None = None, policy: str | None = None) -> types.PolicyReport:
        """Run the cases that stand in a policy. Nothing is called. It needs the scope read.

        call: of policies.explain: a call to decide, as JSON, as in a test of a policy
        name: of its file; left out: policy.yaml
        policy: its text; left out: the server's
        """
        return cast("types.PolicyReport", self._http.call("POST", "/v1/policies/test", None, {"call": call, "name": name, "policy": policy}))


class Ports:
    def __init__(self, http: Http) -> None:
        self._http = http

    def close(self, session: str, id: str) -> None:
        """Let a port of a session not be reached any more; connections to it end. It needs the scope run."""
        self._http.call("DELETE", f"/v1/sessions/{segment(session)}/ports/{segment(id)}")

    def list(self, session: str) -> types.OpenPorts:
        """List the ports of a session that can be reached. It needs the scope read."""
        return cast("types.OpenPorts", self._http.call("GET", f"/v1/sessions/{segment(session)}/ports"))

    def open(self, session: str, *, port: int, browser: bool | None = None, lasts_s: float | None = None) -> types.Port:
        """Let a server inside a session be reached over HTTP, under a host name of its own. It needs the scope run.

        port: at which a program of the session listens, or will
        browser: the host name, which cannot be guessed, is enough to reach it; false: requests need the token, too
        lasts_s: seconds after which it is closed, at most 86400; 0: an hour
        """
        return cast("types.Port", self._http.call("POST", f"/v1/sessions/{segment(session)}/ports", None, {"port": port, "browser": browser, "lasts_s": lasts_s}))


class Processes:
    def __init__(self, http: Http) -> None:
        self._http = http

    def close_input(self, session: str, process: str) -> None:
        """End a process's standard input. It needs the scope run."""
        self._http.call("DELETE", f"/v1/sessions/{segment(session)}/processes/{segment(process)}/input")

    def events(self, session: str, process: str) -> Stream[types.ProcessesEvent, types.Process]:
        """Follow what a process writes; Last-Event-ID says what was seen before. It goes on when the caller is gone. It needs the scope read."""
        return self._http.follow("GET", f"/v1/sessions/{segment(session)}/processes/{segment(process)}/events")

    def get(self, session: str, process: str) -> types.Process:
        """Describe a process, with the end of what it wrote. It needs the scope read."""
        return cast("types.Process", self._http.call("GET", f"/v1/sessions/{segment(session)}/processes/{segment(process)}"))

    def input(self, session: str, process: str, *, data: Body) -> None:
        """Write bytes to a process's standard input, or type them at its terminal. It needs the scope run."""
        self._http.upload("POST", f"/v1/sessions/{segment(session)}/processes/{segment(process)}/input", {}, data)

    def list(self, session: str) -> types.Processes:
        """List the processes of a session, those that ended lately, too. It needs the scope read."""
        return cast("types.Processes", self._http.call("GET", f"/v1/sessions/{segment(session)}/processes"))

    def resize(self, session: str, process: str, *, cols: int, rows: int) -> None:
        """Give a process's terminal another size. It needs the scope run."""
        self._http.call("POST", f"/v1/sessions/{segment(session)}/processes/{segment(process)}/resize", None, {"cols": cols, "rows": rows})

    def signal(self, session: str, process: str, *, signal: int) -> None:
        """Send a signal to a process and its group. It needs the scope run.

        signal: its number: 15 asks to end (TERM), 9 ends (KILL), 2 is Ctrl-C (INT), 1 a terminal that is closed (HUP)
        """
        self._http.call("POST", f"/v1/sessions/{segment(session)}/processes/{segment(process)}/signal", None, {"signal": signal})

    def start(self, session: str, *, argv: List[str], cwd: str | None = None, detach: bool | None = None, env: Dict[str, str] | None = None, stdin: bool | None = None, terminal: types.TerminalSize | None = None) -> types.Process:
        """Start a program in a session. Without stream and detach the answer comes when it has ended; a caller that goes away ends it. It needs the scope run.

        argv: the program, looked up in PATH, and its arguments
        cwd: left out: the working folder
        detach: answer at once; the process goes on when the caller is gone
        env: beside the session's
        stdin: it can be written to; false: its standard input is empty
        terminal: gives it a terminal of its own
        """
        return cast("types.Process", self._http.call("POST", f"/v1/sessions/{segment(session)}/processes", None, {"argv": argv, "cwd": cwd, "detach": detach, "env": env, "stdin": stdin, "terminal": terminal}))

    def start_stream(self, session: str, *, argv: List[str], cwd: str | None = None, detach: bool | None = None, env: Dict[str, str] | None = None, stdin: bool | None = None, terminal: types.TerminalSize | None = None) -> Stream[types.ProcessesEvent, types.Process]:
        """Start a program in a session. Without stream and detach the answer comes when it has ended; a caller that goes away ends it. It needs the scope run.

        argv: the program, looked up in PATH, and its arguments
        cwd: left out: the working folder
        detach: answer at once; the process goes on when the caller is gone
        env: beside the session's
        stdin: it can be written to; false: its standard input is empty
        terminal: gives it a terminal of its own
        """
        return self._http.stream("POST", f"/v1/sessions/{segment(session)}/processes", None, {"stream": True, "argv": argv, "cwd": cwd, "detach": detach, "env": env, "stdin": stdin, "terminal": terminal})


class Records:
    def __init__(self, http: Http) -> None:
        self._http = http

    def branch(self, record: str, *, from_: int, code: str | None = None, detach: bool | None = None, linger_s: float | None = None, loose: bool | None = None, model: str | None = None, question: str | None = None, unattended: bool | None = None) -> types.Run:
        """Go another way from a step of a run. It needs the scope run.

        from_: the step
        code: other code in that step
        detach: answer at once; the run goes on when the caller is gone
        linger_s: with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        loose: also from a state that could only be made again differently
        model: that goes on; left out: the recorded replies
        question: another one; it needs a model
        unattended: a call that somebody has to agree to is denied at once; otherwise it is an open question
        """
        return cast("types.Run", self._http.call("POST", f"/v1/records/{segment(record)}/branch", None, {"from": from_, "code": code, "detach": detach, "linger_s": linger_s, "loose": loose, "model": model, "question": question, "unattended": unattended}))

    def branch_stream(self, record: str, *, from_: int, code: str | None = None, detach: bool | None = None, linger_s: float | None = None, loose: bool | None = None, model: str | None = None, question: str | None = None, unattended: bool | None = None) -> Stream[types.Event, types.Run]:
        """Go another way from a step of a run. It needs the scope run.

        from_: the step
        code: other code in that step
        detach: answer at once; the run goes on when the caller is gone
        linger_s: with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        loose: also from a state that could only be made again differently
        model: that goes on; left out: the recorded replies
        question: another one; it needs a model
        unattended: a call that somebody has to agree to is denied at once; otherwise it is an open question
        """
        return self._http.stream("POST", f"/v1/records/{segment(record)}/branch", None, {"stream": True, "from": from_, "code": code, "detach": detach, "linger_s": linger_s, "loose": loose, "model": model, "question": question, "unattended": unattended})

    def delete(self, record: str) -> types.RemovedRun:
        """Remove the record of a run; the chain of runs says that it was. It needs the scope admin."""
        return cast("types.RemovedRun", self._http.call("DELETE", f"/v1/records/{segment(record)}"))

    def export(self, record: str, *, format: str | None = None) -> Content:
        """Write a record in a format. It needs the scope read.

        format: praxis, jsonl, html, ipynb or md; left out: praxis
        """
        return self._http.download("GET", f"/v1/records/{segment(record)}/export", {"format": format})

    def import_(self, *, data: Body) -> types.Imported:
        """Take in a run that was exported, of which the body is the file. It needs the scope run."""
        return cast("types.Imported", self._http.upload("POST", "/v1/records/import", {}, data))

    def list(self, *, words: str | None = None, status: str | None = None, kind: str | None = None, thread: str | None = None, model: str | None = None, since: str | None = None, until: str | None = None, cost_usd: str | None = None, children: bool | None = None, limit: int | None = None) -> types.Records:
        """List the records of runs, the newest first. It needs the scope read.

        words: that question, code or answer have
        kind: ask, code, plan or tool
        model: that the model's name has in it
        since: a time (RFC 3339)
        until: a time (RFC 3339), which is not in it
        cost_usd: dollars that a run cost at least
        children: list runs that are parts of others, too
        limit: 0: 100
        """
        return cast("types.Records", self._http.call("GET", "/v1/records", {"words": words, "status": status, "kind": kind, "thread": thread, "model": model, "since": since, "until": until, "cost_usd": cost_usd, "children": children, "limit": limit}))

    def read(self, record: str) -> types.Recorded:
        """Read the events of a record, with those of the runs that it began. It needs the scope read."""
        return cast("types.Recorded", self._http.call("GET", f"/v1/records/{segment(record)}"))

    def replay(self, record: str) -> types.Replayed:
        """Execute a run again with its recorded replies, and compare. It needs the scope run."""
        return cast("types.Replayed", self._http.call("POST", f"/v1/records/{segment(record)}/replay"))

    def resume(self, record: str, *, budget: types.Budget | None = None, detach: bool | None = None, keep_files: bool | None = None, linger_s: float | None = None, max_steps: int | None = None, model: str | None = None, unattended: bool | None = None) -> types.Run:
        """Go on with a question that broke off: no recorded reply is requested again, and no recorded call made again. It needs the scope run.

        budget: with what is used; zeros: as recorded
        detach: answer at once; the run goes on when the caller is gone
        keep_files: keep the files and pictures that code makes until runs.files has fetched them
        linger_s: with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        max_steps: with those that were taken; 0: as recorded
        model: left out: the recorded one
        unattended: a call that somebody has to agree to is denied at once; otherwise it is an open question
        """
        return cast("types.Run", self._http.call("POST", f"/v1/records/{segment(record)}/resume", None, {"budget": budget, "detach": detach, "keep_files": keep_files, "linger_s": linger_s, "max_steps": max_steps, "model": model, "unattended": unattended}))

    def resume_stream(self, record: str, *, budget: types.Budget | None = None, detach: bool | None = None, keep_files: bool | None = None, linger_s: float | None = None, max_steps: int | None = None, model: str | None = None, unattended: bool | None = None) -> Stream[types.Event, types.Run]:
        """Go on with a question that broke off: no recorded reply is requested again, and no recorded call made again. It needs the scope run.

        budget: with what is used; zeros: as recorded
        detach: answer at once; the run goes on when the caller is gone
        keep_files: keep the files and pictures that code makes until runs.files has fetched them
        linger_s: with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        max_steps: with those that were taken; 0: as recorded
        model: left out: the recorded one
        unattended: a call that somebody has to agree to is denied at once; otherwise it is an open question
        """
        return self._http.stream("POST", f"/v1/records/{segment(record)}/resume", None, {"stream": True, "budget": budget, "detach": detach, "keep_files": keep_files, "linger_s": linger_s, "max_steps": max_steps, "model": model, "unattended": unattended})

    def verify(self, record: str) -> types.Verified:
        """Check the chain and the signatures of a record. It needs the scope read."""
        return cast("types.Verified", self._http.call("POST", f"/v1/records/{segment(record)}/verify"))

    def verify_all(self) -> types.AllVerified:
        """Check all records, and the chain that says which there were. It needs the scope read."""
        return cast("types.AllVerified", self._http.call("POST", "/v1/records/verify"))


class Runs:
    def __init__(self, http: Http) -> None:
        self._http = http

    def ask(self, *, question: str, bounds: types.Bounds | None = None, branches: int | None = None, budget: types.Budget | None = None, checks: List[types.Check] | None = None, date: str | None = None, detach: bool | None = None, effort: str | None = None, fallback_models: List[str] | None = None, files: List[types.GivenFile] | None = None, image: str | None = None, input_checks: List[types.Check] | None = None, keep_files: bool | None = None, language: str | None = None, later: bool | None = None, learn: bool | None = None, limits: types.Limits | None = None, linger_s: float | None = None, max_steps: int | None = None, mode: str | None = None, model: str | None = None, no_skills: bool | None = None, notes: bool | None = None, npm: List[str] | None = None, plans: int | None = None, project: types.GivenProject | None = None, schema: Any | None = None, seed: int | None = None, sees: bool | None = None, show_changes: bool | None = None, strict: bool | None = None, style: str | None = None, subcall_models: List[str] | None = None, subcalls: bool | None = None, thread: str | None = None, timeout_s: float | None = None, unattended: bool | None = None, with_: List[str] | None = None) -> types.Run:
        """Ask a question that is answered by code, by tools or by both. Without stream and detach the answer comes when the run has ended. It needs the scope run.

        bounds: of each execution; zero fields: the usual ones
        branches: attempts that are made side by side, of which the best is chosen; 0: one
        checks: Python that runs when the model has answered
        date: when a session with a seed begins by its clocks
        detach: answer at once; the run goes on when the caller is gone
        effort: low, medium or high
        fallback_models: models that are asked when those before fail for good
        input_checks: Python that runs before the model is asked
        keep_files: keep the files and pictures that code makes until runs.files has fetched them: those of the last 16 such runs
        language: the main one of the model's code
        later: of the mode plan: a call that somebody has to agree to lets the plan wait for plans.resume
        learn: the model may have functions stored as skills
        limits: of the session; zero fields: the usual ones
        linger_s: with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        mode: code, tools, both or plan (by a plan whose flows are proved); left out: code
        model: PROVIDER:NAME; left out: the server's usual one
        no_skills: no stored skill is given to the run
        notes: let the model keep notes and find those of all threads
        npm: packages of npm
        plans: of the mode plan: how many plans the model may write; 0: the usual number
        project: that the model works on, with the question as its task
        schema: a JSON Schema that the answer must keep to
        sees: the model sees pictures, although its server does not say so
        show_changes: show the model which variables each step made and changed
        strict: an answer with a figure that is found nowhere is none
        style: react, program or plan-first; left out: the server's usual one
        subcall_models: that code may name beside the run's own
        subcalls: let code query models and begin runs of its own
        thread: the conversation that the question goes on with
        timeout_s: wall time of each execution; 0: the usual one
        unattended: a call that somebody has to agree to is denied at once; otherwise it is an open question
        with_: packages of Python
        """
        return cast("types.Run", self._http.call("POST", "/v1/runs", None, {"question": question, "bounds": bounds, "branches": branches, "budget": budget, "checks": checks, "date": date, "detach": detach, "effort": effort, "fallback_models": fallback_models, "files": files, "image": image, "input_checks": input_checks, "keep_files": keep_files, "language": language, "later": later, "learn": learn, "limits": limits, "linger_s": linger_s, "max_steps": max_steps, "mode": mode, "model": model, "no_skills": no_skills, "notes": notes, "npm": npm, "plans": plans, "project": project, "schema": schema, "seed": seed, "sees": sees, "show_changes": show_changes, "strict": strict, "style": style, "subcall_models": subcall_models, "subcalls": subcalls, "thread": thread, "timeout_s": timeout_s, "unattended": unattended, "with": with_}))

    def ask_stream(self, *, question: str, bounds: types.Bounds | None = None, branches: int | None = None, budget: types.Budget | None = None, checks: List[types.Check] | None = None, date: str | None = None, detach: bool | None = None, effort: str | None = None, fallback_models: List[str] | None = None, files: List[types.GivenFile] | None = None, image: str | None = None, input_checks: List[types.Check] | None = None, keep_files: bool | None = None, language: str | None = None, later: bool | None = None, learn: bool | None = None, limits: types.Limits | None = None, linger_s: float | None = None, max_steps: int | None = None, mode: str | None = None, model: str | None = None, no_skills: bool | None = None, notes: bool | None = None, npm: List[str] | None = None, plans: int | None = None, project: types.GivenProject | None = None, schema: Any | None = None, seed: int | None = None, sees: bool | None = None, show_changes: bool | None = None, strict: bool | None = None, style: str | None = None, subcall_models: List[str] | None = None, subcalls: bool | None = None, thread: str | None = None, timeout_s: float | None = None, unattended: bool | None = None, with_: List[str] | None = None) -> Stream[types.Event, types.Run]:
        """Ask a question that is answered by code, by tools or by both. Without stream and detach the answer comes when the run has ended. It needs the scope run.

        bounds: of each execution; zero fields: the usual ones
        branches: attempts that are made side by side, of which the best is chosen; 0: one
        checks: Python that runs when the model has answered
        date: when a session with a seed begins by its clocks
        detach: answer at once; the run goes on when the caller is gone
        effort: low, medium or high
        fallback_models: models that are asked when those before fail for good
        input_checks: Python that runs before the model is asked
        keep_files: keep the files and pictures that code makes until runs.files has fetched them: those of the last 16 such runs
        language: the main one of the model's code
        later: of the mode plan: a call that somebody has to agree to lets the plan wait for plans.resume
        learn: the model may have functions stored as skills
        limits: of the session; zero fields: the usual ones
        linger_s: with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        mode: code, tools, both or plan (by a plan whose flows are proved); left out: code
        model: PROVIDER:NAME; left out: the server's usual one
        no_skills: no stored skill is given to the run
        notes: let the model keep notes and find those of all threads
        npm: packages of npm
        plans: of the mode plan: how many plans the model may write; 0: the usual number
        project: that the model works on, with the question as its task
        schema: a JSON Schema that the answer must keep to
        sees: the model sees pictures, although its server does not say so
        show_changes: show the model which variables each step made and changed
        strict: an answer with a figure that is found nowhere is none
        style: react, program or plan-first; left out: the server's usual one
        subcall_models: that code may name beside the run's own
        subcalls: let code query models and begin runs of its own
        thread: the conversation that the question goes on with
        timeout_s: wall time of each execution; 0: the usual one
        unattended: a call that somebody has to agree to is denied at once; otherwise it is an open question
        with_: packages of Python
        """
        return self._http.stream("POST", "/v1/runs", None, {"stream": True, "question": question, "bounds": bounds, "branches": branches, "budget": budget, "checks": checks, "date": date, "detach": detach, "effort": effort, "fallback_models": fallback_models, "files": files, "image": image, "input_checks": input_checks, "keep_files": keep_files, "language": language, "later": later, "learn": learn, "limits": limits, "linger_s": linger_s, "max_steps": max_steps, "mode": mode, "model": model, "no_skills": no_skills, "notes": notes, "npm": npm, "plans": plans, "project": project, "schema": schema, "seed": seed, "sees": sees, "show_changes": show_changes, "strict": strict, "style": style, "subcall_models": subcall_models, "subcalls": subcalls, "thread": thread, "timeout_s": timeout_s, "unattended": unattended, "with": with_})

    def cancel(self, run: str) -> types.Run:
        """Cancel a run, and wait for its end. It needs the scope run."""
        return cast("types.Run", self._http.call("POST", f"/v1/runs/{segment(run)}/cancel"))

    def code(self, *, code: str, args: List[str] | None = None, bounds: types.Bounds | None = None, date: str | None = None, detach: bool | None = None, file: str | None = None, files: List[types.GivenFile] | None = None, image: str | None = None, keep_files: bool | None = None, language: str | None = None, languages: List[str] | None = None, limits: types.Limits | None = None, linger_s: float | None = None, name: str | None = None, notebook: str | None = None, npm: List[str] | None = None, own_packages: bool | None = None, seed: int | None = None, stdin: str | None = None, timeout_s: float | None = None, unattended: bool | None = None, with_: List[str] | None = None) -> types.Run:
        """Run a piece of code by itself, and record it. It needs the scope run.

        bounds: of each execution; zero fields: the usual ones
        date: when a session with a seed begins by its clocks
        detach: answer at once; the run goes on when the caller is gone
        file: name of the file that the code was read from
        keep_files: keep the files and pictures that code makes until runs.files has fetched them: those of the last 16 such runs
        languages: that the session has, the main one first
        limits: of the session; zero fields: the usual ones
        linger_s: with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        name: a named session that it runs in; left out: one of its own
        notebook: base64: a Jupyter notebook, whose cells are run in the place of code
        npm: packages of npm
        own_packages: add the packages that the code itself names (PEP 723)
        stdin: base64: what the code reads from standard input
        unattended: a call that somebody has to agree to is denied at once; otherwise it is an open question
        with_: packages of Python
        """
        return cast("types.Run", self._http.call("POST", "/v1/runs/code", None, {"code": code, "args": args, "bounds": bounds, "date": date, "detach": detach, "file": file, "files": files, "image": image, "keep_files": keep_files, "language": language, "languages": languages, "limits": limits, "linger_s": linger_s, "name": name, "notebook": notebook, "npm": npm, "own_packages": own_packages, "seed": seed, "stdin": stdin, "timeout_s": timeout_s, "unattended": unattended, "with": with_}))

    def code_stream(self, *, code: str, args: List[str] | None = None, bounds: types.Bounds | None = None, date: str | None = None, detach: bool | None = None, file: str | None = None, files: List[types.GivenFile] | None = None, image: str | None = None, keep_files: bool | None = None, language: str | None = None, languages: List[str] | None = None, limits: types.Limits | None = None, linger_s: float | None = None, name: str | None = None, notebook: str | None = None, npm: List[str] | None = None, own_packages: bool | None = None, seed: int | None = None, stdin: str | None = None, timeout_s: float | None = None, unattended: bool | None = None, with_: List[str] | None = None) -> Stream[types.Event, types.Run]:
        """Run a piece of code by itself, and record it. It needs the scope run.

        bounds: of each execution; zero fields: the usual ones
        date: when a session with a seed begins by its clocks
        detach: answer at once; the run goes on when the caller is gone
        file: name of the file that the code was read from
        keep_files: keep the files and pictures that code makes until runs.files has fetched them: those of the last 16 such runs
        languages: that the session has, the main one first
        limits: of the session; zero fields: the usual ones
        linger_s: with detach: seconds after which it is interrupted when nobody follows it; 0: it goes on
        name: a named session that it runs in; left out: one of its own
        notebook: base64: a Jupyter notebook, whose cells are run in the place of code
        npm: packages of npm
        own_packages: add the packages that the code itself names (PEP 723)
        stdin: base64: what the code reads from standard input
        unattended: a call that somebody has to agree to is denied at once; otherwise it is an open question
        with_: packages of Python
        """
        return self._http.stream("POST", "/v1/runs/code", None, {"stream": True, "code": code, "args": args, "bounds": bounds, "date": date, "detach": detach, "file": file, "files": files, "image": image, "keep_files": keep_files, "language": language, "languages": languages, "limits": limits, "linger_s": linger_s, "name": name, "notebook": notebook, "npm": npm, "own_packages": own_packages, "seed": seed, "stdin": stdin, "timeout_s": timeout_s, "unattended": unattended, "with": with_})

    def events(self, run: str) -> Stream[types.Event, types.Run]:
        """Follow a run; Last-Event-ID says what was seen before. It needs the scope read."""
        return self._http.follow("GET", f"/v1/runs/{segment(run)}/events")

    def files(self, run: str) -> Content:
        """Fetch what a run made that was asked to keep its files, as a tar archive. It needs the scope read."""
        return self._http.download("GET", f"/v1/runs/{segment(run)}/files", {})

    def forget(self, run: str) -> None:
        """Remove what a run made and kept. It needs the scope run."""
        self._http.call("DELETE", f"/v1/runs/{segment(run)}/files")

    def get(self, run: str) -> types.Run:
        """Describe a run that goes on, or ended lately. It needs the scope read."""
        return cast("types.Run", self._http.call("GET", f"/v1/runs/{segment(run)}"))

    def list(self) -> types.Runs:
        """List the runs that go on, or ended lately. It needs the scope read."""
        return cast("types.Runs", self._http.call("GET", "/v1/runs"))


class Sessions:
    def __init__(self, http: Http) -> None:
        self._http = http

    def create(self, *, id: str | None = None, image: str | None = None, languages: List[str] | None = None, lasts_s: float | None = None, limits: types.Limits | None = None, metadata: Dict[str, str] | None = None, npm: List[str] | None = None, seed: int | None = None, with_: List[str] | None = None) -> types.Session:
        """Make a session. It needs the scope run.

        id: its name: letters, digits, '.', '_' and '-'; left out: one is chosen
        image: a name, an id or the reference of an image that is there; left out: the usual one
        languages: that code will be in, the main one first
        lasts_s: seconds after which it is deleted; 0: not by itself
        limits: zero fields: the usual ones
        metadata: the caller's own, at most 64 entries
        npm: packages of npm
        seed: makes the session deterministic
        with_: packages of Python, such as pandas==2.*
        """
        return cast("types.Session", self._http.call("POST", "/v1/sessions", None, {"id": id, "image": image, "languages": languages, "lasts_s": lasts_s, "limits": limits, "metadata": metadata, "npm": npm, "seed": seed, "with": with_}))

    def delete(self, session: str) -> None:
        """End a session and remove its state. It needs the scope run."""
        self._http.call("DELETE", f"/v1/sessions/{segment(session)}")

    def export(self, session: str, *, head: str | None = None) -> Content:
        """Save a session, and write it with its packages into a file that another server goes on with. It needs the scope run.

        head: true: where it stands, without the snapshots before
        """
        return self._http.download("GET", f"/v1/sessions/{segment(session)}/export", {"head": head})

    def extend(self, session: str, *, lasts_s: float) -> types.Session:
        """Say anew how long a session lasts. It needs the scope run.

        lasts_s: seconds from now after which it is deleted; 0: not by itself
        """
        return cast("types.Session", self._http.call("POST", f"/v1/sessions/{segment(session)}/extend", None, {"lasts_s": lasts_s}))

    def fork(self, session: str, *, count: int | None = None, id: str | None = None, lasts_s: float | None = None) -> types.Sessions:
        """Make sessions that go on from the state of one. It needs the scope run.

        count: how many, 1 to 100; 0: one
        id: the name of a single copy; left out: one is chosen
        lasts_s: seconds after which they are deleted; 0: not by themselves
        """
        return cast("types.Sessions", self._http.call("POST", f"/v1/sessions/{segment(session)}/fork", None, {"count": count, "id": id, "lasts_s": lasts_s}))

    def get(self, session: str) -> types.Session:
        """Describe a session. It needs the scope read."""
        return cast("types.Session", self._http.call("GET", f"/v1/sessions/{segment(session)}"))

    def import_(self, *, id: str | None = None, data: Body) -> types.Session:
        """Make a session of such a file, which is the body; for admins of the default tenant. It needs the scope admin.

        id: left out: one is chosen
        """
        return cast("types.Session", self._http.upload("POST", "/v1/sessions/import", {"id": id}, data))

    def list(self) -> types.Sessions:
        """List the sessions, the oldest first. It needs the scope read."""
        return cast("types.Sessions", self._http.call("GET", "/v1/sessions"))

    def pause(self, session: str) -> types.Session:
        """Save a session and close its sandbox; the next call opens it. It needs the scope run."""
        return cast("types.Session", self._http.call("POST", f"/v1/sessions/{segment(session)}/pause"))

    def prune(self, *, dry_run: bool | None = None, keep: int | None = None, older_than_s: float | None = None, sessions: List[str] | None = None) -> types.PrunedSessions:
        """Remove old states of sessions. A session that is open is left as it is. It needs the scope run.

        dry_run: say what would go, and remove nothing
        keep: how many states of each stay, the last ones; with neither this nor older_than_s: the server's usual
        older_than_s: seconds: younger ones stay
        sessions: left out: all
        """
        return cast("types.PrunedSessions", self._http.call("POST", "/v1/sessions/prune", None, {"dry_run": dry_run, "keep": keep, "older_than_s": older_than_s, "sessions": sessions}))

    def resume(self, session: str) -> types.Session:
        """Open a session that is paused. It needs the scope run."""
        return cast("types.Session", self._http.call("POST", f"/v1/sessions/{segment(session)}/resume"))

    def rollback(self, session: str, *, snapshot: str | None = None) -> types.Snapshot:
        """Take a session back to a state. It needs the scope run.

        snapshot: its id; left out: the one before the last
        """
        return cast("types.Snapshot", self._http.call("POST", f"/v1/sessions/{segment(session)}/rollback", None, {"snapshot": snapshot}))

    def snapshot(self, session: str, *, label: str | None = None) -> types.Snapshot:
        """Save the state of a session. It needs the scope run.

        label: what was done, in a few words
        """
        return cast("types.Snapshot", self._http.call("POST", f"/v1/sessions/{segment(session)}/snapshots", None, {"label": label}))

    def snapshots(self, session: str) -> types.Snapshots:
        """List the states of a session. It needs the scope read."""
        return cast("types.Snapshots", self._http.call("GET", f"/v1/sessions/{segment(session)}/snapshots"))

    def stored(self) -> types.StoredSessions:
        """List what is stored of the sessions, with their states and what these take on disk. It needs the scope read."""
        return cast("types.StoredSessions", self._http.call("GET", "/v1/stored-sessions"))


class Skills:
    def __init__(self, http: Http) -> None:
        self._http = http

    def add(self, *, code: str | None = None, description: str | None = None, image: str | None = None, name: str | None = None, record: str | None = None, tests: str | None = None, with_: List[str] | None = None) -> types.SkillChanges:
        """Store a function when its tests pass in a fresh session. The caller vouches for it. It needs the scope approve.

        code: the function, in Python
        description: left out: what the function says of itself
        name: of the function; of a run, left out: every one that its code had stored
        record: of the run, in the place of code
        tests: of the code, in Python
        with_: packages of Python that the tests need
        """
        return cast("types.SkillChanges", self._http.call("POST", "/v1/skills", None, {"code": code, "description": description, "image": image, "name": name, "record": record, "tests": tests, "with": with_}))

    def delete(self, skill: str, *, version: int | None = None) -> None:
        """Remove a skill with all of its versions. It needs the scope approve.

        version: 0: the one that counts
        """
        self._http.call("DELETE", f"/v1/skills/{segment(skill)}", {"version": version})

    def export(self, skill: str, *, version: int | None = None) -> Content:
        """Write a skill into a file. It needs the scope read.

        version: 0: the one that counts
        """
        return self._http.download("GET", f"/v1/skills/{segment(skill)}/export", {"version": version})

    def get(self, skill: str, *, version: int | None = None) -> types.SkillDetails:
        """Read a skill. It needs the scope read.

        version: 0: the one that counts
        """
        return cast("types.SkillDetails", self._http.call("GET", f"/v1/skills/{segment(skill)}", {"version": version}))

    def import_(self, *, data: Body) -> types.SkillChanges:
        """Store the skills of a file, which is the body. Nobody vouches for them. It needs the scope run."""
        return cast("types.SkillChanges", self._http.upload("POST", "/v1/skills/import", {}, data))

    def list(self) -> types.Skills:
        """List the functions that are stored for later runs. It needs the scope read."""
        return cast("types.Skills", self._http.call("GET", "/v1/skills"))

    def test(self, *, image: str | None = None, skills: List[str] | None = None, with_: List[str] | None = None) -> types.SkillTests:
        """Run the tests of skills anew. It needs the scope run.

        image: that they run
        skills: left out: all
        with_: packages of Python that the sessions of the tests have
        """
        return cast("types.SkillTests", self._http.call("POST", "/v1/skills/test", None, {"image": image, "skills": skills, "with": with_}))


class Storage:
    def __init__(self, http: Http) -> None:
        self._http = http

    def get(self) -> types.Storage:
        """Say what the tenant's data take on the disk. It needs the scope read."""
        return cast("types.Storage", self._http.call("GET", "/v1/storage"))


class Threads:
    def __init__(self, http: Http) -> None:
        self._http = http

    def delete(self, thread: str) -> None:
        """Remove a conversation and its session. It needs the scope run."""
        self._http.call("DELETE", f"/v1/threads/{segment(thread)}")

    def fork(self, thread: str, *, to: str) -> None:
        """Copy a conversation and its session under another name. It needs the scope run."""
        self._http.call("POST", f"/v1/threads/{segment(thread)}/fork", None, {"to": to})

    def list(self) -> types.Threads:
        """List the conversations. It needs the scope read."""
        return cast("types.Threads", self._http.call("GET", "/v1/threads"))

    def rename(self, thread: str, *, to: str) -> None:
        """Give a conversation another name. It needs the scope run."""
        self._http.call("POST", f"/v1/threads/{segment(thread)}/rename", None, {"to": to})

    def turns(self, thread: str) -> types.Turns:
        """List the questions and answers of a conversation. It needs the scope read."""
        return cast("types.Turns", self._http.call("GET", f"/v1/threads/{segment(thread)}"))


class Tools:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(self, *, words: str | None = None) -> types.Tools:
        """List the tools that runs may call. It needs the scope read.

        words: left out: all
        """
        return cast("types.Tools", self._http.call("GET", "/v1/tools", {"words": words}))


class Usage:
    def __init__(self, http: Http) -> None:
        self._http = http

    def get(self) -> types.Use:
        """Say what the tenant and the key used today and this month, and how much they may. It needs the scope read."""
        return cast("types.Use", self._http.call("GET", "/v1/usage"))


class Operations:
    """All operations of a server, by group."""

    def __init__(self, http: Http) -> None:
        self.about = About(http)
        self.approvals = Approvals(http)
        self.audit = Audit(http)
        self.contexts = Contexts(http)
        self.costs = Costs(http)
        self.executions = Executions(http)
        self.files = Files(http)
        self.images = Images(http)
        self.keys = Keys(http)
        self.models = Models(http)
        self.notes = Notes(http)
        self.packages = Packages(http)
        self.plans = Plans(http)
        self.policies = Policies(http)
        self.ports = Ports(http)
        self.processes = Processes(http)
        self.records = Records(http)
        self.runs = Runs(http)
        self.sessions = Sessions(http)
        self.skills = Skills(http)
        self.storage = Storage(http)
        self.threads = Threads(http)
        self.tools = Tools(http)
        self.usage = Usage(http)
