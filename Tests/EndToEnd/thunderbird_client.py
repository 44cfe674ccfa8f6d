"""Thunderbird without a window, driven by its remote protocol (Marionette) with scripts of its own calendar."""

import json
import os
import socket
import time

import tandem_process as tandem


START_SECONDS_MAX = 60
SCRIPT_MILLISECONDS_MAX = 60_000

# Nothing is fetched from anywhere but this machine: the proxy of all other addresses is a closed port.
SETTINGS = {
    "network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9, "network.proxy.no_proxies_on": "127.0.0.1",
    "datareporting.policy.dataSubmissionEnabled": False, "app.update.enabled": False,
    "extensions.update.enabled": False, "mail.provider.suppress_dialog_on_startup": True,
    "mail.spotlight.firstRunDone": True, "app.donation.eoy.version.viewed": 999,
}

LIBRARY = """
const [words, done] = arguments;
const {cal} = ChromeUtils.importESModule("resource:///modules/calendar/calUtils.sys.mjs");
const {CalTodo} = ChromeUtils.importESModule("resource:///modules/CalTodo.sys.mjs");
const list = () => cal.manager.getCalendars().find(one => one.uri.spec == words.address);
const reload = () => new Promise(resolve => {
  const calendar = list();
  const observer = {
    QueryInterface: ChromeUtils.generateQI(["calIObserver"]),
    onLoad() { calendar.removeObserver(observer); resolve(); },
    onStartBatch() {}, onEndBatch() {}, onAddItem() {}, onModifyItem() {}, onDeleteItem() {}, onError() {},
    onPropertyChanged() {}, onPropertyDeleting() {},
  };
  calendar.addObserver(observer);
  calendar.refresh();
});
const all = () => list().getItemsAsArray(Ci.calICalendar.ITEM_FILTER_ALL_ITEMS, 0, null, null);
const named = async title => {
  const found = (await all()).filter(one => one.title == title);
  if (found.length != 1) { throw new Error(found.length + " to-dos of the title " + title); }
  return found[0];
};
const change = (one, fields) => {
  for (const [name, value] of Object.entries(fields)) {
    if (name == "tags") { one.setCategories(value); }
    else if (name == "notes") { one.setProperty("DESCRIPTION", value); }
    else if (name == "due") { one.dueDate = cal.createDateTime(value); }
    else if (name == "isCompleted") { one.isCompleted = value; }
    else if (name == "repeat") {
      one.entryDate = one.dueDate;
      one.recurrenceInfo = new (ChromeUtils.importESModule("resource:///modules/CalRecurrenceInfo.sys.mjs")
        .CalRecurrenceInfo)(one);
      one.recurrenceInfo.appendRecurrenceItem(cal.createRecurrenceRule(value));
    } else { one[name] = value; }
  }
};
const told = one => ({
  id: one.id, title: one.title, notes: one.getProperty("DESCRIPTION"), priority: one.priority,
  tags: one.getCategories().sort(), due: one.dueDate && one.dueDate.icalString, isCompleted: one.isCompleted,
});
const steps = {
  async admit() {
    const login = Cc["@mozilla.org/login-manager/loginInfo;1"].createInstance(Ci.nsILoginInfo);
    login.init(new URL(words.address).origin, null, words.realm, words.name, words.password, "", "");
    await Services.logins.addLoginAsync(login);
    return true;
  },
  async subscribe() {
    const calendar = cal.manager.createCalendar("caldav", Services.io.newURI(words.address));
    calendar.setProperty("username", words.name);
    calendar.setProperty("cache.enabled", true);
    cal.manager.registerCalendar(calendar);
    await reload();
    return list().readOnly;
  },
  async reload() { await reload(); return (await all()).map(told); },
  async add() {
    const one = new CalTodo();
    change(one, words.fields);
    return told(await list().addItem(one));
  },
  async edit() {
    const old = await named(words.title), one = old.clone();
    change(one, words.fields);
    return told(await list().modifyItem(one, old));
  },
  // As its list does when a person ticks the next one of a to-do that repeats: a changed occurrence beside the series.
  async completeNext() {
    const old = await named(words.title), series = old.clone();
    const end = series.entryDate.clone();
    end.year += 1;
    const next = series.recurrenceInfo.getOccurrences(series.entryDate, end, 1)[0].clone();
    next.isCompleted = true;
    series.recurrenceInfo.modifyException(next, true);
    return told(await list().modifyItem(series, old));
  },
  // As its dialog does when a person chooses another calendar: into the one first, then out of the other.
  async move() {
    const one = await named(words.title);
    await cal.manager.getCalendars().find(other => other.uri.spec == words.target).addItem(one.clone());
    await list().deleteItem(one);
    return true;
  },
  // Asked whether to overwrite what the server has, a person says so or not.
  async remove() {
    cal.provider.promptOverwrite = () => { asked = true; return words.overwrite; };
    let asked = false;
    await list().deleteItem(await named(words.title));
    return asked;
  },
};
steps[words.step]().then(value => done({value}), error => done({error: String(error) + "\\n" + error.stack}));
"""


