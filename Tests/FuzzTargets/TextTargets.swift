import Core
import Devices
import JSON
import RelayServer
import Settings
import Simulation
import ToDo
import Transport

extension FuzzTargets {
    /// Texts that people, files and other machines give.
    static let texts = [
        dates, filters, words, repetitions, zones, json, scenarios, addresses, proxyHeaders,
        pairingCodes, settings, changes,
    ]

    /// The phrase of a date: the first byte moves the clock.
    private static let dates = FuzzTarget(
        "dates", byteCountMax: 110,
        decoders: [
            "Sources/ToDo/Phrases/DatePhrase.swift", "Sources/ToDo/Phrases/DatePhraseParser.swift",
            "Sources/ToDo/Phrases/DayNames.swift", "Sources/ToDo/Phrases/Durations.swift",
            "Sources/ToDo/Phrases/ISOText.swift", "Sources/ToDo/Phrases/EverydayDates.swift",
        ]
    ) { bytes in
        var input = FuzzInput(bytes)
        let now = now + Int64(input.byte()) * 86_400_000
        guard let text = text(input.remainder()) else { return }
        for order in [DateOrder.dayMonth, .monthDay] {
            _ = try? DatePhrase.parse(text, now: now, zone: zone, dateOrder: order)
        }
        guard let moment = try? DatePhrase.parse(text, now: now, zone: zone, weekStart: .sunday)
        else { return }
        try promise(
            !DatePhrase.describe(moment, now: now, zone: zone).isEmpty, "a date without words")
        for width in DatePhrase.Width.allCases {
            let listed = DatePhrase.listed(moment, now: now, zone: zone, width: width)
            try promise(!listed.isEmpty, "a date without words in a list")
        }
        guard case .day(let day) = moment else { return }
        let written = TimestampText.day(Int(day))
        let again = try? DatePhrase.parse(written, now: now, zone: zone)
        try promise(again == moment, "'\(text)' is '\(written)', which reads as another day")
    }

    /// The words of a filter, a line each.
    private static let filters = FuzzTarget(
        "filters", byteCountMax: 512,
        decoders: [
            "Sources/ToDo/Filters/ToDoFilter.swift", "Sources/ToDo/Filters/ToDoVirtualTag.swift",
            "Sources/ToDo/Filters/FilterReader.swift",
        ]
    ) { bytes in
        guard let text = text(bytes) else { return }
        let words = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        let hasTerm = words.contains(where: ToDoFilter.isTerm)
        for word in words {
            try promise(ToDoFilter.named(in: word)?.name.isEmpty != true, "a to-do without a name")
            let own = ToDoFilter.ownFieldMeant(by: word)
            try promise(own?.hasPrefix("x.") ?? true, "a field that is not the user's own")
        }
        guard let filter = try? ToDoFilter.parse(words, now: now, zone: zone) else { return }
        try promise(
            hasTerm || !filter.conditions.contains(.virtual(.overdue)), "a tag that is no term")
        try promise(filter.conditions.count <= bytes.count + 1, "more conditions than bytes")
        try promise(filter.comparedDates.count <= bytes.count, "more dates than bytes")
        try promise(
            !filter.isOfPending(showsAll: true) && (hasTerm || filter.isOfPending(showsAll: false)),
            "words name a status without a term")
        try promise(!filter.searchesText || !words.isEmpty, "a search without words")
        let line = words.joined(separator: " ")
        for text in filter.searchedTexts {
            let parts = FoundText.parts(of: line, holding: [text]).map(\.text)
            try promise(parts.joined() == line, "a text in parts is another text")
            try promise(text.contains(folded: text.foldedForSearch), "a text does not hold itself")
        }
        _ = filter.unnamedReference
        let named = filter.named { _ in [5] }
        for item in sampleItems { _ = named.matches(item, now: now, zone: zone) }
        _ = try? ToDoFilter.parts(of: words, now: now, zone: zone)
        for item in sampleItems {
            let holds = filter.matches(item, now: now, zone: zone)
            let each = filter.conditions.allSatisfy {
                ToDoFilter([$0], weekStart: filter.weekStart).matches(item, now: now, zone: zone)
            }
            try promise(holds == each, "a filter is not the sum of its conditions")
        }
    }

