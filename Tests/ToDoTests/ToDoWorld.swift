import Core
import Glibc
import Storage
import Testing
import ToDo

/// Stores of to-dos in a temporary folder, and a clock that a test moves.
final class ToDoWorld {
    let folder: String
    let zone: LocalTimeZone
    var now = Fixed.now
    /// How stores are opened: any search makes the index of words, however few to-dos there are.
    let options = {
        var options = StoreOptions()
        options.searchedRecordCountMin = 0
        return options
    }()
    private var bits: UInt64 = 1

    init(zone: LocalTimeZone) throws {
        self.zone = zone
        var template = Array("/tmp/tandem-todo-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        folder = try #require(made)
    }

    deinit {
        var identifier = pid_t()
        let command: [String] = ["rm", "-rf", folder]
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        words.append(nil)
        if posix_spawnp(&identifier, "rm", nil, nil, &words, nil) == 0 {
            waitpid(identifier, nil, 0)
        }
        for word in words { free(word) }
    }

    /// A new store of one space, by the name of its device.
    func store(_ device: String, policy: DeletePolicy = .deletesWin) throws -> Store {
        try Store.create(
            folder: "\(folder)/\(device)", schema: ToDoSchema.collections,
            space: SpaceID(value: 7), policy: policy, deviceName: device,
            environment: environment, options: options)
    }

    /// The store of a device once more, as another process opens it after one that was killed.
    func reopened(_ store: Store, of device: String) throws -> Store {
        store.abandon()
        return try Store.open(
            folder: "\(folder)/\(device)", schema: ToDoSchema.collections,
            environment: environment, options: options)
    }

    private var environment: StoreEnvironment {
        StoreEnvironment(
            wallMilliseconds: { self.now },
            drawBits: {
                self.bits = self.bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return self.bits ^ self.bits >> 29
            }, machine: "m", boot: "b")
    }

    /// The to-dos in a store, now.
    func todos(_ store: Store) -> ToDoStore {
        ToDoStore(store: store, now: now, zone: zone)
    }

    /// Brings what one store has and another lacks there, as one direction of a sync does.
    func carry(from source: Store, to target: Store) throws {
        let hello = try source.greeting(to: nil)
        let mine = try target.greeting(to: hello.replica)
        var start = ReadRequest.Start.sequence(0)
        for _ in 0..<1_000 {
            let reading = try source.read(
                from: start, peerHas: PeerHoldings(mine.stateSummary.knowledge), wanted: [],
                isFull: true)
            _ = try target.integrate(
                reading.changes, from: hello.replica, checkpoint: reading.through,
                incarnations: reading.incarnations, isRepair: false)
            start = .sequence(reading.through.sequence)
            if let stateSummary = reading.stateSummary {
                _ = try target.join(stateSummary, from: hello.replica, through: reading.through)
                return
            }
        }
        Issue.record("the source never came to an end")
    }

    /// Brings both stores to the same state.
    func meet(_ one: Store, _ other: Store) throws {
        try carry(from: one, to: other)
        try carry(from: other, to: one)
    }
}
