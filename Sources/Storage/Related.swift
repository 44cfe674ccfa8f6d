import Core

/// The records that refer to a record: the other side of a reference, read by its index.
package struct Related: Hashable, Sendable {
    /// The collection of those that refer.
    package var collection: CollectionID
    /// Their field that holds the reference.
    package var reference: FieldName
    /// Which of them; deleted ones never count.
    package var predicate: Predicate

    /// Those in `collection` whose field `reference` leads to the record.
    package init(
        _ collection: CollectionID, by reference: FieldName, where predicate: Predicate = .all
    ) {
        self.collection = collection
        self.reference = reference
        self.predicate = predicate
    }
}
