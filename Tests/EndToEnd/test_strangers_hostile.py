"""Strangers at the port of `tandem caldav` who mean harm: raw bytes, heads and bodies without an end, XML bombs, crowds."""

import contextlib
import socket
import threading
import time
import unittest

from caldav_case import WAIT_SECONDS, query, vtodo
from strangers_case import StrangersCase

CROWD_COUNT = 300
# Of `CalendarGateway.limits`.
BODY_BYTES_MAX = 4 << 20
RESIDENT_BYTES_MAX = 256 << 20


class Hostile(StrangersCase):
    def setUp(self):
        super().setUp()
        self.laptop.add("Stays")
        self.assertEqual(self.client.ask("OPTIONS", "/").status, 200)

    def open(self):
        one = socket.create_connection(("127.0.0.1", self.client.port), WAIT_SECONDS)
        self.addCleanup(one.close)
        return one

    def say(self, *parts, seconds=WAIT_SECONDS):
        """Sends bytes; answers the status of what comes back, None if the connection is cut without an answer."""
        one = self.open()
        one.settimeout(seconds)
        with contextlib.suppress(ConnectionError):
            for part in parts:
                one.sendall(part)
        answer = b""
        with contextlib.suppress(ConnectionError):
            while b"\r\n\r\n" not in answer:
                part = one.recv(65536)
                if not part:
                    break
                answer += part
        return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else None

    def head(self, method, path, *lines):
        return "\r\n".join(["{} {} HTTP/1.1".format(method, path), "Host: x",
                            "Authorization: " + self.client.field(), *lines, "", ""]).encode()

    def resident_bytes(self):
        with open("/proc/{}/status".format(self.gateway_process.process.pid)) as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS:"))

    def assertUnharmed(self):
        self.assertEqual(self.client.find("/", "d:displayname").status, 207)
        self.assertEqual(self.laptop.titles(), ["Stays"])
        self.assertIsNone(self.gateway_process.process.poll())
        self.assertLess(self.resident_bytes(), RESIDENT_BYTES_MAX)

    def test_heads_bodies_and_documents_beyond_their_limits_are_refused(self):
        length = "Content-Length: {}".format
        cases = {
            "a line without an end": ((b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",), (400, 414, 431, None)),
            "a field without an end": ((b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",), (400, 431, None)),
            "fields without an end": ((b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X-A: b\r\n" * 20_000 + b"\r\n",), (400, 431, None)),
            "no host": ((b"GET / HTTP/1.1\r\n\r\n",), (400,)),
            "two lengths": ((self.head("PUT", "/lists/inbox/a.ics", length(3), length(4)), b"abcd"), (400, None)),
            "a length and chunks": ((self.head("PUT", "/lists/inbox/a.ics", length(3), "Transfer-Encoding: chunked"),
                                     b"0\r\n\r\n"), (400, None)),
            "a length that is negative": ((self.head("PUT", "/lists/inbox/a.ics", length(-1)),), (400, None)),
            "a length that is none": ((self.head("PUT", "/lists/inbox/a.ics", length("x")),), (400, None)),
            "a length beyond all": ((self.head("PUT", "/lists/inbox/a.ics", length(1 << 62)),), (400, 413, None)),
            "a body beyond its limit": ((self.head("PUT", "/lists/inbox/a.ics", length(BODY_BYTES_MAX + 1)),
                                         b"a" * (BODY_BYTES_MAX + 1)), (413, None)),
            "chunks beyond the limit": ((self.head("PUT", "/lists/inbox/a.ics", "Transfer-Encoding: chunked"),
                                         *[b"10000\r\n" + b"a" * 65536 + b"\r\n"] * 65, b"0\r\n\r\n"), (413, None)),
            "no HTTP": ((b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 200 + b"\r\n\r\n",), (400, None)),
        }
        for label, (parts, statuses) in cases.items():
            with self.subTest(label):
                self.assertIn(self.say(*parts), statuses)
                self.assertUnharmed()

    def test_documents_that_blow_up_are_refused_cheaply(self):
        laughs = "".join('<!ENTITY l{} "{}">'.format(number, "&l{};".format(number - 1) * 10) for number in range(1, 10))
        documents = {
            "entities of entities": '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY l0 "lol">{}]><d:propfind xmlns:d="DAV:">'
                                    "<d:prop>&l9;</d:prop></d:propfind>".format(laughs),
            "one long entity": '<!DOCTYPE l [<!ENTITY a "{}">]><d:propfind xmlns:d="DAV:">{}</d:propfind>'.format(
                "a" * 50_000, "&a;" * 50_000),
            "a file of this machine": '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
                                      '<d:propfind xmlns:d="DAV:"><d:prop>&a;</d:prop></d:propfind>',
            "another machine": '<!DOCTYPE l SYSTEM "http://127.0.0.1:9/x.dtd"><d:propfind xmlns:d="DAV:"/>',
            "depth": "<a>" * 100_000,
            "attributes": '<d:propfind xmlns:d="DAV:" {}/>'.format(" ".join("a{}=''".format(n) for n in range(50_000))),
            "namespaces": "<d:propfind xmlns:d='DAV:' {}/>".format(" ".join("xmlns:n{0}='u{0}'".format(n) for n in range(20_000))),
            "elements": "<d:propfind xmlns:d='DAV:'><d:prop>{}</d:prop></d:propfind>".format("<d:a/>" * 200_000),
            "a long name": "<{0}/>".format("a" * 1_000_000),
            "another encoding": '<?xml version="1.0" encoding="UTF-7"?><d:propfind xmlns:d="DAV:"/>',
        }
        for label, body in documents.items():
            for method, path in (("PROPFIND", "/"), ("REPORT", "/lists/inbox/"), ("PROPPATCH", "/lists/inbox/")):
                with self.subTest(label, method=method):
                    began = self.gateway_process.cpu_seconds()
                    answer = self.client.ask(method, path, body, depth=0)
                    # Well-formed documents of no kind that is known are read, and then refused.
                    is_read = label in ("namespaces", "another encoding")
                    self.assertIn(answer.status, (400, 403) if is_read else (400,), answer)
                    self.assertNotIn("root:", answer.text)
                    self.assertLess(self.gateway_process.cpu_seconds() - began, 1)
        self.assertUnharmed()

    def test_to_dos_that_blow_up_are_refused_or_served_cheaply(self):
        texts = {
            "occurrences without an end": vtodo("a", "a-1", DUE="20270101T000000Z", RRULE="FREQ=SECONDLY"),
            "exceptions": vtodo("a", "b-1", DUE="20270101T000000Z", RRULE="FREQ=DAILY",
                                EXDATE=",".join("2027{:02}{:02}T000000Z".format(n // 28 % 12 + 1, n % 28 + 1) for n in range(20_000))),
            "alarms": vtodo("a", "c-1").replace(
                "END:VTODO", "BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT1M\r\nEND:VALARM\r\n" * 10_000 + "END:VTODO"),
            "components": "BEGIN:VCALENDAR\r\n" + "BEGIN:VTODO\r\n" * 50_000,
            "lines": vtodo("a", "d-1").replace("END:VTODO", "X-A:b\r\n" * 100_000 + "END:VTODO"),
            "folds": vtodo("a\r\n " * 100_000, "e-1"),
            "nothing": "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
            "zeros": "BEGIN:" + "\0" * 100_000,
        }
        for label, text in texts.items():
            with self.subTest(label):
                path = "/lists/inbox/{}.ics".format(label.replace(" ", "-"))
                began = self.gateway_process.cpu_seconds()
                answer = self.client.put(path, text, Content_Type="text/calendar")
                self.assertIn(answer.status, (201, 400, 403, 413), answer)
                if answer.status == 201:
                    window = '<c:time-range start="20270101T000000Z" end="20370101T000000Z"/>'
                    body = query(window).replace("<c:calendar-data/>", "<c:calendar-data><c:expand "
                                                 'start="20270101T000000Z" end="20370101T000000Z"/></c:calendar-data>')
                    self.assertIn(self.client.report("/lists/inbox/", body).status, (207, 403, 507))
                    self.assertEqual(self.client.delete(path).status, 204)
                self.assertLess(self.gateway_process.cpu_seconds() - began, 5)
        self.assertUnharmed()

    def test_a_half_open_crowd_that_trickles_keeps_no_client_out(self):
        crowd = [self.open() for _ in range(CROWD_COUNT)]
        parts = (b"PUT /lists/inbox/a.ics HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nBEGIN", b"PROPFIND / HT",
                 self.head("PUT", "/lists/inbox/a.ics", "Content-Length: 100000"), b"")
        for number, one in enumerate(crowd):
            one.sendall(parts[number % len(parts)])
        stop = threading.Event()

        def trickle():
            while not stop.wait(0.05):
                for one in crowd:
                    with contextlib.suppress(OSError):
                        one.send(b"X")
        trickler = threading.Thread(target=trickle)
        trickler.start()
        self.addCleanup(trickler.join)
        self.addCleanup(stop.set)
        slowest = 0
        for number in range(20):
            began = time.monotonic()
            path = "/lists/inbox/n{}.ics".format(number)
            self.assertEqual(self.client.put(path, vtodo("N", "n-{}".format(number))).status, 201)
            self.assertEqual(self.client.delete(path).status, 204)
            slowest = max(slowest, time.monotonic() - began)
        self.report("beside {} the slowest of 20 took {:.2f} s".format(CROWD_COUNT, slowest))
        self.assertLess(slowest, 5)
        self.assertUnharmed()


if __name__ == "__main__":
    unittest.main(verbosity=2)
