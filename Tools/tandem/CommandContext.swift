import Devices
import Glibc
import Terminal
import ToDo

/// The store that a command works on, and the time, the zone and the week of the run.
package struct CommandContext {
    let device: Device
    let todos: ToDoStore
    /// Numbers and names of to-dos, as this terminal knows them.
    let naming: ToDoNaming
    let now: Int64
    let zone: LocalTimeZone
    /// The settings of the person on this machine.
    let settings: UserSettings
    /// The first day of the user's week.
    let weekStart: Weekday
    /// The command line, for lines to type instead; nil where a command opens more than its store.
    private var arguments: Arguments?

    /// The folder of the store: `--store`, else `TANDEM_STORE`, else the XDG data folder.
    static func folder(_ arguments: Arguments) throws -> String {
        try folder(option: arguments["store"])
    }

    /// The folder of the store, given the value of `--store`.
    static func folder(option: String?) throws -> String {
        if option == "" { throw CommandFailure(.usage, "--store needs a folder") }
        if let folder = try option ?? environmentPath("TANDEM_STORE"), !folder.isEmpty {
            return absolute(folder)
        }
        let data = try environmentPath("XDG_DATA_HOME")
        if let data, data.hasPrefix("/") { return data + "/tandem" }
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

    /// A variable of the environment that names a folder; one that is not UTF-8 would become the name of another.
    private static func environmentPath(_ name: String) throws -> String? {
        guard let bytes = getenv(name) else { return nil }
        guard let path = String(validatingCString: bytes) else {
            throw CommandFailure(
                .configuration, "\(name) is not UTF-8; nothing was done; \(TextEncoding.advice)")
        }
        return path
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

    /// Opens the store for a command that changes it; one that cannot be written is refused with a way to go on.
    static func open(_ arguments: Arguments) throws -> CommandContext {
        do {
            return try openToWrite(arguments)
        } catch let fault as StoreFault {
            guard case .readOnly = fault else { throw fault }
            throw CommandFailure(
                CommandFailure(fault).code,
                "\(fault.words); commands that only show work there; to change to-dos in another folder: "
                    + "\(AdvisedLine.program) backup FOLDER, then tandem --store FOLDER")
        }
    }

    /// Opens the store; a suspicion that it is a copy is told once, beside the results.
    ///
    /// - Throws: `StoreFault.readOnly` if it cannot be written.
    static func openToWrite(_ arguments: Arguments) throws -> CommandContext {
        HeapPages.take()
        let device = try Device.open(in: folder(arguments), schema: ToDoSchema.collections)
        try tellSuspicion(device)
        var context = try CommandContext(device)
        context.arguments = arguments
        return context
    }

    /// Tells why a store took a new replica id, if it did.
    static func tellSuspicion(_ device: Device) throws {
        guard let suspicion = device.cloneSuspicion else { return }
        let replica = try device.summary().replica
        Screen.error(
            """
            tandem: \(suspicion), so this store took a new identity (replica \(replica)). \
            Nothing is lost; with the same key it stays the same device for the others.

            """)
    }

    /// The time and context, as views and reports take it.
    var calendar: CalendarContext { CalendarContext(now: now, zone: zone, weekStart: weekStart) }

    /// Reads the words of a filter, and finds the to-dos that they name.
    func readFilter(_ words: [String]) throws -> ToDoFilter {
        try ToDoFilter.parse(
            words, now: now, zone: zone, weekStart: weekStart, dateOrder: settings.dateOrder
        ).named { try findAll([$0]).map(\.id.value) }
    }

    /// Reads the words of a filter, and tells the names that it leaves out and no to-do has.
    ///
    /// - Parameter changes: whether what the filter takes is changed: then a name that is probably another one is refused.
    func filter(_ words: [String], changes: Bool = false) throws -> ToDoFilter {
        let filter = try readFilter(words)
        let unknown = try todos.unknownNames(leftOutBy: filter)
        if changes, let mistyped = unknown.first(where: { $0.suggestion != nil }) {
            throw NoMatch.refusal(ofLeftOut: mistyped)
        }
        for name in unknown {
            Screen.error("tandem: \(NoMatch.words(name).joined(separator: "; "))\n")
        }
        return filter
    }

    /// Reads a date.
    func moment(_ text: String) throws -> Moment {
        try DatePhrase.parse(
            text, now: now, zone: zone, weekStart: weekStart, dateOrder: settings.dateOrder)
    }

    /// A device, here and now.
    ///
    /// - Parameter keepsNumbers: whether its folder stays; else to-dos are shown with their ids.
    package init(_ device: Device, keepsNumbers: Bool = true) throws {
        self.device = device
        now = SystemEnvironment.wallMilliseconds()
        zone = try Self.systemZone()
        settings = UserConfiguration.current
        weekStart = WeekStart.current
        todos = ToDoStore(store: device.store, now: now, zone: zone)
        naming = ToDoNaming(
            todos, reader: TerminalSession.name, began: TerminalSession.began(now: now),
            keepsNumbers: keepsNumbers)
    }

    /// The command line with other names in the place of words; nil where the words stand elsewhere.
    func line(naming names: [String], insteadOf words: [String]) -> String? {
        guard let arguments else { return nil }
        if Array(arguments.words.prefix(words.count)) == words {
            let rest = Array(arguments.words.dropFirst(words.count))
            return AdvisedLine.line(
                [arguments.command] + names + AdvisedLine.options(arguments) + sure(rest, arguments)
            )
        }
        // A key may name a to-do as well, as `depends:milk` does.
        guard words.count == 1, names.count == 1 else { return nil }
        let keyed = arguments.words.indices.filter { arguments.words[$0].hasSuffix(":" + words[0]) }
        guard keyed.count == 1 else { return nil }
        var line = arguments.words
        line[keyed[0]] = line[keyed[0]].dropLast(words[0].count) + names[0]
        return AdvisedLine.line([arguments.command] + AdvisedLine.options(arguments) + line)
    }

    /// The words behind a name that are surely no more words of a title, as keys and tags are; all of them where a command
    /// takes nothing but names.
    private func sure(_ rest: [String], _ arguments: Arguments) -> [String] {
        guard ForeignCommand.editing.contains(arguments.command) else { return rest }
        let words = Array(rest.prefix { $0 != "--" })
        let text = rest.dropFirst(words.count)
        if words.isEmpty { return rest }
        var sure: [String] = []
        if arguments.command != AnnotateCommand.name,
            let read = try? ItemWords.parse(words, for: .editing, self)
        {
            sure = read.title.map { TypedText($0, in: words).others } ?? words
        }
        return sure.isEmpty && text.isEmpty ? [TypedText.placeholder] : sure + text
    }

    /// Whether the command takes one to-do alone.
    var takesOne: Bool { arguments?.command == StartCommand.name }

    /// The words that name a to-do in this terminal: its number, else the end of its id.
    func name(of stored: Record) -> String { naming.name(of: stored) }

    /// The title of a to-do with the date that tells it from others of that title: when it is due, else when it was finished or
    /// made.
    func datedTitle(of stored: Record, widthMax: Int) -> String {
        let item = ToDoMapping.item(stored)
        let title = Cells.cut(stored.shownTitle, to: widthMax)
        func dated(_ word: String, _ moment: Moment) -> String {
            "\(title)  (\(word) "
                + "\(DatePhrase.listed(moment, now: now, zone: zone, width: .middle)))"
        }
        if let due = item.due { return dated("due", due) }
        if let completed = item.completed { return dated("finished", .instant(completed)) }
        return item.created.map { dated("added", .instant($0)) } ?? title
    }

    /// The end of an id, as long as it must be to name no other to-do.
    func end(of id: RecordID) -> String { todos.end(of: id) }

    /// The one to-do that words name, where there is no place for several.
    ///
    /// - Parameters:
    ///   - reason: why it is one, for the refusal of several.
    ///   - line: the line that takes it, up to its name.
    func findOne(_ words: [String], as reason: String, _ line: String) throws -> Record {
        try only(findAll(words), words, reason, line)
    }

    /// The same; it is not deleted.
    func findOneAlive(_ words: [String], as reason: String, _ line: String) throws -> Record {
        try only(findAlive(words), words, reason, line)
    }

    private func only(
        _ found: [Record], _ words: [String], _ reason: String, _ line: String
    ) throws -> Record {
        guard found.count == 1 else {
            let text = words.joined(separator: " ").shownInLine
            throw CommandFailure(
                .usage,
                "'\(text)' names \(found.count) to-dos, and \(reason); nothing was done; for the first of them: "
                    + "\(line)\(name(of: found[0]))")
        }
        return found[0]
    }

    /// The words that name a to-do, for refusals.
    static let waysToName = "say which: a number of a listing, words of the title, last, or an id"

    /// The to-dos that words name; at least one, none twice.
    ///
    /// - Parameter settled: the status that the command gives: where all that the words may mean have it, nobody is asked.
    func findAll(
        _ words: [String], in scope: ToDoNaming.Scope = .any, settled: ToDoStatus? = nil
    ) throws -> [Record] {
        if words.isEmpty {
            throw CommandFailure(.usage, Self.waysToName)
        }
        do {
            return try naming.find(words, in: scope)
        } catch .several(let text, let found, let hasMore) {
            let question = NameQuestion(text, found, hasMore: hasMore, words, self)
            if let settled { try question.refuseIfSettled(settled) }
            return [try question.ask()]
        } catch .insideWord(let text, let found, let hasMore) {
            let question = NameQuestion(
                text, found, hasMore: hasMore, isInsideWord: true, words, self)
            return [try question.ask()]
        } catch .mixed(let mixed) {
            throw NameQuestion.refusal(of: mixed, self)
        }
    }

    /// The to-dos that words name, none of them deleted.
    func findAlive(
        _ words: [String], in scope: ToDoNaming.Scope = .alive, settled: ToDoStatus? = nil
    ) throws -> [Record] {
        let found = try findAll(words, in: scope, settled: settled)
        for stored in found where stored.standing != .live {
            throw CommandFailure(stored, is: stored.standing, "nothing was saved", self)
        }
        return found
    }

    /// The to-dos that words name, none of them purged.
    func findUnpurged(
        _ words: [String], in scope: ToDoNaming.Scope = .trash
    ) throws -> [Record] {
        let found = try findAll(words, in: scope)
        for stored in found where stored.standing.isPurged {
            throw CommandFailure(stored, is: stored.standing, "nothing was restored", self)
        }
        return found
    }

    /// Whether somebody is there to answer a question.
    static func canConfirm(_ arguments: Arguments) -> Bool {
        Screen.canAsk && !arguments.has("no-input")
    }

    /// Asks before something is done to many, or for ever.
    static func confirm(_ question: String, _ arguments: Arguments) throws {
        if arguments.has("yes") { return }
        guard canConfirm(arguments) else {
            throw CommandFailure(.refused, "\(question) Nothing was done; say --yes to do it.")
        }
        guard Screen.confirm(question) else {
            throw CommandFailure(.nothing, "nothing was done")
        }
    }
}
