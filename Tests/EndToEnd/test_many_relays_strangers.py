"""What holds against strangers, thieves and copied codes at one relay holds at several processes on one database."""

import json
import os
import re
import subprocess
import unittest

import tandem_process as tandem
import test_copied_codes
import test_doors
import test_rekey_messages
import test_revoking
import test_secrecy
import test_thief
from database_case import Database, SharedRelay, is_built
from relay_case import RelayTestCase
from test_relay import Relay

without_database = unittest.skipUnless(
    is_built(), "without PostgreSQL: built with its trait, and installed, by ./Tools/test")


class OnADatabase:
    """Before a test case with a relay: the relay is three processes."""

    def start_relay(self):
        return SharedRelay(self.relay_folder)


@without_database
class FirstAtManyRelays(OnADatabase, test_revoking.FirstAtTheRelay):
    pass


@without_database
class BackupsAtManyRelays(OnADatabase, test_revoking.Backups):
    pass


@without_database
class RekeyMessagesAtManyRelays(OnADatabase, test_rekey_messages.RekeyMessages):
    # These take the relay's files away, change them, or start it anew without its key.
    test_a_relay_that_was_wiped_and_shown_the_older_secret_first_is_led_on = None
    test_a_relay_that_was_wiped_is_given_the_rekey_message_again = None
    test_a_relay_with_a_secret_that_nobody_knows_is_not_asked_again_and_again = None
    test_what_cannot_be_brought_to_the_relay_is_told_and_comes_later = None


@without_database
class ThiefAtManyRelays(OnADatabase, test_thief.ThroughARelay):
    pass


@without_database
class CodesAtManyRelays(OnADatabase, test_copied_codes.CopiedCodes):
    pass


@without_database
class PutOutAtManyRelays(OnADatabase, test_doors.OneDevice):
    # The bytes of a device in a day are counted to within a second of all processes: test_many_relays_operations.
    test_a_device_at_its_own_limit_of_bytes_still_reads_and_holds_back_nobody = None


@without_database
class PutOutBeforeAMove(RelayTestCase):
    operate = test_doors.OneDevice.operate
    fingerprint = test_doors.OneDevice.fingerprint

    def test_who_was_put_out_at_files_is_out_at_the_database(self):
        laptop, phone = self.paired()
        for device in (laptop, phone):
            device.run("sync")
        self.operate("--put-out", "{}/{}".format(laptop.status()["space"], self.fingerprint(phone)))
        listening = self.relay.told["relay"].split("#")[0].split("//")[1]
        self.relay.end()
        database = Database()
        self.addCleanup(database.end)
        spaces = os.path.join(self.relay_folder, "spaces")
        moved = subprocess.run(
            [tandem.BINARY, "relay", "move", "--from", spaces, "--to", database.url, "--json"],
            check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        self.assertEqual(
            {"moved": 1, "there": 0, "left": [], "isServed": False}, json.loads(moved.stdout))
        # The key stays, the list does not.
        os.remove(os.path.join(spaces, "put-out"))
        self.relay = Relay(
            self.relay_folder, "--listen", listening,
            environment={"TANDEM_RELAY_STORE": database.url})
        laptop.add("Not for the phone")
        laptop.run("sync")
        refused = phone.run("sync", codes=(tandem.REFUSED,))
        self.assertIn("put this device out", refused.errors)
        self.assertNotIn("Not for the phone", phone.titles())
        self.put_out_by_a_file_of_settings(laptop, database)
        self.refuse_a_process_with_another_key(database)

    def put_out_by_a_file_of_settings(self, laptop, database):
        settings = os.path.join(self.folder, "settings")
        with open(settings, "w") as file:
            file.write("store = {}\n".format(database.url))
        os.chmod(settings, 0o600)
        named = "{}/{}".format(laptop.status()["space"], self.fingerprint(laptop))
        subprocess.run(
            [tandem.BINARY, "relay", "--config", settings, "--put-out", named], check=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        laptop.run("sync", codes=(tandem.REFUSED,))

    def refuse_a_process_with_another_key(self, database):
        refused = subprocess.run(
            [tandem.BINARY, "relay", "--listen", "127.0.0.1:0", "--folder",
             os.path.join(self.folder, "another"), "--store", database.url],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual(tandem.CONFIGURATION, refused.returncode, refused)
        self.assertIn("Copy device.key", refused.stderr)


@without_database
class SecrecyAtManyRelays(test_secrecy.Secrecy):
    # Each process has heard a third of the guesses when the last one comes, and by then all of the others'.
    GUESS_PAUSE = 3
    # The memory of a process has nothing to do with where it stores.
    test_half_received_bodies_do_not_take_the_relays_memory = None
    test_devices_that_never_read_do_not_take_the_relays_memory = None
    test_the_search_finds_what_is_there = None

    def relay(self, settings="", name="relay"):
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        relay = SharedRelay(folder, settings)
        self.addCleanup(relay.end)
        return relay

    def on_disk(self, relay):
        """All bytes of the database, its log among them, and of the processes' folders."""
        # In order, as only then tables without a log, those of pairing, are on the disk.
        relay.database.stop("fast")
        seen = bytearray()
        for top in (relay.database.data, os.path.dirname(relay.folder)):
            for folder, _, files in os.walk(top):
                for name in files:
                    try:
                        with open(os.path.join(folder, name), "rb") as file:
                            seen += file.read() + b"\0"
                    except FileNotFoundError:
                        pass
        return bytes(seen)

    def held(self, relay):
        """What the database keeps of all spaces; and what all processes have taken and given."""
        kept = relay.database.query(
            "SELECT count(*), sum(bytes), sum(records), sum(versions) FROM tandem_relay.space")
        moved = [
            re.findall(
                r"^tandem_relay_(?:received_changes_total|sent_changes_total) \S+",
                process.get("/metrics")[1], re.MULTILINE)
            for process in relay.relays]
        return kept, moved

    def test_quotas_bound_the_disk(self):
        relay = self.filled_relay()
        spaces = [
            tuple(map(int, line.split("|")))
            for line in relay.database.query("SELECT bytes, records FROM tandem_relay.space")]
        self.assertEqual(3, len(spaces))
        for byte_count, record_count in spaces:
            self.assertLessEqual(byte_count, 2 * test_secrecy.MEBIBYTE)
            self.assertLessEqual(record_count, 50)
        size, = relay.database.query(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class "
            "WHERE relnamespace = 'tandem_relay'::regnamespace AND relkind = 'r'")
        self.report("3 spaces of 2 MiB at most: {:.1f} MiB of tables".format(
            int(size) / test_secrecy.MEBIBYTE))
        self.assertLess(int(size), 3 * 8 * test_secrecy.MEBIBYTE)
        checked = subprocess.run(
            [tandem.BINARY, "relay", "check", "--json"],
            env={**os.environ, **relay.environment}, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=60)
        self.assertEqual(tandem.OK, checked.returncode, checked)
        found = json.loads(checked.stdout)
        self.assertEqual([], found["findings"])
        self.assertEqual(found["spaces"], len(spaces))
        self.assertEqual(
            sorted(byte_count for byte_count, _ in spaces),
            sorted(space["bytes"] for space in found["sizes"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
