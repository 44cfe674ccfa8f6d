import Core
import JSON

/// Answers one line of somebody who checks an implementation of their own.
package enum LineAnswer {
    /// The forms of a question.
    package static let help = """
        decode HEX         a message
        value HEX          a value
        body CLOCK HEX     a body beside its record's clock: REPLICA:COUNTER,REPLICA:COUNTER
        frames HEX         a stream of frames with checksums
        """

    /// The value as JSON on one line, `fault NAME`, or `? REASON` if the line cannot be read.
    package static func answer(to line: String) -> String {
        let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
        guard let verb = words.first else { return "? an empty line" }
        switch (verb, words.count) {
        case ("decode", 1...2): return said(.messages, [.init("hex", hex(words, 1))])
        case ("value", 1...2): return said(.values, [.init("hex", hex(words, 1))])
        case ("frames", 1...2):
            let pairs = [JSON.Pair("checksum", .bool(true)), .init("hex", hex(words, 1))]
            guard let answer = VectorKind.frames.answered(.object(pairs)),
                case .object(let parts) = answer
            else { return "? no hexadecimal digits" }
            return JSON.object(Array(parts.dropFirst(pairs.count))).line
        case ("body", 2...3):
            guard let clock = clock(words[1]) else { return "? no clock" }
            return said(.records, [.init("clock", clock), .init("hex", hex(words, 2))])
        default: return "? unknown: \(verb)"
        }
    }

    private static func hex(_ words: [Substring], _ index: Int) -> JSON {
        .text(index < words.count ? String(words[index]) : "")
    }

    private static func said(_ kind: VectorKind, _ question: [JSON.Pair]) -> String {
        guard let answer = kind.answered(.object(question)) else {
            return "? no hexadecimal digits"
        }
        if let fault = answer["fault"]?.asText { return "fault \(fault)" }
        return answer["value"]?.line ?? "?"
    }

    private static func clock(_ word: Substring) -> JSON? {
        if word == "-" { return .list([]) }
        var entries: [JSON] = []
        for part in word.split(separator: ",") {
            let halves = part.split(separator: ":")
            guard halves.count == 2, let counter = UInt64(halves[1]) else { return nil }
            entries.append(.list([.text(String(halves[0])), .number(counter)]))
        }
        return .list(entries)
    }
}
