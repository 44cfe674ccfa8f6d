#if Encryption
    import Core
    import Glibc
    import Core
    import Devices
    import Crypto
    import Session
    import Storage
    import Transport

    /// A relay's throughput and storage, measured over real sockets with TLS and sealed changes.
    final class RelayBenchmarks {
        /// Tells the spaces of this run from those that earlier ones left in a database.
        private let runNumber = SystemEnvironment.random()
        /// At most so many are on their way to the relay at a time.
        private static let dialCountMax = 64

        /// Where the relays of a measurement keep their spaces: one process with files, or three on a database.
        struct Side {
            /// The database; nil for files.
            let store: String?
            /// Before the name of a measurement.
            var name: String { store == nil ? "" : "database_" }
            /// How many relays there are.
            var hostCount: Int { store == nil ? 1 : 3 }
        }

        let size: RelaySize
        let scratch: ScratchFolder
        let certificate: DeviceCertificate
        let secret: SpaceSecret
        private let delivered = DeliveredBatches()
        private var measurements = Measurements()

        /// The database that relays share; nil for files.
        private let store: String?

        init(size: RelaySize, scratch: ScratchFolder, store: String? = nil) throws {
            self.store = store
            self.size = size
            self.scratch = scratch
            certificate = try DeviceCertificate()
            guard let secret = SpaceSecret(bytes: [UInt8](repeating: 7, count: 32), generation: 1)
            else { throw BenchError.failed("secret") }
            self.secret = secret
        }

        /// Runs everything; gives JSON.
        func run() throws -> String {
            // In one run, so that they can be compared.
            for side in [Side(store: nil)] + (store.map { [Side(store: $0)] } ?? []) {
                try idle(side)
                try fanOut(side)
                try latency(side)
                try uploads(side)
            }
            #if PostgreSQL
                if let store {
                    let commits = DatabaseBenchmarks(url: store, isSmoke: size.editCount < 100)
                    try commits.run { note($0, $1) }
                }
            #endif
            return measurements.text
        }

        /// A space of this run.
        func space(_ number: Int) -> SpaceID {
            SpaceID(value: UInt128(runNumber) << 64 | UInt128(number))
        }

        /// The relays of a side, in processes of their own.
        func hosts(_ side: Side, _ name: String) throws -> [RelayHost] {
            try (0..<side.hostCount).map { number in
                let kind = side.store == nil ? "files" : "database"
                return try RelayHost(
                    folder: "\(scratch.path)/\(kind)-\(name)-\(number)", store: side.store)
            }
        }

        func note(_ name: String, _ values: [(String, Double)]) {
            measurements.note(name, values)
        }

        // MARK: Idle sessions

        private func idle(_ side: Side) throws {
            let hosts = try hosts(side, "idle")
            defer { for host in hosts { host.stop() } }
            func residentByteCount() -> Int { hosts.map(\.residentByteCount).reduce(0, +) }
            func cpuSeconds() -> Double { hosts.map(\.cpuSeconds).reduce(0, +) }
            let loop = try EventLoop()
            // The first one at each makes what all share.
            let spaceCount = size.idleCount / size.idlePerSpace
            var devices = try connect(loop, hosts, count: hosts.count) { _ in space(1) }
            let (memory, cpu, wall) = (residentByteCount(), cpuSeconds(), Cost.wall)
            devices += try connect(loop, hosts, count: size.idleCount) { number in
                space(number % spaceCount + 2)
            }
            let (spent, seconds) = (cpuSeconds() - cpu, Cost.wall - wall)
            let held = residentByteCount() - memory
            // Pings and their answers for a while.
            let (before, start) = (cpuSeconds(), Cost.wall)
            let pause = size.idleCount > 1000 ? 20 : 1
            loop.schedule(after: .seconds(pause)) { loop.stop() }
            try loop.run()
            let lost = devices.count { $0.isOver }
            guard lost == 0 else { throw BenchError.failed("\(lost) idle sessions were lost") }
            note(
                "relay_\(side.name)idle",
                [
                    ("sessions", Double(size.idleCount)), ("spaces", Double(spaceCount)),
                    ("processes", Double(hosts.count)),
                    ("resident_mib_without_sessions", Double(memory) / 1_048_576),
                    ("resident_mib", Double(residentByteCount()) / 1_048_576),
                    ("kib_per_session", Double(held) / 1024 / Double(size.idleCount)),
                    (
                        "kib_per_session_later",
                        Double(residentByteCount() - memory) / 1024 / Double(size.idleCount)
                    ),
                    ("accept_cpu_ms_each", spent * 1000 / Double(size.idleCount)),
                    ("accept_per_second", Double(size.idleCount) / seconds),
                    ("idle_cpu_percent", (cpuSeconds() - before) / (Cost.wall - start) * 100),
                ])
            for device in devices { device.close() }
        }

        /// Connects devices and waits until each was told all that the relay has.
        private func connect(
            _ loop: EventLoop, _ hosts: [RelayHost], count: Int, _ space: (Int) -> SpaceID
        ) throws -> [LightDevice] {
            let relays = hosts.map(\.address)
            let contexts = try relays.map { relay in
                try SyncSecurity(certificate: certificate) { $0 == relay.fingerprint }
                    .context(peer: "\(relay.hostAndPort)")
            }
            var sealers: [SpaceID: SpaceSealer] = [:]
            var devices: [LightDevice] = []
            for number in 0..<count {
                let space = space(number)
                let sealer = try sealers[space] ?? SpaceSealer(secret, of: space)
                sealers[space] = sealer
                devices.append(
                    LightDevice(number, space: space, sealer: sealer, delivered: delivered))
            }
            var next = 0
            var failure: String?
            func dial() {
                guard next < devices.count else { return }
                let (device, index) = (devices[next], next % relays.count)
                next += 1
                Dialer(
                    on: loop, to: relays[index].hostAndPort, security: contexts[index],
                    options: LinkOptions.session
                ) { result in
                    do {
                        try device.start(on: try result.get())
                    } catch {
                        failure = "\(error)"
                        loop.stop()
                    }
                    dial()
                }
            }
            for _ in 0..<Self.dialCountMax { dial() }
            try wait(loop, "sessions") {
                if let failure { throw BenchError.failed(failure) }
                return devices.allSatisfy { $0.downloadDoneCount > 0 }
            }
            return devices
        }

        /// Runs the loop until something is so.
        func wait(
            _ loop: EventLoop, _ what: String, until condition: @escaping () throws -> Bool
        ) throws {
            let deadline = Cost.wall + 120
            var error: (any Error)?
            func look() {
                do {
                    if try condition() { return loop.stop() }
                    if Cost.wall > deadline { throw BenchError.failed("no \(what) in time") }
                } catch let found {
                    error = found
                    return loop.stop()
                }
                loop.schedule(after: .milliseconds(2)) { look() }
            }
            loop.schedule(after: .zero) { look() }
            try loop.run()
            if let error { throw error }
        }

        // MARK: Fan-out

        private func fanOut(_ side: Side) throws {
            let host = try RelayHost(
                folder: scratch.path + "/\(side.name)fan-out", store: side.store)
            defer { host.stop() }
            let loop = try EventLoop()
            let devices = try connect(loop, [host], count: size.subscriberCount) { _ in space(0) }
            let store = try create("\(side.name)uploader", space(0))
            let items = (0..<size.changeCount).map(SampleToDo.init)
            try store.write { transaction in
                for item in items {
                    try transaction.insert(item.assignments, into: Benchmarks.todo, id: item.id)
                }
            }
            let uploader = try RelayCaller(store, on: loop, secret, certificate)
            let (cpu, wall) = (host.cpuSeconds, Cost.wall)
            try uploader.call(host.address)
            var (last, lastAt) = (0, Cost.wall)
            try wait(loop, "deliveries") {
                let sum = devices.reduce(0) { $0 + $1.changeByteCount }
                if sum > last { (last, lastAt) = (sum, Cost.wall) }
                let isSettled = Cost.wall - lastAt > 0.3
                return sum > 0 && uploader.report.isCaughtUp && isSettled
            }
            let seconds = lastAt - wall
            let all = try Set(Set(devices.map(\.batches)).map { try delivered.changes(in: $0) })
            // Of what a relay sends, only a device knows which record it is.
            let isWhole = all.allSatisfy { Set($0.map(\.name)).count >= items.count }
            let deliveries = Double(size.changeCount * size.subscriberCount)
            let spent = host.cpuSeconds - cpu
            note(
                "relay_\(side.name)fan_out",
                [
                    ("subscribers", Double(size.subscriberCount)),
                    ("changes", Double(size.changeCount)), ("wall_s", seconds),
                    ("deliveries_per_second", deliveries / seconds),
                    ("relay_cpu_s", spent), ("relay_cpu_us_per_delivery", spent * 1e6 / deliveries),
                    ("deliveries_per_relay_cpu_second", deliveries / max(spent, 0.01)),
                    (
                        "bytes_per_change",
                        Double(last) / deliveries
                    ),
                    ("equal_for_all", all.count == 1 && isWhole ? 1 : 0),
                    ("batches_for_one_max", Double(devices.map(\.batches.count).max() ?? 0)),
                    ("different_batches", Double(delivered.count)),
                    ("relay_resident_mib", Double(host.residentByteCount) / 1_048_576),
                ])
            for device in devices { device.close() }
            uploader.close()
        }

        // MARK: Latency

        private func latency(_ side: Side) throws {
            let hosts = try hosts(side, "latency")
            defer { for host in hosts { host.stop() } }
            let host = hosts[0]
            let loop = try EventLoop()
            let live = space(1 << 32)
            let writer = try RelayCaller(
                try create("\(side.name)writer", live), on: loop, secret, certificate)
            let reader = try RelayCaller(
                try create("\(side.name)reader", live), on: loop, secret, certificate)
            try writer.call(host.address)
            // On a database the reader is at another process than the writer.
            try reader.call(hosts[hosts.count - 1].address)
            try wait(loop, "first sync") { writer.report.isCaughtUp && reader.report.isCaughtUp }
            let id = SampleToDo(1).id
            try writer.edit {
                try $0.insert(SampleToDo(1).assignments, into: Benchmarks.todo, id: id)
            }
            try wait(loop, "first edit") { reader.report.changedCount == 1 }
            let cpu = host.cpuSeconds
            var times: [Double] = []
            var startedAt = 0.0
            func edit() {
                startedAt = Cost.wall
                do {
                    try writer.edit {
                        try $0.update(
                            RecordName(.number(1), id),
                            [Assignment(.number(2), .text("edit \(times.count)"))])
                    }
                } catch {
                    loop.stop()
                }
            }
            reader.onChange = { [size] in
                guard startedAt > 0 else { return }
                times.append(Cost.wall - startedAt)
                startedAt = 0
                guard times.count < size.editCount else { return loop.stop() }
                loop.schedule(after: .milliseconds(2)) { edit() }
            }
            loop.schedule(after: .milliseconds(50)) { edit() }
            loop.schedule(after: .seconds(60)) { loop.stop() }
            try loop.run()
            guard times.count == size.editCount else { throw BenchError.failed("edits were lost") }
            let spent = host.cpuSeconds - cpu
            times.sort()
            note(
                "relay_\(side.name)live_edit",
                [
                    ("count", Double(times.count)), ("p50_ms", times[times.count / 2] * 1000),
                    ("p99_ms", times[times.count * 99 / 100] * 1000),
                    ("relay_cpu_us_per_edit", spent * 1e6 / Double(times.count)),
                    ("flush_p50_ms", try flushSeconds() * 1000),
                ])
            reader.close()
            writer.close()
        }

        /// Measures one flush of a file on this disk at this time: a live edit waits for several.
        private func flushSeconds() throws -> Double {
            let descriptor = open(scratch.path + "/flushed", O_WRONLY | O_CREAT | O_APPEND, 0o600)
            guard descriptor >= 0 else { throw BenchError.failed("no file to flush") }
            defer { close(descriptor) }
            let page = [UInt8](repeating: 1, count: 4096)
            let times = (0..<51).map { _ in
                let start = Cost.wall
                _ = write(descriptor, page, page.count)
                _ = fdatasync(descriptor)
                return Cost.wall - start
            }
            return times.sorted()[25]
        }

        private func create(_ name: String, _ space: SpaceID) throws -> Store {
            try Store.create(
                folder: scratch.path + "/" + name, schema: Benchmarks.schema, space: space,
                deviceName: name, environment: SystemEnvironment.environment())
        }
    }
#endif
