import Core
import Relay

/// How a relay hears of what others have brought into a database that they share.
///
/// Whom notices reach, and when, its world decides.
final class SimulatedNotices: RelayNotices {
    var descriptorChanges: (() -> Void)?
    /// Simulated processes have none.
    let descriptor: CInt? = nil

    private let database: SimulatedDatabase
    private let pass: ([RelayTouch]) -> Void
    private var heard: Set<SpaceID> = []
    /// The last number known of each space that is looked at.
    private var known: [SpaceID: UInt64] = [:]
    private var knownOrigin: Int?

    /// - Parameter pass: takes what the other relays are to hear.
    init(_ database: SimulatedDatabase, pass: @escaping ([RelayTouch]) -> Void) {
        self.database = database
        self.pass = pass
    }

    func send(_ spaces: [RelayTouch]) {
        for touch in spaces where known[touch.space] == touch.start {
            // Nothing that its own subscribers were told is found anew by looking.
            known[touch.space] = touch.through
        }
        if !spaces.isEmpty { pass(spaces) }
    }

    /// A notice of another relay came.
    func hear(_ touches: [RelayTouch]) {
        heard.formUnion(touches.map(\.space))
    }

    func received() -> Set<SpaceID> {
        defer { heard = [] }
        return heard
    }

    func look(at spaces: [SpaceID]) -> Set<SpaceID> {
        let found = database.spaces(at: database.time)
        let next = found.mapValues(\.head.sequence).filter { spaces.contains($0.key) }
        let isOther = knownOrigin.map { $0 != database.origin } ?? false
        knownOrigin = database.origin
        defer { known = next }
        return Set(spaces.filter { isOther || next[$0] != known[$0] })
    }

    func close() {}
}
