"""The relay processes, run by `tandem relay --store` as people run it."""

import os
import socket
import subprocess
import time

from processes import Kept

COUNT = 3
# The one of the end-to-end tests: its file has the seconds of three clocks.
CLOCK_SOURCE = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "EndToEnd", "moved_clock.c")
CLOCK_SECONDS = (-400 * 86400, -86400, -3600, -7, 7, 3600, 86400, 20 * 86400)
# Exit codes with a meaning of their own: the supervisor of the relay would start it again.
NAMED_CODES = {69, 74, 75, 78}


def free_port():
    """A port that nobody has now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def clock_library(folder):
    """A library by which a process has another time, made in the folder; nil if there is no compiler."""
    path = os.path.join(folder, "clock.so")
    if os.path.exists(path):
        return path
    try:
        made = subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", path, CLOCK_SOURCE], capture_output=True)
    except OSError:
        return None
    return path if made.returncode == 0 else None


class Relay(Kept):
    """One relay at a port of its own; all have the same folder, and so the same key."""

    def __init__(self, folder, number, program, address):
        super().__init__("relay {}".format(number))
        self.program, self.database = program, address
        self.folder = os.path.join(folder, "relay")
        self.port = free_port()
        self.port_file = os.path.join(folder, "address-relay-{}".format(number))
        self.log = os.path.join(folder, "log-relay-{}".format(number))
        # How wrong its wall clock is, in seconds; the clocks that only go forward are right, as when somebody sets a machine's time.
        self.clock = 0
        self.clock_file = os.path.join(folder, "clock-relay-{}".format(number))
        self.clock_library = clock_library(folder)
        self.crashes = []
        self.quick_end_count = 0

    def environment(self):
        variables = {name: value for name, value in os.environ.items() if not name.startswith("TANDEM_")}
        variables.update(SWIFT_BACKTRACE="enable=no", NO_COLOR="1")
        if self.clock:
            with open(self.clock_file, "w") as file:
                file.write("{} 0 0\n".format(self.clock))
            variables.update(LD_PRELOAD=self.clock_library, TANDEM_TEST_CLOCKS=self.clock_file)
        return variables

    def command(self):
        log = open(self.log, "a")
        # So many devices have one address here.
        limits = {"connections-per-address": 100000, "unproved-per-address": 100000, "failed-proofs-per-minute": 1000000}
        words = [
            self.program, "relay", "--store", self.database, "--listen", "127.0.0.1:{}".format(self.port), "--folder", self.folder,
            "--port-file", self.port_file, "--drain-seconds", "3"]
        for name, value in limits.items():
            words += ["--" + name, str(value)]
        return words, dict(stdout=log, stderr=log, env=self.environment())

    def ended_by_itself(self, code):
        if code not in NAMED_CODES:
            self.crashes.append(code)
        self.quick_end_count += 1
        self.not_before = time.monotonic() + 0.3

    def address(self, seconds=30):
        """Its address, once it listens."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.tend()
            if os.path.exists(self.port_file):
                with open(self.port_file) as file:
                    text = file.read().strip()
                if text:
                    return text
            time.sleep(0.05)
        raise RuntimeError("{} does not listen; see {}".format(self.name, self.log))

    def listens(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=2):
                return True
        except OSError:
            return False
