import Core
import TestSupport
import Testing

/// Every way in which bytes can be wrong is reached, each by its own test.
@Suite("Faults of the wire")
struct WireFaultTests {
    private func fault(_ text: String) -> WireFault? { Reading.message(HexText.decode(text)).fault }

    @Test("truncated") func truncated() { #expect(fault("a2 00 07 01") == .truncated) }

    @Test("trailingBytes") func trailing() { #expect(fault("a1 00 09 00") == .trailingBytes) }

    @Test("notDeterministic")
    func notDeterministic() { #expect(fault("a1 00 18 09") == .notDeterministic) }

    @Test("badHead") func badHead() { #expect(fault("a1 00 1c") == .badHead(0x1c)) }

    @Test("unexpectedType")
    func unexpectedType() {
        #expect(fault("a1 00 61 61") == .unexpectedType(expected: .unsigned))
    }

    @Test("badText")
    func badText() { #expect(fault("a5 00 0a 01 01 02 61 ff 03 00 04 60") == .badText) }

    @Test("notSorted") func notSorted() { #expect(fault("a3 00 07 02 00 01 05") == .notSorted) }

    @Test("outOfRange")
    func outOfRange() { #expect(fault("a2 00 01 01 82 02 01") == .outOfRange(.versions)) }

    @Test("overLimit")
    func overLimit() {
        #expect(fault("b8 41") == .overLimit(.messageKeys, max: 64))
    }

    @Test("nestedTooDeep")
    func nestedTooDeep() {
        let nested = String(repeating: "81", count: RecordLimits.nestingDepthMax)
        #expect(fault("a3 00 07 01 05 02 \(nested) 00") == .nestedTooDeep)
    }

    @Test("missingKey") func missingKey() { #expect(fault("a1 00 07") == .missingKey(1)) }

    @Test("unknownMessage")
    func unknownMessage() { #expect(fault("a1 00 0f") == .unknownMessage(15)) }

    @Test("badChecksum")
    func badChecksum() {
        var frame = Frame.encode(.bye)
        frame[5] ^= 1
        #expect(Reading.frame(frame) == .failure(.badChecksum))
    }

    @Test("frameTooLong")
    func frameTooLong() {
        let frame: [UInt8] = [1, 0, 0, 0]
        let most = WireLimits.frameByteCountMax
        #expect(Reading.frame(frame) == .failure(.frameTooLong(byteCount: 1 << 24, max: most)))
    }

    @Test("every fault says what is the matter, in words")
    func descriptions() {
        let faults: [WireFault] = [
            .truncated, .trailingBytes, .notDeterministic, .badHead(1),
            .unexpectedType(expected: .value),
            .badText, .notSorted, .outOfRange(.value), .overLimit(.value, max: 1), .nestedTooDeep,
            .missingKey(1), .unknownMessage(1), .badChecksum, .frameTooLong(byteCount: 2, max: 1),
        ]
        #expect(Set(faults.map(\.description)).count == faults.count)
        for fault in faults { #expect(fault.description.contains(" ")) }
    }
}
