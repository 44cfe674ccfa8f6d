import ToDo

/// Days as the language writes them.
enum StoryDate {
    /// `2026-12-01`; a year outside of 0 to 9999 has more digits, or a sign, and cannot be read.
    static func text(_ day: Int32) -> String {
        let date = CivilDate(day: Int(day))
        return padded(date.year, 4) + "-" + padded(date.month, 2) + "-"
            + padded(date.dayOfMonth, 2)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number.magnitude)
        let zeros = String(repeating: "0", count: max(0, width - digits.count))
        return (number < 0 ? "-" : "") + zeros + digits
    }
}
