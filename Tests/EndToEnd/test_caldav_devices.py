"""Lists renamed from an app, a second device beside the gateway, and what an app has after a copy or a restore."""

import json
import os
import re
import shutil
import socket
import unittest

import tandem_process as tandem
from caldav_case import DECLARED, CaldavCase, Client, sync, vtodo
from strangers_case import StrangersCase
from test_metrics import eventually

# Where the gateway is unless somebody says otherwise.
STANDARD_PORT = 7720


class DevicesCase(CaldavCase):
    def setUp(self):
        super().setUp()
        self.gateway_process, self.client = self.serve()

    def second(self):
        """A second device of the space."""
        desk = self.device("desk")
        with self.laptop.serve() as server:
            desk.join(server.address)
        return desk

    def names(self):
        answer = self.client.find("/lists/", "d:displayname", depth=1)
        return {path: answer.value(path, "d:displayname") for path in answer.resources() if path != "/lists/"}

    def patch(self, path, inner):
        answer = self.client.ask("PROPPATCH", path, (
            "<d:propertyupdate {}><d:set><d:prop>{}</d:prop></d:set></d:propertyupdate>").format(DECLARED, inner))
        self.assertEqual(answer.status, 207, answer)
        self.assertNotIn(" 403 ", answer.text)

    def rename(self, path, name):
        self.patch(path, "<d:displayname>{}</d:displayname>".format(name))

    def projects(self, device=None):
        return {todo["title"]: todo.get("project") for todo in (device or self.laptop).todos()}


class Renames(DevicesCase):
    def test_a_new_name_is_the_project_on_every_device_and_one_undo_takes_it_back(self):
        desk = self.second()
        self.laptop.add("Saw", "project:Home")
        self.laptop.add("Milk", "project:Home.shop")
        self.laptop.add("Report", "project:Work")
        self.patch("/lists/Home/", "<a:calendar-color>#FF2968FF</a:calendar-color><a:calendar-order>3</a:calendar-order>")
        token = self.client.token("/lists/Home/")
        tags = self.client.tags("/lists/Home/")
        self.rename("/lists/Home/", "House")
        self.assertEqual(self.projects(), {"Saw": "House", "Milk": "House.shop", "Report": "Work"})
        self.meet(self.laptop, desk)
        self.assertEqual(self.projects(desk), self.projects())
        # The app finds all at the path that it knows, and is told of all.
        self.assertEqual(set(self.client.tags("/lists/Home/")), set(tags))
        self.assertEqual(self.client.report("/lists/Home/", sync(token)).statuses(), {path: 200 for path in tags})
        self.gateway_process.restart()
        answer = self.client.find("/lists/Home/", "d:displayname", "a:calendar-color", "a:calendar-order")
        self.assertEqual([answer.value("/lists/Home/", name) for name in (
            "d:displayname", "a:calendar-color", "a:calendar-order")], ["House", "#FF2968FF", "3"])
        self.assertEqual(self.client.put("/lists/Home/new.ics", vtodo("Nails")).status, 201)
        self.assertEqual(self.projects()["Nails"], "House")
        self.laptop.run("undo")
        self.laptop.run("undo")
        self.assertEqual(self.projects(), {"Saw": "Home", "Milk": "Home.shop", "Report": "Work"})
        self.assertEqual(self.names(), {
            "/lists/inbox/": "Inbox", "/lists/Home/": "Home", "/lists/Work/": "Work"})
        self.assertEqual(set(self.client.tags("/lists/Home/")), set(tags))
        self.laptop.run("redo")
        self.assertEqual(self.names()["/lists/Home/"], "House")
        self.assertEqual(self.laptop.conflicts(), [])

    def test_a_to_do_that_another_device_adds_meanwhile_keeps_the_old_name(self):
        desk = self.second()
        self.laptop.add("Saw", "project:Home")
        self.meet(self.laptop, desk)
        desk.add("Milk", "project:Home")
        desk.edit(desk.todos("Saw")[0]["id"], "pri:h")
        self.rename("/lists/Home/", "House")
        token = self.client.token("/lists/Home/")
        self.meet(self.laptop, desk)
        self.assertEqual(self.projects(), {"Saw": "House", "Milk": "Home"})
        self.assertEqual(sorted(self.names().values()), ["Home", "House", "Inbox"])
        # The person puts it right in the app: each to-do is moved, or the list is renamed as well.
        late, = [path for path, name in self.names().items() if name == "Home"]
        path, = self.client.tags(late)
        # The app is told of each to-do in the one list that shows it.
        saw, = self.client.tags("/lists/Home/")
        self.assertEqual(self.client.report("/lists/Home/", sync(token)).statuses(), {saw: 200})
        self.assertEqual(self.client.report(late, sync()).statuses(), {path: 200})
        self.assertIn("SUMMARY:Milk", self.client.get(path).text)
        moved = self.client.ask("MOVE", path, Destination="/lists/Home/" + path.rsplit("/", 1)[1])
        self.assertEqual(moved.status, 201, moved)
        self.meet(self.laptop, desk)
        for device in (self.laptop, desk):
            self.assertEqual(self.projects(device), {"Saw": "House", "Milk": "House"})
            self.assertEqual(device.conflicts(), [])

    def test_two_devices_that_rename_it_apart_disagree_and_list_it(self):
        desk = self.second()
        self.laptop.add("Saw", "project:Home")
        self.meet(self.laptop, desk)
        desk.edit(desk.todos()[0]["id"], "project:Villa")
        self.rename("/lists/Home/", "House")
        self.meet(self.laptop, desk)
        for device in (self.laptop, desk):
            listed, = device.conflicts()
            self.assertTrue(tandem.mentions(listed, "House") and tandem.mentions(listed, "Villa"), listed)

    def test_a_thousand_to_dos_are_renamed_at_once(self):
        self.laptop.run("import", "--format", "todotxt", "-", text="".join(
            "To-do {} +Home\n".format(number) for number in range(1000)))
        self.rename("/lists/Home/", "House")
        self.assertEqual({todo["project"] for todo in self.laptop.todos()}, {"House"})
        self.laptop.run("undo")
        self.assertEqual({todo["project"] for todo in self.laptop.todos()}, {"Home"})
        self.assertEqual(self.names()["/lists/Home/"], "Home")


