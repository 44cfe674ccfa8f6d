/// A command that is measured.
///
/// Left out are commands that run until they are stopped: `serve`, `daemon`, `relay`, `web`, `caldav` and `watch`; and the two that
/// wait for each other, `invite` and `join`, by which the second device is paired: how long they take says nothing of either.
struct BenchCommand {
    /// The name that its figures have.
    let name: String
    /// Its words, of which those in capitals stand for others (`CommandWords`).
    let line: String
    /// Commands that bring about what it is for, before each run; not measured.
    let before: [String]
    /// The same for `sqlite3` on a table with the same to-dos; nil if nothing is the same.
    let query: String?
    /// The instructions, in millions, at which it reaches its budget of time among 100,000 to-dos; nil if it has none.
    ///
    /// The number is that of a run of the packaged program, divided by the share of the budget of time that it took.
    let megaInstructionsMax: Double?
    /// Whether it reads or writes every to-do by its purpose: it is run once.
    let isWhole: Bool

    /// The exit codes with which it did what was asked: one for which something was brought about must find it.
    var goodStatuses: [CInt] { before.isEmpty ? [0, 1] : [0] }

    init(
        _ line: String, named name: String? = nil, before: [String] = [], query: String? = nil,
        megaInstructionsMax: Double? = nil, isWhole: Bool = false
    ) {
        self.name = name ?? line
        self.line = line
        self.before = before
        self.query = query
        self.megaInstructionsMax = megaInstructionsMax
        self.isWhole = isWhole
    }

    private static let shown = "select title, due, project, tags from plain where status is null"
    private static let byDue = "order by due is null, due limit 500"

    /// Commands of a device alone.
    static let ofOneDevice = [
        BenchCommand("version"), BenchCommand("help"), BenchCommand("completion bash"),
        BenchCommand("init --name bench --store OUT"),
        BenchCommand("list", query: "\(shown) \(byDue)", megaInstructionsMax: 61),
        BenchCommand(
            "list bike", query: "\(shown) and title like '%bike%' \(byDue)", megaInstructionsMax: 78
        ),
        BenchCommand(
            "list nowhere", query: "\(shown) and title like '%nowhere%' \(byDue)",
            megaInstructionsMax: 60),
        BenchCommand(
            "list bike 424",
            query: "\(shown) and title like '%bike%' and title like '%424%' \(byDue)",
            megaInstructionsMax: 100),
        BenchCommand(
            "list project:Garden", query: "\(shown) and project like '%Garden%' \(byDue)",
            megaInstructionsMax: 67),
        BenchCommand("list +errand"), BenchCommand("list --all"),
        BenchCommand(
            "list --by manual", query: "\(shown) order by created, id limit 500",
            megaInstructionsMax: 104),
        BenchCommand(
            "today", query: "\(shown) and due < date('now', '+1 day') \(byDue)",
            megaInstructionsMax: 33),
        BenchCommand("tomorrow"), BenchCommand("yesterday"), BenchCommand("other"),
        BenchCommand("last-week"), BenchCommand("this-week"), BenchCommand("next-week"),
        BenchCommand("overdue"), BenchCommand("upcoming"), BenchCommand("inbox"),
        BenchCommand("log"), BenchCommand("agenda"), BenchCommand("calendar"),
        BenchCommand("week"), BenchCommand("list is:blocked"), BenchCommand("remind"),
        BenchCommand("stats", isWhole: true), BenchCommand("burndown", isWhole: true),
        BenchCommand("summary", isWhole: true),
        BenchCommand(
            "add Buy milk",
            query: "insert into plain(title, created) values ('Buy milk', '2026-11-21')",
            megaInstructionsMax: 9.9),
        BenchCommand("undo", before: ["add Buy milk"]),
        BenchCommand("undo --list"),
        BenchCommand("redo", before: ["add Buy milk", "undo"]),
        BenchCommand("show ID"),
        BenchCommand("edit ID priority:high", before: ["edit ID priority:"]),
        // The editor is a program that gives it a priority.
        BenchCommand("edit ID", before: ["edit ID priority:"]),
        BenchCommand("annotate last Called", before: ["add Buy milk"]),
        BenchCommand("append last soon", before: ["add Buy milk"]),
        BenchCommand("prepend last Now:", before: ["add Buy milk"]),
        BenchCommand("done ID", before: ["reopen ID"]),
        BenchCommand("cancel ID", before: ["reopen ID"]),
        BenchCommand("reopen ID", before: ["done ID"]),
        BenchCommand("skip last", before: ["add Water due:today repeat:weekly"]),
        BenchCommand("catchup last", before: ["add Water due:2020-01-03 repeat:weekly"]),
        BenchCommand("edit ID depends:last", before: ["edit ID depends:", "add Sand"]),
        BenchCommand("save errands +errand", before: ["save errands +other"]),
        BenchCommand("errands", before: ["save errands +errand"]),
        BenchCommand("context errands", before: ["save errands +errand", "context none"]),
        BenchCommand("context none"),
        BenchCommand("delete ID", before: ["restore ID"]),
        BenchCommand("restore ID", before: ["delete ID"]),
        BenchCommand("purge last --yes", before: ["add Junk", "delete last"]),
        BenchCommand("trash"), BenchCommand("history ID"), BenchCommand("recent"),
        BenchCommand("start ID", before: ["stop"]), BenchCommand("stop", before: ["start ID"]),
        BenchCommand("times"), BenchCommand("move ID --top", before: ["move ID --bottom"]),
        BenchCommand("conflicts"), BenchCommand("status"), BenchCommand("why ID"),
        BenchCommand("rename bench2", before: ["rename bench1"]),
        BenchCommand("complete -- tandem list project:G"),
        BenchCommand("apply CHANGE"), BenchCommand("view"), BenchCommand("config"),
        BenchCommand("backup OUT", isWhole: true), BenchCommand("export", isWhole: true),
        BenchCommand("doctor", isWhole: true),
        BenchCommand("import LINES --store OUT", before: ["init --store OUT"], isWhole: true),
        BenchCommand("vdir OUT", isWhole: true),
    ]

