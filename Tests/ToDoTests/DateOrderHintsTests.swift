import Testing
import ToDo

@Suite("Dates in an order that helps nobody")
struct DateOrderHintsTests {
    private func hints(_ words: [String], before old: ToDoItem? = nil) throws -> [ToDoWordHint] {
        var item = old ?? ToDoItem(title: "a")
        try ToDoWords.parse(words, now: Fixed.now, zone: .utc)
            .change(&item, now: Fixed.now, zone: .utc)
        return item.orderHints(before: old, now: Fixed.now, zone: .utc)
    }

    @Test("a wait behind, and an end before the due date are told once")
    func order() throws {
        let (early, late) = ("Tue 1 Dec 2026", "Wed 2 Dec 2026")
        #expect(
            try hints(["due:2026-12-01", "wait:2026-12-02"])
                == [.waitsTooLong(wait: late, due: early)])
        #expect(
            try hints(["due:2026-12-02", "until:2026-12-01"])
                == [.endsBeforeDue(until: early, due: late)])
        #expect(try hints(["due:2026-12-01", "wait:2026-12-01", "until:2026-12-01"]).isEmpty)
        #expect(try hints(["due:2026-12-01", "until:2026-12-01T10:00"]).isEmpty)
        #expect(try hints(["due:2026-12-01T17:00", "wait:2026-12-01T18:00"]).count == 1)
        #expect(try hints(["wait:2026-12-02"]).isEmpty)
        var old = ToDoItem(title: "a")
        old.due = Fixed.day("2026-12-01")
        old.wait = Fixed.day("2026-12-02")
        #expect(try hints(["+a"], before: old).isEmpty)
        #expect(try hints(["due:2026-11-30"], before: old).count == 1)
    }

    @Test("a reminder of the next year is told, and one of what is overdue is not")
    func reminders() throws {
        let told = try hints(["due:2026-12-01", "remind:20 nov 2027 9:00"])
        #expect(told == [.lateReminder("Sat 20 Nov 2027 09:00", due: "Tue 1 Dec 2026")])
        #expect(try hints(["due:2026-12-01", "remind:2026-12-01T23:00,+1d"]).isEmpty)
        #expect(try hints(["due:2026-11-01", "remind:2026-12-01"]).isEmpty)
    }
}
