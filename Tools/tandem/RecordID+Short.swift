import Core

extension RecordID {
    /// The beginning of the id that a person is shown: the millisecond in which it was made.
    var short: String { String(uuidText.prefix(13)) }
}
