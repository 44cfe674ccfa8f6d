"""What apps ask of `tandem caldav`: the requests of six programs, and reports on to-dos."""

import unittest
import uuid

from caldav_case import DECLARED, CaldavCase, multiget, propfind, query, sync, vtodo


class Traces(CaldavCase):
    """Each test replays the requests of one program, as a proxy recorded them or its source has them."""

    def setUp(self):
        super().setUp()
        self.gateway_process, self.client = self.serve()
        self.laptop.add("Buy milk", "project:Home.shop", "due:fri")
        self.laptop.add("Call", "+phone")

    def discover(self):
        """From the address alone to the home of the lists."""
        answer = self.client.find("/", "d:current-user-principal")
        principal = answer.property("/", "d:current-user-principal")[0].text
        answer = self.client.find(principal, "c:calendar-home-set")
        return answer.property(principal, "c:calendar-home-set")[0].text

    def test_vdirsyncer(self):
        client = self.client
        self.assertEqual(client.ask("PROPFIND", "/", propfind("d:resourcetype"), depth=1).status, 207)
        home = self.discover()
        answer = client.find(home, "d:resourcetype", depth=1)
        lists = [path for path in answer.resources()
                 if answer.property(path, "d:resourcetype").find("{urn:ietf:params:xml:ns:caldav}calendar") is not None]
        self.assertEqual(lists, ["/lists/inbox/", "/lists/Home/"])
        made = client.ask("MKCOL", "/lists/work/", (
            "<d:mkcol {}><d:set><d:prop><d:resourcetype><d:collection/><c:calendar/></d:resourcetype>"
            "</d:prop></d:set></d:mkcol>").format(DECLARED))
        self.assertEqual(made.status, 201, made)
        answer = client.report("/lists/Home/", query(properties=("d:getetag", "d:getcontenttype")))
        self.assertEqual(answer.status, 207, answer)
        path, = answer.resources()
        self.assertIn("text/calendar", answer.value(path, "d:getcontenttype"))
        answer = client.report("/lists/Home/", multiget(path))
        self.assertIn("SUMMARY:Buy milk", answer.data()[path])
        tag = answer.value(path, "d:getetag")
        # A copy of it goes up and down again.
        uid = str(uuid.uuid4())
        new = "/lists/work/{}.ics".format(uid)
        self.assertEqual(client.put(new, vtodo("Report", uid), If_None_Match="*").status, 201)
        self.assertEqual(client.put(new, vtodo("Other", uid), If_None_Match="*").status, 412)
        changed = answer.data()[path].replace("Buy milk", "Buy oat milk")
        self.assertEqual(client.put(path, changed, If_Match=tag).status, 204)
        # A text that names what it was made from is merged; one that does not has to meet its condition.
        unnamed = vtodo("Buy cream", path.rsplit("/", 1)[1][:-4])
        self.assertEqual(client.put(path, unnamed, If_Match='"0"').status, 412)
        self.assertEqual(client.delete(path, If_Match='"0"').status, 412)
        self.assertEqual(client.delete(path, If_Match=client.tags("/lists/Home/")[path]).status, 204)
        self.assertEqual(client.get(path).status, 404)
        projects = {todo["title"]: todo.get("project") for todo in self.laptop.todos()}
        self.assertEqual(projects["Report"], "work")
        self.assertEqual([todo["title"] for todo in self.laptop.trash()], ["Buy oat milk"])

    def test_python_caldav(self):
        client = self.client
        client.password, password = None, client.password
        answer = client.find("/", "d:current-user-principal")
        self.assertEqual(answer.status, 401)
        self.assertRegex(answer.headers["www-authenticate"], '^Basic realm="[^"]+"')
        client.password = password
        self.assertEqual(self.discover(), "/lists/")
        made = client.ask("MKCALENDAR", "/lists/a1b2/", (
            '<c:mkcalendar {}><d:set><d:prop><d:displayname>Garden. Work</d:displayname>'
            '<c:supported-calendar-component-set><c:comp name="VTODO"/></c:supported-calendar-component-set>'
            "</d:prop></d:set></c:mkcalendar>").format(DECLARED))
        self.assertEqual(made.status, 201, made)
        patched = client.ask("PROPPATCH", "/lists/a1b2/", (
            "<d:propertyupdate {}><d:set><d:prop><d:displayname>Plants</d:displayname></d:prop></d:set>"
            "</d:propertyupdate>").format(DECLARED))
        self.assertEqual(patched.status, 207)
        self.assertIsNotNone(patched.property("/lists/a1b2/", "d:displayname"))
        self.assertEqual(client.find("/lists/a1b2/", "d:displayname").value("/lists/a1b2/", "d:displayname"), "Plants")
        for title, lines in (("Sow", {}), ("Reap", {"STATUS": "COMPLETED", "COMPLETED": "20261120T100000Z"}),
                             ("Dig", {"STATUS": "NEEDS-ACTION"}), ("Prune", {"STATUS": "CANCELLED"})):
            uid = str(uuid.uuid4())
            self.assertEqual(client.put("/lists/a1b2/{}.ics".format(uid), vtodo(title, uid, **lines)).status, 201)
        # The three questions for what is pending.
        pending = set()
        for conditions in (
                '<c:prop-filter name="COMPLETED"><c:is-not-defined/></c:prop-filter>'
                '<c:prop-filter name="STATUS"><c:text-match negate-condition="yes">COMPLETED</c:text-match></c:prop-filter>'
                '<c:prop-filter name="STATUS"><c:text-match negate-condition="yes">CANCELLED</c:text-match></c:prop-filter>',
                '<c:prop-filter name="COMPLETED"><c:is-not-defined/></c:prop-filter>'
                '<c:prop-filter name="STATUS"><c:is-not-defined/></c:prop-filter>',
                '<c:prop-filter name="STATUS"><c:text-match collation="i;octet">NEEDS-ACTION</c:text-match></c:prop-filter>'):
            pending.update(client.report("/lists/a1b2/", query(conditions)).data().values())
        titles = {line[8:] for text in pending for line in text.splitlines() if line.startswith("SUMMARY:")}
        self.assertEqual(titles, {"Sow", "Dig"})
        # The list has its new name on every device: it is the project.
        self.assertEqual({todo["title"]: todo.get("project") for todo in self.laptop.todos()}, {
            "Buy milk": "Home.shop", "Call": None, "Sow": "Plants", "Reap": "Plants", "Dig": "Plants", "Prune": "Plants"})
        answer = client.report("/lists/a1b2/", sync())
        self.assertEqual(len(answer.resources()), 4)
        self.assertEqual(client.report("/lists/a1b2/", sync(answer.token())).resources(), {})

    def test_thunderbird(self):
        client = self.client
        names = ("d:resourcetype", "d:owner", "d:current-user-principal", "d:current-user-privilege-set",
                 "d:supported-report-set", "c:supported-calendar-component-set", "cs:getctag")
        answer = client.find("/lists/Home/", *names)
        for name in names:
            self.assertIsNotNone(answer.property("/lists/Home/", name), name)
        components = answer.property("/lists/Home/", "c:supported-calendar-component-set")
        self.assertEqual([one.get("name") for one in components], ["VTODO"])
        parent = client.ask("OPTIONS", "/lists/")
        self.assertEqual((parent.status, parent.headers["dav"]), (200, "1, 3, calendar-access, extended-mkcol"))
        answer = client.ask("REPORT", "/lists/Home/", sync(), depth=1)
        path, = answer.resources()
        data = client.report("/lists/Home/", multiget(path)).data()[path]
        self.assertEqual(client.report("/lists/Home/", sync(answer.token())).resources(), {})
        tag = client.tags("/lists/Home/")[path]
        self.assertEqual(client.put(path, data.replace("milk", "bread"), If_Match=tag).status, 204)
        self.assertIn("bread", client.get(path).text)
        told = client.report("/lists/Home/", sync(answer.token()))
        self.assertEqual(told.statuses(), {path: 200})
        self.assertEqual(client.delete(path, If_Match=tag).status, 412)
        self.assertEqual(client.ask("HEAD", path).status, 200)
        self.assertEqual(client.ask("HEAD", path).body, b"")
        self.assertEqual(client.delete(path, If_Match=told.value(path, "d:getetag")).status, 204)
        self.assertEqual(client.report("/lists/Home/", sync(told.token())).statuses(), {path: 404})

    def test_evolution(self):
        client = self.client
        self.assertEqual(client.ask("OPTIONS", "/lists/Home/").status, 200)
        answer = client.find("/lists/Home/", "d:current-user-privilege-set")
        held = {one[0].tag for one in answer.property("/lists/Home/", "d:current-user-privilege-set")}
        self.assertLessEqual({"{DAV:}read", "{DAV:}write", "{DAV:}bind", "{DAV:}unbind"}, held)
        before = client.find("/lists/Home/", "cs:getctag").value("/lists/Home/", "cs:getctag")
        found = client.report("/lists/Home/", query(
            '<c:time-range start="20200101T000000Z" end="20400101T000000Z"/>', ("d:getetag",)))
        path, = found.resources()
        self.assertEqual(client.report("/lists/Home/", query(
            '<c:time-range start="20200101T000000Z" end="20200201T000000Z"/>', ("d:getetag",))).resources(), {})
        data = client.report("/lists/Home/", multiget(path)).data()[path]
        uid = str(uuid.uuid4())
        self.assertEqual(client.put("/lists/Home/{}.ics".format(uid), vtodo("Eggs", uid), If_None_Match="*").status, 201)
        # From now on it puts and deletes whatever others did.
        self.laptop.edit(self.laptop.todos("project:Home.shop")[0]["id"], "pri:h")
        self.assertEqual(client.put(path, data.replace("Buy milk", "Buy cream")).status, 204)
        todo, = self.laptop.todos("project:Home.shop")
        self.assertEqual((todo["title"], todo["priority"]), ("Buy cream", "high"))
        self.assertNotEqual(client.find("/lists/Home/", "cs:getctag").value("/lists/Home/", "cs:getctag"), before)
        self.assertEqual(client.delete(path).status, 204)
        self.assertEqual(client.delete(path).status, 404)

    def test_tasks_org(self):
        client = self.client
        moved = client.ask("PROPFIND", "/.well-known/caldav", propfind("d:current-user-principal"), depth=0)
        self.assertEqual((moved.status, moved.headers["location"]), (301, "/"))
        names = ("d:resourcetype", "d:displayname", "c:supported-calendar-component-set", "cs:getctag",
                 "a:calendar-color", "d:sync-token", "d:current-user-privilege-set")
        answer = client.ask("PROPFIND", self.discover(), (
            '<d:propfind {} xmlns:oc="http://owncloud.org/ns"><d:prop>{}<oc:invite/><oc:owner-principal/>'
            "</d:prop></d:propfind>").format(DECLARED, "".join("<{}/>".format(name) for name in names)), depth=1)
        self.assertEqual(answer.status, 207)
        self.assertEqual(answer.value("/lists/Home/", "d:displayname"), "Home")
        tags = client.tags("/lists/inbox/")
        path, = tags
        data = client.report("/lists/inbox/", multiget(path)).data()[path]
        # Unconditional: it merges by itself and writes what it has.
        self.assertEqual(client.put(path, data.replace("SUMMARY:Call", "SUMMARY:Call Ann")).status, 204)
        self.assertEqual([todo["title"] for todo in self.laptop.todos("+phone")], ["Call Ann"])

    def test_apple_reminders(self):
        client = self.client
        names = ["d:" + name for name in (
            "displayname", "owner", "resourcetype", "sync-token", "current-user-privilege-set", "quota-available-bytes",
            "quota-used-bytes", "resource-id", "supported-report-set", "add-member", "bulk-requests")]
        names += ["c:" + name for name in (
            "calendar-description", "calendar-free-busy-set", "calendar-timezone", "default-alarm-vevent-date",
            "default-alarm-vevent-datetime", "schedule-calendar-transp", "schedule-default-calendar-URL",
            "supported-calendar-component-set", "supported-calendar-component-sets")]
        names += ["cs:" + name for name in (
            "allowed-sharing-modes", "getctag", "pre-publish-url", "publish-url", "push-transports", "pushkey", "source",
            "subscribed-strip-alarms", "xmpp-server", "xmpp-uri")]
        names += ["a:" + name for name in ("autoprovisioned", "calendar-color", "calendar-order", "refreshrate")]
        answer = client.find("/lists/", *names, depth=1, Prefer="return=minimal")
        self.assertEqual(answer.status, 207)
        self.assertEqual(answer.headers["preference-applied"], "return=minimal")
        self.assertNotIn("404", answer.text)
        # Without the wish those that it lacks are told as missing, and are no error.
        answer = client.find("/lists/", *names, depth=1)
        self.assertIsNotNone(answer.property("/lists/Home/", "cs:xmpp-uri", 404))
        for path in ("/", "/principal/", "/lists/"):
            self.assertEqual(client.ask("OPTIONS", path).status, 200)
        patch = ("<d:propertyupdate {}><d:set><d:prop><a:calendar-color>#FF2968FF</a:calendar-color>"
                 "<a:calendar-order>3</a:calendar-order></d:prop></d:set></d:propertyupdate>").format(DECLARED)
        self.assertEqual(client.ask("PROPPATCH", "/lists/Home/", patch).status, 207)
        answer = client.find("/lists/Home/", "a:calendar-color", "a:calendar-order")
        self.assertEqual(answer.value("/lists/Home/", "a:calendar-color"), "#FF2968FF")
        self.assertEqual(answer.value("/lists/Home/", "a:calendar-order"), "3")
        # What cannot be set is refused, and nothing else is set with it.
        patch = ("<d:propertyupdate {}><d:set><d:prop><a:calendar-order>4</a:calendar-order>"
                 "<d:owner>x</d:owner></d:prop></d:set></d:propertyupdate>").format(DECLARED)
        answer = client.ask("PROPPATCH", "/lists/Home/", patch)
        self.assertIsNotNone(answer.property("/lists/Home/", "d:owner", 403))
        self.assertIsNotNone(answer.property("/lists/Home/", "a:calendar-order", 424))
        self.assertEqual(client.find("/lists/Home/", "a:calendar-order").value("/lists/Home/", "a:calendar-order"), "3")


