import Core
import TestSupport
import Testing

@Suite("Reading canonical CBOR")
struct CanonicalReaderTests {
    private func bytes(_ text: String) -> [UInt8] { HexText.decode(text) }

    @Test("every value comes back from its canonical bytes")
    func valuesComeBack() {
        var random = RandomRecords(seed: 21)
        for _ in 0..<2000 {
            let value = random.value()
            #expect(Reading.value(value.canonicalBytes) == .success(value))
        }
    }

    @Test("any bytes of up to two give a value with just these bytes, or a fault")
    func shortBytesAreUnique() {
        for first in 0...255 as ClosedRange<UInt8> {
            check([first])
            for second in 0...255 as ClosedRange<UInt8> { check([first, second]) }
        }
    }

    @Test("random bytes behind every head give a value with just these bytes, or a fault")
    func randomBytesAreUnique() {
        var chance = SplitMix64(seed: 22)
        for _ in 0..<20_000 {
            check([UInt8(truncatingIfNeeded: chance.next())] + chance.bytes(chance.below(12)))
        }
    }

    private func check(_ bytes: [UInt8]) {
        guard case .success(let value) = Reading.value(bytes) else { return }
        #expect(value.canonicalBytes == bytes)
        let skipped = Reading.item(bytes) { reader throws(WireFault) in try reader.skip().count }
        #expect(skipped == .success(bytes.count))
    }

    @Test(
        "a head longer than needed is refused",
        arguments: [
            "1817", "190017", "1900ff", "1a0000ffff", "1b00000000ffffffff", "3817", "5800", "7800",
            "9800", "b800", "82180101", "8201 1800",
        ])
    func longHeads(text: String) {
        let fault = Reading.value(bytes(text)).fault
        #expect(fault == .notDeterministic || fault == .unexpectedType(expected: .value))
        let skipped = Reading.item(bytes(text)) { reader throws(WireFault) in
            try reader.skip().count
        }
        #expect(skipped.fault == .notDeterministic)
    }

    @Test(
        "indefinite lengths are refused", arguments: ["5f", "7f", "9f", "bf", "5f4101ff", "9fff"])
    func indefiniteLengths(text: String) {
        let skipped = Reading.item(bytes(text)) { reader throws(WireFault) in
            try reader.skip().count
        }
        #expect(skipped.fault == .notDeterministic)
        #expect(Reading.value(bytes(text)).fault != nil)
    }

    @Test(
        "a floating-point number longer than needed, or another NaN, is refused",
        arguments: [
            "fa00000000", "fb0000000000000000", "fa3f800000", "fb3ff8000000000000",
            "fb47efffffe0000000", "f97e01", "fa7fc00000", "fb7ff8000000000000", "f9fe00",
            "fa33800000",
        ])
    func longFloats(text: String) {
        #expect(Reading.value(bytes(text)) == .failure(.notDeterministic))
    }

    @Test("a shortest subnormal of each width is taken", arguments: ["f90001", "fa00000001"])
    func subnormals(text: String) {
        #expect(Reading.value(bytes(text)).fault == nil)
    }

    @Test("integers beyond 64 bits of either sign are refused")
    func wideIntegers() {
        #expect(Reading.value(bytes("1b7fffffffffffffff")) == .success(.int(.max)))
        #expect(Reading.value(bytes("3b7fffffffffffffff")) == .success(.int(.min)))
        #expect(Reading.value(bytes("1b8000000000000000")) == .failure(.outOfRange(.integer)))
        #expect(Reading.value(bytes("3b8000000000000000")) == .failure(.outOfRange(.integer)))
    }

    @Test(
        "text that is not UTF-8 is refused: cut, overlong, surrogate, out of range",
        arguments: [
            "61ff", "61c3", "62c080", "63e0809f", "63eda080", "64f4908080", "6180", "62c328",
        ])
    func badText(text: String) {
        #expect(Reading.value(bytes(text)) == .failure(.badText))
    }

    @Test(
        "lengths far beyond the end are refused without taking memory",
        arguments: [
            "5bffffffffffffffff", "7bffffffffffffffff", "5a7fffffff", "7a00040000",
            "9bffffffffffffffff", "bbffffffffffffffff",
        ])
    func hugeLengths(text: String) {
        #expect(Reading.value(bytes(text)).fault != nil)
        let skipped = Reading.item(bytes(text)) { reader throws(WireFault) in
            try reader.skip().count
        }
        #expect(skipped.fault != nil)
    }

    @Test(
        "what has no meaning as a value is refused",
        arguments: ["80", "81 01", "83010203", "a0", "c000", "e0", "f8ff", "ff"])
    func noValues(text: String) {
        #expect(Reading.value(bytes(text)) == .failure(.unexpectedType(expected: .value)))
    }

    @Test("a value of an unknown kind is kept byte for byte")
    func unknownKinds() {
        for text in [
            "820901", "8209a2010203f5", "820982820900f5", "8218ff60", "820080", "8209c101",
        ] {
            #expect(Reading.value(bytes(text)) == .success(.unknown(bytes(text))), "\(text)")
        }
    }

    @Test("inside a value of an unknown kind the rules of determinism hold")
    func unknownKindsAreChecked() {
        for (text, fault) in [
            ("82091800", WireFault.notDeterministic), ("8209a202000100", .notSorted),
            ("8209a201000100", .notSorted), ("8209f818", .badHead(0xf8)),
            ("82091c", .badHead(0x1c)),
            ("8209", .truncated), ("82090100", .trailingBytes), ("820961ff", .badText),
        ] {
            #expect(Reading.value(bytes(text)) == .failure(fault), "\(text)")
        }
    }

    @Test("nesting is limited, so that no bytes exhaust the stack")
    func nestingIsLimited() {
        func nested(_ depth: Int) -> [UInt8] {
            [0x82, 9] + [UInt8](repeating: 0x81, count: depth - 1) + [0]
        }
        let most = RecordLimits.nestingDepthMax
        #expect(Reading.value(nested(most)).fault == nil)
        #expect(Reading.value(nested(most + 1)) == .failure(.nestedTooDeep))
        #expect(Reading.value(nested(100_000)) == .failure(.nestedTooDeep))
    }

    @Test("a reference is of 16 bytes, a day fits 32 bits")
    func payloadsAreChecked() {
        #expect(
            Reading.value(bytes("820382014100")) == .failure(.outOfRange(.identifierLength))
        )
        #expect(Reading.value(bytes("82021a80000000")) == .failure(.outOfRange(.day)))
        #expect(Reading.value(bytes("82021a7fffffff")) == .success(.day(.max)))
        #expect(Reading.value(bytes("82023a7fffffff")) == .success(.day(.min)))
        #expect(Reading.value(bytes("820160")) == .failure(.unexpectedType(expected: .integer)))
    }
}
