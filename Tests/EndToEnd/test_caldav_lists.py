"""Lists as collections of `tandem caldav`: their changes, their settings, and deletes on a great scale."""

import os
import shutil
import unittest

import tandem_process as tandem
from caldav_case import DECLARED, CaldavCase, Client, sync, vtodo


class Lists(CaldavCase):
    def setUp(self):
        super().setUp()
        self.gateway_process, self.client = self.serve()

    def names(self):
        answer = self.client.find("/lists/", "d:displayname", depth=1)
        return {path: answer.value(path, "d:displayname") for path in answer.resources() if path != "/lists/"}

    def make(self, path, name):
        answer = self.client.ask("MKCALENDAR", path, (
            "<c:mkcalendar {}><d:set><d:prop><d:displayname>{}</d:displayname></d:prop></d:set></c:mkcalendar>"
        ).format(DECLARED, name))
        self.assertEqual(answer.status, 201, answer)

    def test_each_top_level_project_is_a_list_and_each_to_do_is_in_one(self):
        for title, project in (("a", None), ("b", "Home"), ("c", "Home.shop"), ("d", "inbox"), ("e", "100% / ü"),
                               ("f", "~x")):
            self.laptop.add(title, *(["project:" + project] if project else []))
        names = self.names()
        self.assertEqual(sorted(names.values()), ["100% / ü", "Home", "Inbox", "inbox", "~x"])
        seen = []
        for path, name in names.items():
            for todo in self.client.tags(path):
                seen.append((name, [line for line in self.client.get(todo).text.splitlines()
                                    if line.startswith("SUMMARY")][0][8:]))
        self.assertEqual(sorted(seen), [
            ("100% / ü", "e"), ("Home", "b"), ("Home", "c"), ("Inbox", "a"), ("inbox", "d"), ("~x", "f")])

    def test_a_list_without_to_dos_and_its_name_are_kept_across_restarts(self):
        self.make("/lists/x1/", "Groceries &amp; more")
        self.gateway_process.restart()
        self.assertEqual(self.names()["/lists/x1/"], "Groceries & more")
        self.assertEqual(self.client.put("/lists/x1/a.ics", vtodo("Milk")).status, 201)
        self.assertEqual(self.laptop.todos()[0]["project"], "Groceries & more")
        # A project of the list's own path is another list.
        self.laptop.add("Other", "project:x1")
        self.assertEqual(len(self.names()), 3)
        other, = [path for path, name in self.names().items() if name == "x1"]
        self.assertEqual(len(self.client.tags(other)), 1)
        self.assertEqual(len(self.client.tags("/lists/x1/")), 1)

    def test_lists_are_made_in_the_home_alone_and_once(self):
        self.make("/lists/x1/", "One")
        for method, path, status in (
                ("MKCOL", "/lists/x1/", 405), ("MKCALENDAR", "/lists/x1/", 403), ("MKCOL", "/lists/inbox/", 405),
                ("MKCOL", "/elsewhere/", 404), ("MKCALENDAR", "/lists/", 403), ("MKCOL", "/principal/", 405),
                ("MKCALENDAR", "/lists/x1/deeper", 403)):
            self.assertEqual(self.client.ask(method, path).status, status, (method, path))
        events = ('<c:mkcalendar {}><d:set><d:prop><c:supported-calendar-component-set><c:comp name="VEVENT"/>'
                  "</c:supported-calendar-component-set></d:prop></d:set></c:mkcalendar>").format(DECLARED)
        answer = self.client.ask("MKCALENDAR", "/lists/x2/", events)
        self.assertEqual((answer.status, answer.condition()), (403, "supported-calendar-component"))
        # Two lists of one name are two projects.
        self.make("/lists/x3/", "One")
        self.client.put("/lists/x3/a.ics", vtodo("Milk"))
        self.assertEqual(self.laptop.todos()[0]["project"], "One 2")

    def test_deleting_a_list_trashes_its_to_dos_at_once_and_one_undo_brings_them_back(self):
        for number in range(12):
            self.laptop.add("To-do {}".format(number), "project:Home" + (".shop" if number % 2 else ""))
        self.laptop.add("Stays")
        before = self.client.tags("/lists/Home/")
        self.assertEqual(self.client.delete("/lists/Home/").status, 204)
        self.assertNotIn("/lists/Home/", self.names())
        self.assertEqual(self.laptop.titles(), ["Stays"])
        self.assertEqual(len(self.laptop.trash()), 12)
        self.laptop.run("undo")
        self.assertEqual(len(self.laptop.todos()), 13)
        self.assertEqual(set(self.client.tags("/lists/Home/")), set(before))

    def test_a_list_whose_last_to_do_an_app_deletes_stays(self):
        self.laptop.add("Milk", "project:Home")
        path, = self.client.tags("/lists/Home/")
        token = self.client.token("/lists/Home/")
        self.assertEqual(self.client.delete(path).status, 204)
        self.assertEqual(self.names()["/lists/Home/"], "Home")
        self.assertEqual(self.client.report("/lists/Home/", sync(token)).statuses(), {path: 404})
        self.assertEqual(self.client.put("/lists/Home/b.ics", vtodo("Bread")).status, 201)
        self.assertEqual(self.laptop.todos()[0]["project"], "Home")

    def test_root_home_principal_and_inbox_cannot_be_deleted(self):
        self.laptop.add("Stays")
        for path in ("/", "/lists/", "/principal/", "/lists/inbox/", "/lists", "/principal", "/lists/inbox"):
            self.assertEqual(self.client.delete(path).status, 403, path)
        self.assertEqual(self.laptop.titles(), ["Stays"])

    def test_only_exact_paths_act(self):
        self.laptop.add("Stays", "project:Home")
        name = list(self.client.tags("/lists/Home/"))[0].rsplit("/", 1)[1]
        for path in ("//lists//Home", "//lists/Home/", "/lists//Home/", "/lists/Home//", "/./lists/Home/",
                     "/x/../lists/Home/", "/lists/%2e%2e/lists/Home/", "/lists%2FHome/", "/lists/Home%2F",
                     "/lists/Home%00/", "/lists/Home/" + name + "/", "/lists/Home/../Home/" + name,
                     "/Lists/Home/", "http://127.0.0.1//lists//Home/"):
            for method in ("DELETE", "PUT", "MKCOL", "PROPPATCH"):
                answer = self.client.ask(method, path, vtodo("x") if method == "PUT" else None)
                self.assertGreaterEqual(answer.status, 400, (method, path))
        self.assertEqual(self.client.delete("/lists/Home/?all=1").status, 400)
        self.assertEqual([todo["title"] for todo in self.laptop.todos()], ["Stays"])
        self.assertEqual(len(self.names()), 2)
        # What names exactly the list does so in its absolute form, too.
        self.assertEqual(self.client.delete("http://any.example/lists/Home/").status, 204)
        self.assertEqual(self.laptop.todos(), [])


