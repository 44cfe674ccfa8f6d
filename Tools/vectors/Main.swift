import Glibc
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

    private static func complain(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }

    private static func check(_ folder: String) -> Int32 {
        var failures = 0
        for kind in VectorKind.allCases {
            let path = folder + "/" + kind.fileName
            guard let bytes = contents(of: path) else {
                complain("cannot read \(path): \(String(cString: strerror(errno)))")
                failures += 1
                continue
            }
            let mismatches = VectorFile.mismatches(in: bytes, of: kind)
            for mismatch in mismatches { complain(mismatch.description) }
            failures += mismatches.count
        }
        print(failures == 0 ? "all vectors hold" : "\(failures) failed")
        return failures == 0 ? 0 : 1
    }

    private static func write(_ folder: String) -> Int32 {
        for kind in VectorKind.allCases {
            let path = folder + "/" + kind.fileName
            guard let file = fopen(path, "w") else {
                complain("cannot write \(path): \(String(cString: strerror(errno)))")
                return 1
            }
            fputs(VectorFile.text(of: kind), file)
            guard fclose(file) == 0 else {
                complain("cannot write \(path): \(String(cString: strerror(errno)))")
                return 1
            }
        }
        return 0
    }

    private static func contents(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return ferror(file) == 0 ? bytes : nil }
            bytes.append(contentsOf: buffer[..<count])
        }
    }
}
