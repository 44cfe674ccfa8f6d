import FoundationEssentials
import Tandem
import Testing

/// How a call ended, the same for the program and the library: the exit code that the program gives.
enum CapabilityResult: Int32 {
    case done = 0
    case nothing = 1
    case usage = 64
    case badData = 65
    case unavailable = 69
    case inputOutput = 74
    case retryLater = 75
    case refused = 77
    case configuration = 78
    case unknown = -1

    init(_ error: any Error) {
        guard let code = (error as? TandemError)?.code else {
            self = .unknown
            return
        }
        let table: [TandemError.Code: CapabilityResult] = [
            .refused: .refused, .deletesHeld: .refused, .storeExists: .refused,
            .unreachable: .unavailable, .notRunning: .unavailable, .alreadyRunning: .retryLater,
            .busy: .retryLater, .noStore: .configuration, .notAStore: .configuration,
            .damaged: .badData, .badInvitation: .badData, .badAddress: .usage,
            .nobodyKnown: .usage, .inputOutput: .inputOutput,
            .unusableKeys: .configuration,
        ]
        self = table[code] ?? .unknown
    }
}

/// A device that a test drives by the program, or by the library.
protocol DrivenDevice: AnyObject {
    init(in folder: TestFolder, named name: String)
    func make() -> CapabilityResult
    func add(_ count: Int) -> CapabilityResult
    func deleteAll() -> CapabilityResult
    func invite(at relay: String) -> String
    func join(_ code: String) -> CapabilityResult
    func rename(to name: String) -> CapabilityResult
    func revoke(_ name: String, takesBack: Bool) -> CapabilityResult
    /// Ends the refusal of a device by whose word new ids were taken: `nothing` if it is not refused.
    func admit(_ name: String) -> CapabilityResult
    func sync(with address: String?) -> CapabilityResult
    func acceptDeletes() -> CapabilityResult
    func refuseDeletes() -> CapabilityResult
    func pause() -> CapabilityResult
    func backup(to name: String) -> CapabilityResult
    func restoreLatest() -> CapabilityResult
    func startOver() -> CapabilityResult
    func restoreDeleted() -> CapabilityResult
    func purgeDeleted() -> CapabilityResult
    /// Makes new records of what was written to purged ones while apart from the purge.
    func copyFromPurged() -> CapabilityResult
    /// Drops what was written to purged records, each by force.
    func letGoOfPurged() -> CapabilityResult
    func retitle(_ title: String, to other: String) -> CapabilityResult
    /// Ends every conflict of a title with the value of the other device, or with its own.
    func resolveTitles(mine: Bool) -> CapabilityResult
    /// Undoes the change of a number of the list, from 1 on; nil for the latest.
    func undo(_ number: Int?, isForced: Bool) -> CapabilityResult
    func redo() -> CapabilityResult
    /// The list of changes: whether each is an undo, whether it is undone, and of how many records it is.
    func changes() -> [String]
    /// Looks for damage: `nothing` if there is any.
    func examine() -> CapabilityResult
    func repair() -> CapabilityResult
    func rescue() -> CapabilityResult
    func resume() -> CapabilityResult
    /// Where a record has arrived.
    func progress(of title: String) -> [String]
    /// The fingerprint of a device of the space.
    func fingerprint(of name: String) -> String
    /// Keeps the store in sync and answers calls, until told to stop; gives where.
    func serve() async -> String?
    func stopServing() async
    /// The visible state: its records, its devices, its problems.
    func facts() -> [String]
    /// The joins, revocations and refusals that it knows of, sorted.
    func log() -> [String]
    /// How many snapshots lie beside the store.
    func snapshotCount() -> Int
}

extension DrivenDevice {
    func undo(_ number: Int?) -> CapabilityResult { undo(number, isForced: false) }
    func revoke(_ name: String) -> CapabilityResult { revoke(name, takesBack: false) }

    /// Waits until the visible state has a fact, as what keeps a store in sync does its work meanwhile.
    func comes(_ fact: String) async -> Bool {
        for _ in 0..<300 {
            if facts().contains(fact) { return true }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return false
    }
}

/// A device that is driven by the program.
final class ProgramDevice: DrivenDevice {
    let folder: TestFolder
    let name: String

    init(in folder: TestFolder, named name: String) {
        self.folder = folder
        self.name = name
    }

    private var store: String { "\(folder.path)/\(name)" }
    private var output: String { "\(folder.path)/output" }

    private func run(_ words: String) -> CapabilityResult {
        let program = TestFolder.program("tandem")
        let code = folder.run(
            "sh", "-c",
            "'\(program)' --store '\(store)' --no-input \(words) > '\(output)' 2> /dev/null")
        return CapabilityResult(rawValue: code) ?? .unknown
    }

