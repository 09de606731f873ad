"""What people use: a client, its sessions, and what they give."""

from __future__ import annotations

import base64
import contextlib
import os
import ssl
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Unpack, cast, overload

from . import types
from ._errors import InternalError, PraxisError, from_fault
from ._http import Body, Content, Http, default_key
from ._operations import AskOptions, Operations, SessionOptions
from ._stream import Stream

DEFAULT_SERVER = "http://127.0.0.1:7411"

ENDING_FOR = 10.0
"""How long what was interrupted may take to end, in seconds."""

Given = Mapping[str, str | bytes] | Iterable[str | os.PathLike[str]]
"""Files of a question: their paths, or their contents by name."""


class Result:
    """What a piece of code did. That it raised is no exception here: status says so."""

    def __init__(self, raw: types.Execution) -> None:
        if failure := raw.get("failure"):
            raise from_fault(failure, result=raw)
        execution = raw.get("execution")
        if execution is None:
            raise InternalError("cannot read the result: it is none of an execution that ended")
        self.id = raw["id"]
        self.raw = execution
        """All that the server says of it."""

    @property
    def status(self) -> str:
        """ "ok", "error", "timeout", "memory", "output", "killed", "interrupted" or "crashed"."""
        return self.raw["status"]

    @property
    def ok(self) -> bool:
        return self.raw["status"] == "ok"

    @property
    def stdout(self) -> str:
        return self.raw["stdout"]

    @property
    def stderr(self) -> str:
        return self.raw["stderr"]

    @property
    def value(self) -> str | None:
        """The value of the last expression as text."""
        return self.raw.get("result", {}).get("text")

    @property
    def pictures(self) -> list[bytes]:
        """The pictures that were shown, as PNG."""
        return [base64.b64decode(d["image/png"]) for d in self.raw.get("displays", []) if "image/png" in d]

    @property
    def error(self) -> types.Raised | None:
        """The exception of the code."""
        return self.raw.get("error")

    def check(self) -> Result:
        """Raise CodeError unless the code came to its end."""
        if not self.ok:
            raise CodeError(self)
        return self

    def __repr__(self) -> str:
        return f"<Result {self.id} {self.status}>"


class CodeError(Exception):
    """Code did not come to its end, where that was expected."""

    def __init__(self, result: Result) -> None:
        error = result.error
        super().__init__(error["traceback"] if error else result.raw.get("message") or result.status)
        self.result = result


class Run:
    """What a question came to."""

    def __init__(self, raw: types.Run) -> None:
        if failure := raw.get("failure"):
            raise from_fault(failure, result=raw)
        answer = raw.get("answer")
        if answer is None:
            raise InternalError("cannot read the result: it is none of a question that was answered")
        self.answer = answer
        self.id = raw["id"]
        self.raw = raw
        """All that the server says of it."""
        self.record = raw.get("record", "")
        """The id of its record, which can be verified, replayed and exported."""

    @property
    def text(self) -> str:
        return self.answer["text"]

    @property
    def value(self) -> Any:
        """The answer as JSON has it, where it is more than a text."""
        return self.answer.get("value")

    @property
    def verified(self) -> bool:
        """Every figure of the answer was traced to an output or to the question."""
        return self.answer["verified"]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Run {self.id}>"


