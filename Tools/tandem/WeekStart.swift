import Glibc
import Terminal
import ToDo

/// The first day of the user's week.
enum WeekStart {
    /// `TANDEM_WEEK_START`, else what the locale says, else Monday.
    static func read() throws -> Weekday {
        guard let word = CommandContext.environment("TANDEM_WEEK_START"), !word.isEmpty else {
            return ofLocale() ?? .monday
        }
        let day = Weekday.allCases.first {
            word.count >= 2 && $0.name.hasPrefix(word.lowercased())
        }
        guard let day else {
            throw CommandFailure(
                .configuration, "TANDEM_WEEK_START is a day such as monday, not '\(word)'")
        }
        return day
    }

    /// Nil where the locale is none of a place: the C locale has Sunday for no reason.
    private static func ofLocale() -> Weekday? {
        let names = ["LC_ALL", "LC_TIME", "LANG"].map { CommandContext.environment($0) ?? "" }
        guard let name = names.first(where: { !$0.isEmpty }), name.contains("_"),
            setlocale(LC_TIME, "") != nil
        else { return nil }
        defer { setlocale(LC_TIME, "C") }
        guard let first = nl_langinfo(nl_item(_NL_TIME_FIRST_WEEKDAY)),
            let base = nl_langinfo(nl_item(_NL_TIME_WEEK_1STDAY))
        else { return nil }
        // 1 to 7 behind a day that is a Sunday or a Monday, which stands in the pointer itself.
        let isMonday = Int(bitPattern: base) & 0xffff_ffff == 19_971_201
        let index = (Int(first.pointee) - 1 + (isMonday ? 0 : 6)) % 7
        return Weekday.allCases.indices.contains(index) ? Weekday.allCases[index] : nil
    }
}
