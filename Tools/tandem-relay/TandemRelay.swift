import Glibc
import JSON

/// `tandem-relay`: relays whose spaces are in a PostgreSQL database, run by `tandem relay`; nobody runs it by hand.
@main
enum TandemRelay {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        #if PostgreSQL
            switch words.first {
            case "serve", "move", "examine", "devices", "put-out":
                DatabaseRelay.run(words[0], RelayWords(Array(words.dropFirst())))
            case "check": exit(0)
            default: refuse(words)
            }
        #else
            switch words.first {
            case "serve", "move", "examine", "devices", "put-out":
                say(
                    "this build has no PostgreSQL, so the spaces of a relay cannot be in a database. Build it with the "
                        + "trait PostgreSQL: swift build --traits default,PostgreSQL")
            case "check": break
            default: refuse(words)
            }
            exit(69)
        #endif
    }

    /// Ends the program where a person typed its name in place of `tandem relay`.
    private static func refuse(_ words: [String]) -> Never {
        let names = ["store", "folder"]
        let isOfFolder = words.contains { word in
            names.contains { word == "--" + $0 || word.hasPrefix("--\($0)=") }
        }
        say(
            "run by tandem, not by hand (try: tandem help relay)"
                + (isOfFolder ? "; for a folder: tandem relay --folder FOLDER" : ""))
        exit(64)
    }

    /// Writes a line to standard error.
    static func say(_ line: String) {
        write("tandem: " + line + "\n", to: STDERR_FILENO)
    }

    /// Writes what was found to standard output: a line for programs, or lines for people.
    static func tell(_ members: [JSONMember], isJSON: Bool, lines: [String]) {
        var lines = lines
        if isJSON {
            var writer = JSONWriter()
            writer.append(.object(members))
            lines = [String(decoding: writer.bytes, as: UTF8.self)]
        }
        write(lines.map { $0 + "\n" }.joined(), to: STDOUT_FILENO)
    }

    /// Writes a text to a descriptor.
    static func write(_ text: String, to descriptor: CInt) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
