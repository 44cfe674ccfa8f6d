import ToDo

/// The tags of documents, remembered by the arrival numbers of their to-dos: none is made twice for a listing.
final class DocumentTags {
    /// The facts about a document that listings give.
    struct Entry {
        let sequence: UInt64
        let name: String
        let tag: String
        let byteCount: Int
        let modified: Int64?

        init(_ document: ServedDocument, sequence: UInt64) {
            self.sequence = sequence
            name = document.name
            tag = document.tag
            byteCount = document.bytes.count
            modified = document.item.modified
        }
    }

    /// The most clients whose tags are remembered.
    private static let clientCountMax = 16
    /// The most bytes of texts that are remembered with their tags, for questions about them.
    static let textByteCountMax = 16 << 20

    private var entries: [String: [RecordID: Entry]] = [:]
    /// The to-dos of the names in entries, of all clients: one that is out of date is not the entry's any more.
    private var identifiers: [String: RecordID] = [:]
    /// The documents of the client that asked last.
    private var documents: [RecordID: ServedDocument] = [:]
    private var documentsClient = ""
    private var textByteCount = 0

    /// The entries of live to-dos.
    ///
    /// Others are left out. Nothing is written.
    func entries(
        of ids: [RecordID], _ served: ServedToDos, _ catalog: ListCatalog
    ) throws(StoreFault) -> [RecordID: Entry] {
        let client = served.client.identifier
        if entries[client] == nil, entries.count >= Self.clientCountMax {
            (entries, identifiers) = ([:], [:])
        }
        var known = entries.removeValue(forKey: client) ?? [:]
        var found: [RecordID: Entry] = [:]
        var missing: [RecordID] = []
        for id in ids {
            if let entry = known[id], entry.sequence == catalog.sequence(of: id) {
                found[id] = entry
            } else {
                missing.append(id)
            }
        }
        for document in try served.look(missing) {
            guard let sequence = catalog.sequence(of: document.identifier) else { continue }
            let entry = Entry(document, sequence: sequence)
            found[document.identifier] = entry
            if Self.standsAlone(document) {
                known[document.identifier] = entry
                identifiers[entry.name] = document.identifier
                remember(document, for: client)
            }
        }
        entries[client] = known
        return found
    }

    /// The live to-do of a resource's name; nil if there is none of that name.
    func identifier(
        named name: String, _ served: ServedToDos, _ catalog: ListCatalog
    ) throws(StoreFault) -> RecordID? {
        if let id = identifiers[name], let entry = entries[served.client.identifier]?[id],
            entry.name == name, entry.sequence == catalog.sequence(of: id)
        {
            return id
        }
        return try served.identifier(named: name)
    }

    /// Whether the text names no other to-do, with which it might change.
    private static func standsAlone(_ document: ServedDocument) -> Bool {
        document.item.parent == nil && document.item.depends.isEmpty
    }

    /// The documents of live to-dos, in the order of the identifiers.
    ///
    /// Others are left out. Nothing is written.
    func documents(
        of ids: [RecordID], _ served: ServedToDos, _ catalog: ListCatalog
    ) throws(StoreFault) -> [ServedDocument] {
        let client = served.client.identifier
        var known = entries[client] ?? [:]
        var missing: [RecordID] = []
        var found: [RecordID: ServedDocument] = [:]
        for id in ids {
            if documentsClient == client, let document = documents[id], let entry = known[id],
                entry.sequence == catalog.sequence(of: id), entry.tag == document.tag
            {
                found[id] = document
            } else {
                missing.append(id)
            }
        }
        for document in try served.look(missing) {
            let id = document.identifier
            found[id] = document
            guard let sequence = catalog.sequence(of: id), Self.standsAlone(document) else {
                continue
            }
            known[id] = Entry(document, sequence: sequence)
            remember(document, for: client)
        }
        entries[client] = known
        return ids.compactMap { found[$0] }
    }

    private func remember(_ document: ServedDocument, for client: String) {
        if documentsClient != client {
            (documents, documentsClient, textByteCount) = ([:], client, 0)
        }
        let id = document.identifier
        let count = textByteCount - (documents[id]?.bytes.count ?? 0) + document.bytes.count
        guard count <= Self.textByteCountMax else { return }
        textByteCount = count
        documents[id] = document
    }

    /// Forgets a document of all clients.
    func forget(_ id: RecordID) {
        for client in entries.keys { entries[client]?[id] = nil }
        if let document = documents.removeValue(forKey: id) {
            textByteCount -= document.bytes.count
        }
    }
}
