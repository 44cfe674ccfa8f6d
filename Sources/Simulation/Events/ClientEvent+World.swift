import Core
import Storage
import ToDo

// Clients of the devices of a world.

extension ClientEvent {
    func apply(to world: World, isElsewhere: Bool) throws {
        switch self {
        case .serve(let device, let item, let client):
            try world.serve(device, item, to: client)
        case .tell(let device, let item, let client):
            try world.tellTag(device, item, to: client)
        case .put(let device, let item, let client, let condition, let settings):
            let key = SimulatedClient.Key(device: device, client: client, item: item)
            guard let known = world.clients[key], !known.isOwn else {
                throw Refused(.missing, "\(client) was not served \(item) by \(device)")
            }
            let tag: String? =
                switch condition {
                case .none: nil
                case .ownTag: known.tag
                case .lastTag: known.lastTag
                }
            try world.take(known, key, settings, ifMatch: tag.map { [$0] })
        case .putFile(let device, let item, let client, let settings):
            let key = SimulatedClient.Key(device: device, client: client, item: item)
            let file = world.clients[key] ?? SimulatedClient(uid: "\(world.record(item).id)")
            if !file.isOwn {
                throw Refused(.exists, "\(client) has \(item) as it was served")
            }
            try world.take(file, key, settings, ifMatch: nil)
        case .putAgain(let device, let item, let client):
            try world.putAgain(
                SimulatedClient.Key(device: device, client: client, item: item))
        case .delete(let device, let item, let client):
            try world.delete(SimulatedClient.Key(device: device, client: client, item: item))
        }
    }
}

extension World {
    /// The documents of a device for a client.
    private func served(
        _ device: SimulatedDevice, to client: String
    ) throws -> ServedToDos {
        let todos = ToDoStore(store: try store(device), now: wall(of: device), zone: .utc)
        // A copy of a device knows nothing of the clients that the copy is given.
        let credential = "\(client)-\(device.name)"
        return ServedToDos(todos, for: ServedClient(identifier: credential, name: client))
    }

    /// Whether a device has forgotten anything that it served a client, or took; a power cut takes nothing of that.
    private func hasForgotten(_ client: SimulatedClient, _ device: SimulatedDevice) -> Bool {
        client.servings.contains { number in
            device.lostServings.contains { $0.contains(number) }
        }
    }

    /// Numbers what a client gets, or what is taken from it.
    private func nextServing() -> Int {
        serving += 1
        return serving
    }

    /// The document of an item, and the record that it shows.
    private func document(
        _ device: SimulatedDevice, _ item: String, for client: String, isServed: Bool
    ) throws -> (document: ServedDocument, record: RecordState) {
        let served = try served(device, to: client)
        let id = record(item).id
        var found: ServedDocument?
        var stored: Record?
        try running(device) { () throws(StoreFault) in
            found = try (isServed ? served.serve([id]) : served.look([id])).first
            stored = try served.todos.stored(id)
        }
        guard let found, let stored else {
            throw Refused(.missing, "\(device.name) has no \(item) to serve")
        }
        return (found, stored.record)
    }

    /// A client was answered: what the answer tells must survive a power cut from now on.
    private func answered(_ device: SimulatedDevice, _ id: RecordName, _ record: RecordState) {
        oracle.left(device.index, id, record.clock)
    }

    /// The client reads a text, and takes it over unless it has a file of its own.
    func serve(_ name: String, _ item: String, to client: String) throws {
        let device = try device(name)
        let key = SimulatedClient.Key(device: name, client: client, item: item)
        let (document, shown) = try document(device, item, for: client, isServed: true)
        answered(device, record(item), shown)
        if clients[key]?.isOwn == true {
            clients[key]?.lastTag = document.tag
            clients[key]?.shown = shown.clock
            clients[key]?.servings.append(nextServing())
        } else {
            var new = SimulatedClient(document, of: shown)
            new.servings = [nextServing()]
            new.dots = clients[key]?.dots ?? []
            clients[key] = new
        }
        tell(device.index, .befell("serves \(item) to \(client)"))
        count("texts served to clients")
    }

    /// The client hears that there is another text.
    func tellTag(_ name: String, _ item: String, to client: String) throws {
        let device = try device(name)
        let key = SimulatedClient.Key(device: name, client: client, item: item)
        guard clients[key] != nil else {
            throw Refused(.missing, "\(client) has no \(item) of \(name)")
        }
        clients[key]?.lastTag = try document(device, item, for: client, isServed: false)
            .document.tag
        tell(device.index, .befell("tells \(client) the tag of \(item)"))
    }

    /// Somebody types into a client's text, which is put.
    func take(
        _ known: SimulatedClient, _ key: SimulatedClient.Key, _ settings: [Setting],
        ifMatch: [String]?
    ) throws {
        var client = known
        // Words that were typed for a put which was refused are still there.
        for typed in client.type(settings) {
            client.pending.removeAll { $0.field == typed.field }
            client.pending.append(typed)
        }
        client.last = (client.text, ifMatch, client.pending)
        try put(client, key, "put by \(key.client): \(ScenarioWriter.words(of: settings))")
    }

