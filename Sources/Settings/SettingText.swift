/// A text of settings, one a line: `name = value`; `#` begins a remark, behind a value after a blank.
///
/// A change of one setting leaves every other line as it was written, remarks too.
package struct SettingText: Sendable {
    /// A setting as a line has it.
    package struct Entry: Sendable, Equatable {
        /// The number of the line; the first is 1.
        package let line: Int
        /// The name before the sign, without blanks around it.
        package let name: String
        /// The value behind it, without blanks around it and without a remark.
        package let value: String
    }

    /// A line as it was written, without its end.
    private var lines: [String]

    /// The lines of a text, which end with a line feed, with or without a carriage return.
    package init(_ text: String) {
        // By scalars: to Character, a carriage return with a line feed is another thing than the feed.
        lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0) }
        if lines.last == "" { lines.removeLast() }
    }

    /// The text with its lines.
    package var text: String { lines.map { $0 + "\n" }.joined() }

    /// The settings in their order, and the lines that are neither one nor empty nor a remark.
    package var contents: (entries: [Entry], strayLines: [Int]) {
        var entries: [Entry] = []
        var stray: [Int] = []
        for (index, line) in lines.enumerated() {
            switch Self.read(line) {
            case .nothing: break
            case .stray: stray.append(index + 1)
            case .setting(let name, let value):
                let (name, value) = (Self.trimmed(line[name]), Self.trimmed(line[value]))
                entries.append(Entry(line: index + 1, name: name, value: value))
            }
        }
        return (entries, stray)
    }

    /// Whether a line gives back a value that is written to it.
    package static func canHold(_ value: String) -> Bool {
        let written = SettingText("name = \(value)").contents.entries
        return written.count == 1 && written[0].value == value
    }

    /// Sets a value: in the last line that sets it, of which name, blanks and remark stay; else in a new line.
    package mutating func set(_ name: String, to value: String) {
        for index in lines.indices.reversed() {
            let end = lines[index].hasSuffix("\r") ? "\r" : ""
            let line = String(lines[index].dropLast(end.count))
            guard case .setting(let nameRange, let old) = Self.read(line),
                Self.trimmed(line[nameRange]) == name
            else { continue }
            let kept = line[old]
            let blanks = kept.prefix { Self.isBlank($0) }
            let isEmpty = blanks.count == kept.count
            let behind = isEmpty ? "" : String(kept.reversed().prefix { Self.isBlank($0) })
            let before = isEmpty ? " " : String(blanks)
            let rest = String(line[old.upperBound...])
            let gap = rest.isEmpty ? "" : behind.isEmpty ? " " : String(behind.reversed())
            lines[index] = String(line[..<old.lowerBound]) + before + value + gap + rest + end
            return
        }
        lines.append("\(name) = \(value)")
    }

    /// Removes every line that sets a value.
    ///
    /// - Returns: whether there was one.
    package mutating func remove(_ name: String) -> Bool {
        let before = lines.count
        lines.removeAll { line in
            guard case .setting(let nameRange, _) = Self.read(line) else { return false }
            return Self.trimmed(line[nameRange]) == name
        }
        return lines.count < before
    }

    // MARK: Reading

    private enum Line {
        case nothing
        case stray
        /// Where the name and the value are, with the blanks around them.
        case setting(name: Range<String.Index>, value: Range<String.Index>)
    }

    private static func read(_ line: String) -> Line {
        guard let first = line.first(where: { !isBlank($0) }), first != "#" else { return .nothing }
        guard let sign = line.firstIndex(of: "=") else { return .stray }
        let start = line.index(after: sign)
        var isBehindBlank = true
        var end = line.endIndex
        for index in line[start...].indices {
            if line[index] == "#", isBehindBlank {
                end = index
                break
            }
            isBehindBlank = isBlank(line[index])
        }
        return .setting(name: line.startIndex..<sign, value: start..<end)
    }

    /// Whether a character stands around names and values without being a part of them.
    private static func isBlank(_ character: Character) -> Bool {
        character == " " || character == "\t" || character == "\r"
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return String(rest)
    }
}
