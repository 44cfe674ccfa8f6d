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

    /// What stands behind the name: parameters, colon, value.
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
        parameters = try cursor.parameters()
        value = cursor.rest
        self.text = text
        self.line = line
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

        mutating func take(_ character: Unicode.Scalar) -> Bool {
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
            while take(";") {
                let name = try name("parameter")
                guard take("=") else { throw problem("the parameter \(name) has no value") }
                var values = [try parameterValue()]
                while take(",") { values.append(try parameterValue()) }
                found.append(ICalendarParameter(name, values))
            }
            guard take(":") else { throw problem("there is no colon behind the name") }
            return found
        }

        private mutating func parameterValue() throws(ICalendarProblem) -> String {
            let isQuoted = take("\"")
            let start = offset
            let ends = isQuoted ? Array("\"".utf8) : Array(",;:\"".utf8)
            while offset < bytes.count, !ends.contains(bytes[offset]) { offset += 1 }
            let text = String(decoding: bytes[start..<offset], as: UTF8.self)
            if isQuoted, !take("\"") { throw problem("a quoted parameter does not end") }
            return ICalendarParameter.unescaped(text)
        }
    }
}