class Reports(CaldavCase):
    def setUp(self):
        super().setUp()
        self.gateway_process, self.client = self.serve()

    def titles(self, inner):
        answer = self.client.report("/lists/inbox/", query(inner))
        self.assertEqual(answer.status, 207, answer)
        return sorted(line[8:] for text in answer.data().values() for line in text.splitlines()
                      if line.startswith("SUMMARY:"))

    def test_finished_to_dos_are_served_and_deleted_ones_are_not(self):
        for title in ("Open", "Done", "Gone"):
            self.laptop.add(title)
        todos = {todo["title"]: todo["id"] for todo in self.laptop.todos()}
        self.laptop.done(todos["Done"])
        self.laptop.delete(todos["Gone"])
        self.assertEqual(self.titles(""), ["Done", "Open"])

    def test_properties_are_matched_by_text_and_by_their_parameters(self):
        self.laptop.add("Straße", "+Home", "+work")
        self.laptop.add("Other", "due:2026-12-01")
        match = '<c:prop-filter name="{}"><c:text-match{}>{}</c:text-match></c:prop-filter>'
        self.assertEqual(self.titles(match.format("SUMMARY", "", "STRASSE")), [])
        self.assertEqual(self.titles(match.format("SUMMARY", "", "STRA")), ["Straße"])
        self.assertEqual(self.titles(match.format("SUMMARY", ' collation="i;octet"', "STRA")), [])
        self.assertEqual(self.titles(match.format("SUMMARY", ' negate-condition="yes"', "stra")), ["Other"])
        self.assertEqual(self.titles(match.format("CATEGORIES", "", "home")), ["Straße"])
        self.assertEqual(self.titles('<c:prop-filter name="CATEGORIES"/>'), ["Straße"])
        self.assertEqual(self.titles('<c:prop-filter name="CATEGORIES"><c:is-not-defined/></c:prop-filter>'), ["Other"])
        parameter = ('<c:prop-filter name="DUE"><c:param-filter name="VALUE"><c:text-match>date</c:text-match>'
                     "</c:param-filter></c:prop-filter>")
        self.assertEqual(self.titles(parameter), ["Other"])
        self.assertEqual(self.titles('<c:comp-filter name="VALARM"><c:is-not-defined/></c:comp-filter>'),
                         ["Other", "Straße"])

    def test_a_filter_that_is_not_answered_is_refused_by_its_condition(self):
        for inner, condition in (
                ('<c:prop-filter name="SUMMARY"><c:text-match collation="x">a</c:text-match></c:prop-filter>',
                 "supported-collation"),
                ('<c:prop-filter name="SUMMARY"><c:time-range start="20260101T000000Z"/></c:prop-filter>',
                 "supported-filter"),
                ('<c:time-range start="yesterday"/>', "valid-filter"),
                ("<c:prop-filter/>", "valid-filter")):
            answer = self.client.report("/lists/inbox/", query(inner))
            self.assertEqual((answer.status, answer.condition()), (403, condition), answer)

    def test_a_to_do_that_comes_again_is_given_as_its_occurrences(self):
        self.laptop.add("Water", "due:2027-01-04", "repeat:weekly")
        inner = '<c:time-range start="20270110T000000Z" end="20270120T000000Z"/>'
        self.assertEqual(self.titles(inner), ["Water"])
        body = query(inner).replace(
            "<c:calendar-data/>",
            '<c:calendar-data><c:expand start="20270103T000000Z" end="20270120T000000Z"/></c:calendar-data>')
        text, = self.client.report("/lists/inbox/", body).data().values()
        self.assertEqual(text.count("BEGIN:VTODO"), 3)
        self.assertNotIn("RRULE", text)
        for day in ("20270104", "20270111", "20270118"):
            self.assertIn("RECURRENCE-ID;VALUE=DATE:{}".format(day), text)

    def test_three_thousand_to_dos_cost_less_than_five_seconds(self):
        self.laptop.run("import", "--format", "todotxt", "-", text="".join(
            "To-do {} @t{}\n".format(number, number % 7) for number in range(3000)))
        inner = '<c:prop-filter name="CATEGORIES"><c:text-match>t3</c:text-match></c:prop-filter>'
        for body, count in ((query(properties=("d:getetag",)), 3000), (query(inner), 429), (query(), 3000)):
            started = self.gateway_process.cpu_seconds()
            answer = self.client.report("/lists/inbox/", body)
            seconds = self.gateway_process.cpu_seconds() - started
            self.assertEqual(len(answer.resources()), count)
            self.report("{} of 3,000 in {:.2f} s".format(count, seconds))
            self.assertLess(seconds, 5)
        # What costs is what has changed.
        token = self.client.token("/lists/inbox/")
        self.laptop.add("One more")
        started = self.gateway_process.cpu_seconds()
        self.assertEqual(len(self.client.report("/lists/inbox/", sync(token)).resources()), 1)
        self.assertLess(self.gateway_process.cpu_seconds() - started, 0.3)


