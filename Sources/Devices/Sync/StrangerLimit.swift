/// The bound on what strangers have a server write to its log, by address and in all.
///
/// Nobody needs to be trusted to be refused: without a bound anyone who reaches the port fills the disk.
package struct StrangerLimit: Sendable {
    /// The time for which lines are counted, in milliseconds.
    package static let periodMilliseconds: Int64 = 60_000
    /// The most lines about one address in that time.
    package static let addressLineCountMax = 10
    /// The most lines about all addresses in that time.
    package static let lineCountMax = 60

    private var start: Int64?
    /// The lines let through, by address: no more addresses than lines.
    private var counts: [String: Int] = [:]
    private var count = 0
    private var leftOutCount = 0

    /// Nothing has come yet.
    package init() {}

    /// Decides about a line.
    ///
    /// - Parameter now: milliseconds by a clock that is never set back.
    /// - Returns: whether it is written, and how many were left out before it in a period that is over.
    package mutating func admit(_ address: String, now: Int64) -> (isAdmitted: Bool, leftOut: Int) {
        var before = 0
        if start.map({ now - $0 >= Self.periodMilliseconds }) ?? true {
            before = end()
            start = now
        }
        let own = counts[address, default: 0]
        guard own < Self.addressLineCountMax, count < Self.lineCountMax else {
            leftOutCount += 1
            return (false, before)
        }
        counts[address] = own + 1
        count += 1
        return (true, before)
    }

    /// Ends the period.
    ///
    /// - Returns: how many lines were left out in it.
    package mutating func end() -> Int {
        defer { self = StrangerLimit() }
        return leftOutCount
    }
}
