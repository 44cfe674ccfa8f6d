import Core
import Storage

/// How things stand with a daemon, and with everybody it keeps in touch with.
public struct DaemonStatus: Hashable, Sendable {
    /// How things stand with one relay or device.
    public struct Contact: Hashable, Sendable {
        /// Its address, as a person writes it.
        public let address: String
        /// Whether it is a relay.
        public let isRelay: Bool
        /// Whether it is connected, and if not, why.
        public let state: ContactState
        /// Whether each side has all that the other had when it last looked.
        public let isCaughtUp: Bool
        /// Whether it states writes that it does not send.
        public let isWithheld: Bool
        /// How many records of the app were sent in this session or the last one.
        public let sentCount: Int
        /// How many records of the app were received in this session or the last one.
        public let receivedCount: Int
        /// How many of these no device of the space has sealed.
        package let unreadableCount: Int
        /// When each side last had all that the other had; milliseconds since 1970-01-01 UTC.
        public let lastComplete: Int64?
        /// How far into the store's sequence the other side has everything, by its own word.
        package let storedThrough: UInt64?
        /// The peer's replica; nil before it has stated it.
        package let replica: ReplicaID?

        /// The address without the fingerprint, for people.
        package var shownAddress: String { String(address.prefix { $0 != "#" }) }

        /// Whether nothing is wrong with it.
        package var isWell: Bool {
            state == .connected && isCaughtUp && !isWithheld && unreadableCount == 0
        }

        /// Whether it is being tried again.
        var isPassing: Bool {
            switch state {
            case .waiting, .dialing: true
            case .idle, .connected, .finished, .failed: false
            }
        }

        /// The contact's problem, if it is not well.
        package var problem: StatusProblem.ContactProblem {
            isWithheld ? .withholds : unreadableCount > 0 ? .unreadable : .state
        }

        /// How many changes are to be sent there; nil if it never said how far it has all.
        package func unsentCount(in store: Store) throws(StoreFault) -> Int? {
            // A sync by hand tells more than a daemon that is paused.
            var noted: UInt64?
            if let replica = try store.replica(at: address) {
                noted = try store.sentThrough(to: replica)
            }
            guard let through = [storedThrough, noted].compactMap(\.self).max() else { return nil }
            return try store.changedCount(after: through)
        }
    }

    /// How the local page, or the gateway for calendars, goes that the daemon serves.
    package struct Page: Hashable, Sendable {
        /// Whether it is there, and if not, why.
        package enum State: UInt64, Hashable, Sendable {
            /// Its program was started, and does not serve yet.
            case starting = 0
            /// It serves.
            case serving = 1
            /// Another program has the port; it is tried again now and then.
            case portTaken = 2
            /// Another process serves the page of this store; it is tried again now and then.
            case servedElsewhere = 3
            /// Its program ends again and again; the log of the daemon says how.
            case failing = 4
            /// The program that serves it is missing, or was built without HTTP.
            case noProgram = 5
        }

        /// Its port on this machine.
        package let port: UInt16
        /// Whether it is there.
        package let state: State

        /// A page on a port.
        package init(port: UInt16, state: State) {
            self.port = port
            self.state = state
        }

        /// Where it is.
        package var address: String { "http://127.0.0.1:\(port)/" }
    }

    /// When the daemon was started; milliseconds since 1970-01-01 UTC.
    package let started: Int64
    /// The number of its process.
    package let process: Int32
    /// When a pause ends; milliseconds since 1970-01-01 UTC.
    package let pausedUntil: Int64?
    /// The last arrival number of the store.
    package let sequence: UInt64
    /// How many sessions go on with devices that called.
    package let callCount: Int
    /// Everybody it keeps in touch with.
    package let contacts: [Contact]
    /// The local page that it serves; nil for none.
    package let page: Page?
    /// The gateway for calendars that it serves; nil for none.
    package let gateway: Page?

    /// Asks the daemon of a store; nil if none runs.
    package static func ask(in folder: String) -> DaemonStatus? {
        guard case .status(let status)? = ControlClient.ask(.status, in: folder) else {
            return nil
        }
        return status
    }
}

/// The devices that have a record as it is here, as far as a daemon knows.
package struct RecordSightings: Hashable, Sendable {
    /// A device that has said, through a relay, how far it has all.
    package struct Sighting: Hashable, Sendable {
        /// Its replica.
        package let replica: ReplicaID
        /// Whether it has the record as it is here.
        package let hasIt: Bool
    }

    /// Whether a relay has stored the record.
    package let isStored: Bool
    /// The devices, by replica.
    package let devices: [Sighting]

    /// Asks the daemon of a store; nil if none runs, or there is no such record.
    package static func ask(_ name: RecordName, in folder: String) -> RecordSightings? {
        guard case .sightings(let found)? = ControlClient.ask(.sightings(name), in: folder) else {
            return nil
        }
        return found
    }
}
