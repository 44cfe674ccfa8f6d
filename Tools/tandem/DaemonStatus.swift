import Devices
import FoundationEssentials
import Storage

/// How the daemon of a store says that things stand.
struct DaemonStatus: Decodable {
    /// How things stand with one relay or device.
    struct Contact: Decodable {
        let address: String
        let relay: Bool
        let state: String
        let why: String?
        let caughtUp: Bool
        let withheld: Bool
        let unreadable: Int
        /// Milliseconds since 1970-01-01 UTC.
        let lastComplete: Int64?
        /// How far the relay has stored this store's changes.
        let stored: UInt64?

        /// The address without the fingerprint, for people.
        var place: String { String(address.prefix { $0 != "#" }) }

        /// How many changes are to be sent there; nil if it never said how far it has all.
        func unsentCount(_ workplace: Workplace) throws -> Int? {
            let store = workplace.store
            // A sync by hand tells more than a daemon that is paused.
            let noted = try store.replica(at: address).flatMap { try store.sentThrough(to: $0) }
            guard let through = [stored, noted].compactMap(\.self).max() else { return nil }
            return try store.changedCount(after: through)
        }

        /// Whether nothing is wrong with it.
        var isWell: Bool { state == "connected" && caughtUp && !withheld && unreadable == 0 }
    }

    let started: Int64
    let pausedUntil: Int64?
    let sequence: UInt64
    let calls: Int
    let contacts: [Contact]

    /// Asks the daemon of a store; nil if none runs.
    static func ask(in folder: String) -> (status: DaemonStatus, text: String)? {
        guard let text = ControlClient.ask("status", in: folder),
            let status = try? JSONDecoder().decode(DaemonStatus.self, from: Data(text.utf8))
        else { return nil }
        return (status, text)
    }

    /// Sends a request that has no other answer than whether it was done.
    static func tell(_ request: String, in folder: String) throws {
        struct Answer: Decodable { let error: String? }
        guard let text = ControlClient.ask(request, in: folder) else {
            throw CommandFailure(
                .unavailable, "no daemon runs for this store; start one: tandem daemon")
        }
        if let error = try? JSONDecoder().decode(Answer.self, from: Data(text.utf8)).error {
            throw CommandFailure(.refused, error)
        }
    }
}
