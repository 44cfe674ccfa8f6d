import Core
import Devices
import Storage

/// One device's copy of an app's records, in a folder: it works without any network, and merges with the
/// copies on other devices.
///
/// A store belongs to where it was made, as to the main actor: reads give their records at once, without
/// waiting for anything but the disk. Others in the program, and other programs, open the same folder with
/// a `TandemStore` of their own; each sees what the others commit.
///
/// ```swift
/// let store = TandemStore(at: "/home/ann/.local/share/photos", schema: schema)
/// try store.open(deviceName: "Ann's desk")
/// let id = try store.write { edit in
///     try edit.insert(into: "photos", ["title": "Dunes"])
/// }
/// ```
public final class TandemStore {
    /// The folder in which it lies; nothing else belongs there.
    public let folder: String
    /// The app's collections.
    public let schema: Schema
    /// How it is opened.
    public let options: StoreOptions

    /// The device; nil until the store is open.
    private(set) var device: Device?
    var engine: Store? { device?.store }
    private let signal = ChangeSignal()
    private var watch: CommitWatch?
    private var isWatchWanted = false
    private var isClosed = false
    /// Results that were made before it was open.
    private var early: [LiveResults] = []

    /// A store in that folder, not open yet; live results can be made already.
    public init(at folder: String, schema: Schema, options: StoreOptions = StoreOptions()) {
        self.folder = folder
        self.schema = schema
        self.options = options
    }

    deinit {
        close()
    }

    // MARK: Opening and closing

    /// Opens the store in a folder, or makes it.
    public static func open(
        at folder: String, schema: Schema, deviceName: String,
        policy: DeletePolicy = .deletesWin, options: StoreOptions = StoreOptions()
    ) throws(TandemError) -> TandemStore {
        let store = TandemStore(at: folder, schema: schema, options: options)
        try store.open(deviceName: deviceName, policy: policy)
        return store
    }

    /// Opens the store; live results that were made before get their rows.
    ///
    /// If the schema has grown, the tables get the new columns now, with what newer devices sent meanwhile.
    /// A copy or a restored backup of a store is noticed, and is another device from now on.
    /// - Parameters:
    ///   - deviceName: what other devices call this one, if the store has to be made; nil to open only what is
    ///     there.
    ///   - policy: the rule for a record that one device deletes while another edits it, if the store has to be
    ///     made; the devices of one space have the same rule. Either way both are told of a conflict.
    /// - Throws: `badSchema`, `noStore`, `newerStore`, `notAStore`, `busy`, `diskFull`, `damaged`,
    ///   `inputOutput`, `notOpen` if it was closed before; `refused` if there is none to open, but copies or keys of
    ///   one are in the folder.
    public func open(
        deviceName: String? = nil, policy: DeletePolicy = .deletesWin
    ) throws(TandemError) {
        if device != nil { return }
        if isClosed { throw Self.notOpen }
        let tables = try schema.tables()
        try use(
            try TandemError.mappingAny {
                guard let deviceName else {
                    return try Device.open(in: folder, schema: tables, options: options)
                }
                return try Device.openOrCreate(
                    in: folder, schema: tables, policy: policy, name: deviceName,
                    options: options)
            })
    }

    /// Takes an open device as its own.
    func use(_ device: Device) throws(TandemError) {
        self.device = device
        let engine = device.store
        device.changed = { [signal] in signal.tell() }
        try TandemError.mapping { () throws(StoreFault) in
            for results in early { try results.attach(engine, isFirst: false) }
        }
        early = []
        if isWatchWanted { startWatch() }
        signal.tell()
    }

    /// Whether it is open.
    public var isOpen: Bool { device != nil }

    /// Closes the store for good; batches of its live results end.
    ///
    /// Done by itself when the store is let go.
    public func close() {
        isClosed = true
        watch?.stop()
        watch = nil
        signal.end()
        device?.close()
        device = nil
    }

    private static var notOpen: TandemError {
        TandemError(
            .notOpen, "the store is not open", side: .app,
            next: "open it first; one that was closed is made anew")
    }

    /// Returns the device of the open store.
    ///
    /// - Throws: `notOpen`.
    func openDevice() throws(TandemError) -> Device {
        guard let device else { throw Self.notOpen }
        return device
    }

    /// The engine's store.
    ///
    /// - Throws: `notOpen`.
    func opened() throws(TandemError) -> Store { try openDevice().store }

    // MARK: Writing

    /// Edits records: all of it is saved together when `body` returns, or nothing if it throws.
    ///
    /// The transaction is a scratchpad: reads inside see its edits, others see them once it is saved. A
    /// value that is shown already is not written; if nothing is left, nothing is written at all.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; `busy`, `diskFull`, `schemaChanged`, `nestedTransaction`, `notOpen`.
    @discardableResult
    public func write<T>(_ body: (WriteTransaction) throws -> T) throws -> T {
        let engine = try opened()
        do {
            return try engine.write { transaction in
                try body(WriteTransaction(transaction, of: self))
            }
        } catch let fault as StoreFault {
            throw TandemError(fault)
        }
    }

    // MARK: Live results

