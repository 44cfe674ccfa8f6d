import Core
import Relay
import Replica
import Session

/// Which devices reach each other, and how long it takes.
struct Network {
    /// A one-way road between two devices.
    struct Road: Hashable {
        let from: Int
        let to: Int
    }

    private var blocked: Set<Road> = []
    /// The group of each device while the network is split.
    private var groups: [Int: Int]?
    private var delays: [Road: ClosedRange<Int64>] = [:]
    /// The longest that anything was ever to take; milliseconds.
    private(set) var longestDelay: Int64 = 0
    private var armedCuts: [Road: Int] = [:]
    private var armedFlips: Set<Road> = []
    private var armedUnknowns: Set<Road> = []
    private var armedLosses: Set<Road> = []

    /// The delay where nothing else is said; milliseconds.
    static let usualDelay: ClosedRange<Int64> = 1...1

    /// Whether anything gets from one device to another.
    func isOpen(_ from: Int, _ to: Int) -> Bool {
        if blocked.contains(Road(from: from, to: to)) { return false }
        guard let groups else { return true }
        // A device in no group is alone.
        return from == to || (groups[from] != nil && groups[from] == groups[to])
    }

    /// How long what leaves now is on its way, at least and at most; milliseconds.
    func delay(_ from: Int, _ to: Int) -> ClosedRange<Int64> {
        delays[Road(from: from, to: to)] ?? Self.usualDelay
    }

    mutating func setDelay(_ from: Int, _ to: Int, _ range: ClosedRange<Int64>) {
        delays[Road(from: from, to: to)] = range
        longestDelay = max(longestDelay, range.upperBound)
    }

    mutating func block(_ from: Int, _ to: Int) { blocked.insert(Road(from: from, to: to)) }
    mutating func unblock(_ from: Int, _ to: Int) { blocked.remove(Road(from: from, to: to)) }

    mutating func split(into groups: [[Int]]) {
        var numbers: [Int: Int] = [:]
        for (number, group) in groups.enumerated() {
            for deviceIndex in group { numbers[deviceIndex] = number }
        }
        self.groups = numbers
    }

    /// Ends every block, partition and delay.
    mutating func makeWhole() {
        let longestDelay = longestDelay
        self = Network()
        // Packets on their way keep their time of arrival.
        self.longestDelay = longestDelay
    }

    /// Has the next link between two devices break after so many bytes.
    mutating func armCut(_ first: Int, _ second: Int, bytes: Int) {
        armedCuts[Road(from: min(first, second), to: max(first, second))] = bytes
    }

    /// After how many bytes a new link between two devices breaks; it is asked for once.
    mutating func dequeueCut(_ first: Int, _ second: Int) -> Int? {
        armedCuts.removeValue(forKey: Road(from: min(first, second), to: max(first, second)))
    }

    /// Has a bit flip in what next goes from one device to another.
    mutating func armFlip(_ from: Int, _ to: Int) { armedFlips.insert(Road(from: from, to: to)) }

    /// Whether a bit is to flip in what leaves now; it is asked for once.
    mutating func dequeueFlip(_ from: Int, _ to: Int) -> Bool {
        armedFlips.remove(Road(from: from, to: to)) != nil
    }

    /// Has all be lost that goes from one device to another in the next session.
    mutating func armLoss(_ from: Int, _ to: Int) { armedLosses.insert(Road(from: from, to: to)) }

    /// Whether all is lost that goes this way in a new session; it is asked for once.
    mutating func dequeueLoss(_ from: Int, _ to: Int) -> Bool {
        armedLosses.remove(Road(from: from, to: to)) != nil
    }

    /// Has a message of a kind that nobody knows go before what next goes from one device to another.
    mutating func armUnknown(_ from: Int, _ to: Int) {
        armedUnknowns.insert(Road(from: from, to: to))
    }

    /// Whether such a message is to leave now; it is asked for once.
    mutating func dequeueUnknown(_ from: Int, _ to: Int) -> Bool {
        armedUnknowns.remove(Road(from: from, to: to)) != nil
    }
}

/// A connection between two devices, or of a device with itself.
final class SimulatedLink {
    /// One end.
    struct End {
        /// The device.
        let deviceIndex: Int
        var conversation: ConversationID?
        /// The conversation of a relay.
        var relaySession: RelayServerSessionID?
        /// How its session ended; nil while it goes on.
        var end: SessionEnd?
        var report = SessionReport()
        /// Counts what its session asked to be woken for; only the last counts.
        var wakeToken = 0
        /// When the last of what is on its way here arrives.
        var lastArrival: Int64 = 0
        /// How many packets are on their way here.
        var pendingCount = 0
        /// Packets that wait for the way to be free again.
        var held: [Packet] = []
        /// Whether anything was sent from here.
        var hasSpoken = false
        /// Whether the end of the link waits so, too.
        var isHangUpHeld = false
        /// Whether all that is sent here is lost, and the end of the link is not told.
        var isDeaf = false
        /// Records that arrivals have deleted since `massDeleteGuardSince`, and how many they have brought back.
        var deleted: Set<RecordName> = []
        var restoredCount = 0
        var massDeleteGuardSince: Int64 = 0
    }

