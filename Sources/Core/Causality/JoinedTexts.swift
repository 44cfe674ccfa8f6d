// Short, as everybody joins texts and nothing else belongs to it.

extension [String] {
    /// The texts, with a separator between them.
    ///
    /// Swift takes it before that of the standard library, which is generic: with the first call the runtime searches the
    /// conformances of the whole program, a fiftieth of what `tandem add` takes. The bytes are copied into their place, as
    /// hundreds of texts are joined at each opening of a store.
    package func joined(separator: String) -> String {
        let byteCount = reduce(separator.utf8.count * Swift.max(0, count - 1)) {
            $0 + $1.utf8.count
        }
        return String(unsafeUninitializedCapacity: byteCount) { bytes in
            var end = 0
            for (index, text) in enumerated() {
                if index > 0 { Self.copy(separator, to: bytes, &end) }
                Self.copy(text, to: bytes, &end)
            }
            return end
        }
    }

    /// The texts, one behind the other.
    package func joined() -> String { joined(separator: "") }

    private static func copy(
        _ text: String, to bytes: UnsafeMutableBufferPointer<UInt8>, _ end: inout Int
    ) {
        var text = text
        text.withUTF8 { utf8 in
            guard let first = utf8.baseAddress else { return }
            (bytes.baseAddress! + end).update(from: first, count: utf8.count)
            end += utf8.count
        }
    }
}

extension ArraySlice<String> {
    /// The texts, with a separator between them.
    package func joined(separator: String) -> String { Array(self).joined(separator: separator) }
}
