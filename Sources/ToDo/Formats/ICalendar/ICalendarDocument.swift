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
        var calendar = file.calendars[0]
        let positions = calendar.children.indices.filter { index in
            guard case .component(let component) = calendar.children[index] else { return false }
            return component.name == "VTODO" && component["RECURRENCE-ID"] == nil
        }
        guard let position = positions.first,
            case .component(var todo) = calendar.children[position]
        else {
            let occurrence = calendar.components.first {
                $0["RECURRENCE-ID"] != nil && $0.name == "VTODO"
            }
            guard let occurrence else { return nil }
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
        if let base, base.component["UID"]?.value == uid.value {
            todo.restore(from: base.component)
            todo.restoreMore(from: base.component)
        }
        calendar.children[position] = .component(todo)
        var codec = ICalendarItem(zones: ICalendarZones(local: zone))
        codec.describe(calendar)
        let (item, losses) = try codec.read(todo)
        if let problem = ItemCheck.problem(item) {
            throw ICalendarProblem(line: todo.line, problem.key, problem.reason)
        }
        return ICalendarDocument(calendar: calendar, item: item, losses: losses, position: position)
    }

    /// A new file for a to-do.
    static func made(
        _ item: ToDoItem, zone: LocalTimeZone, parentUID: @escaping (UInt128) -> String?
    ) -> [UInt8]? {
        var codec = ICalendarItem(zones: ICalendarZones(local: zone), parentUID: parentUID)
        guard let component = codec.component(codec.settled(item.inFolder)) else { return nil }
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
    fileprivate mutating func restoreMore(from base: ICalendarComponent) {
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
        let left = Set(properties.map(\.name)).union(components.map(\.name))
        for child in base.children {
            switch child {
            case .property(let property):
                let staysAway =
                    left.contains(property.name) || ICalendarNames.core.contains(property.name)
                    || ICalendarNames.volatile.contains(property.name)
                    || !(dropsAll || isOwn(property.name))
                if !staysAway { children.append(child) }
            case .component(let component):
                if dropsAll, !left.contains(component.name) { children.append(child) }
            }
        }
    }
}
