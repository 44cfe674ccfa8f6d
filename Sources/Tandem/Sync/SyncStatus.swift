import Devices

/// How things stand with a ``SyncService``.
public struct SyncStatus: Hashable, Sendable {
    /// How things stand with a device or a relay.
    public enum State: Hashable, Sendable {
        /// Nothing was tried yet.
        case idle
        /// A connection is being made.
        case connecting
        /// Both are connected, and changes go both ways as they are made.
        case connected
        /// It is tried again in so many seconds; why it ended.
        case waiting(why: String, seconds: Int)
        /// It ended for a cause that somebody has to mend; it is tried again now and then.
        case failed(why: String)
    }

    /// A device or a relay.
    public struct Contact: Hashable, Sendable {
        /// Its address.
        public let address: String
        /// Whether it is a relay.
        public let isRelay: Bool
        /// How things stand.
        public let state: State
        /// Whether each side has all that the other had when it last looked.
        public let isCaughtUp: Bool
        /// How many records were sent in this session or the last one.
        public let sentCount: Int
        /// How many records were received in this session or the last one.
        public let receivedCount: Int
        /// When each side last had all that the other had; milliseconds since 1970-01-01 UTC.
        public let lastComplete: Int64?

        init(_ status: DaemonStatus.Contact) {
            address = status.address
            isRelay = status.isRelay
            state =
                switch status.state {
                case .idle, .finished: .idle
                case .dialing: .connecting
                case .connected: .connected
                case .waiting(let why, let seconds): .waiting(why: why, seconds: seconds)
                case .failed(let why): .failed(why: why)
                }
            isCaughtUp = status.isCaughtUp
            sentCount = status.sentCount
            receivedCount = status.receivedCount
            lastComplete = status.lastComplete
        }
    }

    /// Whether the service runs.
    public internal(set) var isRunning = false
    /// Every device and relay that it calls.
    public internal(set) var contacts: [Contact] = []
    /// Where calls are answered; nil if they are not.
    public internal(set) var listening: String?
    /// How many devices that called are connected.
    public internal(set) var callCount = 0
    /// Why the service ended by itself; nil if it did not.
    public internal(set) var problem: TandemError?
}
