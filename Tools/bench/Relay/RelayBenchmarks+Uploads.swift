#if Encryption
    import Core
    import Devices
    import Transport

    /// Uploads of many spaces at once: sealed versions that a relay, or three on one database, bring to the disk.
    extension RelayBenchmarks {
        /// Measures versions that are acknowledged, and what they take on the disk.
        func uploads(_ side: Side) throws {
            let hosts = try hosts(side, "uploads")
            defer { for host in hosts { host.stop() } }
            let loop = try EventLoop()
            let devices = try (0..<size.uploaderCount).map { number in
                try UploadingDevice(
                    space: space(1 << 33 + number), secret: secret,
                    batchCount: size.uploadBatchCount, versionCount: Self.batchVersionCount,
                    bodyByteCount: Self.bodyByteCount)
            }
            try dial(loop, hosts, devices)
            #if PostgreSQL
                let before = try side.store.map { try DatabaseMeasure(url: $0) }
            #endif
            let cpu = hosts.map(\.cpuSeconds).reduce(0, +)
            let start = Cost.wall
            for device in devices { device.go() }
            try wait(loop, "acknowledgements") {
                if let failure = devices.compactMap(\.failure).first {
                    throw BenchError.failed(failure)
                }
                return devices.allSatisfy(\.isDone)
            }
            let seconds = Cost.wall - start
            let spent = hosts.map(\.cpuSeconds).reduce(0, +) - cpu
            let versionCount = Double(
                devices.map(\.batchCount).reduce(0, +) * Self.batchVersionCount)
            var values = [
                ("processes", Double(hosts.count)), ("spaces", Double(devices.count)),
                ("versions", versionCount), ("wall_s", seconds),
                ("versions_per_second", versionCount / seconds),
                ("relay_cpu_us_per_version", spent * 1e6 / versionCount),
            ]
            #if PostgreSQL
                if let store = side.store, let before {
                    values += try database(store, before, versionCount, seconds, hosts.count)
                }
            #endif
            if side.store == nil {
                let folder = scratch.path + "/files-uploads-0"
                values.append(
                    ("bytes_per_version", Double(try Cost.byteCount(in: folder)) / versionCount))
            }
            note("relay_\(side.name)uploads", values)
            for device in devices { device.close() }
        }

        #if PostgreSQL
            /// The bytes and transactions of the uploads in the database, beside a bare program with as many rows in a transaction.
            private func database(
                _ url: String, _ before: DatabaseMeasure, _ versionCount: Double, _ seconds: Double,
                _ hostCount: Int
            ) throws -> [(String, Double)] {
                let after = try DatabaseMeasure(url: url)
                let group = max(1, versionCount / max(1, after.commitCount - before.commitCount))
                let bare = DatabaseBenchmarks(url: url, isSmoke: size.editCount < 100)
                let one = try bare.bareInserts(Int(group), connectionCount: 1)
                let several = try bare.bareInserts(Int(group), connectionCount: hostCount)
                return [
                    ("versions_per_transaction", group),
                    ("bytes_per_version", (after.byteCount - before.byteCount) / versionCount),
                    ("bare_rows_per_second", several),
                    ("bare_rows_per_second_by_one_connection", one),
                    ("share_of_bare", versionCount / seconds / several),
                    ("share_of_bare_by_one_connection", versionCount / seconds / one),
                ]
            }
        #endif

        /// How many versions stand in one message.
        private static let batchVersionCount = 50
        private static let bodyByteCount = 200

        /// Connects the devices to the relays in turns, and waits until all are let in.
        private func dial(
            _ loop: EventLoop, _ hosts: [RelayHost], _ devices: [UploadingDevice]
        ) throws {
            var failure: String?
            for (number, device) in devices.enumerated() {
                let relay = hosts[number % hosts.count].address
                let context = try SyncSecurity(certificate: certificate) { $0 == relay.fingerprint }
                    .context(peer: "\(relay.hostAndPort)")
                Dialer(
                    on: loop, to: relay.hostAndPort, security: context, options: LinkOptions.session
                ) { result in
                    do {
                        try device.start(on: try result.get())
                    } catch {
                        failure = "\(error)"
                    }
                }
            }
            try wait(loop, "uploading devices") {
                if let found = failure ?? devices.compactMap(\.failure).first {
                    throw BenchError.failed(found)
                }
                return devices.allSatisfy(\.isReady)
            }
        }
    }
#endif
