"""Settings of all tests."""

import signal

# a shell ignores Ctrl-C in jobs of the background, and processes that tests start inherit that
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
