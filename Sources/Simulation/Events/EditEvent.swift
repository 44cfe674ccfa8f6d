/// An edit of an item; each case is one line of the language, given with it.
package enum EditEvent: Hashable, Sendable {
    /// `laptop creates milk title "Buy milk" tags +shop`.
    case create(device: String, item: String, [Setting])
    /// `laptop edits milk title "Oat milk" notes none tags -shop`.
    case edit(device: String, item: String, [Setting])
    /// `laptop completes milk`: its status, and when.
    case complete(device: String, item: String)
    /// `laptop reopens milk`.
    case reopen(device: String, item: String)
    /// `laptop deletes milk`.
    case delete(device: String, item: String)
    /// `laptop restores milk`.
    case restore(device: String, item: String)
    /// `laptop purges milk`, `laptop purges milk by force`.
    case purge(device: String, item: String, isForced: Bool)
    /// `laptop copies milk as oat`: what was written to it while apart from its purge, into a new item.
    case copy(device: String, item: String, to: String)
    /// `laptop resolves milk title to "Oat milk"`.
    case resolve(device: String, item: String, field: String, to: Literal)
    /// `laptop opens milk in the editor`: takes down the fields as they are shown.
    case openEditor(device: String, item: String)
    /// `laptop saves milk with title "Oat milk"`: the editor saves what was changed in it.
    case saveEditor(device: String, item: String, [Setting])
    /// `laptop upserts milk title "Oat milk"`: makes the item of that key, or edits it; as an import does.
    case upsert(device: String, item: String, [Setting])
}

/// The change of one field by an edit.
package enum Setting: Hashable, Sendable {
    /// Gives the field a value: `title "Oat milk"`.
    case value(field: String, Literal)
    /// Adds an element to a set: `tags +shop`.
    case add(field: String, element: String)
    /// Takes an element out of a set: `tags -shop`.
    case remove(field: String, element: String)
}

extension EventKind {
    static let create = EventKind("create", weight: 10, isStaple: true)
    static let edit = EventKind("edit", weight: 24, isStaple: true)
    static let complete = EventKind("complete", weight: 3)
    static let reopen = EventKind("reopen", weight: 2)
    static let delete = EventKind("delete", weight: 7)
    static let restore = EventKind("restore", weight: 5)
    static let purge = EventKind("purge", weight: 2)
    static let resolve = EventKind("resolve", weight: 4)
    static let openEditor = EventKind("openEditor", weight: 2)
    static let saveEditor = EventKind("saveEditor", weight: 5)
    static let copyItem = EventKind("copyItem")
    static let upsert = EventKind("upsert", weight: 8, fault: .upserts)
}

extension EditEvent: EventFamily {
    static let kinds: [EventKind] = [
        .create, .edit, .complete, .reopen, .delete, .restore, .purge, .resolve, .openEditor,
        .saveEditor, .copyItem, .upsert,
    ]

    var kind: EventKind {
        switch self {
        case .create: .create
        case .edit: .edit
        case .complete: .complete
        case .reopen: .reopen
        case .delete: .delete
        case .restore: .restore
        case .purge: .purge
        case .copy: .copyItem
        case .resolve: .resolve
        case .openEditor: .openEditor
        case .saveEditor: .saveEditor
        case .upsert: .upsert
        }
    }

    var event: ScenarioEvent { .edit(self) }

    // MARK: Lines

