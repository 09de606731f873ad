"""Calls functions and times them by the clock of the plan, which only sleep moves on."""

from time import perf_counter as default_timer


def timeit(stmt=lambda: None, setup=lambda: None, timer=default_timer, number=1000000, globals=None):
    if not callable(stmt) or not callable(setup):
        raise TypeError('a plan executes no text: give timeit a function')
    setup()
    began = timer()
    for _ in range(number):
        stmt()
    return timer() - began


def repeat(stmt=lambda: None, setup=lambda: None, timer=default_timer, repeat=5, number=1000000, globals=None):
    return [timeit(stmt, setup, timer, number) for _ in range(repeat)]
