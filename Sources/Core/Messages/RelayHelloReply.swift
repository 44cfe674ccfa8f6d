/// A relay's answer to a relay hello: which store of the space it has, and how far it and the device know
/// each other.
package struct RelayHelloReply: Hashable, Sendable {
    /// The lowest version of the protocol that the relay speaks.
    package var versionMin = WireLimits.versionMin
    /// The highest version of the protocol that the relay speaks.
    package var versionMax = WireLimits.versionMax
    /// The id of the relay's store of this space and generation; a store made anew has another.
    package var relay: ReplicaID
    /// The opening of that store and the arrival number from which on it reads.
    package var start: Checkpoint
    /// The last arrival number given.
    package var reached: UInt64
    /// How far into the device's own sequence it was uploaded to this store; nil if nothing was.
    package var uploaded: Checkpoint?
    /// The rekey messages that it has for devices with older secrets; nil if it keeps none.
    package var rekeyMessages: [RekeyMessage.Mark]?

    /// An answer in the versions spoken here.
    package init(
        relay: ReplicaID, start: Checkpoint, reached: UInt64, uploaded: Checkpoint? = nil,
        rekeyMessages: [RekeyMessage.Mark]? = nil
    ) {
        self.relay = relay
        self.start = start
        self.reached = reached
        self.uploaded = uploaded
        self.rekeyMessages = rekeyMessages
    }
}

extension RelayHelloReply: WireMessage {
    enum Key: UInt64 {
        case versions = 1
        case relay, start, reached, uploaded, rekeyMessages
    }

    static let kind: UInt64 = 21
    static let name = "relay-hello-reply"
    var asMessage: Message { .relayHelloReply(self) }
    var byteCountEstimate: Int { 80 + (rekeyMessages?.count ?? 0) * 52 }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.versions)
        VersionRange(min: versionMin, max: versionMax).write(to: &writer.item)
        writer.key(Key.relay)
        writer.item.identifier(relay.value)
        writer.key(Key.start)
        writer.item.checkpoint(start)
        writer.key(Key.reached)
        writer.item.unsigned(reached)
        if let uploaded {
            writer.key(Key.uploaded)
            writer.item.checkpoint(uploaded)
        }
        if let rekeyMessages {
            writer.key(Key.rekeyMessages)
            writer.item.array(rekeyMessages.count * 2)
            for mark in rekeyMessages {
                writer.item.byteString(mark.verifier)
                writer.item.identifier(mark.hash)
            }
        }
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var versions: VersionRange?
        var relay: ReplicaID?
        var start: Checkpoint?
        var reached: UInt64?
        var uploaded: Checkpoint?
        var rekeyMessages: [RekeyMessage.Mark]?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .versions: versions = try reader.versions()
            case .relay: relay = ReplicaID(value: try reader.item.identifier())
            case .start: start = try reader.item.checkpoint()
            case .reached: reached = try reader.item.counter()
            case .uploaded: uploaded = try reader.item.checkpoint()
            case .rekeyMessages: rekeyMessages = try reader.item.rekeyMessageMarks()
            }
        }
        let range = try reader.required(versions, Key.versions).checked()
        let nowhere = Checkpoint(epoch: EpochID(value: 0), sequence: 0)
        self.init(
            relay: try reader.required(relay, Key.relay, elsewhere: ReplicaID(value: 0)),
            start: try reader.required(start, Key.start, elsewhere: nowhere),
            reached: try reader.required(reached, Key.reached, elsewhere: 0),
            uploaded: uploaded, rekeyMessages: rekeyMessages)
        (versionMin, versionMax) = (range.min, range.max)
    }

    var fields: [MessageField] {
        var fields: [MessageField] = [
            .init("versions", .versions(versionMin, versionMax)), .init("relay", .id(relay)),
            .init("start", .checkpoint(start)), .init("reached", .number(reached)),
        ]
        if let uploaded { fields.append(.init("uploaded", .checkpoint(uploaded))) }
        if let rekeyMessages {
            let marks = rekeyMessages.map { mark in
                MessageField.Content.object([
                    .init("verifier", .bytes(mark.verifier)), .init("hash", .wide(mark.hash)),
                ])
            }
            fields.append(.init("rekey messages", .list(marks)))
        }
        return fields
    }
}

extension CanonicalReader {
    fileprivate mutating func rekeyMessageMarks() throws(WireFault) -> [RekeyMessage.Mark] {
        let count = try array(max: WireLimits.rekeyMessageCountMax, of: 2, .rekeyMessages)
        guard count % 2 == 0 else { throw .outOfRange(.rekeyMessagesLength) }
        var marks: [RekeyMessage.Mark] = []
        for _ in 0..<count / 2 {
            let verifier = try proof()
            marks.append(RekeyMessage.Mark(verifier: verifier, hash: try identifier()))
        }
        return marks
    }
}