class Documents(CaldavCase):
    def setUp(self):
        super().setUp()
        self.gateway_process, self.client = self.serve()

    def refused(self, path, body, condition, **headers):
        answer = self.client.put(path, body, **headers)
        self.assertEqual((answer.status, answer.condition()), (403, condition), answer)
        return answer

    def test_what_is_no_to_do_is_refused_by_its_condition(self):
        event = vtodo("x").replace("VTODO", "VEVENT")
        self.refused("/lists/inbox/a.ics", event, "supported-calendar-component")
        self.refused("/lists/inbox/a.ics", "BEGIN:VCALENDAR\r\nrubbish", "valid-calendar-data")
        self.refused("/lists/inbox/a.ics", vtodo("x"), "supported-calendar-data", Content_Type="text/html")
        self.refused("/lists/inbox/a.ics", vtodo("x" * (1 << 20)), "max-resource-size")
        self.assertEqual(self.client.put("/lists/none/a.ics", vtodo("x")).status, 409)
        self.assertEqual(self.client.put("/lists/inbox/", vtodo("x")).status, 405)
        self.assertEqual(self.client.tags("/lists/inbox/"), {})
        self.assertEqual(self.laptop.todos(), [])

    def test_a_second_resource_of_one_uid_is_refused_and_names_the_first(self):
        uid = str(uuid.uuid4())
        self.assertEqual(self.client.put("/lists/inbox/a.ics", vtodo("One", uid)).status, 201)
        answer = self.refused("/lists/inbox/b.ics", vtodo("Two", uid), "no-uid-conflict")
        self.assertIn("/lists/inbox/a.ics", answer.text)

    def test_a_put_leaves_the_project_below_its_list(self):
        self.laptop.add("Milk", "project:Home.shop")
        path, = self.client.tags("/lists/Home/")
        text = self.client.get(path).text
        self.assertEqual(self.client.put(path, text.replace("Milk", "Cream")).status, 204)
        self.assertEqual([(todo["title"], todo["project"]) for todo in self.laptop.todos()], [("Cream", "Home.shop")])

    def test_a_move_takes_a_to_do_to_another_list(self):
        self.laptop.add("Milk", "project:Home.shop")
        self.laptop.add("Other", "project:Work")
        path, = self.client.tags("/lists/Home/")
        name = path.rsplit("/", 1)[1]
        for destination, status in (
                ("/lists/none/" + name, 409), ("/lists/Work/other.ics", 403), ("/principal/", 403), ("/", 403),
                ("//lists//Work/" + name, 403), (path, 403)):
            answer = self.client.ask("MOVE", path, Destination=destination)
            self.assertEqual(answer.status, status, destination)
        self.assertEqual(self.client.ask("MOVE", path, Destination="/lists/Work/" + name, If_Match='"0"').status, 412)
        answer = self.client.ask("MOVE", path, Destination="http://elsewhere.example/lists/Work/" + name)
        self.assertEqual(answer.status, 201)
        self.assertEqual(self.client.get(path).status, 404)
        self.assertEqual(self.client.get("/lists/Work/" + name).status, 200)
        self.assertEqual({todo["project"] for todo in self.laptop.todos()}, {"Work"})

    def test_a_tag_is_of_the_bytes_that_are_served(self):
        self.laptop.add("Milk")
        path, = self.client.tags("/lists/inbox/")
        answer = self.client.get(path)
        self.assertEqual(answer.headers["etag"], self.client.tags("/lists/inbox/")[path])
        again = self.client.get(path, If_None_Match=answer.headers["etag"])
        self.assertEqual((again.status, again.body), (304, b""))
        self.laptop.edit(self.laptop.todos()[0]["id"], "pri:h")
        self.assertEqual(self.client.get(path, If_None_Match=answer.headers["etag"]).status, 200)
        new = "/lists/inbox/{}.ics".format(uuid.uuid4())
        put = self.client.put(new, vtodo("New"))
        # A tag that is not of what was sent would have the app take its own text for the to-do's.
        if "etag" in put.headers:
            self.assertEqual(self.client.get(new).headers["etag"], put.headers["etag"])


if __name__ == "__main__":
    unittest.main()
