import Core
import Crypto
import Storage
import Transport

/// A join, a revocation or a refusal of a device, as this one knows it.
package struct DeviceEvent: Hashable, Sendable {
    /// An event; its raw value is the code for programs.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A device came into the space; read from its record.
        case joined
        /// A device was taken out of the space; read from the record of the one that did it.
        case revoked
        /// This device let a device in that showed a pairing code.
        case admitted
        /// This device refused another.
        case refused
        /// This device was refused.
        case refusedHere = "refused-here"
    }

    /// The event.
    package let kind: Kind
    /// When, by the clock of the device that wrote it; of several the last; milliseconds since 1970-01-01 UTC.
    package let time: Int64
    /// How often it happened.
    package var count = 1
    /// The name of the device that it happened to; nil if it is not known.
    package var device: String?
    /// The key that the device showed; nil if it showed none.
    package var fingerprint: Fingerprint?
    /// The name of the device that did it; nil where it was this one, or nobody says.
    package var author: String?
    /// The address, without the port that changes with each connection; nil if it is not known.
    package var address: String?
    /// The cause of a refusal; nil where none was named.
    package var reason: PeerError.Reason?
}

/// The notes of a device about those that it let in or refused: kept on this device alone, and bounded.
///
/// Joins and revocations are in the records of the space as well, and stay there when this log is full.
package enum DeviceLog {
    /// The most notes of one kind about devices that a record names, and as many about all others; a new one drops the
    /// oldest, and so a stranger with a new key for each connection drops none of a known device.
    package static let kindCountMax = 100
    /// A refusal like the one before counts with it if it comes within so many milliseconds.
    package static let repeatMilliseconds: Int64 = 3_600_000

    private static let namespace = "device-log"

    /// Notes that a device was let in or refused here; a note that cannot be written is left out.
    package static func note(
        _ kind: DeviceEvent.Kind, fingerprint: Fingerprint?, name: String = "", address: String,
        reason: PeerError.Reason? = nil, at time: Int64, in store: Store
    ) {
        let note = Note(
            kind: kind, time: time, count: 1, fingerprint: fingerprint, name: name,
            address: address, reason: reason)
        try? keep(note, in: store)
    }

    private static func keep(_ note: Note, in store: Store) throws(StoreFault) {
        var note = note
        let directory = try DeviceDirectory(store)
        func isKnown(_ note: Note) -> Bool {
            note.fingerprint.map { directory[$0] != nil } ?? false
        }
        let before = try notes(in: store)
            .filter { $0.value.kind == note.kind && isKnown($0.value) == isKnown(note) }
            .sorted { ($0.value.time, $0.key) < ($1.value.time, $1.key) }
        var dropped = before.dropLast(kindCountMax - 1).map(\.key)
        if let same = before.last(where: { $0.value.repeats(note) }) {
            note.count = same.value.count.plus(1)
            dropped.append(same.key)
        }
        let name = "\(note.kind.rawValue) \(SystemEnvironment.random())"
        let content = note.content
        try store.edit { transaction throws(StoreFault) in
            for old in dropped {
                try transaction.setLocalMetadata(nil, named: old, in: namespace)
            }
            try transaction.setLocalMetadata(content, named: name, in: namespace)
        }
    }

    /// The notes, in no order.
    static func notes(in store: Store) throws(StoreFault) -> [String: Note] {
        try store.localMetadata(in: namespace).compactMapValues { Note($0) }
    }

    /// A note: its fields by lines.
    struct Note: Hashable {
        let kind: DeviceEvent.Kind
        let time: Int64
        var count: Int
        let fingerprint: Fingerprint?
        /// The name by which the device asked; empty if it said none.
        let name: String
        let address: String
        let reason: PeerError.Reason?

        var content: [UInt8] {
            let lines = [
                kind.rawValue, "\(time)", "\(count)",
                fingerprint.map { Hexadecimal.text($0.bytes) } ?? "",
                reason.map { "\($0.rawValue)" } ?? "", Hexadecimal.text(name.utf8), address,
            ]
            return Array(lines.joined(separator: "\n").utf8)
        }

        /// Whether another one is the same but for its time, and soon after.
        func repeats(_ other: Note) -> Bool {
            kind == other.kind && fingerprint == other.fingerprint && address == other.address
                && reason == other.reason
                && other.time.minus(time).magnitude <= DeviceLog.repeatMilliseconds.magnitude
        }
    }
}

