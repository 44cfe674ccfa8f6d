/// Something on which devices disagree, for a person to decide.
///
/// Nothing is lost meanwhile: one value is shown, the same on every device, and the others are kept.
/// ``Transaction/resolve(_:_:with:)`` ends it for an attribute. What was deleted while another device edited
/// it is decided by restoring or deleting it once more.
public struct Conflict: Hashable, Sendable {
    /// One of the values.
    public struct Candidate: Hashable, Sendable {
        /// The value.
        public let value: Value
        /// The name of the device that gave it.
        public let device: String
        /// Whether that is this device.
        public let isOwn: Bool
        /// When it was given, by that device's clock; milliseconds since 1970-01-01 UTC.
        public let time: Int64
    }

    /// The record, as it is shown.
    public let record: Record
    /// The attribute; nil if the record was deleted while another device edited or restored it.
    public let attribute: String?
    /// The values, the one that is shown first.
    public let candidates: [Candidate]
}
