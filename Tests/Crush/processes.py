"""Processes that are started, killed and started again; each is ended by its own id."""

import ctypes
import os
import signal
import subprocess
import time

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)
END_SECONDS_MAX = 30


def dies_with_parent():
    """In the new process: it is killed if the one that started it ends without a word."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def children(process):
    """The ids of the processes that a process has started and that run."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/{}/stat".format(name)) as file:
                    if int(file.read().rsplit(")", 1)[1].split()[1]) == process:
                        found.append(int(name))
            except (OSError, IndexError, ValueError):
                pass
    return found


def send(process, number):
    """Sends a signal to a process; false if it is gone."""
    try:
        os.kill(process, number)
        return True
    except ProcessLookupError:
        return False


class Kept:
    """A process that is kept running: whoever looks after it starts it again, but not before a time."""

    def __init__(self, name):
        self.name = name
        self.process = None
        self.not_before = 0
        # Whether its end is of this program's making.
        self.is_expected = True
        self.start_count = 0

    def command(self):
        """The words, and what else `subprocess.Popen` is to know."""
        raise NotImplementedError

    def ended_by_itself(self, code):
        """Called when it has ended and nobody has ended it."""

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def tend(self):
        """Starts it if it does not run and may; true if it runs."""
        if self.is_running:
            return True
        if self.process is not None and not self.is_expected:
            self.is_expected = True
            self.ended_by_itself(self.process.returncode)
        if time.monotonic() < self.not_before:
            return False
        words, options = self.command()
        options.setdefault("preexec_fn", dies_with_parent)
        options.setdefault("stdin", subprocess.DEVNULL)
        self.process = subprocess.Popen(words, **options)
        self.is_expected = False
        self.start_count += 1
        return True

    def send_signal(self, number):
        return self.is_running and send(self.process.pid, number)

    def kill(self, pause=0.0):
        """Ends it as a power cut does; it is not started again before the pause is over. True if it ran."""
        self.not_before = time.monotonic() + pause
        if not self.is_running:
            return False
        self.is_expected = True
        send(self.process.pid, signal.SIGKILL)
        self.process.wait(END_SECONDS_MAX)
        return True

    def end(self, number=signal.SIGTERM, seconds=END_SECONDS_MAX, pause=0.0):
        """Asks it to end; gives its exit code, nil if it did not run. What does not end in time is killed."""
        self.not_before = time.monotonic() + pause
        if not self.is_running:
            return None
        self.is_expected = True
        self.send_signal(signal.SIGCONT)
        self.send_signal(number)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill(pause)
            return self.process.returncode
