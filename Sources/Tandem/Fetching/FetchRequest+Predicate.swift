extension FetchRequest {
    /// Which records a request is about.
    public struct Predicate: Hashable, Sendable {
        indirect enum Form: Hashable, Sendable {
            case all
            case compare(Path, Comparison, Value)
            case absent(Path)
            case contains(Path, String)
            case hasPrefix(Path, String)
            case hasElement(Path, String)
            case oneOf([RecordID])
            case and([Predicate])
            case or([Predicate])
            case not(Predicate)
            case any(String, Predicate)
        }

        enum Comparison: Hashable, Sendable {
            case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
        }

        let form: Form

        private init(_ form: Form) { self.form = form }

        /// Every record.
        public static let all = Predicate(.all)

        /// The attribute has that value; with `nil`, it has none.
        public static func equals(_ path: Path, _ value: Value) -> Predicate {
            value == .null ? isAbsent(path) : Predicate(.compare(path, .equal, value))
        }

        /// The attribute has another value, or none; with `nil`, it has one.
        public static func differs(_ path: Path, _ value: Value) -> Predicate {
            value == .null ? !isAbsent(path) : Predicate(.compare(path, .notEqual, value))
        }

        /// The attribute has a smaller value.
        public static func less(_ path: Path, _ value: Value) -> Predicate {
            Predicate(.compare(path, .less, value))
        }

        /// The attribute has that value or a smaller one.
        public static func atMost(_ path: Path, _ value: Value) -> Predicate {
            Predicate(.compare(path, .lessOrEqual, value))
        }

        /// The attribute has a greater value.
        public static func greater(_ path: Path, _ value: Value) -> Predicate {
            Predicate(.compare(path, .greater, value))
        }

        /// The attribute has that value or a greater one.
        public static func atLeast(_ path: Path, _ value: Value) -> Predicate {
            Predicate(.compare(path, .greaterOrEqual, value))
        }

        /// The attribute has no value; of a path through references, also if one of them leads nowhere.
        public static func isAbsent(_ path: Path) -> Predicate { Predicate(.absent(path)) }

        /// The text contains the given one, whatever the case of letters.
        public static func contains(_ path: Path, _ text: String) -> Predicate {
            Predicate(.contains(path, text))
        }

        /// The text begins with the given one, byte for byte.
        public static func hasPrefix(_ path: Path, _ text: String) -> Predicate {
            Predicate(.hasPrefix(path, text))
        }

        /// The set of texts has that element.
        public static func has(_ path: Path, _ element: String) -> Predicate {
            Predicate(.hasElement(path, element))
        }

        /// The record is one of these.
        public static func isOne(of ids: [RecordID]) -> Predicate { Predicate(.oneOf(ids)) }

        /// One of the records that refer to it is as described.
        ///
        /// - Parameters:
        ///   - inverse: what the schema calls the other side of their reference.
        ///   - predicate: what has to hold of one of them.
        public static func any(_ inverse: String, where predicate: Predicate = .all) -> Predicate {
            Predicate(.any(inverse, predicate))
        }

        /// All of these hold.
        public static func and(_ parts: [Predicate]) -> Predicate { Predicate(.and(parts)) }

        /// One of these holds.
        public static func or(_ parts: [Predicate]) -> Predicate { Predicate(.or(parts)) }

        /// Both hold.
        public static func && (left: Predicate, right: Predicate) -> Predicate {
            and([left, right])
        }

        /// One of both holds.
        public static func || (left: Predicate, right: Predicate) -> Predicate {
            or([left, right])
        }

        /// It does not hold.
        public static prefix func ! (part: Predicate) -> Predicate { Predicate(.not(part)) }
    }
}