class Thunderbird:
    """One running Thunderbird; its settings are in a folder of the test."""

    def __init__(self, case, log):
        self.case, self.log = case, log
        self.port = tandem.free_port()
        self.profile = os.path.join(case.home, "thunderbird")
        os.makedirs(self.profile)
        with open(os.path.join(self.profile, "user.js"), "w") as file:
            for name, value in {**SETTINGS, "marionette.port": self.port}.items():
                file.write("user_pref({}, {});\n".format(json.dumps(name), json.dumps(value)))
        self.words = ["thunderbird", "--headless", "--no-remote", "--marionette", "--remote-allow-system-access",
                      "--profile", self.profile]
        self.count, self.held = 0, b""
        self.socket = None

    def connect(self, process):
        """Waits until it listens, and begins to speak."""
        until = time.monotonic() + START_SECONDS_MAX
        while self.socket is None:
            try:
                self.socket = socket.create_connection(("127.0.0.1", self.port), START_SECONDS_MAX)
            except OSError:
                if time.monotonic() > until or process.poll() is not None:
                    raise AssertionError("Thunderbird does not run: " + self.said())
                time.sleep(0.05)
        self.socket.settimeout(START_SECONDS_MAX + SCRIPT_MILLISECONDS_MAX / 1000)
        self.read()
        self.ask("WebDriver:NewSession", {"capabilities": {}})
        self.ask("Marionette:SetContext", {"value": "chrome"})
        self.ask("WebDriver:SetTimeouts", {"script": SCRIPT_MILLISECONDS_MAX})

    def said(self):
        with open(self.log, errors="replace") as file:
            return file.read()[-2000:]

    def more(self):
        part = self.socket.recv(65536)
        if not part:
            raise AssertionError("Thunderbird ended: " + self.said())
        self.held += part

    def read(self):
        """One message: its length, a colon, JSON."""
        while b":" not in self.held:
            self.more()
        length, _, self.held = self.held.partition(b":")
        while len(self.held) < int(length):
            self.more()
        text, self.held = self.held[:int(length)], self.held[int(length):]
        return json.loads(text)

    def ask(self, command, parameters):
        self.count += 1
        text = json.dumps([0, self.count, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, fault, value = self.read()
        if fault:
            raise AssertionError("Thunderbird: {}".format(fault))
        return value

    def step(self, address, step, **words):
        """Runs one step of the library above at a list; a fault of Thunderbird's is an error of the test."""
        answer = self.ask("WebDriver:ExecuteAsyncScript", {
            "script": LIBRARY, "args": [dict(words, step=step, address=address)], "newSandbox": True})["value"]
        if "error" in answer:
            raise AssertionError("Thunderbird, {} {}: {}".format(step, words, answer["error"]))
        return answer["value"]
