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
        ]
        self = table[code] ?? .unknown
    }
}

/// A device that a test drives by the program, or by the library.
protocol DrivenDevice {
    init(in folder: TestFolder, named name: String)
    func make() -> CapabilityResult
    func add(_ count: Int) -> CapabilityResult
    func deleteAll() -> CapabilityResult
    func invite(at relay: String) -> String
    func join(_ code: String) -> CapabilityResult
    func rename(to name: String) -> CapabilityResult
    func revoke(_ name: String) -> CapabilityResult
    func sync(with address: String?) -> CapabilityResult
    func acceptDeletes() -> CapabilityResult
    func pause() -> CapabilityResult
    func backup(to name: String) -> CapabilityResult
    func restoreLatest() -> CapabilityResult
    func startOver() -> CapabilityResult
    /// The visible state: its records, its devices, its problems.
    func facts() -> [String]
}

/// A device that is driven by the program.
struct ProgramDevice: DrivenDevice {
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

    private func json(_ words: String) -> Data {
        _ = run(words + " --json")
        return (try? Data(contentsOf: URL(filePath: output))) ?? Data()
    }

    func make() -> CapabilityResult { run("init --name \(name)") }

    func add(_ count: Int) -> CapabilityResult {
        let lines = (0..<count).map { "item \($0)" }.joined(separator: "\n")
        let file = "\(folder.path)/items.txt"
        folder.run("sh", "-c", "printf '%s\\n' '\(lines)' > '\(file)'")
        return run("import --format todotxt '\(file)'")
    }

    func deleteAll() -> CapabilityResult { run("delete --where item --yes") }

    func invite(at relay: String) -> String {
        struct Answer: Decodable { let code: String }
        return (try? JSONDecoder().decode(Answer.self, from: json("invite --relay '\(relay)'")))?
            .code ?? ""
    }

    func join(_ code: String) -> CapabilityResult { run("join '\(code)' --name \(name)") }
    func rename(to name: String) -> CapabilityResult { run("rename '\(name)'") }
    func revoke(_ name: String) -> CapabilityResult { run("revoke \(name) --yes") }
    func sync(with address: String?) -> CapabilityResult {
        run("sync " + (address.map { "'\($0)'" } ?? ""))
    }
    func acceptDeletes() -> CapabilityResult { run("accept-deletes --yes") }
    func pause() -> CapabilityResult { run("pause 1h") }
    func backup(to name: String) -> CapabilityResult {
        run("backup --verify '\(folder.path)/\(name)'")
    }
    func restoreLatest() -> CapabilityResult { run("restore --from latest --yes") }
    func startOver() -> CapabilityResult { run("restore --from latest --yes") }

    func facts() -> [String] {
        struct Member: Decodable {
            let name: String
            let revoked: Bool
            let thisOne: Bool
        }
        struct Status: Decodable {
            let pending: Int
            let revoked: Bool
            let green: Bool
            let held: [Held]
            let newIdentity: String?
        }
        struct Held: Decodable { let deletes: Int }
        let decoder = JSONDecoder()
        guard let status = try? decoder.decode(Status.self, from: json("status")),
            let members = try? decoder.decode([Member].self, from: json("devices"))
        else { return ["no answer"] }
        return members.map {
            "device \($0.name)" + ($0.thisOne ? ", own" : "") + ($0.revoked ? ", revoked" : "")
        } + [
            "\(status.pending) records",
            "\(status.held.reduce(0) { $0 + $1.deletes }) deletes held",
            "revoked \(status.revoked)", "green \(status.green)",
        ]
    }
}

/// A device that is driven by the library.
struct LibraryDevice: DrivenDevice {
    private static let schema = Schema(.collection("items", Attribute("title", .text)))
    let folder: TestFolder
    let name: String

    init(in folder: TestFolder, named name: String) {
        self.folder = folder
        self.name = name
    }

    private var path: String { "\(folder.path)/\(name)" }

    func opened() throws -> TandemStore {
        let store = TandemStore(at: path, schema: Self.schema)
        try store.open()
        return store
    }

    private func result(_ body: () throws -> Void) -> CapabilityResult {
        do {
            try body()
            return .done
        } catch {
            return CapabilityResult(error)
        }
    }

    func make() -> CapabilityResult {
        result { try TandemStore.open(at: path, schema: Self.schema, deviceName: name).close() }
    }

