/// A component: what stands between BEGIN and END.
struct ICalendarComponent: Sendable {
    /// What a component holds, in the order of the file.
    enum Child: Sendable {
        case property(ICalendarProperty)
        case component(ICalendarComponent)
    }

    /// In capitals.
    var name: String
    var children: [Child]
    /// Where it began; counts from 1, 0 for one that was not read.
    var line: Int
    /// What is wrong inside of it.
    var problems: [ICalendarProblem] = []

    init(_ name: String, _ children: [Child] = [], line: Int = 0) {
        self.name = name
        self.children = children
        self.line = line
    }

    /// The properties, in order.
    var properties: [ICalendarProperty] {
        children.compactMap { if case .property(let property) = $0 { property } else { nil } }
    }

    /// The components inside of it, in order.
    var components: [ICalendarComponent] {
        children.compactMap { if case .component(let component) = $0 { component } else { nil } }
    }

    /// The first property of a name.
    subscript(name: String) -> ICalendarProperty? {
        for case .property(let property) in children where property.name == name {
            return property
        }
        return nil
    }

    /// The content lines from BEGIN to END, folds undone.
    var lines: [String] {
        var lines = ["BEGIN:\(name)"]
        for child in children {
            switch child {
            case .property(let property): lines.append(property.text)
            case .component(let component): lines += component.lines
            }
        }
        return lines + ["END:\(name)"]
    }
}
