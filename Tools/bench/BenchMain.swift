import Glibc
import Terminal

/// `bench`: the engine's cost, as ratios to plain SQLite measured in the same run.
@main
struct BenchMain {
    private static let help =
        """
        bench [relay [--sessions COUNT] [--store URL]] [--smoke] [--folder FOLDER]
        bench live [--edits COUNT] [--smoke] [--folder FOLDER]
        bench ids [--ids COUNT] [--smoke] [--folder FOLDER]
        bench commands [--instructions] [--program PATH] [--smoke] [--folder FOLDER]
        bench commands --check [--items COUNT] [--program PATH] [--folder FOLDER]

        Measures Tandem against plain SQLite in one run and prints JSON: seconds, bytes and
        ratios. `bench relay`: a relay with COUNT idle sessions (default 5000); and beside it, in
        one run, three relays on the database URL, which is best one for this alone.
        `bench ids`: a relay's engine and devices of a space that has known COUNT
        replica ids (default 100000).
        `bench live` measures how long an edit takes to the other replica alone.
        `bench commands` measures the program tandem, the one beside this by default, as whole
        processes among 10,000 and 100,000 to-dos, three in ten of them finished, some
        beside sqlite3, and syncs with a second device that it pairs and serves.
        --instructions counts instructions as well (needs valgrind).
        --check counts the instructions of those that have a budget, among 10,000 or COUNT
        to-dos, and fails if one is beyond it; the budgets are of the program as
        ./Tools/package links it.
        --smoke takes small sizes, in a few seconds; --folder is where the stores are made
        and removed again (default /tmp).
        """

    static func main() {
        signal(SIGPIPE, SIG_IGN)
        var size = BenchSize.full
        var folder = "/tmp"
        var (isRelay, isLive, isIDs) = (false, false, false)
        var idCount: Int?
        var editCount: Int?
        var program: String?
        var sessionCount: Int?
        var countsInstructions = false
        var isCheck = false
        var itemCount = BenchSize.full.bulkCount / 10
        var store: String?
        var arguments = CommandLine.arguments.dropFirst().makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "relay": isRelay = true
            case "live": isLive = true
            case "ids": isIDs = true
            case "--ids": idCount = arguments.next().flatMap { Int($0) }
            case "--edits": editCount = arguments.next().flatMap { Int($0) }
            case "commands": program = program ?? beside("tandem")
            case "--instructions": countsInstructions = true
            case "--check": isCheck = true
            case "--items": itemCount = arguments.next().flatMap { Int($0) } ?? itemCount
            case "--program": program = arguments.next() ?? program
            case "--sessions": sessionCount = arguments.next().flatMap { Int($0) }
            case "--store": store = arguments.next()
            case "relay-host": host(arguments.next() ?? "")
            case "--smoke": size = .smoke
            case "--folder": folder = arguments.next() ?? folder
            case "--help", "-h":
                print(help)
                return
            default:
                Screen.error("bench: unknown argument \(argument); see bench --help\n")
                exit(ExitCode.usage.rawValue)
            }
        }
        if let editCount { size.liveCount = editCount }
        do {
            let scratch = try ScratchFolder(in: folder)
            let isSmoke = size.bulkCount == BenchSize.smoke.bulkCount
            if isRelay {
                var size = isSmoke ? RelaySize.smoke : .full
                if let sessionCount { size.idleCount = sessionCount }
                print(try relay(size, scratch, store))
            } else if isIDs {
                let count = idCount ?? (isSmoke ? 5_000 : 100_000)
                print(try IDBenchmarks(idCount: count, scratch: scratch).run())
            } else if let program, isCheck {
                try check(program, itemCount, scratch)
            } else if let program {
                let commands = CommandBenchmarks(
                    program: program, itemCounts: [size.bulkCount / 10, size.bulkCount],
                    runCount: isSmoke ? 1 : 7, turnCount: isSmoke ? 1 : 41,
                    countsInstructions: countsInstructions, scratch: scratch)
                print(try commands.run())
            } else {
                let benchmarks = Benchmarks(size: size, scratch: scratch)
                print(try isLive ? benchmarks.runLive() : benchmarks.run())
            }
        } catch {
            Screen.error("bench: \(error)\n")
            exit(1)
        }
    }

    /// Looks whether commands keep their budgets of instructions.
    private static func check(
        _ program: String, _ itemCount: Int, _ scratch: ScratchFolder
    ) throws {
        let commands = CommandBenchmarks(
            program: program, itemCounts: [itemCount], runCount: 1, turnCount: 1,
            countsInstructions: true, scratch: scratch)
        let check = try commands.check()
        print(check.text)
        guard check.beyond.isEmpty else {
            throw BenchError.failed(
                "beyond the budget of docs/performance.md: \(check.beyond.joined(separator: ", "))")
        }
    }

    /// The program of that name in the folder of this one.
    private static func beside(_ name: String) -> String {
        let path = CommandLine.arguments[0]
        guard let cut = path.lastIndex(of: "/") else { return name }
        return path[...cut] + name
    }

    private static func relay(
        _ size: RelaySize, _ scratch: ScratchFolder, _ store: String?
    ) throws -> String {
        #if Encryption
            return try RelayBenchmarks(size: size, scratch: scratch, store: store).run()
        #else
            throw BenchError.failed("this program was built without encryption")
        #endif
    }

    /// Is the relay of another one of these programs.
    private static func host(_ folder: String) -> Never {
        do {
            #if Encryption
                try RelayHost.serve(folder: folder)
            #endif
            exit(0)
        } catch {
            Screen.error("bench: \(error)\n")
            exit(1)
        }
    }
}

/// Why a benchmark could not be run.
enum BenchError: Error, CustomStringConvertible {
    case failed(String)

    var description: String {
        switch self {
        case .failed(let text): text
        }
    }
}