    func add(_ count: Int) -> CapabilityResult {
        result {
            try opened().write { edit in
                for number in 0..<count {
                    try edit.insert(into: "items", ["title": .text("item \(number)")])
                }
            }
        }
    }

    func deleteAll() -> CapabilityResult {
        result {
            let store = try opened()
            let all = try store.fetch(FetchRequest("items")).map(\.id)
            try store.write { edit in for id in all { try edit.delete(id) } }
        }
    }

    func invite(at relay: String) -> String { (try? opened().invite(at: [relay]).code) ?? "" }

    func join(_ code: String) -> CapabilityResult {
        result {
            try TandemStore.join(code, at: path, schema: Self.schema, deviceName: name).close()
        }
    }

    func rename(to name: String) -> CapabilityResult { result { try opened().rename(to: name) } }

    func revoke(_ name: String) -> CapabilityResult {
        result {
            let store = try opened()
            for device in try store.devices() where device.name == name {
                try store.revoke(device)
            }
        }
    }

    func sync(with address: String?) -> CapabilityResult {
        result {
            if let address {
                try opened().sync(with: address)
            } else {
                for outcome in try opened().syncWithKnown().values { _ = try outcome.get() }
            }
        }
    }

    func acceptDeletes() -> CapabilityResult {
        result { try opened().acceptDeletes() }
    }

    func pause() -> CapabilityResult {
        result { try TandemStore(at: path, schema: Self.schema).pauseSync(seconds: 3600) }
    }

    func backup(to name: String) -> CapabilityResult {
        result { try opened().backup(to: "\(folder.path)/\(name)", isVerified: true) }
    }

    func restoreLatest() -> CapabilityResult { result { try opened().restore(from: "latest") } }

    func startOver() -> CapabilityResult {
        result { _ = try TandemStore.startOver(at: path, schema: Self.schema, from: "latest") }
    }

    func facts() -> [String] {
        guard let store = try? opened(), let status = try? store.status(),
            let devices = try? store.devices(), let held = try? store.heldDeleteCount(),
            let count = try? store.count(FetchRequest("items"))
        else { return ["no answer"] }
        return devices.map {
            "device \($0.name)" + ($0.isOwn ? ", own" : "") + ($0.isRevoked ? ", revoked" : "")
        } + [
            "\(count) records", "\(held) deletes held",
            "revoked \(status.problems.contains { $0.kind == .revoked })",
            "green \(status.problems.isEmpty)",
        ]
    }
}

@Suite("The program and the library do the same", .timeLimit(.minutes(5)))
struct CapabilityTests {
    /// A step of a scenario: what was done, and what came of it.
    typealias Trace = [String]

