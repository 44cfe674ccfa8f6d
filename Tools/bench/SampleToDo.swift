import Core

/// One to-do of the measurements: about 213 bytes as JSON.
struct SampleToDo {
    let id: RecordID
    let title: String
    let notes: String
    let project: String
    let due: Int64
    let isDone: Bool
    let created: Int64
    let modified: Int64

    private static let words = [
        "buy", "call", "paint", "the", "garden", "fence", "letter", "train", "winter", "green",
        "report", "kitchen", "water", "before", "after", "and", "Anna", "invoice", "repair",
        "ticket",
    ]

    /// The to-do of that number; always the same.
    init(_ number: Int) {
        var seed = UInt64(number + 1) &* 0x9e37_79b9_7f4a_7c15
        func next(_ count: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % count
        }
        func text(_ byteCount: Int) -> String {
            var result = ""
            while result.utf8.count < byteCount {
                result += Self.words[next(Self.words.count)] + " "
            }
            return String(result.prefix(byteCount))
        }
        title = text(30)
        notes = text(80)
        project = "project-\(next(20))"
        due = 1_790_000_000_000 + Int64(next(1_000_000)) * 60_000
        isDone = next(4) == 0
        created = 1_780_000_000_000 + Int64(number)
        modified = created + Int64(next(1_000_000))
        id = RecordID(
            high: UInt64(1_780_000_000_000 + number) << 16 | 0x7000, low: 1 << 63 | seed >> 1)
    }

    /// The fields as they are written.
    var assignments: [Assignment] {
        [
            Assignment(.number(2), .text(title)), Assignment(.number(3), .text(notes)),
            Assignment(.number(4), .text(project)), Assignment(.number(5), .instant(due)),
            Assignment(.number(6), .bool(isDone)), Assignment(.number(7), .instant(created)),
            Assignment(.number(8), .instant(modified)),
        ]
    }

    /// The bytes of the content itself: texts, the id, eight bytes a time and one for the flag.
    var contentByteCount: Int {
        title.utf8.count + notes.utf8.count + project.utf8.count + 16 + 24 + 1
    }
}
