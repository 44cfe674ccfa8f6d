import Simulation
import Testing

@Suite("Chance of the made-up world")
struct ChanceTests {
    @Test("a stream depends on its seed and its name alone")
    func named() {
        var first = Chance(seed: 1, "network")
        var second = Chance(seed: 1, "disk")
        var third = Chance(seed: 2, "network")
        var again = Chance(seed: 1, "network")
        let numbers = (0..<8).map { _ in first.next() }
        #expect(numbers == (0..<8).map { _ in again.next() })
        #expect(numbers != (0..<8).map { _ in second.next() })
        #expect(numbers != (0..<8).map { _ in third.next() })
    }

    @Test("numbers below an end stay below it and reach all of it")
    func below() {
        var chance = Chance(seed: 3, "numbers")
        #expect(Set((0..<400).map { _ in chance.below(7) }) == Set(0..<7))
        #expect(Set(chance.shuffled(Array(0..<20))) == Set(0..<20))
    }
}