    /// What a command tells; asked again if it tells nothing, as where a store was busy for long on a slow machine.
    private func json(_ words: String) -> Data {
        var told = Data()
        for _ in 0..<3 where told.isEmpty {
            _ = run(words + " --json")
            told = (try? Data(contentsOf: URL(filePath: output))) ?? Data()
        }
        return told
    }

    func make() -> CapabilityResult { run("init --name \(name)") }

    func add(_ count: Int) -> CapabilityResult {
        let lines = (0..<count).map { "item \($0)" }.joined(separator: "\n")
        let file = "\(folder.path)/items.txt"
        folder.run("sh", "-c", "printf '%s\\n' '\(lines)' > '\(file)'")
        return run("import --format todotxt '\(file)'")
    }

    func deleteAll() -> CapabilityResult {
        run("delete --yes " + items("list --all --limit 0").map(\.id).joined(separator: " "))
    }

    func invite(at relay: String) -> String {
        struct Answer: Decodable { let code: String }
        let (program, told) = (TestFolder.program("tandem"), "\(store)-invite")
        // It waits with the code, beside this program, until a device has come or its time is over.
        folder.run(
            "sh", "-c",
            "rm -f '\(told)'; '\(program)' --store '\(store)' --no-input invite --yes --for 2m --relay "
                + "'\(relay)' --json > '\(told)' 2> /dev/null & inviting=$!; for i in $(seq 100); do "
                + "test -s '\(told)' && exit; kill -0 $inviting 2> /dev/null || exit; sleep 0.1; done"
        )
        let line = (try? Data(contentsOf: URL(filePath: told)))?.prefix { $0 != 0x0a } ?? Data()
        return (try? JSONDecoder().decode(Answer.self, from: line))?.code ?? ""
    }

    func join(_ code: String) -> CapabilityResult { run("join '\(code)' --name \(name)") }
    func rename(to name: String) -> CapabilityResult { run("rename '\(name)'") }
    func revoke(_ name: String, takesBack: Bool) -> CapabilityResult {
        run("revoke \(name) --yes" + (takesBack ? " --take-back" : ""))
    }
    func admit(_ name: String) -> CapabilityResult { run("devices --admit \(name)") }
    func sync(with address: String?) -> CapabilityResult {
        run("sync " + (address.map { "'\($0)'" } ?? ""))
    }
    func acceptDeletes() -> CapabilityResult { run("accept-deletes --yes") }
    func refuseDeletes() -> CapabilityResult { run("refuse-deletes --yes") }
    func pause() -> CapabilityResult { run("pause 1h") }
    func backup(to name: String) -> CapabilityResult {
        run("backup --verify '\(folder.path)/\(name)'")
    }
    func restoreLatest() -> CapabilityResult { run("restore --from latest --yes") }
    func startOver() -> CapabilityResult { run("restore --from latest --yes") }

    private struct Item: Decodable {
        let id: String
        let title: String
    }

    private func items(_ words: String) -> [Item] {
        (try? JSONDecoder().decode([Item].self, from: json(words))) ?? []
    }

    private func deleted() -> String { items("trash").map(\.id).joined(separator: " ") }

    func restoreDeleted() -> CapabilityResult { run("restore " + deleted()) }
    func purgeDeleted() -> CapabilityResult { run("purge --yes " + deleted()) }
    func copyFromPurged() -> CapabilityResult { run("resolve --all --copy --yes") }

    func letGoOfPurged() -> CapabilityResult {
        struct Open: Decodable {
            let id: String
            let kind: String
        }
        let open = (try? JSONDecoder().decode([Open].self, from: json("conflicts"))) ?? []
        let edited = open.filter { $0.kind == "editedAfterPurge" }
        if edited.isEmpty { return .nothing }
        for conflict in edited {
            let refused = run("purge \(conflict.id) --yes")
            if refused != .refused { return refused }
            let dropped = run("purge \(conflict.id) --force --yes")
            if dropped != .done { return dropped }
        }
        return .done
    }

    func retitle(_ title: String, to other: String) -> CapabilityResult {
        guard let item = items("list --all").first(where: { $0.title == title }) else {
            return .nothing
        }
        return run("edit \(item.id) -- '\(other)'")
    }

    func resolveTitles(mine: Bool) -> CapabilityResult {
        run("resolve --all --field title --yes " + (mine ? "--mine" : "--theirs"))
    }

    func undo(_ number: Int?, isForced: Bool) -> CapabilityResult {
        // A number is one of the list that was shown last; the library's is of the list as it is.
        if number != nil { _ = run("undo --list") }
        return run("undo" + (number.map { " \($0)" } ?? "") + (isForced ? " --force" : ""))
    }

