import Core
import Simulation
import Testing

#if PLANTED_FAULTS

    /// Goal: each rule of the engine that can be broken on purpose has a scenario that notices.
    ///
    /// Method: each scenario passes as the engine is. In a process of their own, as the switch is one for the
    /// whole process, they are told once more with the fault planted, and must end otherwise. Some
    /// faults do no harm alone, as another rule contains it: their scenarios pass with the fault alone,
    /// and end otherwise once that rule is broken as well.
    @Suite("Faults that are planted in the engine")
    struct PlantedFaultTests {
        @Test("every fault has a story")
        func isComplete() {
            let told = Set(PlantedFaultScenario.all.map(\.fault))
            // Two do no harm alone: they take away what contains that of others. Of the third no harm is known
            // since tallies that count what is set aside leave no value out.
            let untold: Set<PlantedFault> = [
                .joinUnverified, .contentsNotCompared, .wantedNotAsked,
            ]
            #expect(Set(PlantedFault.allCases).subtracting(told) == untold)
        }

        @Test("a story passes while nothing is planted", arguments: PlantedFaultScenario.all)
        func passes(row: PlantedFaultScenario) throws {
            let outcome = World(try ScenarioReader.read(row.text)).run()
            #expect(outcome.verdict == .passed, "\(outcome.detail)")
        }

        @Test("a planted fault is found, and what contains it is known")
        func finds() async {
            await #expect(processExitsWith: .success) {
                for row in PlantedFaultScenario.all {
                    let scenario = try ScenarioReader.read(row.text)
                    PlantedFault.planted = row.fault.companions.union([row.fault])
                    let outcome = World(scenario).run()
                    #expect(outcome.verdict == row.verdict, "\(row): \(outcome.detail)")
                    if row.fault.companions.isEmpty { continue }
                    PlantedFault.planted = [row.fault]
                    let contained = World(scenario).run()
                    #expect(contained.verdict == .passed, "\(row) alone: \(contained.detail)")
                }
            }
        }
    }

#endif
