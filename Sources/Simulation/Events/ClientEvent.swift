/// Something between a device and a client that it serves to-dos as documents; each case is one line of the language,
/// given with it.
package enum ClientEvent: Hashable, Sendable {
    /// The condition of a put.
    package enum Condition: String, Hashable, Sendable, CaseIterable {
        /// None.
        case none
        /// It is as the client has it.
        case ownTag
        /// It is as the client last heard that it is, read or not.
        case lastTag
    }

    /// `laptop serves milk to tasks`: the client takes over the text.
    case serve(device: String, item: String, client: String)
    /// `laptop tells tasks the tag of milk`: the client does not read the text.
    case tell(device: String, item: String, client: String)
    /// `laptop gets milk from tasks with title "Oat"`: what is typed into the client's text, which is then put.
    case put(device: String, item: String, client: String, Condition, [Setting])
    /// `laptop gets a file of milk from tasks with title "Oat"`: the client never reads what it is served.
    case putFile(device: String, item: String, client: String, [Setting])
    /// `laptop gets milk from tasks again`: the client's last text once more.
    case putAgain(device: String, item: String, client: String)
    /// `laptop deletes milk for tasks`.
    case delete(device: String, item: String, client: String)
}

extension EventKind {
    static let serve = EventKind("serve", weight: 16, fault: .clients)
    static let tellTag = EventKind("tellTag", weight: 4, fault: .clients)
    static let put = EventKind("put", weight: 20, fault: .clients)
    static let putFile = EventKind("putFile", weight: 8, fault: .clients)
    static let putAgain = EventKind("putAgain", weight: 6, fault: .clients)
    static let deleteForClient = EventKind("deleteForClient", weight: 3, fault: .clients)
}

extension ClientEvent: EventFamily {
    static let kinds: [EventKind] = [
        .serve, .tellTag, .put, .putFile, .putAgain, .deleteForClient,
    ]

    var kind: EventKind {
        switch self {
        case .serve: .serve
        case .tell: .tellTag
        case .put: .put
        case .putFile: .putFile
        case .putAgain: .putAgain
        case .delete: .deleteForClient
        }
    }

    var event: ScenarioEvent { .client(self) }

    // MARK: Lines

    static let forms: [ScenarioForm] = [
        form(
            "DEVICE serves ITEM to CLIENT",
            "The client takes over the text, unless it has a file of its own.",
            "laptop serves milk to tasks"
        ) { .serve(device: $0.name(), item: $0.name(), client: $0.name()) },
        form(
            "DEVICE tells CLIENT the tag of ITEM",
            "The client learns which text there is now, and does not read it.",
            "laptop tells tasks the tag of milk"
        ) { arguments in
            let (device, client) = (arguments.name(), arguments.name())
            return .tell(device: device, item: arguments.name(), client: client)
        },
        form(
            "DEVICE gets ITEM from CLIENT with SETTINGS",
            "That is typed into the client's text, which is put on no condition.",
            #"laptop gets milk from tasks with title "Oat milk""#
        ) { .put(device: $0.name(), item: $0.name(), client: $0.name(), .none, $0.settings()) },
        form(
            "DEVICE gets ITEM from CLIENT under its tag with SETTINGS",
            "The same, if the text there is still that which the client has.",
            #"laptop gets milk from tasks under its tag with title "Oat milk""#
        ) { .put(device: $0.name(), item: $0.name(), client: $0.name(), .ownTag, $0.settings()) },
        form(
            "DEVICE gets ITEM from CLIENT under the last tag with SETTINGS",
            "The same, if the text there is that of which the client has heard, read or not.",
            #"laptop gets milk from tasks under the last tag with title "Oat milk""#
        ) { .put(device: $0.name(), item: $0.name(), client: $0.name(), .lastTag, $0.settings()) },
        form(
            "DEVICE gets a file of ITEM! from CLIENT with SETTINGS",
            "The client made the file itself, and never takes over what it is served.",
            #"laptop gets a file of milk from tasks with title "Oat milk""#
        ) { .putFile(device: $0.name(), item: $0.name(), client: $0.name(), $0.settings()) },
        form(
            "DEVICE gets ITEM from CLIENT again", "The client's last text comes once more.",
            "laptop gets milk from tasks again"
        ) { .putAgain(device: $0.name(), item: $0.name(), client: $0.name()) },
        form(
            "DEVICE deletes ITEM for CLIENT",
            "Whoever uses the client has seen no more of it than the client was served.",
            "laptop deletes milk for tasks"
        ) { .delete(device: $0.name(), item: $0.name(), client: $0.name()) },
    ]

    var words: String {
        switch self {
        case .serve(let device, let item, let client): "\(device) serves \(item) to \(client)"
        case .tell(let device, let item, let client):
            "\(device) tells \(client) the tag of \(item)"
        case .put(let device, let item, let client, let condition, let settings):
            "\(device) gets \(item) from \(client)\(condition.words) with "
                + ScenarioWriter.words(of: settings)
        case .putFile(let device, let item, let client, let settings):
            "\(device) gets a file of \(item) from \(client) with "
                + ScenarioWriter.words(of: settings)
        case .putAgain(let device, let item, let client):
            "\(device) gets \(item) from \(client) again"
        case .delete(let device, let item, let client): "\(device) deletes \(item) for \(client)"
        }
    }

