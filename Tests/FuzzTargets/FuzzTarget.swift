import Core
import TestSupport

/// A door through which foreign bytes come, with the promises that hold for every input.
package struct FuzzTarget: Sendable {
    /// The name on the command line, and of the folders of its inputs.
    package let name: String
    /// The longest input that a fuzzer makes, in bytes.
    package let byteCountMax: Int
    /// The source files that take the bytes apart: the corpus is to reach all of their code.
    package let decoders: [String]
    private let body: @Sendable ([UInt8]) throws -> Void

    init(
        _ name: String, byteCountMax: Int = 4096, decoders: [String],
        _ body: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.name = name
        self.byteCountMax = byteCountMax
        self.decoders = decoders
        self.body = body
    }

    /// Feeds one input.
    ///
    /// - Throws: `BrokenPromise`, or an error that no input may cause.
    package func feed(_ bytes: [UInt8]) throws {
        try body(bytes)
    }
}

/// A promise that an input broke.
package struct BrokenPromise: Error, CustomStringConvertible {
    /// The promise and what came instead, for a person to read.
    package let description: String
}

/// Checks a promise that holds for every input.
func promise(_ isKept: Bool, _ words: @autoclosure () -> String) throws(BrokenPromise) {
    if !isKept { throw BrokenPromise(description: words()) }
}

/// Takes small decisions from the front of an input; past the end all of them are zero.
struct FuzzInput {
    private(set) var rest: ArraySlice<UInt8>
    /// The replica under test and its opening, by which made-up messages name it.
    var own = (replica: MemoryStore(1).replica, epoch: MemoryStore(1).incarnation.epoch)

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number below `bound`, which is at most 256.
    mutating func below(_ bound: Int) -> Int { Int(byte()) % bound }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    /// Mostly a small number, at times one of the greatest.
    mutating func number() -> UInt64 {
        let first = byte()
        switch first {
        case 0xff: return .max
        case 0xfe: return UInt64(Int64.max)
        case 0xfd: return UInt64(Int64.max) + 1
        case 0xfc: return UInt64(byte()) << 56 | UInt64(byte())
        default: return UInt64(first)
        }
    }

    /// As many bytes as the first says, or as there are.
    mutating func bytes() -> [UInt8] { take(Int(byte())) }

    mutating func take(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// All bytes that are left.
    mutating func remainder() -> [UInt8] { take(rest.count) }
}
