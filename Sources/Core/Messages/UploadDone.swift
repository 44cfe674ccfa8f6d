/// A device has uploaded all it has: how far that reaches, and what is new of what it states of itself.
package struct UploadDone: Hashable, Sendable {
    /// How far into its own sequence the device has uploaded.
    package var through: Checkpoint
    /// Rows of the device, for the others; sorted by key.
    ///
    /// Of many the rest is in the next message of this kind.
    package var rows: [SummaryRow]

    /// All that there was.
    package init(through: Checkpoint, rows: [SummaryRow] = []) {
        self.through = through
        self.rows = rows
    }

    /// As many messages as it takes to state rows; one if there are none.
    ///
    /// Digests go in the last one: they tell the device later that it has stated all that they are of.
    package static func messages(through: Checkpoint, _ rows: [SummaryRow]) -> [UploadDone] {
        let digests = rows.filter { $0.key.about == nil }
        let entries = rows.filter { $0.key.about != nil }.sorted { $0.key < $1.key }
        // With the digests there is room for one entry less.
        let most = WireLimits.summaryRowCountMax - digests.count
        var messages = stride(from: 0, to: max(1, entries.count), by: most).map {
            UploadDone(through: through, rows: Array(entries.dropFirst($0).prefix(most)))
        }
        messages[messages.count - 1].rows.insert(contentsOf: digests, at: 0)
        return messages
    }
}

extension UploadDone: WireMessage {
    enum Key: UInt64 {
        case through = 1
        case rows
    }

    /// The number of this kind of message.
    package static let kind: UInt64 = 22
    static let name = "upload"
    var asMessage: Message { .uploadDone(self) }
    var byteCountEstimate: Int { rows.reduce(64) { $0 + $1.bytes.count + 48 } }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.through)
        writer.item.checkpoint(through)
        if !rows.isEmpty {
            writer.key(Key.rows)
            writer.item.summaryRows(rows)
        }
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var through: Checkpoint?
        var rows: [SummaryRow] = []
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .through: through = try reader.item.checkpoint()
            case .rows: rows = try reader.item.summaryRows()
            }
        }
        self.init(through: try reader.required(through, Key.through), rows: rows)
    }

    var fields: [MessageField] {
        let told = rows.isEmpty ? [] : [MessageField("rows", .summaryRows(rows))]
        return [.init("through", .checkpoint(through))] + told
    }
}
