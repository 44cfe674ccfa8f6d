import Core

/// Counts the bytes by which the uploads of devices make spaces of a relay grow, a day at a time; in memory alone.
///
/// One device that writes without end uses up its own share, and not that of the others in its space. It is a bound on
/// faults: whoever has the space's secret can come with another key.
struct DeviceUploads {
    /// A device of a space.
    struct Device: Hashable {
        let space: SpaceID
        let fingerprint: [UInt8]
    }

    private struct Count {
        let since: Instant
        var byteCount: Int
    }

    /// The time after which a count begins anew.
    static let periodMilliseconds: Int64 = 24 * 60 * 60 * 1000

    private var counts: [Device: Count] = [:]

    /// Whether the count of a device is below the limit: what is on its way then is taken, as a single upload that is
    /// longer than the limit could never leave the device else.
    func hasRoom(_ device: Device, max: Int, now: Instant) -> Bool {
        guard let count = counts[device], !Self.isOver(count, now) else { return true }
        return count.byteCount < max
    }

    /// Counts the bytes that an upload has added to a space.
    ///
    /// - Parameter deviceCountMax: the most counts that are kept; of more the oldest is dropped.
    mutating func add(_ byteCount: Int, of device: Device, deviceCountMax: Int, now: Instant) {
        if byteCount <= 0 { return }
        if let count = counts[device], !Self.isOver(count, now) {
            counts[device]?.byteCount += byteCount
            return
        }
        if counts.count >= deviceCountMax, counts[device] == nil { makeRoom(deviceCountMax, now) }
        counts[device] = Count(since: now, byteCount: byteCount)
    }

    private mutating func makeRoom(_ deviceCountMax: Int, _ now: Instant) {
        counts = counts.filter { !Self.isOver($0.value, now) }
        func isBefore(
            _ left: (key: Device, value: Count), _ right: (key: Device, value: Count)
        ) -> Bool {
            if left.value.since != right.value.since { return left.value.since < right.value.since }
            if left.key.space != right.key.space { return left.key.space < right.key.space }
            return left.key.fingerprint.lexicographicallyPrecedes(right.key.fingerprint)
        }
        if counts.count >= deviceCountMax, let oldest = counts.min(by: isBefore) {
            counts[oldest.key] = nil
        }
    }

    private static func isOver(_ count: Count, _ now: Instant) -> Bool {
        count.since.advanced(byMilliseconds: periodMilliseconds) <= now
    }
}
