import Terminal
import ToDo

extension RecordStanding {
    /// The next step for whoever wants the to-do back; nil if there is none.
    ///
    /// - Parameter name: the number of the to-do, or a part of its id.
    func wayBack(_ name: String) -> String? {
        switch self {
        case .live, .purged: nil
        case .trashed: "\(AdvisedLine.program) restore \(name)"
        case .editedAfterPurge:
            "copy them into a new to-do: \(AdvisedLine.program) resolve \(name) --copy"
        }
    }
}

extension CommandFailure {
    /// The refusal of a command that needs a live to-do.
    ///
    /// - Parameter outcome: the end of the sentence: "nothing was saved".
    init(
        _ stored: Record, is standing: RecordStanding, _ outcome: String, _ context: CommandContext
    ) {
        let back = standing.wayBack(context.end(of: stored.id))
        let advice =
            switch standing {
            case .trashed: "; bring it back first: "
            default: "; "
            }
        self.init(
            .refused,
            "'\(stored.shownTitle)' \(standing.predicate), so \(outcome)"
                + (back.map { advice + $0 } ?? ""))
    }
}
