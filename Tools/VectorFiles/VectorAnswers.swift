import Core
import JSON

/// Works out the answer to each kind of question; nil if the question cannot be read.
enum VectorAnswers {
    static func versionVectors(_ question: JSON) -> JSON? {
        guard let left = vector(question["left"]), let right = vector(question["right"]) else {
            return nil
        }
        let order =
            switch left.order(relativeTo: right) {
            case .equal: "equal"
            case .before: "before"
            case .after: "after"
            case .concurrent: "concurrent"
            }
        return adding(
            [
                .init("order", .text(order)),
                .init("joined", Readable.vector(left.joined(with: right))),
            ], to: question)
    }

    static func timestamps(_ question: JSON) -> JSON? {
        guard let seen = question["seen"]?.asNumber, let walls = question["walls"]?.asList else {
            return nil
        }
        var clock = HybridClock(greatestSeen: HybridTimestamp(rawValue: seen))
        let readings = walls.compactMap(\.asInteger).map {
            clock.next(wallMilliseconds: $0).rawValue
        }
        return adding([.init("readings", .list(readings.map { .number($0) }))], to: question)
    }

    static func value(_ question: JSON) -> JSON? {
        guard let bytes = bytes(question["hex"]) else { return nil }
        let result = read(bytes) { reader throws(WireFault) in
            let value = try reader.value(in: VersionVector())
            try reader.finish()
            return value
        }
        return answer(question, bytes, result, again: \.canonicalBytes) { Readable.value($0) }
    }

    static func record(_ question: JSON) -> JSON? {
        guard let bytes = bytes(question["hex"]), let clock = vector(question["clock"]) else {
            return nil
        }
        let result = body(bytes, clock)
        // A write that came without values is written so again if the reader is known to have it.
        let known = (try? result.get()).map { elided($0.record) }
        return answer(
            question, bytes, result,
            again: { BodyCodec.encode($0.record, in: $0.collection, known: known) },
            readable: { Readable.writes($0.record, in: $0.collection) })
    }

    static func merge(_ question: JSON) -> JSON? {
        guard let left = side(question["left"]), let right = side(question["right"]) else {
            return nil
        }
        let merged = RecordMerge.merged(left.record, right.record)
        let verdicts = DeletePolicy.allCases.map { DeletionRule($0).verdict(on: merged) }
        let conflicts = merged.fieldConflicts.map { conflict in
            JSON.list([
                Readable.field(conflict.field),
                .list(conflict.candidates.map { Readable.value($0.value) }),
            ])
        }
        let fields = merged.fields.filter { $0 > .purged }
        let shown = fields.map {
            JSON.list([Readable.field($0), merged.visible($0).map { Readable.value($0) } ?? .null])
        }
        return adding(
            [
                .init("clock", Readable.vector(merged.clock)),
                .init(
                    "hex", .text(Hexadecimal.text(BodyCodec.encode(merged, in: left.collection)))),
                .init("shown", .list(shown)), .init("conflicts", .list(conflicts)),
                .init("isPurged", .bool(verdicts[0].isPurged)),
                .init("isContested", .bool(verdicts[0].isContested)),
                .init("isDeletedWhereDeletesWin", .bool(verdicts[0].isDeleted)),
                .init("isDeletedWhereEditsWin", .bool(verdicts[1].isDeleted)),
                .init("isEditedAfterPurgeWhereDeletesWin", .bool(verdicts[0].isEditedAfterPurge)),
                .init("isEditedAfterPurgeWhereEditsWin", .bool(verdicts[1].isEditedAfterPurge)),
            ], to: question)
    }

    static func message(_ question: JSON) -> JSON? {
        guard let bytes = bytes(question["hex"]) else { return nil }
        let result = message(bytes)
        return answer(question, bytes, result, again: { Message.encode($0) }) {
            Readable.message($0)
        }
    }

    static func summaryRow(_ question: JSON) -> JSON? {
        guard let bytes = bytes(question["hex"]), let about = question["about"] else { return nil }
        let replica = self.bytes(about).flatMap { ReplicaID(bytes: $0[...]) }
        let result: Result<SummaryRowContent, WireFault>
        do throws(WireFault) {
            result = .success(try SummaryRowContent(decoding: bytes, about: replica))
        } catch {
            result = .failure(error)
        }
        return answer(question, bytes, result, again: \.bytes) { Readable.summaryRow($0) }
    }

