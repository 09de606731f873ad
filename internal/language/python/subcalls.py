"""What code can ask of models and of other runs: llm_query, rlm_query, agent and their batches.

The functions are builtins while the host offers them. The names and the order of their
arguments are those of alexzhang13/rlm where it has them. A call travels as one request of the
module "tools"; what it is given besides text lies in files of this session, which the host
takes from here and puts into the session of the other run: it never reads what is in them.
"""

import os
import sys

MAX_TEXT = 8 << 20  # bytes of the texts of one call
MAX_ITEMS = 1000  # of one call
MAX_DATA = 256 << 20  # bytes of one value
FOLDER = "/tmp/.praxis-calls"
NAMES = ("llm_query", "llm_query_batched", "rlm_query", "rlm_query_batched", "agent", "agent_batched", "SubcallError")


class SubcallError(RuntimeError):
    """A query or a run gave no answer. The text says why, and what can be done.

    kind says what sort of failure it is: "exhausted" (a budget or the depth is used up),
    "unavailable" (the model or the run failed), "canceled" or "invalid". Of a batch, results
    has what all of them came to, in order: the answers, and a SubcallError for each that failed.
    """

    def __init__(self, message, kind="internal", remedy="", results=None):
        RuntimeError.__init__(self, message)
        self.message, self.kind, self.remedy, self.results = message, kind, remedy, results

    def __str__(self):
        return f"{self.message}\n{self.remedy}" if self.remedy else self.message

    def __reduce__(self):
        return type(self), (self.message, self.kind, self.remedy, self.results)


SubcallError.__module__ = "builtins"