    /// The lines of changes that another program gives to `apply`.
    private static let changes = FuzzTarget(
        "changes", byteCountMax: 2048, decoders: ["Sources/ToDo/Changes/ToDoChange.swift"]
    ) { bytes in
        let changes: [ToDoChange]
        do throws(ToDoChangeFault) {
            changes = try ToDoChange.read(bytes)
        } catch {
            let words = "\(error)"
            try promise(
                !words.isEmpty && words.utf8.count < 2 * bytes.count + 1000,
                "a fault of \(words.utf8.count) bytes")
            return
        }
        try promise(changes.count <= bytes.count, "more changes than bytes")
        for change in changes {
            try promise(
                !change.key.isEmpty && change.key.utf8.count <= ToDoChange.keyByteCountMax,
                "a key beyond its limit")
            try promise(change.kind == .insert || change.name != nil, "a change of no to-do")
            for item in sampleItems {
                guard let new = try? change.item(changing: item) else { continue }
                let again = try? change.item(changing: new)
                try promise(again == new, "a change that is made twice gives another to-do")
            }
        }
    }

    static let sampleItems: [ToDoItem] = {
        var first = ToDoItem(title: "Buy milk")
        first.identifier = 5
        first.notes = "two\nlines"
        first.project = "Home.Shop"
        first.due = .day(20_788)
        first.scheduled = .instant(now)
        first.priority = .high
        first.setTags(["errand"])
        first.people = ["Ann"]
        first.location = "corner"
        first.repeats = "every 2 weeks"
        first.setExceptions([20_802, 20_816])
        first.setReminders(
            ["due-PT30M", "2026-12-01T09:00:00Z"].compactMap { Reminder(text: $0) })
        first.setDepends([9])
        first.custom = [
            "size": .int(5), "note": .text("x y"), "when": .day(20_788), "cost": .double(2.5),
        ]
        var second = ToDoItem(title: "Done")
        second.status = .completed
        second.setReminders(first.reminders)
        second.parent = 5
        second.completed = now
        var third = ToDoItem(title: "Late")
        third.due = .instant(now - 3_600_123)
        third.wait = .day(20_000)
        third.until = .day(20_780)
        third.repeats = "every month"
        third.notes = "one line\n"
        var fourth = third
        fourth.due = .day(20_779)
        fourth.wait = .day(30_000)
        var fifth = first
        fifth.due = .day(20_700)
        fifth.wait = nil
        var sixth = second
        sixth.status = .pending
        sixth.scheduled = .day(20_700)
        sixth.work = [WorkInterval(start: now, end: nil)]
        return [first, second, third, fourth, fifth, sixth]
    }()

    /// The words after `add`, `edit`, `append` or `prepend`, a line each; the first byte says which.
    private static let words = FuzzTarget(
        "words", byteCountMax: 512,
        decoders: [
            "Sources/ToDo/Phrases/ToDoWords.swift", "Sources/ToDo/Phrases/ToDoKeys.swift",
            "Sources/ToDo/Phrases/ToDoForm.swift", "Sources/ToDo/Phrases/TitleChange.swift",
        ]
    ) { bytes in
        var input = FuzzInput(bytes)
        let manner = input.byte()
        guard let text = text(input.remainder()) else { return }
        if manner & 2 == 2 { return try readForm(text, of: sampleItems[Int(manner >> 2) % 6]) }
        let words = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        guard
            let read = try? ToDoWords.parse(
                words, for: purposes[Int(manner & 1 | manner >> 5 & 2)], now: now, zone: zone)
        else { return }
        try promise(read.assignments.count <= bytes.count, "more changes than bytes")
        for hint in read.hints { try promise(!"\(hint)".isEmpty, "a hint without words") }
        var item = sampleItems[0]
        try? read.change(&item, now: now, zone: zone)
        var bare = ToDoItem(title: "")
        try? read.change(&bare, now: now, zone: zone)
        if let part = read.substitution, part.isFound(in: bare) {
            try promise(!part.pattern.isEmpty, "a part of nothing")
        }
        item.apply(.annotate(text), now: now)
    }