    static func frames(_ question: JSON) -> JSON? {
        guard let bytes = bytes(question["hex"]),
            case .bool(let hasChecksum)? = question["checksum"]
        else { return nil }
        var decoder = FrameDecoder(hasChecksum: hasChecksum)
        decoder.append(bytes)
        var messages: [JSON] = []
        do throws(WireFault) {
            while let message = try decoder.next() { messages.append(Readable.message(message)) }
        } catch {
            return adding(
                [
                    .init("messages", .list(messages)),
                    .init("fault", .text(Readable.fault(error))),
                ], to: question)
        }
        return adding(
            [
                .init("messages", .list(messages)),
                .init("waiting", .number(UInt64(decoder.pendingByteCount))),
            ], to: question)
    }

    static func hash(_ question: JSON) -> JSON? {
        guard let bytes = bytes(question["hex"]), let hash = hash(key: question["key"]) else {
            return nil
        }
        let short = hash.hash64(bytes)
        let shortBytes = (0..<8).map { UInt8(truncatingIfNeeded: short >> UInt64(8 * $0)) }
        return adding(
            [
                .init("hash64", .text(Hexadecimal.text(shortBytes))),
                .init("hash128", Readable.wide(hash.hash128(bytes))),
            ], to: question)
    }

    /// The checksums, what was seen and the digests of records, some of them with deferred changes.
    static func checksum(_ question: JSON) -> JSON? {
        guard let hash = hash(key: question["key"]), let items = question["records"]?.asList else {
            return nil
        }
        var (checksums, integrated, seen): (Sums, Sums, [ReplicaID: UInt64]) = ([:], [:], [:])
        var (digest, isDeferred): (UInt128, Bool) = (0, false)
        for item in items {
            guard let collection = item["collection"].flatMap(Self.collection),
                let id = item["id"]?.asText.flatMap({ RecordID(uuidText: $0) })
            else { return nil }
            let name = RecordName(collection, id)
            var joined = VersionVector()
            if item["clock"] != nil {
                guard let clock = vector(item["clock"]), let body = bytes(item["hex"]) else {
                    return nil
                }
                joined = clock
                add(clock, of: name, to: &integrated, hash)
                digest &+= hash.content(id, clock, body)
            }
            for deferred in item["deferred"]?.asList ?? [] {
                guard let clock = vector(deferred) else { return nil }
                joined.join(clock)
                isDeferred = true
            }
            add(joined, of: name, to: &checksums, hash)
            for entry in joined.entries {
                seen[entry.replica] = max(seen[entry.replica] ?? 0, entry.counter)
            }
        }
        var answer: [JSON.Pair] = [
            .init("checksums", lines(checksums) { Readable.wide($0) }),
            .init("digest", Readable.wide(digest)),
        ]
        if isDeferred {
            answer += [
                .init("seen", lines(seen) { .number($0) }),
                .init("clocks", Readable.wide(hash.clocks(integrated.map { ($0.key, $0.value) }))),
            ]
        }
        return adding(answer, to: question)
    }
}

extension VectorAnswers {
    private typealias Sums = [ReplicaID: UInt128]

    private static func add(
        _ clock: VersionVector, of name: RecordName, to sums: inout Sums, _ hash: SipHash
    ) {
        for entry in clock.entries {
            sums[entry.replica, default: 0] &+= hash.checksum(name, entry.counter)
        }
    }

    private static func lines<T>(_ values: [ReplicaID: T], _ readable: (T) -> JSON) -> JSON {
        .list(
            values.sorted { $0.key < $1.key }
                .map { .list([Readable.id($0.key), readable($0.value)]) })
    }

