import Core
import Devices
import Storage
import Transport

/// How things stand with a store's device, as far as it can know.
public struct StoreStatus: Sendable {
    /// A problem, and what it is about.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The kind of problem; later versions may have more.
        public enum Kind: Hashable, Sendable {
            /// This device was revoked.
            case revoked
            /// This device came with an invitation that another device had used.
            case usedCode
            /// This device is refused by a relay or a device.
            case refused
            /// A relay has not received the present secret, and may still let in a revoked device.
            case relayLacksSecret
            /// Changes were not sent to anybody.
            case unsent
            /// Records have open conflicts.
            case conflicts
            /// Changes could not be read, and are kept for a newer version.
            case deferred
            /// No service runs, and nobody was reached lately.
            case noRecentContact
            /// The keys of the space are on another device, and not here any more.
            case keysElsewhere
            /// This device came into the space, and has never yet had all that another device or a relay has.
            case firstExchangeDue
            /// The same, and the keys of the space never came: join with a new invitation.
            case keysMissing
            /// Sync is paused.
            case paused
            /// A service has trouble with a relay or device.
            case contact
            /// A device or relay states changes that it does not send, or that cannot be opened.
            case withheld
            /// Deletes are held here until a person accepts them.
            case deletesHeld
            /// Records that refused deletes took away could not be brought back: each is damaged or over a limit.
            case notBroughtBack
            /// Another device came with an invitation that was used before.
            case usedCodeElsewhere
            /// Another device holds deletes.
            case deletesHeldElsewhere
            /// A device is refused here, as by its word this one took a new identity too often within a day.
            case refusedDevice
            /// A device left a secret of the space that is ignored here, as its generation is too far ahead.
            case distantSecret
        }

        /// The kind of problem.
        public let kind: Kind
        /// The device or the address that it is about; nil if it is this device.
        public let subject: String?
        /// How many changes, records or deletes it is about.
        public let count: Int

        /// In words, for logs.
        public var description: String {
            "\(kind)" + (subject.map { " \($0)" } ?? "") + (count > 0 ? " (\(count))" : "")
        }

        init(_ problem: StatusProblem) {
            (kind, subject, count) =
                switch problem {
                case .revoked: (.revoked, nil, 0)
                case .usedCode: (.usedCode, nil, 0)
                case .refused(let note): (.refused, note.address, 0)
                case .relayLacksSecret(let relay): (.relayLacksSecret, "\(relay)", 0)
                case .unsent(let count, _): (.unsent, nil, count)
                case .conflicts(let count): (.conflicts, nil, count)
                case .deferred(let count): (.deferred, nil, count)
                case .noRecentContact: (.noRecentContact, nil, 0)
                case .keysElsewhere(let name): (.keysElsewhere, name, 0)
                case .firstExchangeDue(.withCode): (.keysMissing, nil, 0)
                case .firstExchangeDue: (.firstExchangeDue, nil, 0)
                case .paused: (.paused, nil, 0)
                case .contact(let contact, _): (.contact, contact.address, 0)
                case .withheldBy(let peer): (.withheld, peer.name, 0)
                case .missing(let entry): (.withheld, entry.speaker, 0)
                case .deletesHeld(let count): (.deletesHeld, nil, count)
                case .refusalUnsent: (.unsent, nil, 0)
                case .notBroughtBack(let count): (.notBroughtBack, nil, count)
                case .usedCodeOf(let device): (.usedCodeElsewhere, device.name, 0)
                case .deletesHeldBy(let device):
                    (.deletesHeldElsewhere, device.name, device.heldDeleteCount)
                case .refusedSpender(let spender):
                    (.refusedDevice, spender.name, spender.changeCount)
                case .distantSecret(let secret): (.distantSecret, secret.name, 0)
                }
        }
    }

    /// This device's name, as the other devices see it.
    public let deviceName: String
    /// Whether the store took a new identity when it was opened, as it may be a copy.
    public let hasNewIdentity: Bool
    /// Devices and relays, the latest first.
    public let peers: [PeerStatus]
    /// The problems; empty if all is well.
    public let problems: [Problem]
    /// The replica ids without a device record, by who first brought them; no problem by themselves.
    public let undocumented: [UndocumentedReplicas]
    /// Whether a service or daemon runs for the store.
    public let isServed: Bool
}

/// Where a record has arrived.
public struct RecordDelivery: Sendable {
    /// Whether a relay has stored it; nil if that is not known.
    public let isStoredByRelay: Bool?
    /// The devices that have it as it is here, and those that do not, by name.
    public let devices: [String: Bool]
    /// How many things keep it from being in sync; 0 if nothing does.
    public let obstacleCount: Int
}

/// A snapshot of a store.
public struct StoreSnapshot: Hashable, Sendable {
    /// Its number, as ``TandemStore/restore(from:deletesLater:)`` takes it.
    public let number: Int
    /// When it was taken; milliseconds since 1970-01-01 UTC.
    public let time: Int64
    /// Where it is.
    public let path: String
}

/// How things stand, and where records have arrived.
extension TandemStore {
    /// How things stand: whom this device has met, and what is not as it should be.
    ///
    /// - Throws: `notOpen`, `busy`, `damaged`, `inputOutput`.
    public func status() throws(TandemError) -> StoreStatus {
        let device = try openDevice()
        return try TandemError.mappingAny {
            let status = try DeviceStatus(of: device, now: SystemEnvironment.wallMilliseconds())
            return StoreStatus(
                deviceName: status.summary.deviceName,
                hasNewIdentity: status.cloneSuspicion != nil,
                peers: status.peers, problems: status.problems.map(StoreStatus.Problem.init),
                undocumented: status.undocumented, isServed: status.daemon != nil)
        }
    }

    /// Where a record has arrived, and whether anything keeps it from being in sync; nil if there is no such record.
    ///
    /// - Throws: `notOpen`, `busy`, `damaged`, `inputOutput`.
    public func progress(of name: RecordName) throws(TandemError) -> RecordDelivery? {
        let device = try openDevice()
        return try TandemError.mappingAny {
            guard let stored = try device.store.record(name) else { return nil }
            let found = try RecordProgress(of: stored, on: device)
            var devices: [String: Bool] = [:]
            for other in found.devices { devices[other.name] = other.reach == .whole }
            for receipt in found.receipts where !receipt.isRelay {
                devices[receipt.name] = receipt.hasIt
            }
            let relays = found.receipts.filter(\.isRelay)
            return RecordDelivery(
                isStoredByRelay: found.isStored
                    ?? (relays.isEmpty ? nil : relays.contains(where: \.hasIt)),
                devices: devices, obstacleCount: found.obstacles.count)
        }
    }
}
