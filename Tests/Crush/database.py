"""A PostgreSQL server and its asynchronous standby, as an ordinary user, each in a folder of its own."""

import errno
import glob
import os
import pwd
import resource
import shutil
import signal
import subprocess
import time

from processes import Kept, children, dies_with_parent, send

NODE_MEGABYTES = 1024
SMALL_SETTINGS = {
    "listen_addresses": "", "max_connections": "60", "shared_buffers": "32MB", "fsync": "off",
    "max_wal_size": "96MB", "min_wal_size": "32MB", "wal_keep_size": "64MB", "max_wal_senders": "8",
    "wal_receiver_status_interval": "1", "wal_retrieve_retry_interval": "200ms", "restart_after_crash": "on",
    "log_line_prefix": "%m [%p] ", "logging_collector": "off", "hot_standby": "on",
}
RUN_SECONDS_MAX = 60


def programs():
    """The folder of the server's programs; nil if PostgreSQL is not installed."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"), key=lambda path: int(path.split("/")[4]))
    return os.path.dirname(found[-1]) if found else None


def user():
    """Options by which a process is run by an ordinary user."""
    if os.getuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


class Node(Kept):
    """One server: a primary or a standby."""

    def __init__(self, folder, name):
        super().__init__("database " + name)
        self.folder = os.path.join(folder, "node-" + name)
        self.socket = os.path.join(folder, "socket-" + name)
        self.log = os.path.join(folder, "log-database-" + name)
        self.is_mounted = False
        for path in (self.folder, self.socket):
            os.mkdir(path, 0o755)
        if os.getuid() == 0:
            size = "size={}m,mode=755".format(NODE_MEGABYTES)
            mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tandem-crush", self.folder], capture_output=True)
            self.is_mounted = mounted.returncode == 0
            for path in (self.folder, self.socket):
                os.chown(path, user()["user"], user()["group"])
        self.data = os.path.join(self.folder, "data")
        self.ballast = os.path.join(self.folder, "ballast")
        self.exit_codes = []

    # Programs of PostgreSQL

    def run(self, program, *words, seconds=RUN_SECONDS_MAX):
        """Runs a program of PostgreSQL to its end; gives its exit code and what it wrote."""
        try:
            done = subprocess.run(
                [os.path.join(programs(), program), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=seconds, cwd=self.folder, preexec_fn=dies_with_parent, **user())
        except subprocess.TimeoutExpired:
            return 124, "{} took longer than {} s".format(program, seconds)
        return done.returncode, done.stdout

    def initialize(self):
        code, text = self.run("initdb", "-D", self.data, "-A", "trust", "-U", "relay", "--no-sync", "-N", "-E", "UTF8", "--locale=C")
        if code != 0:
            raise RuntimeError("initdb: " + text)

    def copy(self, primary):
        """Makes this one a standby of another; false if that did not succeed."""
        shutil.rmtree(self.data, ignore_errors=True)
        code, _ = self.run("pg_basebackup", "-h", primary.socket, "-U", "relay", "-D", self.data, "-R", "-c", "fast", "-X", "stream", "-N")
        if code != 0:
            shutil.rmtree(self.data, ignore_errors=True)
        return code == 0

    def command(self):
        settings = dict(SMALL_SETTINGS, unix_socket_directories=self.socket)
        words = [os.path.join(programs(), "postgres"), "-D", self.data]
        for name, value in settings.items():
            words += ["-c", "{}={}".format(name, value)]
        log = open(self.log, "a")
        return words, dict(stdout=log, stderr=log, cwd=self.folder, start_new_session=True, **user())

    def ended_by_itself(self, code):
        self.exit_codes.append(code)
        # Its children may still be there, or its disk full: soon again.
        self.not_before = time.monotonic() + 0.2

    def answer(self, query):
        """The rows that a query has, as text; nil if there is no answer."""
        code, text = self.run(
            "psql", "-h", self.socket, "-U", "relay", "-X", "-A", "-t", "-c", query, "postgres", seconds=20)
        return text.strip() if code == 0 else None

    def is_ready(self):
        return self.is_running and self.answer("SELECT 1") == "1"

    # Faults

    def kill_whole(self, pause=0.0):
        """Kills the server and all its processes, as when its machine is gone. True if it ran."""
        if not self.is_running:
            return self.kill(pause)
        processes = children(self.process.pid)
        self.kill(pause)
        for process in processes:
            send(process, signal.SIGKILL)
        return True

    def kill_backend(self, chance):
        """Kills one of its processes; the server ends the others and recovers. True if there was one."""
        found = children(self.process.pid) if self.is_running else []
        return bool(found) and send(chance.choice(found), signal.SIGKILL)

    def stop_at_once(self, pause):
        """`pg_ctl stop -m immediate`."""
        self.is_expected = True
        self.run("pg_ctl", "-D", self.data, "-s", "-w", "-t", "20", "-m", "immediate", "stop")
        self.kill(pause)

    def fill(self):
        """Takes all room of its disk; else no file may grow. Gives how to free it again."""
        if self.is_mounted:
            size = 0
            with open(self.ballast, "wb") as file:
                # The server takes room as well meanwhile.
                for step in (1 << 26, 1 << 22, 1 << 18, 1 << 12):
                    try:
                        while True:
                            os.posix_fallocate(file.fileno(), size, step)
                            size += step
                    except OSError as error:
                        if error.errno != errno.ENOSPC:
                            raise
            return self.free
        limited = []
        for process in [self.process.pid] + children(self.process.pid) if self.is_running else []:
            try:
                limited.append((process, resource.prlimit(process, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))))
            except OSError:
                pass
        def free():
            for process, before in limited:
                try:
                    resource.prlimit(process, resource.RLIMIT_FSIZE, before)
                except OSError:
                    pass
        return free

    def free(self):
        if os.path.exists(self.ballast):
            os.unlink(self.ballast)

    def close(self):
        self.kill_whole()
        if self.is_mounted:
            for _ in range(50):
                if subprocess.run(["umount", self.folder], capture_output=True).returncode == 0:
                    self.is_mounted = False
                    return
                time.sleep(0.1)
            subprocess.run(["umount", "-l", self.folder], capture_output=True)


class Cluster:
    """The server that is written, and the one that follows it; they change places when the standby is promoted."""

    def __init__(self, folder):
        self.nodes = [Node(folder, "a"), Node(folder, "b")]
        self.primary, self.standby = self.nodes
        # The standby has no data yet, or data of another history.
        self.needs_copy = True
        self.copy_count = self.promotion_count = 0
        self.unseen_since = None

    @property
    def address(self):
        return "postgresql://relay@/postgres?host={}".format(",".join(node.socket for node in self.nodes))

    def begin(self):
        self.primary.initialize()
        self.primary.tend()

    def tend(self):
        """Starts what does not run."""
        self.primary.tend()
        if not self.needs_copy:
            self.standby.tend()

    def wait(self, seconds):
        """Waits until the server answers."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.primary.tend()
            if self.primary.is_ready():
                return True
            time.sleep(0.1)
        return False

    def copy_standby(self):
        """Makes the standby anew if it has no data; true if it has some then."""
        if self.needs_copy and self.primary.is_ready() and self.standby.copy(self.primary):
            self.needs_copy = False
            self.copy_count += 1
            self.standby.not_before = 0
            self.standby.tend()
        return not self.needs_copy

    def follows(self):
        """Whether the standby receives what is written."""
        return self.primary.answer("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == "1"

    def promote(self, chance, keep_going):
        """Cuts the standby off, lets devices go on for a while, kills the server, and promotes the standby.

        Gives whether it was done; the caller counts the kill.
        """
        deadline = time.monotonic() + 20
        while not (self.copy_standby() and self.follows()):
            if time.monotonic() > deadline:
                # It may have missed what is not kept any more: it is made anew next time.
                self.standby.kill_whole()
                self.needs_copy = True
                return False
            self.tend()
            keep_going(0.2)
        if chance.random() < 0.7:
            with open(os.path.join(self.standby.data, "postgresql.auto.conf"), "a") as file:
                file.write("primary_conninfo = ''\n")
            self.standby.send_signal(signal.SIGHUP)
            keep_going(chance.uniform(0.1, 2))
        former = self.primary
        former.kill_whole(pause=3600)
        code, text = self.standby.run("pg_ctl", "-D", self.standby.data, "-s", "-w", "-t", "30", "promote")
        if code != 0:
            raise RuntimeError("pg_ctl promote: " + text)
        self.primary, self.standby = self.standby, former
        self.needs_copy = True
        self.promotion_count += 1
        return True

    def close(self):
        for node in self.nodes:
            node.close()
