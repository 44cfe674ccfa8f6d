import Core
import TestSupport
import Testing

@Suite("Hostile bodies")
struct HostileBodyTests {
    /// Two replicas: index 0 up to 3, index 1 up to 2.
    private let clock = SmallWorld.vector([3, 2])

    private func fault(_ text: String) -> WireFault? {
        Reading.body(HexText.decode(text), clock).fault
    }

    @Test("the body that the others are changed from is taken")
    func goodBody() {
        #expect(fault("82 01 84 00 00 05 a1 02 61 61") == nil)
        #expect(fault("83 01 83 00 01 04 83 00 00 08") == nil)
    }

    @Test("a place beyond the clock is refused")
    func indexBeyond() {
        #expect(fault("82 01 84 02 00 05 a1 02 61 61") == .outOfRange(.clockIndex))
    }

    @Test(
        "a dot that the clock does not cover cannot be said: a distance past counter 1 is refused")
    func distanceBeyond() {
        #expect(fault("82 01 84 00 02 05 a1 02 61 61") == nil)
        #expect(fault("82 01 84 00 03 05 a1 02 61 61") == .outOfRange(.dotDistance))
    }

    @Test("a body beside an empty clock has no writes")
    func emptyClock() {
        let bytes = HexText.decode("82 01 84 00 00 05 a1 02 61 61")
        #expect(
            Reading.body(bytes, VersionVector()) == .failure(.outOfRange(.writeParts)))
    }

    @Test("writes out of order or doubled are refused")
    func writesSorted() {
        #expect(fault("83 01 84 01 00 05 a1 02 00 84 00 00 05 a1 02 00") == .notSorted)
        #expect(fault("83 01 84 00 00 05 a1 02 00 84 00 00 05 a1 03 00") == .notSorted)
        #expect(fault("83 01 84 00 00 05 a1 02 00 84 00 01 05 a1 03 00") == .notSorted)
    }

    @Test("fields out of order or doubled are refused")
    func fieldsSorted() {
        #expect(fault("82 01 84 00 00 05 a2 03 00 02 00") == .notSorted)
        #expect(fault("82 01 84 00 00 05 a2 02 00 02 01") == .notSorted)
        #expect(fault("82 01 84 00 00 05 a2 62 6161 00 61 62 00") == .notSorted)
        #expect(fault("82 01 84 00 00 05 a2 82 04 61 61 f5 05 00") == .notSorted)
    }

    @Test("a write without fields is refused")
    func noFields() {
        #expect(fault("82 01 84 00 00 05 a0") == .outOfRange(.writeFieldCount))
        #expect(fault("82 01 83 00 00 00") == .outOfRange(.writeFieldCount))
        #expect(fault("82 01 83 00 00 80") == .outOfRange(.writeFieldCount))
    }

    @Test("a list of names that a number could say is refused, so is one out of order")
    func namesAreShort() {
        #expect(fault("82 01 83 00 00 82 02 03") == .notDeterministic)
        #expect(fault("82 01 83 00 00 82 1840 02") == .notSorted)
    }

    @Test("a value left out inside a write is refused")
    func elidedInside() {
        #expect(fault("82 01 84 00 00 05 a1 02 f7") == .unexpectedType(expected: .value))
    }

    @Test("a write that says it was not recovered is refused: it says nothing instead")
    func recoveredIsTrue() {
        #expect(fault("82 01 85 00 00 05 a1 02 00 f5") == nil)
        #expect(fault("82 01 85 00 00 05 a1 02 00 f4") == .notDeterministic)
        #expect(
            fault("82 01 86 00 00 05 a1 02 00 f5 00") == .overLimit(.writeParts, max: 5))
        #expect(fault("82 01 82 00 00") == .outOfRange(.writeParts))
    }

    @Test("a clock value names places and counters that the record's clock covers")
    func clockValues() {
        #expect(fault("82 01 84 00 00 05 a1 00 82 04 84 00 03 01 02") == nil)
        #expect(fault("82 01 84 00 00 05 a1 00 82 04 80") == nil)
        for field in ["01", "02", "61 78", "82 04 61 78"] {
            #expect(
                fault("82 01 84 00 00 05 a1 \(field) 82 04 82 00 01")
                    == .unexpectedType(expected: .value), "in the field \(field)")
        }
        let beyond = WireFault.outOfRange(.clockCounter)
        #expect(fault("82 01 84 00 00 05 a1 00 82 04 84 00 04 01 02") == beyond)
        #expect(
            fault("82 01 84 00 00 05 a1 00 82 04 82 02 01") == .outOfRange(.clockIndex))
        #expect(
            fault("82 01 84 00 00 05 a1 00 82 04 81 00") == .outOfRange(.clockLength))
        #expect(fault("82 01 84 00 00 05 a1 00 82 04 84 01 01 00 01") == .notSorted)
        #expect(fault("82 01 84 00 00 05 a1 00 82 04 82 00 00") == .notSorted)
        #expect(
            fault("82 01 84 00 00 05 a1 00 82 04 86 00 01 00 02 01 01")
                == .overLimit(.clockEntries, max: 2))
    }

    @Test("null, a clock or nothing is no element of a set")
    func elements() {
        for element in ["f6", "f7", "82 04 80"] {
            #expect(
                fault("82 01 84 00 00 05 a1 82 04 \(element) f5")
                    == .unexpectedType(expected: .setElement))
        }
    }

    @Test("names are not empty, and at most so long; numbers fit 32 bits")
    func names() {
        #expect(fault("82 01 84 00 00 05 a1 60 00") == .outOfRange(.nameLength))
        let most = RecordLimits.nameByteCountMax
        let letters = String(repeating: "61", count: most + 1)
        #expect(
            fault("82 01 84 00 00 05 a1 790101 \(letters) 00") == .overLimit(.name, max: most))
        #expect(fault("82 01 84 00 00 05 a1 790100 \(letters.dropLast(2)) 00") == nil)
        #expect(
            fault("82 01 84 00 00 05 a1 1b0000000100000000 00") == .outOfRange(.fieldNumber))
        #expect(fault("81 1b0000000100000000") == .outOfRange(.fieldNumber))
    }

    @Test("a value is at most so long")
    func longValues() {
        let most = RecordLimits.valueByteCountMax
        func body(_ count: Int) -> [UInt8] {
            var writer = CanonicalWriter(HexText.decode("82 01 84 00 00 05 a1 02"))
            writer.byteString([UInt8](repeating: 0, count: count))
            return writer.bytes
        }
        #expect(Reading.body(body(most), clock).fault == nil)
        #expect(Reading.body(body(most + 1), clock).fault == .overLimit(.value, max: most))
        // An unknown kind is measured as a whole.
        var writer = CanonicalWriter(HexText.decode("82 01 84 00 00 05 a1 02 82 09"))
        writer.byteString([UInt8](repeating: 0, count: most + 16))
        #expect(Reading.body(writer.bytes, clock).fault == .overLimit(.value, max: most))
    }

    @Test("a record holds at most so many assignments, over all its writes")
    func manyAssignments() {
        let most = RecordLimits.assignmentCountMax
        func body(_ first: Int, _ second: Int) -> [UInt8] {
            var writer = CanonicalWriter()
            writer.array(3)
            writer.unsigned(1)
            for (back, count) in [(1, first), (0, second)] {
                writer.array(4)
                writer.unsigned(0)
                writer.unsigned(UInt64(back))
                writer.unsigned(0)
                writer.map(count)
                for field in 0..<count {
                    writer.unsigned(UInt64(field))
                    writer.null()
                }
            }
            return writer.bytes
        }
        // The fields 0 and 1 do not count among these.
        #expect(Reading.body(body(most + 2, 1), clock).fault == nil)
        #expect(
            Reading.body(body(most + 2, 3), clock).fault == .overLimit(.assignments, max: most))
        #expect(
            Reading.body(body(most + 3, 1), clock).fault
                == .overLimit(.writeFields, max: RecordLimits.writeFieldCountMax))
    }

    @Test("a record holds at most so many assignments to the fields 0 and 1")
    func manyDeletions() {
        let most = RecordLimits.deletionCountMax
        func body(_ count: Int) -> [UInt8] {
            let dots = (1...count).map { Dot(replica: ReplicaID(value: 1), counter: UInt64($0)) }
            let writes = dots.map {
                Write(dot: $0, timestamp: .zero, assignments: [Assignment(.deleted, .null)])
            }
            let record = RecordState(clock: VersionVector(dots[count - 1]), writes: writes)
            return BodyCodec.encode(record, in: .number(1))
        }
        let clock = VersionVector(Dot(replica: ReplicaID(value: 1), counter: UInt64(most)))
        let longer = VersionVector(Dot(replica: ReplicaID(value: 1), counter: UInt64(most + 1)))
        #expect(Reading.body(body(most), clock).fault == nil)
        #expect(Reading.body(body(most + 1), longer).fault == .overLimit(.deletions, max: most))
    }

    @Test("a body without a collection is refused")
    func noCollection() {
        #expect(fault("80") == .missingKey(0))
        #expect(fault("81 01") == nil)
        #expect(fault("81 f5") == .unexpectedType(expected: .unsigned))
    }

    @Test(
        "counts beyond the bytes are refused at once",
        arguments: ["9b7fffffffffffffff", "9a00ffffff", "990fff01"])
    func hugeCounts(text: String) {
        #expect(fault(text) != nil)
    }
}
