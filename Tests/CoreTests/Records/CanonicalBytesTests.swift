import Core
import TestSupport
import Testing

@Suite("Canonical bytes of values")
struct CanonicalBytesTests {
    private static let clock = VersionVector(
        unsorted: [
            .init(replica: ReplicaID(value: 1), counter: 5),
            .init(replica: ReplicaID(value: 2), counter: 600),
        ])

    /// Values and the bytes that another implementation of deterministic CBOR (Python's cbor2, canonical)
    /// writes for them.
    private static let written: [(value: Value, hexadecimal: String)] = [
        (.int(0), "00"),
        (.int(1), "01"),
        (.int(10), "0a"),
        (.int(23), "17"),
        (.int(24), "1818"),
        (.int(25), "1819"),
        (.int(100), "1864"),
        (.int(255), "18ff"),
        (.int(256), "190100"),
        (.int(1000), "1903e8"),
        (.int(65535), "19ffff"),
        (.int(65536), "1a00010000"),
        (.int(1000000), "1a000f4240"),
        (.int(4294967295), "1affffffff"),
        (.int(4294967296), "1b0000000100000000"),
        (.int(9223372036854775807), "1b7fffffffffffffff"),
        (.int(-1), "20"),
        (.int(-10), "29"),
        (.int(-24), "37"),
        (.int(-25), "3818"),
        (.int(-100), "3863"),
        (.int(-256), "38ff"),
        (.int(-257), "390100"),
        (.int(-65536), "39ffff"),
        (.int(-65537), "3a00010000"),
        (.int(-4294967296), "3affffffff"),
        (.int(-4294967297), "3b0000000100000000"),
        (.int(.min), "3b7fffffffffffffff"),
        (.double(0), "f90000"),
        (.double(-0.0), "f98000"),
        (.double(1), "f93c00"),
        (.double(1.1), "fb3ff199999999999a"),
        (.double(1.5), "f93e00"),
        (.double(65_504), "f97bff"),
        (.double(65_505), "fa477fe100"),
        (.double(65_520), "fa477ff000"),
        (.double(100_000), "fa47c35000"),
        (.double(3.4028234663852886e+38), "fa7f7fffff"),
        (.double(1e300), "fb7e37e43c8800759c"),
        (.double(0x1p-24), "f90001"),
        (.double(0x1p-25), "fa33000000"),
        (.double(0x1p-14), "f90400"),
        (.double(0x1.8p-15), "f90300"),
        (.double(0x1.ffcp-15), "fa387fe000"),
        (.double(0x1.ffcp0), "f93fff"),
        (.double(0x1.ffep0), "fa3ffff000"),
        (.double(0x1.ff8p15), "f97bfe"),
        (.double(0x1p16), "fa47800000"),
        (.double(-4), "f9c400"),
        (.double(-4.1), "fbc010666666666666"),
        (.double(0x1p-126), "fa00800000"),
        (.double(0x1p-149), "fa00000001"),
        (.double(0x1p-150), "fb3690000000000000"),
        (.double(0x1p-1074), "fb0000000000000001"),
        (.double(.infinity), "f97c00"),
        (.double(-.infinity), "f9fc00"),
        (.double(.nan), "f97e00"),
        (.double(0.1), "fb3fb999999999999a"),
        (.double(1.0 / 3), "fb3fd5555555555555"),
        (.text(""), "60"),
        (.text("a"), "6161"),
        (.text("IETF"), "6449455446"),
        (.text("\"\\"), "62225c"),
        (.text("\u{fc}"), "62c3bc"),
        (.text("\u{6c34}"), "63e6b0b4"),
        (.text("\u{10151}"), "64f0908591"),
        (
            .text(String(repeating: "x", count: 23)),
            "777878787878787878787878787878787878787878787878"
        ),
        (
            .text(String(repeating: "x", count: 24)),
            "7818787878787878787878787878787878787878787878787878"
        ),
        (.bytes([]), "40"),
        (.bytes([1, 2, 3, 4]), "4401020304"),
        (.null, "f6"),
        (.bool(true), "f5"),
        (.bool(false), "f4"),
        (.instant(1_234_567_890_123), "82011b0000011f71fb04cb"),
        (.instant(-1), "820120"),
        (.day(20_000), "8202194e20"),
        (.day(-719_162), "82023a000af939"),
        (
            .toDo(RecordID(value: 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f)),
            "8203820150000102030405060708090a0b0c0d0e0f"
        ),
        (
            .clock(clock),
            "8204845000000000000000000000000000000001055000000000000000000000000000000002190258"
        ),
    ]

    @Test("values are written as another implementation writes them")
    func valuesAreWritten() {
        for (value, hexadecimal) in Self.written {
            #expect(HexText.encode(value.canonicalBytes) == hexadecimal, "\(value)")
        }
    }

    @Test("no two different values have the same bytes, and equal ones hash alike")
    func bytesAreInjective() {
        for (i, left) in Self.written.enumerated() {
            for (j, right) in Self.written.enumerated() {
                #expect((left.value == right.value) == (i == j))
                #expect((left.value == right.value) == (left.hexadecimal == right.hexadecimal))
            }
        }
    }

    @Test("values sort like their bytes")
    func orderIsOfBytes() {
        var random = RandomRecords(seed: 4)
        let values = (0..<150).map { _ in random.value() } + Self.written.map(\.value)
        for left in values {
            for right in values {
                let precedes = left.canonicalBytes.lexicographicallyPrecedes(right.canonicalBytes)
                #expect((left < right) == precedes)
                #expect((left == right) == (left.canonicalBytes == right.canonicalBytes))
                if left == right { #expect(left.hashValue == right.hashValue) }
            }
        }
    }

    @Test("heads are as short as they can be")
    func headsAreShort() {
        let steps: [(UInt64, Int)] = [
            (0, 1), (23, 1), (24, 2), (255, 2), (256, 3), (65_535, 3), (65_536, 5),
            (0xffff_ffff, 5), (0x1_0000_0000, 9), (.max, 9),
        ]
        for major in 0...5 as ClosedRange<UInt8> {
            for (argument, count) in steps {
                var writer = CanonicalWriter()
                writer.head(major, argument)
                #expect(writer.bytes.count == count)
                #expect(writer.bytes[0] >> 5 == major)
            }
        }
    }

    @Test("the limit's count of bytes is never below the true one")
    func byteCountIsAnUpperBound() {
        var random = RandomRecords(seed: 5)
        for _ in 0..<500 {
            let value = random.value()
            #expect(value.approximateByteCount >= value.canonicalBytes.count)
        }
        #expect(Value.clock(Self.clock).approximateByteCount >= 50)
    }
}