    private static let purposes: [ToDoWords.Purpose] = [
        .adding, .editing, .appending, .prepending,
    ]

    /// The text that an editor gives back.
    private static func readForm(_ text: String, of item: ToDoItem) throws {
        let form = ToDoForm(item, zone: zone)
        try promise(
            form.keysLeftOut.allSatisfy { key in !form.fields.contains { $0.key == key } },
            "a field that is left out and there")
        _ = try? form.read(text, now: now)
        // As a page sends them: field by field, and the notes if they were changed.
        let fields = text.split(separator: "\n").map { line in
            let key = line.prefix { $0 != ":" }
            return (key: String(key), text: String(line.dropFirst(key.count + 1)))
        }
        let notes = fields.first { $0.key == "notes" }?.text
        let values = fields.filter { $0.key != "notes" }
        if let read = try? form.read(values, notes: notes, now: now), let notes {
            try promise(read.notes == notes, "other notes than were sent")
        }
        try promise(
            try form.read(form.fields, notes: nil, now: now) == item,
            "fields that nobody changed change")
        try promise(
            try form.read(form.text, now: now) == item,
            "a form that nobody changed changes")
    }

    /// The rule of a to-do that comes again.
    private static let repetitions = FuzzTarget(
        "repetitions", byteCountMax: 256,
        decoders: [
            "Sources/ToDo/Recurrence/Repetition.swift",
            "Sources/ToDo/Recurrence/RepetitionWords.swift",
            "Sources/ToDo/Recurrence/MonthDays.swift",
        ]
    ) { bytes in
        guard let text = text(bytes), let repetition = Repetition(text: text) else { return }
        let written = repetition.text
        try promise(Repetition(text: written) == repetition, "'\(text)' is written as '\(written)'")
        for due in [Moment.day(20_788), .instant(now)] {
            let done = due.start(in: zone)
            // Some days of months never come.
            if let next = repetition.next(after: due, anchor: nil, completed: done, zone: zone) {
                _ = repetition.following(next, zone: zone)
                // A date stays at the last one that there is.
                try promise(
                    next.due.start(in: zone) > done || next.due == .day(.max),
                    "'\(text)' comes to \(next) after \(due)")
            }
            _ = repetition.isAtMonthEnds(from: due, in: zone)
            let day = due.day(in: zone) + 40
            if let first = repetition.first(from: day, after: due, anchor: due, in: zone) {
                try promise(
                    first.day(in: zone) >= day || first == .day(.max),
                    "'\(text)' goes on at \(first), before day \(day)")
            }
            if let begin = repetition.monthEndBegin(for: due, in: zone) {
                _ = repetition.next(after: due, anchor: begin, completed: now, zone: zone)
            }
        }
        for var item in sampleItems {
            item.repeats = text
            _ = item.repeatsShown(in: zone)
            item.repeatAtMonthEnds(in: zone)
            _ = item.repeatsShown(in: zone)
            if let next = item.nextOccurrence(completed: now, zone: zone, named: { _ in nil }) {
                let day = next.due.flatMap { Int32(exactly: $0.day(in: zone)) }
                try promise(
                    !item.exceptions.contains { $0 == day }, "'\(text)' comes on a day left out")
            }
            _ = item.exceptionHints(before: nil, zone: zone, named: { _ in nil })
        }
    }

    /// The rule or, behind a zero, the file of a time zone.
    private static let zones = FuzzTarget(
        "zones", byteCountMax: 2048,
        decoders: [
            "Sources/ToDo/Calendar/ZoneFileReader.swift",
            "Sources/ToDo/Calendar/PosixZoneRule.swift",
        ]
    ) { bytes in
        let found =
            bytes.first == 0
            ? try? LocalTimeZone(name: "Made/Up", file: Array(bytes.dropFirst()))
            : text(bytes).flatMap { try? LocalTimeZone(rule: $0) }
        guard let found else { return }
        for instant in [Int64.min, -1, 0, now, Int64.max] {
            let east = found.secondsEast(at: instant)
            try promise(abs(east) <= 7 * 86_400, "a zone \(east) seconds east")
            _ = found.localTime(at: instant)
            _ = found.abbreviation(at: instant)
        }
        _ = found.startOfDay(20_788)
    }

