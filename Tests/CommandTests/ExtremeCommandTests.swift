import Core
import Storage
import Terminal
import Testing
import ToDo
import ToDoTestSupport
import tandem

extension CommandTests {
    /// The commands in this process, as the program runs them: a trap ends the tests.
    @Suite("Every command on every extreme value")
    struct Extremes {
        /// A store with extreme records.
        private static func folder(
            every stride: Int
        ) throws -> (folder: CommandFolder, ids: [String]) {
            var ids: [String] = []
            let folder = try CommandFolder { store, setTime in
                _ = try ExtremeRecords.writeViews(to: store, every: stride)
                let cases = try ExtremeRecords.write(to: store, every: stride, setTime: setTime)
                ids = cases.keys.sorted().map(\.hexadecimal)
            }
            return (folder, ids)
        }

        /// The commands that each test below runs.
        private static let (reading, changing, again): (Set<String>, Set<String>, Set<String>) = (
            [
                "agenda", "backup", "burndown", "calendar", "catchup", "completion", "conflicts",
                "context", "devices", "doctor", "export", "history", "list", "recent", "remind",
                "restore", "save", "show", "stats", "status", "summary", "times", "trash", "undo",
                "view", "week", "why",
            ],
            [
                "accept-deletes", "add", "annotate", "append", "cancel", "catchup", "delete",
                "done", "edit", "move", "prepend", "purge", "redo", "refuse-deletes", "remind",
                "reopen", "resolve", "restore", "skip", "start", "stop", "undo", "vdir",
            ], ["apply", "export", "import"]
        )

        /// Commands that read no to-do, or that do not end here, with the reason.
        private static let others = [
            "caldav": "serves until it is ended: CalDAVTests have extreme records",
            "config": "settings of the machine",
            "daemon": "syncs until it is ended",
            "help": "texts of the program",
            "init": "makes a store",
            "invite": "waits for another device",
            "join": "makes a store from another device",
            "pause": "the daemon's syncing",
            "relay": "serves sealed records until it is ended",
            "rename": "a device's name",
            "resume": "the daemon's syncing",
            "revoke": "devices of the space",
            "serve": "waits for other devices",
            "sync": "needs another device, and carries records as they are",
            "version": "a text of the program",
            "watch": "waits for changes until it is ended",
            "web": "serves until it is ended: PageTests look at its lists",
        ]

        @Test("every command of the overview is run here, or reads no to-do")
        func overview() {
            let ran = Self.reading.union(Self.changing).union(Self.again)
            let named = Set(overviewCommandNames)
            let missing = named.subtracting(ran).subtracting(Self.others.keys)
            #expect(missing.isEmpty)
            #expect(ran.union(Self.others.keys).subtracting(named).isEmpty)
            #expect(ran.isDisjoint(with: Self.others.keys))
        }

        /// Found something, or nothing.
        private static let isAnswered: Set<ExitCode> = [.ok, ExitCode(rawValue: 1)]

