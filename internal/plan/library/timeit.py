"""Calls functions and times them by the clock of the plan, which only sleep moves on."""

from time import perf_counter as default_timer

default_number = 1000000
default_repeat = 5


def _nothing():
    pass


class Timer:
    def __init__(self, stmt=_nothing, setup=_nothing, timer=default_timer, globals=None):
        if not callable(stmt) or not callable(setup):
            raise TypeError('a plan executes no text: give timeit a function')
        self.stmt = stmt
        self.setup = setup
        self.timer = timer

    def timeit(self, number=default_number):
        self.setup()
        began = self.timer()
        for _ in range(number):
            self.stmt()
        return self.timer() - began

    def repeat(self, repeat=default_repeat, number=default_number):
        return [self.timeit(number) for _ in range(repeat)]


def timeit(stmt=_nothing, setup=_nothing, timer=default_timer, number=default_number, globals=None):
    return Timer(stmt, setup, timer, globals).timeit(number)


def repeat(stmt=_nothing, setup=_nothing, timer=default_timer, repeat=default_repeat, number=default_number, globals=None):
    return Timer(stmt, setup, timer, globals).repeat(repeat, number)