class Subcalls:
    """The functions, and the values that a session is given. tools and praxis are the modules that carry them."""

    def __init__(self, tools, praxis):
        self.tools, self.praxis = tools, praxis
        self.count = 0

    def offer(self, offered, space, original):
        """Make the functions builtins, or take them away."""
        for name in NAMES:
            if offered:
                space[name] = original[name] = SubcallError if name == "SubcallError" else getattr(self, name)
            elif original.pop(name, None) is not None:
                space.pop(name, None)

    # The functions.

    def llm_query(self, prompt, model=None):
        """Ask a model one question and return its reply as text. It sees the prompt and nothing else."""
        return self.one("query", [self.item("llm_query", prompt)], model)

    def llm_query_batched(self, prompts, model=None):
        """Ask a model many questions side by side and return the replies in order."""
        return self.all("query", [self.item("llm_query_batched", p) for p in self.many("llm_query_batched", prompts)], model)

    def rlm_query(self, prompt, context=None, model=None):
        """Let a run of its own answer a question over a context, which is its variable "context"."""
        return self.one("recursion", [self.item("rlm_query", prompt, {} if context is None else {"context": context})], model)

    def rlm_query_batched(self, prompts, contexts=None, model=None):
        """Let runs of their own, side by side, answer questions, each over its context."""
        prompts = self.many("rlm_query_batched", prompts)
        contexts = [None] * len(prompts) if contexts is None else self.many("rlm_query_batched", contexts)
        if len(prompts) != len(contexts):
            raise ValueError(f"rlm_query_batched() was given {len(prompts)} prompts and {len(contexts)} contexts")
        items = [self.item("rlm_query_batched", p, {} if c is None else {"context": c}) for p, c in zip(prompts, contexts)]
        return self.all("recursion", items, model)

    def agent(self, task, /, *, model=None, fork=False, **data):
        """Let a run of its own do a task with data, which are its variables, and return its answer as a value.

        It begins in a fresh session; with fork=True in a copy of this one as it was before this step.
        """
        return self.one("subagent", [self.item("agent", task, data)], model, fork)

    def agent_batched(self, tasks, /, *, model=None, fork=False, **data):
        """Let runs of their own do tasks side by side. A task is a text, or a pair of a text and a dict of data."""
        items = []
        for task in self.many("agent_batched", tasks):
            own = {}
            if isinstance(task, (tuple, list)):
                if len(task) != 2 or not isinstance(task[1], dict):
                    raise TypeError("agent_batched() takes texts, or pairs of a text and a dict of data")
                task, own = task
            items.append(self.item("agent_batched", task, {**data, **own}))
        return self.all("subagent", items, model, fork)

    # How a call is made.

    @staticmethod
    def many(name, values):
        if isinstance(values, (str, bytes, dict)):
            raise TypeError(f"{name}() takes a list, not a {type(values).__name__}")
        values = list(values)
        if len(values) > MAX_ITEMS:
            raise ValueError(f"{name}() was given {len(values):,} items, the limit is {MAX_ITEMS:,}: make several calls")
        return values

    @staticmethod
    def item(name, text, data=None):
        if not isinstance(text, str):
            raise TypeError(f"{name}() takes text, not a {type(text).__name__}")
        if not text.strip():
            raise ValueError(f"{name}() was given an empty text")
        for key in data or ():
            if not key.isidentifier() or not key.isascii() or len(key) > 64:
                raise ValueError(f"{name}() cannot name data {key!r}: a name has letters, digits and _, 64 at most")
        return text, data or {}

    def one(self, role, items, model, fork=False):
        result = self.call(role, items, model, fork)[0]
        if isinstance(result, SubcallError):
            raise result
        return result

    def all(self, role, items, model, fork=False):
        if not items:
            return []
        results = self.call(role, items, model, fork)
        failed = [r for r in results if isinstance(r, SubcallError)]
        if failed:
            first = failed[0]
            text = f"{len(failed)} of {len(results)} failed, the first: {first.message}"
            remedy = f"{first.remedy} What the others gave is in the exception: e.results.".strip()
            raise SubcallError(text, first.kind, remedy, results)
        return results

    def call(self, role, items, model, fork):
        """Make a call and return what each item came to."""
        if model is not None and not isinstance(model, str):
            raise TypeError(f"model is a name, not a {type(model).__name__}")
        if sum(len(text) for text, _ in items) > MAX_TEXT:
            raise ValueError(f"the prompts have more than {MAX_TEXT:,} characters: ask about less, or give data to a run")
        paths = {}
        try:
            sent = [{"task": text, "data": [self.spill(paths, key, value) for key, value in data.items()]} for text, data in items]
            tools = self.tools.load()
            try:
                answer = tools._ask(do="begin", role=role, items=sent, model=model or "", fork=bool(fork))
            except tools.ToolError as exc:
                raise SubcallError(exc.message, exc.kind, exc.remedy) from None
        finally:
            for _, path in paths.values():
                try:
                    os.unlink(path)
                except OSError:
                    pass
        return [self.result(r) for r in answer["results"]]

    @staticmethod
    def result(r):
        if "error" in r:
            e = r["error"]
            return SubcallError(e.get("message", ""), e.get("kind", "internal"), e.get("remedy", ""))
        return r["value"] if "value" in r else r.get("text", "")

    def spill(self, paths, name, value):
        """Write a value to a file that the host takes, and return what names it. One value is written once."""
        known = paths.get(id(value))
        if known is not None:
            return {"name": name, "form": known[0], "path": known[1]}
        if isinstance(value, str):
            form, body = "text", value.encode("utf-8", "replace")
        else:
            form, body = "shared", self.praxis.load()._packed(name, value, self.tools.load()._json)
        if len(body) > MAX_DATA:
            raise ValueError(f"{name} takes {len(body):,} bytes, more than {MAX_DATA:,}: give a part of it")
        os.makedirs(FOLDER, mode=0o700, exist_ok=True)
        self.count += 1
        path = f"{FOLDER}/{os.getpid()}-{self.count}-{os.urandom(4).hex()}"
        with open(path, "wb") as file:
            paths[id(value)] = form, path
            file.write(body)
        return {"name": name, "form": form, "path": path}

    # What a session is given.

    def load(self, given):
        """Make variables of files: pairs of a name, a path and a form."""
        main = sys.modules["__main__"]
        for name, path, form in given:
            if form == "text":
                with open(path, encoding="utf-8", errors="replace", newline="") as file:
                    value = file.read()
            else:
                value = self.praxis.load()._value(path)
            setattr(main, name, value)
