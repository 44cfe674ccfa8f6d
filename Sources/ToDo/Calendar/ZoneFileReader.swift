/// Reads a TZif file (RFC 8536), versions 1 to 4.
///
/// A file of version 2 or later holds the data twice; the second copy has 64-bit times and a
/// footer with the rule for all later times. Nothing in the file is trusted: every count is
/// checked against the bytes that are there.
struct ZoneFileReader {
    /// The content of a file.
    struct Contents: Equatable {
        /// Seconds since 1970, ascending.
        var transitions: [Int] = []
        /// The index of the period that each transition begins; as many as `transitions`.
        var periodIndices: [UInt8] = []
        /// At least one; the first holds before the first transition.
        var periods: [PosixZoneRule.Period] = []
        var rule: PosixZoneRule?
    }

    private struct Header {
        var version: UInt8
        var universalCount: Int
        var standardCount: Int
        var leapCount: Int
        var transitionCount: Int
        var periodCount: Int
        var nameByteCount: Int

        func byteCount(timeWidth: Int) -> Int {
            transitionCount * (timeWidth + 1) + periodCount * 6 + nameByteCount
                + leapCount * (timeWidth + 4) + standardCount + universalCount
        }
    }

    private let bytes: [UInt8]
    private var offset = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads a whole file.
    static func read(_ bytes: [UInt8]) throws(TimeZoneFault) -> Contents {
        var reader = ZoneFileReader(bytes)
        let first = try reader.header()
        guard first.version >= UInt8(ascii: "2") else {
            return try reader.data(first, timeWidth: 4)
        }
        try reader.skip(first.byteCount(timeWidth: 4))
        let second = try reader.header()
        var contents = try reader.data(second, timeWidth: 8)
        contents.rule = try reader.footer()
        return contents
    }

    private mutating func skip(_ count: Int) throws(TimeZoneFault) {
        guard bytes.count - offset >= count else { throw .truncated }
        offset += count
    }

    private mutating func signed(width: Int) throws(TimeZoneFault) -> Int {
        let start = offset
        try skip(width)
        var value = UInt64(0)
        for byte in bytes[start..<offset] { value = value << 8 | UInt64(byte) }
        return width == 8 ? Int(Int64(bitPattern: value)) : Int(Int32(truncatingIfNeeded: value))
    }

    private mutating func count() throws(TimeZoneFault) -> Int {
        let count = try signed(width: 4)
        guard count >= 0 else { throw .inconsistent(.negativeCount) }
        return count
    }

    private mutating func header() throws(TimeZoneFault) -> Header {
        let start = offset
        guard bytes.count - start >= 4, bytes[start..<start + 4].elementsEqual("TZif".utf8) else {
            throw .notZoneData
        }
        try skip(20)
        return Header(
            version: bytes[start + 4], universalCount: try count(), standardCount: try count(),
            leapCount: try count(), transitionCount: try count(), periodCount: try count(),
            nameByteCount: try count())
    }

    private mutating func data(
        _ header: Header, timeWidth: Int
    ) throws(TimeZoneFault) -> Contents {
        guard bytes.count - offset >= header.byteCount(timeWidth: timeWidth) else {
            throw .truncated
        }
        guard header.periodCount > 0 else { throw .inconsistent(.noPeriod) }
        guard header.leapCount == 0 else { throw .countsLeapSeconds }
        var contents = Contents()
        for _ in 0..<header.transitionCount {
            let instant = try signed(width: timeWidth)
            // Some writers begin with a transition at the Big Bang; sums with it must not overflow.
            let bounded = min(max(instant, -(1 << 59)), 1 << 59)
            guard contents.transitions.last.map({ $0 < bounded }) ?? true else {
                throw .inconsistent(.transitionOrder)
            }
            contents.transitions.append(bounded)
        }
        contents.periodIndices = Array(bytes[offset..<offset + header.transitionCount])
        try skip(header.transitionCount)
        guard contents.periodIndices.allSatisfy({ Int($0) < header.periodCount }) else {
            throw .inconsistent(.transitionPeriod)
        }
        let nameStart = offset + header.periodCount * 6
        let names = bytes[nameStart..<nameStart + header.nameByteCount]
        for _ in 0..<header.periodCount {
            contents.periods.append(try period(names: names))
        }
        try skip(header.nameByteCount + header.standardCount + header.universalCount)
        return contents
    }

    private mutating func period(
        names: ArraySlice<UInt8>
    ) throws(TimeZoneFault) -> PosixZoneRule.Period {
        let seconds = try signed(width: 4)
        // RFC 8536 3.2 recommends within -25 to 26 hours; the search for local times needs a bound.
        guard (-93_600...93_600).contains(seconds) else {
            throw .inconsistent(.offset(seconds: Int(seconds)))
        }
        let nameOffset = Int(bytes[offset + 1])
        try skip(2)
        guard nameOffset < names.count else { throw .inconsistent(.name) }
        let name = names.dropFirst(nameOffset).prefix { $0 != 0 }
        return PosixZoneRule.Period(
            offset: seconds, abbreviation: String(decoding: name, as: UTF8.self))
    }

    private mutating func footer() throws(TimeZoneFault) -> PosixZoneRule? {
        let rest = bytes[offset...]
        guard rest.first == 10, let end = rest.dropFirst().firstIndex(of: 10) else {
            throw .truncated
        }
        let text = rest[rest.startIndex + 1..<end]
        return text.isEmpty ? nil : try PosixZoneRuleParser.parse(Array(text))
    }
}
