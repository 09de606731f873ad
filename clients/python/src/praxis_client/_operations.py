# Generated from the server's OpenAPI document: "make clients" writes it anew.
"""The operations of a server, by the names that it has for them."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, cast

from . import types
from ._http import Body, Content, Http, segment
from ._stream import Stream


class AskOptions(TypedDict, total=False):
    budget: types.Budget | None
    effort: str | None  # low, medium or high
    fallback_models: List[str] | None  # models that are asked when those before fail for good
    image: str | None
    language: str | None  # the main one of the model's code
    max_steps: int | None
    mode: str | None  # code, tools or both; left out: code
    model: str | None  # PROVIDER:NAME; left out: the server's usual one
    npm: List[str] | None  # packages of npm
    schema: Any | None  # a JSON Schema that the answer must keep to
    seed: int | None
    strict: bool | None  # an answer with a figure that is found nowhere is none
    thread: str | None  # the conversation that the question goes on with
    timeout_s: float | None  # wall time of each execution; 0: the usual one
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


class Contexts:
    def __init__(self, http: Http) -> None:
        self._http = http

    def complete(self, session: str, *, code: str, cursor: int, language: str | None = None) -> types.Completion:
        """Say what may stand at a place in code. It needs the scope run.

        cursor: counts characters
        """
        return cast("types.Completion", self._http.call("POST", f"/v1/sessions/{segment(session)}/complete", None, {"code": code, "cursor": cursor, "language": language}))

    def restart(self, session: str, language: str) -> None:
        """Start a new interpreter of a language: its variables are gone, files stay. It needs the scope run."""
        self._http.call("POST", f"/v1/sessions/{segment(session)}/contexts/{segment(language)}/restart")


class Costs:
    def __init__(self, http: Http) -> None:
        self._http = http

    def get(self, *, words: str | None = None, status: str | None = None, kind: str | None = None, thread: str | None = None, limit: int | None = None) -> types.Costs:
        """Add up what the recorded runs used. It needs the scope read.

        words: that question, code or answer have
        kind: ask, code, plan or tool
        limit: 0: 100
        """
        return cast("types.Costs", self._http.call("GET", "/v1/costs", {"words": words, "status": status, "kind": kind, "thread": thread, "limit": limit}))


class Executions:
    def __init__(self, http: Http) -> None:
        self._http = http

    def events(self, session: str, execution: str) -> Stream[types.Execution]:
        """Follow an execution; Last-Event-ID says what was seen before. It needs the scope read."""
        return self._http.stream("GET", f"/v1/sessions/{segment(session)}/executions/{segment(execution)}/events")

    def get(self, session: str, execution: str) -> types.Execution:
        """Describe an execution. It needs the scope read."""
        return cast("types.Execution", self._http.call("GET", f"/v1/sessions/{segment(session)}/executions/{segment(execution)}"))

    def interrupt(self, session: str, execution: str) -> types.Execution:
        """Interrupt an execution, and wait for its end. It needs the scope run."""
        return cast("types.Execution", self._http.call("POST", f"/v1/sessions/{segment(session)}/executions/{segment(execution)}/interrupt"))

    def list(self, session: str) -> types.Executions:
        """List the last executions of a session. It needs the scope read."""
        return cast("types.Executions", self._http.call("GET", f"/v1/sessions/{segment(session)}/executions"))

    def start(self, session: str, *, code: str, detach: bool | None = None, language: str | None = None, output_bytes: int | None = None, timeout_s: float | None = None) -> types.Execution:
        """Run code in a session. Without stream and detach the answer comes when the code has ended; a caller that goes away interrupts it. It needs the scope run.

        detach: answer at once; the code goes on when the caller is gone
        language: a name such as python, javascript, sql or bash; left out: the session's first
        output_bytes: that the result holds; 0: the usual number
        timeout_s: wall time; 0: the usual one
        """
        return cast("types.Execution", self._http.call("POST", f"/v1/sessions/{segment(session)}/executions", None, {"code": code, "detach": detach, "language": language, "output_bytes": output_bytes, "timeout_s": timeout_s}))

    def start_stream(self, session: str, *, code: str, detach: bool | None = None, language: str | None = None, output_bytes: int | None = None, timeout_s: float | None = None) -> Stream[types.Execution]:
        """Run code in a session. Without stream and detach the answer comes when the code has ended; a caller that goes away interrupts it. It needs the scope run.

        detach: answer at once; the code goes on when the caller is gone
        language: a name such as python, javascript, sql or bash; left out: the session's first
        output_bytes: that the result holds; 0: the usual number
        timeout_s: wall time; 0: the usual one
        """
        return self._http.stream("POST", f"/v1/sessions/{segment(session)}/executions", None, {"stream": True, "code": code, "detach": detach, "language": language, "output_bytes": output_bytes, "timeout_s": timeout_s})


class Files:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(self, session: str, *, path: str | None = None) -> types.Files:
        """List what is in a folder of a session, and below it. It needs the scope read.

        path: left out: the working folder
        """
        return cast("types.Files", self._http.call("GET", f"/v1/sessions/{segment(session)}/files", {"path": path}))

    def read(self, session: str, *, path: str) -> Content:
        """Read a file of a session. It needs the scope read.

        path: absolute, or of the working folder
        """
        return self._http.download("GET", f"/v1/sessions/{segment(session)}/file", {"path": path})

    def write(self, session: str, *, path: str, data: Body) -> None:
        """Write a file of a session whole, with the folders above it. It needs the scope run.

        path: absolute, or of the working folder
        """
        self._http.upload("PUT", f"/v1/sessions/{segment(session)}/file", {"path": path}, data)


class Images:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(self) -> types.ImageInfos:
        """List the images that there are. It needs the scope read."""
        return cast("types.ImageInfos", self._http.call("GET", "/v1/images"))


class Keys:
    def __init__(self, http: Http) -> None:
        self._http = http

    def create(self, *, lasts_s: float | None = None, name: str | None = None, scopes: List[Literal["read", "run", "approve", "admin"]] | None = None) -> types.MadeKey:
        """Make a key for the caller's tenant. Its text is shown once. It needs the scope admin.

        lasts_s: seconds after which it expires; 0: never
        name: what it is for
        scopes: read, run, approve, admin; left out: read and run
        """
        return cast("types.MadeKey", self._http.call("POST", "/v1/keys", None, {"lasts_s": lasts_s, "name": name, "scopes": scopes}))

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

    def list(self, *, words: str | None = None) -> types.Notes:
        """List the notes that the agent kept, or those that fit some words. It needs the scope read.

        words: left out: all
        """
        return cast("types.Notes", self._http.call("GET", "/v1/notes", {"words": words}))


class Plans:
    def __init__(self, http: Http) -> None:
        self._http = http

    def check(self, *, text: str, name: str | None = None) -> types.CheckResult:
        """Check a plan against the server's tools and policy. Nothing runs. It needs the scope read.

        name: of its file; left out: plan.py
        """
        return cast("types.CheckResult", self._http.call("POST", "/v1/plans/check", None, {"text": text, "name": name}))

    def run(self, *, text: str, detach: bool | None = None, inputs: Dict[str, Any] | None = None, name: str | None = None, seed: int | None = None, timeout_s: float | None = None) -> types.Run:
        """Check a plan, and run it when nothing is wrong with it. It needs the scope run.

        detach: answer at once; the run goes on when the caller is gone
        inputs: values of the declared inputs
        name: of its file; left out: plan.py
        """
        return cast("types.Run", self._http.call("POST", "/v1/plans/run", None, {"text": text, "detach": detach, "inputs": inputs, "name": name, "seed": seed, "timeout_s": timeout_s}))

    def run_stream(self, *, text: str, detach: bool | None = None, inputs: Dict[str, Any] | None = None, name: str | None = None, seed: int | None = None, timeout_s: float | None = None) -> Stream[types.Run]:
        """Check a plan, and run it when nothing is wrong with it. It needs the scope run.

        detach: answer at once; the run goes on when the caller is gone
        inputs: values of the declared inputs
        name: of its file; left out: plan.py
        """
        return self._http.stream("POST", "/v1/plans/run", None, {"stream": True, "text": text, "detach": detach, "inputs": inputs, "name": name, "seed": seed, "timeout_s": timeout_s})


class Records:
    def __init__(self, http: Http) -> None:
        self._http = http

    def delete(self, record: str) -> None:
        """Remove the record of a run; the chain of runs says that it was. It needs the scope admin."""
        self._http.call("DELETE", f"/v1/records/{segment(record)}")

    def export(self, record: str, *, format: str | None = None) -> Content:
        """Write a record in a format. It needs the scope read.

        format: praxis, jsonl, html, ipynb or md; left out: praxis
        """
        return self._http.download("GET", f"/v1/records/{segment(record)}/export", {"format": format})

    def list(self, *, words: str | None = None, status: str | None = None, kind: str | None = None, thread: str | None = None, limit: int | None = None) -> types.Records:
        """List the records of runs, the newest first. It needs the scope read.

        words: that question, code or answer have
        kind: ask, code, plan or tool
        limit: 0: 100
        """
        return cast("types.Records", self._http.call("GET", "/v1/records", {"words": words, "status": status, "kind": kind, "thread": thread, "limit": limit}))

    def replay(self, record: str) -> types.Replayed:
        """Execute a run again with its recorded replies, and compare. It needs the scope run."""
        return cast("types.Replayed", self._http.call("POST", f"/v1/records/{segment(record)}/replay"))

    def verify(self, record: str) -> types.Verified:
        """Check the chain and the signatures of a record. It needs the scope read."""
        return cast("types.Verified", self._http.call("POST", f"/v1/records/{segment(record)}/verify"))


class Runs:
    def __init__(self, http: Http) -> None:
        self._http = http

    def ask(self, *, question: str, budget: types.Budget | None = None, detach: bool | None = None, effort: str | None = None, fallback_models: List[str] | None = None, files: List[types.GivenFile] | None = None, image: str | None = None, language: str | None = None, max_steps: int | None = None, mode: str | None = None, model: str | None = None, npm: List[str] | None = None, schema: Any | None = None, seed: int | None = None, strict: bool | None = None, thread: str | None = None, timeout_s: float | None = None, with_: List[str] | None = None) -> types.Run:
        """Ask a question that is answered by code, by tools or by both. Without stream and detach the answer comes when the run has ended. It needs the scope run.

        detach: answer at once; the run goes on when the caller is gone
        effort: low, medium or high
        fallback_models: models that are asked when those before fail for good
        language: the main one of the model's code
        mode: code, tools or both; left out: code
        model: PROVIDER:NAME; left out: the server's usual one
        npm: packages of npm
        schema: a JSON Schema that the answer must keep to
        strict: an answer with a figure that is found nowhere is none
        thread: the conversation that the question goes on with
        timeout_s: wall time of each execution; 0: the usual one
        with_: packages of Python
        """
        return cast("types.Run", self._http.call("POST", "/v1/runs", None, {"question": question, "budget": budget, "detach": detach, "effort": effort, "fallback_models": fallback_models, "files": files, "image": image, "language": language, "max_steps": max_steps, "mode": mode, "model": model, "npm": npm, "schema": schema, "seed": seed, "strict": strict, "thread": thread, "timeout_s": timeout_s, "with": with_}))

    def ask_stream(self, *, question: str, budget: types.Budget | None = None, detach: bool | None = None, effort: str | None = None, fallback_models: List[str] | None = None, files: List[types.GivenFile] | None = None, image: str | None = None, language: str | None = None, max_steps: int | None = None, mode: str | None = None, model: str | None = None, npm: List[str] | None = None, schema: Any | None = None, seed: int | None = None, strict: bool | None = None, thread: str | None = None, timeout_s: float | None = None, with_: List[str] | None = None) -> Stream[types.Run]:
        """Ask a question that is answered by code, by tools or by both. Without stream and detach the answer comes when the run has ended. It needs the scope run.

        detach: answer at once; the run goes on when the caller is gone
        effort: low, medium or high
        fallback_models: models that are asked when those before fail for good
        language: the main one of the model's code
        mode: code, tools or both; left out: code
        model: PROVIDER:NAME; left out: the server's usual one
        npm: packages of npm
        schema: a JSON Schema that the answer must keep to
        strict: an answer with a figure that is found nowhere is none
        thread: the conversation that the question goes on with
        timeout_s: wall time of each execution; 0: the usual one
        with_: packages of Python
        """
        return self._http.stream("POST", "/v1/runs", None, {"stream": True, "question": question, "budget": budget, "detach": detach, "effort": effort, "fallback_models": fallback_models, "files": files, "image": image, "language": language, "max_steps": max_steps, "mode": mode, "model": model, "npm": npm, "schema": schema, "seed": seed, "strict": strict, "thread": thread, "timeout_s": timeout_s, "with": with_})

    def cancel(self, run: str) -> types.Run:
        """Cancel a run, and wait for its end. It needs the scope run."""
        return cast("types.Run", self._http.call("POST", f"/v1/runs/{segment(run)}/cancel"))

    def code(self, *, code: str, args: List[str] | None = None, detach: bool | None = None, files: List[types.GivenFile] | None = None, image: str | None = None, language: str | None = None, name: str | None = None, npm: List[str] | None = None, seed: int | None = None, timeout_s: float | None = None, with_: List[str] | None = None) -> types.Run:
        """Run a piece of code by itself, and record it. It needs the scope run.

        detach: answer at once; the run goes on when the caller is gone
        name: a named session that it runs in; left out: one of its own
        npm: packages of npm
        with_: packages of Python
        """
        return cast("types.Run", self._http.call("POST", "/v1/runs/code", None, {"code": code, "args": args, "detach": detach, "files": files, "image": image, "language": language, "name": name, "npm": npm, "seed": seed, "timeout_s": timeout_s, "with": with_}))

    def code_stream(self, *, code: str, args: List[str] | None = None, detach: bool | None = None, files: List[types.GivenFile] | None = None, image: str | None = None, language: str | None = None, name: str | None = None, npm: List[str] | None = None, seed: int | None = None, timeout_s: float | None = None, with_: List[str] | None = None) -> Stream[types.Run]:
        """Run a piece of code by itself, and record it. It needs the scope run.

        detach: answer at once; the run goes on when the caller is gone
        name: a named session that it runs in; left out: one of its own
        npm: packages of npm
        with_: packages of Python
        """
        return self._http.stream("POST", "/v1/runs/code", None, {"stream": True, "code": code, "args": args, "detach": detach, "files": files, "image": image, "language": language, "name": name, "npm": npm, "seed": seed, "timeout_s": timeout_s, "with": with_})

    def events(self, run: str) -> Stream[types.Run]:
        """Follow a run; Last-Event-ID says what was seen before. It needs the scope read."""
        return self._http.stream("GET", f"/v1/runs/{segment(run)}/events")

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

    def extend(self, session: str, *, lasts_s: float) -> types.Session:
        """Say anew how long a session lasts. It needs the scope run.

        lasts_s: seconds from now after which it is deleted; 0: not by itself
        """
        return cast("types.Session", self._http.call("POST", f"/v1/sessions/{segment(session)}/extend", None, {"lasts_s": lasts_s}))

    def fork(self, session: str, *, count: int | None = None, lasts_s: float | None = None) -> types.Sessions:
        """Make sessions that go on from the state of one. It needs the scope run.

        count: how many, 1 to 100; 0: one
        lasts_s: seconds after which they are deleted; 0: not by themselves
        """
        return cast("types.Sessions", self._http.call("POST", f"/v1/sessions/{segment(session)}/fork", None, {"count": count, "lasts_s": lasts_s}))

    def get(self, session: str) -> types.Session:
        """Describe a session. It needs the scope read."""
        return cast("types.Session", self._http.call("GET", f"/v1/sessions/{segment(session)}"))

    def list(self) -> types.Sessions:
        """List the sessions, the oldest first. It needs the scope read."""
        return cast("types.Sessions", self._http.call("GET", "/v1/sessions"))

    def pause(self, session: str) -> types.Session:
        """Save a session and close its sandbox; the next call opens it. It needs the scope run."""
        return cast("types.Session", self._http.call("POST", f"/v1/sessions/{segment(session)}/pause"))

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


class Threads:
    def __init__(self, http: Http) -> None:
        self._http = http

    def delete(self, thread: str) -> None:
        """Remove a conversation and its session. It needs the scope run."""
        self._http.call("DELETE", f"/v1/threads/{segment(thread)}")

    def list(self) -> types.Threads:
        """List the conversations. It needs the scope read."""
        return cast("types.Threads", self._http.call("GET", "/v1/threads"))

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


class Operations:
    """All operations of a server, by group."""

    def __init__(self, http: Http) -> None:
        self.about = About(http)
        self.contexts = Contexts(http)
        self.costs = Costs(http)
        self.executions = Executions(http)
        self.files = Files(http)
        self.images = Images(http)
        self.keys = Keys(http)
        self.models = Models(http)
        self.notes = Notes(http)
        self.plans = Plans(http)
        self.records = Records(http)
        self.runs = Runs(http)
        self.sessions = Sessions(http)
        self.threads = Threads(http)
        self.tools = Tools(http)
