import Core

/// How questions are read and answers are put.
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
    static func side(_ json: JSON?) -> (collection: CollectionID, record: Record)? {
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
    ) -> Result<(collection: CollectionID, record: Record), WireFault> {
        do throws(WireFault) {
            return .success(try BodyCodec.decode(bytes, clock: clock))
        } catch {
            return .failure(error)
        }
    }

    static func message(_ bytes: [UInt8]) -> Result<Message, WireFault> {
        do throws(WireFault) {
            return .success(try MessageDecoder.decode(bytes))
        } catch {
            return .failure(error)
        }
    }

    /// The dots of the writes that came without values, as what their reader is known to have.
    static func elided(_ record: Record) -> VersionVector {
        VersionVector(
            unsorted: record.writes.filter { $0.assignments.contains(where: \.value.isElided) }
                .map { VersionVector.Entry(replica: $0.dot.replica, counter: $0.dot.counter) })
    }
}
