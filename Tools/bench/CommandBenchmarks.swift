import Glibc

/// The cost of commands of `tandem` as whole processes among few and many to-dos, three in ten of them finished,
/// next to `sqlite3` doing the same with the same to-dos.
struct CommandBenchmarks {
    /// The program that is measured.
    let program: String
    /// How many to-dos there are, few and many.
    let itemCounts: [Int]
    /// How often each command is run; the one in the middle counts.
    let runCount: Int
    /// How often one that has a budget is run, in turns with `sqlite3`.
    let turnCount: Int
    /// Whether instructions are counted as well, by valgrind.
    let countsInstructions: Bool
    let scratch: ScratchFolder

    /// The cost of a run.
    struct Took {
        /// Milliseconds.
        let wall: Double
        let cpu: Double
        let peakMebibytes: Double
        /// By the program's own code; nil if they were not counted.
        var instructions: Double?

        var figures: [(String, Double)] {
            [
                ("wallMilliseconds", wall), ("cpuMilliseconds", cpu),
                ("peakMebibytes", peakMebibytes),
            ] + (instructions.map { [("megaInstructions", $0 / 1e6)] } ?? [])
        }
    }

    /// The costs of commands among few to-dos, and whatever is told of them.
    private struct Results {
        var measurements = Measurements()
        var first: [String: Took] = [:]
    }

    /// Runs everything; gives JSON.
    func run() throws -> String {
        var results = Results()
        for count in itemCounts {
            let store = "\(scratch.path)/store-\(count)"
            var words = try prepare(store, count)
            results.measurements.note("true among \(count)", try middle(["/bin/true"]).figures)
            try measure(BenchCommand.ofOneDevice, words, count, &results)
            let second = try SecondDevice(
                program, of: store, in: "\(scratch.path)/second-\(count)")
            words.placeholders.merge(second.placeholders) { $1 }
            let daemon = try startedDaemon(words)
            try measure(BenchCommand.besideDaemon, words, count, &results)
            try daemon.end()
            try measure(BenchCommand.betweenDevices, words, count, &results)
            try second.end()
        }
        return results.measurements.text
    }

    private func measure(
        _ commands: [BenchCommand], _ words: CommandWords, _ count: Int, _ results: inout Results
    ) throws {
        for command in commands {
            let took: Took
            var budget: [(String, Double)] = []
            if let query = command.query {
                let beside = ["sqlite3", plain(count), query]
                (took, budget) = try cost(command, words, inTurnsWith: beside)
            } else {
                took = try cost(command, words)
            }
            var figures = took.figures + budget
            if let few = results.first[command.name] {
                figures.append(("cpuGrowth", took.cpu / max(0.001, few.cpu)))
                if let one = took.instructions, let other = few.instructions {
                    figures.append(("instructionGrowth", one / other))
                }
            } else {
                results.first[command.name] = took
            }
            results.measurements.note("\(command.name) among \(count)", figures)
        }
    }

    /// A daemon that is in touch with the second device, once it can be spoken to.
    private func startedDaemon(_ words: CommandWords) throws -> StartedProgram {
        let daemon = try StartedProgram(
            words.words(of: "daemon --peer SOCKET"), errors: "\(scratch.path)/daemon.log")
        for _ in 0..<2000 {
            let asked = try StartedProgram(words.words(of: "resume"), errors: "/dev/null")
            if try asked.wait(statuses: nil).status == 0 { return daemon }
            usleep(10_000)
        }
        throw BenchError.failed("the daemon does not answer")
    }

    /// The time that a command takes, and its share of the budget: all three programs in turns, as a machine is quicker in one minute
    /// than in the next.
    private func cost(
        _ command: BenchCommand, _ words: CommandWords, inTurnsWith beside: [String]
    ) throws -> (Took, [(String, Double)]) {
        var (all, floors, nothings): ([Took], [Took], [Took]) = ([], [], [])
        for _ in 0..<turnCount {
            nothings.append(try spawn(["/bin/true"]))
            floors.append(try spawn(beside))
            try prepare(command, words)
            all.append(try spawn(words.words(of: command.line), command.goodStatuses))
        }
        let (nothing, floor) = (Self.middle(nothings), Self.middle(floors))
        var took = Self.middle(all)
        took.instructions = try counted(command, words)
        // Twice the work of sqlite3, and a little for the start.
        let budget = nothing.cpu + 2 * (floor.cpu - nothing.cpu) + 3
        let figures = [
            ("sqlite3CpuMilliseconds", floor.cpu), ("budgetMilliseconds", budget),
            ("ofBudget", took.cpu / budget),
        ]
        return (took, figures)
    }

