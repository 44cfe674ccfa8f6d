// Short, as everybody joins texts and nothing else belongs to it.

extension [String] {
    /// The texts, with a separator between them.
    ///
    /// Swift takes it before that of the standard library, which is generic: with the first call the runtime searches the
    /// conformances of the whole program, a fiftieth of what `tandem add` takes.
    package func joined(separator: String) -> String {
        var result = ""
        result.reserveCapacity(reduce(0) { $0 + $1.utf8.count + separator.utf8.count })
        for (index, text) in enumerated() {
            if index > 0 { result += separator }
            result += text
        }
        return result
    }

    /// The texts, one behind the other.
    package func joined() -> String { joined(separator: "") }
}

extension ArraySlice<String> {
    /// The texts, with a separator between them.
    package func joined(separator: String) -> String { Array(self).joined(separator: separator) }
}
