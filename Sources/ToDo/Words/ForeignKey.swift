/// Keys of other programs that mean nothing here, or not the same: refused with what to write instead.
enum ForeignKey {
    private static let hints: [(names: [String], hint: String)] = [
        (
            ["depends", "dep", "deps"],
            "to-dos do not wait for each other; parent:NUMBER makes one a part of another"
        ),
        (
            ["rec"],
            "write repeat:1w to count from when it was due, repeat:1w! from when it was done"
        ),
        (["desc"], "write title: or notes:"),
        (["annotation", "annotate"], "write notes:"),
        (["deadline"], "write due:"),
        (
            ["threshold", "defer", "snooze"],
            "write wait: for the day until which it is out of sight"
        ),
        (
            ["remind", "reminder", "alarm"],
            "there are no reminders; due: and scheduled: take a time of day"
        ),
    ]

    /// What to write instead; nil if no other program has it.
    static func hint(for name: String) -> String? {
        hints.first { $0.names.contains(name) }?.hint
    }
}
