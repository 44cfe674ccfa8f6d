import Core
import Storage

/// The texts that a client's text may have been made from.
struct ClientBases {
    /// A text with what it shows.
    struct Base {
        var document: ICalendarDocument
        /// The writes that whoever has the text has seen.
        let seen: VersionVector
    }

    /// The text that the client's differs from; nil if nothing tells which that is.
    var primary: Base?
    /// To-dos whose values are no edit either.
    var others: [ToDoItem] = []
    /// The writes that the author had seen.
    var seen = VersionVector()
    /// The writes of the author's own, which the author has seen besides.
    var dots: Set<Dot> = []
    /// The client's own last text of the same kind, if this one was made from it.
    var own: ServedMemory.OwnText?
    /// The client's own last text, read.
    var ownDocument: ICalendarDocument?
}

/// Finding what a text was made from.
extension ClientPutPass {
    /// The bases of the text, and whether the client's condition can be met by a merge.
    func bases(
        of stored: Record, _ memory: ServedMemory
    ) throws(StoreFault) -> (bases: ClientBases, isConditionMet: Bool) {
        let tags = put.ifMatch.map { Array($0.prefix(ServedLimits.tagCountMax)) }
        let asks = tags.map { !$0.contains("*") } ?? false
        let current = try served.made([stored])[0]
        let named = try digest.flatMapStored { digest throws(StoreFault) in
            try base(of: stored.id, memory, current) { known, _ in
                known == digest
            }
        }
        let matched =
            asks
            ? try base(of: stored.id, memory, current) { tags?.contains($1) ?? false } : nil
        var bases = ClientBases()
        if let own = memory.own(isNamed: digest != nil), own.base == digest {
            bases.own = own
            bases.ownDocument = try ownDocument(stored.id, isNamed: digest != nil)
        }
        let ownItems = bases.ownDocument.map { [$0.item] } ?? []
        if let named {
            bases.seen = named.seen
            // Whoever names a text from before their own last one has not seen that.
            let isBehind = matched.map { !Self.covers($0.seen, bases.own?.dots ?? []) } ?? false
            if isBehind { bases.own = nil } else { bases.dots = Set(bases.own?.dots ?? []) }
            bases.dots.formUnion(memory.moves)
            // A client goes on from the text that it put itself, and may take back there what it had changed. Only where
            // that stands for another occurrence by now does the served text tell which one is meant.
            if let own = bases.own, own.follower == nil, let document = bases.ownDocument {
                bases.primary = ClientBases.Base(document: document, seen: named.seen)
            } else {
                bases.primary = named
                bases.others = ownItems
            }
        } else if digest == nil || bases.own != nil {
            let last = try memory.last.flatMapStored { last throws(StoreFault) in
                try base(of: stored.id, memory, current) { digest, _ in digest == last.digest }
            }
            let served = [matched, last].compactMap { $0 }
            let own = bases.ownDocument.map { document in
                ClientBases.Base(document: document, seen: bases.own?.seen ?? VersionVector())
            }
            bases.primary = served.first ?? own
            bases.others = served.dropFirst().map(\.document.item)
            if !served.isEmpty { bases.others += ownItems }
            let all = served.map(\.seen) + (bases.own.map { [$0.seen] } ?? [])
            bases.seen = all.dropFirst().reduce(all.first ?? VersionVector()) { $0.met(with: $1) }
            bases.dots = Set((bases.own?.dots ?? []) + memory.moves)
        } else {
            for known in memory.representations {
                let base = try base(of: stored.id, memory, nil) { digest, _ in
                    digest == known.digest
                }
                if let item = base?.document.item { bases.others.append(item) }
            }
            for isNamed in [false, true] {
                if let document = try ownDocument(stored.id, isNamed: isNamed) {
                    bases.others.append(document.item)
                }
            }
        }
        return (bases, !asks || named != nil || matched != nil)
    }

    private static func covers(_ seen: VersionVector, _ dots: [Dot]) -> Bool {
        dots.allSatisfy { seen.covers($0) }
    }

