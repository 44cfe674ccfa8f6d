#if Encryption
    import Glibc
    import Runtime
    import Storage
    import Testing
    import Transport

    @Suite("A relay that is killed")
    struct RelayKillTests {
        /// How often: TANDEM_RELAY_KILLS, else 20.
        static var killCount: Int {
            getenv("TANDEM_RELAY_KILLS").flatMap { Int(String(cString: $0)) } ?? 20
        }

        @Test("a relay killed under load again and again loses nothing")
        func kills() throws {
            let (folder, other) = (TemporaryFolder(), TemporaryFolder())
            let stores = TemporaryStores()
            let devices = try ["a", "b"].map { try RelayTestDevice($0, in: stores) }
            // The variable would be taken for a setting of the relay.
            let count = Self.killCount
            unsetenv("TANDEM_RELAY_KILLS")
            var relay = try RelayProcess(
                in: folder.path, portFile: other.path + "/port", port: 0)
            let address = relay.address
            let clients = try devices.map { try RunningRelayClient($0, at: address) }
            defer { for client in clients { client.stop() } }
            var expected: [String] = []
            for round in 0..<count {
                for device in devices {
                    let titles = (0..<20).map { "\(device.name) \(round) \($0)" }
                    try device.add(titles)
                    expected += titles
                }
                // Somewhere in the midst of it; clients wait a second at least before they return.
                usleep(useconds_t((round * 7919) % 40_000 + 1_000))
                relay.kill()
                relay = try RelayProcess(
                    in: folder.path, portFile: other.path + "/port", port: address.place.port)
            }
            defer { relay.kill() }
            let all = expected.sorted()
            let isHealed = try waitUntil(milliseconds: 60_000) {
                usleep(50_000)
                return try devices.allSatisfy { try $0.titles() == all }
            }
            #expect(isHealed)
            #expect(relay.address == address)
        }
    }
#endif
