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

    /// The exit codes of a command that did what was asked, or found nothing.
    static let goodStatuses: [CInt] = [0, 1]

    /// Runs everything; gives JSON.
    func run() throws -> String {
        var measurements = Measurements()
        var first: [String: Took] = [:]
        for count in itemCounts {
            let store = "\(scratch.path)/store-\(count)"
            measurements.note("import among \(count)", try prepare(store, count).figures)
            measurements.note("true among \(count)", try middle(["/bin/true"]).figures)
            let id = try pendingID(store)
            for command in BenchCommand.all {
                let took: Took
                var budget: [(String, Double)] = []
                if let query = command.query {
                    let beside = ["sqlite3", plain(count), query]
                    (took, budget) = try cost(command, id, inTurnsWith: beside)
                } else {
                    took = try cost(command, id)
                }
                var figures = took.figures + budget
                if let few = first[command.name] {
                    figures.append(("cpuGrowth", took.cpu / max(0.001, few.cpu)))
                    if let one = took.instructions, let other = few.instructions {
                        figures.append(("instructionGrowth", one / other))
                    }
                } else {
                    first[command.name] = took
                }
                measurements.note("\(command.name) among \(count)", figures)
            }
        }
        return measurements.text
    }

    /// The time that a command takes, and its share of the budget: all three programs in turns, as a machine is quicker in one minute
    /// than in the next.
    private func cost(
        _ command: BenchCommand, _ id: String, inTurnsWith beside: [String]
    ) throws -> (Took, [(String, Double)]) {
        var (all, floors, nothings): ([Took], [Took], [Took]) = ([], [], [])
        for _ in 0..<turnCount {
            nothings.append(try spawn(["/bin/true"]))
            floors.append(try spawn(beside))
            try prepare(command, id)
            all.append(try spawn(words(command.line, id)))
        }
        let (nothing, floor) = (Self.middle(nothings), Self.middle(floors))
        var took = Self.middle(all)
        took.instructions = try counted(command, id)
        // Twice the work of sqlite3, and a little for the start.
        let budget = nothing.cpu + 2 * (floor.cpu - nothing.cpu) + 3
        let figures = [
            ("sqlite3CpuMilliseconds", floor.cpu), ("budgetMilliseconds", budget),
            ("ofBudget", took.cpu / budget),
        ]
        return (took, figures)
    }

    private func cost(_ command: BenchCommand, _ id: String) throws -> Took {
        var all: [Took] = []
        for _ in 0..<(command.isWhole ? 1 : runCount) {
            try prepare(command, id)
            if command.isWhole { try spawn(["rm", "-rf", "\(scratch.path)/out"]) }
            all.append(try spawn(words(command.line, id)))
        }
        var middle = Self.middle(all)
        if !command.isWhole { middle.instructions = try counted(command, id) }
        return middle
    }

    private func counted(_ command: BenchCommand, _ id: String) throws -> Double? {
        guard countsInstructions else { return nil }
        try prepare(command, id)
        return try instructions(words(command.line, id))
    }

    func words(_ line: String, _ id: String) -> [String] {
        [program]
            + line.split(separator: " ").map {
                switch $0 {
                case "ID": id
                case "OUT": "\(scratch.path)/out"
                case "CHANGE": changePath
                default: String($0)
                }
            }
    }

    /// Runs a command, after what comes before it.
    func run(_ command: BenchCommand, _ id: String) throws {
        try prepare(command, id)
        try spawn(words(command.line, id))
        try prepare(command, id)
    }

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
    private func prepare(_ command: BenchCommand, _ id: String) throws {
        for line in command.before {
            try spawn(words(line, id), statuses: nil, errors: "/dev/null")
        }
        if command.line.hasSuffix(" CHANGE") { try writeChange() }
    }

    private func plain(_ count: Int) -> String { "\(scratch.path)/plain-\(count).db" }

    /// A store with imported to-dos, and a plain table with the same.
    @discardableResult
    func prepare(_ store: String, _ count: Int) throws -> Took {
        setenv("TANDEM_STORE", store, 1)
        try spawn([program, "init", "--name", "bench"])
        let path = "\(scratch.path)/lines-\(count).jsonl"
        guard let file = fopen(path, "w") else {
            throw BenchError.failed("cannot write \(path)")
        }
        for number in 0..<count { fputs(BenchCommand.line(number) + "\n", file) }
        fclose(file)
        let took = try spawn([program, "import", path])
        unlink(path)
        try spawn([
            "sqlite3", plain(count),
            "attach '\(store)/store.db' as s; create table plain as select * from s.todo; "
                + "create unique index by_id on plain(id); "
                + "create index by_due on plain(status, due); "
                + "create index by_time on plain(created, id) where status is null",
        ])
        // The numbers of a first list are given once.
        try spawn([program, "list"])
        return took
    }

    /// The id of a pending to-do.
    func pendingID(_ store: String) throws -> String {
        let path = "\(scratch.path)/id"
        let query =
            "select lower(hex(id)) from todo_record where state = 0 and status is null limit 1 offset 77"
        try spawn(["sqlite3", "\(store)/store.db", query], output: path)
        return try text(path).filter(\.isHexDigit)
    }

    private func text(_ path: String) throws -> String {
        guard let file = fopen(path, "r") else { throw BenchError.failed("cannot read \(path)") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    private func middle(_ words: [String]) throws -> Took {
        Self.middle(try (0..<runCount).map { _ in try spawn(words) })
    }

    private static func middle(_ all: [Took]) -> Took {
        all.sorted { $0.cpu < $1.cpu }[all.count / 2]
    }

    /// The instructions of a run, which repeat to the millionth part; nil without valgrind.
    ///
    /// - Parameter statuses: the exit codes that are expected; nil for any.
    func instructions(_ words: [String], statuses: [CInt]? = nil) throws -> Double? {
        let path = "\(scratch.path)/callgrind"
        let tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        try spawn(tool + words, statuses: statuses, errors: path)
        let line = try text(path).split(separator: "\n").first { $0.contains("Collected :") }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }

    /// Runs a program to its end, its output thrown away.
    ///
    /// - Parameter statuses: the exit codes that are expected; nil for any.
    @discardableResult
    private func spawn(
        _ words: [String], statuses: [CInt]? = Self.goodStatuses, output: String = "/dev/null",
        errors: String? = nil
    ) throws -> Took {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600)
        if let errors { posix_spawn_file_actions_addopen(&actions, 2, errors, flags, 0o600) }
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let start = Cost.wall
        var identifier = pid_t()
        guard posix_spawnp(&identifier, words[0], &actions, nil, &arguments, environ) == 0 else {
            throw BenchError.failed("cannot run \(words[0])")
        }
        var status: CInt = 0
        var usage = rusage()
        while wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        let took = Took(
            wall: (Cost.wall - start) * 1000,
            cpu: (seconds(usage.ru_utime) + seconds(usage.ru_stime)) * 1000,
            peakMebibytes: Double(usage.ru_maxrss) / 1024)
        if let statuses, !statuses.contains(status >> 8 & 0xff) || status & 0x7f != 0 {
            throw BenchError.failed("`\(words.joined(separator: " "))` ended with \(status >> 8)")
        }
        return took
    }
}
