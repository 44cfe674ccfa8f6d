/// A piece of what a device states of itself through a relay: an entry of its state summary, or the digests of it.
///
/// A relay keeps one row for each key, that with the highest number. Source: Protocol/10-Relay.md.
package struct SummaryRow: Hashable, Sendable {
    /// The device that states a row, and what the row is about.
    package struct Key: Hashable, Comparable, Sendable {
        /// The device's replica id.
        package let replica: ReplicaID
        /// The replica id of the entry; nil for the digests.
        package let about: ReplicaID?

        /// A key.
        package init(_ replica: ReplicaID, about: ReplicaID?) {
            self.replica = replica
            self.about = about
        }

        package static func < (left: Key, right: Key) -> Bool {
            if left.replica != right.replica { return left.replica < right.replica }
            guard let right = right.about else { return false }
            return left.about.map { $0 < right } ?? true
        }
    }

    /// The device that states the row, and the replica that the row is about.
    package var key: Key
    /// Grows with each row that the device states for the key.
    package var number: UInt64
    /// The content, sealed in a space with encryption; as long as `WireLimits.summaryRowByteCountMax` at the most.
    package var bytes: [UInt8]

    /// A row.
    package init(_ key: Key, number: UInt64, bytes: [UInt8]) {
        self.key = key
        self.number = number
        self.bytes = bytes
    }

    /// Whether a relay keeps the row that it has of the key, rather than this one.
    ///
    /// A number far above the one there is no device's: near the end of all numbers a row could never be replaced.
    package func isCovered(by known: SummaryRow?) -> Bool {
        let last = known?.number ?? 0
        return last > number || known == self || number - last > WireLimits.summaryRowStepMax
    }

    /// The summand of a relay's sum of its rows: SipHash-2-4-128, with the keys 0 and 0, of the row as it is sent.
    package var hash: UInt128 {
        var writer = CanonicalWriter()
        writer.summaryRow(self)
        return SipHash().hash128(writer.bytes)
    }
}

/// The content of a row.
///
/// Shape in deterministic CBOR: `[counter, checksum, seen]`, with `[epoch, start]` behind them where an incarnation is
/// known, and the number of a request behind that, after null if none is known; or `[sum, digest]`.
/// Source: Protocol/10-Relay.md, A summary row.
package enum SummaryRowContent: Hashable, Sendable {
    /// An entry of a state summary, with the newest incarnation of its replica that the speaker knows.
    ///
    /// With a request, the speaker lacks writes of the replica that others state, though it has read the relay from its
    /// start: who has them is to upload them again.
    case entry(StateSummaryEntry, Incarnation?, request: UInt64? = nil)
    /// The sum of the hashes of all entries, and the digest of the contents.
    case digests(sum: UInt128, Digest)

    /// Reads what `bytes` wrote of a replica's entry, or of the digests if that is nil; whole.
    package init(decoding bytes: [UInt8], about replica: ReplicaID?) throws(WireFault) {
        var result: Result<SummaryRowContent, WireFault> = .failure(.truncated)
        bytes.withUnsafeBytes { buffer in
            do throws(WireFault) {
                var reader = CanonicalReader(buffer)
                let content =
                    if let replica { try reader.summaryRowEntry(of: replica) } else {
                        try reader.summaryRowDigests()
                    }
                try reader.finish()
                result = .success(content)
            } catch {
                result = .failure(error)
            }
        }
        self = try result.get()
    }

    /// The replica id of the entry; nil for the digests.
    package var about: ReplicaID? {
        if case .entry(let entry, _, _) = self { entry.replica } else { nil }
    }

    /// The canonical bytes.
    package var bytes: [UInt8] {
        var writer = CanonicalWriter()
        switch self {
        case .entry(let entry, let incarnation, let request):
            writer.array(request != nil ? 5 : incarnation != nil ? 4 : 3)
            writer.unsigned(entry.counter)
            writer.identifier(entry.checksum)
            writer.unsigned(entry.seen)
            if let incarnation {
                writer.start(incarnation)
            } else if request != nil {
                writer.null()
            }
            if let request { writer.unsigned(request) }
        case .digests(let sum, let digest):
            writer.array(2)
            writer.identifier(sum)
            writer.digest(digest)
        }
        return writer.bytes
    }

    /// The parts with their values, for a person to read.
    package var fields: [MessageField] {
        switch self {
        case .entry(let entry, let incarnation, let request):
            let known = incarnation.map {
                [
                    MessageField("epoch", .epoch($0.epoch)),
                    MessageField("start", .number($0.counter)),
                ]
            }
            return [
                .init("counter", .number(entry.counter)), .init("checksum", .wide(entry.checksum)),
                .init("seen", .number(entry.seen)),
            ] + (known ?? []) + (request.map { [MessageField("request", .number($0))] } ?? [])
        case .digests(let sum, let digest):
            return [.init("sum", .wide(sum)), .init("digest", .digest(digest))]
        }
    }
}

