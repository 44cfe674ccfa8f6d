/// What Taskwarrior says to a person, such as `TASKRC override: …`, where that stands in a file before the tasks,
/// as after `task export > FILE 2>&1`.
struct TaskwarriorMessages {
    /// The most lines that are passed over; a file of text has no tasks.
    private static let lineCountMax = 100

    /// Where the tasks begin.
    private(set) var end: Int
    private var lines: [ArraySlice<UInt8>] = []

    /// Finds the lines of text before the first line that begins with a bracket or a brace; none if no such
    /// line comes.
    init(_ bytes: [UInt8]) {
        let start = ByteOrderMark.end(in: bytes)
        end = start
        var place = start
        while place < bytes.count, lines.count <= Self.lineCountMax {
            let line = bytes[place...].prefix { $0 != UInt8(ascii: "\n") }
            guard let first = line.first(where: { $0 != 32 && $0 != 9 && $0 != 13 }) else {
                place = line.endIndex + 1
                continue
            }
            if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") {
                end = place
                return
            }
            guard JSONSequence.beginsText(first) else { break }
            lines.append(line)
            place = line.endIndex + 1
        }
        lines = []
    }

    /// That they were passed over.
    var remarks: [FormatLoss] {
        guard let first = lines.first else { return [] }
        let text = FormatLoss.beginning(of: String(decoding: first.prefix(400), as: UTF8.self))
        let more = lines.count > 1 ? " and \(lines.count - 1) more before the tasks are" : " is"
        return [
            FormatLoss(
                entry: 0, title: "", field: "messages",
                reason: "'\(text)'\(more) no task, and passed over")
        ]
    }
}
