#if PostgreSQL
    import Core
    import Glibc
    import Relay
    import RelayPostgreSQL
    import RelayTestSupport
    import Storage
    import Testing

    @Suite("What processes share in a PostgreSQL database", .serialized, SharedDatabase())
    struct SharingTests {
        private static func sharing(_ database: TestDatabase) throws -> PostgreSQLSharing {
            // The tables are made as a program starts, by its store.
            try database.store().close()
            return PostgreSQLSharing(try database.address())
        }

        private func request(
            _ change: (inout RelayShareRequest) -> Void = { _ in }
        ) -> RelayShareRequest {
            var request = RelayShareRequest(limits: RelayLimits())
            change(&request)
            return request
        }

        // MARK: Counts

        @Test(
            "failed proofs and uploaded bytes add up over processes, and begin anew after their time"
        )
        func counts() throws {
            let database = try SharedDatabase.cleared()
            let (first, second) = (try Self.sharing(database), try Self.sharing(database))
            let kind = FailedProofs.Kind(address: "10.0.0.1", space: SpaceID(value: 7))
            let making = FailedProofs.Kind(address: "10.0.0.1", space: nil)
            let device = DeviceUploads.Device(space: SpaceID(value: 7), fingerprint: [1, 2])
            let counted = request {
                $0.failedProofs = [kind: 3, making: 1]
                $0.uploads = [device: 1000]
            }
            let own = try first.exchange(counted)
            #expect(own.failedProofs.mapValues(\.count) == [kind: 3, making: 1])
            #expect(try second.exchange(counted).uploads.mapValues(\.count) == [device: 2000])
            let sums = try first.exchange(request())
            #expect(sums.failedProofs.mapValues(\.count) == [kind: 6, making: 2])
            #expect(sums.uploads[device].map { $0.ageMilliseconds < 60_000 } == true)
            // A process that is started later knows of all that counts.
            let third = try Self.sharing(database)
            #expect(try third.exchange(request()).uploads[device]?.count == 2000)
            try database.run(
                """
                UPDATE tandem_relay.failed_proof SET since = since - interval '61 seconds';
                UPDATE tandem_relay.device_upload SET since = since - interval '25 hours'
                """)
            let later = try first.exchange(counted)
            #expect(later.failedProofs.mapValues(\.count) == [kind: 3, making: 1])
            #expect(later.uploads.mapValues(\.count) == [device: 1000])
        }

        @Test("counts of many processes at once are all there")
        func together() async throws {
            let database = try SharedDatabase.cleared()
            let kinds = (0..<20).map { FailedProofs.Kind(address: "10.0.0.\($0)", space: nil) }
            let all = try (0..<4).map { _ in try Self.sharing(database) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for sharing in all {
                    group.addTask {
                        for _ in 0..<10 {
                            var request = RelayShareRequest(limits: RelayLimits())
                            for kind in kinds { request.failedProofs[kind] = 1 }
                            _ = try sharing.exchange(request)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let sums = try all[0].exchange(request()).failedProofs
            #expect(
                sums.mapValues(\.count) == Dictionary(uniqueKeysWithValues: kinds.map { ($0, 40) }))
        }

        @Test("a database that is away fails an exchange, and the next one finds it again")
        func away() throws {
            let database = try TestDatabase("-c fsync=off")
            let sharing = try Self.sharing(database)
            let kind = FailedProofs.Kind(address: "10.0.0.1", space: nil)
            _ = try sharing.exchange(request { $0.failedProofs = [kind: 1] })
            database.stop(.immediately)
            #expect(throws: StoreFault.self) { try sharing.exchange(request()) }
            try database.start()
            // A crash has the counts empty, as a start of a relay of one process has.
            #expect(try sharing.exchange(request()).failedProofs == [:])
        }

        // MARK: Mailboxes

        @Test("a mailbox that one process makes is open at the other, with limits over both")
        func mailboxes() throws {
            let database = try SharedDatabase.cleared()
            let (first, second) = (try Self.sharing(database), try Self.sharing(database))
            func exchange(
                _ sharing: PostgreSQLSharing, _ wishes: [RelayMailboxRequest],
                open: [UInt128: Int] = [:], _ change: (inout RelayLimits) -> Void = { _ in }
            ) throws -> RelayShareAnswer {
                try sharing.exchange(
                    request {
                        $0.mailboxes = wishes
                        $0.openMailboxes = open
                        change(&$0.limits)
                    })
            }
            let opening = RelayMailboxRequest.open(1, isMaking: false, address: "b")
            #expect(try exchange(second, [opening]).mailboxes == [.missing])
            let made = try exchange(
                first, [.open(1, isMaking: true, address: "a"), .put([5], 1), .put([5], 1)],
                open: [1: 0])
            #expect(made.mailboxes == [.opened, .put(number: 1), .put(number: 0)])
            #expect(made.mailboxCount == 1)
            let opened = try exchange(second, [opening, .put([6, 6], 1)], open: [1: 0])
            #expect(opened.mailboxes == [.opened, .put(number: 2)])
            #expect(opened.items[1]?.map(\.bytes) == [[5], [6, 6]])
            #expect(
                try exchange(first, [], open: [1: 1]).items == [
                    1: [.init(number: 2, bytes: [6, 6])]
                ])
            let bounded = try exchange(first, [.put([7], 1), .put([8, 9], 1), .put([1], 3)]) {
                $0.mailboxItemCountMax = 3
                $0.mailboxByteCountMax = 4
            }
            #expect(bounded.mailboxes == [.put(number: 3), .fullOfItems, .missing])
            let long = try exchange(first, [.put([0, 0], 1)]) { $0.mailboxByteCountMax = 5 }
            #expect(long.mailboxes == [.fullOfBytes])
            let crowd = try exchange(
                second,
                [
                    .open(2, isMaking: true, address: "a"), .open(3, isMaking: true, address: "a"),
                    .open(4, isMaking: true, address: "c"), .open(5, isMaking: true, address: "d"),
                ]
            ) {
                $0.addressMailboxCountMax = 2
                $0.mailboxCountMax = 3
            }
            #expect(crowd.mailboxes == [.opened, .tooManyOfAddress, .opened, .tooMany])
            // Nobody has the others open, so they end; one that somebody keeps open ends later.
            try database.run("UPDATE tandem_relay.mailbox SET seen = seen - interval '50 seconds'")
            #expect(try exchange(first, [], open: [1: 3]).items == [1: []])
            try database.run("UPDATE tandem_relay.mailbox SET seen = seen - interval '20 seconds'")
            let left = try exchange(second, [], open: [1: 3, 2: 0])
            #expect(left.mailboxCount == 1)
            #expect(left.items == [1: []])
            try database.run("UPDATE tandem_relay.mailbox SET made = made - interval '62 minutes'")
            #expect(try exchange(second, [], open: [1: 3]).items == [:])
            try database.run(
                "DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM tandem_relay.mailbox_item); END $$")
        }

        // MARK: Idle spaces

        /// Steps until nothing more is found.
        private func expire(
            _ sharing: PostgreSQLSharing, days: Int = 30
        ) throws -> (expired: [SpaceID], stepCount: Int) {
            var found: [SpaceID] = []
            for step in 1...50 {
                let answer = try sharing.exchange(request { $0.expiryDays = days })
                found += answer.expired
                if step > 10 || answer.expired.isEmpty && !found.isEmpty { return (found, step) }
            }
            return (found, 50)
        }

        private func enter(
            _ bench: RelayStoreBench, _ space: SpaceID, daysAgo: Int64
        ) throws -> RelaySpaceKey {
            let visitor = RelayVisitor(
                fingerprint: [UInt8](repeating: 1, count: 32), day: Self.today - daysAgo)
            return try bench.admit(RelayStoreBench.relayHello(to: space), from: visitor) {
                $0 == nil ? .make(generation: 0, verifier: []) : .enter
            }.key
        }

        private static var today: Int64 {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) / 86_400
        }

        @Test("spaces that no device has visited are deleted with all their rows, and no others")
        func expiry() throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            let idle = try enter(bench, SpaceID(value: 1), daysAgo: 30)
            try bench.commit(idle, [RelaySamples.change(1, 1, 1)], row: [1])
            let recent = try enter(bench, SpaceID(value: 2), daysAgo: 29)
            try bench.commit(recent, [RelaySamples.change(1, 1, 1)])
            _ = try bench.enter()
            #expect(try Self.sharing(database).exchange(request()).day == Self.today)
            #expect(try expire(Self.sharing(database)).expired == [SpaceID(value: 1)])
            #expect(bench.store.totals.spaceCount == 2)
            let check = PostgreSQLCheck(of: try database.store())
            #expect(try check.findings() == [])
            #expect(try check.spaces() == [SpaceID(value: 2), RelayStoreBench.space])
            // Whoever knew it is told, and comes anew.
            #expect(throws: RelayStoreFault.replaced) {
                try bench.commit(idle, [RelaySamples.change(2, 1, 2)])
            }
            let again = try enter(bench, SpaceID(value: 1), daysAgo: 0)
            #expect(again.relay != idle.relay)
            #expect(try bench.commit(again, [RelaySamples.change(2, 1, 2)]).through == 1)
            let sizes = try PostgreSQLSizes(of: try database.store()).largest(2)
            #expect(sizes.map(\.recordCount) == [1, 1])
            #expect(sizes.map(\.byteCount) == sizes.map(\.byteCount).sorted(by: >))
            #expect(Set(sizes.compactMap(\.lastDay)) == [Self.today, Self.today - 29])
        }

        @Test(
            "a large space is gone at once, its rows go in parts, and a device that comes meanwhile begins anew"
        )
        func parts() throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            let space = SpaceID(value: 1)
            let key = try enter(bench, space, daysAgo: 40)
            let count = PostgreSQLSweep.rowCountMax + 500
            try bench.commit(
                key,
                (1...count).map { RelaySamples.change(UInt128($0), 1, UInt64($0)) }, row: [1])
            let sharing = try Self.sharing(database)
            #expect(try sharing.exchange(request { $0.expiryDays = 30 }).expired == [space])
            let check = PostgreSQLCheck(of: try database.store())
            #expect(try check.findings() == [] && bench.store.head(of: space) == nil)
            let back = try enter(bench, space, daysAgo: 0)
            try bench.commit(back, [RelaySamples.change(1, 1, 1)])
            for _ in 0..<3 {
                #expect(try sharing.exchange(request { $0.expiryDays = 30 }).expired == [])
                #expect(try bench.store.examine(space) == [] && check.findings() == [])
            }
            try database.run(
                "DO $$ BEGIN ASSERT (SELECT count(*) FROM tandem_relay.version) = 1; END $$")
        }

        @Test("all processes hear whom the operator has put out")
        func puttingOut() throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            _ = try enter(bench, SpaceID(value: 1), daysAgo: 0)
            let sharing = try Self.sharing(database)
            #expect(try sharing.exchange(request { _ in }).putOut.isEmpty)
            let list = PostgreSQLPutOutList(of: try database.store())
            let device = [UInt8](repeating: 1, count: 32)
            #expect(try list.putOut(device, of: SpaceID(value: 1)) == .putOut)
            #expect(try sharing.exchange(request { _ in }).putOut.map(\.fingerprint) == [device])
        }

        @Test("devices that stay connected keep their space")
        func visits() throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            _ = try enter(bench, SpaceID(value: 1), daysAgo: 30)
            let visitor = RelayVisitor(
                fingerprint: [UInt8](repeating: 1, count: 32), day: Self.today)
            let sharing = try Self.sharing(database)
            _ = try sharing.exchange(
                request { $0.visits = [RelayVisit(space: SpaceID(value: 1), visitor: visitor)] })
            #expect(try expire(sharing).expired == [])
            #expect(try bench.store.devices(of: SpaceID(value: 1)).map(\.lastDay) == [Self.today])
        }
    }
#endif
