/// One parameter of a content line: `TZID=Europe/Berlin`.
struct ICalendarParameter: Hashable, Sendable {
    /// In capitals.
    var name: String
    /// Without quotes, and with what RFC 6868 writes behind `^` put back; one or more.
    var values: [String]

    init(_ name: String, _ values: [String]) {
        self.name = name
        self.values = values
    }
}

extension ICalendarParameter {
    /// The parameter as it is written, with quotes where they are needed.
    var text: String {
        name + "=" + values.map(Self.written).joined(separator: ",")
    }

    private static func written(_ value: String) -> String {
        var text = ""
        var needsQuotes = false
        for scalar in value.unicodeScalars {
            switch scalar {
            case "^": text += "^^"
            case "\n": text += "^n"
            case "\"": text += "^'"
            case ":", ";", ",":
                needsQuotes = true
                text.unicodeScalars.append(scalar)
            case "\t": text.unicodeScalars.append(scalar)
            default:
                // A control character cannot be written.
                if scalar.value >= 32, scalar.value != 127 { text.unicodeScalars.append(scalar) }
            }
        }
        return needsQuotes ? "\"\(text)\"" : text
    }

    /// Puts back what stands behind `^` (RFC 6868).
    static func unescaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "^")) else { return text }
        var result = ""
        var isEscape = false
        for scalar in text.unicodeScalars {
            guard isEscape else {
                if scalar == "^" {
                    isEscape = true
                } else {
                    result.unicodeScalars.append(scalar)
                }
                continue
            }
            isEscape = false
            switch scalar {
            case "^": result += "^"
            case "n": result += "\n"
            case "'": result += "\""
            default:
                result += "^"
                result.unicodeScalars.append(scalar)
            }
        }
        return isEscape ? result + "^" : result
    }
}
