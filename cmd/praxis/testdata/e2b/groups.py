"""Groups of tests of E2B's Python client against a server. Each prints one line of JSON: its
name, pass, fail or not supported, and why. A group is not supported when the server refuses it
and says so."""

import io
import json
import os
import sys
import threading
import time
import traceback
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from e2b import PtySize, Sandbox, SandboxQuery, SandboxState

URL = os.environ.get("E2B_SANDBOX_URL")
HOST = os.environ.get("E2B_TEST_HOST")  # that the operator lets sandboxes reach
groups = {}


class Unsupported(Exception):
    pass


def group(f):
    groups[f.__name__] = f
    return f


def fails(f, *kinds):
    """Calls f, which has to fail, and returns the error."""
    try:
        f()
    except Exception as e:
        assert not kinds or type(e).__name__ in kinds, f"{type(e).__name__}: {e}"
        return e
    raise AssertionError("it does not fail")


def refused(f):
    """f has to be refused by the server, with the reason."""
    e = fails(f)
    text = str(e).splitlines()[0]
    assert "not supported" in text or "invalid username" in text or "outside of the session" in text, text
    raise Unsupported(text)


def made(**options):
    options.setdefault("timeout", 120)
    return Sandbox.create(**options)


class box:
    """A sandbox that is killed at the end."""

    def __init__(self, **options):
        self.options = options

    def __enter__(self):
        self.s = made(**self.options)
        return self.s

    def __exit__(self, *_):
        self.s.kill()


def request(s, port, path="/", headers=None, data=None):
    """Sends a request to a port of a sandbox, and returns the status and the text."""
    all = {"E2b-Sandbox-Id": s.sandbox_id, "E2b-Sandbox-Port": str(port), **(headers or {})}
    url = URL if URL else f"https://{s.get_host(port)}"
    path = path if path.startswith("http") else url + path
    r = urllib.request.Request(path, headers=all if URL else headers or {}, data=data)
    try:
        with urllib.request.urlopen(r, timeout=30) as a:
            return a.status, a.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode()


def until(f, what):
    for _ in range(200):
        if f():
            return
        time.sleep(0.1)
    raise AssertionError("not so in time: " + what)


@group
def create():
    with box(envs={"A": "b"}) as s:
        assert s.is_running()
        r = s.commands.run("echo $A $E2B_SANDBOX; pwd; whoami")
        assert r.stdout == "b true\n/home/user\nuser\n", r
        i = s.get_info()
        assert i.sandbox_id == s.sandbox_id and i.state == SandboxState.RUNNING, i
    fails(lambda: made(template="no-such-template"))


@group
def connect():
    with box() as s:
        other = Sandbox.connect(s.sandbox_id)
        s.files.write("a", "1")
        assert other.files.read("a") == "1"
    fails(lambda: Sandbox.connect(s.sandbox_id), "SandboxNotFoundException", "NotFoundException")


@group
def timeout():
    with box(timeout=60) as s:
        before = s.get_info().end_at
        s.set_timeout(200)
        assert s.get_info().end_at > before
        s.set_timeout(1)
        until(lambda: not s.is_running(), "the sandbox ends")
        fails(lambda: s.commands.run("true"))


@group
def kill():
    s = made()
    assert s.kill() and not s.is_running() and not s.kill()
    assert not Sandbox.kill(s.sandbox_id)


@group
def listing():
    with box(metadata={"g": "l"}) as a, box(metadata={"g": "l"}) as b, box(metadata={"g": "l"}) as c:
        ids, page = [], Sandbox.list(query=SandboxQuery(metadata={"g": "l"}), limit=2)
        while page.has_next:
            ids += [x.sandbox_id for x in page.next_items()]
        assert sorted(ids) == sorted(x.sandbox_id for x in (a, b, c)), ids
        b.pause()
        paused = Sandbox.list(query=SandboxQuery(metadata={"g": "l"}, state=[SandboxState.PAUSED])).next_items()
        assert [x.sandbox_id for x in paused] == [b.sandbox_id], paused


@group
def metadata():
    with box(metadata={"a b": "c=d&e", "ü": "ß"}) as s:
        assert s.get_info().metadata == {"a b": "c=d&e", "ü": "ß"}
        found = Sandbox.list(query=SandboxQuery(metadata={"a b": "c=d&e"})).next_items()
        assert [x.sandbox_id for x in found] == [s.sandbox_id], found


