import FoundationEssentials
import Tandem
import Testing

/// A device that is driven by the library.
final class LibraryDevice: DrivenDevice {
    private static let schema = Schema(.collection("items", Attribute("title", .text)))
    let folder: TestFolder
    let name: String
    private var service: SyncService?

    init(in folder: TestFolder, named name: String) {
        self.folder = folder
        self.name = name
    }

    private var path: String { "\(folder.path)/\(name)" }
    /// The last one, which waits for as long as it is held.
    private var invitation: Invitation?

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

    /// `nothing` if there was nothing to do.
    private func found(_ body: () throws -> Bool) -> CapabilityResult {
        do {
            return try body() ? .done : .nothing
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
            let all = try store.fetch(FetchRequest("items")).map(\.name)
            try store.write { edit in for id in all { try edit.delete(id) } }
        }
    }

    func invite(at relay: String) -> String {
        guard let made = try? opened().invite(at: [relay], seconds: 120, admitsFirst: true) else {
            return ""
        }
        invitation = made
        return made.code
    }

    func join(_ code: String) -> CapabilityResult {
        result {
            try TandemStore.join(code, at: path, schema: Self.schema, deviceName: name).close()
        }
    }

    func rename(to name: String) -> CapabilityResult { result { try opened().rename(to: name) } }

    func revoke(_ name: String, takesBack: Bool) -> CapabilityResult {
        result {
            let store = try opened()
            for device in try store.devices() where device.name == name {
                let told = takesBack ? try store.rehearseTakeBack(of: device) : nil
                let taken = try store.revoke(device, takesBack: takesBack)
                #expect(taken == told)
            }
        }
    }

