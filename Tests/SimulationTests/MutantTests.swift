import FoundationEssentials
import Simulation
import Testing

/// Goal: each promise of the engine has a mutant, a patch that breaks it, and a scenario that notices.
///
/// Method: here the patches apply to the sources as they are, and the scenarios pass without them.
/// `Tools/mutants` builds each mutant and runs its scenarios, which must fail then.
@Suite("Mutants of the engine")
struct MutantTests {
    private static let folder = GalleryTests.root.appending(path: "Tests/Mutants")

    /// The scenarios by name, sorted.
    static let scenarios: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".scenario") }.sorted()
    }()

    @Test("a mutant's scenario passes on the engine as it is", arguments: scenarios)
    func passes(_ name: String) throws {
        let text = try String(
            contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        let outcome = World(try ScenarioReader.read(text)).run()
        #expect(outcome.verdict == .passed, "\(outcome.detail)")
    }

    @Test("every mutant's patches apply, and every mutant has a head and a scenario")
    func apply() throws {
        #expect(Self.scenarios.count >= 38)
        let tool = GalleryTests.root.appending(path: "Tools/mutants").path
        let check = try SimulateProgram.run(["--check"], program: tool)
        #expect(check.code == 0, "\(check.output)\(check.errors)")
    }
}
