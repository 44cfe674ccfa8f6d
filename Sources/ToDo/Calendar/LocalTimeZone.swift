import FoundationEssentials
import Glibc

/// A time zone read from system data, without any locale library.
///
/// From local time to an instant two cases have no single answer. In an **overlap** (clocks go
/// back) the first of the two instants is taken. In a **gap** (clocks go forward) the time is
/// read with the offset from before the gap, which moves it later by the length of the gap:
/// 02:30 becomes 03:30. A day that begins in a gap so begins with the first instant it has.
package struct LocalTimeZone: Sendable, Equatable {
    /// The name it was asked for by: `Europe/Berlin`.
    package let name: String
    private let contents: ZoneFileReader.Contents

    private init(name: String, contents: ZoneFileReader.Contents) {
        self.name = name
        self.contents = contents
    }

    /// Universal time.
    package static let utc = LocalTimeZone(name: "UTC", secondsEast: 0)

    /// A zone that never changes its clocks; `secondsEast` within a day of UTC.
    package init(name: String, secondsEast: Int) {
        precondition(abs(secondsEast) <= 93_600, "an offset beyond a day")
        let period = PosixZoneRule.Period(offset: secondsEast, abbreviation: name)
        self.init(name: name, contents: .init(periods: [period]))
    }

    /// Reads a TZif file.
    package init(name: String, file bytes: [UInt8]) throws(TimeZoneFault) {
        self.init(name: name, contents: try ZoneFileReader.read(bytes))
    }

    /// Reads a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`.
    package init(rule text: String) throws(TimeZoneFault) {
        let rule = try PosixZoneRuleParser.parse(Array(text.utf8))
        self.init(
            name: text,
            contents: ZoneFileReader.Contents(periods: [rule.standard], rule: rule))
    }
}

extension LocalTimeZone {
    /// Seconds east of UTC at an instant in milliseconds since 1970.
    package func secondsEast(at instant: Int64) -> Int {
        period(at: Int(instant).quotientRoundedDown(by: 1_000).quotient).offset
    }

    /// The zone's short name at an instant: `CEST`.
    package func abbreviation(at instant: Int64) -> String {
        period(at: Int(instant).quotientRoundedDown(by: 1_000).quotient).abbreviation
    }

    /// The local time at an instant in milliseconds since 1970.
    package func localTime(at instant: Int64) -> LocalTime {
        let local = Int(clamped(instant)) + secondsEast(at: clamped(instant)) * 1_000
        let (day, rest) = local.quotientRoundedDown(by: 86_400_000)
        return LocalTime(day: day, millisecondOfDay: rest)
    }

    /// The instant at which the clock shows `time`; for gaps and overlaps see the type.
    package func instant(of time: LocalTime) -> Int64 {
        let (second, rest) = time.millisecondOfDay.quotientRoundedDown(by: 1_000)
        let day = min(max(time.day, -(1 << 36)), 1 << 36)
        return Int64(instantSeconds(ofLocal: day * 86_400 + second) * 1_000 + rest)
    }

    /// The first instant of a day, in milliseconds since 1970.
    package func startOfDay(_ day: Int) -> Int64 {
        instant(of: LocalTime(day: day))
    }

    /// Keeps sums with an offset from overflowing; 292 million years stay exact but for a day.
    private func clamped(_ instant: Int64) -> Int64 {
        min(max(instant, .min + 200_000_000), .max - 200_000_000)
    }

    private func period(at seconds: Int) -> PosixZoneRule.Period {
        guard let last = contents.transitions.last, seconds < last || contents.rule == nil else {
            return contents.rule?.period(at: seconds).period ?? contents.periods[0]
        }
        let index = transitionCount(upTo: seconds)
        return index == 0
            ? contents.periods[0] : contents.periods[Int(contents.periodIndices[index - 1])]
    }

