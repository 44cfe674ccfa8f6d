import Devices
import Glibc
import Terminal

/// The program that serves HTTP, which stands beside this one: so this one needs none of its libraries.
enum WebProgram {
    /// The message that nothing of this installation serves HTTP.
    static let missing =
        "\(SiblingProgram.web) is missing, the program that serves HTTP; this is the static program or "
        + "a build without the trait Web. Install the Debian package, or build with the trait Web"

    /// Becomes `tandem-web` with these words; returns only by throwing.
    ///
    /// - Throws: `unavailable` if it is not installed, as with the static program.
    static func run(_ words: [String]) throws -> Never {
        try Succession.become(SiblingProgram.web, words, missing: missing)
    }
}

/// The program of relays on a database, which stands beside this one: libpq would cost each start of this one some
/// milliseconds.
enum RelayProgram {
    /// The message that nothing of this installation speaks to a database.
    static let missing =
        "\(SiblingProgram.relay) is missing, the program of relays on a database. Build it with the trait "
        + "PostgreSQL: swift build --traits default,PostgreSQL"

    /// The variable of the setting `store`.
    private static let variable = "TANDEM_RELAY_STORE"

    /// Becomes `tandem-relay`; returns only by throwing.
    ///
    /// - Parameters:
    ///   - operation: what it is to do, its first word.
    ///   - database: is handed on in the environment, which only this account can read; nil for the one that is there.
    static func run(_ operation: String, _ words: [String], _ database: String?) throws -> Never {
        if let database { setenv(variable, database, 1) }
        try Succession.become(SiblingProgram.relay, [operation] + words, missing: missing)
    }
}

/// Another program of the installation in place of this one, in the same process.
enum Succession {
    /// Becomes the program with these words; returns only by throwing.
    ///
    /// - Throws: `unavailable` with the message if it is not installed.
    static func become(_ name: String, _ words: [String], missing: String) throws -> Never {
        guard let path = SiblingProgram.path(name) else {
            throw CommandFailure(.unavailable, missing)
        }
        Screen.flush()
        var arguments: [UnsafeMutablePointer<CChar>?] = ([name] + words).map { strdup($0) }
        arguments.append(nil)
        execv(path, arguments)
        let problem = String(cString: strerror(errno))
        throw CommandFailure(
            .unavailable, "\(path) cannot be run: \(problem). Install Tandem again")
    }
}
