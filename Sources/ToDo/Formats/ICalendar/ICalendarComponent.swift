/// A component: what stands between BEGIN and END.
struct ICalendarComponent: Sendable {
    /// The content of a component, in the order of the file.
    enum Child: Sendable {
        case property(ICalendarProperty)
        case component(ICalendarComponent)
    }

    /// In capitals.
    var name: String
    var children: [Child]
    /// Where it began; counts from 1, 0 for one that was not read.
    var line: Int
    /// The faults inside of it.
    var problems: [ICalendarProblem] = []

    init(_ name: String, _ children: [Child] = [], line: Int = 0) {
        self.name = name
        self.children = children
        self.line = line
    }

    /// The properties, in order.
    var properties: [ICalendarProperty] {
        children.compactMap { if case .property(let property) = $0 { property } else { nil } }
    }

    /// The components inside of it, in order.
    var components: [ICalendarComponent] {
        children.compactMap { if case .component(let component) = $0 { component } else { nil } }
    }

    /// The first property of a name.
    subscript(name: String) -> ICalendarProperty? {
        for case .property(let property) in children where property.name == name {
            return property
        }
        return nil
    }

    /// The length of its content lines, folds undone; bytes.
    var byteCount: Int { lines.reduce(0) { $0 + $1.utf8.count } }

    /// The content lines from BEGIN to END, folds undone.
    var lines: [String] {
        var lines = ["BEGIN:\(name)"]
        for child in children {
            switch child {
            case .property(let property): lines.append(property.text)
            case .component(let component): lines += component.lines
            }
        }
        return lines + ["END:\(name)"]
    }
}

/// One content line: a name, parameters and a value.
struct ICalendarProperty: Sendable, Equatable {
    /// In capitals.
    var name: String
    /// In the order of the line.
    var parameters: [ICalendarParameter]
    /// The value as it is written, escapes and all.
    var value: String
    /// The whole line with its folds undone, as it was read or is to be written.
    var text: String
    /// Where it began; counts from 1, 0 for one that was not read.
    var line: Int

    /// Whether it is there without a value, where that means the same as no line at all.
    var saysNothing: Bool {
        ICalendarNames.empty.contains(name) && value.allSatisfy(\.isWhitespace)
    }

    /// A line to be written.
    init(_ name: String, _ parameters: [ICalendarParameter], _ value: String) {
        self.name = name
        self.parameters = parameters
        self.value = value
        text = name + parameters.map { ";" + $0.text }.joined() + ":" + value
        line = 0
    }

    /// A line without parameters to be written.
    init(_ name: String, _ value: String) {
        self.init(name, [], value)
    }

    /// Whether both lines say the same.
    static func == (left: ICalendarProperty, right: ICalendarProperty) -> Bool {
        left.text == right.text
    }

    /// The rest behind the name: parameters, colon, value.
    var rest: String { String(text.dropFirst(name.count)) }

    /// The first value of a parameter.
    subscript(parameter: String) -> String? {
        parameters.first { $0.name == parameter }?.values.first
    }
}

extension ICalendarProperty {
    /// Reads a content line whose folds are undone.
    init(reading text: String, line: Int) throws(ICalendarProblem) {
        var cursor = Cursor(bytes: Array(text.utf8), line: line)
        name = try cursor.name("property")
        self.line = line
        if cursor.rest.isEmpty, ICalendarNames.isForeignExtension(name) {
            // A program's own line that says nothing but its name.
            (parameters, value, self.text) = ([], "", text + ":")
            return
        }
        parameters = try cursor.parameters()
        value = cursor.rest
        self.text = text
    }

    /// Walks over the bytes of a line.
    private struct Cursor {
        let bytes: [UInt8]
        let line: Int
        var offset = 0

        var rest: String { String(decoding: bytes[offset...], as: UTF8.self) }

        private func problem(_ reason: String) -> ICalendarProblem {
            ICalendarProblem(line: line, reason)
        }

        mutating func consume(_ character: Unicode.Scalar) -> Bool {
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else {
                return false
            }
            offset += 1
            return true
        }

        mutating func name(_ noun: String) throws(ICalendarProblem) -> String {
            let start = offset
            while offset < bytes.count, Self.isNameByte(bytes[offset]) { offset += 1 }
            guard offset > start else { throw problem("no name of a \(noun) where one is due") }
            guard offset - start <= ICalendarLimits.nameByteCountMax else {
                throw problem("a name of more than \(ICalendarLimits.nameByteCountMax) bytes")
            }
            return String(decoding: bytes[start..<offset], as: UTF8.self).uppercased()
        }

        private static func isNameByte(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }

        mutating func parameters() throws(ICalendarProblem) -> [ICalendarParameter] {
            var found: [ICalendarParameter] = []
            while consume(";") {
                let name = try name("parameter")
                guard consume("=") else { throw problem("the parameter \(name) has no value") }
                var values = [try parameterValue()]
                while consume(",") { values.append(try parameterValue()) }
                found.append(ICalendarParameter(name, values))
            }
            guard consume(":") else { throw problem("there is no colon behind the name") }
            return found
        }

        private mutating func parameterValue() throws(ICalendarProblem) -> String {
            let isQuoted = consume("\"")
            let start = offset
            let ends = isQuoted ? Array("\"".utf8) : Array(",;:\"".utf8)
            while offset < bytes.count, !ends.contains(bytes[offset]) { offset += 1 }
            let text = String(decoding: bytes[start..<offset], as: UTF8.self)
            if isQuoted, !consume("\"") { throw problem("a quoted parameter does not end") }
            return ICalendarParameter.unescaped(text)
        }
    }
}

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