    private static let json = FuzzTarget(
        "json", byteCountMax: 4096, decoders: ["Sources/JSON/JSONReader.swift"]
    ) { bytes in
        guard let value = try? JSONReader.read(bytes) else { return }
        for style in [JSONStyle.compact, .lines, JSONStyle(isASCII: true)] {
            let again = try? JSONReader.read(Array(value.text(style).utf8))
            try promise(again == value, "\(value) reads as \(String(describing: again))")
        }
    }

    private static let scenarios = FuzzTarget(
        "scenarios", byteCountMax: 4096,
        decoders: [
            "ScenarioLexer", "ScenarioReader", "ScenarioLine", "ScenarioLine+Names",
            "ScenarioLine+Values",
        ].map { "Sources/Simulation/Scenario/\($0).swift" }
    ) { bytes in
        guard let scenario = try? ScenarioReader.read(bytes) else { return }
        let text = ScenarioWriter.text(of: scenario)
        let again = try? ScenarioReader.read(text)
        try promise(again == scenario, "a scenario reads otherwise once it was written:\n\(text)")
    }

    /// Addresses of peers and relays.
    private static let addresses = FuzzTarget(
        "addresses", byteCountMax: 300,
        decoders: [
            "Sources/Devices/Sync/PeerAddress.swift", "Sources/Transport/NetworkAddresses.swift",
            "Sources/Transport/RelayAddress.swift",
        ]
    ) { bytes in
        guard let text = text(bytes) else { return }
        if !RelayAddress.isMeant(by: text) {
            try promise((try? RelayAddress(parsing: text)) == nil, "'\(text)' is a relay")
        }
        if let address = try? PeerAddress(parsing: text) {
            let again = try? PeerAddress(parsing: address.description)
            try promise(again == address, "'\(text)' is written as '\(address)'")
        }
    }

    /// The first bytes of a connection from a balancer.
    private static let proxyHeaders = FuzzTarget(
        "proxy-headers", byteCountMax: 1100, decoders: ["Sources/Transport/ProxyHeader.swift"]
    ) { bytes in
        switch ProxyHeader.read(bytes) {
        case .header(let header):
            try promise(header.byteCount <= bytes.count, "a header of bytes that have not come")
            try promise(header.byteCount <= ProxyHeader.byteCountMax, "a header over the limit")
            // Bytes behind it change nothing, and without a byte it is incomplete.
            try promise(
                ProxyHeader.read(bytes[..<header.byteCount]) == .header(header), "another header")
            try promise(
                ProxyHeader.read(bytes[..<(header.byteCount - 1)]) == .incomplete, "a shorter one")
        case .incomplete:
            try promise(bytes.count < ProxyHeader.byteCountMax, "more is waited for than may come")
        case .invalid:
            break
        }
    }

    /// A pairing code as it is typed.
    private static let pairingCodes = FuzzTarget(
        "pairing-codes", byteCountMax: 1024,
        decoders: [
            "Sources/Devices/Pairing/PairingCode.swift", "Sources/Devices/Pairing/CodeText.swift",
        ]
    ) { bytes in
        var input = FuzzInput(bytes)
        let manner = input.byte()
        // A fuzzer does not guess checks: a code is made for its place and bytes.
        if manner & 1 == 1 {
            let meeting = HostAndPort(
                host: text(input.bytes()) ?? "r", port: UInt16(input.byte()))
            let key = input.take(PairingCode.keyByteCount)
            guard let code = PairingCode(meeting: meeting, key: key, pin: input.remainder()) else {
                return
            }
            try promise((try? PairingCode(parsing: code.text)) == code, "a code is lost")
            try promise((try? PairingCode(parsing: code.drawnText)) == code, "a drawn code is lost")
            guard manner & 2 == 2 else { return }
            var typed = Array(code.text.utf8)
            let index = Int(input.byte()) % typed.count
            typed[index] ^= input.byte()
            guard let other = text(typed), let read = try? PairingCode(parsing: other) else {
                return
            }
            try promise(
                read == code || read.meeting != code.meeting, "a mistyped code reads as another one"
            )
            return
        }
        guard let text = text(input.remainder()), let code = try? PairingCode(parsing: text) else {
            return
        }
        let again = try? PairingCode(parsing: code.text)
        try promise(again == code, "a pairing code reads as another one")
    }

