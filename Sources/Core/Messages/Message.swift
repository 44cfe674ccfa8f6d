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
    /// Compares state summaries, range by range.
    case summaryRanges(SummaryRanges)
    /// Entries of a state summary that changed lately, and those of ids that the hearer listed.
    case summaryList(SummaryList)
    /// Entries that belong to the next `caughtUp`.
    case summaryPage(SummaryPage)
    /// Asks for whole records: a value that was left out is needed.
    case want([RecordName])
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
    /// Names versions at a relay that a device could not open.
    case unreadable(UnreadableVersions)
    /// Left at a relay for devices that have an older secret, and given to them by it.
    case rekeyMessage(RekeyMessage)
    /// Opens a mailbox of pairing; the first message on its connection, and its answer.
    case mailbox(MailboxOpening)
    /// An item of that mailbox.
    case mailboxItem(MailboxItem)
    /// A message from a newer version that may be skipped.
    case ignorable(UInt64)

    /// The kinds known here.
    private static let kinds: [any WireMessage.Type] = [
        Hello.self, PeerCheckpoint.self, ChangeBatch.self, BodyPart.self, Acknowledgement.self,
        CaughtUp.self, WantedRecords.self, RepairRequest.self, HistoryRequest.self, History.self,
        Ping.self, Pong.self, Bye.self, PeerError.self, RelayHello.self, RelayHelloReply.self,
        UploadDone.self, DownloadDone.self, UnreadableVersions.self, RekeyMessage.self,
        MailboxOpening.self, MailboxItem.self, SummaryRanges.self, SummaryPage.self,
        SummaryList.self,
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
        case .summaryRanges(let ranges): ranges
        case .summaryList(let list): list
        case .summaryPage(let page): page
        case .want(let records): WantedRecords(names: records)
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
        case .unreadable(let versions): versions
        case .rekeyMessage(let rekeyMessage): rekeyMessage
        case .mailbox(let opening): opening
        case .mailboxItem(let item): item
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

/// One kind of message: its number, its name, its keys, and how they are written and read.
///
/// A kind is one file of this folder and a line in each of the three lists of `Message`: the case, the
/// kind and the content. A message without data, or with a number alone, is in Signals.swift.
/// Source: Protocol/3-Messages.md.
protocol WireMessage: Hashable, Sendable {
    /// The keys besides 0, which holds the number of the kind.
    associatedtype Key: RawRepresentable<UInt64>

    /// The number of the kind on the wire.
    static var kind: UInt64 { get }

    /// The name of the kind in the protocol's pages and vectors.
    static var name: String { get }

    /// The message as one of all kinds.
    var asMessage: Message { get }

    /// The number of bytes to reserve before the message is written.
    var byteCountEstimate: Int { get }

    /// The keys with their values, for a person to read.
    var fields: [MessageField] { get }

    /// Writes the keys in ascending order, each with its value.
    func encode(into writer: inout MessageWriter)

    /// Reads the keys and checks that none is missing.
    init(from reader: inout MessageReader) throws(WireFault)
}

/// The keys of a message that has none.
enum NoKey: RawRepresentable {
    init?(rawValue: UInt64) { nil }

    var rawValue: UInt64 {
        switch self {}
    }
}

extension WireMessage {
    var byteCountEstimate: Int { 64 }

    /// The bytes of the message, without a frame.
    var encoded: [UInt8] {
        var writer = MessageWriter(kind: Self.kind, byteCount: byteCountEstimate)
        encode(into: &writer)
        return writer.item.bytes
    }

    /// Reads a message of this kind as one of all kinds.
    static func read(from reader: inout MessageReader) throws(WireFault) -> Message {
        try Self(from: &reader).asMessage
    }
}

/// Writes a message in deterministic CBOR: a map from small numbers, key 0 the kind.
struct MessageWriter {
    /// The writer of the values.
    var item = CanonicalWriter()

    /// Starts a message.
    init(kind: UInt64, byteCount: Int) {
        item.bytes.reserveCapacity(byteCount)
        item.map(1)
        item.unsigned(0)
        item.unsigned(kind)
    }

    /// Writes a key, behind which its value is written to `item`.
    mutating func key(_ key: some RawRepresentable<UInt64>) {
        // The head of a map of fewer than 24 pairs is one byte, which counts them in its last bits.
        precondition(item.bytes[0] < 0xb7, "a message has at most 23 keys")
        item.bytes[0] += 1
        item.unsigned(key.rawValue)
    }
}

/// Reads a message key by key: unknown keys are passed over, everything else is checked.
struct MessageReader {
    /// The most pairs in a message.
    private static let pairCountMax = 64

    /// The number of the kind.
    let kind: UInt64
    /// The reader of the values.
    var item: CanonicalReader
    private var pairsLeft: Int
    private var lastKey: UInt64 = 0
    /// Whether the message names a version of the protocol that is spoken here, or none at all.
    ///
    /// In other versions nothing is known but the versions: all further keys are passed over.
    private(set) var isSpoken = true

    /// Reads the kind, which stands first.
    init(_ bytes: UnsafeRawBufferPointer) throws(WireFault) {
        var item = CanonicalReader(bytes)
        let pairs = try item.map(max: Self.pairCountMax, .messageKeys)
        guard pairs > 0, try item.unsigned() == 0 else { throw .missingKey(0) }
        kind = try item.unsigned()
        pairsLeft = pairs - 1
        self.item = item
    }

    /// Takes the next key that the kind has, whose value is then taken from `item`.
    ///
    /// - Returns: nil at the end, where no byte is left.
    mutating func key<Key: RawRepresentable<UInt64>>(of _: Key.Type) throws(WireFault) -> Key? {
        while pairsLeft > 0 {
            pairsLeft -= 1
            let number = try item.unsigned()
            guard number > lastKey else { throw .notSorted }
            lastKey = number
            if isSpoken, let key = Key(rawValue: number) { return key }
            _ = try item.skip()
        }
        try item.finish()
        return nil
    }

    /// Passes over all keys.
    mutating func skipAll() throws(WireFault) {
        while try key(of: NoKey.self) != nil {}
    }

    /// Takes the range of versions that the speaker speaks.
    mutating func versions() throws(WireFault) -> VersionRange {
        guard try item.array(max: 2, .versions) == 2 else { throw .outOfRange(.versions) }
        let versions = VersionRange(min: try item.unsigned(), max: try item.unsigned())
        isSpoken = versions.isSpoken
        return versions
    }

    /// The value of a key that must be there.
    func required<T>(
        _ value: T?, _ key: some RawRepresentable<UInt64>
    ) throws(WireFault) -> T {
        guard let value else { throw .missingKey(Int(key.rawValue)) }
        return value
    }

    /// The value of a key that must be there in the versions spoken here.
    ///
    /// A first message of other versions may lack any key but the versions, so that it can be told
    /// apart from nonsense: it comes back with empty values, and is refused by its versions.
    func required<T>(
        _ value: T?, _ key: some RawRepresentable<UInt64>, elsewhere empty: T
    ) throws(WireFault) -> T {
        isSpoken ? try required(value, key) : value ?? empty
    }
}

/// The versions of the protocol that a side speaks.
struct VersionRange {
    let min: UInt64
    let max: UInt64

    /// Whether one of them is spoken here.
    var isSpoken: Bool { min <= WireLimits.versionMax && max >= WireLimits.versionMin }

    /// Checks that the range is not empty.
    func checked() throws(WireFault) -> VersionRange {
        guard min <= max else { throw .outOfRange(.versions) }
        return self
    }

    /// Writes `[min, max]`.
    func write(to writer: inout CanonicalWriter) {
        writer.array(2)
        writer.unsigned(min)
        writer.unsigned(max)
    }
}

extension CanonicalReader {
    /// Takes a counter: an unsigned integer that SQLite can hold.
    mutating func counter() throws(WireFault) -> UInt64 {
        try unsigned(max: UInt64(Int64.max), .counter)
    }

    /// Takes true; in the place of false the key is left out.
    mutating func mark() throws(WireFault) -> Bool {
        guard try bool() else { throw .notDeterministic }
        return true
    }
}

/// A key of a message under its name, with its value: the form for people, as in the vectors.
package struct MessageField: Hashable, Sendable {
    /// A value as a person reads it.
    package indirect enum Content: Hashable, Sendable {
        /// Nothing.
        case nothing
        /// Yes or no.
        case flag(Bool)
        /// A number.
        case number(UInt64)
        /// Text.
        case text(String)
        /// Bytes.
        case bytes([UInt8])
        /// Sixteen bytes that name something, read big-endian.
        case wide(UInt128)
        /// Values without names.
        case list([Content])
        /// Values with names.
        case object([MessageField])
    }

    /// The name.
    package let name: String
    /// The value.
    package let content: Content

    /// Gives a value a name.
    init(_ name: String, _ content: Content) {
        self.name = name
        self.content = content
    }
}

extension MessageField.Content {
    static func id(_ id: some WideIdentifier) -> Self { .wide(id.value) }

    static func epoch(_ epoch: EpochID) -> Self { .text(epoch.description) }

    /// Pairs of replica and counter.
    static func clock(_ clock: VersionVector) -> Self {
        .list(clock.entries.map { .list([.id($0.replica), .number($0.counter)]) })
    }

    static func name(_ name: RecordName) -> Self {
        let collection: Self =
            switch name.collection {
            case .number(let number): .number(UInt64(number))
            case .text(let text): .text(text)
            }
        return .object([.init("collection", collection), .init("id", .id(name.id))])
    }

    static func versions(_ least: UInt64, _ most: UInt64) -> Self {
        .list([.number(least), .number(most)])
    }

    /// A digest: its number, or both of them one behind the other.
    static func digest(_ digest: Digest) -> Self {
        guard let clocks = digest.clocks else { return .wide(digest.contents) }
        return .bytes([digest.contents, clocks].flatMap { RecordID(value: $0).bytes })
    }
}
