/// The words of this process's command line, and what is said of bytes that are no text.
///
/// Swift reads other bytes as if they were U+FFFD, which would be stored in place of what was typed.
package enum TextEncoding {
    /// The advice for bytes that are not UTF-8.
    package static let advice =
        "use a terminal and files in UTF-8; a file in Latin-1 becomes that by: iconv -f latin1 -t utf-8"

    /// The words behind the program's name.
    ///
    /// - Throws: a refusal if one is not UTF-8.
    static func commandLine() throws(CommandFailure) -> [String] {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[index] else { break }
            guard let word = String(validatingCString: bytes) else {
                throw CommandFailure(
                    .usage,
                    "argument \(index), '\(String(cString: bytes).shownInLine)', is not UTF-8; nothing was done; "
                        + advice)
            }
            words.append(word)
        }
        return words
    }
}
