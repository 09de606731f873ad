"""Generators of libraries: the same numbers again under a seed, different ones without.

What code asks the system for is the sandbox's concern. Here is what libraries keep in
memory, which a snapshot copies: under a seed it is seeded, and in a copy of a session
without one it is given fresh entropy.
"""

import os
import sys

SEEDED = ("random", "numpy.random", "torch", "polars")  # libraries with generators of their own


class Seeds:
    """The generators of one interpreter."""

    def __init__(self):
        self.value = None
        self.others = []  # what begins generators that no module holds

    def also(self, begin):
        """Call begin with a number, now and whenever generators begin again."""
        self.others.append(begin)
        begin(int.from_bytes(os.urandom(8)) if self.value is None else self.value % (1 << 64))

    def watch(self, hooks):
        """Seed libraries as soon as they are imported."""
        for name in SEEDED:
            hooks.add(name, lambda module, name=name: self.start_library(name, module))

    def set(self, value):
        """Begin at the beginning of what follows from a seed, libraries that are imported later included."""
        self.value = value
        for name in SEEDED:
            if name in sys.modules:
                self.start_library(name, sys.modules[name])
        for begin in self.others:
            begin(value % (1 << 64))
        self.forget_names()

    def mix(self, entropy):
        """Make every known generator differ from those of other copies of this session."""
        self.value = None
        fresh = entropy + os.urandom(32)
        words = [int.from_bytes(fresh[i : i + 4]) for i in range(0, len(fresh), 4)][:600]
        for name in SEEDED:
            if name in sys.modules:
                self.seed_library(name, sys.modules[name], int.from_bytes(fresh), words)
        for begin in self.others:
            begin(int.from_bytes(fresh[-8:]))
        if "_ssl" in sys.modules:  # OpenSSL's generator was copied with the memory
            try:
                sys.modules["_ssl"].RAND_add(fresh, float(len(fresh)))
            except Exception as exc:
                complain("ssl", exc)
        self.forget_names()

    @staticmethod
    def forget_names():
        if "tempfile" in sys.modules:
            sys.modules["tempfile"]._name_sequence = None

    def start_library(self, name, module):
        """Begin one library's generators as the seed says; nothing without one."""
        if self.value is not None:
            self.seed_library(name, module, self.value, self.value % (1 << 32))

    @staticmethod
    def seed_library(name, module, large, small):
        """Seed one library: large is an int of any size, small what numpy takes."""
        try:
            if name == "torch":
                module.manual_seed(large % (1 << 63))
            elif name == "polars":
                module.set_random_seed(large % (1 << 63))
            else:
                module.seed(large if name == "random" else small)
        except Exception as exc:  # the program replaced it
            complain(name, exc)


def complain(name, exc):
    print(f"cannot seed {name}: {type(exc).__name__}: {exc}", file=sys.stderr)
