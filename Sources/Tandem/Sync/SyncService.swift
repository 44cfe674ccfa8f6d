import Devices
import Storage
import Synchronization
import Transport

/// Keeps a store in sync for as long as it runs, on a thread of its own: with every device and relay that
/// is known, all at once, and with those that call.
///
/// Edits leave as they are committed, also those of other processes; what comes is committed, and wakes
/// the live results of every store on the folder. A connection that breaks is made again: at once, then
/// after 1 to 30 seconds, and everything is tried every 20 minutes or so.
///
/// ```swift
/// let service = SyncService(for: store, peers: ["desk.local:7717"])
/// try await service.start()
/// for await status in service.statuses { show(status) }
/// ```
///
/// From the start on, the process ignores SIGPIPE: a peer that goes away must not end it.
public final class SyncService: Sendable {
    private let settings: SyncSettings
    private let core = SyncCore()

    /// A service for a store's folder; `start` begins.
    ///
    /// - Parameters:
    ///   - store: the store; the service opens the folder once more for itself.
    ///   - peers: addresses of devices and relays beside those that pairing has made known.
    ///   - listening: where calls are answered, as `0.0.0.0:7717`; nil for nowhere.
    ///   - allowsPlainTCP: whether plain TCP may leave this machine: anybody on the way can read and change
    ///     everything then.
    public init(
        for store: TandemStore, peers: [String] = [], listening: String? = nil,
        allowsPlainTCP: Bool = false
    ) {
        settings = SyncSettings(
            folder: store.folder, schema: store.schema, options: store.options, peers: peers,
            listening: listening, allowsPlainTCP: allowsPlainTCP)
    }

    deinit {
        core.stop {}
    }

    /// Starts; returns once it runs.
    ///
    /// - Throws: `alreadyRunning` if a service or a daemon runs for this folder or something else listens
    ///   there; `nobodyKnown` if there is nobody to call, and nobody can; `badAddress`, `noStore`, `badSchema`, `noEncryption`, `inputOutput`,
    ///   `unusableKeys`.
    public func start() async throws(TandemError) {
        let result = await withCheckedContinuation { continuation in
            core.start(settings) { continuation.resume(returning: $0) }
        }
        if let result { throw result }
    }

    /// Ends all sessions in order, and returns when the service runs no more.
    public func stop() async {
        await withCheckedContinuation { continuation in
            core.stop { continuation.resume() }
        }
    }

    /// Looks at the store now, and tries every contact that is not connected.
    ///
    /// Commits are noticed without; this is for what an app knows, as that the network is back.
    public func notify() {
        core.onLoop { $0.tryAll() }
    }

    /// How things stand.
    public var status: SyncStatus { core.status }

    /// How things stand, now and whenever that changes; it ends when the service ends.
    ///
    /// A slow reader misses the statuses in between, and gets the latest.
    public var statuses: AsyncStream<SyncStatus> { core.statuses() }
}

/// How things stand with a ``SyncService``.
public struct SyncStatus: Hashable, Sendable {
    /// Whether the service runs.
    public internal(set) var isRunning = false
    /// Every device and relay that it calls.
    public internal(set) var contacts: [DaemonStatus.Contact] = []
    /// Where calls are answered; nil if they are not.
    public internal(set) var listening: String?
    /// How many devices that called are connected.
    public internal(set) var callCount = 0
    /// Why the service ended by itself; nil if it did not.
    public internal(set) var problem: TandemError?
}
