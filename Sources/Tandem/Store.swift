import Core
import Devices
import Storage

/// One device's copy of an app's records, in a folder: it works without any network, and merges with the
/// copies on other devices.
///
/// A store belongs to where it was made, as to the main actor: reads give their records at once, without
/// waiting for anything but the disk. Others in the program, and other programs, open the same folder with
/// a `Store` of their own; each sees what the others commit.
///
/// ```swift
/// let store = Store(at: "/home/ann/.local/share/photos", schema: schema)
/// try store.open(deviceName: "Ann's desk")
/// let id = try store.write { edit in
///     try edit.insert(into: "photos", ["title": "Dunes"])
/// }
/// ```
public final class Store {
    /// The folder in which it lies; nothing else belongs there.
    public let folder: String
    /// The app's collections.
    public let schema: Schema
    /// How it is opened.
    public let options: StoreOptions

    /// The device; nil until the store is open.
    private(set) var device: Device?
    var engine: Storage.Store? { device?.store }
    private let signal = ChangeSignal()
    private var watch: FolderWatch?
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
        options: StoreOptions = StoreOptions()
    ) throws(TandemError) -> Store {
        let store = Store(at: folder, schema: schema, options: options)
        try store.open(deviceName: deviceName)
        return store
    }

    /// Opens the store; live results that were made before get their rows.
    ///
    /// If the schema has grown, the tables get the new columns now, with what newer devices sent meanwhile.
    /// A copy or a restored backup of a store is noticed, and is another device from now on.
    /// - Parameter deviceName: what other devices call this one, if the store has to be made; nil to open
    ///   only what is there.
    /// - Throws: `badSchema`, `noStore`, `newerStore`, `notAStore`, `busy`, `diskFull`, `damaged`,
    ///   `inputOutput`, `notOpen` if it was closed before; `refused` if there is none to open, but copies or keys of
    ///   one are in the folder.
    public func open(deviceName: String? = nil) throws(TandemError) {
        if device != nil { return }
        if isClosed { throw Self.notOpen }
        let tables = try schema.tables()
        try use(
            try TandemError.mappingAny {
                guard let deviceName else {
                    return try Device.open(in: folder, schema: tables, options: options.engine)
                }
                return try Device.openOrCreate(
                    in: folder, schema: tables, policy: options.policy, name: deviceName,
                    options: options.engine)
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
    func opened() throws(TandemError) -> Storage.Store { try openDevice().store }

    // MARK: Writing

    /// Edits records: all of it is saved together when `body` returns, or nothing if it throws.
    ///
    /// The transaction is a scratchpad: reads inside see its edits, others see them once it is saved. A
    /// value that is shown already is not written; if nothing is left, nothing is written at all.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; `busy`, `diskFull`, `schemaChanged`, `nestedTransaction`, `notOpen`.
    @discardableResult
    public func write<T>(_ body: (Transaction) throws -> T) throws -> T {
        let engine = try opened()
        do {
            return try engine.write { transaction in try body(Transaction(transaction, of: self)) }
        } catch let fault as StoreFault {
            throw TandemError(fault)
        }
    }

    // MARK: Live results

    /// The records of a request, kept up with the store; also before it is open.
    ///
    /// - Throws: `unknownName`, `wrongKind`; of an open store what ``fetch(_:)`` throws.
    public func live(_ request: FetchRequest) throws(TandemError) -> LiveResults {
        let compiled = try RequestCompiler(schema: schema).compile(request)
        let results = LiveResults(request, compiled, signal: signal) { [weak self] in
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
        watch = try? FolderWatch(folder) { [signal] in signal.tell() }
    }
}
