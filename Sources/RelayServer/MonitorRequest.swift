/// A request of HTTP/1.1 for monitoring, in whatever pieces it comes: all that is looked at is its first line.
package struct MonitorRequest: Sendable {
    /// The reaction to a request.
    package enum Answer: Hashable, Sendable {
        /// The page at a path, which begins with a slash and has no query.
        case page(path: String)
        /// None: the first line is no request of HTTP/1.1.
        case malformed
        /// None: another method than GET.
        case otherMethod
        /// None: the request is longer than the limit.
        case tooLong
    }

    /// The longest request with its headers, in bytes.
    package static let byteCountMax = 8192

    private var bytes: [UInt8] = []
    private var isAnswered = false

    /// A request of which nothing has come.
    package init() {}

    /// Takes the next bytes; nil as long as the headers have not ended, and after an answer.
    package mutating func receive(_ piece: some Collection<UInt8>) -> Answer? {
        if isAnswered { return nil }
        // Bytes after the headers are ignored.
        bytes += piece.prefix(Self.byteCountMax + 1 - bytes.count)
        var answer: Answer?
        if let line = firstLine {
            answer = Self.answer(to: line)
        } else if bytes.count > Self.byteCountMax {
            answer = .tooLong
        }
        if answer != nil {
            isAnswered = true
            bytes = []
        }
        return answer
    }

    /// The first line, once an empty one has ended the headers.
    private var firstLine: [UInt8]? {
        var index = 0
        var isComplete = false
        while let end = bytes[index...].firstIndex(of: 0x0a) {
            let line = bytes[index..<end]
            if line.isEmpty || line.elementsEqual([0x0d]) {
                isComplete = index > 0
                break
            }
            index = end + 1
        }
        guard isComplete, let end = bytes.firstIndex(of: 0x0a) else { return nil }
        return Array(bytes[..<end].filter { $0 != 0x0d })
    }

    private static func answer(to line: [UInt8]) -> Answer {
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, words[2].starts(with: Array("HTTP/1.".utf8)),
            words[1].first == UInt8(ascii: "/")
        else { return .malformed }
        guard words[0].elementsEqual(Array("GET".utf8)) else { return .otherMethod }
        let path = words[1].prefix { $0 != UInt8(ascii: "?") }
        return .page(path: String(decoding: path, as: UTF8.self))
    }
}
