import Glibc

/// The system's locale.
package enum SystemLocale {
    /// The first day of the week.
    ///
    /// Nil where the locale names no country: the C locale has Sunday for no reason.
    /// - Parameter environment: the value of a variable of the environment.
    package static func weekStart(_ environment: (String) -> String?) -> Weekday? {
        let names = ["LC_ALL", "LC_TIME", "LANG"].map { environment($0) ?? "" }
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
