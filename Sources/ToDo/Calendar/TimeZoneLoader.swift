import FoundationEssentials

/// Finds the user's time zone the way the C library does.
package struct TimeZoneLoader {
    private let read: (String) -> [UInt8]?

    /// Reads files through `read`, which answers nil for what it cannot read.
    package init(read: @escaping (String) -> [UInt8]?) {
        self.read = read
    }

    /// Reads the system's files.
    package static var system: TimeZoneLoader {
        TimeZoneLoader { path in
            (try? Data(contentsOf: URL(filePath: path))).map { Array($0) }
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

    /// What UTC is called in zoneinfo, for systems that have no files of zones.
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
