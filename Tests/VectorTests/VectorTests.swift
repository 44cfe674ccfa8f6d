import Glibc
import JSON
import TestSupport
import Testing
import VectorFiles

@Suite("Frozen vectors")
struct VectorTests {
    /// The folder of the vectors, found from this file.
    private static let folder: String = {
        let parts = #filePath.split(separator: "/")
        return "/" + parts.dropLast(3).joined(separator: "/") + "/Protocol/Vectors"
    }()

    private func contents(of kind: VectorKind) throws -> [UInt8] {
        let path = Self.folder + "/" + kind.fileName
        let file = try #require(fopen(path, "r"), "cannot read \(path)")
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes[..<count])
    }

    @Test(
        "each answer follows from its question, each question is still written so",
        arguments: VectorKind.allCases)
    func vectorsHold(kind: VectorKind) throws {
        let mismatches = VectorFile.mismatches(in: try contents(of: kind), of: kind)
        for mismatch in mismatches { Issue.record("\(mismatch)") }
    }

    @Test("the files are as they would be written now", arguments: VectorKind.allCases)
    func filesAreWhole(kind: VectorKind) throws {
        #expect(
            FrozenFile.difference(VectorFile.text(of: kind), from: "Vectors/" + kind.fileName)
                == nil)
    }

    @Test("names are given once in a file", arguments: VectorKind.allCases)
    func namesAreUnique(kind: VectorKind) {
        let names = kind.questions.compactMap { $0["name"]?.asText }
        #expect(Set(names).count == names.count)
    }

    @Test(
        "a changed answer, a changed question and a broken file are noticed",
        arguments: VectorKind.allCases)
    func changesAreNoticed(kind: VectorKind) throws {
        let bytes = try contents(of: kind)
        let json = try VectorFile.read(bytes)
        let cases = try #require(json.asList)
        let first = try #require(cases.first)
        guard case .object(let pairs) = first else { return }
        for index in pairs.indices {
            var changed = pairs
            changed[index] = JSON.Pair(pairs[index].name, .text("0000"))
            let file = JSON.list([.object(changed)] + cases.dropFirst()).file
            #expect(!VectorFile.mismatches(in: Array(file.utf8), of: kind).isEmpty)
        }
        let shorter = JSON.list(Array(cases.dropFirst())).file
        #expect(!VectorFile.mismatches(in: Array(shorter.utf8), of: kind).isEmpty)
        #expect(!VectorFile.mismatches(in: Array(bytes.dropLast(4)), of: kind).isEmpty)
    }

    @Test("JSON comes back from its text")
    func jsonComesBack() throws {
        let json = JSON.list([
            .null, .bool(true), .number(UInt64.max), .number(Int64.min),
            .text("caf\u{e9} \"\\ \u{1f9c0}\n"),
            .list([]), .object([]), .object([.init("a", .list([.number(1)]))]),
        ])
        #expect(try VectorFile.read(Array(json.file.utf8)) == json)
        #expect(try VectorFile.read(Array(json.line.utf8)) == json)
        for text in [
            "", "[", "[1,]", "{\"a\" 1}", "1 2", "\"\\x\"", "nul", "[1.5]",
            String(repeating: "[", count: 99),
        ] {
            #expect(throws: JSONFault.self) { try VectorFile.read(Array(text.utf8)) }
        }
    }

    @Test("a line is answered on one line")
    func linesAreAnswered() {
        let cases = [
            ("decode a2000705", "fault truncated"), ("decode a200070105", "ping"),
            ("decode", "fault truncated"),
            ("value 01", "{\"integer\": 1}"), ("value 1817", "fault not-deterministic"),
            ("value zz", "?"),
            ("body a1000000000000000000000000000001:3 8101", "\"writes\": []"),
            ("body - 8101", "\"writes\": []"),
            ("body nonsense 8101", "?"), ("frames 00", "\"waiting\": 1"), ("", "?"), ("huh", "?"),
        ]
        for (line, expected) in cases {
            let answer = LineAnswer.answer(to: line)
            #expect(answer.contains(expected), "\(line) → \(answer)")
            #expect(!answer.contains("\n"))
        }
    }
}
