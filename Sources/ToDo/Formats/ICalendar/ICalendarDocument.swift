import Core

/// A file that holds one to-do, as a folder of them does.
struct ICalendarDocument {
    /// The calendar, as it was read.
    var calendar: ICalendarComponent
    /// The to-do.
    var item: ToDoItem
    /// The details that a to-do cannot hold.
    var losses: [ICalendarItemReader.Loss]

    /// Where the to-do stands in the calendar.
    private var position: Int

    /// The to-do as a component.
    var component: ICalendarComponent {
        if case .component(let component) = calendar.children[position] { return component }
        preconditionFailure("a document's place is that of its to-do")
    }

    /// Reads a file.
    ///
    /// - Parameter base: what the file said before, if whoever changed it may have dropped what they do not
    ///   know: then that is put back.
    /// - Returns: nil if the file has no to-do, such as one with an event.
    static func read(
        _ bytes: [UInt8], zone: LocalTimeZone, onto base: ICalendarDocument? = nil
    ) throws(ICalendarProblem) -> ICalendarDocument? {
        guard var draft = try ICalendarDraft.parse(bytes) else { return nil }
        if let base, base.component["UID"]?.value == draft.todo["UID"]?.value {
            draft.todo.restore(from: base.component)
            draft.todo.restoreMore(from: base.component)
        }
        return try draft.document(zone: zone)
    }

    init(
        calendar: ICalendarComponent, item: ToDoItem, losses: [ICalendarItemReader.Loss],
        position: Int
    ) {
        self.calendar = calendar
        self.item = item
        self.losses = losses
        self.position = position
    }

    /// A new file for a to-do.
    ///
    /// - Parameter finish: the last change to the component.
    static func made(
        _ item: ToDoItem, zone: LocalTimeZone, parentUID: @escaping (UInt128) -> String?,
        finish: (inout ICalendarComponent) -> Void = { _ in }
    ) -> [UInt8]? {
        var codec = ICalendarItem(zones: ICalendarZones(local: zone), parentUID: parentUID)
        guard var component = codec.component(codec.settled(item.inFolder)) else { return nil }
        finish(&component)
        var writer = ICalendarWriter()
        for line in ICalendarFormat.head { writer.append(line) }
        for zone in codec.zoneComponents(for: [component]) { writer.append(zone) }
        writer.append(component)
        writer.append("END:VCALENDAR")
        return writer.bytes
    }

    /// The file with what the to-do says now; lines that say it already stay as they are, where they are.
    ///
    /// - Returns: nil if all of them do.
    func patched(
        _ item: ToDoItem, zone: LocalTimeZone, parentUID: @escaping (UInt128) -> String?
    ) -> [UInt8]? {
        var codec = ICalendarItem(zones: ICalendarZones(local: zone), parentUID: parentUID)
        codec.describe(calendar)
        let wanted = codec.settled(item.inFolder)
        if self.item.isSaid(wanted) { return nil }
        guard let target = codec.component(wanted) else { return nil }
        var patched = codec.patched(component, to: target)
        // A component that cannot be patched is written anew.
        let isSaid = (try? codec.read(patched))?.item.isSaid(wanted) ?? false
        if !isSaid { patched = target }
        var result = calendar
        result.children[position] = .component(patched)
        let described = calendar.components.filter { $0.name == "VTIMEZONE" }
            .compactMap { $0["TZID"].map { ICalendarText.read($0.value) } }
        let zones = codec.zoneComponents(for: [patched], besides: Set(described))
        result.children.insert(contentsOf: zones.map { .component($0) }, at: position)
        var writer = ICalendarWriter()
        writer.append(result)
        return writer.bytes
    }
}

/// A file of one to-do, taken apart, of which the to-do was not read yet.
struct ICalendarDraft {
    /// The calendar, as it was read.
    private(set) var calendar: ICalendarComponent
    /// The to-do, which may be changed before it is read.
    var todo: ICalendarComponent
    /// Changed occurrences of it that are in the file, in its order.
    let occurrences: [ICalendarComponent]
    /// The to-do's place in the calendar.
    private let position: Int

    /// Takes a file apart.
    ///
    /// - Returns: nil if the file has no to-do, such as one with an event.
    static func parse(_ bytes: [UInt8]) throws(ICalendarProblem) -> ICalendarDraft? {
        guard bytes.count <= ICalendarLimits.folderFileByteCountMax else {
            throw ICalendarProblem(
                line: 1, "the file has more than \(ICalendarLimits.folderFileByteCountMax) bytes")
        }
        let file: ICalendarParser.File
        do throws(FormatFault) {
            file = try ICalendarParser.parse(bytes)
        } catch {
            throw ICalendarProblem(line: error.line ?? 1, error.reason)
        }
        if let problem = file.problems.first { throw problem }
        guard file.calendars.count == 1 else {
            throw ICalendarProblem(line: file.calendars[1].line, "a second calendar in one file")
        }
        let calendar = file.calendars[0]
        let positions = calendar.children.indices.filter { index in
            guard case .component(let component) = calendar.children[index] else { return false }
            return component.name == "VTODO" && component["RECURRENCE-ID"] == nil
        }
        let occurrences = calendar.components.filter {
            $0["RECURRENCE-ID"] != nil && $0.name == "VTODO"
        }
        guard let position = positions.first,
            case .component(let todo) = calendar.children[position]
        else {
            guard let occurrence = occurrences.first else { return nil }
            throw ICalendarProblem(
                line: occurrence.line, "RECURRENCE-ID",
                "an occurrence of what repeats, which is not in the file")
        }
        guard positions.count == 1 else {
            throw ICalendarProblem(
                line: todo.line, "\(positions.count) to-dos in one file, where each has its own")
        }
        guard let uid = todo["UID"], !uid.value.isEmpty else {
            throw ICalendarProblem(line: todo.line, "UID", "the to-do has no UID")
        }
        return ICalendarDraft(
            calendar: calendar, todo: todo, occurrences: occurrences, position: position)
    }

