"""Functions over the files of a project, in the session that it was copied into."""

import builtins
import difflib
import fnmatch
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile

ROOT = "/work"
OWN = os.path.dirname(os.path.abspath(__file__))
FILES = OWN + "/project.tar"      # the project, as it was given
PACKED = OWN + "/packed.tar"      # the project, as it is
MOST_LINES = 400                  # that are read at a time
MOST_TEXT = 24_000                # characters that a function gives
MOST_HITS = 100
MOST_LOG = 200_000                # bytes that are kept of what tests print
SKIPPED = {".git", "__pycache__", "node_modules", ".pytest_cache"}


class Text(str):
    """A text that is shown as it is where it is the value of code."""

    def __repr__(self):
        return str(self)


def begin():
    """Unpacks the project, once a session, and makes the functions known everywhere."""
    for function in (read, search, edit, write, shell):
        setattr(builtins, function.__name__, function)
    done = OWN + "/unpacked"
    if not os.path.exists(done):
        with tarfile.open(FILES) as archive:
            archive.extractall(ROOT, filter="fully_trusted")
        open(done, "w").close()
    os.chdir(ROOT)


def place(path):
    full = os.path.realpath(os.path.join(ROOT, path))
    if full != ROOT and not full.startswith(ROOT + "/"):
        raise ValueError(f"{path} is outside of the project")
    return full


def contents(path):
    """The text of a file with its own line ends; bytes that are no UTF-8 come through unchanged."""
    full = place(path)
    if os.path.isdir(full):
        raise IsADirectoryError(f"{path} is a folder; it holds: {', '.join(sorted(os.listdir(full))[:100])}")
    if not os.path.exists(full):
        near = difflib.get_close_matches(os.path.basename(path), [os.path.basename(p) for p in walk()], 5)
        also = [p for p in walk() if os.path.basename(p) in near][:5]
        raise FileNotFoundError(f"there is no file {path}" + (f"; there is {', '.join(also)}" if also else ""))
    with open(full, encoding="utf-8", errors="surrogateescape", newline="") as f:
        return f.read()


