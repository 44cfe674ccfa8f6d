import Core
import Storage

/// A client of another protocol that is served to-dos as documents, and puts documents back.
package struct ServedClient: Hashable, Sendable {
    /// The stable identifier of its credential: 1 to 64 of a-z, 0-9 and hyphen.
    package let identifier: String
    /// The name that people know it by, as conflicts show it.
    package let name: String

    /// A client with a credential of its own.
    package init(identifier: String, name: String) {
        self.identifier = identifier
        self.name = name
    }
}

/// A to-do as one iCalendar document.
package struct ServedDocument: Sendable {
    /// The to-do.
    package let identifier: RecordID
    /// The resource's name, which ends in `.ics`: the client's own where it made the document.
    package let name: String
    /// The iCalendar text.
    package let bytes: [UInt8]
    /// The hexadecimal digits of a hash of the bytes; HTTP adds the quotes of an entity tag.
    package let tag: String
    /// The to-do as its record shows it now.
    package let item: ToDoItem
}

/// To-dos as documents for one client, and its edits of them merged by what it had been served.
package struct ServedToDos {
    /// The to-dos.
    package let todos: ToDoStore
    /// The client.
    package let client: ServedClient

    /// Serves to-dos to a client.
    package init(_ todos: ToDoStore, for client: ServedClient) {
        self.todos = todos
        self.client = client
    }

    var namespaces: ServedNamespaces { ServedNamespaces(client) }

    /// The documents of live to-dos, in the order of the identifiers; others are left out.
    ///
    /// It is remembered durably that the client was given them: in one transaction, and in none if it is known. The
    /// to-dos and the memory are on the disk when this returns.
    package func serve(_ identifiers: [RecordID]) throws(StoreFault) -> [ServedDocument] {
        let (made, memories) = try todos.store.reading { () throws(StoreFault) in
            let made = try live(identifiers)
            var memories: [ServedMemory] = []
            for one in made {
                memories.append(try memory(one.document.identifier) ?? ServedMemory())
            }
            return (made, memories)
        }
        let new = zip(made, memories).filter { one, memory in
            memory.gone != nil || memory.last?.digest != one.digest
                || memory.last?.tag != one.document.tag || memory.named?.base == one.digest
        }
        if new.isEmpty {
            // A process that was killed may have remembered this and flushed nothing.
            try todos.store.flushForOutside()
        } else {
            try edit { transaction throws(StoreFault) in
                for (one, _) in new { try remember(one, transaction) }
            }
        }
        return made.map(\.document)
    }

    /// The documents as `serve` gives them, without remembering that the client saw them.
    package func look(_ identifiers: [RecordID]) throws(StoreFault) -> [ServedDocument] {
        try todos.store.reading { () throws(StoreFault) in
            try live(identifiers).map(\.document)
        }
    }

    private func live(_ identifiers: [RecordID]) throws(StoreFault) -> [Made] {
        var found: [RecordID: Record] = [:]
        for start in stride(from: 0, to: identifiers.count, by: Self.lookupCountMax) {
            let some = identifiers[start..<min(start + Self.lookupCountMax, identifiers.count)]
            let request = FetchRequest(ToDoSchema.collection, where: .oneOf(Array(some)))
            for stored in try todos.store.fetch(request) { found[stored.id] = stored }
        }
        return try made(identifiers.compactMap { found[$0] }).compactMap { $0 }
    }

    /// The most ids that one query names.
    private static let lookupCountMax = 500

    private func remember(_ one: Made, _ transaction: Transaction) throws(StoreFault) {
        let id = one.document.identifier
        var memory = try memory(id) ?? ServedMemory()
        memory.gone = nil
        // The client was given this very text before, and its put after that wrote nothing: as a rule it had left a
        // property out that it is not known to write. That put is forgotten: the next one is compared with the text
        // served now, so it restores nothing that changed meanwhile.
        if memory.named?.base == one.digest {
            memory.named = nil
            try transaction.setLocalMetadata(
                nil, named: ServedNamespaces.textName(id, isNamed: true), in: namespaces.texts)
        }
        let new = one.representation(at: todos.now)
        for old in memory.remember(new) {
            try transaction.setLocalMetadata(
                nil, named: ServedNamespaces.textName(id, old.digest), in: namespaces.texts)
        }
        if new.isKept {
            try transaction.setLocalMetadata(
                one.document.bytes, named: ServedNamespaces.textName(id, one.digest),
                in: namespaces.texts)
        }
        try keep(memory, of: id, transaction)
    }

    /// The to-do of a resource's name, also one in the trash; nil if there is none of that name.
    package func identifier(named name: String) throws(StoreFault) -> RecordID? {
        try todos.store.reading { () throws(StoreFault) in
            try ServedNames(todos.store, for: 1).identifier(named: name)
        }
    }

    /// Merges a document that the client puts.
    ///
    /// The fields in which the text differs from the representation that it names become an edit by somebody who has seen no
    /// more than that. The text names it by its property `X-TANDEM-SEEN`, else `If-Match` does, else it is the one that the
    /// client was served last. A text without the property may come from a client that never took over any other: of it
    /// only what differs from the client's own last text, too, is an edit.
    package func put(_ put: ClientPut) throws(StoreFault) -> ClientPutOutcome {
        if put.bytes.count > ServedLimits.documentByteCountMax {
            return .refused(.isTooLarge(byteCountMax: ServedLimits.documentByteCountMax))
        }
        if put.name.isEmpty || put.name.utf8.count > ServedLimits.nameByteCountMax {
            let detail = "the name of a resource has 1 to \(ServedLimits.nameByteCountMax) bytes"
            return .refused(.malformed(line: nil, property: nil, detail: detail))
        }
        let draft: ICalendarDraft?
        do throws(ICalendarProblem) {
            draft = try ICalendarDraft.parse(put.bytes)
        } catch {
            return .refused(
                .malformed(line: error.line, property: error.property, detail: error.reason))
        }
        guard let draft else { return .refused(.noToDo) }
        return try merge(put, draft)
    }

    /// Moves a live to-do to another list for the client, which is not taken for another's edit later on.
    ///
    /// - Parameter list: the top-level project of the new list; nil for the inbox.
    /// - Returns: whether there is such a to-do.
    package func move(_ identifier: RecordID, to list: String?) throws(StoreFault) -> Bool {
        try edit { transaction throws(StoreFault) in
            guard let stored = try transaction.record(identifier), stored.standing == .live else {
                return false
            }
            let old = try todos.item(stored)
            var new = old
            new.project = list ?? ""
            try write(ToDoMapping.assignments(from: old, to: new), stored, transaction) { memory in
                memory.moveLists(to: list)
            }
            return true
        }
    }

    /// Writes to a to-do for the client, which has seen these writes from then on.
    ///
    /// - Parameter note: notes in the memory of the client what was written.
    func write(
        _ assignments: [Assignment], _ stored: Record, _ transaction: Transaction,
        note: (inout ServedMemory) -> Void
    ) throws(StoreFault) {
        _ = try transaction.update(stored.id, assignments)
        guard let after = try transaction.record(stored.id) else { return }
        var memory = try memory(stored.id) ?? ServedMemory()
        memory.moves = after.record.writes.map(\.dot).filter {
            !stored.record.clock.covers($0) || memory.moves.contains($0)
        }
        note(&memory)
        try keep(memory, of: stored.id, transaction)
    }

    /// Deletes a to-do for the client, which has seen no more of it than it was served and put itself.
    ///
    /// Writes of others since then stand against the delete, as on any device.
    /// - Parameter ifMatch: the tags of which one has to be the document's now, without quotes, `*` for any; nil for no
    ///   condition.
    package func delete(
        _ identifier: RecordID, ifMatch: [String]?
    ) throws(StoreFault) -> ClientDeleteOutcome {
        try edit { transaction throws(StoreFault) in
            guard let stored = try transaction.record(identifier), stored.standing == .live else {
                return .missing
            }
            let made = try made([stored])[0]
            let known = try memory(identifier)
            var memory = known ?? ServedMemory()
            var seen = stored.record.clock
            if let tags = ifMatch, !tags.contains("*") {
                guard let made, tags.contains(made.document.tag) else { return .conditionFailed }
            } else {
                // Of a to-do that the client was never served it has seen nothing that is known here, and where edits win
                // all of that would outlive the delete.
                if known == nil, todos.store.policy == .editsWin { return .unread }
                let own = (memory.named?.seen ?? VersionVector())
                    .joined(with: memory.plain?.seen ?? VersionVector())
                seen = Self.extended(
                    memory.last?.clock ?? own, by: memory.dots,
                    among: stored.record.writes.map(\.dot))
            }
            try transaction.delete(identifier, seen: seen)
            if let after = try transaction.record(identifier) {
                memory.gone = after.record.clock
                try keep(memory, of: identifier, transaction)
            }
            return .deleted
        }
    }

    /// Remembers that the client was told that these are gone.
    package func noteGone(_ identifiers: [RecordID]) throws(StoreFault) {
        var told: [(id: RecordID, memory: ServedMemory)] = []
        for id in identifiers {
            guard var memory = try memory(id), memory.gone == nil,
                let stored = try todos.stored(id)
            else { continue }
            memory.gone = stored.record.clock
            told.append((id, memory))
        }
        if told.isEmpty { return }
        try edit { transaction throws(StoreFault) in
            for (id, memory) in told { try keep(memory, of: id, transaction) }
        }
    }

    /// Runs an edit that a client is told of afterwards: it is on the disk when this returns.
    func edit<T>(_ body: (Transaction) throws(StoreFault) -> T) throws(StoreFault) -> T {
        let result = try todos.store.edit(body)
        try todos.store.flushForOutside()
        return result
    }

    /// Forgets all of a client that was removed; the names that it gave resources stay.
    package func forget() throws(StoreFault) {
        try todos.store.edit { transaction throws(StoreFault) in
            for namespace in namespaces.all {
                for name in try todos.store.localMetadata(in: namespace).keys {
                    try transaction.setLocalMetadata(nil, named: name, in: namespace)
                }
            }
        }
    }
}