    /// Reads the to-do.
    ///
    /// - Parameter base: a calendar whose zones count where this one describes none of that name.
    func document(
        zone: LocalTimeZone, zonesOf base: ICalendarComponent? = nil
    ) throws(ICalendarProblem) -> ICalendarDocument {
        var calendar = calendar
        calendar.children[position] = .component(todo)
        let (item, losses) = try Self.read(todo, zone: zone, zonesOf: [base, calendar])
        if let problem = ItemCheck.problem(item) {
            throw ICalendarProblem(line: todo.line, problem.key, problem.reason)
        }
        return ICalendarDocument(calendar: calendar, item: item, losses: losses, position: position)
    }

    /// Reads a changed occurrence.
    func item(
        of occurrence: ICalendarComponent, zone: LocalTimeZone
    ) throws(ICalendarProblem) -> ToDoItem {
        let (item, losses) = try Self.read(occurrence, zone: zone, zonesOf: [calendar])
        let own = ICalendarOccurrence(occurrence, item, losses, 1)?.item ?? item
        if let problem = ItemCheck.problem(own) {
            throw ICalendarProblem(line: occurrence.line, problem.key, problem.reason)
        }
        return own
    }

    /// Reads the date of a property of an occurrence; nil without any.
    func moment(
        of property: ICalendarProperty, zone: LocalTimeZone
    ) throws(ICalendarProblem) -> Moment? {
        var due = ICalendarProperty("DUE", property.parameters, property.value)
        due.line = property.line
        let component = ICalendarComponent("VTODO", [.property(due)], line: property.line)
        return try Self.read(component, zone: zone, zonesOf: [calendar]).item.due
    }

    private static func read(
        _ component: ICalendarComponent, zone: LocalTimeZone,
        zonesOf calendars: [ICalendarComponent?]
    ) throws(ICalendarProblem) -> (item: ToDoItem, losses: [ICalendarItemReader.Loss]) {
        var codec = ICalendarItem(zones: ICalendarZones(local: zone))
        // Of two zones of one name the later one counts.
        codec.describe(ICalendarComponent("VCALENDAR", calendars.flatMap { $0?.children ?? [] }))
        return try codec.read(component)
    }
}

extension ToDoItem {
    /// The to-do as files of a folder say it: times that nobody sets in whole seconds.
    fileprivate var inFolder: ToDoItem {
        var item = self
        func seconds(_ instant: Int64) -> Int64 {
            instant.quotientRoundedDown(by: 1_000).quotient.times(1_000)
        }
        item.created = created.map(seconds)
        item.modified = modified.map(seconds)
        return item
    }

    /// Whether it says what another does, besides when that was changed.
    fileprivate func isSaid(_ other: ToDoItem) -> Bool {
        var (one, other) = (inFolder, other)
        (one.modified, other.modified) = (nil, nil)
        return one == other
    }
}

extension ICalendarComponent {
    /// Puts back the JSON that a program has garbled which takes it for some text.
    mutating func restoreMore(from base: ICalendarComponent) {
        guard let own = self[ICalendarNames.more], (try? ICalendarMore(reading: own)) == nil,
            let before = base[ICalendarNames.more]
        else { return }
        children = children.map { child in
            if case .property(let property) = child, property == own {
                return .property(before)
            }
            return child
        }
    }

    /// Puts back what a program that drops all it does not know has dropped.
    ///
    /// It is one if the base had lines beyond the usual ones, and not one of them is left; if only those
    /// are gone whose names begin with X, it drops these. What every program knows is not put back: there
    /// a missing line was cleared.
    fileprivate mutating func restore(from base: ICalendarComponent) {
        func extensions(_ component: ICalendarComponent) -> Set<String> {
            let names = component.properties.map(\.name) + component.components.map(\.name)
            return Set(names).subtracting(ICalendarNames.known)
                .subtracting(ICalendarNames.volatile)
        }
        func isOwn(_ name: String) -> Bool { name.hasPrefix("X-") }
        let (before, after) = (extensions(base), extensions(self))
        let dropsAll = !before.isEmpty && before.isDisjoint(with: after)
        let dropsOwn = before.contains(where: isOwn) && !after.contains(where: isOwn)
        guard dropsOwn || dropsAll else { return }
        restore(from: base) { name, isComponent in
            if isComponent { return dropsAll }
            return !ICalendarNames.core.contains(name) && (dropsAll || isOwn(name))
        }
    }

    /// Puts back the properties and components of names that are left out here, those for which `isMeant` holds.
    mutating func restore(
        from base: ICalendarComponent, where isMeant: (_ name: String, _ isComponent: Bool) -> Bool
    ) {
        let left = Set(properties.map(\.name)).union(components.map(\.name))
        for child in base.children {
            let (name, isComponent) =
                switch child {
                case .property(let property): (property.name, false)
                case .component(let component): (component.name, true)
                }
            let staysAway = left.contains(name) || ICalendarNames.volatile.contains(name)
            if !staysAway, isMeant(name, isComponent) { children.append(child) }
        }
    }
}
