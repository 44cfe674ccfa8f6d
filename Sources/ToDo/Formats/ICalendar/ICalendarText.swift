/// Values of the kind TEXT (RFC 5545 3.3.11), both ways.
enum ICalendarText {
    /// The value as it is written; control characters besides tab and line feed are left out.
    static func written(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 10: bytes.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: ","):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 9: bytes.append(byte)
            case 0..<32, 127: break
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Several values, parted by commas.
    static func written(_ texts: [String]) -> String {
        texts.map(written).joined(separator: ",")
    }

    /// The text that a value says; a backslash before any other character stands for that character.
    static func read(_ value: String) -> String {
        value.utf8.contains(UInt8(ascii: "\\")) ? list(value, isParted: false)[0] : value
    }

    /// The texts of a value that commas part; at least one.
    static func list(_ value: String) -> [String] {
        list(value, isParted: true)
    }

    private static func list(_ value: String, isParted: Bool) -> [String] {
        var texts: [String] = []
        var bytes: [UInt8] = []
        var isEscape = false
        for byte in value.utf8 {
            if isEscape {
                let isBreak = byte == UInt8(ascii: "n") || byte == UInt8(ascii: "N")
                bytes.append(isBreak ? 10 : byte)
                isEscape = false
            } else if byte == UInt8(ascii: "\\") {
                isEscape = true
            } else if isParted, byte == UInt8(ascii: ",") {
                texts.append(String(decoding: bytes, as: UTF8.self))
                bytes = []
            } else {
                bytes.append(byte)
            }
        }
        if isEscape { bytes.append(UInt8(ascii: "\\")) }
        return texts + [String(decoding: bytes, as: UTF8.self)]
    }
}
