#if Encryption
    import Core
    import Crypto
    import Devices
    import Glibc
    import Storage
    import ToDo
    import Transport

    /// A device with its daemon, a second connection to its store for commands, and a live query of an app.
    ///
    /// It has no thread: its loop runs when `takeTurns` says so.
    final class WalkingDevice {
        /// The key of the device.
        let certificate: DeviceCertificate
        /// The store as commands have it.
        let commands: Device
        /// The rows of a list of all to-dos.
        let results: LiveQuery
        /// The address at which the daemon answers.
        private(set) var address = ""
        private let folder: String
        private let synced: Store
        private let shown: Store
        private var daemon: Daemon?
        private var watch: StoreWatch?

        init(_ name: String, in space: SpaceID) throws {
            let folder = "/tmp/tandem-walk-\(getpid())-\(SystemEnvironment.random())"
            let environment = SystemEnvironment.environment()
            try Store.create(
                folder: folder, schema: ToDoSchema.collections, space: space, deviceName: name,
                environment: environment
            ).close()
            func open() throws(StoreFault) -> Store {
                try Store.open(
                    folder: folder, schema: ToDoSchema.collections, environment: environment)
            }
            self.folder = folder
            certificate = try DeviceCertificate()
            synced = try open()
            shown = try open()
            commands = Device(try open())
            results = try LiveQuery(
                shown, FetchRequest(ToDoSchema.collection, sort: ToDoStore.order))
        }

        deinit {
            daemon?.end()
            watch?.stop()
            for store in [commands.store, shown, synced] { store.close() }
            let disk = SystemEnvironment.environment().disk
            for name in [
                "store.db", "store.db-wal", "store.db-shm", "identity", "lock", "daemon.sock",
            ] { disk.remove(folder + "/" + name) }
            rmdir(folder)
        }

        /// Starts the daemon.
        ///
        /// - Returns: its loop, which `takeTurns` runs.
        func begin(
            with contacts: [Contact] = [], trusting others: [WalkingDevice] = []
        ) throws -> EventLoop {
            let trusted = Set(others.map(\.certificate.fingerprint))
            let log = SyncServer.Log(
                listening: { [unowned self] in address = $0 }, connected: { _ in },
                ended: { _, _, _, _ in })
            let daemon = try Daemon(
                store: synced, contacts: contacts,
                security: SyncSecurity(certificate: certificate) { trusted.contains($0) },
                log: log)
            try daemon.begin(listening: Endpoint(parsing: "127.0.0.1:0"))
            self.daemon = daemon
            return daemon.loop
        }

        /// Keeps the live query up with the store, as an app does.
        func show(on loop: EventLoop) throws {
            watch = try StoreWatch(folder: folder, on: loop) { [unowned self] in
                guard let steps = try? results.refresh(), !steps.isEmpty else { return }
                loop.stop()
            }
        }

        /// The records in the store as commands see it.
        func count(_ scope: FetchRequest.Scope) throws -> Int {
            try commands.store.fetch(FetchRequest(ToDoSchema.collection, scope: scope)).count
        }

        /// Renames the one to-do.
        func rename(to title: String) throws {
            let store = commands.store
            let only = try store.fetch(FetchRequest(ToDoSchema.collection))[0].id
            try store.edit { transaction throws(StoreFault) in
                _ = try transaction.update(
                    only, [Assignment(.number(ToDoSchema.Number.title), .text(title))])
            }
        }
    }

    /// Runs loops one after the other, two milliseconds each, so often, or until something is so.
    ///
    /// - Returns: whether it is so.
    @discardableResult
    func takeTurns(
        _ loops: EventLoop..., count: Int = 4_000, until isDone: () throws -> Bool = { false }
    ) throws -> Bool {
        for _ in 0..<count {
            for loop in loops {
                if try isDone() { return true }
                let timer = loop.schedule(after: .milliseconds(2)) { loop.stop() }
                try loop.run()
                loop.cancel(timer)
            }
        }
        return try isDone()
    }
#endif