    static let forms: [ScenarioForm] = [
        program("DEVICE creates ITEM!", "Makes a to-do without fields.", "laptop creates milk") {
            .create(device: $0.name(), item: $0.name(), [])
        },
        program(
            "DEVICE creates ITEM! SETTINGS", "Makes a to-do with these fields.",
            #"laptop creates milk title "Buy milk" due 2026-12-01 tags +shop +food"#
        ) { .create(device: $0.name(), item: $0.name(), $0.settings()) },
        program(
            "DEVICE edits ITEM SETTINGS",
            "Sets fields; `none` clears one, `tags +x -y` edits a set.",
            #"laptop edits milk title "Oat milk" notes none tags -shop"#
        ) { .edit(device: $0.name(), item: $0.name(), $0.settings()) },
        program("DEVICE retitles ITEM TEXT", "Edits the title.", #"laptop retitles milk "Oat""#) {
            .edit(
                device: $0.name(), item: $0.name(), [.value(field: "title", .text($0.text()))])
        },
        program(
            "DEVICE moves ITEM to TEXT", "Edits the project.", #"laptop moves milk to "Home""#
        ) {
            .edit(
                device: $0.name(), item: $0.name(), [.value(field: "project", .text($0.text()))])
        },
        program("DEVICE tags ITEM ELEMENTS", "Adds tags.", "laptop tags milk shop and food") {
            .edit(
                device: $0.name(), item: $0.name(),
                $0.elements().map { .add(field: "tags", element: $0) })
        },
        program("DEVICE untags ITEM ELEMENTS", "Takes tags away.", "laptop untags milk shop") {
            .edit(
                device: $0.name(), item: $0.name(),
                $0.elements().map { .remove(field: "tags", element: $0) })
        },
        program("DEVICE completes ITEM", "Marks it as done.", "laptop completes milk") {
            .complete(device: $0.name(), item: $0.name())
        },
        program("DEVICE reopens ITEM", "Marks it as not done.", "laptop reopens milk") {
            .reopen(device: $0.name(), item: $0.name())
        },
        program("DEVICE deletes ITEM", "Puts it into the trash.", "laptop deletes milk") {
            .delete(device: $0.name(), item: $0.name())
        },
        program("DEVICE restores ITEM", "Takes it out of the trash.", "laptop restores milk") {
            .restore(device: $0.name(), item: $0.name())
        },
        program("DEVICE purges ITEM", "Removes it for good.", "laptop purges milk") {
            .purge(device: $0.name(), item: $0.name(), isForced: false)
        },
        program(
            "DEVICE purges ITEM by force", "Removes it for good, in spite of a conflict.",
            "laptop purges milk by force"
        ) { .purge(device: $0.name(), item: $0.name(), isForced: true) },
        program(
            "DEVICE copies ITEM as ITEM!",
            "Copies what was written to a purged one into a new one, and lets go of it there.",
            "laptop copies milk as oat"
        ) { .copy(device: $0.name(), item: $0.name(), to: $0.name()) },
        program(
            "DEVICE resolves ITEM FIELD to VALUE", "Ends a conflict with this value.",
            #"laptop resolves milk title to "Oat milk""#
        ) { .resolve(device: $0.name(), item: $0.name(), field: $0.name(), to: $0.value()) },
        program(
            "DEVICE upserts ITEM! SETTINGS",
            "Makes the item of that key, or edits it if it is there: an import by unique key.",
            #"laptop upserts milk title "Oat milk""#
        ) { .upsert(device: $0.name(), item: $0.name(), $0.settings()) },
        form(
            "DEVICE opens ITEM in the editor", "The editor takes down the fields as shown.",
            "laptop opens milk in the editor"
        ) { .openEditor(device: $0.name(), item: $0.name()) },
        form(
            "DEVICE saves ITEM with SETTINGS", "The editor saves what was changed in it.",
            #"laptop saves milk with title "Oat milk""#
        ) { .saveEditor(device: $0.name(), item: $0.name(), $0.settings()) },
    ]

    /// A form of what another program on the device could do as well.
    private static func program(
        _ pattern: String, _ meaning: String, _ example: String,
        _ build: @escaping @Sendable (inout ScenarioArguments) -> EditEvent
    ) -> ScenarioForm {
        form(pattern, meaning, example, isProgram: true, build)
    }

    var words: String {
        switch self {
        case .create(let device, let item, let settings):
            "\(device) creates \(item)" + (settings.isEmpty ? "" : " ")
                + ScenarioWriter.words(of: settings)
        case .edit(let device, let item, let settings):
            "\(device) edits \(item) " + ScenarioWriter.words(of: settings)
        case .complete(let device, let item): "\(device) completes \(item)"
        case .reopen(let device, let item): "\(device) reopens \(item)"
        case .delete(let device, let item): "\(device) deletes \(item)"
        case .restore(let device, let item): "\(device) restores \(item)"
        case .purge(let device, let item, let isForced):
            "\(device) purges \(item)" + (isForced ? " by force" : "")
        case .copy(let device, let item, let copy): "\(device) copies \(item) as \(copy)"
        case .resolve(let device, let item, let field, let literal):
            "\(device) resolves \(item) \(field) to \(ScenarioWriter.value(literal))"
        case .openEditor(let device, let item): "\(device) opens \(item) in the editor"
        case .saveEditor(let device, let item, let settings):
            "\(device) saves \(item) with " + ScenarioWriter.words(of: settings)
        case .upsert(let device, let item, let settings):
            "\(device) upserts \(item) " + ScenarioWriter.words(of: settings)
        }
    }

