"""What can go wrong, as exceptions: a class for each kind of fault."""

from __future__ import annotations

import json
from collections.abc import Mapping
from email.message import Message
from typing import Any


class PraxisError(Exception):
    """What the server refused, or could not do, with what to do about it.

    kind is the sort of fault ("not_found"), code names it more closely where a program may
    want to branch on it ("" otherwise), and remedy is a sentence that says what to do next.
    """

    kind = "internal"

    def __init__(
        self,
        message: str,
        *,
        kind: str = "",
        code: str = "",
        remedy: str = "",
        data: Mapping[str, str] | None = None,
        status: int = 0,
        request_id: str = "",
        retry_after: float | None = None,
        result: Any = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind or type(self).kind
        self.code = code
        self.remedy = remedy
        self.data = dict(data or {})
        self.status = status  # of HTTP; 0: it came with a result, or the server was not reached
        self.request_id = request_id
        self.retry_after = retry_after  # seconds after which it may work
        self.result = result  # the run or execution that failed, as the server describes it

    def __str__(self) -> str:
        return f"{self.message}. {self.remedy}" if self.remedy else self.message


class InvalidError(PraxisError):
    """The request is wrong whatever the state."""

    kind = "invalid"


class NotFoundError(PraxisError):
    """What was named does not exist."""

    kind = "not_found"


class ConflictError(PraxisError):
    """The state does not allow it now."""

    kind = "conflict"


class DeniedError(PraxisError):
    """The key is not known, or not allowed to do this."""

    kind = "denied"


class ExhaustedError(PraxisError):
    """A bound or a budget is used up; retry_after says when to try again."""

    kind = "exhausted"


class CanceledError(PraxisError):
    """The caller gave up."""

    kind = "canceled"


class UnavailableError(PraxisError):
    """The server, or something that it needs, did not answer; it may work later."""

    kind = "unavailable"


class InternalError(PraxisError):
    """The server failed, or sent what cannot be read."""


_KINDS: dict[str, type[PraxisError]] = {c.kind: c for c in PraxisError.__subclasses__()}

_STATUSES = {400: "invalid", 401: "denied", 403: "denied", 404: "not_found", 409: "conflict", 429: "exhausted", 502: "unavailable", 503: "unavailable", 504: "unavailable"}


def from_fault(fault: Mapping[str, Any], *, result: Any = None) -> PraxisError:
    """The exception of a fault that stands in a result."""
    kind = _text(fault, "kind")
    return _KINDS.get(kind, PraxisError)(
        _text(fault, "message"), kind=kind, code=_text(fault, "code"), remedy=_text(fault, "remedy"), data=_data(fault), result=result
    )


def from_answer(status: int, headers: Message, body: bytes) -> PraxisError:
    """The exception of an answer that is no success. What is no problem of the server's own,
    such as the page of a proxy, is worded from its status."""
    try:
        problem = json.loads(body)
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {}
    kind = _text(problem, "kind") or _STATUSES.get(status, "internal")
    try:
        after: float | None = float(headers.get("Retry-After") or "")
    except ValueError:
        after = None
    return _KINDS.get(kind, PraxisError)(
        _text(problem, "detail") or f"cannot do this: the server answered with status {status}",
        kind=kind,
        code=_text(problem, "code"),
        remedy=_text(problem, "remedy"),
        data=_data(problem),
        status=status,
        request_id=headers.get("X-Request-Id") or "",
        retry_after=after,
    )


def _text(of: Mapping[str, Any], name: str) -> str:
    value = of.get(name)
    return value if isinstance(value, str) else ""


def _data(of: Mapping[str, Any]) -> dict[str, str]:
    data = of.get("data")
    return {str(k): str(v) for k, v in data.items()} if isinstance(data, dict) else {}