    func admit(_ name: String) -> CapabilityResult {
        found { try opened().admitRefusedDevice(named: name) }
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

    func refuseDeletes() -> CapabilityResult { result { try opened().refuseDeletes() } }

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

    private func change(
        trashed: Bool, _ body: (WriteTransaction, RecordName) throws -> Void
    ) -> CapabilityResult {
        result {
            let store = try opened()
            let found = try store.fetch(FetchRequest("items", scope: trashed ? .trash : .live))
            try store.write { edit in for record in found { try body(edit, record.name) } }
        }
    }

    func restoreDeleted() -> CapabilityResult {
        change(trashed: true) { edit, id in try edit.restore(id) }
    }

    func purgeDeleted() -> CapabilityResult {
        change(trashed: true) { edit, id in try edit.purge(id) }
    }

    private func editedAfterPurge(
        _ body: (TandemStore, RecordName) throws -> Void
    ) -> CapabilityResult {
        found {
            let store = try opened()
            let open = try store.conflicts().filter { $0.kind == .editedAfterPurge }
            for conflict in open { try body(store, conflict.record.name) }
            return !open.isEmpty
        }
    }

    func copyFromPurged() -> CapabilityResult {
        editedAfterPurge { store, name in
            _ = try store.write { edit in try edit.copyFromPurged(name) }
        }
    }

    func letGoOfPurged() -> CapabilityResult {
        editedAfterPurge { store, name in
            do {
                _ = try store.write { edit in try edit.purge(name) }
            } catch let error as TandemError where error.code == .conflictOpen {
                _ = try store.write { edit in try edit.purge(name, isForced: true) }
            }
        }
    }

    private func record(_ title: String, in store: TandemStore) throws -> Record? {
        try store.fetch(FetchRequest("items")).first { $0["title"] == .text(title) }
    }

    func retitle(_ title: String, to other: String) -> CapabilityResult {
        found {
            let store = try opened()
            guard let record = try record(title, in: store) else { return false }
            try store.write { edit in try edit.update(record.name, ["title": .text(other)]) }
            return true
        }
    }

    func resolveTitles(mine: Bool) -> CapabilityResult {
        found {
            let store = try opened()
            let open = try store.conflicts().filter { $0.attribute == "title" }
            try store.write { edit in
                for conflict in open {
                    for candidate in conflict.candidates where candidate.isOwn == mine {
                        try edit.resolve(conflict.record.name, "title", with: candidate.value)
                    }
                }
            }
            return !open.isEmpty
        }
    }

    private func undoing(_ body: () throws -> UndoResult) -> CapabilityResult {
        do {
            switch try body() {
            case .done: return .done
            case .refused: return .refused
            case .nothing: return .nothing
            }
        } catch {
            return CapabilityResult(error)
        }
    }

    func undo(_ number: Int?, isForced: Bool) -> CapabilityResult {
        undoing {
            let store = try opened()
            guard let number else { return try store.undo(isForced: isForced) }
            let changes = try store.localChanges(limit: number)
            if changes.count < number { return .nothing }
            return try store.undo(changes[number - 1], isForced: isForced)
        }
    }

    func redo() -> CapabilityResult { undoing { try opened().redo() } }

    func changes() -> [String] {
        ((try? opened().localChanges()) ?? []).map { change in
            let count = Set(change.edits.map(\.record)).count
            return "undo \(change.isUndo), undone \(change.isUndone), of \(count)"
        }
    }

    func examine() -> CapabilityResult {
        found { try opened().examine().isClean }
    }

    func repair() -> CapabilityResult {
        result {
            let store = try opened()
            try store.repair(try store.examine())
        }
    }

    func rescue() -> CapabilityResult {
        result { _ = try TandemStore.rescue(at: path, schema: Self.schema) }
    }

    func resume() -> CapabilityResult {
        result { try TandemStore(at: path, schema: Self.schema).resumeSync() }
    }

    func progress(of title: String) -> [String] {
        guard let store = try? opened(), let record = try? record(title, in: store),
            let found = try? store.progress(of: record.name)
        else { return ["no answer"] }
        return ["stored \(found.isStoredByRelay.map { "\($0)" } ?? "unknown")"]
            + found.devices.map { "\($0.key) \($0.value)" }.sorted()
            + ["\(found.obstacleCount) obstacles"]
    }

    func fingerprint(of name: String) -> String {
        (try? opened().devices().first { $0.name == name }?.id) ?? ""
    }

    func serve() async -> String? {
        guard let store = try? opened() else { return nil }
        let service = SyncService(for: store, listening: "127.0.0.1:0")
        self.service = service
        guard (try? await service.start()) != nil else { return nil }
        return await service.listening()
    }

    func stopServing() async {
        await service?.stop()
        service = nil
    }

    func facts() -> [String] {
        guard let store = try? opened(), let status = try? store.status(),
            let devices = try? store.devices(), let held = try? store.heldDeleteCount(),
            let count = try? store.count(FetchRequest("items")),
            let conflicts = try? store.conflicts(),
            let records = try? store.fetch(FetchRequest("items"))
        else { return ["no answer"] }
        let titles = records.map { record -> String in
            if case .text(let title) = record["title"] { title } else { "" }
        }
        return titles.map { "has \($0)" }.sorted()
            + devices.map {
                "device \($0.name)" + ($0.isOwn ? ", own" : "") + ($0.isRevoked ? ", revoked" : "")
                    + ($0.hasUsedCode ? ", late" : "") + ($0.hasJoined ? "" : ", not seen")
            } + [
                "\(count) records", "\(held) deletes held",
                "revoked \(status.problems.contains { $0.kind == .revoked })",
                "green \(status.problems.isEmpty)",
                "\(Set(conflicts.map(\.record.id)).count) conflicts",
                "new identity \(status.hasNewIdentity)",
            ]
    }
    func log() -> [String] {
        ((try? opened().deviceEvents()) ?? []).map { "\($0.kind) \($0.device ?? "nobody")" }
            .sorted()
    }

    func snapshotCount() -> Int { TandemStore(at: path, schema: Self.schema).snapshots.count }
}
