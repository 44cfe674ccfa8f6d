import Devices
import Storage
import ToDo
import Transport

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
        case .noStore(let place): place == folder
        default: fault.tellsOfDamage
        }
    }

    /// Whether a whole store waits to be put in place, and there is none: a program ended before it was done.
    var isBeingReplaced: Bool {
        isGone && SystemWorld.environment().disk.exists(StorePaths(folder: folder).replacement)
    }

    private var isGone: Bool {
        !SystemWorld.environment().disk.exists(StorePaths(folder: folder).database)
    }

    /// Folders with damaged stores that were put aside here.
    var asideFolders: [String] {
        SystemWorld.environment().disk.fileNames(in: folder).filter {
            $0.hasPrefix(StorePaths.asidePrefix)
        }.sorted().map { folder + "/" + $0 }
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
        guard isMeant(by: fault) else { return fault }
        let failure = CommandFailure(fault)
        // Who makes another store there is in another space than the copy.
        if case .noStore = fault {
            if isBeingReplaced {
                return CommandFailure(
                    failure.code,
                    "the store in \(folder) was being replaced; to finish that: \(rescueCommand)")
            }
            guard let advice else { return fault }
            return CommandFailure(failure.code, "the store in \(folder) is gone; \(advice)")
        }
        let parts = [
            failure.message, "to see what can be read of it, and rescue that: \(rescueCommand)",
        ]
        return CommandFailure(
            failure.code, (parts + (advice.map { [$0] } ?? [])).joined(separator: "; "))
    }

    /// Refuses to make a store where one is gone of which there are copies, or the keys.
    static func refuseToReplace(_ arguments: Arguments) throws {
        let gone = try DamagedStore(arguments)
        if gone.isBeingReplaced { throw gone.explained(.noStore(folder: gone.folder)) }
        guard gone.isGone, let advice = gone.advice else { return }
        throw CommandFailure(
            .refused,
            "the store in \(gone.folder) is gone; \(advice); to make another one, move that folder elsewhere first"
        )
    }

    /// What lies beside the store, and how it is put to use; nil if there is nothing.
    var advice: String? {
        guard let last = snapshots.last else {
            // A new space would take the place of the keys, and nobody can make them again.
            return isGone && SystemWorld.environment().disk.exists(Keyring.path(in: folder))
                ? "the keys of its space are still there; how a backup is put back: tandem restore --from FOLDER\(option)"
                : nil
        }
        let count = snapshots.count == 1 ? "is a snapshot" : "are \(snapshots.count) snapshots"
        return """
            there \(count) of it in \(StorePaths(folder: folder).snapshots), the last one of \
            \(Self.time(of: last)); to put this store aside and go on from there: \(command)
            """
    }

    /// When a snapshot was taken.
    static func time(of snapshot: Store.Snapshot) -> String {
        let zone = try? Workplace.systemZone()
        return zone.map { DatePhrase.absolute(.instant(snapshot.time), zone: $0) }
            ?? TimestampText.rfc3339(snapshot.time)
    }

    /// What is left to do whatever the store and its snapshots are like.
    static let otherWays = """
        If other devices have the to-dos, join anew elsewhere: tandem invite on one of them, then
        tandem --store FOLDER join here; else go on from a backup: tandem restore --from FOLDER
        """

    /// What to type to go on with what can be read.
    var rescueCommand: String { "tandem doctor --fix" + option }

    /// What to type to go on from the newest snapshot.
    var command: String {
        "tandem restore --from latest" + option
    }

    private var option: String { isNamed ? " --store \(folder.shellQuoted)" : "" }
}