/// A row that a device is to state at a relay, or need not, as another device has stated an equal one.
package struct DueSummaryRow: Hashable, Sendable {
    /// The content.
    package let content: SummaryRowContent
    /// The number that it gets; that of the device's last row of the key if it is not stated.
    package let number: UInt64
    /// Whether it is stated.
    package let isStated: Bool
    /// The hash of the row as it is sent; 0 if it is not stated.
    package var hash: UInt128 = 0

    /// A row.
    package init(content: SummaryRowContent, number: UInt64, isStated: Bool) {
        self.content = content
        self.number = number
        self.isStated = isStated
    }
}

extension CanonicalReader {
    fileprivate mutating func summaryRowEntry(
        of replica: ReplicaID
    ) throws(WireFault) -> SummaryRowContent {
        let count = try array(max: 5, .summaryRow)
        guard count >= 3 else { throw .outOfRange(.summaryRow) }
        let counter = try counter()
        let checksum = try identifier()
        let seen = try self.counter()
        // Who asks for writes may have none of that replica.
        guard seen >= counter, seen > 0 || count == 5 else { throw .outOfRange(.summaryEntry) }
        let entry = StateSummaryEntry(
            replica: replica, counter: counter, checksum: checksum, seen: seen)
        if count == 3 { return .entry(entry, nil) }
        let incarnation = count == 5 && null() ? nil : try epochStart()
        guard count == 5 else { return .entry(entry, incarnation) }
        let request = try self.counter()
        guard request > 0 else { throw .outOfRange(.summaryRow) }
        return .entry(entry, incarnation, request: request)
    }

    fileprivate mutating func summaryRowDigests() throws(WireFault) -> SummaryRowContent {
        guard try array(max: 2, .summaryRow) == 2 else { throw .outOfRange(.summaryRow) }
        let sum = try identifier()
        return .digests(sum: sum, try digest())
    }
}

// MARK: In messages

extension CanonicalWriter {
    /// Writes rows one behind the other: `[replica, about, number, content, …]`.
    mutating func summaryRows(_ rows: [SummaryRow]) {
        array(rows.count * 4)
        for row in rows { summaryRow(row) }
    }

    /// Writes a row without its head: replica, about, number, content.
    fileprivate mutating func summaryRow(_ row: SummaryRow) {
        identifier(row.key.replica.value)
        if let about = row.key.about { identifier(about.value) } else { null() }
        unsigned(row.number)
        byteString(row.bytes)
    }
}

extension CanonicalReader {
    /// Takes rows, sorted by key; where there are none the key of the message is left out.
    mutating func summaryRows() throws(WireFault) -> [SummaryRow] {
        let count = try array(max: WireLimits.summaryRowCountMax, of: 4, .summaryRows)
        guard count % 4 == 0, count > 0 else { throw .outOfRange(.summaryRowsLength) }
        var rows: [SummaryRow] = []
        for _ in 0..<count / 4 {
            let replica = ReplicaID(value: try identifier())
            let about = null() ? nil : ReplicaID(value: try identifier())
            let key = SummaryRow.Key(replica, about: about)
            if let last = rows.last, last.key >= key { throw .notSorted }
            let number = try counter()
            let bytes = try byteString(max: WireLimits.summaryRowByteCountMax, .summaryRow)
            rows.append(SummaryRow(key, number: number, bytes: bytes))
        }
        return rows
    }
}

extension MessageField.Content {
    /// Rows, each with its key.
    static func summaryRows(_ rows: [SummaryRow]) -> Self {
        .list(
            rows.map { row in
                .object([
                    .init("replica", .id(row.key.replica)),
                    .init("about", row.key.about.map { .id($0) } ?? .nothing),
                    .init("number", .number(row.number)), .init("content", .bytes(row.bytes)),
                ])
            })
    }
}
