import Glibc

/// `bench`: what the engine costs, as ratios to plain SQLite measured in the same run.
@main
struct BenchMain {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        var size = BenchSize.full
        var folder = "/tmp"
        var arguments = CommandLine.arguments.dropFirst().makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--smoke": size = .smoke
            case "--folder": folder = arguments.next() ?? folder
            case "--help", "-h":
                print(
                    """
                    bench [--smoke] [--folder FOLDER]

                    Measures Tandem against plain SQLite in one run and prints JSON: seconds, bytes and
                    ratios. --smoke takes small sizes, in a few seconds; --folder is where the stores are
                    made and removed again (default /tmp).
                    """)
                return
            default:
                FileHandleText.error("bench: unknown argument \(argument); see bench --help\n")
                exit(64)
            }
        }
        do {
            let scratch = try ScratchFolder(in: folder)
            let report = try Benchmarks(size: size, scratch: scratch).run()
            print(report)
        } catch {
            FileHandleText.error("bench: \(error)\n")
            exit(1)
        }
    }
}
