/// A record to find or make by a key that is unique in its collection, as the id that some service gave it.
public struct ImportItem: Hashable, Sendable {
    /// The key.
    public var key: String
    /// The values to give the record.
    public var values: [String: Value]

    /// A record to find or make.
    public init(key: String, _ values: [String: Value]) {
        self.key = key
        self.values = values
    }
}
