/// A relay has sent all it has: how far that reaches, and what devices last stated of themselves.
package struct DownloadDone: Hashable, Sendable {
    /// The statement of one device, as it gave it to the relay.
    package struct Notice: Hashable, Sendable {
        /// The device.
        package var replica: ReplicaID
        /// The statement; sealed in a space with encryption.
        ///
        /// Of a long one this is the last piece, behind those of `SealedSummaryPart`s.
        package var bytes: [UInt8]

        /// The statement of `replica`.
        package init(replica: ReplicaID, bytes: [UInt8]) {
            self.replica = replica
            self.bytes = bytes
        }
    }

    /// How far into its sequence the relay has read for this device.
    package var through: Checkpoint
    /// The statements that are new to this session, sorted by replica.
    package var notices: [Notice]

    /// The bytes of the statements.
    package var noticeByteCount: Int { notices.reduce(0) { $0 + $1.bytes.count } }

    /// All that there was.
    package init(through: Checkpoint, notices: [Notice]) {
        self.through = through
        self.notices = notices
    }
}

extension DownloadDone: WireMessage {
    enum Key: UInt64 {
        case through = 1
        case notices
    }

    static let kind: UInt64 = 23
    static let name = "standing"
    var asMessage: Message { .downloadDone(self) }
    var byteCountEstimate: Int { notices.reduce(64) { $0 + $1.bytes.count + 24 } }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.through)
        writer.item.checkpoint(through)
        if !notices.isEmpty {
            writer.key(Key.notices)
            writer.item.array(notices.count * 2)
            for notice in notices {
                writer.item.identifier(notice.replica.value)
                writer.item.byteString(notice.bytes)
            }
        }
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var through: Checkpoint?
        var notices: [Notice] = []
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .through: through = try reader.item.checkpoint()
            case .notices: notices = try reader.item.notices()
            }
        }
        self.init(through: try reader.required(through, Key.through), notices: notices)
    }

    var fields: [MessageField] {
        let listed = notices.map { notice in
            MessageField.Content.object([
                .init("replica", .id(notice.replica)), .init("statement", .bytes(notice.bytes)),
            ])
        }
        return [.init("through", .checkpoint(through)), .init("notices", .list(listed))]
    }
}

extension CanonicalReader {
    fileprivate mutating func notices() throws(WireFault) -> [DownloadDone.Notice] {
        let count = try array(max: WireLimits.summaryCountMax, of: 2, .summaries)
        guard count % 2 == 0, count > 0 else { throw .outOfRange(.summariesLength) }
        var notices: [DownloadDone.Notice] = []
        for _ in 0..<count / 2 {
            let replica = ReplicaID(value: try identifier())
            if let last = notices.last, last.replica >= replica { throw .notSorted }
            notices.append(DownloadDone.Notice(replica: replica, bytes: try sealedSummaryPart()))
        }
        return notices
    }
}
