"""Functions for a child process to run."""

import os
import signal
import sys
import time

import numpy as np


def double(arguments, send):
    return 2 * arguments


def total(arguments, send):
    return float(arguments.sum())


def count(arguments, send):
    for number in range(arguments):
        send(number)
    return "counted"


def fail(arguments, send):
    send("before")
    raise ValueError("no such luck")


def sleep(arguments, send):
    send(os.getpid())
    time.sleep(arguments)
    return "awake"


def spin(arguments, send):
    """Stay deaf: no interpreter switch, as in a solver that holds the interpreter."""
    send(os.getpid())
    sys.setswitchinterval(1e6)
    while True:
        pass


def eat(arguments, send):
    send("hungry")
    pieces = []
    while True:
        pieces.append(np.ones(2_000_000))
        time.sleep(0.005)


def run_out(arguments, send):
    raise MemoryError("all gone")


def stop_by_signal(arguments, send):
    send("before")
    os.kill(os.getpid(), int(getattr(signal, arguments, arguments)))
    time.sleep(60)


def chatter(arguments, send):
    sys.stdout.write("chatter of a solver")
    os.write(1, b"more of it\n" * 100_000)
    os.write(2, b"on the other channel\n" * 100_000)
    return "quiet"


def leave(arguments, send):
    os.write(2, b"last words\n")
    os._exit(3)


def paths(arguments, send):
    return sys.path


def large(arguments, send):
    send(np.ones(arguments))
    return np.zeros(arguments)
