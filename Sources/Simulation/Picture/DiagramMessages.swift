/// What became of each message of a chronicle.
struct DiagramMessages {
    private var found: [Int: DiagramMessage] = [:]

    /// Follows every message of the chronicle.
    init(_ chronicle: Chronicle) {
        let moments = chronicle.moments
        for (index, moment) in moments.enumerated() {
            switch moment.happening {
            case .sent(let message, let to, let kind, let byteCount):
                found[message] = DiagramMessage(
                    from: moment.lane, to: to, kind: kind, byteCount: byteCount, sent: index)
            case .received(let message):
                found[message]?.received = index
                found[message]?.isCarrying = Self.isFollowedByMerge(index, moments)
            case .lost(let message, let why):
                guard found[message]?.received == nil else { break }
                found[message]?.lost = index
                found[message]?.reason = why
            default: break
            }
        }
    }

    subscript(message: Int) -> DiagramMessage? { found[message] }

    private static func isFollowedByMerge(_ index: Int, _ moments: [Moment]) -> Bool {
        // A session answers before the merge is told, at most with a few messages.
        for moment in moments[(index + 1)...].prefix(8) {
            guard moment.lane == moments[index].lane else { return false }
            switch moment.happening {
            case .merged: return true
            case .sent: continue
            default: return false
            }
        }
        return false
    }
}
