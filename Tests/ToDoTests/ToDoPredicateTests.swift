import Core
import Storage
import TestSupport
import Testing
import ToDo

@Suite("Filters in the store")
struct ToDoPredicateTests {
    private static let texts = [
        "Milk", "STRASSE", "straße", "é", "e\u{301}clair", "a\"b", "c\\d", "50%", "", "x y",
    ]
    private static let tags = ["errand", "food", "ä", "a\u{308}", "a\"b"]
    private static let projects = ["", "Home", "home.Garden", "Homework", "Work.A.B"]
    private static let people = ["Ann", "ann", "Bo \"the\" Bear", "Zoë"]

    private static func moment(_ chance: inout SplitMix64) -> Moment? {
        let hour: Int64 = 3_600_000
        switch chance.below(5) {
        case 0, 1: return nil
        case 2: return .day(Int32(20_778 + chance.below(9) - 4))
        case 3: return .instant(Fixed.now + Int64(chance.below(200) - 100) * hour)
        default: return .instant(Fixed.now + Int64(chance.below(3) - 1))
        }
    }

    private static func item(_ chance: inout SplitMix64) -> ToDoItem {
        var item = ToDoItem(title: "t" + chance.pick(texts))
        item.notes = chance.pick(texts)
        item.location = chance.pick(texts)
        item.project = chance.pick(projects)
        for field in ToDoDateField.allCases { item[field] = moment(&chance) }
        if chance.chance(1, in: 3) {
            item.status = chance.pick([.completed, .cancelled])
            item.completed = Fixed.now - Int64(chance.below(90)) * 3_600_000
        }
        item.priority = chance.pick(ToDoPriority.allCases)
        item.setTags(tags.filter { _ in chance.chance(1, in: 3) })
        item.people = people.filter { _ in chance.chance(1, in: 4) }
        if chance.chance(1, in: 2) {
            item.custom["size"] = chance.pick([
                .int(5), .text("5"), .double(0.5), .bool(true), .instant(Fixed.now),
            ])
        }
        item.created = Fixed.now - Int64(chance.below(90)) * 3_600_000
        return item
    }

    private static func test(_ chance: inout SplitMix64) -> ToDoFilter.DateTest {
        guard let moment = moment(&chance) else { return .isSet }
        switch chance.below(4) {
        case 0: return .before(moment)
        case 1: return .by(moment)
        case 2: return .on(moment)
        default: return .after(moment)
        }
    }

    /// One date of a to-do compared with another one.
    private static func beside(_ chance: inout SplitMix64) -> ToDoFilter.Condition {
        let (date, base) = (
            chance.pick(["due", "wait", "completed", "created", "modified"]),
            chance.pick(["scheduled", "until", "start", "finish"])
        )
        let modifier = chance.pick(["", ".before", ".by", ".after", ".not"])
        let duration = chance.pick(["", "+1d", "-2w", "+3h", "-1mo"])
        let word = "\(date)\(modifier):\(base)\(duration)"
        let filter = try? ToDoFilter.parse([word], now: Fixed.now, zone: .utc)
        return filter?.conditions.first ?? .any([])
    }

    private static func condition(_ chance: inout SplitMix64) -> ToDoFilter.Condition {
        switch chance.below(19) {
        case 0: return .text(chance.pick(texts))
        case 1: return .titleContains(chance.pick(texts))
        case 2: return .notesContain(chance.pick(texts))
        case 3: return .locationContains(chance.pick(texts))
        case 4: return .project(chance.pick(projects + ["work.a", "HOME"]))
        case 5: return .tag(chance.pick(tags))
        case 6: return .person(chance.pick(people))
        case 7: return .status(chance.pick(ToDoStatus.allCases))
        case 8:
            let bounds = [chance.pick(ToDoPriority.allCases), chance.pick(ToDoPriority.allCases)]
            return .priority(min(bounds[0], bounds[1])...max(bounds[0], bounds[1]))
        case 9, 10: return .date(chance.pick(ToDoDateAttribute.allCases), test(&chance))
        case 11: return .custom("size", chance.pick([nil, "5", "true", "x"]))
        case 12: return .virtual(chance.pick(ToDoVirtualTag.allCases))
        case 13: return .lacks(chance.pick([.notes, .location, .people]))
        case 14: return .not(condition(&chance))
        case 15:
            return .customCompare(
                "size", chance.pick([.above, .below]),
                chance.pick([.int(3), .double(0.25), .text("4"), .day(20_000)]))
        case 16: return beside(&chance)
        case 17: return .all((0...chance.below(2)).map { _ in condition(&chance) })
        default: return .any((0...chance.below(2)).map { _ in condition(&chance) })
        }
    }

    @Test("a list holds just the to-dos that the filter takes", arguments: ["CET", "HST", "LINT"])
    func agree(zoneName: String) throws {
        let rules = ["CET": "CET-1CEST,M3.5.0,M10.5.0/3", "HST": "HST10", "LINT": "<+14>-14"]
        let zone = try LocalTimeZone(rule: try #require(rules[zoneName]))
        let world = try ToDoWorld(zone: zone)
        let store = try world.store("laptop")
        let todos = world.todos(store)
        var chance = SplitMix64(seed: UInt64(zoneName.utf8.count))
        let items = (0..<120).map { number in
            var item = Self.item(&chance)
            item.title += " \(number)"
            return item
        }
        _ = try todos.importItems(items)
        let all = try store.fetch(FetchRequest(ToDoSchema.collection)).map(ToDoMapping.item)
        #expect(all.count == items.count)
        for _ in 0..<200 {
            let filter = ToDoFilter((0...chance.below(2)).map { _ in Self.condition(&chance) })
            let expected = all.filter { filter.matches($0, now: world.now, zone: zone) }
            let found = try todos.list(filter, pendingOnly: false).map(ToDoMapping.item)
            let wrong = Set(found.map(\.title)).symmetricDifference(expected.map(\.title))
            #expect(wrong.isEmpty, "\(filter.conditions)")
            let few = try todos.list(filter, pendingOnly: true, limit: 7).map(ToDoMapping.item)
            let first = found.filter { $0.status == .pending }.prefix(7)
            #expect(few.map(\.title) == first.map(\.title), "\(filter.conditions)")
        }
    }

    @Test("a limit is kept over many pages, in order, and the list ends")
    func pages() throws {
        let world = try ToDoWorld(zone: try Fixed.berlin())
        let todos = world.todos(try world.store("laptop"))
        let items = (0..<1_200).map { number in
            var item = ToDoItem(title: "\(number)")
            item.due = .day(Int32(20_000 + number))
            if number % 100 == 99 { item.custom["rare"] = .int(1) }
            item.people = ["Ann"]
            return item
        }
        _ = try todos.importItems(items)
        let filter = ToDoFilter([.not(.custom("rare", nil))])
        let found = try todos.list(filter, pendingOnly: true, limit: 9).map(ToDoMapping.item)
        #expect(found.map(\.title) == (0..<9).map { "\($0 * 100 + 99)" })
        #expect(try todos.list(filter, pendingOnly: true, limit: 40).count == 12)
        #expect(try todos.list(filter, pendingOnly: true, limit: 0).isEmpty)
    }
}
