"""kill -9 at random moments: nothing acknowledged is lost, nothing doubled, the next sync finishes."""

import collections
import json
import os
import time
import unittest
import uuid

import tandem_process as tandem

KILL_COUNT = int(os.environ.get("TANDEM_KILLS", "200"))
BATCH_COUNT = 200


class Kills(tandem.TandemTestCase):
    def write_batch(self, chance, label):
        """A Taskwarrior file with new to-dos; answers its path and the titles in it."""
        tasks = [
            {
                "uuid": str(uuid.UUID(int=chance.getrandbits(128), version=4)),
                "description": "{} {}".format(label, number),
                "status": "pending", "entry": "20261101T080000Z", "tags": ["batch"],
            }
            for number in range(BATCH_COUNT)]
        path = os.path.join(self.folder, "batch.json")
        with open(path, "w") as file:
            json.dump(tasks, file)
        return path, [task["description"] for task in tasks]

    def expect_once(self, device, acknowledged, possible=()):
        """Every acknowledged title exactly once; of the possible ones none twice; no other."""
        counts = collections.Counter(device.titles())
        lost = [title for title in acknowledged if counts[title] == 0]
        doubled = [title for title, count in counts.items() if count > 1]
        known = set(acknowledged) | set(possible)
        unknown = [title for title in counts if title not in known]
        self.assertEqual(lost[:10], [], "{} lost {}".format(device.name, len(lost)))
        self.assertEqual(doubled[:10], [], "{} doubled {}".format(device.name, len(doubled)))
        self.assertEqual(unknown[:10], [], "{} invented {}".format(device.name, len(unknown)))

    def pair(self, *words, **options):
        """Two devices, whose replica ids are those of the end."""
        devices = super().pair(*words, **options)
        self.ids = {device.name: (device, device.replica_id()) for device in devices}
        return devices

    def settle(self, server, laptop, phone):
        """The next sync after a kill: it must finish, both must be equal, and no kill cost a replica id."""
        if not server.is_running():
            server.kill()
            server.begin()
        phone.sync(server.address)
        self.assertConverged(laptop, phone)
        for device, former in self.ids.values():
            self.assertEqual(former, device.replica_id(), "{} took a new replica id".format(device.name))

    def usual_seconds(self, server, laptop, phone, chance, acknowledged):
        """How long a sync of one batch takes when nobody kills it: the window for the kills."""
        path, titles = self.write_batch(chance, "calm")
        laptop.import_file("taskwarrior", path)
        acknowledged += titles
        return max(0.02, phone.sync(server.address).seconds)

    def test_either_end_of_a_sync(self):
        seed, chance = tandem.seeded("kills")
        laptop, phone = self.pair()
        acknowledged, kills, attempts = [], collections.Counter(), 0
        server = laptop.serve()
        self.addCleanup(server.kill)
        server.begin()
        window = self.usual_seconds(server, laptop, phone, chance, acknowledged)
        self.report("seed {}, {} kills wanted, a sync takes {:.0f} ms".format(
            seed, KILL_COUNT, window * 1000))
        while sum(kills.values()) < KILL_COUNT and attempts < KILL_COUNT * 4:
            attempts += 1
            if attempts % 5 == 1:
                writer = chance.choice([laptop, phone])
                path, titles = self.write_batch(chance, "batch {}".format(attempts))
                writer.import_file("taskwarrior", path)
                acknowledged += titles
            for device in (laptop, phone):
                title = "{} {}".format(device.name, attempts)
                device.add(title)
                acknowledged.append(title)
            if not server.is_running():
                server.kill()
                server.begin()
            client = phone.start_sync(server.address)
            time.sleep(chance.uniform(0, window * 1.2))
            if chance.random() < 0.5:
                kills["client"] += tandem.kill(client)
            else:
                was_busy = client.poll() is None
                server.kill()
                kills["server"] += was_busy
                # Left without a server the client ends by itself, with a word and a code.
                code = client.wait(timeout=60)
                self.assertIn(code, tandem.NAMED_CODES, "the client after the server's end")
            if attempts % 20 == 0:
                self.settle(server, laptop, phone)
                self.expect_once(phone, acknowledged)
        self.assertGreaterEqual(sum(kills.values()), KILL_COUNT, "too few kills hit a sync")
        self.settle(server, laptop, phone)
        for device in (laptop, phone):
            self.expect_once(device, acknowledged)
        self.report("{} of {} kills hit ({}), {} to-dos, none lost, none doubled".format(
            sum(kills.values()), attempts, dict(kills), len(acknowledged)))

    def test_during_local_writes_beside_a_server(self):
        seed, chance = tandem.seeded("kills while writing")
        laptop, phone = self.pair()
        acknowledged, possible, hits, attempts = [], [], 0, 0
        server = laptop.serve()
        self.addCleanup(server.kill)
        server.begin()
        path, titles = self.write_batch(chance, "calm")
        window = laptop.import_file("taskwarrior", path).seconds
        acknowledged += titles
        wanted = max(1, KILL_COUNT // 4)
        while hits < wanted and attempts < wanted * 5:
            attempts += 1
            writer = chance.choice([laptop, phone])
            path, titles = self.write_batch(chance, "write {}".format(attempts))
            importing = writer.start("import", "--format", "taskwarrior", path)
            syncing = phone.start_sync(server.address)
            time.sleep(chance.uniform(0, window * 1.2))
            was_hit = tandem.kill(importing)
            hits += was_hit
            if chance.random() < 0.5:
                server.kill()
            self.assertIn(syncing.wait(timeout=60), tandem.NAMED_CODES)
            if not was_hit and importing.returncode == 0:
                acknowledged += titles
            else:
                possible += titles
            if not server.is_running():
                server.begin()
            title = "after {}".format(attempts)
            writer.add(title)
            acknowledged.append(title)
        self.settle(server, laptop, phone)
        for device in (laptop, phone):
            self.expect_once(device, acknowledged, possible)
        batches = collections.Counter(
            " ".join(title.split()[:2]) for title in laptop.titles() if title in set(possible))
        torn = {batch: count for batch, count in batches.items() if count != BATCH_COUNT}
        self.assertEqual(torn, {}, "an import is all or nothing")
        self.report("seed {}: {} of {} imports killed, {} of them whole, none torn".format(
            seed, hits, attempts, len(batches)))

    def test_edits_and_deletes_survive_kills(self):
        seed, chance = tandem.seeded("kills while editing")
        laptop, phone = self.pair()
        todos = {laptop.add("To-do {}".format(number)): None for number in range(30)}
        self.meet(laptop, phone)
        server = laptop.serve()
        self.addCleanup(server.kill)
        server.begin()
        window, gone = 0.05, set()
        for turn in range(max(10, KILL_COUNT // 5)):
            writer = chance.choice([laptop, phone])
            todo = chance.choice([todo for todo in todos if todo not in gone])
            if len(gone) < 10 and chance.random() < 0.2:
                # Seen by both first, so that no concurrent edit makes a conflict of it.
                self.settle(server, laptop, phone)
                writer.delete(todo)
                gone.add(todo)
            else:
                project = "P{}".format(turn)
                self.settle(server, laptop, phone)
                writer.edit(todo, "project:" + project)
                todos[todo] = project
            client = phone.start_sync(server.address)
            time.sleep(chance.uniform(0, window))
            if chance.random() < 0.5:
                tandem.kill(client)
            else:
                server.kill()
                self.assertIn(client.wait(timeout=60), tandem.NAMED_CODES)
                server.begin()
        self.settle(server, laptop, phone)
        for device in (laptop, phone):
            live = {tandem.identity(todo): todo for todo in device.live()}
            self.assertEqual(set(live), set(todos) - gone)
            for todo, item in live.items():
                self.assertEqual(item.get("project") or None, todos[todo], item)
            self.assertEqual(device.conflicts(), [])
        self.report("seed {}: {} deleted stay deleted, every last edit stands".format(seed, len(gone)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
