/// A relay has sent all it has: how far that reaches, and what is new of what devices state of themselves.
package struct DownloadDone: Hashable, Sendable {
    /// How far into its sequence the relay has read for this device.
    package var through: Checkpoint
    /// The rows behind those that the device has heard, its own among them, sorted by key.
    ///
    /// Of many the rest is in the next message of this kind.
    package var rows: [SummaryRow]
    /// The sum of the hashes of all rows that the relay has, modulo 2^128; nil if more rows follow.
    package var rowSum: UInt128?

    /// All that there was.
    package init(through: Checkpoint, rows: [SummaryRow] = [], rowSum: UInt128? = nil) {
        self.through = through
        self.rows = rows
        self.rowSum = rowSum
    }
}

extension DownloadDone: WireMessage {
    enum Key: UInt64 {
        case through = 1
        case rows
        case rowSum
    }

    static let kind: UInt64 = 23
    static let name = "download-done"
    var asMessage: Message { .downloadDone(self) }
    var byteCountEstimate: Int { rows.reduce(64) { $0 + $1.bytes.count + 48 } }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.through)
        writer.item.checkpoint(through)
        if !rows.isEmpty {
            writer.key(Key.rows)
            writer.item.summaryRows(rows)
        }
        if let rowSum {
            writer.key(Key.rowSum)
            writer.item.identifier(rowSum)
        }
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var through: Checkpoint?
        var rows: [SummaryRow] = []
        var rowSum: UInt128?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .through: through = try reader.item.checkpoint()
            case .rows: rows = try reader.item.summaryRows()
            case .rowSum: rowSum = try reader.item.identifier()
            }
        }
        self.init(
            through: try reader.required(through, Key.through), rows: rows, rowSum: rowSum)
    }

    var fields: [MessageField] {
        let told = rows.isEmpty ? [] : [MessageField("rows", .summaryRows(rows))]
        let sum = rowSum.map { [MessageField("sum", .wide($0))] } ?? []
        return [.init("through", .checkpoint(through))] + told + sum
    }
}