    /// The device, the item, and what is done to its fields.
    private var parts: (device: String, item: String, settings: [Setting]) {
        switch self {
        case .create(let device, let item, let settings), .edit(let device, let item, let settings),
            .saveEditor(let device, let item, let settings),
            .upsert(let device, let item, let settings):
            (device, item, settings)
        case .complete(let device, let item), .reopen(let device, let item),
            .delete(let device, let item), .restore(let device, let item),
            .purge(let device, let item, _), .resolve(let device, let item, _, _),
            .openEditor(let device, let item), .copy(let device, let item, _):
            (device, item, [])
        }
    }

    var devices: [String] { [parts.device] }

    var items: [String] {
        if case .copy(_, let item, let copy) = self { return [item, copy] }
        return [parts.item]
            + parts.settings.compactMap { setting in
                if case .value(_, .item(let other)) = setting { other } else { nil }
            }
    }

    var isRefusable: Bool { true }

    var canBeElsewhere: Bool {
        switch self {
        case .openEditor, .saveEditor: false
        default: true
        }
    }

    // MARK: Shrinking

    var simpler: [ScenarioEvent] {
        let simpler: [EditEvent] =
            switch self {
            case .create(let device, let item, let settings):
                Self.simpler(settings).map { .create(device: device, item: item, $0) }
            case .edit(let device, let item, let settings):
                Self.simpler(settings).map { .edit(device: device, item: item, $0) }
            case .complete(let device, let item), .reopen(let device, let item):
                [.edit(device: device, item: item, [Self.plain])]
            case .saveEditor(let device, let item, let settings):
                [.edit(device: device, item: item, settings)]
                    + Self.simpler(settings).map { .saveEditor(device: device, item: item, $0) }
            case .resolve(let device, let item, let field, let literal):
                [.edit(device: device, item: item, [.value(field: field, literal)])]
            case .purge(let device, let item, true):
                [.purge(device: device, item: item, isForced: false)]
            case .upsert(let device, let item, let settings):
                [.create(device: device, item: item, settings)]
                    + Self.simpler(settings).map { .upsert(device: device, item: item, $0) }
            case .purge, .delete, .restore, .openEditor, .copy: []
            }
        return simpler.map(\.event)
    }

    private static let plain = Setting.value(field: "title", .text("a"))

    private static func simpler(_ settings: [Setting]) -> [[Setting]] {
        if settings.count > 1 {
            return settings.indices.map { index in
                var fewer = settings
                fewer.remove(at: index)
                return fewer
            }
        }
        guard let only = settings.first, only != plain else { return [] }
        guard case .value(let field, let literal) = only else { return [[plain]] }
        var found = [[plain]]
        if field == "title", case .text(let text) = literal, text.utf8.count <= 2 { found = [] }
        if case .text(let text) = literal, text.utf8.count > 4 {
            found.append([.value(field: field, .text(String(text.prefix(2))))])
        }
        return found
    }

    func renamingItem(_ old: String, to new: String) -> EditEvent {
        func named(_ item: String) -> String { item == old ? new : item }
        func renamed(_ settings: [Setting]) -> [Setting] {
            settings.map { setting in
                guard case .value(let field, .item(let item)) = setting else { return setting }
                return .value(field: field, .item(named(item)))
            }
        }
        switch self {
        case .create(let device, let item, let settings):
            return .create(device: device, item: named(item), renamed(settings))
        case .edit(let device, let item, let settings):
            return .edit(device: device, item: named(item), renamed(settings))
        case .saveEditor(let device, let item, let settings):
            return .saveEditor(device: device, item: named(item), renamed(settings))
        case .complete(let device, let item): return .complete(device: device, item: named(item))
        case .reopen(let device, let item): return .reopen(device: device, item: named(item))
        case .delete(let device, let item): return .delete(device: device, item: named(item))
        case .restore(let device, let item): return .restore(device: device, item: named(item))
        case .purge(let device, let item, let isForced):
            return .purge(device: device, item: named(item), isForced: isForced)
        case .copy(let device, let item, let copy):
            return .copy(device: device, item: named(item), to: named(copy))
        case .resolve(let device, let item, let field, let literal):
            return .resolve(device: device, item: named(item), field: field, to: literal)
        case .upsert(let device, let item, let settings):
            return .upsert(device: device, item: named(item), renamed(settings))
        case .openEditor(let device, let item):
            return .openEditor(device: device, item: named(item))
        }
    }
}

