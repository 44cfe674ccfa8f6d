/// What a wall clock and a calendar on the wall show.
package struct LocalTime: Sendable, Hashable {
    /// Days since 1970-01-01.
    package var day: Int
    /// Milliseconds since midnight as the clock shows it: 0 to 86 399 999.
    package var millisecondOfDay: Int

    package init(day: Int, millisecondOfDay: Int = 0) {
        self.day = day
        self.millisecondOfDay = millisecondOfDay
    }

    package var date: CivilDate { CivilDate(day: day) }
    package var hour: Int { millisecondOfDay / 3_600_000 }
    package var minute: Int { millisecondOfDay / 60_000 % 60 }
    package var second: Int { millisecondOfDay / 1_000 % 60 }
}
