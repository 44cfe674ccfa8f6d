/// A VTODO ↔ a to-do with everything, what it has no fields for included.
struct ICalendarItem {
    /// Properties of one name, in the order of the file.
    typealias Groups = [(name: String, lines: [ICalendarProperty])]

    /// The zones that dates are read in.
    private var zones: ICalendarZones
    private let parentUID: (UInt128) -> String?

    /// Reads and writes with these zones and UIDs of parents.
    init(zones: ICalendarZones, parentUID: @escaping (UInt128) -> String? = { _ in nil }) {
        self.zones = zones
        self.parentUID = parentUID
    }

    /// Takes the zones that a calendar describes.
    mutating func describe(_ calendar: ICalendarComponent) { zones.describe(calendar) }

    /// Takes a zone that a calendar describes, besides those before it.
    mutating func describe(zone: ICalendarComponent) { zones.describe(zone: zone) }

    /// Forgets the zones that were described: a calendar has its own.
    mutating func forgetZones() { zones.forget() }

    /// Whether a to-do names a zone that nothing has told of so far.
    mutating func lacksZone(of component: ICalendarComponent) -> Bool {
        for case .property(let property) in component.children {
            if let name = property["TZID"], zones.lacksDescription(of: name) { return true }
        }
        return false
    }

    /// A VTIMEZONE for each zone that to-dos name, besides those that are described already.
    mutating func zoneComponents(
        for todos: [ICalendarComponent], besides described: Set<String> = []
    ) -> [ICalendarComponent] {
        ICalendarZoneWriter.components(for: todos, besides: described, zones: &zones)
    }

    // MARK: Reading

    /// Reads a VTODO.
    mutating func read(
        _ component: ICalendarComponent
    ) throws(ICalendarProblem) -> (item: ToDoItem, losses: [ICalendarItemReader.Loss]) {
        if let problem = component.problems.first { throw problem }
        let properties = component.properties
        let parts = component.components
        var (shown, losses) = try readLines(properties, parts)
        guard let property = component[ICalendarNames.more] else { return (shown, losses) }
        let more = try ICalendarMore(reading: property)
        let said = ICalendarMore(of: shown)
        let candidate = try item(said.with(more), property)
        let (rendered, _) = try reread(lines(candidate))
        shown = try item(said.with(more, where: ICalendarMore(of: rendered)), property)
        return (shown, losses)
    }

    private func item(
        _ members: ICalendarMore, _ property: ICalendarProperty
    ) throws(ICalendarProblem) -> ToDoItem {
        do throws(FormatFault) {
            return try members.item()
        } catch {
            throw ICalendarProblem(line: property.line, property.name, "\(error)")
        }
    }

    /// Reads lines that we wrote ourselves.
    private mutating func reread(
        _ component: ICalendarComponent
    ) throws(ICalendarProblem) -> (item: ToDoItem, losses: [ICalendarItemReader.Loss]) {
        try readLines(component.properties, component.components)
    }

    /// The to-do that all properties but `more` give.
    private mutating func readLines(
        _ properties: [ICalendarProperty], _ parts: [ICalendarComponent]
    ) throws(ICalendarProblem) -> (item: ToDoItem, losses: [ICalendarItemReader.Loss]) {
        var (item, losses) = try ICalendarItemReader.read(properties, zones: &zones)
        var written: [String: [ICalendarProperty]] = [:]
        for line in naturalLines(item) {
            written[line.name, default: []].append(line)
        }
        for group in Self.groups(properties) {
            let name = group.name
            if name.hasPrefix(ICalendarNames.ownPrefix) || ICalendarNames.volatile.contains(name) {
                continue
            }
            let isKept =
                !ICalendarNames.known.contains(name)
                || Self.isKept(group.lines, insteadOf: written[name] ?? [], item)
            guard isKept else { continue }
            item.custom[ICalendarNames.customPrefix + name] = .text(
                group.lines.map(\.rest).joined(separator: "\n"))
        }
        let alarms = parts.filter { $0.name == ICalendarAlarms.name }
        let others = parts.filter { $0.name != ICalendarAlarms.name }
        for part in ICalendarAlarms.read(alarms, into: &item, properties) + others {
            let name = ICalendarNames.customPrefix + part.name
            var text = part.lines.joined(separator: "\n")
            if case .text(let before)? = item.custom[name] { text = before + "\n" + text }
            item.custom[name] = .text(text)
        }
        return (item, losses)
    }

    private func naturalLines(_ item: ToDoItem) -> [ICalendarProperty] {
        let (local, system) = (zones.local, zones.system)
        return ICalendarItemWriter.write(
            item, uid: ICalendarNames.uid(of: item) ?? "", parentUID: parentUID,
            zone: { $0.flatMap(system) ?? local })
    }

    static func groups(_ properties: [ICalendarProperty]) -> Groups {
        var groups: Groups = []
        var indexes: [String: Int] = [:]
        for property in properties {
            if let index = indexes[property.name] {
                groups[index].lines.append(property)
            } else {
                indexes[property.name] = groups.count
                groups.append((property.name, [property]))
            }
        }
        return groups
    }