def walk():
    """The paths of all files, sorted by folder."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(f for f in folders if f not in SKIPPED)
        for name in sorted(files):
            yield os.path.relpath(os.path.join(folder, name), ROOT)


def shown(text, most=MOST_TEXT):
    """A text that can be printed, its middle left out where it is long."""
    text = text.encode("utf-8", "replace").decode()
    if len(text) <= most:
        return Text(text)
    half = most // 2
    return Text(f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}")


def numbered(lines, first):
    return "\n".join(f"{n:>5}  {line}" for n, line in enumerate(lines, first))


def read(path, first=1, last=None):
    """Gives the lines of a file from first to last, with their numbers."""
    lines = contents(path).splitlines()
    first = max(1, int(first))
    last = min(len(lines), int(last) if last is not None else first + MOST_LINES - 1, first + MOST_LINES - 1)
    if first > len(lines):
        return Text(f"{path} has {len(lines)} lines")
    rest = f"\n[{path} has {len(lines)} lines]" if first > 1 or last < len(lines) else ""
    return shown(numbered(lines[first - 1 : last], first) + rest)


def search(pattern, glob="*"):
    """Finds the lines that match a regular expression, in the files whose path or name matches glob."""
    try:
        expression = re.compile(pattern)
    except re.error:
        expression = re.compile(re.escape(pattern))
    found, more = [], 0
    for path in walk():
        if not (fnmatch.fnmatch(path, glob) or fnmatch.fnmatch(os.path.basename(path), glob)):
            continue
        try:
            with open(os.path.join(ROOT, path), encoding="utf-8") as f:
                lines = f.read(8_000_000).splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        for n, line in enumerate(lines, 1):
            if expression.search(line):
                if len(found) < MOST_HITS:
                    found.append(f"{path}:{n}: {line.strip()[:200]}")
                else:
                    more += 1
    if more:
        found.append(f"[and {more} more]")
    return shown("\n".join(found) or "nothing found")


def edit(path, old, new):
    """Replaces a text that stands in a file exactly once."""
    text = contents(path)
    if not old:
        raise ValueError("old is empty; write(path, text) writes a whole file")
    if old not in text and "\r\n" in text and "\r\n" not in old:
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    if old == new:
        raise ValueError("old and new are the same")
    count = text.count(old)
    if count > 1:
        at = [str(text.count("\n", 0, m.start()) + 1) for m in re.finditer(re.escape(old), text)][:10]
        raise ValueError(f"old stands {count} times in {path}, at the lines {', '.join(at)}; take in more of what stands around the one that is meant")
    if count == 0:
        raise ValueError(f"old does not stand in {path}{nearest(text, old)}")
    at = text.count("\n", 0, text.index(old)) + 1
    save(path, text.replace(old, new))
    lines = contents(path).splitlines()
    first = max(1, at - 2)
    return shown(f"{path} is now:\n" + numbered(lines[first - 1 : at + new.count(chr(10)) + 2], first))


def nearest(text, old):
    """The lines of a text that are most like what was looked for."""
    lines, wanted = text.splitlines(), old.strip("\n").splitlines()
    size, best, where = max(1, len(wanted)), 0.0, 0
    wanted = "\n".join(line.strip() for line in wanted)
    if not lines or len(lines) > 20_000 or len(wanted) > 4_000:
        return ""
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    for start in range(max(1, len(lines) - size + 1)):
        matcher.set_seq1("\n".join(line.strip() for line in lines[start : start + size]))
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (ratio := matcher.ratio()) > best:
            best, where = ratio, start
    if best < 0.3:
        return ""
    return f"; the nearest lines are:\n{numbered(lines[where : where + size], where + 1)}"


def save(path, text):
    full = place(path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8", errors="surrogateescape", newline="") as f:
        f.write(text)


def write(path, text):
    """Writes a whole file."""
    if os.path.isdir(place(path)):
        raise IsADirectoryError(f"{path} is a folder")
    save(path, text)
    return Text(f"{path} is written, {len(text.splitlines())} lines")


def shell(command):
    """Runs a command line in the folder of the project and gives what it prints, with its exit code."""
    output, code = run(command, MOST_TEXT)
    return shown(f"{output.rstrip()}\n[exit code {code}]".lstrip())


# What differs each time that the same is run: durations where test runners print them,
# addresses, folders of the moment.
STEADY = (
    (re.compile(r"(?<=\bin )\d+\.\d+(?= ?s(?:econds)?\b)"), "0"),
    (re.compile(r"(?<=\()\d+\.\d+(?=m?s\))"), "0"),
    (re.compile(r"(?<=\t)\d+\.\d+(?=s$)", re.M), "0"),
    (re.compile(r"(?<=duration_ms )\d+(?:\.\d+)?"), "0"),
    (re.compile(r"\b0x[0-9a-f]{6,16}\b"), "0x0"),
    (re.compile(r"(?<=/tmp/)(go-build|tmp|pytest-of-)[\w-]+"), r"\1"),
    (re.compile(r"(?<=^goroutine )\d+", re.M), "1"),
)


def steady(text):
    for pattern, instead in STEADY:
        text = pattern.sub(instead, text)
    return text


def run(command, most):
    """Runs a command line; what it prints is bounded while it comes. Processes that it leaves are ended."""
    process = subprocess.Popen(
        ["/bin/sh", "-c", command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    head, tail, left_out = bytearray(), bytearray(), 0
    try:
        while piece := process.stdout.read1(65536):
            room = max(0, most // 2 - len(head))
            head += piece[:room]
            tail += piece[room:]
            if len(tail) > most:
                left_out += len(tail) - most // 2
                del tail[: -(most // 2)]
        code = process.wait()
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        process.stdout.close()
    middle = f"\n[… {left_out} bytes left out …]\n".encode() if left_out else b""
    return steady((bytes(head) + middle + bytes(tail)).decode("utf-8", "replace")), code


class TestsFailed(Exception):
    pass


def test(command):
    """Runs the tests; that they do not pass is an exception."""
    output, code = run(command, MOST_LOG)
    print(output, end="")
    if code:
        raise TestsFailed(f"exit code {code}")


def pack():
    """Packs the project as it is."""
    with tarfile.open(PACKED, "w", format=tarfile.PAX_FORMAT) as archive:
        for folder, folders, files in os.walk(ROOT):
            for name in sorted(folders):
                if os.path.islink(os.path.join(folder, name)):
                    files.append(name)
            folders[:] = sorted(f for f in folders if f.lower() != ".git")
            for name in sorted(files):
                full = os.path.join(folder, name)
                if os.path.islink(full) or os.path.isfile(full):
                    archive.add(full, os.path.relpath(full, ROOT), recursive=False)


def undo(paths):
    """Puts files back as they were given; those that are new are removed."""
    with tarfile.open(FILES) as archive:
        given = {member.name: member for member in archive}
        for path in paths:
            full = os.path.join(ROOT, path)
            if os.path.isdir(full) and not os.path.islink(full):
                shutil.rmtree(full)
            elif os.path.islink(full) or os.path.exists(full):
                os.remove(full)
            if path in given:
                above = os.path.dirname(full)
                while above != ROOT and not os.path.exists(above):
                    above = os.path.dirname(above)
                if not os.path.isdir(above):
                    os.remove(above)
                archive.extract(given[path], ROOT, filter="fully_trusted")
