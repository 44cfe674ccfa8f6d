/// Names a collection of records: a small number for a built-in one, a text for others.
package typealias CollectionID = FieldName

extension CollectionID {
    /// The reserved collection of device names; a record's id there is the replica's id.
    package static let devices = CollectionID.number(0)
}
