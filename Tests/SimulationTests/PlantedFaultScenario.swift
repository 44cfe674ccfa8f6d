import Core
import Simulation
import Testing

#if PLANTED_FAULTS

    /// A scenario that notices a planted fault.
    struct PlantedFaultScenario: CustomTestStringConvertible, Sendable {
        /// What is broken.
        let fault: PlantedFault
        /// How the scenario ends then.
        let verdict: Verdict
        /// The scenario.
        let text: String

        init(_ fault: PlantedFault, ends verdict: Verdict, _ text: String) {
            self.fault = fault
            self.verdict = verdict
            self.text = text
        }

        var testDescription: String { fault.rawValue }

        /// A scenario for every fault, in no order.
        static let all = ofRecords + ofKnowledge + ofProgress + ofIdentity + ofForks + ofRelays
    }

#endif