    func redo() -> CapabilityResult { run("redo") }

    func changes() -> [String] {
        struct Change: Decodable {
            struct Entry: Decodable { let id: String }
            let undo: Bool
            let undone: Bool
            let entries: [Entry]
        }
        let changes = try? JSONDecoder().decode([Change].self, from: json("undo --list"))
        return (changes ?? []).map { change in
            let count = Set(change.entries.map(\.id)).count
            return "undo \(change.undo), undone \(change.undone), of \(count)"
        }
    }

    func examine() -> CapabilityResult { run("doctor") }
    func repair() -> CapabilityResult { run("doctor --fix --yes") }
    func rescue() -> CapabilityResult { run("doctor --fix --yes") }
    func resume() -> CapabilityResult { run("resume") }

    func progress(of title: String) -> [String] {
        struct Progress: Decodable {
            struct Device: Decodable {
                let device: String
                let seen: Bool
            }
            let storedByRelay: Bool?
            let devices: [Device]
            let reasons: [String]
        }
        guard let item = items("list --all").first(where: { $0.title == title }),
            let found = try? JSONDecoder().decode(
                Progress.self, from: json("why \(item.id)"))
        else { return ["no answer"] }
        return ["stored \(found.storedByRelay.map { "\($0)" } ?? "unknown")"]
            + found.devices.map { "\($0.device) \($0.seen)" }.sorted()
            + ["\(found.reasons.count) obstacles"]
    }

    func fingerprint(of name: String) -> String {
        struct Member: Decodable {
            let name: String
            let fingerprint: String?
        }
        let members = try? JSONDecoder().decode([Member].self, from: json("devices"))
        return members?.first { $0.name == name }?.fingerprint ?? ""
    }

    func serve() async -> String? {
        let program = TestFolder.program("tandem")
        folder.run(
            "sh", "-c",
            "'\(program)' --store '\(store)' daemon --listen 127.0.0.1:0 2> '\(store).log' & "
                + "echo $! > '\(store).process'; for i in $(seq 300); do "
                + "grep -q 'listening on' '\(store).log' && exit; sleep 0.1; done")
        let log = (try? Data(contentsOf: URL(filePath: "\(store).log"))) ?? Data()
        return String(decoding: log, as: UTF8.self).split(separator: "\n")
            .first { $0.contains("listening on ") }
            .flatMap { $0.split(separator: " ").last }.map { String($0) }
    }

    func stopServing() async {
        folder.run(
            "sh", "-c",
            "kill $(cat '\(store).process'); for i in $(seq 100); do "
                + "test -S '\(store)/daemon.sock' || exit; sleep 0.1; done")
    }

    func facts() -> [String] {
        struct Member: Decodable {
            let name: String
            let revoked: Bool
            let thisOne: Bool
            let invitationUsedTwice: Bool
            let admittedNotSeen: Bool
        }
        struct Status: Decodable {
            let pending: Int
            let revoked: Bool
            let green: Bool
            let held: [Held]
            let newIdentity: String?
            let conflicts: Int
        }
        struct Held: Decodable { let deletes: Int }
        let decoder = JSONDecoder()
        guard let status = try? decoder.decode(Status.self, from: json("status")),
            let members = try? decoder.decode([Member].self, from: json("devices"))
        else { return ["no answer"] }
        return items("list --all --limit 0").map { "has \($0.title)" }.sorted()
            + members.map {
                "device \($0.name)" + ($0.thisOne ? ", own" : "") + ($0.revoked ? ", revoked" : "")
                    + ($0.invitationUsedTwice ? ", late" : "")
                    + ($0.admittedNotSeen ? ", not seen" : "")
            } + [
                "\(status.pending) records",
                "\(status.held.reduce(0) { $0 + $1.deletes }) deletes held",
                "revoked \(status.revoked)", "green \(status.green)",
                "\(status.conflicts) conflicts", "new identity \(status.newIdentity != nil)",
            ]
    }
    func log() -> [String] {
        struct Event: Decodable {
            let event: String
            let device: String?
        }
        let events = try? JSONDecoder().decode([Event].self, from: json("devices --log"))
        return (events ?? []).map { event in
            let kind = event.event == "refused-here" ? "refusedHere" : event.event
            return "\(kind) \(event.device ?? "nobody")"
        }.sorted()
    }

    func snapshotCount() -> Int {
        struct Snapshot: Decodable { let number: Int }
        let found = try? JSONDecoder().decode([Snapshot].self, from: json("restore --list"))
        return found?.count ?? -1
    }
}
