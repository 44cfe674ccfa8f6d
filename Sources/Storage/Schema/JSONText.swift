/// The little JSON that columns hold: strings, arrays of them, and objects.
///
/// Columns are compared as text, so each value has one form here, and every list reads them: the module `JSON`, which keeps
/// numbers as they were written and takes any form, is for files and programs.
package enum JSONText {
    /// `["a","b"]`.
    package static func array(_ texts: [String]) -> String {
        "[" + texts.map(string).joined(separator: ",") + "]"
    }

    /// `{"a":1}`, of names and values that are JSON.
    static func object(_ members: [(name: String, json: String)]) -> String {
        "{" + members.map { string($0.name) + ":" + $0.json }.joined(separator: ",") + "}"
    }

    /// A quoted string, escaped as little as RFC 8259 allows.
    package static func string(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            $0 >= UInt8(ascii: " ") && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        if isPlain { return "\"\(text)\"" }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// The strings of an array that `array` wrote; nil for anything else.
    package static func strings(_ text: String) -> [String]? {
        var scalars = text.unicodeScalars.makeIterator()
        guard scalars.next() == "[" else { return nil }
        var result: [String] = []
        var next = scalars.next()
        if next == "]" { return result }
        while true {
            guard next == "\"", let string = rest(&scalars) else { return nil }
            result.append(string)
            switch scalars.next() {
            case "]": return scalars.next() == nil ? result : nil
            case ",": next = scalars.next()
            default: return nil
            }
        }
    }

    private static func rest(_ scalars: inout String.UnicodeScalarView.Iterator) -> String? {
        var result = ""
        while let scalar = scalars.next() {
            if scalar == "\"" { return result }
            guard scalar == "\\" else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch scalars.next() {
            case "\""?: result += "\""
            case "\\"?: result += "\\"
            case "n"?: result += "\n"
            case "t"?: result += "\t"
            case "r"?: result += "\r"
            case "u"?:
                var digits = ""
                for _ in 0..<4 {
                    if let digit = scalars.next() { digits.unicodeScalars.append(digit) }
                }
                guard let value = UInt32(digits, radix: 16), let decoded = Unicode.Scalar(value)
                else {
                    return nil
                }
                result.unicodeScalars.append(decoded)
            default: return nil
            }
        }
        return nil
    }
}
