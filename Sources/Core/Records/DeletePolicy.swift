/// What a space does when one device deletes a record while another edits it.
package enum DeletePolicy: UInt8, Hashable, Sendable, CaseIterable {
    /// The record stays deleted; the edit is listed as a conflict.
    case deletesWin = 0

    /// The edit brings the record back; the delete is listed as a conflict.
    case editsWin = 1

    /// The name used in settings and on the command line.
    package var name: String {
        switch self {
        case .deletesWin: "deletes-win"
        case .editsWin: "edits-win"
        }
    }

    /// The policy of that name.
    package init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}
