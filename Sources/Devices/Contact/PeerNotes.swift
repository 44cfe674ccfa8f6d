import Core
import Session
import Storage
import Transport

/// A refusal of this device at an address: time and reason.
///
/// Stored on this device alone, as a refused device receives nothing else that could report it.
package struct RefusalNote: Sendable, Equatable {
    /// How a refusal puts a device out; others, as of a relay that asks for a token, do not.
    private enum Kind {
        /// It does not prove the space's present secret at that address, or the operator of the relay there shuts it out.
        case access
        /// It belongs to the space no longer.
        case membership
    }

    /// By the wall clock; milliseconds since 1970-01-01 UTC.
    package let time: Int64
    /// Where it was refused, as a person writes it; nil if it was by somebody who came here.
    package let address: String?
    /// The cause.
    package let reason: PeerError.Reason
    /// The cause in the words of the side that refused it.
    package let message: String
    /// The next step, in the error's own text.
    package let advice: String

    private static let namespace = "refusals"
    /// The same refusal is not written down again so soon; milliseconds.
    private static let repeatMilliseconds: Int64 = 60_000
    /// Of so many addresses it is kept, the latest.
    private static let countMax = 32

    /// The first and the longest wait, in seconds, after a failure that needs a user.
    ///
    /// The first is short, as this device may have the space's next secret already.
    package static func all(in store: Store) throws(StoreFault) -> [RefusalNote] {
        try store.localMetadata(in: namespace).compactMap { RefusalNote($0, $1) }
            .sorted { ($1.time, $0.address ?? "") < ($0.time, $1.address ?? "") }
    }

    /// Forgets those that end when this device is let in at an address, or by somebody who came here.
    package static func drop(letInAt address: String?, in store: Store) throws(StoreFault) {
        let isByMember = address.map { !RelayAddress.isMeant(by: $0) } ?? true
        let ended = try all(in: store).filter {
            $0.address == address || isByMember && kind(of: $0.reason) == .membership
        }
        if ended.isEmpty { return }
        try store.edit { transaction throws(StoreFault) in
            for note in ended {
                try transaction.setLocalMetadata(nil, named: note.address ?? "", in: namespace)
            }
        }
    }

    /// Notes how a session ended, if this device was put out.
    package static func keep(
        _ end: SessionEnd, at address: String?, in store: Store
    ) throws(StoreFault) {
        guard case .failed(let error, let side) = end, side != .theirs, error.known == .refused,
            let reason = error.reason, let kind = kind(of: reason),
            kind == .membership || address != nil
        else { return }
        let note = RefusalNote(
            time: SystemEnvironment.wallMilliseconds(), address: address, reason: reason,
            message: String(error.message.map { $0.isNewline ? " " : $0 }), advice: error.advice)
        let known = try all(in: store)
        if let last = known.first(where: { $0.address == address }), last.reason == note.reason,
            abs(note.time - last.time) < repeatMilliseconds
        {
            return
        }
        let others = known.filter { $0.address != address }
        try store.edit { transaction throws(StoreFault) in
            for old in others.dropFirst(countMax - 1) {
                try transaction.setLocalMetadata(nil, named: old.address ?? "", in: namespace)
            }
            try transaction.setLocalMetadata(
                Array("\(note.time)\n\(reason.rawValue)\n\(note.message)\n\(note.advice)".utf8),
                named: address ?? "", in: namespace)
        }
    }

    private static func kind(of reason: PeerError.Reason) -> Kind? {
        switch reason {
        case .revoked, .codeUsed: .membership
        case .wrongProof, .oldGeneration, .putOut, .closedSpace: .access
        default: nil
        }
    }
}

extension RefusalNote {
    private init?(_ name: String, _ bytes: [UInt8]) {
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
        guard lines.count == 4, let time = Int64(lines[0]),
            let reason = UInt64(lines[1]).flatMap({ PeerError.Reason(rawValue: $0) })
        else { return nil }
        self.init(
            time: time, address: name.isEmpty ? nil : name, reason: reason,
            message: String(lines[2]), advice: String(lines[3]))
    }
}

/// Which secret of the space a relay has had when this device was last let in there: kept on this device alone.
package enum GenerationNote {
    private static let namespace = "generations"
    /// Of so many relays it is kept.
    package static let countMax = 32

    /// The generation of that secret; nil if this device was never let in at the address.
    package static func generation(
        at address: String, in store: Store
    ) throws(StoreFault) -> UInt32? {
        try store.localMetadata(in: namespace)[address].flatMap {
            UInt32(String(decoding: $0, as: UTF8.self))
        }
    }

    /// The generations of the secrets that relays have had.
    package static func generations(in store: Store) throws(StoreFault) -> Set<UInt32> {
        Set(
            try store.localMetadata(in: namespace).values.compactMap {
                UInt32(String(decoding: $0, as: UTF8.self))
            })
    }

    /// Notes that this device was let in with a secret, or knows that the relay has it or a later one.
    package static func keep(
        _ generation: UInt32, at address: String, in store: Store
    ) throws(StoreFault) {
        let known = try store.localMetadata(in: namespace)
        let content = Array(String(generation).utf8)
        if known[address] == content { return }
        try store.edit { transaction throws(StoreFault) in
            for other in known.keys.filter({ $0 != address }).sorted().dropFirst(countMax - 1) {
                try transaction.setLocalMetadata(nil, named: other, in: namespace)
            }
            try transaction.setLocalMetadata(content, named: address, in: namespace)
        }
    }
}

/// Whether this device has yet to have all that another one of its space, or a relay, has: kept on this device alone, from
/// the moment that it enters the space to the end of its first exchange.
package enum FirstExchangeNote {
    /// The entry that says so.
    package static let entry = (namespace: "first-exchange", name: "due")

    /// Whether that exchange has not ended yet.
    package static func isDue(in store: Store) throws(StoreFault) -> Bool {
        try store.localMetadata(named: entry.name, in: entry.namespace) != nil
    }

    /// Notes that the device enters a space, with the edits that take it there.
    package static func begin(_ transaction: Transaction) throws(StoreFault) {
        try transaction.setLocalMetadata([], named: entry.name, in: entry.namespace)
    }

    /// Notes that it has all that one of them has.
    package static func end(in store: Store) throws(StoreFault) {
        if try !isDue(in: store) { return }
        try store.edit { transaction throws(StoreFault) in
            try transaction.setLocalMetadata(nil, named: entry.name, in: entry.namespace)
        }
    }
}
