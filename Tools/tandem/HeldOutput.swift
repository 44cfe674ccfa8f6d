import Core
import JSON
import Storage
import ToDo

/// Deletes that wait for a person's word, and whose they are, as people call them.
struct HeldOutput {
    let deletes: HeldDeletes
    /// The name of the device or relay that they came from.
    let name: String
    /// Whether that is a relay, which does not say who deleted.
    let isRelay: Bool
    /// The path of the snapshot that was taken before; nil if there was no room for one, or it is gone.
    let snapshotPath: String?

    /// All that wait, oldest first.
    static func all(_ place: Workplace) throws -> [HeldOutput] {
        let held = try place.store.heldDeletes()
        if held.isEmpty { return [] }
        let met = try MetPeer.all(try place.store.summary(), place)
        return try held.map { deletes in
            let known = met.first { $0.replica == deletes.peer }
            return HeldOutput(
                deletes: deletes, name: try known?.name ?? place.todos.deviceName(deletes.peer),
                isRelay: known?.isRelay ?? false,
                snapshotPath: deletes.snapshot.isEmpty
                    ? nil : place.store.paths.snapshots + "/" + deletes.snapshot)
        }
    }

    /// Where the to-dos are as they were before.
    var snapshotWords: String {
        snapshotPath
            ?? (deletes.isSnapshotGone
                ? "the copy was let go of since" : "there was no room for a copy")
    }

    /// Where they can be taken back.
    var placeWords: String {
        isRelay ? "the device where they were made" : name.shownInLine
    }

    /// What has become of them so far.
    var takenWords: String {
        let taken = deletes.takenCount
        if taken == 0 { return "nothing of that was taken" }
        // So many pass only after somebody has said that they may.
        let isAccepted = DeletionBrake().holds(taken, of: deletes.liveCount)
        return "\(taken) \(taken == 1 ? "was" : "were") taken "
            + (isAccepted ? "as accepted" : "before they were so many")
            + "; the rest waits for a word"
    }

    /// What would happen.
    var words: String {
        "\(name.shownInLine) would delete at least \(deletes.deletedCount) of "
            + Echo.count(deletes.liveCount)
    }

    /// The same for programs.
    var json: JSONValue {
        JSONOutput.object([
            ("replica", JSONOutput.text(deletes.peer.uuidText)), ("device", JSONOutput.text(name)),
            ("deletes", .number(deletes.deletedCount)), ("of", .number(deletes.liveCount)),
            ("taken", .number(deletes.takenCount)),
            ("since", JSONOutput.text(TimestampText.rfc3339(deletes.since))),
            ("snapshot", snapshotPath.map(JSONOutput.text) ?? .null),
        ])
    }
}
