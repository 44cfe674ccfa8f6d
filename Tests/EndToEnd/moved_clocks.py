"""Clocks of one process that a test moves while it runs."""

import contextlib
import os
import shutil
import subprocess

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "moved_clock.c")
COMPILER = shutil.which("cc") or shutil.which("clang")


class Clocks:
    """How far the clocks of the processes that start with them are off."""

    def __init__(self, folder):
        self.library = os.path.join(folder, "clocks.so")
        subprocess.run(
            [COMPILER, "-shared", "-fPIC", "-o", self.library, SOURCE], check=True, timeout=60)
        self.path = os.path.join(folder, "clocks")
        self.move()

    def move(self, wall=0, monotonic=0, boot=0):
        """Sets how far they are off; in seconds."""
        with open(self.path + ".new", "w") as file:
            file.write("{} {} {}\n".format(wall, monotonic, boot))
        os.rename(self.path + ".new", self.path)

    @contextlib.contextmanager
    def of(self, device):
        """Processes of a device that start meanwhile have these clocks."""
        own = device.environment
        device.environment = lambda: dict(own(), LD_PRELOAD=self.library, TANDEM_TEST_CLOCKS=self.path)
        try:
            yield
        finally:
            device.environment = own