extension DeviceLog.Note {
    init?(_ content: [UInt8]) {
        let lines = String(decoding: content, as: UTF8.self).split(
            separator: "\n", maxSplits: 6, omittingEmptySubsequences: false)
        guard lines.count == 7, let kind = DeviceEvent.Kind(rawValue: String(lines[0])),
            let time = Int64(lines[1]), let count = Int(lines[2]),
            let name = Hexadecimal.bytes(lines[5])
        else { return nil }
        self.init(
            kind: kind, time: time, count: count,
            fingerprint: Hexadecimal.bytes(String(lines[3])).flatMap { Fingerprint(bytes: $0) },
            name: String(decoding: name, as: UTF8.self), address: String(lines[6]),
            reason: UInt64(lines[4]).flatMap { PeerError.Reason(rawValue: $0) })
    }
}

extension Device {
    /// Returns the joins, revocations and refusals that this device knows of, the latest first: what the records of the
    /// space say, and what it noted itself.
    package func deviceEvents() throws(StoreFault) -> [DeviceEvent] {
        let directory = try directory()
        var events: [DeviceEvent] = []
        for record in try store.deviceRecords() where !record.verdict.isPurged {
            events += try Self.events(of: record, directory, in: store)
        }
        // All replicas of one device show one key: it came with the first of them. Who puts it out says so in several records.
        struct Fact: Hashable {
            let kind: DeviceEvent.Kind
            let key: Fingerprint?
            let author: String?
        }
        var known: Set<Fact> = []
        events.sort { $0.time < $1.time }
        events = events.filter { event in
            let author = event.kind == .revoked ? event.author : nil
            return known.insert(Fact(kind: event.kind, key: event.fingerprint, author: author))
                .inserted
        }
        for note in try DeviceLog.notes(in: store).values {
            events.append(
                DeviceEvent(
                    kind: note.kind, time: note.time, count: note.count,
                    device: note.fingerprint.flatMap { directory[$0]?.name }
                        ?? (note.name.isEmpty ? nil : note.name),
                    fingerprint: note.fingerprint,
                    address: note.address.isEmpty ? nil : note.address, reason: note.reason))
        }
        for note in try RefusalNote.all(in: store) {
            events.append(
                DeviceEvent(
                    kind: .refusedHere, time: note.time, address: note.address, reason: note.reason)
            )
        }
        return events.sorted {
            ($1.time, $0.kind.rawValue, $0.address ?? "") < (
                $0.time, $1.kind.rawValue, $1.address ?? ""
            )
        }
    }

    /// The events that a device's record tells: that it came, and whom it took out.
    private static func events(
        of stored: Record, _ directory: DeviceDirectory, in store: Store
    ) throws(StoreFault) -> [DeviceEvent] {
        var events: [DeviceEvent] = []
        let record = stored.record
        let shown = record.survivors(of: .number(DeviceField.fingerprint)).last
        if case .bytes(let bytes)? = shown?.value, let fingerprint = Fingerprint(bytes: bytes),
            let write = record.survivors(of: .number(DeviceField.invite)).first?.write
                ?? shown?.write
        {
            events.append(
                DeviceEvent(
                    kind: .joined, time: write.timestamp.milliseconds,
                    device: directory[fingerprint]?.name, fingerprint: fingerprint))
        }
        record.forEachRegister { field, survivors in
            guard case .element(.number(DeviceField.revoked), .bytes(let bytes)) = field,
                let fingerprint = Fingerprint(bytes: bytes), let write = survivors.first?.write
            else { return }
            let author = write.dot.replica
            events.append(
                DeviceEvent(
                    kind: .revoked, time: write.timestamp.milliseconds,
                    device: directory[fingerprint]?.name, fingerprint: fingerprint,
                    author: author == store.replica
                        ? nil : directory[author]?.name ?? Device.name(author)))
        }
        return events
    }
}
