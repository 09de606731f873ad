# The kernel of tally. One line is one statement:
#
#     ; a comment          NAME = NUMBER          NAME += NUMBER
#     say WORDS            prints them            NAME   is a value
#
# The value of the last line is the result. What it says to the agent is the
# contract in the package comment of guest/agent.
import json, os, resource, signal, socket, struct, sys, time


class Unknown(Exception):
    pass


def run(code, names):
    value = None
    for line in code.splitlines():
        line = line.split(";", 1)[0].strip()
        value = None
        if not line:
            continue
        words = line.split()
        if words[0] == "say":
            print(" ".join(words[1:]), flush=True)
        elif len(words) == 3 and words[1] in ("=", "+="):
            before = names.get(words[0], 0) if words[1] == "+=" else 0
            names[words[0]] = before + int(words[2])
        elif words[0] == "sleep":
            time.sleep(float(words[1]))
        elif words == ["environment"]:
            value = " ".join(sorted(k for k in os.environ if k.startswith("TALLY_")))
        elif len(words) == 1 and words[0] in names:
            value = str(names[words[0]])
        else:
            raise Unknown(line)
    return value


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=3)
    stream = control.makefile("rb")
    names = {}

    def send(message):
        body = json.dumps(message).encode()
        control.sendall(struct.pack(">I", len(body)) + body)

    while head := stream.read(4):
        message = json.loads(stream.read(struct.unpack(">I", head)[0]))
        if message["op"] == "start":
            names.update((name, 0) for name in message["preload"])
            send({"type": "ready", "version": "1.0", "preload_errors": {}})
        elif message["op"] == "environ":
            os.environ.update(message["set"])
        elif message["op"] == "complete":
            send({"type": "completions", "id": message["id"], "start": 0, "end": message["cursor"], "matches": sorted(names)})
        elif message["op"] in ("execute", "rehearse"):
            began = time.monotonic()
            done = {"type": "done", "id": message["id"], "status": "ok", "result": None, "error": None, "interrupted": False}
            try:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                value = run(message["code"], names) if message["op"] == "execute" else None
                if value is not None and message["result"]:
                    done["result"] = {"text": value}
            except KeyboardInterrupt:
                done.update(status="error", interrupted=True, error={"name": "Interrupt", "value": "", "traceback": "stopped"})
            except (Unknown, ValueError) as e:
                done.update(status="error", error={"name": "Unknown", "value": str(e), "traceback": f"? {e}"})
            finally:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            sys.stdout.flush()
            used = resource.getrusage(resource.RUSAGE_SELF)
            done["wall_ms"] = (time.monotonic() - began) * 1000
            done["cpu_ms"], done["peak_memory_bytes"] = 0.0, used.ru_maxrss * 1024
            send(done)


main()