        @Test("commands that read answer for every record, for people and as JSON")
        func reading() throws {
            let (folder, ids) = try Self.folder(every: ExtremeRecords.isWhole ? 5 : 37)
            var lines = ["urgency", "day", "project", "manual", "none"].map {
                ["list", "--by=\($0)", "--limit=0"]
            }
            lines += [["list", "+SUBTASK", "--limit=0"], ["list", "due.any:", "--all"]]
            lines += ToDoView.allCases.map { [$0.rawValue] }
            // Filters that are told by columns alone, and others.
            for filter in ["status:pending", "project:a", "+OVERDUE", "x.effort:1.5"] {
                lines += ["list", "stats", "summary", "burndown", "times"].map { [$0, filter] }
            }
            let wide = ["--from", "1970-01-01", "--to", "9999-12-31"]
            for name in ["list", "stats", "summary", "burndown"] {
                lines.append([name, "project:Home", "or", "+q"])
            }
            lines += [["times"] + wide, ["times", "project:Home", "or", "+q"] + wide]
            lines += [
                ["agenda"], ["calendar"], ["week"], ["times"], ["recent"], ["trash"],
                ["conflicts"], ["status"], ["stats"], ["summary"], ["burndown"],
                ["burndown", "--by", "month", "--count", "400"],
                ["burndown", "--by", "day", "--count", "400"], ["catchup", "--dry-run"],
                ["remind"], ["doctor"], ["devices"], ["devices", "--log"], ["undo", "--list"],
                ["restore", "--list"], ["view"],
            ]
            let views = try folder.told(["view", "--json"]).results.split(separator: "\"name\":\"")
                .dropFirst().prefix(30).compactMap { $0.split(separator: "\"").first }
            #expect(!views.isEmpty)
            // One whose filter cannot be read is refused.
            for view in views { #expect(folder.run(["view", String(view)]) != .software) }
            lines += ids.map { ["show", $0] }
            lines += ids.prefix(50).flatMap { [["history", $0], ["why", $0]] }
            for line in lines {
                #expect(Self.isAnswered.contains(folder.run(line)), "\(line)")
                #expect(Self.isAnswered.contains(folder.run(line + ["--json"])), "\(line)")
            }
            // A context narrows what takes no filter, too.
            #expect(folder.run(["save", "effort", "x.effort:1.5", "or", "+q"]) == .ok)
            for context in ["effort", "none"] {
                #expect(folder.run(["context", context]) == .ok)
                for line in [["week"], ["agenda"], ["calendar"], ["times"], ["view", "effort"]] {
                    #expect(Self.isAnswered.contains(folder.run(line)), "\(context) \(line)")
                }
            }
            for words in [["list", "project:"], ["edit", ""], ["view", ""], ["done", "+"]] {
                #expect(folder.run(["complete", "--"] + words) == .ok, "\(words)")
            }
            for picture in ["stats", "summary", "burndown", "week"] {
                #expect(folder.run([picture, "--svg", "-"]) != .software, "\(picture)")
            }
            for format in ToDoFormats.written {
                let line = ["export", "--format=\(format.profile.name)"]
                #expect(folder.run(line) == .ok, "\(line)")
                #expect(folder.run(line + ["--dry-run"]) == .ok, "\(line)")
            }
            #expect(folder.run(["export", "--all"]) == .ok)
            for shell in ["bash", "zsh", "fish"] {
                #expect(folder.run(["completion", shell]) == .ok)
            }
            #expect(folder.run(["backup", folder.path + "/copy"]) == .ok)
            #expect(folder.names.intersection(overviewCommandNames) == Self.reading)
        }

        @Test("commands that change take every record or refuse it")
        func changing() throws {
            let (folder, ids) = try Self.folder(every: ExtremeRecords.isWhole ? 11 : 101)
            let files = ["vdir", folder.path + "/files"]
            #expect(folder.run(files) == .ok)
            for id in ids {
                for line in [
                    ["done", id], ["reopen", id], ["skip", id], ["reopen", id], ["catchup", id],
                    ["append", id, "and more"], ["prepend", id, "first"], ["annotate", id, "note"],
                    ["edit", id, "due:+1w"], ["edit", id, "remind:-1d"],
                    ["edit", id, "repeat:2w", "+tag"], ["edit", id, "parent:"], ["start", id],
                    ["stop"], ["resolve", id, "--field", "title", "--mine"],
                    ["move", id, "--top"], ["cancel", id], ["delete", id], ["restore", id],
                    ["restore", id, "--as-of", "2026-11-20"],
                ] {
                    #expect(folder.run(line) != .software, "\(line)")
                }
            }
            #expect(folder.run(["remind", "--run", "--notify", "true"]) != .software)
            for name in ["undo", "redo", "accept-deletes", "refuse-deletes"] {
                #expect(folder.run([name]) != .software, "\(name)")
            }
            #expect(folder.run(["add", "Milk", "parent:1", "depends:2"]) != .software)
            #expect(folder.run(files) == .ok)
            for id in ids {
                #expect(folder.run(["delete", id]) != .software)
                #expect(folder.run(["purge", id]) != .software)
            }
            #expect(folder.names.intersection(overviewCommandNames) == Self.changing)
        }

        @Test("what is exported of every record is imported again, and applied as changes")
        func again() throws {
            let (folder, ids) = try Self.folder(every: ExtremeRecords.isWhole ? 11 : 101)
            for format in ToDoFormats.written {
                let name = format.profile.name
                let written = try folder.told(["export", "--format=\(name)"])
                #expect(written.code == .ok)
                let file = try folder.write(written.results, to: "list." + name)
                for options in [["--dry-run"], [], ["--revive"]] {
                    let line = ["import", "--format=\(name)"] + options + [file]
                    #expect(folder.run(line) != .software, "\(line)")
                }
            }
            for id in ids.prefix(20) {
                let line =
                    "{\"kind\":\"update\",\"id\":\"\(id)\",\"item\":{\"due\":\"2026-12-01\"}}\n"
                let file = try folder.write(line, to: "changes")
                #expect(folder.run(["apply", file]) != .software)
            }
            #expect(folder.names.intersection(overviewCommandNames) == Self.again)
        }
    }
}