class TwoDevices(DevicesCase):
    def test_a_conflict_through_the_gateway_is_listed_on_both_devices_and_decided_on_either(self):
        desk = self.second()
        self.laptop.add("Milk")
        self.meet(self.laptop, desk)
        path, = self.client.tags("/lists/inbox/")
        text = self.client.get(path).text
        desk.edit("Milk", "Oat milk")
        self.meet(self.laptop, desk)
        # The app has not read that; it writes without a condition, as many do.
        self.assertEqual(self.client.put(path, text.replace("SUMMARY:Milk", "SUMMARY:Soy milk")).status, 204)
        self.meet(self.laptop, desk)
        for device in (self.laptop, desk):
            listed, = device.conflicts()
            for value in ("Oat milk", "Soy milk"):
                self.assertTrue(tandem.mentions(listed, value), (device.name, listed))
        # Whose word it was is known where the app writes.
        self.assertTrue(tandem.mentions(self.laptop.conflicts(), self.client.name), self.laptop.conflicts())
        desk.resolve(desk.todos()[0]["id"], "title", value="Oat and soy milk")
        self.meet(self.laptop, desk)
        for device in (self.laptop, desk):
            self.assertEqual((device.conflicts(), device.titles()), ([], ["Oat and soy milk"]))
        self.assertIn("SUMMARY:Oat and soy milk", self.client.get(path).text)

    def test_a_delete_in_the_app_against_an_edit_elsewhere_is_listed_on_both(self):
        desk = self.second()
        self.laptop.add("Milk")
        self.laptop.add("Stays")
        self.meet(self.laptop, desk)
        path, = [path for path in self.client.tags("/lists/inbox/") if "Milk" in self.client.get(path).text]
        desk.edit("Milk", "notes:two bottles")
        self.assertEqual(self.client.delete(path).status, 204)
        self.meet(self.laptop, desk)
        for device in (self.laptop, desk):
            listed, = device.conflicts()
            self.assertTrue(tandem.mentions(listed, "two bottles"), (device.name, listed))

    def test_two_gateways_of_one_space_tell_their_apps_the_same(self):
        desk = self.second()
        self.laptop.add("Milk", "project:Home")
        self.meet(self.laptop, desk)
        gateway = self.gateway(device=desk)
        tablet = Client(gateway.port, "tablet", self.password("tablet", device=desk))
        path, = tablet.tags("/lists/Home/")
        token = tablet.token("/lists/Home/")
        self.rename("/lists/Home/", "House")
        text = self.client.get(path).text
        self.assertEqual(self.client.put(path, text.replace("Milk", "Cream")).status, 204)
        self.meet(self.laptop, desk)
        self.assertEqual(tablet.report("/lists/Home/", sync(token)).statuses(), {path: 404})
        self.assertIn("Cream", tablet.get(path.replace("Home", "House")).text)


