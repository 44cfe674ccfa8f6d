import Core
import Simulation

#if PLANTED_FAULTS

    extension PlantedFaultScenario {
        /// Records and their merge.
        static let ofRecords: [PlantedFaultScenario] = [
            PlantedFaultScenario(
                .tiesBySide, ends: .lostWrite,
                """
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop syncs with phone
                laptop retitles milk "Oat milk"
                phone retitles milk "Soy milk"
                laptop syncs with phone
                """),
            PlantedFaultScenario(
                .purgeLeavesNoMark, ends: .resurrection,
                """
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop syncs with phone
                phone edits milk notes "two bottles"
                laptop deletes milk
                laptop purges milk
                laptop syncs with phone
                """),
            PlantedFaultScenario(
                .restoreWritesFlagOnly, ends: .lostWrite,
                """
                policy edits-win
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop deletes milk
                laptop syncs with phone
                laptop restores milk
                phone purges milk
                laptop syncs with phone
                """),
            PlantedFaultScenario(
                .deletedByLatestTimestamp, ends: .resurrection,
                """
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop syncs with phone
                laptop deletes milk
                wait 1 minute
                phone deletes milk
                phone restores milk
                laptop syncs with phone
                """),
            PlantedFaultScenario(
                .editsWinByOneDelete, ends: .resurrection,
                """
                policy edits-win
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop syncs with phone
                laptop retitles milk "Oat milk"
                laptop deletes milk
                phone edits milk notes "two bottles"
                phone deletes milk
                laptop syncs with phone
                """),
            PlantedFaultScenario(
                .editsWinByRecordClock, ends: .resurrection,
                """
                policy edits-win
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop syncs with phone
                laptop deletes milk
                phone deletes milk
                laptop syncs with phone
                """),
            PlantedFaultScenario(
                .resolvedAsShownMakesNoWrite, ends: .lostWrite,
                """
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop syncs with phone
                laptop retitles milk "Oat milk"
                wait 1 minute
                phone retitles milk "Soy milk"
                laptop syncs with phone
                laptop resolves milk title to "Soy milk"
                """),
            PlantedFaultScenario(
                .staleSaveTaken, ends: .resurrection,
                """
                policy edits-win
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop syncs with phone
                laptop opens milk in the editor
                phone deletes milk
                laptop syncs with phone
                laptop saves milk with notes "two bottles" but is refused: deleted
                """),
        ]

        /// What a replica says that it knows.
        static let ofKnowledge: [PlantedFaultScenario] = [
            PlantedFaultScenario(
                .knowledgeJoinedWithEveryBatch, ends: .unsound,
                """
                lenient
                seed 2
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop creates bread title "Bread"
                laptop edits milk notes "two bottles"
                laptop syncs with phone
                """),
            PlantedFaultScenario(
                .statementReadInOlderTransaction, ends: .diverged,
                """
                lenient
                seed 2
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop creates bread title "Bread"
                laptop creates tea title "Tea"
                laptop creates rice title "Rice"
                messages from laptop to phone take 1 second to 1 second
                laptop starts to sync with phone
                wait 2 seconds
                laptop edits milk notes "two bottles"
                everything arrives
                """),
            PlantedFaultScenario(
                .badRecordSkipped, ends: .lostWrite,
                """
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop receives something unreadable about milk
                laptop syncs with phone
                """),
            PlantedFaultScenario(
                .parkedForgotten, ends: .lostWrite,
                """
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop receives something unreadable about milk
                laptop closes
                laptop opens
                """),
            PlantedFaultScenario(
                .parkedNotForwarded, ends: .diverged,
                """
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop receives something unreadable about milk
                laptop syncs with phone
                """),
            PlantedFaultScenario(
                .sequenceWithoutChange, ends: .stuck,
                """
                devices laptop, phone and tablet
                laptop creates milk title "Milk"
                messages from laptop to tablet take 1 second to 1 second
                laptop starts to sync with tablet
                laptop syncs with phone
                phone syncs with tablet
                everything arrives
                """),
            PlantedFaultScenario(
                .tombstonesExpire, ends: .lostWrite,
                """
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop syncs with phone
                laptop deletes milk
                wait 40 days
                laptop closes
                laptop opens
                """),
            PlantedFaultScenario(
                .brakeCountsNothing, ends: .unsound,
                """
                deletes above 1 are held
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop creates bread title "Bread"
                laptop creates tea title "Tea"
                laptop syncs with phone
                laptop deletes milk
                laptop deletes bread
                laptop deletes tea
                laptop syncs with phone but fails: deletes held
                """),
            PlantedFaultScenario(
                .digestComparedBeyondKnowledge, ends: .diverged,
                """
                lenient
                seed 2
                devices laptop, phone and tablet
                laptop creates milk title "Milk"
                laptop creates bread title "Bread"
                laptop creates tea title "Tea"
                laptop creates rice title "Rice"
                the link of laptop and phone breaks after 700 bytes
                laptop syncs with phone
                the link of laptop and tablet breaks after 900 bytes
                laptop syncs with tablet
                phone syncs with tablet
                """),
        ]

        /// How far was read, and coming to rest.
        static let ofProgress: [PlantedFaultScenario] = [
            PlantedFaultScenario(
                .checkpointWithoutEpoch,
                ends: .unsound,
                """
                devices server, phone, tablet and desktop
                tablet creates milk title "Milk"
                tablet syncs with server
                server closes
                server is backed up as monday
                server opens
                tablet creates bread title "Bread"
                tablet creates tea title "Tea"
                tablet creates rice title "Rice"
                tablet syncs with server
                server syncs with phone
                server is restored from monday unnoticed
                desktop creates wine title "Wine"
                desktop syncs with server
                server syncs with phone
                """),
            PlantedFaultScenario(
                .batchReachesTooFar, ends: .diverged,
                """
                lenient
                seed 2
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop creates bread title "Bread"
                laptop creates tea title "Tea"
                the link of laptop and phone breaks after 600 bytes
                laptop syncs with phone
                laptop syncs with phone
                """),
            PlantedFaultScenario(
                .checkpointAheadOfChanges, ends: .diverged,
                """
                lenient
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop creates bread title "Bread"
                phone crashes after 14 disk writes
                laptop syncs with phone
                phone opens
                laptop syncs with phone
                """),
            PlantedFaultScenario(
                .batchNotAcknowledged, ends: .stuck,
                """
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop syncs with phone
                """),
        ]

        /// Who a replica is, and what follows from a doubt.
        static let ofIdentity: [PlantedFaultScenario] = [
            PlantedFaultScenario(
                .leavesBeforeFlush, ends: .lostWrite,
                """
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop syncs with phone
                laptop edits milk notes "two bottles"
                laptop creates bread title "Bread"
                laptop syncs with phone
                laptop loses power
                laptop opens
                """),
            PlantedFaultScenario(
                .copyNotNoticed, ends: .unsound,
                """
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop is backed up as monday
                laptop edits milk notes "two bottles"
                laptop syncs with phone
                laptop is restored from monday in place
                laptop edits milk notes "one bottle"
                laptop syncs with phone
                """),
            PlantedFaultScenario(
                .echoIgnored, ends: .diverged,
                """
                lenient
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop syncs with phone
                laptop is backed up as monday
                laptop edits milk notes "two bottles"
                laptop creates bread title "Bread"
                laptop syncs with phone
                laptop is restored from monday unnoticed
                laptop edits milk notes "one bottle"
                laptop syncs with phone
                """),
            PlantedFaultScenario(
                .ownWritesTaken, ends: .diverged,
                """
                lenient
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop syncs with phone
                laptop is backed up as monday
                laptop edits milk notes "two bottles"
                laptop creates bread title "Bread"
                laptop syncs with phone
                laptop is restored from monday unnoticed
                laptop edits milk notes "one bottle"
                laptop syncs with phone
                """),
            PlantedFaultScenario(
                .checkpointsOutliveFork,
                ends: .diverged,
                """
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop syncs with phone
                phone edits milk notes "two bottles"
                phone creates bread title "Bread"
                laptop syncs with phone
                a stranger claims to be laptop to laptop
                laptop syncs with phone
                """),
            PlantedFaultScenario(
                .recoveredWritesRevive, ends: .unsound,
                """
                policy edits-win
                devices laptop and phone
                laptop creates milk title "Milk"
                laptop syncs with phone
                laptop closes
                laptop is backed up as monday
                laptop opens
                laptop deletes milk
                laptop syncs with phone
                laptop is restored from monday unnoticed
                laptop edits milk notes "two bottles"
                laptop edits milk project "Shopping"
                everyone syncs
                expect everyone has milk deleted
                """),
        ]
    }

#endif
