import JSON
import Simulation
import Storage

#if PLANTED_FAULTS
    import Core

    /// Plants each fault in the engine, and looks whether random scenarios find it.
    enum FaultsCommand: Command {
        static let name = "faults"
        static let summary = "Plant each known fault in the engine and search for it"
        static let help = """
              simulate faults
              simulate faults --only tombstonesExpire,copyNotNoticed --count 2000

              --only LIST     these faults (all)
              --seed N        the first seed (1)
              --count K       at most so many seeds for each, of each kind of world (200)
              --shrink-to F   a folder for the shortest stories that find them
            \(PlanOptions.help)

            Each fault is planted alone, and then together with joinUnverified, which takes away the check
            that contains the harm of some, and with what else contains its own. Ends with 1 if one is
            found neither way. For builds with PLANTED_FAULTS: debug builds, or
            swift build -c release -Xswiftc -DPLANTED_FAULTS.
            """
        static let values = ["only", "seed", "count", "shrink-to"] + PlanOptions.values

        static func run(_ arguments: Arguments) throws -> Int32 {
            try arguments.refuseWords()
            let plans = try plans(arguments)
            let first = try arguments.seed("seed") ?? 1
            let count = try arguments.number("count", in: 1...1_000_000) ?? 200
            let faults = try faults(arguments["only"])
            var hunts = plans.map { plan in
                FaultHunt(plan: plan, plant: { PlantedFault.planted = $0 }, run: { World.play($0) })
            }
            /// Looks in worlds of one kind after the other.
            func find(_ fault: PlantedFault, _ companions: Set<PlantedFault>) -> FaultHunt.Find? {
                for place in hunts.indices {
                    let find = hunts[place].find(fault, with: companions, from: first, count: count)
                    if let find { return find }
                }
                return nil
            }
            var missed: [PlantedFault] = []
            for fault in faults {
                Terminal.progress(fault.rawValue)
                let alone = find(fault, [])
                let companion: Set<PlantedFault> =
                    fault == .joinUnverified ? [] : fault.companions.union([.joinUnverified])
                let together =
                    companion.isEmpty
                    ? nil : find(fault, companion)
                Terminal.progress("")
                if alone == nil, together == nil { missed.append(fault) }
                tell(fault, alone, together, isJSON: arguments.has("json"))
                if let folder = arguments["shrink-to"], let find = alone ?? together {
                    try shrink(
                        find, planting: alone == nil ? companion.union([fault]) : [fault],
                        to: "\(folder)/\(fault.rawValue).scenario")
                }
                Terminal.flush()
            }
            if !missed.isEmpty, !arguments.has("json") {
                let names = missed.map(\.rawValue).joined(separator: ", ")
                Terminal.line(
                    Terminal.urgent("not found in \(Number.counted(count, "seed")): \(names)"))
            }
            return missed.isEmpty ? ExitCode.ok : ExitCode.no
        }

        /// Worlds in which anything goes, and, if nothing else is asked for, worlds of few faults.
        private static func plans(_ arguments: Arguments) throws -> [ScenarioPlan] {
            let plan = try PlanOptions.plan(arguments)
            if arguments["faults"] != nil { return [plan] }
            let few: [[FaultKind]] = [
                [.cut, .kill, .duplicateSessions, .liveSessions, .unreadable],
                [.setBack, .kill, .powerCut, .backup, .liveSessions],
                [.setBack, .stranger],
                [.relay, .cut, .kill, .duplicateSessions],
                [.relay, .relayLies, .backup],
            ]
            return [plan]
                + few.map { faults in
                    var plan = plan
                    plan.faults = faults
                    return plan
                }
        }

        private static func faults(_ list: String?) throws -> [PlantedFault] {
            guard let list else { return PlantedFault.allCases }
            return try list.split(separator: ",").map { word in
                if let fault = PlantedFault(rawValue: String(word)) { return fault }
                let known = PlantedFault.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure(
                    ExitCode.usage, "there is no fault '\(word)'; there are \(known)")
            }
        }

        private static func tell(
            _ fault: PlantedFault, _ alone: FaultHunt.Find?, _ together: FaultHunt.Find?,
            isJSON: Bool
        ) {
            guard isJSON else {
                let name = fault.rawValue
                let padding = String(repeating: " ", count: max(1, 32 - name.count))
                let left = words(alone)
                let gap = String(repeating: " ", count: max(1, 44 - left.count))
                Terminal.line(name + padding + left + gap + words(together))
                return
            }
            func object(_ find: FaultHunt.Find?) -> JSONValue {
                guard let find else { return .null }
                return JSONValue.named(
                    [("seed", .number(find.seed)), ("seeds", .number(find.seedCount))]
                        + Ending.json(find.outcome))
            }
            Terminal.line(
                JSONValue.named([
                    ("fault", .text(fault.rawValue)), ("alone", object(alone)),
                    ("withJoinUnverified", object(together)),
                ]))
        }

        private static func words(_ find: FaultHunt.Find?) -> String {
            guard let find else { return "-" }
            let kind = find.plan.faults.count == FaultKind.allCases.count ? "" : " of few faults"
            return "\(Number.counted(find.seedCount, "seed"))\(kind): \(find.outcome.verdict.word)"
        }

        private static func shrink(
            _ find: FaultHunt.Find, planting planted: Set<PlantedFault>, to path: String
        ) throws {
            PlantedFault.planted = planted
            defer { PlantedFault.planted = [] }
            var found = FoundScenario(seed: find.seed, plan: find.plan, outcome: find.outcome)
            found.shrink(runCountMax: 1_000)
            try found.write(to: path)
        }
    }
#else
    /// Says where the command is that plants faults.
    enum FaultsCommand: Command {
        static let name = "faults"
        static let summary = "Plant known faults in the engine (debug builds only)"
        static let help = """
              swift build --product simulate && .build/debug/simulate faults
              swift build -c release -Xswiftc -DPLANTED_FAULTS --product simulate

            This is a release build: no fault can be planted in its engine.
            """
        static let values = ["only", "seed", "count", "shrink-to"] + PlanOptions.values

        static func run(_ arguments: Arguments) throws -> Int32 {
            throw CommandFailure(
                ExitCode.usage,
                "no fault can be planted in a release build: take a debug build, or build with "
                    + "-Xswiftc -DPLANTED_FAULTS (see: simulate help faults)")
        }
    }
#endif
