"""Joins that end early: what they leave is gone on from, and what cannot go on uses up no code."""

import os
import shutil
import sqlite3
import time
import unittest

import tandem_process as tandem
from relay_case import RelayTestCase


class EndedJoins(tandem.TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.device("laptop"), self.device("phone")
        self.laptop.init()
        self.laptop.add("Kumquat")

    def join(self, code, *words, codes=(tandem.OK,)):
        return self.phone.run("join", code, "--name", "phone", *words, codes=codes)

    def database(self):
        return os.path.join(self.phone.store, "store.db")

    def empty_database(self):
        """What a join leaves that was killed right after its store's file was made."""
        os.makedirs(self.phone.store, exist_ok=True)
        with open(self.database(), "wb"):
            pass

    def test_a_store_that_was_not_made_to_its_end_is_made_by_the_next_join(self):
        with self.laptop.serve(tcp=True) as server:
            for has_tables in (False, True):
                with self.subTest(has_tables=has_tables):
                    self.empty_database()
                    if has_tables:
                        told = self.phone.run("list", codes=(tandem.CONFIGURATION,)).errors
                        self.assertIn("tandem join", told)
                        self.assertGreater(os.path.getsize(self.database()), 0)
                    self.join(self.laptop.invite("--address", server.address))
                    self.assertEqual(["Kumquat"], self.phone.titles())
                    shutil.rmtree(self.phone.store)

    def test_a_join_that_is_killed_at_any_moment_is_done_by_the_next(self):
        with self.laptop.serve(tcp=True) as server:
            states = set()
            for turn in range(16):
                joining = self.phone.start(
                    "join", self.laptop.invite("--address", server.address), "--name", "phone")
                time.sleep(0.01 * turn)
                tandem.kill(joining)
                self.laptop.invitations[-1].kill()
                states.add(tuple(sorted(
                    os.listdir(self.phone.store) if os.path.exists(self.phone.store) else [])))
                self.join(self.laptop.invite("--address", server.address), *self.merging())
                self.assertEqual(["Kumquat"], self.phone.titles())
                shutil.rmtree(self.phone.store)
            self.report("left in {} different states".format(len(states)))

    def merging(self):
        """What a device says that joins once more: nothing if its join was cut short, as it shares nothing yet."""
        status = self.phone.run("status", "--json", codes=(tandem.OK, tandem.CONFIGURATION))
        if status.code != tandem.OK or {"first-exchange-due", "keys-missing"} & set(
                status.values()[0]["codes"]):
            return ()
        return ("--merge",)

    def test_an_emptied_store_is_not_taken_for_one_that_was_not_made(self):
        self.phone.init()
        self.phone.add("Quince")
        for lost in ((), ("identity",), ("identity", "lock")):
            with self.subTest(lost=lost):
                for name in list(os.listdir(self.phone.store)):
                    if name.startswith("store.db-") or any(part in name for part in lost):
                        os.remove(os.path.join(self.phone.store, name))
                os.truncate(self.database(), 0)
                before = sorted(os.listdir(self.phone.store))
                with open(os.path.join(self.phone.store, "keyring"), "rb") as file:
                    keys = file.read()
                with self.laptop.serve(tcp=True) as server:
                    code = self.laptop.invite("--address", server.address)
                    for words in (["init"], ["join", code]):
                        self.phone.run(*words, codes=(tandem.REFUSED, tandem.BAD_DATA))
                    self.assertEqual([], self.laptop.invitations[-1].of_kind("admitted"))
                    self.laptop.invitations[-1].kill()
                with open(os.path.join(self.phone.store, "keyring"), "rb") as file:
                    self.assertEqual(keys, file.read())
                self.assertLessEqual(set(before), set(os.listdir(self.phone.store)))

    def test_what_others_share_is_refused_before_the_code_is_used(self):
        self.phone.init()
        tablet = self.device("tablet")
        with self.phone.serve(tcp=True) as server:
            tablet.run("join", self.phone.invite("--address", server.address), "--name", "tablet")
            self.phone.await_invitations()
        with self.laptop.serve(tcp=True) as server:
            code = self.laptop.invite("--address", server.address)
            refused = self.join(code, codes=(tandem.REFUSED,))
            self.assertIn("tablet", refused.errors)
            self.assertIn("--yes", refused.errors)
            self.assertEqual([], self.laptop.invitations[-1].of_kind("admitted"))
            self.join(code, "--yes")
            self.assertEqual(["Kumquat"], self.phone.titles())

    def test_a_store_that_another_program_has_open_is_refused_before_the_code_is_used(self):
        self.phone.init()
        self.phone.add("Quince")
        with self.laptop.serve(tcp=True) as server:
            code = self.laptop.invite("--address", server.address)
            with self.phone.serve(tcp=True):
                refused = self.join(code, codes=(tandem.RETRY_LATER, tandem.REFUSED))
                self.assertIn("is open in process", refused.errors)
            self.assertEqual([], self.laptop.invitations[-1].of_kind("admitted"))
            self.join(code)
            self.assertEqual(["Kumquat", "Quince"], self.phone.titles())

    def codes(self):
        status = self.phone.status()
        self.assertEqual(status["green"], not status["codes"], status)
        return set(status["codes"])

    def test_a_join_that_was_killed_before_all_was_here_is_not_green(self):
        titles = ["Seed {}".format(number) for number in range(4000)]
        self.laptop.run("add", "-", text="\n".join(titles) + "\n")
        seen = set()
        # After the longest time known in which there was no store yet, and before the shortest in which all came.
        early, late, wait = 0.0, None, 0.04
        with self.laptop.serve(tcp=True) as server:
            for turn in range(20):
                joining = self.phone.start(
                    "join", self.laptop.invite("--address", server.address), "--name", "phone")
                time.sleep(wait)
                was_running = tandem.kill(joining)
                self.laptop.invitations[-1].kill()
                if not os.path.exists(self.database()):
                    early = wait
                    wait = wait + 0.05 if late is None else (early + late) / 2
                    continue
                if self.phone.run("status", codes=(tandem.OK, tandem.CONFIGURATION)).code == tandem.OK:
                    codes, count = self.codes(), len(self.phone.titles())
                    if count <= len(titles):
                        self.assertTrue(codes & {"first-exchange-due", "keys-missing"}, (turn, count, codes))
                        seen.add("partly" if count else "empty")
                        words = self.phone.run("status").output
                        self.assertIn(
                            "tandem join" if "keys-missing" in codes else "tandem sync",
                            " ".join(words.split()))
                        self.assertNotIn("to let another device in", words)
                    if "first-exchange-due" in codes:
                        self.phone.run("sync")
                        self.assertEqual(len(titles) + 1, len(self.phone.titles()))
                        self.assertEqual(set(), self.codes())
                shutil.rmtree(self.phone.store)
                if not was_running:
                    if seen:
                        break
                    late = wait
                wait = wait + 0.05 if late is None else (early + late) / 2
        self.report("states seen: {}".format(sorted(seen)))
        self.assertTrue(seen)


if __name__ == "__main__":
    unittest.main(verbosity=2)
