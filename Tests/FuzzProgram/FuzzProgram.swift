import FuzzTargets
import Glibc

/// The target that libFuzzer feeds; it calls from one thread.
nonisolated(unsafe) private var current: FuzzTarget?

/// Writes a line at once: an input may end the program.
private func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// Feeds one input; what libFuzzer links against.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try current?.feed(Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
        say("a broken promise: \(error)")
        abort()
    }
    return 0
}

#if FUZZING
    @_silgen_name("LLVMFuzzerRunDriver")
    private func runDriver(
        _ argumentCount: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
        >, _ feed: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    ) -> CInt
#endif

/// Feeds one target, named by `FUZZ_TARGET`: by libFuzzer with its options, or with the files that are named.
///
/// The name is in the environment, as libFuzzer starts itself again with the same arguments. Without a name it lists the
/// targets, and with `FUZZ_SEEDS` the inputs that are made.
@main
struct FuzzProgram {
    static func main() {
        if getenv("FUZZ_SEEDS") != nil {
            for seed in FuzzSeeds.all {
                print(seed.target, FuzzSeeds.prefix + seed.name, hex(seed.bytes))
            }
            return
        }
        guard let name = getenv("FUZZ_TARGET").map({ String(cString: $0) }) else {
            for target in FuzzTargets.all {
                print(target.name, target.byteCountMax, target.decoders.joined(separator: " "))
            }
            return
        }
        guard let target = FuzzTargets.named(name) else {
            say("fuzz: no target '\(name)'")
            exit(64)
        }
        current = target
        #if FUZZING
            var count = CommandLine.argc
            var arguments = CommandLine.unsafeArgv
            exit(runDriver(&count, &arguments) { fuzzOneInput($0, $1) })
        #else
            for path in CommandLine.arguments.dropFirst() {
                let bytes = contents(of: path)
                say(path)
                _ = bytes.withUnsafeBufferPointer { fuzzOneInput($0.baseAddress, $0.count) }
            }
        #endif
    }

    /// The bytes of a file; ends the program if it cannot be read.
    private static func contents(of path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else {
            say("fuzz: \(path) cannot be read")
            exit(66)
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&piece, 1, piece.count, file), count > 0 {
            bytes += piece[..<count]
        }
        return bytes
    }
}
