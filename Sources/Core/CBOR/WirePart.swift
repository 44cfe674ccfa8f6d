/// A part of what is read, as a fault names it.
package enum WirePart: Hashable, Sendable, CustomStringConvertible {
    /// An integer that is not negative.
    case unsigned
    /// An integer of either sign.
    case integer
    /// An array.
    case array
    /// A map.
    case map
    /// A byte string.
    case byteString
    /// A text.
    case text
    /// A yes or no.
    case bool
    /// A number with a fraction.
    case double
    /// An identifier.
    case identifier
    /// The length of an identifier.
    case identifierLength
    /// A value of a field.
    case value
    /// An element of a set.
    case setElement
    /// A reference to a record.
    case reference
    /// A day without a time.
    case day
    /// A counter.
    case counter
    /// The list of the writes of a record.
    case writes
    /// The assignments of a record, over all its writes.
    case assignments
    /// The assignments of a record to the field 0, or to the field 1, over all its writes.
    case deletions
    /// The parts of a write.
    case writeParts
    /// The values of a write, in the short form.
    case writeValues
    /// The fields of a write.
    case writeFields
    /// The number of fields of a write.
    case writeFieldCount
    /// The distance of a dot from its replica's counter in the record's clock.
    case dotDistance
    /// The number of a field or collection.
    case fieldNumber
    /// The collection in a body, which is that of the change's name.
    case collection
    /// The name of a field or collection.
    case name
    /// The length of such a name.
    case nameLength
    /// The entries of a clock.
    case clockEntries
    /// The length of a clock.
    case clockLength
    /// An index into the entries of a clock.
    case clockIndex
    /// A counter in a clock.
    case clockCounter
    /// The keys of a message.
    case messageKeys
    /// The versions of the protocol.
    case versions
    /// The policy for deletes.
    case deletePolicy
    /// A checkpoint.
    case checkpoint
    /// An incarnation of a replica.
    case incarnation
    /// The incarnations of the replicas in a batch.
    case incarnations
    /// The length of that list.
    case incarnationsLength
    /// An epoch.
    case epoch
    /// The incarnations of a history.
    case history
    /// The length of a history.
    case historyLength
    /// A peer checkpoint.
    case peerCheckpoint
    /// An index into the replicas of a hello.
    case replicaIndex
    /// The changes of a batch.
    case batchChanges
    /// The length of a batch.
    case batchLength
    /// A list of indexes into a batch.
    case batchIndexes
    /// An index into a batch.
    case batchIndex
    /// The body of a record.
    case body
    /// A part of a long body.
    case bodyPart
    /// The offset of such a part.
    case bodyPartOffset
    /// The replicas of a batch.
    case replicaTable
    /// The length of that table.
    case replicaTableLength
    /// An index into that table.
    case replicaTableIndex
    /// The collections of the records in a message.
    case collectionTable
    /// An index into that table.
    case collectionTableIndex
    /// The summary rows that a relay passes on.
    case summaryRows
    /// The length of that list.
    case summaryRowsLength
    /// A summary row.
    case summaryRow
    /// The entries of a state summary.
    case summaryEntries
    /// An entry of a state summary.
    case summaryEntry
    /// The ranges of state summaries.
    case summaryRanges
    /// The bound of such a range.
    case summaryBound
    /// A digest.
    case digest
    /// The length of a digest.
    case digestLength
    /// The records wanted whole.
    case wantedRecords
    /// The length of that list.
    case wantedRecordsLength
    /// The marks of versions at a relay.
    case versionMarks
    /// The length of that list.
    case versionMarksLength
    /// The token that makes a space at a relay.
    case token
    /// A key or a signature.
    case proof
    /// A generation of the space's secret.
    case generation
    /// A rekey message.
    case rekeyMessage
    /// The rekey messages of a relay.
    case rekeyMessages
    /// The length of that list.
    case rekeyMessagesLength
    /// An item that is put into a mailbox.
    case mailboxItem
    /// A list, in another module's bytes.
    case list
    /// A kind, in another module's bytes.
    case kind
    /// A reason, in another module's bytes.
    case reason

    /// The part in words.
    package var description: String {
        switch self {
        case .unsigned: "an unsigned integer"
        case .integer: "an integer"
        case .array: "an array"
        case .map: "a map"
        case .byteString: "a byte string"
        case .text: "a text"
        case .bool: "false or true"
        case .double: "a floating-point number"
        case .identifier: "an identifier"
        case .identifierLength: "the length of an identifier"
        case .value: "a value"
        case .setElement: "an element of a set"
        case .reference: "a reference"
        case .day: "a day"
        case .counter: "a counter"
        case .writes: "the writes of a record"
        case .assignments: "assignments"
        case .deletions: "assignments to the field 0 or 1"
        case .writeParts: "the parts of a write"
        case .writeValues: "the values of a write"
        case .writeFields: "the fields of a write"
        case .writeFieldCount: "the number of fields of a write"
        case .dotDistance: "the distance of a dot"
        case .fieldNumber: "a field number"
        case .collection: "the collection in a body"
        case .name: "a name"
        case .nameLength: "the length of a name"
        case .clockEntries: "the entries of a clock"
        case .clockLength: "the length of a clock"
        case .clockIndex: "an index in a clock"
        case .clockCounter: "a counter in a clock"
        case .messageKeys: "the keys of a message"
        case .versions: "versions"
        case .deletePolicy: "the delete policy"
        case .checkpoint: "a checkpoint"
        case .incarnation: "an opening"
        case .incarnations: "openings"
        case .incarnationsLength: "the length of the openings"
        case .epoch: "an epoch"
        case .history: "the openings of a history"
        case .historyLength: "the length of a history"
        case .peerCheckpoint: "a peer checkpoint"
        case .replicaIndex: "an index"
        case .batchChanges: "the changes of a batch"
        case .batchLength: "the length of a batch"
        case .batchIndexes: "indexes in a batch"
        case .batchIndex: "an index in a batch"
        case .body: "a body"
        case .bodyPart: "a part"
        case .bodyPartOffset: "the offset of a part"
        case .replicaTable: "a table of replicas"
        case .replicaTableLength: "the length of a table of replicas"
        case .replicaTableIndex: "an index in a table"
        case .collectionTable: "a table of collections"
        case .collectionTableIndex: "an index in a table of collections"
        case .summaryRows: "the rows of summaries"
        case .summaryRowsLength: "the length of the rows of summaries"
        case .summaryRow: "a row of a summary"
        case .summaryEntries: "the entries of a state summary"
        case .summaryRanges: "the ranges of a state summary"
        case .summaryBound: "the bound of a range of a state summary"
        case .summaryEntry: "an entry of a state summary"
        case .digest: "a digest"
        case .digestLength: "the length of a digest"
        case .wantedRecords: "the records wanted"
        case .wantedRecordsLength: "the length of the records wanted"
        case .versionMarks: "marks of versions"
        case .versionMarksLength: "the length of the marks"
        case .token: "a token"
        case .proof: "a key or a signature"
        case .generation: "a generation"
        case .rekeyMessage: "a rekey message"
        case .rekeyMessages: "rekey messages"
        case .rekeyMessagesLength: "the length of the rekey messages"
        case .mailboxItem: "an item of a mailbox"
        case .list: "a list"
        case .kind: "a kind"
        case .reason: "a reason"
        }
    }
}