    private func cost(_ command: BenchCommand, _ words: CommandWords) throws -> Took {
        var all: [Took] = []
        for _ in 0..<(command.isWhole ? 1 : runCount) {
            try prepare(command, words)
            all.append(try spawn(words.words(of: command.line), command.goodStatuses))
        }
        var middle = Self.middle(all)
        if !command.isWhole { middle.instructions = try counted(command, words) }
        return middle
    }

    private func counted(_ command: BenchCommand, _ words: CommandWords) throws -> Double? {
        guard countsInstructions else { return nil }
        try prepare(command, words)
        return try instructions(words.words(of: command.line), command.goodStatuses)
    }

    /// Runs a command, after what comes before it.
    func run(_ command: BenchCommand, _ words: CommandWords) throws {
        try prepare(command, words)
        try spawn(words.words(of: command.line), command.goodStatuses)
        try prepare(command, words)
    }

    private var outPath: String { "\(scratch.path)/out" }

    private var changePath: String { "\(scratch.path)/change" }

    /// Writes a change of another program, of a key that no other has.
    private func writeChange() throws {
        guard let file = fopen(changePath, "w") else {
            throw BenchError.failed("cannot write \(changePath)")
        }
        let key = UInt64.random(in: 0 ... .max)
        fputs("{\"key\":\"\(key)\",\"kind\":\"insert\",\"item\":{\"title\":\"Buy milk\"}}\n", file)
        fclose(file)
    }

    /// Runs what comes before a command; what is so already may be refused.
    private func prepare(_ command: BenchCommand, _ words: CommandWords) throws {
        if command.line.hasSuffix(" OUT") { try spawn(["rm", "-rf", outPath]) }
        for line in command.before {
            try StartedProgram(words.words(of: line), errors: "/dev/null").wait(statuses: nil)
        }
        if command.line.hasSuffix(" CHANGE") { try writeChange() }
    }

    private func plain(_ count: Int) -> String { "\(scratch.path)/plain-\(count).db" }

    /// A store with imported to-dos, and a plain table with the same; gives what the words of commands stand for there.
    func prepare(_ store: String, _ count: Int) throws -> CommandWords {
        setenv("TANDEM_STORE", store, 1)
        unsetenv("VISUAL")
        setenv("EDITOR", "sed -i 's/^priority:.*/priority: high/'", 1)
        try spawn([program, "init", "--name", "bench"])
        let path = "\(scratch.path)/lines-\(count).jsonl"
        guard let file = fopen(path, "w") else {
            throw BenchError.failed("cannot write \(path)")
        }
        for number in 0..<count { fputs(BenchCommand.line(number) + "\n", file) }
        fclose(file)
        try spawn([program, "import", path])
        try spawn([
            "sqlite3", plain(count),
            "attach '\(store)/store.db' as s; create table plain as select * from s.todo; "
                + "create unique index by_id on plain(id); "
                + "create index by_due on plain(status, due); "
                + "create index by_time on plain(created, id) where status is null",
        ])
        // The numbers of a first list are given once.
        try spawn([program, "list"])
        return CommandWords(
            program: program,
            placeholders: [
                "ID": [try pendingID(store)], "OUT": [outPath], "CHANGE": [changePath],
                "LINES": [path],
            ])
    }

    /// The id of a pending to-do.
    private func pendingID(_ store: String) throws -> String {
        let path = "\(scratch.path)/id"
        let query =
            "select lower(hex(id)) from todo_record where state = 0 and status is null limit 1 offset 77"
        try spawn(["sqlite3", "\(store)/store.db", query], output: path)
        return try StartedProgram.text(path).filter(\.isHexDigit)
    }

    private func middle(_ words: [String]) throws -> Took {
        Self.middle(try (0..<runCount).map { _ in try spawn(words) })
    }

    private static func middle(_ all: [Took]) -> Took {
        all.sorted { $0.cpu < $1.cpu }[all.count / 2]
    }

    /// The instructions of a run, which repeat to the millionth part; nil without valgrind.
    ///
    /// - Parameter statuses: the exit codes that are expected.
    func instructions(_ words: [String], _ statuses: [CInt]) throws -> Double? {
        let path = "\(scratch.path)/callgrind"
        let tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        try StartedProgram(tool + words, errors: path).wait(statuses: statuses)
        let line = try StartedProgram.text(path).split(separator: "\n")
            .first { $0.contains("Collected :") }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }

    /// Runs a program to its end, its output thrown away.
    ///
    /// - Parameter statuses: the exit codes that are expected.
    @discardableResult
    private func spawn(
        _ words: [String], _ statuses: [CInt] = [0], output: String? = nil
    ) throws -> Took {
        try StartedProgram(words, output: output).wait(statuses: statuses).took
    }
}
