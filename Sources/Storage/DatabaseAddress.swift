/// The address of a database file, which says how it is to be opened.
///
/// Source: sqlite.org/uri.html.
enum DatabaseAddress {
    /// The address of the file at `path`.
    ///
    /// - Parameter parameters: as `mode=ro`, joined by `&`.
    static func text(_ path: String, _ parameters: String) -> String {
        "file:\(escaped(path))?\(parameters)"
    }

    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                return String(UnicodeScalar(byte))
            default: return (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }.joined()
    }
}
