import Runtime
import Storage
import ToDo

/// A store that cannot be opened or read: what lies beside it, and what to type.
struct DamagedStore {
    /// The folder of the store.
    let folder: String
    /// Its snapshots, oldest first.
    let snapshots: [Store.Snapshot]
    private let isNamed: Bool

    /// The store that a command line means, which need not be there.
    init(_ arguments: Arguments) throws {
        folder = try Workplace.folder(arguments)
        isNamed = arguments["store"] != nil
        snapshots = Store.snapshots(
            of: StorePaths(folder: folder), on: SystemWorld.environment())
    }

    /// Whether a fault says that this store cannot be used as it is.
    func isMeant(by fault: StoreFault) -> Bool {
        let database = StorePaths(folder: folder).database
        return switch fault {
        case .corrupt(let path, _), .notAStore(let path): path == database
        case .inputOutput(_, let path, _): path == database
        case .noStore(let place): place == folder
        case .database: true
        default: false
        }
    }

    /// What is wrong, without what to do about it.
    static func reason(_ fault: StoreFault) -> String {
        switch fault {
        case .corrupt(_, let detail): detail
        case .notAStore: "its file is no database of this program"
        case .noStore: "its file is gone"
        case .inputOutput(_, _, let detail): detail
        case .database(_, let detail, _): detail
        default: "\(fault)"
        }
    }

    /// A fault with what can be done about it, if it is about this store and there is anything.
    func explained(_ fault: StoreFault) -> any Error {
        guard isMeant(by: fault), let advice else { return fault }
        let failure = CommandFailure(fault)
        // Who makes another store there is in another space than the copy.
        if case .noStore = fault {
            return CommandFailure(failure.code, "the store in \(folder) is gone; \(advice)")
        }
        return CommandFailure(failure.code, "\(failure.message); \(advice)")
    }

    /// Refuses to make a store where one is gone of which there are copies.
    static func refuseToReplace(_ arguments: Arguments) throws {
        let gone = try DamagedStore(arguments)
        let database = StorePaths(folder: gone.folder).database
        guard let advice = gone.advice, !SystemWorld.environment().disk.exists(database) else {
            return
        }
        throw CommandFailure(
            .refused,
            "the store in \(gone.folder) is gone; \(advice); to make another one, move that folder elsewhere first"
        )
    }

    /// What lies beside the store, and how it is put to use; nil if there is nothing.
    var advice: String? {
        guard let last = snapshots.last else { return nil }
        let zone = try? TimeZoneLoader.system.zone(variable: Workplace.environment("TZ"))
        let time =
            zone.map { DatePhrase.absolute(.instant(last.time), zone: $0) }
            ?? TimestampText.rfc3339(last.time)
        let count =
            snapshots.count == 1 ? "is a snapshot" : "are \(snapshots.count) snapshots"
        return """
            there \(count) of it in \(StorePaths(folder: folder).snapshots), the last one of \(time); \
            to put this store aside and go on from there: \(command)
            """
    }

    /// What to type to go on from the newest snapshot.
    var command: String {
        "tandem restore --from latest" + (isNamed ? " --store \(folder.shellQuoted)" : "")
    }
}
