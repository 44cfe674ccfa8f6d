import Core
import Simulation

#if PLANTED_FAULTS

    extension PlantedFaultScenario {
        /// What a relay keeps, and what devices believe of it.
        static let ofRelays: [PlantedFaultScenario] = [
            PlantedFaultScenario(
                .relayPrunesBySumOfCounters, ends: .lostWrite,
                """
                devices laptop and phone
                relay harbor
                devices meet only at relays
                laptop creates milk title "Milk"
                everyone syncs
                laptop connects to harbor
                harbor cannot reach laptop
                phone edits milk notes "two bottles"
                phone visits harbor
                laptop retitles milk "Oat milk"
                laptop retitles milk "Soy milk"
                laptop retitles milk "Rye milk"
                everything arrives
                """),
            PlantedFaultScenario(
                .relayKeepsEqualClocksTwice, ends: .unbounded,
                """
                devices laptop and phone
                relay harbor
                laptop creates milk title "Milk"
                laptop syncs with phone
                laptop starts to sync with harbor
                phone starts to sync with harbor
                everything arrives
                """),
            PlantedFaultScenario(
                .relayBelieved, ends: .unsound,
                """
                devices laptop and phone
                relay harbor
                laptop creates milk title "Milk"
                laptop creates bread title "Bread"
                laptop creates roof title "Roof"
                laptop visits harbor
                harbor withholds every second change
                phone visits harbor
                """),
            PlantedFaultScenario(
                .valueElidedToRelay, ends: .crashed,
                """
                devices laptop and phone
                relay harbor
                devices meet only at relays
                laptop creates milk title "Milk" notes "two bottles"
                laptop visits harbor
                laptop connects to harbor
                laptop retitles milk "Oat milk"
                everything arrives
                phone visits harbor
                """),
            PlantedFaultScenario(
                .letterNotGiven, ends: .stuck,
                """
                devices laptop and phone
                relay harbor
                devices meet only at relays
                phone visits harbor
                laptop visits harbor
                laptop changes the secret
                laptop visits harbor
                phone visits harbor but fails
                """),
            PlantedFaultScenario(
                .letterNotRenewed, ends: .stuck,
                """
                devices laptop, phone and tablet
                relay harbor
                devices meet only at relays
                phone visits harbor
                laptop visits harbor
                laptop changes the secret
                laptop visits harbor
                laptop syncs with tablet
                laptop visits harbor
                tablet visits harbor but fails
                """),
        ]
    }

#endif
