import Glibc
import Terminal
import Testing

@Suite("Files and words of a command line")
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

    @Test(
        "a quoted word is one word for a shell again",
        arguments: ["milk", "", "oat milk", "don't", "$HOME `x` \"y\"", "+errand", "é"])
    func quoting(word: String) {
        #expect(ShellWords.unquoted(word.shellQuoted) == word)
        if !word.contains("'") { #expect(ShellWords.split(word.shellQuoted) == [word]) }
    }

    @Test("a line parts at blanks outside of quotes; an open quote is no line")
    func splitting() {
        #expect(
            ShellWords.split(#"oat "soy milk" project:'My Home' a\ b don't"#)
                == ["oat", "soy milk", "project:My Home", "a b", "don't"])
        #expect(ShellWords.split("a \"b") == nil)
        #expect(ShellWords.unquoted(#""My Ho"#) == "My Ho")
    }
}
