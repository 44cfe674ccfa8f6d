import Core
import Storage

extension ServedToDos {
    /// Merges a document: all of it in one transaction, or nothing.
    func merge(
        _ put: ClientPut, _ draft: ICalendarDraft
    ) throws(StoreFault) -> ClientPutOutcome {
        do throws(StoreFault) {
            return try edit { transaction throws(StoreFault) in
                var pass = try ClientPutPass(self, put, draft, transaction)
                return try pass.run()
            }
        } catch {
            guard case .overLimit(let limit, let max) = error else { throw error }
            switch limit {
            case .valueBytes, .recordBytes: return .refused(.isTooLarge(byteCountMax: max))
            default:
                return .refused(
                    .malformed(line: nil, property: nil, detail: "\(error)"))
            }
        }
    }
}

/// One put, inside of a transaction.
struct ClientPutPass {
    let served: ServedToDos
    let put: ClientPut
    let transaction: Transaction
    private(set) var names: ServedNames
    /// The text, with the UIDs that the to-dos have here.
    private(set) var draft: ICalendarDraft
    /// The properties that the client has sent before.
    let sent: Set<String>
    /// The names of the properties and components of the text.
    let own: Set<String>
    /// The representation that the text names.
    let digest: UInt64?
    /// The memory of the to-do.
    var memory = ServedMemory()
    /// The former projects of the list, if the to-do is in it now or is new: texts from before its new name mean the same to-do.
    private(set) var formerLists: Set<String> = []

    init(
        _ served: ServedToDos, _ put: ClientPut, _ draft: ICalendarDraft,
        _ transaction: Transaction
    ) throws(StoreFault) {
        self.served = served
        self.put = put
        self.transaction = transaction
        names = try ServedNames(served.todos.store, for: 1)
        self.draft = draft
        sent = try served.sentProperties()
        own = Set(draft.todo.properties.map(\.name) + draft.todo.components.map(\.name))
        digest = ServedText.digest(in: draft.todo)
    }

    var todos: ToDoStore { served.todos }
    var zone: LocalTimeZone { todos.zone }

    /// The UID as the client has it.
    private var uid: String { ICalendarText.read(draft.todo["UID"]?.value ?? "") }

    mutating func run() throws(StoreFault) -> ClientPutOutcome {
        let clientUID = uid
        let id = RecordID(value: try names.identifier(ofUID: clientUID))
        draft = try renamed(draft)
        let occurrences: ClientOccurrence.All
        do throws(ICalendarProblem) {
            occurrences = try ClientOccurrence.read(draft, zone: zone)
            _ = try draft.document(zone: zone)
        } catch {
            return refusal(error)
        }
        memory = try served.memory(id) ?? ServedMemory()
        let known = try names.identifier(named: put.name)
        let stored = try transaction.record(id)
        if let known, known != id, let other = try transaction.record(known),
            other.standing == .live, isInList(other)
        {
            let detail = "the resource has the UID of another to-do, which cannot change"
            return .refused(
                .malformed(line: draft.todo["UID"]?.line, property: "UID", detail: detail))
        }
        guard let stored else {
            if put.ifMatch != nil { return .refused(.conditionFailed) }
            if let follower = try follower(occurrences) {
                return try adopt(follower, as: clientUID)
            }
            return try make(id, occurrences)
        }
        if isInList(stored) { formerLists = put.formerLists }
        if stored.standing.isPurged { return .refused(.purged) }
        let isLive = stored.standing == .live
        if isLive, known != id {
            return .refused(
                .identifierTaken(name: try names.name(of: ToDoMapping.item(stored))))
        }
        if isLive, try isRepeated(stored) { return try outcome(stored, isNew: put.ifNoneMatchAny) }
        if isLive, put.ifNoneMatchAny, isInList(stored) { return .refused(.conditionFailed) }
        return try change(stored, occurrences)
    }

    private func refusal(_ problem: ICalendarProblem) -> ClientPutOutcome {
        .refused(
            .malformed(line: problem.line, property: problem.property, detail: problem.reason))
    }

    /// Whether a to-do is in the list that the document was put into.
    private func isInList(_ stored: Record) -> Bool {
        ServedToDos.list(of: ToDoMapping.item(stored).project) ?? "" == put.list ?? ""
    }

    /// Whether the client's last text was this very one.
    private func isRepeated(_ stored: Record) throws(StoreFault) -> Bool {
        guard let before = memory.own(isNamed: digest != nil), before.base == digest,
            followed(before.list) == put.list
        else { return false }
        return try served.ownText(stored.id, isNamed: digest != nil) == put.bytes
    }

