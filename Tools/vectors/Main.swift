import Glibc
import Terminal
import VectorFiles

/// Checks and writes the protocol's frozen vectors, and answers those who write a peer of their own.
@main
struct Main {
    private static let usage = """
        usage: vectors check [FOLDER]   checks the files of Protocol/Vectors
               vectors write [FOLDER]   writes them anew
               vectors line             answers lines from standard input:
        \(LineAnswer.help)
        """

    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        let verb = arguments.popFirst()
        let folder = arguments.popFirst() ?? "Protocol/Vectors"
        switch verb {
        case "check" where arguments.isEmpty: exit(check(folder))
        case "write" where arguments.isEmpty: exit(write(folder))
        case "line" where arguments.isEmpty:
            while let line = readLine() {
                print(LineAnswer.answer(to: line))
                fflush(nil)
            }
        case "help", "--help", "-h": print(usage)
        default:
            complain(usage)
            exit(2)
        }
    }

    private static func check(_ folder: String) -> Int32 {
        var failures = 0
        for kind in VectorKind.allCases {
            do throws(CommandFailure) {
                let bytes = try Files.read(folder + "/" + kind.fileName)
                let mismatches = VectorFile.mismatches(in: bytes, of: kind)
                for mismatch in mismatches { complain(mismatch.description) }
                failures += mismatches.count
            } catch {
                complain(error.message)
                failures += 1
            }
        }
        print(failures == 0 ? "all vectors hold" : "\(failures) failed")
        return failures == 0 ? 0 : 1
    }

    private static func write(_ folder: String) -> Int32 {
        do throws(CommandFailure) {
            for kind in VectorKind.allCases {
                try Files.write(VectorFile.text(of: kind).utf8, to: folder + "/" + kind.fileName)
            }
            return 0
        } catch {
            complain(error.message)
            return 1
        }
    }

    private static func complain(_ text: String) { Screen.error(text + "\n") }
}