    /// Commands to a daemon that is in touch with the second device.
    static let besideDaemon = [
        BenchCommand("pause 1h", before: ["resume"]), BenchCommand("resume", before: ["pause 1h"]),
    ]

    private static let deletesThere = ["THERE delete --where is:pending --yes", "sync SOCKET"]

    /// Commands between this device and a second one; the last ones change most of what both have.
    static let betweenDevices = [
        BenchCommand("devices"),
        BenchCommand("sync SOCKET", before: ["sync SOCKET"]),
        BenchCommand("sync PORT", before: ["sync PORT"]),
        BenchCommand(
            "sync SOCKET", named: "sync SOCKET, one added here", before: ["add Buy milk"]),
        BenchCommand(
            "sync SOCKET", named: "sync SOCKET, one added there", before: ["THERE add Buy milk"]),
        BenchCommand(
            "resolve ID --mine",
            before: [
                "edit ID priority:", "sync SOCKET", "edit ID priority:low",
                "THERE edit ID priority:high", "sync SOCKET",
            ]),
        BenchCommand("refuse-deletes --yes", before: deletesThere, isWhole: true),
        BenchCommand(
            "sync SOCKET --accept-deletes", before: ["sync SOCKET"] + deletesThere, isWhole: true),
        BenchCommand(
            "accept-deletes --yes", before: ["THERE undo", "sync SOCKET"] + deletesThere,
            isWhole: true),
        BenchCommand("revoke second --yes --no-sync", isWhole: true),
    ]

    /// A to-do of the store, as a line of JSON: half of them are due within 300 days, three in ten are finished.
    static func line(_ number: Int) -> String {
        var seed = UInt64(number + 1) &* 0x9e37_79b9_7f4a_7c15
        func next(_ count: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % count
        }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        func day(_ year: Int) -> String { "\(year)-\(two(1 + next(12)))-\(two(1 + next(28)))" }
        let verb = ["Buy", "Call", "Write", "Fix", "Plan", "Read"][next(6)]
        let thing = ["milk", "Anna", "report", "bike", "trip", "book"][next(6)]
        let created = "\(day(2025))T\(two(next(24))):\(two(next(60))):00Z"
        var members = [
            "\"tandem\":1", "\"title\":\"\(verb) \(thing) \(number)\"",
            "\"created\":\"\(created)\"",
        ]
        let project = ["", "Home", "Work", "Work.Site", "Garden"][next(5)]
        if !project.isEmpty { members.append("\"project\":\"\(project)\"") }
        if next(2) == 0 { members.append("\"due\":\"\(day(2026 + next(2)))\"") }
        if next(10) < 3 { members.append("\"tags\":[\"\(["errand", "phone", "next"][next(3)])\"]") }
        if next(10) < 3 {
            members.append("\"status\":\"completed\",\"completed\":\"\(day(2026))T10:00:00Z\"")
        }
        return "{" + members.joined(separator: ",") + "}"
    }
}
