"""Runs caldav-server-tester against a server of to-dos; prints JSON: tester_driver.py ADDRESS NAME PASSWORD events|todos

The tester asks nearly all of its questions by storing events. With `todos` each event that it sends becomes a to-do on its way,
and is made an event again on the way back, so that the same questions are asked of to-dos. With `events` nothing is changed.
"""

import datetime
import inspect
import json
import logging
import re
import sys

import caldav
from caldav_server_tester import checks
from caldav_server_tester.checker import ServerQuirkChecker
from caldav_server_tester.checks_base import Check

COMPLAINT = re.compile(r"unexpected for (\S+)\.\s+Expected: (.*), observed: (.*)", re.DOTALL)


class Complaints(logging.Handler):
    """What the tester finds otherwise than a server without deviations would have it."""

    def __init__(self):
        super().__init__()
        self.found = {}

    def emit(self, record):
        told = COMPLAINT.search(record.getMessage())
        if told:
            self.found[told.group(1)] = told.group(3)


class EventsAsToDos:
    """Rewrites what is sent and what comes back; remembers by their UIDs which to-dos were events."""

    def __init__(self):
        self.events = set()

    def sent(self, method, body):
        """The body to send, and of which kind the answer's objects have to be: "VEVENT", "VTODO" or None for both."""
        if not body:
            return body, None
        text = body.decode() if isinstance(body, bytes) else str(body)
        kind = None
        if method == "PUT":
            found = re.search(r"^UID:(.*?)\r?$", text, re.M)
            uid = found.group(1).strip() if found else None
            if "BEGIN:VEVENT" in text:
                self.events.add(uid)
                text = self.to_do(text)
            elif "BEGIN:VTODO" in text:
                self.events.discard(uid)
        elif "calendar-query" in text:
            kind = next((one for one in ("VEVENT", "VTODO") if 'name="{}"'.format(one) in text), None)
            text = text.replace('name="VEVENT"', 'name="VTODO"').replace('name="DTEND"', 'name="DUE"')
        return (text.encode() if isinstance(body, bytes) else text), kind

    def to_do(self, text):
        text = re.sub(r"(BEGIN|END):VEVENT", r"\1:VTODO", text)
        text = re.sub(r"^DTEND", "DUE", text, flags=re.M)
        text = re.sub(r"^STATUS:(CONFIRMED|TENTATIVE)", "STATUS:NEEDS-ACTION", text, flags=re.M)
        if not re.search(r"^(DUE|DURATION)", text, re.M):
            # An event on a day lasts that day; a to-do that begins on a day does not.
            text = re.sub(r"^DTSTART;VALUE=DATE:(\d{8})(\r?)$", self.with_next_day, text, flags=re.M)
        return text

    def with_next_day(self, match):
        day = datetime.datetime.strptime(match.group(1), "%Y%m%d") + datetime.timedelta(days=1)
        return "{}\n{}{}".format(match.group(0), day.strftime("DUE;VALUE=DATE:%Y%m%d"), match.group(2))

    def received(self, text, kind):
        text = re.sub(r"BEGIN:VCALENDAR.*?END:VCALENDAR", self.event, text, flags=re.S)

        def of_kind(match):
            part = match.group(0)
            return part if kind is None or "BEGIN:VCALENDAR" not in part or "BEGIN:" + kind in part else ""
        return re.sub(r"<(\w+:)?response>.*?</(\w+:)?response>", of_kind, text, flags=re.S)

    def event(self, match):
        text = match.group(0)
        found = re.search(r"^UID:(.*?)\r?(?:&#13;)?$", text, re.M)
        # A changed occurrence is served as a to-do with a UID of its own; the tester changes those of events alone.
        is_occurrence = "recurrence-id" in text
        if is_occurrence or found and found.group(1).strip() in self.events:
            text = re.sub(r"(BEGIN|END):VTODO", r"\1:VEVENT", text)
            text = re.sub(r"^DUE", "DTEND", text, flags=re.M)
        return text


def rewrite(client):
    """Puts the rewriting between the library and its connection."""
    request, rewriting = client.session.request, EventsAsToDos()

    def rewritten(method, url, data=None, **options):
        body, kind = rewriting.sent(method, data)
        response = request(method, url, data=body, **options)
        if b"BEGIN:VCALENDAR" in (response.content or b""):
            response._content = rewriting.received(response.content.decode(), kind).encode()
            response.headers["Content-Length"] = str(len(response._content))
        return response
    client.session.request = rewritten


def main():
    address, name, password, asked = sys.argv[1:]
    complaints = Complaints()
    logging.getLogger().handlers = [complaints]
    aborted = {}
    with caldav.DAVClient(url=address, username=name, password=password) as client:
        if asked == "todos":
            rewrite(client)
        checker = ServerQuirkChecker(client)
        # Last the one that puts a UID into a second list: to others what it leaves behind is missing.
        for title, one in sorted(inspect.getmembers(checks, inspect.isclass), key=lambda named: named[0] == "CheckDuplicateUID"):
            if one.__module__ == checks.__name__ and issubclass(one, Check) and one is not Check:
                try:
                    one(checker).run_check(only_once=True)
                except Exception as fault:
                    aborted[title] = "{}: {}".format(type(fault).__name__, fault)
        features = checker.features_checked.dotted_feature_set_list()
    print(json.dumps({
        "aborted": aborted, "deviations": complaints.found,
        "features": {feature: value.get("support", "?") for feature, value in features.items()}}))


if __name__ == "__main__":
    main()