    /// Whether lines say more than those that we would write, or say it in a way worth keeping.
    private static func isKept(
        _ lines: [ICalendarProperty], insteadOf written: [ICalendarProperty], _ item: ToDoItem
    ) -> Bool {
        if lines == written || lines.allSatisfy(\.saysNothing) { return false }
        let isPlain = lines.allSatisfy(\.parameters.isEmpty)
        let only = lines.count == 1 ? lines[0] : nil
        switch lines[0].name {
        case "CATEGORIES": return !isPlain
        case "COMPLETED", "CREATED":
            return !isPlain || only.map { ICalendarDate($0.value) == nil } ?? false
        case "SUMMARY", "DESCRIPTION", "LOCATION": return !isPlain || only == nil
        case "PRIORITY": return !isPlain || only?.value != "0"
        case "PERCENT-COMPLETE":
            return !isPlain || only.map { $0.value != "0" || item.status != .pending } ?? true
        case "DUE", "DTSTART":
            guard let only, !written.isEmpty else { return true }
            if case .clock? = ICalendarDate(only.value) { return true }
            return only.parameters.contains { $0.name != "VALUE" }
        case "EXDATE":
            // Times in UTC say no more than that, wherever they were written.
            return written.isEmpty || !(lines + written).allSatisfy(\.parameters.isEmpty)
                || !lines.flatMap({ $0.value.split(separator: ",") }).allSatisfy {
                    if case .instant? = ICalendarDate(String($0)) { true } else { false }
                }
        default: return true
        }
    }

    // MARK: Writing

    /// The VTODO of a to-do.
    ///
    /// - Returns: nil if the item has no id.
    mutating func component(_ item: ToDoItem) -> ICalendarComponent? {
        guard item.identifier != nil else { return nil }
        var component = lines(item)
        guard let (shown, _) = try? reread(component) else { return component }
        if let more = ICalendarMore(of: item).difference(from: ICalendarMore(of: shown)) {
            let index = component.children.firstIndex { child in
                if case .component = child { true } else { false }
            }
            component.children.insert(.property(more), at: index ?? component.children.count)
        }
        return component
    }

    /// Returns the to-do that a reader gets from the lines written for it, without `more`.
    mutating func shown(_ item: ToDoItem) throws(ICalendarProblem) -> ToDoItem {
        try reread(lines(item)).item
    }

    /// All lines but `more`: those of the to-do's own fields, and what came along.
    private mutating func lines(_ item: ToDoItem) -> ICalendarComponent {
        var groups = Self.groups(naturalLines(item))
        var parts: [ICalendarComponent] = []
        for (name, value) in item.custom.sorted(by: { $0.key < $1.key }) {
            guard let property = ICalendarNames.property(ofCustom: name),
                case .text(let text) = value,
                let (kept, components) = Self.kept(property, text)
            else { continue }
            parts += components
            if kept.isEmpty { continue }
            if ICalendarNames.known.contains(property) {
                replace(&groups, property, with: kept)
            } else if property != "DURATION" || item.due == nil {
                groups.insert((property, kept), at: Self.indexOfOwn(groups))
            }
        }
        let written = groups.flatMap(\.lines)
        let alarms = ICalendarAlarms.written(
            item, kept: parts.filter { $0.name == ICalendarAlarms.name }, written)
        parts = alarms + parts.filter { $0.name != ICalendarAlarms.name }
        let properties = written.map { ICalendarComponent.Child.property($0) }
        return ICalendarComponent("VTODO", properties + parts.map { .component($0) })
    }

    /// In front of our own properties.
    private static func indexOfOwn(_ groups: Groups) -> Int {
        groups.firstIndex { $0.name.hasPrefix(ICalendarNames.ownPrefix) } ?? groups.count
    }

    /// Puts kept lines in the place of ours, where they still say the same.
    private mutating func replace(
        _ groups: inout Groups, _ name: String, with kept: [ICalendarProperty]
    ) {
        var candidate = groups
        if let index = candidate.firstIndex(where: { $0.name == name }) {
            candidate[index].lines = kept
        } else {
            candidate.insert((name, kept), at: Self.indexOfOwn(candidate))
        }
        if saysSame(candidate.flatMap(\.lines), groups.flatMap(\.lines)) {
            groups = candidate
        } else if name == "RELATED-TO" {
            // Relations that the to-do has no field for are none of those that changed.
            let others = kept.filter { ICalendarRelation($0) == nil }
            guard !others.isEmpty else { return }
            if let index = groups.firstIndex(where: { $0.name == name }) {
                groups[index].lines += others
            } else {
                groups.insert((name, others), at: Self.indexOfOwn(groups))
            }
        }
    }

