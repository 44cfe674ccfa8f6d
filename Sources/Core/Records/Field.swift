/// One register of a record: a plain field, or one element of a field that holds a set.
package enum Field: Sendable, Hashable {
    /// A built-in field.
    case number(UInt32)

    /// A custom field; the text is in Unicode's form C.
    case text(String)

    /// One element of the set in a field: `true` while it is in, null when it was taken out.
    indirect case element(FieldName, Value)

    /// The reserved field that holds what a deleter had seen; null after a restore.
    package static let deleted = Field.number(0)

    /// The reserved field that a purge sets; null after a restore.
    package static let purged = Field.number(1)

    /// The plain field of that name.
    package init(_ name: FieldName) {
        switch name {
        case .number(let number): self = .number(number)
        case .text(let text): self = .text(text)
        }
    }

    /// The custom field of that name, brought into form C.
    package static func custom(_ name: String) -> Field {
        .text(name.inFormC)
    }

    /// The register of `text` in the set `name`, brought into form C.
    package static func element(_ name: FieldName, text: String) -> Field {
        .element(name, .text(text.inFormC))
    }

    /// The field, without the element.
    package var name: FieldName {
        switch self {
        case .number(let number): .number(number)
        case .text(let text): .text(text)
        case .element(let name, _): name
        }
    }

    /// Whether this is one element of a set.
    package var isElement: Bool {
        if case .element = self { true } else { false }
    }

    package static func == (left: Field, right: Field) -> Bool {
        switch (left, right) {
        case (.number(let a), .number(let b)): a == b
        case (.text(let a), .text(let b)): a.hasSameBytes(as: b)
        case (.element(let a, let x), .element(let b, let y)): a == b && x == y
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        if case .element(_, let value) = self { hasher.combine(value) }
    }
}

extension Field: Comparable {
    /// Sorts by canonical bytes: numbers, texts, elements.
    package static func < (left: Field, right: Field) -> Bool {
        switch (left, right) {
        case (.number(let a), .number(let b)): a < b
        case (.element(let a, let x), .element(let b, let y)): a == b ? x < y : a < b
        case (.element, _): false
        case (_, .element): true
        default: left.name < right.name
        }
    }
}

extension Field: CustomStringConvertible {
    package var description: String {
        switch self {
        case .number(let number): "#\(number)"
        case .text(let text): text
        case .element(let name, let value): "\(name)/\(value)"
        }
    }
}

/// Names a field: a small number for a built-in one, a text for one that a user made.
public enum FieldName: Sendable {
    /// A built-in field; its number never changes its meaning.
    case number(UInt32)

    /// A custom field; the text is in Unicode's form C.
    case text(String)
}

extension FieldName: Hashable {
    public static func == (left: FieldName, right: FieldName) -> Bool {
        switch (left, right) {
        case (.number(let a), .number(let b)): a == b
        case (.text(let a), .text(let b)): a.hasSameBytes(as: b)
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .number(let number): hasher.combine(number)
        case .text(let text): for byte in text.utf8 { hasher.combine(byte) }
        }
    }
}

extension FieldName: Comparable {
    /// Sorts by canonical bytes: numbers, then texts, the shorter first.
    public static func < (left: FieldName, right: FieldName) -> Bool {
        switch (left, right) {
        case (.number(let a), .number(let b)): a < b
        case (.number, .text): true
        case (.text, .number): false
        case (.text(let a), .text(let b)): Value.text(a) < Value.text(b)
        }
    }
}

extension FieldName: CustomStringConvertible {
    public var description: String {
        switch self {
        case .number(let number): "#\(number)"
        case .text(let text): text
        }
    }
}

/// Names a collection of records: a small number for a built-in one, a text for others.
public typealias CollectionID = FieldName

extension CollectionID {
    /// The reserved collection of device names; a record's id there is the replica's id.
    package static let devices = CollectionID.number(0)
}

/// A value given to a field.
package struct Assignment: Hashable, Sendable {
    /// Which register.
    package let field: Field

    /// The new value.
    package var value: Value

    /// Gives `value` to `field`.
    package init(_ field: Field, _ value: Value) {
        self.field = field
        self.value = value
    }

    /// Whether it puts an element into a set, or gives a value to a named field.
    var isFreeValue: Bool {
        switch field {
        case .number: false
        case .text: !value.isNull
        case .element: !value.isNull && value != .bool(false)
        }
    }
}

extension String {
    /// Whether both are the same bytes; `==` folds forms of Unicode that are different bytes.
    package func hasSameBytes(as other: String) -> Bool {
        let (left, right) = (utf8, other.utf8)
        guard left.count == right.count else { return false }
        let answer = left.withContiguousStorageIfAvailable { left in
            right.withContiguousStorageIfAvailable { right in
                UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer(right))
            }
        }
        return (answer ?? nil) ?? left.elementsEqual(right)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes; eight at a time, since long texts are compared at each merge.
    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index + 8 <= count {
            let word = loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if word != other.loadUnaligned(fromByteOffset: index, as: UInt64.self) { return false }
            index += 8
        }
        while index < count {
            if self[index] != other[index] { return false }
            index += 1
        }
        return true
    }
}
