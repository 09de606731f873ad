"""Times a Jupyter kernel by jupyter_client, as a program that uses one does.

Each line of standard input is a command, and is answered by a line with a list of milliseconds.
"""

import json
import sys
from time import perf_counter

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager


class Kernel:
    def __init__(self, command):
        self.manager = KernelManager()
        argv = [*command, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        self.manager._kernel_spec = KernelSpec(argv=argv, display_name="Python", language="python")
        self.manager.start_kernel()
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=120)

    def run(self, code):
        """Run code and return the text of its value, once the kernel is idle again."""
        values = []

        def take(message):
            if message["msg_type"] == "execute_result":
                values.append(message["content"]["data"]["text/plain"])

        reply = self.client.execute_interactive(code, timeout=120, output_hook=take)
        if reply["content"]["status"] != "ok":
            raise RuntimeError(str(reply["content"])[:500])
        return values

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def timed(work):
    began = perf_counter()
    out = work()
    return out, (perf_counter() - began) * 1e3


def main():
    command = json.loads(sys.argv[1])
    kernel = None
    for line in sys.stdin:
        what, *rest = line.split(maxsplit=1)
        if what == "start":
            if kernel is not None:
                kernel.stop()
            kernel, took = timed(lambda: Kernel(command))
            times = [took]
        elif what == "run":
            times = [timed(lambda: kernel.run(rest[0].strip()))[1]]
        else:
            times = []
            for _ in range(int(rest[0])):
                got, took = timed(lambda: kernel.run("x+1"))
                assert got == ["2"], got
                times.append(took)
        print(json.dumps(times), flush=True)
    if kernel is not None:
        kernel.stop()


main()
