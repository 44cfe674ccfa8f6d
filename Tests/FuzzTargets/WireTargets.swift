import Core

extension FuzzTargets {
    /// The bytes of the protocol without a session: frames, messages, bodies of records, state summaries.
    static let wire = [frames, messages, values, bodies, summaries]

    /// The first byte says how frames come: with a checksum or not, and in pieces of which length.
    private static let frames = FuzzTarget(
        "frames", decoders: ["Sources/Core/Messages/Frame.swift"]
    ) { bytes in
        var input = FuzzInput(bytes)
        let manner = input.byte()
        let stream = input.remainder()
        let hasChecksum = manner & 1 == 1
        try readStream(
            manner & 2 == 2 ? Frame.encode(payload: stream, hasChecksum: hasChecksum) : stream,
            hasChecksum: hasChecksum, pieceByteCount: 1 + Int(manner >> 2) * 3)
    }

    private static func readStream(
        _ stream: [UInt8], hasChecksum: Bool, pieceByteCount: Int
    ) throws {
        var decoder = FrameDecoder(hasChecksum: hasChecksum, byteCountMax: 2048)
        var rest = stream[...]
        var messages: [Message] = []
        var fault: WireFault?
        do throws(WireFault) {
            while !rest.isEmpty {
                decoder.append(Array(rest.prefix(pieceByteCount)))
                rest = rest.dropFirst(pieceByteCount)
                while let message = try decoder.next() { messages.append(message) }
            }
        } catch {
            fault = error
        }
        for message in messages where isSpoken(message) {
            var again = FrameDecoder(hasChecksum: hasChecksum)
            again.append(Frame.encode(message, hasChecksum: hasChecksum))
            let reread = try again.next()
            try promise(
                reread == message && again.pendingByteCount == 0,
                "\(message.name) reads as \(String(describing: reread))")
        }
        if fault != nil { return }
        let least = Frame.lengthByteCount + (hasChecksum ? Frame.checksumByteCount : 0)
        try promise(messages.count * least <= stream.count, "more messages than there are bytes")
        try promise(decoder.pendingByteCount < 2048 + least, "a frame over the limit is waited for")
    }

    /// One message without a frame.
    private static let messages = FuzzTarget(
        "messages",
        decoders: [
            "BodyPart", "CaughtUp", "ChangeBatch", "Checkpoint", "CollectionTable", "DownloadDone",
            "Hello", "History", "Mailbox", "Message", "PeerCheckpoint", "PeerError", "RekeyMessage",
            "RelayHello", "RelayHelloReply", "Signals", "StateSummary", "SummaryList", "SummaryRow",
            "SummaryRanges", "UnreadableVersions", "UploadDone",
        ].map { "Sources/Core/Messages/\($0).swift" } + ["Sources/Core/CBOR/CanonicalReader.swift"]
    ) { bytes in
        guard let message = try? Message.decode(bytes) else { return }
        // Of a greeting in other versions of the protocol nothing is read but the versions.
        guard isSpoken(message) else { return }
        let again = Message.encode(message)
        // Keys that nobody knows are passed over; without any the bytes are the only ones.
        try promise(
            again.count <= bytes.count, "\(message.name) is longer than what it was read from")
        // A side of a newer version is read as both sides.
        if case .error = message {
        } else if again.count == bytes.count {
            try promise(again == bytes, "\(message.name) has two forms of one length")
        }
        let reread = try? Message.decode(again)
        try promise(reread == message, "\(message.name) reads as \(String(describing: reread))")
        _ = message.fields
    }

    private static func isSpoken(_ message: Message) -> Bool {
        let versions: (min: UInt64, max: UInt64)
        switch message {
        case .hello(let hello): versions = (hello.versionMin, hello.versionMax)
        case .relayHello(let hello): versions = (hello.versionMin, hello.versionMax)
        case .relayHelloReply(let reply): versions = (reply.versionMin, reply.versionMax)
        case .mailbox(let opening): versions = (opening.versionMin, opening.versionMax)
        default: return true
        }
        return versions.min <= WireLimits.versionMax && versions.max >= WireLimits.versionMin
    }