class Identities(DevicesCase):
    """What an app was told before holds for a copy of the store as well, as far as the copy has it."""

    def changes(self, path, token):
        answer = self.client.report(path, sync(token))
        self.assertEqual(answer.status, 207, answer)
        return answer.statuses(), answer.token()

    def test_a_token_survives_a_new_identity(self):
        for title in ("Stays", "Changes", "Goes", "Moves"):
            self.laptop.add(title, "project:Home")
        ids = {todo["title"]: todo["id"] for todo in self.laptop.todos()}
        paths = {title: "/lists/Home/{}.ics".format(ids[title]) for title in ids}
        _, token = self.changes("/lists/Home/", "")
        self.gateway_process.stop()
        before = self.laptop.replica_id()
        copy = self.device("copy")
        shutil.copytree(self.laptop.store, copy.store, symlinks=True)
        copy.edit(ids["Changes"], "pri:h")
        copy.delete(ids["Goes"])
        copy.edit(ids["Moves"], "project:")
        self.assertNotEqual(copy.replica_id(), before)
        gateway = self.gateway(device=copy)
        self.client.port = gateway.port
        found, token = self.changes("/lists/Home/", token)
        self.assertEqual(found, {paths["Changes"]: 200, paths["Goes"]: 404, paths["Moves"]: 404})
        self.assertEqual(self.changes("/lists/Home/", token)[0], {})
        # The original goes on as well, and each refuses what only the other has told.
        self.gateway_process.start()
        answer = Client(self.gateway_process.port, "phone", self.client.password).report("/lists/Home/", sync(token))
        self.assertEqual((answer.status, answer.condition()), (403, "valid-sync-token"), answer)


class Subtasks(DevicesCase):
    def test_parts_come_in_any_order_and_no_parent_is_made_up(self):
        for order in (("part", "whole"), ("whole", "part")):
            name = "-".join(order)
            texts = {"whole": vtodo("Whole " + name, "whole-" + name),
                     "part": vtodo("Part " + name, "part-" + name, RELATED_TO="whole-" + name)}
            for one in order:
                answer = self.client.put("/lists/inbox/{}-{}.ics".format(one, name), texts[one])
                self.assertEqual(answer.status, 201, answer)
                if one == "part" and order[0] == "part":
                    self.assertEqual([todo["title"] for todo in self.laptop.todos(name)], ["Part " + name])
            todos = {todo["title"].split()[0]: todo for todo in self.laptop.live() if todo["title"].endswith(name)}
            self.assertEqual(set(todos), {"Whole", "Part"})
            self.assertEqual(todos["Part"].get("parent"), todos["Whole"]["id"], todos)
            self.assertIsNone(todos["Whole"].get("parent"))
            # What is served names the parent as the program does.
            self.assertIn("RELATED-TO:whole-" + name, self.client.get("/lists/inbox/part-{}.ics".format(name)).text)


