"""A client of Praxis servers, on the standard library alone.

    from praxis_client import Praxis

    with Praxis() as p, p.session(with_=["pandas"]) as s:
        print(s.run("6*7").value)
"""

from . import types
from ._client import CodeError, Praxis, Result, Run, Session
from ._errors import (
    CanceledError,
    ConflictError,
    DeniedError,
    ExhaustedError,
    InternalError,
    InvalidError,
    NotFoundError,
    PraxisError,
    UnavailableError,
)
from ._http import Content
from ._stream import Stream, StreamEvent

__all__ = [
    "CanceledError",
    "CodeError",
    "ConflictError",
    "Content",
    "DeniedError",
    "ExhaustedError",
    "InternalError",
    "InvalidError",
    "NotFoundError",
    "Praxis",
    "PraxisError",
    "Result",
    "Run",
    "Session",
    "Stream",
    "StreamEvent",
    "UnavailableError",
    "types",
]
