/// Entries of a state summary by which two that differ are brought together: those that changed since the hearer's
/// summary checkpoint, and those of ids that the hearer has named.
///
/// An id that the hearer has named, and that is not here, has no entry at the speaker.
/// Source: Protocol/3-Messages.md, 5-Session.md.
package struct SummaryList: Hashable, Sendable {
    /// The entries, sorted by replica.
    package var entries: [StateSummaryEntry]

    /// A list of entries.
    package init(_ entries: [StateSummaryEntry]) {
        self.entries = entries
    }
}

extension SummaryList: WireMessage {
    enum Key: UInt64 {
        case entries = 1
    }

    static let kind: UInt64 = 18
    static let name = "summary-list"
    var asMessage: Message { .summaryList(self) }
    var byteCountEstimate: Int { 32 + entries.count * StateSummaryEntry.byteCountMax }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.entries)
        writer.item.entries(entries)
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var entries: [StateSummaryEntry]?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .entries: entries = try reader.item.entries()
            }
        }
        self.entries = try reader.required(entries, Key.entries)
    }

    var fields: [MessageField] { [.init("entries", .entries(entries))] }
}
