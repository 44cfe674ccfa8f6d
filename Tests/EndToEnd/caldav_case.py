"""A client of `tandem caldav` that speaks plain HTTP, and the documents that it sends."""

import base64
import http.client
import os
import re
import signal
import socket
import ssl
import time
import urllib.parse
import uuid
import xml.etree.ElementTree as ElementTree

import tandem_process as tandem

WAIT_SECONDS = 60
NAMES = {
    "d": "DAV:", "c": "urn:ietf:params:xml:ns:caldav", "cs": "http://calendarserver.org/ns/",
    "a": "http://apple.com/ns/ical/", "t": "urn:tandem:dav",
}
DECLARED = " ".join('xmlns:{}="{}"'.format(prefix, uri) for prefix, uri in NAMES.items())


def vtodo(summary, uid=None, **lines):
    """A calendar with one to-do, as clients write it."""
    uid = uid or str(uuid.uuid4())
    more = "".join("{}:{}\r\n".format(name.replace("_", "-"), value) for name, value in lines.items())
    return ("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Test//Test//EN\r\nBEGIN:VTODO\r\nUID:{}\r\n"
            "DTSTAMP:20261122T100000Z\r\nSUMMARY:{}\r\n{}END:VTODO\r\nEND:VCALENDAR\r\n"
            ).format(uid, summary, more)


def propfind(*names):
    return "<d:propfind {}><d:prop>{}</d:prop></d:propfind>".format(
        DECLARED, "".join("<{}/>".format(name) for name in names))


def query(inner="", properties=("d:getetag", "c:calendar-data")):
    return ('<c:calendar-query {}><d:prop>{}</d:prop><c:filter><c:comp-filter name="VCALENDAR">'
            '<c:comp-filter name="VTODO">{}</c:comp-filter></c:comp-filter></c:filter></c:calendar-query>'
            ).format(DECLARED, "".join("<{}/>".format(name) for name in properties), inner)


def multiget(*paths):
    return "<c:calendar-multiget {}><d:prop><d:getetag/><c:calendar-data/></d:prop>{}</c:calendar-multiget>".format(
        DECLARED, "".join("<d:href>{}</d:href>".format(path) for path in paths))


def sync(token="", limit=None):
    return ("<d:sync-collection {}><d:sync-token>{}</d:sync-token><d:sync-level>1</d:sync-level>{}"
            "<d:prop><d:getetag/></d:prop></d:sync-collection>").format(
                DECLARED, token,
                "<d:limit><d:nresults>{}</d:nresults></d:limit>".format(limit) if limit else "")


class Answer:
    """A response, with the resources of a multistatus by their paths."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()
        self.text = self.body.decode()
        self.tree = None
        if "xml" in self.headers.get("content-type", ""):
            self.tree = ElementTree.fromstring(self.body)

    def __str__(self):
        return "{} {}\n{}".format(self.status, self.headers, self.text[:4000])

    def condition(self):
        """The name of the condition that a refusal names."""
        if self.tree is None or self.tree.tag != "{DAV:}error":
            return None
        return self.tree[0].tag.split("}")[1]

    def resources(self):
        return {one.find("d:href", NAMES).text: one
                for one in self.tree.findall("d:response", NAMES)}

    def statuses(self):
        """The status of each resource; that of one with properties is 200."""
        found = {}
        for path, one in self.resources().items():
            status = one.find("d:status", NAMES)
            found[path] = int(status.text.split()[1]) if status is not None else 200
        return found

    def property(self, path, name, status=200):
        """The element of a property that has a status; None if there is none."""
        for part in self.resources()[path].findall("d:propstat", NAMES):
            if " {} ".format(status) in part.find("d:status", NAMES).text:
                found = part.find("d:prop/" + name, NAMES)
                if found is not None:
                    return found
        return None

    def value(self, path, name):
        found = self.property(path, name)
        return None if found is None else "".join(found.itertext()).strip()

    def token(self):
        return self.tree.find("d:sync-token", NAMES).text

    def data(self):
        """The texts of to-dos by their paths."""
        return {path: self.value(path, "c:calendar-data") for path in self.resources()}


class Client:
    """An app with a name and a password, at a gateway."""

    def __init__(self, port, name, password):
        self.port, self.name, self.password = port, name, password
        # The name of the server and what its certificate is checked by; without, plain HTTP.
        self.host, self.trust = "127.0.0.1", None

    def connection(self):
        if self.trust is None:
            return http.client.HTTPConnection(self.host, self.port, timeout=WAIT_SECONDS)
        connection = http.client.HTTPSConnection(
            self.host, self.port, timeout=WAIT_SECONDS, context=ssl.create_default_context(cafile=self.trust))
        # Whatever its name is, the server is on this machine.
        connection._create_connection = lambda address, *rest: socket.create_connection(("127.0.0.1", self.port), *rest)
        return connection

    def field(self):
        pair = "{}:{}".format(self.name, self.password).encode()
        return "Basic " + base64.b64encode(pair).decode()

    def ask(self, method, path, body=None, depth=None, **headers):
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.password is not None:
            fields.setdefault("Authorization", self.field())
        if depth is not None:
            fields["Depth"] = str(depth)
        if body is not None and body.startswith("BEGIN:"):
            fields.setdefault("Content-Type", "text/calendar; charset=utf-8")
        connection = self.connection()
        try:
            connection.request(method, path, body.encode() if body is not None else None, fields)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.ask("GET", path, **headers)

    def put(self, path, body, **headers):
        return self.ask("PUT", path, body, **headers)

    def delete(self, path, **headers):
        return self.ask("DELETE", path, **headers)

    def find(self, path, *names, depth=0, **headers):
        return self.ask("PROPFIND", path, propfind(*names), depth=depth, **headers)

    def report(self, path, body, depth=1):
        return self.ask("REPORT", path, body, depth=depth)

    def tags(self, path):
        """The tags of a list's to-dos by their paths."""
        answer = self.find(path, "d:getetag", depth=1)
        return {found: answer.value(found, "d:getetag") for found in answer.resources()
                if not found.endswith("/")}

    def token(self, path):
        return self.report(path, sync()).token()


class Gateway:
    """A running `tandem caldav`."""

    def __init__(self, device, *words, port=None):
        self.device = device
        self.port = port or tandem.free_port()
        self.words = words or ("--port", str(self.port))
        self.process = None
        self.start()

    def start(self):
        self.log = self.device.store + "-caldav.log"
        with open(self.log, "w") as log:
            self.process = self.device.start("caldav", *self.words, output=log, errors=log)
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            if "Ctrl-C" in self.said():
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError("tandem caldav does not run: " + self.said())

    def said(self):
        with open(self.log) as log:
            return log.read()

    def cpu_seconds(self):
        """The time that the process has computed: a busy machine makes no difference."""
        with open("/proc/{}/stat".format(self.process.pid)) as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self, sign=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(sign)
        self.process.wait(WAIT_SECONDS)

    def restart(self):
        self.stop()
        self.start()


class CaldavCase(tandem.TandemTestCase):
    """A device whose gateway runs, and an app that it lets in."""

    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def password(self, name="phone", device=None):
        said = (device or self.laptop).run("caldav", "--add-client", name).output
        return re.search(r"^password +(\S+)$", said, re.MULTILINE).group(1)

    def gateway(self, *words, device=None):
        gateway = Gateway(device or self.laptop, *words)
        self.addCleanup(gateway.stop)
        return gateway

    def serve(self, name="phone"):
        """A gateway and a client of it."""
        gateway = self.gateway()
        return gateway, Client(gateway.port, name, self.password(name))

    def path(self, path):
        return urllib.parse.quote(path)
