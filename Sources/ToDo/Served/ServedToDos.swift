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
    /// The to-do that the text says.
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

    /// The documents of live to-dos, in the order of the identifiers; others are left out.
    ///
    /// It is remembered durably that the client was given them, in one transaction, and in none if it is known.
    package func serve(_ identifiers: [RecordID]) throws(StoreFault) -> [ServedDocument] {
        fatalError("not built yet")
    }

    /// The documents as `serve` gives them, without remembering that the client saw them.
    package func look(_ identifiers: [RecordID]) throws(StoreFault) -> [ServedDocument] {
        fatalError("not built yet")
    }

    /// The to-do of a resource's name for this client; nil if there is none of that name.
    package func identifier(named name: String) throws(StoreFault) -> RecordID? {
        fatalError("not built yet")
    }

    /// Merges a document that the client puts.
    package func put(_ put: ClientPut) throws(StoreFault) -> ClientPutOutcome {
        fatalError("not built yet")
    }

    /// Deletes a to-do for the client, which has seen no more of it than it was served.
    ///
    /// - Parameter ifMatch: the tags of which one has to be the document's now, without quotes, `*` for any; nil for no
    ///   condition.
    package func delete(
        _ identifier: RecordID, ifMatch: [String]?
    ) throws(StoreFault) -> ClientDeleteOutcome {
        fatalError("not built yet")
    }

    /// Remembers that the client was told that these are gone.
    package func noteGone(_ identifiers: [RecordID]) throws(StoreFault) {
        fatalError("not built yet")
    }

    /// Forgets all of a client that was removed.
    package func forget() throws(StoreFault) {
        fatalError("not built yet")
    }
}

extension ServedToDos {
    /// The names of the resources of to-dos, whether they are there or were deleted.
    package func names(_ identifiers: [RecordID]) throws(StoreFault) -> [RecordID: String] {
        fatalError("not built yet")
    }
}
