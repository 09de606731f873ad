class PraxisTool:
    """Calls one function: arguments and results are files in a folder."""

    def __init__(self, folder, file, module, function):
        import sys, types
        self.folder, self.file, self.function = folder, file, function
        self.module = types.ModuleType(module)
        self.module.__file__ = folder + "/" + file
        self.failed = None
        sys.modules[module] = self.module
        try:
            with open(folder + "/source.py", "rb") as f:
                source = f.read()
            exec(compile(source, file, "exec", dont_inherit=True), self.module.__dict__)
            self.call = getattr(self.module, function)
            self.hints = self._hints()
        except KeyboardInterrupt:
            raise
        except BaseException as e:
            self.failed = self._error(e)

    def run(self, n, most):
        import json, os
        answer = {"call": n}
        try:
            if os.path.exists(f"{self.folder}/result-{n - 1}.json"):
                os.remove(f"{self.folder}/result-{n - 1}.json")
            with open(f"{self.folder}/call-{n}.json", encoding="utf-8") as f:
                arguments = json.load(f)
            os.remove(f"{self.folder}/call-{n}.json")
            if self.failed:
                answer["error"] = self.failed
            else:
                answer["value"] = self._plain(self._call(arguments), 0)
            text = json.dumps(answer, ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")).encode("utf-8")
            if len(text) > most + 100:
                text = json.dumps({"call": n, "large": len(text)}).encode()
        except KeyboardInterrupt:
            raise
        except BaseException as e:
            text = json.dumps({"call": n, "error": self._error(e)}).encode()
        with open(f"{self.folder}/result-{n}.json", "wb") as f:
            f.write(text)

    def _error(self, e):
        line, tb, depth = 0, e.__traceback__, 0
        while tb is not None and depth < 10000:
            if tb.tb_frame.f_code.co_filename == self.file:
                line = tb.tb_lineno
            tb, depth = tb.tb_next, depth + 1
        if isinstance(e, SyntaxError) and e.filename == self.file:
            line = e.lineno or 0
        try:
            message = str(e)
        except Exception:
            message = "(its message cannot be read)"
        message = message.encode("utf-8", "replace").decode()
        return {"type": type(e).__name__, "message": message[:4000], "line": line}

    def _hints(self):
        import typing
        try:
            return typing.get_type_hints(self.call, include_extras=False)
        except Exception:
            return {}

    def _call(self, arguments):
        import asyncio, inspect
        positional, named = [], {}
        for name, p in inspect.signature(self.call).parameters.items():
            if name not in arguments:
                if p.kind is p.POSITIONAL_ONLY and p.default is not p.empty:
                    positional.append(p.default)
                continue
            value = self._typed(arguments[name], self.hints.get(name), 0)
            if p.kind is p.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[name] = value
        for name in arguments:
            if name not in named and name not in inspect.signature(self.call).parameters:
                named[name] = arguments[name]
        result = self.call(*positional, **named)
        if inspect.isasyncgen(result):
            async def collect(items):
                return [item async for item in items]
            result = collect(result)
        if not inspect.isawaitable(result):
            return result

        async def wait(it):
            return await it

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(wait(result))
        import concurrent.futures
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            return pool.submit(asyncio.run, wait(result)).result()

    def _typed(self, value, hint, depth):
        """Makes of a JSON value what a hint says; what does not fit stays as it is."""
        import base64, collections.abc, dataclasses, datetime, decimal, enum, pathlib, types, typing, uuid
        if hint is None or hint is typing.Any or depth > 100:
            return value
        depth += 1
        if isinstance(hint, typing.TypeAliasType):
            return self._typed(value, hint.__value__, depth)
        if isinstance(hint, typing.NewType):
            return self._typed(value, hint.__supertype__, depth)
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if origin in (typing.Annotated, typing.Required, typing.NotRequired, typing.ReadOnly, typing.Final):
            return self._typed(value, args[0], depth)
        if origin is typing.Union or origin is types.UnionType:
            return self._either(value, args, depth)
        kind = origin or hint
        if kind is typing.Literal or not isinstance(kind, type):
            return value
        if typing.is_typeddict(kind) and isinstance(value, dict):
            hints = typing.get_type_hints(kind)
            return {k: self._typed(v, hints.get(k), depth) for k, v in value.items()}
        if isinstance(value, dict):
            if dataclasses.is_dataclass(kind) or issubclass(kind, tuple) and hasattr(kind, "_fields"):
                hints = typing.get_type_hints(kind)
                return kind(**{k: self._typed(v, hints.get(k), depth) for k, v in value.items()})
            if hasattr(kind, "model_validate"):
                return kind.model_validate(value)
            if issubclass(kind, collections.abc.Mapping) and len(args) == 2:
                return {self._key(k, args[0]): self._typed(v, args[1], depth) for k, v in value.items()}
            return value
        if isinstance(value, list):
            if issubclass(kind, tuple):
                if len(args) == 2 and args[1] is Ellipsis:
                    return tuple(self._typed(v, args[0], depth) for v in value)
                return tuple(self._typed(v, h, depth) for v, h in zip(value, args or [None] * len(value)))
            if issubclass(kind, collections.abc.Set):
                items = (self._typed(v, args[0] if args else None, depth) for v in value)
                return frozenset(items) if kind is frozenset else set(items)
            if kind.__module__.split(".")[0] == "pandas" and kind.__name__ == "DataFrame":
                return kind(value)
            return [self._typed(v, args[0], depth) for v in value] if args else value
        if issubclass(kind, enum.Enum):
            return kind(value)
        if isinstance(value, str):
            if kind in (datetime.date, datetime.datetime, datetime.time):
                return kind.fromisoformat(value)
            if kind is bytes or kind is bytearray:
                return kind(base64.b64decode(value, validate=True))
            if kind in (uuid.UUID, decimal.Decimal) or issubclass(kind, pathlib.PurePath):
                return kind(value)
        if type(value) is int and kind is float:
            return float(value)
        if type(value) is float and kind is int and value.is_integer():
            return int(value)
        if type(value) in (int, float) and kind is decimal.Decimal:
            return kind(str(value))
        return value

    def _key(self, key, hint):
        return int(key) if hint is int else float(key) if hint is float else key

    def _either(self, value, hints, depth):
        """Takes the first alternative whose value differs in kind from none of it."""
        import typing
        if value is None and type(None) in hints:
            return None
        plain = {str: str, bool: bool, int: int, float: float, list: list, dict: dict}
        for h in hints:
            if plain.get(type(value)) is h or plain.get(type(value)) is typing.get_origin(h) and type(value) is dict:
                return self._typed(value, h, depth)
        for h in hints:
            if h is type(None):
                continue
            try:
                made = self._typed(value, h, depth)
            except Exception:
                continue
            if made is not value:
                return made
        return value

    def _plain(self, value, depth):
        """Makes JSON of a value."""
        import base64, collections.abc, dataclasses, datetime, decimal, enum, math, pathlib, uuid
        if depth > 100:
            raise ValueError("the result nests deeper than 100, or contains itself")
        if value is None or value is True or value is False or type(value) is str or type(value) is int:
            return value
        if isinstance(value, enum.Enum):
            return self._plain(value.value, depth + 1)
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float):
            value = float(value)
            if not math.isfinite(value):
                raise ValueError(f"the result contains {value}, which JSON does not have")
            return value
        depth += 1
        if isinstance(value, (datetime.date, datetime.time)):
            return value.isoformat()
        if isinstance(value, (decimal.Decimal, uuid.UUID, pathlib.PurePath)):
            return str(value)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return base64.b64encode(bytes(value)).decode()
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {f.name: self._plain(getattr(value, f.name), depth) for f in dataclasses.fields(value)}
        if isinstance(value, tuple) and hasattr(value, "_asdict"):
            value = value._asdict()
        if isinstance(value, collections.abc.Mapping):
            out = {}
            for k, v in value.items():
                k = self._plain(k, depth)
                if type(k) is not str:
                    if type(k) is bool or not isinstance(k, (int, float)):
                        raise TypeError(f"the result has a key of type {type(k).__name__}; JSON has texts")
                    k = str(k)
                out[k] = self._plain(v, depth)
            return out
        if type(value).__module__.split(".")[0] in ("pandas", "numpy"):
            return self._array(value, depth)
        if hasattr(value, "model_dump"):
            return self._plain(value.model_dump(mode="json"), depth)
        if isinstance(value, collections.abc.Iterable):
            return [self._plain(v, depth) for v in value]
        raise TypeError(f"the result contains a {type(value).__name__}, which has no JSON form")

    def _array(self, value, depth):
        """Makes JSON of what numpy and pandas have; there, not a number means missing."""
        import math
        name = type(value).__name__
        if name == "DataFrame":
            return [{str(k): self._cell(v, depth) for k, v in zip(value.columns, row)} for row in value.itertuples(index=False, name=None)]
        if hasattr(value, "tolist"):
            return self._cell(value.tolist(), depth)
        return self._cell(value, depth)

    def _cell(self, value, depth):
        import math
        if depth > 100:
            raise ValueError("the result nests deeper than 100")
        if isinstance(value, list):
            return [self._cell(v, depth + 1) for v in value]
        if isinstance(value, float) and math.isnan(value) or type(value).__name__ in ("NaTType", "NAType"):
            return None
        if type(value).__module__ == "numpy" and hasattr(value, "item"):
            return self._cell(value.item(), depth + 1)
        return self._plain(value, depth + 1)
