import ctypes, os, signal, stat, struct, subprocess, time
libc = ctypes.CDLL(None, use_errno=True)


def check(kept, what):
    print("CONTAINED" if kept else "ESCAPED", repr(what)[:500])


def attempt(act):
    try:
        got = act()
    except (OSError, ValueError) as e:
        print("CONTAINED", repr(e)[:500])
    else:
        print("ESCAPED", repr(got)[:500])


def libc_call(name, number, *args):
    ctypes.set_errno(0)
    r = libc.syscall(number, *args)
    print("ESCAPED" if r >= 0 else "CONTAINED", name, r, os.strerror(ctypes.get_errno()))


def connect_tcp(host, port):
    import socket
    attempt(lambda: socket.create_connection((host, port), timeout=2))


