"""Requests to a server, over http.client alone."""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any
from urllib.parse import quote, urlencode, urlsplit

from ._errors import InternalError, UnavailableError, from_answer
from ._stream import Stream

CONNECT_FOR = 10.0
QUIET_FOR = 60.0  # the server says every ten seconds that a stream goes on
MAX_RESULT = 256 << 20
MAX_PROBLEM = 1 << 20
PIECE = 64 << 10

Body = bytes | bytearray | memoryview | IO[bytes]


class Answer:
    """An answer of the server that is read in pieces."""

    def __init__(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        self._connection, self._response = connection, response

    def read(self, size: int) -> bytes:
        """At most so many bytes, b"" at the end. A connection that ends before is an error."""
        try:
            piece = self._response.read(size)
        except (OSError, http.client.HTTPException) as error:
            raise _lost(error) from error
        if not piece and self._response.length:  # http.client takes a part for the whole here
            raise _lost(EOFError("the connection ended too early"))
        return piece

    def chunks(self) -> Iterator[bytes]:
        """Pieces as they come."""
        while True:
            try:
                piece = self._response.read1(PIECE)
            except (OSError, http.client.HTTPException) as error:
                raise _lost(error) from error
            if not piece:
                return
            yield piece

    def close(self) -> None:
        # The socket is shut down as well: the server is to notice at once that nobody reads.
        self._response.close()
        self._connection.close()


class Content:
    """The bytes of a file, as they come: iterate, read(), or save()."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        try:
            while piece := self._answer.read(PIECE):
                yield piece
        finally:
            self.close()

    def read(self) -> bytes:
        return b"".join(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all of it to a file, which appears when it is whole."""
        target = Path(path)
        part = target.with_name(target.name + ".part")
        try:
            with open(part, "wb") as out:
                for piece in self:
                    out.write(piece)
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)

    def close(self) -> None:
        self._answer.close()

    def __enter__(self) -> Content:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Http:
    """Where a server is, and how it is asked. Each request has a connection of its own, so
    that threads may share one."""

    def __init__(self, server: str, key: str, timeout: float | None, context: ssl.SSLContext | None) -> None:
        url = urlsplit(server)
        if url.scheme not in ("http", "https") or not url.hostname or url.username is not None or url.query or url.fragment:
            raise ValueError("cannot use the server: its address is not like https://HOST:PORT")
        if not key.isascii() or not key.isprintable():
            raise ValueError("cannot use the key: it has characters that no key has")
        self._url, self._key, self._timeout = url, key, timeout
        self._context = context or (ssl.create_default_context() if url.scheme == "https" else None)

    def open(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Body | None = None,
        kind: str = "application/json",
        accept: str = "*/*",
        after: int = 0,
        quiet: float | None = None,
    ) -> Answer:
        """Send a request, and return the answer once its head is there."""
        if query := {k: str(v).lower() if isinstance(v, bool) else v for k, v in (query or {}).items() if v is not None}:
            path += "?" + urlencode(query)
        headers = {"Accept": accept, "User-Agent": "praxis-client-python"}
        if self._key:
            headers["Authorization"] = "Bearer " + self._key
        if body is not None:
            headers["Content-Type"] = kind
        if after:
            headers["Last-Event-ID"] = str(after)
        host, port = self._url.hostname or "", self._url.port
        connection: http.client.HTTPConnection
        if self._context:
            connection = http.client.HTTPSConnection(host, port, timeout=CONNECT_FOR, context=self._context)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=CONNECT_FOR)
        try:
            connection.connect()
            connection.sock.settimeout(quiet or self._timeout)
            connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            connection.request(method, self._url.path.rstrip("/") + path, body, headers)
            response = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise _lost(error, f"{host}:{port or self._url.scheme}") from error
        except BaseException:
            connection.close()
            raise
        answer = Answer(connection, response)
        if 200 <= response.status < 300:
            return answer
        try:
            raise from_answer(response.status, response.headers, answer.read(MAX_PROBLEM))
        finally:
            answer.close()

    def call(self, method: str, path: str, query: Mapping[str, Any] | None = None, body: Mapping[str, Any] | None = None) -> Any:
        """Send a request, and return its result."""
        return _result(self.open(method, path, query=query, body=encode(body), accept="application/json"))

    def upload(self, method: str, path: str, query: Mapping[str, Any], data: Body) -> Any:
        """Send bytes, or what a file has from where it stands, and return the result."""
        return _result(self.open(method, path, query=query, body=data, kind="application/octet-stream"))

    def download(self, method: str, path: str, query: Mapping[str, Any]) -> Content:
        """Receive bytes."""
        return Content(self.open(method, path, query=query))

    def stream(self, method: str, path: str, query: Mapping[str, Any] | None = None, body: Mapping[str, Any] | None = None) -> Stream[Any, Any]:
        """Send a request, and return the events that answer it."""
        return Stream(lambda after: self._events(method, path, query, body, after), resume=False)

    def follow(self, method: str, path: str, query: Mapping[str, Any] | None = None) -> Stream[Any, Any]:
        """The events of something that goes on, which are asked for again after those that were
        read when the connection is lost."""
        return Stream(lambda after: self._events(method, path, query, None, after), resume=True)

    def _events(self, method: str, path: str, query: Mapping[str, Any] | None, body: Mapping[str, Any] | None, after: int) -> Answer:
        return self.open(method, path, query=query, body=encode(body), accept="text/event-stream", after=after, quiet=QUIET_FOR)


def _result(answer: Answer) -> Any:
    """The JSON of an answer; None where there is none."""
    data = bytearray()
    try:
        while piece := answer.read(PIECE):
            data += piece
            if len(data) > MAX_RESULT:
                raise InternalError(f"cannot read the result: it has more than {MAX_RESULT} bytes")
    finally:
        answer.close()
    if not data:
        return None
    try:
        return json.loads(data)
    except ValueError as error:
        raise InternalError("cannot read the result: it is no JSON") from error


def encode(body: Mapping[str, Any] | None) -> bytes | None:
    """A request as JSON, without the members that are not given."""
    if body is None:
        return None
    return json.dumps({k: v for k, v in body.items() if v is not None}, allow_nan=False).encode()


def segment(value: str) -> str:
    """A value as a part of a path. One that would be another path is refused."""
    if value in ("", ".", ".."):
        raise ValueError(f"cannot use {value!r} as a name")
    return quote(value, safe="")


def _lost(error: Exception, where: str = "") -> UnavailableError:
    if where:
        return UnavailableError(f"cannot reach the server at {where}: {_cause(error)}", remedy="Start it, or give its address in PRAXIS_SERVER.")
    return UnavailableError(f"cannot read the answer: {_cause(error)}", remedy="Try again.")


def _cause(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


def default_key(server: str, environment: Mapping[str, str] = os.environ) -> str:
    """The key in PRAXIS_KEY, or the first one of a server of this machine and user."""
    if key := environment.get("PRAXIS_KEY"):
        return key.strip()
    if urlsplit(server).hostname not in ("127.0.0.1", "::1", "localhost"):
        return ""
    if home := environment.get("PRAXIS_HOME"):
        folder = Path(home)
    else:
        folder = Path(environment.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "praxis"
    try:
        return (folder / "server" / "key").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


