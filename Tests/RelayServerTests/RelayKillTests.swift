#if Encryption
    import Glibc
    import DeviceTestSupport
    import Devices
    import Session
    import Storage
    import Testing
    import Transport

    @Suite("A relay that is killed")
    struct RelayKillTests {
        /// How often: TANDEM_KILLS, else 20.
        static var killCount: Int {
            getenv("TANDEM_KILLS").flatMap { Int(String(cString: $0)) } ?? 20
        }

        @Test("a relay killed under load again and again loses nothing")
        func kills() throws {
            let (folder, other) = (TemporaryFolder(), TemporaryFolder())
            let stores = TemporaryStores()
            let devices = try ["a", "b"].map { try RelayTestDevice($0, in: stores) }
            var port: UInt16 = 0
            var expected: [String] = []
            var busyCount = 0
            for round in 0..<Self.killCount {
                for device in devices {
                    let titles = (0..<50).map { "\(device.name) \(round) \($0)" }
                    try device.add(titles)
                    expected += titles
                }
                let relay = try RelayProcess(
                    in: folder.path, portFile: other.path + "/port", port: port)
                port = relay.address.hostAndPort.port
                let clients = try devices.map { try RunningRelayClient($0, at: relay.address) }
                // Somewhere in the midst of handshake, upload, commit or delivery.
                if round % 4 > 0 {
                    let isBusy = waitUntil {
                        clients.contains { $0.state.report.peer != nil }
                    }
                    if isBusy { busyCount += 1 }
                }
                usleep(useconds_t((round * 7919) % 30_000))
                relay.kill()
                for client in clients { #expect(client.stop()) }
            }
            // Otherwise this proves nothing.
            #expect(busyCount >= Self.killCount / 2)
            let relay = try RelayProcess(
                in: folder.path, portFile: other.path + "/port", port: port)
            defer { relay.kill() }
            for device in devices + devices {
                #expect(try device.sync(with: relay.address).end == .finished)
            }
            let all = expected.sorted()
            for device in devices { #expect(try device.titles() == all) }
        }
    }
#endif
