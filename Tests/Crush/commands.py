"""A few devices that are the program `tandem` itself: a daemon, and commands beside it."""

import os
import signal
import subprocess
import time

import tandem_process
from processes import Kept, dies_with_parent

COMMANDS_MAX = 2
COMMAND_SECONDS_MAX = 120


class DaemonProcess(Kept):
    """`tandem daemon` of a device, at all relays."""

    def __init__(self, device, relays):
        super().__init__("daemon of " + device.name)
        self.device, self.relays = device, relays
        self.crashes = []

    def command(self):
        words = [tandem_process.BINARY, "daemon"]
        for relay in self.relays:
            words += ["--relay", relay]
        log = open(self.device.store + ".daemon-log", "a")
        return words, dict(stdout=log, stderr=log, env=self.device.environment())

    def ended_by_itself(self, code):
        self.crashes.append(code)
        self.not_before = time.monotonic() + 1


class Family:
    """Devices of one space, paired through a relay; the first one has a daemon."""

    def __init__(self, folder, number, count, relays):
        self.relays = relays
        self.devices = [tandem_process.Device(folder, "family-{}-{}".format(number, index)) for index in range(count)]
        self.acknowledged, self.possible, self.failures = [], set(), []
        self.running = []
        self.number = 0
        first = self.devices[0]
        first.init()
        for device in self.devices[1:]:
            invitation = first.inviting("--yes", "--relay", relays[0])
            device.run("join", invitation.code, "--name", device.name)
            invitation.process.wait(30)
        self.daemon = DaemonProcess(first, relays)

    def tend(self, chance):
        """Keeps the daemon running, and now and then begins a command."""
        self.daemon.tend()
        self.reap()
        if len(self.running) >= COMMANDS_MAX or chance.random() > 0.1:
            return
        device = chance.choice(self.devices)
        if device is not self.devices[0] and chance.random() < 0.6:
            self.start(device, None, "sync", chance.choice(self.relays))
        else:
            self.number += 1
            title = "{} {}".format(device.name, self.number)
            self.start(device, title, "add", title)

    def start(self, device, title, *words):
        log = open("{}.command-log".format(device.store), "a")
        process = subprocess.Popen(
            [tandem_process.BINARY, *words], env=device.environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            preexec_fn=dies_with_parent)
        if title:
            self.possible.add(title)
        self.running.append((time.monotonic(), process, title, words))

    def reap(self):
        left = []
        for started, process, title, words in self.running:
            code = process.poll()
            if code is None and time.monotonic() - started < COMMAND_SECONDS_MAX:
                left.append((started, process, title, words))
                continue
            if code is None:
                process.send_signal(signal.SIGKILL)
                self.failures.append("tandem {} did not end in {} s".format(" ".join(words), COMMAND_SECONDS_MAX))
            elif code not in tandem_process.NAMED_CODES or (title and code != 0):
                self.failures.append("tandem {} ended with {}".format(" ".join(words), code))
            elif title:
                self.acknowledged.append(title)
        self.running = left

    def calm(self):
        """Lets all commands end, and the daemon."""
        deadline = time.monotonic() + COMMAND_SECONDS_MAX
        while self.running and time.monotonic() < deadline + 1:
            self.reap()
            time.sleep(0.05)
        code = self.daemon.end()
        if code not in (None, 0):
            self.failures.append("the daemon ended with {}".format(code))

    def meet(self, chance):
        """Every device syncs once; gives what did not succeed."""
        wrong = []
        for device in self.devices:
            result = device.run("sync", chance.choice(self.relays), codes=tandem_process.NAMED_CODES)
            with open("{}.command-log".format(device.store), "a") as log:
                log.write(result.output + result.errors)
            if result.code != 0:
                wrong.append(str(result))
        return wrong

    def differences(self):
        """What is lost, doubled or made up on any device."""
        found = []
        for device in self.devices:
            titles = sorted(device.titles())
            lost = sorted(set(self.acknowledged) - set(titles))
            unknown = sorted(set(titles) - self.possible)
            if lost:
                found.append("{} lost {} acknowledged writes: {}".format(device.name, len(lost), lost[:5]))
            if unknown or len(titles) != len(set(titles)):
                found.append("{} has doubled or unknown to-dos: {}".format(device.name, unknown[:5]))
        return found

    def told(self):
        """The paths of all that its programs wrote."""
        return [device.store + ending for device in self.devices for ending in (".daemon-log", ".command-log")
                if os.path.exists(device.store + ending)]
