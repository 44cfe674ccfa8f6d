import Core

/// A request to the daemon of a store, a line on its socket.
package enum ControlRequest: Hashable, Sendable {
    /// How things stand.
    case status
    /// Something was committed.
    case notify
    /// Try every contact that is not connected.
    case syncNow
    /// Leave everybody alone for so many seconds.
    case pause(seconds: Int)
    /// End a pause.
    case resume
    /// A question: which devices have a record.
    case sightings(RecordName)

    /// The line, without its end.
    package var line: String {
        switch self {
        case .status: "status"
        case .notify: "notify"
        case .syncNow: "sync"
        case .pause(let seconds): "pause \(seconds)"
        case .resume: "resume"
        case .sightings(let name):
            "seen \(name.id) \(Hexadecimal.text(name.collection.canonicalBytes))"
        }
    }

    /// Reads a line; nil if it is none of these.
    init?(line: String) {
        let words = line.split(separator: " ")
        switch (words.first, words.dropFirst().first) {
        case ("status", nil): self = .status
        case ("notify", nil): self = .notify
        case ("sync", nil): self = .syncNow
        case ("pause", let count?):
            guard let seconds = Int(count) else { return nil }
            self = .pause(seconds: seconds)
        case ("resume", nil): self = .resume
        case ("seen", let text?):
            guard words.count == 3, let id = RecordID(String(text)),
                let collection = Hexadecimal.bytes(String(words[2]))
                    .flatMap(CollectionID.init(canonicalBytes:))
            else { return nil }
            self = .sightings(RecordName(collection, id))
        default: return nil
        }
    }
}

/// Why a daemon refuses a request.
package enum ControlRefusal: UInt64, Hashable, Sendable {
    /// A newer or older program sent it.
    case unknownRequest = 1
    /// It is paused.
    case paused = 2
    /// A pause is shorter or longer than it may be.
    case pauseTooLong = 3
    /// There is no such record.
    case noSuchRecord = 4
}

/// The answer of a daemon: a kind, and what belongs to it, in CBOR.
package enum ControlAnswer: Hashable, Sendable {
    /// It was done.
    case done
    /// It was not.
    case refused(ControlRefusal)
    /// How things stand.
    case status(DaemonStatus)
    /// The devices that have a record.
    case sightings(RecordSightings)

    private static let countMax = 1 << 16

    /// The bytes.
    var bytes: [UInt8] {
        var writer = CanonicalWriter()
        switch self {
        case .done: writer.unsigned(0)
        case .refused(let why):
            writer.unsigned(1)
            writer.unsigned(why.rawValue)
        case .status(let status):
            writer.unsigned(2)
            status.write(to: &writer)
        case .sightings(let found):
            writer.unsigned(3)
            writer.bool(found.isStored)
            writer.array(found.devices.count)
            for device in found.devices {
                writer.identifier(device.replica.value)
                writer.bool(device.hasIt)
            }
        }
        return writer.bytes
    }

    /// Reads them.
    init(_ bytes: [UInt8]) throws(WireFault) {
        var result: Result<ControlAnswer, WireFault> = .failure(.truncated)
        bytes.withUnsafeBytes { buffer in
            var reader = CanonicalReader(buffer)
            do throws(WireFault) {
                let answer = try Self.read(&reader)
                try reader.finish()
                result = .success(answer)
            } catch {
                result = .failure(error)
            }
        }
        self = try result.get()
    }

    private static func read(
        _ reader: inout CanonicalReader
    ) throws(WireFault) -> ControlAnswer {
        switch try reader.unsigned(max: 3, .kind) {
        case 0: return .done
        case 1:
            let number = try reader.unsigned()
            guard let why = ControlRefusal(rawValue: number) else {
                throw .outOfRange(.reason)
            }
            return .refused(why)
        case 2: return .status(try DaemonStatus(&reader))
        default:
            let isStored = try reader.bool()
            var devices: [RecordSightings.Sighting] = []
            for _ in 0..<(try reader.array(max: countMax, .list)) {
                devices.append(
                    RecordSightings.Sighting(
                        replica: ReplicaID(value: try reader.identifier()),
                        hasIt: try reader.bool()))
            }
            return .sightings(RecordSightings(isStored: isStored, devices: devices))
        }
    }
}

extension DaemonStatus {
    private static let textByteCountMax = 1 << 16
    private static let contactCountMax = 1 << 12