@group
def commands():
    with box() as s:
        out, err = [], []
        r = s.commands.run("echo out; echo err >&2; cd /tmp; pwd", on_stdout=out.append, on_stderr=err.append)
        assert r.stdout == "out\n/tmp\n" and r.stderr == "err\n" and "".join(out) == r.stdout and "".join(err) == r.stderr, r
        assert fails(lambda: s.commands.run("exit 3"), "CommandExitException").exit_code == 3
        assert s.commands.run("pwd; echo $X", cwd="/etc", envs={"X": "y"}).stdout == "/etc\ny\n"
        fails(lambda: s.commands.run("pwd", cwd="/home/user/none"), "InvalidArgumentException")
        fails(lambda: s.commands.run("sleep 60", timeout=1), "TimeoutException")
        big = s.commands.run("head -c 3000000 /dev/zero | tr '\\0' 'ä' | head -c 2000000")
        assert len(big.stdout.encode()) >= 2000000


@group
def background():
    with box() as s:
        h = s.commands.run("for i in 1 2 3 4; do sleep 0.3; echo $i; done", background=True)
        assert h.pid in [p.pid for p in s.commands.list()]
        h.disconnect()
        assert s.commands.connect(h.pid).wait().stdout.endswith("4\n")
        fails(lambda: s.commands.connect(h.pid), "NotFoundException")
        h = s.commands.run("sleep 100", background=True)
        threading.Timer(1, s.kill).start()  # the stream ends with its sandbox
        fails(h.wait)


@group
def stdin():
    with box() as s:
        h = s.commands.run("cat; echo end", background=True, stdin=True)
        h.send_stdin("a\n")
        s.commands.send_stdin(h.pid, "b\n")
        h.close_stdin()
        assert h.wait().stdout == "a\nb\nend\n"
        if hasattr(s.commands, "stream_input"):
            h = s.commands.run("cat", background=True, stdin=True)
            s.commands.stream_input(h.pid, ["c", "d"])
            h.close_stdin()
            assert h.wait().stdout == "cd"


@group
def signals():
    with box() as s:
        h = s.commands.run("sleep 100", background=True)
        assert h.kill()
        assert fails(h.wait, "CommandExitException").exit_code != 0
        assert not s.commands.kill(h.pid)


@group
def pty():
    with box() as s:
        out = []
        t = s.pty.create(PtySize(rows=24, cols=80), timeout=60)
        s.pty.resize(t.pid, PtySize(rows=31, cols=101))
        s.pty.send_stdin(t.pid, b"stty size; echo he''llo $TERM; exit\n")
        t.wait(on_pty=out.append)
        text = b"".join(out).decode()
        assert "31 101" in text and "hello xterm" in text, text
        t = s.pty.create(PtySize(rows=24, cols=80), timeout=60)
        assert s.pty.kill(t.pid) and not s.pty.kill(t.pid)


@group
def files():
    with box() as s:
        s.files.write_files([{"path": "x/1", "data": "a"}, {"path": "x/2", "data": b"\x00\xff"}])
        assert bytes(s.files.read("x/2", format="bytes")) == b"\x00\xff"
        s.files.write("s", io.BytesIO(b"q" * 300000))
        assert len(b"".join(s.files.read("s", format="stream"))) == 300000
        s.files.write("z", "zip" * 1000, gzip=True)
        assert s.files.read("z", gzip=True) == "zip" * 1000
        assert s.files.exists("x/1") and not s.files.exists("x/9")
        assert s.files.make_dir("d/e") and not s.files.make_dir("d/e")
        assert [e.name for e in s.files.list("x")] == ["1", "2"]
        assert "x/1" in [e.path.removeprefix("/home/user/") for e in s.files.list(".", depth=2)]
        assert s.files.rename("x/1", "y/3").path == "/home/user/y/3"
        s.files.remove("x")
        assert not s.files.exists("x")
        i = s.files.get_info("y/3")
        assert i.size == 1 and i.permissions == "-rw-r--r--" and i.owner == "user", i
        s.commands.run("ln -s y/3 l")
        assert s.files.read("l") == "a" and s.files.get_info("l").symlink_target == "y/3"
        fails(lambda: s.files.read("none"), "NotFoundException", "FileNotFoundException")
        fails(lambda: s.files.list("none"), "NotFoundException", "FileNotFoundException")
        fails(lambda: s.files.read("d"), "InvalidArgumentException")
        assert s.files.write("m", "m", metadata={"k": "v"}).metadata == {"k": "v"}
        assert s.files.get_info("m").metadata == {"k": "v"}


@group
def watch():
    with box() as s:
        s.files.write("w/a", "1")
        h = s.files.watch_dir("w", recursive=True, include_entry=True)
        seen = []

        def saw(name, kind):
            seen.extend((e.name, e.type.value) for e in h.get_new_events())
            return (name, kind) in seen

        s.files.write("w/a", "22")
        until(lambda: saw("a", "write"), f"a is written: {seen}")
        s.files.write("w/d/b", "1")
        until(lambda: saw("d/b", "create"), f"d/b is created: {seen}")
        s.files.remove("w/a")
        until(lambda: saw("a", "remove"), f"a is removed: {seen}")
        h.stop()
        fails(lambda: s.files.watch_dir("none"), "NotFoundException", "FileNotFoundException")