    /// The text with the UIDs by which the to-dos are known here.
    func renamed(_ draft: ICalendarDraft) throws(StoreFault) -> ICalendarDraft {
        var draft = draft
        for (index, child) in draft.todo.children.enumerated() {
            guard case .property(let property) = child,
                ["UID", "RELATED-TO"].contains(property.name)
            else { continue }
            let uid = ICalendarText.read(property.value)
            let identifier = try names.identifier(ofUID: uid)
            if identifier == ICalendarNames.identifier(ofUID: uid) { continue }
            var new = ICalendarProperty(
                property.name, property.parameters, UUIDText.text(identifier))
            new.line = property.line
            draft.todo.children[index] = .property(new)
        }
        return draft
    }

    // MARK: A new to-do

    private mutating func make(
        _ id: RecordID, _ occurrences: ClientOccurrence.All
    ) throws(StoreFault) -> ClientPutOutcome {
        guard var item = (try? draft.document(zone: zone))?.item else {
            return .refused(.noToDo)
        }
        // A copy that was made before the list was renamed keeps its level.
        formerLists = put.formerLists
        follow(&item)
        Self.moveToList(&item, put.list, base: nil)
        let rest = occurrences.apply(to: &item, zone: zone)
        item.created = item.created ?? todos.now
        if item.status != .pending, item.completions.isEmpty { item.completed = todos.now }
        try transaction.insert(
            try transaction.following(ToDoMapping.assignments(from: nil, to: item)),
            into: ToDoSchema.collection, id: id)
        try names.set(put.name, of: item, transaction)
        guard let made = try transaction.record(id) else { return .refused(.noToDo) }
        if item.status == .completed, !occurrences.occurrences.isEmpty {
            try todos.makeNext(after: id, at: item.completed ?? todos.now, in: transaction)
        }
        try apply(rest, behind: id)
        try remember(made, seen: made.record.clock, dots: made.record.writes.map(\.dot), nil)
        return try outcome(made, isNew: true)
    }

    // MARK: A to-do that is here

    private mutating func change(
        _ stored: Record, _ occurrences: ClientOccurrence.All
    ) throws(StoreFault) -> ClientPutOutcome {
        let (bases, isConditionMet) = try bases(of: stored, memory)
        if !isConditionMet { return .refused(.conditionFailed) }
        var new: ToDoItem
        do throws(ICalendarProblem) {
            new = try item(onto: bases.primary)
        } catch {
            return refusal(error)
        }
        let before = bases.ownDocument == nil ? nil : try ownLines()
        let rest = occurrences.apply(to: &new, zone: zone)
            .filter { !(before?.contains($0.lines) ?? false) }
        var edit = ClientEdit(pass: self, bases: bases)
        if let follower = try edit.follower(of: new) {
            try apply(rest, behind: follower.id)
            try remember(
                follower, seen: follower.record.clock, dots: [], follower.id.value, of: stored.id)
            return try outcome(stored, isNew: false)
        }
        let isRestored = try restores(stored)
        if isRestored {
            try transaction.restore(stored.id)
            if try names.identifier(named: put.name) != stored.id {
                try names.set(put.name, of: ToDoMapping.item(stored), transaction)
            }
        }
        guard let target = isRestored ? try transaction.record(stored.id) : stored else {
            return .refused(.noToDo)
        }
        let next = try edit.write(new, over: target, isRestored: isRestored)
        guard let after = try transaction.record(stored.id) else { return .refused(.noToDo) }
        try apply(rest, behind: stored.id)
        let dots = after.record.writes.map(\.dot).filter {
            !stored.record.clock.covers($0) || bases.dots.contains($0)
        }
        if edit.isMovedOn, let next, let follower = try transaction.record(next) {
            try remember(follower, seen: follower.record.clock, dots: [], next.value, of: stored.id)
        } else {
            try remember(after, seen: bases.seen, dots: dots, nil)
        }
        if !after.record.fieldConflicts.isEmpty, after.record != stored.record {
            try todos.dropSignatures(transaction)
            try todos.sign(
                stored.id, since: stored.record.clock, by: served.client.name, transaction)
        }
        return try outcome(after, isNew: put.ifNoneMatchAny)
    }

    /// Whether the client knows that the to-do is in the trash, and puts it back.
    private func restores(_ stored: Record) throws(StoreFault) -> Bool {
        guard stored.standing == .trashed else { return false }
        if put.ifNoneMatchAny { return true }
        return memory.gone != nil && put.ifMatch == nil && digest == nil
    }

