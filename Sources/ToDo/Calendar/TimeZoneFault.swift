/// Why time zone data cannot be used.
package enum TimeZoneFault: Error, Equatable, Sendable {
    /// The bytes do not begin like a TZif file.
    case notZoneData
    /// The file ends before the data its header promises.
    case truncated
    /// A count or index in the file contradicts another; says which.
    case inconsistent(String)
    /// The zone counts leap seconds, which our milliseconds do not.
    case countsLeapSeconds
    /// A rule such as `CET-1CEST,M3.5.0,M10.5.0/3` is malformed.
    case badRule(String)
    /// Neither a file nor a rule of that name exists.
    case unknownZone(String)
}

extension TimeZoneFault: CustomStringConvertible {
    /// What is wrong, for the user.
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