    fileprivate func write(to writer: inout CanonicalWriter) {
        writer.integer(started)
        writer.integer(Int64(process))
        writer.optional(pausedUntil) { $0.integer($1) }
        writer.unsigned(sequence)
        writer.integer(Int64(callCount))
        writer.array(contacts.count)
        for contact in contacts {
            writer.text(contact.address)
            writer.bool(contact.isRelay)
            contact.state.write(to: &writer)
            writer.bool(contact.isCaughtUp)
            writer.bool(contact.isWithheld)
            for count in [contact.sentCount, contact.receivedCount, contact.unreadableCount] {
                writer.integer(Int64(count))
            }
            writer.optional(contact.lastComplete) { $0.integer($1) }
            writer.optional(contact.storedThrough) { $0.unsigned($1) }
            writer.optional(contact.replica) { $0.identifier($1.value) }
        }
        // A status without a page and a gateway is as long as those of programs that know none.
        for served in gateway == nil ? page.map({ [$0] }) ?? [] : [page, gateway] {
            writer.unsigned(UInt64(served?.port ?? 0))
            writer.unsigned(served?.state.rawValue ?? 0)
        }
    }

    fileprivate init(_ reader: inout CanonicalReader) throws(WireFault) {
        started = try reader.integer()
        process = Int32(clamping: try reader.integer())
        pausedUntil = reader.null() ? nil : try reader.integer()
        sequence = try reader.unsigned()
        callCount = Int(clamping: try reader.integer())
        var contacts: [Contact] = []
        for _ in 0..<(try reader.array(max: Self.contactCountMax, .list)) {
            contacts.append(
                Contact(
                    address: try reader.text(max: Self.textByteCountMax, .text),
                    isRelay: try reader.bool(), state: try ContactState(&reader),
                    isCaughtUp: try reader.bool(), isWithheld: try reader.bool(),
                    sentCount: Int(clamping: try reader.integer()),
                    receivedCount: Int(clamping: try reader.integer()),
                    unreadableCount: Int(clamping: try reader.integer()),
                    lastComplete: reader.null() ? nil : try reader.integer(),
                    storedThrough: reader.null() ? nil : try reader.unsigned(),
                    replica: reader.null() ? nil : ReplicaID(value: try reader.identifier())))
        }
        self.contacts = contacts
        page = try Self.served(&reader)
        gateway = try Self.served(&reader)
    }

    /// A page, or a gateway; nil if there is none, for which there is port 0, or nothing.
    private static func served(_ reader: inout CanonicalReader) throws(WireFault) -> Page? {
        guard reader.remaining > 0 else { return nil }
        let port = try reader.unsigned(max: UInt64(UInt16.max), .kind)
        let number = try reader.unsigned()
        guard let state = Page.State(rawValue: number) else { throw .outOfRange(.kind) }
        return port == 0 ? nil : Page(port: UInt16(port), state: state)
    }
}

extension ContactState {
    fileprivate func write(to writer: inout CanonicalWriter) {
        switch self {
        case .idle: writer.unsigned(0)
        case .dialing: writer.unsigned(1)
        case .connected: writer.unsigned(2)
        case .waiting(let cause, let seconds):
            writer.unsigned(3)
            cause.write(to: &writer)
            writer.integer(Int64(seconds))
        case .finished: writer.unsigned(4)
        case .failed(let cause):
            writer.unsigned(5)
            cause.write(to: &writer)
        }
    }

    fileprivate init(_ reader: inout CanonicalReader) throws(WireFault) {
        switch try reader.unsigned(max: 5, .kind) {
        case 0: self = .idle
        case 1: self = .dialing
        case 2: self = .connected
        case 3:
            let cause = try ContactCause(&reader)
            self = .waiting(cause, seconds: Int(clamping: try reader.integer()))
        case 4: self = .finished
        default: self = .failed(try ContactCause(&reader))
        }
    }
}

extension ContactCause {
    private static let textByteCountMax = 1 << 16

    fileprivate func write(to writer: inout CanonicalWriter) {
        writer.text(code)
        writer.optional(number) { $0.integer($1) }
        writer.optional(reason) { $0.unsigned($1) }
        writer.text(words)
    }

    fileprivate init(_ reader: inout CanonicalReader) throws(WireFault) {
        let code = try reader.text(max: Self.textByteCountMax, .text)
        let number = reader.null() ? nil : try reader.integer()
        let reason = reader.null() ? nil : try reader.unsigned()
        self.init(
            code: code, number: number, reason: reason,
            words: try reader.text(max: Self.textByteCountMax, .text))
    }
}

extension CanonicalWriter {
    fileprivate mutating func optional<T>(
        _ value: T?, _ body: (inout CanonicalWriter, T) -> Void
    ) {
        if let value { body(&self, value) } else { null() }
    }
}
