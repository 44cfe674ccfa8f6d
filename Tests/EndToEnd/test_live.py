"""Changes that another process commits reach a waiting peer by themselves; ssh's way works too."""

import os
import time
import unittest

import tandem_process as tandem


class Live(tandem.TandemTestCase):
    def wait_for(self, device, title, seconds=10):
        started = time.monotonic()
        while time.monotonic() < started + seconds:
            if title in device.titles():
                return time.monotonic() - started
            time.sleep(0.02)
        raise AssertionError("{} never saw '{}'".format(device.name, title))

    def test_serve_and_live_sync_push_what_other_processes_commit(self):
        laptop, phone = self.pair()
        with laptop.serve() as server:
            log = open(phone.store + ".live.log", "wb")
            self.addCleanup(log.close)
            live = phone.start("sync", server.address, "--live", output=log, errors=log)
            self.addCleanup(lambda: tandem.kill(live))
            laptop.add("Typed on the laptop")
            there = self.wait_for(phone, "Typed on the laptop")
            phone.add("Typed on the phone")
            back = self.wait_for(laptop, "Typed on the phone")
            live.terminate()
            self.assertEqual(live.wait(timeout=20), tandem.OK)
        self.assertConverged(laptop, phone)
        self.report("seen on the phone after {:.2f} s, on the laptop after {:.2f} s".format(there, back))

    def test_a_live_sync_that_ends_while_nobody_is_there_does_not_say_that_all_is_in_sync(self):
        laptop, phone = self.pair()
        path = phone.store + ".live.log"
        with open(path, "wb") as log:
            with laptop.serve() as server:
                live = phone.start("sync", server.address, "--live", output=log, errors=log)
                self.addCleanup(lambda: tandem.kill(live))
                laptop.add("Before")
                self.wait_for(phone, "Before")
            phone.add("Has not left")
            said = ""
            deadline = time.monotonic() + 20
            while "trying again in" not in said:
                self.assertLess(time.monotonic(), deadline, said)
                time.sleep(0.05)
                with open(path) as file:
                    said = file.read()
            live.terminate()
            self.assertEqual(live.wait(timeout=20), tandem.UNAVAILABLE)
        with open(path) as file:
            said = file.read()
        self.assertIn("broke", said)
        self.assertNotIn("In sync", said)

    def test_a_sync_over_ssh_runs_serve_on_its_standard_input(self):
        laptop, phone = self.pair()
        laptop.add("Over a pipe")
        tools = os.path.join(self.folder, "bin")
        os.mkdir(tools)
        # Stands in for ssh: leaves out the host and runs the rest with the laptop's store.
        with open(os.path.join(tools, "ssh"), "w") as script:
            script.write(
                "#!/bin/sh\nwhile [ $# -gt 0 ] && [ \"$1\" != laptop.example ]; do shift; done\nshift\n"
                "export TANDEM_STORE='{}'\nPATH='{}':$PATH\nexec sh -c \"$*\"\n".format(
                    laptop.store, tools))
        os.chmod(os.path.join(tools, "ssh"), 0o755)
        os.symlink(os.path.abspath(tandem.BINARY), os.path.join(tools, "tandem"))
        before = os.environ["PATH"]
        os.environ["PATH"] = tools + os.pathsep + before
        try:
            phone.sync("ssh://laptop.example")
        finally:
            os.environ["PATH"] = before
        self.assertConverged(laptop, phone)
        self.report("synced through serve --stdio")


if __name__ == "__main__":
    unittest.main(verbosity=2)
