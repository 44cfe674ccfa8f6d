/// A document that a client puts under a name.
package struct ClientPut: Sendable {
    /// The resource's name.
    package var name: String
    /// The iCalendar text.
    package var bytes: [UInt8]
    /// The top-level project of the list that it was put into; nil for the inbox.
    package var list: String?
    /// The top-level projects that this list had before it was renamed: texts from then still name them.
    package var formerLists: Set<String>
    /// The tags of `If-Match` without quotes, `*` for any; nil without that condition.
    package var ifMatch: [String]?
    /// Whether the client asked that there be nothing of this name yet (`If-None-Match: *`).
    package var ifNoneMatchAny: Bool

    /// A document with the conditions of its request.
    package init(
        name: String, bytes: [UInt8], list: String?, formerLists: Set<String> = [],
        ifMatch: [String]? = nil, ifNoneMatchAny: Bool = false
    ) {
        self.name = name
        self.bytes = bytes
        self.list = list
        self.formerLists = formerLists
        self.ifMatch = ifMatch
        self.ifNoneMatchAny = ifNoneMatchAny
    }
}

/// The result of a put.
package enum ClientPutOutcome: Sendable {
    /// A new to-do; whether it is served byte for byte as it was sent.
    case created(ServedDocument, isAsSent: Bool)
    /// A to-do that was there, changed or not; whether it is served byte for byte as it was sent.
    case changed(ServedDocument, isAsSent: Bool)
    /// Nothing was written.
    case refused(ClientPutRefusal)
}

/// Why a document is not taken.
package enum ClientPutRefusal: Hashable, Sendable {
    /// A condition that the client set does not hold.
    case conditionFailed
    /// The text cannot be read: the line that is wrong, its property, and half a sentence.
    case malformed(line: Int?, property: String?, detail: String)
    /// The text has no to-do.
    case noToDo
    /// The UID is that of a to-do of another name.
    case identifierTaken(name: String)
    /// The to-do was purged.
    case purged
    /// The text has more bytes than a document may have.
    case isTooLarge(byteCountMax: Int)
}

/// The result of a client's delete.
package enum ClientDeleteOutcome: Hashable, Sendable {
    /// It is in the trash.
    case deleted
    /// There is no such to-do.
    case missing
    /// It is not as the client's condition says.
    case conditionFailed
    /// The mass-delete guard holds it.
    case held
    /// Edits win, and the client has seen none: nothing was written.
    case unread
}
