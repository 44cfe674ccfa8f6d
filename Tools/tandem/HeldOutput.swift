import Core
import Devices
import JSON
import Storage
import Terminal
import ToDo

/// The texts about deletes that are held here.
extension DeleteHold {
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

    /// The number of deletes applied so far, in words.
    var takenWords: String {
        let taken = deletes.takenCount
        if taken == 0 { return "nothing of that was taken" }
        // So many pass only after somebody has said that they may.
        return "\(taken) \(taken == 1 ? "was" : "were") taken "
            + (isPartlyAccepted ? "as accepted" : "before they were so many")
            + "; the rest waits for a word"
    }

    /// The deletes that would be applied, in words.
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