@group
def pause():
    with box() as s:
        s.files.write("a", "1")
        h = s.commands.run("sleep 500", background=True)
        s.pause()
        assert not s.is_running() and s.get_info().state == SandboxState.PAUSED
        fails(lambda: s.commands.run("true"))
        s.connect()
        assert s.files.read("a") == "1" and h.pid in [p.pid for p in s.commands.list()]


@group
def auto_resume():
    with box(timeout=1, lifecycle={"on_timeout": "pause", "auto_resume": True}) as s:
        until(lambda: s.get_info().state == SandboxState.PAUSED, "the sandbox is paused")
        assert s.commands.run("echo 1").stdout == "1\n"
        assert s.get_info().state == SandboxState.RUNNING


@group
def snapshots():
    with box(envs={"A": "b"}) as s:
        s.files.write("a", "1")
        h = s.commands.run("sleep 500", background=True)
        snapshot = s.create_snapshot()
        s.files.write("a", "2")
        try:
            assert snapshot.snapshot_id in [x.snapshot_id for x in Sandbox.list_snapshots(sandbox_id=s.sandbox_id).next_items()]
            with box(template=snapshot.snapshot_id) as t:
                assert t.files.read("a") == "1" and h.pid in [p.pid for p in t.commands.list()]
                assert t.commands.run("echo $A").stdout == "b\n"
        finally:
            assert Sandbox.delete_snapshot(snapshot.snapshot_id)
        fails(lambda: made(template=snapshot.snapshot_id))


@group
def fork():
    with box() as s:
        s.files.write("a", "1")
        s.commands.run("sleep 500", background=True)
        for t in s.fork(count=2, timeout=120):
            assert t.files.read("a") == "1" and t.commands.list(), t
            t.files.write("a", "2")
            t.kill()
        assert s.files.read("a") == "1"


@group
def secure():
    with box() as s:
        s.files.write("a", "1")
        assert request(s, 49983, "/files?path=a")[0] == 401
        assert request(s, 49983, s.download_url("a", use_signature_expiration=60)) == (200, "1")
        assert request(s, 49983, s.download_url("a") + "x")[0] == 401
        assert request(s, 49983, s.download_url("a").replace("path=a", "path=b"))[0] == 401
        assert request(s, 49983, "/process.Process/List", {"Content-Type": "application/json"}, b"{}")[0] == 401
    with box(network={"allow_public_traffic": False}) as s:
        assert request(s, 8000)[0] == 403
        assert request(s, 8000, headers={"E2b-Traffic-Access-Token": s.traffic_access_token})[0] == 502


@group
def ports():
    with box() as s:
        s.files.write("index.html", "served")
        s.commands.run("python3 -m http.server 8000", background=True)
        until(lambda: request(s, 8000) == (200, "served"), "the port answers")
        status, text = request(s, 8001)
        assert status == 502 and json.loads(text)["port"] == 8001, text


@group
def network():
    if not HOST:
        raise Unsupported("the operator of this server lets code reach no host")
    fetch = f"python3 -c \"import urllib.request as u; print(u.urlopen('http://{HOST}/').status)\""
    with box() as s:
        assert s.commands.run(fetch).stdout == "200\n"
        s.update_network({"deny_out": ["0.0.0.0/0"]})
        fails(lambda: s.commands.run(fetch), "CommandExitException")
        s.update_network({"deny_out": ["0.0.0.0/0"], "allow_out": [HOST.split(":")[0]]})
        assert s.commands.run(fetch).stdout == "200\n"
        s.pause()
        s.connect()
        assert s.commands.run(fetch).stdout == "200\n"
    with box(allow_internet_access=False) as s:
        fails(lambda: s.commands.run(fetch), "CommandExitException")


@group
def metrics():
    with box() as s:
        m = s.get_metrics()
        assert m and m[0].mem_used > 0 and m[0].mem_total > 0 and m[0].cpu_count > 0, m


@group
def root_user():
    with box() as s:
        refused(lambda: s.commands.run("id", user="root"))


@group
def files_elsewhere():
    with box() as s:
        refused(lambda: s.files.read("/etc/hostname"))


@group
def mcp():
    refused(lambda: made(mcp={"browserbase": {}}))


@group
def many():
    count = int(os.environ.get("E2B_TEST_MANY", "4"))

    def one(n):
        with box() as s:
            assert s.commands.run(f"echo {n}").stdout == f"{n}\n"

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(one, range(count)))


def main(names):
    for name, f in groups.items():
        if names and name not in names:
            continue
        status, reason = "pass", ""
        try:
            f()
        except Unsupported as e:
            status, reason = "not supported", str(e)
        except Exception as e:
            status, reason = "fail", f"{type(e).__name__}: {e}"[:400]
            traceback.print_exc()
        print(json.dumps({"group": name, "status": status, "reason": reason}), flush=True)


main(sys.argv[1:])