    /// Its number in the world.
    let number: Int
    let isLive: Bool
    var ends: [End]
    /// After how many more bytes it breaks; nil if it does not.
    var byteCountLeft: Int?
    /// Whether a message was put on it that the engine does not know and may not skip.
    var hasUnknown = false
    /// Whether bytes were changed on the way.
    var isCorrupted = false
    /// Whether what becomes of one end is not told to the other.
    var isHalfOpen = false
    /// Whether it broke, for whatever reason outside of its sessions.
    var isBroken = false
    /// Whether the relay at one end lies.
    var hasLies = false
    var byzantineRelay: ByzantineRelay?
    /// The secret that the device shows a relay, and the one before it with which it signs that it follows.
    var secret = KeyedSecret.none
    var formerSecret = KeyedSecret.none
    /// Whether the device only reads the relay.
    var isReading = false
    /// Whether the relay refused the device for the generation of its secret, and had cause to.
    var isRefusedForSecret = false
    /// The replicas that find a later secret in the rekey messages that the device could leave as it came,
    /// by the secrets for which the rekey messages are.
    var rekeyMessages: [KeyedSecret: Set<ReplicaID>] = [:]
    /// How many events came before it.
    var firstEvent = 0
    /// Whether the relay, which refused the device, must have given it a rekey message with a later secret.
    var isRekeyMessageDue = false
    /// Which life of the relay it was opened in.
    var relayLife = 0
    /// Which server of the database that the relay shares there was then; 0 without one.
    var databaseOrigin = 0
    /// How many states of the caller's space had come to their end in the relay's database when it was opened.
    var formerHeadCount = 0
    /// How far the device was last told that the relay has stored its changes.
    var storedThrough: Checkpoint?
    /// How many bytes were put on it, both ways.
    var byteCount = 0

    init(number: Int, isLive: Bool, ends: [End]) {
        self.number = number
        self.isLive = isLive
        self.ends = ends
    }

    /// Whether both ends are closed.
    var isOver: Bool { ends[0].end != nil && ends[1].end != nil }
    /// Whether nothing is on its way.
    var isQuiet: Bool { ends[0].pendingCount == 0 && ends[1].pendingCount == 0 }

    /// Whether it joins these two devices.
    func joins(_ first: Int, _ second: Int) -> Bool {
        (ends[0].deviceIndex == first && ends[1].deviceIndex == second)
            || (ends[0].deviceIndex == second && ends[1].deviceIndex == first)
    }
}

/// Bytes on their way.
struct Packet {
    var bytes: [UInt8]
    /// The message that they end, counted through the world; nil if more of it follows.
    var message: Int?
    /// Whether it is a sign of life: of live sessions on slow ways one or another is always under way.
    var isSignOfLife = false
}

/// The names of messages in diagrams: those of the protocol, with spaces.
enum MessageName {
    private static let names: [UInt64: String] = {
        var names: [UInt64: String] = [:]
        for kind in 0...UInt64(UInt8.max) {
            guard let name = Message.name(ofKind: kind) else { continue }
            names[kind] = String(name.map { $0 == "-" ? " " : $0 })
        }
        return names
    }()

    /// The name of the message in a frame.
    static func name(ofFrame bytes: [UInt8]) -> String {
        guard bytes.count > 6 else { return "nothing" }
        return kind(ofFrame: bytes).flatMap { names[$0] } ?? "something newer"
    }

    /// The kind of the message in a frame: it follows the length, the head of the map and the key 0.
    ///
    /// - Returns: nil if it is none that has a name.
    static func kind(ofFrame bytes: [UInt8]) -> UInt64? {
        guard bytes.count > 6 else { return nil }
        // From 24 to 255 a number has a byte of its own behind its head.
        if bytes[6] == 0x18 { return bytes.count > 7 ? UInt64(bytes[7]) : nil }
        return bytes[6] < 24 ? UInt64(bytes[6]) : nil
    }

    /// Whether a frame holds a ping or a pong.
    static func isSignOfLife(_ bytes: [UInt8]) -> Bool {
        let kind = kind(ofFrame: bytes)
        return kind == Ping.kind || kind == Pong.kind
    }
}
