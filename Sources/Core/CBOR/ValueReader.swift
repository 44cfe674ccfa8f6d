extension CanonicalReader {
    /// Takes a value in canonical form, as it stands in a field or as a set's element.
    ///
    /// - Parameter clock: the record's clock, by whose places a clock value names its replicas.
    package mutating func value(in clock: VersionVector) throws(WireFault) -> Value {
        let start = offset
        guard let first = peek else { throw .truncated }
        let value: Value
        switch first {
        case 0xf4, 0xf5: value = .bool(try bool())
        case 0xf6:
            _ = null()
            value = .null
        case 0xf7:
            _ = undefined()
            value = .elided
        case 0xf9...0xfb: value = .double(try double())
        case 0x00...0x3b: value = .int(try integer())
        case 0x40...0x5b:
            value = .bytes(try byteString(max: RecordLimits.valueByteCountMax, "a value"))
        case 0x60...0x7b: value = .text(try text(max: RecordLimits.valueByteCountMax, "a value"))
        case 0x82: value = try taggedValue(in: clock)
        default: throw .unexpectedType(expected: "a value")
        }
        if offset - start > RecordLimits.valueByteCountMax + 16 {
            throw .overLimit("a value", max: RecordLimits.valueByteCountMax)
        }
        return value
    }

    private mutating func taggedValue(in clock: VersionVector) throws(WireFault) -> Value {
        let start = offset
        _ = try head()
        switch try unsigned() {
        case ValueKind.instant: return .instant(try integer())
        case ValueKind.day:
            let days = try integer()
            guard let day = Int32(exactly: days) else { throw .outOfRange("a day") }
            return .day(day)
        case ValueKind.reference: return .reference(RecordID(value: try identifier()))
        case ValueKind.clock: return .clock(try clockValue(in: clock))
        default:
            _ = try skip()
            return .unknown(bytes(from: start))
        }
    }

    /// Takes pairs of a place in `clock` and a counter that this place covers.
    private mutating func clockValue(in clock: VersionVector) throws(WireFault) -> VersionVector {
        let count = try array(max: clock.entries.count * 2, "the entries of a clock")
        guard count % 2 == 0 else { throw .outOfRange("the length of a clock") }
        var entries: [VersionVector.Entry] = []
        for _ in 0..<count / 2 {
            let place = try unsigned(max: UInt64(clock.entries.count) - 1, "a place in a clock")
            let entry = clock.entries[Int(place)]
            let counter = try unsigned(max: entry.counter, "a counter in a clock")
            entries.append(VersionVector.Entry(replica: entry.replica, counter: counter))
        }
        guard let result = VersionVector(sorted: entries) else { throw .notSorted }
        return result
    }

    /// Takes the name of a field or a collection.
    package mutating func fieldName() throws(WireFault) -> FieldName {
        guard let first = peek, first >> 5 == 3 else {
            return .number(UInt32(try unsigned(max: UInt64(UInt32.max), "a field number")))
        }
        let name = try text(max: RecordLimits.nameByteCountMax, "a name")
        if name.isEmpty { throw .outOfRange("the length of a name") }
        return .text(name)
    }

    /// Takes a field: a name, or `[name, element]`.
    package mutating func field() throws(WireFault) -> Field {
        guard peek == 0x82 else { return Field(try fieldName()) }
        _ = try head()
        let name = try fieldName()
        let element = try value(in: VersionVector())
        switch element {
        case .elided, .null, .clock: throw .unexpectedType(expected: "an element of a set")
        default: return .element(name, element)
        }
    }
}
