"""Runs programs for tests: one request a line, one reply a line, both JSON.

A request: {"code": text, "expr": text or null, "seconds": of CPU time, "stdin": text}.
The reply: {"out": what was printed, "error": "Type: message" or "",
"line": where in the program it was raised, "value": repr of expr}.
"""
import contextlib, io, json, resource, signal, sys, warnings

# Programs are generated: one that eats memory is to fail, not the machine.
MEMORY = 4 << 30

# One that waits ends, too, after so many times its CPU time.
WAITING = 30


class TooLong(BaseException):
    pass


def alarm(_number, _frame):
    raise TooLong


def run(request):
    out = io.StringIO()
    reply = {"out": "", "error": "", "line": 0, "value": ""}
    space = {"__name__": "__main__", "__builtins__": __builtins__}
    seconds = request.get("seconds") or 10
    signal.signal(signal.SIGPROF, alarm)
    signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, WAITING * seconds)
    try:
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(request["code"], "plan.py", "exec", dont_inherit=True), space)
            if request.get("expr"):
                reply["value"] = repr(eval(compile(request["expr"], "plan.py", "eval", dont_inherit=True), space))
    except TooLong:
        reply["error"] = "TooLong"
    except BaseException as exc:
        try:
            text = str(exc)
        except BaseException:
            text = "?"
        reply["error"] = type(exc).__name__ + (": " + text if text else "")
        trace = exc.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == "plan.py":
                reply["line"] = trace.tb_lineno
            trace = trace.tb_next
        if isinstance(exc, SyntaxError):
            reply["line"] = exc.lineno or 0
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    reply["out"] = out.getvalue()
    return reply


def main():
    sys.setrecursionlimit(1000)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    replies, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        reply = run(json.loads(line))
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


main()