    /// Whether lines give the to-do's own fields the same values.
    mutating func saysSame(_ left: [ICalendarProperty], _ right: [ICalendarProperty]) -> Bool {
        guard let (one, _) = try? ICalendarItemReader.read(left, zones: &zones),
            let (other, _) = try? ICalendarItemReader.read(right, zones: &zones)
        else { return false }
        return one == other
    }

    /// The lines and components that a custom field holds; nil if it holds anything else.
    private static func kept(
        _ name: String, _ text: String
    ) -> (lines: [ICalendarProperty], components: [ICalendarComponent])? {
        var lines: [ICalendarProperty] = []
        var rest = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let first = rest.first, first.utf8.first != UInt8(ascii: "B") {
            rest = rest.dropFirst()
            guard first.utf8.first == UInt8(ascii: ":") || first.utf8.first == UInt8(ascii: ";"),
                first.utf8.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }),
                let line = try? ICalendarProperty(reading: name + first, line: 0),
                line.name == name
            else { return nil }
            lines.append(line)
        }
        if rest.isEmpty { return (lines, []) }
        guard let components = components(name, rest.joined(separator: "\n")) else { return nil }
        return (lines, components)
    }

    private static func components(_ name: String, _ text: String) -> [ICalendarComponent]? {
        // As what is inside of a to-do in a calendar, so that the same limits hold.
        let file = "BEGIN:VCALENDAR\nBEGIN:VTODO\n\(text)\nEND:VTODO\nEND:VCALENDAR\n"
        guard let parsed = try? ICalendarParser.parse(Array(file.utf8)), parsed.problems.isEmpty,
            parsed.calendars.count == 1, parsed.calendars[0].components.count == 1
        else { return nil }
        let todo = parsed.calendars[0].components[0]
        guard todo.problems.isEmpty, todo.properties.isEmpty,
            todo.components.allSatisfy({ $0.name == name }),
            todo.components.flatMap(\.lines).joined(separator: "\n") == text
        else { return nil }
        return todo.components
    }
}

/// A VTODO that another program wrote, with what a to-do says now.
extension ICalendarItem {
    /// The item without kept lines that no longer say what it says.
    mutating func settled(_ item: ToDoItem) -> ToDoItem {
        let kept = item.custom.keys.filter { name in
            ICalendarNames.property(ofCustom: name).map(ICalendarNames.known.contains) ?? false
        }
        if kept.isEmpty { return item }
        guard let shown = try? shown(item) else { return item }
        var result = item
        for name in kept where shown.custom[name] != item.custom[name] {
            result.custom[name] = nil
        }
        return result
    }

    /// The VTODO with the lines of `target`, where its own do not say the same.
    mutating func patched(
        _ old: ICalendarComponent, to target: ICalendarComponent
    ) -> ICalendarComponent {
        let wanted = target.properties
        let lines = Dictionary(grouping: wanted, by: \.name)
        let parts = Dictionary(grouping: target.components, by: \.name)
        var children: [ICalendarComponent.Child] = []
        var placed: Set<String> = []
        for group in Self.groups(old.properties) {
            let name = group.name
            let replacement = replacement(group.lines, lines[name] ?? [], wanted)
            if replacement == group.lines { placed.insert(name) }
        }
        var isDone: Set<String> = []
        for child in old.children {
            switch child {
            case .property(let property):
                let name = property.name
                if placed.contains(name) {
                    children.append(child)
                } else if isDone.insert(name).inserted {
                    let own = old.properties.filter { $0.name == name }
                    let new = replacement(own, lines[name] ?? [], wanted)
                    children += new.map { .property($0) }
                }
            case .component(let component):
                let name = component.name
                guard isDone.insert("BEGIN:" + name).inserted else { continue }
                let own = old.components.filter { $0.name == name }
                let new = parts[name] ?? []
                let isSame = own.map(\.lines) == new.map(\.lines)
                children += (isSame ? own : new).map { .component($0) }
            }
        }
        let known = Set(old.properties.map(\.name))
        let added = wanted.filter { !known.contains($0.name) }
        let index = children.firstIndex { if case .component = $0 { true } else { false } }
        children.insert(
            contentsOf: added.map { .property($0) }, at: index ?? children.count)
        for part in target.components where !isDone.contains("BEGIN:" + part.name) {
            children.append(.component(part))
        }
        return ICalendarComponent(old.name, children, line: old.line)
    }

    /// The lines that replace those of one name.
    private mutating func replacement(
        _ own: [ICalendarProperty], _ target: [ICalendarProperty], _ wanted: [ICalendarProperty]
    ) -> [ICalendarProperty] {
        let name = own[0].name
        if own == target { return own }
        if name == "SEQUENCE" {
            guard let number = Int(own[0].value), (0..<Int(Int32.max)).contains(number) else {
                return own
            }
            return [ICalendarProperty(name, String(number + 1))]
        }
        if ICalendarNames.volatile.contains(name) { return target.isEmpty ? own : target }
        guard ICalendarNames.known.contains(name) else { return target }
        let candidate = wanted.filter { $0.name != name } + own
        return saysSame(candidate, wanted) ? own : target
    }
}