    /// Plays a scenario by the program and by the library, and expects one trace.
    private func expectSame(
        _ body: (any DrivenDevice.Type, TestFolder, _ relay: String) -> Trace
    ) throws {
        var traces: [Trace] = []
        for kind: any DrivenDevice.Type in [ProgramDevice.self, LibraryDevice.self] {
            let folder = TestFolder()
            try folder.withRelay { relay in
                traces.append(body(kind, folder, try #require(relay)))
            }
        }
        #expect(traces[0] == traces[1])
        #expect(!traces[0].isEmpty)
    }

    /// Two devices of one space.
    private func pair(
        _ kind: any DrivenDevice.Type, _ folder: TestFolder, _ relay: String
    ) -> (any DrivenDevice, any DrivenDevice, Trace) {
        let (one, two) = (kind.init(in: folder, named: "one"), kind.init(in: folder, named: "two"))
        var trace = ["make \(one.make())"]
        trace.append("join \(two.join(one.invite(at: relay)))")
        trace.append("sync \(one.sync(with: nil))")
        return (one, two, trace)
    }

    @Test("pairing, a name that is taken, and nobody to sync with")
    func pairing() throws {
        try expectSame { kind, folder, relay in
            let alone = kind.init(in: folder, named: "alone")
            var trace = ["make \(alone.make())", "sync \(alone.sync(with: nil))"]
            trace.append("sync \(alone.sync(with: "127.0.0.1:1"))")
            trace.append("pause \(alone.pause())")
            let (one, two, more) = pair(kind, folder, relay)
            trace += more
            trace.append("rename \(two.rename(to: "one"))")
            trace.append("rename \(two.rename(to: "phone"))")
            trace.append("sync \(two.sync(with: nil)), \(one.sync(with: nil))")
            return trace + one.facts() + two.facts()
        }
    }

    @Test("a code that was used before lets nobody in and leaves nothing behind")
    func lateUsers() throws {
        try expectSame { kind, folder, relay in
            let one = kind.init(in: folder, named: "one")
            var trace = ["make \(one.make())"]
            let code = one.invite(at: relay)
            for name in ["two", "three"] {
                trace.append("join \(kind.init(in: folder, named: name).join(code))")
            }
            trace.append("three is gone: \(folder.lacks("three"))")
            trace.append("join \(kind.init(in: folder, named: "four").join("no code"))")
            trace.append("sync \(one.sync(with: nil))")
            return trace + one.facts()
        }
    }

    @Test("a revoked device is refused and knows it, and cannot invite")
    func revoking() throws {
        try expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more
            trace.append("revoke \(one.revoke("two"))")
            trace.append("revoke \(one.revoke("one"))")
            trace.append("sync \(two.sync(with: nil))")
            trace.append("invite is empty: \(two.invite(at: relay).isEmpty)")
            return trace + one.facts() + two.facts()
        }
    }

    @Test(
        "deletes of all records are held until they are accepted, and a snapshot brings them back")
    func heldDeletes() throws {
        try expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more
            trace.append("add \(one.add(30)), \(one.sync(with: nil)), \(two.sync(with: nil))")
            trace += two.facts()
            trace.append("delete \(one.deleteAll()), \(one.sync(with: nil))")
            trace.append("sync \(two.sync(with: nil))")
            trace += two.facts()
            trace.append("accept \(two.acceptDeletes()), \(two.sync(with: nil))")
            trace += two.facts()
            trace.append("restore \(two.restoreLatest()), \(two.sync(with: nil))")
            trace.append("sync \(one.sync(with: nil))")
            return trace + one.facts() + two.facts()
        }
    }

    @Test("beside what keeps a store in sync nothing joins, and it can be paused")
    func daemon() async throws {
        let folder = TestFolder()
        let relay = try #require(folder.startRelay())
        defer { folder.endRelay() }
        let code = {
            let host = LibraryDevice(in: folder, named: "host")
            _ = host.make()
            return host.invite(at: relay)
        }()
        let byProgram = ProgramDevice(in: folder, named: "program")
        #expect(byProgram.make() == .done)
        folder.run(
            "sh", "-c",
            "'\(TestFolder.program("tandem"))' --store '\(folder.path)/program' daemon --listen "
                + "127.0.0.1:0 > /dev/null 2>&1 & echo $! > '\(folder.path)/daemon'; "
                + "for i in $(seq 100); do test -S '\(folder.path)/program/daemon.sock' && exit; "
                + "sleep 0.1; done")
        let byLibrary = LibraryDevice(in: folder, named: "library")
        #expect(byLibrary.make() == .done)
        let service = SyncService(for: try byLibrary.opened(), listening: "127.0.0.1:0")
        try await service.start()
        for device: any DrivenDevice in [byProgram, byLibrary] {
            #expect(device.join(code) == .retryLater)
            #expect(device.pause() == .done)
        }
        await service.stop()
        folder.run("sh", "-c", "kill $(cat '\(folder.path)/daemon')")
        #expect(byLibrary.pause() == .unavailable)
    }

    @Test("a damaged store goes on from a snapshot, and no store is made where one is gone")
    func damaged() throws {
        try expectSame { kind, folder, relay in
            let (one, two, more) = pair(kind, folder, relay)
            var trace = more
            trace.append("add \(one.add(30)), \(one.sync(with: nil)), \(two.sync(with: nil))")
            trace.append(
                "delete \(one.deleteAll()), \(one.sync(with: nil)), \(two.sync(with: nil))")
            trace.append("backup \(two.backup(to: "copy")), \(two.backup(to: "copy"))")
            let database = "\(folder.path)/two/store.db"
            folder.run("sh", "-c", "rm '\(database)'*; printf 'no database' > '\(database)'")
            trace.append("sync \(two.sync(with: nil))")
            trace.append("start over \(two.startOver())")
            trace.append("sync \(two.sync(with: nil))")
            trace += two.facts()
            folder.run("sh", "-c", "rm '\(folder.path)/one/store.db'*")
            trace.append("make \(one.make())")
            trace.append("join \(one.join(two.invite(at: relay)))")
            return trace
        }
    }
}
