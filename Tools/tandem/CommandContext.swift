import Devices
import Glibc
import Terminal
import ToDo

/// The store that a command works on, and the time, the zone and the week of the run.
package struct CommandContext {
    let device: Device
    let todos: ToDoStore
    let now: Int64
    let zone: LocalTimeZone
    /// The first day of the user's week.
    let weekStart: Weekday

    /// The folder of the store: `--store`, else `TANDEM_STORE`, else the XDG data folder.
    static func folder(_ arguments: Arguments) throws -> String {
        try folder(option: arguments["store"])
    }

    /// The folder of the store, given the value of `--store`.
    static func folder(option: String?) throws -> String {
        if option == "" { throw CommandFailure(.usage, "--store needs a folder") }
        if let folder = option ?? environment("TANDEM_STORE"), !folder.isEmpty {
            return absolute(folder)
        }
        if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/tandem" }
        guard let home = environment("HOME"), !home.isEmpty else {
            throw CommandFailure(
                .configuration, "neither TANDEM_STORE nor HOME is set; say --store FOLDER")
        }
        return home + "/.local/share/tandem"
    }

    /// A variable of the environment.
    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The zone by which times are told.
    static func systemZone() throws -> LocalTimeZone {
        try TimeZoneLoader.system.zone(variable: environment("TZ"))
    }

    private static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        var buffer = [CChar](repeating: 0, count: 4096)
        guard getcwd(&buffer, buffer.count) != nil else { return path }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self) + "/" + path
    }

    /// Opens the store; a suspicion that it is a copy is told once, beside the results.
    static func open(_ arguments: Arguments) throws -> CommandContext {
        let device = try Device.open(in: folder(arguments), schema: ToDoSchema.collections)
        try tellSuspicion(device)
        return try CommandContext(device)
    }

    /// Tells why a store took a new replica id, if it did.
    static func tellSuspicion(_ device: Device) throws {
        guard let suspicion = device.cloneSuspicion else { return }
        let replica = try device.store.summary().replica
        Screen.error(
            """
            tandem: \(suspicion), so this store took a new identity (replica \(replica)). \
            Nothing is lost; with the same key it stays the same device for the others.

            """)
    }

    /// The time and context, as views and reports take it.
    var calendar: CalendarContext { CalendarContext(now: now, zone: zone, weekStart: weekStart) }

    /// The device's store.
    var store: Store { device.store }

    /// A device, here and now.
    package init(_ device: Device) throws {
        self.device = device
        now = SystemEnvironment.wallMilliseconds()
        zone = try Self.systemZone()
        weekStart = try WeekStart.read()
        todos = ToDoStore(store: device.store, now: now, zone: zone)
    }

    /// The most to-dos that are named when a word may mean several.
    private static let candidateCountMax = 8

    /// As much of a to-do's id as names it alone: many are made in one millisecond by one command.
    func name(of id: RecordID) -> String {
        let digits = id.short.filter { $0 != "-" }
        let alike = (try? todos.stored(idPrefix: digits, limit: 2)) ?? []
        return alike.count > 1 ? id.uuidText : id.short
    }

    /// The to-do that a word names: a number of the last listing, or the beginning of an id.
    func find(_ word: String) throws -> Record {
        // Numbers are never written with a zero in front, ids of this decade always are.
        let isNumber = word.count <= 6 && word.first != "0" && word.utf8.allSatisfy(Self.isDigit)
        if isNumber, let number = Int(word) {
            if let id = Listing.read(store.paths.folder, number: number) {
                if let stored = try todos.stored(id) { return stored }
                throw CommandFailure(.nothing, "the to-do number \(number) is not here any more")
            }
            if word.count < 4 {
                throw CommandFailure(
                    .nothing,
                    "there is no number \(number) in the last listing; run: tandem list")
            }
        }
        return try find(idPrefix: word)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private func find(idPrefix word: String) throws -> Record {
        let digits = word.lowercased().filter { $0 != "-" }
        guard digits.allSatisfy(\.isHexDigit), digits.count >= 4, word.first != "-" else {
            throw CommandFailure(
                .usage,
                "'\(word.shownInLine)' is neither a number of the last listing nor the beginning of an id "
                    + "(at least 4 digits); to find one by its words: tandem list \(word.shownInLine.shellQuoted)"
            )
        }
        let found = try todos.stored(idPrefix: digits, limit: Self.candidateCountMax + 1)
        if found.count > 1 {
            var lines = found.prefix(Self.candidateCountMax).map {
                "  \($0.id)  \($0.shownTitle)"
            }
            if found.count > Self.candidateCountMax { lines.append("  and more") }
            throw CommandFailure(
                .usage, "'\(word)' may be any of these:\n" + lines.joined(separator: "\n"))
        }
        guard let only = found.first else {
            throw CommandFailure(.nothing, "there is no to-do '\(word)'")
        }
        return only
    }

    /// The to-dos that words name; at least one, none twice.
    func findAll(_ words: [String]) throws -> [Record] {
        if words.isEmpty {
            throw CommandFailure(.usage, "say which: a number of the last listing, or an id")
        }
        var found: [Record] = []
        for word in words {
            let stored = try find(word)
            if !found.contains(where: { $0.id == stored.id }) { found.append(stored) }
        }
        return found
    }

    /// The to-dos that words name, none of them deleted.
    func findAlive(_ words: [String]) throws -> [Record] {
        let found = try findAll(words)
        for stored in found where stored.standing != .live {
            throw CommandFailure(stored, is: stored.standing, "nothing was saved")
        }
        return found
    }

    /// The to-dos that words name, none of them purged.
    func findUnpurged(_ words: [String]) throws -> [Record] {
        let found = try findAll(words)
        for stored in found where stored.standing.isPurged {
            throw CommandFailure(stored, is: stored.standing, "nothing was restored")
        }
        return found
    }

    /// Asks before something is done to many, or for ever.
    static func confirm(_ question: String, _ arguments: Arguments) throws {
        if arguments.has("yes") { return }
        guard Screen.canAsk, !arguments.has("no-input") else {
            throw CommandFailure(.refused, "\(question) Nothing was done; say --yes to do it.")
        }
        guard Screen.confirm(question) else {
            throw CommandFailure(.nothing, "nothing was done")
        }
    }
}
