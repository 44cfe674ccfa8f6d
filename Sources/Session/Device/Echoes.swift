import Core

/// What came from a relay in this session and has not been read from the own store since.
///
/// A record that is still as the relay sent it is not sent back. Whatever is forgotten for want of
/// room is uploaded once more, and the relay drops it: it has just that. One with the same clock and another body
/// is not the same: one name was given to two writes.
struct Echoes: Sendable {
    private var marks: [RecordID: UInt128] = [:]
    private let countMax: Int

    init(countMax: Int) {
        self.countMax = countMax
    }

    /// Takes note of a version that the relay has.
    mutating func note(_ change: Change) {
        if marks.count >= countMax, marks[change.id] == nil { marks = [:] }
        marks[change.id] = Self.mark(of: change, isAside: change.isAside)
    }

    /// Whether the relay has just this version; it is asked for once.
    ///
    /// One that came set aside and can be read here is new to the relay: now it replaces others.
    mutating func take(_ change: Change) -> Bool {
        guard let mark = marks.removeValue(forKey: change.id) else { return false }
        if mark == Self.mark(of: change, isAside: false) { return true }
        return change.isAside && mark == Self.mark(of: change, isAside: true)
    }

    private static func mark(of change: Change, isAside: Bool) -> UInt128 {
        SipHash().content(RecordID(value: isAside ? 1 : 0), change.clock, change.body)
    }
}
