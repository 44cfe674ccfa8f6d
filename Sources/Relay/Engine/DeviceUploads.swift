import Core

/// Counts the bytes by which the uploads of devices make spaces of a relay grow, a day at a time; in memory alone.
///
/// One device that writes without end uses up its own share, and not that of the others in its space. It is a bound on
/// faults: whoever has the space's secret can come with another key.
///
/// Where several processes serve one store each adds its own to the sums of all, once a second, as soon as a device has
/// uploaded a good part of what it may: nothing is written for the many that never do.
package struct DeviceUploads {
    /// A device of a space.
    package struct Device: Hashable, Sendable {
        /// The space.
        package let space: SpaceID
        /// The fingerprint of the device's certificate.
        package let fingerprint: [UInt8]

        /// A device of a space.
        package init(space: SpaceID, fingerprint: [UInt8]) {
            self.space = space
            self.fingerprint = fingerprint
        }
    }

    private struct Count {
        let since: Instant
        var byteCount: Int
    }

    /// The time after which a count begins anew.
    package static let periodMilliseconds: Int64 = 24 * 60 * 60 * 1000
    /// Bytes of a device are added to the sums of all processes once they are more than this part of its limit: by so
    /// much, for each process, the limit may be missed.
    static let sharedPart = 64

    /// Whether counts are kept for an exchange with other processes.
    var isShared = false
    private var counts: [Device: Count] = [:]
    /// The bytes counted here that are not in the sums of all.
    private var unsent: [Device: Int] = [:]
    private var hasNews = false

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
        hasNews = true
        if let count = counts[device], !Self.isOver(count, now) {
            counts[device]?.byteCount += byteCount
            if isShared { unsent[device, default: 0] += byteCount }
            return
        }
        if counts.count >= deviceCountMax, counts[device] == nil { makeRoom(deviceCountMax, now) }
        counts[device] = Count(since: now, byteCount: byteCount)
        if isShared { unsent[device] = byteCount }
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
        unsent = unsent.filter { counts[$0.key] != nil }
    }

    private static func isOver(_ count: Count, _ now: Instant) -> Bool {
        count.since.advanced(byMilliseconds: periodMilliseconds) <= now
    }

    // MARK: Several processes

    /// Takes what is to be added to the sums of all.
    ///
    /// - Parameter max: the most bytes of one device.
    mutating func takeUnsent(max: Int) -> [Device: Int] {
        guard hasNews else { return [:] }
        hasNews = false
        let due = unsent.filter { $0.value > max / Self.sharedPart }
        for device in due.keys { unsent[device] = nil }
        return due
    }

    /// Keeps what was taken, as it was not added.
    mutating func addAgain(_ counts: [Device: Int]) {
        unsent.merge(counts, uniquingKeysWith: +)
        hasNews = true
    }

    /// Takes the sums of all.
    mutating func receive(
        _ sums: [Device: RelayShareAnswer.Sum], deviceCountMax: Int, now: Instant
    ) {
        for (device, sum) in sums {
            if counts.count >= deviceCountMax, counts[device] == nil {
                makeRoom(deviceCountMax, now)
            }
            counts[device] = Count(
                since: now.advanced(byMilliseconds: -sum.ageMilliseconds),
                byteCount: sum.count + unsent[device, default: 0])
        }
    }
}