class Changes(CaldavCase):
    def setUp(self):
        super().setUp()
        self.gateway_process, self.client = self.serve()

    def changes(self, path, token):
        answer = self.client.report(path, sync(token))
        self.assertEqual(answer.status, 207, answer)
        return answer.statuses(), answer.token()

    def test_a_token_survives_a_restart_and_tells_what_is_new_changed_and_gone(self):
        for title in ("Stays", "Changes", "Goes", "Moves"):
            self.laptop.add(title, "project:Home")
        ids = {todo["title"]: todo["id"] for todo in self.laptop.todos()}
        paths = {title: "/lists/Home/{}.ics".format(ids[title]) for title in ids}
        found, token = self.changes("/lists/Home/", "")
        self.assertEqual(found, {path: 200 for path in paths.values()})
        work = self.client.token("/lists/inbox/")
        self.gateway_process.stop()
        self.laptop.edit(ids["Changes"], "pri:h")
        self.laptop.delete(ids["Goes"])
        self.laptop.edit(ids["Moves"], "project:")
        self.laptop.add("Comes", "project:Home.new")
        self.laptop.add("Elsewhere", "project:Work")
        new = {todo["title"]: todo["id"] for todo in self.laptop.todos()}["Comes"]
        self.gateway_process.start()
        found, token = self.changes("/lists/Home/", token)
        self.assertEqual(found, {
            paths["Changes"]: 200, paths["Goes"]: 404, paths["Moves"]: 404, "/lists/Home/{}.ics".format(new): 200})
        found, _ = self.changes("/lists/inbox/", work)
        self.assertEqual(found, {paths["Moves"].replace("Home", "inbox"): 200})
        self.laptop.restore(ids["Goes"])
        found, token = self.changes("/lists/Home/", token)
        self.assertEqual(found, {paths["Goes"]: 200})
        self.assertEqual(self.changes("/lists/Home/", token)[0], {})

    def test_purged_to_dos_are_told_as_gone(self):
        self.laptop.add("Goes")
        todo, = self.laptop.todos()
        _, token = self.changes("/lists/inbox/", "")
        self.laptop.delete(todo["id"])
        self.laptop.purge(todo["id"])
        self.assertEqual(self.changes("/lists/inbox/", token)[0], {"/lists/inbox/{}.ics".format(todo["id"]): 404})

    def test_a_limit_tells_the_changes_in_parts_and_none_is_left_out(self):
        for number in range(7):
            self.laptop.add("To-do {}".format(number))
        seen, token = set(), ""
        for part in range(4):
            answer = self.client.report("/lists/inbox/", sync(token, limit=2))
            statuses = answer.statuses()
            is_cut = statuses.pop("/lists/inbox/", None) == 507
            self.assertEqual(is_cut, part < 3)
            self.assertEqual(len(statuses), 2 if is_cut else 1)
            seen.update(statuses)
            token = answer.token()
            if part == 1:
                # What changes meanwhile is told as well, later.
                self.laptop.delete(self.laptop.todos("To-do 0")[0]["id"])
                break
        while True:
            answer = self.client.report("/lists/inbox/", sync(token, limit=2))
            statuses = answer.statuses()
            token = answer.token()
            is_cut = statuses.pop("/lists/inbox/", None) == 507
            seen.update(path for path, status in statuses.items() if status == 200)
            seen.difference_update(path for path, status in statuses.items() if status == 404)
            if not is_cut:
                break
        self.assertEqual(seen, set(self.client.tags("/lists/inbox/")))
        self.assertEqual(len(seen), 6)

    def refused(self, token, client=None):
        answer = (client or self.client).report("/lists/inbox/", sync(token))
        self.assertEqual((answer.status, answer.condition()), (403, "valid-sync-token"), answer)

    def test_a_token_that_is_none_or_of_another_store_is_refused(self):
        self.laptop.add("One")
        token = self.client.token("/lists/inbox/")
        head, sequence, number = token.rsplit(":", 2)
        for wrong in ("x", "urn:tandem:changes:1:", token + "0", token.upper(), head + ":999999:" + number,
                      head + ":-1:" + number, head + ":" + sequence + ":999999", "http://radicale.org/ns/sync/1"):
            self.refused(wrong)
        desk = self.device("desk")
        desk.init()
        gateway = self.gateway(device=desk)
        self.refused(token, Client(gateway.port, "phone", self.password(device=desk)))

    def test_a_store_that_was_set_back_refuses_the_tokens_of_what_it_lost(self):
        self.laptop.add("One")
        kept = self.client.token("/lists/inbox/")
        self.gateway_process.stop()
        copy = self.laptop.store + "-copy"
        shutil.copytree(self.laptop.store, copy)
        self.gateway_process.start()
        early = self.client.token("/lists/inbox/")
        self.laptop.add("Two")
        late = self.client.token("/lists/inbox/")
        self.gateway_process.stop()
        shutil.rmtree(self.laptop.store)
        os.rename(copy, self.laptop.store)
        # As many changes again: the numbers are as they were, what they mean is not.
        self.laptop.add("Three")
        self.laptop.add("Four")
        self.gateway_process.start()
        self.refused(late)
        self.assertEqual(len(self.changes("/lists/inbox/", kept)[0]), 2)
        # Given later than the copy was made, and yet of nothing that the copy lacks: either answer is right, a third is not.
        answer = self.client.report("/lists/inbox/", sync(early))
        if answer.status == 207:
            self.assertEqual(len(answer.resources()), 2)
        else:
            self.refused(early)


