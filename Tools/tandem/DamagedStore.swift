import Devices
import Terminal
import ToDo

/// The report on a store that cannot be opened or read: the snapshots beside it, and the next
/// command.
struct DamagedStore {
    /// The folder of the store.
    let folder: DeviceFolder

    /// The store that a command line means, which need not be there.
    init(_ arguments: Arguments) throws {
        folder = DeviceFolder(try CommandContext.folder(arguments))
    }

    /// Returns the problem, without advice.
    static func reason(_ fault: StoreFault) -> String {
        switch fault {
        case .corrupt(_, let detail): detail
        case .notAStore: "its file is no database of this program"
        case .noStore: "its file is gone"
        case .inputOutput(_, _, let detail): detail
        case .database(_, let detail, _): detail
        default: fault.words
        }
    }

    /// A fault with what can be done about it, if it is about this store and there is anything.
    func explained(_ fault: StoreFault) -> any Error {
        guard folder.isConcerned(by: fault) else { return fault }
        let failure = CommandFailure(fault)
        // A new store made here would be in another space than the copy.
        if case .noStore = fault {
            if folder.isBeingReplaced { return explained(.replacementUnfinished(folder)) }
            guard let advice else { return fault }
            return CommandFailure(failure.code, "the store in \(folder.path) is gone; \(advice)")
        }
        let parts = [
            failure.message, "to see what can be read of it, and rescue that: \(rescueCommand)",
        ]
        return CommandFailure(
            failure.code, (parts + (advice.map { [$0] } ?? [])).joined(separator: "; "))
    }

    /// The same for a fault of the device.
    func explained(_ fault: DeviceFault) -> any Error {
        switch fault {
        case .storeGone:
            CommandFailure(
                .refused,
                "the store in \(folder.path) is gone; \(advice ?? Self.otherWays); to make another one, "
                    + "move that folder elsewhere first")
        case .replacementUnfinished:
            CommandFailure(
                .configuration,
                "the store in \(folder.path) was being replaced; to finish that: \(rescueCommand)")
        case .replacementDamaged(_, let fault):
            CommandFailure(
                .badData,
                "\(folder.paths.replacement) is not whole (\(Self.reason(fault))): move it elsewhere; then "
                    + (advice ?? Self.otherWays))
        default: fault
        }
    }

    /// The snapshots beside the store, and the command to use one; nil if there is none.
    var advice: String? {
        let snapshots = folder.snapshots
        guard let last = snapshots.last else {
            return folder.hasKeys && folder.isEmpty
                ? "the keys of its space are still there; how a backup is put back: \(AdvisedLine.program) restore --from FOLDER"
                : nil
        }
        let count = snapshots.count == 1 ? "is a snapshot" : "are \(snapshots.count) snapshots"
        return """
            there \(count) of it in \(folder.paths.snapshots), the last one of \
            \(Self.words(ofSnapshot: last.time)); to put this store aside and go on from there: \(command)
            """
    }

    /// When a snapshot was taken.
    ///
    /// - Parameter time: milliseconds since 1970-01-01 UTC.
    static func words(ofSnapshot time: Int64) -> String {
        let zone = try? CommandContext.systemZone()
        return zone.map { DatePhrase.absolute(.instant(time), zone: $0) }
            ?? TimestampText.rfc3339(time)
    }

    /// The steps that remain whatever the state of the store and its snapshots.
    static var otherWays: String {
        """
        If other devices have the to-dos, join anew in another folder: type on one of them `tandem invite`,
        and on this one `tandem --store FOLDER join`; else go on from a backup: \(AdvisedLine.program) restore --from FOLDER
        """
    }

    /// The command to go on with the readable part.
    var rescueCommand: String { "\(AdvisedLine.program) doctor --fix" }

    /// The command to go on from the newest snapshot.
    var command: String {
        "\(AdvisedLine.program) restore --from latest"
    }
}
