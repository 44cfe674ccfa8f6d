import Core
import Relay

/// What a machine of the world is as a relay.
final class RelayPlace {
    /// Its program; nil while it does not run.
    var node: RelayNode?
    /// Counts its starts, so that what was due in an earlier life is void.
    var life = 0
    /// Whether what waits is to be brought to the disk.
    var isCommitDue = false
    /// How it lies to whoever comes now.
    var lies: [RelayLie] = []
    /// Whether it ever lied.
    var hasLied = false
    /// Whether it ever passed over changes together with the statements that vouch for them: who
    /// believed it reads them again only once somebody writes, or the relay is made anew.
    var hasHidden = false
    /// The clocks of a record's versions, joined.
    struct Held {
        /// Those of all.
        let all: VersionVector
        /// Those of the versions that nobody had set aside.
        let readable: VersionVector
    }

    /// What it was last seen to hold of each record: none of it may go but for a version that includes it.
    var held: [RecordID: Held] = [:]
    /// Of which generation of the secret that was.
    var heldSecret: UInt32 = 0
    /// A letter that must be here for a replica.
    struct LetterMark {
        /// How many events came before it was left.
        let event: Int
        /// Of which generation the relay was then.
        let generation: UInt32
    }

    /// Who finds a later secret in the letters here, by the generations for which they are.
    var letters: [UInt32: [ReplicaID: LetterMark]] = [:]
    /// When devices showed a secret here that does not follow from the known one, by their lanes.
    var failedProofs: [Int: [Int64]] = [:]
    /// The empty machine.
    let blank: DiskImage
    var backups: [String: DiskImage] = [:]

    /// Some of what it ever got, for lies.
    private(set) var memory: [Change] = []
    /// The first statement that each replica gave it, for lies.
    private(set) var firstNotices: [ReplicaID: [UInt8]] = [:]

    /// Where a relay keeps its files, on its own disk.
    static let folder = "/relay"
    private static let memoryCountMax = 64

    init(blank: DiskImage) {
        self.blank = blank
    }

    /// What of that a relay can repeat without a word of what it has lost: it holds it, or what replaced it.
    ///
    /// One that pretends to hold what it does not is not sent that, and nobody could tell.
    func repeatable(of space: SpaceID) -> [Change] {
        guard let store = try? node?.store(of: space) else { return [] }
        return memory.filter { change in
            let versions = (try? store.versions(of: change.id)) ?? []
            return versions.contains { $0.clock.covers(change.clock) }
        }
    }

    /// Keeps what a device uploads, to lie with it later.
    func remember(_ message: Message, from replica: ReplicaID?) {
        switch message {
        case .changes(let batch):
            memory = Array((memory + batch.changes).suffix(Self.memoryCountMax))
        case .upload(let upload):
            guard let replica, firstNotices[replica] == nil else { return }
            firstNotices[replica] = upload.statement
        default: return
        }
    }
}
