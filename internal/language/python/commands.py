"""The commands of notebooks that code for people is full of: !ls, %cd, %pip, %%bash and others.

python.Interactive makes calls of them. SPACE has the names of the program.
"""

import os
import re
import subprocess
import sys

NAME = re.compile(r"\$\$|\$([A-Za-z_]\w*)|\{\{|\}\}|\{([^{}]+)\}")


def command(word, text, body):
    """Do what a command says; body is what stands below one for the whole cell."""
    if word == "!":
        SPACE["_exit_code"] = shell(filled(text))
        return None
    if word == "!=":
        return output(filled(text))
    name, _, rest = text.partition(" ")
    known = CELLS if word == "%%" else LINES
    if name not in known:
        kind = "Cell" if word == "%%" else "Line"
        print(f"UsageError: {kind} magic function `{word.rstrip('=')}{name}` not found.", file=sys.stderr)
        return None
    return known[name](rest.strip(), body)


def filled(text):
    """Return a command line with {expressions} and $names in it as their values; what has none stays."""

    def value(found):
        if found[0] in ("$$", "{{", "}}"):
            return found[0][0]
        try:
            if found[1]:
                return str(SPACE[found[1]])
            return str(eval(found[2], SPACE))
        except Exception:
            return found[0]

    return NAME.sub(value, text)


def shell(text, program=None):
    sys.stdout.flush()
    sys.stderr.flush()
    return subprocess.call(text, shell=True, executable=program)


def silently(text, program=None):
    """Run a text of the shell's, and return nothing."""
    shell(text, program)


def output(text):
    done = subprocess.run(text, shell=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    return done.stdout.decode("utf-8", "replace").splitlines()


def pip(rest, _):
    import shlex

    sys.stdout.flush()
    subprocess.call([sys.executable, "-m", "pip", *shlex.split(filled(rest))])
    import importlib

    importlib.invalidate_caches()


def cd(rest, _):
    os.chdir(os.path.expanduser(filled(rest).strip("'\"") or "~"))
    print(os.getcwd())


def env(rest, _):
    name, equals, value = rest.partition("=")
    if not equals:
        name, _, value = rest.partition(" ")
    if not rest:
        return dict(os.environ)
    if not equals and not value:
        return os.environ.get(name)
    os.environ[name.strip()] = filled(value.strip())
    print(f"env: {name.strip()}={value.strip()}")
    return None


def time(rest, body):
    from time import perf_counter, process_time

    wall, cpu = perf_counter(), process_time()
    value = run(rest, body)
    print(f"CPU times: {(process_time() - cpu) * 1e3:.3g} ms\nWall time: {(perf_counter() - wall) * 1e3:.3g} ms")
    return value


def run(rest, body):
    """Run code in the program's names; the value is that of an expression."""
    try:
        code = compile(rest or body, "<command>", "eval")
    except SyntaxError:
        exec(compile(rest or body, "<command>", "exec"), SPACE)
        return None
    return eval(code, SPACE)


def write(rest, body):
    append, _, name = rest.rpartition(" ")
    name = os.path.expanduser(filled(name).strip("'\""))
    append = append.strip() in ("-a", "--append")
    done = "Appending to" if append else "Overwriting" if os.path.exists(name) else "Writing"
    with open(name, "a" if append else "w", encoding="utf-8") as file:
        file.write(body)
    print(f"{done} {name}")


def nothing(rest, body):
    """Do nothing: what it would choose is so here."""


LINES = {
    "cd": cd,
    "env": env,
    "pip": pip,
    "pwd": lambda rest, body: os.getcwd(),
    "set_env": env,
    "sx": lambda rest, body: output(filled(rest)),
    "time": time,
}
LINES.update(dict.fromkeys(("autoreload", "colors", "config", "load_ext", "matplotlib", "precision", "pylab", "reload_ext"), nothing))
CELLS = {
    "bash": lambda rest, body: silently(body, "/bin/bash"),
    "file": write,
    "sh": lambda rest, body: silently(body),
    "time": time,
    "writefile": write,
}