    /// How many transitions of the table lie at or before an instant.
    private func transitionCount(upTo seconds: Int) -> Int {
        var (low, high) = (0, contents.transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if contents.transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func instantSeconds(ofLocal local: Int) -> Int {
        // No offset is beyond 26 hours, so every offset that can matter holds at some instant
        // within 26 hours of the local time read as UTC.
        let reach = 93_600
        let changes = changes(from: local - reach, through: local + reach)
        let before = period(at: local - reach).offset
        let offsets = [before] + changes.map { period(at: $0).offset }
        let exact = offsets.map { local - $0 }.filter { local - period(at: $0).offset == $0 }
        if let first = exact.min() { return first }
        for (change, offset) in zip(changes, offsets) where local - offset >= change {
            let after = period(at: change).offset
            if local - after < change { return local - offset }
        }
        return local - before
    }

    /// The instants in a closed range, ascending, at which the clock may change.
    private func changes(from start: Int, through end: Int) -> [Int] {
        let low = transitionCount(upTo: start - 1)
        let high = transitionCount(upTo: end)
        var found = Array(contents.transitions[low..<high])
        if let rule = contents.rule, contents.transitions.last.map({ $0 < end }) ?? true {
            let first = contents.transitions.last ?? .min
            found += rule.transitions(around: (start + end) / 2).map(\.instant)
                .filter { $0 > first && (start...end).contains($0) }
        }
        return found
    }
}

/// Finds the user's time zone the way the C library does.
package struct TimeZoneLoader {
    private let read: (String) -> [UInt8]?

    /// Reads files through `read`, which answers nil for what it cannot read.
    package init(read: @escaping (String) -> [UInt8]?) {
        self.read = read
    }

    /// Reads the system's files.
    package static var system: TimeZoneLoader {
        TimeZoneLoader(read: bytes(ofFile:))
    }

    /// The bytes of a file; nil if it cannot be read.
    ///
    /// Nearly every command reads the zone, and needs no more than the C library for it.
    private static func bytes(ofFile path: String) -> [UInt8]? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&part, 1, part.count, file)
            if count == 0 { return ferror(file) == 0 ? bytes : nil }
            bytes += part[..<count]
        }
    }

    /// The name of the zone that `/etc/localtime` leads to: `Europe/Berlin`; nil if it has none.
    package static func localName() -> String? {
        let path = "/etc/localtime"
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
            let range = target.firstRange(of: "zoneinfo/")
        else { return nil }
        return String(target[range.upperBound...])
    }

    /// The zone that the TZ variable names.
    ///
    /// - nil: `/etc/localtime`, and UTC if there is none; empty: UTC.
    /// - An absolute path, with or without a leading colon: that file.
    /// - Else a name under `directory`, and if no such file exists a rule like `EST5EDT,…`.
    /// - Throws: `unknownZone` instead of the C library's silent fall back to UTC.
    package func zone(
        variable: String?, directory: String = "/usr/share/zoneinfo"
    ) throws(TimeZoneFault) -> LocalTimeZone {
        guard let variable else {
            guard let bytes = read("/etc/localtime") else { return .utc }
            return try LocalTimeZone(name: "local", file: bytes)
        }
        let name = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
        guard !name.isEmpty else { return .utc }
        if name.hasPrefix("/") {
            guard let bytes = read(name) else { throw .unknownZone(name) }
            return try LocalTimeZone(name: name, file: bytes)
        }
        let leavesDirectory = name.split(separator: "/").contains("..")
        if !leavesDirectory, let bytes = read("\(directory)/\(name)") {
            return try LocalTimeZone(name: name, file: bytes)
        }
        if let zone = try? LocalTimeZone(rule: name) { return zone }
        let isUniversal = Self.universalNames.contains(
            name.hasPrefix("Etc/") ? String(name.dropFirst(4)) : name)
        guard isUniversal else { throw .unknownZone(name) }
        return LocalTimeZone(name: name, secondsEast: 0)
    }

    /// The names of UTC in zoneinfo, for systems that have no files of zones.
    private static let universalNames: Set = [
        "UTC", "UCT", "GMT", "Zulu", "Universal", "Greenwich",
    ]
}

extension LocalTimeZone {
    /// The name by which every device finds this zone; nil if it has none.
    package var sharedName: String? {
        let found = name == "local" ? TimeZoneLoader.localName() : name
        return found.flatMap { name in
            (try? TimeZoneLoader.system.zone(variable: name)) == nil ? nil : name
        }
    }
}

/// Why time zone data cannot be used.
package enum TimeZoneFault: Error, Equatable, Sendable {
    /// The bytes do not begin like a TZif file.
    case notZoneData
    /// The file ends before the data its header promises.
    case truncated
    /// A count or index in the file contradicts another.
    case inconsistent(Contradiction)
    /// The zone counts leap seconds, which our milliseconds do not.
    case countsLeapSeconds
    /// A rule such as `CET-1CEST,M3.5.0,M10.5.0/3` is malformed.
    case badRule(String)
    /// Neither a file nor a rule of that name exists.
    case unknownZone(String)

    /// A part of a time zone file that contradicts another.
    package enum Contradiction: Equatable, Sendable, CustomStringConvertible {
        /// A count is below zero.
        case negativeCount
        /// No local time type is described.
        case noPeriod
        /// Transitions are not in order.
        case transitionOrder
        /// A transition names a local time type that is missing.
        case transitionPeriod
        /// An offset of so many seconds is beyond a day.
        case offset(seconds: Int)
        /// A name begins outside of the names.
        case name

        /// The part in words.
        package var description: String {
            switch self {
            case .negativeCount: "a count is negative"
            case .noPeriod: "no local time type"
            case .transitionOrder: "transitions are not in order"
            case .transitionPeriod: "a transition to a missing local time type"
            case .offset(let seconds): "an offset of \(seconds) seconds"
            case .name: "a name outside the names"
            }
        }
    }
}

extension TimeZoneFault: CustomStringConvertible {
    /// The fault in words, for the user.
    package var description: String {
        switch self {
        case .notZoneData: "not a time zone file"
        case .truncated: "the time zone file is cut short"
        case .inconsistent(let part): "the time zone file contradicts itself: \(part)"
        case .countsLeapSeconds: "time zones that count leap seconds are not supported"
        case .badRule(let rule): "cannot understand the time zone rule '\(rule)'"
        case .unknownZone(let name):
            "no time zone '\(name)'; use a name such as Europe/Berlin, or unset TZ"
        }
    }
}
