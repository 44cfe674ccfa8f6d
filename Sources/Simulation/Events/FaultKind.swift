/// A fault, or something out of the ordinary, that a random world may have.
package enum FaultKind: String, Hashable, Sendable, CaseIterable {
    /// Links break, at any byte.
    case cut
    /// Messages take long, and links overtake each other.
    case delay
    /// The network splits, or one device cannot reach another, one way.
    case block
    /// One end of a link is gone and the other is told nothing.
    case halfOpen = "half-open"
    /// Bits flip on the way.
    case corruption
    /// Programs are killed, at any write.
    case kill
    /// Machines lose power, at any write.
    case powerCut = "power-cut"
    /// Stores are copied to other machines.
    case copy
    /// Stores are set back to backups.
    case backup
    /// Stores are set back so that nothing can tell.
    case setBack = "set-back"
    /// Clocks are wrong, jump and drift.
    case clock
    /// Disks are full.
    case diskFull = "disk-full"
    /// Bits flip on a disk.
    case bitFlip = "bit-flip"
    /// Another program writes to the same store.
    case otherProcess = "other-process"
    /// Some run a newer version, with kinds of values and records that others do not know.
    case newerVersion = "newer"
    /// Changes come that nobody here can read.
    case unreadable
    /// Strangers call, and devices of another space.
    case stranger
    /// Sessions go on while other sessions of the same two devices begin.
    case duplicateSessions = "duplicate"
    /// Sessions stay open.
    case liveSessions = "live"
    /// Devices meet at relays as well, which are wiped and set back like any machine.
    case relay
    /// Relays lie.
    case relayLies = "relay-lies"
    /// The space gets a new secret while devices are away, or has none.
    case secret
    /// Few deletes are held already, and old trash is purged by itself.
    case safety
    /// Devices visit relays as readers.
    case readers
    /// Devices change the secret unaware of each other.
    case rivalSecrets = "rival-secrets"
    /// Messages are lost in one direction of a session.
    case oneWay = "one-way"
    /// Versions at relays are damaged, or forged by a member of the space.
    case badVersions = "bad-versions"
    /// Held deletes are refused, and what a device did is taken back.
    case answers
    /// Items are made or edited by their keys.
    case upserts
    /// Clients of devices put documents that are of any age.
    case clients
    /// Relays share a database, which is slow and loses what was last; they stand still and hear nothing of each other.
    case database

    /// Whether less is promised once it has happened, so that worlds with it show less.
    package var isWeakening: Bool { self == .setBack }

    /// How many of how many worlds have it, where it is one of several.
    var share: (part: Int, whole: Int) {
        switch self {
        case .setBack: (1, 16)
        case .safety: (1, 8)
        case .readers, .rivalSecrets, .oneWay, .badVersions, .answers, .upserts, .clients,
            .database:
            (1, 4)
        default: (2, 5)
        }
    }

    /// The faults that `usual` stands for: those of the worlds whose hashes stay.
    ///
    /// The list does not grow: a seed stands for the same world as before.
    package static let usual: [FaultKind] = allCases.filter { !later.contains($0) }

    /// The faults that worlds have only if they are asked for, or all are.
    private static let later: Set<FaultKind> = [
        .readers, .rivalSecrets, .oneWay, .badVersions, .answers, .upserts, .clients, .database,
    ]

    /// The faults of a list as it stands in a command line: `all`, `usual`, `none`, or names with commas.
    ///
    /// - Returns: in the order of their declaration; nil if a name is none.
    package static func list(_ text: String) -> [FaultKind]? {
        if text == "all" { return allCases }
        if text == "usual" { return usual }
        if text == "none" { return [] }
        var named: Set<FaultKind> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let fault = FaultKind(rawValue: String(word)) else { return nil }
            named.insert(fault)
        }
        return allCases.filter { named.contains($0) }
    }

    /// A list as `list(_:)` reads it.
    package static func text(of faults: [FaultKind]) -> String {
        let named = Set(faults)
        if named == Set(allCases) { return "all" }
        if named == Set(usual) { return "usual" }
        if named.isEmpty { return "none" }
        return allCases.filter { named.contains($0) }.map(\.rawValue).joined(separator: ",")
    }
}