extension EditEvent {
    static func draw(_ kind: EventKind, by maker: inout ScenarioMaker) -> ScenarioEvent? {
        guard let index = maker.someone() else { return nil }
        // Now and then somebody tries what will be refused.
        let isBlind = maker.chance.happens(1, in: 40)
        return draw(kind, index, isBlind: isBlind, by: &maker)?.event
    }

    private static func draw(
        _ kind: EventKind, _ index: Int, isBlind: Bool, by maker: inout ScenarioMaker
    ) -> EditEvent? {
        let device = maker.model.devices[index].name
        func item(_ states: ItemState...) -> String? {
            let known =
                isBlind
                ? maker.weights.items
                : states.flatMap { maker.model.items(index, $0) }.filter(maker.isToDo)
            return maker.pick(known)
        }
        switch kind {
        case .create:
            let known = maker.model.devices[index].items
            let new = maker.weights.items.filter { known[$0] == nil }
            guard !new.isEmpty else { return nil }
            return .create(device: device, item: maker.chance.pick(new), maker.settings())
        case .edit:
            // An old list on the screen: what is gone by now is edited.
            let isStale = maker.chance.happens(1, in: 16)
            return item(isStale ? .deleted : .alive).map {
                .edit(device: device, item: $0, maker.settings())
            }
        case .complete: return item(.alive).map { .complete(device: device, item: $0) }
        case .reopen: return item(.alive).map { .reopen(device: device, item: $0) }
        case .delete:
            // An item that was edited elsewhere meanwhile is deleted once more.
            let isAgain = maker.chance.happens(1, in: 8)
            return item(isAgain ? .deleted : .alive).map { .delete(device: device, item: $0) }
        case .restore:
            let isContested = maker.chance.happens(1, in: 8)
            return item(isContested ? .alive : .deleted).map { .restore(device: device, item: $0) }
        case .purge:
            let isForced = maker.chance.happens(1, in: 2)
            if let deleted = item(.deleted) {
                return .purge(device: device, item: deleted, isForced: isForced)
            }
            return item(.purged).map { .copy(device: device, item: $0, to: $0 + "-copy") }
        case .resolve: return maker.resolution(device, item(.alive))
        case .upsert:
            return .upsert(
                device: device, item: maker.chance.pick(maker.weights.items), maker.settings())
        default: return maker.editing(index)
        }
    }

    func foresee(in model: inout ScenarioModel) {
        switch self {
        case .create(let name, let item, let settings), .upsert(let name, let item, let settings):
            model.note(settings, of: item)
            model.change(name) { $0.items[item] = .alive }
        case .restore(let name, let item): model.change(name) { $0.items[item] = .alive }
        case .delete(let name, let item): model.change(name) { $0.items[item] = .deleted }
        case .purge(let name, let item, _): model.change(name) { $0.items[item] = .purged }
        case .copy(let name, let item, let copy):
            model.change(name) {
                $0.items[item] = .purged
                $0.items[copy] = .alive
            }
        case .openEditor(let name, let item): model.change(name) { $0.editing = item }
        case .saveEditor(let name, _, _): model.change(name) { $0.editing = nil }
        case .edit(_, let item, let settings): model.note(settings, of: item)
        case .complete, .reopen, .resolve: return
        }
    }
}

extension ScenarioMaker {
    func isToDo(_ item: String) -> Bool { weights.items.contains(item) }

    mutating func pick(_ items: [String]) -> String? {
        items.isEmpty ? nil : chance.pick(items)
    }

    mutating func resolution(_ device: String, _ item: String?) -> EditEvent? {
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
    mutating func editing(_ index: Int) -> EditEvent? {
        let device = model.devices[index]
        if let item = device.editing, chance.happens(2, in: 3) {
            return .saveEditor(device: device.name, item: item, settings())
        }
        return pick(model.items(index, .alive).filter(isToDo)).map {
            .openEditor(device: device.name, item: $0)
        }
    }

    /// The changes of an edit, of one field or several; no field twice.
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
