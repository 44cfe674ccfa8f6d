#if Encryption
    import CLinux
    import Glibc
    import Crypto
    import Testing

    @Suite("Secure channels and hostile bytes")
    struct HostileBytesTests {
        private let laptop: DeviceCertificate
        private let phone: DeviceCertificate

        init() throws {
            laptop = try Devices.laptop.get()
            phone = try Devices.phone.get()
        }

        /// Numbers that are the same in every run.
        private struct Chance {
            var state: UInt64

            mutating func next(below bound: Int) -> Int {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int((state >> 33) % UInt64(bound))
            }
        }

        @Test(
            "random bytes end the handshake, or wait for more; never more than an alert comes back")
        func random() throws {
            var chance = Chance(state: 1)
            for round in 0..<300 {
                let pair = try ChannelPair(laptop, phone)
                var bytes = (0..<chance.next(below: 3000)).map { _ in UInt8(chance.next(below: 256))
                }
                // Most begin as a record does, else the first byte ends it.
                if round % 4 > 0, bytes.count > 5 {
                    bytes.replaceSubrange(0..<3, with: [0x16, 3, UInt8(chance.next(below: 5))])
                    bytes[3] = 0
                }
                _ = pair.client.dequeueOutput()
                pair.feedServer(bytes)
                pair.feedClient(bytes)
                #expect(!pair.server.isEstablished && !pair.client.isEstablished)
                #expect(pair.server.dequeueOutput().count <= 7)
                #expect(pair.client.dequeueOutput().count <= 7)
            }
        }

        @Test("one changed byte anywhere in a handshake: no end is deceived about the other")
        func mutatedHandshake() throws {
            var chance = Chance(state: 2)
            for _ in 0..<250 {
                let pair = try ChannelPair(laptop, phone)
                let flight = chance.next(below: 3)
                var first = pair.client.dequeueOutput()
                if flight == 0 { change(&first, &chance) }
                pair.feedServer(first)
                var second = pair.server.dequeueOutput()
                if flight == 1, !second.isEmpty { change(&second, &chance) }
                pair.feedClient(second)
                var third = pair.client.dequeueOutput()
                if flight == 2, !third.isEmpty { change(&third, &chance) }
                pair.feedServer(third)
                pair.run()
                if pair.client.isEstablished { #expect(pair.client.peer == phone.fingerprint) }
                if pair.server.isEstablished { #expect(pair.server.peer == laptop.fingerprint) }
                // A record's version is looked at by nobody; all else ends the handshake on one end.
                if pair.server.isEstablished, pair.client.isEstablished {
                    try pair.client.seal([1])
                    pair.run()
                    #expect(pair.serverReceived == [1])
                }
            }
        }

        private func change(_ bytes: inout [UInt8], _ chance: inout Chance) {
            bytes[chance.next(below: bytes.count)] ^= UInt8(1 + chance.next(below: 255))
        }

        @Test("one changed byte in a record is found, and nothing of the record is delivered")
        func mutatedRecord() throws {
            var chance = Chance(state: 3)
            for _ in 0..<60 {
                let pair = try ChannelPair(laptop, phone)
                pair.run()
                try pair.client.seal([UInt8](repeating: 7, count: 500))
                var record = pair.client.dequeueOutput()
                // Behind the header's type and length: a changed length only waits for more.
                record[5 + chance.next(below: record.count - 5)] ^= UInt8(
                    1 + chance.next(below: 255))
                pair.feedServer(record)
                guard case .damaged = pair.serverError else {
                    Issue.record("not noticed: \(String(describing: pair.serverError))")
                    continue
                }
                #expect(pair.serverReceived.isEmpty)
            }
        }

        @Test("records that are repeated, left out or swapped are found")
        func order() throws {
            for choice in 0..<3 {
                let pair = try ChannelPair(laptop, phone)
                pair.run()
                let records = try (0..<3).map { index in
                    try pair.client.seal([UInt8](repeating: UInt8(index), count: 40))
                    return pair.client.dequeueOutput()
                }
                let orders = [[0, 0], [0, 2], [1, 0]]
                for index in orders[choice] { pair.feedServer(records[index]) }
                guard case .damaged = pair.serverError else {
                    Issue.record("not noticed: \(orders[choice])")
                    continue
                }
            }
        }

        @Test("a handshake cut after any byte is a cut handshake, for both ends")
        func truncated() throws {
            let whole = try ChannelPair(laptop, phone)
            let first = whole.client.dequeueOutput()
            whole.feedServer(first)
            let second = whole.server.dequeueOutput()
            for count in 0..<first.count {
                let server = try ChannelPair(laptop, phone).server
                #expect(try ChannelPair.feed(server, Array(first[..<count])) == [])
                #expect(server.dequeueOutput().isEmpty)
                #expect(throws: SecurityError.cutHandshake) { try server.inputEnded() }
            }
            // The server's answer belongs to one greeting, so each cut needs a new pair.
            for count in stride(from: 0, to: second.count - 40, by: 7) {
                let pair = try ChannelPair(laptop, phone)
                pair.feedServer(pair.client.dequeueOutput())
                pair.feedClient(Array(pair.server.dequeueOutput().prefix(count)))
                #expect(pair.clientError == nil && !pair.client.isEstablished)
                #expect(throws: SecurityError.cutHandshake) { try pair.client.inputEnded() }
            }
        }

        @Test(
            "20 MB from a peer that is never answered leave no output and little memory"
        )
        func flood() throws {
            let grown = try leastGrowth(below: 80 << 20) {
                let pair = try ChannelPair(laptop, phone)
                pair.run()
                for _ in 0..<200 {
                    try pair.client.seal([UInt8](repeating: 1, count: 100_000))
                    pair.feedServer(pair.client.dequeueOutput())
                }
                #expect(pair.serverReceived.count == 20_000_000)
                #expect(pair.server.dequeueOutput().isEmpty)
                return pair
            }
            #expect(grown < 80 << 20)
        }

        @Test("what one idle channel costs")
        func idle() throws {
            let trust: (Fingerprint) -> Bool = { _ in true }
            let here = try SecureContext(laptop, allows: trust)
            let there = try SecureContext(phone, allows: trust)
            func connect() throws -> (SecureChannel, SecureChannel) {
                let client = try SecureChannel(here, as: .client)
                let server = try SecureChannel(there, as: .server)
                for _ in 0..<3 {
                    _ = try ChannelPair.feed(server, client.dequeueOutput())
                    _ = try ChannelPair.feed(client, server.dequeueOutput())
                }
                return (client, server)
            }
            _ = try (0..<20).map { _ in try connect() }
            let count = 500
            let grown = try leastGrowth(below: count * 2 * 40 << 10) {
                let pairs = try (0..<count).map { _ in try connect() }
                #expect(pairs.allSatisfy { $0.1.isEstablished })
                return pairs
            }
            print("an idle channel: \(grown / (count * 2)) bytes")
            #expect(grown < count * 2 * 40 << 10)
        }

        /// By how much the memory of the process grows while the result of `body` is kept, in bytes; the least of a few
        /// times, until it is below a limit: other tests run meanwhile and take memory as well.
        private func leastGrowth<T>(below limit: Int, _ body: () throws -> T) rethrows -> Int {
            var least = Int.max
            for _ in 0..<20 where least >= limit {
                let before = residentByteCount()
                let kept = try body()
                least = withExtendedLifetime(kept) { min(least, residentByteCount() - before) }
            }
            return least
        }

        private func residentByteCount() -> Int {
            guard let file = fopen("/proc/self/statm", "r") else { return 0 }
            defer { fclose(file) }
            var buffer = [CChar](repeating: 0, count: 200)
            guard fgets(&buffer, CInt(buffer.count), file) != nil else { return 0 }
            let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
            return (Int(text.split(separator: " ")[1]) ?? 0) * 4096
        }
    }
#endif
