import Core

/// Something that a person does to a record.
enum Move: Hashable, CustomStringConvertible {
    /// Saves fields, perhaps to end a conflict.
    case save([Assignment], resolves: Bool)
    case delete
    case restore
    /// By force: the rules about when a purge is refused are checked apart.
    case purge

    var description: String {
        switch self {
        case .save(let assignments, let resolves):
            (resolves ? "resolve " : "save ")
                + assignments.map { "\($0.field)=\($0.value)" }.joined(separator: ",")
        case .delete: "delete"
        case .restore: "restore"
        case .purge: "purge"
        }
    }
}