class Session:
    """A session: variables and files that stay from one piece of code to the next."""

    def __init__(self, client: Praxis, id: str) -> None:
        self.client, self.id = client, id

    def run(self, code: str, *, language: str | None = None, timeout_s: float | None = None) -> Result:
        """Run code, and wait for its end. Leaving the wait (Ctrl-C) interrupts it."""
        # As a stream, in which the server says that it is still there: a proxy or a router
        # forgets a connection on which nothing happens.
        try:
            with self.client.executions.start_stream(self.id, code=code, language=language, timeout_s=timeout_s) as stream:
                return Result(stream.wait())
        except PraxisError:
            raise
        except BaseException:
            self._free()
            raise

    def _free(self) -> None:
        """Wait until what was interrupted has ended, so that the next call finds the session free."""
        until = time.monotonic() + ENDING_FOR
        with contextlib.suppress(PraxisError):
            while time.monotonic() < until and not all(x["ended"] for x in self.client.executions.list(self.id)["executions"]):
                time.sleep(0.05)

    def stream(self, code: str, *, language: str | None = None, timeout_s: float | None = None) -> Stream[types.Event, Result]:
        """Run code, and follow what happens, over lost connections, too."""
        begun = self.client.executions.start(self.id, code=code, language=language, timeout_s=timeout_s, detach=True)
        return self.client.executions.events(self.id, begun["id"]).refine(Result, lambda: self.client.executions.interrupt(self.id, begun["id"]))

    def write(self, path: str, data: Body | str) -> None:
        """Write a file: bytes, a text, or what an open file has."""
        self.client.files.write(self.id, path=path, data=data.encode() if isinstance(data, str) else data)

    def read(self, path: str) -> bytes:
        """The content of a file."""
        return self.open(path).read()

    def open(self, path: str) -> Content:
        """The content of a file, as it comes."""
        return self.client.files.read(self.id, path=path)

    def files(self, path: str | None = None) -> list[types.File]:
        """What is in a folder, and below it; by default in the working folder."""
        return self.client.files.list(self.id, path=path)["files"]

    def fork(self, count: int = 1) -> list[Session]:
        """Sessions that go on from this state, each by itself."""
        return [Session(self.client, s["id"]) for s in self.client.sessions.fork(self.id, count=count)["sessions"]]

    def snapshot(self, label: str | None = None) -> str:
        """Save the state, and return its id."""
        return self.client.sessions.snapshot(self.id, label=label)["id"]

    def rollback(self, snapshot: str | None = None) -> None:
        """Go back to a state; by default to the one before the last."""
        self.client.sessions.rollback(self.id, snapshot=snapshot)

    def pause(self) -> None:
        """Save the state and give the memory back; the next call goes on."""
        self.client.sessions.pause(self.id)

    def delete(self) -> None:
        """End the session and remove its state."""
        self.client.sessions.delete(self.id)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.delete()
        except PraxisError:
            if error is None:
                raise  # else the one that goes on says more

    def __repr__(self) -> str:
        return f"<Session {self.id}>"


class Praxis(Operations):
    """A client of a Praxis server.

    The server is PRAXIS_SERVER and the key PRAXIS_KEY unless they are given; the key of a
    server of this machine and user is found by itself. All operations are there by their names
    (p.records.list(), p.keys.create(…)); what stands below is what most programs need.
    timeout is how many seconds a call may wait for an answer; None: as long as it takes.
    """

    def __init__(
        self, server: str | None = None, key: str | None = None, *, timeout: float | None = None, context: ssl.SSLContext | None = None
    ) -> None:
        self.server = server or os.environ.get("PRAXIS_SERVER") or DEFAULT_SERVER
        super().__init__(Http(self.server, default_key(self.server) if key is None else key, timeout, context))

    def session(self, id: str | None = None, **options: Unpack[SessionOptions]) -> Session:
        """Make a session. At the end of a with block it is deleted."""
        return Session(self, self.sessions.create(id=id, **options)["id"])

    def attach(self, id: str) -> Session:
        """A session that is there."""
        return Session(self, self.sessions.get(id)["id"])

    @overload
    def ask(self, question: str, *, files: Given = (), stream: Literal[False] = False, **options: Unpack[AskOptions]) -> Run: ...

    @overload
    def ask(self, question: str, *, files: Given = (), stream: Literal[True], **options: Unpack[AskOptions]) -> Stream[types.Event, Run]: ...

    def ask(self, question: str, *, files: Given = (), stream: bool = False, **options: Unpack[AskOptions]) -> Run | Stream[types.Event, Run]:
        """Ask a question that is answered by code, and wait for the answer; with stream, follow
        what happens on the way, over lost connections, too."""
        given = _given(files)
        if not stream:
            with self.runs.ask_stream(question=question, files=given, **options) as events:
                return Run(events.wait())
        begun = self.runs.ask(question=question, files=given, detach=True, **options)
        return self.runs.events(begun["id"]).refine(Run, lambda: self.runs.cancel(begun["id"]))

    def __enter__(self) -> Praxis:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Nothing has to be closed: each request has a connection of its own."""

    def __repr__(self) -> str:
        return f"<Praxis {self.server}>"


def _given(files: Given) -> list[types.GivenFile] | None:
    if isinstance(files, (str, bytes)):
        raise TypeError("files is a list of paths, or a dict of contents by name")
    contents: Mapping[str, str | bytes]
    if isinstance(files, Mapping):
        contents = cast("Mapping[str, str | bytes]", files)
    else:
        contents = {Path(path).name: Path(path).read_bytes() for path in files}
    out: list[types.GivenFile] = []
    for name, content in contents.items():
        if isinstance(content, str):
            out.append({"name": name, "text": content})
        else:
            out.append({"name": name, "data": base64.b64encode(content).decode()})
    return out or None
