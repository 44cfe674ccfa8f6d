import Simulation

/// Numbers as people read them.
enum Number {
    /// `1,234,567`.
    static func grouped(_ number: Int) -> String { Counted.grouped(number) }

    /// `1 step`, `1,234 steps`.
    static func counted(_ number: Int, _ one: String, _ several: String? = nil) -> String {
        Counted.words(number, one, several, isGrouped: true)
    }

    /// `12.3`.
    static func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