class MassDeletes(CaldavCase):
    def setUp(self):
        super().setUp()
        self.gateway_process, self.client = self.serve()

    def fill(self, project, count):
        self.laptop.run("import", "--format", "todotxt", "-", text="".join(
            "{} {} +{}\n".format(project, number, project) for number in range(count)))

    def test_a_list_with_most_of_all_to_dos_stays_until_a_person_accepts(self):
        self.fill("Home", 30)
        self.fill("Work", 5)
        answer = self.client.delete("/lists/Home/")
        self.assertEqual((answer.status, answer.condition()), (403, "mass-delete-guard"), answer)
        self.assertIn("tandem accept-deletes", answer.text)
        self.assertEqual(len(self.client.tags("/lists/Home/")), 30)
        self.assertEqual(len(self.laptop.todos()), 35)
        self.assertIn("30 deletes held", self.laptop.run("caldav", "--clients").output)
        told = self.laptop.run("status", codes=(tandem.OK, tandem.CONFLICTS_AWAIT, tandem.INCOMPLETE)).output
        self.assertIn("CalDAV client phone", told)
        self.laptop.run("accept-deletes", "--yes")
        self.assertEqual(self.client.delete("/lists/Home/").status, 204)
        self.assertEqual(len(self.laptop.todos()), 5)
        self.laptop.run("undo")
        self.assertEqual(len(self.laptop.todos()), 35)

    def test_deletes_one_by_one_are_counted_together(self):
        self.fill("Home", 30)
        statuses = [self.client.delete(path).status for path in sorted(self.client.tags("/lists/Home/"))]
        self.assertEqual(statuses, [204] * 20 + [403] * 10)
        self.assertEqual(len(self.laptop.todos()), 10)

    def test_a_few_of_many_pass(self):
        self.fill("Home", 21)
        self.fill("Work", 40)
        self.assertEqual(self.client.delete("/lists/Home/").status, 204)
        self.assertNotIn("held", self.laptop.run("caldav", "--clients").output)

    def test_another_client_has_a_count_of_its_own_that_adds_up(self):
        self.fill("Home", 30)
        other = Client(self.gateway_process.port, "tablet", self.password("tablet"))
        paths = sorted(self.client.tags("/lists/Home/"))
        for path in paths[:12]:
            self.assertEqual(self.client.delete(path).status, 204)
        statuses = [other.delete(path).status for path in paths[12:]]
        # Deletes of others count along for some minutes: they may be the same ones.
        self.assertEqual(statuses, [204] * 8 + [403] * 10)


if __name__ == "__main__":
    unittest.main()