    /// The records after a fork rewrite.
    ///
    /// - Returns: nil if the question cannot be read.
    static func fork(_ question: JSON) -> JSON? {
        guard let old = question["old"]?.asText.flatMap({ ReplicaID(uuidText: $0) }),
            let new = question["new"]?.asText.flatMap({ ReplicaID(uuidText: $0) }),
            let fork = question["fork"]?.asNumber, let items = question["records"]?.asList
        else { return nil }
        var records: [(collection: CollectionID, record: RecordState)] = []
        for item in items {
            guard let side = side(item) else { return nil }
            records.append(side)
        }
        let dots = records.flatMap { $0.record.writes.map(\.dot) }
        let counters = dots.filter { $0.replica == old && $0.counter > fork }.map(\.counter)
        let rewrite = ForkRewrite(old: old, fork: fork, new: new, counters: counters.sorted())
        let moved = records.map { collection, record in
            let record = rewrite.moved(record)
            return JSON.object([
                .init("clock", Readable.vector(record.clock)),
                VectorQuestions.hex(BodyCodec.encode(record, in: collection)),
                .init("value", Readable.writes(record, in: collection)),
            ])
        }
        return adding([.init("moved", .list(moved))], to: question)
    }
}

extension VectorAnswers {
    /// The collection of a number or a name; nil for anything else.
    private static func collection(_ json: JSON) -> CollectionID? {
        json.asNumber.flatMap { UInt32(exactly: $0) }.map { .number($0) }
            ?? json.asText.map { .text($0) }
    }
}

// MARK: Reading questions, putting answers

extension VectorAnswers {
    static func adding(_ answer: [JSON.Pair], to question: JSON) -> JSON? {
        guard case .object(let pairs) = question else { return nil }
        return .object(pairs + answer)
    }

    /// The value or the fault; and the bytes that the value is written in, if they are others.
    static func answer<T>(
        _ question: JSON, _ bytes: [UInt8], _ result: Result<T, WireFault>,
        again: (T) -> [UInt8], readable: (T) -> JSON
    ) -> JSON? {
        switch result {
        case .failure(let fault):
            return adding([.init("fault", .text(Readable.fault(fault)))], to: question)
        case .success(let value):
            let written = again(value)
            let other: [JSON.Pair] =
                written == bytes ? [] : [.init("again", .text(Hexadecimal.text(written)))]
            return adding([.init("value", readable(value))] + other, to: question)
        }
    }

    static func bytes(_ json: JSON?) -> [UInt8]? {
        json?.asText.flatMap { Hexadecimal.bytes($0) }
    }

    static func vector(_ json: JSON?) -> VersionVector? {
        guard let items = json?.asList else { return nil }
        var entries: [VersionVector.Entry] = []
        for item in items {
            guard let pair = item.asList, pair.count == 2,
                let replica = pair[0].asText.flatMap({ ReplicaID(uuidText: $0) }),
                let counter = pair[1].asNumber
            else { return nil }
            entries.append(VersionVector.Entry(replica: replica, counter: counter))
        }
        return VersionVector(sorted: entries)
    }

    /// The hash under a key of 16 bytes.
    static func hash(key: JSON?) -> SipHash? {
        guard let bytes = bytes(key), bytes.count == 16 else { return nil }
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        return SipHash(key0: word(bytes[..<8]), key1: word(bytes[8...]))
    }

    /// One side of a merge: a clock and a body.
    static func side(_ json: JSON?) -> (collection: CollectionID, record: RecordState)? {
        guard let clock = vector(json?["clock"]), let bytes = bytes(json?["hex"]) else {
            return nil
        }
        return try? body(bytes, clock).get()
    }

    static func read<T>(
        _ bytes: [UInt8], _ body: (inout CanonicalReader) throws(WireFault) -> T
    ) -> Result<T, WireFault> {
        bytes.withUnsafeBytes { buffer in
            var reader = CanonicalReader(buffer)
            do throws(WireFault) {
                return .success(try body(&reader))
            } catch {
                return .failure(error)
            }
        }
    }

    static func body(
        _ bytes: [UInt8], _ clock: VersionVector
    ) -> Result<(collection: CollectionID, record: RecordState), WireFault> {
        do throws(WireFault) {
            return .success(try BodyCodec.decode(bytes, clock: clock))
        } catch {
            return .failure(error)
        }
    }

    static func message(_ bytes: [UInt8]) -> Result<Message, WireFault> {
        do throws(WireFault) {
            return .success(try Message.decode(bytes))
        } catch {
            return .failure(error)
        }
    }

    /// The dots of the writes that came without values, as what their reader is known to have.
    static func elided(_ record: RecordState) -> VersionVector {
        VersionVector(
            unsorted: record.writes.filter { $0.assignments.contains(where: \.value.isElided) }
                .map { VersionVector.Entry(replica: $0.dot.replica, counter: $0.dot.counter) })
    }
}
