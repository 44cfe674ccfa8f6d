/// The lines of a stamp or a witness that are not empty, found in one go.
///
/// Every opening and closing of a store reads such files several times.
struct StampLines {
    private let text: [UInt8]
    private var places: [Range<Int>] = []

    init(_ text: [UInt8]) {
        self.text = text
        var start = 0
        for place in text.indices where text[place] == UInt8(ascii: "\n") {
            if place > start { places.append(start..<place) }
            start = place + 1
        }
        if start < text.count { places.append(start..<text.count) }
    }

    /// The lines, in order; what is no UTF-8 is repaired.
    var all: [String] { places.map { string(in: $0) } }

    /// What follows a word and a space in the first line that begins with these; nil if there is none.
    func rest(after word: StaticString) -> String? {
        word.withUTF8Buffer { word in
            for line in places where line.count > word.count {
                guard text[line.lowerBound + word.count] == UInt8(ascii: " "),
                    text[line.prefix(word.count)].elementsEqual(word)
                else { continue }
                return string(in: line.lowerBound + word.count + 1..<line.upperBound)
            }
            return nil
        }
    }

    private func string(in place: Range<Int>) -> String {
        text.withUnsafeBufferPointer {
            String(decoding: UnsafeBufferPointer(rebasing: $0[place]), as: UTF8.self)
        }
    }
}
