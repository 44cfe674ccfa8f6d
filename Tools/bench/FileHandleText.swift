import Glibc

/// Text for people beside the result.
enum FileHandleText {
    /// Writes to the standard error.
    static func error(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(2, bytes, bytes.count)
    }
}
