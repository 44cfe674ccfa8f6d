import FoundationEssentials
import FuzzTargets
import Testing

/// The inputs of Tests/Fuzz, fed on every test run: those that reach each part of a door, and those that once
/// broke a promise.
@Suite("Inputs that fuzzing kept", .serialized)
struct FuzzTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzz")
    /// The most bytes that the corpora of all targets may have.
    private static let corpusByteCountMax = 600_000

    private static func inputs(_ kind: String, of target: String) -> [URL] {
        let own = folder.appending(path: kind).appending(path: target)
        let names = try? FileManager.default.contentsOfDirectory(atPath: own.path)
        return (names ?? []).sorted().map { own.appending(path: $0) }
    }

    @Test(
        "every promise of a door holds for each of its inputs",
        arguments: FuzzTargets.all.map(\.name))
    func replay(name: String) throws {
        let target = try #require(FuzzTargets.named(name))
        for kind in ["Corpus", "Found"] {
            for file in Self.inputs(kind, of: name) {
                let bytes = Array(try Data(contentsOf: file))
                #expect(throws: Never.self, "\(kind)/\(name)/\(file.lastPathComponent)") {
                    try target.feed(bytes)
                }
            }
        }
    }

    @Test("what is made is in the corpus as it is made, and nothing else by such a name")
    func seeds() throws {
        for target in FuzzTargets.all {
            var left = Set(
                Self.inputs("Corpus", of: target.name).map(\.lastPathComponent)
                    .filter { $0.hasPrefix(FuzzSeeds.prefix) })
            for seed in FuzzSeeds.all where seed.target == target.name {
                let file = FuzzSeeds.prefix + seed.name
                #expect(left.remove(file) != nil, "\(target.name)/\(file)")
                let path = Self.folder.appending(path: "Corpus/\(target.name)/\(file)")
                #expect(Array(try Data(contentsOf: path)) == seed.bytes, "\(target.name)/\(file)")
            }
            #expect(left.isEmpty, "\(target.name): \(left.sorted())")
        }
        for seed in FuzzSeeds.all { #expect(FuzzTargets.named(seed.target) != nil, "\(seed.name)") }
    }

    @Test("an empty input breaks no promise", arguments: FuzzTargets.all.map(\.name))
    func empty(name: String) throws {
        try #require(FuzzTargets.named(name)).feed([])
    }

    @Test("every target has a corpus, and all of them are small")
    func corpora() throws {
        var byteCount = 0
        for target in FuzzTargets.all {
            let files = Self.inputs("Corpus", of: target.name)
            #expect(!files.isEmpty, "\(target.name)")
            byteCount += try files.reduce(0) { try $0 + Data(contentsOf: $1).count }
        }
        #expect(byteCount <= Self.corpusByteCountMax)
    }

    @Test("every folder of inputs belongs to a target, and every decoder is a file")
    func folders() throws {
        for kind in ["Corpus", "Found"] {
            let names = try? FileManager.default.contentsOfDirectory(
                atPath: Self.folder.appending(path: kind).path)
            for name in names ?? [] where !name.hasPrefix(".") {
                #expect(FuzzTargets.named(name) != nil, "\(kind)/\(name)")
            }
        }
        let root = Self.folder.deletingLastPathComponent().deletingLastPathComponent()
        for target in FuzzTargets.all {
            #expect(!target.decoders.isEmpty, "\(target.name)")
            for file in target.decoders {
                #expect(
                    FileManager.default.fileExists(atPath: root.appending(path: file).path),
                    "\(file)")
            }
        }
    }
}
