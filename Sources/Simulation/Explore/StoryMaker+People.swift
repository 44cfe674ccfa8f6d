/// What people do in made-up stories.
extension StoryMaker {
    mutating func deed(_ kind: ActionKind) -> Action? {
        guard let place = someone() else { return nil }
        let device = model.devices[place].name
        // Now and then somebody tries what will be refused.
        let isBlind = chance.happens(1, in: 40)
        func known(_ states: ItemState...) -> [String] {
            isBlind
                ? weights.items
                : states.flatMap { model.items(place, $0) }.filter(isToDo)
        }
        switch kind {
        case .create:
            let known = model.devices[place].items
            let new = weights.items.filter { known[$0] == nil }
            guard !new.isEmpty else { return nil }
            return .create(device: device, item: chance.pick(new), settings())
        case .edit:
            // An old list on the screen: what is gone by now is edited.
            let isStale = chance.happens(1, in: 16)
            return item(known(isStale ? .deleted : .alive)).map {
                .edit(device: device, item: $0, settings())
            }
        case .complete: return item(known(.alive)).map { .complete(device: device, item: $0) }
        case .reopen: return item(known(.alive)).map { .reopen(device: device, item: $0) }
        case .delete:
            // What was edited elsewhere meanwhile is deleted once more.
            let isAgain = chance.happens(1, in: 8)
            return item(known(isAgain ? .deleted : .alive)).map {
                .delete(device: device, item: $0)
            }
        case .restore:
            let isContested = chance.happens(1, in: 8)
            return item(known(isContested ? .alive : .deleted)).map {
                .restore(device: device, item: $0)
            }
        case .purge:
            let isForced = chance.happens(1, in: 2)
            return item(known(.deleted)).map {
                .purge(device: device, item: $0, isForced: isForced)
            }
        case .resolve: return resolution(device, item(known(.alive)))
        case .openEditor, .saveEditor: return editing(place)
        default: return novelty(kind, place)
        }
    }

    private func isToDo(_ item: String) -> Bool { weights.items.contains(item) }

    private mutating func item(_ items: [String]) -> String? {
        items.isEmpty ? nil : chance.pick(items)
    }

    private mutating func resolution(_ device: String, _ item: String?) -> Action? {
        guard let item else { return nil }
        let field = chance.pick(weights.fields)
        let values = model.values(of: field, of: item)
        if !values.isEmpty, chance.happens(3, in: 4) {
            // One of those that may compete.
            return .resolve(device: device, item: item, field: field, to: chance.pick(values))
        }
        guard case .value(_, let literal) = setting(field) else { return nil }
        return .resolve(device: device, item: item, field: field, to: literal)
    }

    /// Opens an editor; once one is open, saves it.
    private mutating func editing(_ place: Int) -> Action? {
        let device = model.devices[place]
        if let item = device.editing, chance.happens(2, in: 3) {
            return .saveEditor(device: device.name, item: item, settings())
        }
        return item(model.items(place, .alive).filter(isToDo)).map {
            .openEditor(device: device.name, item: $0)
        }
    }

    private mutating func novelty(_ kind: ActionKind, _ place: Int) -> Action? {
        let device = model.devices[place]
        switch kind {
        case .upgrade: return device.isNewer ? nil : .upgrade(device.name)
        case .createNewer:
            guard device.isNewer, model.gadgetCount < 4 else { return nil }
            return .createNewer(device: device.name, item: "gadget\(model.gadgetCount + 1)")
        default: return .receiveUnreadable(device: device.name, item: chance.pick(weights.items))
        }
    }

    // MARK: Values

    /// What an edit does, to one field or several; no field twice.
    mutating func settings() -> [Setting] {
        let count = chance.pick([1, 1, 1, 2, 3])
        return chance.shuffled(weights.fields).prefix(count).map { setting($0) }
    }

    private mutating func setting(_ field: String) -> Setting {
        if field == "tags" || field == "people" {
            let element = chance.pick(
                field == "tags" ? ["red", "blue", "green"] : ["Ann", "Ben"])
            return chance.happens(2, in: 3)
                ? .add(field: field, element: element) : .remove(field: field, element: element)
        }
        return .value(field: field, literal(field))
    }

    private mutating func literal(_ field: String) -> Literal {
        if chance.happens(1, in: 8) { return .none }
        let isShared = chance.happens(weights.sharedValueShare, in: 8)
        switch field {
        case "due": return .day(20_800 + Int32(isShared ? chance.below(2) : chance.below(400)))
        case "priority": return .number(Int64(1 + chance.below(3)))
        case "parent": return .item(chance.pick(weights.items))
        case "shop" where weights.faults.contains(.newerVersion):
            if chance.happens(1, in: 3) { return .newer(UInt8(chance.below(3))) }
        case "shop": if chance.happens(1, in: 4) { return .bool(chance.happens(1, in: 2)) }
        default: break
        }
        if isShared { return .text(chance.pick(Self.sharedTexts)) }
        if chance.happens(1, in: 24) {
            return .text("w\(number) " + String(repeating: "long ", count: 500))
        }
        return .text("w\(number)")
    }

    /// Two of them look alike and are different bytes.
    private static let sharedTexts = ["same", "other", "caf\u{e9}", "cafe\u{301}", ""]
}
