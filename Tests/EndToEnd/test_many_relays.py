"""Several relay processes on one database, with devices that come to any of them."""

import re
import threading
import time

import tandem_process as tandem
from database_case import Balancer, DatabaseTestCase

WAIT_SECONDS = 60


class ManyRelays(DatabaseTestCase):
    def family(self, address, *names):
        """Devices of one space, which have met the relay at the address."""
        first, *others = [self.device(name) for name in names]
        first.init()
        for device in others:
            device.run("join", first.invite("--relay", address), "--name", device.name)
        return [first, *others]

    def await_equal(self, devices, count):
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            lists = [sorted(item["id"] for item in device.todos()) for device in devices]
            if all(found == lists[0] for found in lists) and len(lists[0]) == count:
                return
            self.assertLess(time.monotonic(), deadline, [len(found) for found in lists])
            time.sleep(0.2)

    def roll(self, address):
        """Upgrades all processes, one after the other, while daemons run and others sync again and again."""
        writer, reader, first, second = self.family(address, "writer", "reader", "first", "second")
        daemons = [device.start("daemon") for device in (writer, reader)]
        for process in daemons:
            self.addCleanup(process.wait, WAIT_SECONDS)
            self.addCleanup(process.terminate)
        results, isOver = [], threading.Event()

        def sync(device):
            while not isOver.is_set():
                device.add("from", device.name, str(len(results)))
                results.append(device.run("sync", codes=range(256)))

        syncers = [threading.Thread(target=sync, args=(device,)) for device in (first, second)]
        for thread in syncers:
            thread.start()
        time.sleep(1)
        for number in range(len(self.relays)):
            writer.add("before", str(number))
            self.upgrade(number)
            time.sleep(1)
        until = time.monotonic() + WAIT_SECONDS
        while len(results) <= 6 and time.monotonic() < until:
            time.sleep(0.1)
        isOver.set()
        for thread in syncers:
            thread.join()
        failed = [str(result) for result in results if result.code != tandem.OK]
        self.assertEqual(failed, [], "of {} syncs".format(len(results)))
        self.assertGreater(len(results), 6)
        for device in (first, second):
            device.run("sync")
            device.run("sync")
        self.await_equal([writer, reader, first, second], len(results) + len(self.relays))
        return len(results)

    def test_three_processes_are_upgraded_under_load_without_a_sync_that_fails(self):
        self.roll(self.address(*self.ports))
        told = self.ended_logs
        self.assertEqual(len(told), len(self.relays))
        self.assertTrue(all("event=stopped cut=0" in text for text in told), told)
        self.assertTrue(any("reason=leaving" in text for text in told), told)

    def test_the_same_behind_one_address(self):
        door = Balancer(self.ports)
        self.addCleanup(door.end)
        self.roll(self.address(door.port))

    def test_a_process_that_is_killed_is_no_failed_sync_either(self):
        laptop, phone = self.family(self.address(*self.ports), "laptop", "phone")
        self.relays[1].process.kill()
        self.relays[1].process.wait()
        for number in range(6):
            laptop.add("number", str(number))
            laptop.run("sync")
            phone.run("sync")
        self.await_equal([laptop, phone], 6)

    def test_devices_pair_that_come_to_different_processes(self):
        door = Balancer(self.ports)
        self.addCleanup(door.end)
        laptop, phone = self.family(self.address(door.port), "laptop", "phone")
        laptop.add("milk")
        laptop.run("sync")
        phone.run("sync")
        self.await_equal([laptop, phone], 1)
        visited = sum("event=welcomed" in relay.log() for relay in self.relays)
        self.assertGreater(visited, 1)
        self.each_stage_takes_time(laptop, phone)

    def each_stage_takes_time(self, laptop, phone):
        """What a phone that stays is told by another process: every stage of that is in the metrics of one of them."""
        daemon = phone.start("daemon")
        self.addCleanup(tandem.kill, daemon)
        deadline = time.monotonic() + WAIT_SECONDS
        count = 1
        while True:
            laptop.add("bread")
            laptop.run("sync")
            count += 1
            self.await_equal([laptop, phone], count)
            stages = self.stages()
            if len(stages) == 6 and all(counted > 0 and seconds > 0 for counted, seconds in stages.values()):
                break
            self.assertLess(time.monotonic(), deadline, stages)
        for counted, seconds in stages.values():
            self.assertLess(seconds / counted, WAIT_SECONDS)

    def stages(self):
        """How often each stage came, and the seconds that it took, in all processes."""
        found = {}
        for relay in self.relays:
            text = relay.get("/metrics")[1]
            for stage in re.findall(r'tandem_relay_stage_seconds_count\{stage="(\w+)"\}', text):
                counted, seconds, last = (
                    float(re.search(pattern.format(stage), text).group(1)) for pattern in (
                        r'tandem_relay_stage_seconds_count\{{stage="{}"\}} (\S+)',
                        r'tandem_relay_stage_seconds_sum\{{stage="{}"\}} (\S+)',
                        r'tandem_relay_stage_seconds_bucket\{{stage="{}",le="\+Inf"\}} (\S+)'))
                self.assertEqual(counted, last)
                before = found.get(stage, (0, 0))
                found[stage] = (before[0] + counted, before[1] + seconds)
        return found

    def test_a_process_is_not_ready_while_its_database_is_away_and_lives_all_the_same(self):
        relay = self.relays[0]

        def await_answer(answer):
            deadline = time.monotonic() + WAIT_SECONDS
            while relay.get("/ready") != answer:
                self.assertLess(time.monotonic(), deadline, relay.get("/ready"))
                self.assertEqual(relay.get("/live"), (200, "ok\n"))
                time.sleep(0.2)

        await_answer((200, "ok\n"))
        self.database.stop()
        await_answer((503, "database-away\n"))
        self.database.start()
        await_answer((200, "ok\n"))
        self.assertEqual(relay.get("/live"), (200, "ok\n"))
        for event in ("database-away", "database-back"):
            self.assertIn(event, relay.events())

    def test_an_address_with_fewer_places_is_replaced_by_one_with_more(self):
        laptop, phone = self.family(self.address(self.ports[0]), "laptop", "phone")
        result = laptop.run("sync", self.address(*self.ports))
        self.assertIn("forgotten", result.output)
        self.relays[0].process.kill()
        self.relays[0].process.wait()
        laptop.add("milk")
        laptop.run("sync")
        phone.run("sync", self.address(*self.ports))
        self.await_equal([laptop, phone], 1)
