/// Nothing is left to send: what the speaker has, read in the transaction that found nothing more.
package struct CaughtUp: Hashable, Sendable {
    /// How far into its sequence the speaker has read.
    package let through: Checkpoint
    /// The entries that changed since the speaker's last state summary in this session; of many these are the last,
    /// behind those of `SummaryPage`s.
    package let changed: [StateSummaryEntry]
    /// The digest; nil if it is the one of the speaker's last state summary in this session.
    package let digest: Digest?
    /// The sum of the hashes of all entries; nil if none has changed.
    package let sum: UInt128?
    /// The speaker's summary sequence; nil if it is the one last told in this session.
    package let summarySequence: UInt64?

    /// The end of what there was to send.
    package init(
        through: Checkpoint, changed: [StateSummaryEntry], digest: Digest?, sum: UInt128? = nil,
        summarySequence: UInt64? = nil
    ) {
        self.through = through
        self.changed = changed
        self.digest = digest
        self.sum = sum
        self.summarySequence = summarySequence
    }
}

extension CaughtUp: WireMessage {
    enum Key: UInt64 {
        case through = 1
        case changed, digest, sum, summarySequence
    }

    static let kind: UInt64 = 4
    static let name = "caught-up"
    var asMessage: Message { .caughtUp(self) }
    var byteCountEstimate: Int { 64 + changed.count * 48 }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.through)
        writer.item.checkpoint(through)
        if !changed.isEmpty {
            writer.key(Key.changed)
            writer.item.entries(changed)
        }
        if let digest {
            writer.key(Key.digest)
            writer.item.digest(digest)
        }
        if let sum {
            writer.key(Key.sum)
            writer.item.identifier(sum)
        }
        if let summarySequence {
            writer.key(Key.summarySequence)
            writer.item.unsigned(summarySequence)
        }
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var through: Checkpoint?
        var changed: [StateSummaryEntry] = []
        var digest: Digest?
        var sum: UInt128?
        var summarySequence: UInt64?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .through: through = try reader.item.checkpoint()
            case .changed: changed = try reader.item.entries()
            case .digest: digest = try reader.item.digest()
            case .sum: sum = try reader.item.identifier()
            case .summarySequence: summarySequence = try reader.item.counter()
            }
        }
        guard changed.isEmpty || sum != nil else { throw .missingKey(Int(Key.sum.rawValue)) }
        self.init(
            through: try reader.required(through, Key.through), changed: changed, digest: digest,
            sum: sum, summarySequence: summarySequence)
    }

    var fields: [MessageField] {
        var fields = [MessageField("through", .checkpoint(through))]
        if !changed.isEmpty { fields.append(.init("changed", .entries(changed))) }
        if let digest { fields.append(.init("digest", .digest(digest))) }
        if let sum { fields.append(.init("summary", .wide(sum))) }
        if let summarySequence {
            fields.append(.init("summary sequence", .number(summarySequence)))
        }
        return fields
    }
}