    /// The last text of a client comes once more.
    func putAgain(_ key: SimulatedClient.Key) throws {
        guard let client = clients[key], client.last != nil else {
            throw Refused(.missing, "\(key.client) has put no \(key.item) at \(key.device)")
        }
        try put(client, key, "put by \(key.client) again")
    }

    private func put(
        _ changed: SimulatedClient, _ key: SimulatedClient.Key, _ words: String
    ) throws {
        guard let last = changed.last else { return }
        var client = changed
        let device = try device(key.device)
        let served = try served(device, to: key.client)
        let id = record(key.item)
        let own = try store(device)
        let isKnown = !hasForgotten(client, device)
        let stored = try own.record(id)
        let before = stored?.record
        // The language has no words for a client that brings back what it was told is gone.
        if client.isOwn, stored?.standing == .trashed {
            throw Refused(.deleted, "\(key.item) is deleted on \(key.device)")
        }
        // The device keeps the text that it served last, until it is set back. From then on it cannot tell what was typed
        // into the client's text from what that had before: all of it may come, beside what others wrote.
        let certain = isKnown ? client.seen : VersionVector()
        let form = WriteHistory.Form(
            last.typed,
            author: client.isUnsure
                ? nil
                : WriteHistory.Author(
                    seen: client.seen, dots: client.dots, certain: certain,
                    earlier: isKnown ? [] : client.typed + client.shownValues))
        // Whether it was taken is not known to the client if the device crashes.
        clients[key] = client
        clients[key]?.isUnsure = true
        var refusal: ClientPutRefusal?
        do {
            try carryOut(key.device, key.item, .late, words, form: form) { _ throws(StoreFault) in
                let outcome = try served.put(
                    ClientPut(
                        name: "\(id.id).ics", bytes: last.text, list: client.list,
                        ifMatch: last.ifMatch))
                guard case .refused(let found) = outcome else { return }
                refusal = found
                throw found.fault
            }
        } catch let refused as Refused {
            if refusal != nil { clients[key] = client }
            let mayFail = last.ifMatch != nil && certain == VersionVector()
            if let refusal, !refusal.isForeseen(mayFail, isPurged: stored?.standing.isPurged) {
                throw Violation(.lostWrite, "a text of \(key.client) is refused: \(refusal)")
            }
            throw refused
        }
        if let after = try device.store?.record(id)?.record {
            let past = before?.clock ?? VersionVector()
            let new = after.writes.map(\.dot).filter { !past.covers($0) }
            client.dots.formUnion(new)
            answered(device, id, after)
        }
        client.servings.append(nextServing())
        client.pending = []
        clients[key] = client
        count("texts put by clients")
    }

    /// Whoever uses a client deletes an item, having seen no more of it than the client has.
    func delete(_ key: SimulatedClient.Key) throws {
        guard let client = clients[key] else {
            throw Refused(.missing, "\(key.client) has no \(key.item) of \(key.device)")
        }
        let device = try device(key.device)
        let served = try served(device, to: key.client)
        let id = record(key.item)
        let store = try store(device)
        // It has served no text and taken none, as where all that the client put was refused on a full disk.
        let isKnown = !client.servings.isEmpty && !hasForgotten(client, device)
        let before = try store.record(id)
        guard let before, before.standing == .live else {
            throw Refused(.missing, "\(key.device) has no \(key.item) that is alive")
        }
        var outcome = ClientDeleteOutcome.missing
        try carryOut(key.device, key.item, .lateDelete, "deleted by \(key.client)") {
            _ throws(StoreFault) in
            outcome = try served.delete(id.id, ifMatch: nil)
            // The device has lost all that it had known of the client, or never knew anything.
            if outcome == .unread, !isKnown { throw .noSuchRecord }
        }
        guard outcome == .deleted, let after = try device.store?.record(id) else {
            throw Violation(.lostWrite, "a delete by \(key.client) ends with \(outcome)")
        }
        answered(device, id, after.record)
        let unseen = before.record.writes.filter { write in
            !client.shown.covers(write.dot) && !client.dots.contains(write.dot)
                && write.assignments.contains { $0.field > .purged && !$0.value.isNull }
        }
        if !client.isUnsure, !unseen.isEmpty, after.verdict.isDeleted, !after.verdict.isContested {
            throw Violation(
                .lostWrite,
                "\(key.item) is deleted by \(key.client), which had not seen all of it, and nothing"
                    + " stands against that")
        }
        count("deletes by clients")
    }
}

extension ClientPutRefusal {
    /// Whether a text here may meet with it.
    ///
    /// - Parameter mayFail: whether the client has set a condition, and the device may know nothing of the text that the
    ///   client has taken over.
    fileprivate func isForeseen(_ mayFail: Bool, isPurged: Bool?) -> Bool {
        switch self {
        case .purged: isPurged ?? false
        case .conditionFailed: mayFail
        case .isTooLarge: true
        case .malformed, .noToDo, .identifierTaken: false
        }
    }

    /// The fault that stands for it.
    fileprivate var fault: StoreFault {
        switch self {
        case .purged: .recordPurged
        case .conditionFailed: .conflictOpen
        case .isTooLarge(let max): .overLimit(.recordBytes, max: max)
        case .malformed, .noToDo, .identifierTaken: .recordExists
        }
    }
}
