import Core
import Simulation

#if PLANTED_FAULTS

    extension PlantedFaultScenario {
        /// A store was set back without noticing, and what nobody set back is judged as ever.
        static let ofForks: [PlantedFaultScenario] = [
            PlantedFaultScenario(
                .tiesBySide, ends: .lostWrite,
                fork + """

                    laptop retitles bread "Oat bread"
                    phone retitles bread "Rye bread"
                    phone syncs with tablet
                    everyone syncs
                    """),
            PlantedFaultScenario(
                .tiesBySide, ends: .lostWrite,
                fork + """

                    tablet edits milk notes "two bottles"
                    phone edits milk notes "three bottles"
                    phone syncs with tablet
                    """),
            PlantedFaultScenario(
                .deletedByLatestTimestamp, ends: .resurrection,
                fork + """

                    phone deletes milk
                    wait 1 minute
                    tablet deletes milk
                    tablet restores milk
                    phone syncs with tablet
                    """),
            PlantedFaultScenario(
                .knowledgeJoinedWithEveryBatch, ends: .unsound,
                "lenient\nseed 2\n" + fork + """

                    phone creates roof title "Roof"
                    phone creates letter title "Letter"
                    phone edits roof notes "the north side"
                    phone syncs with tablet
                    """),
            PlantedFaultScenario(
                .repairOnlyMerges, ends: .lostWrite,
                fork + """

                    laptop syncs with tablet
                    tablet syncs with phone
                    everyone syncs
                    """),
        ]

        /// The laptop was set back after the phone had its title, and wrote another one under that number.
        private static let fork = """
            devices laptop, phone and tablet
            laptop creates milk title "Milk"
            laptop creates bread title "Bread"
            everyone syncs
            laptop is backed up as monday
            laptop retitles milk "Rye milk"
            laptop syncs with phone
            laptop is restored from monday unnoticed
            laptop retitles milk "Almond milk"
            """
    }

#endif