    /// The lines of the changed occurrences that the client's last text had.
    private func ownLines() throws(StoreFault) -> Set<[String]> {
        guard let id = draft.todo["UID"].map({ ICalendarText.read($0.value) }),
            let text = try served.ownText(
                RecordID(value: ICalendarNames.identifier(ofUID: id)), isNamed: digest != nil),
            let draft = (try? ICalendarDraft.parse(text)) ?? nil
        else { return [] }
        return Set(draft.occurrences.map(\.lines))
    }

    // MARK: What the text says

    /// The properties that tell together whether a to-do is done.
    private static let ofStatus: Set<String> = ["STATUS", "COMPLETED", "PERCENT-COMPLETE"]

    /// The to-do that the text says, where a property that the client has never sent stands as it was.
    private func item(onto base: ClientBases.Base?) throws(ICalendarProblem) -> ToDoItem {
        var draft = draft
        if let base {
            let shown = base.document.component
            draft.todo.restore(from: shown) { name, _ in staysAsItWas(name, shown) }
            draft.todo.restoreMore(from: shown)
        }
        let document = try draft.document(zone: zone, zonesOf: base?.document.calendar)
        var item = document.item
        if let base {
            item.rejoinTags(of: base.document.item)
            keepUnreadable(Set(document.losses.map(\.property)), &item, base.document.item)
        }
        follow(&item)
        let saysProject = own.contains(ICalendarNames.ownPrefix + "PROJECT")
        Self.moveToList(&item, put.list, base: saysProject ? nil : base?.document.item)
        return item
    }

    /// The properties of which a value that cannot be read is no removal.
    static let kept: Set<String> = ofStatus.union(["PRIORITY", "EXDATE"])

    /// Gives an item the values of its base for properties whose text nobody can read.
    private func keepUnreadable(
        _ lost: Set<String>, _ item: inout ToDoItem, _ base: ToDoItem
    ) {
        if lost.contains("PRIORITY") { item.priority = base.priority }
        if lost.contains("EXDATE") { item.setExceptions(item.exceptions + base.exceptions) }
        if lost.contains("STATUS") || lost.contains("PERCENT-COMPLETE") && !own.contains("STATUS") {
            item.status = base.status
        }
        if lost.isDisjoint(with: Self.ofStatus) { return }
        if item.status == base.status { item.completed = base.completed }
    }

    /// Whether a property that is missing in the text was not removed by the client.
    private func staysAsItWas(_ name: String, _ base: ICalendarComponent) -> Bool {
        if name.hasPrefix(ICalendarNames.ownPrefix) {
            return name != ServedText.seen && (digest == nil || !sent.contains(name))
        }
        if Self.ofStatus.contains(name) {
            return own.isDisjoint(with: Self.ofStatus) && sent.isDisjoint(with: Self.ofStatus)
        }
        if name == "DTSTART", base[name]?[ICalendarNames.stand] != nil {
            return base["DUE"] == draft.todo["DUE"]
        }
        if name == "EXDATE" { return !sent.contains(name) && !isRuleRemoved }
        return !sent.contains(name)
    }

    private var isRuleRemoved: Bool { !own.contains("RRULE") && sent.contains("RRULE") }

    // MARK: Afterwards

    /// Remembers the text as the client's last one.
    mutating func remember(
        _ stored: Record, seen: VersionVector, dots: [Dot], _ follower: UInt128?,
        of id: RecordID? = nil
    ) throws(StoreFault) {
        let id = id ?? stored.id
        let text = ServedMemory.OwnText(
            base: digest, list: put.list, seen: seen, dots: dots, follower: follower)
        if digest == nil { memory.plain = text } else { memory.named = text }
        if stored.standing == .live { memory.gone = nil }
        try served.keep(memory, of: id, transaction)
        try transaction.setLocalMetadata(
            put.bytes, named: ServedNamespaces.textName(id, isNamed: digest != nil),
            in: served.namespaces.texts)
        try served.noteProperties(
            own.filter { $0.utf8.count <= ICalendarLimits.nameByteCountMax }, besides: sent,
            transaction)
    }

    func outcome(_ stored: Record, isNew: Bool) throws(StoreFault) -> ClientPutOutcome {
        guard let now = try transaction.record(stored.id), let made = try served.made([now])[0]
        else { return .refused(.noToDo) }
        let isAsSent = made.document.bytes == put.bytes
        return isNew
            ? .created(made.document, isAsSent: isAsSent)
            : .changed(made.document, isAsSent: isAsSent)
    }
}
