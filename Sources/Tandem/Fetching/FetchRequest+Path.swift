extension FetchRequest {
    /// The subject of a request: an attribute, also of a record to which references lead, or a fact
    /// about the records that refer to a record.
    ///
    /// A literal names attributes: `"title"`, or through references `"photographer.name"`. A reference to
    /// a record that is missing or deleted reads as absent, and so does everything behind it. Each name is
    /// one step, also in a circle of references: ``Store/target(of:_:)`` alone cuts circles.
    public struct Path: Hashable, Sendable, ExpressibleByStringLiteral {
        indirect enum Target: Hashable, Sendable {
            case attribute(String)
            case id
            case lastChange
            case count(String, Predicate)
            case greatest(String, String, Predicate)
            case least(String, String, Predicate)
        }

        /// References to follow first.
        var references: [String] = []
        var target: Target

        /// The names of references and at last of an attribute, parted by dots.
        public init(stringLiteral text: String) { self.init(text) }

        /// The names of references and at last of an attribute, parted by dots.
        public init(_ text: String) {
            let names = text.split(separator: ".", omittingEmptySubsequences: false).map(
                String.init)
            references = names.dropLast()
            target = .attribute(names.last ?? "")
        }

        private init(_ target: Target) { self.target = target }

        /// The record's id.
        public static let id = Path(.id)

        /// When the record last changed on this device: only the order of these numbers means anything.
        public static let lastChange = Path(.lastChange)

        /// How many records refer to it.
        ///
        /// - Parameters:
        ///   - inverse: what the schema calls the other side of their reference.
        ///   - predicate: which of them count.
        public static func count(_ inverse: String, where predicate: Predicate = .all) -> Path {
            Path(.count(inverse, predicate))
        }

        /// The greatest value that an attribute has in the records that refer to it.
        ///
        /// - Parameters:
        ///   - inverse: what the schema calls the other side of their reference.
        ///   - attribute: their attribute.
        ///   - predicate: which of them count.
        public static func greatest(
            _ inverse: String, _ attribute: String, where predicate: Predicate = .all
        ) -> Path {
            Path(.greatest(inverse, attribute, predicate))
        }

        /// The smallest value that an attribute has in the records that refer to it.
        ///
        /// - Parameters:
        ///   - inverse: what the schema calls the other side of their reference.
        ///   - attribute: their attribute.
        ///   - predicate: which of them count.
        public static func least(
            _ inverse: String, _ attribute: String, where predicate: Predicate = .all
        ) -> Path {
            Path(.least(inverse, attribute, predicate))
        }
    }
}
