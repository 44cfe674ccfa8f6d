import Core

/// A 128-bit id in the form of RFC 9562: 8-4-4-4-12 hexadecimal digits.
enum UUIDText {
    static func text(_ value: UInt128) -> String { RecordID(value: value).uuidText }

    /// Reads that form, in either case; nil for anything else, as for digits with the hyphens elsewhere or without any.
    static func value(_ text: String) -> UInt128? {
        let hyphens = text.utf8.enumerated().lazy.filter { $0.element == UInt8(ascii: "-") }
        guard text.utf8.count == 36, hyphens.map(\.offset).elementsEqual([8, 13, 18, 23]) else {
            return nil
        }
        return RecordID(uuidText: text)?.value
    }
}
