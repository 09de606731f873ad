# what a person at a prompt asks for beside code
def __prompt__(what, text):
    import sys

    space = globals()
    del space["__prompt__"]

    def inspect_value():
        import inspect

        try:
            value = eval(compile(text, "<prompt>", "eval"), space)
        except Exception as exc:
            print(f"{type(exc).__name__}: {exc}", file=sys.stderr)
            return
        try:
            print(f"{getattr(value, '__qualname__', text)}{inspect.signature(value)}")
        except (TypeError, ValueError):
            shown = repr(value)
            print(shown if len(shown) <= 200 else shown[:200] + "…")
        kind = type(value)
        print("type:", kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}")
        try:
            print("length:", len(value))
        except Exception:
            pass
        doc = inspect.getdoc(value)
        if doc:
            print("\n" + doc)

    def time_code():
        import timeit

        timer = timeit.Timer(text, globals=space)
        loops, first = timer.autorange()
        runs = [took / loops for took in [first, *timer.repeat(4, loops)]]

        def shown(took):
            unit = next((u for u in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")) if took >= u[0]), (1e-9, "ns"))
            return f"{took / unit[0]:.3g} {unit[1]}"

        print(f"{shown(min(runs))} per loop, the best of {len(runs)} runs of {loops:,} loops; the worst {shown(max(runs))}")

    def shell():
        import subprocess

        code = subprocess.call(text, shell=True)
        if code:
            print(f"[exit code {code}]", file=sys.stderr)

    {"inspect": inspect_value, "time": time_code, "shell": shell}[what]()


