import FoundationEssentials
import Simulation
import Testing

@Suite("The list of seeds that once failed")
struct KnownSeedsTests {
    @Test("each line has a seed, replicas, steps, faults and what it was")
    func format() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let url = root.appending(path: "Tools/simulate/seeds.txt")
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        for line in lines where !line.hasPrefix("#") {
            let parts = line.split(separator: "#", maxSplits: 1)
            let words = parts[0].split(separator: " ")
            try #require(words.count == 4, "\(line)")
            #expect(UInt64(words[0]) != nil, "\(line)")
            #expect(words[1].split(separator: "-").allSatisfy { Int($0) != nil }, "\(line)")
            #expect(Int(words[2]) != nil, "\(line)")
            #expect(FaultKind.list(String(words[3])) != nil, "\(line)")
            #expect(parts.count == 2 && parts[1].count > 10, "\(line): what was it?")
        }
    }
}
