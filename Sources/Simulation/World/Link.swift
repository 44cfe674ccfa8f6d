import Core
import Relay
import Replica
import Session

/// A connection between two devices, or of a device with itself.
final class Link {
    /// One end.
    struct End {
        /// The device.
        let lane: Int
        var conversation: ConversationID?
        /// The conversation of a relay.
        var relaySession: RelaySessionID?
        /// How its session ended; nil while it goes on.
        var end: SessionEnd?
        var report = SessionReport()
        /// Counts what its session asked to be woken for; only the last counts.
        var wakeToken = 0
        /// When the last of what is on its way here arrives.
        var lastArrival: Int64 = 0
        /// How many packets are on their way here.
        var pendingCount = 0
        /// What waits for the way to be free again.
        var held: [Packet] = []
        /// Whether anything was sent from here.
        var hasSpoken = false
        /// Whether the end of the link waits so, too.
        var isHangUpHeld = false
        /// What arrivals have deleted since `brakeSince`, and how many they have brought back.
        var deleted: Set<RecordID> = []
        var restoredCount = 0
        var brakeSince: Int64 = 0
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
    var liar: Liar?
    /// The generation of the secret that the device shows a relay.
    var secret: UInt32 = 0
    /// Whether the relay refused the device for the generation of its secret, and had cause to.
    var isRefusedForSecret = false
    /// Who would find a later secret in the letters that the device could leave as it came, by the generations for
    /// which they are.
    var letters: [UInt32: Set<ReplicaID>] = [:]
    /// How many events came before it.
    var firstEvent = 0
    /// Whether the relay, which refused the device, must have given it a letter with a later secret.
    var isLetterDue = false
    /// Which life of the relay it was opened in.
    var relayLife = 0
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
        (ends[0].lane == first && ends[1].lane == second)
            || (ends[0].lane == second && ends[1].lane == first)
    }
}
