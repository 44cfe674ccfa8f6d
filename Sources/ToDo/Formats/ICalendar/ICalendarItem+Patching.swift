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
        let place = children.firstIndex { if case .component = $0 { true } else { false } }
        children.insert(
            contentsOf: added.map { .property($0) }, at: place ?? children.count)
        for part in target.components where !isDone.contains("BEGIN:" + part.name) {
            children.append(.component(part))
        }
        return ICalendarComponent(old.name, children, line: old.line)
    }

    /// What is to stand in the place of lines of one name.
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
