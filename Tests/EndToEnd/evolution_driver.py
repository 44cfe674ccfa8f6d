"""Runs Evolution's data server for one list: reads steps as lines of JSON, answers each with a line of JSON.

A program of its own for the system's Python, which has the bindings: evolution_driver.py SOURCE NAME PASSWORD
"""

import json
import sys
import time

import gi

gi.require_version("ECal", "2.0")
gi.require_version("EDataServer", "1.2")
from gi.repository import ECal, EDataServer, GLib, ICalGLib  # noqa: E402

CONNECT_SECONDS_MAX = 30
# Of e_cal_client_connect: do not wait for the server, which wants a password first.
NO_WAIT = 0xFFFFFFFF


def wait_until(condition):
    """Lets the bus deliver until a condition holds."""
    until = time.monotonic() + CONNECT_SECONDS_MAX
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError("Evolution does not connect")
        while GLib.MainContext.default().iteration(False):
            pass
        time.sleep(0.01)


class TaskList:
    """A list at the gateway, through Evolution's cache and its factory process."""

    def __init__(self, source_name, name, password):
        self.credentials = name, password
        # Kept: with it the news of the source's state would go.
        self.registry = EDataServer.SourceRegistry.new_sync(None)
        source = self.registry.ref_source(source_name)
        self.list = ECal.Client.connect_sync(source, ECal.ClientSourceType.TASKS, NO_WAIT, None)
        states = EDataServer.SourceConnectionStatus
        wait_until(lambda: source.get_connection_status() == states.AWAITING_CREDENTIALS)
        credentials = EDataServer.NamedParameters.new()
        credentials.set("username", name)
        credentials.set("password", password)
        source.invoke_authenticate_sync(credentials, None)
        wait_until(lambda: source.get_connection_status() == states.CONNECTED)
        wait_until(lambda: self.list.is_online() and not self.list.is_readonly())

    def read(self):
        return [one.as_ical_string() for one in self.list.get_object_list_sync("#t", None)[1]]

    def reload(self):
        self.list.refresh_sync(None)
        return self.read()

    def named(self, title):
        one, = [one for one in self.list.get_object_list_sync("#t", None)[1] if one.get_summary() == title]
        return one

    def add(self, text):
        return self.list.create_object_sync(ICalGLib.Component.new_from_string(text), 0, None)[1]

    def edit(self, title, old, new):
        """Changes its own copy of a to-do as its editor does: the whole component, with a text replaced."""
        text = self.named(title).as_ical_string()
        if old not in text:
            raise ValueError("no {!r} in {}".format(old, text))
        changed = ICalGLib.Component.new_from_string(text.replace(old, new))
        return self.list.modify_object_sync(changed, ECal.ObjModType.THIS, 0, None)

    def complete(self, title):
        """Marks it as done as its list does, which moves a to-do that repeats on to its next date."""
        one = self.named(title)
        ECal.util_mark_task_complete_sync(one, int(time.time()), self.list, None)
        return self.list.modify_object_sync(one, ECal.ObjModType.THIS, 0, None)

    def move(self, title, source_name):
        """Takes it to another list as its menu does: into the one first, then out of the other."""
        target = TaskList(source_name, *self.credentials)
        target.list.refresh_sync(None)
        target.list.create_object_sync(self.named(title), 0, None)
        return self.remove(title)

    def remove(self, title):
        uid = self.named(title).get_uid()
        return self.list.remove_object_sync(uid, None, ECal.ObjModType.THIS, 0, None)


def main():
    tasks = TaskList(*sys.argv[1:])
    print(json.dumps({"value": "ready"}), flush=True)
    for line in sys.stdin:
        step, *words = json.loads(line)
        try:
            answer = {"value": getattr(tasks, step)(*words)}
        except (GLib.Error, ValueError) as fault:
            answer = {"error": str(fault)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
