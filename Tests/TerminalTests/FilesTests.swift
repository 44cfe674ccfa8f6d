import Glibc
import Terminal
import Testing

@Suite("Files and words of a screen")
struct FilesTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/terminal-tests-XXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer {
            unlink(folder + "/a")
            rmdir(folder)
        }
        try body(folder)
    }

    @Test("a file is read as it was written, up to its limit")
    func reading() throws {
        try withFolder { folder in
            let path = folder + "/a"
            let bytes = [UInt8](repeating: 7, count: 200_000)
            try Files.write(bytes, to: path)
            #expect(try Files.read(path) == bytes)
            #expect(try Files.read(path, byteCountMax: bytes.count) == bytes)
            #expect(
                throws: CommandFailure(
                    .badData, "\(path) has more than 199999 bytes; nothing was read")
            ) { try Files.read(path, byteCountMax: bytes.count - 1) }
            try Files.write("ab".utf8, to: path)
            #expect(try Files.read(path) == [0x61, 0x62])
        }
    }

    /// All of a file, piece by piece.
    private func pieces(_ file: LongFile, of count: Int) throws -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        try file.forEachPiece(byteCount: count) { pieces.append(Array($0)) }
        return pieces
    }

    @Test("a file is read piece by piece as often as need be, and as a whole up to a limit")
    func longFile() throws {
        try withFolder { folder in
            let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
            try Files.write(bytes, to: folder + "/a")
            let file = try LongFile(folder + "/a")
            #expect(try file.whole(byteCountMax: 999) == nil)
            #expect(try file.whole(byteCountMax: 1_000) == bytes)
            try file.keep(in: folder, byteCountMax: 0)
            for _ in 0..<2 {
                #expect(try pieces(file, of: 300).map(\.count) == [300, 300, 300, 100])
            }
            #expect(try pieces(file, of: 300).flatMap { $0 } == bytes)
        }
    }

    @Test("what comes through a pipe is copied to the disk to be read twice, up to a limit")
    func pipedFile() throws {
        try withFolder { folder in
            let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
            for limit in [999, 1_000] {
                var ends: [CInt] = [0, 0]
                #expect(pipe(&ends) == 0)
                #expect(write(ends[1], bytes, bytes.count) == bytes.count)
                close(ends[1])
                defer { close(ends[0]) }
                let file = try LongFile("/proc/self/fd/\(ends[0])")
                #expect(try file.whole(byteCountMax: 10) == nil)
                if limit == 999 {
                    #expect(throws: CommandFailure.self) {
                        try file.keep(in: folder, byteCountMax: limit)
                    }
                    continue
                }
                try file.keep(in: folder, byteCountMax: limit)
                for _ in 0..<2 { #expect(try pieces(file, of: 300).flatMap { $0 } == bytes) }
            }
        }
    }

    @Test("a refusal names the path and the system's reason")
    func refusals() throws {
        try withFolder { folder in
            try Files.makeFolder(folder)
            #expect(
                throws: CommandFailure(
                    .noInput, "\(folder)/b cannot be read: No such file or directory")
            ) { try Files.read(folder + "/b") }
            #expect(throws: CommandFailure(.noInput, "\(folder) cannot be read: Is a directory")) {
                try Files.read(folder)
            }
            #expect(
                throws: CommandFailure(
                    .cannotCreate, "\(folder)/b/c cannot be written: No such file or directory")
            ) { try Files.write([1], to: folder + "/b/c") }
        }
    }

    @Test("control characters and signs that turn text around never reach a screen")
    func shown() {
        #expect("milk é 会".shown == "milk é 会")
        #expect("a\u{1b}[2Jb\tc\nd".shown == #"a\u{1b}[2Jb c"# + "\nd")
        #expect("a\u{202e}b\u{7f}\u{9b}".shown == #"a\u{202e}b\u{7f}\u{9b}"#)
        #expect("a\nb".shownInLine == "a b")
    }
}
