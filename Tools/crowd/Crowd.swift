#if Encryption
    import Core
    import Devices
    import Glibc
    import JSON
    import Session
    import Storage
    import Transport

    /// All devices of this process on one loop, until its standard input ends.
    final class Crowd {
        /// How many devices meet a relay at a time while all do so in turn.
        private static let roundCountMax = 32
        /// The most different texts of failures that are written down.
        private static let failureCountMax = 10_000

        private let folder: String
        private let name: String
        private let loop: EventLoop
        private let relays: [RelayAddress]
        private let writesPerSecond: Double
        private let log: WriteLog
        private var devices: [CrowdDevice] = []
        private var chance: CrowdChance
        private var isCalm = false
        private var input: [UInt8] = []
        private var failures: Set<String> = []
        /// Counts for `stats`, by their names.
        private var counts: [String: Int] = [:]

        init(
            folder: String, name: String, seed: UInt64, writesPerSecond: Double, relays: [String]
        ) throws {
            self.folder = folder
            self.name = name
            self.writesPerSecond = writesPerSecond
            self.relays = try relays.map { try RelayAddress(parsing: $0) }
            loop = try EventLoop()
            log = try WriteLog(path: "\(folder)/written-\(name)")
            chance = CrowdChance(seed: seed ^ SystemEnvironment.random() >> 32)
            for member in try Self.members("\(folder)/plan-\(name)") {
                let device = try CrowdDevice(
                    member, in: folder, seed: seed, after: log.lastNumbers[member.device] ?? 0,
                    on: loop)
                device.ended = { [unowned self] in note($0, $1) }
                device.caughtUp = { [unowned self] in count("caughtUp") }
                devices.append(device)
            }
        }

        private static func members(_ path: String) throws -> [CrowdDevice.Member] {
            guard let file = fopen(path, "r") else { throw CrowdFault.failed("no \(path)") }
            defer { fclose(file) }
            var members: [CrowdDevice.Member] = []
            var line = [CChar](repeating: 0, count: 256)
            while fgets(&line, 256, file) != nil {
                let text = String(
                    decoding: line.prefix { $0 != 0 && $0 != 0x0a }.map { UInt8(bitPattern: $0) },
                    as: UTF8.self)
                let words = text.split(separator: " ").compactMap { Int($0) }
                guard words.count == 3, CrowdDevice.ownFields.contains(UInt32(words[2])) else {
                    throw CrowdFault.failed("\(path): \(text)")
                }
                members.append(
                    CrowdDevice.Member(device: words[0], space: words[1], field: UInt32(words[2])))
            }
            return members
        }

        /// Runs until its standard input ends.
        func run() throws {
            _ = fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK)
            _ = try loop.add(STDIN_FILENO, .readable) { [unowned self] _ in read() }
            for device in devices {
                loop.schedule(after: chance.time(0...1000)) { [unowned self] in roam(device) }
            }
            planWrite()
            tell([("ready", .number(devices.count))])
            try loop.run()
            for device in devices { device.close() }
        }

        private func count(_ name: String, _ number: Int = 1) {
            counts[name, default: 0] += number
        }

        // MARK: Turmoil

        /// Keeps a device at one relay after the other: mostly live, and now and then only until all is exchanged.
        private func roam(_ device: CrowdDevice) {
            guard !isCalm, !device.isCalling, let relay = relays.randomElement(using: &chance)
            else { return }
            let isLive = chance.happens(0.7)
            if isLive {
                loop.schedule(after: chance.time(500...12_000)) { device.hangUp() }
            }
            device.call(relay, isLive: isLive) { [unowned self] in
                if isCalm { return }
                loop.schedule(after: chance.time(50...1500)) { [unowned self] in roam(device) }
            }
        }

        private func planWrite() {
            let pause = max(1, Int(2000 / max(writesPerSecond, 0.01)))
            loop.schedule(after: chance.time(0...pause)) { [unowned self] in
                if isCalm { return }
                do {
                    try devices.randomElement(using: &chance)?.write(&chance, log)
                    count("writes")
                } catch {
                    CrowdMain.say("crowd: a store takes no write: \(error)")
                    exit(74)
                }
                planWrite()
            }
        }

        private func note(_ result: Result<SessionEnd, TransportError>, _ report: SessionReport) {
            count("sessions")
            count("sent", report.sentCount)
            count("received", report.receivedCount)
            switch result {
            case .success(.finished): break
            case .success(.lost): count("lost")
            case .success(.failed(let error, _)):
                count("error \(error.code)")
                note("\(error)")
            case .failure(let error):
                count("unreached")
                note("\(error)")
            }
        }

        /// Writes down each text that a person would be shown, once.
        private func note(_ text: String) {
            guard failures.count < Self.failureCountMax, failures.insert(text).inserted,
                let file = fopen("\(folder)/told-\(name)", "a")
            else { return }
            fputs(text + "\n", file)
            fclose(file)
        }

        // MARK: Orders

        private func read() {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else { return loop.stop() }
            input += buffer[..<count]
            while let end = input.firstIndex(of: 0x0a) {
                let line = String(decoding: input[..<end], as: UTF8.self)
                input.removeSubrange(...end)
                do {
                    try obey(line.split(separator: " ").map { String($0) })
                } catch {
                    CrowdMain.say("crowd: \(line): \(error)")
                    exit(70)
                }
            }
        }

        private func obey(_ words: [String]) throws {
            switch words.first {
            case "calm": calm()
            case "round": round()
            case "dump" where words.count > 1:
                try dump(words[1], Set(words[2...].compactMap { Int($0) }))
            case "stats": tell(counts.sorted { $0.key < $1.key }.map { ($0, .number($1)) })
            default: throw CrowdFault.failed("an unknown order")
            }
        }

        /// Writes no more, and ends all sessions.
        private func calm() {
            isCalm = true
            for device in devices { device.hangUp() }
            awaitCalm()
        }

        private func awaitCalm() {
            guard devices.contains(where: \.isCalling) else { return tell([("calm", .bool(true))]) }
            loop.schedule(after: .milliseconds(20)) { [unowned self] in awaitCalm() }
        }

        /// Has each device meet one relay until all is exchanged, and tells of each device what it has then.
        private func round() {
            var waiting = devices[...]
            var (activeCount, failed): (Int, [JSONValue]) = (0, [])
            func next() {
                guard let device = waiting.popFirst(),
                    let relay = relays.randomElement(using: &chance)
                else {
                    if activeCount == 0 { tellRound(failed) }
                    return
                }
                activeCount += 1
                var missing: String?
                device.ended = { [unowned self] result, report in
                    note(result, report)
                    missing = Self.missing(result, report)
                }
                device.call(relay, isLive: false) {
                    if let missing {
                        failed.append(.text("device \(device.member.device): \(missing)"))
                    }
                    activeCount -= 1
                    next()
                }
            }
            for _ in 0..<Self.roundCountMax where !waiting.isEmpty { next() }
            if devices.isEmpty { tellRound([]) }
        }

        /// Why a session did not exchange all; nil if it did.
        private static func missing(
            _ result: Result<SessionEnd, TransportError>, _ report: SessionReport
        ) -> String? {
            switch result {
            case .failure(let error): return "\(error)"
            case .success(.failed(let error, _)): return "\(error)"
            case .success(.lost): return "the connection broke"
            case .success(.finished): break
            }
            if report.held != nil { return "deletes are held" }
            if report.unreadableCount > 0 {
                return "\(report.unreadableCount) versions are unreadable"
            }
            if report.lacksSomething { return "writes are stated that did not come" }
            return report.isCaughtUp ? nil : "not all was exchanged"
        }

        private func tellRound(_ failed: [JSONValue]) {
            do {
                let digests = try devices.map { device in
                    JSONMember("\(device.member.device)", .text("\(try device.digest())"))
                }
                tell([("failed", .array(failed)), ("digests", .object(digests))])
            } catch {
                CrowdMain.say("crowd: a store cannot be read: \(error)")
                exit(74)
            }
        }

        private func dump(_ path: String, _ wanted: Set<Int>) throws {
            guard let file = fopen(path, "w") else { throw CrowdFault.failed("no \(path)") }
            for device in devices where wanted.contains(device.member.device) {
                for line in try device.lines() { fputs("\(device.member.device) \(line)\n", file) }
            }
            fclose(file)
            tell([("dumped", .text(path))])
        }

        /// Writes an answer, one line of JSON.
        private func tell(_ members: [(String, JSONValue)]) {
            var writer = JSONWriter()
            writer.append(.object(members.map { JSONMember($0.0, $0.1) }))
            let bytes = writer.bytes + [0x0a]
            var start = 0
            while start < bytes.count {
                let count = bytes[start...].withUnsafeBytes {
                    Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
                }
                guard count > 0 else { exit(74) }
                start += count
            }
        }
    }

    /// Why the devices of this process cannot go on.
    enum CrowdFault: Error, CustomStringConvertible {
        case failed(String)

        var description: String {
            switch self {
            case .failed(let text): text
            }
        }
    }
#endif
