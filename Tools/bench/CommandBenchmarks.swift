import Glibc

/// The cost of commands of `tandem` as whole processes, next to `sqlite3` doing the same with the
/// same to-dos.
struct CommandBenchmarks {
    /// The program that is measured.
    let program: String
    /// How many to-dos there are.
    let itemCount: Int
    /// How often each command is run; the one in the middle counts.
    let runCount: Int
    let scratch: ScratchFolder

    /// Milliseconds that a process took.
    private struct Took {
        let wall: Double
        let cpu: Double
    }

    private var store: String { scratch.path + "/store" }
    private var plain: String { scratch.path + "/plain.db" }

    /// Runs everything; gives JSON.
    func run() throws -> String {
        try prepare()
        let shown = "title, due, project, tags from todo where status is null"
        let query = "select \(shown) order by due is null, due limit 500"
        let floorOfList = try median(["sqlite3", store + "/store.db", query])
        let insert = "insert into plain(title, created) values ('Buy milk', '2026-11-21')"
        let floorOfAdd = try median(["sqlite3", plain, insert])
        let ordered = "select title, due, project, tags from plain where status is null"
        let floorOfOrder = try median(
            ["sqlite3", plain, "\(ordered) order by created, id limit 500"])
        let update = "update plain set position = '[\"a0\"]' where rowid = 3"
        let floorOfMove = try median(["sqlite3", plain, update])
        var measurements = Measurements()
        measurements.note("items", itemCount)
        for (name, words, floor) in [
            ("version", ["version"], nil), ("list", ["list"], floorOfList),
            ("list by manual", ["list", "--by", "manual"], floorOfOrder),
            ("today", ["today"], floorOfList), ("show", ["show", "1"], floorOfList),
            ("add", ["add", "Buy milk"], floorOfAdd),
            ("move", ["move", "3", "--top"], floorOfMove),
            ("move between", ["move", "5", "--after", "3"], floorOfMove),
        ] as [(String, [String], Took?)] {
            if name.hasPrefix("move") { _ = try spawn([program, "list"]) }
            let took = try median([program] + words)
            var figures = [("wallMilliseconds", took.wall), ("cpuMilliseconds", took.cpu)]
            if let floor {
                figures += [
                    ("sqlite3CpuMilliseconds", floor.cpu),
                    ("cpuRatio", took.cpu / max(0.001, floor.cpu)),
                ]
            }
            measurements.note(name, figures)
        }
        return measurements.text
    }

    /// A store with to-dos, and a plain table with the same.
    private func prepare() throws {
        setenv("TANDEM_STORE", store, 1)
        try spawn([program, "init", "--name", "bench"])
        let path = scratch.path + "/lines"
        guard let file = fopen(path, "w") else {
            throw BenchError.failed("cannot write \(path)")
        }
        for number in 0..<itemCount {
            let item = SampleToDo(number)
            let due = number % 2 == 0 ? " due:2026-\(10 + number % 3)-\(10 + number % 18)" : ""
            fputs("\(item.title) \(number) project:\(item.project)\(due)\n", file)
        }
        fclose(file)
        try spawn([program, "add", "-"], input: path)
        try spawn([
            "sqlite3", plain,
            "attach '\(store)/store.db' as s; create table plain as select * from s.todo; "
                + "create unique index by_id on plain(id); "
                + "create index by_due on plain(status, due); "
                + "create index by_time on plain(created, id) where status is null",
        ])
    }

    private func median(_ words: [String]) throws -> Took {
        var all: [Took] = []
        for _ in 0..<runCount { all.append(try spawn(words)) }
        func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        return Took(wall: middle(all.map(\.wall)), cpu: middle(all.map(\.cpu)))
    }

    /// Runs a program to its end, its output thrown away.
    @discardableResult
    private func spawn(_ words: [String], input: String = "/dev/null") throws -> Took {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let (start, before) = (Cost.wall, Self.childrenCPU)
        var identifier = pid_t()
        guard posix_spawnp(&identifier, words[0], &actions, nil, &arguments, environ) == 0 else {
            throw BenchError.failed("cannot run \(words[0])")
        }
        var status: CInt = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let took = Took(
            wall: (Cost.wall - start) * 1000, cpu: (Self.childrenCPU - before) * 1000)
        guard status == 0 || status == 1 << 8 else {
            throw BenchError.failed("`\(words.joined(separator: " "))` ended with \(status >> 8)")
        }
        return took
    }

    /// Seconds of processor time of all children that have ended.
    private static var childrenCPU: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
