import Core

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
            ], to: question)
    }

    static func message(_ question: JSON) -> JSON? {
        guard let bytes = bytes(question["hex"]) else { return nil }
        let result = message(bytes)
        return answer(question, bytes, result, again: { MessageEncoder.encode($0) }) {
            Readable.message($0)
        }
    }

    static func declaration(_ question: JSON) -> JSON? {
        guard let bytes = bytes(question["hex"]) else { return nil }
        let result: Result<Declaration, WireFault>
        do throws(WireFault) {
            result = .success(try Declaration(decoding: bytes))
        } catch {
            result = .failure(error)
        }
        return answer(question, bytes, result, again: \.bytes) { Readable.declaration($0) }
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

    static func tally(_ question: JSON) -> JSON? {
        guard let hash = hash(key: question["key"]), let items = question["records"]?.asList else {
            return nil
        }
        var tallies: [ReplicaID: UInt128] = [:]
        var digest: UInt128 = 0
        for item in items {
            guard let id = item["id"]?.asText.flatMap({ RecordID(uuidText: $0) }),
                let clock = vector(item["clock"]), let body = bytes(item["hex"])
            else { return nil }
            for entry in clock.entries {
                tallies[entry.replica, default: 0] &+= hash.tally(id, entry.counter)
            }
            digest &+= hash.content(id, clock, body)
        }
        let lines = tallies.sorted { $0.key < $1.key }
            .map { JSON.list([Readable.id($0.key), Readable.wide($0.value)]) }
        return adding(
            [.init("tallies", .list(lines)), .init("digest", Readable.wide(digest))], to: question)
    }
}
