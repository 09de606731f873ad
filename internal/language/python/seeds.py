"""Random numbers: the same ones again under a seed, different ones without.

Under a seed the generators of libraries are seeded, and what Python code asks
the system for (os.urandom, and through it secrets, uuid4, unseeded generators,
names of temporary files) comes from a stream of bytes that follows from the
seed alone. Until there is a seed, nothing here touches any library.
"""

import itertools
import operator
import os
import sys

CHUNK = 1 << 20  # bytes of the stream that are made at once
SEEDED = ("random", "numpy.random", "torch", "polars")  # libraries with generators of their own


class Stream:
    """Bytes that follow from a key: the same calls give the same bytes."""

    def __init__(self, key):
        from hashlib import shake_256

        self.key = key
        self.hash = shake_256
        self.count = itertools.count()

    def take(self, size):
        """Return the next size bytes."""
        parts = []
        while size > 0:
            part = min(size, CHUNK)
            parts.append(self.hash(self.key + next(self.count).to_bytes(8)).digest(part))
            size -= part
        return b"".join(parts)

    def branch(self, number):
        """Return a stream of its own for the child process of that number."""
        return Stream(self.hash(self.key + b"child" + number.to_bytes(8)).digest(32))


class Seeds:
    """The generators of one interpreter."""

    def __init__(self):
        self.value = None
        self.stream = None
        self.children = itertools.count()
        self.child = 0  # number of the fork that comes next
        self.system = os.urandom
        self.replaced = False  # functions of os ask here

    def watch(self, hooks):
        """Seed libraries as soon as they are imported."""
        for name in SEEDED:
            hooks.add(name, lambda module, name=name: self.start_library(name, module))

    def set(self, value):
        """Begin at the beginning of what follows from a seed, libraries that are imported later included."""
        self.value = value
        self.stream = Stream(b"praxis seed %d\0" % value)
        self.children = itertools.count()
        self.replace_system()
        for name in SEEDED:
            if name in sys.modules:
                self.start_library(name, sys.modules[name])
        self.forget_names()

    def mix(self, entropy):
        """Make every known generator differ from those of other copies of this session."""
        self.value = self.stream = None
        fresh = entropy + self.system(32)
        words = [int.from_bytes(fresh[i : i + 4]) for i in range(0, len(fresh), 4)][:600]
        for name in SEEDED:
            if name in sys.modules:
                self.seed_library(name, sys.modules[name], int.from_bytes(fresh), words)
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
        if self.value is None:
            return
        if name == "random":
            try:
                self.replace_random(module)
            except Exception as exc:
                complain(name, exc)
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

    # What takes the place of the system's randomness. Whoever holds one of these
    # functions when the seed is taken away gets the system's again.

    def replace_system(self):
        if self.replaced:
            return
        self.replaced = True
        system_getrandom = getattr(os, "getrandom", None)

        def urandom(size, /):
            """Return size bytes that follow from this session's seed: they repeat, so they keep no secret."""
            if self.stream is None:
                return self.system(size)
            return self.stream.take(length(size))

        def getrandom(size, flags=0):
            """Return size bytes that follow from this session's seed: they repeat, so they keep no secret."""
            if self.stream is None:
                return system_getrandom(size, flags)
            return self.stream.take(length(size))

        os.urandom = named(urandom, "os")
        if system_getrandom is not None:
            os.getrandom = named(getrandom, "os")
        os.register_at_fork(before=self.before_fork, after_in_child=self.after_fork)

    def replace_random(self, module):
        """Let generators without a seed of their own begin with bytes of the stream."""
        module._urandom = os.urandom  # what SystemRandom asks
        if getattr(module.Random.seed, "of_seeds", False):
            return
        original = module.Random.seed

        def seed(this, a=None, version=2):
            if a is None and self.stream is not None:
                a = int.from_bytes(self.stream.take(64))
            original(this, a, version)

        seed.__doc__ = original.__doc__
        seed.of_seeds = True
        module.Random.seed = named(seed, module.__name__, "Random.seed")
        hidden = module._inst
        module.seed = hidden.seed

        def after_fork():  # after the module's own, which asks the system
            if self.stream is not None:
                hidden.seed()

        os.register_at_fork(after_in_child=after_fork)

    def before_fork(self):
        self.child = next(self.children)

    def after_fork(self):
        """Give a child process a stream of its own, or all children would draw the same."""
        if self.stream is not None:
            self.stream = self.stream.branch(self.child)
            self.children = itertools.count()


def length(size):
    size = operator.index(size)
    if size < 0:
        raise ValueError("negative argument not allowed")
    return size


def named(function, module, name=None):
    """Return function under the name that it is found by, so that it can be pickled."""
    function.__module__, function.__qualname__ = module, name or function.__name__
    return function


def complain(name, exc):
    print(f"cannot seed {name}: {type(exc).__name__}: {exc}", file=sys.stderr)