    /// The device, the item, the client, and what is typed.
    private var parts: (device: String, item: String, client: String, settings: [Setting]) {
        switch self {
        case .serve(let device, let item, let client), .tell(let device, let item, let client),
            .putAgain(let device, let item, let client), .delete(let device, let item, let client):
            (device, item, client, [])
        case .put(let device, let item, let client, _, let settings),
            .putFile(let device, let item, let client, let settings):
            (device, item, client, settings)
        }
    }

    var devices: [String] { [parts.device] }
    var items: [String] { [parts.item] }
    var isRefusable: Bool { true }

    /// The fields that clients show and type.
    static let fields = ["title", "notes", "location"]

    var contradiction: (message: String, hint: String)? {
        for setting in parts.settings {
            switch setting {
            case .value(let field, .text), .value(let field, .long), .value(let field, .none):
                if Self.fields.contains(field) { continue }
            default: break
            }
            return (
                "clients type no such thing",
                "they know a title, notes and a location, each a text or `none`"
            )
        }
        return nil
    }

    // MARK: Shrinking

    var simpler: [ScenarioEvent] {
        let (device, item, client, settings) = parts
        let fewer: [[Setting]] = settings.indices.compactMap { index in
            var fewer = settings
            fewer.remove(at: index)
            return fewer.isEmpty ? nil : fewer
        }
        if case .delete = self { return [.edit(.delete(device: device, item: item))] }
        let simpler: [ClientEvent] =
            switch self {
            case .put(_, _, _, let condition, _):
                (condition == .none
                    ? [] : [.put(device: device, item: item, client: client, .none, settings)])
                    + fewer.map {
                        .put(device: device, item: item, client: client, condition, $0)
                    }
            case .putFile:
                fewer.map { .putFile(device: device, item: item, client: client, $0) }
            case .delete, .serve, .tell, .putAgain: []
            }
        return simpler.map(\.event)
    }

    func renamingItem(_ old: String, to new: String) -> ClientEvent {
        let (device, item, client, settings) = parts
        let named = item == old ? new : item
        switch self {
        case .serve: return .serve(device: device, item: named, client: client)
        case .tell: return .tell(device: device, item: named, client: client)
        case .put(_, _, _, let condition, _):
            return .put(device: device, item: named, client: client, condition, settings)
        case .putFile: return .putFile(device: device, item: named, client: client, settings)
        case .putAgain: return .putAgain(device: device, item: named, client: client)
        case .delete: return .delete(device: device, item: named, client: client)
        }
    }

    // MARK: Random scenarios

    /// The clients of a random world; the last one has files of its own.
    private static let clients = ["tasks", "reminders", "vdir"]

    static func draw(_ kind: EventKind, by maker: inout ScenarioMaker) -> ScenarioEvent? {
        guard let index = maker.someone() else { return nil }
        let device = maker.model.devices[index].name
        let isGone = maker.chance.happens(1, in: 12)
        let known = maker.model.items(index, isGone ? .deleted : .alive).filter(maker.isClientItem)
        let client = maker.chance.pick(Array(clients.dropLast()))
        func event(_ event: ClientEvent?) -> ScenarioEvent? { event?.event }
        switch kind {
        case .putFile:
            let all = maker.weights.items.filter(maker.isClientItem)
            guard let item = maker.pick(all) else { return nil }
            return event(
                .putFile(
                    device: device, item: item, client: clients[clients.count - 1],
                    maker.typed()))
        case .serve:
            return event(maker.pick(known).map { .serve(device: device, item: $0, client: client) })
        case .tellTag:
            let any = maker.chance.pick(clients)
            return event(maker.pick(known).map { .tell(device: device, item: $0, client: any) })
        case .put:
            let condition = maker.chance.pick([Condition.none, .none, .ownTag, .lastTag])
            return event(
                maker.pick(known).map {
                    .put(device: device, item: $0, client: client, condition, maker.typed())
                })
        case .putAgain:
            let any = maker.chance.pick(clients)
            return event(
                maker.pick(known).map { .putAgain(device: device, item: $0, client: any) })
        default:
            let any = maker.chance.pick(clients)
            return event(maker.pick(known).map { .delete(device: device, item: $0, client: any) })
        }
    }

    func foresee(in model: inout ScenarioModel) {
        let (device, item, _, settings) = parts
        model.note(settings, of: item)
        switch self {
        case .putFile: model.change(device) { $0.items[item] = $0.items[item] ?? .alive }
        case .delete: model.change(device) { $0.items[item] = .deleted }
        default: return
        }
    }
}

extension ClientEvent.Condition {
    /// The condition as a line has it.
    fileprivate var words: String {
        switch self {
        case .none: ""
        case .ownTag: " under its tag"
        case .lastTag: " under the last tag"
        }
    }
}

extension ScenarioMaker {
    /// Whether an item is a to-do, of which clients know.
    func isClientItem(_ item: String) -> Bool {
        isToDo(item) && !item.hasPrefix(Vocabulary.twinPrefix)
    }

    /// The changes that a client types, of one field or two.
    mutating func typed() -> [Setting] {
        let count = chance.pick([1, 1, 2])
        return chance.shuffled(ClientEvent.fields).prefix(count).map { field in
            if chance.happens(1, in: 10) { return .value(field: field, .none) }
            let isShared = chance.happens(weights.sharedValueShare, in: 12)
            let text = isShared ? chance.pick(["same", "other"]) : "c\(number)"
            return .value(field: field, .text(text))
        }
    }
}
