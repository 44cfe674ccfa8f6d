/// A message between two peers.
///
/// All that concerns one kind is in the file of its `WireMessage`; this one lists the kinds.
/// Source: Protocol/3-Messages.md.
package enum Message: Hashable, Sendable {
    /// The speaker's identity and state; first on each side.
    case hello(Hello)
    /// The memory of the other side, sent once its hello named it.
    case peerCheckpoint(PeerCheckpoint)
    /// Changes.
    case changes(ChangeBatch)
    /// A piece of a change too long for one frame; once whole it belongs to the next batch.
    case part(BodyPart)
    /// The number of batches integrated since the session began.
    case acknowledge(UInt64)
    /// Nothing is left to send.
    case caughtUp(CaughtUp)
    /// Asks for whole records: a value that was left out is needed.
    case want([RecordID])
    /// Asks for a full exchange of whole records: contents differ although histories do not.
    case repair
    /// Asks what is known of the speaker's own openings.
    case askHistory
    /// Answers that.
    case history(History)
    /// Asks for a sign of life.
    case ping(UInt64)
    /// Gives it.
    case pong(UInt64)
    /// The session ends in order.
    case bye
    /// The session ends with an error.
    case error(PeerError)
    /// Comes to a relay; a device's first message there.
    case relayHello(RelayHello)
    /// Answers that; the relay's first message.
    case relayHelloReply(RelayHelloReply)
    /// All was uploaded to the relay.
    case uploadDone(UploadDone)
    /// All that the relay has was sent.
    case downloadDone(DownloadDone)
    /// Left at a relay for devices that have an older secret, and given to them by it.
    case rekeyMessage(RekeyMessage)
    /// A message from a newer version that may be skipped.
    case ignorable(UInt64)

    /// The kinds known here.
    private static let kinds: [any WireMessage.Type] = [
        Hello.self, PeerCheckpoint.self, ChangeBatch.self, BodyPart.self, Acknowledgement.self,
        CaughtUp.self, WantedRecords.self, RepairRequest.self, HistoryRequest.self, History.self,
        Ping.self, Pong.self, Bye.self, PeerError.self, RelayHello.self, RelayHelloReply.self,
        UploadDone.self,
        DownloadDone.self, RekeyMessage.self,
    ]

    /// The message with its bytes; nil for a kind that is not known here.
    private var content: (any WireMessage)? {
        switch self {
        case .hello(let hello): hello
        case .peerCheckpoint(let peerCheckpoint): peerCheckpoint
        case .changes(let batch): batch
        case .part(let part): part
        case .acknowledge(let count): Acknowledgement(number: count)
        case .caughtUp(let end): end
        case .want(let records): WantedRecords(ids: records)
        case .repair: RepairRequest()
        case .askHistory: HistoryRequest()
        case .history(let history): history
        case .ping(let number): Ping(number: number)
        case .pong(let number): Pong(number: number)
        case .bye: Bye()
        case .error(let error): error
        case .relayHello(let relayHello): relayHello
        case .relayHelloReply(let relayHelloReply): relayHelloReply
        case .uploadDone(let upload): upload
        case .downloadDone(let downloadDone): downloadDone
        case .rekeyMessage(let rekeyMessage): rekeyMessage
        case .ignorable: nil
        }
    }

    /// The first number of the kinds that may be skipped.
    package static let ignorableKindMin: UInt64 = 128
}

extension Message {
    /// The number of the kind on the wire; from 128 on a kind may be skipped by a reader that does not know it.
    package var kind: UInt64 {
        if case .ignorable(let kind) = self { return kind }
        return content.map { type(of: $0).kind } ?? 0
    }

    /// The name of the kind in the protocol's pages and vectors.
    package var name: String { content.map { type(of: $0).name } ?? "ignorable" }

    /// The name of a kind; nil if it is not known here.
    package static func name(ofKind kind: UInt64) -> String? {
        kinds.first { $0.kind == kind }?.name
    }

    /// The keys of the message with their values, for a person to read.
    package var fields: [MessageField] { content?.fields ?? [] }

    /// Writes a message, without a frame.
    package static func encode(_ message: Message) -> [UInt8] {
        switch message {
        // The bulk of what is sent is written without a box around it.
        case .changes(let batch): batch.encoded
        case .part(let part): part.encoded
        case .ignorable(let kind): MessageWriter(kind: kind, byteCount: 16).item.bytes
        default: message.content?.encoded ?? []
        }
    }

    /// Reads one message, whole.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(WireFault) -> Message {
        var reader = try MessageReader(bytes)
        switch reader.kind {
        case ChangeBatch.kind: return .changes(try ChangeBatch(from: &reader))
        case BodyPart.kind: return .part(try BodyPart(from: &reader))
        default: break
        }
        if let kind = kinds.first(where: { $0.kind == reader.kind }) {
            return try kind.read(from: &reader)
        }
        try reader.skipAll()
        guard reader.kind >= ignorableKindMin else { throw .unknownMessage(reader.kind) }
        return .ignorable(reader.kind)
    }

    /// Reads one message, whole.
    package static func decode(_ bytes: [UInt8]) throws(WireFault) -> Message {
        var result: Result<Message, WireFault> = .failure(.truncated)
        bytes.withUnsafeBytes { buffer in
            do throws(WireFault) {
                result = .success(try decode(buffer))
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }
}
