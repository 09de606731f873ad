"""A kernel of Jupyter's that no signal reaches: it is interrupted by messages alone.

Its language has two words: "wait", which never ends by itself, and "count", which is how
often the kernel was interrupted.
"""

import json
import signal
import sys

import zmq
from jupyter_client.session import Session

signal.signal(signal.SIGINT, signal.SIG_IGN)
with open(sys.argv[1], encoding="utf-8") as file:
    info = json.load(file)
session = Session(key=info["key"].encode(), signature_scheme=info["signature_scheme"])
context = zmq.Context()


def bind(kind, name):
    socket = context.socket(kind)
    mark = "-" if info["transport"] == "ipc" else ":"
    socket.bind(f"{info['transport']}://{info['ip']}{mark}{info[name + '_port']}")
    return socket


shell, control = bind(zmq.ROUTER, "shell"), bind(zmq.ROUTER, "control")
iopub, stdin, heart = bind(zmq.PUB, "iopub"), bind(zmq.ROUTER, "stdin"), bind(zmq.REP, "hb")
interrupted = 0


def answer(socket, idents, request, kind, **content):
    session.send(socket, kind, content, parent=request, ident=idents)


def publish(request, kind, **content):
    session.send(iopub, kind, content, parent=request)


def listen(sockets):
    """Return the next message of some sockets, and which has it."""
    poller = zmq.Poller()
    for socket in (*sockets, heart):
        poller.register(socket, zmq.POLLIN)
    while True:
        for socket, _ in poller.poll():
            if socket is heart:
                heart.send(heart.recv())
                continue
            idents, request = session.recv(socket, mode=0)
            return socket, idents, request


def obey(idents, request):
    """Answer on the control channel, and say whether it was an interrupt."""
    global interrupted
    kind = request["msg_type"]
    answer(control, idents, request, kind.replace("request", "reply"), status="ok")
    if kind == "shutdown_request":
        sys.exit()
    interrupted += kind == "interrupt_request"
    return kind == "interrupt_request"


def execute(request):
    """Run code and return the content of its reply."""
    code = request["content"]["code"]
    if code == "wait":
        publish(request, "stream", name="stdout", text="waiting\n")
        while not obey(*listen([control])[1:]):
            pass
        error = {"ename": "Stopped", "evalue": "told to", "traceback": ["Stopped: told to"]}
        publish(request, "error", **error)
        return {"status": "error", **error}
    publish(request, "execute_result", data={"text/plain": str(interrupted)}, metadata={}, execution_count=1)
    return {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}


while True:
    socket, idents, request = listen([shell, control])
    publish(request, "status", execution_state="busy")
    if socket is control:
        obey(idents, request)
    elif request["msg_type"] == "kernel_info_request":
        answer(shell, idents, request, "kernel_info_reply", status="ok", protocol_version="5.3", implementation="obeys",
               implementation_version="1", language_info={"name": "obeys", "version": "1"}, banner="")
    elif request["msg_type"] == "execute_request":
        answer(shell, idents, request, "execute_reply", **execute(request))
    publish(request, "status", execution_state="idle")