    /// A file of settings: of a relay, and of a person.
    private static let settings = FuzzTarget(
        "settings", byteCountMax: 2048,
        decoders: [
            "Sources/Settings/SettingText.swift", "Sources/RelayServer/RelaySettings.swift",
            "Sources/ToDo/Settings/UserSettings.swift",
        ]
    ) { bytes in
        guard let text = text(bytes) else { return }
        // Behind a line of hyphens stand variables and options, a name and a text each.
        let parts = text.split(separator: "\n---\n", maxSplits: 1)
        var environment: [String: String] = [:]
        var options: [String: String] = [:]
        for line in parts.dropFirst().first?.split(separator: "\n") ?? [] {
            let words = line.split(separator: " ", maxSplits: 1).map { String($0) }
            guard words.count == 2 else { continue }
            if words[0].hasPrefix("-") {
                options[String(words[0].dropFirst())] = words[1]
            } else {
                environment[words[0]] = words[1]
            }
        }
        try keepsLines(String(parts.first ?? ""))
        let person = try? UserSettings(
            file: (path: "config", text: String(parts.first ?? "")),
            environment: { environment[$0] },
            split: { $0.contains("'") ? nil : $0.split(separator: " ").map { String($0) } })
        for word in person?.aliasNames ?? [] {
            _ = try? person?.expanded([word, "a"]) { $0 == "list" }
        }
        if let person {
            // What was checked when it was read has a meaning.
            for name in ["week-start", "date-order", "list.by", "colour"] {
                guard person[name].origin != .standard else { continue }
                try promise(person.line(name) != nil, "a setting without a value")
            }
            let weekday = person.line("week-start")
            try promise((weekday == nil) == (person.weekStart == nil), "a week without a first day")
            _ = (person.dateOrder, person.listGrouping, person.colour, person.style("heading"))
            try promise(person.listLimit.map { $0 > 0 } ?? true, "a list of nothing")
        }
        guard
            let settings = try? RelaySettings(
                file: (path: "relay.conf", text: String(parts.first ?? "")),
                environment: environment, options: options, standardFolder: "/relay",
                guess: { $0.first == $1.first?.first ? $1.first : nil })
        else { return }
        try promise(!settings.listing.isEmpty, "settings without a line")
        _ = settings.relayOptions(token: nil)
        _ = settings.logLevel
        // What was checked when it was read can be used.
        _ = try settings.hostAndPort()
        _ = try settings.metricsAddress()
    }

    /// A change of one setting leaves the others, and what was set is read again.
    private static func keepsLines(_ text: String) throws {
        var lines = SettingText(text)
        guard let entry = lines.contents.entries.last else { return }
        try promise(SettingText.canHold(entry.value), "a value that was read cannot be written")
        let others = lines.contents.entries.filter { $0.name != entry.name }
        try promise(SettingText(lines.text).text == lines.text, "lines that are not read again")
        lines.set(entry.name, to: "a b")
        try promise(lines.contents.entries.contains { $0.value == "a b" }, "a value is not set")
        try promise(lines.remove(entry.name), "a setting is not removed")
        try promise(
            lines.contents.entries.map(\.value) == others.map(\.value), "another one changed")
    }

    static func text(_ bytes: [UInt8]) -> String? { String(validating: bytes, as: UTF8.self) }
}
