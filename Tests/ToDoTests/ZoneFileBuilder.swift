/// Builds TZif bytes, so that tests do not depend on the system's files.
struct ZoneFileBuilder {
    var transitions: [(instant: Int, period: UInt8)] = []
    var periods: [(offset: Int, isDaylight: Bool, nameOffset: UInt8)] = []
    var names = ""
    var footer: String?
    var leapSeconds = 0

    /// Version 1, or version 2 when there is a footer.
    var bytes: [UInt8] {
        guard let footer else { return block(version: 0, width: 4) }
        let first = ZoneFileBuilder(periods: [(0, false, 0)], names: "UTC\0")
        return first.block(version: 0x32, width: 4) + block(version: 0x32, width: 8)
            + Array("\n\(footer)\n".utf8)
    }

    private func block(version: UInt8, width: Int) -> [UInt8] {
        var out = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
        let counts = [0, 0, leapSeconds, transitions.count, periods.count, names.utf8.count]
        for count in counts { out += bigEndian(count, width: 4) }
        for transition in transitions { out += bigEndian(transition.instant, width: width) }
        out += transitions.map(\.period)
        for period in periods {
            out += bigEndian(period.offset, width: 4)
            out += [period.isDaylight ? 1 : 0, period.nameOffset]
        }
        out += Array(names.utf8)
        out += [UInt8](repeating: 0, count: leapSeconds * (width + 4))
        return out
    }

    private func bigEndian(_ value: Int, width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - $0))) }
    }
}
