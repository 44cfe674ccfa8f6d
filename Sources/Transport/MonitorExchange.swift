/// A page for monitoring.
package struct MonitorPage: Hashable, Sendable {
    /// The status of HTTP, from 200 to 599.
    package let status: Int
    /// The media type, with the character set.
    package let type: String
    /// The text of the page.
    package let body: String

    /// A page of these parts.
    package init(status: Int, type: String, body: String) {
        self.status = status
        self.type = type
        self.body = body
    }

    /// The state of a program in a word, for those who look whether it is there.
    package static func health(isWell: Bool, _ word: String) -> MonitorPage {
        MonitorPage(
            status: isWell ? 200 : 503, type: "text/plain; charset=utf-8", body: word + "\n")
    }

    /// Metrics in the text format of Prometheus.
    package static func metrics(_ text: String) -> MonitorPage {
        MonitorPage(status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: text)
    }
}

/// The frames between a program and `tandem-web`, which serves its pages for monitoring: a question with a path,
/// and the answer with the page.
///
/// Each begins with its length in four bytes, and all numbers are big-endian.
package enum MonitorExchange {
    /// The longest path, in bytes.
    package static let pathByteCountMax = 1024
    /// The longest media type, in bytes.
    package static let typeByteCountMax = 255
    /// The longest body, in bytes.
    package static let bodyByteCountMax = 4 << 20
    /// The longest question without its length, in bytes.
    package static let questionByteCountMax = 4 + pathByteCountMax
    /// The longest answer without its length, in bytes.
    package static let answerByteCountMax = 7 + typeByteCountMax + bodyByteCountMax

    /// A question for the page at a path.
    package struct Question: Hashable, Sendable {
        /// Repeated in the answer.
        package let number: UInt32
        /// The path of the page; it begins with a slash.
        package let path: String

        /// A question of these parts.
        package init(number: UInt32, path: String) {
            self.number = number
            self.path = path
        }

        /// Reads a frame without its length; nil if it is malformed.
        package init?(_ bytes: [UInt8]) {
            guard bytes.count >= 4, bytes.count <= questionByteCountMax,
                let path = String(validating: bytes[4...], as: UTF8.self)
            else { return nil }
            number = UInt32(bigEndian: bytes[..<4])
            self.path = path
        }

        /// The frame with its length.
        package var frame: [UInt8] { MonitorExchange.frame(number.bytes + Array(path.utf8)) }
    }

    /// The answer to a question.
    package struct Answer: Hashable, Sendable {
        /// The number of the question.
        package let number: UInt32
        /// Nil if there is no such page.
        package let page: MonitorPage?

        /// An answer of these parts.
        package init(number: UInt32, page: MonitorPage?) {
            self.number = number
            self.page = page
        }

        /// Reads a frame without its length; nil if it is malformed.
        package init?(_ bytes: [UInt8]) {
            guard bytes.count >= 4, bytes.count <= answerByteCountMax else { return nil }
            number = UInt32(bigEndian: bytes[..<4])
            guard bytes.count > 4 else {
                page = nil
                return
            }
            guard bytes.count >= 7 else { return nil }
            let status = Int(bytes[4]) << 8 | Int(bytes[5])
            let typeEnd = 7 + Int(bytes[6])
            guard (200..<600).contains(status), bytes.count >= typeEnd,
                let type = String(validating: bytes[7..<typeEnd], as: UTF8.self),
                let body = String(validating: bytes[typeEnd...], as: UTF8.self)
            else { return nil }
            page = MonitorPage(status: status, type: type, body: body)
        }

        /// The frame with its length; nil if it would be longer than one may be.
        package var frame: [UInt8]? {
            guard let page else { return MonitorExchange.frame(number.bytes) }
            let (type, body) = (Array(page.type.utf8), Array(page.body.utf8))
            guard type.count <= typeByteCountMax, body.count <= bodyByteCountMax else { return nil }
            let status = UInt16(page.status)
            let head = [UInt8(status >> 8), UInt8(status & 255), UInt8(type.count)]
            return MonitorExchange.frame(number.bytes + head + type + body)
        }
    }

    private static func frame(_ bytes: [UInt8]) -> [UInt8] {
        UInt32(bytes.count).bytes + bytes
    }
}

/// Frames out of bytes that come in whatever pieces.
package struct MonitorFrames: Sendable {
    private let byteCountMax: Int
    private var bytes: [UInt8] = []
    /// Whether a frame was longer than it may be; none follows.
    package private(set) var isBroken = false

    /// No frame yet.
    ///
    /// - Parameter byteCountMax: the longest frame without its length.
    package init(byteCountMax: Int) {
        self.byteCountMax = byteCountMax
    }

    /// Takes the next bytes.
    package mutating func receive(_ piece: some Sequence<UInt8>) {
        if !isBroken { bytes += piece }
    }

    /// The next frame without its length; nil until it has come whole.
    package mutating func next() -> [UInt8]? {
        guard bytes.count >= 4 else { return nil }
        let byteCount = Int(UInt32(bigEndian: bytes[..<4]))
        guard byteCount <= byteCountMax else {
            isBroken = true
            bytes = []
            return nil
        }
        guard bytes.count >= 4 + byteCount else { return nil }
        let frame = Array(bytes[4..<(4 + byteCount)])
        bytes.removeFirst(4 + byteCount)
        return frame
    }
}

extension UInt32 {
    fileprivate init(bigEndian bytes: ArraySlice<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    fileprivate var bytes: [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}