class Newcomer(CaldavCase):
    def lines(self):
        """The commands that the README has for a phone."""
        with open(os.path.join(os.path.dirname(__file__), "..", "..", "README.md")) as file:
            block = re.search("## On a phone\n\n```sh\n(.*?)```", file.read(), re.DOTALL).group(1)
        return [line.split("#")[0].split() for line in block.splitlines()]

    def test_two_lines_of_the_readme_let_a_phone_in(self):
        with socket.socket() as link:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                link.bind(("127.0.0.1", STANDARD_PORT))
            except OSError:
                self.skipTest("port {} is taken".format(STANDARD_PORT))
        self.laptop.add("Milk")
        first, second = self.lines()
        self.assertEqual((first[0], second[0]), ("tandem", "tandem"))
        said = self.laptop.run(*first[1:]).output
        name, password = [re.search(r"^{} +(\S+)$".format(word), said, re.MULTILINE).group(1) for word in ("name", "password")]
        process = self.laptop.start(*second[1:])
        self.addCleanup(process.wait, 60)
        self.addCleanup(process.terminate)
        self.served(Client(STANDARD_PORT, name, password))

    def served(self, client):
        def titles():
            try:
                return [client.get(path).text for path in client.tags("/lists/inbox/")]
            except OSError:
                return []
        eventually(self, lambda: any("SUMMARY:Milk" in text for text in titles()))

    def test_one_setting_has_the_daemon_of_a_device_that_is_alone_serve_calendars(self):
        self.laptop.add("Milk")
        client = Client(tandem.free_port(), "phone", self.password())
        self.laptop.run("config", "caldav", "on")
        self.laptop.run("config", "caldav.port", str(client.port))
        process = self.laptop.start("daemon", "--notify", "none")
        self.addCleanup(process.wait, 60)
        self.addCleanup(process.terminate)
        self.served(client)


# Run by the Python that has the library; prints JSON. A token that is refused makes it read all, as its callers do.
SYNC_ON = """
import json, sys
import caldav
address, name, password, token = sys.argv[1:5]
with caldav.DAVClient(url=address, username=name, password=password) as client:
    inbox, = [one for one in client.principal().calendars() if one.get_display_name() == "Inbox"]
    told = {"is_whole": not token}
    try:
        found = inbox.objects_by_sync_token(sync_token=token or None, load_objects=True, disable_fallback=True)
    except (caldav.error.DAVError, ValueError) as fault:
        told["is_whole"] = True
        found = inbox.objects_by_sync_token(load_objects=True, disable_fallback=True)
    told["titles"] = sorted(str(one.icalendar_component["summary"]) for one in found if one.data)
    told["token"] = found.sync_token
print(json.dumps(told))
"""


class SyncOn(StrangersCase):
    """python-caldav, which keeps sync tokens, before and after a copy and a restore of the store."""

    def read(self, token=""):
        said = self.program("python", "-c", SYNC_ON, self.address, self.client.name, self.client.password, token)
        return json.loads(said.strip().splitlines()[-1])

    def take(self, source, target):
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target, symlinks=True)

    def test_it_goes_on_after_a_restore_and_reads_all_anew_where_it_knows_what_is_lost(self):
        self.laptop.add("One")
        early = self.read()
        self.assertEqual((early["titles"], early["is_whole"]), (["One"], True))
        self.gateway_process.stop()
        copy = self.laptop.store + "-copy"
        self.take(self.laptop.store, copy)
        self.gateway_process.start()
        self.laptop.add("Two")
        late = self.read(early["token"])
        self.assertEqual((late["titles"], late["is_whole"]), (["Two"], False))
        self.gateway_process.stop()
        before = self.laptop.replica_id()
        self.take(copy, self.laptop.store)
        self.laptop.add("Three")
        self.laptop.add("Four")
        self.assertNotEqual(self.laptop.replica_id(), before)
        self.gateway_process.start()
        # It had read no more than the copy has: only what is new comes.
        told = self.read(early["token"])
        self.assertEqual((told["titles"], told["is_whole"]), (["Four", "Three"], False))
        # It had read what is lost: it is told so, and then has what there is.
        told = self.read(late["token"])
        self.assertEqual((told["titles"], told["is_whole"]), (["Four", "One", "Three"], True))
        self.laptop.add("Five")
        self.assertEqual(self.read(told["token"])["titles"], ["Five"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
