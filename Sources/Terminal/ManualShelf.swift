import Glibc

/// A folder of manual pages.
package enum ManualShelf {
    /// A failure with a file or a folder.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// Writes pages into a folder, which is made if it is missing; gives the paths.
    ///
    /// - Parameter product: the program and its version, for the foot of the pages.
    package static func write(
        _ pages: [ManualPage], into folder: String, product: String
    ) throws(Fault) -> [String] {
        if mkdir(folder, 0o755) != 0, errno != EEXIST { throw fault(folder) }
        let date = date()
        var paths: [String] = []
        for page in pages {
            let path = "\(folder)/\(page.fileName)"
            try write(page.text(date: date, product: product), to: path)
            paths.append(path)
        }
        return paths
    }

    private static func write(_ text: String, to path: String) throws(Fault) {
        guard let file = fopen(path, "we") else { throw fault(path) }
        let isWritten = fputs(text, file) >= 0
        guard fclose(file) == 0, isWritten else { throw fault(path) }
    }

    private static func fault(_ path: String) -> Fault {
        Fault(description: "\(path) cannot be written: \(String(cString: strerror(errno)))")
    }

    /// Today, or the day that `SOURCE_DATE_EPOCH` names (reproducible-builds.org), in UTC.
    private static func date() -> String {
        var seconds = time(nil)
        if let text = getenv("SOURCE_DATE_EPOCH"), let given = time_t(String(cString: text)) {
            seconds = given
        }
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(parts.tm_year + 1900)-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))"
    }
}