    /// The body of a record: options, a clock, the body.
    private static let bodies = FuzzTarget(
        "bodies",
        decoders: [
            "Sources/Core/Records/BodyCodec.swift", "Sources/Core/CBOR/CanonicalReader.swift",
        ]
    ) { bytes in
        var input = FuzzInput(bytes)
        let options = input.byte()
        var clock = VersionVector()
        for _ in 0..<input.below(5) {
            clock.include(input.number(), of: ReplicaID(value: UInt128(input.byte())))
        }
        let body = input.remainder()
        guard
            let (collection, record) = try? BodyCodec.decode(
                body, clock: clock, allowElided: options & 1 == 0, allowColumns: options & 2 == 2)
        else { return }
        try checkBody(body, collection, record)
        for name in [
            RecordName(collection, RecordID(value: 1)), RecordName(.relayed, RecordID(value: 1)),
        ] {
            let change = Change(name, clock: clock, body: body)
            guard let again = try? change.record(allowElided: options & 1 == 0) else { continue }
            try promise(
                again == record && name.collection == collection, "a body of another collection")
        }
        guard !record.hasElidedValue, record.isWellFormed else { return }
        let merged = RecordMerge.merged(record, record)
        try promise(merged == record, "a record merged with itself is another")
    }

    /// A value alone: its canonical bytes, its text, and the names of collections and records in both forms.
    private static let values = FuzzTarget(
        "values", byteCountMax: 512,
        decoders: [
            "Sources/Core/Records/Value.swift", "Sources/Core/Records/RecordName.swift",
        ]
    ) { bytes in
        var input = FuzzInput(bytes)
        let choice = input.byte()
        if choice < 128 { return try readValue(&input, hasClock: choice & 1 == 1) }
        let text = String(decoding: input.remainder(), as: UTF8.self)
        if let name = RecordName(text) {
            try promise(RecordName(name.description) == name, "a name of a record is another")
            try promise(name.bytes.count <= name.byteCountMax, "a longer name")
        }
        let kinds = ValueKind.allCases
        guard let value = Value(kinds[Int(choice & 127) % kinds.count], text: text) else { return }
        try promise(value.textForm?.hasSameBytes(as: text) == true, "a text has a second form")
        try checkValue(value)
    }

    private static func readValue(_ input: inout FuzzInput, hasClock: Bool) throws {
        var clock = VersionVector()
        for number in 0..<input.below(4) {
            clock.include(input.number(), of: ReplicaID(value: UInt128(number + 1)))
        }
        let bytes = input.remainder()
        let found = bytes.withUnsafeBytes { buffer -> Value? in
            var reader = CanonicalReader(buffer)
            guard let value = try? reader.value(in: hasClock ? clock : nil),
                (try? reader.finish()) != nil
            else { return nil }
            return value
        }
        if let collection = CollectionID(canonicalBytes: bytes) {
            try promise(collection.canonicalBytes == bytes, "a collection has a second form")
        }
        guard let found else { return }
        if found.kind != .clock {
            try promise(found.canonicalBytes == bytes, "a value has a second form")
        }
        try checkValue(found)
    }

    private static func checkValue(_ value: Value) throws {
        try promise(value == value && !(value < value), "a value is another than itself")
        if let text = value.textForm {
            let again = Value(value.kind, text: text)
            try promise(again == nil || again == value, "the text of a value is of another")
        }
        if value.kind != .clock, value.kind != .elided, value.kind != .unknown {
            let (bytes, count) = (value.canonicalBytes, value.approximateByteCount)
            try promise(bytes.count <= count, "\(bytes.count) bytes counted as \(count)")
        }
    }

    private static func checkBody(
        _ body: [UInt8], _ collection: CollectionID, _ record: RecordState
    ) throws {
        guard !record.writes.contains(where: { $0.timestamp == .zero }) else { return }
        let again = BodyCodec.encode(record, in: collection)
        try promise(again == body, "a body has a second form")
    }

    /// The content of a row by which a device states its summary at a relay, opened.
    private static let summaries = FuzzTarget(
        "summaries",
        decoders: [
            "Sources/Core/Messages/SummaryRow.swift", "Sources/Core/Messages/StateSummary.swift",
        ]
    ) { bytes in
        for about in [ReplicaID(value: 1), nil] {
            guard let row = try? SummaryRowContent(decoding: bytes, about: about) else { continue }
            try promise(row.bytes == bytes, "the content of a row has a second form")
            try promise(row.about == about, "a row is about something else")
            _ = row.fields
        }
    }
}
