import Core
import Glibc
import Testing

@Suite("The worked examples of the page on merging")
struct MergePageTests {
    private static let page =
        #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
        + "/Protocol/4-Merge.md"

    private static let replicas: [String: ReplicaID] = [
        "a": ReplicaID(value: 0xa1 << 120 | 1), "b": ReplicaID(value: 0xb2 << 120 | 2),
        "a′": ReplicaID(value: 0xd4 << 120 | 4),
    ]

    /// The text of a section of the page, each paragraph on a line; nothing if there is no such section.
    private static func section(_ heading: String) -> String {
        guard let file = fopen(page, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        let count = fread(&bytes, 1, bytes.count, file)
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        guard let start = text.firstRange(of: "## " + heading + "\n") else { return "" }
        let rest = text[start.upperBound...]
        return String(rest[..<(rest.firstRange(of: "\n## ")?.lowerBound ?? rest.endIndex)])
            .replacing("\n> ", with: " ")
    }

    /// The clock in the words of the page: `a: 2, b: 1`.
    private static func clock(_ words: Substring) throws -> VersionVector {
        var clock = VersionVector()
        for match in words.matches(of: /(\w+′?): (\d+)/) {
            let replica = try #require(replicas[String(match.1)], "\(words)")
            clock.set(try #require(UInt64(match.2)), of: replica)
        }
        return clock
    }

    @Test("two titles under one dot are united as in section 13")
    func repair() throws {
        let section = Self.section("13. Repair")
        let titles = section.matches(of: /(\w)(\d+) title = ([A-Z][a-z]+ [a-z]+)/)
        let clocks = section.matches(of: /\{([^}]*)\}/).map(\.1)
        try #require(titles.count == 4 && clocks.count >= 2)
        let given = try titles.prefix(2).map { title in
            let dot = Dot(
                replica: try #require(Self.replicas[String(title.1)]),
                counter: try #require(UInt64(title.2)))
            return RecordState(
                clock: try Self.clock(clocks[0]),
                writes: [
                    Write(
                        dot: dot, timestamp: .zero,
                        assignments: [Assignment(.number(2), .text(String(title.3)))])
                ])
        }
        let name = RecordName(.number(1), RecordID(value: 7))
        let united = RecordMerge.united(given[0], given[1]) {
            SipHash().recoveredID(of: name, $0, $1)
        }
        // The page calls the recovered replica id t, and says how it begins.
        let prefix = try #require(section.firstMatch(of: /recovered replica id is `(\w{16})`/)).1
        func letter(_ replica: ReplicaID) -> String {
            let known = Self.replicas.first { $0.value == replica }?.key
            return known ?? (replica.hexadecimal.hasPrefix(prefix) ? "t" : "?")
        }
        let entries = united.clock.entries.map { "\(letter($0.replica)): \($0.counter)" }
        #expect(entries.sorted().joined(separator: ", ") == clocks[1])
        let writes = united.writes.map { write in
            let values = write.assignments.map { "\($0.value)" }
            return "\(letter(write.dot.replica))\(write.dot.counter) \(values)"
        }
        let said = titles.suffix(2).map { "\($0.1)\($0.2) \(["\(Value.text(String($0.3)))"])" }
        #expect(writes.sorted() == said)
        #expect(united.writes.filter(\.isRecovered).map { letter($0.dot.replica) } == ["t"])
    }

    @Test("clocks become those of section 12")
    func forkRewrite() throws {
        let section = Self.section("12. Recovered writes")
        let counters = try #require(section.firstMatch(of: /of a only a(\d+) and a(\d+) survive/))
        let rewrite = ForkRewrite(
            old: try #require(Self.replicas["a"]),
            fork: try #require(
                section.firstMatch(of: /fork point is (\d+)/).flatMap { UInt64($0.1) }),
            new: try #require(Self.replicas["a′"]),
            counters: [counters.1, counters.2].compactMap { UInt64($0) })
        let pairs = section.matches(of: /\{([^}]*)\} becomes \{([^}]*)\}/)
        #expect(pairs.count == 2)
        for pair in pairs {
            #expect(rewrite.moved(try Self.clock(pair.1)) == (try Self.clock(pair.2)), "\(pair.0)")
        }
    }
}