    /// The records of a request, kept up with the store; also before it is open.
    ///
    /// - Throws: `unknownName`, `wrongKind`; of an open store what ``fetch(_:)`` throws.
    public func live(_ request: FetchRequest) throws(TandemError) -> LiveResults {
        let results = LiveResults(try schema.checked(request), signal: signal) { [weak self] in
            self?.startWatch()
        }
        guard let engine else {
            early.append(results)
            return results
        }
        try TandemError.mapping { () throws(StoreFault) in
            try results.attach(engine, isFirst: true)
        }
        return results
    }

    /// From now on also what other processes commit wakes those who wait.
    private func startWatch() {
        isWatchWanted = true
        guard watch == nil, engine != nil else { return }
        // Without a watch, edits of this process still wake them.
        watch = try? CommitWatch(folder) { [signal] in signal.tell() }
    }
}

/// Reading.
extension TandemStore {
    /// The records of a request.
    ///
    /// - Throws: `unknownName`, `wrongKind`, `busy`, `damaged`, `schemaChanged`, `notOpen`.
    public func fetch(_ request: FetchRequest) throws(TandemError) -> [Record] {
        let engine = try opened()
        let checked = try schema.checked(request)
        return try TandemError.mapping { () throws(StoreFault) in try engine.fetch(checked) }
    }

    /// How many records a request is about, whatever its limit.
    ///
    /// - Throws: what ``fetch(_:)`` throws.
    public func count(_ request: FetchRequest) throws(TandemError) -> Int {
        let engine = try opened()
        let checked = try schema.checked(request)
        return try TandemError.mapping { () throws(StoreFault) in try engine.count(checked) }
    }

    /// A record by its name, also one in the trash; nil if it is not here.
    ///
    /// - Throws: `busy`, `damaged`, `schemaChanged`, `notOpen`.
    public func record(_ name: RecordName) throws(TandemError) -> Record? {
        let engine = try opened()
        return try TandemError.mapping { () throws(StoreFault) in try engine.record(name) }
    }

    /// The record that a unique key names in a collection, also one in the trash; nil if it is not here.
    ///
    /// - Throws: what ``record(_:)`` throws.
    public func record(key: String, in collection: String) throws(TandemError) -> Record? {
        try record(RecordName(key: key, in: collection))
    }

    // MARK: References

    /// The record to which a reference leads; nil if it leads nowhere.
    ///
    /// A reference to a record that is missing or deleted reads as absent. Where references of one attribute
    /// close a cycle, the one that was made last reads as absent, on every device the same.
    /// - Throws: `unknownName`; what ``record(_:)`` throws.
    public func target(
        of record: Record, _ reference: String
    ) throws(TandemError) -> Record? {
        let collection = try schema.required(record.collection)
        let target = try schema.target(of: .text(reference.inFormC), of: collection)
        let engine = try opened()
        return try TandemError.mapping { () throws(StoreFault) in
            let followed = try engine.followed(.text(reference.inFormC), of: [record])
            guard let name = followed[record.name],
                let found = try engine.record(name),
                found.collection == .text(target.name)
            else { return nil }
            return found
        }
    }

    /// The records that refer to a record, by their index, in order of their ids.
    ///
    /// A record whose reference reads as absent, as it closes a cycle, is not among them.
    /// - Parameters:
    ///   - record: the record to which they refer.
    ///   - collection: the name of their collection.
    ///   - reference: the name of their reference.
    /// - Throws: `unknownName`; what ``fetch(_:)`` throws.
    public func related(
        to record: Record, in collection: String, by reference: String
    ) throws(TandemError) -> [Record] {
        let found = try fetch(request(related: record, in: collection, by: reference))
        guard record.collection == .text(collection), !found.isEmpty else { return found }
        let engine = try opened()
        let followed = try TandemError.mapping { () throws(StoreFault) in
            try engine.followed(.text(reference.inFormC), of: found)
        }
        return found.filter { followed[$0.name] == record.name }
    }

    /// How many records refer to a record.
    ///
    /// - Parameters:
    ///   - record: the record to which they refer.
    ///   - collection: the name of their collection.
    ///   - reference: the name of their reference.
    /// - Throws: `unknownName`; what ``fetch(_:)`` throws.
    public func relatedCount(
        to record: Record, in collection: String, by reference: String
    ) throws(TandemError) -> Int {
        // Only inside of one collection there are cycles.
        if record.collection == .text(collection) {
            return try related(to: record, in: collection, by: reference).count
        }
        return try count(request(related: record, in: collection, by: reference))
    }

    private func request(
        related record: Record, in collection: String, by reference: String
    ) -> FetchRequest {
        FetchRequest(collection, where: .equals(FieldPath(reference), .reference(record.name)))
    }

    // MARK: Devices

    /// This device's name, as others see it.
    ///
    /// - Throws: `busy`, `damaged`, `notOpen`.
    public func deviceName() throws(TandemError) -> String {
        let engine = try opened()
        return try TandemError.mapping { () throws(StoreFault) in try engine.summary().deviceName }
    }

    /// The reason for which this store became another device when it was opened; nil if it did not.
    ///
    /// Nothing is lost by that. A copy that has the device's key as well stays the same device for the others; one
    /// without it is let in again with an invitation.
    public var newIdentityReason: CloneSuspicion? { device?.cloneSuspicion }

    /// Names this device: the same until the store is copied or restored, which makes it another device.
    ///
    /// - Throws: `notOpen`.
    public func deviceID() throws(TandemError) -> String { try opened().replica.uuidText }
}
