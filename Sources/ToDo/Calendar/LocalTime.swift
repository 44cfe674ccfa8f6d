/// What a wall clock and a calendar on the wall show.
package struct LocalTime: Sendable, Hashable {
    /// Days since 1970-01-01.
    package var day: Int
    /// Milliseconds since midnight as the clock shows it: 0 to 86 399 999.
    package var millisecondOfDay: Int

    /// A time of a day; midnight if nothing is said.
    package init(day: Int, millisecondOfDay: Int = 0) {
        self.day = day
        self.millisecondOfDay = millisecondOfDay
    }

    /// The date of the day.
    package var date: CivilDate { CivilDate(day: day) }
    /// 0 to 23.
    package var hour: Int { millisecondOfDay / 3_600_000 }
    /// 0 to 59.
    package var minute: Int { millisecondOfDay / 60_000 % 60 }
    /// 0 to 59.
    package var second: Int { millisecondOfDay / 1_000 % 60 }
}