    /// A kept representation, or the one that is there now, of which the digest and the tag fit.
    private func base(
        of id: RecordID, _ memory: ServedMemory, _ current: ServedToDos.Made?,
        where fits: (_ digest: UInt64, _ tag: String) -> Bool
    ) throws(StoreFault) -> ClientBases.Base? {
        if let known = memory.representations.last(where: { fits($0.digest, $0.tag) }),
            let text = try served.text(id, known.digest)
        {
            var base = self.base(text, known.clock)
            // The client has moved it since then, and so puts it into the other list.
            if !Self.covers(known.clock, memory.moves), var document = base?.document {
                Self.moveToList(&document.item, memory.movedList, base: nil)
                base?.document = document
            }
            return base
        }
        guard let current, fits(current.digest, current.document.tag) else { return nil }
        return base(current.document.bytes, current.clock)
    }

    private func base(_ text: [UInt8], _ seen: VersionVector) -> ClientBases.Base? {
        guard var document = (try? ICalendarDocument.read(text, zone: zone)) ?? nil else {
            return nil
        }
        follow(&document.item)
        return ClientBases.Base(document: document, seen: seen)
    }

    /// A text that the client put before.
    private func ownDocument(
        _ id: RecordID, isNamed: Bool
    ) throws(StoreFault) -> ICalendarDocument? {
        guard let own = memory.own(isNamed: isNamed),
            let text = try served.ownText(id, isNamed: isNamed),
            let draft = (try? ICalendarDraft.parse(text)) ?? nil
        else { return nil }
        let renamed = try renamed(draft)
        guard var document = try? renamed.document(zone: zone) else { return nil }
        // Where it cannot be read it does not say what the client had.
        let lost = Set(document.losses.map(\.property))
        if !lost.isDisjoint(with: Self.kept) { return nil }
        follow(&document.item)
        Self.moveToList(&document.item, followed(own.list), base: nil)
        (try? ClientOccurrence.read(renamed, zone: zone))?.apply(to: &document.item, zone: zone)
        return document
    }

    // MARK: The list

    /// Gives a to-do of a text from before the list was renamed its present project.
    func follow(_ item: inout ToDoItem) {
        ServedToDos.follow(&item.project, from: formerLists, to: put.list ?? "")
    }

    /// The list of a text, by the name that it has now.
    func followed(_ list: String?) -> String? {
        list.map { formerLists.contains($0) } ?? false ? put.list : list
    }

    /// Gives a to-do the project of the list that it was put into, unless it is in there.
    ///
    /// - Parameter base: a to-do whose project stands for one that the text does not say.
    static func moveToList(_ item: inout ToDoItem, _ list: String?, base: ToDoItem?) {
        let wanted = list ?? ""
        if let base, ServedToDos.list(of: base.project) ?? "" == wanted {
            item.project = base.project
        }
        if ServedToDos.list(of: item.project) ?? "" != wanted { item.project = wanted }
    }
}

extension Optional {
    /// `flatMap` for what a store may fail at.
    func flatMapStored<T>(
        _ body: (Wrapped) throws(StoreFault) -> T?
    ) throws(StoreFault) -> T? {
        guard let value = self else { return nil }
        return try body(value)
    }
}

extension VersionVector {
    /// The writes that both include.
    func met(with other: VersionVector) -> VersionVector {
        VersionVector(
            unsorted: entries.map { entry in
                Entry(
                    replica: entry.replica,
                    counter: Swift.min(entry.counter, other.counter(of: entry.replica)))
            })
    }
}

extension ServedToDos {
    /// The list in which the to-dos of a project are: its top level; nil for the inbox.
    package static func list(of project: String) -> String? {
        let name = String(project.prefix { $0 != "." })
        return name.isEmpty ? nil : name
    }

    /// A clock with the writes of one's own: as far as none of somebody else's of the same device is between.
    static func extended(
        _ seen: VersionVector, by dots: Set<Dot>, among all: [Dot]
    ) -> VersionVector {
        var seen = seen
        var stopped: Set<ReplicaID> = []
        for dot in all.sorted() where !seen.covers(dot) && !stopped.contains(dot.replica) {
            if dots.contains(dot) {
                seen.include(dot.counter, of: dot.replica)
            } else {
                stopped.insert(dot.replica)
            }
        }
        return seen
    }
}
