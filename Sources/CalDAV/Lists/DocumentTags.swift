import Core
import Storage
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

    private var entries: [String: [RecordID: Entry]] = [:]

    /// The entries of live to-dos; others are left out. Nothing is written.
    func entries(
        of ids: [RecordID], _ served: ServedToDos, _ catalog: ListCatalog
    ) throws(StoreFault) -> [RecordID: Entry] {
        let client = served.client.identifier
        if entries[client] == nil, entries.count >= Self.clientCountMax { entries = [:] }
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
            // The text of one that names others may change with those.
            if document.item.parent == nil, document.item.depends.isEmpty {
                known[document.identifier] = entry
            }
        }
        entries[client] = known
        return found
    }

    /// Forgets a document of all clients.
    func forget(_ id: RecordID) {
        for client in entries.keys { entries[client]?[id] = nil }
    }
}
